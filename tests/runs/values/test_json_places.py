"""The place of a value in a JSON text: the characters there are the value, in any spelling."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.model import Json
from workbench.runs.values.json_places import Path, locate

KEYS = st.text(st.sampled_from('ab"\\\n: ,{}[]é'), max_size=4)
SCALARS: st.SearchStrategy[Json] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), KEYS
)
VALUES: st.SearchStrategy[Json] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(list[Json]),
        st.dictionaries(KEYS, inner, max_size=3).map(dict[str, Json]),
    ),
    max_leaves=12,
)


def places(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


@given(value=VALUES, indent=st.sampled_from([None, 0, 2]), ascii_only=st.booleans(), tight=st.booleans())
def test_every_value_is_found_where_it_stands(
    value: Json, indent: int | None, ascii_only: bool, tight: bool
) -> None:
    separators = (",", ":") if tight else None
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only, separators=separators)
    for path, wanted in places(value):
        span = locate(text, path)
        assert span is not None
        start, end = span
        inner = text[start:end]
        assert json.loads(f'"{inner}"' if isinstance(wanted, str) else inner) == wanted


@given(value=VALUES, key=KEYS)
def test_what_is_not_there_is_not_found(value: Json, key: str) -> None:
    text = json.dumps(value)
    if not isinstance(value, dict) or key not in value:
        assert locate(text, (key,)) is None


@pytest.mark.parametrize("text", ["", "{", '{"a"', '{"a":', '{"b": 1,, "a": 2}', "[1 2]", '{"b": -, "a": 1}'])
def test_a_broken_text_has_no_place_and_does_not_fail(text: str) -> None:
    assert locate(text, ("a", 0)) is None
