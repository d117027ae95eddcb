"""The names that the dialect reserves, and how an argument of a policy avoids them."""

from __future__ import annotations

import keyword
from collections.abc import Container

IMPORTS = {
    "decimal": {"Decimal"},
    "datetime": {"date", "time", "datetime", "timedelta"},
    "typing": {"Literal"},
    "nagini_contracts.contracts": {"Ensures", "Implies", "Requires", "Result"},
}
CONTRACT = IMPORTS["nagini_contracts.contracts"]
FUNCTIONS = ("any", "all", "len", "sum")
VOCABULARY = (*FUNCTIONS, "Implies", "Result")
"""The names that a condition may call."""
METHODS = ("startswith", "endswith", "get")
KEYWORDS = ("and", "or", "not", "in", "is", "if", "else", "for", "return")
"""The keywords of conditions and of the statements in a function."""
STATEMENT_KEYWORDS = ("class", "def", "elif", "from", "import")
"""The keywords that begin a statement of the file, or a further branch."""
NONE = "none"
"""The name that a field cannot have: in a file of cases ``{ none = true }`` means None."""
CONSTANTS = ("True", "False", "None")
RESERVED = {
    *(name for names in IMPORTS.values() for name in names),
    "bool",
    "int",
    "str",
    "any",
    "all",
    "len",
    "sum",
    "tuple",
    "frozenset",
    "set",
    "None",
    "print",
    "dict",
    "float",
}


def usable(name: str) -> str:
    """The name, with an underscore appended if the dialect reserves it."""
    return f"{name}_" if keyword.iskeyword(name) or name in RESERVED else name


def free_name(name: str, taken_names: Container[str], joint: str = "_") -> str:
    """The name, with the first number from 2 behind it that makes it free if it is taken."""
    number, candidate = 1, name
    while candidate in taken_names:
        number += 1
        candidate = f"{name}{joint}{number}"
    return candidate
