"""The subset of Python that is followed. Code outside it is refused, with the line and the reason."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from workbench.runs.values.found_value import Missing

# Functions are followed if they are called by their name; no other node calls a function.
_NODES = frozenset(
    [
        ast.Module, ast.Expression,
        ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Pass, ast.Return, ast.Assert, ast.Raise,
        ast.If, ast.For, ast.While, ast.Break, ast.Continue, ast.Try, ast.ExceptHandler,
        ast.FunctionDef, ast.arguments, ast.arg, ast.Global, ast.Nonlocal,
        ast.Import, ast.ImportFrom, ast.alias,
        ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.Name, ast.Attribute, ast.Subscript, ast.Slice,
        ast.Starred, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Call, ast.keyword,
        ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.NamedExpr,
        ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension,
        ast.Load, ast.Store,
    ]
)  # fmt: skip
_OPERATORS = (ast.operator, ast.boolop, ast.unaryop, ast.cmpop)
_REFUSED: Mapping[type[ast.AST], str] = {
    ast.Lambda: "a lambda",
    ast.ClassDef: "a class",
    ast.AsyncFunctionDef: "an async function",
    ast.With: "a with statement",
    ast.Match: "a match statement",
    ast.Delete: "a del statement",
    ast.Yield: "a yield",
    ast.YieldFrom: "a yield",
    ast.Await: "an await",
}

# Builtins whose result is a number for any argument.
NUMBER_BUILTINS = frozenset({"len", "int", "float", "abs", "round", "ord", "divmod", "pow", "hash", "id"})
TRUTH_BUILTINS = frozenset({"bool", "any", "all", "isinstance"})
TEXT_BUILTINS = frozenset({"repr", "ascii", "chr", "bin", "hex", "oct", "format", "bytes"})
CONTAINER_BUILTINS: Mapping[str, str] = {
    "list": "list", "sorted": "list", "tuple": "tuple", "set": "set", "frozenset": "set",
    "reversed": "iterator", "iter": "iterator",
}  # fmt: skip
OTHER_BUILTINS = frozenset(
    {"str", "dict", "enumerate", "zip", "range", "map", "next", "min", "max", "sum", "print"}
)
BUILTINS = NUMBER_BUILTINS | TRUTH_BUILTINS | TEXT_BUILTINS | frozenset(CONTAINER_BUILTINS) | OTHER_BUILTINS
TYPES = frozenset(
    {"str", "int", "float", "bool", "list", "tuple", "set", "frozenset", "dict", "bytes", "object"}
)
# The possible functions of map(): each makes one value of one value.
CONVERSIONS = frozenset({"str", "int", "float", "bool", "len", "abs", "round"})
EXCEPTIONS = frozenset(
    [
        "Exception", "ArithmeticError", "AssertionError", "AttributeError", "EOFError", "IndexError",
        "KeyError", "LookupError", "NameError", "OverflowError", "RecursionError", "RuntimeError",
        "StopIteration", "TypeError", "UnboundLocalError", "ValueError", "ZeroDivisionError",
        "NotImplementedError", "BaseException",
    ]
)  # fmt: skip

NUMBER_MODULES = frozenset({"math", "time"})
PLAIN_MODULES = frozenset({"datetime", "calendar"})
MODULE_CONSTANTS = frozenset({"math.pi", "math.e", "math.inf", "math.nan", "math.tau"})
# Only the names of these modules in annotations are used.
TYPE_MODULES = frozenset({"typing"})


def check_nodes(tree: ast.Module) -> None:
    """Raise Missing for the first part of the program that is outside of the subset."""
    for node in ast.walk(tree):
        if type(node) in _NODES or isinstance(node, (*_OPERATORS, ast.expr_context)):
            if isinstance(node, ast.Del):
                raise Missing("the code has a del statement, which is not followed")
            _check_names(node)
            continue
        kind = _REFUSED.get(type(node), f"a {type(node).__name__}")
        line = getattr(node, "lineno", 1)
        raise Missing(f"the code has {kind} in line {line}, which is not followed")


def _check_names(node: ast.AST) -> None:
    """Refuse ``**`` arguments, decorators, and names with two underscores, which reach the interpreter."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.FunctionDef(name=name) | ast.arg(arg=name):
            names = [name]
        case ast.alias(name=name, asname=alias):
            names = [name, alias or name]
        case ast.keyword(arg=None):
            raise Missing(f"the code passes ** in line {node.value.lineno}, which cannot be followed")
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            pass
        case _:
            names = []
    for name in names:
        if name.startswith("__"):
            line = getattr(node, "lineno", 1)
            raise Missing(f"the code uses {name} in line {line}, which cannot be followed")
    if isinstance(node, ast.FunctionDef):
        _check_function(node)


def _check_function(node: ast.FunctionDef) -> None:
    if node.decorator_list:
        raise Missing(f"the code decorates a function in line {node.lineno}, which is not followed")
    if node.args.vararg or node.args.kwarg:
        raise Missing(
            f"the function {node.name} in line {node.lineno} takes any arguments, which is not followed"
        )
    if getattr(node, "type_params", None):
        raise Missing(
            f"the function {node.name} in line {node.lineno} has type parameters, which are not followed"
        )
