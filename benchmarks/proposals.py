"""Proposals for an agent from its tools and recorded runs alone, compared with a session's declarations.

    python benchmarks/proposals.py TOOLS.json RUNS [SESSION]

It prints a line for each record with its sources and its changes, and the lists and kinds of values. With a
session it also prints which of the session's records are proposed: a record counts if a proposal has its key
and its look-up, and an object in a list if a proposal has its first field. Seconds are processor time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from workbench.app.tool_sources import read_tools
from workbench.model import AgentSpec, Proposal, Record
from workbench.runs.logs import load_runs
from workbench.runs.proposals.call_proposals import propose_for_calls
from workbench.session.agent_file import read_agent


def main(tools_path: Path, runs_path: Path, session: Path | None) -> None:
    """Print the proposals."""
    tools = read_tools(tools_path.read_text("utf-8"), str(tools_path)).tools
    runs = load_runs([runs_path], tools=[tool.name for tool in tools]).runs
    calls = [call for run in runs for call in run.calls]
    began = time.process_time()
    proposals = propose_for_calls(AgentSpec("any", tools=tools), calls)
    seconds = time.process_time() - began
    print(
        f"{len(tools)} tools, {len(runs)} runs, {len(calls)} calls: "
        f"{len(proposals)} proposals in {seconds:.2f} s"
    )
    for proposal in proposals:
        print(_line(proposal))
    if session is not None:
        _beside(proposals, read_agent((session / "agent.toml").read_text("utf-8")))


def _line(proposal: Proposal) -> str:
    record = proposal.record
    if record is None:
        return f"  {proposal.name}: {' '.join(proposal.evidence)}"
    tools = [result.tool for result in record.results]
    look_up = record.look_up.tool if record.look_up is not None else "nothing"
    return (
        f"  {proposal.name}: key {', '.join(record.keys)}; {len(record.fields)} fields; "
        f"looked up by {look_up}; told by "
        f"{', '.join(tools) or 'nothing else'}; changed by {', '.join(record.changed_by) or 'nothing'}; "
        f"{len(proposal.unsure)} to look at"
    )


def _beside(proposals: Sequence[Proposal], spec: AgentSpec) -> None:
    """Print which records of a session are proposed."""
    places = {_place(record) for proposal in proposals for record in proposal.records}
    proposed = [record.name for record in spec.records if _place(record) in places]
    left = [record.name for record in spec.records if _place(record) not in places]
    print(
        f"  of {len(spec.records)} records of the session {len(proposed)} are proposed: {', '.join(proposed)}"
    )
    print(f"  not proposed: {', '.join(left) or 'none'}")


def _place(record: Record) -> tuple[str, ...]:
    """The identity of a record: its key and the look-up; for elements of a list their first field."""
    look_up = (
        record.look_up.tool
        if record.look_up is not None
        else ",".join(result.tool for result in record.results)
    )
    return (*record.keys, look_up) if record.key else (record.fields[0].path or record.fields[0].name,)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
