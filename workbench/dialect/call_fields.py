"""The classes of calls and their fields: parameters, nested objects, and the elements of lists.

An exported file carries these nouns, and nothing of what makes them of schemas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from workbench.model import ArgumentType, Json, Kind, RecordType

_TIME = ("time", ArgumentType(Kind.DATETIME))
_OUTCOME = (
    ("succeeded", ArgumentType(Kind.BOOL)),
    ("failed", ArgumentType(Kind.BOOL)),
    ("result", ArgumentType(Kind.STR)),
)


@dataclass(frozen=True, slots=True)
class CallField:
    """A field of a call, of a nested object or of an element of a list.

    ``key`` is its key in the JSON object; ``name`` is its name in a policy. ``fields`` are those of a nested
    object (type RECORD), or of the elements of a list of objects. ``keyed_by`` is the field of an element
    that has the key of an object keyed by ids, which is read as a list; of the other fields of such an
    element, one with an empty ``key`` is the value itself. ``kind`` is the kind of value by which a text, or
    each text of a list, is read. ``options`` are those of the kind, and the ``zone`` of a time or the
    ``normal`` form of a text.

    An optional list or set is empty where a call lacks it. One that is not optional has no value then, since
    what is missing is no empty list; and no list is None.
    """

    name: str
    key: str
    type: ArgumentType
    fields: tuple[CallField, ...] = ()
    keyed_by: str = ""
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])
    kind: str = ""
    description: str = ""


def as_read(one: CallField) -> ArgumentType:
    """The type of the values of a field, as a policy reads them: a list or a set is never None."""
    is_list = one.type.kind in (Kind.LIST, Kind.SET)
    return replace(one.type, optional=False) if is_list and one.type.optional else one.type


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
        return RecordType(self.name, (*((one.name, as_read(one)) for one in self.fields), _TIME))

    @property
    def earlier(self) -> RecordType:
        """The type of an earlier call of the run, with its outcome."""
        return RecordType(self.name, (*self.decided.fields, *_OUTCOME))
