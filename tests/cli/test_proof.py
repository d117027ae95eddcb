"""The commands that wait for the real verifier, on the shipped sessions."""

# jsonschema is typed only in part.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import jsonschema
import pytest

from workbench.cli import main
from workbench.model import Json

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.nagini

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((ROOT / "docs" / "reference" / "schemas" / "result-check.json").read_text())
)

type Object = dict[str, Json]


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One cache of verdicts for the commands of this file; it starts empty, so the proofs are real."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path_factory.mktemp("verdicts")))
        yield


def checked(captured: pytest.CaptureFixture[str], session: Path) -> tuple[int, Object]:
    code = main(["check", str(session), "--json"])
    shown = captured.readouterr()
    assert shown.out.count("\n") == 1, "data is one object on one line"
    report = cast(Object, json.loads(shown.out))
    SCHEMA.validate(report)
    return code, report


def part(whole: Object, name: str) -> Object:
    return cast(Object, whole[name])


def test_the_hospital_is_proved_tested_and_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    code, report = checked(capsys, ROOT / "sessions/hospital-access")
    assert code == 0
    assert part(report, "questions")["open"] == []
    assert part(report, "cases")["failed"] == 0
    proof = part(report, "proof")
    assert proof["status"] == "proved"
    for clause in cast(list[Object], proof["clauses"]):
        assert {"id", "requirement", "status", "engine", "counterexample"} <= set(clause)
        assert clause["engine"] == "nagini"
    replay = part(report, "replay")
    counts = [cast(int, replay[name]) for name in ("allow", "deny", "cannot_evaluate")]
    assert sum(counts) == replay["calls"]
    assert min(counts) > 0
    assert replay["by_rule"] == {"forbid_unreadable_column": replay["deny"]}


def test_a_clause_that_says_nothing_fails_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ignored = shutil.ignore_patterns(".workbench")
    session = shutil.copytree(ROOT / "sessions/hospital-access", tmp_path / "hospital", ignore=ignored)
    policy = session / "policy.py"
    text = policy.read_text()
    roles = 'run.first_said.role == "physician" and run.first_said.role == "nursing"'
    dead = f"Ensures(Implies({roles}, not Result()))"
    first = text.index("    # R1", text.index("def contract"))
    policy.write_text(f"{text[:first]}    # R1: Nobody is both.\n    {dead}\n{text[first:]}")
    code, report = checked(capsys, session)
    assert code == 1
    proof = part(report, "proof")
    assert proof["status"] == "vacuous"
    clauses = cast(list[Object], proof["clauses"])
    assert [clause["status"] for clause in clauses] == ["vacuous"] * 3 + ["proved"] * 12
    assert clauses[0]["why"] == "its left side never happens; it holds for every policy"


def test_standard_output_carries_nothing_but_data_even_while_a_jvm_runs(tmp_path: Path) -> None:
    program = "import sys; from workbench.cli import main; sys.exit(main())"
    words = ["verify", str(ROOT / "sessions/web-shopping"), "--json"]
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        env={**os.environ, "WORKBENCH_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "proved"
    assert done.stderr == ""
