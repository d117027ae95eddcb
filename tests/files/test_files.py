"""Opening, appending and replacing files when links, FIFOs, sockets and full disks are in the way."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.cli import main
from workbench.files.file_error import FileError
from workbench.files.regular import append_line, open_regular, read_regular
from workbench.guard import DecisionLog, EnforcedPolicy, Guard, Mode, ToolCall
from workbench.model import AgentSpec, Arguments, Decision, Verdict
from workbench.runs.logs import load_runs
from workbench.runs.logs.tool_calls import ToolCallLog
from workbench.session import Session
from workbench.session.atomic import write_atomic

SHOP = Path(__file__).resolve().parents[2] / "sessions" / "web-shopping"
REQUEST = "Nobody may do anything."


class Open(EnforcedPolicy):
    """A policy that allows everything."""

    def decide(self, arguments: Arguments) -> Decision:
        return Decision(Verdict.ALLOW, (), arguments)


def guard(log: DecisionLog, mode: Mode = Mode.ENFORCE) -> Guard:
    return Guard(Open(), lambda _call, _past: {}, log=log, mode=mode, name="r")


def bound(path: Path) -> None:
    """Make a socket by a short name, because names of sockets have a limit."""
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


def linked(path: Path, target: Path, text: str | None = "kept\n") -> None:
    if text is not None:
        target.write_text(text)
    path.symlink_to(target)


KINDS: dict[str, Callable[[Path, Path], None]] = {
    "fifo": lambda path, _elsewhere: os.mkfifo(path),
    "fifo of mode 0600": lambda path, _elsewhere: os.mkfifo(path, 0o600),
    "socket": lambda path, _elsewhere: bound(path),
    "folder": lambda path, _elsewhere: path.mkdir(),
    "link to a file": lambda path, elsewhere: linked(path, elsewhere / "file"),
    "link to a folder": lambda path, elsewhere: linked(path, elsewhere, None),
    "dangling link": lambda path, elsewhere: linked(path, elsewhere / "file", None),
    "link to a dangling link": lambda path, elsewhere: (
        linked(path, elsewhere / "a", None),
        linked(elsewhere / "a", elsewhere / "file", None),
    )[0],
    "link to itself": lambda path, _elsewhere: linked(path, path, None),
    "link to a FIFO": lambda path, elsewhere: (
        os.mkfifo(elsewhere / "f"),
        linked(path, elsewhere / "f", None),
    )[1],
    "link to a device": lambda path, _elsewhere: linked(path, Path("/dev/null"), None),
    "link to a terminal": lambda path, _elsewhere: linked(path, Path("/dev/tty"), None),
}


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """A folder in which nothing may be made or changed; a test puts its own files there before."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    yield folder
    file = folder / "file"
    assert not os.path.lexists(file) or file.read_text() == "kept\n"


def is_one_sentence(text: str) -> bool:
    return "\n" not in text and text.endswith(".") and "Traceback" not in text


# --- a decision log -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_decision_log_is_a_regular_file_or_no_call_runs(kind: str, tmp_path: Path, elsewhere: Path) -> None:
    path = tmp_path / "log.jsonl"
    KINDS[kind](path, elsewhere)
    outcome = guard(DecisionLog(path)).check(ToolCall("pay", {}))
    assert not outcome.runs
    assert outcome.refused_because
    with pytest.warns(UserWarning, match="cannot be written") as warnings_checker:
        assert guard(DecisionLog(path, required=False)).check(ToolCall("pay", {})).runs
    assert is_one_sentence(str(warnings_checker[0].message))
    with pytest.warns(UserWarning, match="cannot be written"):
        assert guard(DecisionLog(path), Mode.SHADOW).check(ToolCall("pay", {})).runs


@pytest.mark.parametrize("kind", ["fifo", "dangling link", "folder"])
def test_the_proxy_does_not_start_without_its_log(
    kind: str, tmp_path: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log.jsonl"
    KINDS[kind](path, elsewhere)
    assert main(["guard", "mcp", str(SHOP), "--log", str(path), "--", "no-such-server"]) != 0
    message = capsys.readouterr().err
    assert "log.jsonl cannot be written" in message
    assert len(message.strip().splitlines()) == 1


def test_a_device_is_no_decision_log() -> None:
    assert not guard(DecisionLog("/dev/null")).check(ToolCall("pay", {})).runs


def test_a_folder_that_becomes_a_link_is_not_followed(tmp_path: Path, elsewhere: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    stand = guard(DecisionLog(folder / "log.jsonl"))
    assert stand.check(ToolCall("pay", {})).runs
    folder.rename(tmp_path / "before")
    folder.symlink_to(elsewhere)
    assert not stand.check(ToolCall("pay", {})).runs
    assert list(elsewhere.iterdir()) == []


def test_a_folder_that_is_a_link_when_the_log_is_named_is_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert guard(DecisionLog(tmp_path / "link" / "log.jsonl")).check(ToolCall("pay", {})).runs
    assert (tmp_path / "real" / "log.jsonl").stat().st_size


@pytest.mark.parametrize("mode", [0o666, 0o644, 0o640, 0o604, 0o660, 0o606, 0o777, 0o700, 0o622, 0o600])
def test_an_existing_decision_log_loses_the_permissions_of_others(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.touch()
    path.chmod(mode)
    assert guard(DecisionLog(path)).check(ToolCall("pay", {})).runs
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_decision_log_with_a_second_name_is_refused(tmp_path: Path, elsewhere: Path) -> None:
    (elsewhere / "file").write_text("kept\n")
    (tmp_path / "log.jsonl").hardlink_to(elsewhere / "file")
    assert not guard(DecisionLog(tmp_path / "log.jsonl")).check(ToolCall("pay", {})).runs


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_decision_log_of_another_user_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.touch(0o600)
    os.chown(path, 12345, 12345)
    assert not guard(DecisionLog(path)).check(ToolCall("pay", {})).runs
    assert path.stat().st_size == 0


UNWRITABLE: dict[str, object] = {
    "a key that is no text": {(1, 2): 3},
    "an object in itself": None,
    "nesting without end": None,
}


@pytest.mark.parametrize("name", UNWRITABLE)
def test_a_call_that_no_json_can_hold_does_not_run(name: str, tmp_path: Path) -> None:
    arguments: dict[str, object] = {"x": UNWRITABLE[name]}
    if name == "an object in itself":
        arguments["x"] = arguments
    if name == "nesting without end":
        deep: list[object] = []
        for _ in range(100_000):
            deep = [deep]
        arguments["x"] = deep
    path = tmp_path / "log.jsonl"
    outcome = guard(DecisionLog(path)).check(ToolCall("pay", arguments))  # type: ignore[arg-type]  # what JSON has not
    logged = path.read_text().splitlines() if path.exists() else []
    assert outcome.runs == bool(logged)


# --- torn lines and full disks ------------------------------------------------------------------------

RECORD = '{"format": "workbench-decision/1", "run": "t", "step": 0, "tool": "pay", "arguments": {}}\n'


@settings(max_examples=examples(60), deadline=None)
@given(cut=st.integers(1, len(RECORD) - 2))
def test_a_torn_line_is_closed_before_the_next_record_and_the_import_names_it(cut: int) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_text(RECORD + RECORD[:cut])
        assert guard(DecisionLog(path)).check(ToolCall("read", {})).runs
        imported = load_runs([path])
        assert [(run.id, [call.tool for call in run.calls]) for run in imported.runs] == [
            ("t", ["pay"]), ("r", ["read"])
        ]  # fmt: skip
        assert [problem.line for problem in imported.problems] == [2]


@settings(max_examples=examples(60), deadline=None)
@given(cut=st.integers(1, len(RECORD) - 2))
def test_an_import_names_a_line_that_ends_in_its_middle_or_has_another_glued_to_it(cut: int) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        for text, line in (
            (RECORD + RECORD[:cut], 2),
            (RECORD + RECORD[:cut] + RECORD, 2),
            (RECORD[:cut] + RECORD + RECORD.replace('"t"', '"u"'), 1),
            (RECORD + RECORD.strip() + RECORD, 2),
        ):
            path.write_text(text)
            imported = load_runs([path], format=ToolCallLog())
            assert [problem.line for problem in imported.problems] == [line]


def limited(room: int) -> Callable[[], None]:
    """A function that ends a child's files at ``room`` bytes, with an error as on a full disk."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    return limit


APPENDING = """
import sys
from pathlib import Path
from workbench.guard import DecisionLog, Guard, ToolCall
from workbench.model import Decision, Verdict

class Open:
    def decide(self, arguments):
        return Decision(Verdict.ALLOW, (), arguments)

guard = Guard(Open(), lambda call, past: {}, log=DecisionLog(sys.argv[1]), name=sys.argv[2])
print(sum(guard.check(ToolCall("pay", {"note": "x" * 300})).runs for _ in range(int(sys.argv[3]))))
"""


def appended(path: Path, name: str, calls: int, room: int = 0) -> int:
    """The number of calls that run in a process which logs them, of those that it tries."""
    run = subprocess.run(
        [sys.executable, "-B", "-c", APPENDING, str(path), name, str(calls)],
        capture_output=True, text=True, check=True, preexec_fn=limited(room) if room else None,
    )  # fmt: skip
    return int(run.stdout)


@pytest.mark.parametrize("room", [1, 500, 2000, 2500, 3333, 4096])
def test_on_a_full_disk_only_calls_run_that_are_in_the_log_and_nothing_is_glued(
    room: int, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    ran = appended(path, "full", 10, room)
    lines = path.read_bytes().split(b"\n")
    assert lines.pop() == b""
    assert [json.loads(line)["runs"] for line in lines] == [True] * ran
    assert ran < 10
    assert appended(path, "later", 2) == 2
    assert [(run.id, len(run.calls)) for run in load_runs([path]).runs] == (
        [("full", ran)] * bool(ran) + [("later", 2)]
    )


def test_several_processes_append_whole_lines_at_once(tmp_path: Path) -> None:
    # The processes come from a server without threads: a fork of this one could wait for a lock for ever.
    path = tmp_path / "log.jsonl"
    with multiprocessing.get_context("forkserver").Pool(4) as pool:
        ran = pool.starmap(appended, [(path, f"p{place}", 40) for place in range(4)])
    imported = load_runs([path])
    assert imported.problems == ()
    assert {run.id: len(run.calls) for run in imported.runs} == {f"p{place}": 40 for place in range(4)}
    assert ran == [40] * 4


@pytest.mark.parametrize("given_now", [3, 1, 7])
def test_a_short_write_is_gone_on_with(
    given_now: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write

    def short(file: int, data: bytes) -> int:
        return write(file, data[:given_now])

    monkeypatch.setattr("workbench.files.regular.os.write", short)
    append_line(tmp_path / "a", b"first line")
    append_line(tmp_path / "a", b"second line")
    assert (tmp_path / "a").read_bytes() == b"first line\nsecond line\n"


# --- a session ----------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    session_folder = tmp_path / "session"
    Session.create(session_folder, REQUEST, AgentSpec("a")).close()
    return session_folder


HIDDEN = (".workbench/journal.jsonl", ".workbench/lock")
FILES = (
    "policy.py",
    "request.md",
    "agent.toml",
    "session.toml",
    "cases.toml",
    "memory.jsonl",
    "calls.jsonl",
    *HIDDEN,
)
STRANGE = tuple(kind for kind in KINDS if kind != "link to itself")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", STRANGE)
def test_a_session_never_waits_and_never_leaves_its_folder(
    kind: str, name: str, folder: Path, elsewhere: Path
) -> None:
    path = folder / name
    path.unlink(missing_ok=True)
    KINDS[kind](path, elsewhere)
    before = sorted(elsewhere.iterdir())
    with pytest.raises(FileError) as refused, Session.open(folder) as session:
        _ = session.calls
        session.append_call({"a": 1})
    assert "\n" not in str(refused.value)
    assert sorted(elsewhere.iterdir()) == before


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize(
    "name", [".workbench/.gitignore", ".workbench/buffers/policy.py.json", ".workbench/other"]
)
def test_what_lies_in_the_hidden_folder_makes_nothing_outside(
    kind: str, name: str, folder: Path, elsewhere: Path
) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    KINDS[kind](path, elsewhere)
    before = sorted(elsewhere.iterdir())
    with Session.open(folder) as session:
        if "buffers" in name:
            with pytest.raises(FileError, match=r"policy\.py\.json is no regular file"):
                session.save_buffer("policy.py", "unsaved")
        session.set_request("Something else.")
    assert sorted(elsewhere.iterdir()) == before
    assert (folder / "request.md").read_text().strip() == "Something else."


@pytest.mark.parametrize("kind", ["link to a file", "link to a folder", "dangling link"])
def test_a_log_that_lies_outside_is_not_read_through_a_link(kind: str, folder: Path, elsewhere: Path) -> None:
    KINDS[kind](folder / "logs" / "a.jsonl", elsewhere)
    with Session.open(folder) as session, pytest.raises(FileError, match="is a link"):
        _ = session.log_paths


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o027, 0o002, 0o007, 0o000])
def test_files_of_a_session_have_the_mode_that_the_umask_leaves(mask: int, tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        with Session.create(tmp_path / "s", REQUEST, AgentSpec("a")) as session:
            session.set_request("Something else.")
            session.append_call({"a": 1})
            session.save_buffer("policy.py", "unsaved")
    finally:
        os.umask(before)
    files = [path for path in (tmp_path / "s").rglob("*") if path.is_file()]
    assert len(files) >= 8
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o666 & ~mask}


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o664, 0o666, 0o400])
def test_a_replaced_file_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(mode)
    write_atomic(path, b"new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", mode)


CHANGING = """
import sys
from workbench.files.file_error import FileError
from workbench.session import Session

with Session.open(sys.argv[1]) as session:
    for number in range(20):
        try:
            session.set_request(f"Request {number}. " + "x" * 100)
        except FileError as error:
            print("refused", error)
"""


@pytest.mark.parametrize("room", [600, 900, 1500, 2300, 3001])
def test_on_a_full_disk_the_journal_keeps_whole_lines_only(room: int, folder: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-B", "-c", CHANGING, str(folder)],
        capture_output=True, text=True, check=True, preexec_fn=limited(room),
    )  # fmt: skip
    assert run.stdout.count("refused") == len(run.stdout.splitlines()) > 0
    for line in (folder / ".workbench" / "journal.jsonl").read_bytes().split(b"\n")[:-1]:
        json.loads(line)
    with Session.open(folder) as session:
        assert not [notice for notice in session.notices if "damaged" in notice]
        session.set_request("Later.")
        assert session.undo() is not None


@pytest.mark.parametrize("tail", [b"{", b'{"do": 3', b'{"do": 3}x', b"\xff", b'{"applied": 1', b'"'])
def test_a_line_of_the_journal_that_is_torn_while_it_is_open_touches_no_other(
    tail: bytes, folder: Path
) -> None:
    with Session.open(folder) as session:
        session.set_request("One.")
        with (folder / ".workbench" / "journal.jsonl").open("ab") as file:
            file.write(tail)
        session.set_request("Two.")
    with Session.open(folder) as session:
        assert len([notice for notice in session.notices if "damaged" in notice]) == 1
        assert [change.label for change in session.history] == ["Edit the request"] * 2


def test_a_file_is_opened_as_it_is_named(tmp_path: Path) -> None:
    os.close(open_regular(tmp_path / "a", os.O_RDWR | os.O_CREAT))
    (tmp_path / "a").write_bytes(b"text")
    assert read_regular(tmp_path / "a") == b"text"
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "absent")


# --- a disk that is really full -----------------------------------------------------------------------

DISK = 256 * 1024


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    size = ["-o", f"size={DISK}"]
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, "-t", "tmpfs", *size, "tmpfs", place], check=False).returncode:
        pytest.skip("this user may not mount a file system")
    yield place
    subprocess.run(["umount", place], check=True)


def fill(disk: Path, left: int) -> None:
    """Fill the disk but for some bytes, rounded up to whole pages."""
    (disk / "filler").unlink(missing_ok=True)
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    (disk / "filler").write_bytes(b"x" * max(free - left, 0))


@pytest.mark.parametrize("left", [0, 4096, 8192])
def test_a_full_disk_stops_calls_and_one_with_room_again_lets_them_run(left: int, disk: Path) -> None:
    path = disk / "log.jsonl"
    stand = guard(DecisionLog(path))
    assert stand.check(ToolCall("pay", {})).runs
    fill(disk, left)
    ran = [stand.check(ToolCall("pay", {"note": "x" * 500})).runs for _ in range(60)]
    assert ran == sorted(ran, reverse=True)
    assert not ran[-1]
    (disk / "filler").unlink()
    assert stand.check(ToolCall("pay", {})).runs
    lines = path.read_bytes().split(b"\n")
    assert lines.pop() == b""
    assert len([json.loads(line) for line in lines]) == sum(ran) + 2
    assert load_runs([path]).problems == ()


@pytest.mark.parametrize("left", [0, 4096, 8192, 12288, 20480])
def test_a_session_on_a_full_disk_keeps_what_it_had_and_goes_on_with_room(left: int, disk: Path) -> None:
    folder = disk / "session"
    Session.create(folder, "Request 0.", AgentSpec("a")).close()
    fill(disk, left)
    refused = 0
    with Session.open(folder) as session:
        for number in range(1, 12):
            try:
                session.set_request(f"Request {number}. {'x' * 2000}")
            except FileError as error:
                refused += 1
                assert "No space left" in str(error)
        assert refused
        (disk / "filler").unlink()
        session.set_request("Later.")
    for line in (folder / ".workbench" / "journal.jsonl").read_bytes().splitlines():
        json.loads(line)
    assert not list(folder.rglob("*.tmp"))
    with Session.open(folder) as session:
        assert not [notice for notice in session.notices if "damaged" in notice or "outside" in notice]
        assert session.request == "Later."
        assert session.undo() is not None
        assert session.request.startswith("Request ")
        for _ in session.history:
            session.undo()
        assert session.request == "Request 0."
