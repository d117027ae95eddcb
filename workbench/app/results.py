"""What the calls of the pipeline give: values that front ends show and never compute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.model import (
    Arguments,
    Assumption,
    Draft,
    Extracted,
    ImportProblem,
    Question,
    Run,
    Sentence,
    Step,
)

if TYPE_CHECKING:
    from workbench.clarify import QuestionExplanation as QuestionExplanation
    from workbench.clarify import RefinedRequest as RefinedRequest
    from workbench.engines.smt.diff import SemanticDiff
    from workbench.memory.effect import RetrievalChange
    from workbench.policy.merge import MergeConflict, Merged
    from workbench.policy.terms import Clause
    from workbench.runs.extract.described import DescribedOption
    from workbench.runs.replay import Flip
    from workbench.runs.replay.rereading import ArgumentEffect
    from workbench.runs.replay.strategies import StrategyComparison
    from workbench.runs.replay.strategies import Tally as StrategyTally

__all__ = [
    "ArgumentEffect",
    "ChoicePreview",
    "DescribedOption",
    "Logs",
    "PolicyChange",
    "RetrievalChange",
    "SessionChange",
    "StrategyComparison",
    "StrategyTally",
    "Understanding",
]


@dataclass(frozen=True, slots=True)
class Understanding:
    """How a request is understood under the assumptions of its session.

    ``choices`` maps each answered question to its option; ``defaults`` are the assumptions
    that an unattended run makes for the rest, marked as such.
    """

    draft: Draft
    questions: tuple[Question, ...]
    assumptions: tuple[Assumption, ...]
    defaults: tuple[Assumption, ...] = ()

    @property
    def choices(self) -> Mapping[str, str]:
        """Question id to chosen value, of humans and of accepted defaults."""
        from workbench.clarify import choices_of

        return choices_of((*self.defaults, *self.assumptions))

    @property
    def open(self) -> tuple[Question, ...]:
        """The questions without an answer, in the order in which to ask them."""
        choices = self.choices
        return tuple(question for question in self.questions if question.id not in choices)

    @property
    def answered(self) -> tuple[tuple[Question, Assumption], ...]:
        """The questions with an answer, each with the assumption that it became."""
        choices = self.choices
        every = (*self.defaults, *self.assumptions)
        made = {item.question: item for item in every if item.question in choices}
        return tuple((question, made[question.id]) for question in self.questions if question.id in made)


@dataclass(frozen=True, slots=True)
class TurnedSteps:
    """How many recorded steps an answer would decide otherwise, by what they become."""

    allowed: int
    denied: int
    undecidable: int


@dataclass(frozen=True, slots=True)
class Assumed:
    """An assumption with the question it answers and the sentences it touches.

    ``question`` is None where the request does not raise it any more.
    """

    assumption: Assumption
    question: Question | None
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class OwnWordsRead:
    """What became of a person's own words: the rules they were read as, as text.

    Where they could not be read, ``open`` is the question about them.
    """

    rules: tuple[str, ...] = ()
    open: Question | None = None


@dataclass(frozen=True, slots=True)
class SessionChange:
    """What an answer changed: the session's policy file and cases, and what it could not merge.

    ``heard`` is None unless the answer was in a person's own words. ``dropped`` are assumptions about
    sentences that the request no longer has.
    """

    policy: bool
    cases: bool
    conflicts: tuple[MergeConflict, ...] = ()
    heard: OwnWordsRead | None = None
    dropped: tuple[Assumption, ...] = ()


def kept_sentence(conflicts: Sequence[MergeConflict]) -> str:
    """What was kept of a person's text and why, as one sentence."""
    names = ", ".join(conflict.name for conflict in conflicts)
    if any(conflict.doubtful for conflict in conflicts):
        return (
            "Nothing tells what the policy was drafted from (draft.toml is missing), so what the request "
            f"drafts otherwise now is kept as your edit: {names}."
        )
    return f"Your own edit was kept where the draft changed it too: {names}."


@dataclass(frozen=True, slots=True)
class PlannedSession:
    """What a session would become: its draft, its assumptions under that draft's ids, its policy file."""

    draft: Draft
    assumptions: tuple[Assumption, ...]
    merged: Merged


@dataclass(frozen=True, slots=True)
class ChoicePreview:
    """What an answer would change, before it is stored.

    ``change`` compares the policy file with what it would become, by proof and on the logs;
    ``added`` and ``removed`` are clauses of the contract; ``conflicts`` are edits of a person
    that the answer would have to overwrite, and so leaves alone.
    """

    question: str
    value: str | None
    policy: str
    change: PolicyChange
    added: tuple[Clause, ...]
    removed: tuple[Clause, ...]
    conflicts: tuple[MergeConflict, ...] = ()


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """What a change of the policy does: by proof over all inputs, and on the recorded steps."""

    semantic: SemanticDiff
    flips: tuple[Flip, ...]


@dataclass(frozen=True, slots=True)
class Logs:
    """Recorded runs with their steps extracted once; deciding them again needs no log."""

    runs: tuple[Run, ...] = ()
    steps: tuple[Step, ...] = ()
    extracted: tuple[Mapping[str, Extracted], ...] = ()
    problems: tuple[ImportProblem, ...] = ()


def choices_of(assumptions: Iterable[Assumption]) -> Mapping[str, str]:
    """Question id to chosen value of the assumptions that answer a question."""
    from workbench.clarify import choices_of

    return choices_of(assumptions)


def complete(extracted: Mapping[str, Extracted]) -> Arguments | None:
    """The arguments of a step, or None if one of them could not be found."""
    if any(item.missing is not None for item in extracted.values()):
        return None
    return {name: item.value for name, item in extracted.items()}
