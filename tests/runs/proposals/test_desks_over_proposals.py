"""Policies that people wrote for recorded agents, over what is proposed from tools and logs alone.

What a policy reads has other names there, and a few other forms; the tables below say which. With them each
policy must check, and decide every recorded call as it does over the declarations written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.recordings import DATA, needs_recordings
from workbench.app.tool_sources import read_tools
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.model import AgentSpec, Tool
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs import load_runs
from workbench.runs.proposals.call_proposals import propose_for_calls, with_accepted
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier
from workbench.session import Session
from workbench.session.agent_file import read_agent, write_agent

SESSIONS = Path(__file__).resolve().parents[3] / "benchmarks" / "sessions"


@dataclass(frozen=True, slots=True)
class Desk:
    """A policy written by hand, its recordings, and what its names are called in what is proposed.

    ``said`` are the readings that a person writes in any case, as they follow from the request. ``careful``
    is how many calls are not allowed over what is proposed, and ``why``: nobody has said yet what a call
    leaves as it is, so that all of a record is unknown after it.
    """

    session: str
    tools: str
    logs: str
    names: Mapping[str, str]
    said: tuple[str, ...] = ()
    careful: int = 0
    why: str = ""


DESKS = (
    Desk(
        "retail-desk",
        "tau_retail/tools.json",
        "tau_retail/runs.jsonl",
        {
            r"\.payment_methods\b": ".payment_method_ids",
            r"\.payments\b": ".payment_history",
            r"\bpayment\.kind\b": "payment.transaction_type",
            r"\bpayment\.method\b": "payment.payment_method_id",
            r"(run\.product\([^()]*(?:\([^()]*\))?[^()]*\))\.items": r"\1.item_ids",
        },
        said=("words",),
        careful=14,
        why="a call that changes an address may change the status, as long as its result is not known",
    ),
    Desk(
        "airline-desk",
        "tau_airline/tools.json",
        "tau_airline/runs.json",
        {
            r"\brun\.wallet\(": "run.user(",
            r"\bwallet\.certificates\b": "wallet.certificate_ids",
            r"\buser\.credit_cards\b": "user.credit_card_ids",
            r"\buser\.gift_cards\b": "user.gift_card_ids",
            r"\brun\.route\(": "run.flight_origin_and_destination(",
            r"\.departure\b": ".scheduled_departure_time_est",
        },
        said=("agreement",),
        careful=4,
        why="a booking uses certificates up, so that the customer is looked up again",
    ),
    Desk(
        "authoring-support",
        "authoring/support/tools.json",
        "authoring/support/runs.jsonl",
        {r"\bc\.result\.found\b": "c.result.found_customer"},
        said=("card_numbers", "closing"),
        careful=11,
        why="a refund changes its order, a voucher its customer",
    ),
    Desk("authoring-coding", "authoring/coding/tools.json", "authoring/coding/runs.jsonl", {}),
    Desk(
        "authoring-warehouse",
        "authoring/warehouse/tools.json",
        "authoring/warehouse/runs.jsonl",
        {r"\brun\.estimate\(": "run.query_estimate(", r"\brun\.outcome\(": "run.query("},
        said=("mailbox", "mail_domains"),
        careful=5,
        why="an export may change what a query gave, and a query its own estimate",
    ),
)


def proposed(desk: Desk, by_hand: AgentSpec) -> AgentSpec:
    """What is proposed of a desk, with the zone and the readings that only a person can say."""
    tools = read_tools((DATA / desk.tools).read_text(), "tools.json").tools
    runs = load_runs([DATA / desk.logs], tools=[tool.name for tool in tools]).runs
    spec = AgentSpec(by_hand.name, tools=tools, zone=by_hand.zone, as_of=by_hand.as_of)
    proposals = propose_for_calls(spec, [call for run in runs for call in run.calls])
    spec = with_accepted(spec, proposals, [proposal.name for proposal in proposals])
    own = tuple(reading for reading in by_hand.readings if reading.name in desk.said)
    spec = replace(
        spec,
        readings=(*spec.readings, *own),
        tools=tuple(_as_said(tool, by_hand) for tool in spec.tools),
    )
    assert read_agent(write_agent(spec)) == spec
    return spec


def _as_said(tool: Tool, by_hand: AgentSpec) -> Tool:
    """A tool with the folder, shell and options of kinds, which only a person can say."""
    theirs = next(other for other in by_hand.tools if other.name == tool.name)
    notes = {
        path: replace(note, options={**note.options, **theirs.fields[path].options})
        if path in theirs.fields and theirs.fields[path].type == note.type
        else note
        for path, note in tool.fields.items()
    }
    return replace(tool, fields=notes, cwd=theirs.cwd, shell=theirs.shell)


def decisions(text: str, spec: AgentSpec, desk: Desk) -> Mapping[str, str]:
    """The decision on each recorded call, by its place."""
    lowered = lowered_policy(text, spec, "policy.py")
    policy = compile_policy(lowered.terms)
    spec = replace(spec, arguments=lowered.arguments)
    extractor = Extractor(spec.arguments, spec)
    runs = load_runs([DATA / desk.logs], tools=[tool.name for tool in spec.tools]).runs
    verdicts: dict[str, str] = {}
    for run in runs:
        for place, call in enumerate(run.calls):
            decision = decision_on(policy, extractor.extract(call, Earlier(run.calls, place)))
            verdicts[f"{run.id} {call.index} {call.tool}"] = str(decision.verdict)
    return verdicts


@needs_recordings
@pytest.mark.parametrize("desk", DESKS, ids=[desk.session for desk in DESKS])
def test_a_policy_written_by_hand_decides_over_what_is_proposed_as_over_its_own(desk: Desk) -> None:
    with Session.open(SESSIONS / desk.session) as session:
        written, by_hand = session.written, session.agent
    text = written
    for name, called in desk.names.items():
        text, count = re.subn(name, called, text)
        assert count, name
    theirs = decisions(written, by_hand, desk)
    ours = decisions(text, proposed(desk, by_hand), desk)
    differ = {place: (verdict, ours[place]) for place, verdict in theirs.items() if ours[place] != verdict}
    assert ours.keys() == theirs.keys()
    assert not {place: pair for place, pair in differ.items() if pair[1] == "allow"}
    assert len(differ) == desk.careful, differ
