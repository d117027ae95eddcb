"""The table of the grammar keeps to its own rules."""

from __future__ import annotations

from workbench.language.grammar import productions


def test_a_sort_that_is_known_from_what_is_wanted_is_that_of_the_row() -> None:
    wrong = [
        made.pattern
        for made in productions()
        if made.sorts and {sort for slot in made.slots for sort in slot.sorts} & set("SNP") - set(made.sorts)
    ]
    assert wrong == [], "call the sort of such a slot Z"


def test_no_two_rows_have_the_same_words_for_different_expressions() -> None:
    by_words: dict[tuple[object, ...], set[object]] = {}
    for made in productions():
        slots = tuple((slot.category, slot.sorts, slot.many) for slot in made.slots)
        by_words.setdefault((made.category, made.sorts, made.pattern, slots), set()).add(made.expression)
    assert [key for key, expressions in by_words.items() if len(expressions) > 1] == []
