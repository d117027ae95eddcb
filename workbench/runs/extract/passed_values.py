"""Method ``python``: the values that the agent's code passes to a function, by data flow."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.model import AgentSpec, Argument, Kind, Provenance, RecordedCall
from workbench.runs.extract.columns_of_code import code_of, modules, provenance
from workbench.runs.extract.options import Options
from workbench.runs.extract.received_text import Received
from workbench.runs.extract.text_region import TextRegion
from workbench.runs.kinds.python_code.follow import follow_programs
from workbench.runs.kinds.python_code.parse import parse_python
from workbench.runs.kinds.python_code.tables import Reads, TableTools
from workbench.runs.kinds.python_code.values import Text
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing


def python(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    """The argument of ``function`` number ``position`` (from 0) or with the name ``name``.

    Only texts are read. ``pure`` lists the other functions that the code may call.
    """
    received = Received(spec, options)
    function = options.text("function")
    position = int(options.number("position"))
    name = options.text("name")
    roles = dict.fromkeys(options.texts("pure"), "pure") | {function: "watched"}
    tools = TableTools(roles, (), modules=modules(options))
    many = argument.type.kind is Kind.SET

    def extract(call: RecordedCall, _history: Sequence[RecordedCall]) -> FoundValue:
        regions = received.of(call)
        items = _passed(regions, tools, position, name)
        if many:
            every = tuple(entry for entries in items.values() for entry in entries)
            return FoundValue(list(items), every or (Provenance("python", regions[0].name),), items)
        if not items:
            raise Absent(f"the code does not call {function}")
        if len(items) > 1:
            raise Missing(f"the code calls {function} with {len(items)} different values")
        ((value, places),) = items.items()
        return FoundValue(value, places)

    return extract


def _passed(
    regions: Sequence[TextRegion], tools: TableTools, position: int, name: str
) -> dict[str, tuple[Provenance, ...]]:
    reads = Reads(tools)
    programs = [parse_python(code, frozenset()) for code in code_of(regions, frozenset())]
    follow_programs(programs, reads)
    places: dict[str, list[tuple[int, int]]] = {}
    for arguments, line in reads.watched:
        values = arguments.keyword(name) if name else None
        if values is None:
            values = arguments.at(position, "")
        if values is None:
            raise Missing(f"the call in line {line} does not pass the argument")
        for value in values:
            if not isinstance(value, Text) or value.literal is None:
                raise Missing(f"what the call in line {line} passes is only known when the code runs")
            place = value.place(0, len(value.literal))
            if place not in places.setdefault(value.literal, []):
                places[value.literal].append(place)
    ordered = sorted(places.items(), key=lambda item: item[1][0])
    return {text: tuple(provenance("python", regions, spans)) for text, spans in ordered}
