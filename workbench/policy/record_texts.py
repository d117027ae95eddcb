"""The text of record classes in a policy file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from workbench.model import ArgumentType, RecordType
from workbench.policy.render import render_type


def records_of(types: Iterable[ArgumentType]) -> Iterator[RecordType]:
    """Yield the records that types contain, each once, after the records that it names."""
    record_by_name: dict[str, RecordType] = {}
    for type_ in types:
        _collect(type_, record_by_name)
    yield from record_by_name.values()


def _collect(type_: ArgumentType, record_by_name: dict[str, RecordType]) -> None:
    if type_.element is not None:
        _collect(type_.element, record_by_name)
    if type_.record is not None and type_.record.name not in record_by_name:
        for _, held in type_.record.fields:
            _collect(held, record_by_name)
        record_by_name[type_.record.name] = type_.record


def record_text(record: RecordType, enums: Mapping[str, tuple[str, ...]] | None = None) -> str:
    """The class of a record as text of a policy file."""
    lines = [f"    {name}: {render_type(type_, enums)}" for name, type_ in record.fields]
    return "\n".join(["@dataclass(frozen=True)", f"class {record.name}:", *(lines or ["    pass"])])
