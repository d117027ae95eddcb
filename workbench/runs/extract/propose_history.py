"""Facts about the earlier calls of a run that a policy could take, proposed from the tools' schemas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.model import Argument, ArgumentType, Extraction, Json, Kind, Tool
from workbench.runs.extract.propose import SchemaField, fields_of, free_name, name_of, path_part
from workbench.runs.extract.tool_effects import effect_of

_ADDED_UP = frozenset({"amount", "amounts", "quantity", "count", "total", "price", "cost"})


def propose_history(tools: Iterable[Tool], taken_names: Iterable[str] = ()) -> tuple[Argument, ...]:
    """Arguments for the earlier calls of each acting tool, the sums of its numbers, and texts read before.

    A tool acts unless it certainly only reads. ``NAME_seen`` is whether a text argument of an acting tool
    appears in an earlier result of a reading tool, so that another party may have written it. ``taken_names``
    are names that are in use.
    """
    all_tools = tuple(tools)
    acting = [tool for tool in all_tools if not effect_of(tool).reads]
    reading: list[Json] = [tool.name for tool in all_tools if effect_of(tool).reads]
    names = set(taken_names)
    arguments = [_calls(tool, names) for tool in acting]
    by_path: dict[tuple[str, ...], list[SchemaField]] = {}
    for tool in acting:
        for field in fields_of(tool):
            by_path.setdefault(field.path, []).append(field)
    for path, alike in by_path.items():
        arguments += _of_path(path, alike, reading, names)
    return tuple(arguments)


def _calls(tool: Tool, taken_names: set[str]) -> Argument:
    return Argument(
        free_name(name_of((tool.name, "calls")), taken_names),
        ArgumentType(Kind.INT),
        f"how often {tool.name} was called before in the run",
        Extraction("history", {"operation": "count", "of": [tool.name]}),
    )


def _of_path(
    path: tuple[str, ...], alike: list[SchemaField], reading: list[Json], taken_names: set[str]
) -> Iterator[Argument]:
    """The arguments for the sum of a number, and for whether a text was read before."""
    tools: list[Json] = [field.tool for field in alike]
    written = "$.arguments" + "".join(path_part(part) for part in path)
    options: dict[str, Json] = {"path": written, "tools": tools}
    kinds = {field.type.kind for field in alike}
    label = " ".join(path)
    adds_up = kinds == {Kind.DECIMAL} or (kinds <= {Kind.DECIMAL, Kind.INT} and path[-1].lower() in _ADDED_UP)
    if adds_up:
        yield Argument(
            free_name(name_of((*path, "total")), taken_names),
            ArgumentType(Kind.DECIMAL, optional=True, places=max(field.type.places for field in alike)),
            f"what {label} adds up to in the run, with this call",
            Extraction("history", {"operation": "sum", "of": tools, "current": True, **options}),
        )
    if reading and kinds == {Kind.STR} and not any(field.type.values for field in alike):
        yield Argument(
            free_name(name_of((*path, "seen")), taken_names),
            ArgumentType(Kind.BOOL, optional=True),
            f"whether {label} is in something that was read before in the run",
            Extraction("history", {"operation": "seen", "of": reading, **options}),
        )
