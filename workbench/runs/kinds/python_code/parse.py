"""The text of Python code as a syntax tree, with the place of each part."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from workbench.runs.sql.columns import looks_like_sql
from workbench.runs.values.found_value import Missing

_RECODED = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*(?!utf-?8\b)", re.IGNORECASE)
_BRACKETED = "_sql_"
_LIMIT = 200_000


def names_an_encoding(text: str) -> bool:
    """Whether the text may be read in another encoding when it runs."""
    return any(_RECODED.match(line) for line in text.split("\n", 2)[:2])


def parsed(text: str) -> ast.Module:
    """The tree of the code; raises Missing if it is not Python, or another text may run."""
    if names_an_encoding(text):
        raise Missing("the code names an encoding of its own, so what runs is not certain")
    try:
        return _tree(text)
    except SyntaxError as error:
        raise _no_python(error) from None


def _tree(text: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            # A warning about a bad escape in a logged text does not concern the user of the workbench.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError:
        raise
    except (ValueError, RecursionError, MemoryError):
        raise Missing("the code cannot be parsed: it is nested too deeply or holds null characters") from None


def _no_python(error: SyntaxError) -> Missing:
    return Missing(f"the code is not Python: line {error.lineno or 1}: {error.msg}")


def whole_program(text: str) -> Program:
    """The code with the places of its parts; raises Missing if it is not Python as it stands."""
    lines = text.split("\n")
    starts = [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    return Program(parsed(text), text, 0, starts, lines, [0] * len(lines))


@dataclass(frozen=True, slots=True)
class Code:
    """A piece of code: its text, its place in the whole text, and its language if the text names one."""

    text: str
    start: int
    language: str = ""


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


def parse_python(code: Code, sql_functions: frozenset[str]) -> Program:
    """The code as a syntax tree; raises Missing with line and reason if it is not Python.

    ``sql_functions`` may be written with their SQL in brackets, ``Run[select ...]``, which is not Python.
    Leading spaces of the first line and mixed tabs and spaces are accepted.
    """
    if len(code.text) > _LIMIT:
        raise Missing(f"the code is longer than {_LIMIT} characters")
    text, bracketed = _unbracket(code.text, sql_functions)
    original = text.split("\n")
    starts = [0]
    for line in original[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    error: SyntaxError | None = None
    for lines, shifts in _layouts(original):
        try:
            tree = _tree("\n".join(lines))
        except SyntaxError as failure:
            error = error or failure
            continue
        program = Program(tree, code.text, code.start, starts, lines, shifts, dict(bracketed.values()))
        program.guessed = lines != original
        _check_brackets(program, bracketed)
        return program
    raise _no_python(error or SyntaxError("it does not parse"))


def _layouts(lines: list[str]) -> Iterator[tuple[list[str], list[int]]]:
    """The lines as they are, then with repaired indentation; with the shift of each line's columns."""
    yield lines, [0] * len(lines)
    filled = [index for index, line in enumerate(lines) if line.strip()]
    if not filled:
        return
    first = lines[filled[0]]
    stripped = [line if index != filled[0] else first.lstrip() for index, line in enumerate(lines)]
    yield stripped, [len(old) - len(new) for old, new in zip(lines, stripped, strict=True)]
    for width in (8, 4):
        expanded = [_expand(line, width) for line in stripped]
        yield expanded, [len(old) - len(new) for old, new in zip(lines, expanded, strict=True)]
    margin = min(len(lines[index]) - len(lines[index].lstrip()) for index in filled)
    if margin:
        cut = [line[margin:] if line.strip() else "" for line in lines]
        yield cut, [len(old) - len(new) for old, new in zip(lines, cut, strict=True)]


def _expand(line: str, width: int) -> str:
    body = line.lstrip(" \t")
    return line[: len(line) - len(body)].expandtabs(width) + body


# For each bracket, by the end of its function's name: the name that replaces its SQL, and the SQL's place.
type _Brackets = dict[int, tuple[str, tuple[int, int]]]


def _unbracket(text: str, functions: frozenset[str]) -> tuple[str, _Brackets]:
    """Turn ``Run[select ...]`` into ``Run(name)`` of the same length, keeping line ends."""
    bracketed: _Brackets = {}
    if not functions or _BRACKETED in text:
        return text, bracketed
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, sorted(functions))) + r")[ \t]*\[")
    position = 0
    while match := pattern.search(text, position):
        end = _closing(text, match.end())
        if end is None:
            raise Missing(f"the bracket after {match.group()[:-1].strip()} is not closed")
        inside = text[match.end() : end]
        replacement = inside
        name = f"{_BRACKETED}{len(bracketed)}"
        bracketed[match.end(1)] = (name, (match.end(), end))
        if looks_like_sql(inside):
            # Within brackets any number of blanks and line ends may follow the name.
            blanks = re.sub(r"[^\n]", " ", inside)
            replacement = name + blanks[len(name) :]
        text = text[: match.end() - 1] + "(" + replacement + ")" + text[end + 1 :]
        position = match.end()
    return text, bracketed


def _check_brackets(program: Program, bracketed: _Brackets) -> None:
    """Raise Missing for a bracket that is not a call, because it is in a string or a comment."""
    called = {
        program.place(node.func)[1] - program.base
        for node in ast.walk(program.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    for end in bracketed:
        if end not in called:
            line = program.text.count("\n", 0, end) + 1
            raise Missing(f"the code has a query in brackets in line {line}, which is no call of its own")


def _closing(text: str, start: int) -> int | None:
    """The index of the bracket that closes the one before ``start``, past quotes and inner brackets."""
    depth = 1
    quote = ""
    for index in range(start, len(text)):
        character = text[index]
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "[":
            depth += 1
        elif character == "]":
            depth -= 1
            if depth == 0:
                return index
    return None
