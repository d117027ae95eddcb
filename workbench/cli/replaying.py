"""The command ``replay``: the policy's decisions on recorded calls."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import one_line
from workbench.cli.open_session import reading_all
from workbench.cli.output import note, note_problems, progress, write, write_lines, write_result
from workbench.cli.parameters import AsJson, Database, OtherPolicy, SessionPath, terms_of
from workbench.model import Verdict

if TYPE_CHECKING:
    from workbench.app.policy import PolicyTerms
    from workbench.app.results import Logs, Replay
    from workbench.app.runs import Filters
    from workbench.app.value_texts import ArgumentWords
    from workbench.app.workbench import Workbench

ReplayedLogs = Annotated[
    list[Path] | None,
    typer.Option(
        "--log",
        metavar="FILE",
        exists=True,
        help="Replay this log instead of the session's; may be repeated.",
    ),
]
Decision = Annotated[Verdict | None, typer.Option(help="Show only calls decided so.")]
Rule = Annotated[str, typer.Option(metavar="NAME", help="Show only calls on which this rule fired.")]
Tool = Annotated[str, typer.Option(metavar="NAME", help="Show only calls of this tool.")]
Run = Annotated[str, typer.Option(metavar="ID", help="Show only the calls of this run.")]
Text = Annotated[
    str, typer.Option(metavar="WORDS", help="Show only calls with these words in a text or reason.")
]
AlsoDeciding = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="SESSION",
        help="Decide by this session's policy too: a call is allowed if all allow it; may be repeated.",
    ),
]
Tried = Annotated[
    Path | None,
    typer.Option(
        "--try",
        metavar="FILE",
        allow_dash=True,
        help="Decide the calls of this text instead of logs, one a line, each alone; - is standard input.",
    ),
]
InOrder = Annotated[
    bool, typer.Option("--in-order", help="With --try, a line is decided after the lines above it.")
]
FailClosed = Annotated[
    bool,
    typer.Option(
        "--fail-closed",
        help="Calls about which GuardAgent was not asked cannot be evaluated, instead of being "
        "decided by the policy alone.",
    ),
]


def replay(
    session: SessionPath,
    log: ReplayedLogs = None,
    policy: OtherPolicy = None,
    as_json: AsJson = False,
    database: Database = None,
    decision: Decision = None,
    rule: Rule = "",
    tool: Tool = "",
    run: Run = "",
    text: Text = "",
    also: AlsoDeciding = None,
    fail_closed: FailClosed = False,
    tried: Tried = None,
    in_order: InOrder = False,
) -> int:
    """Decide every call of the logs by the policy.

    With --json it writes one object per call, one a line. Exits with 1
    if a record could not be read; denied calls are findings, not failures.
    Several filters show the calls that pass them all; the figures count all
    calls, or with --run those of the run.
    A line of --try is the command, the path or the only text of a call, after "TOOL:"
    in it or in a line above, or its arguments as JSON; -> and a result as JSON may follow, # begins a note.
    """
    from workbench.app.runs import Filters
    from workbench.cli.report_text import unasked_sentences

    filters = Filters(decision, rule, tool, run, text)
    with reading_all([session, *(also or ())]) as (bench, *other_benches):
        terms = terms_of(bench, policy)
        progress("Reading the logs")
        logs = bench.runs.load(log, database, terms=terms)
        if tried is None and not logs.calls and not logs.problems:
            note(_nothing(log, bench.session.path))
        if tried is not None:
            return _tell_tried(bench, terms, logs, tried, filters, in_order=in_order, as_json=as_json)
        import_report = bench.runs.import_report(logs) if log else ()
        replay_result = bench.replay(
            terms, logs, filters, also=other_benches, paths=log, database=database, fail_closed=fail_closed
        )
        doubts = bench.grants.doubts(logs)
    _tell_decisions(replay_result, terms.file.words, logs, as_json)
    _tell_doubts(doubts)
    for sentence in (*import_report, *unasked_sentences(replay_result.unasked, fail_closed=fail_closed)):
        note(sentence)
    _tell_reading(logs, database)
    return 1 if logs.problems else 0


def _tell_doubts(doubts: Mapping[tuple[str, int], str]) -> None:
    """Say of which calls no grant let them run that their log names."""
    for (name, index), why in doubts.items():
        note(one_line(f"Call {index} of {name} did not run by a grant, though its log says so: {why}."))


def _tell_tried(
    bench: Workbench, terms: PolicyTerms, logs: Logs, tried: Path, filters: Filters, *, in_order: bool,
    as_json: bool,
) -> int:  # fmt: skip
    """Write the decisions on the lines of a text; 1 if a line is no call."""
    from workbench.app.named_files import read_named
    from workbench.app.tried_calls import placed, replayed
    from workbench.cli.report_text import figures_lines, tried_line

    text = sys.stdin.read() if str(tried) == "-" else read_named(tried, "a text with a call a line")
    decider = bench.line_decider(terms, logs, placed(logs, None, lines_above=in_order))
    replay_result, own = replayed(decider, text, filters)
    lines = text.splitlines()
    if as_json:
        for decided in replay_result.shown:
            write_result(decided, terms.file.words)
    else:
        for decided in replay_result.shown:
            said = tried_line(decided, lines[decided.index - 1], replay_result.look_up_first(decided))
            write(terms.file.words.said(said))
        write_lines(("", *figures_lines(replay_result.figures, 0)))
    if replay_result.emptied:
        note(replay_result.emptied)
    for problem in own.problems:
        note(f"line {problem.line}: {problem.reason}")
    return 1 if own.problems else 0


def _tell_decisions(replay_result: Replay, words: ArgumentWords, logs: Logs, as_json: bool) -> None:
    """Write the calls that are shown, each with its decision and grants, and the figures of all calls."""
    from workbench.cli.report_text import call_line, figures_lines

    granted = {(call.run, call.index): call.granted for call in logs.calls if call.granted}
    unread = sum(problem.count for problem in logs.problems)
    if as_json:
        for decided in replay_result.shown:
            write_result(decided, words)
    else:
        for decided in replay_result.shown:
            line = words.said(call_line(decided, replay_result.look_up_first(decided)))
            by = ", ".join(map(one_line, granted.get((decided.run, decided.index), ())))
            write(f"{line}  It ran by the grant {by}." if by else line)
    if replay_result.emptied:
        note(replay_result.emptied)
    if not as_json:
        write_lines(("", *figures_lines(replay_result.figures, unread)))


def _tell_reading(logs: Logs, database: Path | None) -> None:
    """Write how many look-ups a database answered, and which records could not be read."""
    from workbench.clean_text import counted

    if database is not None:
        marked = counted(logs.from_database, "call")
        note(f"{marked} with records that {database} answers for, not the run.")
    note_problems(logs.problems)


def _nothing(logs: list[Path] | None, session: Path) -> str:
    """One sentence on why there is no call at all."""
    where = ", ".join(map(str, logs)) if logs else str(session / "logs")
    return f"There is no call to replay: no log is in {where}. Put one there, or name one with --log."
