"""The commands by name. A command's module is imported when the command is asked for.

A command imports the modules that it works with only when it is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any

import typer

# The commands in the order of the help, each with its module and the name of its function.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "open": ("sessions", "open_session"),
    "tour": ("sessions", "tour"),
    "serve": ("serving", "serve"),
    "mcp": ("serving", "mcp"),
    "new": ("sessions", "new"),
    "check": ("checking", "check"),
    "ask": ("questions", "ask"),
    "answer": ("questions", "answer"),
    "assumptions": ("assumptions", "assumptions"),
    "request": ("questions", "request"),
    "test": ("checking", "test"),
    "cases": ("cases", "cases"),
    "case": ("cases", "case"),
    "verify": ("checking", "verify"),
    "replay": ("replaying", "replay"),
    "explain": ("explanations", "explain"),
    "denials": ("explanations", "denials"),
    "guardagent": ("guardagent", "guardagent"),
    "propose": ("proposing", "propose"),
    "strategies": ("guard_commands", "strategies"),
    "live": ("live_runs", "live"),
    "export": ("guard_commands", "export"),
    "strength": ("evidence", "strength"),
    "evidence": ("evidence", "evidence"),
    "theorems": ("theorems", "theorems"),
    "report": ("reporting", "report"),
    "draft": ("policy_file", "draft"),
    "rules": ("rules", "rules"),
    "say": ("saying", "say"),
    "diff": ("diff", "diff"),
    "overlaps": ("overlaps", "overlaps"),
    "lower": ("policy_file", "lower"),
    "stub": ("policy_file", "stub"),
    "undo": ("policy_file", "undo"),
    "redo": ("policy_file", "redo"),
    "evaluate": ("evaluating", "evaluate"),
    "doctor": ("sessions", "doctor"),
}
GROUPS: Mapping[str, tuple[str, str]] = {
    "guard": ("guard_commands", "guard"),
    "hook": ("hooks", "hook"),
    "memory": ("demonstrations", "memory"),
}


def tree(named: str = "") -> typer.Typer:
    """The command or group with a name, under the program; all commands if the name is unknown."""
    app = typer.Typer(
        name="workbench",
        help="Author, clarify, test, prove and replay the policies that guard LLM agents.",
        epilog=(
            "Exit codes: 0 all good; 1 something is refuted, failing or open; 2 wrong usage or input; "
            "3 the environment lacks something; 130 interrupted."
        ),
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback()(common)
    alone = named in COMMANDS or named in GROUPS
    for name, place in COMMANDS.items():
        if name == named or not alone:
            app.command(name=name)(_imported(*place))
    for name, place in GROUPS.items():
        if name == named or not alone:
            app.add_typer(_imported(*place), name=name)
    return app


def _imported(module: str, name: str) -> Any:
    return getattr(import_module(f"workbench.cli.{module}"), name)


def _version(wanted: bool) -> None:
    if wanted:
        from workbench.cli.crash import installed_version
        from workbench.cli.output import write

        write(f"workbench {installed_version()}")
        raise typer.Exit


def common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Author, clarify, test, prove and replay the policies that guard LLM agents."""
    del version
