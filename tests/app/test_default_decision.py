"""What is decided where no sentence speaks: how it is said, and that it hides no effect of a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.invoice_desk import invoice_desk
from workbench.app.contradictions import MOST_SHOWN
from workbench.app.workbench import Workbench
from workbench.cli.conflict_text import contradiction_lines
from workbench.language.grammar import DEFAULT_SENTENCES
from workbench.model import Verdict

ALLOWED, DENIED = DEFAULT_SENTENCES
LIMIT = "The agent must not pay an invoice if the total is more than 5,000."


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Workbench]:
    bench = invoice_desk(tmp_path)
    yield bench
    bench.close()


def test_the_default_is_a_sentence_that_is_written_read_and_kept(desk: Workbench) -> None:
    assert desk.sentences.default == (DENIED, ALLOWED)
    assert [one.text for one in desk.sentences.aloud()] == [DENIED]
    found = desk.sentences.keep(ALLOWED, desk.runs.load())
    assert found.text == ALLOWED and found.change.buckets["newly-allowed"] == 5 and not found.change.as_if
    assert desk.policy.terms().default_allow and desk.session.written.count("DEFAULT = ") == 1
    assert desk.sentences.default == (ALLOWED, DENIED)
    desk.sentences.keep(DENIED)
    assert not desk.policy.terms().default_allow


def test_what_the_default_hides_is_compared_rule_against_rule_and_said(desk: Workbench) -> None:
    change = desk.sentences.preview(LIMIT, desk.runs.load()).change
    assert change.as_if.startswith('DEFAULT is "deny"')
    assert [region.new for region in change.semantic.regions] == [Verdict.DENY]
    assert change.buckets["newly-denied"] == 1
    desk.sentences.keep("The agent may always pay an invoice.")
    assert not desk.sentences.preview(LIMIT, desk.runs.load()).change.as_if
    desk.sentences.keep(ALLOWED)
    assert not desk.sentences.preview(LIMIT, desk.runs.load()).change.as_if


def test_a_change_that_the_default_does_not_hide_is_the_change(desk: Workbench) -> None:
    desk.sentences.keep(LIMIT)
    same = desk.sentences.preview("The agent must not pay an invoice if the total is more than 6,000.").change
    assert same.as_if and same.semantic.equivalent


def test_contradictions_are_one_screen_and_the_shortest_comes_first(desk: Workbench) -> None:
    suppliers = [f"“{name * 90}”" for name in "abcdef"]
    for supplier in suppliers:
        demand = (
            f"It must be possible to pay an invoice if the supplier is {supplier} and the total is 9,000."
        )
        desk.sentences.keep(ALLOWED)
        desk.sentences.keep(demand)
    desk.sentences.keep("It must be possible to pay an invoice if the total is 8,000.")
    found = desk.sentences.preview(LIMIT).contradictions
    assert len(found) == 7
    lines = list(contradiction_lines(found))
    assert len(lines) == MOST_SHOWN + 1 and lines[-1].strip() == "and 4 clauses more"
    assert "8,000" in lines[0] and max(map(len, lines)) < 700
    assert "supplier =" not in lines[1], "the rule that denies it reads the total alone"
