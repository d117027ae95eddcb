"""JSON with comments, edited in its text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.files.commented_json import NoJson, appended, value_of, without
from workbench.model import Json

PATH = ("hooks", "PreToolUse")
OURS: Json = {"ours": [1, {"deep": "x,]}"}]}
COMMENTED = """{
  // "hooks": {"PreToolUse": [1]},
  "model": "a // b", /* , } */
  "hooks": {
    "Stop": [], // ,
    "PreToolUse": [ {"a": 1} /* ] */, ], // tail
  },
}
"""
JSONS: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "model": JSONS,
        "hooks": st.fixed_dictionaries(
            {}, optional={"PreToolUse": st.lists(JSONS, max_size=3), "Stop": st.lists(JSONS, max_size=2)}
        ),
        "z": JSONS,
    },
)


@settings(max_examples=examples(300), deadline=None)
@given(SETTINGS, st.sampled_from([None, 2, "\t"]), st.sampled_from(["", "\n", " // end\n", "/* end */"]))
def test_only_the_element_is_added_and_taken_away(
    settings_: dict[str, Json], indent: int | str | None, end: str
) -> None:
    text = json.dumps(settings_, indent=indent) + end
    more = appended(text, PATH, OURS)
    hooks = settings_.get("hooks", {})
    assert isinstance(hooks, dict)
    before = hooks.get("PreToolUse", [])
    assert isinstance(before, list)
    assert value_of(more) == {**settings_, "hooks": {**hooks, "PreToolUse": [*before, OURS]}}
    less = value_of(without(more, PATH, lambda element: element == OURS))
    assert isinstance(less, dict)
    kept = {name: value for name, value in settings_.items() if name != "hooks" or value}
    left = {name: value for name, value in hooks.items() if name != "PreToolUse" or value}
    assert less == ({**kept, "hooks": left} if left else {k: v for k, v in kept.items() if k != "hooks"})


def test_comments_stay() -> None:
    more = appended(COMMENTED, PATH, OURS)
    assert value_of(more) == {
        "model": "a // b",
        "hooks": {"Stop": [], "PreToolUse": [{"a": 1}, OURS]},
    }
    for line in COMMENTED.splitlines():
        for comment in ("// tail", '// "hooks"', "/* , } */", "/* ] */", "// ,"):
            assert (comment in line) <= (comment in more)
    assert value_of(without(more, PATH, lambda element: element == OURS)) == value_of(COMMENTED)


@pytest.mark.parametrize("text", ["", " \n", "{}", "{\n}\n", '{"hooks": {}}'])
def test_an_empty_file_gets_the_path(text: str) -> None:
    assert value_of(appended(text, PATH, OURS)) == {"hooks": {"PreToolUse": [OURS]}}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"hooks": 1}',
        '{"hooks": []}',
        '{"hooks": {"PreToolUse": {}}}',
        '{"hooks": {}, "hooks": {}}',
        "{} {}",
        "{'a': 1}",
        '{"a": 1 "b": 2}',
        '{"a": /* open }',
        '{"a": "\\q"}',
        "[" * 500,
    ],
)
def test_what_is_no_settings_file_is_refused(text: str) -> None:
    with pytest.raises(NoJson):
        value_of(appended(text, PATH, OURS))
