"""The pieces of code in what an agent wrote, and their trees with the places of what was mended."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.clean_text import first_hidden
from workbench.runs.kinds.python_code.parse import Program, names_an_encoding, no_python, starts_of, tree_of
from workbench.runs.kinds.python_code.values import Piece, Text
from workbench.runs.sql.columns import looks_like_sql
from workbench.runs.values.found_value import Missing

_FENCE = re.compile(
    r"^[ \t]*(?:```|~~~)[ \t]*(\w*)[^\n]*\n(.*?)(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_BEGIN = re.compile(
    r"^[ \t]*(?:generated code|solution|code|python code|sql|query|sql query)[ \t]*:[ \t]*",
    re.MULTILINE | re.IGNORECASE,
)
_END = re.compile(
    r"^[ \t]*(?:answer|final answer|result|output|observation|explanation)[ \t]*:",
    re.MULTILINE | re.IGNORECASE,
)
_BRACKETED = "_sql_"
_LIMIT = 200_000
_MARKS = 20
_SQL_LANGUAGES = frozenset({"sql", "sqlite", "mysql", "postgres", "postgresql"})


@dataclass(frozen=True, slots=True)
class Code:
    """A piece of code: its text, its place in the whole text, and its language if the text names one."""

    text: str
    start: int
    language: str = ""


def _find_code(text: str, sql_functions: frozenset[str]) -> list[Code]:
    """The pieces of code in the prose of a log: fenced blocks and code after a marker, else the whole text.

    Only for prose: a text that a tool receives is code as a whole. A text that parses as Python as a whole is
    one piece.

    A marker is a line such as ``Generated code:`` or ``Solution:``. Its code ends where a line such as
    ``Answer:`` begins. A line of code may look like that too (``answer: str = ...``), so the longest part
    that parses as Python is taken.
    """
    if _is_python(text, sql_functions):
        return [Code(text, 0)]
    marked = list(_marked(text, sql_functions))
    codes = [piece for code in marked for piece in _fenced(code) or [code]]
    for block in _fenced(Code(text, 0)):
        if not any(code.start <= block.start <= code.start + len(code.text) for code in marked):
            codes.append(block)
    codes = [code for code in codes if code.text.strip()]
    return sorted(codes, key=lambda code: code.start) or [Code(text, 0)]


def _marked(text: str, sql_functions: frozenset[str]) -> Iterator[Code]:
    position = 0
    while begin := _BEGIN.search(text, position):
        start = begin.end()
        marks = [*_BEGIN.finditer(text, start), *_END.finditer(text, start)]
        ends = sorted({len(text), *(mark.start() for mark in marks)})
        end = ends[0]
        if not looks_like_sql(text[start:end]):
            whole = (
                candidate
                for candidate in reversed(ends[:_MARKS])
                if _is_python(text[start:candidate], sql_functions)
            )
            end = next(whole, end)
        yield Code(text[start:end], start)
        position = max(end, start)


def _is_python(text: str, sql_functions: frozenset[str]) -> bool:
    try:
        _parse_python(Code(text, 0), sql_functions)
    except Missing:
        return False
    return True


def _fenced(code: Code) -> list[Code]:
    """The fenced blocks of a text."""
    return [
        Code(match.group(2), code.start + match.start(2), match.group(1).lower())
        for match in _FENCE.finditer(code.text)
    ]


def pieces_in_prose(text: str, sql_functions: frozenset[str]) -> tuple[list[Program], list[Text]]:
    """The programs and the queries in the prose of an agent; raises Missing if what runs is not certain."""
    codes = _find_code(text, sql_functions)
    for code in codes:
        _check_characters(code.text)
    programs, queries = list[Program](), list[Text]()
    for code in codes:
        if _is_sql(code, sql_functions):
            query = code.text.strip()
            start = code.start + code.text.index(query)
            queries.append(Text((Piece(query, start, start + len(query), True),)))
        else:
            programs.append(_parse_python(code, sql_functions))
    return programs, queries


def _is_sql(code: Code, sql_functions: frozenset[str]) -> bool:
    """Whether the piece is SQL alone; raises Missing if it may also be Python.

    SQL begins with a word that means nothing in Python. A comment before that word may be Python.
    """
    if code.language in _SQL_LANGUAGES:
        return True
    commented = code.text.lstrip().startswith("--")
    if not commented and not looks_like_sql(code.text):
        return False
    python = _is_python(code.text, sql_functions)
    if python and commented:
        raise Missing("the code may be Python or SQL, so what runs is not certain")
    return not python


def _check_characters(text: str) -> None:
    """Raise Missing for hidden characters or a declared encoding: another text than this may run."""
    match = first_hidden(text)
    if match:
        line = text.count("\n", 0, match.start()) + 1
        raise Missing(
            f"the code has a control or invisible character in line {line}, so what runs is not certain"
        )
    if names_an_encoding(text):
        raise Missing("the code names an encoding of its own, so what runs is not certain")


def _parse_python(code: Code, sql_functions: frozenset[str]) -> Program:
    """The code as a syntax tree; raises Missing with line and reason if it is not Python.

    ``sql_functions`` may be written with their SQL in brackets, ``Run[select ...]``, which is not Python.
    Leading spaces of the first line and mixed tabs and spaces are accepted.
    """
    if len(code.text) > _LIMIT:
        raise Missing(f"the code is longer than {_LIMIT} characters")
    text, bracketed = _unbracket(code.text, sql_functions)
    original = text.split("\n")
    starts = starts_of(original)
    error: SyntaxError | None = None
    for lines, shifts in _layouts(original):
        try:
            tree = tree_of("\n".join(lines))
        except SyntaxError as failure:
            error = error or failure
            continue
        program = Program(tree, code.text, code.start, starts, lines, shifts, dict(bracketed.values()))
        program.guessed = lines != original
        _check_brackets(program, bracketed)
        return program
    raise no_python(error or SyntaxError("it does not parse"))


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
    if not bracketed:
        return
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
