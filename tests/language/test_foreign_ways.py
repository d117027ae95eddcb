"""Ways in which people write values, brackets and restrictions, beside the one that is written back."""

from __future__ import annotations

import pytest

from tests.language.library_desk import AGENT, POLICY
from workbench.dialect.call_types import agent_types
from workbench.language.completion import completion
from workbench.language.language import Language
from workbench.session.agent_file import read_agent

BRANCHES = '"centre_1", "s3", "north_gate", "harbour"'
LEND = "The agent must not lend book if the branch is given and the branch is "
FINE = "The agent must not collect fine if "


@pytest.fixture(scope="module")
def language() -> Language:
    agent = AGENT.replace('"centre", "north", "harbour"', BRANCHES)
    return Language(agent_types(read_agent(agent)), POLICY)


def written(language: Language, text: str) -> str:
    (tree,) = language.read(text)
    return language.write(tree)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("north_gate", "north gate"),
        ("north gate", "north gate"),
        ("“north_gate”", "north gate"),
        ("not north_gate", "not north gate"),
        ("s3", "s3"),
        ("s 3", "s3"),
        ("centre_1", "centre_1"),
        ("one of s3 or north_gate", "one of s3 or north gate"),
    ],
)
def test_a_value_of_an_enum_is_read_as_it_stands_as_words_and_as_a_text(
    language: Language, said: str, words: str
) -> None:
    assert written(language, f"{LEND}{said}.") == f"{LEND}{words}."


@pytest.mark.parametrize("rest", ["", "nothing", "not other_one."])
def test_every_value_of_an_enum_is_offered_first(language: Language, rest: str) -> None:
    offered = completion(language.reader, f"{LEND}{rest}").offered
    if rest != "nothing":
        assert set(offered[:4]) == {"centre_1", "harbour", "north gate", "s3"}
    assert "“centre_1”" not in offered


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "there is an item whose price is more than 3 and whose title is “a”",
            "there is an item whose price is more than 3 and its title is “a”",
        ),
        (
            "(the sum of the price of all items) plus the amount is more than 30",
            "the sum of the price of all items plus the amount is more than 30",
        ),
        ("((the amount) plus 3) is more than 30", "the amount plus 3 is more than 30"),
        (
            "the amount is more than 3 and (the amount is 9 or there is an item whose price is 3)",
            "the amount is more than 3 and either the amount is 9 or there is an item whose price is 3",
        ),
        ("(the amount is more than 3)", "the amount is more than 3"),
        (
            "(the amount is 1 or the amount is 2) and the number of items is 3",
            "the number of items is 3 and either the amount is 1 or the amount is 2",
        ),
    ],
)
def test_brackets_and_a_second_whose_are_read(language: Language, said: str, words: str) -> None:
    found = language.read(f"{FINE}{said}.")
    assert len(found) == 1
    if not said.startswith("(the amount is 1"):
        assert language.write(found[0]) == f"{FINE}{words}."
    else:
        assert language.read(language.write(found[0])) == found
