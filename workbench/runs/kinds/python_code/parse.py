"""The text of Python code as a syntax tree, with the place of each part."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from workbench.runs.values.found_value import Missing

_RECODED = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*(?!utf-?8\b)", re.IGNORECASE)


def names_an_encoding(text: str) -> bool:
    """Whether the text may be read in another encoding when it runs."""
    return any(_RECODED.match(line) for line in text.split("\n", 2)[:2])


def parsed(text: str) -> ast.Module:
    """The tree of the code; raises Missing if it is not Python, or another text may run."""
    if names_an_encoding(text):
        raise Missing("the code names an encoding of its own, so what runs is not certain")
    try:
        return tree_of(text)
    except SyntaxError as error:
        raise no_python(error) from None


def tree_of(text: str) -> ast.Module:
    """The tree of a text; raises SyntaxError, or Missing for a text that Python gives up on."""
    try:
        with warnings.catch_warnings():
            # A warning about a bad escape in a logged text does not concern the user of the workbench.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError:
        raise
    except (ValueError, RecursionError, MemoryError):
        raise Missing("the code cannot be parsed: it is nested too deeply or holds null characters") from None


def no_python(error: SyntaxError) -> Missing:
    """The reason why a text that is not Python is not read."""
    return Missing(f"the code is not Python: line {error.lineno or 1}: {error.msg}")


def whole_program(text: str) -> Program:
    """The code with the places of its parts; raises Missing if it is not Python as it stands."""
    lines = text.split("\n")
    return Program(parsed(text), text, 0, starts_of(lines), lines, [0] * len(lines))


def joined(programs: Sequence[Program]) -> ast.Module:
    """The statements of programs as one tree."""
    return ast.Module([statement for program in programs for statement in program.tree.body], [])


def starts_of(lines: list[str]) -> list[int]:
    """The offset of each line."""
    return [0, *accumulate(len(line) + 1 for line in lines[:-1])]


@dataclass(slots=True)
class Program:
    """Parsed Python with the offset of each of its lines, and the SQL taken out of brackets.

    ``bracketed`` maps the name that replaces a bracketed SQL text to the place of that text in the code.
    ``guessed`` is True if the layout had to be mended; then the blocks of the code are not certain.
    """

    tree: ast.Module
    text: str
    base: int
    starts: list[int]
    lines: list[str]
    shifts: list[int]
    bracketed: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    guessed: bool = False

    def place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The place of a node in the text that contained the code."""
        end_line = node.end_lineno or node.lineno
        end_column = node.end_col_offset if node.end_col_offset is not None else node.col_offset
        return self._offset(node.lineno, node.col_offset), self._offset(end_line, end_column)

    def _offset(self, line: int, byte: int) -> int:
        text = self.lines[line - 1]
        # Columns count UTF-8 bytes.
        characters = byte if text.isascii() else len(text.encode()[:byte].decode(errors="ignore"))
        return self.base + self.starts[line - 1] + max(0, characters + self.shifts[line - 1])

    def source(self, start: int, end: int) -> str:
        """The characters of the code at a place."""
        return self.text[start - self.base : end - self.base]
