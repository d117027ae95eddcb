"""Values cut to the fields that a policy reads: records without the fields that their types lack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from workbench.model import Arguments, ArgumentType, Element, RecordValue, Value, field_of

NOTHING_READ = "none_read"
"""The field of a record of which a lowered policy reads only that it is there; it is false."""


def narrowed(value: Value, declared: ArgumentType) -> Value:
    """The value with only the fields of its type, in the order of the type; other values are unchanged."""
    if isinstance(value, RecordValue) and declared.record is not None and value.type == declared.record.name:
        present_names = {name for name, _ in value.fields}
        fields = [name for name, _ in declared.record.fields]
        if fields == [NOTHING_READ] and NOTHING_READ not in present_names:
            return RecordValue(value.type, ((NOTHING_READ, False),))
        names = [(name, kind) for name, kind in declared.record.fields if name in present_names]
        return RecordValue(
            value.type, tuple((name, narrowed(field_of(value, name), kind)) for name, kind in names)
        )
    if isinstance(value, tuple) and declared.element is not None and declared.element.record is not None:
        return tuple(cast("Element", narrowed(element, declared.element)) for element in value)
    return value


def narrowed_arguments(types: Mapping[str, ArgumentType], values: Arguments) -> dict[str, Value]:
    """The values of arguments, each with only the fields of its type."""
    return {name: narrowed(value, types[name]) if name in types else value for name, value in values.items()}
