"""Bad input at the door of the prover: a clear message, never a stack trace, never "proved"."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.plain_policies import check
from workbench.check.proof.prover import ProofAttempt
from workbench.engines.nagini.verdict_cache import VerdictCache
from workbench.engines.nagini.verifier.worker_protocol import Answer
from workbench.engines.smt.vacuity import CONTRADICTION
from workbench.model import ClauseProof, ProofStatus
from workbench.policy.problems import PolicyError

HEAD = """from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

Role = Literal["nurse", "doctor"]
WORDS = {"a", "b"}


def forbid_minor(age: int) -> bool:
    \"\"\"R1: Minors may not.\"\"\"
    return age < 18


"""


def policy(contract: str, parameters: str = "age: int") -> str:
    return f"{HEAD}def allow({parameters}) -> bool:\n{contract}    return not (forbid_minor(age))\n"


TRUE = "    # R1: Minors may not.\n    Ensures(Implies(age < 18, not Result()))\n"
LONG = "".join(f'    "word {number}",\n' for number in range(20_000))

REFUSED = {
    "a syntax error": policy(TRUE).replace("return age <", "return age <<"),
    "a construct outside the dialect": policy(TRUE).replace("age < 18\n", "eval('age') < 18\n"),
    "recursion": policy(TRUE).replace("return age < 18", "return forbid_minor(age)"),
    "an unknown argument": policy(TRUE.replace("age < 18", "salary < 18")),
    "a look-alike name": policy(TRUE.replace("age", "\u0430ge")),
    "20,000 lines": policy(TRUE).replace("WORDS = {", "WORDS = {\n" + LONG),
    "a precondition about the result": policy("    Requires(Result())\n" + TRUE),
    "an empty file": "",
    "no text": "\x00\x01",
}


OF_THE_WHOLE = {"20,000 lines", "an empty file"}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_policy_is_refused_before_the_prover_with_a_place_and_a_sentence(name: str) -> None:
    with pytest.raises(PolicyError) as caught:
        check(REFUSED[name])
    text = str(caught.value)
    assert text
    assert "Traceback" not in text
    assert all(
        str(problem) and (problem.line >= 1 or name in OF_THE_WHOLE) for problem in caught.value.problems
    ), text


def believes_everything(text: str, *, model: bool, time_limit: float) -> Answer:
    """A verifier that finds no fault with any program."""
    assert text
    assert time_limit > 0
    assert not model
    return Answer(1)


def breaks(text: str, *, model: bool, time_limit: float) -> Answer:
    """A verifier that fails on every program."""
    assert text
    assert time_limit > 0
    assert not model
    return Answer(1, error="Nagini failed on the lowered program, which is an error of it (KeyError: x).")


def verdicts(source: str, ask: Callable[..., Answer], folder: Path) -> dict[str, ClauseProof]:
    terms = check(source)
    attempt = ProofAttempt(
        terms, ask, VerdictCache(folder, "1"), 5.0, threading.Event(), lambda _verdict: None
    )
    attempt.prove(list(terms.clauses))
    return attempt.verdicts


CONTRADICTIONS = {
    "numbers": ("    Requires(age < 3)\n    Requires(age > 5)\n", "age: int"),
    "strings": ('    Requires(name.startswith("a"))\n    Requires(name == "b")\n', "age: int, name: str"),
    "sets": (
        '    Requires("a" in words)\n    Requires(all(word == "b" for word in words))\n',
        "age: int, words: frozenset[str]",
    ),
    "enums": ('    Requires(role != "nurse")\n    Requires(role != "doctor")\n', "age: int, role: Role"),
    "decimals": (
        '    Requires(cost > Decimal("0.10"))\n    Requires(cost < Decimal("0.1"))\n',
        "age: int, cost: Decimal",
    ),
    "missing values": (
        "    Requires(limit is None)\n    Requires(limit == 3)\n",
        "age: int, limit: int | None",
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradicting_preconditions_are_named_whatever_the_verifier_says(name: str, tmp_path: Path) -> None:
    contract, parameters = CONTRADICTIONS[name]
    (verdict,) = verdicts(policy(contract + TRUE, parameters), believes_everything, tmp_path).values()
    assert verdict.status is ProofStatus.VACUOUS
    assert verdict.why == CONTRADICTION


def test_a_verifier_that_fails_leaves_a_sentence_and_no_verdict(tmp_path: Path) -> None:
    for _ in range(2):
        (verdict,) = verdicts(policy(TRUE), breaks, tmp_path).values()
        assert verdict.status is ProofStatus.UNKNOWN
        assert verdict.why.startswith("Nagini failed on the lowered program")
        assert "\n" not in verdict.why


def test_an_expression_nested_beyond_all_measure_is_refused_or_unknown(tmp_path: Path) -> None:
    deep = "(" * 60 + "age" + " + 1)" * 60
    source = policy(TRUE).replace("return age < 18", f"return {deep} < 78")
    try:
        proofs = verdicts(source, breaks, tmp_path)
    except PolicyError as error:
        assert error.problems
    else:
        assert {verdict.status for verdict in proofs.values()} == {ProofStatus.UNKNOWN}
