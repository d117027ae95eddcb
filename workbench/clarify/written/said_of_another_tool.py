"""What a rule says of one tool, said of another: a call that does the same, and the rule about its field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.clarify.written.acts_of_tools import MOVING
from workbench.clarify.written.asked import Calls, TriedCall
from workbench.clarify.written.attacked import (
    LISTS,
    Attacked,
    attacked_about,
    made_call,
    made_object,
    text_in_objects,
    words_of,
)
from workbench.clarify.written.attempts import Declaration, if_given
from workbench.clarify.written.book import places, reads, replaced
from workbench.dialect.call_fields import CallField, CallType
from workbench.language.trees import CALL, TRUE, Tree, joined, with_instead
from workbench.model import Json, Kind
from workbench.runs.values.name_words import amount_named


@dataclass(frozen=True, slots=True)
class Sibling:
    """A call of another tool, why it does the same, and the rule for that tool, or what it wants first.

    ``before`` are the calls without which rules for other sentences would not let it through.
    """

    call: TriedCall
    why: str
    tree: Tree | None
    advice: str | Declaration = ""
    before: Calls = ()


def with_same(
    attacked: Attacked, stopped: TriedCall, same: Mapping[str, CallField], other: CallType
) -> TriedCall:
    """A call of another tool with the values that are stopped, and with what else they have in common."""
    names = {each.key for each in other.fields}
    common = {key: held for key, held in stopped.arguments.items() if key in names and key not in same}
    if not attacked.book.rules_by_class.get(other.name):
        read = {one.key for one in attacked.fields_read}
        much = _as_much_as_it_may(other).keys() - read
        common = {key: held for key, held in common.items() if key not in much}
    held: dict[str, Json] = {
        field.key: held_in(field, stopped.arguments[key])
        for key, field in same.items()
        if key in stopped.arguments
    }
    return TriedCall(other.tool, {**usual_call(attacked, other).arguments, **common, **held})


def held_in(field: CallField, value: Json) -> Json:
    """A value in a field: alone in a list, and in an object of a list of objects."""
    if (inner := text_in_objects(field)) is not None and isinstance(value, str):
        value = {**made_object(field, {inner.name: value})}
    return [value] if field.type.kind in LISTS else value


def usual_call(attacked: Attacked, other: CallType) -> TriedCall:
    """A call of another tool that its own rules let through, if they speak of it; else a likely one."""
    usual = attacked.book.usual
    if other.name not in usual:
        found = (one.allowed for one in attacked_about(attacked.book, other.name))
        logged = next((call.arguments for call in attacked.book.calls if call.tool == other.tool), None) or {}
        usual[other.name] = next((one for one in found if one is not None), None) or TriedCall(
            other.tool, {**made_call(other, {}).arguments, **_as_much_as_it_may(other), **logged}
        )
    return usual[other.name]


def _as_much_as_it_may(other: CallType) -> Mapping[str, Json]:
    """The money of a call of which no rule speaks: nobody who gets past a rule takes a little."""
    found: dict[str, Json] = {}
    for one in other.fields:
        is_money = one.type.kind in (Kind.INT, Kind.DECIMAL) and amount_named(words_of(one.name)) == "money"
        if is_money and not one.type.optional:
            most = one.schema.get("maximum", _MUCH)
            found[one.key] = int(min(most, _MUCH)) if isinstance(most, int | float) else _MUCH
    return found


_MUCH = 10_000


def moved_rule(attacked: Attacked, one: CallField, other: CallType, field: CallField) -> Tree | None:
    """The rule for another tool, about its field; None if it reads what the tool has not, or another kind.

    What it says of earlier calls of its own tool is about that tool.
    """
    is_text = one.kind == "path" and not field.kind and bool(MOVING & {*words_of(other.tool)})
    if one.kind and field.kind != one.kind and not is_text:
        return None
    if attacked.reading.reads_run and reads_own_calls(attacked):
        return None
    condition = attacked.condition or attacked.rule.condition  # raw text is tested as raw in the other
    if {*attacked.reading.parts} != {one.name}:
        condition = _about_alone(condition, one)
    said = None if condition is None else with_field(condition, one, field)
    said = _by_its_text(said, field) if is_text and said is not None else said
    if said is None:
        return None
    said = said if one.type.optional else if_given(field, said)
    return ("call", attacked.rule.form, said, ("name", other.name))


def _by_its_text(said: Tree, field: CallField) -> Tree | None:
    """What a condition says of the folders of a path, of a text; None if it says more of it."""
    value: Tree = ("attr", CALL, field.name)
    for path, part in [*places(said)]:
        if part[0] == "in" and part[1][:2] == ("lit", "text") and part[2] == ("attr", value, "inside"):
            folder = str(part[1][2]).rstrip("/")
            begins: Tree = ("method", value, "startswith", ("lit", "text", f"{folder}/"))
            said = replaced(said, path, joined("or", [("==", value, ("lit", "text", folder)), begins]))
    rest = any(part[:2] == ("attr", value) for _, part in places(said))
    return None if rest or field.type.kind in LISTS else said


def reads_own_calls(attacked: Attacked) -> bool:
    """Whether a rule speaks of earlier calls of its own tool."""
    own = {("name", name) for name in attacked.rule.classes}
    return any(part in own for _, part in places(attacked.unfolded.condition))


def _about_alone(condition: Tree, one: CallField) -> Tree | None:
    """The alternatives of a condition that read one field of the call and no other; None for none."""
    own = ("attr", CALL, one.name)
    alone = [
        part
        for part in (condition[1:] if condition[0] == "or" else ())
        if {inner for _, inner in places(part) if inner[:2] == own[:2]} == {own}
    ]
    return joined("or", alone) if alone else None


def with_field(condition: Tree, one: CallField, field: CallField) -> Tree | None:
    """A condition about another field; None if it does not name the first."""
    value: Tree = ("attr", CALL, one.name)
    is_list = field.type.kind in LISTS
    other: Tree = ("name", "each") if is_list else ("attr", CALL, field.name)
    if (inner := text_in_objects(field)) is not None:
        other = ("attr", other, inner.name)
    if one.type.kind in LISTS and inner is not None:
        said = _with_elements_of(condition, value, other, one_value=True)
        return None if said is None else of_some_element(said, field)
    if one.type.kind in LISTS:
        return _with_elements_of(condition, value, ("attr", CALL, field.name), one_value=not is_list)
    if not reads(condition, value):
        return None
    said = with_instead(condition, value, other)
    return of_some_element(said, field) if is_list else said


def of_some_element(said: Tree, field: CallField) -> Tree:
    """That a condition on an element holds for one of a list."""
    return ("call", "any", ("gen", ("name", "each"), said, ("attr", CALL, field.name), TRUE))


def _with_elements_of(condition: Tree, value: Tree, other: Tree, *, one_value: bool) -> Tree | None:
    """A condition on the elements of a list, about another list or ``one_value``; None if it says more."""
    said, found = condition, False
    for path, part in [*places(condition)]:
        if not one_value and part == value:
            said, found = replaced(said, path, other), True
        elif one_value and part[:1] == ("call",) and part[1] in ("any", "all") and part[2][0] == "gen":
            _, element, inner, elements, where = part[2]
            if elements == value and where == ("lit", "bool", True):
                said, found = replaced(said, path, with_instead(inner, element, other)), True
    rest = [inner for _, inner in places(said) if inner == value]
    return said if found and (not rest or other == value) else None
