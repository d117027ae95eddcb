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
    if path is None:
        return None
    from workbench.model import WorkbenchError

    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise WorkbenchError(f"{path} is not UTF-8 text; save it as UTF-8.") from error
    except OSError as error:
        raise WorkbenchError(f"{path} cannot be read ({error.strerror}); name a policy file.") from error
