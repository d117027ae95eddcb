"""The errors of a session: one clear sentence each."""

from __future__ import annotations

from workbench.files.file_error import FileError


class SessionError(FileError):
    """A session cannot be read or written as asked."""


class SessionConflict(SessionError):
    """A file changed outside the workbench since it was read.

    Both versions are in the journal. The session shows the outside version. A second try of the same change
    succeeds.
    """
