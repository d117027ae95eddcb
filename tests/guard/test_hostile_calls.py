"""Hostile accepted versions: refused with a sentence, within a limit of memory, none of them run."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.accepting import accepted
from tests.app.written_desk import POLICY, written_desk
from tests.guard.hostile_calls import TEXTS, store
from tests.guard.test_exported_guard import ROOT
from workbench.app.workbench import Workbench
from workbench.cli import main

SECONDS = 300
"""The limit for all files together, which only ends a hang."""
VERSIONS = [
    *(f"policy: {name}" for name in TEXTS),
    "policy: a statement at the top",
    "policy: a decorator",
    "policy: a default",
    "policy: an annotation",
    "policy: a class",
    "policy: a constant",
    "policy: a dunder from agent",
    "policy: a fact of itself",
    "policy: empty but for its import",
    "agent: a deep schema",
    "agent: a very deep schema",
    "agent: no table",
    "agent: arguments of its own",
    "policy: over plain arguments",
    "agent: a hostile class name",
]

type Opened = tuple[str, str, bool]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Opened]:
    """What came of each hostile file, in a process with a limit of memory."""
    folder = tmp_path_factory.mktemp("hostile")
    run = subprocess.run(
        [sys.executable, "-m", "tests.guard.hostile_calls", str(folder)],
        capture_output=True, text=True, check=False, cwd=folder, timeout=SECONDS,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-2000:]
    results = json.loads(run.stdout)
    assert len(list(Path(folder).glob("mark"))) == 0
    return {name: tuple(result) for name, result in results.items()}


@pytest.mark.parametrize("name", VERSIONS)
def test_a_hostile_version_is_refused_with_a_sentence(name: str, opened: dict[str, Opened]) -> None:
    sentence, unexpected, ran = opened[name]
    assert not ran
    assert unexpected == ""
    assert not sentence.startswith("opened")
    assert 0 < len(sentence) < 1_000
    assert "\n" not in sentence


def test_a_schema_of_itself_gives_its_field_no_type_and_allows_nothing(opened: dict[str, Opened]) -> None:
    assert opened["agent: a schema of itself"] == ("opened: cannot-evaluate", "", False)


def test_every_version_that_is_opened_is_tested(opened: dict[str, Opened]) -> None:
    assert {*VERSIONS, "agent: a schema of itself"} == set(opened)


@pytest.mark.parametrize("name", ["an import", "deep brackets", "a huge number", "no Python"])
def test_a_command_refuses_a_hostile_version_with_a_sentence_and_an_exit_code(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = written_desk(tmp_path)
    bench = accepted(Workbench.open(desk))
    version = bench.session.accepted_version
    bench.close()
    assert version is not None
    policy = POLICY.replace("return paid(call, run) > LIMIT", f"return {TEXTS[name]} > LIMIT")
    store(replace(version, texts={**version.texts, "policy.py": policy}), desk)
    assert main(["export", str(desk), "--output", str(tmp_path / "policy.py")]) == 1
    said = capsys.readouterr().err
    assert "accepted.toml cannot be enforced" in said
    assert "Traceback" not in said
    assert not (tmp_path / "policy.py").exists()
