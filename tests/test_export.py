"""An exported policy decides like the session's, without the workbench, and cannot be changed unseen."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.policy_strategies import arguments_for, policies
from workbench.guard import load_policy
from workbench.guard.export import export_policy
from workbench.model import Verdict, WorkbenchError
from workbench.policy.check import check
from workbench.policy.compile import compile_policy

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
    assert loaded.decide({"amount": 5, "payees": frozenset[str]()}).verdict is Verdict.CANNOT_EVALUATE


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
