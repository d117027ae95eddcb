"""Lines in and lines out: no cursor movement, no colour, long lists in portions."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from io import TextIOWrapper
from typing import TextIO

from workbench.clean_text import clean
from workbench.cli.output import OutputClosedError

PORTION = 20


class Lines:
    """Two streams with a person or a program at the other end."""

    def __init__(self, source: TextIO, target: TextIO, *, prompts: bool) -> None:
        """Read ``source`` and write ``target``; ``prompts`` says whether prompts are written."""
        self._source = source
        self._target = target
        self._prompts = prompts
        self._rest: list[str] = []

    @classmethod
    def of_process(cls) -> Lines:
        """Standard input and output. Prompts are written if a person types."""
        source: TextIO = sys.stdin
        _replacing(source)
        return cls(source, sys.stdout, prompts=source.isatty())

    def say(self, text: str = "") -> None:
        """Write one line; control characters of outside texts become visible.

        Raises:
            OutputClosedError: the reader of the output went away.
        """
        self._write(clean(text).replace("\t", "    ") + "\n")

    def ask(self, prompt: str) -> str | None:
        """The next line without its end; None at the end of the input."""
        if self._prompts:
            self._write(clean(prompt))
        line = self._source.readline()
        if not line:
            if self._prompts:
                self._write("\n")
            return None
        return line.rstrip("\r\n")

    def listing(self, lines: Iterable[str]) -> None:
        """Write the first portion of a list; ``more`` writes the next."""
        self._rest = list(lines)
        self.more()

    def more(self) -> None:
        """Write the next portion of the last list."""
        if not self._rest:
            self.say("There is no more.")
            return
        portion, self._rest = self._rest[:PORTION], self._rest[PORTION:]
        for line in portion:
            self.say(line)
        if self._rest:
            self.say(f"{len(self._rest)} more; 'more' shows them.")

    def _write(self, text: str) -> None:
        try:
            self._target.write(text)
            self._target.flush()
        except BrokenPipeError as error:
            raise OutputClosedError from error


def _replacing(stream: TextIO) -> None:
    """Make a stream read bytes that are not UTF-8 as U+FFFD instead of failing on them."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="replace")
