"""The agent spec as a front end shows and edits it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from workbench.app.as_proposed import taken_as_true
from workbench.app.workbench import Workbench
from workbench.model import Proposal, WorkbenchError
from workbench.runs.proposals.confirmations import Confirmation, confirmations

SESSION = Path(__file__).resolve().parents[2] / "sessions" / "web-shopping"
TRAVEL = SESSION.with_name("travel-desk")


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


def test_what_is_assumed_of_a_record_goes_with_what_it_is_about(tmp_path: Path) -> None:
    copy = shutil.copytree(TRAVEL, tmp_path / "desk", ignore=shutil.ignore_patterns(".workbench"))
    (*_, changes) = confirmations([Proposal("cost_centre", presumed=("pay_invoice",))], (), {})
    of_supplier = Confirmation("Is one supplier one?", "correct [records.supplier] in agent.toml")
    another = Confirmation("Does a payment fail so?", "name the results that say so by patterns")
    with closing(Workbench.open(copy)) as bench:
        made = taken_as_true([changes, of_supplier, another])
        given = bench.session.assumptions
        bench.session.set_assumptions((*given, *made))
        text = bench.agent.text()
        bench.agent.set_spec(bench.agent.read(text + "\n# as it was\n"), "Edit", text + "\n# as it was\n")
        assert bench.session.assumptions == (*given, *made)
        text = text.replace('changed_by = ["pay_invoice"]\n', "")
        bench.agent.set_spec(bench.agent.read(text), "Edit", text)
        assert bench.session.assumptions == (*given, *made[1:])
        bench.session.undo()
        assert bench.session.assumptions == (*given, *made)
