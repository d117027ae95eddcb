"""A person's words for a sentence refer to the declared facts, and the rule names the facts that it took."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.library_desk import CHILDREN, opened_desk
from workbench.app.assumed_rules import StatedRule


@pytest.mark.parametrize(
    "said", ["adults only of the book", "book.adults_only", "the adults only of the book"]
)
def test_a_fact_of_a_declared_record_is_the_field_of_it(tmp_path: Path, said: str) -> None:
    bench = opened_desk(tmp_path / "desk", CHILDREN, "Everything else is allowed.")
    spec = bench.session.spec
    told = bench.words.person_rule("Children", StatedRule("never if", ("lend_book",), (said,)))
    tried = bench.words.tried("Children", [told], bench.runs.load())
    assert [flip.new.index for flip in tried.turned] == [2]
    verdicts = {flip.new.index: flip.new.decision.verdict for flip in tried.change.flips}
    assert verdicts == {0: "allow", 1: "allow", 2: "deny", 3: "allow"}
    bench.words.rules("Children", [told])
    assert bench.session.spec == spec
    assert "book is None or book.adults_only" in bench.session.policy
    bench.close()


def test_every_fact_that_a_built_rule_may_speak_of_is_found_and_said_by_its_place(tmp_path: Path) -> None:
    bench = opened_desk(tmp_path / "desk", CHILDREN)
    book, places = bench.words.book(), bench.rules.facts()
    assert "book.adults_only" in places
    assert {place: book.names.fact(place) is not None for place in places} == dict.fromkeys(places, True)
    assert "book.adults_only" in {fact.name for fact in bench.words.facts("adults only")}
    bench.close()


def test_a_rule_says_the_fact_that_its_words_were_taken_for(tmp_path: Path) -> None:
    bench = opened_desk(tmp_path / "desk", CHILDREN)
    in_short, in_full, by_field = (
        bench.words.person_rule("Children", StatedRule("never if", ("lend_book",), (said,)))
        for said in ("adults only", "adults only of the book", "book.adults_only")
    )
    assert in_short.offered == f"{in_short.sentence}; it speaks of “adults only of the book”"
    assert in_full.partly_named == by_field.partly_named == ()
    bench.close()
