"""Critics of a version, in turn: dialect, extraction, replay, cases by pytest, preview with vacuity.

Each finding is exact: its subject, its place, the concrete input. It goes to the call that wrote the part.
The later critics run on what passed the earlier ones: only a file that the checker accepts is executed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.author.model.draft_findings import evaluable, show
from workbench.author.model.whole_file.design import Design
from workbench.author.model.whole_file.reply_parts import DENY_ALL, ReplyParts, written
from workbench.check.cases_run import run_cases
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.engines.smt.preview import preview
from workbench.model import (
    Argument,
    Arguments,
    CallDecision,
    Case,
    CaseResult,
    ClauseProof,
    Extracted,
    Kind,
    ProofStatus,
    RecordedCall,
    Run,
    Verdict,
    WorkbenchError,
)
from workbench.policy.check import check
from workbench.policy.decisive_part import lacking
from workbench.policy.evaluate import evaluate
from workbench.policy.problems import PolicyError
from workbench.policy.terms import Clause, PolicyTerms
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decide_calls
from workbench.runs.world.earlier_calls import Earlier

_MOST_PROBLEMS = 12
_MOST_REASONS = 5


class WrittenPart(StrEnum):
    """The parts of a draft that a model writes, each in a call of its own."""

    DESIGN = "agent file"
    POLICY = "policy"
    CONTRACT = "contract"
    CASES = "cases"


class Critic(StrEnum):
    """The critic that made a finding."""

    REPLY = "reply"
    DIALECT = "dialect"
    EXTRACTION = "extraction"
    REPLAY = "replay"
    CASES = "cases"
    PREVIEW = "preview"
    VACUITY = "vacuity"
    STRENGTH = "strength"
    NAGINI = "nagini"


CRITICS = frozenset(Critic) - {Critic.STRENGTH, Critic.NAGINI}
_ALWAYS = frozenset({Critic.REPLY, Critic.DIALECT})


def critics_named(names: str) -> frozenset[Critic]:
    """The critics in a list of names; for an empty list, all but strength and Nagini, which take long.

    The checker of the dialect cannot be left out.

    Raises WorkbenchError for a name that no critic has.
    """
    words = {word.strip().lower() for word in names.split(",") if word.strip()}
    if unknown := sorted(words - set(Critic)):
        critics = ", ".join(sorted(frozenset(Critic) - _ALWAYS))
        raise WorkbenchError(f"There is no critic {unknown[0][:40]!r}; WORKBENCH_CRITICS may name {critics}.")
    return CRITICS if not words else _ALWAYS | {Critic(word) for word in words}


@dataclass(frozen=True, slots=True)
class CriticFinding:
    """A finding of a critic: the part of the draft that it is about, and the message to this part's call.

    ``against`` is the part that contradicts it: the contract or the cases, or the policy if the contract
    contradicts itself. ``to_accuser`` is the message to that part's call; it never shows the policy.
    ``arguments`` are the input, and ``allowed`` is the policy's decision on it. ``key`` identifies the same
    dispute in another round. ``about`` are the arguments that have no value.
    """

    critic: Critic
    part: WrittenPart
    text: str
    key: str = ""
    against: WrittenPart | None = None
    to_accuser: str = ""
    requirements: tuple[str, ...] = ()
    arguments: Arguments | None = None
    allowed: bool = False
    clause: str = ""
    about: tuple[str, ...] = ()

    @property
    def identity(self) -> str:
        """A text that is equal for the same finding in another round."""
        return f"{self.part}:{self.key or self.text}"


@dataclass(frozen=True, slots=True, order=True)
class VersionScore:
    """The quality of a version: in the dialect, fewer calls that cannot be evaluated, proof, cases."""

    checks: bool = False
    unevaluable: int = 0
    proved: int = 0
    failing: int = 0
    passed: int = 0

    def __str__(self) -> str:
        """The score in words."""
        if not self.checks:
            return "not in the dialect"
        return (
            f"{self.proved} clauses proved more than refuted, {self.passed} cases passed, "
            f"{-self.failing} failed, {-self.unevaluable} logged calls cannot be evaluated"
        )


@dataclass(frozen=True, slots=True)
class CheckedVersion:
    """A version with all findings against it; ``terms`` is None outside the dialect."""

    text: str
    score: VersionScore = VersionScore()
    findings: tuple[CriticFinding, ...] = ()
    terms: PolicyTerms | None = None


@dataclass(frozen=True, slots=True)
class Logged:
    """The calls of the runs with their arguments as a design extracts them."""

    calls: tuple[RecordedCall, ...] = ()
    extracted: tuple[Mapping[str, Extracted], ...] = field(default=())


def read_logs(design: Design, runs: Sequence[Run]) -> Logged:
    """Every call of the runs with its arguments."""
    extractor = Extractor(design.spec.arguments, design.spec)
    pairs = [
        (call, extractor.extract(call, Earlier(run.calls, position)))
        for run in runs
        for position, call in enumerate(run.calls)
    ]
    return Logged(tuple(call for call, _ in pairs), tuple(outcomes for _, outcomes in pairs))


def unread_arguments(design: Design, logged: Logged) -> dict[str, str]:
    """For each argument without a value in some logged calls, the message about them.

    A value that depends on a record unknown at that call is not counted as missing, because the call comes
    too early. Arguments without a value in any call count only with others: such a call may be missing.
    """
    reason_by_argument: dict[str, str] = {}
    never: dict[str, str] = {}
    for argument in design.spec.arguments:
        lacking, held = _lacking(argument, design, logged), len(logged.calls)
        if lacking:
            missing = Counter(why for _, why in lacking)
            reasons = "; ".join(f"{text} ({count}×)" for text, count in missing.most_common(3))
            where = lacking[0][0]
            reason_by_argument[argument.name] = (
                f"{argument.name} cannot be determined in {len(lacking)} of {held} logged calls, "
                f"first in run {where.run} call {where.index} of {where.tool}: {reasons[:400]}. Calls are "
                "denied where it is taken."
            )
        elif held and all(outcomes[argument.name].value is None for outcomes in logged.extracted):
            never[argument.name] = (
                f"{argument.name} is None in all {held} logged calls: its path or its tools may be "
                "wrong. If no logged call has it, leave it so."
            )
    return {**reason_by_argument, **never} if reason_by_argument else {}


def without_value(logged: Logged) -> frozenset[str]:
    """The arguments that have no value in some call, for any reason."""
    return frozenset(
        name
        for outcomes in logged.extracted
        for name, outcome in outcomes.items()
        if outcome.missing is not None
    )


def rarely_unread(design: Design, logged: Logged) -> frozenset[str]:
    """The arguments with at least ten values per call without one: such single calls are mostly malformed."""
    return frozenset(
        argument.name
        for argument in design.spec.arguments
        if len(_lacking(argument, design, logged)) * 10
        <= sum(_was_read(outcomes[argument.name]) for outcomes in logged.extracted)
    )


def _lacking(argument: Argument, design: Design, logged: Logged) -> list[tuple[RecordedCall, str]]:
    """The calls in which an argument has no value, with the reason, except calls that come too early."""
    options = json.dumps(dict(argument.extraction.options)) if argument.extraction else ""
    records = [
        argument.name
        for argument in design.spec.arguments
        if argument.type.kind is Kind.RECORD
        and f'"{argument.name}.' in options
        and any(outcomes[argument.name].value is not None for outcomes in logged.extracted)
    ]
    return [
        (call, why)
        for call, outcomes in zip(logged.calls, logged.extracted, strict=True)
        if (why := outcomes[argument.name].missing) is not None
        and all(outcomes[record].value is not None for record in records)
    ]


def _was_read(outcome: Extracted) -> bool:
    """Whether a value was read from the call itself, and is not the default for other tools' calls."""
    if (
        outcome.missing is not None
        or outcome.value is None
        or any(at.method == "elsewhere" for at in outcome.provenance)
    ):
        return False
    return outcome.value not in ((), frozenset()) or any(at.text for at in outcome.provenance)


def judge(
    policy: ReplyParts | None,
    contract: ReplyParts | None,
    cases: Sequence[Case],
    design: Design,
    logged: Logged,
    on: frozenset[Critic] = CRITICS,
) -> CheckedVersion:
    """The file of policy and contract with the findings of the critics that are ``on``."""
    text, wrong = _file(policy, contract, design)
    if policy is None or any(finding.part is WrittenPart.POLICY for finding in wrong):
        return CheckedVersion(text, VersionScore(), wrong)
    terms = check(text)
    compiled = compile_policy(terms)
    decided = decide_calls(compiled, logged.calls, logged.extracted)
    lacking = [
        call_decision
        for call_decision in decided
        if call_decision.decision.verdict is Verdict.CANNOT_EVALUATE
    ]
    unread = tuple(_unevaluable(lacking, logged)) if Critic.REPLAY in on else ()
    failed = run_cases(text, cases).failed if Critic.CASES in on else ()
    tested = tuple(_failing(compiled, failed, cases))
    proofs = preview(terms).clauses if Critic.PREVIEW in on else ()
    proved = sum(clause.status is ProofStatus.PROVED for clause in proofs)
    clauses = tuple(_clauses(compiled, proofs))
    broken = sum(clause.critic is Critic.PREVIEW for clause in clauses)
    score = VersionScore(True, -len(lacking), proved - broken, -len(failed), len(cases) - len(failed))
    return CheckedVersion(text, score, (*wrong, *unread, *clauses, *tested), terms)


def _file(
    policy: ReplyParts | None, contract: ReplyParts | None, design: Design
) -> tuple[str, tuple[CriticFinding, ...]]:
    """The file, with the contract if that is in the dialect, and the checker's findings about both."""
    alone = written(policy or DENY_ALL, DENY_ALL, design.spec)
    wrong = tuple(_dialect(alone, WrittenPart.POLICY))
    if contract is None:
        return alone, wrong
    stated = tuple(_dialect(written(DENY_ALL, contract, design.spec), WrittenPart.CONTRACT))
    if wrong or stated:
        return alone, (*wrong, *stated)
    with_contract = written(policy or DENY_ALL, contract, design.spec)
    stated = tuple(_dialect(with_contract, WrittenPart.CONTRACT))
    return (alone, stated) if stated else (with_contract, ())


def _dialect(text: str, part: WrittenPart) -> Iterator[CriticFinding]:
    try:
        check(text)
    except PolicyError as error:
        lines = text.split("\n")
        for problem in error.problems[:_MOST_PROBLEMS]:
            line = lines[problem.line - 1].strip()[:160] if 0 < problem.line <= len(lines) else ""
            about = f" (in: {line})" if line else ""
            yield CriticFinding(Critic.DIALECT, part, f"{problem.message} {problem.instead}".strip() + about)


def _unevaluable(decisions: Sequence[CallDecision], logged: Logged) -> Iterator[CriticFinding]:
    """A finding for each reason why logged calls cannot be evaluated."""
    reasons: Counter[str] = Counter()
    first: dict[str, CallDecision] = {}
    for decided in decisions:
        text = "; ".join(decided.decision.reasons)
        reasons[text] += 1
        first.setdefault(text, decided)
    for text, count in reasons.most_common(_MOST_REASONS):
        decided = first[text]
        yield CriticFinding(
            Critic.REPLAY,
            WrittenPart.DESIGN,
            f"{count} of {len(logged.calls)} logged calls cannot be evaluated and are denied, first run "
            f"{decided.run} call {decided.index}: {text[:400]}",
            key=f"replay:{text}",
            about=tuple(reason.split(":")[0] for reason in decided.decision.reasons),
        )


def _failing(
    compiled: CompiledPolicy, failed: Sequence[CaseResult], cases: Sequence[Case]
) -> Iterator[CriticFinding]:
    """Findings about cases that fail in pytest; undecided cases with the same reason are one finding."""
    by_id = {case.id: case for case in cases}
    undecided: dict[str, list[Case]] = {}
    for result in failed:
        case = by_id[result.case]
        if result.actual is None or result.actual is Verdict.CANNOT_EVALUATE:
            undecided.setdefault(_unsaid(compiled, case) or result.detail[:300], []).append(case)
        else:
            yield _misjudged(compiled, case, result.actual)
    for detail, alike in undecided.items():
        named = ", ".join(f"“{case.reason}”" for case in alike[:4])
        text = f"{len(alike)} case{'s' * (len(alike) > 1)} cannot be decided ({named}): {detail}"
        yield CriticFinding(Critic.CASES, WrittenPart.CASES, text, f"undecided:{detail}")


def _unsaid(compiled: CompiledPolicy, case: Case) -> str:
    """The arguments that an undecided case must give, for its writer; empty if that is not the reason."""
    try:
        needed = lacking(compiled.terms, case.arguments)
    except Exception:  # values of wrong types: the run reports the fault
        return ""
    named = ", ".join(f"`{parameter.name}`" for parameter in needed)
    return f"no value is given for {named}, on which the decision rests." if needed else ""


def _misjudged(compiled: CompiledPolicy, case: Case, got: Verdict) -> CriticFinding:
    shown_input = shortened(case.arguments)
    allowed = got is Verdict.ALLOW
    why = _why(compiled, evaluable(compiled.terms, case.arguments))
    return CriticFinding(
        Critic.CASES,
        WrittenPart.POLICY,
        f"Too {'permissive' if allowed else 'strict'}: for {shown_input} the policy says {got}{why}, but the "
        f"test case “{case.reason}” expects {case.expected}.",
        f"case:{case.id}",
        WrittenPart.CASES,
        f"For {shown_input} your case “{case.reason}” expects {case.expected}, but the policy that was made "
        f"of the request says {got}{why}.",
        case.requirements,
        case.arguments,
        allowed,
    )


def shortened(arguments: Arguments) -> str:
    """An input without its absent values: None and empty sets and lists."""
    return show({name: value for name, value in arguments.items() if value not in (None, (), frozenset())})


def _why(compiled: CompiledPolicy, arguments: Arguments) -> str:
    try:
        decision = compiled.decide(arguments)
    except WorkbenchError:
        return ""
    messages = "; ".join(violation.message for violation in decision.violations)
    return f" (“{messages}”)" if messages else ""


def _clauses(compiled: CompiledPolicy, proofs: Sequence[ClauseProof]) -> Iterator[CriticFinding]:
    """Clauses that the solver refutes, with its input, or that are vacuous; unknown ones are not reported."""
    clauses = {clause.id: clause for clause in compiled.terms.clauses}
    for proof in proofs:
        clause = clauses[proof.clause]
        if proof.counterexample is not None:
            yield refuted(compiled, proof, clause)
        elif proof.status is ProofStatus.VACUOUS:
            text = f"The clause {_named(clause)} says nothing: {proof.why}"
            yield CriticFinding(
                Critic.VACUITY, WrittenPart.CONTRACT, text, _key(clause), requirements=proof.requirements
            )


def _named(clause: Clause) -> str:
    return f"“{clause.comment or clause.source}” ({', '.join(clause.requirements)})"


def _key(clause: Clause) -> str:
    return f"clause:{clause.source}"


def refuted(
    compiled: CompiledPolicy, proof: ClauseProof, clause: Clause, critic: Critic = Critic.PREVIEW
) -> CriticFinding:
    """The finding about a clause that an input breaks, with a message to either side."""
    about, key = _named(clause), _key(clause)
    counterexample = proof.counterexample
    assert counterexample is not None
    arguments = evaluable(compiled.terms, counterexample.arguments)
    allowed = compiled.decide(arguments).verdict is Verdict.ALLOW
    shown_input = show(counterexample.shown)
    says, wants = ("allow", "deny") if allowed else ("deny", "allow")
    why = _why(compiled, arguments)
    to_policy = (
        f"Too {'permissive' if allowed else 'strict'}: for {shown_input} the policy says {says}{why}, but "
        f"the clause {about} wants it to {wants}."
    )
    to_contract = (
        f"For {shown_input} your clause {about} wants {wants}, but the policy that was made of the request "
        f"says {says}{why}."
    )
    rival = _rival(compiled.terms, arguments, says == "deny")
    if rival is not None:  # no policy satisfies both clauses, so the contract has to change
        to_contract = (
            f"For {shown_input} your clause {about} wants {wants}, but your clause {_named(rival)} wants "
            f"{says}: no policy keeps both."
        )
    first, then = (to_policy, to_contract) if rival is None else (to_contract, to_policy)
    return CriticFinding(
        critic,
        WrittenPart.POLICY if rival is None else WrittenPart.CONTRACT,
        first,
        key,
        WrittenPart.CONTRACT if rival is None else WrittenPart.POLICY,
        then,
        proof.requirements,
        counterexample.arguments,
        allowed,
        proof.clause,
    )


def _rival(terms: PolicyTerms, arguments: Arguments, decision: bool) -> Clause | None:
    """Another clause, which the wanted decision breaks; None if there is none."""
    return next(
        (clause for clause in terms.clauses if evaluate(terms, clause.term, arguments, decision) is not True),
        None,
    )
