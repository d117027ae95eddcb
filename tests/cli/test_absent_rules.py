"""A field that is made optional after rules were written: each rule is named, and read with a guard."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.app.absent_rules import absent_rules
from workbench.app.workbench import Workbench
from workbench.cli import main

_EXAMPLES = Path(__file__).parents[2] / "examples" / "refunds"
_REQUIRED = 'required = ["payment", "amount"]'
_FORM = """\
> Support agents may issue refunds up to 200 EUR.
The agent may issue a refund if the session's role is support and the amount is at most 200.

> No more than 3 refunds per day.
The agent must not issue a refund if the amount is more than 900.
"""


class Shell:
    """Runs commands on the session, and reads what they tell."""

    def __init__(self, session: Path, captured: pytest.CaptureFixture[str]) -> None:
        self.session = session
        self._captured = captured

    def run(self, command: str, *words: str) -> str:
        assert main([command, str(self.session), *words]) in (0, 1)
        return " ".join("".join(self._captured.readouterr()).split())


@pytest.fixture
def refunds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A session with two rules about an amount that is optional now."""
    session, examples = tmp_path / "refunds", _EXAMPLES
    shell = Shell(session, capsys)
    form = tmp_path / "form.txt"
    form.write_text(_FORM)
    shell.run("new", "--request", str(examples / "request.md"),
         "--agent", str(examples / "tools.json"), "--log", str(examples / "runs.jsonl"))  # fmt: skip
    shell.run("say", "--file", str(form), "--keep")
    agent = session / "agent.toml"
    assert _REQUIRED in agent.read_text()
    agent.write_text(agent.read_text().replace(_REQUIRED, 'required = ["payment"]'))
    return shell


def test_each_rule_is_named_with_its_field_and_the_sentence_that_mends_it(refunds: Shell) -> None:
    told = refunds.run("ask")
    assert "permit_issue_refund reads call.amount, which is optional in agent.toml now." in told
    assert "The agent may issue a refund if the amount is given and the session's role is support" in told
    assert (
        "The agent must not issue a refund if the amount is missing or the amount is more than 900." in told
    )
    assert "2 reworded" in told
    assert "With a guard it says" in refunds.run("check")


def test_the_guard_allows_no_more(refunds: Shell) -> None:
    bench = Workbench.open_to_read(refunds.session)
    found = absent_rules(bench.session)
    assert found is not None
    texts = {
        one.name: found.text.partition(f"def {one.name}(")[2].partition("\n\n\n")[0] for one in found.rules
    }
    assert "call.amount is not None and " in texts["permit_issue_refund"]
    assert "call.amount is None or " in texts["forbid_issue_refund"]
    bench.close()


def test_a_sentence_that_is_kept_takes_the_place_of_its_rule_and_keeps_the_other_guards(
    refunds: Shell,
) -> None:
    sentence = "The agent may issue a refund if the amount is missing."
    refunds.run("say", "--for", "Support agents may", sentence, "--keep")
    with_guards = (refunds.session / "policy.py").read_text()
    assert "call.amount is None or call.amount > " in with_guards
    assert with_guards.count("def permit_issue_refund(") == 1
    assert "permit_issue_refund_2" not in with_guards
    assert "optional in agent.toml now" not in refunds.run("ask")


def test_a_policy_with_another_problem_is_not_read_otherwise(refunds: Shell) -> None:
    policy = refunds.session / "policy.py"
    policy.write_text(policy.read_text().replace("call.amount > Decimal", "call.amuont > Decimal"))
    bench = Workbench.open_to_read(refunds.session)
    assert absent_rules(bench.session) is None
    bench.close()
