"""A rule or clause cites a sentence of the request by its words, and what cites none is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.written_desk import POLICY, written_desk
from workbench.cli import main

CITED = "The total paid per session must not exceed 5,000 EUR."


def owed(desk: Path, captured: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    """What is not in force, as JSON."""
    assert main(["ask", str(desk), "--json"]) in (0, 1)
    return [item for item in json.loads(captured.readouterr().out)["owed"] if item["reason"]]


def reasons(desk: Path, captured: pytest.CaptureFixture[str], statement: str) -> list[str]:
    """The reasons why what is said by a text is not in force."""
    return [item["reason"] for item in owed(desk, captured) if item["statement"] == statement]


def with_citation(folder: Path, text: str) -> Path:
    """The desk with other words for the sentence of the limit."""
    assert CITED in POLICY
    return written_desk(folder, POLICY.replace(CITED, text))


@pytest.mark.parametrize(
    "text", [CITED.upper(), CITED.replace(" must", "  must").rstrip("."), f"{CITED[:-1]}!"]
)
def test_case_punctuation_and_blanks_do_not_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    desk = with_citation(tmp_path, text)
    assert not reasons(desk, capsys, CITED)
    assert not reasons(desk, capsys, text)


def test_a_typo_says_which_sentence_is_near_and_what_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = CITED.replace("exceed", "exeed")
    desk = with_citation(tmp_path, text)
    assert reasons(desk, capsys, text) == [
        f"no sentence of the request has these words; “{CITED}” is near, with “exeed” in place of “exceed”"
    ]
    assert reasons(desk, capsys, CITED) == ["no clause cites this sentence"]


def test_a_citation_of_no_sentence_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk = with_citation(tmp_path, "Nobody may fly to the moon on a Tuesday.")
    assert reasons(desk, capsys, "Nobody may fly to the moon on a Tuesday.") == [
        "no sentence of the request has these words"
    ]


def test_no_name_moves_if_a_sentence_is_added_above(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = written_desk(tmp_path)
    before = {item["statement"]: item["name"] for item in owed(desk, capsys) if item["kind"] == "requirement"}
    request = (desk / "request.md").read_text(encoding="utf-8")
    (desk / "request.md").write_text(f"A sentence that was added above.\n\n{request}", encoding="utf-8")
    after = {item["statement"]: item["name"] for item in owed(desk, capsys) if item["kind"] == "requirement"}
    assert before
    assert before.items() <= after.items()
    assert len(set(after.values())) == len(after)
