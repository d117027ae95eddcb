"""Runs Python programs in a folder of their own, and returns their calls and opened files.

``CodeRunner`` starts one small process that forks a child for every program. A profile function notes the
program's calls: every function that is not written in Python, and Python functions of a list. An audit hook
notes files. Processes and sockets are refused.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, Self, cast

_PROGRAM = "<program>"
_REFUSED = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.", "pty.", "socket.")
_FILES = {
    "os.remove": (0,), "os.rename": (0, 1), "os.mkdir": (0,), "os.rmdir": (0,), "os.listdir": (0,),
    "os.scandir": (0,), "os.truncate": (0,), "os.chmod": (0,),
}  # fmt: skip
# The functions whose whole path has to be named; for others the last name is enough.
_PATHS: dict[Any, str] = {
    os.getcwd: "os.getcwd", os.getpid: "os.getpid", os.listdir: "os.listdir", json.dumps: "json.dumps",
    random.randrange: "random.randrange", shutil.which: "shutil.which", abs: "abs", len: "len", open: "open",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ran:
    """The actions of a program: its called functions, and its files, each with ``read`` or ``write``."""

    called: frozenset[str]
    files: frozenset[tuple[str, str]]
    ended: str


class CodeRunner:
    """A process that runs programs; use it as a context manager."""

    def __enter__(self) -> Self:
        command = [sys.executable, str(Path(__file__).resolve())]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, run: TracebackType | None
    ) -> None:
        self._process.communicate()

    def run(self, program: str) -> Ran:
        """Run a program; the folder holds ``a.txt``, ``b.txt`` and the folder ``sub``."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(program) + "\n")
        self._process.stdin.flush()
        reply = cast("dict[str, Any]", json.loads(self._process.stdout.readline()))
        files = frozenset((path, way) for path, way in reply["files"])
        return Ran(frozenset(reply["called"]), files, reply["ended"])


# --- in the process that runs the programs ------------------------------------------


class _Notes:
    def __init__(self, folder: str) -> None:
        self.folder = os.path.realpath(folder)
        self.called: set[str] = set()
        self.files: set[tuple[str, str]] = set()
        self.on = False

    def profile(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "c_call" and frame.f_code.co_filename == _PROGRAM:
            self._note(argument)
        elif event == "call" and frame.f_back is not None and frame.f_back.f_code.co_filename == _PROGRAM:
            self._note(frame.f_code)

    def _note(self, function: Any) -> None:
        if isinstance(function, CodeType):
            # Only listed Python functions count: others may be called on the way to a named function.
            known = (
                path for original, path in _PATHS.items() if getattr(original, "__code__", None) is function
            )
        else:
            known = (path for original, path in _PATHS.items() if original is function)
        name = next(known, "" if isinstance(function, CodeType) else function.__name__)
        if name and not name.startswith("__"):
            self.called.add(name)

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event.startswith(_REFUSED):
            raise PermissionError(f"{event} is refused here")
        if event == "open" and isinstance(arguments[0], str):
            flags = arguments[2]
            if (flags & 3) in (os.O_RDONLY, os.O_RDWR):
                self._file(arguments[0], "read")
            if (flags & 3) in (os.O_WRONLY, os.O_RDWR):
                self._file(arguments[0], "write")
        for place in _FILES.get(event, ()):
            path = arguments[place]
            if isinstance(path, str | os.PathLike):
                reading = event in ("os.listdir", "os.scandir")
                self._file(os.fspath(cast("str", path)), "read" if reading else "write")

    def _file(self, path: str, way: str) -> None:
        whole = os.path.normpath(Path(self.folder, path))
        if whole == self.folder or whole.startswith(self.folder + "/"):
            self.files.add(("/work" + whole[len(self.folder) :], way))


def _child(program: str, folder: str) -> dict[str, object]:
    resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
    os.chdir(folder)
    notes = _Notes(folder)
    sys.addaudithook(notes.audit)
    ended = "well"
    try:
        code = compile(program, _PROGRAM, "exec", dont_inherit=True)
        notes.on = True
        sys.setprofile(notes.profile)
        exec(code, {"__name__": "__main__"})  # noqa: S102  programs of ours, limited
    except BaseException as error:
        ended = f"{type(error).__name__}: {error}"[:200]
    finally:
        sys.setprofile(None)
        notes.on = False
    return {"called": sorted(notes.called), "files": sorted(notes.files), "ended": ended}


def _forked(run: Callable[[], dict[str, object]], null: int) -> str:
    source, out = os.pipe()
    if os.fork() == 0:
        os.close(source)
        for number in (0, 1, 2):
            os.dup2(null, number)
        answer: dict[str, object] = {"called": [], "files": [], "ended": "killed"}
        with contextlib.suppress(BaseException):
            answer = run()
        os.write(out, json.dumps(answer).encode())
        os._exit(0)
    os.close(out)
    with os.fdopen(source, encoding="utf-8") as pipe:
        text = pipe.read()
    os.wait()
    return text or json.dumps({"called": [], "files": [], "ended": "killed"})


def _serve() -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for line in sys.stdin:
        program = str(json.loads(line))
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.txt", "b.txt"):
                Path(folder, name).write_text("text")
            Path(folder, "sub").mkdir()
            answer = _forked(lambda program=program, folder=folder: _child(program, folder), null)
            sys.stdout.write(f"{answer}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    _serve()
