"""The SMT formula, the compiled policy and the interpreter mean the same."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.policy.policy_strategies import arguments_for, policies
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.formula import Formula, SolverAnswer
from workbench.engines.smt.preview import preview
from workbench.model import Arguments, ArgumentType, Kind, ProofStatus
from workbench.policy.check import PolicyError, check
from workbench.policy.terms import (
    And,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    Member,
    Not,
    PolicyTerms,
    Quantified,
    Quantifier,
    ResultTerm,
    SetVariable,
    Term,
    Variable,
)

SLOW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def drawn(data: st.DataObject) -> PolicyTerms:
    try:
        return check(data.draw(policies()))
    except PolicyError:
        assume(False)
        raise


def exactly(terms: PolicyTerms, arguments: Arguments) -> Term:
    """The condition that every argument has the given value."""
    parts: list[Term] = []
    for parameter in terms.arguments:
        value = arguments[parameter.name]
        if isinstance(value, frozenset):
            own = SetVariable(parameter.name)
            item = Variable("item", ArgumentType(Kind.STR))
            inside = Member(item, ConstantSet(tuple(sorted(value))))
            parts.append(Quantified(Quantifier.ALL, item, own, inside))
            parts.extend(Member(Constant(word), own) for word in sorted(value))
        else:
            variable = Variable(parameter.name, parameter.type)
            parts.append(Compare(Comparison.EQ, variable, Constant(value)))
    return And(tuple(parts))


@SLOW
@given(st.data())
def test_formula_decides_every_input_as_the_compiled_policy_does(data: st.DataObject) -> None:
    terms = drawn(data)
    compiled = compile_policy(terms)
    formula = Formula(terms)
    for _ in range(3):
        arguments = data.draw(arguments_for(terms))
        pinned = exactly(terms, arguments)
        if not formula.runner.evaluable(arguments):
            assert formula.solve(pinned).status is SolverAnswer.UNSAT
            continue
        allowed = compiled.allows(arguments)
        for result, wanted in ((True, allowed), (False, not allowed)):
            said = ResultTerm() if result else Not(ResultTerm())
            solved = formula.solve(And((pinned, said)), time_limit_ms=20_000)
            assert (solved.status is SolverAnswer.SAT) == wanted, (solved, arguments)
            assert solved.status is not SolverAnswer.UNKNOWN


@SLOW
@given(st.data())
def test_previewed_clauses_are_what_running_them_says(data: st.DataObject) -> None:
    terms = drawn(data)
    compiled = compile_policy(terms)
    proof = preview(terms)
    proved = [clause.clause for clause in proof.clauses if clause.status is ProofStatus.PROVED]
    for clause in proof.clauses:
        if clause.status is ProofStatus.REFUTED:
            assert clause.counterexample is not None
            assert clause.counterexample.confirmed
            assert not compiled.clause_holds(clause.clause, clause.counterexample.arguments)
    for _ in range(5):
        arguments = data.draw(arguments_for(terms))
        for name in proved:
            assert compiled.clause_holds(name, arguments)
