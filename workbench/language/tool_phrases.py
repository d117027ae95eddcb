"""What sentences call tools whose names make no phrase of English: proposals for ``[nouns]``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from workbench.dialect.call_fields import CallType
from workbench.dialect.call_types import AgentTypes
from workbench.language.lexicon import OF_VERBS, UNCOUNTED, VERBS, doing
from workbench.language.vocabulary import words_named
from workbench.language.words import words_of_name
from workbench.language.writing import with_articles

_DOING = VERBS | words_named("verbs_of_tools")
"""The first words of names that say what is done."""
_LINKS = frozenset(["by", "for", "of", "to", "from", "in", "into", "with", "at", "on", "over", "via"])


def tool_phrases(types: AgentTypes) -> Mapping[str, str]:
    """The phrases of tools by their classes: those that the name does not say, each of one tool."""
    found = {name: with_articles(_phrase(call)) for name, call in types.calls.items()}
    said = {name: types.nouns.get(name) or found[name] for name in found}
    every = Counter(words.casefold() for words in said.values())
    every.update(doing(call.tool).casefold() for call in types.calls.values())
    return {
        name: words
        for name, words in found.items()
        if name not in types.nouns
        and words != with_articles(doing(types.calls[name].tool))
        and every[words.casefold()] == 1
    }


def _phrase(call: CallType) -> str:
    """What an agent does by a call: a verb with its thing, and what the name says besides."""
    words = words_of_name(call.tool).split()
    verb = next((number for number, word in enumerate(words) if word in _DOING), None)
    if verb is None or len(words) == 1 or not all(word.isalpha() for word in words):
        return doing(call.tool)
    of_verb = verb + (2 if len(words) > verb + 2 and words[verb + 1] in OF_VERBS else 1)
    before, done, after = words[:verb], " ".join(words[verb:of_verb]), words[of_verb:]
    if before and not after:
        return f"make a {' '.join(words)}"
    of = f" with {' '.join(before)}" if before else ""
    return f"{done} {_thing(after, call)}{of}"


def _thing(words: Sequence[str], call: CallType) -> str:
    """One thing with its article, and what it is found by."""
    link = next((number for number, word in enumerate(words) if word in _LINKS), len(words))
    thing, rest = list(words[:link]), list(words[link:])
    if thing and _is_counted(thing[-1]) and thing[0] not in ("a", "an", "the", "all", "every", "my"):
        thing = ["a", *thing]
    if len(rest) == 3 and all(_is_parameter(word, call) for word in rest[1:]):
        rest = [rest[0], rest[1], "and", rest[2]]
    return " ".join((*thing, *rest))


def _is_counted(word: str) -> bool:
    return word not in UNCOUNTED and (not word.endswith("s") or word.endswith(("ss", "us", "is")))


def _is_parameter(word: str, call: CallType) -> bool:
    names = (name for name, _ in call.decided.fields)
    return any(word in words_of_name(name).split() for name in names)
