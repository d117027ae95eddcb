"""The typed messages between workers, widgets and the app.

Workers never touch a widget: they post one of these. A message that carries a
``generation`` is dropped when a newer one has begun.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from workbench.app.overview import Overview
    from workbench.author.model.progress import CallProgress
    from workbench.model import (
        Case,
        CaseResult,
        ClauseProof,
        Counterexample,
        Problem,
        Proof,
        Question,
        Sentence,
        Step,
        StepDecision,
    )
    from workbench.old_screen.state import (
        Cases,
        Contents,
        Evidence,
        Explained,
        PolicyComparison,
        StageName,
        Survivor,
        Turned,
    )
    from workbench.policy.terms import PolicyTerms

# --- from workers


class FromWorker(Message):
    """What a worker tells the app."""


@dataclass
class Loaded(FromWorker):
    """The session is read, or was changed; ``why`` says by what, for the notice.

    ``stored`` means that only the editor's own text was written: the editor keeps it.
    """

    contents: Contents
    tests: Cases
    why: str = ""
    stored: bool = False


@dataclass
class StepsLoaded(FromWorker):
    """The steps of the session's logs are imported."""

    steps: Sequence[Step]
    unreadable: int


@dataclass
class Checked(FromWorker):
    """A text is in the dialect (``terms``) or not (``problems``)."""

    generation: int
    terms: PolicyTerms | None
    problems: tuple[Problem, ...] = ()


@dataclass
class Previewed(FromWorker):
    """The solver's verdicts on a text."""

    generation: int
    proof: Proof


@dataclass
class ClauseProved(FromWorker):
    """The prover decided one clause."""

    generation: int
    clause: ClauseProof


@dataclass
class Proved(FromWorker):
    """The prover is done with a text."""

    generation: int
    proof: Proof


@dataclass
class ProverSays(FromWorker):
    """What the prover is doing, in a few words; empty where that is nothing special."""

    text: str


@dataclass
class CallTold(FromWorker):
    """What a call of the model does: that it runs, what came back so far, or its end."""

    progress: CallProgress


@dataclass
class Tested(FromWorker):
    """The cases ran against a text."""

    generation: int
    results: Sequence[CaseResult]


@dataclass
class Decided(FromWorker):
    """All steps are decided by a text."""

    generation: int
    decisions: Sequence[StepDecision]


@dataclass
class Failed(FromWorker):
    """A stage could not be done; ``why`` is one clear sentence."""

    generation: int
    stage: StageName | None
    why: str
    exit_code: int = 2


@dataclass
class Nothing(FromWorker):
    """There was nothing to undo or redo."""

    what: str


@dataclass
class FilesTouched(FromWorker):
    """Files of the session look different on disk, perhaps by own changes."""


@dataclass
class ChangedOutside(FromWorker):
    """Other programs changed files of the session; ``why`` says why they cannot be read."""

    names: tuple[str, ...]
    why: str = ""


@dataclass
class TextFound(FromWorker):
    """A text to read, under a name."""

    name: str
    text: str


@dataclass
class Compared(FromWorker):
    """What the policy decides otherwise than another version, and how the texts differ."""

    name: str
    found: PolicyComparison
    text: str


@dataclass
class Measured(FromWorker):
    """How much the proof means; without evidence, how far the measuring is."""

    generation: int
    evidence: Evidence | None
    progress: str = ""


@dataclass
class StepExplained(FromWorker):
    """Why a step was decided so."""

    generation: int
    found: Explained


@dataclass
class OneTested(FromWorker):
    """Some of the cases ran again."""

    generation: int
    results: Sequence[CaseResult]


@dataclass
class SessionsFound(FromWorker):
    """The sessions that can be opened: in this folder, and opened last."""

    here: Sequence[Overview]
    recent: Sequence[Overview]


@dataclass
class Told(FromWorker):
    """Something was done; one sentence for the user."""

    what: str


@dataclass
class TurnedFound(FromWorker):
    """How many log steps each answer of a question would turn."""

    question: Question
    turned: Mapping[str, Turned]


# --- from widgets


@dataclass
class PolicyEdited(Message):
    """The user changed the text of the policy."""

    policy: str


@dataclass
class Answered(Message):
    """The user answered a question."""

    question: Question
    value: str


@dataclass
class QuestionChosen(Message):
    """The user wants to see a question."""

    question_id: str


@dataclass
class AnswerLater(Message):
    """The user puts the questions aside."""


@dataclass
class Retracted(Message):
    """The user takes an assumption back."""

    question_id: str


@dataclass
class StepSelected(Message):
    """A replayed step is selected; None if no step is."""

    index: int | None


@dataclass
class LineWanted(Message):
    """The user wants to see a line of the policy (from 1)."""

    line: int


@dataclass
class SessionUndo(Message):
    """The editor has nothing left to undo or redo; the session may."""

    redo: bool = False


@dataclass
class CaseWanted(Message):
    """The user wants to store a case; the screen shows what it does to the policy."""

    case: Case


@dataclass
class CaseFormWanted(Message):
    """The user wants to edit a case in the form."""

    case: Case
    name: str


@dataclass
class CaseRemoved(Message):
    """The user wants a case away."""

    case: Case


@dataclass
class AssumptionFormWanted(Message):
    """The user wants to edit an assumption in the form."""

    question_id: str


@dataclass
class CounterexampleKept(Message):
    """The user wants the counterexample to a clause as a case."""

    clause: str
    found: Counterexample


@dataclass
class SurvivorKept(Message):
    """The user wants the input on which a wrong version differs as a case."""

    survivor: Survivor


@dataclass
class CounterexampleAsked(Message):
    """The user wants to be asked whether the counterexample to a clause should be allowed."""

    clause: str
    found: Counterexample


@dataclass
class SurvivorAsked(Message):
    """The user wants to be asked whether the input on which a wrong version differs should be allowed."""

    survivor: Survivor


@dataclass
class ExampleAsked(FromWorker):
    """A question by example is ready to be shown."""

    question: Question


@dataclass
class ClauseWanted(Message):
    """The user wants a clause that refuses a wrong version."""

    survivor: Survivor


@dataclass
class SurvivorAccepted(Message):
    """The user does not care about a wrong version."""

    survivor: Survivor


@dataclass
class ReportWanted(Message):
    """The user wants to report that the engines contradict each other on a clause."""

    clause: str


@dataclass
class LongerWanted(Message):
    """The user wants another proof of what was not decided, with a longer time limit."""


@dataclass
class EvidenceWanted(Message):
    """The user wants to see how much the proof means."""


@dataclass
class ExplanationWanted(Message):
    """The user wants to know why a step was decided so."""

    index: int


@dataclass
class RunCases(Message):
    """The user wants some cases to run."""

    ids: frozenset[str]


@dataclass
class OutputWanted(Message):
    """The user wants the test runner's own text."""


@dataclass
class VersionWanted(Message):
    """The user wants to go back to a version of the policy."""

    number: int


@dataclass
class EffectsWanted(Message):
    """The user wants to know what each answer would change."""

    question: Question


@dataclass
class TurnedWanted(Message):
    """A question is shown; what its answers would turn in the logs is not known yet."""

    question: Question


@dataclass
class NeitherMeant(Message):
    """The user says that no reading of a question is meant."""

    question: Question


@dataclass
class PathsWanted(Message):
    """The user wants to know why the readings of a question differ."""

    question: Question


@dataclass
class RefinedWanted(Message):
    """The user wants to read the request as it is understood."""


@dataclass
class SentenceChosen(Message):
    """The user chose a sentence of the request."""

    sentence: Sentence
