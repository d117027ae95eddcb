"""The kinds of values by name, and the parts that may be a single value."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast, override

from workbench.likeness import did_you_mean
from workbench.model import ArgumentType, Kind, RecordType
from workbench.runs.values.zones import PARTS

if TYPE_CHECKING:
    from workbench.runs.kinds.value_kind import ValueKind

_MOMENT = "moment"
CLASSES = {
    "amount": ("Amount",),
    "code": ("Code", "CodeCall", "CodeFile"),
    "command": ("Command", "StartedProgram"),
    "mail_address": ("MailAddress",),
    _MOMENT: ("Moment",),
    "path": ("Path",),
    "sql": ("Sql", "SqlUse", "SqlCondition", "SqlPeriod"),
    "url": ("Url",),
    "version": ("Version",),
}
"""The classes that a policy has of each kind: its own, and those of the elements of its parts.

Each kind is a module of its name, which has the kind by that name in capitals.
"""
FOLDER_OPTIONS = {"path": "root", "command": "folder", "code": "folder"}
"""The option of each kind that is the folder in which a relative path begins."""
SHELLS = ("bash", "sh", "zsh", "fish", "powershell", "cmd")
"""The shells that a tool may have; a command for another than the first two is not read."""
UNDECLARED_SHELL = "undeclared"
"""The shell of a tool that declares none: only what sh and bash read alike is read."""
UNDECLARED_DIALECT = "undeclared"
"""The dialect of SQL of which nobody said which database reads it: only what all read alike is read."""
OWN_TEXT = "text"
"""The part that every kind has: the text that the value came from."""
_TEXT = ArgumentType(Kind.STR)
_WORD = re.compile(r"(?<!^)(?=[A-Z])")


class _Kinds(Mapping[str, "ValueKind"]):
    """The kinds by name. A kind is loaded when it is asked for, since most policies read none."""

    @override
    def __getitem__(self, name: str) -> ValueKind:
        if name not in CLASSES:
            raise KeyError(name)
        return cast("ValueKind", getattr(importlib.import_module(f"{__package__}.{name}"), name.upper()))

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(CLASSES)

    @override
    def __len__(self) -> int:
        return len(CLASSES)

    @override
    def __contains__(self, name: object) -> bool:
        return name in CLASSES


# If a kind needs more than the standard library, its module imports the package when it reads a text.
KINDS: Mapping[str, ValueKind] = _Kinds()


def element_class(name: str) -> ArgumentType | None:
    """The elements of lists of parts whose class has this name, in a policy of calls; None if none have."""
    kind = next((kind for kind, (_, *names) in CLASSES.items() if name in names), None)
    if kind is None:
        return None
    elements = [type_.element for _, type_ in KINDS[kind].type_in_calls.fields]
    return next(one for one in elements if one is not None and one.record and one.record.name == name)


class BadPart(ValueError):
    """A text that does not name a part of a kind; its text is one sentence about the mistake."""


def kind_of(record: RecordType | None) -> ValueKind | None:
    """The kind that a type of record belongs to; None for a record of the agent's world."""
    return None if record is None else KINDS.get(kind_name(record.name))


def kind_name(type_name: str) -> str:
    """The name that the kind of a type has, if it is of one: ``mail_address`` for ``MailAddress``."""
    return _WORD.sub("_", type_name).lower()


def part_named(text: str) -> tuple[ValueKind, str]:
    """The kind and the part of a text such as ``mail_address.domain``; ``hour`` is ``moment.hour``.

    Raises BadPart.
    """
    kind_name, _, part = (f"{_MOMENT}.{text}" if text in PARTS else text).partition(".")
    kind = KINDS.get(kind_name)
    parts = () if kind is None else tuple(name for name, _ in kind.type.fields)
    if kind is not None and part in parts:
        return kind, part
    known_parts = [
        *PARTS,
        *(f"{value_kind.name}.{name}" for value_kind in KINDS.values() for name, _ in value_kind.type.fields),
    ]
    of_kind = [f"{kind_name}.{name}" for name in parts]
    hint = did_you_mean(text, of_kind or known_parts, 'Did you mean "{}"?')
    raise BadPart(f'there is no part "{text}". {hint or f"Known here: {', '.join(of_kind or known_parts)}."}')


def check_part(text: str, type_: ArgumentType) -> None:
    """Check that a value of the type, or each element of a set, may be this part. Raises BadPart."""
    kind, name = part_named(text)
    part = dict(kind.type.fields)[name]
    single = part if part.kind is not Kind.SET else part.element or _TEXT
    match type_.kind:
        case Kind.SET:
            fits = single.kind is (type_.element or _TEXT).kind
        case Kind.LIST:
            fits = type_.element is not None and type_.element.kind is part.kind
        case Kind.ENUM:
            fits = part.kind in (Kind.STR, Kind.ENUM)
        case _:
            fits = type_.kind is part.kind
    if not fits or single.kind in (Kind.RECORD, Kind.LIST):
        raise BadPart(f'the part "{text}" is of type "{part.kind}".')
