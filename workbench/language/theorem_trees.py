"""Theorems about whole runs as trees: what never happens of a call, what never holds of the calls so far."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import override

from workbench.dialect.class_names import BEFORE, CALLS
from workbench.dialect.theorems import PREFIX, BeforeCall, is_over_calls
from workbench.dialect.told_apart import expression_for_class
from workbench.language.python_text import returned
from workbench.language.trees import (
    CALL,
    RUN,
    TRUE,
    NotInLanguage,
    Tree,
    canonical,
    is_tree,
    joined,
    negated,
    node_of,
    tree_of,
    with_instead,
)
from workbench.policy.checker.bodies import without_docstring

NEVER, NEVER_HOLDS = "never", "never_holds"
FORMS = frozenset({NEVER, NEVER_HOLDS})
"""What a sentence says of whole runs."""
_OUTCOME = ("succeeded", "failed", "result")
_ELEMENT = "one"
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Lt: ast.GtE, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip


def theorem_trees(node: ast.FunctionDef, constants: Mapping[str, Tree]) -> Iterator[Tree]:
    """Yield what a theorem says, each condition that it joins by itself. Raises NotInLanguage."""
    run = node.args.args[0].arg
    (statement,) = without_docstring(node.body)
    assert isinstance(statement, ast.Return) and statement.value is not None
    whole = statement.value
    parts = whole.values if isinstance(whole, ast.BoolOp) and isinstance(whole.op, ast.And) else [whole]
    for part in parts:
        yield from _of_call(part, run, constants) or [_of_run(part, run, constants)]


def _of_call(node: ast.expr, run: str, constants: Mapping[str, Tree]) -> list[Tree]:
    """What never happens of a call: of ``all(test(c) for c in run.calls(A))``; none of another form."""
    form, some = "all", node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        form, some = "any", node.operand
    match some:
        case ast.Call(ast.Name(name), [ast.GeneratorExp(element, [generator])], []) if name == form:
            many, target = generator.iter, generator.target
        case _:
            return []
    if not is_over_calls(many, run) or not isinstance(many, ast.Call) or not isinstance(target, ast.Name):
        return []
    if any(_is_outcome(one, target.id) for one in ast.walk(node)):
        return []
    classes = [one.id for one in many.args if isinstance(one, ast.Name)]
    bodies: dict[str, Tree] = {}
    for one in classes:
        names = {**constants, target.id: CALL, f"{run}.{BEFORE}": RUN}
        parts = [expression_for_class(deepcopy(test), target.id, one) for test in generator.ifs]
        tests = [tree_of(_before(part, run, target.id), names) for part in parts]
        said = tree_of(
            _before(expression_for_class(deepcopy(element), target.id, one), run, target.id), names
        )
        conditions = [*tests, *([said] if form == "any" else _breaking(said))]
        bodies[one] = joined("and", [part for part in conditions if part != TRUE])
    alike: dict[Tree, list[str]] = {}
    for one, body in bodies.items():
        alike.setdefault(canonical(body), []).append(one)
    return [("call", NEVER, bodies[of[0]], *(("name", one) for one in of)) for of in alike.values()]


def _breaking(said: Tree) -> list[Tree]:
    """The conditions that hold together where a test does not, each without a negation if it can be."""
    match said:
        case ("not", broken):
            return [broken]
        case ("or", *parts) if any(part[0] == "not" for part in parts):
            return [one for part in parts for one in _breaking(part)]
        case _:
            return [negated(said)]


def _is_outcome(node: ast.AST, element: str) -> bool:
    """Whether this is what came of a call, of which nothing is said as of a decided one."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr in _OUTCOME
        and isinstance(node.value, ast.Name)
        and node.value.id == element
    )


def of_each_call(tree: Tree) -> Tree:
    """What never holds of some call of a run, as what never happens of a call; any other tree as it is.

    What is said of a call and of the whole run stays: of a call it would be said of the run before it.
    """
    match tree:
        case ("call", "never_holds", ("call", "any", ("gen", element, said, many, condition))) if many[
            :3
        ] == ("method", RUN, "earlier"):
            body = joined("and", [part for part in (condition, said) if part != TRUE])
            parts = list(_parts(body))
            stays = RUN in parts or any(("attr", element, one) in parts for one in _OUTCOME)
            return tree if stays else ("call", NEVER, with_instead(body, element, CALL), *many[3:])
        case _:
            return tree


def _parts(tree: Tree) -> Iterator[Tree]:
    yield tree
    for part in tree:
        if is_tree(part):
            yield from _parts(part)


def _before(node: ast.expr, run: str, element: str) -> ast.expr:
    changed = BeforeCall(element, run, f"{run}.{BEFORE}").visit(node)
    assert isinstance(changed, ast.expr)
    return changed


def _of_run(node: ast.expr, run: str, constants: Mapping[str, Tree]) -> Tree:
    """What never holds of the calls so far."""
    changed = deepcopy(node)
    for part in ast.walk(changed):
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == run:
            if part.attr != CALLS:
                raise NotInLanguage("What is said of one call and of all calls of a run has no words.")
            part.attr = "earlier"
    if isinstance(changed, ast.Compare) and len(changed.ops) == 1 and type(changed.ops[0]) in _OPPOSITE:
        changed.ops = [_OPPOSITE[type(changed.ops[0])]()]
        return ("call", NEVER_HOLDS, tree_of(changed, {**constants, run: RUN}))
    names = {**constants, run: RUN}
    if isinstance(changed, ast.UnaryOp) and isinstance(changed.op, ast.Not):
        return ("call", NEVER_HOLDS, tree_of(changed.operand, names))
    return ("call", NEVER_HOLDS, negated(tree_of(changed, names)))


def theorem_text(tree: Tree, name: str, sentence: str) -> str:
    """The function of a theorem; ``sentence`` is the first line of its docstring."""
    return f'def {name}(run: Run) -> bool:\n    """{sentence}"""\n{returned(_condition(tree))}\n'


def _condition(tree: Tree) -> ast.expr:
    if tree[1] == NEVER_HOLDS:
        node = node_of(tree[2])
        for part in ast.walk(node):
            if (
                isinstance(part, ast.Attribute)
                and isinstance(part.value, ast.Name)
                and part.value.id == RUN[1]
            ):
                part.attr = CALLS
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPPOSITE:
            node.ops = [_OPPOSITE[type(node.ops[0])]()]
            return node
        return ast.UnaryOp(ast.Not(), node)
    element = _free(tree[2])
    condition = _Run(element).visit(node_of(tree[2]))
    classes: Sequence[ast.expr] = [ast.Name(str(one[1])) for one in tree[3:]]
    many = ast.Call(ast.Attribute(ast.Name("run"), CALLS), list(classes), [])
    negates = isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not)
    said = condition.operand if negates else condition
    generator = ast.GeneratorExp(said, [ast.comprehension(ast.Name(element), many, [], 0)])
    gathered = ast.Call(ast.Name("all" if negates else "any"), [generator], [])
    return gathered if negates else ast.UnaryOp(ast.Not(), gathered)


def _free(condition: Tree) -> str:
    """A name for the call that no element within the condition has."""
    text = ast.unparse(node_of(condition))
    number, name = 1, _ELEMENT
    while name in text:
        number += 1
        name = f"{_ELEMENT}_{number}"
    return name


class _Run(ast.NodeTransformer):
    """Gives the decided call and its run their names in a theorem."""

    def __init__(self, element: str) -> None:
        self._element = element

    @override
    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == RUN[1]:
            return ast.Call(ast.Attribute(ast.Name("run"), BEFORE), [ast.Name(self._element)], [])
        return ast.Name(self._element) if node.id == CALL[1] else node


__all__ = ["FORMS", "NEVER", "NEVER_HOLDS", "PREFIX", "of_each_call", "theorem_text", "theorem_trees"]
