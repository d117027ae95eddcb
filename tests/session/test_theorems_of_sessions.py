"""The theorems of shipped sessions: runs that the guard lets through refute them of wrong versions."""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.examples import EVERY
from workbench.check.theorems.verdicts import TheoremVerdicts
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import AgentSpec, ProofStatus, Run, TheoremVerdict
from workbench.runs.logs import load_runs
from workbench.session.agent_file import read_agent

ROOT = Path(__file__).resolve().parents[2]
DESK = "sessions/travel-desk"
AIRLINE = "benchmarks/sessions/airline-desk"
RETAIL = "benchmarks/sessions/retail-desk"
CODING = "sessions/coding-agent"

_TEXT = (Path(__file__).parent / "theorem_mistakes.toml").read_text(encoding="utf-8")
_ALL = [
    (one["session"], one["theorem"], tuple(one["wrong"].items())) for one in tomllib.loads(_TEXT)["mistakes"]
]
MISTAKES = _ALL if EVERY else list({one[:2]: one for one in reversed(_ALL)}.values())[::-1]
"""The first mistake of each theorem, or all if every run is wanted; benchmarks/theorems.py tries all."""
AMONG_OTHERS = [
    next(one for one in MISTAKES if one[0] == path) for path in {one[0]: None for one in MISTAKES}
]
"""The mistakes of which each run looks at all theorems of the session: as lemmas, they may not hide it."""


@cache
def _session(path: str) -> tuple[str, AgentSpec]:
    folder = ROOT / path
    text = (folder / "policy.py").read_text(encoding="utf-8")
    return text, read_agent((folder / "agent.toml").read_text(encoding="utf-8"))


def _verdicts(path: str, text: str, only: str = "", seconds: float = 5.0) -> tuple[TheoremVerdict, ...]:
    spec = _session(path)[1]
    terms = lowered_policy(text, spec).terms
    return TheoremVerdicts(terms, spec, _recorded(path)).all(only=(only,) if only else (), seconds=seconds)


def _alone(text: str, theorem: str) -> str:
    """A policy without its other theorems."""
    lines = text.split("\n")
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("theorem_") and node.name != theorem:
            del lines[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines)


@cache
def _recorded(path: str) -> tuple[Run, ...]:
    """The runs of a session's own logs, in which some calls were refused."""
    logs = ROOT / path / "logs"
    return load_runs(sorted(logs.iterdir())).runs if logs.is_dir() else ()


@pytest.mark.parametrize("path", [DESK, AIRLINE, RETAIL, CODING])
def test_each_theorem_holds_and_says_something_of_a_run_that_is_let_through(path: str) -> None:
    found = _verdicts(path, _session(path)[0], seconds=0.5)
    assert found
    assert {(one.status, one.why) for one in found} == {(ProofStatus.PROVED, "")}


@pytest.mark.slow
@pytest.mark.parametrize(("path", "theorem", "wrong"), MISTAKES)
def test_a_mistake_is_refuted_by_a_run_that_the_guard_lets_through(
    path: str, theorem: str, wrong: tuple[tuple[str, str], ...]
) -> None:
    text = _session(path)[0]
    for right, mistaken in wrong:
        assert right in text
        text = text.replace(right, mistaken, 1)
    name = f"theorem_{theorem}"
    if not EVERY and (path, theorem, wrong) not in AMONG_OTHERS:
        text = _alone(text, name)
    (found,) = _verdicts(path, text, name)
    assert found.status is ProofStatus.REFUTED, found.why
    assert found.breaking is not None
    assert all(call.ran for call in found.breaking.calls)


_RESERVATION, _ORDER = "run.before(c).reservation(c.reservation_id)", "run.before(c).order(c.order_id)"
_PASSENGERS = "len(call.passengers) != len(reservation.passengers)"
LISTS = {
    "the number of passengers stays": (
        AIRLINE,
        (_PASSENGERS, "len(call.passengers) > 9"),
        f"{_RESERVATION} is None or len(c.passengers) == len({_RESERVATION}.passengers)"
        " for c in run.calls(UpdateReservationPassengers)",
    ),
    "passengers keep their names": (
        AIRLINE,
        (_PASSENGERS, "len(call.passengers) > 9"),
        f"{_RESERVATION} is None or all(any(p.last_name == q.last_name for q in {_RESERVATION}.passengers)"
        " for p in c.passengers) for c in run.calls(UpdateReservationPassengers)",
    ),
    "no reservation that was flown is cancelled": (
        AIRLINE,
        ("flight.date < call.time.date", "flight.date > call.time.date"),
        f"{_RESERVATION} is None or not any(f.date < c.time.date for f in {_RESERVATION}.flights)"
        " for c in run.calls(CancelReservation)",
    ),
    "the flights of a reservation in basic economy stay": (
        AIRLINE,
        (
            "{(flight.flight_number, flight.date) for flight in call.flights}\n"
            "        != {(flight.flight_number, flight.date) for flight in reservation.flights}",
            "len(call.flights) != len(reservation.flights)",
        ),
        f'{_RESERVATION} is None or {_RESERVATION}.cabin != "basic_economy"'
        " or {(f.flight_number, f.date) for f in c.flights}"
        f" == {{(f.flight_number, f.date) for f in {_RESERVATION}.flights}}"
        " for c in run.calls(UpdateReservationFlights)",
    ),
    "a booking is paid with one credit card": (
        AIRLINE,
        (
            "if payment.payment_id in user.credit_cards) > 1",
            "if payment.payment_id in user.credit_cards) > 9",
        ),
        "run.before(c).user(c.user_id) is None or 1 >= sum(1 for p in c.payment_methods"
        " if p.payment_id in run.before(c).user(c.user_id).credit_cards) for c in run.calls(BookReservation)",
    ),
    "items that are returned are of the order": (
        RETAIL,
        ("sum(1 for item in order.items if item.item_id == old)", "9"),
        f"{_ORDER} is None or all(any(i == each.item_id for each in {_ORDER}.items) for i in c.item_ids)"
        " for c in run.calls(ReturnDeliveredOrderItems)",
    ),
    "the items of an order that is returned cost at most 1,000": (
        RETAIL,
        ("", ""),
        f"{_ORDER} is None or sum(i.price for i in {_ORDER}.items) <= 1000"
        " for c in run.calls(ReturnDeliveredOrderItems)",
    ),
    "nothing is refunded twice": (
        RETAIL,
        ('payment.kind == "payment" and payment.method == method', "payment.method == method"),
        f'{_ORDER} is None or not any(p.kind == "refund" for p in {_ORDER}.payments)'
        " for c in run.calls(ReturnDeliveredOrderItems)",
    ),
}


@pytest.mark.parametrize("said", LISTS)
def test_a_theorem_about_the_lists_of_a_record_is_refuted_by_a_run_with_such_lists(said: str) -> None:
    path, (right, mistaken), condition = LISTS[said]
    text, spec = _session(path)
    assert right in text
    head = f'\n\ndef theorem_lists(run: Run) -> bool:\n    """In every run {said}."""\n'
    wrong = _alone(text.replace(right, mistaken, 1), "") + f"{head}    return all({condition})\n"
    terms = lowered_policy(wrong, spec).terms
    (found,) = TheoremVerdicts(terms, spec).all()
    assert found.status is ProofStatus.REFUTED, found.why
    assert found.breaking is not None
    assert len(found.breaking.calls) <= 4
    assert all(call.ran for call in found.breaking.calls)
