"""Retrieval of demonstrations by Levenshtein distance over input and output (GuardAgent 4.2).

The distance of a demonstration is the sum of the distances of its agent input and its agent
output to those of the step. The answer is exact: a demonstration is passed over only if a lower
bound of its distance already exceeds the worst one kept. Two bounds are used, both of which a
single insertion, deletion or substitution can change by at most one: the difference in length,
and the larger of the surplus and the deficit of character counts.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.memory.distance import edit_distance
from workbench.memory.order import Order
from workbench.model import Demonstration

_BUCKETS = 32
_SEEDS = 64


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
        """Index the enabled demonstrations; the cost is linear in their text."""
        self._known = tuple(item for item in demonstrations if item.enabled)
        self._inputs = _Texts([item.agent_input for item in self._known])
        self._outputs = _Texts([item.agent_output for item in self._known])

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
        lengths = self._inputs.length_bound(agent_input) + self._outputs.length_bound(agent_output)
        best: list[tuple[int, int, int, int]] = []
        seeds = np.argpartition(lengths, min(k + _SEEDS, len(lengths)) - 1)[: k + _SEEDS]
        seeds = seeds[np.argsort(self._bound(seeds, agent_input, agent_output), kind="stable")][: 2 * k]
        for index in seeds.tolist():
            self._offer(best, k, index, agent_input, agent_output)
        seen = set(seeds.tolist())
        near = np.flatnonzero(lengths <= -best[0][0] if len(best) == k else lengths >= 0)
        bounds = self._bound(near, agent_input, agent_output)
        for position in np.argsort(bounds, kind="stable").tolist():
            if len(best) == k and bounds[position] > -best[0][0]:
                break
            index = int(near[position])
            if index not in seen:
                self._offer(best, k, index, agent_input, agent_output)
        ranked = sorted(best, key=lambda item: (-item[0], -item[1]))
        return [(-index, inputs, outputs) for _, index, inputs, outputs in ranked]

    def _offer(
        self, best: list[tuple[int, int, int, int]], k: int, index: int, agent_input: str, agent_output: str
    ) -> None:
        """Keep ``index`` if it is among the ``k`` best; ``best`` is a heap of negated distances."""
        cutoff = -best[0][0] if len(best) == k else None
        inputs = edit_distance(agent_input, self._inputs.texts[index], cutoff)
        rest = None if cutoff is None else cutoff - inputs
        if rest is not None and rest < 0:
            return
        outputs = edit_distance(agent_output, self._outputs.texts[index], rest)
        if rest is not None and outputs > rest:
            return
        entry = (-(inputs + outputs), -index, inputs, outputs)
        if len(best) < k:
            heapq.heappush(best, entry)
        elif entry > best[0]:
            heapq.heapreplace(best, entry)

    def _bound(self, rows: NDArray[np.int64], agent_input: str, agent_output: str) -> NDArray[np.int64]:
        inputs = self._inputs.count_bound(rows, agent_input)
        return inputs + self._outputs.count_bound(rows, agent_output)

    def _farthest(self, agent_input: str, agent_output: str, k: int) -> list[tuple[int, int, int]]:
        """The farthest ones, from exact distances: no useful upper bound prunes them."""
        scored = (
            (
                edit_distance(agent_input, self._inputs.texts[index]),
                edit_distance(agent_output, self._outputs.texts[index]),
                index,
            )
            for index in range(len(self._known))
        )
        best = heapq.nlargest(k, scored, key=lambda item: (item[0] + item[1], -item[2]))
        return [(index, inputs, outputs) for inputs, outputs, index in best]


class _Texts:
    """Texts with what bounds their distance to another text from below."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self._lengths = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
        self._counts = np.zeros((len(texts), _BUCKETS), dtype=np.int32)
        for row, text in enumerate(texts):
            self._counts[row] = _character_counts(text)

    def length_bound(self, text: str) -> NDArray[np.int64]:
        """The difference in length to every text: an insertion or deletion for each."""
        return np.abs(self._lengths - len(text))

    def count_bound(self, rows: NDArray[np.int64], text: str) -> NDArray[np.int64]:
        """The larger of surplus and deficit of characters: a substitution changes each by one."""
        difference = self._counts[rows] - _character_counts(text)
        total = difference.sum(axis=1, dtype=np.int64)
        size = np.abs(difference).sum(axis=1, dtype=np.int64)
        return (size + np.abs(total)) // 2


def _character_counts(text: str) -> NDArray[np.int32]:
    """How often characters fall into each bucket; merging characters only lowers the bound."""
    codes = np.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32)
    return np.bincount(codes % _BUCKETS, minlength=_BUCKETS).astype(np.int32)
