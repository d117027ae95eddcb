"""The error of a file: one clear sentence with its place."""

from __future__ import annotations

from workbench.model import Problem, WorkbenchError


class FileError(WorkbenchError):
    """A file cannot be read or written as asked."""


def at(path: str, message: str, instead: str = "", line: int = 0) -> FileError:
    """An error with its place: the file, the line if known, the mistake, and the remedy."""
    problem = Problem(message=message, instead=instead, line=line, path=path)
    return FileError(str(problem), problems=(problem,))
