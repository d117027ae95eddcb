"""The view of the evidence: the matrix, wrong versions, and the proved difference of versions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from tests.tui.driving import opened
from tests.tui.views.policy.test_policy_view import copied
from workbench.app.proof import Proving
from workbench.app.workbench import Workbench
from workbench.check.evidence import Evidence
from workbench.cli import main
from workbench.cli.evidence import evidence_lines
from workbench.model import ClauseProof, Engine, Json, Proof, ProofStatus
from workbench.policy.terms import PolicyTerms
from workbench.serialization.nouns import json_of
from workbench.session import Session
from workbench.tui.views.evidence.view import EvidenceView, matrix_rows
from workbench.tui.widgets.lines import laid_out


async def test_a_version_is_compared_and_gone_back_to(shop: Path) -> None:
    """From any view the proved difference of the last change is two keys away, and one goes back."""
    with Session.open(shop) as session:
        session.set_text("policy.py", session.written.replace("age < 18", "age < 21"))
    async with opened(shop) as person:
        await person.press("E", "c")
        assert "Decides otherwise than now" in person.text
        assert "Newly denied: 1 region" in person.text
        assert "no rule; now forbid_hotel" in person.text
        # A refuted clause comes first, with its difference from other clauses of its sentence.
        first = next(line for line in person.lines if " C" in line and "R3" in line)
        assert "✗" in first
        assert "not vacuous" in person.text
        await person.press("p", "enter")
        assert "cases: 1 added" in person.text

        await person.press("shift+tab", "G", "enter")
        assert "Back to version 0" in person.text


def test_an_assumption_does_not_repeat_the_sentence_and_without_logs_no_call_is_missed(
    asked_desk: Path,
) -> None:
    with closing(Workbench.open(asked_desk, read_only=True)) as bench:
        state = bench.judged_state()
        assert state.terms is not None
        found = bench.proof.evidence(state.terms, decisions=())
    assert found.clauses_never_exercised
    rows = laid_out(matrix_rows(replace(state, decisions=()), found, None), 10_000)
    text = "\n".join("".join(run.text for run in row.line) for row in rows)
    assert "this sentence" in text and "Clauses that no recorded call" not in text


async def test_wrong_versions_that_pass_become_cases(tmp_path: Path) -> None:
    session = copied("web-shopping", tmp_path)
    policy = session / "policy.py"
    clause = '    Ensures(Implies(run.said.action == "book_hotel", Result() == (run.first_said.age >= 18)))\n'
    policy.write_text(policy.read_text().replace(clause, ""))
    async with opened(session, (75, 24)) as person:
        await person.press("E")
        assert "r measures which wrong versions" in person.text
        await person.press("r")
        refused = re.search(r"The contract refuses (\d+) of (\d+) wrong versions", person.text)
        assert refused is not None
        assert int(refused[1]) < int(refused[2])
        assert "lets pass forbid_hotel, line" in person.text
        assert "here deny, there allow" in person.text
        await person.press("g", "p", "enter")
        assert "A wrong version became a case" in person.text
        assert refused[0] in person.text


def stored(_proving: Proving, terms: PolicyTerms) -> Proof:
    """The stored result of an earlier proof: all clauses hold but the third, against the preview."""
    statuses = [ProofStatus.REFUTED if clause.id == "C3" else ProofStatus.PROVED for clause in terms.clauses]
    return Proof(
        tuple(
            ClauseProof(clause.id, clause.requirements, status, Engine.NAGINI)
            for clause, status in zip(terms.clauses, statuses, strict=True)
        )
    )


def written(evidence: Evidence | None) -> Mapping[str, Json]:
    """The evidence as the command line writes it."""
    assert evidence is not None
    return cast("Mapping[str, Json]", json.loads(json.dumps(json_of(evidence))))


def page_evidence(session: Path) -> Evidence | None:
    """The evidence on the page of a session."""
    bench = Workbench.open(session)
    try:
        return bench.page().evidence
    finally:
        bench.close()


async def test_every_front_end_shows_the_same_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Proving, "known", stored)
    session = copied("web-shopping", tmp_path)
    assert main(["evidence", str(session), "--json"]) == 3
    printed = cast("dict[str, Json]", json.loads(capsys.readouterr().out))
    del printed["disagreements"], printed["owed"]
    page = page_evidence(session)
    async with opened(session) as person:
        await person.press("E")
        view = person.app.query_one(EvidenceView)
        unmeasured = written(view._evidence)  # pyright: ignore[reportPrivateUsage]
        assert "the engines contradict each other" in person.text
        assert "preview ✓  Nagini ✗" in person.text
        await person.press("r")
        measured = written(view._evidence)  # pyright: ignore[reportPrivateUsage]
    rows = cast("list[dict[str, Json]]", printed["clauses"])
    for row in rows:
        verdicts = cast("list[dict[str, Json]]", row["verdicts"])
        assert [verdict["engine"] for verdict in verdicts] == ["cvc5", "nagini"]
    unmeasured_rows = cast("list[dict[str, Json]]", unmeasured["clauses"])
    assert [row["verdicts"] for row in unmeasured_rows] == [row["verdicts"] for row in rows]
    assert measured == written(page) == printed
    assert page is not None
    assert main(["evidence", str(session)]) == 3
    listed = capsys.readouterr().out.splitlines()
    assert [line for line in evidence_lines(page) if line not in listed] == []
