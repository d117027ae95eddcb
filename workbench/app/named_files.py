"""Files outside a session that a person names: reading and writing their text, with errors in our words."""

from __future__ import annotations

from pathlib import Path

from workbench.model import WorkbenchError

MOST_BYTES = 32_000_000


def read_named(path: Path, expected: str) -> str:
    """The text of a file that a person names, which may be a pipe; ``expected`` is what it should be.

    Raises:
        WorkbenchError: it cannot be read, or has no end within the bytes that a text may have.
    """
    try:
        with path.expanduser().open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise WorkbenchError(f"{path} is larger than {MOST_BYTES // 1_000_000} MB; name {expected}.")
        return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise WorkbenchError(f"{path} is not UTF-8 text; save it as UTF-8.") from error
    except OSError as error:
        raise WorkbenchError(f"{path} cannot be read ({error.strerror}); name {expected}.") from error


def write_named(path: Path, text: str) -> None:
    """Write a text to a file that a person names, in place of its content.

    Raises:
        WorkbenchError: it cannot be written.
    """
    from workbench.session.atomic import write_atomic

    try:
        write_atomic(path.expanduser().resolve(), text.encode("utf-8"))
    except OSError as error:
        raise WorkbenchError(f"{path} cannot be written ({error.strerror}); name another file.") from error
