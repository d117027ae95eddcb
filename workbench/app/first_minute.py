"""The session of the first minute: a person's own copy of a shipped one, in which one question is open."""

from __future__ import annotations

import contextlib
from pathlib import Path

from workbench.app.own_copy import own_copy
from workbench.app.workbench import Workbench
from workbench.files.private import data_folder
from workbench.model import WorkbenchError

NAME = "travel-desk"


def shipped_session() -> Path:
    """The folder of the shipped session. Raises WorkbenchError if it was not installed."""
    package = Path(__file__).resolve().parent.parent
    for place in (package / "shipped" / NAME, package.parent / "sessions" / NAME):
        if (place / "session.toml").is_file():
            return place
    raise WorkbenchError("No session was installed to try; open one of your own.", exit_code=3)


def first_session() -> tuple[Path, str]:
    """The copy in the user's data folder, and a sentence on where it is.

    If the copy is missing, it is made and one answer is taken back, so that a question is open.
    """
    copy, is_new = own_copy(shipped_session(), data_folder() / "sessions")
    if is_new:
        open_question(copy)
    return copy, f"This is your copy of {NAME}, to change as you like: {copy}"


def open_question(session: Path) -> None:
    """Take back the first answer about the bound of a sentence, if there is one."""
    with contextlib.closing(Workbench.open(session)) as bench:
        answered = [assumption.question for assumption in bench.request.assumptions]
        bounds = [question for question in answered if question.startswith("boundary:")]
        if bounds and not bench.session.read_only:
            bench.questions.retract(bounds[0])
