"""A policy of calls decides as Python runs its text: facts are filled in, names meet, rules are lowered."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.check.realise.small_runs import Search
from tests.dialect.call_policies import HEAD, policy_text, random_run
from tests.dialect.naive_decision import Translated
from tests.dialect.python_twin import PythonTwin
from tests.examples import examples
from workbench.model import RecordedCall

pytestmark = pytest.mark.slow


def assert_alike(policy: Translated, twin: PythonTwin, run: tuple[RecordedCall, ...]) -> bool:
    """Assert that a decision on the last call is that of Python, where Python knows it; whether it does."""
    place = len(run) - 1
    decided = twin.verdict(run, place) if run[place].tool else None
    if decided is None or policy.lacks_element(run, place):
        return False
    shown = policy.calls.source, run
    assert policy.core(run, place) is decided, shown
    assert policy.naive(run, place) is decided, shown
    return True


@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32).map(Random))
def test_random_policies_decide_as_python_runs_their_text(random: Random) -> None:
    policy = Translated(policy_text(random))
    twin = PythonTwin(policy.calls.source)
    for _ in range(10):
        assert_alike(policy, twin, random_run(random))


RULES = {
    "a fact whose names are those around its call": """
def used(run: Run, iban: str) -> bool:
    return any(c.iban == iban and c.succeeded for c in run.earlier(PayInvoice))


def ordered(run: Run, key: str) -> bool:
    return any(y.booking_id == key for y in run.earlier(Order))


def forbid_one(call: PayInvoice, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return any(used(run, c.note.strip()) if c.note is not None else False for c in run.earlier(PayInvoice))


def forbid_two(call: PayInvoice, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return any(ordered(run, y.id) for y in run.earlier(GetUser, GetBooking))
""",
    "elements and calls that are called as the program calls them": """
def total_of(run: Run, x: str) -> Decimal:
    return sum(call.total for call in run.earlier(PayInvoice) if call.iban == x)


def forbid_one(c: PayInvoice, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return total_of(run, c.iban) > LIMIT or any(p.total == c.total for p in run.earlier(PayInvoice))


def forbid_two(x: Order, y: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return any(call.price > 5 and y.user(call.user_id) is None for call in x.items)
""",
    "an element within an element of its name": """
def forbid_one(call: PayInvoice, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return any(
        x.total > 5 and any(x.succeeded for x in run.earlier(Order)) for x in run.earlier(PayInvoice)
    )
""",
    "one fact with several arguments": """
def at_least(run: Run, amount: Decimal, iban: str) -> bool:
    return sum(c.total for c in run.earlier(PayInvoice) if c.iban == iban) >= amount


def forbid_one(call: PayInvoice, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return at_least(run, call.total, call.iban) and not at_least(run, LIMIT, "DE1")


def ask_one(call: PayInvoice, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return at_least(run, LIMIT, call.iban)
""",
    "two tools of one rule": """
def forbid_one(call: PayInvoice | Order, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return call.tool == "order" and any(c.succeeded for c in run.earlier(PayInvoice, Order))


def permit_one(call: GetUser | GetBooking, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return run.user(call.id) is not None or call.tool == "get_user"
""",
    "parts of a run, one within another, with a name and as the run of a fact": """
def spent(run: Run, iban: str) -> Decimal:
    return sum(c.total for c in run.earlier(PayInvoice) if c.iban == iban)


def forbid_one(call: PayInvoice, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    since = run.since(c for c in run.earlier(GetUser) if c.succeeded)
    return spent(since, call.iban) > 5 and not any(c.failed for c in since.earlier(Order))


def forbid_two(call: Order, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return spent(run.until(run.earlier(Order)), "DE1") > spent(run.since(run.earlier(Order)), "DE1")


def forbid_three(call: GetUser, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    large = run.since(c for c in run.earlier(PayInvoice) if c.total > 20)
    return all(c.total < 10 for c in large.earlier(PayInvoice))


def forbid_four(call: GetBooking, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return sum(1 for c in run.until(run.earlier(Order)).earlier(PayInvoice, Order)) > 0


def ask_one(call: Order | PayInvoice, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    until = run.until(c for c in run.earlier(Order, GetBooking) if c.failed)
    return any(c.succeeded for c in until.since(until.earlier(PayInvoice)).earlier(Order, GetUser))
""",
    "records that change between calls": """
def forbid_one(call: Order, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return any(
        looked_up(run.booking(c.booking_id)) and run.booking(c.booking_id) is not None
        for c in run.earlier(Order)
    )


def forbid_two(call: Order, run: Run) -> bool:
    \"\"\"R1: No.\"\"\"
    return sum(1 for c in run.earlier(GetBooking) if looked_up(run.booking(c.id))) > 1
""",
}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_rules_decide_as_python_runs_them(rules: str) -> None:
    text = f"{HEAD.format(default='allow')}\n{rules}"
    policy, twin = Translated(text), PythonTwin(text)
    known = [assert_alike(policy, twin, run) for run in Search(policy, Random(3)).runs(400)]
    assert sum(known) > len(known) // 3
