"""Values that say more than a policy asks: records without the fields that its types do not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from workbench.model import Arguments, ArgumentType, Element, RecordValue, Value, field_of


def narrowed(value: Value, declared: ArgumentType) -> Value:
    """The value with the fields that the type has, in the order of the type; else as it is."""
    if isinstance(value, RecordValue) and declared.record is not None and value.type == declared.record.name:
        present_names = {name for name, _ in value.fields}
        names = [(name, kind) for name, kind in declared.record.fields if name in present_names]
        return RecordValue(
            value.type, tuple((name, narrowed(field_of(value, name), kind)) for name, kind in names)
        )
    if isinstance(value, tuple) and declared.element is not None and declared.element.record is not None:
        return tuple(cast("Element", narrowed(element, declared.element)) for element in value)
    return value


def narrowed_arguments(types: Mapping[str, ArgumentType], values: Arguments) -> dict[str, Value]:
    """The values of arguments, each with the fields that its type has."""
    return {name: narrowed(value, types[name]) if name in types else value for name, value in values.items()}
