"""Killing the screen in a terminal in the middle of a scripted session, and what is left then."""

from __future__ import annotations

import random
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import pexpect

from tests.tui.terminal import ROOT, WITHOUT_PROVER, Terminal
from workbench.model import Assumption, Case, Demonstration
from workbench.session import Session

SHIPPED = ROOT / "sessions" / "hospital-access"
BETWEEN_KEYS = 0.03
CALM = 0.6
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Act:
    """Something that a person does: its keys, and what the screen shows once it is done.

    ``leaves`` is how many assumptions, cases and enabled demonstrations the session then has.
    A ``calm`` act begins a moment later: a question takes no key in its first moment, lest keys that
    were meant for something else answer it.
    """

    name: str
    keys: tuple[str, ...]
    shows: tuple[str, ...]
    leaves: tuple[int, int, int]
    calm: bool = False


OPEN = ("clarify 1 open", "✓ draft", "✓ test", "✓ replay")
ANSWERED = ("clarify nothing open", "✓ draft", "✓ test 45 passed", "✓ replay")
ACTS = (
    Act("take an answer back", ("F8", "g", "Down", "u"), OPEN, (0, 29, 3)),
    Act("go to the question", ("F2",), OPEN, (0, 29, 3)),
    Act("answer", ("1",), ANSWERED, (1, 45, 3), calm=True),
    Act("undo", ("Ctrl+Z",), OPEN, (0, 29, 3)),
    Act("redo", ("Ctrl+Y",), ANSWERED, (1, 45, 3)),
    Act("open the form of a case", ("F4", "n"), ("New case",), (1, 45, 3)),
    Act("add a case", ("Alt+S",), ("✓ test 46 passed", "✓ replay"), (1, 46, 3)),
    Act("switch a demonstration off", ("F8", "g", "Down", "Down", "x"), ("Disable the",), (1, 46, 2)),
    Act("type", ("F3",), (), (1, 46, 2)),
)
"""The scripted session, in its order; the last act goes on until the kill."""
BEGUN = (1, 45, 3)


@dataclass(frozen=True, slots=True)
class Killed:
    """What one round left.

    ``act`` is what was being done. ``intact`` says that the session opens, that everything is in it that
    the screen had shown as done, and that its policy is the one of before with a beginning of what was
    typed. ``lost`` is how many seconds before the kill the first lost key was typed, 0.0 if none is lost.
    ``said`` says that a kept text was announced where there is one.
    """

    act: str
    typed: int
    restored: int
    lost: float
    intact: bool
    said: bool


@dataclass(frozen=True, slots=True)
class Typing:
    """The keys that were typed, when, and when it ended."""

    keys: str = ""
    stamps: tuple[float, ...] = ()
    end: float = 0.0


def killed_round(folder: Path, seed: int, longest: float, act: int | None = None) -> Killed:
    """Do the acts up to a random one, kill the screen up to ``longest`` seconds into it, and reopen.

    ``act`` chooses the one that is interrupted.
    """
    chance = random.Random(seed)
    at = chance.randrange(len(ACTS)) if act is None else act
    session = folder / f"session-{seed}"
    shutil.copytree(SHIPPED, session, ignore=shutil.ignore_patterns(".workbench"))
    terminal = _opened(session, folder)
    try:
        for one in ACTS[:at]:
            _do(terminal, one)
        done = _stored(session)
        if at == len(ACTS) - 1:
            typing = _type(terminal, session, chance, chance.uniform(0.0, longest))
        else:
            typing = Typing()
            _begin(terminal, ACTS[at])
            _watch(terminal, chance.uniform(0.0, longest))
    finally:
        terminal.kill()
    return _reopened(session, at, done, typing)


def _reopened(session: Path, at: int, done: Stored, typing: Typing) -> Killed:
    """Open the session again and compare."""
    with Session.open(session) as again:
        kept = again.buffers.get("policy.py")
        text = kept.text if kept is not None else again.policy
        said = kept is None or any("policy.py" in notice for notice in again.notices)
        writable = not again.read_only
    after = _stored(session)
    intact = writable and done.counts == (ACTS[at - 1].leaves if at else BEGUN) and after.whole
    if at < len(ACTS) - 1:  # the interrupted act is there as a whole, or nothing of it
        intact = intact and (after == done or after.counts == ACTS[at].leaves) and text == after.policy
        return Killed(ACTS[at].name, 0, 0, 0.0, intact, said)
    head = text.removesuffix(done.policy)
    intact = intact and text.endswith(done.policy) and ("#" + typing.keys).startswith(head)
    restored = max(len(head) - 1, 0)
    lost = typing.end - typing.stamps[restored] if restored < len(typing.stamps) else 0.0
    return Killed(ACTS[at].name, len(typing.keys), restored, lost, intact, said)


@dataclass(frozen=True, slots=True)
class Stored:
    """What a session holds on disk."""

    policy: str
    assumptions: tuple[Assumption, ...]
    cases: tuple[Case, ...]
    demonstrations: tuple[Demonstration, ...]

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many assumptions, cases and enabled demonstrations."""
        enabled = sum(item.enabled for item in self.demonstrations)
        return len(self.assumptions), len(self.cases), enabled

    @property
    def whole(self) -> bool:
        """Whether the policy is the one that belongs to the answers, with what was typed before it."""
        shipped = (SHIPPED / "policy.py").read_text(encoding="utf-8")
        return bool(self.assumptions) == self.policy.endswith(shipped)


def _stored(session: Path) -> Stored:
    with Session.open(session, read_only=True) as found:
        return Stored(found.policy, found.assumptions, found.cases, found.demonstrations)


def _opened(session: Path, state: Path) -> Terminal:
    """The screen on a session, once its first work is done."""
    (state / "screen.json").write_text('{"toured": true}', encoding="utf-8")
    environment = {"WORKBENCH_STATE_DIR": str(state)}
    terminal = Terminal(WITHOUT_PROVER, "open", str(session), environment=environment)
    terminal.until("45 passed", "23 deny")
    return terminal


def _begin(terminal: Terminal, act: Act) -> None:
    """Press the keys of an act."""
    if act.calm:
        _watch(terminal, CALM)
    terminal.press(*act.keys)


def _do(terminal: Terminal, act: Act) -> None:
    """Do an act and wait until the screen shows that it is done."""
    _begin(terminal, act)
    terminal.until(*act.shows)


def _type(terminal: Terminal, session: Path, chance: random.Random, seconds: float) -> Typing:
    """Type into the policy, behind a first ``#``, for so many seconds."""
    kept = session / ".workbench" / "buffers" / "policy.py.json"
    policy = session / "policy.py"
    before = policy.read_text(encoding="utf-8")
    terminal.press(*ACTS[-1].keys, "#")
    while not kept.exists() and policy.read_text(encoding="utf-8") == before:
        _watch(terminal, BETWEEN_KEYS)
    keys, stamps, start = "", list[float](), time.monotonic()
    while time.monotonic() - start < seconds:
        key = chance.choice(LETTERS)
        terminal.press(key)
        keys, stamps = keys + key, [*stamps, time.monotonic()]
        _watch(terminal, BETWEEN_KEYS)
    return Typing(keys, tuple(stamps), time.monotonic())


def _watch(terminal: Terminal, seconds: float) -> None:
    """Read what the screen draws for a while, so that it never waits for its reader."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            terminal.take(left)
        except pexpect.TIMEOUT:
            return
