"""What code may use from outside: builtins, and the listed functions of modules."""

from __future__ import annotations

import ast
from functools import lru_cache

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
        if path in _RESULTS["numbers"]:
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
        if module in _RESULTS["modules_of_numbers"]:
            return NUMBER
        return PLAIN if module in _RESULTS["modules_of_dates"] else COMPUTED


@lru_cache(maxsize=16)
def library_of(modules: frozenset[str]) -> Library:
    """The library of these modules, which is made once."""
    return Library(modules)


def _is_type(path: str) -> bool:
    """Whether a path is a name for annotations."""
    module, _, name = path.rpartition(".")
    return module in ("typing", "collections.abc") and name[:1].isupper()
