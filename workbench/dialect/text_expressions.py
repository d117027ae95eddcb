"""What a text has: typed parts, places that it came from, readings, sentences, and functions of values."""

from __future__ import annotations

import ast

from workbench.dialect.call_fields import field_and_part, part_name
from workbench.dialect.call_file import CallFile
from workbench.dialect.run_terms import text_of_value
from workbench.dialect.run_values import (
    CALL,
    SAID,
    SENTENCES_WITH,
    Applied,
    ReadingOf,
    SentencesWith,
    SourceOf,
    SourceOfText,
    UserWords,
)
from workbench.dialect.text_readings import has_reading, is_text
from workbench.dialect.value_functions import FUNCTIONS, ValueFunction
from workbench.model import ArgumentType, Kind
from workbench.policy.checker.present_values import present, unguarded
from workbench.policy.checker.scope import Scope, Typed, TypedSet, suggestion
from workbench.policy.terms import Attribute, Constant, Elements, SetVariable, Variable
from workbench.policy.types import STR, assignable, holds_many, set_element
from workbench.policy.walk import path_of
from workbench.runs.kinds.kinds_by_name import KINDS

_TEXTS = (Kind.STR, Kind.ENUM)


def applied(node: ast.Call, method: ast.Attribute, scope: Scope, calls: CallFile) -> Typed | bool | None:
    """A function of a value: ``call.branch.removeprefix("x/")``; None if this is none."""
    function = FUNCTIONS.get(method.attr)
    first = None if function is None else calls.quietly(method.value, scope)
    if function is None or first is None or first.type.kind not in function.of:
        return None
    value = present(method.value, calls.file.term(method.value, scope), calls.file)
    operands = _constants(node, function, scope, calls)
    if value is None or operands is None:
        return False
    found = Applied(function.name, (value.term, *operands))
    text = text_of_value(found, calls.classes)
    calls.values[text] = found
    return calls.file.typed(node, Variable(text, function.result), function.result, value) or False


def _constants(
    node: ast.Call, function: ValueFunction, scope: Scope, calls: CallFile
) -> tuple[Constant, ...] | None:
    """The operands of a function after its first, which are constants."""
    read = [calls.file.term(other, scope) for other in node.args]
    constants = [
        one.term
        for one, type_ in zip(read, function.parameters, strict=False)
        if one is not None and isinstance(one.term, Constant) and assignable(one.type, type_)
    ]
    if node.keywords or len(constants) != len(node.args) or len(read) != len(function.parameters):
        shape = ", ".join('"..."' for _ in function.parameters)
        calls.file.say(
            node,
            f"`{function.name}` takes {len(function.parameters)} constant(s).",
            f"Write .{function.name}({shape}).",
        )
        return None
    return tuple(constants)


def typed_part(node: ast.Attribute, scope: Scope, calls: CallFile) -> Attribute | None:
    """A typed part of a field of a call, an element or a record: ``call.command.programs``.

    None if the field has no such part, or may be None.
    """
    if isinstance(node.value, ast.Name) and not isinstance(scope.names.get(node.value.id), Typed):
        return None
    whole = calls.quietly(node.value, scope)
    if whole is None or not isinstance(whole.term, Attribute) or whole.type.optional:
        return None
    holder = whole.term.record.type.record
    name = part_name(whole.term.name, node.attr)
    type_ = None if holder is None else holder.field(name)
    return None if type_ is None else Attribute(whole.term.record, name, type_)


def says_no_part(node: ast.Attribute, scope: Scope, calls: CallFile) -> bool:
    """Say what is wrong with a part of a field that has typed parts; False for any other expression."""
    if isinstance(node.value, ast.Name) and not isinstance(scope.names.get(node.value.id), Typed):
        return False
    whole = calls.quietly(node.value, scope)
    if whole is None or not isinstance(whole.term, Attribute):
        return False
    holder = whole.term.record.type.record
    parts = [
        field_and_part(name)[1]
        for name, _ in (() if holder is None else holder.fields)
        if field_and_part(name)[0] == whole.term.name and field_and_part(name)[1]
    ]
    if not parts:
        return False
    text = ast.unparse(node.value)[:60]
    if node.attr in parts:
        unguarded(node, whole, calls.file)
    elif any(node.attr in kind.ask for kind in KINDS.values() if kind.type.field(parts[-1]) is not None):
        hint = "A set that is not complete is not determinable, so no rule has to ask: leave it out."
        calls.file.say(node, f"`{text}` has no part `{node.attr}`.", hint)
    else:
        hint = suggestion(node.attr, parts) or f"It has {', '.join(parts)}."
        calls.file.say(node, f"`{text}` has no part `{node.attr}`.", hint)
    return True


def elements_of_part(node: ast.Attribute, scope: Scope, calls: CallFile) -> TypedSet | None:
    """The elements of a typed part that is a set or list."""
    part = typed_part(node, scope, calls)
    if part is None or not holds_many(part.type):
        return None
    element = set_element(part.type) if part.type.kind is Kind.SET else part.type.element
    return TypedSet(Elements(part), element)


def source_of(node: ast.Attribute, scope: Scope, calls: CallFile) -> TypedSet | None:
    """The places that a text came from: ``call.iban.source``, ``link.source``."""
    if node.attr != "source":
        return None
    text = calls.quietly(node.value, scope)
    if text is None or not is_text(text.type) or not isinstance(text.term, Variable | Attribute):
        return None
    path = _path_in_call(text.term) if isinstance(text.term, Attribute) else None
    if path is None and text.type.optional:
        return None
    value = SourceOfText(text.term) if path is None else SourceOf(path)
    name = f"{path_of(text.term)}.source"
    calls.values[name] = value
    return TypedSet(SetVariable(name), STR)


def is_reading(node: ast.Attribute, scope: Scope, calls: CallFile) -> bool:
    """Whether this is a reading of a text, by its name and by what it is of."""
    if node.attr not in calls.types.readings:
        return False
    text = calls.quietly(node.value, scope)
    return text is not None and is_text(text.type)


def reading_of(node: ast.Attribute, scope: Scope, calls: CallFile) -> tuple[str, ArgumentType] | None:
    """The text and type of a reading: ``call.message.topic``; None, with a problem, if it has none."""
    text = present(node.value, calls.file.term(node.value, scope), calls.file)
    if text is None:
        return None
    if not isinstance(text.term, Variable | Attribute):
        calls.file.say(
            node, f"`{node.attr}` is read of a text that has a name.", "Read each text by itcalls."
        )
        return None
    reading = calls.types.readings[node.attr]
    if not has_reading(reading, *_owner_and_field(text.term, calls)):
        known = ", ".join(f'"{one}"' for one in reading.texts)
        calls.file.say(
            node,
            f"`{node.attr}` is no reading of this text, only of {known}.",
            f"Add the text to [readings.{node.attr}] of agent.toml.",
        )
        return None
    value = ReadingOf(text.term, node.attr, reading.type)
    name = text_of_value(value, calls.classes)
    calls.values[name] = value
    return name, reading.type


def _owner_and_field(text: Variable | Attribute, calls: CallFile) -> tuple[str, str]:
    """The class that has a text, and the name of its field; nothing for an element or another reading."""
    if isinstance(text, Attribute):
        record = text.record.type.record
        return ("" if record is None else record.name), text.name
    match calls.values.get(text.name):
        case UserWords(attribute):
            return "Run", attribute
        case SentencesWith(Variable() | Attribute() as whole):
            return _owner_and_field(whole, calls)
        case _:
            return "", ""


def sentences_with(node: ast.Call, base: ast.expr, scope: Scope, calls: CallFile) -> Typed | None:
    """The sentences of a text in which a value stands: ``run.said.sentences_with(call.recipient)``."""
    if len(node.args) != 1 or node.keywords:
        calls.file.say(
            node, f"`{SENTENCES_WITH}` takes one value.", f"Write run.{SAID}.{SENTENCES_WITH}(call.name)."
        )
        return None
    text = present(base, calls.file.term(base, scope), calls.file)
    value = present(node.args[0], calls.file.term(node.args[0], scope), calls.file)
    if text is None or value is None:
        return None
    for part, typed, kinds in (
        (base, text, _TEXTS),
        (node.args[0], value, (*_TEXTS, Kind.INT, Kind.DECIMAL)),
    ):
        if typed.type.kind not in kinds or not isinstance(typed.term, Variable | Attribute | Constant):
            calls.file.say(
                part,
                f"`{SENTENCES_WITH}` is of a text, and takes a text or a number.",
                f"Write run.{SAID}.{SENTENCES_WITH}(call.name).",
            )
            return None
    found = SentencesWith(text.term, value.term)
    return calls.over_run(node, found, text_of_value(found, calls.classes), STR, text, value)


def _path_in_call(place: Attribute) -> tuple[str, ...] | None:
    """The names of the fields from ``call`` to a value; None if it is of something else."""
    if isinstance(place.record, Variable):
        return (place.name,) if place.record.name == CALL else None
    before = _path_in_call(place.record)
    return None if before is None else (*before, place.name)
