"""The characters of a SQL text, checked by two lexers that must agree.

sqlglot's lexer follows the manual of a dialect; a database follows its own settings. A text is therefore
only read if a second, strict reading finds its strings, quoted names and comments at the same places.
It is refused if settings or versions read a part of it differently: executable comments, nested comments,
backslashes before quotes.
"""

# sqlglot is typed only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from workbench.clean_text import first_hidden
from workbench.runs.values.found_value import Missing

SQL_HOLE = "workbench_hole_{}_"
SQL_NUMBER = "workbench_number_{}_"
HOLE = re.compile(r"workbench_(?:hole|number)_\d+_")
_STORED = re.compile(r"workbench_hole_\d+_")
_LIMIT = 200_000
_SEGMENT = {
    "'": r"'(?:[^']|'')*'",
    '"': r'"(?:[^"]|"")*"',
    "`": r"`(?:[^`]|``)*`",
    "[": r"\[[^\[\]]*\]",
}
_QUOTES = {
    "sqlite": "'\"`[",
    "tsql": "'\"[",
    **dict.fromkeys(("mysql", "bigquery"), "'\"`"),
    **dict.fromkeys(("postgres", "oracle", "snowflake", "duckdb"), "'\""),
}
# Dialects in which a backslash in a string is certainly an ordinary character.
_PLAIN_BACKSLASH = frozenset({"sqlite", "tsql", "oracle", "duckdb"})
_RUN = r"[\w\s+*%(),.;<>=|&~?]+"
_PLAIN = re.compile(_RUN)
_HEX = re.compile(r"'(?:[0-9a-fA-F]{2})*'")
_HARMLESS = re.compile(r"[0-9:+./ %_-]*")
_SCANNERS = {
    dialect: re.compile(
        "|".join([_RUN, *(_SEGMENT[quote] for quote in quotes), r"--[^\n]*", r"/\*.*?\*/", r"."]), re.DOTALL
    )
    for dialect, quotes in _QUOTES.items()
}


@dataclass(frozen=True, slots=True)
class Segment:
    """A string, a quoted name or a comment of the text."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The place after its last character."""
        return self.start + len(self.text)

    @property
    def is_comment(self) -> bool:
        """Whether the segment is a comment, which the database skips."""
        return self.text.startswith(("--", "/*"))


def tokens_of(sql: str, dialect: str) -> list[Token]:
    """The tokens of the text; raises Missing if the meaning of its characters is not certain."""
    _check_characters(sql, dialect)
    segments = _segments(sql, dialect)
    _check_holes(sql, segments)
    try:
        tokens = sqlglot.Dialect.get_or_raise(dialect).tokenize(sql)
    except SqlglotError:
        raise Missing("the SQL does not parse: a string or a comment is not closed") from None
    _check_agreement(sql, segments, tokens)
    for token in tokens:
        _check_name(token)
    return tokens


def _check_characters(sql: str, dialect: str) -> None:
    # Stricter than ``clean``, because databases differ in the characters that they treat as blanks or drop.
    # Private and unassigned characters (Co, Cn) are accepted: no database treats them as either.
    if len(sql) > _LIMIT:
        raise Missing(f"the SQL is longer than {_LIMIT} characters")
    for character in set(sql):
        category = unicodedata.category(character)
        if category in ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs") and character not in " \t\n\r":
            raise Missing(
                f"the SQL holds the character U+{ord(character):04X}, which databases read differently"
            )
    # A string with a hostile character is longer or shorter than its display.
    if first_hidden(sql.replace("\r", "")):
        raise Missing("the SQL has an escaped character that databases read differently")
    if re.search(r"\r(?!\n)", sql):
        raise Missing("the SQL holds a line end that databases read differently")
    if dialect not in _PLAIN_BACKSLASH and re.search(r"\\['\"`]", sql):
        raise Missing("the SQL holds a backslash before a quote, which databases read differently")


def _segments(sql: str, dialect: str) -> list[Segment]:
    """The strings, quoted names and comments, found without sqlglot."""
    segments: list[Segment] = []
    for match in _SCANNERS[dialect].finditer(sql):
        segment = Segment(match.group(), match.start())
        if segment.is_comment:
            _check_comment(segment, sql, dialect)
            segments.append(segment)
        elif segment.text[0] in _QUOTES[dialect] and len(segment.text) > 1:
            _check_quoted(segment, sql, dialect)
            segments.append(segment)
        elif not _PLAIN.fullmatch(segment.text):
            _check_outside(segment, sql, dialect)
    return segments


def _check_comment(comment: Segment, sql: str, dialect: str) -> None:
    if comment.text.startswith("--"):
        blank = comment.text[2:3] in ("", " ", "\t", "\r")
        if comment.text.startswith("--+") or (dialect == "mysql" and not blank):
            raise Missing("the SQL holds a comment that a database may read as more than a comment")
        return
    body = comment.text[2:-2]
    nested = "/*" in comment.text[1:] and dialect != "sqlite"
    if re.match(r"M?!|\+", body) or nested or sql[comment.end : comment.end + 1] == "/":
        raise Missing("the SQL holds a comment that a database may run")


def _check_quoted(segment: Segment, sql: str, dialect: str) -> None:
    before = sql[max(segment.start - 2, 0) : segment.start]
    if before and (before[-1].isalnum() or before[-1] in "_$&@"):
        prefixed = before[-1] in "xX" and not (before[:-1].isalnum() or before[:-1] in ("_", "$"))
        if not prefixed or dialect not in ("sqlite", "mysql") or not _HEX.fullmatch(segment.text):
            raise Missing(f"the SQL holds a string with a prefix: {before[-1]}{segment.text[:20]}")
    if dialect == "bigquery" and segment.text[0] * 2 in segment.text:
        raise Missing("the SQL holds quotes in a row, which is read differently")
    if segment.text[0] in '"`[' and len(segment.text) < 3:
        raise Missing("the SQL holds a name without characters")


def _check_outside(character: Segment, sql: str, dialect: str) -> None:
    text, start = character.text, character.start
    if text == "/" and sql[start + 1 : start + 2] == "*":
        raise Missing("the SQL does not parse: a comment is not closed")
    if text in "-/":
        return
    if text == "!" and sql[start + 1 : start + 2] == "=":
        return
    double = sql[start : start + 2] == "::" or sql[max(start - 1, 0) : start + 1] == "::"
    if text == ":" and double and dialect in ("postgres", "duckdb", "snowflake"):
        return
    if text == ":" and not double and dialect in ("sqlite", "oracle"):
        return
    raise Missing(f"the SQL holds {text!r} outside of strings, which is not followed")


def _check_agreement(sql: str, segments: list[Segment], tokens: list[Token]) -> None:
    """Raise Missing unless both readings agree on strings, names and comments, and cover the whole text."""
    ends = {token.end + 1: token for token in tokens}
    uncovered_characters = list(sql)
    for segment in segments:
        token = ends.get(segment.end)
        if not segment.is_comment and (token is None or segment.start - token.start not in (0, 1)):
            raise Missing("the SQL holds a string or a name whose end is read differently")
        if segment.is_comment:
            uncovered_characters[segment.start : segment.end] = " " * len(segment.text)
    for token in tokens:
        uncovered_characters[token.start : token.end + 1] = " " * (token.end + 1 - token.start)
    quoted = sum(
        1
        for token in tokens
        if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER, TokenType.HEX_STRING)
    )
    if "".join(uncovered_characters).strip() or quoted != sum(
        1 for segment in segments if not segment.is_comment
    ):
        raise Missing("the SQL holds text that is read differently by different programs")


def _check_name(token: Token) -> None:
    """Raise Missing for a name beyond ASCII that folding of letters changes into another one."""
    if token.text.isascii() or token.token_type == TokenType.STRING:
        return
    lowered_text = "".join(
        character.lower() if character.isascii() else character for character in token.text
    )
    if unicodedata.normalize("NFKC", lowered_text).casefold() != lowered_text:
        raise Missing(f"the name {token.text[:40]!r} of the SQL may be read as another")


def _check_holes(sql: str, segments: list[Segment]) -> None:
    """Raise Missing if text after a stored value could become SQL when the value has a quote."""
    if re.search(r"-workbench_number_\d+_", sql):
        raise Missing("a minus comes before a number that is only known when the code runs")
    if re.search(rf"{HOLE.pattern}{HOLE.pattern}", sql):
        raise Missing("two parts of the SQL that are only known when the code runs are side by side")
    first = _STORED.search(sql)
    if first is None:
        return
    for segment in segments:
        if segment.is_comment:
            raise Missing("the SQL holds a comment next to a value that is only known when the code runs")
        if segment.end <= first.start():
            continue
        inside = sql[max(segment.start + 1, first.start()) : segment.end - 1]
        if (
            segment.text[0] != "'"
            or len(_STORED.findall(segment.text)) > 1
            or not _HARMLESS.fullmatch(HOLE.sub("", inside))
            or "--" in HOLE.sub("", inside)
        ):
            raise Missing("text in quotes follows a value that is only known when the code runs")
