"""Critics of a version, in turn: dialect, replay, cases by pytest, preview with vacuity, Nagini, strength.

Each finding is exact: its subject, its place, the concrete input. It goes to the call that wrote the part.
The later critics run on what passed the earlier ones: only a file that the checker accepts is executed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from workbench.author.model.whole_file.design import Design
from workbench.author.model.whole_file.model_cases import (
    CasesUnder,
    DecidedCase,
    ModelCaseForm,
    RunCase,
    form_of_run,
)
from workbench.author.model.whole_file.reply_parts import DENY_ALL, NO_CONTRACT, ReplyParts, written
from workbench.check.cases_run import run_cases
from workbench.check.proof.prover import Prover
from workbench.check.realise.realised_proof import RealisedVerdicts
from workbench.check.realise.realiser import Realiser
from workbench.check.realise.run_words import run_words
from workbench.check.strength import strength
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.dialect.same_expressions import named_alike
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.engines.smt.diff import semantic_diff
from workbench.engines.smt.preview import preview
from workbench.model import (
    AgentSpec,
    Arguments,
    CallDecision,
    CaseResult,
    ClauseProof,
    Counterexample,
    Proof,
    ProofStatus,
    Run,
    Verdict,
    WorkbenchError,
)
from workbench.policy.evaluate import evaluate
from workbench.policy.literals import literal
from workbench.policy.problems import PolicyError
from workbench.policy.terms import Clause, PolicyTerms
from workbench.runs.extract.model_method import Reader
from workbench.runs.replay.decide import replay

_MOST_PROBLEMS = 12
_MOST_REASONS = 5
_MOST_MUTANTS = 80
_MOST_SURVIVORS = 5


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
    REPLAY = "replay"
    CASES = "cases"
    PREVIEW = "preview"
    VACUITY = "vacuity"
    STRENGTH = "strength"
    NAGINI = "nagini"
    ANSWERS = "answers"


CRITICS = frozenset(Critic)
_ALWAYS = frozenset({Critic.REPLY, Critic.DIALECT, Critic.ANSWERS})


def critics_named(names: str) -> frozenset[Critic]:
    """The critics in a list of names; all for an empty list.

    The checker of the dialect and the answers of a person cannot be left out.

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
    ``shown`` is the input in words, ``arguments`` are its arguments, ``run`` is a run that gives it, and
    ``allowed`` is the policy's decision on it. ``key`` identifies the same dispute in another round.
    """

    critic: Critic
    part: WrittenPart
    text: str
    key: str = ""
    against: WrittenPart | None = None
    to_accuser: str = ""
    requirements: tuple[str, ...] = ()
    shown: str = ""
    arguments: Arguments | None = None
    run: ModelCaseForm | None = None
    allowed: bool = False
    clause: str = ""

    @property
    def identity(self) -> str:
        """A text that is equal for the same finding in another round."""
        return f"{self.part}:{self.key or self.text}"


@dataclass(frozen=True, slots=True, order=True)
class VersionScore:
    """The quality of a version: in the dialect, answers followed, calls evaluated, proof, cases."""

    checks: bool = False
    unheard: int = 0
    unevaluable: int = 0
    proved: int = 0
    failing: int = 0
    passed: int = 0

    def __str__(self) -> str:
        """The score in words."""
        if not self.checks:
            return "not in the dialect"
        return ("does not follow the answers, " if self.unheard else "") + (
            f"{self.proved} clauses proved more than refuted, {self.passed} cases passed, "
            f"{-self.failing} failed, {-self.unevaluable} logged calls cannot be evaluated"
        )


@dataclass(frozen=True, slots=True)
class CheckedVersion:
    """A version with all findings against it; ``lowered`` is None outside the dialect.

    ``unheard`` are the questions with an answer that it does not follow.
    """

    text: str
    score: VersionScore = VersionScore()
    findings: tuple[CriticFinding, ...] = ()
    lowered: LoweredPolicy | None = None
    unheard: frozenset[str] = frozenset()

    @property
    def terms(self) -> PolicyTerms | None:
        """The policy over plain arguments; None outside the dialect."""
        return None if self.lowered is None else self.lowered.terms


def judge(
    policy: ReplyParts | None,
    contract: ReplyParts | None,
    cases: Sequence[RunCase],
    design: Design,
    runs: Sequence[Run],
    reader: Reader,
    on: frozenset[Critic] = CRITICS,
) -> CheckedVersion:
    """The file of policy and contract with the findings of the critics that are ``on``.

    ``reader`` reads texts that the agent file leaves to a model.
    """
    text, wrong = _file(policy, contract, design)
    if policy is None or any(finding.part is WrittenPart.POLICY for finding in wrong):
        return CheckedVersion(text, VersionScore(), wrong)
    lowered = lowered_policy(text, design.spec)
    terms = lowered.terms
    under = CasesUnder(lowered, design.spec, reader)
    under.read_ahead([call for run in runs for call in run.calls])
    decided = list(replay(under.compiled, under.extractor, runs))
    tools = {tool.name for tool in design.spec.tools}
    own = {(call.run, call.index) for run in runs for call in run.calls if call.tool in tools}
    lacking = [
        one
        for one in decided
        if one.decision.verdict is Verdict.CANNOT_EVALUATE and (one.run, one.index) in own
    ]
    unread = tuple(_unevaluable(lacking, len(decided))) if Critic.REPLAY in on else ()
    decided_cases = under.all_decided(cases) if Critic.CASES in on else []
    judged = tuple(_judged_cases(lowered, under.compiled, decided_cases))
    failing = len({finding.key for finding in judged if finding.critic is Critic.CASES})
    proofs = _previewed(terms, design.spec) if Critic.PREVIEW in on else ()
    proved = sum(clause.status is ProofStatus.PROVED for clause in proofs)
    clauses = tuple(_clauses(under.compiled, proofs))
    broken = sum(clause.critic is Critic.PREVIEW for clause in clauses)
    score = VersionScore(True, 0, -len(lacking), proved - broken, -failing, len(decided_cases) - failing)
    unsaid = tuple(_unsaid(contract, terms, design)) if contract and Critic.STRENGTH in on else ()
    late = () if wrong or clauses or judged else tuple(_late(lowered, design.spec, on))
    return CheckedVersion(text, score, (*wrong, *unread, *unsaid, *clauses, *judged, *late), lowered)


def _unsaid(contract: ReplyParts, terms: PolicyTerms, design: Design) -> Iterator[CriticFinding]:
    """The finding about the requirements of which the contract has no clause.

    A contract that the checker refuses has no clauses yet; its comments tell what it is about.
    """
    cited = {id_ for clause in terms.clauses for id_ in clause.requirements} or contract.demanded
    lacking = [one for one in design.requirements if one.id not in cited]
    if cited and lacking:
        listed = "; ".join(f"{one.id}: {one.text}" for one in lacking)
        text = f"No clause is about {listed} Write what each of them forbids and allows."
        yield CriticFinding(Critic.STRENGTH, WrittenPart.CONTRACT, text)


@dataclass(frozen=True, slots=True)
class DifferingAnswer:
    """The answer to a question about these requirements that differs from a draft, as a sentence."""

    question: str
    requirements: frozenset[str]
    decision: str


@dataclass(frozen=True, slots=True)
class FormerDraft:
    """The policy that was drafted before a person's answers, of which some differ from it.

    ``told`` means that the model was told of them already, and that the draft is what it wrote then.
    """

    terms: PolicyTerms
    answers: tuple[DifferingAnswer, ...]
    told: bool = False

    def unheard(self, answers: Sequence[DifferingAnswer]) -> str:
        """The message about a version that follows none of these answers."""
        ids = sorted({id_ for one in answers for id_ in one.requirements})
        part = f"the rules about {', '.join(ids)} decide" if ids else "the policy decides"
        said = " ".join(one.decision for one in answers)
        return (
            f"The person decided otherwise than the draft before assumed: {said} "
            f"But {part} every input as in that draft."
        )


def heard(judged: CheckedVersion, former: FormerDraft) -> CheckedVersion:
    """A version with the finding about each answer of which it is proved that it changed nothing.

    An answer changed nothing if the rules about its requirements, with those about none that the former
    draft knew, decide every input as before.
    """
    terms = judged.terms
    if terms is None:
        return judged
    unheard = [one for one in former.answers if _alike(former.terms, terms, one.requirements)]
    if not unheard:
        return judged
    finding = CriticFinding(Critic.ANSWERS, WrittenPart.POLICY, former.unheard(unheard))
    return replace(
        judged,
        score=replace(judged.score, unheard=-len(unheard)),
        findings=(finding, *judged.findings),
        unheard=frozenset(one.question for one in unheard),
    )


def _alike(former: PolicyTerms, terms: PolicyTerms, requirements: frozenset[str]) -> bool:
    """Whether the rules about these requirements are proved to decide alike; all rules without any."""
    others = {id_ for rule in former.rules for id_ in rule.requirements} - requirements
    if requirements:
        former, terms = (
            replace(one, rules=tuple(rule for rule in one.rules if not others.issuperset(rule.requirements)))
            for one in (former, terms)
        )
    try:
        found = semantic_diff(former, named_alike(terms, former), most=1)
    except WorkbenchError:
        return False  # arguments of other types: the two were not written alike
    return found.equivalent is True


def _file(
    policy: ReplyParts | None, contract: ReplyParts | None, design: Design
) -> tuple[str, tuple[CriticFinding, ...]]:
    """The file, with the contract if that is in the dialect, and the checker's findings about both."""
    types = design.types
    alone = written(policy or DENY_ALL, NO_CONTRACT, types)
    wrong = tuple(_dialect(alone, WrittenPart.POLICY, design.spec))
    if contract is None:
        return alone, wrong
    stated = tuple(_dialect(written(DENY_ALL, contract, types), WrittenPart.CONTRACT, design.spec))
    if wrong or stated:
        return alone, (*wrong, *stated)
    with_contract = written(policy or DENY_ALL, contract, types)
    stated = tuple(_dialect(with_contract, WrittenPart.CONTRACT, design.spec))
    return (alone, stated) if stated else (with_contract, ())


def _dialect(text: str, part: WrittenPart, spec: AgentSpec) -> Iterator[CriticFinding]:
    try:
        lowered_policy(text, spec)
    except PolicyError as error:
        lines = text.split("\n")
        for problem in error.problems[:_MOST_PROBLEMS]:
            line = lines[problem.line - 1].strip()[:160] if 0 < problem.line <= len(lines) else ""
            about = f" (in: {line})" if line else ""
            yield CriticFinding(Critic.DIALECT, part, f"{problem.message} {problem.instead}".strip() + about)


def _unevaluable(decisions: Sequence[CallDecision], held: int) -> Iterator[CriticFinding]:
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
            WrittenPart.POLICY,
            f"{count} of {held} logged calls cannot be evaluated and are denied, first run "
            f"{decided.run} call {decided.index}: {text[:400]} If something else could say it, read that.",
            key=f"replay:{text}",
        )


# --- cases ------------------------------------------------------------------------


def _judged_cases(
    lowered: LoweredPolicy, compiled: CompiledPolicy, cases: Sequence[DecidedCase]
) -> Iterator[CriticFinding]:
    """Findings about cases that fail in pytest, and about those that no argument decides.

    A case that is not determined is not allowed; so one that expects a denial is met.
    """
    determined = [case for case in cases if not case.undetermined]
    by_id = {case.case.id: case for case in determined}
    failed = run_cases(lowered.terms, [case.as_case() for case in determined]).failed if determined else ()
    for result in failed:
        yield _misjudged(lowered.terms, compiled, by_id[result.case], result)
    undecided: dict[str, list[DecidedCase]] = {}
    for case in cases:
        if case.undetermined and case.case.expected is not Verdict.DENY:
            undecided.setdefault("; ".join(case.decision.reasons)[:400], []).append(case)
    for why, alike in undecided.items():
        named = ", ".join(f"“{case.case.reason}”" for case in alike[:4])
        text = f"{len(alike)} case{'s' * (len(alike) > 1)} cannot be decided ({named}): {why}"
        yield CriticFinding(
            Critic.CASES,
            WrittenPart.CASES,
            f"{text} Give the earlier calls that tell it, with results in the form of the recorded runs.",
            f"undecided:{why}",
            WrittenPart.POLICY,
            text,
        )


def case_key(name: str) -> str:
    """The key of the finding that the policy does not decide a case as expected."""
    return f"case:{name}"


def _misjudged(
    terms: PolicyTerms, compiled: CompiledPolicy, decided: DecidedCase, result: CaseResult
) -> CriticFinding:
    case, got = decided.case, result.actual
    shown = case.shown()
    why = _why(compiled, decided.arguments)
    says = f"says {got}" if got is not None else f"cannot be run ({result.detail[:200]})"
    loose = got is Verdict.ALLOW or (got is Verdict.ASK and case.expected is Verdict.DENY)
    return CriticFinding(
        Critic.CASES,
        WrittenPart.POLICY,
        f"Too {'permissive' if loose else 'strict'}: for {shown} the policy {says}{why}, but the test case "
        f"“{case.reason}” expects {case.expected}. It reads: {_shown(terms, decided.arguments)}",
        case_key(case.id),
        WrittenPart.CASES,
        f"For {shown} your case “{case.reason}” expects {case.expected}, but the policy that was made "
        f"of the request {says}{why}.",
        case.requirements,
        shown,
        decided.arguments,
        case.form,
        got is Verdict.ALLOW,
    )


def _shown(terms: PolicyTerms, arguments: Arguments) -> str:
    """An input by the words of the file, without its absent values: None and empty sets and lists."""
    present = {name: value for name, value in arguments.items() if value not in (None, (), frozenset())}
    held = terms.file.words.shown(present)
    return ", ".join(f"{name} = {literal(value)}" for name, value in held.items())


def _why(compiled: CompiledPolicy, arguments: Arguments) -> str:
    try:
        decision = compiled.decide(arguments)
    except WorkbenchError:
        return ""
    messages = "; ".join(violation.message for violation in decision.violations)
    return f" (“{messages}”)" if messages else ""


# --- clauses ----------------------------------------------------------------------


def _previewed(terms: PolicyTerms, spec: AgentSpec) -> tuple[ClauseProof, ...]:
    """The preview's verdicts, each refutation with a run, or as possible where none gives its input."""
    realised = RealisedVerdicts(Realiser(terms, spec))
    return tuple(map(realised.of_clause, preview(terms).clauses))


def _clauses(compiled: CompiledPolicy, proofs: Sequence[ClauseProof]) -> Iterator[CriticFinding]:
    """Clauses that the solver refutes, with its input, or that are vacuous; unknown ones are not reported."""
    clauses = {clause.id: clause for clause in compiled.terms.clauses}
    for proof in proofs:
        clause = clauses[proof.clause]
        if proof.status is ProofStatus.REFUTED and proof.counterexample is not None:
            yield _refuted(compiled, proof, proof.counterexample, clause)
        elif proof.status is ProofStatus.POSSIBLE and proof.counterexample is not None:
            shown = _shown(compiled.terms, proof.counterexample.shown)
            about = f"{_named(clause)}, {_source(compiled.terms, clause)},"
            text = f"The clause {about} is not proved: for {shown} it would fail; {proof.why}."
            yield CriticFinding(
                Critic.PREVIEW, WrittenPart.POLICY, text, _key(clause), WrittenPart.CONTRACT,
                f"{text} Say it by the sums, counts and records of which the requirement speaks.",
            )  # fmt: skip
        elif proof.status is ProofStatus.VACUOUS:
            text = f"The clause {_named(clause)} says nothing: {proof.why}"
            yield CriticFinding(
                Critic.VACUITY, WrittenPart.CONTRACT, text, _key(clause), requirements=proof.requirements
            )


def _source(terms: PolicyTerms, clause: Clause) -> str:
    """A clause as the file has it."""
    return terms.file.part(clause).source or clause.source


def _named(clause: Clause) -> str:
    return f"“{clause.comment or clause.source}” ({', '.join(clause.requirements)})"


def _key(clause: Clause) -> str:
    return f"clause:{clause.source}"


def _refuted(
    compiled: CompiledPolicy,
    proof: ClauseProof,
    counterexample: Counterexample,
    clause: Clause,
    critic: Critic = Critic.PREVIEW,
) -> CriticFinding:
    """The finding about a clause that an input breaks, with a message to either side."""
    terms, key = compiled.terms, _key(clause)
    about = f"{_named(clause)}, {_source(terms, clause)},"
    arguments = _evaluable(terms, counterexample.arguments)
    allowed = compiled.decide(arguments).verdict is Verdict.ALLOW
    shown = _shown(terms, counterexample.shown)
    run = counterexample.realised
    if run is not None:
        shown = f"{shown} (as in this run: {' | '.join(run_words(run))})"
    says, wants = ("allow", "deny") if allowed else ("deny", "allow")
    why = _why(compiled, arguments)
    to_policy = (
        f"Too {'permissive' if allowed else 'strict'}: for {shown} the policy says {says}{why}, but "
        f"the clause {about} wants it to {wants}."
    )
    to_contract = (
        f"For {shown} your clause {about} wants {wants}, but the policy that was made of the request "
        f"says {says}{why}."
    )
    rival = _rival(terms, arguments, says == "deny")
    if rival is not None:  # no policy satisfies both clauses, so the contract has to change
        to_contract = (
            f"For {shown} your clause {about} wants {wants}, but your clause {_named(rival)}, "
            f"{_source(terms, rival)}, wants {says}: no policy keeps both."
        )
    first, then = (to_policy, to_contract) if rival is None else (to_contract, to_policy)
    wanted = Verdict.DENY if allowed else Verdict.ALLOW
    return CriticFinding(
        critic,
        WrittenPart.POLICY if rival is None else WrittenPart.CONTRACT,
        first,
        key,
        WrittenPart.CONTRACT if rival is None else WrittenPart.POLICY,
        then,
        proof.requirements,
        shown,
        counterexample.arguments,
        None if run is None else form_of_run(run, wanted, "", ""),
        allowed,
        proof.clause,
    )


def _evaluable(terms: PolicyTerms, arguments: Arguments) -> Arguments:
    names = {parameter.name for parameter in terms.arguments}
    return {name: value for name, value in arguments.items() if name in names}


def _rival(terms: PolicyTerms, arguments: Arguments, decision: bool) -> Clause | None:
    """Another clause, which the wanted decision breaks; None if there is none."""
    return next(
        (clause for clause in terms.clauses if evaluate(terms, clause.term, arguments, decision) is not True),
        None,
    )


# --- the slow critics, Nagini and strength, where preview and cases are silent


def _late(lowered: LoweredPolicy, spec: AgentSpec, on: frozenset[Critic]) -> Iterator[CriticFinding]:
    """The findings of the slow critics, Nagini and strength, where preview and cases found nothing."""
    terms = lowered.terms
    if not terms.clauses:
        return
    if Critic.NAGINI in on:
        yield from _unproved(terms, spec)
    if Critic.STRENGTH in on:
        yield from _survivors(terms)


def _survivors(terms: PolicyTerms) -> Iterator[CriticFinding]:
    """Findings about inputs that a mutant decides differently without breaking a clause.

    The mutant is not shown to the model.
    """
    report = strength(terms, most=_MOST_MUTANTS)  # so many, and not so long: a replay finds the same
    for survivor in report.survived[:_MOST_SURVIVORS]:
        if survivor.example is None or survivor.policy_decision is None:
            continue
        shown = _shown(terms, _evaluable(terms, survivor.example))
        yield CriticFinding(
            Critic.STRENGTH,
            WrittenPart.CONTRACT,
            f"For {shown} the policy says {survivor.policy_decision}; a wrong version of it that says "
            f"{survivor.mutant_decision} there keeps all your clauses. "
            "Add a clause if the request says which is right.",
            f"strength:{survivor.mutant.id}",
        )


def _unproved(terms: PolicyTerms, spec: AgentSpec) -> Iterator[CriticFinding]:
    """Clauses that Nagini refutes with an input that the policy confirms."""
    proof = RealisedVerdicts(Realiser(terms, spec)).of_proof(_proved(terms))
    compiled = compile_policy(terms)
    clauses = {clause.id: clause for clause in terms.clauses}
    for clause in proof.clauses:
        example = clause.counterexample
        if clause.status is ProofStatus.REFUTED and example is not None and example.confirmed:
            yield _refuted(compiled, clause, example, clauses[clause.clause], Critic.NAGINI)


def _proved(terms: PolicyTerms) -> Proof:
    prover = Prover()
    try:
        return prover.prove(terms)
    finally:
        prover.close()
