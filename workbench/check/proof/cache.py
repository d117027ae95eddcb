"""Verdicts on disk, by the content of what was proved.

One small file per clause, named by the hash of all that its truth depends on and of the
versions of everything that decided it. Reopening or undoing finds them at once. Only what
is certain is kept: a proof, or a refutation with a confirmed counterexample.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import cast

from workbench.json_form import json_arguments
from workbench.model import Arguments, Json, Kind, ProofStatus, Value
from workbench.policy.lowering.lower import LOWERING_VERSION
from workbench.policy.terms import PolicyTerms

FORMAT = 1
MOST_FILES = 20_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored verdict: proved, or refuted with the arguments of a confirmed counterexample."""

    status: ProofStatus
    arguments: Arguments | None = None
    seconds: float = 0.0


def cache_folder() -> Path:
    """``$WORKBENCH_CACHE_DIR``, or the user's cache folder."""
    chosen = os.environ.get("WORKBENCH_CACHE_DIR")
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("policy-workbench", appauthor=False)


def engine_versions() -> str:
    """The versions that a verdict depends on."""
    found = [f"format {FORMAT}", f"lowering {LOWERING_VERSION}"]
    for package in ("nagini", "z3-solver"):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} absent")
    return ", ".join(found)


class VerdictCache:
    """The verdicts stored in a folder. Whatever cannot be read or written counts as absent."""

    def __init__(self, folder: Path | None = None, versions: str | None = None) -> None:
        self._folder = (folder if folder is not None else cache_folder()) / "verdicts"
        self._versions = versions if versions is not None else engine_versions()

    def _path(self, key: str) -> Path:
        name = hashlib.sha256(f"{self._versions}\n{key}".encode()).hexdigest()
        return self._folder / name[:2] / f"{name}.json"

    def get(self, key: str, terms: PolicyTerms) -> Entry | None:
        """The verdict stored under a clause's key, with arguments of the policy's types."""
        try:
            stored = cast("Json", json.loads(self._path(key).read_text(encoding="utf-8")))
            if not isinstance(stored, dict) or stored.get("key") != key:
                return None
            status = ProofStatus(str(stored["status"]))
            seconds = stored.get("seconds", 0.0)
            took = float(seconds) if isinstance(seconds, (int, float)) else 0.0
            if status is ProofStatus.PROVED:
                return Entry(status, None, took)
            arguments = stored.get("arguments")
            if status is ProofStatus.REFUTED and isinstance(arguments, dict):
                return Entry(status, _arguments(arguments, terms), took)
        except (OSError, ValueError, KeyError, TypeError, ArithmeticError):
            return None
        return None

    def put(self, key: str, entry: Entry) -> None:
        """Store a verdict; an unknown is never stored."""
        if entry.status is ProofStatus.UNKNOWN:
            return
        stored: dict[str, Json] = {"key": key, "status": entry.status.value, "seconds": entry.seconds}
        if entry.arguments is not None:
            stored["arguments"] = json_arguments(entry.arguments)
        path = self._path(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(stored, file)
                Path(temporary).replace(path)
            finally:
                Path(temporary).unlink(missing_ok=True)

    def trim(self) -> None:
        """Forget the oldest verdicts beyond ``MOST_FILES``."""
        with suppress(OSError):
            files = sorted(self._folder.glob("*/*.json"), key=lambda path: path.stat().st_mtime)
            for path in files[:-MOST_FILES]:
                path.unlink(missing_ok=True)


def _arguments(stored: Mapping[str, Json], terms: PolicyTerms) -> dict[str, Value]:
    """Stored arguments in the types of a policy.

    Raises:
        KeyError, ValueError, TypeError, ArithmeticError: they do not fit.
    """
    found: dict[str, Value] = {}
    for argument in terms.arguments:
        value = stored[argument.name]
        if value is None and argument.type.optional:
            found[argument.name] = None
            continue
        found[argument.name] = _value(argument.type.kind, value)
    return found


def _value(kind: Kind, value: Json) -> Value:
    match kind, value:
        case (Kind.BOOL, bool()) | (Kind.STR | Kind.ENUM, str()):
            return value
        case (Kind.INT, int()) if not isinstance(value, bool):
            return value
        case (Kind.SET, list()):
            return frozenset(str(one) for one in value)
        case (Kind.DECIMAL, str()):
            return Decimal(value)
        case (Kind.DATE, str()):
            return date.fromisoformat(value)
        case (Kind.TIME, str()):
            return time.fromisoformat(value)
        case (Kind.DATETIME, str()):
            return datetime.fromisoformat(value)
        case _:
            raise ValueError(f"{value!r} is not a {kind.value}")
