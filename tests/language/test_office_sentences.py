"""What people write of an agent for mail, files and bookings has its meaning among the suggestions."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

import pytest

from tests.language.library_desk import library
from workbench.app.sentences import NotASentence, meaning_of
from workbench.dialect.call_types import agent_types
from workbench.language.language import Language
from workbench.language.normal_form import normal
from workbench.language.suggestion import Suggestions
from workbench.language.trees import Tree
from workbench.session.agent_file import read_agent

_FILE = tomllib.loads(Path(__file__).with_name("office.toml").read_text(encoding="utf-8"))
_SENTENCES: list[dict[str, str]] = _FILE["sentences"]


@lru_cache(maxsize=1)
def _office() -> Language:
    return Language(agent_types(read_agent(_FILE["agent"])), 'DEFAULT = "allow"\n')


def _tree(sentence: str) -> Tree:
    (tree,) = _office().read(sentence)
    return normal(tree)


@pytest.mark.parametrize("sentence", _SENTENCES, ids=lambda one: one["foreign"])
def test_what_is_meant_is_suggested_and_not_its_contrary(sentence: dict[str, str]) -> None:
    suggested = [normal(one.tree) for one in Suggestions(_office()).of(sentence["foreign"])]
    assert _tree(sentence["meaning"]) in suggested
    if "contrary" in sentence:
        assert _tree(sentence["contrary"]) not in suggested


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("unless the attendees include “a@b.example”", "if “a@b.example” is not among the attendees"),
        ("if the attendees do not contain “a@b.example”", "if “a@b.example” is not among the attendees"),
        ("if the attendees include the title", "if the title is among the attendees"),
        (
            "unless the attendees consist only of “a@b.example” or “c@b.example”",
            "unless the attendees are all one of “a@b.example” or “c@b.example”",
        ),
    ],
)
def test_a_list_may_be_said_to_include_what_is_among_it(said: str, written: str) -> None:
    assert _tree(f"The agent must not create an event {said}.") == _tree(
        f"The agent must not create an event {written}."
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("The agent must not send mail if the subject is missing.", "is never missing"),
        (
            "The agent must not send mail if either for every “to entry” it is “” or the subject is “”.",
            "stands last",
        ),
        (
            "The agent must not send mail unless for every “to entry”, it is “a@b.example” and "
            "for every “to entry”, it is not “c@b.example”.",
            "said of each of these alone",
        ),
    ],
)
def test_a_message_says_why_what_people_expect_is_not_read(text: str, why: str) -> None:
    with pytest.raises(NotASentence, match=why):
        meaning_of(_office(), text)


def test_a_message_says_why_a_fraction_is_not_read_where_all_numbers_are_whole() -> None:
    with pytest.raises(NotASentence, match=r"compared with 27\.5 has whole numbers: say 27 or 28"):
        meaning_of(library(), "The agent must not lend book if the days is more than 27.5.")
