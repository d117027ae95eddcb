"""Every command over sessions from somebody hostile: nothing outside is written, nothing of theirs is run."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType

import pytest
from typer.core import TyperGroup, TyperOption
from typer.main import get_command

from tests.bounded import bounded
from tests.cli.hostile_folders import CALL, HOSTILE, REQUEST, TOOLS, make_place
from tests.examples import EVERY
from tests.hook.coding_desk import before
from tests.waiting import LONGEST
from workbench.app.hook_guard import Client, HookGuard, HookOrder, Mode
from workbench.app.new_session import new_session
from workbench.app.rewording import Reworded
from workbench.app.workbench import Workbench
from workbench.check.proof.prover import Prover
from workbench.cli import main
from workbench.cli.command_tree import COMMANDS, tree
from workbench.files.private import hook_folder
from workbench.serve import site
from workbench.session import FILES

WORLD = str(Path(__file__).with_name("hostile_folders_world.py"))
OWN_FILES = (*FILES, "calls.jsonl", "guardagent.jsonl")
EXIT_CODES = (0, 1, 2, 3)
# The folders of which something reaches the process that runs cases; three commands start it.
TRIED_BY_CASES = ("modules and hooks", "hostile texts", "policy that writes when it is imported")
# Its own messages and a few of what it skipped: a damaged journal of 10,000 lines has no line for each.
MOST_LINES = 25
# What a command needs, by the name of the parameter; an option stands before it.
NEEDED: Mapping[str, tuple[str, ...]] = {
    "session": ("SESSION",),
    "others": ("SESSION",),
    "folder": ("OWN/new",),
    "request": ("SESSION/request.md",),
    "run": ("r",),
    "agent": (f"{WORLD}:agent",),
    "world": (f"{WORLD}:Desk",),
    "labels": ("OWN/labels.jsonl",),
    "identity": ("../../canary/x",),
    "file": ("SESSION/memory.jsonl",),
    "client": ("opencode",),
}
# A way to call a command instead of that without more words: what it does otherwise is not about a session.
INSTEAD: Mapping[str, tuple[str, ...]] = {"doctor": ("--model",)}
# Further ways to call a command: those that read or write other files of the session.
FURTHER: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "open": (("SESSION", "--copy"),),
    "new": (("--agent", "SESSION/agent.toml", "--log", "SESSION/logs/own.jsonl", "--accept"),),
    "answer": (("other-calls", "meant"), ("no-clause", "--retract")),
    "draft": (("--discard-edits",), ("--rounds",)),
    "diff": (("git:HEAD", "current"), ("SESSION", "current"), ("0", "current")),
    "verify": (("--preview",),),
    "replay": (("--database", "SESSION"),),
    "export": (("--output", "OWN/exported.py"),),
    "guard mcp": (("--", sys.executable, "-c", ""),),
    "cases": (("--arguments", '{"tool": "refund", "amount": 7}', "--expect", "allow"),),
    "guardagent": (("r", "0", "--functions"),),
    "hook install": (("--session", "SESSION", "--project", "OWN", "--yes"),),
    "theorems": (("--preview", "--strength"), ("--log", "OWN/run.jsonl", "--run", "r")),
    "say": (("A guest may order nothing.",), ("--file", "SESSION/request.md"), ("--complete", "0", "a")),
}


SAID = (
    Reworded(
        "Refunds above 100 are forbidden.", ("The agent must not refund if the amount is more than 100.",)
    ),
    Reworded("Everything else is allowed.", context="it says what the default is"),
)


def invocations() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each command with the words that it needs, and then each further way to call it."""

    def commands(group: TyperGroup, before: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name, command in group.commands.items():
            if isinstance(command, TyperGroup):
                yield from commands(command, f"{before}{name} ")
                continue
            path = f"{before}{name}"
            needed: list[str] = []
            for item in command.params:
                if item.required:
                    needed += [*(item.opts if isinstance(item, TyperOption) else ()), *NEEDED[str(item.name)]]
            yield path, (*needed, *INSTEAD.get(path, ()))
            for more in FURTHER.get(path, ()):
                yield path, (*needed, *more)

    group = get_command(tree())
    assert isinstance(group, TyperGroup)
    return commands(group, "")


INVOCATIONS = tuple(invocations())


def test_every_command_is_called() -> None:
    assert {path.split()[0] for path, _ in INVOCATIONS} >= set(COMMANDS)
    assert all(any(path == named for path, _ in INVOCATIONS) for named in FURTHER)
    assert len(HOSTILE) >= 20


@dataclass
class Watch:
    """What this process starts, opens to write, and connects to, while ``on``."""

    on: bool = False
    started: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    written: list[Path] = field(default_factory=list[Path])
    connected: list[object] = field(default_factory=list[object])

    def take(self, event: str, arguments: tuple[object, ...]) -> None:
        """Note an event of the interpreter."""
        if not self.on:
            return
        if event in ("subprocess.Popen", "os.exec", "os.posix_spawn"):
            self.started.append((str(arguments[0]), str(arguments[1])))
        elif event in ("os.system", "pty.spawn", "os.startfile"):
            self.started.append((str(arguments[0]),))
        elif event == "socket.connect":
            self.connected.append(arguments[1])
        elif event == "open" and isinstance(arguments[0], str | bytes):
            path, flags = Path(os.fsdecode(arguments[0])), arguments[2]
            if path.is_absolute() and isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR):
                self.written.append(path)


WATCH = Watch()


@cache
def watch() -> None:
    """Have every event of the interpreter told to ``WATCH`` from now on: it cannot be ended."""
    sys.addaudithook(WATCH.take)


type Snapshot = dict[Path, tuple[object, ...]]


def snapshot(folder: Path, *left_out: Path) -> Snapshot:
    """Name, kind, times and content of everything in a folder."""
    found: Snapshot = {}
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if Path(parent, name) not in left_out]
        for path in (Path(parent, name) for name in (*folders, *files)):
            status = path.lstat()
            content: object = path.readlink() if path.is_symlink() else None
            if stat.S_ISREG(status.st_mode) and status.st_size < 1_000_000:
                content = path.read_bytes()
            found[path] = (status.st_mode, status.st_size, status.st_mtime_ns, content)
    return found


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session as its author left it: with a policy, its cases and a log."""
    folder = tmp_path_factory.mktemp("honest")
    (folder / "request.md").write_text(REQUEST, encoding="utf-8")
    (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    (folder / "own.jsonl").write_text(json.dumps(CALL) + "\n", encoding="utf-8")
    made = new_session(
        folder / "s", folder / "request.md", agent=folder / "tools.json", logs=[folder / "own.jsonl"],
        author="written",
    )  # fmt: skip
    with closing(made.workbench) as bench:
        made.draft()
        bench.rewordings.keep(SAID)
    shutil.rmtree(folder / "s" / ".workbench")
    return folder / "s"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the workbench's own files, beside the place of the session."""
    folder = tmp_path / "own"
    folder.mkdir()
    for name in ("WORKBENCH_DATA_DIR", "WORKBENCH_STATE_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR"):
        (folder / name).mkdir()
        monkeypatch.setenv(name, str(folder / name))
    for name in (
        "WORKBENCH_CACHE_DIR",
        "WORKBENCH_MODEL",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "EDITOR",
        "VISUAL",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "root" / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "TMPDIR"))
    (folder / "labels.jsonl").write_text('{"run": "r", "call": 0, "label": "deny"}\n', encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def nothing_waits() -> Iterator[None]:
    """End a command that hangs."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError("the command hangs")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(int(LONGEST))
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and what it changed."""

    code: int
    errors: str
    changed_inside: frozenset[str]


class Person:
    """A person who runs commands on a session that somebody handed on."""

    def __init__(self, folder: str, honest: Path, root: Path, own: Path) -> None:
        self.make = HOSTILE[folder]
        self.honest, self.root, self.own = honest, root, own
        self.session = make_place(root)
        self._is_changed = True
        self._states: tuple[Snapshot, Snapshot] = ({}, {})

    def run(self, words: Sequence[str], call: Callable[[list[str]], tuple[int, str]]) -> Outcome:
        """Run a command on the session as it was handed on; check what it took, and what it did outside."""
        inside, outside = self._handed_on()
        shutil.rmtree(self.own / "new", ignore_errors=True)
        with bounded():
            code, errors = call([self._word(word) for word in words])
        assert snapshot(self.root, self.session) == outside, words
        after = snapshot(self.session)
        changed = {
            str(path.relative_to(self.session))
            for path in inside.keys() | after.keys()
            if inside.get(path) != after.get(path) and not (path.is_dir() and not path.is_symlink())
        }
        strange = {
            name
            for name in changed
            if name not in OWN_FILES and not name.startswith((".workbench/", "logs/live-"))
        }
        assert not strange, words
        assert code in EXIT_CODES, (words, errors)
        assert "Traceback" not in errors, words
        assert len(errors.splitlines()) <= MOST_LINES, (words, errors)
        assert code < 2 or errors, words
        self._is_changed = after != inside
        return Outcome(code, errors, frozenset(changed))

    def _handed_on(self) -> tuple[Snapshot, Snapshot]:
        """The session as it was handed on, and what is outside; it is made again if a command changed it."""
        if self._is_changed:
            shutil.rmtree(self.session, ignore_errors=True)
            shutil.copytree(self.honest, self.session)
            self.make(self.session, self.root)
            self._states = snapshot(self.session), snapshot(self.root, self.session)
        return self._states

    def _word(self, word: str) -> str:
        return word.replace("SESSION", str(self.session)).replace("OWN", str(self.own))


def undo_one(session: Path | None, **_options: object) -> int:
    """What the screen does with a session that it opens, then undo; in place of the screen."""
    if session is None:
        return 0
    with closing(Workbench.open(session)) as bench:
        bench.request.draft_first()
        bench.judged_state()
        bench.editing.take_outside(bench.session.written)
        bench.editing.undo()
    return 0


def answer_here(client: Client, session: Path, pin: str, *, shadow: bool) -> int:
    """What the process that stays does with an event of a client; it is not started."""
    place = session.resolve()
    order = HookOrder(client, pin, Mode.SHADOW if shadow else Mode.ENFORCE)
    answer = HookGuard(place, hook_folder(place)).answer(order, before("refund", amount=7))
    sys.stderr.write(answer.err or answer.out)
    return answer.code


def _tried_in(folder: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The invocations that are tried in a folder: every second one in turn, unless every run is wanted.

    What does not look at the session is tried in one folder alone.
    """
    turn = list(HOSTILE).index(folder)
    for number, (path, words) in enumerate(INVOCATIONS):
        if not EVERY and folder not in TRIED_BY_CASES and (number + turn) % 2:
            continue
        if folder == "modules and hooks" or any("SESSION" in word for word in words):
            yield path, words


@pytest.mark.watched
@pytest.mark.parametrize("folder", HOSTILE)
def test_no_command_writes_outside_a_hostile_session_or_runs_anything_of_it(
    folder: str,
    honest: Path,
    own: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def no_verifier(_prover: Prover, _on_phase: object, *, alone: bool) -> object:
        raise OSError(f"none here, alone {alone}")

    def serve_nobody(_session: Path, _port: int, _tell: Callable[[str], None]) -> None:
        return

    def no_cases(*_: object) -> str:
        return "none is run here"

    watch()
    monkeypatch.setattr(Prover, "_spawn", no_verifier)
    if folder not in TRIED_BY_CASES:
        monkeypatch.setattr("workbench.check.cases_run._run", no_cases)
    monkeypatch.setattr(site, "serve", serve_nobody)
    monkeypatch.setattr("workbench.cli.hooks._answer", answer_here)
    monkeypatch.setattr("workbench.cli.sessions.need_terminal", lambda: None)
    monkeypatch.setattr("workbench.tui.starting.run", undo_one)
    person = Person(folder, honest, tmp_path / "root", own)
    monkeypatch.chdir(person.session.parent)

    def call(words: list[str]) -> tuple[int, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        WATCH.started, WATCH.written, WATCH.connected, WATCH.on = [], [], [], True
        try:
            code = main(words)
        finally:
            WATCH.on = False
        shown = capsys.readouterr()
        return code, shown.err or (shown.out if words[0] == "doctor" else "")

    for path, words in _tried_in(folder):
        outcome = person.run((*path.split(), *words), call)
        said = f"{path} {' '.join(words)}"
        assert not WATCH.connected, said
        assert {Path(started[0]).name for started in WATCH.started} <= {Path(sys.executable).name, "git"}, (
            said
        )
        assert not [place for place in WATCH.written if not _may_be_written(place, person)], said
        if folder == "unfinished change" and path not in ("undo", "redo", "open"):
            assert "strength.toml" not in outcome.changed_inside, said


@pytest.mark.parametrize("folder", ["journal names git", "modules and hooks", "hostile texts"])
@pytest.mark.parametrize("words", ["ask", "draft", "undo"])
def test_a_process_in_a_hostile_session_neither_writes_outside_nor_runs_anything_of_it(
    folder: str, words: str, honest: Path, own: Path, tmp_path: Path
) -> None:
    person = Person(folder, honest, tmp_path / "root", own)

    def call(command: list[str]) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "workbench", *command],
            cwd=person.session,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    person.run((*words.split(), "SESSION"), call)


def _may_be_written(place: Path, person: Person) -> bool:
    """Whether a file that was opened to write is the session's, the workbench's or the interpreter's own."""
    return (
        place.is_relative_to(person.session)
        or place.is_relative_to(person.own)
        or place.is_relative_to("/dev")
        or "__pycache__" in place.parts
    )
