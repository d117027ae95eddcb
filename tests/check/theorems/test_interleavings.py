"""A theorem that is proved holds however calls of a run are interleaved: decided, ended late, or never."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

import pytest

from tests.dialect.desk import HEAD, spec
from tests.live_guarding import live_guard
from workbench.check.theorems.verdicts import TheoremVerdicts
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.guard import Guard, ToolCall
from workbench.guard.calls import Outcome
from workbench.model import Json, ProofStatus
from workbench.runs.extract.extractor import Extractor

TOTALS = (60, 50, 40, 60)
ENDINGS = ("ended", "failed", "never")


@dataclass(frozen=True, slots=True)
class Event:
    """A call is asked for, or one that was let through ends."""

    call: int
    ends: str = ""


def orders(calls: int) -> Iterator[tuple[Event, ...]]:
    """All interleavings: calls begin in order, and each ends somewhere after it began, or never."""

    def further(begun: int, running: tuple[int, ...], done: tuple[Event, ...]) -> Iterator[tuple[Event, ...]]:
        if begun == calls and not running:
            yield done
            return
        if begun < calls:
            yield from further(begun + 1, (*running, begun), (*done, Event(begun)))
        for call in running:
            if done[-1].ends and done[-1].call > call:
                continue  # no call is decided between two ends, so that their order says nothing
            left = tuple(one for one in running if one != call)
            for ending in ENDINGS if begun == calls else ENDINGS[:2]:  # one that never ends runs to the end
                yield from further(begun, left, (*done, Event(call, ending)))

    yield from further(0, (), ())


@cache
def policy(counted: str) -> LoweredPolicy:
    return lowered_policy(
        f"{HEAD}def paid(call: PayInvoice, run: Run) -> Decimal:\n"
        '    """what is paid"""\n'
        f"    return call.total + sum(c.total for c in run.earlier(PayInvoice) if {counted})\n\n\n"
        'def forbid_more(call: PayInvoice, run: Run) -> bool:\n    """R1: No more than 100 EUR."""\n'
        '    return paid(call, run) > Decimal("100")\n\n\n'
        'def theorem_paid(run: Run) -> bool:\n    """In no run is more than 100 EUR paid."""\n'
        '    return sum(c.total for c in run.calls(PayInvoice) if c.succeeded) <= Decimal("100")\n',
        spec(),
    )


def guard(counted: str) -> Guard:
    lowered = policy(counted)
    return live_guard(compile_policy(lowered.terms), Extractor(lowered.arguments, spec()))


def paid(base: Guard, order: Sequence[Event], totals: Sequence[int] = TOTALS) -> Decimal:
    """What is paid in the end if the calls come in this order; one that never ends was paid."""
    run = base.run("run")
    outcomes: dict[int, Outcome] = {}
    total = Decimal(0)
    for event in order:
        if not event.ends:
            outcomes[event.call] = run.check(ToolCall("pay_invoice", _arguments(totals[event.call])))
            continue
        outcome = outcomes[event.call]
        if outcome.runs and event.ends != "never":
            run.finish(outcome, '{"done": true}', failed=event.ends == "failed")
        if outcome.runs and event.ends != "failed":
            total += totals[event.call]
    return total


def _arguments(total: int) -> dict[str, Json]:
    plain: dict[str, Json] = dict.fromkeys(("trip_id", "supplier_id", "iban"), "x")
    return {**plain, "total": total, "lines": [], "codes": [], "amounts": []}


@pytest.mark.parametrize("counted", ["not c.failed", "c.succeeded"])
def test_no_interleaving_of_four_calls_breaks_a_sum_that_is_proved(counted: str) -> None:
    (verdict,) = TheoremVerdicts(policy(counted).terms, spec()).all()
    assert verdict.status is ProofStatus.PROVED
    base = guard(counted)
    most = max(paid(base, order) for order in orders(4))
    assert most == 100


def test_some_interleaving_breaks_a_sum_that_is_refuted() -> None:
    (verdict,) = TheoremVerdicts(policy("c.failed").terms, spec()).all()
    assert verdict.status is ProofStatus.REFUTED
    assert max(paid(guard("c.failed"), order) for order in orders(2)) > 100


def test_a_call_that_is_made_again_after_a_time_out_counts_twice() -> None:
    first, again = Event(0), Event(1)
    order = (first, Event(0, "never"), again, Event(1, "ended"))
    assert paid(guard("c.succeeded"), order, (60, 60)) == 60  # the second one might be the second payment
    assert paid(guard("c.succeeded"), order, (50, 50)) == 100
