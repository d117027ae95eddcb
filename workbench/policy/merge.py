"""Three-way merge of policy texts, definition by definition.

A definition that a person edited is never overwritten. If the draft changed it too, the person's version
stays and the conflict is reported.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.policy.file_parts import FilePart, PartKind, file_parts
from workbench.policy.render import format_policy, import_text
from workbench.serialization.json_form import json_form


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """A part that both sides changed; each side's text, None where that side does not have it."""

    name: str
    ours: str | None
    theirs: str | None


json_form(MergeConflict)


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged text, formatted, and its conflicts, in which the text keeps our version."""

    text: str
    conflicts: tuple[MergeConflict, ...] = ()


type Parts = dict[str, str]

_IMPORTS = "the imports"
_TITLE = "the title"


def merge(base: str, ours: str, theirs: str) -> Merged:
    """Merge texts of policies of calls: ``base`` is the common origin, ``ours`` is the person's text.

    Functions and constants are merged whole. A definition that a function of the result uses stays. The
    imports are those of both sides that the result uses. The result is not checked. Raises ``PolicyError`` if
    a text does not parse.
    """
    if format_policy(ours) == format_policy(base):
        return Merged(format_policy(theirs))
    sides = [_Side(format_policy(text)) for text in (base, ours, theirs)]
    definitions, conflicts = _merged_parts(*(side.definitions for side in sides))
    definitions = _with_needed(definitions, sides[1].definitions)
    body = _spaced({name: text for name, text in definitions.items() if name != _TITLE}, *sides[1:])
    imports = _imports_used((ours, theirs), body)
    text = f"{definitions.get(_TITLE, '')}\n\n{imports}\n\n{body}\n"
    return Merged(format_policy(text), tuple(conflicts))


def _imports_used(texts: Sequence[str], body: str) -> str:
    """The imports of these texts, of the names that a body uses."""
    used = {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}
    names_by_module: dict[str, set[str]] = {}
    for text in texts:
        for node in ast.parse(text).body:
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                names = {alias.name for alias in node.names} & used
                names_by_module.setdefault(node.module, set()).update(names)
    lines: list[str] = []
    for module, names in names_by_module.items():
        apart = "" if module in sys.stdlib_module_names or not lines else "\n"
        lines += [f"{apart}{import_text(module, names)}"] if names else []
    return "\n".join(lines)


def _with_needed(definitions: Parts, ours: Parts) -> Parts:
    """The definitions with those of ours that a function of the result uses, in the order of ours."""
    defined = {name: text for name, text in definitions.items() if name not in (_TITLE, _IMPORTS)}
    waiting, needed = list(defined.values()), set[str]()
    while waiting:
        used = {node.id for node in ast.walk(ast.parse(waiting.pop())) if isinstance(node, ast.Name)}
        new = {name for name in used if name in ours and name not in definitions and name not in needed}
        needed |= new
        waiting += [ours[name] for name in new]
    return {name: text for name, text in ours.items() if name in needed} | definitions


def _spaced(definitions: Parts, ours: _Side, theirs: _Side) -> str:
    """Definitions, each after a blank line unless it directly follows the previous one in its own text."""
    lines: list[str] = []
    for name, text in definitions.items():
        side = ours if name in ours.definitions else theirs
        lines += [text] if name in side.close else ["", text]
    return "\n".join(lines)


class _Side:
    """One of the three texts, split into named parts with their comments."""

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        self.definitions: Parts = {}
        self.close: set[str] = set()
        """The definitions that follow the one before without a blank line."""
        for part in file_parts(text):
            if not isinstance(part.node, ast.ImportFrom):
                self.definitions[_key(part)] = part.text
                if lines[part.first - 2].strip():
                    self.close.add(_key(part))


def _key(part: FilePart) -> str:
    if part.kind is PartKind.EXPRESSION:
        return _TITLE
    return ast.unparse(part.node) if part.kind in (PartKind.IMPORT, PartKind.OTHER) else part.name


def _merged_parts(base: Parts, ours: Parts, theirs: Parts) -> tuple[Parts, list[MergeConflict]]:
    """The parts of three texts as one, and the conflicts."""
    merged: Parts = {}
    conflicts: list[MergeConflict] = []
    for name in _order(list(ours), list(theirs)):
        was, mine, new = base.get(name), ours.get(name), theirs.get(name)
        if mine not in (was, new) and new != was:
            conflicts.append(MergeConflict(name, mine, new))
        text = new if mine == was else mine
        if text is not None:
            merged[name] = text
    return merged, conflicts


def _order(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """The order of theirs, with each part that only ours has placed after its predecessor in ours."""
    order = list(theirs)
    for index, name in enumerate(ours):
        if name not in order:
            before = [earlier_name for earlier_name in ours[:index] if earlier_name in order]
            order.insert(order.index(before[-1]) + 1 if before else 0, name)
    return order
