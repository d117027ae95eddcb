"""Helpers within helpers: what they become when they are filled in is bounded, and so are their durations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.nagini.lowering.lower import lower
from workbench.engines.smt.preview import preview
from workbench.model import ProofStatus, Verdict
from workbench.policy.check import check
from workbench.policy.evaluate import evaluate, evaluate_decision
from workbench.policy.problems import PolicyError
from workbench.policy.terms import PolicyTerms
from workbench.policy.validate import LONGEST_DURATION

HEADER = """
from datetime import date, timedelta

from nagini_contracts.contracts import Ensures, Implies, Result

WAIT = {"a": timedelta(days=9000000), "b": timedelta(hours=1)}
"""
BODIES: tuple[str, ...] = (
    "{d} + d",
    "{d} - e",
    "{d} + timedelta(days=9000000)",
    '{d} + WAIT.get("a", timedelta(days=0))',
    "{d} if d > e else e + d",
    "d - (e + {d})",
    "(date(9999, 12, 31) - date(1, 1, 1)) + {d}",
)
EXTREMES = (-LONGEST_DURATION, LONGEST_DURATION, timedelta(days=0), timedelta(microseconds=1))


def policy(bodies: Sequence[str], calls: Sequence[str]) -> str:
    """A policy with helpers ``h0``, ``h1`` ... and a rule that calls some of them, one within the other."""
    helpers = "".join(
        f"\n\ndef h{place}(d: timedelta, e: timedelta) -> timedelta:\n    return {body}\n"
        for place, body in enumerate(bodies)
    )
    made = "d"
    for call in calls:
        made = f"{call}({made}, e)"
    return f'''{HEADER}{helpers}

def forbid_r1(d: timedelta, e: timedelta) -> bool:
    """R1: Not less than nothing."""
    return {made} < timedelta(days=0)


def allow(d: timedelta, e: timedelta) -> bool:
    # R1
    Ensures(Implies(d > timedelta(days=9000000), Result()))
    return not forbid_r1(d, e)
'''


@st.composite
def nested(draw: st.DrawFn) -> str:
    forms = draw(st.lists(st.sampled_from(BODIES), min_size=1, max_size=3))
    inner = ("d", *(f"h{place}(h{place}(d, e), d)" for place in range(len(forms))))
    bodies = [form.format(d=held) for form, held in zip(forms, inner, strict=False)]
    calls = draw(st.lists(st.sampled_from([f"h{place}" for place in range(len(bodies))]), max_size=6))
    return policy(bodies, calls)


def admitted(source: str) -> PolicyTerms | None:
    try:
        return check(source)
    except PolicyError as error:
        assert re.search("duration|20000 parts|levels deep", str(error))
        return None


@settings(max_examples=examples(150), deadline=None)
@given(nested())
def test_an_admitted_policy_never_overflows_and_is_decided_alike(source: str) -> None:
    terms = admitted(source)
    if terms is None:
        return
    compiled = compile_policy(terms)
    proof = preview(terms).clauses[0]
    for d in EXTREMES:
        for e in EXTREMES:
            arguments = {"d": d, "e": e}
            allowed = evaluate_decision(terms, arguments)
            assert compiled.decide(arguments).verdict is (Verdict.ALLOW if allowed else Verdict.DENY)
            holds = evaluate(terms, terms.clauses[0].term, arguments, allowed)
            assert holds or proof.status is not ProofStatus.PROVED


def test_a_duration_that_python_cannot_hold_is_refused() -> None:
    """Seven doublings of 10 million days overflow; the clause was proved although no run decides."""
    with pytest.raises(PolicyError, match="duration of more than 999999998 days"):
        check(policy(["d + d"], ["h0"] * 7))
    assert admitted(policy(["d + d"], ["h0"] * 6)) is not None


def test_a_clause_may_not_make_such_a_duration_either() -> None:
    source = policy(["d + d"], ["h0"])
    deep = "h0(h0(h0(h0(h0(h0(h0(d, e), e), e), e), e), e), e)"
    with pytest.raises(PolicyError, match="`allow` can make a duration"):
        check(source.replace("Implies(d >", f"Implies({deep} >"))


def test_a_duration_inside_a_helper_counts_what_is_passed() -> None:
    """The helper gives a bool: the duration is made within it, of one that is passed."""
    source = policy(["d + d"], ["h0"] * 6).replace(
        "\n\ndef forbid",
        "\n\ndef late(d: timedelta) -> bool:\n    return d + d < timedelta(days=0)\n\n\ndef forbid",
    )
    made = "h0(" * 6 + "d" + ", e)" * 6
    assert f"return {made} <" in source
    with pytest.raises(PolicyError, match="forbid_r1` can make a duration"):
        check(source.replace(f"return {made} < timedelta(days=0)", f"return late({made})"))


@pytest.mark.parametrize("kind", ["int", "bool"])
def test_helpers_that_double_what_they_are_given_are_counted_filled_in(kind: str) -> None:
    """Forty doublings are a term of 2^40 parts in every translation of the policy."""
    body = "x + x" if kind == "int" else "(x and not y) or (not x and y) or x"
    helper = f"def twice(x: {kind}, y: {kind}) -> {kind}:\n    return {body}\n"
    made = "twice(" * 40 + "x" + ", y)" * 40
    test = f"{made} > 3" if kind == "int" else made
    with pytest.raises(PolicyError, match="more than 20000 parts"):
        check(
            helper
            + f'''

def forbid_a(x: {kind}, y: {kind}) -> bool:
    """R1: No."""
    return {test}


def allow(x: {kind}, y: {kind}) -> bool:
    return not forbid_a(x, y)
'''
        )


def test_helpers_that_only_nest_are_counted_in_their_depth() -> None:
    """Each helper calls the one before it twice around its parameter: the nesting doubles."""
    helpers = "def h0(x: int) -> int:\n    return x + 1\n"
    for place in range(1, 8):
        helpers += f"\n\ndef h{place}(x: int) -> int:\n    return h{place - 1}(h{place - 1}(x))\n"
    with pytest.raises(PolicyError, match="more than 100 levels deep"):
        check(
            f'{helpers}\n\ndef forbid_a(x: int) -> bool:\n    """R1: No."""\n    return h7(x) > 3\n\n\n'
            "def allow(x: int) -> bool:\n    return not forbid_a(x)\n"
        )


def test_both_engines_know_how_long_a_duration_of_a_call_may_be() -> None:
    source = f'''{HEADER}

def forbid_long(d: timedelta) -> bool:
    """R1: Nothing long."""
    return d > timedelta(days=9)


def allow(d: timedelta) -> bool:
    # R1: Nothing is longer than that.
    Ensures(Implies(d + d > timedelta(days=10000000) + timedelta(days=10000000), Result()))
    return not forbid_long(d)
'''
    terms = check(source)
    assert preview(terms).clauses[0].status is ProofStatus.VACUOUS
    longest = LONGEST_DURATION // timedelta(microseconds=1)
    assert f"Requires((-{longest}) <= d and d <= {longest})" in lower(terms).text
