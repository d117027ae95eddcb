"""Method ``python``: the values that the agent's code passes to a function, by data flow."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.extract.code_columns import CODE_TEXTS, MODULES
from workbench.extract.code_text import find_code, parse_python
from workbench.extract.flow import Flow
from workbench.extract.flow_values import Many, Text
from workbench.extract.found import Absent, Found, Method, Missing
from workbench.extract.options import Options
from workbench.extract.regions import Region, RegionOptions
from workbench.extract.tool_roles import Grammar, Reads
from workbench.model import AgentSpec, Argument, Kind, Provenance, Step


def python(argument: Argument, _spec: AgentSpec, options: Options) -> Method:
    """What ``function`` is given as its argument number ``position`` (from 0) or as ``name``.

    Only texts are read. ``pure`` lists the other functions that the code may call.
    """
    regions = RegionOptions(options, CODE_TEXTS)
    function = options.needed("function")
    position = int(options.number("position", 0))
    name = options.text("name")
    roles = dict.fromkeys(options.texts("pure"), "pure") | {function: "watched"}
    grammar = Grammar(roles, (), modules=frozenset(options.texts("modules", MODULES)))
    many = argument.type.kind is Kind.SET

    def extract(step: Step, _history: Sequence[Step]) -> Found:
        region = regions.of(step)
        items = _passed(region, grammar, position, name)
        if many:
            every = tuple(entry for entries in items.values() for entry in entries)
            return Found(list(items), every or (Provenance("python", region.name),), items)
        if not items:
            raise Absent(f"the code does not call {function}")
        if len(items) > 1:
            raise Missing(f"the code calls {function} with {len(items)} different values")
        ((value, provenance),) = items.items()
        return Found(value, provenance)

    return extract


def _passed(region: Region, grammar: Grammar, position: int, name: str) -> dict[str, tuple[Provenance, ...]]:
    reads = Reads(grammar)
    for code in find_code(region.text):
        if code.text.strip():
            Flow(parse_python(code, frozenset()), reads).run()
    items: dict[str, tuple[Provenance, ...]] = {}
    for positional, named, line in reads.watched:
        values = named.get(name) if name else None
        if values is None:
            values = positional[position] if position < len(positional) else None
        if values is None:
            raise Missing(f"the call in line {line} does not pass the argument")
        for value in values:
            parts = value.elements if isinstance(value, Many) else [value]
            for part in parts:
                if not isinstance(part, Text) or part.literal is None:
                    raise Missing(f"what the call in line {line} passes is only known when the code runs")
                start, end = part.place(0, len(part.literal))
                place = region.provenance("python", start, end)
                known = items.get(part.literal, ())
                items[part.literal] = known if place in known else (*known, place)
    return dict(sorted(items.items(), key=lambda item: item[1][0].spans[0].start))
