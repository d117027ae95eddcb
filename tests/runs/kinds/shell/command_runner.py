"""Runs shell text under bash, in a folder whose programs note how they were started."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

STUBS = ("alpha", "beta", "gamma", "rm", "curl", "git", "cat", "tar")
REAL = ("env", "xargs", "timeout", "nohup", "nice", "find", "sh", "bash", "stdbuf", "setsid", "sed", "grep")
FOLDERS = ("one", "one/two", "three")
FILES = {"one/f": "alpha\n", "three/g.ts": "beta gamma\n", "h": "x\n"}


@dataclass(frozen=True)
class Run:
    """A program that ran: its name, the folder it ran in and its words."""

    name: str
    folder: str
    words: tuple[str, ...]


class Sandbox:
    """A folder with programs that note their start, and a working folder that is made anew for each run."""

    def __init__(self, root: Path) -> None:
        """Write the programs."""
        self.work = root / "work"
        self._programs = root / "programs"
        self._log = root / "log"
        self._programs.mkdir()
        # In one write, because programs run in parallel and a line end would break it in two.
        note = f"""printf '%s\\0' "${{0##*/}}" "$PWD" "$@" $'\\x1e' >> {self._log}"""
        for name in STUBS:
            self._write(self._programs / name, f"#!/bin/bash\n{note}\necho gamma\n")
        for name in REAL:
            real = shutil.which(name)
            if real is not None:
                self._write(self._programs / name, f'#!/bin/bash\n{note}\nexec {real} "$@"\n')

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)

    def run(self, text: str) -> tuple[list[Run], set[str]]:
        """Run a text; returns the programs that ran, and the new or changed files."""
        shutil.rmtree(self.work, ignore_errors=True)
        for folder in FOLDERS:
            (self.work / folder).mkdir(parents=True)
        for name, content in FILES.items():
            (self.work / name).write_text(content)
        self._log.write_text("")
        home = self.work / "one"
        # Every running program holds the writing end, so programs in the background are waited for.
        reading, writing = os.pipe()
        running = subprocess.Popen(
            ["/bin/bash", "--norc", "--noprofile", "-c", text],
            cwd=self.work,
            env={
                "PATH": str(self._programs),
                "HOME": str(home),
                "LC_ALL": "C.UTF-8",
                "V": "gamma v",
                "N": "-n",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(writing,),
        )
        os.close(writing)
        with os.fdopen(reading, "rb") as end:
            end.read()
        running.wait()
        return self._ran(), self._written()

    def _ran(self) -> list[Run]:
        runs: list[Run] = []
        for entry in self._log.read_bytes().decode("utf-8", "replace").split("\x1e\0"):
            fields = entry.split("\0")[:-1]
            if len(fields) >= 2:
                runs.append(Run(fields[0], fields[1], tuple(fields[2:])))
        return runs

    def _written(self) -> set[str]:
        return {
            str(path)
            for path in self.work.rglob("*")
            if path.is_file() and path.read_text() != FILES.get(str(path.relative_to(self.work)))
        }
