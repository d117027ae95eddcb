"""What two versions of a policy of calls are to be compared on: what is about the tools they differ in.

A rule or clause is about the tools of its call, and what decides the calls of one tool decides no call of
another. So the versions without the functions of all other tools differ on the same calls, by the same rules,
as the whole ones do, and a clause that only one of them meets is among theirs.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import TypeGuard

from workbench.dialect.call_file import ANY_CALL
from workbench.dialect.file_imports import names_in
from workbench.dialect.theorems import PREFIX as THEOREM
from workbench.policy.checker.syntax_tree import statements
from workbench.policy.rule_names import PERMIT, RULES

_DEFAULT = "DEFAULT"
_MOST_LEFT = 0.75
"""The most of two long versions that is left for which their parts are worth reading."""
_LONG = 20_000
"""The characters of a long version."""


@lru_cache(maxsize=4)
def differing_parts(before: str, after: str, *, with_permitted: bool = False) -> tuple[str, str]:
    """Both versions without what is about tools whose calls they decide alike; as they are if most may.

    ``with_permitted`` keeps what is about the other tools of a permission, too: its clauses depend on it.
    Both are files of the dialect, or as near to it as a sentence brings them.
    """
    try:
        old, new = _named(before), _named(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return before, after
    texts = _texts(old, before), _texts(new, after)
    changed = {name for name in {*old, *new} if texts[0].get(name) != texts[1].get(name)}
    classes = {one for parts in (old, new) for one in _classes(parts, changed)}
    if with_permitted:
        classes = _with_permitted(classes, (*old.values(), *new.values()))
    if not classes or ANY_CALL in classes or _DEFAULT in changed:
        return before, after
    parts = _without_others(before, old, classes), _without_others(after, new, classes)
    left = len("\n".join(parts).strip()) / max(1, len(before) + len(after))
    is_worth = left < _MOST_LEFT or len(after) < _LONG
    return parts if is_worth else (before, after)  # what is read anyway is not read twice


type _Part = ast.FunctionDef | ast.Assign


def _named(text: str) -> Mapping[str, _Part]:
    """The functions and constants of a file by their names, each of which has one."""
    found: dict[str, _Part] = {}
    for node in statements(text):
        if isinstance(node, ast.FunctionDef | ast.Assign):
            name = node.name if isinstance(node, ast.FunctionDef) else ast.unparse(node.targets[0])
            if name in found:
                raise ValueError(name)
            found[name] = node
    return found


def _texts(parts: Mapping[str, _Part], text: str) -> Mapping[str, str]:
    lines = text.split("\n")
    return {name: "\n".join(lines[node.lineno - 1 : node.end_lineno]) for name, node in parts.items()}


def _decides(node: _Part, name: str) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, ast.FunctionDef) and name.startswith((*RULES, "contract_"))


def _classes(parts: Mapping[str, _Part], changed: Collection[str]) -> set[str]:
    """The classes of the calls of the rules and clauses that are changed, or that read what is changed."""
    found: set[str] = set()
    readable = {name for name in changed if name in parts and not _decides(parts[name], name)}
    for name, node in parts.items():
        if _decides(node, name) and (name in changed or (readable and _reads(node, parts) & readable)):
            found |= _classes_of(node)
    return found


def _reads(node: ast.stmt, parts: Mapping[str, _Part]) -> set[str]:
    """The names of the functions and constants that one reads, and of those that they read."""
    found: set[str] = set()
    work = [node]
    while work:
        new = (names_in(work.pop()) & parts.keys()) - found
        found |= new
        work += [parts[name] for name in new]
    return found


def _with_permitted(classes: set[str], parts: Collection[_Part]) -> set[str]:
    """The classes with all those that a permission of calls of one of them is about."""
    permitted = [
        _classes_of(one) for one in parts if isinstance(one, ast.FunctionDef) and one.name.startswith(PERMIT)
    ]
    grown = classes
    while True:
        found = grown.union(*(one for one in permitted if ANY_CALL in one or one & grown))
        if found == grown:
            return grown
        grown = found


def _classes_of(node: ast.FunctionDef) -> set[str]:
    """The classes of the call that a rule or clause takes; that of every call if it says none."""
    first = next(iter(node.args.args), None)
    if first is None or first.annotation is None:
        return {ANY_CALL}
    return {part.id for part in ast.walk(first.annotation) if isinstance(part, ast.Name)} or {ANY_CALL}


def _without_others(text: str, parts: Mapping[str, _Part], classes: Collection[str]) -> str:
    """A file without the rules and clauses of other classes and without theorems; the lines keep numbers."""
    lines = text.split("\n")
    for name, node in parts.items():
        of_others = _decides(node, name) and not _classes_of(node) & {*classes, ANY_CALL}
        if of_others or name.startswith(THEOREM):
            last = node.end_lineno or node.lineno
            lines[node.lineno - 1 : last] = [""] * (last - node.lineno + 1)
    return "\n".join(lines)
