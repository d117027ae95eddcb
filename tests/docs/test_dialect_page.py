"""The page on the dialect agrees with the checker and the lowering."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

from tests.check.proof.test_constructs import CONSTRUCTS, all_in_one
from tests.check.proof.test_record_constructs import CONSTRUCTS as OF_RECORDS
from tests.check.proof.test_record_constructs import policy_of
from tests.plain_policies import check
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Kind
from workbench.policy.terms import (
    Arithmetic,
    Collection,
    Compare,
    Comparison,
    Lookup,
    Member,
    Quantified,
    Quantifier,
    StringTest,
    StringTestKind,
    Term,
    Variable,
)
from workbench.policy.walk import subterms
from workbench.session.agent_file import read_agent

ROOT = Path(__file__).resolve().parents[2]


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
    text = (ROOT / "docs" / "reference" / "dialect.md").read_text(encoding="utf-8")
    assert text == script.page(text), "run python scripts/dialect_table.py"


def test_the_table_has_one_row_for_each_construct_that_is_proved_and_refuted(script: ModuleType) -> None:
    rows = str(script.table()).splitlines()[2:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [
        construct.name for construct in CONSTRUCTS
    ]
    rows = str(script.records_table()).splitlines()[2:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [
        construct.name for construct in OF_RECORDS
    ]


def construct_of(term: Term) -> set[str]:
    """The constructs of the dialect in a term."""
    constructs = {type(term).__name__}
    match term:
        case Compare(operator):
            constructs.add(operator.value)
        case Arithmetic(operator):
            constructs.add(operator)
        case StringTest(kind):
            constructs.add(kind.value)
        case Member(_, collection):
            constructs.add(f"in {type(collection).__name__}")
        case Quantified(quantifier, _, collection):
            constructs.add(f"{quantifier.value} {type(collection).__name__}")
        case Lookup(_, _, default):
            constructs.add("get" if default is not None else "entry")
        case Variable(_, kind):
            constructs |= {kind.kind.value, "optional"} if kind.optional else {kind.kind.value}
        case _:
            pass
    return constructs


def test_every_construct_of_the_dialect_has_a_row() -> None:
    used: set[str] = set()
    for terms in (check(all_in_one()), *(check(policy_of(construct)) for construct in OF_RECORDS)):
        bodies = [rule.body for rule in terms.rules] + [clause.term for clause in terms.clauses]
        used |= {name for body in bodies for term in subterms(body) for name in construct_of(term)}
        used |= {argument.type.kind.value for argument in terms.arguments}
    collections = {member.__name__ for member in get_args(Collection.__value__)}
    wanted = {member.__name__ for member in get_args(Term.__value__)}
    wanted |= {comparison.value for comparison in Comparison} | {
        string_test_kind.value for string_test_kind in StringTestKind
    }
    wanted |= {kind.value for kind in Kind} | set("+-*%") | {"//", "get", "entry", "optional"}
    wanted |= {f"in {name}" for name in collections}
    wanted |= {f"{quantifier.value} {name}" for quantifier in Quantifier for name in collections}
    assert wanted <= used


AGENT = """
name = "clinic"

[tools.read_columns.parameters]
type = "object"
required = ["role", "columns"]
[tools.read_columns.parameters.properties]
role = {enum = ["physician", "nursing", "general administration"]}
columns = {type = "array", items = {type = "string"}}

[tools.book.parameters]
type = "object"
required = ["user_id", "payments"]
[tools.book.parameters.properties]
user_id = {type = "string"}
[tools.book.parameters.properties.payments]
type = "array"
[tools.book.parameters.properties.payments.items]
type = "object"
required = ["method", "amount"]
properties = {method = {type = "string"}, amount = {type = "integer"}}

[records.user]
key = "user_id"
fields.methods = {type = "set"}
fields.joined = {type = "datetime"}
"""


def test_the_policies_of_the_page_are_in_the_dialect() -> None:
    text = (ROOT / "docs" / "reference" / "dialect.md").read_text(encoding="utf-8")
    reading, booking = (
        lowered_policy(part.partition("```")[0], read_agent(AGENT)).terms
        for part in text.split("```python\n")[1:]
    )
    assert booking.records.keys() == {"User", "BookPaymentsItem"}
    (columns,) = (one.name for one in reading.arguments if one.type.kind is Kind.LIST)
    (role,) = (one.name for one in reading.arguments if one.type.values[:1] == ("physician",))
    policy = compile_policy(reading)
    for column, allowed in (("allergy.drugname", True), ("cost.cost", False)):
        assert policy.allows({"tool": "read_columns", role: "nursing", columns: (column,)}) is allowed


@pytest.mark.parametrize("name", ["kinds_table", "language_table"])
def test_a_table_of_a_page_is_what_its_script_writes(name: str) -> None:
    path = ROOT / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    text = script.PAGE.read_text(encoding="utf-8")

    assert text == script.page(text), f"run python scripts/{name}.py"
