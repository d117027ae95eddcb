"""The form for an argument of the policy: its type, and how it is read from a step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from workbench.model import Argument, ArgumentType, Extraction, Json, Kind
from workbench.old_screen.agent_state import AgentView, Method, MethodOption, SpecEdit
from workbench.old_screen.forms import (
    Form,
    FormField,
    Misfit,
    Shape,
    Typed,
    table_shown,
    table_typed,
    words_shown,
    words_typed,
)
from workbench.old_screen.spec_forms import WIDE, json_value, unused
from workbench.policy.names import refused

NO_METHOD = "none"
NOT_GIVEN = "not given"
LISTED = (Kind.ENUM, Kind.STR, Kind.SET)
DECLARED = (Kind.RECORD, Kind.LIST)
"""The kinds whose fields and elements a form cannot say; an argument of another kind cannot become one."""
_OPTION = "option."
_PLACES = 2


def argument_form(view: AgentView, argument: Argument | None, *, begin: str = "") -> Form[SpecEdit]:
    """An argument; None adds one. What storing it would change is shown while it is typed."""
    spec = view.spec
    begun = argument or Argument("", ArgumentType(Kind.STR))
    known = any(one.name == begun.name for one in spec.arguments)
    shown = _Shown(view, begun)

    def read(typed: Typed) -> SpecEdit:
        name = unused(typed, "name", {one.name for one in spec.arguments} - {begun.name})
        if why := refused(name):
            raise Misfit("name", why)
        made = Argument(name, _type(typed, begun.type), typed["description"].strip(), shown.extraction(typed))
        arguments = tuple(made if one.name == begun.name else one for one in spec.arguments)
        changed = replace(spec, arguments=arguments if known else (*arguments, made))
        label = f"{'Edit' if known else 'Add'} the argument {name}"
        return SpecEdit(changed, label, made, begun.name if known else "")

    title = f"Argument {begun.name}" if known else "Another argument"
    return Form(title, shown.fields, shown.values(), read, tried=True, begin=begin or "name")


class _Shown:
    """The fields of one argument's form, and their values to begin with."""

    def __init__(self, view: AgentView, begun: Argument) -> None:
        self._view = view
        self._begun = begun
        self._methods = {method.name: method for method in view.methods}
        self._options = dict(begun.extraction.options) if begun.extraction else {}

    def fields(self, typed: Typed) -> tuple[FormField, ...]:
        kind = Kind(typed.get("type", Kind.STR))
        method = self._methods.get(typed.get("method", ""))
        kinds = tuple(one for one in Kind if one not in DECLARED or one is self._begun.type.kind)
        fields = [
            FormField("name", "Name", "as the policy calls it"),
            FormField("type", "Type", "", Shape.CHOICE, kinds),
        ]
        if kind in LISTED:
            hint = "its members, in order" if kind is Kind.ENUM else "the known words; they restrict nothing"
            fields.append(FormField("values", "Values", hint, Shape.TEXT))
        if kind is Kind.DECIMAL:
            fields.append(FormField("places", "Decimal places", "a finer value cannot be evaluated"))
        if kind not in (Kind.SET, Kind.LIST):
            fields.append(FormField("optional", "Optional", "may be absent", Shape.CHOICE, ("no", "yes")))
        fields.append(FormField("description", "Description", "for people and models"))
        names = (*self._methods, NO_METHOD)
        meaning = method.meaning if method else "not read: every step lacks it"
        fields.append(FormField("method", "How it is read", meaning, Shape.CHOICE, names))
        return (*fields, *(_field(option) for option in self._asked(method)))

    def _asked(self, method: Method | None) -> tuple[MethodOption, ...]:
        """The options of a method; those that the session gives without the method having them too."""
        if method is None:
            return ()
        known = (*method.options, *self._view.common)
        names = {option.name for option in known}
        same = self._begun.extraction is not None and self._begun.extraction.method == method.name
        others = [name for name in self._options if name not in names] if same else []
        return (*known, *(MethodOption(name, "value", "as JSON") for name in others))

    def values(self) -> Typed:
        begun, extraction = self._begun, self._begun.extraction
        values = {
            "name": begun.name,
            "type": begun.type.kind.value,
            "values": words_shown(begun.type.values, WIDE),
            "places": str(begun.type.places),
            "optional": "yes" if begun.type.optional else "no",
            "description": begun.description,
            "method": extraction.method if extraction else (NO_METHOD if begun.name else "jsonpath"),
        }
        for option in self._asked(self._methods.get(values["method"])):
            values[_OPTION + option.name] = option_shown(option, self._options.get(option.name))
        return values

    def extraction(self, typed: Typed) -> Extraction | None:
        method = self._methods.get(typed["method"])
        if method is None:
            return None
        same = self._begun.extraction is not None and self._begun.extraction.method == method.name
        given: dict[str, Json] = {}
        for option in self._asked(method):
            key = _OPTION + option.name
            text = typed.get(key, "")
            if same and option.name in self._options:
                old = self._options[option.name]
                if text == option_shown(option, old):
                    given[option.name] = old
                    continue
            value = option_typed(option, key, text)
            if value is not None:
                given[option.name] = value
            elif option.needed:
                raise Misfit(key, f"{method.name} needs this: {option.meaning}.")
        ordered = [name for name in self._options if name in given] if same else []
        return Extraction(method.name, {name: given[name] for name in (*ordered, *given)})


def _field(option: MethodOption) -> FormField:
    key = _OPTION + option.name
    hint = option.meaning + (" (needed)" if option.needed else "")
    if option.choices:
        words = option.choices if option.needed else (NOT_GIVEN, *option.choices)
        return FormField(key, option.name, hint, Shape.CHOICE, words)
    if option.kind == "flag":
        return FormField(key, option.name, hint, Shape.CHOICE, (NOT_GIVEN, "no", "yes"))
    return FormField(key, option.name, hint, Shape.TEXT if option.kind == "words" else Shape.WORD)


def option_shown(option: MethodOption, value: Json) -> str:
    """An option's value as it is typed; what does not have the option's kind is shown as JSON."""
    if value is None:
        return NOT_GIVEN if option.kind == "flag" or option.choices else ""
    match option.kind, value:
        case "flag", bool():
            return "yes" if value else "no"
        case ("text", str()):
            return value
        case "texts", str():
            return words_shown((value,))
        case ("texts", list()) if all(isinstance(item, str) for item in value):
            return words_shown(tuple(str(item) for item in value))
        case ("words", dict()) if (table := _words(value)) is not None:
            return table_shown(table)
        case _:
            return json.dumps(value, ensure_ascii=False)


def _words(value: Mapping[str, Json]) -> dict[str, tuple[str, ...]] | None:
    found: dict[str, tuple[str, ...]] = {}
    for name, words in value.items():
        items = [words] if isinstance(words, str) else words
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            return None
        found[name] = tuple(str(item) for item in items)
    return found


def option_typed(option: MethodOption, key: str, text: str) -> Json:
    """The value of an option as it was typed, None where nothing was; raises Misfit."""
    text = text.strip()
    if not text or text == NOT_GIVEN:
        return None
    match option.kind:
        case "text":
            return text
        case "texts":
            words: list[Json] = [*words_typed(text)]
            return words
        case "number":
            return _number(key, text)
        case "flag":
            return text == "yes"
        case "words":
            return {name: [*words] for name, words in table_typed(key, text).items()}
        case _:
            return json_value(key, text)


def _number(key: str, text: str) -> Json:
    try:
        number = Decimal(text)
    except InvalidOperation as error:
        raise Misfit(key, "Type a number.") from error
    if not number.is_finite():
        raise Misfit(key, "Type a number.")
    return int(number) if number == number.to_integral_value() and "." not in text else float(number)


def _type(typed: Typed, begun: ArgumentType) -> ArgumentType:
    kind = Kind(typed["type"])
    if kind is begun.kind and kind in DECLARED:  # what it holds stands in agent.toml
        return replace(begun, optional=kind is Kind.RECORD and typed.get("optional") == "yes")
    values = words_typed(typed["values"]) if kind in LISTED else ()
    if words_shown(begun.values, WIDE) == typed.get("values"):
        values = begun.values if kind in LISTED else ()
    if kind is Kind.ENUM and not values:
        raise Misfit("values", "An enum needs its members.")
    if len(set(values)) < len(values):
        raise Misfit("values", "A word stands here twice.")
    places = begun.places
    if kind is Kind.DECIMAL:
        text = typed["places"].strip()
        if not text.isdecimal() or int(text) > 30:
            raise Misfit("places", "Type a whole number from 0 to 30.")
        places = int(text)
    return ArgumentType(
        kind,
        values,
        kind is not Kind.SET and typed["optional"] == "yes",
        places if kind is Kind.DECIMAL else _PLACES,
        element=begun.element if kind is begun.kind else None,
    )
