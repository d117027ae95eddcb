"""Names of elements: in a copy of a function, each element has a name of its own where values may meet."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import cast

from workbench.dialect.run_values import CALL


def with_own_names(function: ast.FunctionDef, taken: frozenset[str]) -> ast.FunctionDef:
    """A copy of a function in which the names of elements are apart.

    An element has no name that is taken, none of an element around it, and none of an element in a local
    name, whose value may be filled in anywhere; generators of one local name that say the same keep the same
    names, so that they stay one value. Nor is it ``call``, which is the decided call in every term,
    whatever its parameter is called; a parameter ``call`` keeps its name, and no element may have it then.
    """
    copy = copied(function)
    used = set(taken)
    if all(parameter.arg != CALL for parameter in function.args.args):
        used.add(CALL)
    for statement in ast.walk(copy):
        if isinstance(statement, ast.Assign):
            _rename_apart(statement.value, used, {})
    for statement in copy.body:
        if not isinstance(statement, ast.Assign):
            _rename_apart(statement, set(used), None)
    return copy


def copied[Node: ast.AST](node: Node) -> Node:
    """A copy of a tree, whose parts are copies too."""
    copy = type(node).__new__(type(node))
    vars(copy).update({name: _copied(value) for name, value in vars(node).items()})
    return copy


def _copied(value: object) -> object:
    if isinstance(value, ast.AST):
        return copied(value)
    return [_copied(part) for part in cast("list[object]", value)] if isinstance(value, list) else value


def _rename_apart(node: ast.AST, used: set[str], known: dict[str, dict[str, str]] | None) -> None:
    """Give the elements of generators in a node names that are not used.

    With ``known``, the names by the text of a generator, generators that differ have names of their own.
    """
    if isinstance(node, ast.Assign) and known is None:
        return
    inner = used
    if isinstance(node, ast.GeneratorExp):
        names = _own_names(node, used, known)
        if any(old != new for old, new in names.items()):
            _rename(node, names)
        if known is None:
            inner = used | set(names.values())
        else:
            used |= set(names.values())
    for part in ast.iter_child_nodes(node):
        _rename_apart(part, inner, known)


def _own_names(
    generator: ast.GeneratorExp, used: set[str], known: dict[str, dict[str, str]] | None
) -> dict[str, str]:
    targets = [part for part in ast.walk(generator.generators[0].target) if isinstance(part, ast.Name)]
    if known is None:
        return {target.id: _unused(target.id, used) for target in targets}
    text = ast.unparse(generator)
    if text not in known:
        known[text] = {target.id: _unused(target.id, used) for target in targets}
    return known[text]


def _unused(name: str, used: set[str]) -> str:
    number, candidate = 1, name
    while candidate in used:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def _rename(generator: ast.GeneratorExp, names: Mapping[str, str]) -> None:
    """Rename the elements of a generator, but not in the collection that it runs over."""
    clause = generator.generators[0]
    for root in (clause.target, generator.elt, *clause.ifs):
        for part in ast.walk(root):
            if isinstance(part, ast.Name):
                part.id = names.get(part.id, part.id)
