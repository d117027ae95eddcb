"""The errors of a session: one clear sentence each."""

from __future__ import annotations

from workbench.model import Problem, WorkbenchError


class SessionError(WorkbenchError):
    """A session cannot be read or written as asked."""


class SessionConflict(SessionError):
    """A file changed outside the workbench since it was read.

    Both versions are in the journal, the outside one is what the session shows;
    the same change tried again goes through.
    """


def at(path: str, message: str, instead: str = "", line: int = 0) -> SessionError:
    """An error with its place: file, line where known, what is wrong, what to do."""
    problem = Problem(message=message, instead=instead, line=line, path=path)
    return SessionError(str(problem), problems=(problem,))
