"""The command ``grant``, and the terminal that acts of a person ask where a session guards an agent."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from pwd import struct_passwd

import pytest

from tests.accepting import accept
from tests.cli.at_a_terminal import terminal
from tests.hook.coding_desk import before, coding_desk, order, verdict
from workbench.app.hook_guard import Client, HookGuard
from workbench.cli import main, person
from workbench.files.private import hook_folder
from workbench.model import WorkbenchError

RUN = "codex:r1"


@pytest.fixture(scope="module")
def accepted_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return coding_desk(tmp_path_factory.mktemp("desk"))


@pytest.fixture
def session(accepted_desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session that guards an agent, which asked to delete a file."""
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "data"))
    copy = tmp_path / "coding-desk"
    shutil.copytree(accepted_desk, copy)
    assert asked(copy) == "deny"
    return copy


def asked(session: Path, command: str = "rm a.py", call_id: str = "t1") -> str:
    hooks = HookGuard(session, hook_folder(session))
    return verdict(hooks.answer(order(Client.CODEX), before("Bash", call_id, command=command)))


def granting(session: Path, *words: str) -> int:
    return main(["grant", str(session), RUN, "0", "--reason", "tidy up", *words])


def test_what_waits_is_listed_shown_granted_and_revoked(
    session: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["grant", str(session)]) == 0
    assert "codex:r1 0  Bash" in capsys.readouterr().out
    assert main(["grant", str(session), RUN, "0"]) == 0
    out = capsys.readouterr().out
    assert out.index("exactly this call") < out.index("calls with the same parts")
    assert "Proved: it opens nothing that another rule closes." in out
    assert "1 logged call in it, of which it lets 1 run: codex:r1 0" in out
    with terminal(monkeypatch) as shown:
        assert granting(session, "--region", "2", "--scope", "run", "--hours", "2") == 0
    assert "for every call of the run codex:r1, for 2 hours: The agent may bash if" in shown[0]
    assert asked(session, call_id="t2") == "goes on"
    log = str(hook_folder(session) / "runs" / "codex-r1.jsonl")
    capsys.readouterr()
    assert main(["replay", str(session), "--log", log]) == 0
    assert "It ran by the grant g1." in capsys.readouterr().out
    assert main(["explain", str(session), RUN, "--call", "1", "--log", log]) == 0
    out = capsys.readouterr().out
    assert "Grant g1 let it run" in out
    assert "It overrides ask_deleting." in out
    assert main(["grant", str(session), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(one["id"], one["in_force"], one["reason"]) for one in told["grants"]] == [
        ("g1", True, "tidy up")
    ]
    assert main(["grant", str(session), "--revoke", "g1"]) == 0
    assert asked(session, call_id="t3") == "deny"
    assert main(["grant", str(session)]) == 0
    assert "revoked by" in capsys.readouterr().out


def test_without_a_terminal_or_a_person_nothing_is_granted(
    session: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(person, "TERMINAL", Path("/nowhere/tty"))
    assert granting(session, "--region", "1") == 2
    assert "no terminal" in capsys.readouterr().err
    assert main(["check", str(session), "--accept"]) == 2
    assert main(["answer", str(session), "any", "yes"]) == 2
    with terminal(monkeypatch, agrees=False):
        assert granting(session, "--region", "1") == 1
    assert "Nobody agreed" in capsys.readouterr().err
    assert not (session / "grants.toml").exists()


def test_a_session_that_guards_nobody_here_asks_no_terminal(
    accepted_desk: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(person, "TERMINAL", Path("/nowhere/tty"))
    person.need_person(accepted_desk, "Accept it?")


def test_a_data_folder_that_the_environment_names_hides_no_guard(
    session: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The agent sets a variable, and the session is still known to guard it."""
    folder = hook_folder(session)
    home = tmp_path / "home"
    (home / ".local" / "share" / "policy-workbench" / "hooks" / folder.name).mkdir(parents=True)
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "another"))
    monkeypatch.setattr(person, "TERMINAL", Path("/nowhere/tty"))
    assert not person.guards_here(session)
    _home(monkeypatch, home)
    assert person.guards_here(session)
    assert main(["check", str(session), "--accept"]) == 2


def _home(monkeypatch: pytest.MonkeyPatch, home: Path, name: str = "u") -> None:
    user = struct_passwd((name, "x", 1, 1, "", str(home), "/bin/sh"))

    def of_user(_user: int) -> struct_passwd:
        return user

    monkeypatch.setattr("pwd.getpwuid", of_user)


def test_all_sessions_that_decide_for_a_hook_are_a_persons_whatever_the_environment_says_later(
    accepted_desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent takes the variable away by which the hook was installed, or weakens what is extended."""
    _home(monkeypatch, tmp_path / "home")
    base, session = tmp_path / "company", tmp_path / "own"
    for folder, more in ((base, ""), (session, 'extends = "../company"\n')):
        shutil.copytree(accepted_desk, folder)
        info = (folder / "session.toml").read_text().replace("coding-desk", folder.name)
        (folder / "session.toml").write_text(info + more)
        accept(folder)
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "data"))
    person.mark_guarding(session)
    assert not person.guards_here(accepted_desk)
    monkeypatch.setattr(person, "TERMINAL", Path("/nowhere/tty"))
    for data in ("data", "another"):
        monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / data))
        for folder in (session, base):
            assert main(["check", str(folder), "--accept"]) == 2


def test_the_terminal_is_shown_all_that_is_granted_and_nothing_that_moves_its_cursor(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "somebody-else")
    _home(monkeypatch, session.parent / "home", "ann")
    with terminal(monkeypatch) as shown:
        assert granting(session, "--region", "1") == 0
    assert "for one call of the run codex:r1" in shown[0]
    assert "Only with exactly the arguments of call 0 of codex:r1." in shown[0]
    assert "It overrides ask_deleting." in shown[0]
    assert 'by = "ann"' in (session / "grants.toml").read_text()
    with terminal(monkeypatch) as shown:
        person.agree("Change a\x1b[2Jb?")
    assert "\x1b" not in shown[0]


def test_a_grant_that_is_used_up_is_listed_as_such(
    session: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with terminal(monkeypatch):
        assert granting(session, "--region", "1") == 0
    assert main(["grant", str(session)]) == 0
    assert "g1  in force" in capsys.readouterr().out
    assert asked(session, call_id="t2") == "goes on"
    assert main(["grant", str(session)]) == 0
    assert "g1  used up" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ("--region", "\u00b2"),
        *(("--region", "1", "--hours", hours) for hours in ("nan", "inf", "0", "1e300")),
    ],
)
def test_a_number_that_is_none_grants_nothing_and_asks_nobody(
    words: tuple[str, ...], session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with terminal(monkeypatch) as shown:
        assert granting(session, *words) == 2
    assert not shown
    assert not (session / "grants.toml").exists()


@pytest.mark.parametrize(
    ("words", "agent"),
    [
        ("claude\0--continue", "claude"),
        ("/usr/bin/node\0/x/node_modules/@google/gemini-cli/bundle/gemini.js", "gemini.js"),
        ("/opt/codex\0exec", "codex"),
        ("node\0--no-warnings\0/usr/bin/opencode", "opencode"),
        ("bash\0-c\0echo codex", ""),
        ("vim\0/home/ann/codex-notes.md", ""),
    ],
)
def test_a_coding_agent_above_is_refused_though_there_is_a_terminal(
    words: str, agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The processes are: this one's parent a shell, and above it the one with these words."""
    chain = [("bash", 4000), (words, 1), ("init", 0)]
    with terminal(monkeypatch):
        monkeypatch.setattr(person, "PROCESSES", tmp_path)
        monkeypatch.setattr("os.getppid", lambda: 3000)
        for process, (line, parent) in zip((3000, 4000, 1), chain, strict=True):
            (tmp_path / str(process)).mkdir()
            (tmp_path / str(process) / "stat").write_text(f"{process} (a) b) S {parent} 1 1")
            (tmp_path / str(process) / "cmdline").write_bytes(f"{line}\0".encode())
        assert person.agent_above() == agent
        if agent:
            with pytest.raises(WorkbenchError, match="started it"):
                person.agree("Do it?")
        else:
            person.agree("Do it?")
