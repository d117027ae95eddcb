"""The first minutes of a person with a new session: sentences are kept, and calls are decided as they say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.app.new_session import new_session
from workbench.app.workbench import Workbench
from workbench.model import Verdict

TOOLS = [
    {
        "name": "get_invoice",
        "description": "Get an invoice.",
        "inputSchema": {
            "type": "object",
            "properties": {"invoice_id": {"type": "string"}},
            "required": ["invoice_id"],
        },
    },
    {
        "name": "pay_invoice",
        "description": "Pay an invoice.",
        "inputSchema": {
            "type": "object",
            "properties": {"invoice_id": {"type": "string"}, "total": {"type": "number"}},
            "required": ["invoice_id", "total"],
        },
    },
]
CALLS = [
    ("pay_invoice", {"invoice_id": "I-1", "total": 10}),
    ("get_invoice", {"invoice_id": "I-1"}),
    ("pay_invoice", {"invoice_id": "I-1", "total": 10}),
    ("pay_invoice", {"invoice_id": "I-1", "total": 5001}),
    ("pay_invoice", {"invoice_id": "I-2", "total": 10}),
]
SENTENCES = (
    "The agent must not pay an invoice if the total is more than 5,000.",
    "The agent may always get an invoice.",
    "The agent may pay an invoice if there was an earlier call to get an invoice "
    "(where its invoice id is the invoice id).",
    "It must not be possible to pay an invoice if the total is more than 5,000.",
    "It must always be possible to get an invoice.",
)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    (tmp_path / "request.md").write_text("Invoices are looked up before they are paid.\n", encoding="utf-8")
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    times = (f"2026-03-17T10:44:{number:02}+01:00" for number in range(len(CALLS)))
    records = [
        {"run": "a", "call": number, "time": time, "tool": tool, "arguments": json.dumps(arguments)}
        for number, (time, (tool, arguments)) in enumerate(zip(times, CALLS, strict=True))
    ]
    lines = [json.dumps({"format": "workbench-decision/1", "runs": True, **record}) for record in records]
    (tmp_path / "log.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    created = new_session(
        tmp_path / "desk", tmp_path / "request.md", agent=tmp_path / "tools.json",
        logs=[tmp_path / "log.jsonl"], author="written",
    )  # fmt: skip
    created.draft()
    yield created.workbench
    created.workbench.close()


def _verdicts(bench: Workbench) -> list[Verdict]:
    shown = bench.replay(bench.policy.terms(), bench.runs.load()).shown
    return [one.decision.verdict for one in shown]


def test_a_policy_without_a_rule_denies_every_call(bench: Workbench) -> None:
    assert bench.policy.problems() == ()
    assert _verdicts(bench) == [Verdict.DENY] * len(CALLS)


def test_sentences_are_kept_one_after_another_and_decide_as_they_say(bench: Workbench) -> None:
    for sentence in SENTENCES:
        assert bench.sentences.keep(sentence).stored
        assert bench.policy.problems() == ()
    assert _verdicts(bench) == [
        Verdict.DENY,
        Verdict.ALLOW,
        Verdict.ALLOW,
        Verdict.DENY,
        Verdict.DENY,
    ]
    assert [one.text for one in bench.sentences.aloud()] == [
        "What no sentence allows is denied.",
        "The agent must not pay an invoice if the total is more than 5,000.",
        "The agent may always get an invoice.",
        "The agent may pay an invoice if there was an earlier call to get an invoice (where its invoice id "
        "is the invoice id).",
        "It must not be possible to pay an invoice if the total is more than 5,000.",
        "It must always be possible to get an invoice.",
    ]
    written = bench.session.written
    assert written.index("forbid_pay_invoice") < written.index("permit_get_invoice")
    assert written.index("permit_pay_invoice") < written.index("contract_pay_invoice")


def test_a_table_and_a_rule_that_speaks_of_it_are_said_at_once(bench: Workbench) -> None:
    table = "The table “limits” says:\n| invoice | limit |\n|---|---|\n| I-1 | 5,000.00 |"
    rows = (
        "| The agent may | unless |\n|---|---|\n"
        "| pay an invoice | the total is more than the entry of the table “limits” for the invoice id or, "
        "without one, 0 |\n| get an invoice | never |\n"
    )
    said = bench.sentences.keep([table, rows])
    assert said.name == "LIMITS, permit_pay_invoice, permit_get_invoice"
    assert "LIMITS.get(call.invoice_id" in bench.session.written
    assert _verdicts(bench) == [Verdict.ALLOW] * 3 + [Verdict.DENY] * 2
    bench.session.undo()
    assert "LIMITS" not in bench.session.written
