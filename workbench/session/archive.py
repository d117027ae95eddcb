"""The files of a session that are only appended to: one record per line, as JSON."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from workbench.files.bounded_text import load_json
from workbench.files.regular import append_line, read_regular
from workbench.files.strict_reading import TablePlace, read_form
from workbench.model import Json
from workbench.redact import redact_json
from workbench.session.atomic import inside
from workbench.session.session_error import SessionError

if TYPE_CHECKING:
    from pydantic import BaseModel


def read_records[F: BaseModel](folder: Path, name: str, form: type[F]) -> tuple[F, ...]:
    """The records of a file, oldest first; a line that a crash cut off is left out.

    Raises FileError for any other line that is not such a record.
    """
    try:
        data = read_regular(inside(folder, name))
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise SessionError(f"{name} cannot be read: {error.strerror}.", exit_code=3) from error
    records: list[F] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        with contextlib.suppress(ValueError):
            value = load_json(line.decode("utf-8"))
            if isinstance(value, dict):
                record = cast("Mapping[str, Json]", value)
                records.append(read_form(form, record, TablePlace(name, line=number)))
    return tuple(records)


def append_record(folder: Path, name: str, record: Mapping[str, Json]) -> None:
    """Add one record to a file, with keys and tokens removed."""
    path = inside(folder, name)
    try:
        append_line(path, json.dumps(redact_json(dict(record))).encode("ascii"), sync=True)
    except OSError as error:
        raise SessionError(f"{path} cannot be written: {error.strerror}.", exit_code=3) from error
