"""TOML and JSON are bounded in size and depth before they are parsed; within the bounds nothing changes."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tomllib
from collections.abc import Callable

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.app.tool_sources import read_tools
from workbench.files.bounded_text import (
    DEEPEST_JSON,
    DEEPEST_TOML,
    LONGEST_TOML,
    OutOfBoundsError,
    json_objects,
    load_json,
    load_toml,
)
from workbench.files.file_error import FileError
from workbench.files.strict_reading import json_lines, parse_toml
from workbench.model import WorkbenchError
from workbench.session.agent_file import read_agent
from workbench.session.toml_text import render

DEEP: dict[str, str] = {
    "dotted keys": "a." * 20_000 + "a = 1\n",
    "more dotted keys": "a." * 60_000 + "a = 1\n",
    "quoted keys": '"a".' * 20_000 + "a = 1\n",
    "spaced keys": "a . " * 20_000 + "a = 1\n",
    "a dotted header": "[" + "a." * 20_000 + "a]\n",
    "arrays": "a = " + "[" * 20_000 + "]" * 20_000,
    "arrays on lines": "a = " + "[\n" * 20_000 + "]" * 20_000,
    "inline tables": "a = " + "{ b = " * 20_000 + "1" + " }" * 20_000,
    "both": "a = " + "[{ b.c = " * 5_000 + "1" + " }]" * 5_000,
    "open brackets": "[" * 100_000,
    "a bracket after strings": 'a = ["""[""", \'\'\'"[\'\'\', "\\"[", ' + "[" * 20_000,
    "a long text": "a = 1\n" * (LONGEST_TOML // 6 + 1),
}
READERS: dict[str, Callable[[str], object]] = {
    "a session's file": lambda text: parse_toml(text, "agent.toml"),
    "agent.toml": lambda text: read_agent(text, "agent.toml"),
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_what_is_deep_or_long_is_refused_in_a_sentence(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(
        WorkbenchError, match=r"nested more than 40 deep|more than 5000000 characters"
    ) as raised:
        read(text)
    assert len(str(raised.value)) < 300


def test_the_line_is_said() -> None:
    with pytest.raises(FileError, match="line 3"):
        parse_toml("a = 1\nb = 2\n" + "c." * 100 + "c = 3\n", "agent.toml")


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_a_deep_file_takes_little_time_and_memory(text: str) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
        resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))

    code = "import sys; from workbench.files.strict_reading import *; parse_toml(sys.stdin.read(), 'x')"
    run = subprocess.run(
        [sys.executable, "-c", code],
        input=text,
        text=True,
        preexec_fn=limited,
        capture_output=True,
        check=False,
    )
    assert "FileError: " in run.stderr
    assert "MemoryError" not in run.stderr


TEXTS = st.text(st.sampled_from("[]{}.=,#\"'\\\nab "), max_size=12)
VALUES = st.recursive(
    st.one_of(st.integers(-9, 9), st.booleans(), TEXTS, st.just(1.5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)


@settings(max_examples=examples(200), deadline=None)
@given(st.dictionaries(TEXTS, VALUES, max_size=3))
def test_texts_with_brackets_and_dots_are_no_depth(value: dict[str, object]) -> None:
    """The reader of brackets knows strings and comments: what tomlkit writes is read as it is."""
    text = tomlkit.dumps(value)
    assert load_toml(text, float) == tomllib.loads(text)
    deep = text + "\n# " + "[" * 100 + "\n" + "'" + "." * 100 + "' = '" + "[" * 100 + "'\n"
    assert load_toml(deep, float) == tomllib.loads(deep)


@settings(max_examples=examples(200), deadline=None)
@given(st.integers(1, 80), st.sampled_from(["[", "{ a = "]), TEXTS)
def test_depth_is_counted_exactly(depth: int, opening: str, inside: str) -> None:
    closing = {"[": "]", "{ a = ": " }"}[opening]
    text = "a = " + opening * depth + json.dumps(inside) + closing * depth
    if depth > DEEPEST_TOML:
        with pytest.raises(OutOfBoundsError):
            load_toml(text)
    else:
        assert load_toml(text) == tomllib.loads(text)


def test_the_deepest_table_can_be_read_and_written() -> None:
    """Every depth that is read is one that the writer survives."""
    names = ".".join("a" * (DEEPEST_TOML - 1))
    old = f"[{names}]\n{names} = " + "[" * DEEPEST_TOML + "1" + "]" * DEEPEST_TOML + "\n"
    data = load_toml(old)
    assert load_toml(render({**data, "b": 1}, old, path="x.toml")) == {**data, "b": 1}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "number", ["1e999999999", "-1e-999999999", "1" * 5000, "0x" + "f" * 5000, "0b" + "1_1" * 300]
)
def test_a_number_far_out_of_range_is_refused(number: str) -> None:
    with pytest.raises(FileError):
        parse_toml(f"a = {number}", "x.toml")


def test_a_number_of_too_many_digits_is_said_in_a_users_words() -> None:
    with pytest.raises(FileError, match=r"^x.toml: is not read: a number has more than 4,300 digits\.$"):
        parse_toml("a = " + "1" * 5000, "x.toml")


@pytest.mark.parametrize("text", ["[" * 200 + "]" * 200, '{"a":' * 200 + "1" + "}" * 200, "[" * 1_000_000])
def test_deep_json_is_refused(text: str) -> None:
    with pytest.raises(OutOfBoundsError):
        load_json(text)
    with pytest.raises(FileError, match="one JSON object"):
        list(json_lines(text, "log.jsonl"))
    with pytest.raises(FileError, match="nested more than 100 deep"):
        read_tools(text, "tools.json")


def test_json_within_the_bounds_is_read() -> None:
    text = "[" * DEEPEST_JSON + '"[[[[\\"[["' + "]" * DEEPEST_JSON
    assert load_json(text) == json.loads(text)


def test_what_is_no_object_of_json_lines_is_told_with_its_number() -> None:
    told: list[tuple[int, bytes]] = []
    data = b'{"a": 1}\n\n[1]\n{"b":\n\xff\n' + b"[" * 200 + b'\n{"c": 2}'
    objects = list(json_objects(data, lambda number, line: told.append((number, line))))
    assert objects == [(1, {"a": 1}), (7, {"c": 2})]
    assert told == [(3, b"[1]"), (4, b'{"b":'), (5, b"\xff"), (6, b"[" * 200)]
    assert list(json_objects(data)) == objects
