"""Tests of the words of names that suggest a kind of value."""

import pytest

from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.proposals.proposed_names import singular
from workbench.runs.values.name_words import NAMED_ALONE, NAMED_WITH_VALUES, is_money


@pytest.mark.parametrize("table", [NAMED_ALONE, NAMED_WITH_VALUES])
def test_every_kind_of_the_table_is_a_kind_of_value_and_its_words_are_singular(
    table: dict[str, frozenset[str]],
) -> None:
    assert table.keys() <= KINDS.keys()
    plural = {word for words in table.values() for word in words if singular(word) != word}
    assert plural <= {"addresses"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (["total_price"], True),
        (["order", "prices"], True),
        (["total"], True),
        (["total_items"], False),
        (["seats"], False),
    ],
)
def test_a_number_is_money_by_a_word_of_its_name_or_by_the_last_one(path: list[str], expected: bool) -> None:
    assert is_money(path) is expected
