"""The effect of an edit of the memory: the calls that retrieve other demonstrations than before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.memory.call_texts import call_texts
from workbench.memory.retrieval import DemonstrationIndex
from workbench.memory.retrieval_change import RetrievalChange
from workbench.memory.retrieval_order import DEFAULT_K, Order
from workbench.model import Demonstration, RecordedCall


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
