"""The page on the dialect says what the checker and the lowering do."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.test_proof_constructs import CONSTRUCTS

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dialect_table", ROOT / "scripts" / "dialect_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["dialect_table"] = module
    spec.loader.exec_module(module)
    return module


def test_the_table_of_constructs_is_what_the_lowering_makes_of_them(script: ModuleType) -> None:
    text = (ROOT / "docs" / "dialect.md").read_text(encoding="utf-8")
    assert text == script.page(text), "run python scripts/dialect_table.py"


def test_the_table_has_one_row_for_each_construct_that_is_proved_and_refuted(script: ModuleType) -> None:
    rows = str(script.table()).splitlines()[2:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [one.name for one in CONSTRUCTS]


def test_the_policy_of_the_page_is_in_the_dialect() -> None:
    from workbench.policy.check import check
    from workbench.policy.compile import compile_policy

    text = (ROOT / "docs" / "dialect.md").read_text(encoding="utf-8")
    terms = check(text.partition("```python\n")[2].partition("```")[0])
    policy = compile_policy(terms)
    assert policy.allows({"role": "nursing", "columns": frozenset({"allergy.drugname"})})
    assert not policy.allows({"role": "nursing", "columns": frozenset({"cost.cost"})})
