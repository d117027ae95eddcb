"""The agents of one run: a run is that of the whole tree, and a call of a subagent says of what kind it is.

The context of a call says it, which the application knows and the agent cannot change: ``agent_type`` and
``agent_id``, as coding agents tell them, and ``agents``, the kinds from the outermost subagent to the one
that calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.guard.look_alike_names import folded
from workbench.model import Json

SUBAGENT = "subagent"
"""The role of what is said to a subagent or by it: the user does not speak to it."""
_KIND, _ID, _KINDS = "agent_type", "agent_id", "agents"


def delegated(kinds: Sequence[str], name: str = "") -> dict[str, Json]:
    """The context of the calls of a subagent: the kinds from the outermost one to its own, and its name."""
    return {_KINDS: list(kinds), _KIND: kinds[-1], **({_ID: name} if name else {})}


def kinds_of(context: Mapping[str, Json]) -> frozenset[str] | None:
    """The kinds of the subagents that a call is of, none for the run's own agent; None if it is not known."""
    kinds, kind, name = context.get(_KINDS), context.get(_KIND), context.get(_ID)
    named = [*(kinds if isinstance(kinds, list) else []), *([] if kind is None else [kind])]
    known = frozenset(one for one in named if isinstance(one, str) and one)
    is_clear = len(known) == len(set(map(repr, named))) and (kinds is None or isinstance(kinds, list))
    return known if is_clear and (known or name is None) else None


def concerns(agents: frozenset[str], context: Mapping[str, Json]) -> bool:
    """Whether a policy for subagents of these kinds, or for all agents if there are none, decides a call.

    It decides also a call of a subagent of unknown kind, and of a kind that is spelled nearly so.
    """
    kinds = kinds_of(context) if agents else None
    return kinds is None or not set(map(folded, agents)).isdisjoint(map(folded, kinds))


def hearer(role: str, context: Mapping[str, Json]) -> str:
    """The role of a message in an event with this context: a subagent hears nothing of the user."""
    return role if context.get(_ID) is None else SUBAGENT


def of_one_agent(one: Mapping[str, Json], other: Mapping[str, Json]) -> bool:
    """Whether two calls with these contexts are of the same agent, as far as it is told."""
    return all(one.get(key) == other.get(key) for key in (_KINDS, _KIND, _ID))
