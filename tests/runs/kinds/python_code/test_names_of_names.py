"""Names that are bound to each other are read in a number of steps that grows with their number alone."""

from __future__ import annotations

import ast

import pytest

from workbench.runs.kinds.python_code.code_uses import UsesReader
from workbench.runs.kinds.python_code.scopes import CodeScopes, Meaning

NAMES = [f"v{number}" for number in range(14)]
EACH_TO_ALL = "\n".join(f"{one} = {other}" for one in NAMES for other in NAMES if one != other)
DEPTHS = 30
"""More than there are names on the way from a name to what it stands for."""


def test_names_that_are_bound_to_each_other_are_read_once_for_a_depth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = 0
    meaning = CodeScopes.meaning

    def counting(scopes: CodeScopes, name: ast.Name) -> Meaning:
        nonlocal asked
        asked += 1
        return meaning(scopes, name)

    monkeypatch.setattr(CodeScopes, "meaning", counting)
    tree = ast.parse(f"import os\nv0 = os.system\n{EACH_TO_ALL}\nv13('ls')")
    reader = UsesReader(tree, frozenset())
    loads = sum(isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) for node in ast.walk(tree))
    assert loads < asked <= loads * DEPTHS
    assert reader.code_uses.hidden
