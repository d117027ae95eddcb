"""Words of a request: stems, and words that carry no rule of their own."""

from __future__ import annotations

import re
from functools import cache


def word_set(words: str) -> frozenset[str]:
    """The words of a text that is separated by spaces."""
    return frozenset(words.split())


def phrase_set(phrases: str) -> frozenset[str]:
    """The phrases of a text that is separated by commas."""
    return frozenset(phrase.strip() for phrase in phrases.split(","))


_SUFFIXES = (
    "ations",
    "ation",
    "ated",
    "ates",
    "ating",
    "ate",
    "ships",
    "ship",
    "ances",
    "ance",
    "als",
    "al",
    "ings",
    "ing",
    "ed",
    "es",
    "s",
    "e",
)
_IRREGULAR = {
    "sent": "send",
    "paid": "pay",
    "bought": "buy",
    "wrote": "write",
    "written": "write",
    "ran": "run",
    "made": "make",
    "given": "give",
    "people": "person",
    "nurse": "nursing",
    "nurses": "nursing",
    "deletion": "delete",
    "removal": "remove",
    "executed": "run",
    "execute": "run",
    "mail": "email",
    "mails": "email",
    "flew": "fly",
    "flown": "fly",
    "spent": "spend",
    "lent": "lend",
    "sold": "sell",
    "told": "tell",
    "built": "build",
    "taken": "take",
    "shown": "show",
    "chosen": "choose",
    "drawn": "draw",
    "withdrawn": "withdraw",
}

_PARTICIPLES = word_set(
    "sent paid bought written made given flown spent lent sold told built taken shown chosen drawn withdrawn"
)
_OWN_PARTICIPLES = {
    **{verb: verb for verb in ("run", "set", "put", "cut", "read")},
    "get": "got",
    "find": "found",
}

# Words whose stem would collide with another one: “not” and “note”, “same” and Sam, “ever” and “every”.
_WHOLE = {
    "note": "note",
    "notes": "note",
    "same": "same",
    "every": "every",
    "pipe": "pipe",
    "pipes": "pipe",
    "piping": "pipe",
}

# Filler words around the words that carry meaning.
ARTICLES = word_set("a an the this these those that any all each every")
PEOPLE = word_set(
    "user users customer customers agent assistant bot person persons people anyone anybody everyone "
    "everybody someone member's they he she it them him her its their his your you we our who which "
    "whose staff profile"
)
# The people among these who ask the agent for something, when it is done “for” them.
USERS = word_set("user users customer customers anyone anybody everyone everybody someone")
# People by their role or group, after the word that names it.
HOLDERS = word_set("agents assistants employee employees worker workers team teams member members personnel")
LIGHT = word_set(
    "is are be been being was were am either has have had having does do done did live lives living hold "
    "holds holding owns owning with of in to for on at as by from there then also therefore "
    "current currently still already such role roles"
)
ACTION_FILLER = word_set(
    "something anything anywhere things thing to for of on at with by from in into via using "
    "tool tools action actions perform performing use uses used call calls called calling "
    "their his her its them it"
)

# Possessives: “their own” restricts more than the verb in “they own”.
POSSESSIVES = word_set("their his her its your my our someone's user's customer's")

# Arguments that hold free text, and not its subject.
PROSE = word_set("text body message subject note content comment title summary")

# Words that refer to something without naming it.
UNSPECIFIC = word_set("certain some specific particular given own same right valid selected")


def split_words(text: str) -> tuple[str, ...]:
    """The words of a name or phrase, in lower case; ``snake_case`` and ``camelCase`` are split."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return tuple(re.findall(r"[a-z0-9]+(?:['’][a-z]+)?", text.replace("_", " ").lower()))


def have_same_words(left: str, right: str) -> bool:
    """Whether two names or phrases have the same words in the same order, in any spelling."""
    return split_words(left) == split_words(right)


@cache
def stem(word: str) -> str:
    """A crude stem, enough to match the forms of one word of a small vocabulary.

    It cuts more than the stem of ``runs.extract.phrases``. A person sees a wrong match here in the rule that
    is read aloud; there, the stem decides calls.
    """
    word = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    if word in _WHOLE:
        return _WHOLE[word]
    word = _IRREGULAR.get(word, word)
    word = re.sub(r"icen[cs]e", "icens", word)
    if word.endswith(("ies", "ied")) and len(word) > 4:
        word = word[:-3] + "y"
    for suffix in _SUFFIXES:
        if suffix == "s" and word.endswith("ss"):
            continue
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "s":
        word = word[:-1]
    return word[:-1] if word.endswith("y") and len(word) > 3 else word


def participle(verb: str) -> str:
    """The past participle of a verb: “sent”, “created”, “cancelled”."""
    irregular = (form for form, base in _IRREGULAR.items() if base == verb and form in _PARTICIPLES)
    if (known_form := _OWN_PARTICIPLES.get(verb) or next(irregular, None)) is not None:
        return known_form
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{verb[:-1]}ied" if re.search(r"[^aeiou]y$", verb) else f"{verb}ed"


def stems(text: str) -> tuple[str, ...]:
    """The stems of all words of a text, without articles."""
    return tuple(stem(word) for word in split_words(text) if word not in ARTICLES)
