"""A folder of records as look-ups would have returned them before a run, for replays without these look-ups.

It has a file for each kind of record, ``user.json`` or ``users.json``: an object of records by key, or a
list of records. Records that one look-up returns by one key may share a file. The folder is used only for
records that no earlier call of the run reported or changed.
"""

from __future__ import annotations

from pathlib import Path

from workbench.model import Json, Provenance, Record, WorkbenchError
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Missing
from workbench.runs.values.json_paths import only, parse_parts
from workbench.runs.values.jsontext import BadJson, parse_json
from workbench.runs.world.facts import Fact, RecordState
from workbench.runs.world.record_keys import in_normal_form, key_text
from workbench.runs.world.record_values import RecordValues

METHOD = "database"


class FolderDatabase:
    """The records in the files of a folder, each file read once."""

    def __init__(self, folder: Path, records: tuple[Record, ...]) -> None:
        """Read the files of the records whose key has one part.

        Raises WorkbenchError if there is no such file, or if one cannot be read.
        """
        single = tuple(record for record in records if record.key and not record.key_parts)
        keys = {record.name: record.key for record in single}
        files = {record.name: _file(folder, record, records) for record in single}
        self._files = {name: path for name, path in files.items() if path is not None}
        if not self._files:
            wanted_files = ", ".join(f"{name}s.json" for name in keys) or "none has a key"
            raise WorkbenchError(
                f"{folder} has no file of a record that the agent declares ({wanted_files})."
            )
        wanted_of = {(path, keys[name]) for name, path in self._files.items()}
        held = {(path, key): _by_key(path, key) for path, key in wanted_of}
        self._records = {name: held[path, keys[name]] for name, path in self._files.items()}
        self._facts: dict[tuple[str, str], Fact | None] = {}

    def fact(self, record: Record, key: str, values: RecordValues) -> Fact | None:
        """The fact about a record; None if the folder has no file for it. Each fact is read once."""
        fact_key = record.name, key
        if fact_key not in self._facts:
            self._facts[fact_key] = self._fact(record, key, values)
        return self._facts[fact_key]

    def _fact(self, record: Record, key: str, values: RecordValues) -> Fact | None:
        record_by_key = self._records.get(record.name)
        if record_by_key is None:
            return None
        name = self._files[record.name].name
        place = Provenance(f"{METHOD} ({name})")
        if record.normal and key not in record_by_key:
            form = in_normal_form(record, key)
            key = next((other for other in record_by_key if in_normal_form(record, other) == form), key)
        if key not in record_by_key:
            return Fact(RecordState.ABSENT, None, f"{name} has none of this key", place)
        own_keys = only(record_by_key[key], parse_parts(record.key))
        if own_keys and key_text(own_keys[0][0], record.normal) != key_text(key, record.normal):
            why = f"{name} has another {record.key} in the record of {key}: {shown(own_keys[0][0])}"
            return Fact(RecordState.NOT_DETERMINABLE, None, why, place)
        try:
            return Fact(RecordState.KNOWN, values.record(record, record_by_key[key]), "", place)
        except Missing as missing:
            return Fact(RecordState.NOT_DETERMINABLE, None, f"{name}: {missing}", place)


def _file(folder: Path, record: Record, records: tuple[Record, ...]) -> Path | None:
    """The file of a record, or of another record that the same look-up returns by the same key."""
    alike_records = (
        other_record
        for other_record in records
        if record.look_up and (other_record.look_up, other_record.key) == (record.look_up, record.key)
    )
    names = (name for alike in (record, *alike_records) for name in (alike.name, _many(alike.name)))
    return next((path for name in names if (path := folder / f"{name}.json").is_file()), None)


def _many(name: str) -> str:
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def _by_key(path: Path, key: str) -> dict[str, Json]:
    try:
        value = parse_json(path.read_text("utf-8"), unique_keys=True, bounded=False)
    except (OSError, UnicodeDecodeError, BadJson) as error:
        raise WorkbenchError(f"{path} cannot be read as JSON: {error}.") from None
    if isinstance(value, dict):
        return value
    record_by_key: dict[str, Json] = {}
    for item in value if isinstance(value, list) else ():
        named = only(item, parse_parts(key))
        name = key_text(named[0][0]) if named else None
        if name is None or name in record_by_key:
            raise WorkbenchError(f"{path} has a record without a {key} of its own.")
        record_by_key[name] = item
    return record_by_key
