"""Notes on parameters and types of the context in ``agent.toml``: unchanged after writing, or refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.files.file_error import FileError
from workbench.model import AgentSpec, ArgumentType, ContextField, FieldNote, Json, Kind, Tool
from workbench.session.agent_file import read_agent, write_agent

PARAMETERS: dict[str, Json] = {
    "type": "object",
    "properties": {
        "total": {"type": "number"},
        "note": {"type": "string"},
        "user.name": {"type": "string"},
        "größe": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "seats": {"type": "object", "additionalProperties": {"type": "integer"}},
        "legs": {
            "type": "array",
            "items": {"type": "object", "properties": {"minutes": {"type": "number"}}},
        },
    },
}
OPTIONAL = st.sampled_from([None, True, False])
NOTES = st.fixed_dictionaries(
    {},
    optional={
        "total": st.builds(FieldNote, places=st.sampled_from([0, 3]), optional=OPTIONAL),
        "note": st.one_of(
            st.builds(FieldNote, type=st.just("enum"), values=st.just(("a", "b")), optional=OPTIONAL),
            st.builds(FieldNote, normal=st.sampled_from(["code", "unspaced"]), name=st.just("remark")),
            st.just(FieldNote(type="path", options={"root": "C:/a folder", "windows": True})),
            st.just(FieldNote(type="datetime", zone="Europe/Oslo")),
        ),
        "user.name": st.just(FieldNote(name="user_name")),
        "größe": st.just(FieldNote(name="size")),
        "tags": st.builds(
            FieldNote, type=st.sampled_from(["set", ""]), optional=st.sampled_from([True, False])
        ),
        "tags[]": st.just(FieldNote(values=("x", "y"))),
        "seats": st.builds(FieldNote, key=st.sampled_from(["seat", "id"])),
        "seats[].value": st.just(FieldNote(name="price", type="decimal", places=4)),
        "legs[].minutes": st.just(FieldNote(places=0, name="duration")),
    },
)
CONTEXT = st.dictionaries(
    st.sampled_from(["role", "budget", "today", "teams", "spent"]),
    st.builds(
        ContextField,
        st.sampled_from(
            [
                ArgumentType(Kind.ENUM, ("admin", "guest")),
                ArgumentType(Kind.DECIMAL, places=4, optional=True),
                ArgumentType(Kind.DATE),
                ArgumentType(Kind.SET),
                ArgumentType(Kind.LIST, element=ArgumentType(Kind.DECIMAL, places=3)),
            ]
        ),
        st.sampled_from(["", "user.role", "limits.today"]),
        st.sampled_from(["", 'what is left: "5" EUR']),
    ),
)


@settings(deadline=None, max_examples=examples(150))
@given(NOTES, CONTEXT, st.sampled_from(["", "Pay"]))
def test_notes_and_context_are_what_was_written(
    notes: dict[str, FieldNote], context: dict[str, ContextField], class_name: str
) -> None:
    tool = Tool("pay", "Pays.", PARAMETERS, class_name=class_name, fields=notes)
    spec = AgentSpec("desk", tools=(tool, Tool("wait")), context=context)
    text = write_agent(spec)
    assert read_agent(text) == spec
    assert write_agent(spec, text) == text
    assert read_agent(write_agent(spec, 'name = "desk"\n# a comment\n')) == spec


HEAD = """name = "desk"

[tools.pay.parameters.properties]
total = {type = "number"}
note = {type = "string"}
legs = {items = {properties = {minutes = {type = "number"}}}}
"""
WRONG = [
    (
        "[tools.pay.fields.totl]\nplaces = 3",
        8,
        'the tool "pay" has no parameter "totl". Did you mean "total"?',
    ),
    (
        '[tools.pay.fields]\n"legs[].minute" = {places = 3}',
        9,
        'the tool "pay" has no parameter "legs[].minute". Did you mean "legs[].minutes"?',
    ),
    (
        "[tools.pay.fields.total]\nplace = 3",
        9,
        'unknown key "place" in [tools.pay.fields.total]. Did you mean "places"?',
    ),
    ("[tools.pay.fields.note]\nplaces = 3", 9, '"places" cannot be said of "note", which is no decimal.'),
    ('[tools.pay.fields.total]\ntype = "strr"', 9, '"type" of "total" cannot be "strr". Did you mean "str"?'),
    ('[tools.pay.fields.total]\ntype = "record"', 9, '"type" of "total" cannot be "record".'),
    ('[tools.pay.fields.total]\ntype = "command"', 9, 'the number "total" is no command, which is a text.'),
    ('[tools.pay.fields.note]\ntype = "enum"', 9, 'the enum "note" needs its "values".'),
    (
        '[tools.pay.fields.note]\nzone = "Europe/Oslo"',
        9,
        '"zone" cannot be said of "note", which is no point in time.',
    ),
    (
        '[tools.pay.fields.note]\ntype = "datetime"\nzone = "Europe/Osl"',
        10,
        'there is no zone "Europe/Osl"; ',
    ),
    (
        '[tools.pay.fields.note]\nnormal = "cod"',
        9,
        '"normal" of "note" is no normal form of a text. Did you mean "code"?',
    ),
    (
        '[tools.pay.fields.note]\ntype = "command"\noptions = {fold = "/"}',
        10,
        "the kind command has no option 'fold'; did you mean folder?",
    ),
    (
        '[tools.pay.fields.note]\noptions = {folder = "/"}',
        9,
        '"options" cannot be said of "note", which is of no kind of value.',
    ),
    (
        '[tools.pay.fields.total]\nname = "class"',
        9,
        'the name "class" of "total" is no free name of plain letters.',
    ),
    ('[tools.pay.fields.total]\nkey = "id"', 9, '"total" is no object keyed by ids.'),
    (
        "[tools.pay.fields.legs]\nplaces = 3",
        8,
        '"legs" is a list; say of "legs[]" what holds for its elements.',
    ),
    ('[tools.pay.fields.legs]\ntype = "set"', 9, '"legs" has objects, and a set has texts or whole numbers.'),
    (
        '[tools.pay.fields."legs[]"]\noptional = true',
        0,
        '"optional" cannot be said of the elements of a list, as "legs[]".',
    ),
    (
        '[tools."…"]\ndescription = "Ends."',
        8,
        'The name of the tool "…" gives its calls no class in plain letters.',
    ),
    (
        '[tools.""]\ndescription = "Ends."',
        8,
        'The name of the tool "" gives its calls no class in plain letters.',
    ),
    ('[tools.pay]\nclass_name = "run"', 9, '"run" cannot be the class of the tool "pay". '),
    (
        '[context.class]\ntype = "str"',
        8,
        '"class" of the context needs a free name of plain letters, digits and "_".',
    ),
    ('[context.role]\ntype = "strr"', 9, '"type" cannot be "strr". Did you mean "str"?'),
    ('[context.role]\ntype = "enum"', 8, 'the enum "role" needs its "values".'),
]


@pytest.mark.parametrize(("more", "line", "sentence"), WRONG)
def test_a_note_that_cannot_be_is_refused_at_its_line(more: str, line: int, sentence: str) -> None:
    with pytest.raises(FileError) as raised:
        read_agent(f"{HEAD}\n{more}\n")
    assert sentence in str(raised.value)
    if line:
        assert str(raised.value).startswith(f"agent.toml:{line}: ")
