"""Texts of an input in the normal forms of their fields.

The solver's texts are any that the policy tells apart. A field with a normal form is read in it: the input
has each such text in normal form at every place, so that what was equal stays equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from workbench.check.realise.json_values import Path, field_at
from workbench.check.realise.run_model import RunModel, root_and_path
from workbench.dialect.run_values import CALL
from workbench.model import Arguments, Element, RecordValue, Value
from workbench.policy.terms import Attribute
from workbench.runs.values.found_value import Missing
from workbench.runs.values.normal_texts import normal_text


def in_normal_forms(model: RunModel, values: Arguments) -> Arguments:
    """The values with other texts; a text that the policy names stays."""
    names: dict[str, str] = {}
    for text, form in _texts(model, values):
        try:
            normal = str(normal_text(text, form))
        except Missing:
            continue
        if normal != text and f'"{text}"' not in model.policy.source:
            names[text] = normal
    return {name: _renamed(value, names) for name, value in values.items()} if names else values


def _texts(model: RunModel, values: Arguments) -> Iterator[tuple[str, str]]:
    """The texts at places that have a normal form, each with the form."""
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


def _of_field(model: RunModel, tool: str, path: Path, value: Value) -> Iterator[tuple[str, str]]:
    one = field_at(model.types.of_tool(tool).fields, path)
    form = None if one is None else one.options.get("normal")
    if isinstance(form, str) and isinstance(value, str):
        yield value, form


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
