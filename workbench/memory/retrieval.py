"""Retrieval of demonstrations by Levenshtein distance over input and output (GuardAgent 4.2).

The distance of a demonstration is the sum of the distances of its agent input and its agent
output to those of the step. The answer is exact: a demonstration is passed over only if a lower
bound of its distance already exceeds the worst one kept. The bound is the difference in length,
which a single insertion, deletion or substitution can change by at most one.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.memory.distance import edit_distance
from workbench.memory.order import Order
from workbench.model import Demonstration


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A demonstration with its distances (in edits) to the step; rank counts from 1."""

    demonstration: Demonstration
    rank: int
    input_distance: int
    output_distance: int

    @property
    def distance(self) -> int:
        """The sum by which demonstrations are ranked."""
        return self.input_distance + self.output_distance


class DemonstrationIndex:
    """An index over the enabled demonstrations; ties go to the one that stands first."""

    def __init__(self, demonstrations: Sequence[Demonstration]) -> None:
        """Index the enabled demonstrations by the lengths of their two texts."""
        self._known = tuple(item for item in demonstrations if item.enabled)
        self._by_lengths: dict[tuple[int, int], list[int]] = {}
        for index, item in enumerate(self._known):
            lengths = (len(item.agent_input), len(item.agent_output))
            self._by_lengths.setdefault(lengths, []).append(index)

    def __len__(self) -> int:
        """How many demonstrations can be retrieved."""
        return len(self._known)

    def nearest(
        self, agent_input: str, agent_output: str, k: int, order: Order = Order.MOST_SIMILAR
    ) -> tuple[Retrieved, ...]:
        """The ``k`` nearest (or farthest) demonstrations, best first; fewer if there are fewer."""
        k = min(k, len(self._known))
        if k <= 0:
            return ()
        if order is Order.LEAST_SIMILAR:
            chosen = self._farthest(agent_input, agent_output, k)
        else:
            chosen = self._nearest(agent_input, agent_output, k)
        return tuple(
            Retrieved(self._known[index], rank, inputs, outputs)
            for rank, (index, inputs, outputs) in enumerate(chosen, start=1)
        )

    def _nearest(self, agent_input: str, agent_output: str, k: int) -> list[tuple[int, int, int]]:
        bounded = sorted(
            (abs(inputs - len(agent_input)) + abs(outputs - len(agent_output)), inputs, outputs)
            for inputs, outputs in self._by_lengths
        )
        best: list[tuple[int, int, int, int]] = []
        for bound, *lengths in bounded:
            if len(best) == k and bound > -best[0][0]:
                break
            for index in self._by_lengths[lengths[0], lengths[1]]:
                self._offer(best, k, index, agent_input, agent_output)
        ranked = sorted(best, key=lambda item: (-item[0], -item[1]))
        return [(-index, inputs, outputs) for _, index, inputs, outputs in ranked]

    def _offer(
        self, best: list[tuple[int, int, int, int]], k: int, index: int, agent_input: str, agent_output: str
    ) -> None:
        """Keep ``index`` if it is among the ``k`` best; ``best`` is a heap of negated distances."""
        item = self._known[index]
        worst = -best[0][0] if len(best) == k else None
        # What is left for the input when the output differs by no more than its length.
        rest = None if worst is None else worst - abs(len(item.agent_output) - len(agent_output))
        inputs = edit_distance(agent_input, item.agent_input, rest)
        if rest is not None and inputs > rest:
            return
        rest = None if worst is None else worst - inputs
        outputs = edit_distance(agent_output, item.agent_output, rest)
        if rest is not None and outputs > rest:
            return
        entry = (-(inputs + outputs), -index, inputs, outputs)
        if len(best) < k:
            heapq.heappush(best, entry)
        elif entry > best[0]:
            heapq.heapreplace(best, entry)

    def _farthest(self, agent_input: str, agent_output: str, k: int) -> list[tuple[int, int, int]]:
        """The farthest ones, from exact distances: no useful upper bound prunes them."""
        scored = (
            (
                edit_distance(agent_input, item.agent_input),
                edit_distance(agent_output, item.agent_output),
                index,
            )
            for index, item in enumerate(self._known)
        )
        best = heapq.nlargest(k, scored, key=lambda item: (item[0] + item[1], -item[2]))
        return [(index, inputs, outputs) for inputs, outputs, index in best]
