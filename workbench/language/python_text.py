"""The text of the dialect for what a sentence says: a rule, a clause, or a fact with another meaning."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from decimal import Decimal

from workbench.dialect.call_file import RUN as RUN_TYPE
from workbench.dialect.call_file import Fact
from workbench.language.trees import RUN, Tree, free_names, node_of
from workbench.model import Kind
from workbench.policy.layout import fold

_WIDTH = 96
_FORMS = {"ensure": "Ensures", "require": "Requires"}
HEADS = frozenset({"forbid", "ask", "permit"})
"""What a sentence says of a call as a rule."""


def rule_text(tree: Tree, name: str, message: str) -> str:
    """The function of a rule; ``message`` is the first line of its docstring."""
    condition, classes = tree[2], classes_of(tree)
    head = head_of(name, classes, condition, "bool")
    return f'{head}\n    """{message}"""\n{returned(node_of(condition))}\n'


def clause_text(tree: Tree, name: str, comment: str) -> str:
    """The function of a clause with the comment above it."""
    condition, classes = tree[2], classes_of(tree)
    call = ast.Call(ast.Name(_FORMS[str(tree[1])]), [node_of(condition)], [])
    lines = "\n".join(f"    {line}" for line in fold(call, _WIDTH))
    return f"{head_of(name, classes, condition, 'None')}\n    # {comment}\n{lines}\n"


def fact_text(tree: Tree, fact: Fact) -> str:
    """The function of a fact with the meaning that a sentence gives it."""
    parameters: list[str] = []
    for argument, parameter in zip(fact.node.args.args, fact.parameters, strict=True):
        is_run = parameter.type == RUN_TYPE and not parameter.classes
        own = "run" if is_run else "call" if parameter.classes else argument.arg
        assert argument.annotation is not None
        parameters.append(f"{own}: {ast.unparse(argument.annotation)}")
    assert fact.node.returns is not None
    head = f"def {fact.name}({', '.join(parameters)}) -> {ast.unparse(fact.node.returns)}:"
    noun = ast.get_docstring(fact.node) or fact.noun
    return f'{head}\n    """{noun}"""\n{returned(node_of(_of_type(tree[3], fact)))}\n'


def _of_type(value: Tree, fact: Fact) -> Tree:
    """The value of a fact, whose sums of decimals are decimals in Python where nothing is added, too."""
    if fact.result.kind is not Kind.DECIMAL:
        return value
    match value:
        case ("call", "sum", of):
            return ("call", "sum", of, ("lit", "dec", Decimal(0)))
        case ("+" | "-" as word, left, right):
            return (word, _of_type(left, fact), _of_type(right, fact))
        case ("if", test, then, otherwise):
            return ("if", test, _of_type(then, fact), _of_type(otherwise, fact))
        case _:
            return value


def new_fact_text(name: str, parameters: Sequence[str], noun: str, condition: Tree) -> str:
    """The function of a new fact, which is whether a condition holds."""
    run = [f"{RUN[1]}: {RUN_TYPE.record.name}"] if RUN_TYPE.record and RUN[1] in free_names(condition) else []
    head = f"def {name}({', '.join([*parameters, *run])}) -> bool:"
    return f'{head}\n    """whether {noun}"""\n{returned(node_of(condition))}\n'


def classes_of(tree: Tree) -> tuple[str, ...]:
    """The classes of the calls that a rule or clause is about."""
    return tuple(str(one[1]) for one in tree[3:])


def head_of(name: str, classes: Sequence[str], condition: Tree, result: str) -> str:
    """The first line of a rule or contract: it takes the run if it reads it."""
    run = ", run: Run" if RUN[1] in free_names(condition) else ""
    return f"def {name}(call: {' | '.join(classes)}{run}) -> {result}:"


def returned(value: ast.expr) -> str:
    """The statement that returns a value, on as many lines as it takes."""
    first, *others = fold(value, _WIDTH)
    return "\n".join((f"    return {first}", *(f"    {line}" for line in others)))
