"""Functions of libraries that code may call, from ``allowed_functions.toml``."""

from __future__ import annotations

from workbench.runs.values.data_file import read_data

_FILE = read_data(__name__, "allowed_functions.toml")
_FILE.check_keys("pure", "closed")
MODULE_FUNCTIONS = _FILE.table("pure").names_by_key()
"""The functions of a module by their path in it; they compute from their arguments alone."""
_BESIDE_PURE = _FILE.table("closed").names_by_key()
CLOSED_FUNCTIONS = frozenset(
    f"{module}.{name}"
    for functions in (MODULE_FUNCTIONS, _BESIDE_PURE)
    for module, names in functions.items()
    for name in names
)
"""The paths of functions that open no file."""
CLOSED_MODULES = frozenset({"typing", *(path.partition(".")[0] for path in CLOSED_FUNCTIONS)})
