"""Findings against a version of a draft: dialect, refuted clauses, failing cases.

Every finding is concrete: too permissive or too strict, the sentence, and the input. It names the
requirements whose rules decided, and the part that contradicts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from workbench.author.model.assemble import assemble
from workbench.author.model.requirement_parts import CasesPart, ClausesPart, RulePart, RulesPart, Target, Unit
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.engines.smt.preview import preview
from workbench.model import (
    Argument,
    Arguments,
    Case,
    ClauseProof,
    ProofStatus,
    Requirement,
    Span,
    Verdict,
)
from workbench.policy.check import check
from workbench.policy.connectives import is_true
from workbench.policy.problems import PolicyError
from workbench.policy.render import literal
from workbench.policy.terms import PolicyTerms


class Accuser(StrEnum):
    """The part that contradicts the rules: a clause or a case."""

    CLAUSE = "clause"
    CASE = "case"


@dataclass(frozen=True, slots=True)
class Finding:
    """A place where the rules contradict a clause or a case.

    ``blamed`` are the requirements whose rules made the decision; ``requirement`` is the one of the clause or
    case. ``to_rules`` and ``to_accuser`` are the messages to the two generators. The latter contains the
    decision only, never the policy. ``allowed`` is what the rules decide on ``arguments``.
    """

    requirement: str
    accuser: Accuser
    blamed: tuple[str, ...]
    to_rules: str
    to_accuser: str
    arguments: Arguments
    allowed: bool


@dataclass(frozen=True, slots=True, order=True)
class Score:
    """The quality of a version: being in the dialect counts first, then clauses proved, then cases.

    ``unfailed`` is minus the number of failing cases: correcting a wrong case loses nothing.
    """

    checks: bool = False
    proved: int = 0
    unfailed: int = 0
    passed: int = 0


@dataclass(frozen=True, slots=True)
class JudgedVersion:
    """A version with its score and all findings against it."""

    policy: str
    score: Score
    findings: tuple[Finding, ...] = ()
    problems: tuple[str, ...] = ()
    terms: PolicyTerms | None = None


def judge(
    policy: str,
    units: Sequence[Unit],
    answers: Sequence[Case] = (),
    silent: frozenset[Accuser] = frozenset(),
) -> JudgedVersion:
    """Check the text, decide every clause by the solver and every case by running the policy.

    ``answers`` are decisions of a person on single inputs; they count like cases. The accusers in ``silent``
    are neither run nor counted.
    """
    try:
        terms = check(policy)
    except PolicyError as error:
        return JudgedVersion(policy, Score(), problems=tuple(map(str, error.problems)))
    compiled = compile_policy(terms)
    proofs = () if Accuser.CLAUSE in silent else preview(terms).clauses
    proved = sum(clause.status is ProofStatus.PROVED for clause in proofs)
    refuted = list(_refuted(compiled, proofs, units))
    unit_cases = [] if Accuser.CASE in silent else [case for unit in units for case in unit.cases.cases]
    cases = [*answers, *unit_cases]
    failing = list(_failing(compiled, cases, units))
    passed = len(cases) - len(failing)
    return JudgedVersion(
        policy, Score(True, proved, -len(failing), passed), (*refuted, *failing), terms=terms
    )


def _refuted(
    compiled: CompiledPolicy, proofs: Sequence[ClauseProof], units: Sequence[Unit]
) -> Iterator[Finding]:
    clauses = {clause.id: clause for clause in compiled.terms.clauses}
    for proof in proofs:
        if proof.counterexample is None or not proof.requirements:
            continue
        clause = clauses[proof.clause]
        about = clause.comment or clause.source
        yield _finding(
            compiled,
            units,
            proof.requirements[0],
            Accuser.CLAUSE,
            f"“{about}”",
            proof.counterexample.arguments,
        )


def _failing(compiled: CompiledPolicy, cases: Sequence[Case], units: Sequence[Unit]) -> Iterator[Finding]:
    for case in cases:
        arguments = evaluable(compiled.terms, case.arguments)
        if compiled.decide(arguments).verdict is not case.expected:
            about = f"the test case “{case.reason}”"
            yield _finding(compiled, units, case.requirements[0], Accuser.CASE, about, arguments)


def evaluable(terms: PolicyTerms, arguments: Arguments) -> Arguments:
    """The arguments of an input that the policy takes; an input may have more."""
    names = {parameter.name for parameter in terms.arguments}
    return {name: value for name, value in arguments.items() if name in names}


def speaks_of(
    part: ClausesPart, input_values: Arguments, allowed: bool, arguments: Sequence[Argument]
) -> bool:
    """Whether a clause requires to allow (or, if ``allowed`` is false, to deny) an input."""
    agreeing = [clause for clause in part.clauses if clause.allow is allowed]
    if any(is_true(clause.when) for clause in agreeing):
        return True
    rules = tuple(
        RulePart(f"clause_{n}", True, clause_part.when, "It holds.") for n, clause_part in enumerate(agreeing)
    )
    target = Target(Requirement("R1", "", "", Span(0, 0)), "")
    unit = Unit(target, RulesPart(rules), ClausesPart(), CasesPart())
    terms = check(assemble("", [unit], arguments, "allow"))
    names = {parameter.name for parameter in terms.arguments}
    if not rules or not names <= set(input_values):
        return False
    return compile_policy(terms).decide(evaluable(terms, input_values)).verdict is Verdict.DENY


def _finding(
    compiled: CompiledPolicy,
    units: Sequence[Unit],
    requirement: str,
    accuser: Accuser,
    about: str,
    arguments: Arguments,
) -> Finding:
    decision = compiled.decide(arguments)
    allowed = decision.verdict is Verdict.ALLOW
    fired = {violation.rule for violation in decision.violations}
    blamed = tuple(
        dict.fromkeys(id_ for rule in compiled.terms.rules if rule.name in fired for id_ in rule.requirements)
    )
    blamed = blamed if blamed and not allowed else (requirement,)
    says, wants = ("allow", "deny") if allowed else ("deny", "allow")
    trouble = "permissive" if allowed else "strict"
    sentence = _statement(units, requirement)
    other_statements = "".join(
        f" There is also the requirement “{_statement(units, id_)}”" for id_ in blamed if id_ != requirement
    )
    shown_input = show(arguments)
    return Finding(
        requirement,
        accuser,
        blamed,
        f"Too {trouble}: for {shown_input} the rules {says}, but {about} of the requirement “{sentence}” "
        f"wants them to {wants} it.",
        f"For {shown_input} {about} says {wants}, but the rules that were made of the request {says} it."
        f"{other_statements} "
        "If another rule of the request decides here, or the sentence does not say it, narrow or correct it; "
        "if it is right, repeat it.",
        arguments,
        allowed,
    )


def _statement(units: Sequence[Unit], requirement: str) -> str:
    for unit in units:
        if unit.target.requirement.id == requirement:
            return unit.target.requirement.text
    return requirement


def show(arguments: Arguments) -> str:
    """An input as a person reads it."""
    return ", ".join(f"{name} = {literal(value)}" for name, value in arguments.items())
