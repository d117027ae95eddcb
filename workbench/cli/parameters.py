"""The arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from workbench.app.policy import PolicyTerms
    from workbench.app.workbench import Workbench

SessionPath = Annotated[
    Path, typer.Argument(metavar="SESSION", help="The session's folder.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Write data as JSON to standard output.")]
ReplayCalls = Annotated[
    bool,
    typer.Option("--replay-calls", help="Never ask a model: use the calls that the session recorded."),
]
Anyway = Annotated[
    bool, typer.Option("--anyway", help="Store it even if clauses of the contract do not hold then.")
]
OtherPolicy = Annotated[
    Path | None,
    typer.Option("--policy", metavar="FILE", help="Use this policy file instead of the session's."),
]
LogFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--log", metavar="FILE", exists=True, help="Use this log instead of the session's; may be repeated."
    ),
]
Database = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        exists=True,
        file_okay=False,
        help="Let this folder's JSON answer for records that a run tells nothing about.",
    ),
]
Also = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="SESSION",
        help="Guard by the policy of this session too: a call runs if all allow it; may be repeated.",
    ),
]


def policy_text(path: Path | None) -> str | None:
    """The text of another policy file; None if no file was given.

    Raises:
        WorkbenchError: the file cannot be read.
    """
    from workbench.app.named_files import read_named

    return None if path is None else read_named(path, "a policy file")


def terms_of(bench: Workbench, policy: Path | None) -> PolicyTerms:
    """The checked policy of a session, or of another file in its place."""
    return bench.policy.terms(policy_text(policy), policy_name(policy))


def policy_name(path: Path | None) -> str:
    """The name of the policy in messages: that of the given file, else that of the session's policy."""
    return "policy.py" if path is None else str(path)
