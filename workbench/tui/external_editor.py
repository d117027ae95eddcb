"""A text in the user's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from workbench.model import WorkbenchError


def edit_outside(text: str, suffix: str, environment: Mapping[str, str] = os.environ) -> str:
    """The text after ``$VISUAL`` or ``$EDITOR`` ended; raises WorkbenchError without one."""
    command = environment.get("VISUAL") or environment.get("EDITOR")
    if not command:
        raise WorkbenchError("No editor is set; set EDITOR, for instance to vi.")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"edit{suffix}"
        file.write_text(text, encoding="utf-8")
        try:
            process = subprocess.run([*shlex.split(command), str(file)], check=False)
        except (OSError, ValueError) as error:
            raise WorkbenchError(f"The editor {command!r} cannot be started.") from error
        if process.returncode:
            raise WorkbenchError(f"The editor {command!r} failed; nothing is changed.")
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise WorkbenchError("What the editor wrote is not UTF-8 text; nothing is changed.") from error
