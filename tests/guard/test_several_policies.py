"""Several policies for one agent: each has to allow, and a decision names the policy that did not."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import override

import pytest

from tests.accepting import accept
from workbench.cli import main
from workbench.guard import DecisionLog, EnforcedPolicy, Guard, NamedPolicy, PastCall, ToolCall
from workbench.guard.call_reading import OwnReading
from workbench.guard.several_policies import SeveralPolicies, together
from workbench.model import Decision, LookedUp, Value, Verdict, Violation, WorkbenchError

ROOT = Path(__file__).resolve().parents[2]
SESSION = ROOT / "sessions" / "travel-desk"
ALLOW = Decision(Verdict.ALLOW, (), {"amount": 1})
DENY = Decision(Verdict.DENY, (Violation("forbid_it", "No."),), {"amount": 1})
UNKNOWN = Decision(Verdict.CANNOT_EVALUATE, reasons=("amount is missing",))


class Always(EnforcedPolicy):
    """Makes the same decision on every call."""

    def __init__(self, decision: Decision | None) -> None:
        self._decision = decision

    def decide(self, arguments: Mapping[str, Value]) -> Decision:
        """The decision, or a failure if there is none."""
        if self._decision is None:
            raise RuntimeError("lost")
        return Decision(self._decision.verdict, self._decision.violations, arguments, self._decision.reasons)


def arguments_of(_call: ToolCall, _past: Sequence[PastCall]) -> Mapping[str, Value]:
    return {"amount": 1}


def guard(**decisions: Decision | None) -> Guard:
    return Guard(
        [
            NamedPolicy(name, Always(decision), OwnReading(arguments_of))
            for name, decision in decisions.items()
        ]
    )


@pytest.mark.parametrize(
    ("first", "other", "verdict"),
    [
        (ALLOW, ALLOW, Verdict.ALLOW),
        (ALLOW, DENY, Verdict.DENY),
        (DENY, UNKNOWN, Verdict.DENY),
        (ALLOW, UNKNOWN, Verdict.CANNOT_EVALUATE),
        (ALLOW, None, Verdict.CANNOT_EVALUATE),
        (None, DENY, Verdict.DENY),
    ],
)
def test_a_call_runs_only_if_every_policy_allows_it(
    first: Decision | None, other: Decision | None, verdict: Verdict
) -> None:
    for stand in (guard(a=first, b=other), guard(b=other, a=first), guard(b=other, a=first).run("r")):
        outcome = stand.check(ToolCall("pay", {}))
        assert (outcome.decision.verdict, outcome.runs) == (verdict, verdict is Verdict.ALLOW)


@pytest.mark.parametrize(
    ("first", "second_is_asked"), [(ALLOW, True), (DENY, False), (UNKNOWN, False), (None, False)]
)
def test_one_behind_is_asked_only_about_what_those_before_it_allow(
    first: Decision | None, second_is_asked: bool
) -> None:
    tools_asked: list[str] = []

    def arguments(call: ToolCall, _past: Sequence[PastCall]) -> Mapping[str, Value]:
        tools_asked.append(call.tool)
        return {"amount": 1}

    parts = [
        NamedPolicy("first", Always(first), OwnReading(arguments_of)),
        NamedPolicy("second", Always(DENY), OwnReading(arguments), behind=True),
    ]
    outcome = Guard(parts).check(ToolCall("pay", {}))
    assert not outcome.runs
    assert bool(tools_asked) is second_is_asked
    assert (
        any(violation.rule.startswith("second:") for violation in outcome.decision.violations)
        is second_is_asked
    )


def test_rules_reasons_and_arguments_have_the_name_of_their_policy() -> None:
    decision = together({"bank": DENY, "night": UNKNOWN})
    assert [violation.rule for violation in decision.violations] == ["bank:forbid_it"]
    assert decision.reasons == ("night: amount is missing",)
    assert decision.arguments == {"bank:amount": 1}
    stand = guard(bank=DENY, night=ALLOW)
    assert stand.policy.decide({"bank:amount": 1, "night:amount": 1}).verdict is Verdict.DENY


def test_a_look_up_that_two_policies_want_is_made_once() -> None:
    class Asking(OwnReading):
        """Wants a look-up."""

        @override
        def wanted(self, call: ToolCall, history: Sequence[PastCall]) -> Sequence[LookedUp]:
            """One look-up of the same record."""
            return (LookedUp(call.tool, {"id": len(history)}),)

    parts = [NamedPolicy(name, Always(ALLOW), Asking(arguments_of)) for name in "ab"]
    assert len(SeveralPolicies(parts).wanted(ToolCall("pay", {}), ())) == 1


@pytest.mark.parametrize("names", [[], ["a", "a"], ["a:b"], [""]])
def test_policies_need_names_of_their_own(names: list[str]) -> None:
    with pytest.raises(WorkbenchError, match="name of its own"):
        Guard([NamedPolicy(name, Always(ALLOW), OwnReading(arguments_of)) for name in names])
    with pytest.raises(WorkbenchError, match="what reads the calls"):
        Guard(Always(ALLOW))


NIGHT = '''\
"""What the desk may do while nobody works."""

from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import ChangeSupplierAccount, PayInvoice

DEFAULT = "allow"


def forbid_accounts(call: ChangeSupplierAccount) -> bool:
    """R5: Nobody may change supplier accounts."""
    return True


def forbid_payments(call: PayInvoice) -> bool:
    """R8: No invoice over 500 EUR is paid."""
    return call.total > Decimal("500")


def contract_accounts(call: ChangeSupplierAccount) -> None:
    # R5: Nobody may change supplier accounts.
    Ensures(not Result())


def contract_payments(call: PayInvoice) -> None:
    # R8: No invoice over 500 EUR is paid.
    Ensures(Implies(call.total > Decimal("500"), not Result()))
'''


@pytest.fixture
def night(tmp_path: Path) -> Path:
    """A second session for the travel desk."""
    folder = tmp_path / "month-end"
    shutil.copytree(
        SESSION, folder, ignore=shutil.ignore_patterns("cases.toml", "logs", "draft.toml", "labels*")
    )
    text = (folder / "session.toml").read_text().replace('name = "travel-desk"', 'name = "month-end"')
    (folder / "session.toml").write_text(text)
    (folder / "policy.py").write_text(NIGHT)
    return accept(folder)


def test_sessions_of_one_agent_guard_it_together_and_replay_alike(
    night: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [str(ROOT), *sys.path])
    log = tmp_path / "live.jsonl"
    agent = f"{ROOT}/examples/live/scripted_agent.py:act"
    world = f"{ROOT}/examples/live/travel_desk.py:TravelDesk"
    words = [
        "live",
        str(SESSION),
        "--agent",
        agent,
        "--world",
        world,
        "--log",
        str(log),
        "--also",
        str(night),
    ]
    assert main([*words, "--strategy", "replan", "--task", "pay-hotel"]) == 0
    shown = capsys.readouterr()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    decided = [line for line in lines if "decision" in line]
    assert f"a replay makes {len(decided)} of {len(decided)} decisions again" in shown.out
    paid = [line for line in decided if line["tool"] == "pay_invoice"]
    assert not any(line["runs"] for line in paid)
    assert {violation["rule"].partition(":")[0] for violation in paid[0]["violations"]} == {
        "travel-desk",
        "month-end",
    }
    assert [violation["rule"] for violation in paid[-1]["violations"]] == ["month-end:forbid_payments"]
    both = [str(SESSION), "--log", str(log), "--also", str(night)]
    assert main(["replay", *both, "--json"]) == 0
    again = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["decision"], row["violations"]) for row in again] == [
        (row["decision"], row["violations"]) for row in decided
    ]
    assert main(["replay", *both, "--rule", "month-end:forbid_payments"]) == 0
    assert len([line for line in capsys.readouterr().out.splitlines() if line.startswith("pay-hotel")]) == 2
    assert main(["replay", str(SESSION), "--also", str(SESSION)]) == 2
    assert "have one name" in capsys.readouterr().err


def test_conflicts_and_overlaps_of_sessions_are_found(
    night: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["overlaps", str(SESSION), str(night), "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    overlaps = {(row["relation"], row["policy"], row["part"]) for row in rows}
    assert ("covered", "month-end", "forbid_accounts") in overlaps
    assert ("covered", "travel-desk", "forbid_change_supplier_account") in overlaps
    assert ("covered", "travel-desk", "ask_large_invoice") in overlaps
    assert ("overlap", "month-end", "forbid_payments") in overlaps
    # R12 of the travel desk wants invoices up to 3,000 EUR paid, and its permit rule permits them.
    assert {overlap for overlap in overlaps if overlap[0] in ("conflict", "unknown")} == {
        ("conflict", "travel-desk", "C18"),
        ("conflict", "travel-desk", "permit_for_approved_trip"),
    }


def test_overlaps_are_said_with_an_input(night: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weekend = night.parent / "weekend"
    shutil.copytree(night, weekend)
    text = (weekend / "session.toml").read_text().replace('"month-end"', '"weekend"')
    (weekend / "session.toml").write_text(text)
    assert main(["overlaps", str(night), str(weekend)]) == 0
    shown = capsys.readouterr().out
    assert "covered: month-end forbid_payments and weekend" in shown
    assert "weekend denies all of it by forbid_payments, such as" in shown


def test_sessions_of_one_name_are_not_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["overlaps", str(SESSION), str(SESSION)]) == 2
    assert "one name" in capsys.readouterr().err


def test_the_log_of_several_policies_is_in_its_schema(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    parts = [NamedPolicy(name, Always(DENY), OwnReading(arguments_of)) for name in ("bank", "night")]
    Guard(parts, log=DecisionLog(log)).check(ToolCall("pay", {}))
    (line,) = [json.loads(text) for text in log.read_text().splitlines()]
    assert [violation["rule"] for violation in line["violations"]] == ["bank:forbid_it", "night:forbid_it"]
