"""The imports of a policy of calls: those of the names that its functions use."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache

from workbench.dialect.call_file import AGENT, KIND_CLASSES, TEXT
from workbench.dialect.call_types import AgentTypes
from workbench.policy.checker.syntax_tree import statements
from workbench.policy.names import IMPORTS
from workbench.policy.render import import_text

_ORDER = ("datetime", "decimal", "typing", "nagini_contracts.contracts")
_APART = _ORDER.index("nagini_contracts.contracts")
"""From this module on, a blank line stands before the import."""


def with_imports(source: str, types: AgentTypes, part: str = "") -> str:
    """The file with what its functions name imported, or only what the text of a new part of it names."""
    used = {name for node in statements(part or source) for name in names_in(node)}
    records = (record.class_name for record in types.records.values())
    own = {"Run", "Call", "looked_up", *types.calls, *records, TEXT, *KIND_CLASSES}
    for module, names in {**{name: IMPORTS[name] for name in _ORDER}, AGENT: own}.items():
        source = _importing(source, module, used & set(names))
    return source


@lru_cache(maxsize=4096)
def names_in(node: ast.stmt) -> frozenset[str]:
    """The names in a statement; of one that stays as it is they are looked for once."""
    return frozenset(part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def _importing(source: str, module: str, wanted: Iterable[str]) -> str:
    imports = _imports(source)
    found = next((node for node in imports if node.module == module), None)
    known = set[str]() if found is None else {alias.name for alias in found.names}
    if set(wanted) <= known:
        return source
    text = import_text(module, {*known, *wanted})
    lines = source.split("\n")
    if found is not None:
        lines[found.lineno - 1 : found.end_lineno] = [text]
    else:
        rank = _rank(module)
        later = [node for node in imports if _rank(node.module) > rank]
        at = later[0].lineno - 1 if later else max((node.end_lineno or 0 for node in imports), default=1)
        above = [""] if rank >= _APART and lines[at - 1].strip() else []
        below = [""] if later and rank < _APART <= _rank(later[0].module) else []
        lines[at:at] = [*above, text, *below]
    return "\n".join(lines)


@lru_cache(maxsize=2)
def _imports(source: str) -> tuple[ast.ImportFrom, ...]:
    return tuple(node for node in statements(source) if isinstance(node, ast.ImportFrom))


def _rank(module: str | None) -> int:
    """The place of a module among the imports; the agent's comes last."""
    return _ORDER.index(module) if module in _ORDER else len(_ORDER)
