"""Method ``code_columns``: the ``table.column`` set that code or a query reads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from workbench.model import AgentSpec, Argument, Provenance, RecordedCall
from workbench.runs.extract.options import Options
from workbench.runs.extract.received_text import Received, is_prose
from workbench.runs.extract.text_region import TextRegion
from workbench.runs.kinds.python_code.follow import follow_programs
from workbench.runs.kinds.python_code.library import MODULE_FUNCTIONS
from workbench.runs.kinds.python_code.tables import OPERATIONS, ROLES, Reads, TableTools
from workbench.runs.kinds.python_code.written_code import (
    Code,
    check_characters,
    find_code,
    programs_and_queries,
)
from workbench.runs.sql.columns import freeze_schema
from workbench.runs.sql.functions import DIALECTS
from workbench.runs.values.found_value import FoundValue, Method, Missing

MODULES = tuple(MODULE_FUNCTIONS)
_NAME = "code_columns"


def code_columns(_argument: Argument, spec: AgentSpec, options: Options) -> Method:
    """The columns that Python or SQL reads, by data flow; the code is never run."""
    functions: dict[str, str] = {}
    for role in ROLES:
        for name in options.texts(role):
            functions[name] = role
    received, tools = Received(spec, options), _tools(spec, options, functions)
    bare_table_choice = options.choice("bare_table")

    @lru_cache(maxsize=8192)
    def analyse(regions: tuple[TextRegion, ...]) -> tuple[tuple[str, _Places], ...] | str:
        try:
            reads = _read(regions, tools)
        except Missing as missing:
            return str(missing)
        if bare_table_choice == "all":
            reads.count_whole_tables()
        return tuple((item, tuple(sorted(places))) for item, places in sorted(reads.columns.items()))

    def extract(call: RecordedCall, _history: Sequence[RecordedCall]) -> FoundValue:
        regions = received.of(call)
        result = analyse(tuple(regions))
        if isinstance(result, str):
            raise Missing(result)
        return _found_value(regions, result)

    return extract


def modules(options: Options) -> frozenset[str]:
    """The importable names: modules whose functions are known, and functions by their dotted path."""
    names = options.texts("modules", MODULES)
    for name in names:
        if "." not in name and name not in MODULE_FUNCTIONS:
            raise options.error(
                f"what the functions of the module {name} do is not known; "
                f"name those that only compute, as {name}.function"
            )
    return frozenset(names) | {name.rpartition(".")[0] for name in names if "." in name}


def _tools(spec: AgentSpec, options: Options, functions: dict[str, str]) -> TableTools:
    return TableTools(
        functions=functions,
        schema=freeze_schema(spec.schema),
        dialect=options.choice("dialect", DIALECTS),
        separator=options.text("separator"),
        operations=frozenset(word.lower() for word in options.texts("operations", OPERATIONS)),
        constants=frozenset(word.lower() for word in options.texts("constants")),
        modules=modules(options),
        outputs=frozenset(options.texts("outputs")),
    )


# A place in the texts of a call, as if they were joined with one character between them.
type _Places = tuple[tuple[int, int], ...]


def _found_value(regions: Sequence[TextRegion], result: tuple[tuple[str, _Places], ...]) -> FoundValue:
    items: dict[str, tuple[Provenance, ...]] = {}
    for item, places in result:
        items[item] = tuple(provenance(_NAME, regions, [place for place in places if place[1] > place[0]]))
    every = [place for _, places in result for place in places if place[1] > place[0]]
    return FoundValue(list(items), tuple(provenance(_NAME, regions, every)), items)


def provenance(
    method: str, regions: Sequence[TextRegion], places: Sequence[tuple[int, int]]
) -> list[Provenance]:
    """The provenances of places in the joined texts of a call, one per text."""
    provenances: list[Provenance] = []
    base = 0
    for region in regions:
        last = base + len(region.text)
        spans = {
            region.span(start - base, end - base) for start, end in places if base <= start and end <= last
        }
        if spans:
            provenances.append(
                Provenance(method, region.name, tuple(sorted(spans, key=lambda span: span.start)))
            )
        base = last + 1
    return provenances or [Provenance(method, regions[0].name)]


def code_of(regions: Sequence[TextRegion], sql_functions: frozenset[str]) -> list[Code]:
    """The code in the texts of a call, with its places in the joined texts."""
    codes: list[Code] = []
    base = 0
    for region in regions:
        parts = find_code(region.text, sql_functions) if is_prose(region) else [Code(region.text, 0)]
        codes.extend(Code(part.text, base + part.start, part.language) for part in parts if part.text.strip())
        base += len(region.text) + 1
    if not codes:
        raise Missing("there is no code")
    for code in codes:
        check_characters(code.text)
    return codes


def _read(regions: Sequence[TextRegion], tools: TableTools) -> Reads:
    reads = Reads(tools)
    sql_functions = frozenset(name for name, role in tools.functions.items() if role == "sql")
    programs, queries = programs_and_queries(code_of(regions, sql_functions), sql_functions)
    for query in queries:
        reads.sql(query)
    if programs:
        follow_programs(programs, reads)
    return reads
