"""The names of classes and fields in a policy that speaks of calls, and which of them are taken."""

from __future__ import annotations

import keyword
import re

from workbench.dialect.run_values import LAST, WORDS
from workbench.model import Kind, Record
from workbench.policy.names import IMPORTS
from workbench.policy.names import RESERVED as OF_POLICIES
from workbench.runs.kinds.kinds_by_name import CLASSES

RUN = "Run"
CALL = "Call"
TEXT = "Text"
CONTEXT = "Context"
LOOKED_UP = "looked_up"
CALLS, BEFORE = "calls", "before"
"""The methods of the run of a theorem."""
OF_RUN = ("earlier", "since", "until", CALLS, BEFORE, "context", LAST, *WORDS)
"""The attributes of a run that are no records."""
OUTCOME = ("time", "succeeded", "failed", "approved", "result")
"""The fields of every earlier call."""
RESERVED_FIELDS = ("tool", *OUTCOME, "source", "none")
"""The names that every call, its outcome and its texts use, and the word for None in a file of cases."""
RESERVED_CLASSES = {
    *(RUN, CALL, TEXT, CONTEXT, LOOKED_UP, "Iterable", "Pair", "Generic", "TypeAlias", "TypeVar"),
    *(OF_POLICIES | {name for names in IMPORTS.values() for name in names}),
    *(name for names in CLASSES.values() for name in names),
}
"""The classes that a policy has in any case; the class of a tool with such a name gets ``_`` at its end."""
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_CLASS = re.compile(r"[A-Z][A-Za-z0-9_]*")
_BREAK = re.compile(r"[^0-9A-Za-z]+")


def words_in_capitals(name: str) -> str:
    """The words of a name, each with a capital: ``pay_invoice`` is ``PayInvoice``."""
    return "".join(word[:1].upper() + word[1:] for word in _BREAK.split(name))


def class_of_tool(name: str) -> str:
    """The class of a tool's calls; empty if no class can have the words of this name."""
    words = words_in_capitals(name) if name.isascii() else ""
    if not _CLASS.fullmatch(words):
        return ""
    return f"{words}_" if words in RESERVED_CLASSES or keyword.iskeyword(words) else words


def is_class_name(name: str) -> bool:
    """Whether a person may give a class this name."""
    return bool(_CLASS.fullmatch(name)) and name not in RESERVED_CLASSES and not keyword.iskeyword(name)


def field_name(key: str) -> str:
    """The name of the field for a key of a JSON object; empty if the key is no plain name."""
    if not _FIELD.fullmatch(key):
        return ""
    return f"{key}_" if key in RESERVED_FIELDS or keyword.iskeyword(key) else key


def key_names(record: Record) -> tuple[str, ...]:
    """The names of the parameters of ``run.record(...)``: ``key``, or one for each part of the key."""
    if not record.key_parts:
        return ("key",)
    last = [field_name(words[-1]) if (words := re.findall(r"\w+", path)) else "" for path in record.keys]
    plain = len(set(last)) == len(last) and all(last)
    return tuple(last) if plain else tuple(f"key_{number}" for number in range(1, len(last) + 1))


def is_field_name(name: str) -> bool:
    """Whether a person may give a field this name."""
    return field_name(name) == name != ""


def key_kinds(record: Record, path: str) -> tuple[Kind, ...]:
    """The types of a part of a key: that of its field; a part that is no field may be a number."""
    key = next((one for one in record.fields if (one.path or one.name) == path), None)
    if key is None and record.key_parts:
        return (Kind.STR, Kind.INT)
    return (key.type.kind,) if key is not None and key.type.kind in (Kind.INT, Kind.DATE) else (Kind.STR,)
