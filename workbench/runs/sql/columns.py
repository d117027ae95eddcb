"""The columns and tables that a SQL text reads, with the places of their names.

sqlglot parses. The tree is checked against a list of accepted forms, and names are resolved here, level by
level. A query cannot be evaluated if it has a form, function or character that is not listed, or if a
declared name in the text was not found in the tree as a name.
"""

# sqlglot is typed only in part: its expression arguments are untyped mappings.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAny=false, reportExplicitAny=false

from __future__ import annotations

import logging
import re
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from workbench.runs.sql.functions import DIALECTS, functions_of, no_functions, reserved_in
from workbench.runs.sql.query_reader import SqlReader
from workbench.runs.sql.table_names import Schema, SqlAccess, Tables
from workbench.runs.sql.text import SQL_HOLE, SQL_NUMBER, tokens_of
from workbench.runs.values.found_value import Missing

__all__ = ["SQL_HOLE", "SQL_NUMBER", "Schema", "SqlAccess", "looks_like_sql", "read_sql"]

_STATEMENT = re.compile(
    r"(?:\s|\(|--[^\n]*\n|/\*.*?\*/)*"
    r"(select|with|insert|update|delete|values|create|drop|alter|pragma)\b",
    re.IGNORECASE | re.DOTALL,
)
_QUERY_WORDS = frozenset({"select", "with", "values"})
# sqlglot warns through logging, which would write to the terminal.
logging.getLogger("sqlglot").addHandler(logging.NullHandler())
logging.getLogger("sqlglot").propagate = False


def looks_like_sql(text: str) -> bool:
    """Whether the text begins like a SQL statement."""
    return _STATEMENT.match(text) is not None


@lru_cache(maxsize=4096)
def read_sql(
    sql: str, schema: Schema, dialect: str = "sqlite", constants: frozenset[str] = frozenset()
) -> SqlAccess:
    """The columns and tables that the query reads; raises Missing if they are not certain.

    Names are spelled as in the schema, without regard to case. A table that is not in the schema is kept with
    its columns. ``*`` is every column of its tables. ``constants`` are names that the database fills in
    before it runs a query; an unqualified one that no table has is no column. ``SQL_HOLE`` represents a value
    that was read from a table, ``SQL_NUMBER`` a number.
    """
    if dialect not in DIALECTS:
        raise Missing(f"the functions of the SQL dialect {dialect!r} are not known")
    tokens = tokens_of(sql, dialect)
    words = [token for token in tokens if token.token_type != TokenType.L_PAREN]
    if not words:
        raise Missing("the SQL is empty")
    if words[0].text.lower() not in _QUERY_WORDS:
        raise Missing(f"the SQL holds a statement that is no query ({words[0].text[:20].lower()})")
    tables = Tables(schema, dialect, constants)
    reader = SqlReader(sql, tables, dialect)
    try:
        reader.read(parsed(tokens, sql, dialect))
    except RecursionError:
        raise Missing("the SQL is nested too deeply") from None
    check_words(tokens, sql, tables.names, reader, dialect)
    return tables.access


def parsed(tokens: list[Token], sql: str, dialect: str) -> exp.Expr:
    """The only statement of these tokens; raises Missing if it does not parse."""
    try:
        nodes = [
            node
            for node in sqlglot.Dialect.get_or_raise(dialect).parser().parse(tokens, sql)
            if node is not None
        ]
    except SqlglotError as error:
        raise Missing(f"the SQL does not parse: {_first_line(str(error))}") from None
    if len(nodes) != 1:
        raise Missing("the SQL holds more than one statement")
    reserved = reserved_in(dialect)
    for name in nodes[0].find_all(exp.Identifier) if reserved else ():
        if not name.quoted and name.name.lower() in reserved:
            raise Missing(f"the SQL has the word {name.name!r:.40} where it may begin another statement")
    return nodes[0]


def _first_line(text: str) -> str:
    """The first line of an error's text, shortened; "unknown reason" for an empty one."""
    return text.splitlines()[0][:120] if text else "unknown reason"


def check_words(
    tokens: list[Token], sql: str, declared: frozenset[str], reader: SqlReader, dialect: str
) -> None:
    """Raise Missing for a function that is not listed, or a declared name that was not read as one."""
    _check_functions(tokens, reader.lists | reader.targets, dialect)
    _check_names([token for token in tokens if _may_be_name(token, sql, dialect)], declared, reader)


def _check_functions(tokens: list[Token], lists: set[int], dialect: str) -> None:
    """Raise Missing for a call of a function that is not listed.

    A name before a bracket may also be a word of the grammar, or have a list of columns.
    """
    listed = functions_of(dialect)
    for index, token in enumerate(tokens):
        if token.token_type != TokenType.L_PAREN or index == 0:
            continue
        name = tokens[index - 1]
        before = tokens[index - 2].text.lower() if index > 1 else ""
        quoted = name.token_type in (TokenType.IDENTIFIER, TokenType.STRING)
        word = name.text.lower().split()[-1] if name.text.strip() else ""  # ORDER BY is one token
        if name.start in lists or not (quoted or word[:1].isalpha() or word[:1] == "_"):
            continue
        if before == ".":
            raise Missing(f"the SQL calls {word}, a function of a schema or package")
        if quoted or not (word in listed or word in no_functions() or before in ("as", "::")):
            raise Missing(f"the SQL calls {word}, which is not in the list of functions of {dialect}")


def _may_be_name(token: Token, sql: str, dialect: str) -> bool:
    """Whether the database may read a token as a name: no number, and no string of the dialect."""
    if token.token_type == TokenType.STRING:
        return dialect == "mysql" and sql[token.start] == '"'  # a name where ANSI_QUOTES is set
    return token.token_type not in (TokenType.NUMBER, TokenType.HEX_STRING)


def _check_names(tokens: list[Token], declared: frozenset[str], reader: SqlReader) -> None:
    """Raise Missing if a declared name in the text was not read as a name, a function, or a type."""
    for index, token in enumerate(tokens):
        if token.text.lower() not in declared or token.start in reader.seen:
            continue
        called = index + 1 < len(tokens) and tokens[index + 1].token_type == TokenType.L_PAREN
        # A type after AS, or the name of a parameter after a colon.
        typed = index > 0 and tokens[index - 1].text.lower() in ("as", "::", ":")
        if not called and not typed:
            raise Missing(f"the word {token.text!r} of the SQL may be a column")
