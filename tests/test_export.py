"""An exported policy decides like the session's, without the workbench, and cannot be changed unseen."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.policy_strategies import arguments_for, policies
from workbench.extract import Extractor
from workbench.guard import ExportedPolicy, load_policy
from workbench.guard.export import export_policy
from workbench.logs.calls import live_step
from workbench.model import (
    AgentSpec,
    Argument,
    Arguments,
    ArgumentType,
    Extraction,
    Json,
    Kind,
    Verdict,
    WorkbenchError,
)
from workbench.policy.check import check
from workbench.policy.compile import CompiledPolicy, compile_policy
from workbench.replay.decide import DecisionCache

SPEC = AgentSpec(
    "bank",
    arguments=(
        Argument(
            "amount", ArgumentType(Kind.DECIMAL), "", Extraction("jsonpath", {"path": "$.arguments.amount"})
        ),
        Argument("count", ArgumentType(Kind.INT), "", Extraction("jsonpath", {"path": "$.arguments.count"})),
    ),
)
SOURCE = '''"""Transfers."""

from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result


def forbid_large(amount: Decimal) -> bool:
    """R1: No transfer above 100."""
    return amount > 100


def forbid_unknown(payees: frozenset[str]) -> bool:
    """R2: Only known payees."""
    return any(payee not in {"alice", "bob"} for payee in payees)


def allow(amount: Decimal, payees: frozenset[str]) -> bool:
    Requires(amount >= 0)
    # R1: No transfer above 100.
    Ensures(Implies(amount > 100, not Result()))
    return not (forbid_large(amount) or forbid_unknown(payees))
'''


@settings(
    max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None
)
@given(st.data())
def test_exported_and_compiled_policy_decide_alike(data: st.DataObject) -> None:
    terms = check(data.draw(policies()))
    arguments = data.draw(arguments_for(terms))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "policy.py"
        path.write_text(export_policy(terms, {}), encoding="utf-8")
        found = load_policy(path).decide(arguments)
    expected = compile_policy(terms).decide(arguments)
    assert expected.verdict is found.verdict
    assert [item.rule for item in expected.violations] == [item.rule for item in found.violations]


NUMBERS = st.one_of(
    st.integers(-1000, 1000),
    st.integers(),
    st.floats(),
    st.integers(-100_000, 100_000).map(lambda cents: cents / 100),
    st.integers(-1000, 1000).map(float),
    st.sampled_from([True, None, 1e22, 1e30, 2.0**53, 100.0, 100.01, 99.999, -0.0, "100", [100], {}]),
)
LIMITS = '''"""Limits."""

from decimal import Decimal


def forbid_large(amount: Decimal) -> bool:
    """R1: No more than 100."""
    return amount > 100


def forbid_many(count: int) -> bool:
    """R2: No more than 3."""
    return count > 3


def allow(amount: Decimal, count: int) -> bool:
    return not (forbid_large(amount) or forbid_many(count))
'''


@pytest.fixture(scope="module")
def limits(tmp_path_factory: pytest.TempPathFactory) -> tuple[CompiledPolicy, ExportedPolicy]:
    terms = check(LIMITS)
    path = tmp_path_factory.mktemp("limits") / "policy.py"
    path.write_text(export_policy(terms, {}), encoding="utf-8")
    return compile_policy(terms), load_policy(path)


@settings(deadline=None, max_examples=500)
@given(NUMBERS, NUMBERS)
def test_numbers_of_json_are_decided_alike_by_guard_file_and_replay(
    limits: tuple[CompiledPolicy, ExportedPolicy], amount: Json, count: Json
) -> None:
    policy, exported = limits
    given_raw = cast("Arguments", {"amount": amount, "count": count})
    guarded = policy.decide(given_raw)
    from_file = exported.decide(given_raw)
    assert (from_file.verdict, from_file.violations) == (guarded.verdict, guarded.violations)
    assert from_file.reasons == guarded.reasons
    call = json.dumps({"amount": amount, "count": count})
    step = live_step("pay", call, "{}", trace="t", index=0)
    replayed = DecisionCache(policy).decide(Extractor(SPEC.arguments, SPEC).extract(step))
    texts = isinstance(amount, str) or isinstance(count, str)
    if not texts:  # a text that says a number is read by extraction, and no number to a policy
        assert replayed.verdict is guarded.verdict
        if guarded.verdict is not Verdict.CANNOT_EVALUATE:
            assert {**replayed.arguments} == {**guarded.arguments}


def test_the_file_runs_alone_with_only_the_standard_library(tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    path.write_text(export_policy(check(SOURCE), {"session": "bank", "proof": "proved by nagini"}))
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import policy; from decimal import Decimal as D;"
        "print([policy.decide({'amount': D(a), 'payees': frozenset({p})})['verdict'] for a, p in"
        " [('5', 'bob'), ('500', 'bob'), ('-1', 'bob')]], 'nagini_contracts' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "['allow', 'deny', 'cannot-evaluate'] False"


def test_loading_gives_decisions_with_items_and_the_facts_of_the_header(tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    path.write_text(export_policy(check(SOURCE), {"session": "bank", "proof": "proved"}))
    loaded = load_policy(path)
    decision = loaded.decide({"amount": Decimal(5), "payees": frozenset({"alice", "eve"})})
    assert (decision.verdict, decision.violations[0].items) == (Verdict.DENY, ("eve",))
    assert loaded.header["proof"] == "proved"
    assert loaded.decide({"amount": "5", "payees": frozenset[str]()}).verdict is Verdict.CANNOT_EVALUATE


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    path.write_text(export_policy(check(SOURCE), {}).replace("amount > 100", "amount > 900"))
    with pytest.raises(WorkbenchError, match="changed after its export"):
        load_policy(path)


def test_a_file_that_is_no_export_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    path.write_text("print('hello')\n")
    with pytest.raises(WorkbenchError, match="not an exported policy"):
        load_policy(path)
