"""The ``--json`` output of the commands about sentences, words and several answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.app.answer_file import AnswerEntry, AnswersTaken
from workbench.app.json_output.changes import WHAT_CHANGED
from workbench.app.results import SessionChange
from workbench.app.sentence_words import OpenedSentence, TriedRules
from workbench.app.what_changed import WhatChanged
from workbench.clarify.sayable_facts import SayableFact
from workbench.clarify.word_meanings import OpenedWord, WordCandidate
from workbench.engines.smt.diff import REGION, DifferingRegion
from workbench.model import Sentence, SentenceRole
from workbench.policy.merge import MergeConflict
from workbench.runs.replay.flips import Flip
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form

type Numbered = tuple[int, Sentence]
type WithChanges[R] = tuple[R, WhatChanged]


def _number(numbered: Numbered) -> int:
    return numbered[0]


def _text(numbered: Numbered) -> str:
    return numbered[1].text


def _line(numbered: Numbered) -> int:
    return numbered[1].span.line


def _role(numbered: Numbered) -> SentenceRole:
    return numbered[1].role


def _why(numbered: Numbered) -> str:
    return numbered[1].why


def _words(opened_sentence: OpenedSentence) -> tuple[OpenedWord, ...]:
    return opened_sentence.words


def _rules(opened_sentence: OpenedSentence) -> list[str]:
    return [rule.offered for rule in opened_sentence.rules]


def _turned(tried_rules: TriedRules) -> tuple[Flip, ...]:
    return tried_rules.turned


def _answers_taken(outcome: WithChanges[AnswersTaken]) -> AnswersTaken:
    return outcome[0]


def _changed(outcome: WithChanges[Any]) -> WhatChanged:
    return outcome[1]


def _policy(outcome: WithChanges[SessionChange]) -> bool:
    return outcome[0].policy


def _cases(outcome: WithChanges[SessionChange]) -> bool:
    return outcome[0].cases


def _conflicts(outcome: WithChanges[SessionChange]) -> tuple[MergeConflict, ...]:
    return outcome[0].conflicts


def _reason(refused: tuple[AnswerEntry, str]) -> str:
    return refused[1]


def _about(refused: tuple[AnswerEntry, str]) -> str:
    return refused[0].about


def _first(assumed: tuple[str, str]) -> str:
    return assumed[0]


def _second(assumed: tuple[str, str]) -> str:
    return assumed[1]


def _newly_allowed(tried_rules: TriedRules) -> tuple[DifferingRegion, ...]:
    return tried_rules.change.semantic.newly_allowed


def _newly_asked(tried_rules: TriedRules) -> tuple[DifferingRegion, ...]:
    return tried_rules.change.semantic.newly_asked


def _newly_denied(tried_rules: TriedRules) -> tuple[DifferingRegion, ...]:
    return tried_rules.change.semantic.newly_denied


def _values(fact: SayableFact) -> tuple[str, ...]:
    return fact.type.values


NUMBERED_SENTENCE = JsonForm[Numbered](
    None, fields(("number", _number), ("text", _text), ("line", _line), ("role", _role), ("why", _why))
)
json_form(WordCandidate, "kind", ("value", "value"), ("means", "explanation"))
json_form(OpenedWord, "text", "role", "meaning", ("choices", "candidates"))
OPENED_SENTENCE = json_form(OpenedSentence, "sentence", ("words", _words), ("rules", _rules))
SAYABLE_FACT = json_form(
    SayableFact, ("fact", "phrase"), ("type", "type.kind"), ("values", _values), "source", "tools"
)
TRIED_RULES = json_form(
    TriedRules,
    ("reads", "readings"),
    "rules",
    ("newly_allowed", Nested(REGION, _newly_allowed, many=True)),
    ("newly_asked", Nested(REGION, _newly_asked, many=True)),
    ("newly_denied", Nested(REGION, _newly_denied, many=True)),
    ("turned", _turned),
)
SAID_CHANGE = JsonForm[WithChanges[SessionChange]](
    None,
    fields(
        ("policy", _policy),
        ("cases", _cases),
        ("conflicts", _conflicts),
        ("changed", Nested(WHAT_CHANGED, _changed)),
    ),
)
_ENTRY = JsonForm[AnswerEntry](AnswerEntry, fields("about", "choices"))
_REFUSED = JsonForm[tuple[AnswerEntry, str]](None, fields(("about", _about), ("why", _reason)))
_ASSUMED = JsonForm[tuple[str, str]](None, fields(("about", _first), ("assumed", _second)))
_TAKEN = JsonForm[AnswersTaken](
    AnswersTaken,
    fields(
        ("taken", Nested(_ENTRY, "taken", many=True)),
        ("refused", Nested(_REFUSED, "refused", many=True)),
        "conflicts",
        ("assumed", Nested(_ASSUMED, "assumed", many=True)),
    ),
)
ANSWERS_TAKEN = JsonForm[WithChanges[AnswersTaken]](
    None, fields(Nested(_TAKEN, _answers_taken), ("changed", Nested(WHAT_CHANGED, _changed)))
)

DIALOGUE_FORMS: Mapping[str, JsonForm[Any] | Nested] = {
    "answer-file": ANSWERS_TAKEN,
    "context": Nested(NUMBERED_SENTENCE, many=True),
    "context-rule": SAID_CHANGE,
    "word": OPENED_SENTENCE,
    "word-as": SAID_CHANGE,
    "word-facts": Nested(SAYABLE_FACT, many=True),
    "word-preview": TRIED_RULES,
    "word-sentences": Nested(NUMBERED_SENTENCE, many=True),
}


def numbered(sentences: Sequence[Sentence]) -> list[Numbered]:
    """The sentences, each with its number from 1."""
    return list(enumerate(sentences, start=1))
