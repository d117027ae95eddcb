"""The compiled methods of dataclasses, kept beside the package as Python keeps its modules.

A dataclass writes the text of its methods when its module is loaded. Python keeps what it compiles of
modules, but it compiles that text in each process: a third of the time in which a command starts. Here it is
kept by the text itself, in the same folder, in which only those can write who can write the package.
"""

from __future__ import annotations

import dataclasses
import marshal
import os
import sys
from contextlib import suppress
from hashlib import sha256
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import CodeType
from typing import cast

_MOST = 5_000
"""The most texts that are kept: those of earlier versions go first."""


class ClassMethods:
    """The code of the texts that dataclasses write; what cannot be read or written is compiled again."""

    def __init__(self, path: Path) -> None:
        """Read what was kept in a file."""
        self._path = path
        self._kept: dict[bytes, bytes] = {}
        self._new: dict[bytes, bytes] = {}
        with suppress(OSError, ValueError, EOFError, TypeError):
            data = path.read_bytes()
            kept: object = marshal.loads(data[len(MAGIC_NUMBER) :]) if data.startswith(MAGIC_NUMBER) else None
            self._kept = cast("dict[bytes, bytes]", kept) if isinstance(kept, dict) else {}

    def execute(self, text: str, names: dict[str, object], own: dict[str, object] | None = None) -> None:
        """What ``exec`` does with a text."""
        key = sha256(text.encode("utf-8", "surrogatepass")).digest()
        kept = self._kept.get(key)
        if kept is None:
            code = compile(text, "<string>", "exec", dont_inherit=True)
            self._new[key] = marshal.dumps(code)
        else:
            code = cast("CodeType", marshal.loads(kept))
        exec(code, names, own)  # noqa: S102 # what dataclasses would do

    def save(self) -> None:
        """Keep what was compiled."""
        if not self._new or sys.dont_write_bytecode:
            return
        every = {**self._kept, **self._new}
        written = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(exist_ok=True)
            written.write_bytes(MAGIC_NUMBER + marshal.dumps(dict([*every.items()][-_MOST:])))
            written.replace(self._path)


def keep_class_methods() -> ClassMethods:
    """Let the dataclasses that are made from here on be compiled once for all processes."""
    kept = ClassMethods(Path(cache_from_source(__file__)).with_suffix(".kept"))
    setattr(dataclasses, "exec", kept.execute)  # noqa: B010 # a name that hides the one of Python
    return kept
