"""Two versions of a policy are compared on the tools that they differ in; they decide other calls alike."""

from __future__ import annotations

import ast
from contextlib import closing
from pathlib import Path

import pytest

from workbench.app.workbench import Workbench
from workbench.dialect.differing_part import differing_parts

TRAVEL = Path(__file__).parents[2] / "sessions" / "travel-desk"
POLICY = (TRAVEL / "policy.py").read_text()
NO_MAIL = '''

def forbid_mail(call: SendMail) -> bool:
    """No mail."""
    return True
'''


def functions(text: str) -> set[str]:
    return {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


def rules_about(*classes: str) -> set[str]:
    """The rules and contracts of the travel desk about some classes of calls, or about every call."""
    return {
        node.name
        for node in ast.parse(POLICY).body
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith(("forbid_", "permit_", "ask_", "contract_"))
        and {*classes, "Call"} & set(ast.unparse(node.args.args[0].annotation or node).split(" | "))
    }


def facts() -> set[str]:
    return {
        name for name in functions(POLICY) if not name.startswith(("forbid_", "permit_", "ask_", "contract_"))
    }


def test_a_new_rule_leaves_what_is_about_its_tool_and_about_every_call() -> None:
    before, after = differing_parts(POLICY, POLICY + NO_MAIL)
    assert functions(before) - facts() == rules_about("SendMail")
    assert functions(after) - functions(before) == {"forbid_mail"}
    assert "forbid_over_session_limit" not in functions(after)
    assert after.split("\n").index("def forbid_mail(call: SendMail) -> bool:") == (POLICY + NO_MAIL).split(
        "\n"
    ).index("def forbid_mail(call: SendMail) -> bool:")


@pytest.mark.parametrize(
    ("old", "new", "classes"),
    [
        ("Decimal(\"5000\")", "Decimal(\"6000\")", ("PayInvoice",)),
        ("days=14", "days=15", ("BookJourney", "BookRoom", "PayInvoice")),  # a fact that rules read
        ('"get_supplier.iban"', '"get_supplier.name"', ("PayInvoice",)),  # a constant that a rule reads
    ],
)  # fmt: skip
def test_what_reads_another_fact_or_constant_differs(old: str, new: str, classes: tuple[str, ...]) -> None:
    assert old in POLICY
    before, after = differing_parts(POLICY, POLICY.replace(old, new))
    assert functions(before) - facts() == rules_about(*classes) == functions(after) - facts()


@pytest.mark.parametrize(
    "after",
    [
        POLICY.replace('DEFAULT = "allow"', 'DEFAULT = "deny"'),
        POLICY + NO_MAIL.replace("SendMail", "Call"),
        POLICY + NO_MAIL.replace("call: SendMail", ""),
        POLICY + NO_MAIL.replace("call: SendMail", 'call: "SendMail"'),
        POLICY + "\n\ndef unused(call: SendMail) -> bool:\n    return True\n",
        POLICY + NO_MAIL + NO_MAIL,
        POLICY + "\n\ndef (",
        POLICY,
    ],
)
def test_versions_that_may_differ_in_every_call_stay_whole(after: str) -> None:
    assert differing_parts(POLICY, after) == (POLICY, after)


@pytest.mark.parametrize(
    "sentence",
    [
        "The agent must not pay an invoice if the total is more than 10.",
        "The agent must never send mail.",
        "The agent may book a room only with the approval of a person.",
        "The agent must not cancel a booking or book a journey if the time of day is after 9:00.",
    ],
)
def test_recorded_calls_turn_as_between_the_whole_versions(sentence: str) -> None:
    with closing(Workbench.open_to_read(TRAVEL)) as bench:
        logs = bench.runs.load()
        said = bench.sentences.preview(sentence, logs)
        whole = bench.policy.diff(POLICY, said.policy, logs, most=0)
        assert differing_parts(POLICY, said.policy)[1] != said.policy
        assert [one.kind for one in said.change.flips] == [one.kind for one in whole.flips]
        assert len(said.change.changed) == len(whole.changed) > 0
