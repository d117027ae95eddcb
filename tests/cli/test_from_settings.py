"""The command ``new --from-settings``: one screen, data, and nothing made of what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_sessions import Shell

SETTINGS = (
    '{"permissions": {"allow": ["Bash(git:*)"], "deny": ["Bash(git push:*)", "Bash(* --force)", "Write(x)"]}}'
)
LINES, COLUMNS = 24, 400


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    """The commands."""
    return Shell(capsys)


def test_the_session_is_told_on_one_screen_and_asks_about_what_is_open(shell: Shell, tmp_path: Path) -> None:
    file, made = tmp_path / "settings.json", tmp_path / "made"
    file.write_text(SETTINGS)
    log = tmp_path / "log.jsonl"
    call = {
        "id": "1",
        "function": {"name": "Bash", "arguments": '{"command": "git -C . push", "cwd": "/repo"}'},
    }
    messages = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    log.write_text(json.dumps({"messages": messages}) + "\n")
    assert shell.run("new", made, "--from-settings", file, "--log", log) == 0
    assert len(shell.out.splitlines()) <= LINES
    assert max(map(len, shell.out.splitlines())) <= COLUMNS
    for words in (
        "1 allow, 3 deny",
        "Write(x) never matches",
        "git -C . push",
        "Not carried over",
        "--force",
    ):
        assert words in shell.out
    assert "and 1 logged call" in shell.out and "Bash git -C . push (allow → " in shell.out
    assert shell.run("ask", made) == 1
    assert "(* --force)" in shell.out


def test_a_session_that_is_laxer_is_not_good(shell: Shell, tmp_path: Path) -> None:
    for name, text in (
        ("opencode.json", '{"permission": {"bash": {"*": "ask", "git *": "allow"}}}'),
        ("settings.json", '{"permissions": {"deny": ["Bash(sudo rm:*)"]}}'),
    ):
        file, made = tmp_path / name, tmp_path / f"made-{name}"
        file.write_text(text)
        assert shell.run("new", made, "--from-settings", file) == 0
        assert "laxer about 0" not in shell.out
        assert shell.run("ask", made) == 1
        assert "The settings stop or ask about" in shell.out


def test_the_data_have_every_finding_and_change(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(SETTINGS)
    (told,) = shell.objects("new", tmp_path / "made", "--from-settings", file)
    assert told["rules"] == {"allow": 1, "ask": 0, "deny": 3}
    assert told["open"] == [] and told["newly_allowed"] == []
    assert "git -C . push" in str(told["closed"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--from-settings", "settings.json", "--request", "settings.json"], "give --log alone"),
        (["--from-settings", "broken.json"], "no JSON at line 1"),
        (["--from-settings", "absent.json"], "cannot be read"),
        ([], "Give --request"),
    ],
)
def test_what_cannot_be_read_is_one_sentence_and_nothing_is_made(
    words: list[str], sentence: str, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("settings.json").write_text(SETTINGS)
    Path("broken.json").write_text("{")
    assert shell.run("new", "made", *words) == 2
    assert sentence in shell.err and not Path("made").exists()
