"""Large clauses are proved by their obligations: the verifier's tasks, and the meaning of its answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from threading import Event
from typing import override

import pytest

from tests.check.proof.test_files import Script, attempt
from tests.plain_policies import check
from workbench.check.disagreement import DISAGREEMENT
from workbench.check.proof.counterexamples import CounterexampleSearch
from workbench.check.proof.prover import ProofAttempt
from workbench.check.proof.small_goals import Guesses, NeededBefore
from workbench.engines.nagini.verdict_cache import VerdictCache
from workbench.engines.nagini.verifier.worker_protocol import Answer
from workbench.engines.smt.contradicting_conditions import NeededConditions
from workbench.model import Engine, ProofStatus
from workbench.policy.terms import PolicyTerms, Term

NUMBERS = range(1, 6)
PARAMETERS = ", ".join(f"n{number}: int, m{number}: int" for number in NUMBERS)
RULE = '''def forbid_{0}(n{0}: int, m{0}: int) -> bool:
    """R{0}: No."""
    return n{0} > {0} and m{0} < {0}


'''
CLAUSE = """    # R{0}: No.
    Ensures(Implies(Result() and n{0} {1}, m{0} >= {0}))
"""
REST = " and ".join(f"n{number} < {number + 1}" for number in NUMBERS)
ALL_PARTS = [*(f"C{number}_part_1" for number in NUMBERS), *(f"C6_part_{number}" for number in NUMBERS)]


def policy(least: int = 2) -> PolicyTerms:
    """Five rules, a clause about each, and one about all; they hold if the least number is 2 or more."""
    return stated([f">= {least}", *(f">= {number + 1}" for number in NUMBERS[1:])])


def stated(bounds: Sequence[str], rest: str = REST) -> PolicyTerms:
    """The policy with other words for the same bounds in its contract."""
    rules = "".join(RULE.format(number) for number in NUMBERS)
    clauses = "".join(CLAUSE.format(number, bound) for number, bound in zip(NUMBERS, bounds, strict=True))
    calls = " or ".join(f"forbid_{number}(n{number}, m{number})" for number in NUMBERS)
    return check(
        "from nagini_contracts.contracts import Ensures, Implies, Result\n\n\n"
        f"{rules}def allow({PARAMETERS}) -> bool:\n{clauses}"
        f"    # R6: Else yes.\n    Ensures(Implies({rest}, Result()))\n    return not ({calls})\n"
    )


def edited() -> PolicyTerms:
    """The policy with another first rule of the same meaning."""
    source = policy().file.text
    assert "n1 > 1 and m1 < 1" in source
    return check(source.replace("n1 > 1 and m1 < 1", "not (n1 <= 1) and m1 <= 0", 1))


@pytest.fixture
def cache(tmp_path: Path) -> VerdictCache:
    return VerdictCache(tmp_path, "1")


class Keeping(Script):
    """Stores the programs."""

    def __init__(self, outcome: dict[str, str]) -> None:
        super().__init__(outcome)
        self.programs: list[str] = []

    @override
    def __call__(self, text: str, *, model: bool, time_limit: float) -> Answer:
        self.programs.append(text)
        return super().__call__(text, model=model, time_limit=time_limit)


def test_a_large_clause_is_proved_by_small_goals(cache: VerdictCache) -> None:
    script = Script({})
    verdicts = attempt(policy(), script, cache).verdicts
    assert {verdict.status for verdict in verdicts.values()} == {ProofStatus.PROVED}
    assert script.jobs == [ALL_PARTS]
    again = Script({})
    assert all(verdict.cached for verdict in attempt(policy(), again, cache).verdicts.values())
    assert not again.jobs


def test_a_goal_mentions_only_what_it_needs(cache: VerdictCache) -> None:
    script = Keeping({})
    attempt(policy(), script, cache)
    assert "def check_C2_part_1(n2: int, m2: int) -> bool:\n" in script.programs[0]
    assert "def check_C6_part_3(n3: int) -> bool:\n" in script.programs[0]


def test_after_an_edit_of_one_rule_only_its_goals_are_proved(cache: VerdictCache) -> None:
    attempt(policy(), Script({}), cache)
    script = Script({})
    verdicts = attempt(edited(), script, cache).verdicts
    assert {verdict.status for verdict in verdicts.values()} == {ProofStatus.PROVED}
    assert script.jobs == [["C1_part_1", "C6_part_1"]]


def as_the_rules() -> PolicyTerms:
    """The policy whose contract tests what its rules test."""
    return stated(
        [f"> {number}" for number in NUMBERS], " and ".join(f"n{number} <= {number}" for number in NUMBERS)
    )


def test_goals_that_their_connectives_decide_are_one_statement(cache: VerdictCache) -> None:
    script = Keeping({})
    verdicts = attempt(as_the_rules(), script, cache).verdicts
    assert {verdict.status for verdict in verdicts.values()} == {ProofStatus.PROVED}
    assert script.jobs == [["C1_part_1", "C6_part_1"]]
    assert "def check_C1_part_1(truth_1: bool, truth_2: bool) -> bool:\n" in script.programs[0]


def test_a_statement_that_is_not_proved_proves_none_of_its_goals(cache: VerdictCache) -> None:
    clauses = [f"C{number}" for number in NUMBERS]
    outcome = {"C1_part_1": "fails"} | dict.fromkeys(clauses, "fails")
    verdicts = attempt(as_the_rules(), Script(outcome), cache).verdicts
    assert verdicts.pop("C6").status is ProofStatus.PROVED
    assert {verdict.status for verdict in verdicts.values()} == {ProofStatus.UNKNOWN}


def proved(terms: PolicyTerms, script: Script, cache: VerdictCache, guesses: Guesses) -> ProofAttempt:
    proof_attempt = ProofAttempt(terms, script, cache, 5.0, Event(), lambda _verdict: None, guesses=guesses)
    proof_attempt.prove(list(terms.clauses))
    return proof_attempt


def test_what_a_goal_needed_before_is_not_solved_again(
    cache: VerdictCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    guesses: Guesses = {}
    proved(policy(), Script({}), cache, guesses)
    goals: list[str] = []
    solved = NeededConditions.of

    def counting(self: NeededConditions, conditions: Sequence[Term], likely: Collection[int]) -> object:
        goals.append(str(conditions[0]))
        return solved(self, conditions, likely)

    monkeypatch.setattr(NeededConditions, "of", counting)
    script = Script({})
    verdicts = proved(edited(), script, cache, guesses).verdicts
    assert {verdict.status for verdict in verdicts.values()} == {ProofStatus.PROVED}
    assert script.jobs == [["C1_part_1", "C6_part_1"]]
    assert len(goals) == 2, "those of the rule that was edited, and not the four others that say the same"


def test_what_another_goal_needed_proves_nothing(cache: VerdictCache) -> None:
    guesses: Guesses = {}
    proved(policy(), Script({}), cache, guesses)
    for name in ("C1 part 1", "C6 part 1"):
        guesses[name] = NeededBefore((), ())
    script = Script({})
    verdicts = proved(edited(), script, cache, guesses).verdicts
    assert script.jobs == [["C1_part_1", "C6_part_1"]]
    assert {verdict.status for verdict in verdicts.values()} == {ProofStatus.PROVED}


@pytest.mark.parametrize("trouble", ["fails", "slow", "dies", "unsupported"])
def test_a_clause_with_a_goal_that_is_not_proved_is_proved_as_a_whole(
    trouble: str, cache: VerdictCache
) -> None:
    script = Script({"C1_part_1": trouble})
    verdicts = attempt(policy(), script, cache).verdicts
    assert {verdict.status for verdict in verdicts.values()} == {ProofStatus.PROVED}
    assert script.jobs[-1] == ["C1"]


def test_a_clause_that_is_not_proved_as_a_whole_either_is_unknown(cache: VerdictCache) -> None:
    verdicts = attempt(policy(), Script({"C1_part_1": "fails", "C1": "fails"}), cache).verdicts
    assert verdicts.pop("C1").status is ProofStatus.UNKNOWN
    assert {verdict.status for verdict in verdicts.values()} == {ProofStatus.PROVED}


@pytest.mark.parametrize(("trouble", "engine"), [("fails", Engine.NAGINI), ("slow", Engine.CVC5)])
def test_a_large_clause_that_is_false_is_refuted_by_a_run(
    trouble: str, engine: Engine, cache: VerdictCache
) -> None:
    script = Script({"C1_part_1": trouble})
    verdict = attempt(policy(least=1), script, cache).verdicts["C1"]
    assert (verdict.status, verdict.engine) == (ProofStatus.REFUTED, engine)
    assert verdict.counterexample is not None
    assert verdict.counterexample.confirmed
    assert ["C1"] not in script.jobs
    assert not script.thorough


def test_a_verifier_that_proves_a_false_clause_is_not_believed(cache: VerdictCache) -> None:
    verdicts = attempt(policy(least=1), Script({}), cache).verdicts
    assert (verdicts["C1"].status, verdicts["C1"].why) == (ProofStatus.UNKNOWN, DISAGREEMENT)


def test_stored_goals_are_no_proof_where_the_preview_cannot_say(
    cache: VerdictCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt(policy(), Script({}), cache)

    def unknown(*_: object) -> CounterexampleSearch:
        return CounterexampleSearch(None)

    monkeypatch.setattr("workbench.check.proof.prover.from_preview", unknown)
    script = Script({"C2": "fails"})
    verdicts = attempt(edited(), script, cache).verdicts
    assert script.jobs[0] == ["C1_part_1", "C6_part_1"]
    assert sorted(name for job in script.jobs[1:] for name in job) == ["C2", "C2", "C3", "C4", "C5", "C6"]
    assert verdicts["C1"].status is ProofStatus.PROVED
    assert verdicts["C2"].status is ProofStatus.UNKNOWN
