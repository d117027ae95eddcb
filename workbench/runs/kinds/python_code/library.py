"""What code may use from outside: builtins, and the listed functions of modules."""

from __future__ import annotations

import ast

from workbench.runs.kinds.python_code.values import COMPUTED, NUMBER, PLAIN, Outside, Values
from workbench.runs.values.data_file import read_data
from workbench.runs.values.found_value import Missing

_FILE = read_data(__name__, "library.toml")
_FILE.check_keys("builtins", "pure", "closed", "results")
MODULE_FUNCTIONS = _FILE.table("pure").names_by_key()
"""The functions of a module by their path in it; they compute from their arguments alone."""
CLOSED_FUNCTIONS = frozenset(
    f"{module}.{name}"
    for functions in (MODULE_FUNCTIONS, _FILE.table("closed").names_by_key())
    for module, names in functions.items()
    for name in names
)
"""The paths of functions that open no file."""
CLOSED_MODULES = frozenset({"typing", *(path.partition(".")[0] for path in CLOSED_FUNCTIONS)})
_BUILTINS = _FILE.table("builtins").names_by_key()
TYPES = _BUILTINS["types"] | _BUILTINS["exceptions"]
EXCEPTIONS, NUMBERS, TRUTHS = _BUILTINS["exceptions"], _BUILTINS["numbers"], _BUILTINS["truths"]
BUILTINS = TYPES.union(*_BUILTINS.values())
"""The builtins that code may use; what is not among them may reach what the text does not show."""
CONTAINERS = {
    "list": "list", "sorted": "list", "tuple": "tuple", "set": "set", "frozenset": "set",
    "reversed": "iterator", "iter": "iterator",
}  # fmt: skip
_RESULTS = _FILE.table("results").names_by_key()
_MODULES = frozenset(MODULE_FUNCTIONS)
_PATHS = frozenset(f"{module}.{name}" for module, names in MODULE_FUNCTIONS.items() for name in names).union(
    module for module in _MODULES if "." in module
)
_PACKAGES = frozenset(
    ".".join(parts[:size])
    for parts in (path.split(".") for path in _PATHS | _MODULES)
    for size in range(1, len(parts))
)
_IMPORTED = _MODULES | {module.rpartition(".")[0] for module in _MODULES if "." in module}
_NAMED = _PATHS | _IMPORTED | _PACKAGES


def check_import(node: ast.Import | ast.ImportFrom) -> None:
    """Raise Missing for an import of what may read data."""
    if isinstance(node, ast.Import):
        imports = [alias.name for alias in node.names]
    else:
        imports = ["." if node.level else node.module or "."]
    for module in imports:
        if module not in _IMPORTED:
            raise Missing(f"the code imports {module} in line {node.lineno}, which may read data")
    if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
        raise Missing(f"the code imports * from {imports[0]} in line {node.lineno}, which is not followed")


def value_at(path: str, node: ast.AST) -> Values:
    """The value at a path below a module; raises Missing for what is not listed."""
    if path in _RESULTS["numbers"]:
        return NUMBER
    if not (path in _NAMED or _is_type(path)):
        line = getattr(node, "lineno", 1)
        raise Missing(f"the code uses {path} in line {line}, which is not a listed function")
    return frozenset({Outside("library", path)})


def check_call(path: str, node: ast.expr) -> None:
    """Raise Missing unless the path is a function that computes from its arguments alone."""
    if path not in _PATHS:
        raise Missing(f"the code calls {path} in line {node.lineno}, which is not a listed function")


def result_of(path: str) -> Values:
    """The result of a function of a module whose arguments may be anything."""
    module = path.partition(".")[0]
    if module in _RESULTS["modules_of_numbers"]:
        return NUMBER
    return PLAIN if module in _RESULTS["modules_of_dates"] else COMPUTED


def _is_type(path: str) -> bool:
    """Whether a path is a name for annotations."""
    module, _, name = path.rpartition(".")
    return module in ("typing", "collections.abc") and name[:1].isupper()
