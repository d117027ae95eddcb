"""The lowered program decides as the policy does, on every input."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.engines.nagini.lowering.lowered_run import checker, encode, holds, run
from tests.examples import examples
from tests.plain_policies import check
from tests.policy.policy_strategies import arguments_for, policies
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.nagini.lowering.lower import (
    VACUITY,
    Lowered,
    LoweringFault,
    LoweringLimit,
    ReadyPolicy,
    lower,
)
from workbench.model import Kind, Value
from workbench.policy.flat.opening import open_policy
from workbench.policy.problems import PolicyError
from workbench.policy.terms import PolicyTerms

SLOW = settings(
    max_examples=examples(80),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
HEAD = """
from datetime import date, datetime, time
from decimal import Decimal
from typing import Literal
from nagini_contracts.contracts import Ensures, Implies, Requires, Result

Role = Literal["physician", "nursing"]
READABLE = {"physician": {"lab.result", "lab.name"}, "nursing": {"lab.name"}}


"""


def drawn_policy(data: st.DataObject) -> PolicyTerms:
    """A random policy, without those that the checker rejects."""
    try:
        return check(data.draw(policies()))
    except PolicyError:
        assume(False)
        raise


def lowered_or_skipped(terms: PolicyTerms, clauses: list[str] | None = None) -> Lowered:
    """The lowered policy; Hypothesis skips a policy that cannot be lowered."""
    try:
        return lower(terms, clauses)
    except LoweringFault:
        raise
    except LoweringLimit:
        assume(False)
        raise


def policy(parameters: str, rule: str, contract: str = "") -> PolicyTerms:
    """A policy of one rule."""
    names = ", ".join(parameter.split(":")[0].strip() for parameter in parameters.split(","))
    return check(
        f'{HEAD}def forbid_it({parameters}) -> bool:\n    """R1: No."""\n    return {rule}\n\n\n'
        f"def allow({parameters}) -> bool:\n{contract}    return not (forbid_it({names}))\n"
    )


@SLOW
@given(st.data())
def test_program_and_policy_agree_on_random_policies(data: st.DataObject) -> None:
    terms = drawn_policy(data)
    lowered = lowered_or_skipped(terms)
    compiled = compile_policy(terms)
    python = checker(lowered)
    for _ in range(5):
        arguments = data.draw(arguments_for(terms))
        encoded = encode(lowered, arguments)
        assert python.call("allow", encoded) is compiled.allows(arguments)
        for clause in terms.clauses:
            requires, ensures = python.contract(lowered.methods[clause.id], encoded)
            assert (ensures or not requires) is compiled.clause_holds(clause.id, arguments)
        for name, method in lowered.methods.items():
            if name == VACUITY:
                broken = any(
                    not compiled.clause_holds(precondition.id, arguments)
                    for precondition in terms.preconditions
                )
                assert python.contract(method, encoded)[0] is not broken


@SLOW
@given(st.data())
def test_decoded_arguments_decide_as_their_codes(data: st.DataObject) -> None:
    terms = drawn_policy(data)
    lowered = lowered_or_skipped(terms)
    encoded = encode(lowered, data.draw(arguments_for(terms)))
    decoded = lowered.decode(encoded)
    allowed = compile_policy(terms).allows(decoded)
    assert allowed is run(lowered, encode(lowered, decoded))
    # A program's counts and sums of lists need not be those of the lists that are written out for it.
    if not any(argument.type.kind is Kind.LIST for argument in open_policy(terms).terms.arguments):
        assert allowed is run(lowered, encoded)


@SLOW
@given(st.data())
def test_a_program_of_one_clause_says_the_same_of_it_as_the_whole(data: st.DataObject) -> None:
    terms = drawn_policy(data)
    assume(terms.clauses)
    clause = data.draw(st.sampled_from(terms.clauses))
    lowered = lowered_or_skipped(terms, [clause.id])
    arguments = data.draw(arguments_for(terms))
    is_met = compile_policy(terms).clause_holds(clause.id, arguments)
    assert holds(lowered, clause.id, encode(lowered, arguments)) is is_met


STRINGS = [
    ("a: str, b: str", "a == b", {"a": "x1", "b": "x2"}),
    ("a: str, b: str", "a == b", {"a": "x1", "b": "x1"}),
    ("a: str, s: frozenset[str]", "a in s", {"a": "u", "s": frozenset({"v", "w", "u"})}),
    ("a: str, s: frozenset[str]", "a in s", {"a": "u", "s": frozenset({"v", "w"})}),
    ("s: frozenset[str], t: frozenset[str]", "s <= t", {"s": frozenset({"v"}), "t": frozenset({"w"})}),
    ("s: frozenset[str], t: frozenset[str]", "s <= t", {"s": frozenset({"v"}), "t": frozenset({"w", "v"})}),
    (
        "s: frozenset[str]",
        "any(any(x != y for y in s) for x in s)",
        {"s": frozenset({"v", "w"})},
    ),
    ("s: frozenset[str]", "any(any(x != y for y in s) for x in s)", {"s": frozenset({"v"})}),
    ("a: str", 'a.startswith("lab.") and "id" in a and len(a) > 9', {"a": "lab.patientid"}),
    ("a: str", 'a.startswith("lab.") and "id" in a and len(a) > 9', {"a": "lab.id"}),
    ("a: str", 'a == "é" or a.endswith("\U0001f600")', {"a": "ok \U0001f600"}),
    ("a: str | None, b: str | None", "a == b", {"a": None, "b": None}),
    ("a: str | None, b: str | None", "a == b", {"a": None, "b": "x"}),
]


@pytest.mark.parametrize(("parameters", "rule", "arguments"), STRINGS)
def test_strings_are_exact(parameters: str, rule: str, arguments: Mapping[str, Value]) -> None:
    terms = policy(parameters, rule)
    lowered = lower(terms)
    assert run(lowered, encode(lowered, arguments)) is compile_policy(terms).allows(arguments)


def test_decoding_gives_back_constants_and_real_words() -> None:
    terms = policy(
        "role: Role, column: str", 'column not in READABLE[role] and not column.startswith("lab.")'
    )
    lowered = lower(terms)
    for word in ("lab.result", "lab.name", "zzz"):
        arguments: dict[str, Value] = {"role": "nursing", "column": word}
        decoded = lowered.decode(encode(lowered, arguments))
        assert decoded["role"] == "nursing"
        assert decoded["column"] == word or word == "zzz"


def test_money_is_scaled_exactly() -> None:
    terms = policy("amount: Decimal", 'amount * Decimal("1.1") > Decimal("110.000")')
    lowered = lower(terms)
    for amount in ("100", "100.01", "99.99", "-0.01"):
        arguments: dict[str, Value] = {"amount": Decimal(amount)}
        assert run(lowered, encode(lowered, arguments)) is (Decimal(amount) <= 100)
        assert lowered.decode(encode(lowered, arguments)) == arguments


def test_moments_of_different_zones_are_compared_in_utc() -> None:
    terms = policy("at: datetime", "at >= datetime(2026, 1, 31, 9, 0)")
    lowered = lower(terms)
    moment = datetime.fromisoformat("2026-01-31T10:30:00+02:00")
    assert run(lowered, encode(lowered, {"at": moment}))
    assert lowered.decode(encode(lowered, {"at": moment}))["at"] == moment.astimezone(UTC)


def test_rules_that_cannot_fire_under_a_clause_are_left_out_of_its_method() -> None:
    contract = (
        '    # R1: a\n    Ensures(Implies(action == "a" and not Result(), age < 5))\n'
        '    # R2: b\n    Ensures(Implies(action == "b", Result()))\n'
    )
    terms = policy("action: str, age: int", 'action == "a" and age < 5', contract)
    lowered = lower(terms, ["C1", "C2"])
    first, last = lowered.clause_lines["C2"]
    method = "\n".join(lowered.text.splitlines()[first - 1 : last])
    assert "return True" in method
    assert "forbid_it" not in method


def test_the_key_of_a_clause_ignores_the_rest_of_the_policy() -> None:
    contract = (
        '    # R1: a\n    Ensures(Implies(role == "nursing" and Result(), columns <= {"lab.name"}))\n'
        '    # R2: b\n    Ensures(Implies(role == "physician" and Result(), columns <= {"lab.name"}))\n'
    )
    terms = policy("role: Role, columns: frozenset[str]", "not columns <= READABLE[role]", contract)
    other = check(terms.file.text.replace('"lab.result", ', "").replace("# R1: a", "# R1: another comment"))
    assert ReadyPolicy.of(terms).key("C1") == ReadyPolicy.of(other).key("C1")
    assert ReadyPolicy.of(terms).key("C2") != ReadyPolicy.of(other).key("C2")
    assert ReadyPolicy.of(terms).key("C1") != ReadyPolicy.of(terms).key("C2")


def test_a_length_compared_with_an_argument_is_refused_with_a_sentence() -> None:
    with pytest.raises(LoweringLimit, match="length of a string"):
        lower(policy("a: str, n: int", "len(a) > n"))


def test_names_that_the_verifier_uses_itself_are_renamed() -> None:
    terms = policy("element: frozenset[str], Forall: int", 'Forall > 1 and "x" in element')
    lowered = lower(terms)
    assert run(lowered, encode(lowered, {"element": frozenset({"x"}), "Forall": 2})) is False
