"""The real verifier in its process: verdicts, death, cancelling, recycling."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.plain_policies import check
from tests.waiting import until
from workbench.check.proof.prover import Prover
from workbench.engines.nagini.lowering.lower import lower
from workbench.engines.nagini.verdict_cache import VerdictCache
from workbench.engines.nagini.verifier.connection import OnPhase, OnWork, ProverCancelled, Verifier
from workbench.engines.nagini.verifier.keeper import Keeper
from workbench.engines.nagini.verifier.process import VerifierProcess
from workbench.engines.nagini.verifier.shared import SharedVerifier, prover_folder
from workbench.model import Proof, ProofStatus, WorkbenchError

pytestmark = pytest.mark.nagini

ROLES: Mapping[str, tuple[str, ...]] = {
    "physician": tuple(f"table{i}.column{j}" for i in range(10) for j in range(5)),
    "nursing": tuple(f"table{i}.column{j}" for i in range(10) for j in range(6) if (i + j) % 5),
    "general administration": (
        "cost.a",
        "cost.b",
        *(f"table{i}.column{j}" for i in range(4) for j in range(6)),
    ),
}


def text_of(words: tuple[str, ...]) -> str:
    return "{" + ", ".join(json.dumps(word) for word in words) + "}"


def hospital(readable: Mapping[str, tuple[str, ...]]) -> str:
    """A policy with these readable columns; the contract is that of ``ROLES``."""
    table = "".join(f"    {json.dumps(role)}: {text_of(words)},\n" for role, words in readable.items())
    clauses = "".join(
        f"    # R{number}: {role}\n"
        f"    Ensures(Implies(role == {json.dumps(role)}, Result() == (columns <= {text_of(words)})))\n"
        for number, (role, words) in enumerate(ROLES.items(), 1)
    )
    return f'''
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Role = Literal[{", ".join(json.dumps(role) for role in readable)}]

READABLE = {{
{table}}}


def forbid_unreadable_column(role: Role, columns: frozenset[str]) -> bool:
    """R1, R2, R3: A role may read only the columns listed for it."""
    return any(column not in READABLE[role] for column in columns)


def allow(role: Role, columns: frozenset[str]) -> bool:
{clauses}    return not (forbid_unreadable_column(role, columns))
'''


def rules(count: int) -> str:
    parts = [
        f'def forbid_{i}(action: str, age: int) -> bool:\n    """R{i}: Not under {i}."""\n'
        f'    return action == "do {i}" and age < {i}\n'
        for i in range(1, count + 1)
    ]
    clauses = "".join(
        f'    # R{i}: Not under {i}.\n    Ensures(Implies(action == "do {i}", Result() == (age >= {i})))\n'
        for i in range(1, count + 1)
    )
    calls = " or ".join(f"forbid_{i}(action, age)" for i in range(1, count + 1))
    head = "from nagini_contracts.contracts import Ensures, Implies, Result\n"
    allow = f"def allow(action: str, age: int) -> bool:\n{clauses}    return not ({calls})\n"
    return "\n\n".join([head, *parts, allow])


def statuses(proof: Proof) -> list[str]:
    return [clause.status.value for clause in proof.clauses]


def test_the_hospital_policy_is_proved(prover: Prover) -> None:
    proof = prover.prove(check(hospital(ROLES)))
    assert proof.status is ProofStatus.PROVED, proof


def test_a_swapped_column_is_refuted_with_role_and_column_and_the_rest_is_remembered(prover: Prover) -> None:
    prover.prove(check(hospital(ROLES)))
    extra = next(word for word in ROLES["physician"] if word not in ROLES["nursing"])
    swapped = {**ROLES, "nursing": (extra, *ROLES["nursing"][1:])}
    proof = prover.prove(check(hospital(swapped)))
    assert statuses(proof) == ["proved", "refuted", "proved"]
    assert [clause.cached for clause in proof.clauses] == [True, False, True]
    example = proof.clauses[1].counterexample
    assert example is not None
    assert example.confirmed
    assert example.arguments["role"] == "nursing"
    columns = example.arguments["columns"]
    assert isinstance(columns, frozenset)
    assert columns & {extra, ROLES["nursing"][0]}


def test_forty_rules_are_proved_one_clause_each(prover: Prover) -> None:
    clause_ids: list[str] = []
    proof = prover.prove(check(rules(40)), on_clause=lambda verdict: clause_ids.append(verdict.clause))
    assert proof.status is ProofStatus.PROVED, proof
    assert sorted(clause_ids) == sorted(clause.clause for clause in proof.clauses)
    assert len(clause_ids) == 40


def test_contradicting_preconditions_prove_nothing(prover: Prover) -> None:
    source = rules(1).replace("    # R1", "    Requires(age < 1)\n    Requires(age > 2)\n    # R1", 1)
    source = source.replace("Implies, Result", "Implies, Requires, Result")
    proof = prover.prove(check(source))
    assert statuses(proof) == ["vacuous"]
    assert "contradict" in proof.clauses[0].why


def test_preconditions_that_can_be_met_narrow_the_proof(prover: Prover) -> None:
    source = rules(1).replace("    # R1", "    Requires(age > 2)\n    Ensures(Result())\n    # R1", 1)
    source = source.replace("Implies, Result", "Implies, Requires, Result")
    assert statuses(prover.prove(check(source))) == ["proved", "proved"]


def test_an_unknown_clause_is_refused_with_its_name(prover: Prover) -> None:
    with pytest.raises(WorkbenchError, match="no clause C9"):
        prover.prove(check(rules(1)), ["C9"])


def test_a_contract_without_a_clause_is_unknown(prover: Prover) -> None:
    assert (
        prover.prove(check("def allow(age: int) -> bool:\n    return True\n")).status is ProofStatus.UNKNOWN
    )


def test_a_job_that_takes_too_long_is_unknown_and_the_prover_lives_on(prover: Prover) -> None:
    source = rules(3).replace("age < 1", "age < 100").replace("age >= 1)", "age >= 100)")
    proof = prover.prove(check(source), ["C1"], time_limit=0.0)
    assert statuses(proof) == ["unknown"]
    assert "time limit" in proof.clauses[0].why
    assert statuses(prover.prove(check(source), ["C2"])) == ["proved"]


def test_a_stale_proof_stops_at_once_and_the_next_one_runs(prover: Prover) -> None:
    terms = check(hospital({**ROLES, "nursing": ROLES["nursing"][:-3]}))
    cancelled = threading.Event()
    failed: list[BaseException] = []

    def stale() -> None:
        try:
            prover.prove(terms, cancelled=cancelled)
        except ProverCancelled as error:
            failed.append(error)

    thread = threading.Thread(target=stale)
    thread.start()
    cancelled.set()
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert len(failed) == 1
    assert statuses(prover.prove(check(rules(2)), ["C2"])) == ["proved"]


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
def test_the_verifier_does_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    program = (
        "import time\nfrom workbench.check.proof.prover import Prover\n"
        "prover = Prover(share=False)\nprover.start()\nprint(prover.pid, flush=True)\ntime.sleep(600)\n"
    )
    environment = {**os.environ, "WORKBENCH_PROVER_DIR": str(tmp_path)}
    parent = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment, text=True
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    until(lambda: is_gone(child))


def is_gone(process_id: int) -> bool:
    """Whether a process has ended, even if its exit code was not read yet."""
    try:
        return "Z" in Path(f"/proc/{process_id}/stat").read_text().split()[2]
    except OSError:
        return True


def test_two_sessions_share_one_verifier_and_each_gets_its_own_verdicts(
    prover: Prover, tmp_path: Path
) -> None:
    other = Prover(cache=VerdictCache(tmp_path), share=True)
    proof_by_name: dict[str, Proof] = {}

    def prove(name: str, own_prover: Prover, source: str) -> None:
        proof_by_name[name] = own_prover.prove(check(source))

    false = rules(2).replace("age < 1\n", "age < 5\n")
    threads = [
        threading.Thread(target=prove, args=("true", prover, rules(3).replace("do ", "see "))),
        threading.Thread(target=prove, args=("false", other, false)),
    ]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=250)
        assert statuses(proof_by_name["true"]) == ["proved"] * 3
        assert statuses(proof_by_name["false"]) == ["refuted", "proved"]
        assert other.pid == prover.pid
        assert other.pid != os.getpid()
    finally:
        other.close()


@pytest.fixture(scope="module")
def own_keeper() -> Iterator[Keeper]:
    """A keeper whose first verifier is not shared, so that it can be killed; the next one is."""
    spawned: list[Verifier] = []

    def spawn(on_phase: OnPhase, *, alone: bool) -> Verifier:
        del alone
        spawned.append(SharedVerifier(on_phase) if spawned else VerifierProcess(prover_folder(), on_phase))
        return spawned[-1]

    keeper = Keeper(spawn, lambda _phase, _detail: None)
    yield keeper
    keeper.close()


def failing_lines(keeper: Keeper, text: str, on_work: OnWork | None = None) -> list[int]:
    """The lines at which a program fails."""
    answer = keeper.ask(text, model=False, time_limit=120, cancelled=threading.Event(), on_work=on_work)
    assert not answer.error
    return [failure.line for failure in answer.failures]


MEASURED = """from nagini_contracts.contracts import Ensures, Result
def measured() -> int:
    Ensures(Result() == 3)
    return len('abc')
def not_measured() -> int:
    Ensures(Result() == 4)
    return len('abc')
"""
TYPED = """from nagini_contracts.contracts import Ensures, Result
class Box:
    def __init__(self) -> None:
        pass
def typed(box: Box, part: slice) -> bool:
    Ensures(Result() == (type(box) is Box))
    return type(box) is Box
def not_typed(box: Box, part: slice) -> bool:
    Ensures(Result() == (type(box) is int))
    return type(box) is Box
"""


def test_a_program_that_needs_more_of_the_library_is_tried_again_with_all_of_it(own_keeper: Keeper) -> None:
    """No lowered program measures a text or has classes, so that these are left out until one is missed."""
    for text in (MEASURED, TYPED):
        lines = text.splitlines()
        (false,) = (number for number, line in enumerate(lines, 1) if line.startswith("def not_"))
        assert failing_lines(own_keeper, text) == [false + 1]


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_a_killed_verifier_is_started_again_and_the_job_repeated(own_keeper: Keeper) -> None:
    own_keeper.start()
    killed: list[int] = []

    def kill(_seconds: float) -> None:
        if not killed and own_keeper.pid is not None:
            killed.append(own_keeper.pid)
            os.kill(own_keeper.pid, signal.SIGKILL)

    assert failing_lines(own_keeper, lower(check(rules(1)), ["C1"]).text, kill) == []
    assert killed
    assert own_keeper.pid not in (None, *killed)
