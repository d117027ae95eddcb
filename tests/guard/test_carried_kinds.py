"""An exported file has every module that a kind of value imports only when it reads a text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.guard.carried_modules import carried_text
from workbench.runs.kinds.kinds_by_name import KINDS

ROOT = Path(__file__).resolve().parents[2]
MODULE = re.compile(r'^    "([\w.]+)": \'\'\'', re.MULTILINE)


def imported_late(module: str) -> Iterator[str]:
    """The modules of the workbench that the functions of a module import."""
    path = ROOT / "workbench" / f"{module.replace('.', '/')}.py"
    if not path.exists():
        return
    for function in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("workbench."):
                    yield (node.module or "").removeprefix("workbench.")


@pytest.mark.parametrize("kind", KINDS)
def test_no_module_that_a_kind_reads_with_is_left_out(kind: str) -> None:
    carried: set[str] = set(MODULE.findall(carried_text(frozenset[str](), frozenset({kind}))))
    assert f"runs.kinds.{kind}" in carried
    of_kinds = [name for name in carried if name.startswith(("runs.kinds.", "runs.sql."))]
    assert {late for name in of_kinds for late in imported_late(name)} <= carried
