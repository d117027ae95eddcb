"""What code may use from outside: builtins, and the listed functions of modules."""

from __future__ import annotations

import ast

from workbench.runs.kinds.python_code.allowed_functions import MODULE_FUNCTIONS
from workbench.runs.kinds.python_code.values import COMPUTED, NUMBER, Outside, Values
from workbench.runs.values.found_value import Missing

EXCEPTIONS = frozenset(
    [
        "Exception", "ArithmeticError", "AssertionError", "AttributeError", "EOFError", "IndexError",
        "KeyError", "LookupError", "NameError", "OverflowError", "RecursionError", "RuntimeError",
        "StopIteration", "TypeError", "UnboundLocalError", "ValueError", "ZeroDivisionError",
        "NotImplementedError", "BaseException",
    ]
)  # fmt: skip
TYPES = frozenset(
    ["str", "int", "float", "bool", "list", "tuple", "set", "frozenset", "dict", "bytes", "object",
     "enumerate", "filter", "map", "range", "reversed", "zip"]
)  # fmt: skip
NUMBER_BUILTINS = frozenset({"len", "int", "float", "abs", "round", "ord", "divmod", "pow", "hash", "id"})
TRUTH_BUILTINS = frozenset({"bool", "any", "all", "isinstance"})
TEXT_BUILTINS = frozenset({"repr", "ascii", "chr", "bin", "hex", "oct", "format", "bytes"})
CONTAINER_BUILTINS = {
    "list": "list", "sorted": "list", "tuple": "tuple", "set": "set", "frozenset": "set",
    "reversed": "iterator", "iter": "iterator",
}  # fmt: skip
OTHER_BUILTINS = frozenset(
    [
        "str",
        "dict",
        "enumerate",
        "zip",
        "range",
        "map",
        "filter",
        "next",
        "min",
        "max",
        "sum",
        "print",
        "object",
    ]
)
BUILTINS = (
    NUMBER_BUILTINS | TRUTH_BUILTINS | TEXT_BUILTINS | CONTAINER_BUILTINS.keys() | OTHER_BUILTINS | EXCEPTIONS
)
"""The builtins that code may use; what is not among them may reach what the text does not show."""
_NUMBER_MODULES = frozenset({"math", "time"})
_PLAIN_MODULES = frozenset({"datetime", "calendar"})
_NUMBERS = frozenset({"math.pi", "math.e", "math.inf", "math.nan", "math.tau"})


class Library:
    """The functions of the modules that code may import."""

    def __init__(self, modules: frozenset[str]) -> None:
        """Take the modules, of which the listed functions may be called, and functions by their path."""
        listed = {
            f"{module}.{name}"
            for module in modules
            for name in MODULE_FUNCTIONS.get(module, frozenset[str]())
        }
        self._paths = frozenset(listed | {path for path in modules if "." in path})
        self._packages = frozenset(
            ".".join(parts[:size])
            for path in self._paths | modules
            for parts in (path.split("."),)
            for size in range(1, len(parts))
        )
        self._modules = modules | {path.rpartition(".")[0] for path in modules if "." in path}

    def check_import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Raise Missing for an import of what may read data."""
        if isinstance(node, ast.Import):
            imports = [alias.name for alias in node.names]
        else:
            imports = ["." if node.level else node.module or "."]
        for module in imports:
            if module not in self._modules:
                raise Missing(f"the code imports {module} in line {node.lineno}, which may read data")
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    raise Missing(
                        f"the code imports * from {imports[0]} in line {node.lineno}, which is not followed"
                    )

    def value(self, path: str, node: ast.AST) -> Values:
        """The value at a path below a module; raises Missing for what is not listed."""
        if path in _NUMBERS:
            return NUMBER
        if not (path in self._paths or path in self._modules or path in self._packages or _is_type(path)):
            line = getattr(node, "lineno", 1)
            raise Missing(f"the code uses {path} in line {line}, which is not a listed function")
        return frozenset({Outside("library", path)})

    def check_call(self, path: str, node: ast.expr) -> None:
        """Raise Missing unless the path is a function that computes from its arguments alone."""
        if path not in self._paths:
            raise Missing(f"the code calls {path} in line {node.lineno}, which is not a listed function")

    @staticmethod
    def result(path: str) -> Values:
        """The result of a function of a module whose arguments may be anything."""
        module = path.partition(".")[0]
        return NUMBER if module in _NUMBER_MODULES else COMPUTED

    @staticmethod
    def is_plain(path: str) -> bool:
        """Whether a function gives dates and the like for any arguments."""
        return path.partition(".")[0] in _PLAIN_MODULES


def _is_type(path: str) -> bool:
    """Whether a path is a name for annotations."""
    module, _, name = path.rpartition(".")
    return module in ("typing", "collections.abc") and name[:1].isupper()
