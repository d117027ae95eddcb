"""An agent as the key of a cache, by how it is written."""

from __future__ import annotations

from workbench.model import AgentSpec


class WrittenAgent:
    """What a policy of calls reads of an agent spec, as the key of a cache.

    Two are equal if they are written equally: equality of values would take ``1`` for ``True`` in a schema.
    """

    def __init__(self, spec: AgentSpec) -> None:
        """Take the agent spec."""
        self.spec = spec
        self.written = repr((spec.tools, spec.records, spec.context, spec.readings, spec.nouns, spec.units))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WrittenAgent) and self.written == other.written

    def __hash__(self) -> int:
        return hash(self.written)
