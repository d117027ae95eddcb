"""The frame of the command line: usage, exit codes, streams, and behaviour on failures."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.app.crash_report import write_crash_report
from workbench.app.workbench import Workbench
from workbench.cli import main, output
from workbench.cli.command_tree import COMMANDS, GROUPS, SECTIONS
from workbench.model import Problem, WorkbenchError
from workbench.redact import redact_report

ALL = (*COMMANDS, *GROUPS)
RUN = (sys.executable, "-c", "import sys; from workbench.cli import main; sys.exit(main())")

type Captured = pytest.CaptureFixture[str]


def opening_raises(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def refuse(_path: Path, **_options: bool) -> Workbench:
        raise error

    monkeypatch.setattr(Workbench, "open", refuse)


def test_help_names_every_command_and_the_exit_codes(capsys: Captured) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr()
    assert all(f"\n  {command} " in shown.out for command in ALL)
    assert "Exit codes: 0 all good" in shown.out
    assert all(f"\n{heading}:\n" in shown.out for heading in SECTIONS)
    assert "...\n" not in shown.out.partition("Options:")[2], "a summary is cut off"
    assert shown.err == ""


def test_no_command_at_all_shows_the_help(capsys: Captured) -> None:
    assert main([]) == 0
    assert capsys.readouterr().out.startswith("Usage: workbench")


@pytest.mark.parametrize("command", ALL)
def test_every_command_explains_itself(command: str, capsys: Captured) -> None:
    assert main([command, "--help"]) == 0
    assert f"Usage: workbench {command} " in capsys.readouterr().out


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "workbench", "nonsense"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "No such command 'nonsense'" in done.stderr


def test_version(capsys: Captured) -> None:
    assert main(["--version"]) == 0
    name, number = capsys.readouterr().out.split()
    assert name == "workbench"
    assert number[0].isdigit()


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["/"], "to work on it: workbench open /"),
        (["check"], "Missing argument 'SESSION'; see 'workbench check --help'."),
        (["check", "--nonsense", "x"], "No such option: --nonsense"),
        (["answer", "x"], "Give questions, each with a value"),
        (["answer", "x", "q"], "Give questions, each with a value"),
        (["answer", "x", "q", "v", "--retract"], "Give questions, each with a value"),
        (["diff", "sessions/web-shopping", "/nowhere/b.py"], "/nowhere/b.py cannot be read"),
    ],
)
def test_wrong_usage_is_one_sentence_on_standard_error_and_exit_2(
    words: list[str], hint: str, capsys: Captured
) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert hint in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


@pytest.mark.parametrize("command", ["check", "ask", "test", "verify", "replay", "draft", "undo", "redo"])
def test_a_session_that_is_not_there_is_named(command: str, tmp_path: Path, capsys: Captured) -> None:
    assert main([command, str(tmp_path / "absent")]) == 2
    shown = capsys.readouterr()
    assert str(tmp_path / "absent") in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("words", [["open", "."], ["tour"]])
@pytest.mark.parametrize("is_terminal", [True, False])
def test_without_a_terminal_that_moves_the_cursor_the_screen_names_the_commands(
    words: list[str], is_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("TERM", "dumb" if is_terminal else "xterm")
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: is_terminal)
    assert main(words) == 3
    shown = capsys.readouterr()
    assert "'workbench check', 'ask', 'answer', 'replay'" in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


@pytest.mark.parametrize("code", [1, 2, 3])
def test_an_error_for_people_keeps_its_exit_code_and_lists_its_problems(
    code: int, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    problems = (Problem("It is odd.", "Make it even.", line=4), Problem("It is long.", line=9))
    opening_raises(monkeypatch, WorkbenchError("Two things are wrong.", exit_code=code, problems=problems))
    assert main(["ask", "anywhere"]) == code
    assert capsys.readouterr().err.splitlines() == [
        "Two things are wrong.",
        "  line 4: It is odd. Make it even.",
        "  line 9: It is long.",
    ]


def test_control_codes_in_an_error_never_reach_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    opening_raises(monkeypatch, WorkbenchError("bad \x1b]0;owned\x07 name"))
    assert main(["ask", "anywhere"]) == 2
    assert capsys.readouterr().err == "bad ␛]0;owned␇ name\n"


def test_interruption_ends_with_130(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    opening_raises(monkeypatch, KeyboardInterrupt())
    assert main(["ask", "anywhere"]) == 130
    assert capsys.readouterr().err.splitlines()[-1] == "Interrupted."


def test_a_file_that_may_not_be_read_is_the_environments_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    opening_raises(monkeypatch, PermissionError(13, "Permission denied", "/x/session.toml"))
    assert main(["ask", "anywhere"]) == 3
    assert capsys.readouterr().err == "Permission denied (/x/session.toml).\n"


def test_a_bug_leaves_a_private_report_without_secrets_and_no_stack_trace(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-very-private-value")
    monkeypatch.setenv("WORKBENCH_STATE_DIR", str(tmp_path))
    opening_raises(monkeypatch, KeyError("sent a-very-private-value and sk-abcdef123456789"))
    assert main(["ask", "/home/somebody/session"]) == 70
    message = capsys.readouterr().err
    assert message.startswith("The workbench has a bug (KeyError); the report is in ")
    assert "Traceback" not in message
    path = Path(message.split(" is in ", 1)[1].strip().removesuffix("."))
    report = path.read_text()
    assert "Traceback" in report
    assert "command: ask" in report
    assert "a-very-private-value" not in report
    assert "sk-abcdef" not in report
    assert "somebody" not in report
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent == tmp_path / "log"


def test_a_report_is_written_somewhere_even_without_a_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("WORKBENCH_STATE_DIR", str(blocked))
    path = write_crash_report(ValueError("odd"), [])
    assert "ValueError: odd" in path.read_text()
    path.unlink()


@given(st.text(min_size=6), st.text(), st.text())
def test_no_secret_of_the_environment_survives_redaction(secret: str, before: str, after: str) -> None:
    if "\0" in secret or any(0xD800 <= ord(character) < 0xE000 for character in secret):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOME_TOKEN", secret)
        assert secret not in redact_report(f"{before}|{secret}|{after}").replace("[SOME_TOKEN]", "")


def test_output_that_nobody_reads_ends_quietly() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*RUN, "--help"], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.returncode == 141
    assert done.stderr == b""


def test_a_terminal_without_utf_8_gets_escapes_instead_of_a_crash(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    absent = tmp_path / "naïve"
    done = subprocess.run(
        [*RUN, "ask", str(absent)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "na\\xefve" in done.stderr


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colours_only_on_a_terminal_that_wants_them(
    variables: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert (output.paint("x", output.Tone.GOOD) != "x") is coloured


def test_a_signal_to_end_closes_what_is_open_and_is_handed_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def end_itself(_path: Path, **_options: bool) -> Workbench:
        signal.raise_signal(signal.SIGTERM)
        raise AssertionError("the signal was not heard")

    before: Callable[..., object] | int | None = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(Workbench, "open", end_itself)
    with pytest.raises(SystemExit) as ended:
        main(["ask", "anywhere"])
    assert ended.value.code == 143
    assert signal.getsignal(signal.SIGTERM) == before
