"""Tables as sentences: a constant table of a policy, and rules that stand in the rows of a table.

A table of the dialect is a sentence with rows, in Markdown: ``The table “readable” says:`` and then, for each
of its keys, a row with the key and its entries. Where a table has more than two columns, those between are
the beginnings of the entries, before a point. A table whose header is the words of a sentence is a sentence
for each row: header and cells in turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from workbench.language.trees import Tree, is_tree
from workbench.language.words import quoted, texts_in, tokens, unquoted
from workbench.model import WorkbenchError

_HEAD = re.compile(
    r"the\s+table\s+(?P<name>“(?:[^”]|””)*”(?!”)|\"[^\"]*\")\s+says\s*:\s*(?=\|)", re.IGNORECASE
)
_RULE = re.compile(r":?-+:?")
_SAID = ("the agent", "it must", "in calls")
"""How the header of a table of sentences begins."""
_MOST_ROWS = 2_000
_KINDS = ("int", "dec", "dur", "date", "clock", "moment", "bool", "text")
"""The sorts of values in the order in which a column of a new table is tried for them."""
_PLAIN = re.compile(r"[^\s|“”\",;](?:[^|“”\",;\n\r\t]*[^\s|“”\",;])?")

type Literal = Callable[[str, str], Tree | None]
"""The value that a text is of a sort, as the reader has it; None if it is none."""
type Shown = Callable[[Tree], str]
"""The words of a value that is no text."""


@dataclass(frozen=True, slots=True)
class Columns:
    """What a table holds: the sort of its keys and of its entries, and whether a key has several."""

    key: str
    entry: str
    many: bool


def is_table(text: str) -> bool:
    """Whether a text is what a table says."""
    return _HEAD.match(text.lstrip()) is not None


def name_in(text: str) -> str:
    """The name of the table in its sentence."""
    found = _HEAD.match(text.lstrip())
    assert found is not None
    written = found.group("name")
    return unquoted(f"“{written[1:-1]}”") if written.startswith("“") else written[1:-1]


# --- reading ----------------------------------------------------------------------


def read_entries(text: str, known: Columns | None, literal: Literal) -> Tree:
    """The table of the dialect that a sentence is, of the sorts of the table that it was or of any.

    Raises WorkbenchError for rows that are none of a table.
    """
    header, rows = _rows(_HEAD.sub("", text.lstrip(), count=1))
    width = max(map(len, rows), default=0)
    if width < 2 or any(len(row) != width for row in rows):
        raise WorkbenchError("Each row of a table has a key and its entries, and all have as many cells.")
    cells: dict[str, list[str]] = {}
    for key, *before, last in rows:
        entries = [
            f"{'.'.join([*map(_plain, before), _plain(one)])}" if before else one for one in _split(last)
        ]
        cells.setdefault(key, []).extend(entries)
        if width == 2 and len(cells) < rows.index([key, *before, last]) + 1:
            raise WorkbenchError(f"The table has two rows for {key}.")
    columns = known or _columns(header, cells, literal)
    made = [
        ("tuple", _value(key, columns.key, literal), _entry(of, columns, literal))
        for key, of in cells.items()
    ]
    return ("dict", *made)


def _entry(cells: Sequence[str], columns: Columns, literal: Literal) -> Tree:
    values = [_value(one, columns.entry, literal) for one in cells]
    if columns.many:
        return ("set", *dict.fromkeys(values))
    if len(values) != 1:
        raise WorkbenchError("Each row of this table has one entry.")
    return values[0]


def _columns(header: Sequence[str], cells: dict[str, list[str]], literal: Literal) -> Columns:
    """What a new table holds: several entries if a row has, or if its header is of several."""
    entries = [one for of in cells.values() for one in of]
    many = any(len(of) != 1 for of in cells.values()) or bool(header and re.search(r"[^s]s$", header[-1]))
    return Columns(_sort_of(list(cells), literal), _sort_of(entries, literal), many)


def _sort_of(cells: Sequence[str], literal: Literal) -> str:
    for sort in _KINDS[:-1]:
        if cells and all(literal(one, sort) is not None for one in cells):
            return sort
    return _KINDS[-1]


def _value(cell: str, sort: str, literal: Literal) -> Tree:
    if sort == "text":
        return ("lit", "text", _plain(cell))
    found = literal(cell, sort)
    if found is None:
        raise WorkbenchError(f"“{cell}” is no value as the others of its column are.")
    return found


def _plain(cell: str) -> str:
    """The text of a cell, without its quotation marks."""
    found = tokens(cell)
    is_quoted = len(found) == 1 and found[0].kind == "text"
    return unquoted(found[0].text) if is_quoted else cell


def _rows(text: str) -> tuple[Sequence[str], list[list[str]]]:
    """The header and the rows of a Markdown table; the header is what stands above a rule."""
    lines = [line.strip() for line in text.strip().split("\n") if line.strip()]
    if len(lines) > _MOST_ROWS:
        raise WorkbenchError(f"A table of {len(lines):,} rows is not read; the most are {_MOST_ROWS:,}.")
    rows = list(_cells_of(lines))
    if len(rows) > 1 and all(_RULE.fullmatch(cell) for cell in rows[1]):
        return rows[0], rows[2:]
    return (), rows


def _cells_of(lines: Iterable[str]) -> Iterator[list[str]]:
    for line in lines:
        if not line.startswith("|"):
            raise WorkbenchError(f"“{line[:60]}” is no row of a table, which begins with |.")
        yield [cell.strip().strip("`").strip() for cell in _parts(line.strip().strip("|"), "|")]


def _split(cell: str) -> Sequence[str]:
    """The entries of a cell: with a comma and a blank, or a semicolon, between them."""
    return [one.strip() for part in _parts(cell, ";") for one in _parts(part, ", ") if one.strip()]


def _parts(text: str, sign: str) -> Iterator[str]:
    """The parts of a text between a sign, which counts for nothing in quotation marks."""
    part, end = "", 0
    for start, after in (*texts_in(text), (len(text), len(text))):
        first, *others = text[end:start].split(sign)
        part += first
        for other in others:
            yield part
            part = other
        part += text[start:after]
        end = after
    yield part


# --- writing ----------------------------------------------------------------------


def table_text(name: str, tree: Tree, shown: Shown) -> str:
    """The sentence of a table: its head, and a row for each key; a text of several lines has none."""
    many = any(row[2][0] == "set" for row in tree[1:])
    rows = [
        (_cell(row[1], shown), ", ".join(_cell(one, shown) for one in (row[2][1:] if many else (row[2],))))
        for row in tree[1:]
    ]
    lines = [("for", "entries" if many else "entry"), ("---", "---"), *rows]
    return f"The table {quoted(name)} says:\n" + "\n".join(f"| {key} | {entries} |" for key, entries in lines)


def _cell(value: Tree, shown: Shown) -> str:
    """A value as a cell has it; a text in quotation marks where it would be read otherwise."""
    if value[:2] != ("lit", "text"):
        return shown(value)
    text = str(value[2])
    return text if _PLAIN.fullmatch(text) and not _RULE.fullmatch(text) and "`" not in text else quoted(text)


def is_table_of(tree: Tree) -> bool:
    """Whether a tree gives a table its meaning."""
    return tree[:2] == ("call", "meaning") and is_tree(tree[3]) and tree[3][0] == "dict"


# --- sentences in rows ------------------------------------------------------------


def sentences_in(text: str) -> tuple[str, ...]:
    """The sentences of a table whose header is the words of one; none for any other text."""
    stripped = text.strip()
    if not stripped.startswith("|"):
        return ()
    header, rows = _rows(stripped)
    if not header or not " ".join(header).casefold().startswith(_SAID):
        return ()
    if any(len(row) != len(header) for row in rows):
        raise WorkbenchError("Each row of a table has a cell for each column of its header.")
    return tuple(_sentence(header, row) for row in rows)


def _sentence(header: Sequence[str], row: Sequence[str]) -> str:
    """Header and cells in turn; what stands above an empty cell is left out with it."""
    parts = [part for head, cell in zip(header, row, strict=True) if cell for part in (head, cell) if part]
    return f"{' '.join(parts).rstrip('.')}."
