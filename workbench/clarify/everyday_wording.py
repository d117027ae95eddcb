"""A sentence in everyday words with a tool's own verb and object: “emails may only go to example.com”.

Each wording has the same meaning for the tool. The request language reads it, so every other word is
accounted for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from workbench.author.rules.everyday_sentences import everyday_sentence
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.modal_words import NEGATIONS, PERMISSION_VERBS, any_of
from workbench.author.rules.words import participle, split_words, stem, word_set
from workbench.clarify.person_rule import PersonRule
from workbench.clarify.restated_rule import restated_rule
from workbench.clarify.synonyms import in_any_sense, names_the_same, of_same_sense
from workbench.model import Draft

_MOST_RULES = 3
_MAKING = frozenset(map(stem, word_set("create add book order send make reserve open issue schedule set")))
"""Verbs of tools that create their object."""
_MEASURING = word_set("cost last take") | {""}
"""Verbs before the measure of a thing; the empty text is for “be”."""
_NUMBER = r"(?P<number>(?:[$€£]\s?)?\d[\d.,]*(?: ?[a-z%€]+)?)"
_NUMBER_AT_MOST = re.compile(rf"{_NUMBER} at most$", re.I)
_AT_DOMAIN = re.compile(
    r"\b(?:addresses|people|colleagues|recipients|persons|employees|staff|accounts|somebody|someone|anyone) "
    r"(?:at|in|of|from|with) (?=@?[\w-]+(?:\.[\w-]+)+)",
    re.I,
)
_ENDING = re.compile(r"\b(ending (?:in|with)|that ends? (?:in|with)) (\.[\w.]*\w)", re.I)
_FREELY = re.compile(
    r",? (?:freely|(?:at )?any ?time|whenever (?:it|they|he|she|you) (?:likes?|wants?|needs?)(?: to)?|"
    r"as (?:often|much|many times) as (?:it|they|he|she|you) (?:likes?|wants?|needs?)(?: to)?|"
    r"without (?:having to ask|asking)(?: first| anyone| anybody| for permission)?|without restrictions?)$",
    re.I,
)
_PERMITS = re.compile(rf"\b{any_of(PERMISSION_VERBS)}\b(?! not\b| never\b| only\b)", re.I)
# “Without asking” is one of the words that are left out of a permission.
_NEGATES = re.compile(rf"\b{any_of(NEGATIONS - {'without'} | {'only'})}\b", re.I)


def everyday_rules(
    text: str, lexicon: Lexicon, draft: Callable[[str], Draft], question: str
) -> tuple[PersonRule, ...]:
    """The rules that a sentence states if its verb and object are those of a tool.

    ``draft`` drafts a request of one sentence. ``question`` is the question that the new words of the
    sentence answer.
    """
    action, plain_text = lexicon.action(), " ".join(text.split()).rstrip(".!;")
    person_rules: list[PersonRule] = []
    for wording in dict.fromkeys(_wordings(plain_text, action.type.values)) if action is not None else ():
        rule = restated_rule(wording, draft, question, action.name) if action is not None else None
        if rule is not None and all(rule.sentence != former_rule.sentence for former_rule in person_rules):
            person_rules.append(replace(rule, assumed=(f"it is taken as “{wording}”",)))
    return tuple(person_rules[:_MOST_RULES])


def _wordings(text: str, tools: tuple[str, ...]) -> Iterator[str]:
    """Yield the sentence with the words of each tool that it may be about."""
    plain_text = _NUMBER_AT_MOST.sub(r"at most \g<number>", _AT_DOMAIN.sub("", text))
    plain_text = _ENDING.sub(r'\1 "\2"', plain_text)
    if _PERMITS.search(plain_text) and not _NEGATES.search(plain_text):
        plain_text = _FREELY.sub("", plain_text)
    if plain_text != text:
        yield plain_text
    for tool in tools:
        verb, *noun_words = split_words(tool)
        if noun_words:
            yield from _of_tool(plain_text, verb, " ".join(noun_words))


def _of_tool(text: str, verb: str, noun: str) -> Iterator[str]:
    """Yield the sentence with a tool's own verb, if verbs and objects have the same sense."""
    done_to = everyday_sentence(text, "done_to")
    if (
        done_to is not None
        and names_the_same(done_to.part("thing"), noun)
        and _says(done_to.part("verb"), verb)
    ):
        passive, modal, may_only = participle(verb), done_to.part("modal"), done_to.word("MAY_ONLY")
        if stem(passive) == stem(verb):
            yield f"{noun} {modal or may_only} be {passive}{done_to.behind('verb')}"
        elif not may_only:
            yield f"{_users(modal)} {verb} {noun}{done_to.behind('verb')}"
    for form in ("does", "commanded"):
        sentence = everyday_sentence(text, form)
        if sentence is None or not of_same_sense(sentence.part("verb"), verb):
            continue
        if (with_object := _with_object(sentence.part("rest"), noun)) is not None:
            before = "Never" if form == "commanded" else _users(sentence.part("modal"))
            yield f"{before} {verb} {with_object}"
    if stem(verb) in _MAKING:
        yield from _of_making(text, verb, noun)


def _users(modal: str) -> str:
    """“Users” with the modal verb in the plural: “is allowed to” becomes “are allowed to”."""
    return f"Users {re.sub('^is ', 'are ', modal)}"


def _of_making(text: str, verb: str, noun: str) -> Iterator[str]:
    """Yield wordings of a sentence about a thing, for the tool that creates it: “no meetings before 9:00”."""
    none = everyday_sentence(text, "none_of")
    if none is not None and names_the_same(none.part("thing"), noun):
        yield f"Never {verb} {noun}{none.behind('thing')}"
    bounded = everyday_sentence(text, "bounded")
    measures = bounded is not None and bounded.part("verb").lower() in _MEASURING
    if bounded is not None and measures and names_the_same(bounded.part("thing"), noun):
        yield f"Never {verb} {noun} of more than {bounded.part('number')}"


def _says(stated_verb: str, verb: str) -> bool:
    """Whether a verb after “may” means the tool's action on the thing before it: “may go”, “may be sent”."""
    return stem(stated_verb) == stem(verb) or in_any_sense(stated_verb) or of_same_sense(stated_verb, verb)


def _with_object(remaining_text: str, noun: str) -> str | None:
    """The rest of a sentence with the tool's own noun as its object; None if it does not name the object."""
    for match in re.finditer(r"[a-z]+", remaining_text, re.I):
        if names_the_same(match.group(), noun):
            return f"{remaining_text[: match.start()]}{noun}{remaining_text[match.end() :]}"
    return None
