"""Sessions for the screen's tests. No verifier is started: tests elsewhere cover it."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.app.refund_desk import refund_desk
from workbench.app.proof import Proving
from workbench.check.cases_run import CaseRun
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Case, CaseResult, Verdict
from workbench.policy.decisive_part import completed
from workbench.policy.narrowed_values import narrowed_arguments
from workbench.policy.terms import PolicyTerms
from workbench.policy.written import OWN_NAMES, ArgumentWords

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "sessions" / "travel-desk"


@pytest.fixture(autouse=True)
def no_verifier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the preview make all proofs in these tests."""
    monkeypatch.setattr(Proving, "prover", _nothing)


@pytest.fixture(autouse=True)
def cases_decided_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decide cases in this process; walks in a terminal and their own tests run them with pytest."""
    monkeypatch.setattr("workbench.check.cases_run.run_cases", _decided)


def _decided(
    policy: PolicyTerms,
    cases: Sequence[Case],
    *,
    cancelled: threading.Event | None = None,
    words: ArgumentWords = OWN_NAMES,
) -> CaseRun:
    del cancelled, words
    compiled = compile_policy(policy)
    types = {argument.name: argument.type for argument in policy.arguments}
    results: list[CaseResult] = []
    for case in cases:
        is_complete = types.keys() <= case.arguments.keys() or case.expected is Verdict.CANNOT_EVALUATE
        whole = case.arguments if is_complete else completed(policy, case.arguments)
        got = compiled.decide(narrowed_arguments(types, whole)).verdict
        difference = "" if got is case.expected else f"expected {case.expected.value}, got {got.value}"
        results.append(CaseResult(case.id, got is case.expected, got, difference))
    return CaseRun(tuple(results))


def _nothing(proving: Proving) -> None:
    del proving


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A copy of the shipped travel desk."""
    return _copied(SHIPPED, tmp_path)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A copy of the shipped web shop."""
    return _copied(ROOT / "sessions" / "web-shopping", tmp_path)


@pytest.fixture(scope="session")
def made_asked_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A support desk with one open question, about two sentences that meet, made once."""
    return refund_desk(tmp_path_factory.mktemp("asked") / "refunds", left_open=1)


@pytest.fixture
def asked_desk(made_asked_desk: Path, tmp_path: Path) -> Path:
    """A copy of the support desk with one open question."""
    return Path(shutil.copytree(made_asked_desk, tmp_path / "refunds"))


def _copied(original: Path, folder: Path) -> Path:
    copy = folder / "travel-desk"
    shutil.copytree(original, copy, ignore=shutil.ignore_patterns(".workbench"))
    return copy
