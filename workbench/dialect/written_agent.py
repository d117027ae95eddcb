"""An agent as the key of a cache, by how it is written."""

from __future__ import annotations

from workbench.model import AgentSpec
from workbench.policy.result_cache import Recent

_written = Recent[tuple[int, ...], tuple[tuple[object, ...], str]](16)
"""How the parts of agents are written, by their identities; the parts stay, so these do."""


class WrittenAgent:
    """What a policy of calls reads of an agent spec, as the key of a cache.

    Two are equal if they are written equally: equality of values would take ``1`` for ``True`` in a schema.
    """

    def __init__(self, spec: AgentSpec) -> None:
        """Take the agent spec."""
        self.spec = spec
        parts = spec.tools, spec.records, spec.context, spec.readings, spec.nouns, spec.units
        key = tuple(map(id, parts))
        known = _written.get(key)
        if known is None:
            known = parts, repr(parts)
            _written.put(key, known)
        self.written = known[1]

    @property
    def as_read(self) -> str:
        """What is written of the agent, with all else by which its calls and their results are read."""
        spec = self.spec
        return f"{self.written}\n{(spec.zone, spec.as_of, spec.errors, {**spec.schema})!r}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WrittenAgent) and self.written == other.written

    def __hash__(self) -> int:
        return hash(self.written)
