"""The installation in a client's settings: written, proved to be in force, and taken away again."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from pwd import struct_passwd

import pytest

from tests.cli.at_a_terminal import terminal
from tests.hook.coding_desk import coding_desk
from workbench.app.hook_guard import Client, Mode, accepted_pin
from workbench.cli import main, person
from workbench.files.commented_json import value_of
from workbench.files.private import hook_folder
from workbench.hook.examination import hook_examinations
from workbench.hook.installation import (
    CLIENT_SECONDS,
    HookPlace,
    commands_of,
    planned,
    removal,
    settings_path,
    write,
)
from workbench.model import WorkbenchError

JSON_CLIENTS = (Client.CLAUDE_CODE, Client.CODEX, Client.GEMINI)
BEFORE = """{
  // mine
  "model": "x",
  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}],
            "PreToolUse": [{"matcher": "Bash", "hooks": []}] /* own */},
}
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The coding desk as a session that no test changes."""
    return coding_desk(tmp_path_factory.mktemp("hooks"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own, with the settings of nobody."""
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "data"))
    user = struct_passwd(("u", "x", 1, 1, "", str(place), "/bin/sh"))

    def of_user(_user: int) -> struct_passwd:
        return user

    monkeypatch.setattr("pwd.getpwuid", of_user)
    return place


def place_of(client: Client, session: Path, mode: Mode = Mode.ENFORCE) -> HookPlace:
    return HookPlace(client, session, accepted_pin(session), mode)


@pytest.mark.parametrize("client", list(Client))
@pytest.mark.parametrize("text", [None, "", "{}", BEFORE])
def test_it_is_taken_away_byte_for_byte(client: Client, text: str | None, session: Path) -> None:
    path = settings_path(client, None)
    if text is not None and client is not Client.OPENCODE:
        path.parent.mkdir(parents=True)
        text = text if client is Client.GEMINI or text != BEFORE else json.dumps(value_of(BEFORE), indent=4)
        path.write_text(text)
    for _ in range(2):  # an installation over an older one
        write(planned(place_of(client, session)), installing=True)
    assert "workbench/hook/client.py" in path.read_text()
    write(removal(client, None), installing=False)
    if text is None or client is Client.OPENCODE:
        assert not path.exists()
    else:
        assert path.read_text() == text


@pytest.mark.parametrize("text", [BEFORE, "{ // c\n}", "{/* c */}", '{"a": [1,]}'])
@pytest.mark.parametrize("client", [Client.CLAUDE_CODE, Client.CODEX])
def test_a_file_that_the_client_would_pass_over_gets_no_hook(
    client: Client, text: str, session: Path
) -> None:
    """Measured: Claude Code 2.1.332 and Codex 0.171.0 read nothing of it, and ran what the hook denies."""
    path = settings_path(client, None)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(WorkbenchError, match="plain JSON"):
        planned(place_of(client, session))
    assert path.read_text() == text


def test_only_the_hook_is_taken_away_where_something_else_changed(session: Path) -> None:
    path = settings_path(Client.GEMINI, None)
    path.parent.mkdir(parents=True)
    path.write_text(BEFORE)
    write(planned(place_of(Client.GEMINI, session)), installing=True)
    path.write_text(path.read_text().replace('"x"', '"y"'))
    write(removal(Client.GEMINI, None), installing=False)
    left = path.read_text().replace('"y"', '"x"')
    assert value_of(left) == value_of(BEFORE)
    assert "// mine" in left
    assert "/* own */" in left


@pytest.mark.parametrize("client", JSON_CLIENTS)
def test_a_second_installation_replaces_the_first(client: Client, session: Path) -> None:
    write(planned(place_of(client, session)), installing=True)
    write(planned(place_of(client, session, Mode.SHADOW)), installing=True)
    settings = json.loads(settings_path(client, None).read_text())
    for event, entries in settings["hooks"].items():
        (command,) = (command for entry in entries for command in commands_of(entry))
        assert " shadow" in command, event
        unit = 1000 if client is Client.GEMINI else 1
        assert entries[0]["hooks"][0]["timeout"] == CLIENT_SECONDS * unit


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": 3}', '{"a": 1, "a": 2}'])
def test_broken_settings_are_left_alone(text: str, session: Path) -> None:
    path = settings_path(Client.CLAUDE_CODE, None)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(WorkbenchError, match="mend it first"):
        planned(place_of(Client.CLAUDE_CODE, session))
    assert path.read_text() == text


def test_settings_that_changed_meanwhile_are_left_alone(session: Path) -> None:
    path = settings_path(Client.CLAUDE_CODE, None)
    change = planned(place_of(Client.CLAUDE_CODE, session))
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    with pytest.raises(WorkbenchError, match="changed meanwhile"):
        write(change, installing=True)
    assert path.read_text() == "{}"


def test_the_command_line_shows_and_asks(
    session: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["hook", "install", "claude-code", "--session", str(session)]
    path = settings_path(Client.CLAUDE_CODE, None)
    assert main(words) == 1  # nobody is at a terminal to agree
    assert not path.exists()
    assert '+            "onFailure": "block"' in capsys.readouterr().out
    assert main([*words, "--yes"]) == 0
    assert path.exists()
    monkeypatch.setattr(person, "TERMINAL", Path("/nowhere/tty"))
    assert main(["hook", "install", "claude-code", "--remove", "--yes"]) == 2  # an agent could say so too
    assert main([*words, "--shadow", "--yes"]) == 2
    assert path.exists()
    with terminal(monkeypatch) as shown:
        assert main(["hook", "install", "claude-code", "--remove"]) == 0
    assert "Take it away?" in shown[0]
    assert not path.exists()


def test_a_disk_on_which_case_tells_no_files_apart_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = coding_desk(tmp_path)
    words = ["hook", "install", "gemini", "--session", str(session), "--yes"]
    assert main(words) == 0
    assert "ignore_case" not in capsys.readouterr().err
    session.with_name(session.name.swapcase()).symlink_to(session)
    assert main(["hook", "install", "codex", *words[3:]]) == 0
    assert "ignore_case" in capsys.readouterr().err


def test_a_session_without_an_accepted_version_is_not_installed(tmp_path: Path) -> None:
    session = coding_desk(tmp_path)
    (session / "accepted.toml").unlink()
    assert main(["hook", "install", "claude-code", "--session", str(session), "--yes"]) == 2
    assert not settings_path(Client.CLAUDE_CODE, None).exists()


@pytest.mark.parametrize(
    "words", [["claude-code"], ["claude-code", "--odd"], ["nobody"], ["codex", "--session"]]
)
def test_a_hook_that_is_called_wrongly_denies(words: list[str]) -> None:
    assert main(["hook", *words]) == 2


# --- doctor -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stays(session: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder whose process that stays serves all tests of doctor."""
    place = tmp_path_factory.mktemp("d")
    yield place
    os.environ["WORKBENCH_DATA_DIR"] = str(place)
    from tests.hook.test_processes import process_of

    found = process_of(hook_folder(session))
    if found:
        os.kill(found, signal.SIGKILL)
    del os.environ["WORKBENCH_DATA_DIR"]


def findings(project: Path) -> dict[str, tuple[bool, str]]:
    return {
        one.subject: (one.good, one.finding) for one in (each.run() for each in hook_examinations(project))
    }


def test_doctor_finds_hooks_in_force_and_the_ways_out(
    session: Path, stays: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(stays))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    assert findings(project) == {}
    for client in Client:
        write(planned(place_of(client, session)), installing=True)
    found = findings(project)
    assert "has not asked since" in found["Hook of claude-code"][1]
    assert not any(good for good, _ in found.values())
    (hook_folder(session) / "runs").mkdir(exist_ok=True)
    for client in Client:  # a call of the client itself
        (hook_folder(session) / "runs" / f"{client}-a.jsonl").touch()
    found = findings(project)
    assert {subject: good for subject, (good, _) in found.items()} == {
        "Hook of claude-code": True,
        "Hook of codex": False,  # there is no codex here that tells whether it trusts the hook
        "Hook of gemini": True,
        "Hook of opencode": True,
    }
    for old, new, told in (
        ('"timeout": 60', '"timeout": 10', "time-out"),
        ('"matcher": "*"', '"matcher": "Bash"', "only"),
        ('{\n  "hooks"', '{\n  "disableAllHooks": true,\n  "hooks"', "disableAllHooks"),
        ('{\n  "hooks"', '{ // mine\n  "hooks"', "plain JSON"),
        ('{\n  "hooks"', '{\n  "model": 5,\n  "hooks"', "has not asked since"),
        ("'\"", "' # don't\"", "has not asked since"),
        (accepted_pin(session), "0" * 64, "answered otherwise"),
        ("/workbench/hook/client.py", "/old/workbench/hook/client.py", "another installation"),
    ):
        path = settings_path(Client.CLAUDE_CODE, None)
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        good, finding = findings(project)["Hook of claude-code"]
        assert not good
        assert told in finding
        path.write_text(text)
    late = max((hook_folder(session) / "runs").iterdir(), key=os.path.getmtime).stat().st_mtime
    (kept := path.with_name("kept.json")).write_text(text)
    os.utime(kept, (late - 60, late - 60))
    kept.rename(path)
    assert "has not asked since" in findings(project)["Hook of claude-code"][1]
    off = project / ".claude" / "settings.local.json"
    off.parent.mkdir()
    off.write_text('{"disableAllHooks": true}')
    assert f"disableAllHooks in {off}" in findings(project)["Hook of claude-code"][1]
    off = project / ".gemini" / "settings.json"
    off.parent.mkdir()
    off.write_text('{"hooksConfig": {"enabled": false}}')
    assert f"hooksConfig in {off}" in findings(project)["Hook of gemini"][1]


def test_doctor_says_that_a_hook_only_watches(
    session: Path, stays: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(stays))
    monkeypatch.chdir(tmp_path)
    write(planned(place_of(Client.CLAUDE_CODE, session, Mode.SHADOW)), installing=True)
    good, finding = findings(tmp_path)["Hook of claude-code"]
    assert not good
    assert "shadow mode" in finding


def test_doctor_names_settings_that_it_cannot_read(tmp_path: Path) -> None:
    path = settings_path(Client.GEMINI, None)
    path.parent.mkdir(parents=True)
    path.write_text("{")
    ((good, finding),) = findings(tmp_path).values()
    assert not good
    assert "cannot be read" in finding
