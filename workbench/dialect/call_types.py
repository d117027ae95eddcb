"""The classes of a policy that speaks of calls: one for each tool, with the fields of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.model import ArgumentType, Json, Kind, Record, RecordType

RESERVED_FIELDS = ("tool", "time", "succeeded", "failed", "result", "source")
"""The fields that every call has, which the fields of parameters give way to."""
_TIME = ("time", ArgumentType(Kind.DATETIME))
_OUTCOME = (
    ("succeeded", ArgumentType(Kind.BOOL)),
    ("failed", ArgumentType(Kind.BOOL)),
    ("result", ArgumentType(Kind.STR)),
)


@dataclass(frozen=True, slots=True)
class CallField:
    """A field of a call, of a nested object or of an element of a list.

    ``key`` is its key in the JSON object; ``name`` is its name in a policy. ``fields`` are those of a
    nested object, or of the elements of a list of objects. ``keyed_by`` is the field of an element that has
    the key of an object keyed by ids, which is read as a list. ``options`` are those of the kind of value
    (as ``format``, ``zone``, ``normal``) by which the text is read.
    """

    name: str
    key: str
    type: ArgumentType
    fields: tuple[CallField, ...] = ()
    keyed_by: str = ""
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class CallType:
    """The class of the calls of one tool."""

    name: str
    tool: str
    fields: tuple[CallField, ...]
    description: str = ""

    @property
    def decided(self) -> RecordType:
        """The type of the call that is decided: its outcome is not known."""
        return RecordType(self.name, (*((one.name, one.type) for one in self.fields), _TIME))

    @property
    def earlier(self) -> RecordType:
        """The type of an earlier call of the run, with its outcome."""
        return RecordType(self.name, (*self.decided.fields, *_OUTCOME))


@dataclass(frozen=True, slots=True)
class AgentTypes:
    """The types of an agent: its calls by the name of their class, its records and its context by name."""

    calls: Mapping[str, CallType]
    records: Mapping[str, Record]
    context: Mapping[str, ArgumentType]

    def of_tool(self, tool: str) -> CallType:
        """The class of the calls of a tool; raises KeyError for an unknown tool."""
        return next((call for call in self.calls.values() if call.tool == tool), None) or self.calls[tool]
