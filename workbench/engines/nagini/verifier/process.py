"""The verifier in a process of its own, which ends with the process that started it."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import override

from workbench.engines.nagini.verifier.connection import OnPhase, Verifier
from workbench.files.package_environment import package_environment
from workbench.files.private import check_folder, make_folder

_GRACE = 3.0
_WORK = re.compile(r"(\d+)-[0-9a-f]{8}")


class VerifierProcess(Verifier):
    """One process with a JVM in it. It ends when its parent dies in any way, because its input then ends."""

    def __init__(self, folder: Path, on_phase: OnPhase) -> None:
        """Start the process; it takes some ten seconds until it is ready.

        Raises:
            OSError: it cannot be started.
        """
        super().__init__(on_phase)
        make_folder(folder.parent)
        make_folder(folder)
        check_folder(folder)
        _sweep(folder)
        self._folder = folder / f"{os.getpid()}-{secrets.token_hex(4)}"
        self._folder.mkdir(mode=0o700)
        environment = package_environment()
        environment |= {"PYTHONUTF8": "1", "TMPDIR": str(self._folder), "TEMP": str(self._folder)}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "workbench.engines.nagini.verifier.worker", str(self._folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            env=environment,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        reader = threading.Thread(
            target=self._hear_all, args=(self._process.stdout,), name="prover-reader", daemon=True
        )
        reader.start()

    @property
    @override
    def pid(self) -> int:
        return self._process.pid

    @property
    @override
    def alive(self) -> bool:
        return super().alive and self._process.poll() is None

    @override
    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line)
        self._process.stdin.flush()

    @override
    def close(self) -> None:
        """End the process and all processes that it started, and remove its files."""
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=_GRACE)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _kill(self) -> None:
        """Kill the process with its own session, which contains the JVM and Z3."""
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()


def _sweep(folder: Path) -> None:
    """Remove the work folders of processes that were killed before they could remove them."""
    for path in folder.iterdir():
        match = _WORK.fullmatch(path.name)
        if match is not None and not _lives(int(match[1])):
            shutil.rmtree(path, ignore_errors=True)


def _lives(pid: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
