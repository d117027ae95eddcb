"""Parts of values as the kinds of values read them, for tests."""

from __future__ import annotations

from workbench.model import Json, Value
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.values.found_value import Missing


def parts_of(kind: str, value: Json, **options: Json) -> dict[str, Value] | str:
    """All parts of a value, or the reason why it is not determinable."""
    try:
        return dict(KINDS[kind].reader(options).record(value).fields)
    except Missing as missing:
        return str(missing)


def part_of(kind: str, value: Json, part: str, **options: Json) -> Value:
    """One part of a value; None if it is not determinable."""
    parts = parts_of(kind, value, **options)
    return None if isinstance(parts, str) else parts[part]
