"""A value or flag that does what a rule closes by another value is asked about, and the answer closes it."""

from __future__ import annotations

import pytest

from workbench.app.answered_rules import with_effect
from workbench.app.session_language import language_of
from workbench.clarify.written import Asked, Book
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.tried_calls import Trials
from workbench.clarify.written.witnesses import CLOSED, witnesses
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import Json, RecordedCall
from workbench.session.agent_file import read_agent

AGENT = read_agent("""
name = "desk"

[tools.update_ticket.parameters]
type = "object"
required = ["ticket_id"]
[tools.update_ticket.parameters.properties]
ticket_id = {type = "string"}
status = {type = "string", enum = ["new", "open", "solved", "closed"]}

[tools.set_role.parameters]
type = "object"
required = ["user", "role"]
properties = {user = {type = "string"}, role = {type = "string"}}

[tools.write_branch.parameters]
type = "object"
required = ["branch"]
[tools.write_branch.parameters.properties]
branch = {type = "string"}
mode = {type = "string", enum = ["normal", "force"]}
overwrite = {type = "boolean"}
verbose = {type = "boolean"}
""")
LOGGED = [
    RecordedCall("r", at, "set_role", {"user": "u", "role": role})
    for at, role in enumerate(("viewer", "owner"))
]
POLICY = '''"""Desk."""
from agent import {name}

DEFAULT = "allow"


def forbid_x(call: {name}) -> bool:
    """R1: No."""
    return {condition}
'''
CASES: dict[str, tuple[str, str, dict[str, Json], dict[str, Json]]] = {
    "another value of a choice": (
        "UpdateTicket",
        'call.status is not None and call.status == "closed"',
        {"ticket_id": "T1", "status": "solved"},
        {"ticket_id": "T1", "status": "open"},
    ),
    "a logged value": (
        "SetRole",
        'call.role == "admin"',
        {"user": "u", "role": "owner"},
        {"user": "u", "role": "viewer"},
    ),
    "a flag": (
        "WriteBranch",
        'call.mode is not None and call.mode == "force"',
        {"branch": "b", "overwrite": True},
        {"branch": "b", "verbose": True, "mode": "normal"},
    ),
}


@pytest.mark.parametrize(("name", "condition", "bad", "fine"), CASES.values(), ids=CASES)
def test_what_comes_to_the_same_is_shown_and_closed(
    name: str, condition: str, bad: dict[str, Json], fine: dict[str, Json]
) -> None:
    source = POLICY.format(name=name, condition=condition)
    (one,) = (one for one in _asked(source) if _shows(one, bad))
    refined, _ = with_effect(language_of(source, AGENT), source, one.effects[CLOSED], open_default=True)
    shown = one.calls[0]
    for text, expected in ((source, True), (refined, False)):
        trials = Trials(lowered_policy(text, AGENT).terms, AGENT)
        assert trials.confirms((shown,)) is expected
        assert trials.confirms((TriedCall(shown.tool, bad),)) is expected
        assert trials.confirms((TriedCall(shown.tool, fine),))


def test_an_update_without_the_value_changes_nothing_and_is_not_asked_about() -> None:
    name, condition, *_ = CASES["another value of a choice"]
    source = POLICY.format(name=name, condition=condition)
    assert all("status" in one.calls[0].arguments for one in _asked(source))


def _asked(source: str) -> list[Asked]:
    terms = lowered_policy(source, AGENT).terms
    book = Book(language_of(source, AGENT), AGENT, terms, (), calls=LOGGED)
    return [*witnesses(book, HolesByRule(book), {})]


def _shows(asked: Asked, bad: dict[str, Json]) -> bool:
    """Whether a question shows a call with what is bad in another one."""
    ids = ("ticket_id", "user", "branch")
    return all(asked.calls[0].arguments.get(key) == value for key, value in bad.items() if key not in ids)
