"""An exported policy decides like the session's, without the workbench."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.guard.exported_files import exported, imported, part_of
from tests.plain_policies import check
from tests.policy.policy_strategies import arguments_for, policies
from workbench.check.cases_inputs import boundary_inputs
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.guard import PastCall, ToolCall
from workbench.guard.export import proof_summary
from workbench.guard.export_check import run_exported, tried_export
from workbench.model import (
    AgentSpec,
    Argument,
    Arguments,
    ArgumentType,
    CallExpression,
    ClauseProof,
    Engine,
    Json,
    Kind,
    Proof,
    ProofStatus,
    Tool,
    Verdict,
)
from workbench.policy.deciding import answer_of
from workbench.runs.calls.live_call import recorded_call
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import DecisionCache

PAYMENT: Json = {
    "properties": {"amount": {"type": "number", "multipleOf": 0.01}, "count": {"type": "integer"}},
    "required": ["amount", "count"],
}
SPEC = AgentSpec(
    "bank",
    tools=(Tool("pay", "", PAYMENT),),
    arguments=(
        Argument("amount", ArgumentType(Kind.DECIMAL), "", CallExpression("call.amount", "pay")),
        Argument("count", ArgumentType(Kind.INT), "", CallExpression("call.count", "pay")),
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


def answers(policy: CompiledPolicy, inputs: Sequence[Arguments]) -> list[dict[str, object]]:
    return [answer_of(policy.decide(arguments)) for arguments in inputs]


OPEN_FIRST = '''\
"""Words."""

from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_word(subject: frozenset[str], body: frozenset[str], urgent: bool) -> bool:
    """R1: No word."""
    return any(word != "x" for word in subject) or (
        any(word == "y" for word in body) and (urgent or "z" in body)
    )


def allow(subject: frozenset[str], body: frozenset[str], urgent: bool) -> bool:
    return not forbid_word(subject, body, urgent)
'''


def test_elements_are_named_beside_conditions_that_are_not_determined() -> None:
    terms = check(OPEN_FIRST)
    inputs: list[Arguments] = [
        {"body": frozenset({"y", "z"})},
        {"body": frozenset({"y", "a"}), "urgent": True},
        {"subject": frozenset({"a"}), "urgent": True},
        {"subject": frozenset({"x"}), "body": frozenset({"y", "z"}), "urgent": False},
    ]
    decisions = [compile_policy(terms).decide(arguments) for arguments in inputs]
    named = [decision.violations[0].items for decision in decisions]
    assert named == [("y", "z"), ("y",), ("a",), ("y", "z")]
    session = [answer_of(decision) for decision in decisions]
    assert run_exported(tried_export(part_of(terms), {"s": inputs}), inputs) == session


@settings(
    max_examples=examples(30),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(st.data())
def test_random_policies_decide_alike_in_session_and_file(data: st.DataObject) -> None:
    terms = check(data.draw(policies(records=data.draw(st.booleans()))))
    some = data.draw(st.lists(arguments_for(terms), min_size=1, max_size=30))
    inputs = [*some, *boundary_inputs(terms)]
    text = exported(terms)
    session = answers(compile_policy(terms), inputs)
    assert run_exported(text, inputs) == session


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
def limits(tmp_path_factory: pytest.TempPathFactory) -> tuple[CompiledPolicy, Any]:
    terms = check(LIMITS)
    path = tmp_path_factory.mktemp("limits") / "policy.py"
    path.write_text(exported(terms), encoding="utf-8")
    return compile_policy(terms), imported(path)


@settings(deadline=None, max_examples=examples(500))
@given(NUMBERS, NUMBERS)
def test_numbers_of_json_are_decided_alike_by_guard_file_and_replay(
    limits: tuple[CompiledPolicy, Any], amount: Json, count: Json
) -> None:
    policy, file = limits
    given_raw = cast("Arguments", {"amount": amount, "count": count})
    guarded = policy.decide(given_raw)
    assert file.decide(given_raw) == answer_of(guarded)
    call = recorded_call(PastCall(ToolCall("pay", {"amount": amount, "count": count}, run="t")), 0)
    replayed = DecisionCache(policy).decide(Extractor(SPEC.arguments, SPEC).extract(call))
    texts = isinstance(amount, str) or isinstance(count, str)
    if not texts:  # extraction reads a number in a text; for a policy the text is no number
        assert replayed.verdict is guarded.verdict
        if guarded.verdict is not Verdict.CANNOT_EVALUATE:
            assert {**replayed.arguments} == {**guarded.arguments}


def test_the_file_runs_alone_with_only_the_standard_library(tmp_path: Path) -> None:
    path = tmp_path / "policy.py"
    path.write_text(exported(check(SOURCE)))
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import policy; from decimal import Decimal as D;"
        "print([policy.decide({'amount': D(a), 'payees': frozenset({p})})['verdict'] for a, p in"
        " [('5', 'bob'), ('500', 'bob'), ('-1', 'bob')]], 'nagini_contracts' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "['allow', 'deny', 'cannot-evaluate'] False"


TEXTS_OF_STRINGS = '''"""A policy whose
strings go over lines.
    Even this one,
"""

from nagini_contracts.contracts import (
    Ensures,
    Implies,
    Result,
)

WORD = """one
    two
#|three
"""
QUOTED = "\\u00e9\\x41\\n\\\\"


def forbid_word(word: str) -> bool:
    """R1: Not
        this word."""
    #| a comment that looks like a contract
    return word == WORD or word == QUOTED  # or this


def allow(word: str) -> bool:
    """The decision."""
    # R1: Not this word.
    Ensures(
        Implies(
            word == """one
    two
#|three
""",
            not Result(),
        )
    )
    return not forbid_word(word)
'''


def test_strings_over_several_lines_comments_and_escapes_survive() -> None:
    terms = check(TEXTS_OF_STRINGS)
    inputs: list[Arguments] = [{"word": word} for word in ("one\n    two\n#|three\n", "\xe9A\n\\", "one")]
    text = tried_export(part_of(terms), {"s": [*inputs, *boundary_inputs(terms)]})
    assert [decision["verdict"] for decision in run_exported(text, inputs)] == ["deny", "deny", "allow"]


def proof_of(*statuses: ProofStatus) -> Proof:
    clauses = (
        ClauseProof(f"C{place}", (), status, Engine.NAGINI) for place, status in enumerate(statuses, 1)
    )
    return Proof(tuple(clauses))


@settings(max_examples=examples(100))
@given(st.lists(st.sampled_from(ProofStatus), max_size=6))
def test_the_file_names_every_clause_that_is_not_proved(statuses: list[ProofStatus]) -> None:
    summary = proof_summary(proof_of(*statuses))
    assert summary.startswith("proved") == (set(statuses) == {ProofStatus.PROVED})
    assert summary.startswith("REFUTED") == (ProofStatus.REFUTED in statuses)
    for status in set(ProofStatus) - {ProofStatus.PROVED}:
        names = [f"C{place}" for place, proof_status in enumerate(statuses, 1) if proof_status is status]
        assert (f"{status.value}: {', '.join(names)}" in summary) == bool(names)
