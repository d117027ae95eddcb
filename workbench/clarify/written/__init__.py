"""The questions about a policy of calls, from the terms of its rules: a module for each kind.

Each names what the policy does now and what else the sentence may mean, as sentences of the language, with an
input on which the answers differ where the solver finds one. An effect is what an answer puts into a policy.
A sentence of which a person wrote a clause is not asked about: the clause says what is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.clarify.written.asked import KINDS, Asked, Effect
from workbench.clarify.written.book import Book

__all__ = ["KINDS", "Asked", "Book", "Effect", "asked_of"]


def asked_of(book: Book) -> Iterator[Asked]:
    """Yield the questions about a policy, those that may change most first."""
    from workbench.clarify.written.boundaries import boundaries
    from workbench.clarify.written.conflicts import conflicts
    from workbench.clarify.written.holes import HolesByRule
    from workbench.clarify.written.idle_rules import idle_rules
    from workbench.clarify.written.other_calls import other_calls
    from workbench.clarify.written.records_meant import other_keys, unknown_records
    from workbench.clarify.written.values_meant import named_calls, named_values, typed_values
    from workbench.clarify.written.witnesses import witnesses

    tried, typed = HolesByRule(book), dict[str, Effect]()
    for asked in _offered(book, typed_values(book, tried)):
        typed |= {name: effect for effect in asked.effects.values() for name in effect.said}
        yield asked
    kinds = (idle_rules, conflicts, boundaries, named_values, named_calls, other_keys, unknown_records)
    others = [asked for kind in kinds for asked in kind(book)]
    yield from _offered(book, [*witnesses(book, tried, typed), *others])
    yield from other_calls(book)
    if book.trials is not None:
        book.trials.keep()


def _offered(book: Book, found: Iterable[Asked]) -> Iterator[Asked]:
    """Yield what is asked, with the answers that may be given.

    All is found first, as the solver keeps one policy, and each answer makes another.
    """
    from workbench.clarify.written.offered import offered

    yield from filter(None, [offered(book, asked) for asked in list(found)])
