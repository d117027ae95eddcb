"""A log that is gone since the version was accepted is said, until that is accepted by its name."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from tests.accepting import accept
from workbench.app.owed import OwedKind
from workbench.app.workbench import Workbench
from workbench.cli.report_text import summary_line
from workbench.files.file_error import FileError
from workbench.session import Session
from workbench.session.accepted_version import NAME, read_accepted_version

SHIPPED = Path(__file__).resolve().parents[2] / "sessions" / "hospital-access"
LOG = "single-actions.jsonl"
pytestmark = pytest.mark.usefixtures("cases_decided_here")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A session whose version was accepted with its two logs."""
    folder = tmp_path / SHIPPED.name
    shutil.copytree(SHIPPED, folder, ignore=shutil.ignore_patterns(".workbench"))
    accept(folder)
    return folder


def gone(bench: Workbench) -> list[str]:
    return [item.name for item in bench.in_force.missing() if item.kind is OwedKind.LOG]


def test_a_log_that_is_removed_is_said_and_keeps_the_check_from_being_good(folder: Path) -> None:
    with closing(Workbench.open(folder)) as bench:
        assert not gone(bench)
        (folder / "logs" / LOG).rename(folder / LOG)
        assert gone(bench) == [f"logs/{LOG}"]
        assert bench.check().exit_code == 1
        (folder / LOG).rename(folder / "logs" / LOG)
        assert not gone(bench)


def test_that_a_log_is_gone_is_accepted_by_its_name_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "logs" / LOG).unlink()
    with closing(Workbench.open(folder)) as bench:
        monkeypatch.setattr(bench.proof, "prove", bench.proof.preview)
        assert [item.name for item in bench.accept().missing] == [f"logs/{LOG}"]
        assert bench.accept([f"logs/{LOG}"]).done
        assert not gone(bench)


def test_a_log_cannot_be_taken_out_of_the_accepted_version_unseen(folder: Path) -> None:
    path = folder / NAME
    path.write_text(path.read_text().replace(f'"{LOG}"', '"other.jsonl"'))
    version = read_accepted_version(path.read_text())
    assert version is not None and not version.unchanged


def test_records_that_cannot_be_read_are_accepted_by_name_until_another_cannot(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def accepted(bench: Workbench, *anyway: str) -> bool:
        monkeypatch.setattr(bench.proof, "prove", bench.proof.preview)
        return bench.accept(anyway).done

    log = folder / "logs" / LOG
    log.write_text(log.read_text() + '{"broken\n')
    with closing(Workbench.open(folder)) as bench:
        [name] = gone(bench)
        assert name.startswith(f"logs/{LOG}:")
        standing = bench.standing()
        assert not standing.settled and "--anyway" in standing.next_step
        report = bench.check()
        assert report.exit_code == 1 and "1 thing not in force" in summary_line(report)
        assert not accepted(bench)
        assert accepted(bench, name)
        assert bench.standing().settled and bench.check().exit_code == 0
        assert accepted(bench), "it stays accepted with the next version"
    log.write_text(log.read_text() + "[broken\n")
    with closing(Workbench.open(folder)) as bench:
        assert gone(bench) and not accepted(bench)


def strange(bench: Workbench) -> list[tuple[str, str]]:
    return [
        (item.name.partition(":")[0], item.reason)
        for item in bench.in_force.missing()
        if item.kind is OwedKind.TOOLS
    ]


def write_calls(folder: Path, log: str, *tools: str) -> None:
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": tool, "arguments": "{}"}}
        for n, tool in enumerate(tools)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    (folder / "logs" / log).write_text(json.dumps({"id": log, "messages": [message]}) + "\n")


def test_a_log_of_tools_that_the_agent_has_not_keeps_the_check_from_being_good(folder: Path) -> None:
    own = Session.open(folder, read_only=True).spec.tools[0].name
    with closing(Workbench.open(folder)) as bench:
        assert bench.state().owed and not strange(bench)
    write_calls(folder, "mixed.jsonl", "wire_money", own)
    write_calls(folder, "other.jsonl", "wire_money", "<b>mail</b>")
    with closing(Workbench.open(folder)) as bench:
        [(name, reason)] = strange(bench)
        assert name == "logs/other.jsonl"
        assert "2 tools" in reason and "'wire_money'" in reason
        report = bench.check()
        assert report.exit_code == 1
        assert [item.name for item in report.not_in_force] == [item.name for item in bench.in_force.missing()]
        assert bench.state().not_in_force == report.not_in_force


def test_tools_that_the_agent_has_not_are_accepted_by_name_until_a_log_calls_another(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def accepted(bench: Workbench, *anyway: str) -> bool:
        monkeypatch.setattr(bench.proof, "prove", bench.proof.preview)
        return bench.accept(anyway).done

    write_calls(folder, "other.jsonl", "wire_money")
    with closing(Workbench.open(folder)) as bench:
        [name] = [item.name for item in bench.in_force.missing()]
        assert not accepted(bench)
        assert accepted(bench, name)
        assert not strange(bench) and bench.check().exit_code == 0
        assert accepted(bench), "it stays accepted with the next version"
        assert not strange(bench)
    write_calls(folder, "other.jsonl", "wire_money", "delete_all")
    with closing(Workbench.open(folder)) as bench:
        assert strange(bench)
        assert not accepted(bench)


@pytest.mark.parametrize("name", ["../policy.py", "a\\nb", ""])
def test_the_name_of_a_log_is_the_name_of_a_file(folder: Path, name: str) -> None:
    text = (folder / NAME).read_text().replace(f'"{LOG}"', f'"{name}"')
    with pytest.raises(FileError, match="no name of a log"):
        read_accepted_version(text)


def test_questions_are_found_also_without_any_log(tmp_path: Path) -> None:
    folder = shutil.copytree(SHIPPED.parent / "travel-desk", tmp_path / "desk")
    shutil.rmtree(folder / "logs")
    with closing(Workbench.open(folder)) as bench:
        assert bench.questions.understand().questions
