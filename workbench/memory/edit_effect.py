"""The effect of an edit of the memory: the steps that retrieve other demonstrations than before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.memory.retrieval import DemonstrationIndex
from workbench.memory.retrieval_change import RetrievalChange
from workbench.memory.retrieval_order import DEFAULT_K, Order
from workbench.memory.step_texts import step_texts
from workbench.model import Demonstration, Step


def retrieval_changes(
    before: Sequence[Demonstration],
    after: Sequence[Demonstration],
    steps: Iterable[Step],
    k: int = DEFAULT_K,
    order: Order = Order.MOST_SIMILAR,
) -> tuple[RetrievalChange, ...]:
    """The steps whose ``k`` demonstrations, or whose order among them, an edit of the memory changes.

    A demonstration whose plan or code was edited counts as changed for the steps that retrieve it.
    """
    old, new = DemonstrationIndex(before), DemonstrationIndex(after)
    changes: list[RetrievalChange] = []
    for position, step in enumerate(steps):
        agent_input, agent_output = step_texts(step)
        first = [item.demonstration for item in old.nearest(agent_input, agent_output, k, order)]
        second = [item.demonstration for item in new.nearest(agent_input, agent_output, k, order)]
        if first != second:
            ids = (
                tuple(demonstration.id for demonstration in first),
                tuple(demonstration.id for demonstration in second),
            )
            changes.append(RetrievalChange(step.run, step.index, position, *ids))
    return tuple(changes)
