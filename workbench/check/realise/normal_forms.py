"""Texts of an input in the normal forms of their fields, and as their schemas permit them.

The solver's texts are any that the policy tells apart. A field with a normal form is read in it, and a text
that the schema of a field does not permit is not read: the input has another in its place, the same
everywhere, so that what was equal stays equal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import cast

from workbench.check.realise.fitting_texts import fitting_text
from workbench.check.realise.json_values import Path, field_at
from workbench.check.realise.run_model import RunModel
from workbench.dialect.call_fields import CallField
from workbench.dialect.run_values import CALL
from workbench.model import TOOL_ARGUMENT, Arguments, Element, RecordValue, Value
from workbench.policy.terms import Attribute
from workbench.policy.walk import root_and_path
from workbench.runs.values.found_value import Missing
from workbench.runs.values.normal_texts import normal_text
from workbench.runs.values.schema_fit import misfit


def in_normal_forms(model: RunModel, values: Arguments) -> Arguments:
    """The values with other texts; a text that the policy names stays if its field permits it."""
    names: dict[str, str] = {}
    used = {text for text, _ in _texts(model, values)}
    for text, one in _texts(model, values):
        normal = _fitting(text, one, used | set(names.values()))
        named = f'"{text}"' in model.policy.file.text and not misfit(text, one.schema)
        if normal != text and not named:
            names[text] = normal
    if not names:
        return values
    renamed = {name: _renamed(value, names) for name, value in values.items() if name != TOOL_ARGUMENT}
    return {**values, **renamed}


def _fitting(text: str, one: CallField, used: Collection[str]) -> str:
    """The text in the normal form of its field, or another that its schema permits."""
    form = one.options.get("normal")
    if isinstance(form, str):
        with suppress(Missing):
            text = str(normal_text(text, form))
    return (fitting_text(one.schema, text, used) or text) if misfit(text, one.schema) else text


def _texts(model: RunModel, values: Arguments) -> Iterator[tuple[str, CallField]]:
    """The texts of fields, each with its field."""
    for one in model.arguments:
        term = one.expression.term
        if isinstance(term, Attribute):
            root, path = root_and_path(term)
            if root.name == CALL:
                yield from _of_field(model, model.tool, path, values.get(one.argument.name))
    for calls in model.lists.values():
        elements = values.get(calls.argument)
        for element in elements if isinstance(elements, tuple) else ():
            held: Mapping[str, Value] = dict(element.fields) if isinstance(element, RecordValue) else {}
            for name, path in calls.paths.items():
                yield from _of_field(model, calls.tool, path, held.get(name))


def _of_field(model: RunModel, tool: str, path: Path, value: Value) -> Iterator[tuple[str, CallField]]:
    one = field_at(model.types.of_tool(tool).fields, path)
    if one is not None and isinstance(value, str):
        yield value, one


def _renamed(value: Value, names: Mapping[str, str]) -> Value:
    match value:
        case str():
            return names.get(value, value)
        case tuple():
            return tuple(cast("Element", _renamed(one, names)) for one in value)
        case frozenset():
            return frozenset(names.get(one, one) if isinstance(one, str) else one for one in value)  # type: ignore[return-value] # of one type
        case RecordValue(type_, fields):
            return RecordValue(type_, tuple((name, _renamed(held, names)) for name, held in fields))
        case _:
            return value
