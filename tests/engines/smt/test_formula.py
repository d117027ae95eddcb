"""The SMT formula, the compiled policy and the interpreter mean the same."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.plain_policies import PolicyError, check
from tests.policy.policy_strategies import arguments_for, policies
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.formula import Formula, SolverAnswer
from workbench.engines.smt.preview import preview
from workbench.model import Arguments, ArgumentType, Kind, ProofStatus, RecordValue, Value
from workbench.policy.terms import (
    And,
    Attribute,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    Elements,
    IsMissing,
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

RESULT = ResultTerm()
SLOW = settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def drawn_policy(data: st.DataObject) -> PolicyTerms:
    try:
        return check(data.draw(policies()))
    except PolicyError:
        assume(False)
        raise


def exactly(terms: PolicyTerms, arguments: Arguments) -> Term:
    """The condition that every argument has the given value."""
    return And(
        tuple(
            part
            for parameter in terms.arguments
            for part in pinned(Variable(parameter.name, parameter.type), arguments[parameter.name])
        )
    )


def pinned(term: Variable | Attribute, value: Value) -> Iterator[Term]:
    """Conditions that a term has a value; of a list, up to the order of its elements."""
    if value is None:
        yield IsMissing(term)
        return
    if term.type.optional and isinstance(value, RecordValue | tuple | frozenset):
        yield Not(IsMissing(term))
    if isinstance(value, RecordValue):
        assert term.type.record is not None
        for (name, type), (_, held) in zip(term.type.record.fields, value.fields, strict=True):
            yield from pinned(Attribute(term, name, type), held)
    elif isinstance(value, tuple):
        assert term.type.element is not None
        item = Variable(f"element of {value}", term.type.element)
        for element in dict.fromkeys(value):
            number = Constant(sum(other == element for other in value))
            yield Compare(
                Comparison.EQ, Count(item, Elements(term), And(tuple(pinned(item, element)))), number
            )
        yield Compare(Comparison.EQ, Count(item, Elements(term), Constant(True)), Constant(len(value)))
    elif isinstance(value, frozenset):
        own = SetVariable(term.name) if isinstance(term, Variable) else Elements(term)
        item = Variable("item", term.type.element or ArgumentType(Kind.STR))
        inside = Member(item, ConstantSet(tuple(sorted(value))))
        yield Quantified(Quantifier.ALL, item, own, inside)
        yield from (Member(Constant(word), own) for word in sorted(value))
    else:
        yield Compare(Comparison.EQ, term, Constant(value))


@SLOW
@given(st.data())
def test_formula_decides_every_input_as_the_compiled_policy_does(data: st.DataObject) -> None:
    terms = drawn_policy(data)
    compiled = compile_policy(terms)
    formula = Formula(terms)
    for _ in range(3):
        arguments = data.draw(arguments_for(terms))
        this = exactly(terms, arguments)
        # A list may have more distinguishable kinds of elements than are decided.
        may_be_unknown = any(argument.type.kind is Kind.LIST for argument in formula.opened.terms.arguments)
        if not formula.runner.evaluable(arguments):
            assert formula.solve(this).status is not SolverAnswer.SAT
            continue
        allowed = compiled.allows(arguments)
        for result, wanted in ((True, allowed), (False, not allowed)):
            result_term = ResultTerm() if result else Not(ResultTerm())
            solved = formula.solve(And((this, result_term)), time_limit_ms=20_000)
            if not (may_be_unknown and solved.status is SolverAnswer.UNKNOWN):
                assert solved.status is (SolverAnswer.SAT if wanted else SolverAnswer.UNSAT), arguments


@SLOW
@given(st.data())
def test_previewed_clauses_are_what_running_them_says(data: st.DataObject) -> None:
    terms = drawn_policy(data)
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


@SLOW
@given(st.data())
def test_a_trial_of_many_inputs_says_of_each_what_running_the_policy_says(data: st.DataObject) -> None:
    terms = drawn_policy(data)
    formula = Formula(terms)
    bodies = [rule.body for rule in terms.rules]
    wanted = [data.draw(st.sampled_from([body, Not(body)])) for body in bodies]
    asked_terms = data.draw(st.permutations([*wanted, data.draw(st.sampled_from([RESULT, Not(RESULT)]))]))
    condition = And(tuple(asked_terms[: data.draw(st.integers(1, len(asked_terms)))]))
    trial = formula.trial(condition)
    before = data.draw(arguments_for(terms))
    for _ in range(4):
        other = data.draw(arguments_for(terms))
        before = {**before, **{name: other[name] for name in other if data.draw(st.booleans())}}
        assert trial(before) == formula.runner.holds(condition, before)
