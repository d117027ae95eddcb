"""The pieces of code in what an agent wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.clean_text import first_hidden
from workbench.runs.kinds.python_code.parse import Code, names_an_encoding, parse_python
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
_MARKS = 20
_SQL_LANGUAGES = frozenset({"sql", "sqlite", "mysql", "postgres", "postgresql"})


def find_code(text: str, sql_functions: frozenset[str] = frozenset()) -> list[Code]:
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
    codes = [piece for code in marked for piece in _unfenced(code)]
    for match in _FENCE.finditer(text):
        if not any(code.start <= match.start(2) <= code.start + len(code.text) for code in marked):
            codes.append(Code(match.group(2), match.start(2), match.group(1).lower()))
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
        parse_python(Code(text, 0), sql_functions)
    except Missing:
        return False
    return True


def _unfenced(code: Code) -> list[Code]:
    blocks = [
        Code(match.group(2), code.start + match.start(2), match.group(1).lower())
        for match in _FENCE.finditer(code.text)
    ]
    return blocks or [code]


def is_sql(code: Code, sql_functions: frozenset[str] = frozenset()) -> bool:
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


def check_characters(text: str) -> None:
    """Raise Missing for hidden characters or a declared encoding: another text than this may run."""
    match = first_hidden(text)
    if match:
        line = text.count("\n", 0, match.start()) + 1
        raise Missing(
            f"the code has a control or invisible character in line {line}, so what runs is not certain"
        )
    if names_an_encoding(text):
        raise Missing("the code names an encoding of its own, so what runs is not certain")
