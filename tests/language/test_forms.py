"""Forms of the dialect that few policies have: each has a sentence, which reads as it and as nothing else."""

from __future__ import annotations

import pytest

from tests.dialect.call_policies import HEAD
from tests.language.read_back import meanings, read_back
from tests.runs.expressions.small_agent import TYPES
from workbench.language.language import Language

PAID = "run.earlier(PayInvoice)"
FORMS = (
    "len({c.id for c in run.earlier(GetUser, GetBooking)}) > 3",
    "max((c.time for c in run.earlier(GetUser, GetBooking)), default=call.time) < call.time",
    f"call.time - max((c.time for c in {PAID}), default=call.time) < timedelta(hours=4)",
    "9 <= call.time.hour < 17 and call.time.weekday in {6, 7}",
    "call.time.date == date(2026, 1, 31) or call.time.time < time(9, 0)",
    "call.time > datetime(2026, 1, 31, 9, 0)",
    "-call.total < 5 and call.total * 2 + 1 > 5",
    "len(call.iban) - 5 > len(call.iban) // 2 and len(call.iban) % 2 == 1",
    'max(call.total, Decimal("5"), Decimal("6")) > 3',
    f"sum(c.total * 2 for c in {PAID}) > 3",
    'call.iban.source <= {"user"}',
    'call.iban.source == {"user", "x"} or call.iban.source != {"user"}',
    'call.iban.source >= {"user"} or not call.iban.source >= {"x"} or not call.iban.source <= {"user", "x"}',
    f"{{c.iban for c in {PAID}}} <= KNOWN",
    f'{{c.iban for c in {PAID}}} == {{"a"}} or {{c.iban for c in {PAID}}} != {{"a", "b"}}',
    f"any(True for c in {PAID}) and not any(True for c in run.earlier(GetUser))",
    f'any(not c.failed and c.iban == "X" for c in {PAID})',
    f'any(c.failed and c.iban == "X" for c in {PAID})',
    "sum(1 for c in run.since(c for c in run.earlier(GetUser)).until(c for c in run.earlier(Order))"
    ".earlier(PayInvoice)) > 3",
    "any(True for c in run.until(c for c in run.earlier(GetUser)).since(c for c in run.earlier(GetUser))"
    ".earlier(GetUser))",
    'run.said.strip().lower().removeprefix("x") == "y"',
    '(call.note if call.note is not None else "") == "x"',
    '(call.total > 5) == (call.iban == "X") or (call.total > 5) != (call.iban == "Y")',
    'LIMITS.get(call.iban, Decimal("0")) < call.total',
    "call.iban in ROWS.get(call.iban, frozenset())",
    'any(c == call.iban for c in ROWS.get("a", frozenset()))',
    'call.tool in {"pay_invoice", "order"}',
)


@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_the_dialect_has_a_sentence(form: str) -> None:
    head = HEAD.format(default="allow").replace("import timedelta", "import date, datetime, time, timedelta")
    tables = 'LIMITS = {"a": Decimal("5"), "b": Decimal("6")}\nROWS = {"a": {"b"}}\nKNOWN = '
    rule = f'\n\ndef forbid_it(call: PayInvoice, run: Run) -> bool:\n    """R1: No."""\n    return {form}\n'
    language = Language(TYPES, head.replace("KNOWN = ", tables) + rule)
    sentences = tuple(language.aloud())
    assert [one.name for one in sentences if not one.text] == []
    assert meanings(read_back(language, sentences)) == meanings(language.policy)
