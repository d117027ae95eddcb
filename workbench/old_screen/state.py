"""What the screen shows, as frozen values that know nothing of widgets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from operator import is_not
from typing import TYPE_CHECKING

from workbench.model import (
    AgentSpec,
    Arguments,
    Assumption,
    Case,
    CaseResult,
    ClauseProof,
    Decision,
    Demonstration,
    PathStep,
    Proof,
    ProofStatus,
    Question,
    Requirement,
    Sentence,
    Step,
    StepDecision,
    Verdict,
)

if TYPE_CHECKING:
    from workbench.old_screen.replay_state import Cause, Strategies
    from workbench.policy.terms import PolicyTerms

LONGEST_RUN = 5_000


class StageName(StrEnum):
    """The stages of the pipeline line, in order."""

    CLARIFY = "clarify"
    DRAFT = "draft"
    TEST = "test"
    PROVE = "prove"
    REPLAY = "replay"


class StageCondition(StrEnum):
    """How a stage stands. Stale means that what is shown belongs to an older text."""

    WAITING = "waiting"
    RUNNING = "running"
    GOOD = "good"
    OPEN = "open"
    BAD = "bad"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the pipeline: how it stands, and that in a few words."""

    name: StageName
    condition: StageCondition = StageCondition.WAITING
    text: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """A state of the session that can be returned to: its number, its label, and when."""

    number: int
    label: str
    when: str = ""
    current: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """A session as stored, with what the clarifier makes of it.

    ``questions`` are all, answered ones too. ``kept`` says that ``policy`` is an edit that is kept
    beside the file and not stored in it. ``notice`` is one sentence for the user: what
    was restored, what could not be merged.
    """

    name: str
    path: str
    request: str
    policy: str
    requirements: tuple[Requirement, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    questions: tuple[Question, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    demonstrations: tuple[Demonstration, ...] = ()
    versions: tuple[Version, ...] = ()
    notice: str = ""
    spec: AgentSpec = field(default_factory=lambda: AgentSpec(""))
    kept: bool = False

    @property
    def open(self) -> tuple[Question, ...]:
        """The questions without an answer, in the order in which to ask them."""
        answered = {assumption.question for assumption in self.assumptions}
        return tuple(question for question in self.questions if question.id not in answered)

    def assumption(self, question_id: str) -> Assumption | None:
        """The assumption that answers a question."""
        return next((item for item in self.assumptions if item.question == question_id), None)


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """What speaks for one clause; None where it was not measured or is not known."""

    clause: str
    sentence: str
    assumptions: tuple[str, ...] = ()
    vacuous: bool | None = None
    cases: int = 0
    killed: int | None = None
    steps: int | None = None
    disagree: bool = False


@dataclass(frozen=True, slots=True)
class Survivor:
    """A wrong version that no clause refuses, with an input on which it decides otherwise."""

    id: str
    what: str
    line: int
    example: Arguments
    ours: Verdict
    theirs: Verdict


@dataclass(frozen=True, slots=True)
class Turned:
    """How many of the recorded steps an answer would decide otherwise, by what they become."""

    allowed: int = 0
    denied: int = 0
    undecidable: int = 0
    steps: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """How much the proof means: per clause, and what is missing around it."""

    rows: tuple[EvidenceRow, ...] = ()
    killed: int = 0
    killable: int = 0
    survivors: tuple[Survivor, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a step was decided so, the path, and what would have to differ, in words.

    ``idle`` are the arguments that play no part in it.
    """

    index: int
    reason: str
    path: tuple[PathStep, ...] = ()
    turn: str = ""
    nearest: str = ""
    message: str = ""
    nearest_at: int | None = None
    idle: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PolicyComparison:
    """What a newer policy decides otherwise: proved by ``equivalent``, else by regions with witnesses.

    ``allowed`` and ``denied`` are the witnesses of what is newly allowed and newly denied,
    ``flips`` counts the logged steps.
    """

    equivalent: bool | None
    allowed: tuple[Arguments, ...] = ()
    denied: tuple[Arguments, ...] = ()
    flips: int = 0
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases with their results so far; a case without a result has not run yet."""

    cases: tuple[Case, ...] = ()
    results: Mapping[str, CaseResult] = field(default_factory=dict[str, CaseResult])
    stale: bool = False
    why: str = ""

    @property
    def failed(self) -> int:
        """How many cases ran and failed."""
        return sum(not result.passed for result in self.results.values())


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts on the clauses of a policy, from the preview and from the prover.

    ``running`` says that the prover still works on it, ``progress`` on what; ``stale`` that they belong to an
    older text.
    """

    terms: PolicyTerms | None = None
    preview: Proof = field(default_factory=lambda: Proof(()))
    proof: Proof = field(default_factory=lambda: Proof(()))
    running: bool = False
    stale: bool = False
    why: str = ""
    progress: str = ""
    evidence: Evidence | None = None
    measuring: str = ""

    def of(self, clause: str) -> ClauseProof | None:
        """What counts for a clause: the prover's verdict, else the preview's, else None.

        A refutation by the preview counts before an unknown of the prover.
        """
        proved, previewed = self.proved(clause), self.preview_of(clause)
        if proved is None or (
            proved.status is ProofStatus.UNKNOWN and previewed and previewed.status is ProofStatus.REFUTED
        ):
            return previewed
        return proved

    def preview_of(self, clause: str) -> ClauseProof | None:
        """The preview's verdict on a clause, None while there is none."""
        return next((found for found in self.preview.clauses if found.clause == clause), None)

    def proved(self, clause: str) -> ClauseProof | None:
        """The prover's own verdict on a clause, None while there is none."""
        return next((found for found in self.proof.clauses if found.clause == clause), None)


@dataclass(frozen=True)
class Replayed:
    """The steps of the logs and their decisions, in the same order.

    ``before`` holds the verdicts under the text that the session was last settled on;
    a step is flipped where the verdict differs from it. ``causes`` groups the denials and
    ``strategies`` compares what each would have stopped, None while nobody asked. ``retrieves`` are the
    steps that the last change of the memory made retrieve other demonstrations.
    """

    steps: Sequence[Step] = ()
    decisions: Sequence[StepDecision] = ()
    before: Sequence[Verdict] = ()
    stale: bool = False
    unreadable: int = 0
    causes: tuple[Cause, ...] | None = None
    strategies: Strategies | None = None
    retrieves: frozenset[int] = frozenset()

    def flipped(self, index: int) -> bool:
        """Whether the decision on a step differs from the one before the last change."""
        return index < len(self.before) and self.before[index] is not self.decisions[index].decision.verdict

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict on each step."""
        return tuple([found.decision.verdict for found in self.decisions])

    @cached_property
    def flips(self) -> int:
        """How many steps are flipped."""
        if len(self.before) != len(self.decisions):
            return 0
        return sum(map(is_not, self.before, self.verdicts))

    def decision(self, index: int) -> Decision:
        """The decision on the step at ``index``."""
        return self.decisions[index].decision

    def run_range(self, index: int) -> range:
        """The positions of the steps of the run around a step, of a long run those around it."""
        name = self.steps[index].run
        first = last = index
        while first and self.steps[first - 1].run == name and index - first < LONGEST_RUN:
            first -= 1
        while (
            last + 1 < len(self.decisions) and self.steps[last + 1].run == name and last - index < LONGEST_RUN
        ):
            last += 1
        return range(first, last + 1)

    def run_of(self, index: int) -> tuple[tuple[Verdict, bool], ...]:
        """The verdicts on the steps of the run around a step, with which of them is the step."""
        return tuple((self.decision(at).verdict, at == index) for at in self.run_range(index))

    def caused_by(self, key: str) -> Sequence[int]:
        """The positions of the steps of a group of denials; none while the groups are not known."""
        return next((cause.steps for cause in self.causes or () if cause.key == key), ())

    @cached_property
    def counts(self) -> Mapping[Verdict, int]:
        """How many steps have each verdict."""
        return {verdict: self.verdicts.count(verdict) for verdict in Verdict}

    @cached_property
    def fired(self) -> Mapping[str, int]:
        """How often each rule fired."""
        return Counter(
            [violation.rule for found in self.decisions for violation in found.decision.violations]
        )
