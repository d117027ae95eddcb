"""Names of elements: in a copy of a function, each element has a name of its own where values may meet."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import cast

from workbench.dialect.run_values import CALL
from workbench.policy.checker.syntax_tree import fields_with_parts, nodes_in


def with_own_names(function: ast.FunctionDef, taken: frozenset[str]) -> ast.FunctionDef:
    """A function in which the names of elements are apart: a copy, or itself where it has no elements.

    An element has no name that is taken, none of an element within it, and none of an element in a local
    name, whose value may be filled in anywhere; generators of one local name that say the same keep the same
    names, so that they stay one value. Nor is it ``call``, which is the decided call in every term,
    whatever its parameter is called; a parameter ``call`` keeps its name, and no element may have it then.
    A name that an element gets is none that the function has.
    """
    if not any(isinstance(part, ast.GeneratorExp) for part in nodes_in(function)):
        return function
    copy = copied(function)
    parts = nodes_in(copy)
    written = frozenset(part.id for part in parts if isinstance(part, ast.Name))
    used = set(taken)
    if all(parameter.arg != CALL for parameter in function.args.args):
        used.add(CALL)
    for statement in parts:
        if isinstance(statement, ast.Assign):
            _rename_apart(statement.value, used, written, {})
    for statement in copy.body:
        if not isinstance(statement, ast.Assign):
            _rename_apart(statement, set(used), written, None)
    return copy


def copied[Node: ast.AST](node: Node) -> Node:
    """A copy of a tree, whose parts are copies too, but for operators and the like, which have no parts."""
    copy = type(node).__new__(type(node))
    own = vars(copy)
    own.update(vars(node))
    for name in fields_with_parts(type(node)):
        value = own.get(name)
        if isinstance(value, ast.AST):
            own[name] = copied(value)
        elif isinstance(value, list):
            parts = cast("list[object]", value)
            own[name] = [copied(part) if isinstance(part, ast.AST) else part for part in parts]
    return copy


def _rename_apart(
    node: ast.AST, used: set[str], written: frozenset[str], known: dict[str, dict[str, str]] | None
) -> set[str]:
    """Give the elements of generators in a node names that are not used; the names that they have then.

    A generator avoids the names of those within it, so that equal generators have equal names wherever they
    are. With ``known``, the names by the text of a generator, generators that differ have names of their own.
    """
    if isinstance(node, ast.Assign) and known is None:
        return set()
    inside = set[str]()
    for part in ast.iter_child_nodes(node):
        inside |= _rename_apart(part, used, written, known)
    if isinstance(node, ast.GeneratorExp):
        names = _own_names(node, used | inside, written, known)
        _rename(node, {old: new for old, new in names.items() if old != new})
        inside.update(names.values())
        if known is not None:
            used.update(names.values())
    return inside


def _own_names(
    generator: ast.GeneratorExp,
    used: set[str],
    written: frozenset[str],
    known: dict[str, dict[str, str]] | None,
) -> dict[str, str]:
    targets = [part for part in nodes_in(generator.generators[0].target) if isinstance(part, ast.Name)]
    if known is None:
        return {target.id: _unused(target.id, used, written) for target in targets}
    text = ast.unparse(generator)
    if text not in known:
        known[text] = {target.id: _unused(target.id, used, written) for target in targets}
    return known[text]


def _unused(name: str, used: set[str], written: frozenset[str]) -> str:
    number, candidate = 1, name
    while candidate in used or (candidate in written and candidate != name):
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def _rename(generator: ast.GeneratorExp, names: Mapping[str, str]) -> None:
    """Rename the elements of a generator, but not in the collection that it runs over."""
    clause = generator.generators[0]
    for root in (clause.target, generator.elt, *clause.ifs):
        _rename_in(root, names)


def _rename_in(node: ast.AST, names: Mapping[str, str]) -> None:
    """Rename what is no element of a generator within the node."""
    if isinstance(node, ast.Name):
        node.id = names.get(node.id, node.id)
    if not isinstance(node, ast.GeneratorExp):
        for part in ast.iter_child_nodes(node):
            _rename_in(part, names)
        return
    clause = node.generators[0]
    own = {part.id for part in nodes_in(clause.target) if isinstance(part, ast.Name)}
    _rename_in(clause.iter, names)
    for part in (node.elt, *clause.ifs):
        _rename_in(part, {old: new for old, new in names.items() if old not in own})
