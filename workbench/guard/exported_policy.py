"""Reading a policy that ``workbench export`` wrote, without running any of the file.

The policy's text is taken out of the file, read by the checker of the dialect, and exported again. A file
that differs in any character from that export is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.files.regular import read_regular
from workbench.guard.call_reading import CallReader, CallReading
from workbench.guard.export import (
    END,
    HASH,
    READING,
    READING_END,
    START,
    TITLE,
    export_policy,
    file_hash,
)
from workbench.guard.export_several import POLICIES, TITLE_OF_SEVERAL, ExportedPart, export_several
from workbench.guard.exported_reading import read
from workbench.guard.exported_text import disclosed
from workbench.model import WorkbenchError
from workbench.policy.check import check
from workbench.policy.written import speaking_of


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """An exported file: its header, its policy compiled from the checked text, and how calls are read."""

    path: Path
    header: Mapping[str, str]
    policy: CompiledPolicy
    reading: CallReading | None = None
    source: str = ""


def read_policy_files(path: Path | str) -> Mapping[str, PolicyFile]:
    """The policies of an exported file: by name if it has several, else one under an empty name.

    Raises WorkbenchError if the file is not an exported file or was changed.
    """
    file = Path(path)
    text = _text(file)
    if not text.startswith(TITLE_OF_SEVERAL):
        return {"": _policy_of(text, file)}
    hashed_text = _below_hash(text, file, TITLE_OF_SEVERAL)
    parts = {name: _policy_of(part, file, alone=False) for name, part in _parts(hashed_text).items()}
    whole = {
        name: ExportedPart(check(policy_file.source, str(file)), policy_file.header, policy_file.reading)
        for name, policy_file in parts.items()
        if policy_file.reading is not None
    }
    if (
        not parts
        or len(whole) < len(parts)
        or export_several(whole, _header(hashed_text).get("tried", "")) != text
    ):
        raise WorkbenchError(
            f"{file} is not what this workbench exports of the policies in it; it was not run. "
            "Another version wrote it, or it was made by hand: export the sessions again."
        )
    return parts


def _parts(hashed_text: str) -> dict[str, str]:
    """The texts of the policies in a file of several; empty if it does not contain them."""
    try:
        for statement in ast.parse(hashed_text).body:
            match statement:
                case ast.Assign([ast.Name(name)], value) if name == POLICIES:
                    literal: object = ast.literal_eval(value)
                    texts = cast("dict[object, object]", literal) if isinstance(literal, dict) else {}
                    return {str(name): str(text) for name, text in texts.items()}
                case _:
                    pass
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    return {}


def _below_hash(text: str, file: Path, expected: str) -> str:
    """The text below title and hash of an exported file. Raises WorkbenchError if title or hash is wrong."""
    title, _, rest = text.partition("\n")
    hash_line, _, rest = rest.partition("\n")
    if title != expected or not hash_line.startswith(HASH):
        raise WorkbenchError(f"{file} is not an exported policy. Write one with `workbench export`.")
    if hash_line.removeprefix(HASH) != file_hash(rest, expected):
        raise WorkbenchError(f"{file} was changed after its export. Change the session and export again.")
    return rest


def _policy_of(text: str, file: Path, *, alone: bool = True) -> PolicyFile:
    hashed_text = _below_hash(text, file, TITLE)
    header = _header(hashed_text)
    _, start, body = hashed_text.partition(f"\n{START}\n")
    body, end, _ = body.partition(f"\n{END}\n")
    try:
        reading = _reading(hashed_text)
        terms = check(disclosed(body) + "\n", str(file))
        terms = terms if reading is None else speaking_of(terms, reading.arguments)
        is_same = bool(start and end) and export_policy(terms, header, reading, alone=alone) == text
    except WorkbenchError as error:
        raise WorkbenchError(f"{file} holds no policy of the dialect; it was not run. {error}") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise WorkbenchError(
            f"{file} does not say rightly how calls are read; it was not run. Export the session again."
        ) from error
    if not is_same:
        raise WorkbenchError(
            f"{file} is not what this workbench exports of the policy in it; it was not run. "
            "Another version wrote it, or it was made by hand: export the session again."
        )
    return PolicyFile(file, header, compile_policy(terms), reading, terms.source)


def reader_of_file(policy: PolicyFile) -> CallReader:
    """The reader of calls that the file declares. Raises WorkbenchError without a correct declaration."""
    from workbench.runs.replay.live_guard import reader_of

    if policy.reading is None:
        raise WorkbenchError(
            f"{policy.path} does not say how calls are read: give arguments_of, or export the session again."
        )
    try:
        return reader_of(policy.reading)
    except (TypeError, AttributeError, ValueError) as error:
        raise WorkbenchError(f"{policy.path} does not say rightly how calls are read ({error}).") from error


def _reading(hashed_text: str) -> CallReading | None:
    """The declarations by which calls are read; None if the file has none."""
    _, start, part = hashed_text.partition(f"\n{READING}\n")
    described, _, _ = part.partition(f"\n{READING_END}\n")
    return read(described.removeprefix("    return ")) if start else None


def _text(file: Path) -> str:
    try:
        return read_regular(file.resolve()).decode("utf-8")
    except OSError as error:
        raise WorkbenchError(f"{file} cannot be read: {error.strerror}. Export the policy again.") from error
    except (UnicodeDecodeError, RuntimeError) as error:
        raise WorkbenchError(f"{file} is no text. Export the policy again.") from error


def _header(hashed_text: str) -> dict[str, str]:
    value_by_name: dict[str, str] = {}
    for line in hashed_text.split("\n"):
        if not line.startswith("# "):
            break
        name, _, value = line[2:].partition(": ")
        value_by_name[name] = value
    return value_by_name
