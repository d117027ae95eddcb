"""Functions about several tools that tell them apart by ``isinstance``."""

from __future__ import annotations

import pytest

from tests.dialect.desk import lowered
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Verdict
from workbench.policy.problems import PolicyError

ABOUT = "call: PayInvoice | BookRoom | GetTrip, run: Run"


def _rule(*lines: str, about: str = ABOUT) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f'def forbid_it({about}) -> bool:\n    """R1: No."""\n{body}'


@pytest.mark.parametrize(
    "lines",
    [
        (
            "much = isinstance(call, PayInvoice) and call.total > 5",
            "return much or isinstance(call, BookRoom) and call.nights > 2",
        ),
        (
            "if isinstance(call, GetTrip):",
            "    return False",
            "if not isinstance(call, (GetTrip, BookRoom)):",
            "    return call.total > 5",
            "return call.nights > 2",
        ),
        (
            "if isinstance(call, PayInvoice):",
            "    return call.total > 5",
            "elif isinstance(call, BookRoom):",
            "    return call.nights > 2",
            "else:",
            "    return False",
        ),
        (
            "long = isinstance(call, BookRoom) and call.nights > 2",
            "return call.total > 5 if isinstance(call, PayInvoice) else long",
        ),
    ],
)
def test_each_tool_has_its_own_part_of_the_rule(lines: tuple[str, ...]) -> None:
    policy = compile_policy(lowered(_rule(*lines)).terms)
    of = {"pay_invoice_total": 9, "book_room_nights": 1}
    verdicts = {
        tool: policy.decide({"tool": tool, **of}).verdict for tool in ("pay_invoice", "book_room", "get_trip")
    }
    assert verdicts == {
        "pay_invoice": Verdict.DENY,
        "book_room": Verdict.ALLOW,
        "get_trip": Verdict.ALLOW,
    }


def test_a_fact_and_a_clause_tell_the_tools_apart_too() -> None:
    fact = (
        "def is_large(call: PayInvoice | BookRoom) -> bool:\n"
        '    """whether it is much"""\n'
        "    return call.total > 5 if isinstance(call, PayInvoice) else call.nights > 2\n\n\n"
    )
    rule = _rule("return is_large(call)", about="call: PayInvoice | BookRoom")
    clause = (
        "\n\ndef contract_it(call: PayInvoice | BookRoom) -> None:\n"
        "    # R1: No.\n"
        "    large = call.total > 5 if isinstance(call, PayInvoice) else call.nights > 2\n"
        "    Ensures(Implies(large, not Result()))\n"
    )
    terms = lowered(fact + rule + clause).terms
    assert {argument.name for argument in terms.arguments} == {
        "tool",
        "pay_invoice_total",
        "book_room_nights",
    }
    assert len(terms.clauses) == 2


@pytest.mark.parametrize(
    ("test", "about"),
    [
        ("isinstance(call, BookRoom)", "call: PayInvoice | GetTrip"),
        ("isinstance(call, PayInvoice | GetTrip)", "call: PayInvoice | GetTrip"),
        ("isinstance(call, PayInvoice)", "call: PayInvoice"),
        ("isinstance(call, PayInvoice)", "call: Call"),
        ("isinstance(call, int)", "call: PayInvoice | GetTrip"),
        ("isinstance(call)", "call: PayInvoice | GetTrip"),
        ("isinstance(call, some.PayInvoice)", "call: PayInvoice | GetTrip"),
    ],
)
def test_a_test_that_tells_nothing_apart_is_refused(test: str, about: str) -> None:
    with pytest.raises(PolicyError, match="`isinstance` does not tell the classes of `call` apart"):
        lowered(_rule(f"return {test}", about=about))


def test_elements_of_several_classes_are_told_apart_by_a_part_for_each() -> None:
    text = "return any(isinstance(c, BookRoom) for c in run.earlier(PayInvoice, BookRoom))"
    with pytest.raises(PolicyError, match=r"not those of `c`. Write one part for each class and join them"):
        lowered(_rule(text, about="call: PayInvoice, run: Run"))


def test_a_field_of_another_tool_is_refused_where_no_test_tells_them_apart() -> None:
    with pytest.raises(PolicyError, match="BookRoom has no field `total`"):
        lowered(
            _rule("return isinstance(call, PayInvoice) and call.total > 5 or call.total > 7", about=ABOUT)
        )
