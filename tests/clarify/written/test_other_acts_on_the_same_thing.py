"""Tools of which no sentence speaks are asked about where they come to the same for the thing of a rule."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from tests.clarify.written.one_rule import one_rule
from workbench.clarify.written.attempts import SAME_THING
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.witnesses import CLOSED, witnesses
from workbench.model import AgentSpec, RecordedCall
from workbench.session.agent_file import read_agent


def agent(tools: str, more: str = "") -> AgentSpec:
    """An agent with tools written as calls, whose parameters are texts."""
    text = ['name = "desk"']
    for name, parameters in re.findall(r"(\w+)\(([\w, ]*)\)", tools):
        names = [one for one in parameters.split(", ") if one]
        held = ", ".join(f'{one} = {{type = "string"}}' for one in names)
        text.append(f"[tools.{name}.parameters]\nrequired = {names}\nproperties = {{{held}}}")
    return read_agent("\n".join([*text, more]))


LAW = agent("""
    share_document(document_id, person) create_public_link(document_id)
    email_document(document_id, to) copy_document(document_id, title)
    comment_document(document_id, text) unshare_document(document_id, person)
    find_document(words) create_matter(title) get_document(document_id)
""")
GAME = agent(
    "grant_role(user_name, role) transfer_ownership(user_name) mute_member(user_name) "
    "revoke_role(user_name, role)"
)
HAULAGE = agent(
    """
    get_shipment(shipment_id) change_destination(shipment_id, address) split_shipment(shipment_id, address)
    weigh_shipment(shipment_id) assign_driver(driver_id)
    """,
    """
    [records.shipment]
    key = "shipment_id"
    look_up = {tool = "get_shipment", arguments = {shipment_id = "key"}}
    changed_by = ["change_destination", "split_shipment"]
    [records.shipment.fields]
    status = {type = "str"}
    """,
)
CLOUD = agent("""
    stop_machine(machine_id) terminate_machine(machine_id) resize_machine(machine_id, size)
    start_machine(machine_id) tag_machine(machine_id, tag) stop_job(job_id)
""")
_SHIPMENT = "run.shipment(call.shipment_id)"
HELD = f'{_SHIPMENT} is not None and {_SHIPMENT}.status == "held"'


@pytest.mark.parametrize(
    ("desk", "about", "condition", "asked"),
    [
        (
            LAW,
            "ShareDocument",
            'not call.person.endswith("@corp.example")',
            ["create_public_link", "email_document"],
        ),
        (GAME, "GrantRole", 'call.role == "admin"', ["transfer_ownership"]),
        (HAULAGE, "ChangeDestination", HELD, ["split_shipment"]),
        (CLOUD, "StopMachine", 'call.machine_id == "db-1"', ["terminate_machine"]),
        (CLOUD, "TagMachine", 'call.machine_id == "db-1"', []),
    ],
)
def test_what_comes_to_the_same_is_asked_about_and_closed(
    desk: AgentSpec, about: str, condition: str, asked: Sequence[str]
) -> None:
    """Each is a call that the policy allows; reading, undoing and little acts are none."""
    book = one_rule(desk, about, condition)
    found = {hole.shown.calls[-1].tool: hole for rule in book.rules for hole in HolesByRule(book).of(rule)}
    others = {tool: hole for tool, hole in found.items() if tool != book.language.types.calls[about].tool}
    assert sorted(others) == sorted(asked)
    for hole in others.values():
        assert hole.attacked.trials.allows(hole.shown.calls)
        assert hole.closing is not None and hole.closing.stops
    shown = [one for one in witnesses(book, HolesByRule(book), {}) if one.calls[-1].tool in asked]
    assert all(CLOSED in one.effects for one in shown) and len(shown) == len(asked)


def test_a_tool_with_a_sentence_of_its_own_is_not_asked_about() -> None:
    """Somebody has thought of it."""
    book = one_rule(GAME, "TransferOwnership | GrantRole", 'call.user_name == "eve"')
    assert not [hole for hole in HolesByRule(book).of(book.rules[0]) if hole.kind == SAME_THING]


def test_an_answer_tells_which_logged_calls_of_the_other_tool_it_turns() -> None:
    logged = [RecordedCall("r1", 0, tool="create_public_link", arguments={"document_id": "D7"})]
    book = one_rule(LAW, "ShareDocument", 'not call.person.endswith("@corp.example")', logged=logged)
    (hole,) = [
        one for one in HolesByRule(book).of(book.rules[0]) if one.shown.calls[-1].tool == "create_public_link"
    ]
    assert hole.closing is not None
    assert hole.closing.turned == ("create_public_link (document_id “D7”)",)
