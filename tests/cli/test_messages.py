"""An error is one sentence: what is wrong, in which file, and what to do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from workbench.cli import main
from workbench.session import Session

SHOP = Path(__file__).parents[2] / "sessions" / "web-shopping"
REQUEST, AGENT = str(SHOP / "request.md"), str(SHOP / "agent.toml")


def code_and_message(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """The exit code of a command and its text on standard error."""
    capsys.readouterr()
    code = main(words)
    return code, capsys.readouterr().err


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_request_that_cannot_be_read_is_called_a_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, message = code_and_message(
        capsys, "new", str(tmp_path / "s"), "--request", str(tmp_path / "no.md"), "--agent", AGENT
    )
    assert code == 2
    assert "no.md cannot be read" in message
    assert "guard request" in message
    assert "policy" not in message
    code, message = code_and_message(
        capsys, "new", str(tmp_path / "s"), "--request", REQUEST, "--agent", str(tmp_path)
    )
    assert code == 2
    assert "agent spec" in message


def test_a_mistake_names_the_file_that_was_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = write(tmp_path / "mine.toml", "name = 3\n")
    code, message = code_and_message(
        capsys, "new", str(tmp_path / "s"), "--request", REQUEST, "--agent", mine
    )
    assert code == 2
    assert f"{mine}:1" in message
    other = write(tmp_path / "other.py", "def allow(")
    for command in ("verify", "test", "replay"):
        code, message = code_and_message(capsys, command, str(SHOP), "--policy", other)
        assert code == 2
        assert f"{other}:1" in message
        assert "policy.py" not in message


@pytest.mark.parametrize("name", ["nowhere", "empty", "file"])
def test_what_is_no_session_says_how_to_get_one(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    write(tmp_path / "file", "")
    code, message = code_and_message(capsys, "check", str(tmp_path / name))
    assert code == 2
    assert str(tmp_path / name) in message
    assert "workbench new" in message


def test_nothing_is_made_of_an_empty_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = write(tmp_path / "empty.md", " \n")
    code, message = code_and_message(capsys, "new", str(tmp_path / "s"), "--request", empty, "--agent", AGENT)
    assert code == 2
    assert f"{empty} is empty; write" in message
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("author", ["rules", "nobody"])
def test_an_author_that_makes_no_policy_is_refused_with_those_that_do(
    author: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("new", str(tmp_path / "s"), "--request", REQUEST, "--agent", AGENT, "--author", author)
    code, message = code_and_message(capsys, *words)
    assert code == 2
    assert author in message and "'written', 'openai'" in message
    assert not (tmp_path / "s").exists()


def test_an_unreadable_log_is_not_copied_silently(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = ("new", str(tmp_path / "s"), "--request", REQUEST, "--agent", AGENT, "--log")
    bad = write(tmp_path / "bad.jsonl", '{"broken')
    code, message = code_and_message(capsys, *start, bad)
    assert code == 2
    assert f"{bad} has no call that can be read (line 1:" in message
    assert not (tmp_path / "s").exists()
    code, message = code_and_message(capsys, *start, str(tmp_path))
    assert (code, "is a folder" in message) == (2, True)
    log = next((SHOP / "logs").iterdir())
    (tmp_path / "more").mkdir()
    again = shutil.copy(log, tmp_path / "more" / log.name)
    code, message = code_and_message(capsys, *start, str(log), "--log", str(again))
    assert (code, "have the same name" in message) == (2, True)
    mixed = write(tmp_path / "mixed.jsonl", log.read_text(encoding="utf-8") + '{"broken\n')
    code, message = code_and_message(capsys, *start, mixed)
    assert code == 0
    assert f"{mixed}: 1 of its records cannot be read" in message


def test_calls_of_an_unknown_kind_are_told_with_their_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = {"type": "function_call", "call_id": "c", "name": "click", "arguments": "{}"}
    output = [known, *({"type": "teleport_call", "id": f"t{number}"} for number in range(3))]
    log = write(tmp_path / "log.json", json.dumps({"object": "response", "id": "r", "output": output}))
    code, message = code_and_message(capsys, "replay", str(SHOP), "--log", log)
    assert code == 1
    assert "3 items of the unknown kind 'teleport_call' (the first is item 2)" in message


def test_a_replay_of_nothing_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    code, message = code_and_message(capsys, "replay", str(SHOP), "--log", str(tmp_path / "empty"))
    assert code == 0
    assert f"no log is in {tmp_path / 'empty'}" in message


def test_a_session_that_is_open_elsewhere_says_where_and_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(SHOP, tmp_path / "shop"))
    with Session.open(folder):
        code, message = code_and_message(capsys, "undo", str(folder))
    assert code == 2
    assert message.startswith(f"{folder} cannot be changed. It is open in process ")
    assert "close it there first" in message
    assert message.count("\n") == 1


def test_a_damaged_journal_says_which_line_and_what_is_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(SHOP, tmp_path / "shop"))
    assert main(["answer", str(folder), "no-clause:ddc100a2:e3b0c442", "--retract"]) == 0
    journal = folder / ".workbench" / "journal.jsonl"
    journal.write_text("{broken\n" + journal.read_text(encoding="utf-8"), encoding="utf-8")
    code, message = code_and_message(capsys, "undo", str(folder))
    assert code == 0
    assert f"{journal}:1 is damaged and was skipped" in message
    assert "cannot be undone" in message


def test_a_mistake_that_repeats_a_long_text_is_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = tmp_path / "s"
    shutil.copytree(SHOP, session)
    settings = session / "session.toml"
    write(
        settings,
        settings.read_text(encoding="utf-8").replace('author = "written"', f'author = "{"a" * 9999}"'),
    )
    code, message = code_and_message(capsys, "draft", str(session))
    assert code == 2
    assert '"author" cannot be "aaaa' in message
    assert len(message) < 3000
