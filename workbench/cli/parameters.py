"""The arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SessionPath = Annotated[
    Path, typer.Argument(metavar="SESSION", help="The session's folder.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Write data as JSON to standard output.")]
ReplayCalls = Annotated[
    bool,
    typer.Option("--replay-calls", help="Never ask a model: use the calls that the session recorded."),
]
OtherPolicy = Annotated[
    Path | None,
    typer.Option("--policy", metavar="FILE", help="Use this policy file instead of the session's."),
]


def policy_text(path: Path | None) -> str | None:
    """The text of another policy file, None where none was given.

    Raises:
        WorkbenchError: it cannot be read.
    """
    return None if path is None else text_of(path, "a policy file")


def policy_name(path: Path | None) -> str:
    """What messages call the policy: the file that was given, else the session's."""
    return "policy.py" if path is None else str(path)


def text_of(path: Path, wanted: str) -> str:
    """The text of a file that a person names; ``wanted`` says what it should be.

    Raises:
        WorkbenchError: it cannot be read.
    """
    from workbench.model import WorkbenchError

    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise WorkbenchError(f"{path} is not UTF-8 text; save it as UTF-8.") from error
    except OSError as error:
        raise WorkbenchError(f"{path} cannot be read ({error.strerror}); name {wanted}.") from error
