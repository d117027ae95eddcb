"""Role tables: a role, and under it the columns that it may read.

A table has one of these forms: a lead-in ("Physicians may read:", a heading, a list item) with entries
``database: column, column``; entries ``role: database.column, ...``; or a Markdown table with the columns
role, database, columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.author.request_text import FIELD, Block, BlockKind
from workbench.author.rules.lexicon import Lexicon, is_action
from workbench.author.rules.request_blocks import LeadIn, Rows, field_of
from workbench.author.rules.words import LIGHT, PEOPLE, split_words, stem, word_set
from workbench.likeness import corrected
from workbench.model import Argument, Kind, Span

_MODAL = re.compile(r"\s+(?:may|can|are|is|have|has|must|should)\b.*", re.I | re.S)
_AROUND = (
    PEOPLE | LIGHT | frozenset(["role", "roles", "the", "a", "an", "each", "every", "all", "department"])
)
_PERMISSION = re.compile(
    r"(?P<role>.+?)\s+(?:(?:has|have|gets?|is given|are given)\s+(?:read(?:ing)?\s+)?access\s+(?:only\s+)?to"
    r"|(?:may|can)\s+(?:only\s+)?(?:read|access|view|see|query|use))\s+(?P<databases>.+)",
    re.I | re.S,
)
_DATABASE = re.compile(
    r"(?P<table>[\w-]+)(?:\s+(?:database|table))?\s*\((?P<columns>[^()]*)\)"
    r"|(?P<whole>[\w-]+)\s+(?:database|table)(?!\s*\()",
    re.I,
)
_ALL = frozenset(["*", "all", "all columns", "every column", "everything"])
_HEADERS = {
    "role": frozenset(map(stem, word_set("role roles user users who identity group department"))),
    "table": frozenset(map(stem, ["database", "databases", "table", "tables", "db", "resource"])),
    "columns": frozenset(
        map(stem, word_set("column columns field fields attributes accessible readable permissions"))
    ),
}


@dataclass(frozen=True, slots=True)
class NamedColumns:
    """One database and the columns named for it; ``every`` means all of them."""

    table: str
    columns: tuple[str, ...]
    every: bool
    span: Span


@dataclass(frozen=True, slots=True)
class RoleRows:
    """The rows of the request's tables for one role: the role's words and the entries."""

    role: str
    verb: str
    lead: Block
    cells: tuple[NamedColumns, ...]
    span: Span


def set_argument(lexicon: Lexicon) -> Argument | None:
    """The set argument for the elements in role tables, if the spec has exactly one."""
    sets = lexicon.of_kind(Kind.SET)
    return sets[0] if len(sets) == 1 else None


def role_argument(lexicon: Lexicon) -> Argument | None:
    """The enum argument for the roles of a role table, if the spec has exactly one."""
    enums = [argument for argument in lexicon.of_kind(Kind.ENUM) if not is_action(argument)]
    return enums[0] if len(enums) == 1 else None


def read_group(lexicon: Lexicon, group: LeadIn) -> RoleRows | None:
    """The role table in a lead-in with its entries, or None if it is none."""
    if set_argument(lexicon) is None or role_argument(lexicon) is None:
        return None
    cells: list[NamedColumns] = []
    known_count = 0
    for entry in group.entries:
        field = field_of(entry)
        if field is None:
            return None
        known_count += _looks_like_table(lexicon, field.key)
        cells.append(_cell(field.key, field.value, entry.span))
    role, verb = _role_of(group.lead.text)
    # Among known databases, an unknown name causes a question.
    if not cells or not role or 2 * known_count < len(cells):
        return None
    return RoleRows(role, verb, group.lead, tuple(cells), _around(group.lead.span, cells[-1].span))


def read_line(lexicon: Lexicon, text: str, span: Span) -> RoleRows | None:
    """The role table in a line ``role: database.column, ...``, or None if it is none."""
    if rows := _in_brackets(lexicon, text, span):
        return rows
    match = FIELD.fullmatch(text)
    if match is None or set_argument(lexicon) is None or role_argument(lexicon) is None:
        return None
    cells = tuple(_qualified(match["value"], span))
    if not cells or not all(_looks_like_table(lexicon, cell.table) for cell in cells):
        return None
    lead = Block(BlockKind.FIELD, match["key"], span)
    return RoleRows(_role_of(match["key"])[0], "read", lead, cells, span)


def _in_brackets(lexicon: Lexicon, text: str, span: Span) -> RoleRows | None:
    """The rows in “physicians have access to the lab database (labname) and ...”."""
    match = _PERMISSION.fullmatch(text.strip().rstrip(".;"))
    if match is None or "(" not in text or set_argument(lexicon) is None or role_argument(lexicon) is None:
        return None
    parts = list(_DATABASE.finditer(match["databases"]))
    left = _DATABASE.sub("", match["databases"])
    if re.sub(r"\b(and|to|the|as|well)\b|[,;\s]", "", left, flags=re.I):
        return None
    cells = tuple(_cell(part["table"] or part["whole"], part["columns"] or "all", span) for part in parts)
    if not all(_looks_like_table(lexicon, cell.table) for cell in cells):
        return None
    return RoleRows(
        _role_of(match["role"])[0], "read", Block(BlockKind.FIELD, match["role"], span), cells, span
    )


def read_rows(lexicon: Lexicon, rows: Rows) -> tuple[RoleRows, ...]:
    """The role tables in a Markdown table; empty if it is another kind of table."""
    if set_argument(lexicon) is None or role_argument(lexicon) is None or len(rows.rows) < 2:
        return ()
    header = [_header(cell) for cell in _cells(rows.rows[0].text)]
    if "role" not in header or not {"table", "columns"} & set(header):
        return ()
    rows_of_roles: list[RoleRows] = []
    for row in rows.rows[1:]:
        values = dict(zip(header, _cells(row.text), strict=False))
        role = values.get("role", "") or (rows_of_roles[-1].role if rows_of_roles else "")
        if not role:
            return ()
        cells = (
            (_cell(values["table"], values.get("columns", "all"), row.span),)
            if values.get("table")
            else tuple(_qualified(values.get("columns", ""), row.span))
        )
        rows_of_roles.append(RoleRows(role, "read", row, cells, row.span))
    return tuple(rows_of_roles)


def _cells(row: str) -> list[str]:
    return [cell.strip().strip("`") for cell in row.strip().strip("|").split("|")]


def _header(cell: str) -> str:
    words = {stem(word) for word in split_words(cell)}
    return next((name for name, header_words in _HEADERS.items() if words & header_words), cell.lower())


def _qualified(text: str, span: Span) -> Iterator[NamedColumns]:
    """Read “patient.age, lab.labname” as cells."""
    for value in _listed(text):
        table, _, column = value.partition(".")
        yield NamedColumns(table, (column,) if column else (), not column, span)


def _cell(table: str, columns: str, span: Span) -> NamedColumns:
    listed = _listed(columns)
    every = len(listed) == 1 and listed[0].lower() in _ALL
    name = re.sub(r"\b(?:the|database|table)\b", "", table, flags=re.I).strip().strip("`")
    return NamedColumns(name, () if every else listed, every, span)


def _listed(text: str) -> tuple[str, ...]:
    text = re.sub(r",?\s+and\s+", ", ", text.strip().rstrip(".;").strip("{}[]()"))
    return tuple(
        dict.fromkeys(part.strip().strip("`\"'") for part in text.split(",") if part.strip().strip("`\"'"))
    )


def _looks_like_table(lexicon: Lexicon, name: str) -> bool:
    table_name = re.sub(r"\b(?:the|database|table)\b", "", name, flags=re.I).strip().strip("`").lower()
    if lexicon.schema:
        return corrected(table_name, lexicon.schema) is not None
    return re.fullmatch(r"\w+", table_name) is not None


def _role_of(lead: str) -> tuple[str, str]:
    """The words of a lead-in for the role, and the verb for its permission."""
    text = lead.rstrip(":").strip()
    verb = re.search(r"\b(read|access|see|view|query|use|write|edit|change|delete)\b", text, re.I)
    text = _MODAL.sub("", re.sub(r"^\W*(?:role|identity|user)\s*:\s*", "", text, flags=re.I))
    words = [word for word in text.split() if word.lower().strip(",.\"'“”") not in _AROUND]
    return " ".join(words).strip("\"'“”`.,"), verb[1].lower() if verb else ""


def _around(first: Span, last: Span) -> Span:
    return Span(first.start, last.end, first.line)
