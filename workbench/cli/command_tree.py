"""The commands by name. A command's module is imported when the command is asked for.

A command imports the modules that it works with only when it is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

# The commands and groups of commands in the order of the help, each with its module and the name there.
SECTIONS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Begin": {
        "new": ("sessions", "new"),
        "open": ("sessions", "open_session"),
        "tour": ("sessions", "tour"),
        "serve": ("serving", "serve"),
        "doctor": ("sessions", "doctor"),
    },
    "Say what is meant": {
        "ask": ("questions", "ask"),
        "say": ("saying", "say"),
        "answer": ("questions", "answer"),
        "assumptions": ("assumptions", "assumptions"),
        "request": ("questions", "request"),
        "draft": ("policy_file", "draft"),
        "undo": ("policy_file", "undo"),
        "redo": ("policy_file", "redo"),
    },
    "Show that it is right": {
        "check": ("checking", "check"),
        "test": ("checking", "test"),
        "verify": ("checking", "verify"),
        "theorems": ("theorems", "theorems"),
        "strength": ("evidence", "strength"),
        "evidence": ("evidence", "evidence"),
        "cases": ("cases", "cases"),
        "report": ("reporting", "report"),
    },
    "What the agent did": {
        "replay": ("replaying", "replay"),
        "explain": ("explanations", "explain"),
        "denials": ("explanations", "denials"),
        "diff": ("diff", "diff"),
        "evaluate": ("evaluating", "evaluate"),
        "strategies": ("guard_commands", "strategies"),
    },
    "Guard": {
        "export": ("guard_commands", "export"),
        "guard": ("guard_commands", "guard"),
        "hook": ("hooks", "hook"),
        "grant": ("grants", "grant"),
        "live": ("live_runs", "live"),
        "mcp": ("serving", "mcp"),
        "overlaps": ("overlaps", "overlaps"),
    },
    "GuardAgent": {
        "guardagent": ("guardagent", "guardagent"),
        "memory": ("guardagent", "memory"),
    },
    "Files of a policy": {
        "propose": ("sessions", "propose"),
        "stub": ("policy_file", "stub"),
    },
}
_GROUPS = frozenset(["guard", "hook", "memory"])
_PLACES = {name: place for section in SECTIONS.values() for name, place in section.items()}
COMMANDS = tuple(name for name in _PLACES if name not in _GROUPS)
GROUPS = tuple(name for name in _PLACES if name in _GROUPS)


class _Program(TyperGroup):
    """The program, whose help lists the commands under the headings of what they are for."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        limit = formatter.width - 6 - max(len(name) for name in _PLACES)
        for heading, section in SECTIONS.items():
            listed = [(name, self.get_command(ctx, name)) for name in section]
            rows = [(name, command.get_short_help_str(limit)) for name, command in listed if command]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows, col_max=limit)


def tree(named: str = "") -> typer.Typer:
    """The command or group with a name, under the program; all commands if the name is unknown."""
    app = typer.Typer(
        name="workbench",
        cls=_Program,
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
    for name, place in _PLACES.items():
        if name == named or named not in _PLACES:
            if name in _GROUPS:
                app.add_typer(_imported(*place), name=name)
            else:
                app.command(name=name)(_imported(*place))
    return app


def _imported(module: str, name: str) -> Any:
    return getattr(import_module(f"workbench.cli.{module}"), name)


def _version(wanted: bool) -> None:
    if wanted:
        from workbench.app.crash_report import installed_version
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
