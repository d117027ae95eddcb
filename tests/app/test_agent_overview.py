"""The agent spec as a front end shows and edits it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.app.workbench import Workbench
from workbench.model import WorkbenchError

SESSION = Path(__file__).resolve().parents[2] / "sessions" / "web-shopping"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    copy = shutil.copytree(SESSION, tmp_path / "shop", ignore=shutil.ignore_patterns(".workbench"))
    opened = Workbench.open(copy)
    yield opened
    opened.close()


def test_an_overview_counts_the_calls_that_give_a_value(bench: Workbench) -> None:
    logs = bench.runs.load()
    overview = bench.agent.overview(logs)
    assert overview.calls == len(logs.calls)
    for argument in overview.spec.arguments:
        present = [extracted[argument.name].missing is None for extracted in logs.extracted]
        assert overview.valued.get(argument.name, 0) == sum(present)


def test_a_reading_that_cannot_be_prepared_is_told_before_the_text_is_stored(bench: Workbench) -> None:
    wrong = '\n[readings.code]\ntype = "str"\nextract = {method = "regex", pattern = "' + "x" * 1001 + '"}\n'
    text = bench.agent.text() + wrong
    line = text[: text.index('extract = {method = "regex", pattern = "xx')].count("\n") + 1
    with pytest.raises(WorkbenchError, match=rf"agent.toml:{line}: .*more than 1000 characters"):
        bench.agent.read(text)
