"""Texts that were made of others, kept between commands in the user's cache folder.

A file has the texts of one maker (of one version of the code, and of all else that they depend on). It is
signed with a secret that only its user can read, and one that others could have written is not read: then the
texts are made again.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

from workbench.files.private import (
    cache_folder,
    check_folder,
    make_folder,
    read_private,
    secret_key,
    write_private,
)

_FOLDER = "texts"
_LARGEST = 8 * 1024 * 1024
_MOST_TEXTS = 5_000
_MOST_FILES = 60


class KeptTexts:
    """The texts of one maker by key; what cannot be read, trusted or written counts as absent."""

    def __init__(self, maker: str) -> None:
        """Name all that a text depends on beside its key; nothing is read before the first question."""
        self._maker = hashlib.sha256(maker.encode()).hexdigest()
        self._read: dict[str, str] | None = None
        self._new: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        """The text that was made of a key; None if there is none."""
        if self._read is None:
            self._read = self._stored()
        name = _name(key)
        return self._new.get(name, self._read.get(name))

    def put(self, key: str, text: str) -> None:
        """Keep a text; ``save`` writes it."""
        self._new[_name(key)] = text

    def save(self) -> None:
        """Write the new texts, the oldest going first if they are too many."""
        if not self._new:
            return
        texts = {**self._stored(), **self._new}
        self._new = {}
        self._read = dict(list(texts.items())[-_MOST_TEXTS:])
        with suppress(OSError):
            for folder in (cache_folder(), cache_folder() / _FOLDER):
                make_folder(folder)
            self._check()
            content = json.dumps(self._read)
            text = json.dumps({"texts": content, "signature": self._signature(content)})
            if len(text) <= _LARGEST:
                write_private(self._path, text)
                _trim(self._path.parent)

    @property
    def _path(self) -> Path:
        return cache_folder() / _FOLDER / f"{self._maker}.kept"

    def _check(self) -> None:
        check_folder(cache_folder(), link=True)
        check_folder(self._path.parent)

    def _stored(self) -> dict[str, str]:
        try:
            self._check()
            stored = json.loads(read_private(self._path, _LARGEST))
            content, signature = stored["texts"], stored["signature"]
            if not hmac.compare_digest(self._signature(content).encode(), signature.encode()):
                return {}
            return cast("dict[str, str]", json.loads(content))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return {}

    def _signature(self, content: str) -> str:
        return hmac.new(secret_key(), f"texts\n{self._maker}\n{content}".encode(), hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class KeptText:
    """The one text of a key."""

    texts: KeptTexts
    key: str

    def get(self) -> str | None:
        """The text; None if there is none."""
        return self.texts.get(self.key)

    def put(self, text: str) -> None:
        """Keep a text."""
        self.texts.put(self.key, text)


def _name(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _trim(folder: Path) -> None:
    """Forget the files that were written longest ago, if there are too many."""
    files = sorted(folder.glob("*.kept"), key=lambda path: path.lstat().st_mtime)
    for path in files[:-_MOST_FILES]:
        path.unlink(missing_ok=True)


@cache
def code_of(*parts: str) -> str:
    """A hash of the code of some parts of the workbench, whose change may change what they make."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for part in parts:
        path = package / part
        files = [f"{folder}/{name}" for folder, _, names in os.walk(path) for name in names]
        for source in sorted(files) or (str(path),):
            if source.endswith((".py", ".toml", ".txt")):
                digest.update(os.path.relpath(source, package).encode())
                digest.update(hashlib.sha256(Path(source).read_bytes()).digest())
    return digest.hexdigest()
