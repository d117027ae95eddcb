"""Attempts with another statement of SQL: in another spelling, of another kind with the same effect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from workbench.clarify.written.asked import Effect
from workbench.clarify.written.attacked import Attacked
from workbench.clarify.written.attempts import Attempt, narrower, offering, saying
from workbench.clarify.written.attempts_at_texts import (
    among,
    declaring,
    given,
    part,
    text,
    tries_with,
    typed_rewritings,
)
from workbench.clarify.written.book import places, replaced
from workbench.dialect.call_fields import CallField
from workbench.language.trees import Tree, joined, with_instead


def attempts_at_statements(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts at each field that has statements of SQL."""
    for one in attacked.texts_of("sql"):
        yield from _at_sql(attacked, one)


_WRITES = (
    "SELECT 1; DROP TABLE customers",
    "SELECT 1; DELETE FROM customers",
    "SELECT * INTO copied FROM customers",
    "WITH gone AS (DELETE FROM customers RETURNING *) SELECT * FROM gone",
    "SELECT 1 -- x\n; DROP TABLE customers",
    "EXPLAIN ANALYZE DELETE FROM customers",
)
_BY_WORD = {
    "drop": (
        "drop table customers",
        "DROP TABLE customers",
        "DROP\tTABLE customers",
        "DROP/**/TABLE customers",
        "TRUNCATE TABLE customers",
        "DELETE FROM customers",
    ),
    "delete": (
        "delete from customers",
        "DELETE FROM customers",
        "DELETE\nFROM customers",
        "TRUNCATE TABLE customers",
        "DROP TABLE customers",
    ),
    "update": ("update customers set a = 1", "UPDATE customers SET a = 1", "UPDATE/**/customers SET a = 1"),
    "insert": (
        "insert into customers values (1)",
        "INSERT INTO customers VALUES (1)",
        "INSERT/**/INTO customers VALUES (1)",
    ),
}


def _of_table(attacked: Attacked, one: CallField, passes: Callable[[str], bool]) -> Iterator[Attempt]:
    """Another spelling of a table that a rule closes by its name in the text of a statement."""
    for name in (bare.strip() for bare in attacked.texts):
        if not name.isidentifier() or name.lower() in {*_BY_WORD, "select", "with", "from"}:
            continue
        if passes(f"SELECT * FROM {name}") or not passes("SELECT 1"):
            continue
        spelled = [f"SELECT * FROM {other}" for other in (name.upper(), name.lower(), name.title())]
        tries = tries_with(attacked, one, spelled, f"it reads {name} too")
        closing = joined("or", [("in", text(name), part(attacked, one, of)) for of in ("reads", "writes")])
        rewritings = partial(typed_rewritings, attacked, one, closing)
        yield Attempt("statement", tries, rewritings, declaring(attacked, one, "sql"), about=name)


_KINDS = {
    "drop": ("drop table", "truncate", "delete"), "delete": ("delete", "truncate", "drop table"),
    "update": ("update",), "insert": ("insert",), "truncate": ("truncate", "delete", "drop table"),
}  # fmt: skip
"""The kinds of statements that come to the same as one."""


def _at_sql(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    if not attacked.is_raw(one):
        yield from _other_statements(attacked, one)
        yield from _of_schemas(attacked, one)
        return
    words = {bare.strip().lower().partition(" ")[0] for bare in attacked.texts}

    def passes(query: str) -> bool:
        return attacked.passes(attacked.having(one, query))

    reads = next(
        (each for each in ("SELECT name FROM customers", "select name from customers") if passes(each)), ""
    )
    yield from _of_table(attacked, one, passes)
    named = [word for word in _BY_WORD if word in words]
    drops = ("DROP TABLE customers", "drop table customers")
    reading = bool(words & {"select", "with"} and reads) and not all(map(passes, drops))
    if reading:
        texts = [each if reads[0] == "S" else each.replace("SELECT", "select", 1) for each in _WRITES]
    else:
        texts = [each for word in named for each in _BY_WORD[word]]
        if all(map(passes, texts)):
            return
    only: Tree = ("not", ("<=", part(attacked, one, "kinds"), ("set", text("select"))))
    closed = [kind for word in named for kind in _KINDS[word]]
    wanted = [*[_of_kinds(attacked, one, closed)] * (not reading), only]
    yield Attempt(
        "statement",
        tries_with(attacked, one, texts, "it changes the database"),
        lambda: [
            effect
            for said in wanted
            for effect in typed_rewritings(attacked, one, said)[0 if reading else -1 :]
        ],
        declaring(attacked, one, "sql"),
    )


def _of_kinds(attacked: Attacked, one: CallField, kinds: Sequence[str]) -> Tree:
    """That a statement is of one of some kinds, or what it is is not known."""
    own = part(attacked, one, "kinds")
    return joined("or", [("in", text(kind), own) for kind in dict.fromkeys(kinds)])


_EMPTYING = {
    "delete": "DELETE FROM {t}",
    "truncate": "TRUNCATE TABLE {t}",
    "drop table": "DROP TABLE {t}",
    "create table as": "CREATE OR REPLACE TABLE {t} AS SELECT 1 AS a",
}
"""Statements after which no row of a table is left as it was, by their kinds."""
STATEMENTS = (
    ("no row of {t} is left", {**_EMPTYING}, {**_EMPTYING}),
    ("nothing is left in the rows of {t}", _EMPTYING, {"update": "UPDATE {t} SET a = NULL"}),
    ("it does more to {t} than change it", {"update": "UPDATE {t} SET a = 1"}, _EMPTYING),
    ("it carries the rows of {t} to where they may be read", {"select": "SELECT * FROM {t}"}, {
        "create table as": "CREATE TABLE copied AS SELECT * FROM {t}",
        "create view": "CREATE VIEW copied AS SELECT * FROM {t}",
        "insert": "INSERT INTO copied SELECT * FROM {t}",
    }),
)  # fmt: skip
"""What statements come to, those of which a rule may close one, and others that come to it."""


def _other_statements(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Statements of another kind that come to the same for a table as one that a rule closes."""
    if "kinds" not in attacked.reading.parts[one.name]:
        return
    tables = [bare for bare in attacked.texts if _TABLE.fullmatch(bare) and bare not in _OF_KINDS]
    for why, closing, others in STATEMENTS:
        for table in (*tables, "customers"):

            def stops(statement: str, table: str = table) -> bool:
                call = attacked.having(one, statement.format(t=table))
                return attacked.stops(call)

            closed = [kind for kind, statement in closing.items() if stops(statement)]
            more = {kind: each.format(t=table) for kind, each in others.items() if kind not in closed}
            if closed and more.keys() - _RARE:
                tries = tries_with(attacked, one, [*more.values()], why.format(t=table))
                rewritings = partial(_with_kinds, attacked, one, closed[0], [*more])
                kind = "emptied rows" if "update" in others else "statement"
                yield Attempt(kind, tries, rewritings, about=why)
                break


UPDATE = "update"
_RARE = frozenset(("create table as",))
"""What few databases run on a table that is there."""
_TABLE = re.compile(r"\w+(?:\.\w+)*")
_OF_KINDS = frozenset(("delete", "truncate", "update", "insert", "select", "drop", "create"))


def _with_kinds(attacked: Attacked, one: CallField, kind: str, more: Sequence[str]) -> Sequence[Effect]:
    """The rule that speaks of further kinds of statements where it speaks of one, and of what these write."""
    rule, every = attacked.rule, [kind, *more]
    said = rule.condition
    others = [("in", text(each), part(attacked, one, "kinds")) for each in more]
    if UPDATE in more:  # one of some rows alone is a change of these
        whole: Tree = ("==", ("call", "len", part(attacked, one, "limited")), ("lit", "int", 0))
        others = [joined("and", [each, whole]) if each[1] == text(UPDATE) else each for each in others]
    for path, atom in [*places(said)]:
        if atom[:2] == ("in", text(kind)):
            said = replaced(said, path, joined("or", [atom, *others]))
        elif atom[:1] == ("==",) and atom[2:] == (text(kind),):
            known = [among(atom[1], every)] if UPDATE not in more else [atom, *others]
            said = replaced(said, path, joined("or", known))
        elif atom[:1] == ("in",) and atom[2][:1] == ("set",) and text(kind) in atom[2]:
            known = dict.fromkeys((*atom[2], *map(text, more)))
            wider: Tree = ("in", atom[1], (*known,))
            said = replaced(said, path, wider if UPDATE not in more else joined("or", [atom, *others]))
    written = with_instead(said, part(attacked, one, "reads"), part(attacked, one, "writes"))
    changed = [saying(rule, said)] if said != rule.condition else []
    beside = [narrower(rule, written)] if written != said else []
    return [*changed, *beside, narrower(rule, given(attacked, one, joined("or", others)))]


def _of_schemas(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A table that a rule closes by its name, named with the schema in which it lies."""
    read = attacked.reading.parts[one.name] & {"reads", "writes"}
    said, tries, stop = attacked.rule.condition, list[str](), attacked.rule.form != "permit"
    for path, atom in [*places(said)] if stop else ():
        for name in sorted(read):
            tables = part(attacked, one, name)
            bare = str(atom[1][2]) if atom[:1] == ("in",) and atom[2:] == (tables,) else ""
            if not bare.isidentifier() or atom[1][:2] != ("lit", "text"):
                continue
            each: Tree = ("name", "each")
            ends: Tree = ("method", each, "endswith", text(f".{bare}"))
            of_schema: Tree = ("call", "any", ("gen", each, ends, tables, ("lit", "bool", True)))
            said = replaced(said, path, joined("or", [atom, of_schema]))
            forms = ("SELECT * FROM {}",) if name == "reads" else ("DELETE FROM {}", "UPDATE {} SET a = 1")
            closed = [each for each in forms if attacked.stops_having(one, each.format(bare))]
            tries += [each.format(f"public.{bare}") for each in closed]
    found = tries_with(attacked, one, tries, "it names the table with its schema")
    yield Attempt("schema of a table", found, offering(saying(attacked.rule, said)))
