"""Retrieval of demonstrations by Levenshtein distance over input and output (GuardAgent 4.2).

The distance of a demonstration is the sum of the distances of its agent input and its agent output to those
of the call. The result is exact: a demonstration is skipped only if a lower bound of its distance already
exceeds the worst one kept. The bound is the difference in length, which a single insertion, deletion or
substitution can change by at most one. Texts are compared in batches, by compiled code that stops at a text
as soon as its distance exceeds the worst one kept.

The effect of an edit of the memory: the calls that retrieve other demonstrations than before.

Retrieval of demonstrations for a request that is drafted, when there is no call to compare them with.
"""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from workbench.likeness import closeness, edit_distance, edit_distances
from workbench.memory.call_texts import call_texts
from workbench.memory.retrieval_order import DEFAULT_K, Order, RetrievalChange
from workbench.model import Demonstration, RecordedCall
from workbench.serialization.json_form import json_form

# A larger batch makes fewer calls; a smaller one sooner lowers the worst distance kept.
_BATCH = 128


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A demonstration with its distances (in edits) to the call; rank counts from 1."""

    demonstration: Demonstration
    rank: int
    input_distance: int
    output_distance: int

    @property
    def distance(self) -> int:
        """The sum by which demonstrations are ranked."""
        return self.input_distance + self.output_distance


json_form(Retrieved, "rank", ("id", "demonstration.id"), "distance", "input_distance", "output_distance")


@dataclass(slots=True)
class _Texts:
    """Demonstrations by their places in the index, with their texts in parallel lists."""

    places: list[int] = field(default_factory=list[int])
    inputs: list[str] = field(default_factory=list[str])
    outputs: list[str] = field(default_factory=list[str])

    def __len__(self) -> int:
        return len(self.places)

    def add(self, other: _Texts) -> None:
        self.places += other.places
        self.inputs += other.inputs
        self.outputs += other.outputs


class _Nearest:
    """The ``k`` nearest of the demonstrations that were offered."""

    def __init__(self, agent_input: str, agent_output: str, k: int) -> None:
        self._input, self._output, self._k = agent_input, agent_output, k
        self._heap: list[tuple[int, int, int, int]] = []  # negated distance, negated place, both distances

    @property
    def worst(self) -> int | None:
        """The largest distance that is kept; None as long as any distance would be kept."""
        return -self._heap[0][0] if len(self._heap) == self._k else None

    def offer(self, texts: _Texts) -> None:
        """Keep the demonstrations among the ``k`` nearest; of equal distances, the earliest in the index."""
        for position, outputs in edit_distances(self._output, texts.outputs, self.worst):
            worst = self.worst
            remaining_distance = None if worst is None else worst - outputs
            if remaining_distance is not None and remaining_distance < 0:
                continue
            inputs = edit_distance(self._input, texts.inputs[position], remaining_distance)
            entry = (-inputs - outputs, -texts.places[position], inputs, outputs)
            if remaining_distance is None:
                heapq.heappush(self._heap, entry)
            elif entry > self._heap[0]:
                heapq.heapreplace(self._heap, entry)

    def ranked(self) -> list[tuple[int, int, int]]:
        """The places that are kept with their two distances, nearest first."""
        return [(-place, inputs, outputs) for _, place, inputs, outputs in sorted(self._heap, reverse=True)]


class DemonstrationIndex:
    """An index over the enabled demonstrations; of equal distances the earlier demonstration wins."""

    def __init__(self, demonstrations: Sequence[Demonstration]) -> None:
        """Index the enabled demonstrations by the lengths of their two texts."""
        self._known = tuple(item for item in demonstrations if item.enabled)
        self._by_lengths: dict[tuple[int, int], _Texts] = {}
        for place, item in enumerate(self._known):
            lengths = (len(item.agent_input), len(item.agent_output))
            texts = self._by_lengths.get(lengths) or self._by_lengths.setdefault(lengths, _Texts())
            texts.places.append(place)
            texts.inputs.append(item.agent_input)
            texts.outputs.append(item.agent_output)

    def __len__(self) -> int:
        """The number of demonstrations that can be retrieved."""
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
        by_bound: defaultdict[int, list[_Texts]] = defaultdict(list)
        for (inputs, outputs), texts in self._by_lengths.items():
            by_bound[abs(inputs - len(agent_input)) + abs(outputs - len(agent_output))].append(texts)
        nearest, batch = _Nearest(agent_input, agent_output, k), _Texts()
        for bound in sorted(by_bound):
            if nearest.worst is not None and bound > nearest.worst:
                break
            for texts in by_bound[bound]:
                batch.add(texts)
                if len(batch) >= _BATCH:
                    nearest.offer(batch)
                    batch = _Texts()
        nearest.offer(batch)
        return nearest.ranked()

    def _farthest(self, agent_input: str, agent_output: str, k: int) -> list[tuple[int, int, int]]:
        """The farthest demonstrations, from exact distances: no useful upper bound excludes any."""
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


def retrieval_changes(
    before: Sequence[Demonstration],
    after: Sequence[Demonstration],
    calls: Iterable[RecordedCall],
    k: int = DEFAULT_K,
    order: Order = Order.MOST_SIMILAR,
) -> tuple[RetrievalChange, ...]:
    """The calls whose ``k`` demonstrations, or whose order among them, an edit of the memory changes.

    A demonstration whose plan or code was edited counts as changed for the calls that retrieve it.
    """
    old, new = DemonstrationIndex(before), DemonstrationIndex(after)
    changes: list[RetrievalChange] = []
    for position, call in enumerate(calls):
        agent_input, agent_output = call_texts(call)
        first = [item.demonstration for item in old.nearest(agent_input, agent_output, k, order)]
        second = [item.demonstration for item in new.nearest(agent_input, agent_output, k, order)]
        if first != second:
            ids = (
                tuple(demonstration.id for demonstration in first),
                tuple(demonstration.id for demonstration in second),
            )
            changes.append(RetrievalChange(call.run, call.index, position, *ids))
    return tuple(changes)


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
