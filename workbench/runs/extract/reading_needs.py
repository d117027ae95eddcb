"""The needs of reading a session's calls: packages, and the context and messages that a run is told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from workbench.dialect.argument_expressions import checked_expressions
from workbench.dialect.call_fields import field_and_part
from workbench.dialect.run_values import (
    CheckedExpressions,
    ContextValue,
    RunValue,
    SourceOf,
    SourceOfText,
    UserWords,
    all_parts,
)
from workbench.guard.call_reading import CallReading
from workbench.model import AgentSpec, ArgumentType, Json
from workbench.policy.terms import Attribute
from workbench.runs.extract.extractor import Extractor
from workbench.runs.extract.options import BY_NAME
from workbench.runs.kinds.kinds_by_name import KINDS, kind_of, part_named
from workbench.runs.values.json_paths import Pattern, parse_parts
from workbench.runs.values.patterns import needs_no_package


def needed_beside_python(reading: CallReading) -> str:
    """One line: each need with the arguments and records that have it; "nothing but Python" without any.

    Raises WorkbenchError if an extraction is wrong.
    """
    Extractor(reading.arguments, reading.spec, None, reading.memory)
    needs: dict[str, list[str]] = {}
    for need, holder in _needs(reading):
        names = needs.setdefault(need, [])
        if holder not in names:
            names.append(holder)
    listed = "; ".join(f"{need} for {', '.join(names)}" for need, names in needs.items())
    return listed or "nothing but Python"


def needed_context(reading: CallReading) -> str:
    """The context that a run has to be given, with ``...`` for each value; "nothing" if none is read.

    Where a value is in a list, or inside another one, the line has the paths of the values.
    """
    fields = reading.spec.context
    names = [value.name for value in _values_over_runs(reading) if isinstance(value, ContextValue)]
    places = [fields[name].path or name if name in fields else name for name in names]
    places = list(dict.fromkeys(places))
    shape: _Shape = {}
    if not all(_add(shape, parse_parts(place)) for place in places):
        return ", ".join(places)
    return _shown(shape) if places else "nothing"


type _Shape = dict[str, _Shape]


def _add(shape: _Shape, parts: Pattern) -> bool:
    """Add the value at a path to the shape of a context; False if the shape cannot have it."""
    *above, last = parts
    for part in above:
        if not isinstance(part, str) or shape.get(part) == {}:
            return False
        shape = shape.setdefault(part, {})
    if not isinstance(last, str) or last in shape:
        return False
    shape[last] = {}
    return True


def _shown(shape: _Shape) -> str:
    members = (f"{json.dumps(name)}: {_shown(inner) if inner else '...'}" for name, inner in shape.items())
    return f"{{{', '.join(members)}}}"


def needed_messages(reading: CallReading) -> str:
    """What a guard must be told of the messages of a run, in one line; "nothing" if it need not be."""
    values = tuple(_values_over_runs(reading))
    asked = [
        why
        for of, why in (
            (SourceOf | SourceOfText, "asks where values come from"),
            (UserWords, "reads what the user says"),
        )
        if any(isinstance(value, of) for value in values)
    ]
    if not asked:
        return "nothing"
    told = 'each message of the user, by run.message("user", text) before the calls after it: '
    return f"{told}the policy {' and '.join(asked)}"


def _values_over_runs(reading: CallReading) -> Iterator[RunValue]:
    """The values over a run that the expressions of a policy of calls name."""
    for expression in checked_expressions(reading.arguments, reading.spec).expressions:
        yield from expression.values.values()


def _needs(reading: CallReading) -> Iterator[tuple[str, str]]:
    for argument in reading.arguments:
        if need := _need_of_kind(argument.type, ""):
            yield need, argument.name
    for one in reading.spec.readings:
        options = one.extraction.options
        if need := BY_NAME[one.extraction.method].needs:
            yield need, one.name
        pattern = options.get("pattern")
        if isinstance(pattern, str) and not needs_no_package(pattern):
            yield "regex", one.name
        part = options.get("part")
        if need := _need_of_kind(one.type, part if isinstance(part, str) else ""):
            yield need, one.name
    checked = checked_expressions(reading.arguments, reading.spec)
    yield from _needs_of_parts(checked)
    yield from _needs_of_schemas(checked)
    yield from _needs_of_failures(reading.spec)
    for record in reading.spec.records:
        for field in record.fields:
            kind = KINDS.get(field.kind)
            if need := _need_of_kind(field.type, "") if kind is None else kind.needs:
                yield need, f"{record.name}.{field.name}"


def _needs_of_parts(checked: CheckedExpressions) -> Iterator[tuple[str, str]]:
    """What typed parts of the calls' texts need."""
    fields = {(call.tool, one.name): one for call in checked.calls for one in call.fields}
    for expression in checked.expressions:
        for term in all_parts(expression.term, expression.values):
            name, part = field_and_part(term.name) if isinstance(term, Attribute) else ("", "")
            declared = fields.get((expression.tool, name)) if part else None
            kind = None if declared is None else KINDS.get(declared.kind)
            if kind is not None and (need := kind.needs or kind.parts_need.get(part, "")):
                yield need, f"{name}.{part}"


def _needs_of_schemas(checked: CheckedExpressions) -> Iterator[tuple[str, str]]:
    """What the patterns of the parameters' schemas need, for the tools whose calls the policy reads."""
    for call in checked.calls:
        if not all(map(needs_no_package, call.object_keys.patterns)):
            yield "regex", call.tool
        waiting = list(call.fields)
        while waiting:
            one = waiting.pop()
            keys = one.object_keys.patterns if one.object_keys is not None else ()
            if not all(map(needs_no_package, (*keys, *_patterns(one.schema)))):
                yield "regex", f"{call.tool}.{one.name}"
            waiting += one.fields


def _patterns(schema: Json | Mapping[str, Json]) -> Iterator[str]:
    """The patterns of a schema and of the schemas in it."""
    match schema:
        case Mapping():
            for key, held in schema.items():
                if key == "pattern" and isinstance(held, str):
                    yield held
                yield from _patterns(held)
        case list():
            for held in schema:
                yield from _patterns(held)
        case _:
            return


def _needs_of_failures(spec: AgentSpec) -> Iterator[tuple[str, str]]:
    """What the patterns of failed calls and of absent records need."""
    for name, patterns in (
        ("errors", spec.errors),
        *((tool.name, tool.may_have_failed) for tool in spec.tools),
        *((record.name, (*record.errors, *record.absent)) for record in spec.records),
    ):
        if not all(map(needs_no_package, patterns)):
            yield "regex", name


def _need_of_kind(type_: ArgumentType, part: str) -> str:
    """The need of reading the kind of a type, or of the part of a kind."""
    kind = part_named(part)[0] if part else kind_of((type_.element or type_).record)
    return "" if kind is None else kind.needs
