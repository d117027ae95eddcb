"""The subset of Python in which guardrail code is written, checked before any of it runs.

Guardrail code comes from a model and is hostile until checked. Only listed constructs are allowed; everything
else is refused, with a message that can be sent back to the model. There are no imports, no attributes but
listed methods of strings and containers, no names with leading underscores, and no access to text formatting
that reads attributes. Given names (the toolbox, the variables, the builtins) cannot be redefined: a guardrail
with the model's own ``check_access`` would look like a check without being one.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection

from workbench.model import Problem

LONGEST_CODE = 20_000
DEEPEST_NESTING = 40

BUILTINS = frozenset({
    "abs", "all", "any", "bool", "dict", "enumerate", "float", "frozenset", "int", "isinstance", "len",
    "list", "max", "min", "print", "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple",
    "zip",
})  # fmt: skip

METHODS = frozenset({
    "add", "append", "copy", "count", "difference", "discard", "endswith", "extend", "find", "get",
    "index", "insert", "intersection", "isdigit", "issubset", "issuperset", "items", "join", "keys",
    "lower", "pop", "remove", "replace", "rstrip", "lstrip", "setdefault", "sort", "split",
    "splitlines", "startswith", "strip", "title", "union", "update", "upper", "values",
})  # fmt: skip

_NODES: tuple[type[ast.AST], ...] = (
    ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign,
    ast.AnnAssign, ast.For, ast.While, ast.If, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.BoolOp,
    ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Dict, ast.Set, ast.List, ast.Tuple, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Compare, ast.Call, ast.keyword,
    ast.JoinedStr, ast.FormattedValue, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice,
    ast.Starred, ast.Name, ast.Lambda, ast.Try, ast.ExceptHandler, ast.Raise, ast.boolop, ast.operator,
    ast.unaryop, ast.cmpop, ast.expr_context,
)  # fmt: skip

EXCEPTIONS = frozenset({"Exception", "ValueError", "KeyError", "IndexError", "TypeError"})


def check_subset(source: str, functions: Collection[str] = ()) -> tuple[Problem, ...]:
    """The problems for which ``source`` is outside the subset; empty if it may run.

    ``functions`` are the names of the toolbox and of the given variables; the code may also call functions
    that it defines itself.
    """
    if len(source) > LONGEST_CODE:
        return (Problem(f"The code is longer than {LONGEST_CODE} characters.", "Write less."),)
    try:
        with warnings.catch_warnings():
            # The user of the workbench need not be warned of a bad escape in a model's text.
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = (error.lineno or 0) if isinstance(error, SyntaxError) else 0
        reason = error.msg if isinstance(error, SyntaxError) else "it cannot be parsed"
        return (Problem(f"The code is not Python: {reason}.", "Write plain Python.", line),)
    if _depth(tree) > DEEPEST_NESTING:
        return (Problem("The code is nested too deeply.", "Use named intermediate values."),)
    reserved = BUILTINS | EXCEPTIONS | set(functions)
    known_names = reserved | {name for name, _ in _bound(tree)}
    problems = [
        Problem(f"The name {name!r} is given and cannot be redefined.", "Choose another name.", line)
        for name, line in _bound(tree)
        if name in reserved
    ]
    return (*problems, *(problem for node in ast.walk(tree) for problem in _problems(node, known_names)))


def _problems(node: ast.AST, known_names: Collection[str]) -> list[Problem]:
    line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", -1) + 1
    if not isinstance(node, _NODES):
        name = type(node).__name__
        return [
            Problem(f"{name} is not allowed.", "Use assignments, conditions, loops and calls.", line, column)
        ]
    match node:
        case ast.Name(name) | ast.arg(name):
            if name.startswith("_") or name not in known_names:
                return [Problem(f"The name {name!r} is not available.", "Use what is given.", line, column)]
        case ast.ExceptHandler(_, str(name)) if name.startswith("_"):
            return [Problem(f"The name {name!r} is not available.", "Choose another.", line, column)]
        case ast.Attribute(_, name, context) if name not in METHODS or not isinstance(context, ast.Load):
            return [Problem(f"The attribute {name!r} is not allowed.", "Use listed methods.", line, column)]
        case ast.FunctionDef(name) if node.decorator_list or name.startswith("_"):
            return [Problem("Decorators and private functions are not allowed.", "", line, column)]
        case ast.BinOp(_, ast.Pow() | ast.LShift() | ast.Mod() as operator, right) | ast.AugAssign(
            _, ast.Pow() | ast.LShift() | ast.Mod() as operator, right
        ) if not _is_small(operator, right):
            return [
                Problem("Powers, shifts and % formatting are not allowed.", "Use + - * //.", line, column)
            ]
        case ast.FormattedValue(_, _, spec) if spec is not None:
            return [Problem("Format specifications are not allowed.", "Write {value}.", line, column)]
        case ast.Constant(value) if isinstance(value, complex | bytes):
            return [Problem("Only texts, numbers and truth values are allowed.", "", line, column)]
        case _:
            pass
    return []


def _is_small(operator: ast.operator, right: ast.expr) -> bool:
    """Whether an operation is a remainder by an integer constant; formatting and powers are not harmless."""
    return isinstance(operator, ast.Mod) and isinstance(right, ast.Constant) and isinstance(right.value, int)


def _bound(tree: ast.AST) -> list[tuple[str, int]]:
    """The names that the code itself binds, with their lines: variables, parameters, functions, errors."""
    names: list[tuple[str, int]] = []
    for node in ast.walk(tree):
        match node:
            case ast.Name(name, ast.Store()) | ast.arg(name) | ast.FunctionDef(name):
                names.append((name, node.lineno))
            case ast.ExceptHandler(_, str(name)):
                names.append((name, node.lineno))
            case _:
                pass
    return names


def _depth(tree: ast.AST) -> int:
    """The nesting of the tree, counted without recursion."""
    deepest, level = 0, [tree]
    while level and deepest <= DEEPEST_NESTING:
        deepest += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return deepest
