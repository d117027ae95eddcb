"""Stored and exchanged data of the prover: verdicts on disk, messages, models, counterexamples."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any, override

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.plain_policies import check
from tests.policy.policy_strategies import arguments_for, policies
from workbench.check.disagreement import DISAGREEMENT
from workbench.check.proof.counterexamples import CounterexampleSearch, from_model, from_preview, parse_model
from workbench.check.proof.prover import ProofAttempt, Prover
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.nagini.lowering.lower import VACUITY, lower
from workbench.engines.nagini.verdict_cache import StoredVerdict, VerdictCache
from workbench.engines.nagini.verifier.connection import ProverCancelled, ProverDied, ProverTimeout
from workbench.engines.nagini.verifier.worker_protocol import Answer, Failure, answer_of, decode, encode
from workbench.engines.smt.vacuity import CONTRADICTION, Vacuity
from workbench.model import ClauseProof, Engine, ProofStatus
from workbench.policy.problems import PolicyError
from workbench.policy.terms import Clause, PolicyTerms

SLOW = settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
POLICY = '''
from nagini_contracts.contracts import Ensures, Implies, Requires, Result


def forbid_minor(age: int) -> bool:
    """R1: Minors may not."""
    return age < 18


def allow(age: int, name: str, tags: frozenset[str]) -> bool:
{requires}    # R1: Minors may not.
    Ensures(Implies(age < 18, not Result()))
    # R2: False.
    Ensures(Implies(age < 20, not Result()))
    # R3: Adults may.
    Ensures(Implies(age >= 18, Result()))
    return not (forbid_minor(age))
'''


def terms(requires: str = "") -> PolicyTerms:
    return check(POLICY.format(requires=requires))


@SLOW
@given(data=st.data())
def test_stored_verdicts_come_back_with_their_arguments(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    try:
        policy = check(data.draw(policies(depth=1)))
    except PolicyError:
        return
    arguments = data.draw(arguments_for(policy))
    cache = VerdictCache(tmp_path_factory.mktemp("cache"), "1")
    cache.put("key", StoredVerdict(ProofStatus.REFUTED, arguments))
    entry = cache.get("key", policy)
    assert entry is not None
    assert entry.arguments == arguments


def test_unknown_is_never_stored_and_versions_do_not_mix(tmp_path: Path) -> None:
    old, new = VerdictCache(tmp_path, "1"), VerdictCache(tmp_path, "2")
    old.put("a", StoredVerdict(ProofStatus.UNKNOWN))
    old.put("b", StoredVerdict(ProofStatus.PROVED))
    assert old.get("a", terms()) is None
    assert old.get("b", terms()) == StoredVerdict(ProofStatus.PROVED)
    assert new.get("b", terms()) is None


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"key": "b"}', b'{"key": "b", "status": "maybe"}', b"\xff"]
)
def test_a_damaged_file_counts_as_absent(tmp_path: Path, damage: bytes) -> None:
    cache = VerdictCache(tmp_path, "1")
    cache.put("b", StoredVerdict(ProofStatus.PROVED))
    (path,) = tmp_path.rglob("*.json")
    path.write_bytes(damage)
    assert cache.get("b", terms()) is None


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = VerdictCache(tmp_path / "file", "1")
    cache.put("b", StoredVerdict(ProofStatus.PROVED))
    assert cache.get("b", terms()) is None


def test_a_prover_that_closes_leaves_a_bounded_cache_of_the_latest_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.engines.nagini.verdict_cache.MOST_FILES", 2)
    cache = VerdictCache(tmp_path, "1")
    for number, name in enumerate("dcba"):
        seen = set(tmp_path.rglob("*.json"))
        cache.put(name, StoredVerdict(ProofStatus.PROVED))
        (path,) = set(tmp_path.rglob("*.json")) - seen
        os.utime(path, (number, number))
    Prover(cache=cache).close()
    assert [name for name in "dcba" if cache.get(name, terms()) is not None] == ["b", "a"]


def test_messages_stay_on_one_line_and_malformed_answers_are_errors() -> None:
    line = encode({"job": 1, "text": "a\nb\u2028c"})
    assert line.count(b"\n") == 1
    assert decode(line) == {"job": 1, "text": "a\nb\u2028c"}
    assert answer_of({"job": "x"}).error
    assert answer_of({"job": 3, "failures": [{"line": 7, "message": "m"}]}).failures == (Failure(7, "m"),)


def test_models_are_read_leniently() -> None:
    text = "Old store: role -> 2, columns -> ?, age -> -17, flag -> True,\n Current store: role -> 9"
    assert parse_model(text) == {"role": 2, "age": -17, "flag": True}
    assert parse_model("nothing of use") == {}


def test_a_model_that_names_no_set_is_completed_and_confirmed() -> None:
    source = '''
from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_id(columns: frozenset[str]) -> bool:
    """R1: No ids."""
    return "id" in columns


def allow(age: int, columns: frozenset[str]) -> bool:
    # R1: Never.
    Ensures(Implies(age == 5, Result()))
    return not (forbid_id(columns))
'''
    policy = check(source)
    example = from_model(
        compile_policy(policy), lower(policy, ["C1"]), "C1", "Old store: age -> 5, columns -> ?"
    )
    assert example is not None
    assert example.confirmed
    assert example.arguments == {"age": 5, "columns": frozenset({"id"})}


def test_a_model_that_violates_nothing_is_shown_as_not_confirmed() -> None:
    policy = terms()
    example = from_model(compile_policy(policy), lower(policy, ["C1"]), "C1", "Old store: age -> 3")
    assert example is not None
    assert not example.confirmed
    assert "not confirmed" in example.note


class Script:
    """Replaces the verifier: gives scripted answers on each clause."""

    def __init__(self, outcome: dict[str, str], vacuous: bool = False) -> None:
        self.outcome = outcome
        self.vacuous = vacuous
        self.jobs: list[list[str]] = []
        self.thorough = 0

    def __call__(self, text: str, *, model: bool, time_limit: float) -> Answer:  # noqa: ARG002
        if model:
            self.thorough += 1
        lines = text.splitlines()
        methods = {
            line.removeprefix("def check_").split("(")[0]: number
            for number, line in enumerate(lines, 1)
            if line.startswith("def check_")
        }
        self.jobs.append([name for name in methods if name != VACUITY])
        failures: list[Failure] = []
        for name, line in methods.items():
            match self.outcome.get(name):
                case "slow":
                    raise ProverTimeout("slow")
                case "dies":
                    raise ProverDied("The verifier died.")
                case "unsupported":
                    return Answer(1, error="Nagini could not translate the program")
                case "needs all" if model:
                    continue
                case "fails" | "needs all":
                    failures.append(Failure(line + 1, "Postcondition might not hold."))
                case _:
                    if name == VACUITY and not self.vacuous:
                        failures.append(Failure(line + 1, "Postcondition might not hold."))
        return Answer(1, tuple(failures))


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[VerdictCache]:
    yield VerdictCache(tmp_path, "1")


def attempt(
    policy: PolicyTerms, script: Script, cache: VerdictCache, cancelled: Event | None = None
) -> ProofAttempt:
    clause_proofs: list[ClauseProof] = []
    proof_attempt = ProofAttempt(policy, script, cache, 5.0, cancelled or Event(), clause_proofs.append)
    proof_attempt.prove(list(policy.clauses))
    assert [verdict.clause for verdict in clause_proofs] == sorted(
        proof_attempt.verdicts, key=[v.clause for v in clause_proofs].index
    )
    return proof_attempt


@pytest.mark.parametrize("trouble", ["slow", "dies", "unsupported"])
def test_trouble_with_one_clause_leaves_the_others_their_verdicts(trouble: str, cache: VerdictCache) -> None:
    verdicts = attempt(terms(), Script({"C3": trouble, "C2": "fails"}), cache).verdicts
    assert verdicts["C1"].status is ProofStatus.PROVED
    assert verdicts["C2"].status is ProofStatus.REFUTED
    assert verdicts["C3"].status is ProofStatus.UNKNOWN
    assert verdicts["C3"].why


def test_verdicts_are_reused_and_unknowns_are_not(cache: VerdictCache) -> None:
    attempt(terms(), Script({"C3": "slow", "C2": "fails"}), cache)
    again = Script({})
    verdicts = attempt(terms(), again, cache).verdicts
    assert again.jobs == [["C3"]]
    assert verdicts["C1"].cached
    example = verdicts["C2"].counterexample
    assert verdicts["C2"].cached
    assert example is not None
    assert example.confirmed


def test_nothing_is_proved_from_preconditions_that_contradict_each_other(cache: VerdictCache) -> None:
    policy = terms("    Requires(age < 3)\n    Requires(age > 5)\n")
    script = Script({}, vacuous=True)
    verdicts = attempt(policy, script, cache).verdicts.values()
    assert {(verdict.status, verdict.why) for verdict in verdicts} == {(ProofStatus.VACUOUS, CONTRADICTION)}
    assert not script.jobs


def test_a_contradiction_that_only_the_verifier_finds_is_a_disagreement(cache: VerdictCache) -> None:
    policy = terms("    Requires(age > 5)\n")
    verdicts = attempt(policy, Script({}, vacuous=True), cache).verdicts
    assert {verdict.status for verdict in verdicts.values()} == {ProofStatus.UNKNOWN}
    assert {verdict.why for verdict in verdicts.values()} == {DISAGREEMENT}


def test_a_contradiction_that_the_preview_cannot_see_makes_every_clause_vacuous(
    cache: VerdictCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.check.proof.prover.vacuity_of", undecided)
    verdicts = attempt(terms("    Requires(age > 5)\n"), Script({}, vacuous=True), cache).verdicts
    assert {verdict.status for verdict in verdicts.values()} == {ProofStatus.VACUOUS}
    assert {verdict.why for verdict in verdicts.values()} == {CONTRADICTION}


def undecided(policy: PolicyTerms, clause: Clause) -> Vacuity:  # noqa: ARG001
    """Replaces a preview that runs out of time."""
    return Vacuity(None, None, None, "the solver gave up")


DEAD = "    # R4: Never.\n    Ensures(Implies(age < 3 and age > 5, not Result()))\n"


def test_a_proof_of_a_clause_that_says_nothing_is_vacuous_with_the_reason(cache: VerdictCache) -> None:
    verdicts = attempt(terms(DEAD), Script({"C3": "fails"}), cache).verdicts
    assert verdicts["C1"].status is ProofStatus.VACUOUS
    assert verdicts["C1"].why == "its left side never happens; it holds for every policy"
    assert verdicts["C2"].status is ProofStatus.PROVED
    again = Script({"C3": "fails"})
    stored = attempt(terms(DEAD), again, cache).verdicts["C1"]
    assert (stored.status, stored.cached) == (ProofStatus.VACUOUS, True)


def test_a_proof_of_a_clause_that_may_say_nothing_is_unknown(
    cache: VerdictCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.check.proof.prover.vacuity_of", undecided)
    verdict = attempt(terms(), Script({"C2": "fails"}), cache).verdicts["C1"]
    assert verdict.status is ProofStatus.UNKNOWN
    assert "the solver gave up" in verdict.why


def test_a_failure_without_an_input_that_fails_is_unknown_and_not_refuted(cache: VerdictCache) -> None:
    verdicts = attempt(terms(), Script({"C1": "fails"}), cache).verdicts
    assert verdicts["C1"].status is ProofStatus.UNKNOWN
    assert "could not prove" in verdicts["C1"].why


@pytest.mark.parametrize("preconditions", ["", "    Requires(age > 5)\n"])
def test_a_clause_that_only_the_thorough_attempt_proves_is_proved_and_kept(
    preconditions: str, cache: VerdictCache
) -> None:
    policy = terms(preconditions)
    script = Script({"C1": "needs all", "C2": "fails"})
    assert attempt(policy, script, cache).verdicts["C1"].status is ProofStatus.PROVED
    assert script.thorough == 1
    again = Script({"C1": "fails", "C2": "fails"})
    assert attempt(policy, again, cache).verdicts["C1"].status is ProofStatus.PROVED
    assert not any("C1" in job for job in again.jobs)


def test_a_thorough_attempt_that_finds_the_preconditions_contradictory_proves_nothing(
    cache: VerdictCache,
) -> None:
    class Contradictory(Script):
        @override
        def __call__(self, text: str, *, model: bool, time_limit: float) -> Answer:
            self.vacuous = model
            return super().__call__(text, model=model, time_limit=time_limit)

    script = Contradictory({"C1": "needs all"})
    verdict = attempt(terms("    Requires(age > 5)\n"), script, cache).verdicts["C1"]
    assert script.thorough
    assert verdict.status is ProofStatus.UNKNOWN


def test_the_preview_works_while_the_verifier_does(
    cache: VerdictCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = Event()

    class Waiting(Script):
        @override
        def __call__(self, text: str, *, model: bool, time_limit: float) -> Answer:
            event.set()
            return super().__call__(text, model=model, time_limit=time_limit)

    def after_the_verifier_was_asked(*arguments: Any) -> CounterexampleSearch:
        assert event.wait(60)
        return from_preview(*arguments)

    monkeypatch.setattr("workbench.check.proof.prover.from_preview", after_the_verifier_was_asked)
    verdicts = attempt(terms(), Waiting({"C2": "fails"}), cache).verdicts
    assert verdicts["C1"].status is ProofStatus.PROVED
    assert verdicts["C2"].counterexample is not None


def test_a_proof_of_a_clause_that_has_a_counterexample_is_a_disagreement(cache: VerdictCache) -> None:
    verdicts = attempt(terms(), Script({}), cache).verdicts
    assert verdicts["C2"].status is ProofStatus.UNKNOWN
    assert verdicts["C2"].why == DISAGREEMENT


def test_a_confirmed_counterexample_refutes_though_the_verifier_is_too_slow(cache: VerdictCache) -> None:
    verdicts = attempt(terms(), Script({"C2": "slow"}), cache).verdicts
    assert verdicts["C2"].status is ProofStatus.REFUTED
    assert verdicts["C2"].engine is Engine.CVC5
    assert attempt(terms(), Script({"C2": "fails"}), cache).verdicts["C2"].engine is Engine.NAGINI


def test_a_stale_request_gives_no_verdict(cache: VerdictCache) -> None:
    cancelled = Event()
    cancelled.set()
    with pytest.raises(ProverCancelled):
        attempt(terms(), Script({}), cache, cancelled)
