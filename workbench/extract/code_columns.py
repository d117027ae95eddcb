"""Methods ``code_columns`` and ``sql``: the ``table.column`` set that code or a query reads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from workbench.extract.code_text import Code, find_code, is_sql, parse_python
from workbench.extract.flow import Flow
from workbench.extract.flow_values import Piece, Text
from workbench.extract.found import Found, Method, Missing, span_of
from workbench.extract.options import Options
from workbench.extract.regions import Region, RegionOptions
from workbench.extract.sql_columns import freeze_schema
from workbench.extract.tool_roles import OPERATIONS, ROLES, Grammar, Reads
from workbench.model import AgentSpec, Argument, Provenance, Step

CODE_TEXTS = ("code", "arguments.code", "arguments.cell", "arguments.query", "arguments.sql", "agent_output")
SQL_TEXTS = ("arguments.query", "arguments.sql", "code", "agent_output")
MODULES = (
    "bisect", "calendar", "collections", "copy", "dataclasses", "datetime", "decimal", "fractions",
    "functools", "heapq", "itertools", "json", "math", "operator", "random", "re", "statistics", "string",
    "textwrap", "time", "typing",
)  # fmt: skip
BARE_TABLES = ("all", "nothing")


def code_columns(_argument: Argument, spec: AgentSpec, options: Options) -> Method:
    """The columns that Python or SQL reads, by data flow; nothing of the code is run."""
    functions: dict[str, str] = {}
    for role in ROLES:
        for name in options.texts(role):
            functions[name] = role
    return _method(
        "code_columns", RegionOptions(options, CODE_TEXTS), _grammar(spec, options, functions), options
    )


def sql(_argument: Argument, spec: AgentSpec, options: Options) -> Method:
    """The columns that a SQL text reads."""
    return _method("sql", RegionOptions(options, SQL_TEXTS), _grammar(spec, options, {}), options)


def _grammar(spec: AgentSpec, options: Options, functions: dict[str, str]) -> Grammar:
    return Grammar(
        functions=functions,
        schema=freeze_schema(spec.schema),
        dialect=options.text("dialect", "sqlite"),
        separator=options.text("separator", "||"),
        operations=frozenset(word.lower() for word in options.texts("operations", OPERATIONS)),
        constants=frozenset(word.lower() for word in options.texts("constants")),
        modules=frozenset(options.texts("modules", MODULES)),
        outputs=frozenset(options.texts("outputs", ("answer",))),
    )


def _method(name: str, regions: RegionOptions, grammar: Grammar, options: Options) -> Method:
    bare = options.choice("bare_table", BARE_TABLES)
    only_sql = name == "sql"

    @lru_cache(maxsize=8192)
    def analyse(text: str) -> tuple[tuple[str, tuple[tuple[int, int], ...]], ...] | str:
        try:
            reads = _read(text, grammar, only_sql=only_sql)
        except Missing as missing:
            return str(missing)
        if bare == "all":
            for table in reads.loaded.keys() - reads.touched:
                for place in reads.loaded[table]:
                    reads.read_all(table, place)
        return tuple((item, tuple(sorted(places))) for item, places in sorted(reads.columns.items()))

    def extract(step: Step, _history: Sequence[Step]) -> Found:
        region = regions.of(step)
        result = analyse(region.text)
        if isinstance(result, str):
            raise Missing(result)
        return _found(name, region, result)

    return extract


def _found(method: str, region: Region, result: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]) -> Found:
    items: dict[str, tuple[Provenance, ...]] = {}
    for item, places in result:
        spans = tuple(
            span_of(region.whole, region.start + start, region.start + end)
            for start, end in places
            if end > start
        )
        items[item] = (Provenance(method, region.name, spans),)
    every = tuple(
        sorted({span for entry in items.values() for span in entry[0].spans}, key=lambda s: s.start)
    )
    return Found(list(items), (Provenance(method, region.name, every),), items)


def _read(text: str, grammar: Grammar, *, only_sql: bool) -> Reads:
    reads = Reads(grammar)
    sql_functions = frozenset(name for name, role in grammar.functions.items() if role == "sql")
    pieces = [code for code in find_code(text, sql_functions) if code.text.strip()]
    if not pieces:
        raise Missing("there is no code")
    for code in pieces:
        if only_sql or is_sql(code):
            query = code.text.strip()
            start = code.start + code.text.index(query)
            reads.sql(Text((Piece(query, start, start + len(query), True),)))
        else:
            _read_python(code, reads, sql_functions)
    return reads


def _read_python(code: Code, reads: Reads, sql_functions: frozenset[str]) -> None:
    try:
        Flow(parse_python(code, sql_functions), reads).run()
    except RecursionError:
        raise Missing("the code is nested too deeply") from None
