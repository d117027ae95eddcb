"""Readings of what results say of their call itself: whether it is verified, the exit code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from workbench.clean_text import listed
from workbench.dialect.call_types import class_name
from workbench.dialect.class_names import OUTCOME
from workbench.dialect.text_readings import name_refused
from workbench.model import AgentSpec, ArgumentType, Extraction, Kind, Proposal, TextReading, Tool
from workbench.runs.extract.propose import fields_of, free_name, path_part
from workbench.runs.extract.tool_effects import effect_of
from workbench.runs.proposals.proposed_names import field_name
from workbench.runs.proposals.result_shapes import shape_of
from workbench.runs.proposals.things import Thing
from workbench.runs.proposals.tool_answers import ToolAnswers

_MOST_FIELDS = 2
_SINGLE = (Kind.BOOL, Kind.INT, Kind.DECIMAL, Kind.ENUM)


def with_outcomes(things: Sequence[Thing], tools: Mapping[str, Tool]) -> tuple[frozenset[str], list[Thing]]:
    """The tools whose results say only what became of their call, and the things without those.

    Such a tool takes more than a key, or does not only read, and its result has no more than two values
    besides the key that the call names.
    """
    told = frozenset(
        results.tool
        for thing in things
        for results in thing.results
        if len(thing.results) == 1
        and not results.many
        and results.key_argument
        and not _looks_up(tools[results.tool])
        and len(thing.names) <= _MOST_FIELDS
    )
    return told, [thing for thing in things if not all(results.tool in told for results in thing.results)]


def _looks_up(tool: Tool) -> bool:
    needed = [field for field in fields_of(tool) if field.needed]
    return effect_of(tool).reads and len(needed) <= 1


def propose_outcomes(
    spec: AgentSpec,
    tools: Sequence[Tool],
    answers: ToolAnswers,
    outcomes: frozenset[str],
    things: Sequence[Thing],
    taken_names: set[str],
) -> Iterator[Proposal]:
    """A reading for each single value in results that are no things: ``c.result.exit_code``."""
    of_things = {results.tool for thing in things for results in thing.results}
    found: defaultdict[tuple[str, ArgumentType], list[Tool]] = defaultdict(list)
    for tool in tools:
        values = [answer.value for answer in answers.by_tool.get(tool.name, ())]
        objects = [value for value in values if isinstance(value, dict)]
        is_read = tool.name in outcomes or tool.name not in of_things
        if not is_read or not objects or len(objects) < len(values) or not class_name(tool):
            continue
        arguments = {field.path[0] for field in fields_of(tool)}
        for part in shape_of(objects, {}, lists=False).parts:
            is_own = len(part.path) == 1 and part.path[0] not in arguments
            is_single = part.type is not None and part.type.kind in _SINGLE and not part.is_list
            if is_own and is_single and not part.optional and part.type is not None:
                found[part.path[0], part.type].append(tool)
    of_classes = {field for thing in things for field in thing.names}
    of_classes |= {field.path[-1] for tool in tools for field in fields_of(tool)}
    for (name, type_), told in found.items():
        if name not in of_classes and name not in {reading.name for reading in spec.readings}:
            yield _proposal(name, type_, told, taken_names)


def _proposal(name: str, type_: ArgumentType, told: Sequence[Tool], taken_names: set[str]) -> Proposal:
    plain = field_name((name,))
    own_name = f"{plain}_read" if name_refused(plain) or plain in OUTCOME else plain
    reading = TextReading(
        free_name(own_name, taken_names),
        type_,
        Extraction("json", {"path": path_part(name).removeprefix(".")}),
        texts=tuple(f"{class_name(tool)}.result" for tool in told),
    )
    evidence = (
        f"Results of {listed([tool.name for tool in told])} say it: c.result.{reading.name} in a policy."
    )
    return Proposal(reading.name, evidence=(evidence,), readings=(reading,))
