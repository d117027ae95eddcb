"""The command ``replay``: the policy's decisions on recorded calls."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import one_line
from workbench.cli.open_session import reading, reading_all
from workbench.cli.output import note, progress, write, write_json
from workbench.cli.parameters import AsJson, Database, OtherPolicy, SessionPath, policy_name, policy_text
from workbench.model import Verdict, WorkbenchError

if TYPE_CHECKING:
    from workbench.app.results import Logs, Replay
    from workbench.app.value_texts import ArgumentWords

ReplayedLogs = Annotated[
    list[Path] | None,
    typer.Option(
        "--log",
        metavar="FILE",
        exists=True,
        help="Replay this log instead of the session's; may be repeated.",
    ),
]
Folder = Annotated[
    str, typer.Option(metavar="DIR", help="Replay every file below this folder by many processes.")
]
Output = Annotated[
    str, typer.Option(metavar="DIR", help="With --folder: write the decisions here, as Parquet.")
]
Scheduler = Annotated[str, typer.Option(metavar="ADDRESS", help="With --folder: use this Dask cluster.")]
Workers = Annotated[
    int, typer.Option(min=0, help="With --folder: processes on this machine; 0 for one a core.")
]
Decision = Annotated[Verdict | None, typer.Option(help="Show only calls decided so.")]
Rule = Annotated[str, typer.Option(metavar="NAME", help="Show only calls on which this rule fired.")]
Tool = Annotated[str, typer.Option(metavar="NAME", help="Show only calls of this tool.")]
Run = Annotated[str, typer.Option(metavar="ID", help="Show only the calls of this run.")]
Trace = Annotated[str, typer.Option(hidden=True)]
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
    folder: Folder = "",
    output: Output = "",
    scheduler: Scheduler = "",
    workers: Workers = 0,
    decision: Decision = None,
    rule: Rule = "",
    tool: Tool = "",
    run: Run = "",
    trace: Trace = "",
    text: Text = "",
    also: AlsoDeciding = None,
    fail_closed: FailClosed = False,
) -> int:
    """Decide every call of the logs by the policy.

    With --json it writes one object per call, one a line. Exits with 1
    if a record could not be read; denied calls are findings, not failures.
    Several filters show the calls that pass them all; the figures count all calls.
    """
    if folder or output:
        _check_alone(also, fail_closed=fail_closed)
        return _replay_all(session, folder, output, policy, scheduler, workers, as_json)
    from workbench.app.runs import Filters
    from workbench.cli.report_text import unasked_sentences

    filters, source = Filters(decision, rule, tool, run or trace, text), policy_text(policy)
    with reading_all([session, *(also or ())]) as (bench, *other_benches):
        terms = bench.policy.terms(source, policy_name(policy))
        progress("Reading the logs")
        logs = bench.runs.load(log, database, terms=terms)
        if not logs.calls and not logs.problems:
            note(_nothing(log, bench.session.path))
        import_report = bench.runs.import_report(logs) if log else ()
        replay_result = bench.replay(
            terms, logs, filters, also=other_benches, paths=log, database=database, fail_closed=fail_closed
        )
        doubts = bench.grants.doubts(logs)
    _tell_decisions(replay_result, terms.file.words, logs, as_json)
    for (name, index), why in doubts.items():
        note(one_line(f"Call {index} of {name} did not run by a grant, though its log says so: {why}."))
    for sentence in (*import_report, *unasked_sentences(replay_result.unasked, fail_closed=fail_closed)):
        note(sentence)
    _tell_reading(logs, database)
    return 1 if logs.problems else 0


def _tell_decisions(replay_result: Replay, words: ArgumentWords, logs: Logs, as_json: bool) -> None:
    """Write the calls that are shown, each with its decision and grants, and the figures of all calls."""
    from workbench.cli.report_text import call_line, figures_lines

    granted = {(call.run, call.index): call.granted for call in logs.calls if call.granted}
    unread = sum(problem.count for problem in logs.problems)
    if as_json:
        for row in replay_result.to_json():
            write_json(row, words)
    else:
        for decided in replay_result.shown:
            line = words.said(call_line(decided, replay_result.look_up_first(decided)))
            by = ", ".join(map(one_line, granted.get((decided.run, decided.index), ())))
            write(f"{line}  It ran by the grant {by}." if by else line)
    if replay_result.emptied:
        note(replay_result.emptied)
    if not as_json:
        write()
        for line in figures_lines(replay_result.figures, unread):
            write(line)


def _check_alone(also: Sequence[Path] | None, *, fail_closed: bool) -> None:
    option = "--also" if also else "--fail-closed" if fail_closed else ""
    if option:
        raise WorkbenchError(f"{option} is of the logs of a session; a --folder is decided by one policy.")


def _tell_reading(logs: Logs, database: Path | None) -> None:
    """Write how many look-ups a database answered, and which records could not be read."""
    from workbench.clean_text import counted

    if database is not None:
        marked = counted(logs.from_database, "call")
        note(f"{marked} with records that {database} answers for, not the run.")
    for problem in logs.problems:
        note(f"{problem.path}:{problem.line}: {problem.reason}")


def _nothing(logs: list[Path] | None, session: Path) -> str:
    """One sentence on why there is no call at all."""
    where = ", ".join(map(str, logs)) if logs else str(session / "logs")
    return f"There is no call to replay: no log is in {where}. Put one there, or name one with --log."


# --- the replay of a folder of logs by many processes, for the command ``replay``


def _replay_all(
    session: Path, folder: str, output: str, policy: Path | None, scheduler: str, workers: int, as_json: bool
) -> int:
    """Replay every file below ``folder`` and write Parquet; returns the exit code."""
    from workbench.model import WorkbenchError

    if not folder or not output:
        raise WorkbenchError(
            "Give both --folder, where the logs are, and --output, a folder for the results."
        )
    with reading(session) as bench:
        report = bench.runs.replay_folder(
            bench.policy.terms(policy_text(policy), policy_name(policy)),
            folder,
            output,
            scheduler=scheduler,
            workers=workers,
            on_file=lambda figures: progress(one_line(f"{figures.path}: {figures.calls} calls")),
        )
    summary = report.summary
    if as_json:
        from workbench.app.json_output.runs import SCALE

        write_json(SCALE.write(report))
    else:
        write(f"{len(report.files)} files, {summary.calls} calls")
        asked = f"ask {summary.ask}, " if summary.ask else ""
        write(f"allow {summary.allow}, {asked}deny {summary.deny}, cannot evaluate {summary.cannot_evaluate}")
        for rule, count in summary.by_rule.items():
            write(f"  {count:>8}  {one_line(rule)}")
        write(one_line(f"Decisions: {output}"))
    for file in report.files:
        for problem in file.problems:
            note(f"{problem.path}:{problem.line}: {problem.reason}")
        left = file.problem_count - sum(problem.count for problem in file.problems)
        if left:
            note(f"{file.path}: {left} more problems")
    return 1 if report.problem_count else 0
