"""The accepted SQL functions by dialect, from ``functions.toml``, which is read at the first use."""

from __future__ import annotations

from functools import cache

from workbench.runs.values.data_file import DataTable, read_data

DIALECTS = ("sqlite", "mysql", "postgres", "tsql", "oracle", "bigquery", "snowflake", "duckdb")


@cache
def _file() -> DataTable:
    file = read_data(__name__, "functions.toml")
    file.table("dialects").check_keys(*DIALECTS)
    return file


@cache
def functions_of(dialect: str) -> frozenset[str]:
    """The functions of one of the dialects."""
    table = _file().table("dialects").table(dialect)
    table.check_keys("shared", "without", "own", "reserved")
    shared = (_file().table("shared").names(name) for name in table.texts("shared"))
    without = table.names("without") if "without" in table.values else frozenset[str]()
    return (frozenset[str]().union(*shared) - without) | table.names("own")


@cache
def reserved_in(dialect: str) -> frozenset[str]:
    """The words that name nothing in a dialect whose statements need no semicolon between them."""
    table = _file().table("dialects").table(dialect)
    return table.names("reserved") if "reserved" in table.values else frozenset[str]()


@cache
def no_functions() -> frozenset[str]:
    """The names that may come before a bracket without being a function."""
    return _file().names("no_functions")
