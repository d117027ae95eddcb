"""Numbers of a sentence that the rules or clauses that cite it do not have."""

from __future__ import annotations

import pytest

from tests.dialect.desk import lowered
from workbench.app.clause_findings import unsaid_numbers
from workbench.model import Requirement, Span

_POLICY = """\
from datetime import time

def forbid_it(call: PayInvoice, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return {rule}

def contract_it(call: PayInvoice, run: Run) -> None:
    # R1: No.
    Ensures(Implies({clause}, not Result()))
"""


def _unsaid(sentence: str, rule: str, clause: str) -> list[tuple[str, str]]:
    requirement = Requirement("R1", sentence, sentence, Span(0, len(sentence)))
    terms = lowered(_POLICY.format(rule=rule, clause=clause)).terms
    return [(doubt.facts["number"], doubt.facts["part"]) for doubt in unsaid_numbers(requirement, terms)]


_RECENT = "any(call.time - c.time < timedelta({}) for c in run.earlier(PayInvoice))"


_HOURS = "call.time.time < time(8, 0) or call.time.time > time({})"


@pytest.mark.parametrize(
    ("sentence", "rule", "clause", "expected"),
    [
        ("No more than 5,000 EUR.", "call.total > 5000", "call.total > 5000", []),
        ("No more than 5,000 EUR.", "call.total > 50000", "call.total > 5000", [("5,000", "rule")]),
        ("No more than 5,000 EUR.", "call.total > 5000", "call.total > 50000", [("5,000", "clause")]),
        ("At most 12.50 EUR.", 'call.total > Decimal("12.5")', 'call.total > Decimal("12.50")', []),
        ("Not twice in 48 hours.", _RECENT.format("hours=48"), _RECENT.format("days=2"), []),
        ("Not twice in 48 hours.", _RECENT.format("hours=84"), _RECENT.format("days=2"), [("48", "rule")]),
        ("Not to X-14 or v2.", 'call.iban == "X-14"', 'call.iban == "v2"', []),
        ("Only between 8 and 18:30.", _HOURS.format("18, 30"), _HOURS.format("18, 30"), []),
        ("Only between 8 and 18:30.", _HOURS.format("18, 0"), _HOURS.format("18, 30"), [("18:30", "rule")]),
        ("Only from 8 am to 6 pm.", _HOURS.format("18, 0"), _HOURS.format("18, 0"), []),
        ("At most 5% of it.", 'call.total > Decimal("0.05")', "call.total > 5", []),
        ("At most 5% of it.", 'call.total > Decimal("0.5")', "call.total > 5", [("5%", "rule")]),
        ("Up to 2 MB.", "call.total > 2_000_000", "call.total > 2_097_152", []),
        ("Within 3 months.", _RECENT.format("days=90"), _RECENT.format("days=91"), [("3 months", "clause")]),
        ("Never more.", "call.total > 5000", "call.total > 1", []),
        ("At most 2 codes.", "len(call.codes) >= 3", "2 < len(call.codes)", []),
        ("At most 2 codes.", "len(call.codes) > 3", "len(call.codes) >= 2", [("2", "rule")]),
        ("More than 2 codes.", "len(call.codes) > 1", "3 <= len(call.codes)", [("2", "rule")]),
    ],
)
def test_a_number_that_the_policy_does_not_have_is_asked_about(
    sentence: str, rule: str, clause: str, expected: list[tuple[str, str]]
) -> None:
    assert _unsaid(sentence, rule, clause) == expected
