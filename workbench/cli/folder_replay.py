"""The replay of a folder of logs by many processes, for the command ``replay``."""

from __future__ import annotations

from pathlib import Path

from workbench.clean_text import one_line
from workbench.cli.open_session import reading
from workbench.cli.output import note, progress, write, write_json
from workbench.cli.parameters import policy_name, policy_text


def replay_all(
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
