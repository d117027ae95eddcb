"""Products of the longest numbers that a call may have: denied or not evaluated, and never an error."""

from __future__ import annotations

import json
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest

from tests.accepting import accepted
from tests.guard.exported_files import imported
from tests.plain_policies import check
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Verdict

TOOLS = [
    {
        "name": "book",
        "description": "Books rooms.",
        "parameters": {
            "type": "object",
            "properties": {name: {"type": "integer"} for name in ("rooms", "nights", "guests")}
            | {"price": {"type": "number"}},
            "required": ["rooms", "nights", "guests", "price"],
        },
    }
]
UNKNOWN = "cannot-evaluate"
POLICY = '''"""What may be booked."""

from decimal import Decimal

from agent import Book, Run

DEFAULT = "allow"


def forbid_dear(call: Book) -> bool:
    """R1: Nobody books too much."""
    return call.rooms * call.nights * call.guests * call.price > Decimal("2000")


def forbid_many(call: Book, run: Run) -> bool:
    """R2: All bookings of a run may not come to too much."""
    return sum(one.rooms * one.nights * one.guests * one.rooms for one in run.earlier(Book)) > 5000


def forbid_refunds(call: Book, run: Run) -> bool:
    """R2: All bookings of a run may not come to too much."""
    return sum((one.rooms * one.price for one in run.earlier(Book)), Decimal("0")) < Decimal("-5000")
'''


@pytest.mark.parametrize(("digits", "verdict"), [(300, "deny"), (4299, UNKNOWN), (6001, UNKNOWN)])
def test_a_guard_never_allows_nor_fails_on_a_product_of_long_numbers(
    digits: int, verdict: str, tmp_path: Path
) -> None:
    tools, request, log = (tmp_path / name for name in ("tools.json", "request.md", "log.jsonl"))
    tools.write_text(json.dumps(TOOLS), encoding="utf-8")
    request.write_text(
        "Nobody books too much.\nAll bookings of a run may not come to too much.\n", encoding="utf-8"
    )
    assert main(["new", str(tmp_path / "desk"), "--request", str(request), "--agent", str(tools)]) == 0
    with closing(Workbench.open(tmp_path / "desk")) as bench:
        bench.session.set_policy(POLICY)
        (tmp_path / "exported.py").write_text(accepted(bench).policy.export().text, encoding="utf-8")
        module = imported(tmp_path / "exported.py")
        guard = module.guard(log=module.DecisionLog(log), mode=module.Mode.SHADOW)
        small = {"rooms": 1, "nights": 1, "guests": 1, "price": 1.0}
        long = 10**digits - 1
        with guard.run("r") as run:
            decided: list[str] = []
            for arguments in (small, {**small, "rooms": long, "nights": long, "guests": long}, small):
                outcome = run.check(module.ToolCall("book", arguments))
                run.finish(outcome, "booked")
                decided.append(outcome.decision.verdict.value)
        assert decided[:2] == ["allow", verdict]
        assert decided[2] != "allow"
        replayed = bench.replay(bench.policy.terms(), bench.runs.load([log])).shown
        assert [one.decision.verdict.value for one in replayed] == decided


PLAIN = '''"""What may be booked."""

from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_dear(guests: int, price: Decimal) -> bool:
    """R1: Nobody books too much."""
    return guests * guests * guests * price > 2000


def allow(guests: int, price: Decimal) -> bool:
    # R1: Nobody books too much.
    Ensures(Implies(guests * guests * guests * price > 2000, not Result()))
    return not forbid_dear(guests, price)
'''


def test_a_product_that_is_too_long_to_be_exact_cannot_be_evaluated() -> None:
    decision = compile_policy(check(PLAIN)).decide({"guests": 10**2500 + 1, "price": Decimal("-1.5")})
    assert decision.verdict is Verdict.CANNOT_EVALUATE
