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
from workbench.engines.smt.diff import REGION
from workbench.model import Sentence
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form

type Numbered = tuple[int, Sentence]
type WithChanges[R] = tuple[R, WhatChanged]


def _rules(opened_sentence: OpenedSentence) -> list[str]:
    return [rule.offered for rule in opened_sentence.rules]


NUMBERED_SENTENCE = JsonForm[Numbered](
    Numbered,
    fields(
        ("number", "0"), ("text", "1.text"), ("line", "1.span.line"), ("role", "1.role"), ("why", "1.why")
    ),
)
json_form(WordCandidate, "kind", ("value", "value"), ("means", "explanation"))
json_form(OpenedWord, "text", "role", "meaning", ("choices", "candidates"))
OPENED_SENTENCE = json_form(OpenedSentence, "sentence", "words", ("rules", _rules))
SAYABLE_FACT = json_form(
    SayableFact, ("fact", "phrase"), ("type", "type.kind"), ("values", "type.values"), "source", "tools"
)
TRIED_RULES = json_form(
    TriedRules,
    ("reads", "readings"),
    "rules",
    ("newly_allowed", Nested(REGION, "change.semantic.newly_allowed", many=True)),
    ("newly_asked", Nested(REGION, "change.semantic.newly_asked", many=True)),
    ("newly_denied", Nested(REGION, "change.semantic.newly_denied", many=True)),
    "turned",
)
SAID_CHANGE = JsonForm[WithChanges[SessionChange]](
    WithChanges[SessionChange],
    fields(
        ("policy", "0.policy"),
        ("cases", "0.cases"),
        ("conflicts", "0.conflicts"),
        ("changed", Nested(WHAT_CHANGED, "1")),
    ),
)
_ENTRY = JsonForm[AnswerEntry](AnswerEntry, fields("about", "choices"))
_REFUSED = JsonForm[tuple[AnswerEntry, str]](
    tuple[AnswerEntry, str], fields(("about", "0.about"), ("why", "1"))
)
_ASSUMED = JsonForm[tuple[str, str]](tuple[str, str], fields(("about", "0"), ("assumed", "1")))
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
    WithChanges[AnswersTaken], fields(Nested(_TAKEN, "0"), ("changed", Nested(WHAT_CHANGED, "1")))
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
