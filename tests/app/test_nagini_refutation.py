"""A clause that only Nagini refutes: its input is realised, and every front end shows the run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.accepting import accept
from tests.app.test_realised_proof import NOT_NONE, TOO_HIGH
from tests.app.written_desk import written_desk
from tests.tui.driving import opened
from workbench.app.workbench import Workbench
from workbench.check.realise.realiser import Realiser
from workbench.cli import main
from workbench.engines.smt import preview as smt
from workbench.guard.export import proof_summary
from workbench.model import ClauseProof, Engine, Json, Proof, ProofStatus, Verdict
from workbench.policy.terms import PolicyTerms
from workbench.serialization.nouns import json_of

pytestmark = pytest.mark.nagini

OPEN = "the preview is kept from deciding"


@pytest.fixture(autouse=True)
def silent_preview(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The preview decides no clause, and the search for runs finds none by itself."""

    def undecided(terms: PolicyTerms, *_: object, **__: object) -> Proof:
        clauses = [(clause.id, clause.requirements) for clause in terms.clauses]
        return Proof(tuple(ClauseProof(*one, ProofStatus.UNKNOWN, Engine.CVC5, why=OPEN) for one in clauses))

    def silent(*_: object, **__: object) -> None:
        raise smt.PreviewUndecided("a clause", OPEN)

    def nothing(*_: object) -> None:
        return None

    monkeypatch.setattr(smt, "preview", undecided)
    monkeypatch.setattr(smt, "breaking", silent)
    monkeypatch.setattr(Realiser, "breaking", nothing)
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path / "verdicts"))


@pytest.fixture
def desk(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return written_desk(tmp_path, request.param)


@pytest.fixture
def bench(desk: Path) -> Iterator[Workbench]:
    bench = Workbench.open(desk, read_only=True)
    yield bench
    bench.close()


def clause_of(proof: Proof, name: str) -> ClauseProof:
    return next(one for one in proof.clauses if one.clause == name)


def calls_in(written: object, clause: str) -> Json:
    """The run of a clause in the JSON of a proof."""
    clauses = cast("list[dict[str, Json]]", cast("dict[str, Json]", written)["clauses"])
    found = next(one for one in clauses if one["id"] == clause)
    return cast("dict[str, Json]", found["counterexample"]).get("realised")


@pytest.mark.parametrize("desk", [TOO_HIGH], indirect=True)
def test_its_input_is_realised_and_shown_as_a_run(bench: Workbench) -> None:
    terms = bench.policy.terms()
    told: list[ClauseProof] = []
    proof = bench.proof.prove(terms, on_clause=told.append)
    found = clause_of(proof, "C1")
    assert (found.status, found.engine) == (ProofStatus.REFUTED, Engine.NAGINI)
    example = found.counterexample
    assert example is not None and example.realised is not None
    assert example.confirmed
    assert example.decision is Verdict.ALLOW
    *_, decided = example.realised.calls
    assert decided.tool == "pay_invoice"
    assert next(one for one in told if one.clause == "C1").counterexample == example
    written = json.loads(json.dumps(json_of(proof)))
    calls = calls_in(written, "C1")
    assert isinstance(calls, list)
    assert len(calls) == len(example.realised.calls)
    assert proof_summary(proof).startswith("REFUTED:")
    assert clause_of(bench.proof.known(terms), "C1").counterexample == example


@pytest.mark.parametrize("desk", [NOT_NONE], indirect=True)
def test_an_input_without_a_run_is_possible_everywhere(
    bench: Workbench, desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof = bench.proof.prove(bench.policy.terms())
    found = clause_of(proof, "C5")
    assert (found.status, found.engine) == (ProofStatus.POSSIBLE, Engine.NAGINI)
    assert found.counterexample is not None
    assert found.counterexample.realised is None
    assert calls_in(json.loads(json.dumps(json_of(proof))), "C5") is None
    assert "possible: C5" in proof_summary(proof)
    assert clause_of(bench.proof.known(bench.policy.terms()), "C5").status is ProofStatus.POSSIBLE
    assert main(["verify", str(desk), "--json"]) == 1
    clauses = json.loads(capsys.readouterr().out)["clauses"]
    assert next(one for one in clauses if one["id"] == "C5")["status"] == "possible"
    assert main(["verify", str(desk)]) == 1
    assert "possible" in capsys.readouterr().out


@pytest.mark.parametrize("desk", [TOO_HIGH], indirect=True)
def test_the_command_line_prints_the_run(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(desk)]) == 1
    shown = capsys.readouterr().out
    assert "a run in which it happens:" in shown
    assert "← decided" in shown
    assert main(["verify", str(desk), "--json"]) == 1
    assert calls_in(json.loads(capsys.readouterr().out), "C1")


@pytest.mark.parametrize("desk", [TOO_HIGH], indirect=True)
async def test_the_screen_shows_the_run(desk: Path) -> None:
    async with opened(desk, (200, 60)) as person:
        await person.press("P", "n")
        await person.until_shown("a run in which it happens:")
        assert "refuted by Nagini" in person.text
        assert "← decided" in person.text


@pytest.mark.parametrize("desk", [NOT_NONE], indirect=True)
async def test_the_screen_shows_that_an_input_is_only_possible(desk: Path) -> None:
    async with opened(desk, (200, 60)) as person:
        await person.press("P", "n")
        while "possible: C" not in person.text:  # after the questions, of which one is about its rule
            before = person.text
            await person.press("n")
            assert person.text != before
        await person.until_shown("possible, not realised")
        assert "a run in which it happens:" not in person.text


@pytest.mark.parametrize(
    ("desk", "status"), [(TOO_HIGH, "refuted: C1"), (NOT_NONE, "possible: C5")], indirect=["desk"]
)
def test_an_exported_file_says_it(
    desk: Path, status: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accept(desk)
    assert main(["verify", str(desk)]) == 1
    exported = tmp_path / "guard.py"
    assert main(["export", str(desk), "--output", str(exported)]) == 0
    capsys.readouterr()
    assert status in exported.read_text(encoding="utf-8")
