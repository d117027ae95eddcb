"""The kind ``code``: Python code, with all names in it, or with the reasons why it hides what runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from workbench.model import ArgumentType, Json, Kind, RecordType, RecordValue, Value, field_of
from workbench.policy.undetermined import Undetermined, record_of
from workbench.runs.kinds.path import PATH
from workbench.runs.kinds.sql import schema_option
from workbench.runs.kinds.value_kind import (
    FLAG,
    TEXT,
    TEXTS,
    PartInCalls,
    Parts,
    Read,
    ValueKind,
    list_of,
    record_with,
    text_option,
)
from workbench.runs.sql.functions import DIALECTS
from workbench.runs.values.described_option import DescribedOption, OptionKind
from workbench.runs.values.found_value import Missing

if TYPE_CHECKING:
    from workbench.runs.kinds.python_code.code_uses import NamedUse, UsesReader
    from workbench.runs.kinds.python_code.parse import Program
    from workbench.runs.kinds.python_code.values import Text
    from workbench.runs.kinds.value_kind import KindReader
    from workbench.runs.sql.columns import Schema

_CALL = RecordType("CodeCall", (("name", TEXT), ("texts", TEXTS), ("named", TEXTS), ("unknown", FLAG)))
_FILE = RecordType(
    "CodeFile", (("path", TEXT), ("inside", TEXTS), ("way", ArgumentType(Kind.ENUM, ("read", "write"))))
)
_ROLES = ("table", "conditions", "columns", "sql", "pure")
_OF_TABLES = ("columns", "tables")
_READ_ONLY_WHOLE = ("imports", "names", "attributes", "calls", "files")


def _prepare(options: Mapping[str, Json]) -> Read:
    functions = {name: role for role in _ROLES for name in _texts(options[role])}
    given_names, harmless = _texts(options["given"]) | functions.keys(), _texts(options["harmless"])
    schema = schema_option(options)
    queries_of = frozenset(name for name, role in functions.items() if role == "sql")
    folder = text_option(options, "folder")
    paths = PATH.reader({"root": folder} if folder else {})

    def read(text: str) -> Parts:
        from workbench.runs.kinds.python_code.code_uses import UsesReader
        from workbench.runs.kinds.python_code.parse import joined, whole_program

        if options["prose"]:
            from workbench.runs.kinds.python_code.written_code import pieces_in_prose

            programs, queries = pieces_in_prose(text, queries_of)
        else:
            programs, queries = [whole_program(text)], []
        reader = UsesReader(joined(programs), given_names)
        reasons = [*reader.code_uses.hidden, *(["a part of it is SQL"] if queries else [])]
        hidden = "; ".join(reasons)
        parts: dict[str, Value | Missing] = {"hidden": bool(hidden), "why": hidden}
        if hidden:
            parts |= dict.fromkeys(_READ_ONLY_WHOLE, Missing(f"the code hides what runs: {hidden}"))
        else:
            parts |= _parts(reader, harmless, paths)
        return parts | _tables(programs, queries, functions, schema, options)

    return read


def _tables(
    programs: Sequence[Program],
    queries: Sequence[Text],
    functions: Mapping[str, str],
    schema: Schema,
    options: Mapping[str, Json],
) -> dict[str, Value | Missing]:
    """The tables and columns that the code reads by the described functions, and its queries."""
    from workbench.runs.kinds.python_code.follow import follow_programs
    from workbench.runs.kinds.python_code.tables import Reads, TableTools

    if not functions:
        undescribed = Missing("the field describes no function that loads a table")
        return dict.fromkeys(_OF_TABLES, undescribed)
    tools = TableTools(
        functions,
        schema,
        dialect=text_option(options, "dialect"),
        constants=_texts(options["constants"]),
        outputs=_texts(options["outputs"]),
    )
    reads = Reads(tools)
    try:
        for query in queries:
            reads.sql(query)
        if programs:
            follow_programs(programs, reads)
    except Missing as missing:
        return dict.fromkeys(_OF_TABLES, missing)
    reads.count_whole_tables()
    return {"columns": frozenset(reads.columns), "tables": reads.tables}


def _texts(option: Json) -> frozenset[str]:
    return frozenset(str(text) for text in option) if isinstance(option, list) else frozenset()


def _parts(reader: UsesReader, harmless: frozenset[str], paths: KindReader) -> dict[str, Value | Missing]:
    uses = reader.code_uses.uses
    return {
        "imports": frozenset(reader.code_uses.imports),
        "names": frozenset(use.name for use in uses if not use.name.startswith(".")),
        "attributes": frozenset(use.name[1:] for use in uses if use.name.startswith(".")),
        "calls": tuple(sorted({_called(use, reader) for use in uses}, key=repr)),
        "files": _files(reader, harmless, paths),
    }


def _called(use: NamedUse, reader: UsesReader) -> RecordValue:
    """A named function with the texts of its call; without a call its arguments are unknown."""
    from workbench.runs.kinds.python_code.known_texts import argument_texts

    texts, unknown = (frozenset[str](), True) if use.call is None else argument_texts(use.call, reader.texts)
    named = frozenset(
        keyword.arg for keyword in (use.call.keywords if use.call else ()) if keyword.arg is not None
    )
    values = {"name": use.name, "texts": texts, "named": named, "unknown": unknown}
    return record_with(_CALL, values)


def _files(
    reader: UsesReader, harmless: frozenset[str], paths: KindReader
) -> tuple[RecordValue, ...] | Missing:
    from workbench.runs.kinds.python_code.file_uses import file_uses

    files: set[RecordValue] = set()
    try:
        for use in file_uses(reader, harmless):
            path = paths.record(use.path)
            values = {"path": field_of(path, "absolute"), "inside": field_of(path, "inside"), "way": use.way}
            files.add(record_with(_FILE, values))
    except Missing as missing:
        return missing
    return tuple(sorted(files, key=repr))


_CALL_IN_CALLS = RecordType(
    _CALL.name, tuple((name, type_) for name, type_ in _CALL.fields if name != "unknown")
)


def _calls_in_calls(calls: Value) -> Value:
    """The calls of functions; what an argument that the code does not say may add is undetermined."""
    return tuple(_call_in_calls(call) for call in cast("tuple[RecordValue, ...]", calls))


def _call_in_calls(call: RecordValue) -> RecordValue:
    fields: dict[str, Value | Undetermined] = {name: held for name, held in call.fields if name != "unknown"}
    if field_of(call, "unknown"):
        why = frozenset({f"an argument of {fields['name']} is not written in the code"})
        for name in ("texts", "named"):
            fields[name] = Undetermined(why, frozenset(cast("frozenset[str]", fields[name])))
    return record_of(call.type, fields)


CODE = ValueKind(
    name="code",
    meaning="code of Python: the functions, modules and files that it names, and whether it hides what runs",
    parts=(
        ("hidden", FLAG),
        ("why", TEXT),
        ("imports", TEXTS),
        ("names", TEXTS),
        ("attributes", TEXTS),
        ("calls", list_of(_CALL)),
        ("files", list_of(_FILE)),
        ("columns", TEXTS),
        ("tables", TEXTS),
    ),
    prepare=_prepare,
    incomplete={
        **dict.fromkeys(
            _READ_ONLY_WHOLE,
            "something may run that the code does not name: eval, getattr of a name that is not written",
        ),
        **dict.fromkeys(_OF_TABLES, "the code does something with a table or column that is not followed"),
    },
    ask=frozenset({"hidden", "why"}),
    parts_need=dict.fromkeys(_OF_TABLES, "sqlglot"),
    in_calls={"calls": PartInCalls(list_of(_CALL_IN_CALLS), _calls_in_calls)},
    options=(
        DescribedOption("given", OptionKind.TEXTS, "names that exist before the code begins, such as tools"),
        DescribedOption(
            "harmless", OptionKind.TEXTS, "functions that open no file: name, module.*, or .method"
        ),
        DescribedOption("folder", OptionKind.TEXT, "the folder that the code is run in, such as /repo"),
        DescribedOption(
            "prose",
            OptionKind.FLAG,
            "whether the code stands in prose: between ``` lines, or after a line such as `Generated code:`",
        ),
        DescribedOption("table", OptionKind.TEXTS, "functions that load a table by its name"),
        DescribedOption(
            "conditions", OptionKind.TEXTS, "functions that filter a table by a text of conditions"
        ),
        DescribedOption("columns", OptionKind.TEXTS, "functions that read a column of a table"),
        DescribedOption("sql", OptionKind.TEXTS, "functions that run a query"),
        DescribedOption("pure", OptionKind.TEXTS, "functions that touch no table"),
        DescribedOption(
            "schema", OptionKind.WORDS, "the tables with their columns; the agent's if not given"
        ),
        DescribedOption("dialect", OptionKind.TEXT, "the SQL dialect", choices=DIALECTS, default="sqlite"),
        DescribedOption("constants", OptionKind.TEXTS, "names that the database fills in"),
        DescribedOption("outputs", OptionKind.TEXTS, "variables that leave the code", default=["answer"]),
    ),
)
