"""Facts of a run before a call: counts and sums of earlier calls, and values of their results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.clarify.named_things import ERRORS, NamedThing
from workbench.clarify.sayable_facts import FactSource, SayableFact
from workbench.clarify.tool_values import ToolValue
from workbench.model import Argument, ArgumentType, Extraction, Json, Kind
from workbench.policy.types import NUMBERS, TEXTS
from workbench.runs.extract.propose import name_of, path_part

# A key that two calls may share: its name, the equal paths, the tools that take it, parts of a name.
type _SharedKey = tuple[str, dict[str, Json], tuple[str, ...], tuple[str, ...]]


def facts_of_history(
    called: Mapping[str, tuple[ToolValue, ...]],
    returned: Mapping[str, tuple[ToolValue, ...]],
    things: Iterable[NamedThing],
) -> Iterator[SayableFact]:
    """Yield facts about earlier calls and their results, by tool; then facts about this call's ``things``.

    ``called`` and ``returned`` are the values of the calls and of the results of each tool.
    """
    keys = _keys(called)
    required = {
        tool: frozenset(leaf.path[0] for leaf in leaves if leaf.required and len(leaf.path) == 1)
        for tool, leaves in called.items()
    }
    for tool, leaves in called.items():
        result_words = {leaf.words for leaf in returned[tool]}
        yield from _of_earlier_calls(tool, leaves, keys, result_words)
        yield from _of_earlier_results(tool, leaves, returned[tool], keys, required)
    for thing in things:
        yield from _of_things(thing, returned, keys)


def _keys(called: Mapping[str, tuple[ToolValue, ...]]) -> Mapping[str, tuple[str, ...]]:
    """The tools that take each text at the top level of a call: keys that two calls can share."""
    tools_by_key: dict[str, list[str]] = {}
    for tool, leaves in called.items():
        for leaf in leaves:
            if len(leaf.path) == 1 and not leaf.many and leaf.type.kind in (Kind.STR, Kind.INT):
                tools_by_key.setdefault(leaf.path[0], []).append(tool)
    return {key: tuple(tools) for key, tools in tools_by_key.items()}


def _history(operation: str, **options: Json) -> Extraction:
    return Extraction(
        "history", {"operation": operation, **options, "outcome": "successful", "errors": [ERRORS]}
    )


def _of_earlier_calls(
    tool: str,
    leaves: tuple[ToolValue, ...],
    keys: Mapping[str, tuple[str, ...]],
    result_words: Collection[str],
) -> Iterator[SayableFact]:
    """Yield the facts of a tool's earlier calls, except values in its results (``result_words``)."""
    of: list[Json] = [tool]
    phrase = f"how many {tool} succeeded before in the run"
    yield _earlier(tool, ("count",), phrase, ArgumentType(Kind.INT), _history("count", of=of))
    for key, same_paths, tools, suffix in _shared(leaves, keys):
        source = _history("count", of=of, same=same_paths, tools=list[Json](tools))
        text = f"how many {tool} succeeded before in the run for the same {key}"
        yield _earlier(tool, ("count", *suffix), text, ArgumentType(Kind.INT, optional=True), source, tools)
    for leaf in leaves:
        path: dict[str, Json] = {tool: leaf.written("$.arguments")}
        if not leaf.many and leaf.words not in result_words:
            text, type_ = f"{leaf.words} of the last {tool}", replace(leaf.type, optional=True)
            yield _earlier(tool, ("last", *_plain(leaf)), text, type_, _history("last", path=path))
        if leaf.type.kind in NUMBERS:
            text = f"all {leaf.words} of {tool} in the run together with this call"
            type_, parts = ArgumentType(leaf.type.kind), (*_plain(leaf), "total")
            yield _earlier(tool, parts, text, type_, _history("sum", path=path, current=True))
            for key, same_paths, tools, suffix in _shared(leaves, keys):
                listed_tools: list[Json] = [*tools]
                text = f"all {leaf.words} of {tool} in the run for the same {key} together with this call"
                argument_type = replace(type_, optional=True)
                source = _history("sum", path=path, same=same_paths, tools=listed_tools, current=True)
                yield _earlier(tool, (*parts, *suffix), text, argument_type, source, tools)
        elif leaf.type.kind in TEXTS:
            if leaf.many:
                text = f"how many {leaf.words} of {tool} in the run together with this call"
                counted = _history("count", path=path, current=True)
                yield _earlier(tool, (*_plain(leaf), "count"), text, ArgumentType(Kind.INT), counted)
            text = f"{leaf.words} of earlier {tool}"
            yield _earlier(
                tool, (*_plain(leaf), "earlier"), text, ArgumentType(Kind.SET), _history("values", path=path)
            )


def _of_earlier_results(
    tool: str,
    leaves: tuple[ToolValue, ...],
    returned: tuple[ToolValue, ...],
    keys: Mapping[str, tuple[str, ...]],
    required: Mapping[str, frozenset[str]],
) -> Iterator[SayableFact]:
    """Yield the facts of a tool's earlier results: of all calls, and of calls that share a key with this."""
    shared: list[_SharedKey] = list(_shared(leaves, keys))
    argument_names = {leaf.path[0] for leaf in leaves if len(leaf.path) == 1}
    for leaf in returned:
        if (
            len(leaf.path) == 1
            and leaf.path[0] in keys
            and leaf.path[0] not in argument_names
            and not leaf.many
        ):
            key = leaf.path[0]
            same_paths: dict[str, Json] = {leaf.written("$.result"): f"$.arguments{path_part(key)}"}
            shared.append((key, same_paths, keys[key], ("by", key)))
    for leaf in returned:
        if leaf.type.kind is Kind.BOOL and not leaf.many:
            yield from _said_yes(tool, leaf, shared)
        if leaf.many:
            yield from _listed_earlier(tool, leaf, shared, required)
        else:
            yield from _said_last(tool, leaf, shared)


def _said_yes(tool: str, leaf: ToolValue, shared: Sequence[_SharedKey]) -> Iterator[SayableFact]:
    """Yield the facts whether the value was true in some earlier result."""
    where: dict[str, Json] = {leaf.written("$.result"): [True]}
    text, parts = f"{tool} said {leaf.words} before in the run", (*_plain(leaf), "ever")
    yield _earlier(tool, parts, text, ArgumentType(Kind.BOOL), _history("ever", of=[tool], where=where))
    for key, same_paths, tools, suffix in shared:
        source = _history("ever", of=[tool], where=where, same=same_paths, tools=list[Json](tools))
        type_ = ArgumentType(Kind.BOOL, optional=True)
        yield _earlier(tool, (*parts, *suffix), f"{text} for the same {key}", type_, source, tools)


def _said_last(tool: str, leaf: ToolValue, shared: Sequence[_SharedKey]) -> Iterator[SayableFact]:
    """Yield the facts of a value in the latest result."""
    path: dict[str, Json] = {tool: leaf.written("$.result")}
    text, type_ = f"{leaf.words} of the last {tool}", replace(leaf.type, optional=True)
    for key, same_paths, tools, suffix in shared:
        source = _history("last", path=path, same=same_paths, tools=list[Json](tools))
        yield _earlier(tool, (*_plain(leaf), *suffix), f"{text} for the same {key}", type_, source, tools)
    yield _earlier(tool, ("last", *_plain(leaf)), text, type_, _history("last", path=path))


def _listed_earlier(
    tool: str, leaf: ToolValue, shared: Sequence[_SharedKey], required: Mapping[str, frozenset[str]]
) -> Iterator[SayableFact]:
    """Yield the texts in lists of earlier results, for tools that require the key; else they are unknown."""
    if leaf.type.kind not in TEXTS:
        return
    path: dict[str, Json] = {tool: leaf.written("$.result")}
    for key, same_paths, tools, suffix in shared:
        listed_tools: list[Json] = [tool for tool in tools if key in required.get(tool, ())]
        if listed_tools:
            source = _history(
                "values", path=path, same=same_paths, tools=listed_tools, elsewhere=list[Json]()
            )
            text = f"{leaf.words} of earlier {tool} for the same {key}"
            yield _earlier(tool, (*_plain(leaf), *suffix), text, ArgumentType(Kind.SET), source, tools)


def _shared(leaves: tuple[ToolValue, ...], keys: Mapping[str, tuple[str, ...]]) -> Iterator[_SharedKey]:
    """Yield each text that another call may have too: its name, the equal paths, the tools that take it."""
    for leaf in leaves:
        key = leaf.path[0]
        if len(leaf.path) == 1 and key in keys and not leaf.many:
            place = f"$.arguments{path_part(key)}"
            yield key, {place: place}, keys[key], ("by", key)


def _plain(leaf: ToolValue) -> tuple[str, ...]:
    return tuple(part for part in leaf.path if part != "[*]")


def _earlier(
    tool: str,
    parts: tuple[str, ...],
    phrase: str,
    type_: ArgumentType,
    source: Extraction,
    tools: tuple[str, ...] = (),
) -> SayableFact:
    kind = FactSource.EARLIER_RESULT if "$.result" in str(source.options) else FactSource.EARLIER_CALL
    return SayableFact(phrase, kind, Argument(name_of((tool, *parts)), type_, phrase, source), tools)


# --- facts of a thing that the call names


def _of_things(
    thing: NamedThing,
    returned: Mapping[str, tuple[ToolValue, ...]],
    keys: Mapping[str, tuple[str, ...]],
) -> Iterator[SayableFact]:
    """Yield facts of earlier calls whose arguments equal a field of the thing that this call names."""
    name, key = thing.record.name, thing.record.key
    tools = keys.get(key, ())
    for name_of_field in thing.fields:
        for tool in keys.get(name_of_field, ()):
            same_paths: dict[str, Json] = {
                f"$.arguments{path_part(name_of_field)}": f"{thing.argument.name}.{name_of_field}"
            }
            common_options: dict[str, Json] = {"of": [tool], "same": same_paths, "tools": list[Json](tools)}
            suffix = f"for the {name_of_field} of the {name}"
            count = _history("count", **common_options)
            type_ = ArgumentType(Kind.INT, optional=True)
            fact_parts: list[tuple[tuple[str, ...], str, ArgumentType, Extraction]] = [
                (("count",), f"how many {tool} succeeded before in the run {suffix}", type_, count)
            ]
            for leaf in returned[tool]:
                if leaf.type.kind is Kind.BOOL and not leaf.many:
                    source = _history("ever", **common_options, where={leaf.written("$.result"): [True]})
                    text = f"{tool} said {leaf.words} before in the run {suffix}"
                    fact_parts.append(
                        ((*_plain(leaf), "ever"), text, ArgumentType(Kind.BOOL, optional=True), source)
                    )
            for leaf in returned[tool]:
                if not leaf.many:
                    path: dict[str, Json] = {tool: leaf.written("$.result")}
                    source = _history("last", path=path, same=same_paths, tools=list[Json](tools))
                    text, kind = (
                        f"{leaf.words} of the last {tool} {suffix}",
                        replace(leaf.type, optional=True),
                    )
                    fact_parts.append((_plain(leaf), text, kind, source))
            for parts, text, kind, source in fact_parts:
                fact = _earlier(tool, (*parts, "by", name, name_of_field), text, kind, source, tools)
                yield replace(fact, records=(thing.record,), arguments=(thing.argument,))
