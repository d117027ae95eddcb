"""Names by which Python code runs or reaches things that its text does not show.

``refused_names.toml`` lists the names that are refused. Any other name from outside the code appears by its
path, so a policy lists the names that it allows.
"""

from __future__ import annotations

import sys

from workbench.runs.values.data_file import read_data

STANDARD = frozenset(sys.stdlib_module_names)

_FILE = read_data(__name__, "refused_names.toml")
_OF_OS = _FILE.names("functions_of_os")
_HIDING_MODULES = _FILE.names("modules")
_HIDING_NAMES = _FILE.names("names") | {f"os.{name}" for name in _OF_OS}
_HIDING_BUILTINS = _FILE.names("builtins")
_HIDING_ATTRIBUTES = _FILE.names("attributes") | (_OF_OS - {"fork"})
BY_NAME = _FILE.names("builtins_by_name")
KNOWN_DUNDERS = _FILE.names("known_dunders")
_SAME_NAMES = _FILE.names("same_names")
_OWN_NAMES = _FILE.names("own_names")
INNER_MODULES = _FILE.names("inner_modules")
_OTHER_PATHS = _FILE.table("other_paths").text_by_key()


def named_path(path: str) -> str:
    """The preferred path of a thing that has several paths."""
    for other_path, preferred_path in _OTHER_PATHS.items():
        if path == other_path or path.startswith(f"{other_path}."):
            return preferred_path + path[len(other_path) :]
    return path


def hiding_path(path: str) -> str | None:
    """The reason why the thing at a dotted path hides what runs; None if it does not."""
    parts = path.split(".")
    for size in range(1, len(parts) + 1):
        above = ".".join(parts[:size])
        if (
            above in _HIDING_MODULES
            or above in _HIDING_NAMES
            or (len(parts) == 1 and path in _HIDING_BUILTINS)
        ):
            return f"uses {above}, which may run or reach what the text does not show"
    for size in range(2, len(parts) + 1):
        name = parts[size - 1]
        if name.startswith("_") and name not in KNOWN_DUNDERS:
            return f"uses {path}, and what {name} is is not known"
        if name in STANDARD and not _own_name(parts[:size]):
            return f"reaches the module {name} through {'.'.join(parts[: size - 1])}"
        if hiding_attribute(name) is not None and not _own_name(parts[:size]):
            return f"uses {path}, which may run or reach what the text does not show"
    return None


def _own_name(parts: list[str]) -> bool:
    path, name = ".".join(parts), parts[-1]
    if path in _SAME_NAMES or path in INNER_MODULES:
        return True
    return parts[0] not in STANDARD and name in _OWN_NAMES


def hiding_attribute(name: str) -> str | None:
    """The reason why an attribute of a value hides what runs; None if it does not."""
    if name.startswith("__") and name.endswith("__") and name not in KNOWN_DUNDERS:
        return f"uses the attribute {name}, which reaches into the interpreter"
    if name in _HIDING_ATTRIBUTES:
        return f"uses the attribute {name}, which may run or reach what the text does not show"
    return None


def hiding_module(path: str) -> str | None:
    """The reason why an import hides what runs; None if it does not."""
    top = path.partition(".")[0]
    if top.startswith("_"):
        return f"imports {path}, which is a part of another module"
    return hiding_path(path)
