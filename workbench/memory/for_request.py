"""Retrieval of demonstrations for a request that is drafted, when there is no call to compare them with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.likeness import closeness
from workbench.memory.retrieval_order import DEFAULT_K, Order
from workbench.model import Demonstration

_PASSAGE_ENDS = re.compile(r"(?<=[.!?:;])\s+|\n\s*\n")


def nearest_to_request(
    request: str,
    demonstrations: Sequence[Demonstration],
    k: int = DEFAULT_K,
    order: Order = Order.MOST_SIMILAR,
) -> tuple[Demonstration, ...]:
    """The ``k`` enabled demonstrations whose plans are most similar to the request, nearest first.

    The nearness of a demonstration is that of the step of its plan and the sentence of the request that are
    most alike: the share of characters that no edit (Levenshtein) touches, since sentences differ in length.
    Of equally near demonstrations the earlier one wins.
    """
    passages = [" ".join(passage.split()) for passage in _PASSAGE_ENDS.split(request) if passage.strip()]
    ranked = [
        (_nearness(demonstration, passages), place)
        for place, demonstration in enumerate(demonstrations)
        if demonstration.enabled
    ]
    ranked.sort(key=lambda entry: (-entry[0] if order is Order.MOST_SIMILAR else entry[0], entry[1]))
    return tuple(demonstrations[place] for _, place in ranked[:k])


def _nearness(demonstration: Demonstration, passages: Sequence[str]) -> float:
    pairs = ((step, passage) for step in demonstration.plan for passage in passages)
    return max((closeness(step, passage) for step, passage in pairs), default=0.0)
