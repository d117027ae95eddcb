"""Cases of rules that a person wrote into the policy file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.app.refund_desk import refund_desk
from workbench.app.rules import RulePlan
from workbench.app.workbench import Workbench
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Verdict
from workbench.policy.check import check

SHIPPED = Path(__file__).resolve().parents[2] / "sessions" / "hospital-access"
OWN = '''from typing import Literal

Role = Literal["nursing", "physician", "general administration"]


def forbid_costs(role: Role, columns: frozenset[str], night: bool) -> bool:
    """R1: Nobody but the administration reads costs, and nobody at night."""
    return night or role != "general administration" and "cost.cost" in columns


'''
ALLOW = """def allow(role: Role, columns: frozenset[str], night: bool) -> bool:
    return not forbid_costs(role, columns, night)
"""


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """The hospital session, whose policy is drafted from its request."""
    session = tmp_path / "hospital"
    shutil.copytree(SHIPPED, session)
    return Workbench.open(session)


def test_a_rule_written_by_hand_gets_cases_beside_those_of_the_draft(bench: Workbench) -> None:
    text = bench.session.policy
    added = '''def forbid_everything(role: Role) -> bool:
    """R1: No nurse."""
    return role == "nursing"


'''
    place, calls = text.index("def allow("), text.rindex("return ")
    rest = text[calls:].removeprefix("return ").strip()
    bench.session.set_policy(
        f"{text[:place]}{added}{text[place:calls]}return not forbid_everything(role) and ({rest})\n"
    )
    before = {case.id for case in bench.session.cases}
    bench.request.redraft()
    policy = compile_policy(check(bench.session.policy))
    new = [case for case in bench.session.cases if case.id not in before]
    assert Verdict.DENY in {case.expected for case in new}
    assert all("everything" in case.id for case in new)
    assert all(policy.decide(case.arguments).verdict is case.expected for case in new)
    assert before <= {case.id for case in bench.session.cases}


def test_a_policy_written_by_hand_gets_no_cases_of_the_draft(bench: Workbench) -> None:
    bench.session.set_policy(OWN + ALLOW)
    bench.request.redraft()
    assert "forbid_costs" in bench.session.policy
    file = check(bench.session.policy)
    policy = compile_policy(file)
    assert [rule.name for rule in file.rules] == ["forbid_costs"]
    generated = [case for case in bench.session.cases if case.origin == "generated"]
    assert generated
    assert all(policy.decide(case.arguments).verdict is case.expected for case in generated)


def test_cases_of_drafted_rules_say_what_rules_written_by_hand_look_at(tmp_path: Path) -> None:
    """Else nothing could decide them in a file that has both."""
    bench = Workbench.open(refund_desk(tmp_path / "desk"))
    with bench.request.anyway():
        bench.rules.add(RulePlan(("issue_refund",), ("payment is p9",), name="forbid_one_payment"))
    bench.request.redraft()
    policy = compile_policy(check(bench.session.policy))
    assert "payment" in policy.parameters
    drafted = [case for case in bench.session.cases if case.id.startswith("issue-refund-by-refunds-today")]
    assert {case.expected for case in drafted} == {Verdict.ALLOW, Verdict.DENY}
    generated = [case for case in bench.session.cases if case.origin == "generated"]
    assert all(policy.decide(case.arguments).verdict is case.expected for case in generated)
