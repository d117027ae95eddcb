"""The results of the application's calls: values that front ends show and never compute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.app.owed import Owed, not_in_force
from workbench.model import (
    Argument,
    Arguments,
    Assumption,
    CallDecision,
    Draft,
    Extracted,
    ImportProblem,
    Question,
    RecordedCall,
    Run,
    Sentence,
    Verdict,
)
from workbench.policy.written import OWN_NAMES, ArgumentWords
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form
from workbench.serialization.nouns import ANSWERED, PLACE

if TYPE_CHECKING:
    from workbench.app.contradictions import Contradiction
    from workbench.engines.smt.diff import DifferingRegion, SemanticDiff
    from workbench.policy.merge import MergeConflict, Merged
    from workbench.policy.terms import Clause, PolicyTerms
    from workbench.runs.replay.flips import Flip
    from workbench.runs.replay.summary import ReplaySummary


@dataclass(frozen=True, slots=True)
class Understanding:
    """The understanding of a request under the assumptions of its session.

    ``choices`` maps each answered question to its option. ``findings`` ask about what no clause of the policy
    demands; they are among the questions as soon as no other question is open. ``owed`` is what the session
    owes, in force or not; empty where that was not asked.
    """

    draft: Draft
    questions: tuple[Question, ...]
    assumptions: tuple[Assumption, ...]
    findings: tuple[Question, ...] = ()
    owed: tuple[Owed, ...] = ()

    @property
    def choices(self) -> Mapping[str, str]:
        """Question id to chosen value."""
        return choices_of(self.assumptions)

    @property
    def settled(self) -> bool:
        """Whether nothing is open, and all that is owed is in force."""
        return not self.open and not not_in_force(self.owed)

    @property
    def open(self) -> tuple[Question, ...]:
        """The questions without an answer in the order to ask them, those of one sentence together."""
        return tuple(question for group in self.groups for question in group)

    @property
    def groups(self) -> tuple[tuple[Question, ...], ...]:
        """The open questions, grouped by the sentences that wait for them, the most deciding one first."""
        return open_groups(self.questions, self.choices)

    @property
    def answered(self) -> tuple[tuple[Question, Assumption], ...]:
        """The questions with an answer, each with the assumption that the answer made."""
        assumption_by_question = {item.question: item for item in self.assumptions}
        return tuple(
            (question, assumption_by_question[question.id])
            for question in self.questions
            if question.id in assumption_by_question
        )


json_form(
    Understanding,
    *("open", ("answered", Nested(ANSWERED, "answered", many=True)), "owed", ("coverage", "draft")),
)


def open_groups(questions: Iterable[Question], answered: Container[str]) -> tuple[tuple[Question, ...], ...]:
    """The questions without an answer in the order to ask them, those of one sentence together.

    Those that show a call which is allowed and hardly wanted are groups of their own.
    """
    by_quote: dict[tuple[bool, str], list[Question]] = {}
    for question in questions:
        if question.id not in answered:
            shows_call = question.id.startswith(SHOWN_CALLS)
            by_quote.setdefault((shows_call, question.quote or question.id), []).append(question)
    return tuple(map(tuple, by_quote.values()))


SHOWN_CALLS = ("typed-value:", "witness:")
"""How the ids of questions begin that show a call which is allowed and hardly wanted."""


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A rule with its text before and after: empty where it is new or gone."""

    name: str
    requirements: tuple[str, ...]
    before: str
    after: str
    message_before: str = ""
    message_after: str = ""


json_form(RuleChange, ("rule", "name"), "requirements", "before", "after")


_MUCH, _FEW = 10, 3


@dataclass(frozen=True, slots=True)
class TurnedCalls:
    """The numbers of recorded calls that an answer would turn, by their new decision."""

    allowed: int
    asked: int
    denied: int
    undecidable: int

    @property
    def total(self) -> int:
        """The number of all calls that it would turn."""
        return self.allowed + self.asked + self.denied + self.undecidable

    def is_much(self, calls: int) -> bool:
        """Whether the answer is confirmed: it makes calls undecidable, or turns more than a tenth of them."""
        return self.undecidable > 0 or (self.total * _MUCH > calls and self.total >= _FEW)


@dataclass(frozen=True, slots=True)
class Assumed:
    """An assumption with the question it answers and the sentences it touches.

    ``question`` is None if the request does not raise it any more. ``holds`` are the functions of the policy
    that the answer put there and that still stand. ``lost`` says what became of the rules that it was about,
    where the policy does not do what was chosen.
    """

    assumption: Assumption
    question: Question | None
    sentences: tuple[Sentence, ...]
    holds: tuple[str, ...] = ()
    lost: str = ""


def _options(item: Assumed) -> tuple[str, ...]:
    return () if item.question is None else tuple(option.value for option in item.question.options)


def _is_asked(item: Assumed) -> bool:
    return item.question is not None


def _takes_words(item: Assumed) -> bool:
    return item.question is not None and item.question.free_text


_TOUCHED = JsonForm[Sentence](Sentence, fields("text", ("line", "span.line"), "requirements"))
json_form(
    Assumed,
    *(Nested(None, "assumption"), ("asked", _is_asked), ("options", _options), ("free_text", _takes_words)),
    *(("sentences", Nested(_TOUCHED, "sentences", many=True)), "holds", "lost"),
)


@dataclass(frozen=True, slots=True)
class SessionChange:
    """The changes that an answer made to the session's policy file and cases, and the merge conflicts.

    ``contradictions`` are clauses that the policy breaks then. ``narrowed`` are the words of the program's
    clauses that follow rules which others added to the file. ``left`` are rules of an answer that was taken
    back which somebody changed since, and which stay as they are. ``dropped`` are answers that were about
    nothing but what was said anew. ``settled`` are questions that are asked no more after the other answers
    of a list.
    """

    policy: bool
    cases: bool
    conflicts: tuple[MergeConflict, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    narrowed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    dropped: tuple[Assumption, ...] = ()
    settled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedSession:
    """A session after a planned change: its draft, assumptions under that draft's ids, policy file."""

    draft: Draft
    assumptions: tuple[Assumption, ...]
    merged: Merged


@dataclass(frozen=True, slots=True)
class RecordedRegion:
    """A region of inputs that two policies decide otherwise, with a call of the logs that lies in it.

    ``placed`` is whether it is known that no call lies there if none is given.
    """

    region: DifferingRegion
    recorded: CallDecision | None
    placed: bool = True


json_form(RecordedRegion, Nested(None, "region"), ("recorded", Nested(PLACE, "recorded", none=True)))


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """The effect of a change of the policy: by proof over all inputs, and on the recorded calls.

    A region of the difference names the first call that lies in it by its place among the flips. ``words``
    are those for the arguments of both policies. ``placed`` is whether every call that turns has a value for
    all of its arguments, so that it is known in which region it lies. ``as_if`` says that the versions are
    compared under another default than they have, since theirs hides what differs; empty where it does not.
    """

    semantic: SemanticDiff
    flips: tuple[Flip, ...]
    words: ArgumentWords = OWN_NAMES
    placed: bool = True
    as_if: str = ""

    @property
    def changed(self) -> tuple[Flip, ...]:
        """The recorded calls that are decided otherwise, or by other rules."""
        from workbench.runs.replay.flips import FlipKind

        return tuple(flip for flip in self.flips if flip.kind is not FlipKind.SAME)

    @property
    def widens(self) -> bool:
        """Whether more may run, alone or approved by a person, or may because this is unknown."""
        turned = any(flip.widens for flip in self.flips)
        return (
            turned
            or any(region.widens for region in self.semantic.regions)
            or self.semantic.equivalent is None
        )

    @property
    def buckets(self) -> Mapping[str, int]:
        """The number of recorded calls in each bucket of the comparison."""
        from workbench.runs.replay.flips import FlipKind

        counts = Counter(flip.kind for flip in self.flips)
        return {kind.value: counts[kind] for kind in FlipKind}

    def regions(self, *now: Verdict) -> tuple[RecordedRegion, ...]:
        """The regions that are newly decided so, each with a call of the logs in it."""
        return tuple(
            RecordedRegion(region, self._recorded(region), self._knows(region))
            for verdict in now
            for region in self.semantic.now(verdict)
        )

    def _knows(self, region: DifferingRegion) -> bool:
        """Whether a call that is not found in the region is known to lie in none or in another."""
        return self.placed or not any(_may_lie_in(region, flip) for flip in self.flips)

    def _recorded(self, region: DifferingRegion) -> CallDecision | None:
        return None if region.recorded is None else self.flips[region.recorded].new


def _allowed(change: PolicyChange) -> tuple[RecordedRegion, ...]:
    return change.regions(Verdict.ALLOW)


def _asked(change: PolicyChange) -> tuple[RecordedRegion, ...]:
    return change.regions(Verdict.ASK)


def _denied(change: PolicyChange) -> tuple[RecordedRegion, ...]:
    return change.regions(Verdict.DENY)


_REPLAYED = JsonForm[PolicyChange](PolicyChange, fields("buckets", "changed"))
json_form(
    PolicyChange,
    *(Nested(None, "semantic"), ("newly_allowed", _allowed), ("newly_asked", _asked)),
    *(("newly_denied", _denied), ("replay", Nested(_REPLAYED)), "as_if"),
)


def _may_lie_in(region: DifferingRegion, flip: Flip) -> bool:
    """Whether a call turns as the inputs of a region do, and no known argument differs from theirs."""
    if (flip.old.decision.verdict, flip.new.decision.verdict) != (region.old, region.new):
        return False
    read = {**flip.old.extracted, **flip.new.extracted}
    known = {name: item.value for name, item in read.items() if item.missing is None}
    return all(known.get(name, value) == value for name, value in region.where.items())


@dataclass(frozen=True, slots=True)
class ChoicePreview:
    """The effect of an answer, before it is stored.

    ``change`` compares the policy file before and after, by proof and on the logs. ``added`` and ``removed``
    are clauses of the contract. ``conflicts`` are edits of a person that the answer would have to overwrite,
    and so leaves alone. ``contradictions`` are clauses that would not hold, so that it is refused.
    """

    question: str
    value: str | None
    policy: str
    change: PolicyChange
    added: tuple[Clause, ...]
    removed: tuple[Clause, ...]
    conflicts: tuple[MergeConflict, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()


def told(preview: Any) -> list[str]:
    """The contradictions of a preview in words, for its JSON."""
    return [contradiction.sentence for contradiction in preview.contradictions]


def _conflict_names(preview: ChoicePreview) -> tuple[str, ...]:
    return tuple(conflict.name for conflict in preview.conflicts)


json_form(
    ChoicePreview,
    *("question", "value", "added", "removed", ("conflicts", _conflict_names)),
    *(("contradictions", told), Nested(None, "change")),
)


@dataclass(frozen=True, slots=True)
class Replay:
    """Decided calls: those that pass the filters, and the figures of all, or of all of the run that is shown.

    ``emptied`` is one sentence about the filter that left no call. ``policy`` decided. With ``several``,
    other policies decided too, and the name of a policy precedes its rules and arguments. ``unasked`` has,
    for each guard with stored decisions, the number of calls on which it would have been asked, and was not.
    """

    shown: tuple[CallDecision, ...]
    figures: ReplaySummary
    emptied: str = ""
    policy: PolicyTerms | None = None
    several: bool = False
    unasked: Mapping[str, int] = field(default_factory=dict[str, int])

    def look_up_first(self, decided: CallDecision) -> str:
        """One sentence on the look-ups of records that a denied call needs; empty if there are none."""
        from workbench.guard.calls import look_up_first
        from workbench.runs.replay.asked_look_ups import look_ups_of

        if self.several:
            return ""
        taken_by_rules = None if self.policy is None else self.policy.taken_by_rules
        return look_up_first(look_ups_of(taken_by_rules, decided.decision, decided.extracted))


@dataclass(frozen=True, slots=True)
class Logs:
    """Recorded runs with their calls extracted once; deciding them again needs no log.

    ``arguments`` are those that were extracted.
    """

    runs: tuple[Run, ...] = ()
    calls: tuple[RecordedCall, ...] = ()
    extracted: tuple[Mapping[str, Extracted], ...] = ()
    problems: tuple[ImportProblem, ...] = ()
    arguments: tuple[Argument, ...] = ()

    @property
    def from_database(self) -> int:
        """The number of calls with an argument that came from a folder of records, not from the run."""
        from workbench.runs.world.database import METHOD

        return sum(
            any(place.method.startswith(METHOD) for item in arguments.values() for place in item.provenance)
            for arguments in self.extracted
        )


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A policy as one Python file; ``facts`` are from its header: the proof, and what the file needs."""

    text: str
    facts: Mapping[str, str]


def choices_of(assumptions: Iterable[Assumption]) -> Mapping[str, str]:
    """Question id to chosen value of the assumptions that answer a question."""
    return {item.question: item.value for item in assumptions}


def complete(extracted: Mapping[str, Extracted]) -> Arguments | None:
    """The arguments of a call, or None if one of them could not be extracted."""
    if any(item.missing is not None for item in extracted.values()):
        return None
    return {name: item.value for name, item in extracted.items()}
