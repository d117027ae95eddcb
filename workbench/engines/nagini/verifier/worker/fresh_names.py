"""Fresh names for Nagini's translation without counting from zero for each of them.

For every node of a program Nagini requests a dozen names that are mostly in use, and tries ``name_0``,
``name_1`` and so on each time, which is quadratic in the size of the program.
"""

# Nagini has no type information; only the modules of this package touch it.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any


def count_fresh_names() -> None:
    """Let Nagini's scopes remember the last number of each name."""
    from nagini_translation.lib import program_nodes

    scope: Any = program_nodes.PythonScope
    scope.get_fresh_name = fresh_name


def fresh_name(scope: Any, name: str) -> str:
    """A name that is not in use, and is in use from then on: ``name``, or the next of ``name_0``, ``name_1``.

    The names are those that Nagini gives, because names in use are never released.
    """
    while scope.sil_names is None:
        scope = scope.superscope
    names: set[str] = scope.sil_names
    fresh = name
    if name in names:
        counted: dict[str, int] = scope.__dict__.setdefault("_counted", {})
        number = counted.get(name, 0)
        while (fresh := f"{name}_{number}") in names:
            number += 1
        counted[name] = number + 1
    names.add(fresh)
    return fresh
