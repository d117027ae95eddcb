"""Forms: what is typed is what is stored, what does not fit is said at its field, nothing is lost."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from tests.old_screen.screens import HOSTILE, screen_text, settled, words
from tests.old_screen.test_app import ANSWERED, opened, quick
from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Json, Kind, Tool, WorkbenchError
from workbench.old_screen import form_messages
from workbench.old_screen.agent_state import AgentView, MethodOption, SpecEdit
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.argument_form import argument_form, option_shown, option_typed
from workbench.old_screen.demonstration_form import demonstration_form
from workbench.old_screen.forms import (
    Form,
    FormField,
    Misfit,
    Shape,
    table_shown,
    table_typed,
    words_shown,
    words_typed,
)
from workbench.old_screen.samples.sample import DEMONSTRATIONS
from workbench.old_screen.samples.sample_agent import VIEW
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.old_screen.samples.sample_spec import SPEC
from workbench.old_screen.spec_forms import agent_form, synonym_form, tool_form, without, words_form
from workbench.old_screen.widgets.agent import AgentParts, AgentScreen
from workbench.old_screen.widgets.form import FieldBox, FormScreen
from workbench.old_screen.widgets.lines import PlainLines, RowList

assert quick
WORDS = st.lists(st.text("abc, def_.-", min_size=1).map(str.strip).filter(lambda word: bool(word.strip())))


def untouched[T](form: Form[T]) -> T:
    """What a form makes of the values that it begins with."""
    asked = {field.key for field in form.fields(form.values)}
    return form.read({key: value for key, value in form.values.items() if key in asked})


# --- from values to text and back


@given(WORDS)
def test_words_survive_being_typed(items: list[str]) -> None:
    assert words_typed(words_shown(tuple(items), 20)) == tuple(items)
    assert table_typed("x", table_shown({"name": tuple(items)})) == {"name": tuple(items)}


def test_a_table_without_a_colon_is_refused_at_its_field() -> None:
    with pytest.raises(Misfit, match="Line 2 needs a name") as refused:
        table_typed("option.words", "a: b\nnothing")
    assert refused.value.key == "option.words"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("text", "$.a"),
        ("texts", ["a, b", "c"]),
        ("number", 3),
        ("number", 0.25),
        ("flag", False),
        ("words", {"a": ["b", "c"]}),
        ("value", {"deep": [1, None]}),
    ],
)
def test_an_option_survives_being_typed(kind: str, value: Json) -> None:
    option = MethodOption("name", kind, "")
    assert option_typed(option, "key", option_shown(option, value)) == value
    assert option_typed(option, "key", option_shown(option, None)) is None


@pytest.mark.parametrize("argument", SPEC.arguments, ids=lambda argument: argument.name)
def test_an_untouched_form_stores_what_was_there(argument: Argument) -> None:
    edit = untouched(argument_form(VIEW, argument))
    assert edit.spec == SPEC
    assert edit.replaces == argument.name


def test_options_that_no_method_describes_are_kept() -> None:
    odd = dataclasses.replace(
        SPEC.arguments[0], extraction=Extraction("regex", {"own": {"a": 1}, "pattern": "x", "tools": "one"})
    )
    spec = dataclasses.replace(SPEC, arguments=(odd,))
    assert untouched(argument_form(dataclasses.replace(VIEW, spec=spec), odd)).spec == spec


def test_untouched_forms_of_the_other_parts_store_what_was_there() -> None:
    forms = [
        agent_form(SPEC),
        tool_form(SPEC, SPEC.tools[0]),
        words_form(SPEC, "vocabulary", "role"),
        words_form(SPEC, "schema", "cost"),
        synonym_form(SPEC, "general admission"),
    ]
    for form in forms:
        assert untouched(form).spec == SPEC, form.name
    assert untouched(demonstration_form(DEMONSTRATIONS, DEMONSTRATIONS[0])) == DEMONSTRATIONS[0]


def test_a_part_is_renamed_in_its_place_and_removed() -> None:
    form = words_form(SPEC, "schema", "diagnosis")
    assert list(form.read({**form.values, "name": "findings"}).spec.schema) == ["allergy", "findings", "cost"]
    for part, name in (
        ("tool", "GetValue"),
        ("argument", "rows"),
        ("vocabulary", "role"),
        ("schema", "cost"),
    ):
        assert without(SPEC, part, name).spec != SPEC
    assert without(SPEC, "synonym", "general admission").spec.synonyms == {}
    with pytest.raises(WorkbenchError):
        without(SPEC, "agent", "ehr-agent")


@pytest.mark.parametrize(
    ("changes", "key", "said"),
    [
        ({"name": ""}, "name", "Type something"),
        ({"name": "role"}, "name", "There is a role already"),
        ({"name": "no name"}, "name", "letters, digits"),
        ({"type": "enum", "values": ""}, "values", "needs its members"),
        ({"type": "enum", "values": "a, a"}, "values", "twice"),
        ({"type": "decimal", "places": "many"}, "places", "whole number"),
        ({"option.pattern": ""}, "option.pattern", "regex needs this"),
    ],
)
def test_what_does_not_fit_an_argument_is_said_at_its_field(
    changes: dict[str, str], key: str, said: str
) -> None:
    form = argument_form(VIEW, SPEC.arguments[2])
    with pytest.raises(Misfit, match=said) as refused:
        form.read({**form.values, **changes})
    assert refused.value.key == key


def test_what_does_not_fit_a_tool_or_a_demonstration_is_said_at_its_field() -> None:
    for text, said in (("[1]", "JSON object"), ("{", "not JSON"), ("[" * 100_000, "deeply|not JSON")):
        form = tool_form(SPEC, Tool("new"))
        with pytest.raises(Misfit, match=said) as refused:
            form.read({**form.values, "parameters": text})
        assert refused.value.key == "parameters"
    again = demonstration_form(DEMONSTRATIONS, dataclasses.replace(DEMONSTRATIONS[0], id="another"))
    for changes, key in (({"code": "if"}, "code"), ({"input": " "}, "input"), ({"id": ""}, "id")):
        with pytest.raises(Misfit) as refused:
            again.read({**again.values, **changes})
        assert refused.value.key == key


def test_a_form_without_methods_still_stores_an_argument() -> None:
    view = AgentView(AgentSpec("bare"))
    form = argument_form(view, None)
    made = form.read({**form.values, "name": "rows", "type": Kind.INT, "method": "none"})
    assert made == SpecEdit(
        AgentSpec("bare", arguments=(Argument("rows", ArgumentType(Kind.INT)),)),
        "Add the argument rows",
        Argument("rows", ArgumentType(Kind.INT)),
    )


# --- on the screen


async def open_argument(app: WorkbenchApp, pilot: Pilot[None], name: str) -> FormScreen[object]:
    await pilot.press("alt+a")
    await settled(app, pilot)
    assert isinstance(app.screen, AgentScreen)
    app.screen.query_one(AgentParts).select(name)
    await pilot.press("enter")
    await settled(app, pilot)
    assert isinstance(app.screen, FormScreen)
    return app.screen


def field(screen: FormScreen[object], key: str) -> FieldBox:
    return next(box for box in screen.query(FieldBox) if box.field.key == key)


async def test_an_argument_is_read_otherwise_and_its_effect_is_shown_before_it_is_stored() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, heard):
        await pilot.press("f6", "down")
        screen = await open_argument(app, pilot, "argument rows")
        effect = words(screen.query_one("#effect", RowList))
        assert "38 of 40 steps give a value" in effect
        assert "Selected: eicu-001 call 0" in effect
        assert "limit=19" in effect
        field(screen, "option.pattern").entry.focus()
        await pilot.press("ctrl+u", *"none")
        await settled(app, pilot)
        assert "38 lose their value" in words(screen.query_one("#effect", RowList))
        await pilot.press("alt+s")
        await settled(app, pilot)
        stored = port.contents().spec.arguments[2].extraction
        assert stored == Extraction("regex", {"pattern": "none"})
        assert isinstance(app.screen, AgentScreen)
        assert "regex none" in words(app.screen.query_one(AgentParts))
        assert len(heard.of(form_messages.ArgumentTried)) >= 2
        await pilot.press("escape", "f6", "ctrl+z")
        await settled(app, pilot)
        assert port.contents().spec == SPEC


async def test_a_method_of_another_kind_asks_for_its_own_options() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        screen = await open_argument(app, pilot, "argument rows")
        field(screen, "method").entry.focus()
        await pilot.press("v")
        await settled(app, pilot)
        keys = [box.field.key for box in screen.query(FieldBox)]
        assert "option.synonyms" in keys
        assert "option.pattern" not in keys
        assert app.focused is field(screen, "method").entry
        await pilot.press("r")
        await settled(app, pilot)
        assert field(screen, "option.pattern").value == "limit=(\\d+)"


async def test_what_the_session_refuses_is_said_at_its_field_and_nothing_typed_is_lost() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, _):
        screen = await open_argument(app, pilot, "argument rows")
        field(screen, "option.pattern").entry.focus()
        await pilot.press("end", "(", "alt+s")
        await settled(app, pilot)
        again = app.screen
        assert isinstance(again, FormScreen)
        assert field(again, "option.pattern").value == "limit=(\\d+)("
        assert "does not compile" in words(field(again, "option.pattern").query_one(".wrong", PlainLines))
        assert port.contents().spec == SPEC


async def test_a_touched_form_is_given_up_only_by_a_second_escape() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        screen = await open_argument(app, pilot, "argument rows")
        field(screen, "description").entry.focus()
        await pilot.press("x", "escape")
        await settled(app, pilot)
        assert app.screen is screen
        await pilot.press("escape")
        await settled(app, pilot)
        assert isinstance(app.screen, AgentScreen)


async def test_a_proposed_argument_is_added_and_a_tool_removed() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, _):
        await pilot.press("alt+a")
        await settled(app, pilot)
        app.screen.query_one(AgentParts).select("proposal column")
        await pilot.press("enter")
        await settled(app, pilot)
        await pilot.press("alt+s")
        await settled(app, pilot)
        assert [one.name for one in port.contents().spec.arguments] == ["role", "columns", "rows", "column"]
        assert isinstance(app.screen, AgentScreen)
        app.screen.query_one(AgentParts).select("tool GetValue")
        await pilot.press("delete")
        await settled(app, pilot)
        assert port.contents().spec.tools == ()


async def test_a_proposed_record_is_added_with_a_key_and_a_proposal_dropped() -> None:
    port = SamplePort(ANSWERED)
    async with opened(port) as (app, pilot, _):
        await pilot.press("alt+a")
        await settled(app, pilot)
        assert "12 results have this shape: get_patient (12)." in screen_text(app)
        assert "is that so?" in screen_text(app)
        await pilot.press("p", "enter")
        await settled(app, pilot)
        assert [one.name for one in port.contents().spec.records] == ["patient"]
        assert isinstance(app.screen, AgentScreen)
        app.screen.query_one(AgentParts).select("proposal column")
        await pilot.press("delete")
        await settled(app, pilot)
        assert port.contents().spec.not_proposed == ("column",)
        assert "column" not in [one.name for one in port.contents().spec.arguments]


async def test_alt_with_a_letter_types_nothing_into_an_entry() -> None:
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        screen = await open_argument(app, pilot, "agent ")
        app.simulate_key("alt+x")
        await pilot.pause()
        assert field(screen, "name").value == "ehr-agent"


async def test_hostile_text_in_every_kind_of_field_is_shown_and_kept() -> None:
    fields = tuple(FormField(f"{shape}", HOSTILE, HOSTILE, shape, (HOSTILE, "other")) for shape in Shape)
    form = Form(HOSTILE, lambda _typed: fields, {str(shape): HOSTILE for shape in Shape}, dict, tried=True)
    async with opened(SamplePort(ANSWERED)) as (app, pilot, _):
        screen: FormScreen[dict[str, str]] = FormScreen(form)
        await app.push_screen(screen)
        await pilot.press("tab", "tab", "tab")
        screen.show_trouble(f"In x: {HOSTILE}")
        await settled(app, pilot)
        assert "[ @click=app.quit]" in screen_text(app)
        assert not screen.touched
        assert screen.typed == form.values
