"""Wording of all questions, from ``questions.toml``: of the model author, of checks.

Code names the table and gives the values of its placeholders; the texts are data.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict

from workbench.clean_text import one_line
from workbench.model import Arguments, Doubt, Option, Question, WorkbenchError

# The table of the options that several questions have, and the option for any other value.
SHARED_OPTIONS = "shared-options"
ANY_VALUE = "*"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OptionWording(_Table):
    """The wording of an option: its text, the effect of choosing it, and the assumption that it becomes."""

    label: str
    effect: str
    statement: str


class QuestionWording(_Table):
    """The wording of a question: its text, sentences that the text may include, its options by their values.

    ``asked`` is for the page of questions: when the question is asked. ``kind`` is the question's kind if
    several tables word one kind; otherwise it is the table's name. ``asked_by`` is the part of the workbench
    that asks. ``own`` is what a person may answer besides the options, where that is no sentence.
    """

    text: str
    asked: str
    asked_by: Literal["model", "check"]
    kind: str = ""
    own: str = ""
    phrases: Mapping[str, str] = {}
    options: Mapping[str, OptionWording] = {}


class Wordings(BaseModel):
    """Every wording by its name."""

    shared_options: Mapping[str, OptionWording]
    questions: Mapping[str, QuestionWording]

    def kind(self, question: str) -> str:
        """The kind of a question by the name of its table."""
        return self.questions[question].kind or question

    def option(self, question: str, value: str) -> OptionWording:
        """The wording of a value: the question's own, its wording for any value, or the shared wording."""
        options = self.questions[question].options
        return options.get(value) or options.get(ANY_VALUE) or self.shared_options[value]


@cache
def wordings() -> Wordings:
    """The wordings of ``questions.toml``."""
    tables = tomllib.loads(files(__package__).joinpath("questions.toml").read_text(encoding="utf-8"))
    shared = tables.pop(SHARED_OPTIONS)
    return Wordings.model_validate({"shared_options": shared, "questions": tables})


def own_answer(kind: str) -> str:
    """What a person may answer to a question of a kind besides its options; empty if that is a sentence."""
    known = wordings()
    own = (one.own for name, one in known.questions.items() if one.own and known.kind(name) == kind)
    return next(own, "")


def phrase(question: str, name: str, **facts: str) -> str:
    """A sentence that the text of a question may include."""
    return _filled(wordings().questions[question].phrases[name], question, facts)


def question_about(doubt: Doubt, example: Arguments | None = None, /, **facts: str) -> Question:
    """The question about a doubt, with an option for each of its values.

    The placeholders of the wording get the doubt's facts and ``facts``; in an option, also the facts of its
    value. ``example`` is an input that the question is about.
    """
    known = {"sentence": one_line(doubt.quote), "quote": doubt.quote, **doubt.facts, **facts}
    return Question(
        id=doubt.id,
        kind=wordings().kind(doubt.kind),
        text=_filled(wordings().questions[doubt.kind].text, doubt.kind, known),
        quote=doubt.quote,
        span=doubt.span,
        options=tuple(
            _option(doubt.kind, value, {**known, **doubt.value_facts.get(value, {})})
            for value in doubt.values
        ),
        default=doubt.default,
        requirements=doubt.requirements,
        example=example,
        blocking=doubt.blocking,
        free_text=doubt.free_text,
    )


def _option(name: str, value: str, facts: Mapping[str, str]) -> Option:
    wording = wordings().option(name, value)
    facts = {**facts, "value": value}
    texts = (wording.label, wording.effect, wording.statement)
    label, effect, statement = (_filled(text, name, facts) for text in texts)
    return Option(value, label, effect, statement)


def _filled(text: str, table: str, facts: Mapping[str, str]) -> str:
    """The text of a table with its placeholders filled in."""
    try:
        return text.format_map(facts)
    except KeyError as error:
        raise WorkbenchError(
            f"[{table}] of workbench/questions.toml has {{{error.args[0]}}}, which its doubt does "
            f"not give; it gives {', '.join(sorted(facts))}."
        ) from None
