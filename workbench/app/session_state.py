"""A session's known state at one moment, as one value that front ends show, and names of its versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from workbench.app.owed import Owed, OwedKind, not_in_force
from workbench.model import (
    Assumption,
    CallDecision,
    Case,
    CaseResult,
    ClauseProof,
    Counterexample,
    Demonstration,
    Judgement,
    Problem,
    Proof,
    ProofStatus,
    Question,
    Requirement,
    Sentence,
    SentenceRole,
    TheoremVerdict,
    Verdict,
)
from workbench.policy.terms import Clause, Rule
from workbench.policy.written import OWN_NAMES, ArgumentWords, WrittenPart

if TYPE_CHECKING:
    from workbench.app.requested_sentence import RequestedSentence
    from workbench.app.results import Logs, TurnedCalls
    from workbench.engines.compiled.compile import CompiledPolicy
    from workbench.policy.terms import PolicyTerms
    from workbench.runs.replay.grouping import DenialGroup

__all__ = [
    "PROVISIONAL",
    "Clause",
    "ClauseState",
    "PolicyVersion",
    "RequirementState",
    "Rule",
    "SessionState",
    "WrittenPart",
]


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """A state of the session that can be returned to: number, label and time (UTC).

    ``accepts`` says whether its change is one of what guards enforce.
    """

    number: int
    label: str
    when: str = ""
    current: bool = False
    accepts: bool = False


PROVISIONAL = "provisional while a question is open"
"""The mark on a verdict that waits for an answer."""


@dataclass(frozen=True, slots=True)
class ClauseState:
    """A clause and the findings about it.

    ``preview`` and ``proof`` are the verdicts of the two engines, None if an engine has not given one.
    ``provisional`` says whether the verdict waits for an answer: an open question disputes the clause's
    sentence, or only rules of such sentences fire on the counterexample. ``part`` is the clause in the file
    that a person wrote, None if the file has the clause itself.
    """

    clause: Clause
    preview: ClauseProof | None = None
    proof: ClauseProof | None = None
    provisional: bool = False
    part: WrittenPart | None = None

    @property
    def line(self) -> int:
        """The first line of its condition in the file."""
        return self.clause.line if self.part is None else self.part.line

    @property
    def source(self) -> str:
        """Its condition as the file has it, without the tool that it is about."""
        return self.clause.source if self.part is None else self.part.source

    @property
    def name(self) -> str:
        """Its id, with the tool that it is about if the file has it once for several tools."""
        tool = "" if self.part is None else self.part.tool
        return f"{self.clause.id} ({tool})" if tool else self.clause.id

    @property
    def verdict(self) -> ClauseProof | None:
        """The verdict that counts: the verifier's, else the preview's; None if there is neither.

        An input that the preview found takes precedence over an unknown of the verifier.
        """
        if self.proof is None:
            return self.preview
        found = (ProofStatus.REFUTED, ProofStatus.POSSIBLE)
        broken = self.preview is not None and self.preview.status in found
        return self.preview if self.proof.status is ProofStatus.UNKNOWN and broken else self.proof

    @property
    def status(self) -> ProofStatus | None:
        """The status that counts, None if it is not known."""
        verdict = self.verdict
        return None if verdict is None else verdict.status

    @property
    def counterexample(self) -> Counterexample | None:
        """The input that breaks it, as far as one was found."""
        verdict = self.verdict
        return None if verdict is None else verdict.counterexample

    @property
    def only_previewed(self) -> bool:
        """Whether the clause holds in the preview and the verifier has not confirmed it."""
        verdict = self.verdict
        return verdict is not None and verdict is self.preview and verdict.status is ProofStatus.PROVED


@dataclass(frozen=True, slots=True)
class RequirementState:
    """A requirement with its questions, rules, clauses, cases and calls.

    ``decided`` are the positions of the logged calls on which one of its rules fired.
    """

    requirement: Requirement
    questions: tuple[Question, ...] = ()
    rules: tuple[Rule, ...] = ()
    clauses: tuple[ClauseState, ...] = ()
    cases: tuple[Case, ...] = ()
    failed: tuple[CaseResult, ...] = ()
    decided: tuple[int, ...] = ()

    @property
    def status(self) -> ProofStatus | None:
        """The worst status of its clauses; None if it has none, or if one is unknown and none refuted."""
        proof_statuses = [clause.status for clause in self.clauses]
        known_statuses = {status for status in proof_statuses if status is not None}
        if len(known_statuses) < len(set(proof_statuses)) or not proof_statuses:
            return ProofStatus.REFUTED if ProofStatus.REFUTED in known_statuses else None
        return next(status for status in ProofStatus if status in known_statuses)


@dataclass(frozen=True)
class SessionState:
    """A session at one moment: its files, how it is understood, and the findings about its policy.

    If ``policy`` has ``problems``, ``terms`` and the results belong to the last text without problems; they
    are None if there was none. ``requested`` are the sentences of the request, with what they are read as.
    ``results`` are those of the cases that ran, by id. ``decisions`` are in the order of the logs' calls, and
    empty while they are not known. ``theorems`` are the preview's verdicts on those of the policy that it
    has decided so far. ``edited`` says whether ``policy`` is an edit that is kept next to the
    policy file and not stored in it. ``causes`` are the calls that are not
    allowed, by cause, None while they are not known; ``judged`` are a person's judgements of them, by the key
    of the cause. ``retrieved`` are the demonstrations that each call retrieves, best first, empty while they
    are not known. ``turned`` has the calls
    that answers to an open question would turn in the logs. ``followed`` is the log that is read on as it
    grows, empty if there is none. ``read_only`` is the reason why nothing can be changed; empty if changes
    are possible. ``outside`` are the files that other programs changed on the disk and that are not taken
    over. ``interrupted`` says which change was not written as a whole, empty if there is none. ``owed`` is
    what the session owes to the persons who answered and wrote it, in force or not. ``guarded`` says in a few
    words that guards do not enforce this session as it is; empty if they do.
    """

    name: str
    path: str = ""
    read_only: str = ""
    outside: tuple[str, ...] = ()
    interrupted: str = ""
    request: str = ""
    sentences: tuple[Sentence, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    requested: tuple[RequestedSentence, ...] = ()
    questions: tuple[Question, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    policy: str = ""
    edited: bool = False
    problems: tuple[Problem, ...] = ()
    terms: PolicyTerms | None = None
    cases: tuple[Case, ...] = ()
    results: Mapping[str, CaseResult] = field(default_factory=dict[str, CaseResult])
    preview: Proof = field(default_factory=lambda: Proof(()))
    theorems: tuple[TheoremVerdict, ...] = ()
    proof: Proof = field(default_factory=lambda: Proof(()))
    logs: Logs | None = None
    followed: str = ""
    decisions: Sequence[CallDecision] = ()
    demonstrations: tuple[Demonstration, ...] = ()
    retrieved: Sequence[tuple[str, ...]] = ()
    guarded: str = ""
    versions: tuple[PolicyVersion, ...] = ()
    notices: tuple[str, ...] = ()
    causes: tuple[DenialGroup, ...] | None = None
    judged: Mapping[str, Judgement] = field(default_factory=dict[str, Judgement])
    owed: tuple[Owed, ...] = ()
    spoken: ArgumentWords = OWN_NAMES
    turned: Mapping[str, Mapping[str, TurnedCalls]] = field(
        default_factory=dict[str, Mapping[str, "TurnedCalls"]]
    )

    def with_policy(self, text: str, terms: PolicyTerms) -> SessionState:
        """The state with another policy, without any findings about it."""
        return replace(
            self, policy=text, terms=terms, problems=(), results={}, preview=Proof(()), proof=Proof(()),
            theorems=(), decisions=(), causes=None, spoken=OWN_NAMES,
        )  # fmt: skip

    def derive(self) -> SessionState:
        """Derive now, in this thread, what takes long and is shown later."""
        for name in _DERIVED:
            getattr(self, name)
        return self

    def sharing(self, other: SessionState) -> SessionState:
        """The state, with what is derived already of the same fields of another one."""
        for name, fields in _DERIVED.items():
            if name in vars(other) and all(getattr(self, one) is getattr(other, one) for one in fields):
                vars(self).setdefault(name, vars(other)[name])
        return self

    @property
    def understood(self) -> bool:
        """Whether the request is read, so that its requirements and questions are known."""
        return bool(self.sentences or self.requirements) or not self.request.strip()

    @property
    def words(self) -> ArgumentWords:
        """The words for the arguments of the policy: those of its sentences, once these are made."""
        return self.spoken or (OWN_NAMES if self.terms is None else self.terms.file.words)

    @cached_property
    def not_in_force(self) -> tuple[Owed, ...]:
        """What the session owes and the policy does not do."""
        return tuple(item for item in not_in_force(self.owed) if item.kind is not OwedKind.NARROWING)

    @cached_property
    def not_accepted(self) -> tuple[Owed, ...]:
        """What the policy denies and guards do not, until the session is accepted."""
        return tuple(item for item in not_in_force(self.owed) if item.kind is OwedKind.NARROWING)

    @cached_property
    def open(self) -> tuple[Question, ...]:
        """The questions without an answer, in the order in which to ask them."""
        if not self.questions:
            return ()
        from workbench.app.results import choices_of, open_groups

        groups = open_groups(self.questions, choices_of(self.assumptions))
        return tuple(question for group in groups for question in group)

    @cached_property
    def clauses(self) -> tuple[ClauseState, ...]:
        """The clauses of the contract with their verdicts, in the order of the file."""
        if self.terms is None:
            return ()
        preview = {verdict.clause: verdict for verdict in self.preview.clauses}
        proof = {verdict.clause: verdict for verdict in self.proof.clauses}
        clause_states = [
            ClauseState(
                clause, preview.get(clause.id), proof.get(clause.id), part=self.terms.file.part(clause)
            )
            for clause in self.terms.clauses
        ]
        return tuple(
            replace(clause_state, provisional=self._waits(clause_state)) for clause_state in clause_states
        )

    @cached_property
    def _compiled(self) -> CompiledPolicy | None:
        from workbench.engines.compiled.compile import compile_policy

        return None if self.terms is None else compile_policy(self.terms)

    def deciding(self, clause: ClauseState) -> Sequence[str] | None:
        """The rules that decide the counterexample of a clause; None if there is no counterexample."""
        if clause.counterexample is None or self._compiled is None:
            return None
        decision = self._compiled.decide(clause.counterexample.arguments)
        return [violation.rule for violation in decision.violations] or decision.permitted_by

    @cached_property
    def disputed(self) -> frozenset[str]:
        """The requirements that an open question is about."""
        return frozenset(name for question in self.open for name in question.requirements)

    def _waits(self, clause: ClauseState) -> bool:
        """Whether an answer to an open question may change the findings about a clause."""
        if self.disputed & set(clause.clause.requirements):
            return True
        example = clause.counterexample
        if example is None or self.terms is None:
            return False
        disputed = {rule.name for rule in self.terms.rules if self.disputed & set(rule.requirements)}
        fired = {step.rule for step in example.path if step.fired}
        return bool(fired) and fired <= disputed

    @cached_property
    def failed(self) -> tuple[CaseResult, ...]:
        """The results of the cases that failed."""
        return tuple(result for result in self.results.values() if not result.passed)

    @cached_property
    def waiting(self) -> tuple[CaseResult, ...]:
        """The failed cases about a sentence that is the subject of an open question."""
        disputed = {case.id for case in self.cases if self.disputed & set(case.requirements)}
        return tuple(result for result in self.failed if result.case in disputed)

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict on each call of the logs."""
        return tuple([decided.decision.verdict for decided in self.decisions])

    @cached_property
    def counts(self) -> Mapping[Verdict, int]:
        """The number of calls with each verdict."""
        return {verdict: self.verdicts.count(verdict) for verdict in Verdict}

    @cached_property
    def not_evaluated(self) -> tuple[int, ...]:
        """The position of the first call of each tool that cannot be evaluated."""
        first: dict[str, int] = {}
        for position, verdict in enumerate(self.verdicts):
            if verdict is Verdict.CANNOT_EVALUATE:
                tool = str(self.decisions[position].decision.arguments.get("tool", ""))
                first.setdefault(tool, position)
        return tuple(first.values())

    @property
    def to_look_at(self) -> Sequence[int]:
        """The first call of each tool that cannot be evaluated, and of each cause of denials not judged."""
        causes = (one for one in self.causes or () if one.key not in self.judged and one.calls)
        denied = (one.calls[0] for one in causes if one.calls[0] < len(self.decisions))
        return tuple(dict.fromkeys((*self.not_evaluated, *denied)))

    @cached_property
    def retrieving(self) -> Mapping[str, int]:
        """The number of calls that retrieve each demonstration."""
        return Counter(chain.from_iterable(self.retrieved))

    @cached_property
    def fired(self) -> Mapping[str, tuple[int, ...]]:
        """The positions of the calls on which each rule fired."""
        positions_by_rule: dict[str, list[int]] = {}
        for position, decided in enumerate(self.decisions):
            decision = decided.decision
            for name in (*(violation.rule for violation in decision.violations), *decision.permitted_by):
                positions_by_rule.setdefault(name, []).append(position)
        return {name: tuple(positions) for name, positions in positions_by_rule.items()}

    @cached_property
    def context(self) -> tuple[Sentence, ...]:
        """The sentences of the request that require nothing."""
        return tuple(sentence for sentence in self.sentences if sentence.role is SentenceRole.CONTEXT)

    @cached_property
    def decided(self) -> Mapping[str, tuple[int, ...]]:
        """The positions of the calls on which a rule of each requirement fired."""
        rules = _by_requirement(() if self.terms is None else self.terms.rules, lambda one: one.requirements)
        fired_by_name = {
            name: [fired for rule in group if (fired := self.fired.get(rule.name))]
            for name, group in rules.items()
        }
        return {
            name: fired[0] if len(fired) == 1 else tuple(sorted({*chain.from_iterable(fired)}))
            for name, fired in fired_by_name.items()
        }

    @cached_property
    def denied(self) -> frozenset[str]:
        """The requirements whose rules deny each call on which one of them fired."""
        verdicts = self.verdicts
        return frozenset(
            name for name, calls in self.decided.items() if all(verdicts[at] is Verdict.DENY for at in calls)
        )

    @cached_property
    def rows(self) -> tuple[RequirementState, ...]:
        """Each requirement with its state, in the order of the request."""
        of = (
            _by_requirement(() if self.terms is None else self.terms.rules, lambda one: one.requirements),
            _by_requirement(self.cases, lambda one: one.requirements),
            _by_requirement(self.open, lambda one: one.requirements),
            _by_requirement(self.clauses, lambda one: one.clause.requirements),
        )
        return tuple(self._row(requirement, *of) for requirement in self.requirements)

    @cached_property
    def _requested_by_id(self) -> Mapping[str, RequestedSentence]:
        return {one.requirement.id: one for one in reversed(self.requested)}

    @cached_property
    def _row_by_id(self) -> Mapping[str, RequirementState]:
        return {row.requirement.id: row for row in reversed(self.rows)}

    def requested_of(self, requirement: str) -> RequestedSentence | None:
        """What the sentence of a requirement is read as; None if that is not known."""
        return self._requested_by_id.get(requirement)

    def run_of(self, position: int) -> range:
        """The positions of all decided calls of the run of a call."""
        assert self.logs is not None
        calls = self.logs.calls
        first = last = position
        run, end = calls[position].run, min(len(calls), len(self.decisions))
        while first and calls[first - 1].run == run:
            first -= 1
        while last + 1 < end and calls[last + 1].run == run:
            last += 1
        return range(first, last + 1)

    def row(self, requirement: str) -> RequirementState | None:
        """The requirement of this id, None if there is none."""
        return self._row_by_id.get(requirement)

    @cached_property
    def unclaimed(self) -> tuple[Rule, ...]:
        """The rules of the file that belong to no requirement of the request."""
        if self.terms is None:
            return ()
        requirement_ids = {requirement.id for requirement in self.requirements}
        written = (rule for rule in self.terms.rules if rule.name in self.terms.file.parts)
        return tuple(rule for rule in written if not requirement_ids & set(rule.requirements))

    def _row(
        self,
        requirement: Requirement,
        rules_of: Mapping[str, tuple[Rule, ...]],
        cases_of: Mapping[str, tuple[Case, ...]],
        open_of: Mapping[str, tuple[Question, ...]],
        clauses_of: Mapping[str, tuple[ClauseState, ...]],
    ) -> RequirementState:
        name = requirement.id
        rules, cases = rules_of.get(name, ()), cases_of.get(name, ())
        results = (self.results.get(case.id) for case in cases)
        return RequirementState(
            requirement,
            open_of.get(name, ()),
            rules,
            clauses_of.get(name, ()),
            cases,
            tuple(result for result in results if result is not None and not result.passed),
            self.decided.get(name, ()),
        )


_POLICY_FIELDS = frozenset({"terms", "requirements", "decisions"})
_ASKED_FIELDS = frozenset({"questions", "assumptions"})
_DERIVED: Mapping[str, frozenset[str]] = {
    "_compiled": frozenset({"terms"}),
    "retrieving": frozenset({"retrieved"}),
    "not_in_force": frozenset({"owed"}),
    "not_accepted": frozenset({"owed"}),
    "open": _ASKED_FIELDS,
    "disputed": _ASKED_FIELDS,
    "verdicts": frozenset({"decisions"}),
    "counts": frozenset({"decisions"}),
    "not_evaluated": frozenset({"decisions"}),
    "fired": frozenset({"decisions"}),
    "decided": _POLICY_FIELDS,
    "denied": _POLICY_FIELDS,
    "context": frozenset({"sentences"}),
    "unclaimed": _POLICY_FIELDS,
    "clauses": _ASKED_FIELDS | {"terms", "preview", "proof"},
    "rows": _POLICY_FIELDS | _ASKED_FIELDS | {"preview", "proof", "cases", "results"},
}
"""What is derived of a state and takes long, with the fields of which it is derived."""


def _by_requirement[T](
    items: Iterable[T], names: Callable[[T], Iterable[str]]
) -> Mapping[str, tuple[T, ...]]:
    """The items by the requirements that they name, in their order."""
    found: dict[str, list[T]] = {}
    for item in items:
        for name in dict.fromkeys(names(item)):
            found.setdefault(name, []).append(item)
    return {name: tuple(named) for name, named in found.items()}


DRAFT = "Draft"
"""The beginning of the label of a version that an author wrote."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A version to compare with (0: before the first change), its name, and the act that made it."""

    number: int
    name: str
    label: str = ""
    when: str = ""


def baselines(versions: Sequence[PolicyVersion], now: datetime) -> tuple[Baseline, ...]:
    """Every version before the present one: first those with a name, then all by number, newest first.

    ``versions`` are newest first, as in a state. ``now`` has the time zone in which days are counted.
    """
    past = [version for version in versions if not version.current]
    return (
        *_by_day(past, now),
        *_drafts(past),
        *map(_by_number, past),
        Baseline(0, "before the first change"),
    )


def _by_day(past: Sequence[PolicyVersion], now: datetime) -> Iterator[Baseline]:
    """The session at the end of a day: the last version of that day or of an earlier one."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    seen_numbers: set[int] = set()
    for name, start in (("yesterday", today), ("a week ago", today - timedelta(days=6))):
        before = next(
            (
                policy_version
                for policy_version in past
                if (when := _moment(policy_version)) is not None and when < start
            ),
            None,
        )
        if before is not None and before.number not in seen_numbers:
            seen_numbers.add(before.number)
            yield Baseline(before.number, name, before.label, before.when)


def _drafts(past: Sequence[PolicyVersion]) -> Iterator[Baseline]:
    """The drafts, newest first, each with its number, counted from the oldest."""
    drafts = [version for version in past if version.label.startswith(DRAFT)]
    for count, version in zip(range(len(drafts), 0, -1), drafts, strict=True):
        yield Baseline(version.number, f"draft {count}", version.label, version.when)


def _by_number(version: PolicyVersion) -> Baseline:
    return Baseline(version.number, f"version {version.number}", version.label, version.when)


def _moment(version: PolicyVersion) -> datetime | None:
    try:
        moment = datetime.fromisoformat(version.when)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
