"""Commands that enforce a session's policy: export, guard mcp, strategies."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.app.mcp_guard import GuardOrder, McpGuard, Mode, Strategy
from workbench.clean_text import one_line
from workbench.cli.open_session import guarding_all, reading
from workbench.cli.output import columns, note, note_problems, paint, progress, tell, write
from workbench.cli.parameters import Also, AsJson, LogFiles, OtherPolicy, SessionPath, terms_of
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.runs import StrategyComparison

guard = typer.Typer(help="Enforce a session's policy in front of an agent's tools.", rich_markup_mode=None)

ServerCommand = Annotated[
    list[str] | None,
    typer.Argument(metavar="[-- COMMAND...]", help="Start this MCP server and speak to it over stdio."),
]
Url = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Stand before the MCP server at this http address.")
]
Port = Annotated[
    int, typer.Option(min=0, max=65535, help="Local port to listen at with --url; 0 for a free one.")
]
OnDenial = Annotated[Strategy, typer.Option(help="What happens on a denial.")]
EnforcedOrNot = Annotated[Mode, typer.Option(help="Enforce denials, or only decide and log (shadow).")]
DecisionFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Append every decision to this JSONL file.")
]
LogOptional = Annotated[
    bool,
    typer.Option("--log-optional", help="Let calls run whose decision cannot be written to the log."),
]
Context = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=VALUE", help="A fact about the user or the run; may be repeated."),
]
AskProgram = Annotated[
    str,
    typer.Option(
        metavar="PROGRAM",
        help="Put what a policy asks about to this program; it approves by printing who and ending with 0.",
    ),
]
AskSeconds = Annotated[
    float, typer.Option(min=0.1, max=86_400, help="Seconds after which the program's silence denies.")
]
Pin = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Keep here which tools the server has; a change of one denies it."),
]
OneRun = Annotated[
    bool,
    typer.Option("--one-run", help="With --url: all requests are of one run, the guard's own."),
]
AcceptedTools = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME:HASH",
        help="Accept a changed or added tool as it was shown with this hash; may be repeated.",
    ),
]


@guard.callback()
def common() -> None:
    """Enforce a session's policy in front of an agent's tools."""


@guard.command()
def mcp(
    session: SessionPath,
    command: ServerCommand = None,
    url: Url = "",
    port: Port = 0,
    strategy: OnDenial = Strategy.BLOCK_CALL,
    mode: EnforcedOrNot = Mode.ENFORCE,
    log: DecisionFile = None,
    log_optional: LogOptional = False,
    context: Context = None,
    ask: AskProgram = "",
    ask_seconds: AskSeconds = 60.0,
    pin: Pin = None,
    accept_tool: AcceptedTools = None,
    one_run: OneRun = False,
    also: Also = None,
) -> int:
    """Stand between an MCP client and server: calls that the policy denies never reach the server.

    Give either a command after -- or an address. A command is one run. Over HTTP the client's
    header Workbench-Run names the run, else the MCP session; without either, a rule over earlier
    calls cannot be evaluated. The header Workbench-Agent names the kind of subagent that calls.
    With --strategy terminate-task every call after the first denial of a run is refused. Unknown
    records are looked up with the tools that agent.toml declares for that. Only calls and lists of
    tools pass: resources, prompts and requests of the server to the client are refused.
    """
    from workbench.model import WorkbenchError

    if bool(command) == bool(url):
        raise WorkbenchError("Give either a command after -- or an address with --url.")
    order = GuardOrder(
        strategy=strategy,
        mode=mode,
        log=log,
        log_optional=log_optional,
        context=context or (),
        approver=ask,
        approval_seconds=ask_seconds,
        pins=pin,
        accepted=accept_tool or (),
        one_run=one_run,
    )
    with guarding_all([session, *(also or ())]) as benches:
        policies = [bench.policy for bench in benches]
        mcp_guard = McpGuard(order, policies, lambda text: note(one_line(text)))
    if command:
        return mcp_guard.serve_stdio(command, sys.stdin.buffer, sys.stdout.buffer)
    return _serve_http(mcp_guard, url, port)


def _serve_http(mcp_guard: McpGuard, url: str, port: int) -> int:
    with mcp_guard.http_server(url, port) as server:
        path = url.split("://", 1)[1].partition("/")[2]
        note(f"Guarding {url} at http://127.0.0.1:{server.server_port}/{path}")
        server.serve_forever()
    return 0


def export(
    session: SessionPath,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to this file instead of standard output.")
    ] = None,
    also: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="SESSION",
            help="Enforce the policy of this session too: a call runs if all allow it; may be repeated.",
        ),
    ] = None,
) -> int:
    """Write the accepted policy as one file.

    It reads calls itself. Its header has the hash, the session and the version, its needs apart from Python,
    and the results of earlier proofs; no proof is run. The file is run on all cases and on generated inputs
    first; it is not written if it decides otherwise.
    """
    from workbench.app.named_files import write_named

    with guarding_all([session, *(also or ())]) as (bench, *other_benches):
        exported = bench.policy.export(also=[other_bench.policy for other_bench in other_benches])
        for notice in filter(None, (opened.enforced.notice for opened in (bench, *other_benches))):
            note(one_line(notice))
    if output is None:
        write(exported.text.removesuffix("\n"))
        return 0
    write_named(output, exported.text)
    facts = [f"{name}: {fact}" for name, fact in exported.facts.items()]
    note(one_line(f"Wrote {output}; {'; '.join(facts)}"))
    return 0


def strategies(
    session: SessionPath,
    log: LogFiles = None,
    policy: OtherPolicy = None,
    label: Annotated[
        str, typer.Option(metavar="KEY", help="Also count by this fact of the context, or of the log.")
    ] = "",
    as_json: AsJson = False,
) -> int:
    """Compare the strategies by what each stops in the logs.

    No log says what an agent would have done after a refusal, so that is shown as unknown.
    """
    with reading(session) as bench:
        terms = terms_of(bench, policy)
        progress("Reading the logs")
        logs = bench.runs.load(log, terms=terms)
        strategy_comparison = bench.runs.strategies(terms, logs, label)
    tell(strategy_comparison, _comparison_lines(strategy_comparison), as_json=as_json)
    note_problems(logs.problems)
    return 1 if logs.problems else 0


# --- the text about strategies compared on recorded logs

_HEAD = ("", "", "runs touched", "stopped", "let through", "harmless lost", "unknown after")
_WIDTHS = (18, 14, 14, 9, 13, 15, 15)


def _comparison_lines(strategy_comparison: StrategyComparison) -> Iterator[str]:
    """A table of all strategies and controls, then one for each label."""
    yield from _table(strategy_comparison, None)
    strategies = [way for way in strategy_comparison.outcomes if strategy_comparison.short(way)]
    for ways in strategy_comparison.alike(strategies):
        if len(ways) > 1:
            yield f"the same in every run: {', '.join(way.value for way in ways)}"
    for label in strategy_comparison.labels:
        yield ""
        yield paint(one_line(f"{strategy_comparison.label} = {label or '(none)'}"), Tone.TITLE)
        yield from _table(strategy_comparison, label)
    yield ""
    yield "stopped: denied by the policy and refused; let through: denied and carried out;"
    yield "harmless lost: allowed by the policy, but refused because of an earlier refusal or by a control;"
    yield "unknown after: carried out here, but after a refusal a live agent may have done something else."


def _table(strategy_comparison: StrategyComparison, label: str | None) -> Iterator[str]:
    rows = list[tuple[str, ...]]()
    for way in strategy_comparison.outcomes:
        sums = strategy_comparison.tally(way, label)
        rows.append(
            (
                way.value,
                strategy_comparison.short(way) or "control",
                f"{sums.touched}/{sums.runs}",
                str(sums.stopped),
                str(sums.let_through),
                str(sums.lost),
                str(sums.unknown),
            )
        )
    return columns(_WIDTHS, _HEAD, rows, words=2)
