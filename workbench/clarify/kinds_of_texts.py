"""The kinds of value that the name of a text suggests, and the parts of a text of each kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.author.rules.words import split_words
from workbench.clarify.tool_values import ToolValue
from workbench.model import ArgumentType, Json, Kind
from workbench.runs.kinds.kinds_by_name import kind_of
from workbench.runs.proposals.proposed_names import singular
from workbench.runs.values.name_words import NAMED_IN_REQUESTS

# Parts of kinds of values that a text may be parsed into: the kind, its part, the type, its words.
_PARTS = (
    ("url", "host", Kind.STR, "host of {}"),
    ("url", "scheme", Kind.STR, "scheme of {}"),
    ("url", "port", Kind.INT, "port of {}"),
    ("url", "has_userinfo", Kind.BOOL, "user name in {}"),
    ("mail_address", "domain", Kind.STR, "domain of {}"),
    ("mail_address", "address", Kind.STR, "address in {}"),
    ("path", "absolute", Kind.STR, "whole path of {}"),
    ("path", "inside", Kind.SET, "folder that {} is in"),
    ("path", "name", Kind.STR, "file name of {}"),
    ("path", "suffix", Kind.STR, "ending of {}"),
    ("command", "programs", Kind.SET, "program that {} starts"),
    ("command", "calls", Kind.SET, "program with its sub-command that {} starts"),
    ("command", "paths", Kind.SET, "path that {} names"),
    ("command", "writes", Kind.SET, "file that {} writes"),
    ("command", "hosts", Kind.SET, "host that {} names"),
    ("command", "flags", Kind.SET, "option of each program of {}"),
    ("command", "opaque", Kind.BOOL, "something hidden in {}"),
    ("sql", "kinds", Kind.SET, "kind of statement of {}"),
    ("sql", "reads", Kind.SET, "table that {} reads"),
    ("sql", "writes", Kind.SET, "table that {} changes"),
    ("sql", "columns", Kind.SET, "column that {} reads"),
    ("sql", "shown", Kind.SET, "column that {} shows"),
    ("sql", "limited", Kind.SET, "limit on all rows of {}"),
)
_KINDS = frozenset(kind for kind, *_ in _PARTS)


def kind_named(type_: ArgumentType, options: Mapping[str, Json]) -> str:
    """The kind of value of an argument, or the kind that it is a part of; empty if it has none."""
    kind = kind_of(type_.record)
    return kind.name if kind is not None else str(options.get("part", "")).partition(".")[0]


def kinds_of_text(leaf: ToolValue) -> tuple[str, ...]:
    """The kinds of value that the name of a text suggests."""
    if leaf.type.kind is not Kind.STR:
        return ()
    name_words = split_words(next(part for part in reversed(leaf.path) if part != "[*]"))
    words = {*name_words, *map(singular, name_words)}
    return tuple(kind for kind, named in NAMED_IN_REQUESTS.items() if kind in _KINDS and words & named)


def parts_of_text(leaf: ToolValue) -> Iterator[tuple[str, ArgumentType, str]]:
    """The typed parts that the name of a text suggests: the part of its kind, its type, and its words."""
    kinds = kinds_of_text(leaf)
    for kind, part, of, form in _PARTS:
        if kind in kinds:
            yield f"{kind}.{part}", ArgumentType(of), form
