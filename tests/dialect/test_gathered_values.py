"""Minima, maxima and numbers of distinct values in policies of calls."""

from __future__ import annotations

import ast
from decimal import Decimal

import pytest

from tests.dialect.naive_decision import Translated
from tests.runs.expressions.small_agent import SPEC, TYPES, call, naive
from workbench.check.realise.realised_proof import realised_proof
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.smt.preview import preview
from workbench.language.language import Language
from workbench.language.trees import canonical
from workbench.model import Json, ProofStatus, Verdict
from workbench.policy.layout import fold
from workbench.policy.problems import PolicyError
from workbench.policy.undetermined import Undetermined

HEAD = '''\
"""A policy."""

from datetime import timedelta
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Order, PayInvoice, Run

DEFAULT = "allow"


def largest(run: Run) -> Decimal:
    """the largest payment so far"""
    return max((c.total for c in run.earlier(PayInvoice) if c.succeeded), default=0)


'''
RULE = 'def forbid_it(call: {about}, run: Run) -> bool:\n    """R1: No."""\n    return {body}\n\n\n'
CLAUSE = "def contract_it(call: PayInvoice, run: Run) -> None:\n    # R1: No.\n    Ensures({})\n"
PAY: dict[str, Json] = {"total": 5, "iban": "DE1"}


def decisions(body: str, *totals: Json) -> list[Verdict]:
    policy = Translated(HEAD + RULE.format(about="PayInvoice", body=body))
    run = tuple(call(index, "pay_invoice", {**PAY, "total": total}) for index, total in enumerate(totals))
    return [policy.core(run, index) for index in range(len(run))]


A, D, C = Verdict.ALLOW, Verdict.DENY, Verdict.CANNOT_EVALUATE


def test_a_payment_is_compared_with_the_largest_before() -> None:
    assert decisions("largest(run) > 0 and call.total > 2 * largest(run)", 5, 10, 21, 20, "x") == [
        A,
        A,
        D,
        A,
        C,
    ]


def test_the_extreme_of_nothing_is_guarded_or_has_no_value() -> None:
    least = "min(c.total for c in run.earlier(PayInvoice))"
    assert decisions(f"{least} > call.total", 5, 4, 6) == [C, D, A]
    guarded = f"any(True for c in run.earlier(PayInvoice)) and {least} > call.total"
    assert decisions(guarded, 5, 4, 6) == [A, D, A]
    default = "min((c.total for c in run.earlier(PayInvoice)), default=None)"
    assert decisions(f"{default} is not None and {default} > call.total", 5, 4, 6) == [A, D, A]


def test_two_values_and_more() -> None:
    assert decisions("min(call.total, 10) + max(call.total, 3, 7) > 20", 1, 10, 11, 8) == [A, A, D, A]


def test_distinct_values_are_those_in_their_normal_form() -> None:
    policy = Translated(HEAD + RULE.format(
        about="PayInvoice",
        body="len({c.iban for c in run.earlier(PayInvoice)}) >= 2",
    ))  # fmt: skip
    run = tuple(
        call(at, "pay_invoice", {**PAY, "iban": one}) for at, one in enumerate(("DE1", "de 1", "DE2", "DE1"))
    )
    assert [policy.core(run, index) for index in range(4)] == [A, A, A, D]


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        (
            "max((c.total for c in run.earlier(PayInvoice) if c.succeeded), default=0)",
            (Decimal(5), Decimal(30)),
        ),
        ("min((c.total for c in run.earlier(PayInvoice) if c.failed), default=9)", (Decimal(9), None)),
        ("len({c.iban for c in run.earlier(PayInvoice) if c.succeeded})", (1, 2)),
    ],
)
def test_a_call_of_unknown_outcome_leaves_bounds(text: str, bounds: tuple[object, object]) -> None:
    calls = [
        call(0, "pay_invoice", PAY),
        call(1, "pay_invoice", {"total": 30, "iban": "DE2"}, None),
        call(2, "pay_invoice", PAY),
    ]
    value = naive(text, calls)
    assert isinstance(value, Undetermined)
    assert value.between == bounds


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("max(call.total) > 5", "`max` of one value is that value."),
        ("max((c.iban for c in run.earlier(PayInvoice)), default=None) is None", "`max` is not of a str."),
        ("max(c for c in run.earlier(PayInvoice)) == 1", "`max` is not of a PayInvoice."),
        (
            "max((c.total for c in run.earlier(PayInvoice)), default='x') > 5",
            'The default is a Literal["x"], not Decimal.',
        ),
        ("max((c.total for c in run.earlier(PayInvoice)), default=None) > 5", "may be None here."),
        (
            "max((c.due for c in run.earlier(PayInvoice)), default=call.time) > call.time",
            "`c.due` may be None here.",
        ),
        ("max((c.total for c in run.earlier(PayInvoice)), key=5) > 5", "`max` takes values to compare"),
        ("len({c for c in run.earlier(PayInvoice)}) > 5", "`len` is not of a PayInvoice."),
        ("len({place for place in call.iban.source}) > 5", "`len` runs over a list only."),
        ("min(call.total, call.iban) > 5", "cannot be compared"),
    ],
)
def test_what_has_no_order_or_is_no_list_is_refused(body: str, message: str) -> None:
    with pytest.raises(PolicyError) as error:
        lowered_policy(HEAD + RULE.format(about="PayInvoice", body=body), SPEC)
    assert message in str(error.value)


LARGEST = "max((c.total for c in run.earlier(PayInvoice) if c.succeeded), default=0)"
SOME = "any({} for c in run.earlier(PayInvoice))"
PROVED = {
    "an element beyond a limit": f"Implies({SOME.format('c.succeeded and c.total > 30')}, not Result())",
    "no element": f"Implies(Result(), not {SOME.format('c.total > 30 and c.succeeded')})",
    "the same value": f"Implies({LARGEST} > 40, not Result())",
}
REFUTED = {
    "elements that do not count": f"Implies({SOME.format('c.total > 30')}, not Result())",
    "the limit itself": f"Implies({SOME.format('c.succeeded and c.total >= 30')}, not Result())",
    "a smaller value": f"Implies({LARGEST} > 20, not Result())",
}


def status(clause: str) -> ProofStatus:
    terms = Translated(
        HEAD + RULE.format(about="PayInvoice", body="largest(run) > 30") + CLAUSE.format(clause)
    ).lowered.terms
    (found,) = realised_proof(terms, SPEC, preview(terms)).clauses
    return found.status


@pytest.mark.parametrize("clause", PROVED.values(), ids=PROVED)
def test_a_largest_value_is_related_to_the_elements_in_proofs(clause: str) -> None:
    assert status(clause) is ProofStatus.PROVED


@pytest.mark.parametrize("clause", REFUTED.values(), ids=REFUTED)
def test_what_is_refuted_of_a_largest_value_is_shown_by_a_run(clause: str) -> None:
    assert status(clause) is ProofStatus.REFUTED


SENTENCES = {
    "max((c.total for c in run.earlier(PayInvoice) if c.succeeded), default=0) > 5": (
        "the largest total of all earlier calls to pay an invoice that succeeded or, without one, 0 "
        "is more than 5"
    ),
    "max((c.total for c in run.earlier(PayInvoice)), default=None) is None": (
        "the largest total of all earlier calls to pay an invoice, if any, is missing"
    ),
    "max(c.time for c in run.earlier(PayInvoice)) < call.time": (
        "the latest time of all earlier calls to pay an invoice is before now"
    ),
    "min(call.total, 9) > 5": "the smaller of the total and 9 is more than 5",
    "len({c.iban for c in run.earlier(PayInvoice) if c.failed}) != 2": (
        "the number of different iban of all earlier calls to pay an invoice that failed is not 2"
    ),
    "len({c.iban for c in run.earlier(PayInvoice)}) > 2": (
        "the number of different iban of all earlier calls to pay an invoice is more than 2"
    ),
}


@pytest.mark.parametrize(("body", "words"), SENTENCES.items())
def test_a_sentence_says_an_extreme_and_reads_as_it(body: str, words: str) -> None:
    language = Language(TYPES, HEAD + RULE.format(about="PayInvoice", body=body))
    (said,) = [one for one in language.aloud() if one.name == "forbid_it"]
    (tree,) = language.read(said.text)
    assert said.text == f"The agent must not pay an invoice if {words}."
    assert canonical(tree) == canonical(said.tree)


def test_long_elements_stand_in_brackets_of_their_own_before_a_default() -> None:
    total = "c.total_of_the_invoice_with_a_long_name"
    text = f"max(({total} for c in run.earlier(PayInvoice) if {total} > 5), default=None)"
    lines = "\n".join(fold(ast.parse(text, mode="eval").body, 60))
    assert ast.unparse(ast.parse(lines)) == text
    assert "\n    (\n" in lines


def test_several_values_of_an_element_are_refused_in_a_sentence() -> None:
    body = "len({(c.iban, c.total) for c in run.earlier(PayInvoice)}) > 2"
    with pytest.raises(PolicyError, match="takes one value of each element"):
        lowered_policy(HEAD + RULE.format(about="PayInvoice", body=body), SPEC)


@pytest.mark.parametrize(
    "value",
    [
        f"max({', '.join(['call.total'] * 3000)})",
        f"{'max(' * 50}call.total{''.join(f', {number})' for number in range(50))}",
    ],
)
def test_an_extreme_of_too_many_values_is_refused_at_once(value: str) -> None:
    with pytest.raises(PolicyError, match="grows to more than 20000 parts"):
        lowered_policy(HEAD + RULE.format(about="PayInvoice", body=f"{value} > 1"), SPEC)


def test_an_extreme_of_several_values_says_of_an_operand_what_is_wrong() -> None:
    for value, words in (
        ("max(call.total, 1, call.iban)", "cannot be compared with a str"),
        ("max(1, call.total, run.context.budget)", "may be None"),
    ):
        with pytest.raises(PolicyError, match=words):
            lowered_policy(HEAD + RULE.format(about="PayInvoice", body=f"{value} > 1"), SPEC)
