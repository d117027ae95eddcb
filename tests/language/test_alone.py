"""Threads that read and write sentences of one policy at a time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from tests.language.library_desk import library
from workbench.language.completion import completion
from workbench.language.language import Language
from workbench.language.phrases import phrases

CONDITIONS = [f"the days are more than {days}" for days in range(20, 40)]
SENTENCES = [
    *(f"The agent must not lend a book if {' and '.join(CONDITIONS[:number])}" for number in range(1, 20)),
    *(f"The agent must not lend a book if {' or '.join(CONDITIONS[number:])}." for number in range(19)),
]


@pytest.fixture
def threads_that_turn_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def looked_at(language: Language, text: str) -> tuple[object, ...]:
    trees = language.read(text)
    written = [language.write(tree) for tree in trees]
    return trees, written, phrases(language.reader, text), completion(language.reader, text)


@pytest.mark.usefixtures("threads_that_turn_often")
def test_threads_read_and_write_what_one_thread_does() -> None:
    alone = [looked_at(library(1), text) for text in SENTENCES]
    together = library(2)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(partial(looked_at, together), SENTENCES)) == alone
