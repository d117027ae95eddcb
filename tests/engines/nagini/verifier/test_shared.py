"""One verifier for several sessions: turns, stale work, death, idleness, and places that cannot be shared."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import override

import pytest

from tests.waiting import until
from workbench.engines.nagini.verifier import daemon, shared
from workbench.engines.nagini.verifier.connection import (
    OnPhase,
    ProverCancelled,
    ProverDied,
    ProverTimeout,
    ProverUnready,
    Verifier,
)
from workbench.engines.nagini.verifier.keeper import UNSHARED, Keeper
from workbench.engines.nagini.verifier.shared import SharedVerifier, meeting_place, shared_pid, verifier_hash
from workbench.engines.nagini.verifier.worker_protocol import Answer, decode

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="needs Unix sockets")

# A shared verifier with scripted jobs: "wait" lasts until it is cancelled, others are echoed.
SCRIPT = """
import os, sys, threading, time
from pathlib import Path
from workbench.engines.nagini.verifier import daemon
from workbench.engines.nagini.verifier.worker_protocol import Answer, Failure
from workbench.engines.nagini.verifier.connection import ProverCancelled, ProverDied, ProverTimeout
from workbench.engines.nagini.verifier.connection import ProverUnready, Verifier

class Echo(Verifier):
    def __init__(self, on_phase):
        super().__init__(on_phase)
        self._ready.set()
        on_phase("ready", "")
    pid = 1
    def close(self): self._ended.set()
    def _write(self, line): pass
    def ask(self, text, *, model, time_limit, cancelled, on_work=None):
        if text == "unready":
            raise ProverUnready("It does not start.")
        if text == "die":
            self._ended.set()
            raise ProverDied("It died.")
        if on_work: on_work(0.0)
        with open(sys.argv[1] + ".served", "a") as file: file.write(text + "\\n")
        if text.startswith("wait"):
            while not Path(sys.argv[1] + ".go").exists():
                if cancelled.wait(0.02): raise ProverCancelled("stale")
        return Answer(0, (Failure(1, text),))

path = Path(sys.argv[1])
if os.fork(): os._exit(0)
os.setsid()
listener = daemon.listen(path)
if listener is not None:
    try:
        spawn = lambda on_phase, *, alone: Echo(on_phase)
        daemon.Daemon(spawn, idle=float(sys.argv[2]), reachable=path.exists).serve(listener)
    finally:
        path.unlink(missing_ok=True)
"""


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A meeting place of its own, where a scripted verifier is launched."""
    folder = Path(tempfile.mkdtemp(prefix="wb-"))
    monkeypatch.setenv("WORKBENCH_PROVER_DIR", str(folder))
    monkeypatch.setattr(shared, "launch", launcher(idle=60))
    yield meeting_place()
    pid = shared_pid()
    if pid is not None:
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


def launcher(idle: float) -> Callable[[Path], None]:
    def launch(path: Path) -> None:
        subprocess.run([sys.executable, "-c", SCRIPT, str(path), str(idle)], check=True, cwd=Path.cwd())

    return launch


def quiet(_phase: str, _detail: str) -> None:
    """Ignore the phase."""


def nobody(_connection: socket.socket) -> bool:
    """Take every other process for one of another user."""
    return False


def ask(verifier: Verifier | Keeper, text: str, cancelled: threading.Event | None = None) -> str:
    answer = verifier.ask(text, model=False, time_limit=60, cancelled=cancelled or threading.Event())
    return answer.failures[0].message if answer.failures else answer.error


def in_background(
    verifier: Verifier, text: str, cancelled: threading.Event | None = None
) -> queue.Queue[str]:
    """Ask from a thread; the outcome arrives in the queue."""
    replies: queue.Queue[str] = queue.Queue()

    def run() -> None:
        try:
            replies.put(ask(verifier, text, cancelled))
        except (ProverCancelled, ProverDied) as error:
            replies.put(type(error).__name__)

    threading.Thread(target=run, daemon=True).start()
    return replies


def served(place: Path) -> list[str]:
    file = Path(f"{place}.served")
    return file.read_text().split("\n")[:-1] if file.exists() else []


def test_two_that_start_at_once_meet_at_one_verifier_behind_a_private_folder(place: Path) -> None:
    shared_verifier, two = SharedVerifier(quiet), SharedVerifier(quiet)
    replies = in_background(shared_verifier, "a"), in_background(two, "b")
    assert [answer.get(timeout=30) for answer in replies] == ["a", "b"]
    assert shared_verifier.pid == two.pid == shared_pid()
    assert place.parent.stat().st_mode & 0o777 == 0o700
    assert place.stat().st_mode & 0o077 == 0
    shared_verifier.close()
    assert ask(two, "c") == "c"
    two.close()


def test_a_session_with_many_jobs_does_not_hold_up_one_with_few(place: Path) -> None:
    connections = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(2)]
    first = SharedVerifier(quiet)
    waiting = in_background(first, "wait")
    until(lambda: served(place) == ["wait"])
    for connection, names in zip(connections, ("abc", "x"), strict=True):
        connection.connect(str(place))
        for number, name in enumerate(names):
            connection.sendall(f'{{"job": {number}, "text": "{name}"}}\n'.encode())
        source = connection.makefile("rb")
        assert decode(source.readline())["hello"] == verifier_hash()
    until(lambda: shared_pid() is not None)
    Path(f"{place}.go").touch()
    assert waiting.get(timeout=30) == "wait"
    until(lambda: len(served(place)) == 5)
    assert served(place).index("x") < served(place).index("b")
    for connection in connections:
        connection.close()
    first.close()


def test_stale_work_is_cancelled_alone_and_the_next_job_is_served(place: Path) -> None:
    shared_verifier, two = SharedVerifier(quiet), SharedVerifier(quiet)
    stale = threading.Event()
    running = in_background(shared_verifier, "wait", stale)
    until(lambda: served(place) == ["wait"])
    behind = in_background(two, "b")
    stale.set()
    assert running.get(timeout=30) == "ProverCancelled"
    assert behind.get(timeout=30) == "b"
    assert ask(shared_verifier, "c") == "c"
    shared_verifier.close()
    two.close()


def test_the_work_of_a_session_that_leaves_is_dropped(place: Path) -> None:
    shared_verifier, two = SharedVerifier(quiet), SharedVerifier(quiet)
    in_background(shared_verifier, "wait")
    until(lambda: served(place) == ["wait"])
    behind = in_background(two, "b")
    shared_verifier.close()
    assert behind.get(timeout=30) == "b"
    two.close()


def test_a_job_is_repeated_by_a_new_verifier_if_the_shared_one_is_killed(place: Path) -> None:
    keeper = Keeper(only_shared, quiet)
    replies: queue.Queue[str] = queue.Queue()
    threading.Thread(target=lambda: replies.put(ask(keeper, "wait")), daemon=True).start()
    until(lambda: served(place) == ["wait"])
    killed = shared_pid()
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    until(lambda: served(place) == ["wait", "wait"])
    Path(f"{place}.go").touch()
    assert replies.get(timeout=30) == "wait"
    assert keeper.pid not in {None, killed}
    keeper.close()


def test_a_socket_that_was_left_behind_is_taken_over(place: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(place))
    verifier = SharedVerifier(quiet)
    assert ask(verifier, "a") == "a"
    verifier.close()


def test_what_the_verifier_says_of_its_own_state_reaches_its_users(place: Path) -> None:
    assert place.parent.exists()
    verifier = SharedVerifier(quiet)
    with pytest.raises(ProverUnready, match="does not start"):
        ask(verifier, "unready")
    assert "died" in ask(verifier, "die")
    assert ask(verifier, "a") == "a"
    verifier.close()


def test_nothing_is_left_when_nobody_has_come_for_a_while(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "launch", launcher(idle=0.2))
    verifier = SharedVerifier(quiet)
    assert ask(verifier, "a") == "a"
    pid = verifier.pid
    assert pid is not None
    verifier.close()
    until(lambda: not alive(pid))
    assert not place.exists()


def test_a_verifier_that_nobody_can_find_any_more_ends(place: Path) -> None:
    verifier = SharedVerifier(quiet)
    assert ask(verifier, "a") == "a"
    pid = verifier.pid
    assert pid is not None
    shutil.rmtree(place.parent)
    assert alive(pid)  # another session still uses it
    verifier.close()
    until(lambda: not alive(pid))


def test_only_processes_of_the_same_user_are_talked_with(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, other = socket.socketpair(socket.AF_UNIX)
    with ours, other:
        assert shared.same_user(ours)
        monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
        assert not shared.same_user(ours)
    monkeypatch.undo()
    monkeypatch.setenv("WORKBENCH_PROVER_DIR", str(place.parent))
    monkeypatch.setattr(shared, "launch", launcher(idle=60))
    monkeypatch.setattr(shared, "same_user", nobody)
    keeper = Keeper(alone_or_shared, quiet)
    assert ask(keeper, "a") == "alone"
    keeper.close()


def test_a_daemon_hangs_up_on_other_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon, "same_user", nobody)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    folder = Path(tempfile.mkdtemp(prefix="wb-"))
    listener.bind(str(folder / "s"))
    listener.listen()
    gone = threading.Event()

    def spawn(on_phase: OnPhase, *, alone: bool) -> Verifier:
        assert not alone
        return Alone(on_phase).begin()

    serving = daemon.Daemon(spawn, idle=60, reachable=lambda: not gone.is_set())
    thread = threading.Thread(target=serving.serve, args=(listener,))
    thread.start()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as visitor:
        visitor.connect(str(folder / "s"))
        visitor.settimeout(30)
        assert visitor.recv(1) == b""
    gone.set()
    thread.join(30)
    assert not thread.is_alive()
    shutil.rmtree(folder)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


class Alone(Verifier):
    """Replaces a process of its own."""

    @property
    @override
    def pid(self) -> int:
        return 0

    @override
    def close(self) -> None:
        self._ended.set()

    @override
    def _write(self, line: bytes) -> None:
        number = decode(line)["job"]
        assert isinstance(number, int)
        self._answers.put(Answer(number, error="alone", memory=1000 * number))

    def begin(self) -> Alone:
        self._hear({"phase": "ready"})
        return self


class Working(Alone):
    """A verifier that reports the work of a job, and never answers."""

    work: float = 0.0

    @override
    def _write(self, line: bytes) -> None:
        message = decode(line)
        if "cancel" in message:
            self._answers.put(Answer(int(str(message["cancel"])), error="cancelled"))
        else:
            self._hear({"work": message["job"], "seconds": 0.0})
            self._hear({"work": message["job"], "seconds": self.work})


def test_the_time_limit_counts_the_verifiers_work_and_not_the_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds: list[float] = []
    verifier = Working(quiet)
    verifier.begin()
    verifier.work = 31.0
    with pytest.raises(ProverTimeout):
        verifier.ask("a", model=False, time_limit=30, cancelled=threading.Event(), on_work=seconds.append)
    assert seconds == [0.0, 31.0]
    assert verifier.alive
    verifier.work = 29.0
    waiting, cancelled = queue.Queue[str](), threading.Event()

    def run() -> None:
        try:
            verifier.ask("b", model=False, time_limit=30, cancelled=cancelled)
        except (ProverTimeout, ProverCancelled) as error:
            waiting.put(type(error).__name__)

    real, looks = time.monotonic, threading.Semaphore(0)

    def clock_is_ahead(seconds: float) -> None:
        def monotonic() -> float:
            looks.release()
            return real() + seconds

        monkeypatch.setattr(time, "monotonic", monotonic)

    def clock_is_read() -> None:
        for _ in range(4):
            assert looks.acquire(timeout=60), "nobody reads the clock"

    clock_is_ahead(0)
    threading.Thread(target=run, daemon=True).start()
    clock_is_read()
    clock_is_ahead(60)  # the clock alone is no reason
    clock_is_read()
    clock_is_read()
    assert waiting.empty()
    clock_is_ahead(400)  # unless it is far too long
    assert waiting.get(timeout=60) == "ProverTimeout"


def only_shared(on_phase: OnPhase, *, alone: bool) -> Verifier:
    assert not alone
    return SharedVerifier(on_phase)


def alone_or_shared(on_phase: OnPhase, *, alone: bool) -> Verifier:
    return Alone(on_phase).begin() if alone else SharedVerifier(on_phase)


@pytest.mark.parametrize("obstacle", ["a long path", "another version", "nothing starts"])
def test_where_sharing_is_impossible_a_process_of_its_own_is_used(
    obstacle: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(_path: Path) -> None:
        raise OSError("no more processes")

    match obstacle:
        case "a long path":
            monkeypatch.setenv("WORKBENCH_PROVER_DIR", str(place.parent / ("long" * 40)))
        case "another version":
            monkeypatch.setattr(shared, "verifier_hash", lambda: "another")
        case _:
            monkeypatch.setattr(shared, "launch", nothing)
    phases: list[str] = []
    keeper = Keeper(alone_or_shared, lambda phase, _detail: phases.append(phase))
    assert ask(keeper, "a") == "alone"
    assert UNSHARED not in phases
    keeper.close()


def test_a_folder_that_others_may_enter_is_closed_to_them(place: Path) -> None:
    place.parent.chmod(0o755)
    assert meeting_place() == place
    assert place.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("memory", "jobs", "started"), [(10**9, 10**9, 1), (10**9, 2, 4), (2500, 10**9, 3), (0, 10**9, 7)]
)
def test_a_verifier_that_has_grown_or_served_long_is_replaced_between_jobs(
    memory: int, jobs: int, started: int
) -> None:
    spawned: list[Alone] = []

    def spawn(on_phase: OnPhase, *, alone: bool) -> Verifier:
        assert not alone
        spawned.append(Alone(on_phase).begin())
        return spawned[-1]

    keeper = Keeper(spawn, quiet, memory_limit=memory, job_limit=jobs)
    assert [ask(keeper, "a") for _ in range(6)] == ["alone"] * 6
    assert len(spawned) == started
    assert [alone.alive for alone in spawned] == [False] * (started - 1) + [True]
    keeper.close()
    assert not spawned[-1].alive
