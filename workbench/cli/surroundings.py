"""Commands around sessions: open, new, doctor."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.output import progress, write, write_json
from workbench.cli.parameters import AsJson, SessionPath, policy_text


def open_session(
    session: SessionPath,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain", help="Line by line, for screen readers and pipes: no cursor movement, no colour."
        ),
    ] = False,
) -> int:
    """Open the workbench on a session: one screen, all by keyboard."""
    from workbench.model import WorkbenchError

    if plain:
        from workbench.cli import plain_mode

        return plain_mode.run(session)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise WorkbenchError(
            "The screen needs a terminal; without one use 'workbench open --plain' or 'workbench check'.",
            exit_code=3,
        )
    from workbench.tui.run import run

    return run(session)


def new(
    folder: Annotated[Path, typer.Argument(help="The folder to make.", show_default=False)],
    request: Annotated[Path, typer.Option("--request", metavar="FILE", help="The guard request, text.")],
    agent: Annotated[Path, typer.Option("--agent", metavar="FILE", help="The agent spec, TOML.")],
    log: Annotated[
        list[Path] | None,
        typer.Option(
            "--log", metavar="FILE", exists=True, help="A log to copy into the session; may be repeated."
        ),
    ] = None,
) -> int:
    """Make a session, with policy and cases drafted."""
    from workbench.cli.text import counted
    from workbench.pipeline import Workbench
    from workbench.session import Session
    from workbench.session.agent_file import read_agent

    spec = read_agent(policy_text(agent) or "")
    session = Session.create(folder, policy_text(request) or "", spec)
    with contextlib.closing(Workbench(session)) as bench:
        _copy_logs(log or (), folder / "logs")
        bench.redraft()
        left = len(bench.understand(logs=bench.load_logs()).open)
    write(f"Made {folder}.")
    write(f"{counted(left, 'open question')}; see 'workbench ask {folder}'." if left else "Nothing is open.")
    return 0


def _copy_logs(logs: Iterable[Path], folder: Path) -> None:
    from workbench.model import WorkbenchError

    for log in logs:
        try:
            shutil.copyfile(log, folder / log.name)
        except OSError as error:
            raise WorkbenchError(f"{log} cannot be copied into the session ({error.strerror}).") from error


def doctor(as_json: AsJson = False) -> int:
    """Check what the workbench needs, each with a remedy.

    Nagini is tried with a real proof, which takes some seconds. Exits with 3 if something is missing.
    """
    from workbench.cli.text import finding_lines
    from workbench.doctor import Finding, examinations, json_finding

    findings: list[Finding] = []
    for examination in examinations():
        progress(f"Examining {examination.subject}")
        findings.append(examination.run())
        if not as_json:
            for line in finding_lines(findings[-1]):
                write(line)
    if as_json:
        write_json([json_finding(finding) for finding in findings])
    return 3 if any(finding.needed and not finding.good for finding in findings) else 0
