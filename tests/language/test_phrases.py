"""The phrases of a sentence, each with the expression that it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.language.read_back import language_of
from workbench.language.language import Language
from workbench.language.phrases import phrases
from workbench.language.trees import Tree, canonical, text_of

LEG = "The agent must not book a journey if there is a leg whose cabin is business and its minutes is 9."


@pytest.fixture(scope="module")
def travel() -> Language:
    return language_of("sessions/travel-desk")


def listed(travel: Language, text: str) -> list[tuple[str, str]]:
    return [(text[one.start : one.end], one.python) for one in phrases(travel.reader, text) if one.listed]


def test_each_condition_stands_beside_its_phrase(travel: Language) -> None:
    assert listed(travel, LEG) == [
        ("book a journey", "BookJourney"),
        ("leg", "call.legs"),
        ("whose cabin is business", 'leg.cabin == "business"'),
        ("its minutes is 9", "leg.minutes == 9"),
    ]


def test_a_word_in_a_condition_is_a_phrase_of_its_own(travel: Language) -> None:
    inner = {LEG[one.start : one.end]: one.python for one in phrases(travel.reader, LEG) if not one.listed}
    assert inner["its minutes"] == "leg.minutes"
    assert inner["business"] == '"business"'


def test_an_unfinished_sentence_has_the_phrases_of_its_beginning(travel: Language) -> None:
    text = "The agent must not pay an invoice if the total is more than 50 and the foo"
    assert listed(travel, text) == [
        ("pay an invoice", "PayInvoice"),
        ("the total is more than 50", 'call.total > Decimal("50")'),
    ]


def test_the_items_of_a_list_are_phrases(travel: Language) -> None:
    text = "The agent must not pay an invoice if all of these hold: (a) the total is 1; (b) the total is 2."
    assert [said for said, _ in listed(travel, text)] == [
        "pay an invoice",
        "the total is 1",
        "the total is 2",
    ]


def conditions(tree: Tree) -> Iterator[Tree]:
    """The conditions that a tree joins, as an explanation lists them."""
    if tree[0] in ("and", "or"):
        for one in tree[1:]:
            yield from conditions(one)
    else:
        yield tree


def test_the_words_of_a_condition_alone_read_as_this_condition(travel: Language) -> None:
    language = travel
    heard = 0
    for said in language.aloud():
        if said.tree and said.tree[1] in ("forbid", "permit", "ask"):
            tool = language.types.calls.get(said.tree[3][1]) or next(iter(language.types.calls.values()))
            for condition in conditions(said.tree[2]):
                words = language.condition(text_of(condition), (tool.tool,))
                if not words:
                    continue
                (read,) = language.read(f"The agent must not {language.lexicon.tool_words(tool)} if {words}.")
                assert canonical(read) == canonical(("call", "forbid", condition, ("name", tool.name)))
                heard += 1
    assert heard > 10
