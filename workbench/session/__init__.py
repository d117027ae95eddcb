"""Sessions on disk: the folder, its journal, undo and redo."""

from workbench.session.buffers import Buffer
from workbench.session.journal import FileChange, JournaledChange
from workbench.session.session import FILES, Session
from workbench.session.session_error import SessionConflict, SessionError
from workbench.session.session_files import SessionInfo

__all__ = [
    "FILES",
    "Buffer",
    "FileChange",
    "JournaledChange",
    "Session",
    "SessionConflict",
    "SessionError",
    "SessionInfo",
]
