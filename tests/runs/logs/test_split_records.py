"""Splitting a file into records: the same records whatever the pieces, and few steps for many brackets."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.runs.logs import json_records
from workbench.runs.logs.json_records import read_records
from workbench.runs.logs.log_stream import LogRecord, LogSource

PARTS = (
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    "\n",
    "\n ",
    ",",
    " ",
    "1",
    "a",
    '{"a":1}',
    '"x"',
    "\n{",
    '{"k": "',
    '"}',
)
INDENTED = '[{\n "a": [1, 2]\n},\n{"b": "}"}]'
MANY = 200_000


class Text(LogSource):
    """A text that is read in chunks of a size."""

    def __init__(self, text: str, size: int) -> None:
        super().__init__(Path("text"))
        self._text = f"[{text}"  # so that it is no file of lines
        self._size = size

    def head(self) -> str:
        return self._text

    def text_chunks(self) -> Iterator[str]:
        for start in range(0, len(self._text), self._size):
            yield self._text[start : start + self._size]


def records(text: str, chunk: int, piece: int) -> list[LogRecord]:
    """The records of a text that is read in chunks and whose brackets are counted in pieces."""
    with mock.patch.multiple(json_records, _FIRST_PIECE=piece, _LARGEST_PIECE=piece):
        return list(read_records(Text(text, chunk)))


@given(
    st.lists(st.sampled_from((*PARTS, INDENTED)), max_size=30).map("".join),
    st.integers(1, 9),
    st.integers(1, 9),
)
@example('{"a": "\\\\"}\n{"b": "\\""}', 1, 1)
@example('"\\{', 2, 1)
@settings(max_examples=examples(600))
def test_the_records_of_a_text_do_not_depend_on_chunks_and_pieces(text: str, chunk: int, piece: int) -> None:
    assert records(text, chunk, piece) == records(text, 10_000, 10_000)


def steps_of(text: str) -> int:
    """How many functions are called to split a text."""
    count = 0

    def counted(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        for _ in read_records(Text(text, 64 * 1024)):
            pass
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "text",
    [
        "[" * MANY,
        "{}\n" + "]" * MANY,
        "[" + "[]," * MANY + "1]",
        "[" + ("[" * 200 + "]" * 200) * (MANY // 400),
        "[" + "{}" * MANY,
        '"' + '\\"' * MANY,
        '{"' + '\\"' * MANY,
    ],
    ids=["open", "closing", "lists", "depths", "objects", "quotes", "quotes in a record"],
)
def test_a_text_of_many_brackets_is_split_in_few_steps(text: str) -> None:
    assert steps_of(text) < MANY // 10
