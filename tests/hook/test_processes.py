"""The process of each event and the one that stays: whatever happens to either of them denies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.hook.coding_desk import before, coding_desk, verdict
from tests.waiting import until
from workbench.app.hook_guard import TROUBLE, Client, HookAnswer
from workbench.files.private import hook_folder
from workbench.hook import client as client_script
from workbench.hook import resident
from workbench.hook.installation import HookPlace, hook_command

SCRIPT = Path(client_script.__file__)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The coding desk as a session that no test changes."""
    return coding_desk(tmp_path_factory.mktemp("hooks"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a process that stays; it is ended after the tests."""
    place = tmp_path_factory.mktemp("r") / "f"
    yield place
    end(place)


def end(folder: Path) -> None:
    """Kill the process that stays, if there is one."""
    found = process_of(folder)
    if found:
        os.kill(found, signal.SIGKILL)
        until(lambda: not process_of(folder))


def process_of(folder: Path) -> int:
    """The process that stays, by the folder in its command line; 0 if there is none."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
            state = (place / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if b"workbench.hook.resident" in words and str(folder).encode() in words and state != "Z":
            return int(place.name)
    return 0


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc")


def asked(folder: Path, session: Path, data: bytes, *more: str, client: str = "claude-code") -> HookAnswer:
    """The answer of the hook's process."""
    words = [sys.executable, "-I", "-S", str(SCRIPT), client, str(folder), str(session), *more]
    ended = subprocess.run(words, input=data, capture_output=True, cwd="/", timeout=100, check=False)
    return HookAnswer(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


def test_it_is_started_on_demand_and_answers(session: Path, folder: Path) -> None:
    denied = asked(folder, session, before("Read", file_path="/etc/passwd"))
    assert verdict(denied) == "deny"
    assert verdict(asked(folder, session, before("Bash", command="ls"))) == "goes on"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / resident.SOCKET).stat().st_mode & 0o777 == 0o600


def test_many_events_at_once_are_one_run(session: Path, folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        asking = [
            pool.submit(asked, folder, session, before("Write", f"t{place}", run="many", file_path="a"))
            for place in range(8)
        ]
    answers = [verdict(answer.result()) for answer in asking]
    assert answers.count("goes on") == 0  # the folder / is no repository, so that no file is in it
    assert answers.count("deny") == 8
    log = folder / "runs" / "claude-code-many.jsonl"
    assert [json.loads(line)["call"] for line in log.read_text().splitlines()] == list(range(8))


@needs_proc
def test_killed_it_is_started_again_and_remembers(session: Path, folder: Path) -> None:
    test = {"command": "npm test"}
    assert verdict(asked(folder, session, before("Bash", "k1", run="kill", **test))) == "goes on"
    assert verdict(asked(folder, session, before("Bash", "k2", run="kill", command="git push"))) == "deny"
    end(folder)
    assert verdict(asked(folder, session, before("Bash", "k3", run="kill", command="git push"))) == "deny"
    log = folder / "runs" / "claude-code-kill.jsonl"
    assert [json.loads(line)["call"] for line in log.read_text().splitlines()] == [0, 1, 2]


def impatient_script(seconds: int) -> str:
    """The script of a hook that waits less long for the process that decides."""
    text = SCRIPT.read_text().replace("__file__", f'"{SCRIPT}"')
    begin, imported, end = text.partition("from workbench.hook.relay import main\n")
    assert imported
    return f"{begin}from workbench.hook import relay\n    relay.SECONDS = {seconds}\n    {imported}{end}"


@needs_proc
def test_stopped_it_denies_in_time(session: Path, folder: Path, tmp_path: Path) -> None:
    asked(folder, session, before("Bash", command="ls"))
    script = tmp_path / "client.py"
    script.write_text(impatient_script(1))
    words = [sys.executable, "-I", "-S", str(script), "claude-code", str(folder), str(session)]
    os.kill(process_of(folder), signal.SIGSTOP)
    try:
        ended = subprocess.run(
            words, input=before("Bash", command="ls"), capture_output=True, timeout=60, check=False
        )
    finally:
        os.kill(process_of(folder), signal.SIGCONT)
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert b"within 1 seconds" in ended.stderr
    assert "within" in (folder / "trouble.jsonl").read_text()


@needs_proc
def test_without_its_socket_it_ends_and_another_one_answers(session: Path, folder: Path) -> None:
    asked(folder, session, before("Bash", command="ls"))
    process = process_of(folder)
    (folder / resident.SOCKET).unlink()
    assert verdict(asked(folder, session, before("Read", file_path="/etc/passwd"))) == "deny"
    assert process_of(folder) not in (0, process)


def test_an_event_of_five_megabytes_is_decided(session: Path, folder: Path) -> None:
    large = before("Read", file_path="/etc/passwd", content="x" * 5_000_000)
    assert verdict(asked(folder, session, large)) == "deny"


def test_an_event_without_an_end_denies(session: Path, folder: Path) -> None:
    assert verdict(asked(folder, session, b"[" * (17 << 20))) == "broken"


def test_what_is_called_wrongly_denies(session: Path, folder: Path) -> None:
    data = before("Bash", command="ls")
    assert verdict(asked(folder, session, data, client="other")) == "broken"
    assert verdict(asked(folder, session, data, "", "odd mode")) == "broken"
    assert verdict(asked(folder, session, data, "", "", "", "")) == "broken"
    assert verdict(asked(folder, session, data, "0" * 64)) == "broken"


def test_a_folder_that_is_open_to_others_denies(session: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    os.mkfifo(tmp_path / TROUBLE)  # nobody reads it
    answer = asked(tmp_path, session, before("Bash", command="ls"))
    assert verdict(answer) == "broken"
    assert "open to others" in answer.err


@pytest.mark.parametrize(
    "reply", [b"", b"0 2 0\n{", b"0 2 0\n{}more", b"1 0 0\n", b"0 2\n{}", b"-1 2 0\n{}", b"nonsense"]
)
def test_an_answer_that_is_not_whole_denies(reply: bytes, session: Path, tmp_path: Path) -> None:
    import socket
    import threading

    tmp_path.chmod(0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        listener.listen()

        def serve() -> None:
            for _ in range(2):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(1 << 16)
                    connection.sendall(reply)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        assert verdict(asked(tmp_path, session, before("Bash", command="ls"))) == "broken"
        thread.join()


@pytest.mark.parametrize("stream", ["/dev/full", "closed"])
def test_an_answer_that_cannot_be_told_denies(stream: str, session: Path, folder: Path) -> None:
    words = [sys.executable, "-I", "-S", str(SCRIPT), "claude-code", str(folder), str(session)]
    redirect = ">&-" if stream == "closed" else f">{stream}"
    ended = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {redirect}', "sh", *words],
        input=before("Read", file_path="/etc/passwd"),
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.strip()


def _by_command(session: Path, data: bytes, edit: tuple[str, str]) -> HookAnswer:
    """The answer of the command that stands in a client's settings, with one part of it replaced."""
    command = hook_command(HookPlace(Client.CLAUDE_CODE, session, ""))
    assert edit[0] in command
    ended = subprocess.run(
        command.replace(*edit, 1), shell=True, input=data, capture_output=True, timeout=100, check=False
    )
    return HookAnswer(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


@pytest.mark.parametrize(
    "edit",
    [
        (str(SCRIPT), "/nowhere/client.py"),
        (sys.executable, "/nowhere/python"),
        (str(SCRIPT), "/dev/null"),
        (f"{sys.executable} -I -S {SCRIPT}", f"{sys.executable} -c 1/0"),
        (f"{sys.executable} -I -S {SCRIPT}", 'sh -c "kill -9 \\$\\$"'),
        (f"{sys.executable} -I -S {SCRIPT}", 'sh -c "kill -SEGV \\$\\$"'),
        (f"{sys.executable} -I -S {SCRIPT}", "false"),
    ],
)
def test_the_installed_command_turns_every_failure_into_a_denial(
    edit: tuple[str, str], session: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path))
    assert verdict(_by_command(session, before("Bash", command="ls"), edit)) == "broken"


def test_idle_it_ends_and_leaves_no_name(session: Path, tmp_path: Path) -> None:
    place = tmp_path / "f"
    assert resident.serve(session, place, idle=0.01) == 0
    assert not (place / resident.SOCKET).exists()


def test_the_installed_command_passes_whole_answers_on(
    session: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path))
    nothing = ("timeout", "timeout")
    try:
        assert verdict(_by_command(session, before("Bash", command="ls"), nothing)) == "goes on"
        assert verdict(_by_command(session, before("Read", file_path="/x"), nothing)) == "deny"
        assert verdict(_by_command(session, b"{", nothing)) == "broken"
    finally:
        end(hook_folder(session))
