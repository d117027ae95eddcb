"""Commands for the hooks of coding agents: answering an event, installing, reporting."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.app.hook_guard import Client, Mode
from workbench.clean_text import one_line
from workbench.cli.output import note, paint, tell, write
from workbench.cli.parameters import AsJson
from workbench.files.private import hook_folder
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.hook_report import HookReport
    from workbench.hook.installation import SettingsChange

hook = typer.Typer(
    help="Guard a coding agent by a session.",
    rich_markup_mode=None,
)

GuardingSession = Annotated[
    Path, typer.Option("--session", metavar="SESSION", help="The session that decides.", show_default=False)
]
Pin = Annotated[str, typer.Option(metavar="HASH", help="Decide only by the accepted version with this hash.")]
Shadow = Annotated[bool, typer.Option("--shadow", help="Decide and log, but let every call pass.")]
ClientName = Annotated[Client, typer.Argument(metavar="CLIENT", help="The coding agent.", show_default=False)]
Project = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Use the settings of this repository instead of your own."),
]


@hook.callback()
def common() -> None:
    """Guard a coding agent by a session: Claude Code, Codex, the Gemini CLI, OpenCode."""


def _answer(client: Client, session: Path, pin: str, *, shadow: bool) -> int:
    from workbench.hook.relay import main

    mode = Mode.SHADOW if shadow else Mode.ENFORCE
    place = session.resolve()
    return main([client.value, str(hook_folder(place)), str(place), pin, mode.value])


@hook.command(Client.CLAUDE_CODE.value)
def claude_code(session: GuardingSession, pin: Pin = "", shadow: Shadow = False) -> int:
    """Answer an event of Claude Code, on standard input; whatever goes wrong denies."""
    return _answer(Client.CLAUDE_CODE, session, pin, shadow=shadow)


@hook.command(Client.CODEX.value)
def codex(session: GuardingSession, pin: Pin = "", shadow: Shadow = False) -> int:
    """Answer an event of Codex, on standard input; whatever goes wrong denies."""
    return _answer(Client.CODEX, session, pin, shadow=shadow)


@hook.command(Client.GEMINI.value)
def gemini(session: GuardingSession, pin: Pin = "", shadow: Shadow = False) -> int:
    """Answer an event of the Gemini CLI, on standard input; whatever goes wrong denies."""
    return _answer(Client.GEMINI, session, pin, shadow=shadow)


@hook.command(Client.OPENCODE.value)
def opencode(session: GuardingSession, pin: Pin = "", shadow: Shadow = False) -> int:
    """Answer an event of OpenCode's plugin, on standard input; whatever goes wrong denies."""
    return _answer(Client.OPENCODE, session, pin, shadow=shadow)


@hook.command()
def install(
    client: ClientName,
    session: Annotated[
        Path | None,
        typer.Option("--session", metavar="SESSION", help="The session that decides.", show_default=False),
    ] = None,
    project: Project = None,
    shadow: Shadow = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take the hook away again.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking.")] = False,
) -> int:
    """Put the hook into a client's settings, or take it away: shows the difference, asks, writes.

    The hook decides by the version that is accepted now, by its hash: install it again after accepting
    another one.
    """
    from workbench.app.hook_guard import accepted_pin
    from workbench.cli.person import agree, mark_guarding
    from workbench.hook.installation import HookPlace, planned, removal
    from workbench.hook.installation import write as write_settings
    from workbench.model import WorkbenchError

    if remove:
        change = removal(client, project)
    elif session is None:
        raise WorkbenchError("Name the session that decides: --session SESSION.")
    else:
        mode = Mode.SHADOW if shadow else Mode.ENFORCE
        change = planned(HookPlace(client, session, accepted_pin(session), mode, project))
    if not change.diff:
        note(f"{change.path} is as it should be already.")
        return 0
    for line in change.diff:
        tone = Tone.GOOD if line.startswith("+") else Tone.BAD if line.startswith("-") else Tone.MUTED
        write(paint(line, tone))
    is_guarded = _is_guarded(change)
    if is_guarded:
        agree(f"{change.path} has a hook of the workbench. {'Take it away' if remove else 'Change it'}?")
    elif not yes and not _confirmed(change):
        note("Nothing was written.")
        return 1
    if session is not None and not remove:
        mark_guarding(session)
    write_settings(change, installing=not remove)
    note(f"Wrote {change.path}." if change.after is not None else f"Removed {change.path}.")
    if session is not None and not remove:
        for sentence in _next_steps(client, session.resolve()):
            note(sentence)
    return 0


def _is_guarded(change: SettingsChange) -> bool:
    """Whether a hook of the workbench is in force now."""
    from workbench.hook.installation import MARK

    return MARK.encode() in (change.before or b"")


def _confirmed(change: SettingsChange) -> bool:
    """Whether the person at the terminal agrees; without a terminal nobody does."""
    if not sys.stdin.isatty():
        note("Standard input is no terminal; --yes writes without asking.")
        return False
    sys.stderr.write(f"Write {one_line(str(change.path))}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _next_steps(client: Client, session: Path) -> Iterator[str]:
    swapped = session.with_name(session.name.swapcase())
    if swapped != session and swapped.exists() and swapped.samefile(session):
        yield (
            'Case tells no files apart on this disk, so without file_system = "ignore_case" in each tool of '
            "agent.toml, and names in small letters, the policy takes .Claude for other than .claude."
        )
    if client is Client.CODEX:
        yield "Codex skips a hook that is not trusted, without a word: start codex, and trust it by /hooks."
    yield "Let the client run one command; then 'workbench doctor' says whether the hook is in force."


@hook.command()
def report(
    session: GuardingSession,
    as_json: AsJson = False,
) -> int:
    """Say what the hooks of a session decided, day by day: in shadow mode what would have been refused.

    Exits with 1 if something went wrong beside the decisions.
    """
    from workbench.app.hook_report import read_report

    found = read_report(hook_folder(session))
    tell(found, _report_lines(found), as_json=as_json)
    return 1 if found.troubles else 0


def _report_lines(found: HookReport) -> Iterator[str]:
    if not found.days and not found.troubles:
        yield "No hook of this session was asked yet."
    for day in found.days:
        words = "would have refused" if day.shadow else "refused"
        counts = f"{day.allowed} allowed, {day.denied} denied, {day.asked} asked about"
        rest = f", {day.not_evaluated} that cannot be evaluated" if day.not_evaluated else ""
        yield paint(f"{day.day}  {counts}{rest}{' (shadow: all ran)' if day.shadow else ''}", Tone.TITLE)
        for refused in day.refused:
            yield f"  {words} {refused.count}x by {one_line(refused.rule, 200)} ({refused.verdict})"
            yield from (f"    {one_line(example)}" for example in refused.examples)
    for trouble in found.troubles:
        yield paint(f"The guard was broken {trouble.count}x, last {one_line(trouble.last)}", Tone.BAD)
        yield f"  {one_line(trouble.trouble)}"
