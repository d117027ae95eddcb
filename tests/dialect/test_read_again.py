"""A policy that was edited is read as one that was never read before, but only what the edit concerns."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

import pytest

from workbench.dialect import check, lowering
from workbench.dialect.call_types import AgentTypes, agent_types
from workbench.dialect.lowered_policy import lowered_calls
from workbench.policy.problems import PolicyError
from workbench.policy.result_cache import Recent
from workbench.session.session import Session

SESSION = Path(__file__).resolve().parents[2] / "sessions" / "travel-desk"
RULE = "return call.total > INVOICE_LIMIT", "return call.total >= INVOICE_LIMIT"
EDITS = (
    RULE,
    ("SIX_HOURS = 360", "SIX_HOURS = 300"),
    ("<= timedelta(days=14)", "< timedelta(days=14)"),
    ("return call.total + sum(", "return sum("),
    ("def paid(call: PayInvoice", "def paid(call: PayInvoice | BookRoom"),
    ("\ndef forbid_other_account", "\n# a line more\ndef forbid_other_account"),
    ("    looked_up,\n", ""),
    ("call.total <= centre.left", "call.total <= centre.left + 0.001"),
    ("return not in_time(call, run)", "return not in_time(call)"),
    ("\ndef is_left(", "\ndef is_within("),
    ("\ndef is_left(", "\n# a line more\n\n\ndef is_left("),
    (
        "\ndef contract_other",
        "\ndef forbid_more(call: BookRoom) -> bool:\n    return call.nights > 9\n\n\ndef contract_other",
    ),
    ("\n\ndef forbid_other_account", "\n@property\ndef forbid_other_account"),
    (
        "\ndef contract_other",
        '\ndef forbid_line(call: PayInvoice) -> bool:\n    """A name that an argument had."""\n'
        "    return any(pay_invoice_total.amount > 9 for pay_invoice_total in call.lines)\n\n\n"
        "def contract_other",
    ),
)


def read(source: str, types: AgentTypes) -> tuple[object, ...]:
    """All that is read of a policy, or its problems."""
    try:
        policy = check.check_calls(source, types)
        lowered = lowered_calls(policy)
    except PolicyError as error:
        return tuple(error.problems)
    named = [(text, fact.name) for text, fact in policy.named.items()]
    spots = {(spot.line, spot.column) for spot in policy.spots.values()}
    parts = policy.rules, policy.clauses, policy.theorems
    return *parts, named, list(policy.values), spots, lowered.terms


class Counted[K: Hashable, V](Recent[K, V]):
    """What was read or lowered, counted."""

    def __init__(self) -> None:
        """Nothing was read yet."""
        super().__init__(1024)
        self.count = 0

    def put(self, key: K, value: V) -> None:
        """Count and keep it."""
        self.count += 1
        super().put(key, value)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit[0].strip())
def test_an_edited_policy_is_read_as_a_new_one(
    edit: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is edited: a rule, a function that rules read, a constant, an import, the lines above."""
    with Session.open(SESSION, read_only=True) as session:
        source, types = session.written, agent_types(session.agent)
    edited = source.replace(*edit, 1)
    assert edited != source
    monkeypatch.setattr(check, "_read_before", kept := Counted[Hashable, object]())
    monkeypatch.setattr(lowering, "_before", kept_lowered := Counted[int, object]())
    read(source, types)
    of_all, lowered_of_all = kept.count, kept_lowered.count
    again = read(edited, types)
    if edit is RULE:
        assert kept.count == of_all + 1
        assert kept_lowered.count == lowered_of_all + 1
    monkeypatch.setattr(check, "_read_before", Counted[Hashable, object]())
    assert again == read(edited, types)
