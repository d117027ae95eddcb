"""Retrieval of demonstrations is exact, and its order is deterministic."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.likeness import edit_distance
from workbench.memory.retrieval import DemonstrationIndex
from workbench.memory.retrieval_order import Order
from workbench.model import Demonstration

TEXTS = st.text(alphabet="ab \u20ac\U0001f600", max_size=12)


def demonstration(number: int, agent_input: str, agent_output: str, *, enabled: bool = True) -> Demonstration:
    return Demonstration(str(number), agent_input, agent_output, ("1", "2", "3", "4"), "", enabled)


@given(
    st.lists(st.tuples(TEXTS, TEXTS), max_size=200), TEXTS, TEXTS, st.integers(0, 8), st.sampled_from(Order)
)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)  # a loaded machine generates slowly
def test_retrieval_equals_sorting_by_all_distances(
    pairs: list[tuple[str, str]], agent_input: str, agent_output: str, k: int, order: Order
) -> None:
    known = [demonstration(number, *pair) for number, pair in enumerate(pairs)]
    sign = 1 if order is Order.MOST_SIMILAR else -1

    def distance(item: Demonstration) -> int:
        inputs = edit_distance(agent_input, item.agent_input)
        return sign * (inputs + edit_distance(agent_output, item.agent_output))

    expected = [item.id for item in sorted(known, key=distance)[:k]]
    retrieved = DemonstrationIndex(known).nearest(agent_input, agent_output, k, order)
    assert expected == [item.demonstration.id for item in retrieved]
    assert [sign * distance(item.demonstration) for item in retrieved] == [
        item.distance for item in retrieved
    ]


def test_retrieval_from_several_batches_equals_sorting_by_all_distances() -> None:
    chance = random.Random(3)
    pairs = [
        ("".join(chance.choices("abc", k=chance.randrange(4, 9))), "".join(chance.choices("xy", k=6)))
        for _ in range(700)
    ]
    index = DemonstrationIndex([demonstration(number, *pair) for number, pair in enumerate(pairs)])
    for agent_input, output in pairs[:20]:
        distances = [edit_distance(agent_input, pair[0]) + edit_distance(output, pair[1]) for pair in pairs]
        expected = sorted(range(len(pairs)), key=lambda number: (distances[number], number))[:25]
        assert [int(item.demonstration.id) for item in index.nearest(agent_input, output, 25)] == expected


def test_disabled_demonstrations_are_never_retrieved() -> None:
    index = DemonstrationIndex([demonstration(1, "a", "b", enabled=False), demonstration(2, "x", "y")])
    assert [item.demonstration.id for item in index.nearest("a", "b", 5)] == ["2"]


def test_an_empty_memory_retrieves_nothing() -> None:
    assert DemonstrationIndex([]).nearest("a", "b", 3) == ()
