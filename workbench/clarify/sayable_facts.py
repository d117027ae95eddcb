"""The facts that a rule may speak of and the agent spec does not declare yet, each with where it comes from.

They follow from the tools' schemas and from the shapes of recorded results alone: arguments of calls (nested
ones, and each element of lists), facts of the run's context, earlier calls and what they returned, counts and
sums over a run, and the time of the call. A fact is an argument that the agent spec can take as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import StrEnum

from workbench.author.rules.words import split_words, stem
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Extraction,
    Json,
    Kind,
    LookUpTool,
    Record,
    RecordField,
    RecordResult,
    Step,
    Tool,
    WorkbenchError,
)
from workbench.runs.extract.propose import free_name, name_of, path_part

MOST_FACTS = 3000
_DEPTH = 3
_MOST_VALUES = 12
_LONGEST_VALUE = 40
# A result that says that the call failed, as JSON interfaces write it.
ERRORS = r'^\s*\{\s*"error"'
_DECIMAL = re.compile(r"-?\d+\.\d{1,2}")
_LOOKS_DECIMAL = re.compile(r"\\d\+\(?\\\.")
_SAFE_KEY = re.compile(r"[^\"\]\x00-\x1f]{1,80}")


class FactSource(StrEnum):
    """Where a fact comes from."""

    CALL = "an argument of the call"
    CONTEXT = "the context of the run"
    EARLIER_CALL = "earlier calls"
    EARLIER_RESULT = "what an earlier call returned"
    TIME = "the time of the call"


@dataclass(frozen=True, slots=True)
class SayableFact:
    """Something that a rule may speak of: what it is called in plain words, and the argument that says it.

    ``tools`` are those whose calls have it, all where empty. ``record`` and its argument ``of_record`` are
    what a fact needs that is told by a thing which the call names: the customer of the order.
    """

    said: str
    source: FactSource
    argument: Argument
    tools: tuple[str, ...] = ()
    stems: frozenset[str] = field(default_factory=frozenset[str])
    record: Record | None = None
    of_record: Argument | None = None


@dataclass(frozen=True, slots=True)
class ToldValue:
    """A value at a path of a call or a result: its type, and whether a list leads to it."""

    path: tuple[str, ...]
    type: ArgumentType
    many: bool = False
    required: bool = field(default=True, compare=False)

    @property
    def words(self) -> str:
        """What it is called."""
        return " ".join(part.replace("_", " ") for part in self.path if part != "[*]")

    def written(self, root: str) -> str:
        """Its path below a root."""
        return root + "".join("[*]" if part == "[*]" else path_part(part) for part in self.path)


# Parts of kinds of values that a text may be read into: the kind, its part, the type, how it is said.
_PARTS = (
    ("url", "host", Kind.STR, "host of {}"),
    ("url", "scheme", Kind.STR, "scheme of {}"),
    ("url", "port", Kind.INT, "port of {}"),
    ("url", "has_userinfo", Kind.BOOL, "user name in {}"),
    ("mail_address", "domain", Kind.STR, "domain of {}"),
    ("mail_address", "address", Kind.STR, "address in {}"),
    ("path", "absolute", Kind.STR, "whole path of {}"),
    ("path", "inside", Kind.SET, "folder that {} is in"),
    ("path", "name", Kind.STR, "file name of {}"),
    ("path", "suffix", Kind.STR, "ending of {}"),
    ("command", "programs", Kind.SET, "program that {} starts"),
    ("command", "calls", Kind.SET, "program with its sub-command that {} starts"),
    ("command", "paths", Kind.SET, "path that {} names"),
    ("command", "writes", Kind.SET, "file that {} writes"),
    ("command", "hosts", Kind.SET, "host that {} names"),
    ("command", "flags", Kind.SET, "option of each program of {}"),
    ("command", "opaque", Kind.BOOL, "something hidden in {}"),
    ("sql", "kinds", Kind.SET, "kind of statement of {}"),
    ("sql", "reads", Kind.SET, "table that {} reads"),
    ("sql", "writes", Kind.SET, "table that {} changes"),
    ("sql", "columns", Kind.SET, "column that {} reads"),
    ("sql", "shown", Kind.SET, "column that {} shows"),
    ("sql", "limited", Kind.SET, "limit on all rows of {}"),
)
_KIND_WORDS = {
    "path": frozenset({"path", "paths", "file", "folder", "directory", "filename"}),
    "command": frozenset({"command", "cmd", "shell"}),
    "sql": frozenset({"sql"}),
    "url": frozenset({"url", "uri", "link"}),
    "mail_address": frozenset(
        {"email", "mail", "recipient", "to", "cc", "addresses", "emails", "recipients"}
    ),
}


_PROSE = frozenset({"text", "body", "message", "subject", "note", "content", "comment", "title", "summary"})
_FORMS_IN_TEXT = (
    ("card number", "", r"(?<![\d-])(?:\d[ -]?){12,18}\d(?![\d-])"),
    ("domain of a mail address", "mail_address.domain", r"[\w.+%-]+@[\w.-]*\w"),
)
_PARTS_OF_TIME = (("weekday", "weekday"), ("day", "day of the month"), ("hour", "hour"))
# What a person may say of all texts of a kind: the words for it, the kind, its option.
SETTINGS = {
    "relative paths begin at": (("path", "root"), ("command", "folder")),
    "the home folder is": (("path", "home"), ("command", "home")),
    "the dialect of SQL is": (("sql", "dialect"),),
}
ZONE = "times are in"


# A key that two calls may share: its name, how the two are the same, the tools that take it, parts of a name.
type _SharedKey = tuple[str, dict[str, Json], tuple[str, ...], tuple[str, ...]]


def facts_of(
    spec: AgentSpec, steps: Sequence[Step], settings: Mapping[str, str] | None = None
) -> tuple[SayableFact, ...]:
    """Every fact that schemas and recorded steps show, with names that the agent spec has not taken.

    ``settings`` says what holds for all texts of a kind, by the words of ``SETTINGS``.
    """
    taken = {argument.name for argument in spec.arguments}
    chosen = _chosen(spec, settings or {})
    found: list[SayableFact] = []
    for fact in _facts(spec, steps):
        if len(found) >= MOST_FACTS:
            break
        named = replace(fact.argument, name=free_name(fact.argument.name, taken))
        named = replace(named, extraction=_with_settings(named.extraction, chosen))
        words = frozenset(stem(word) for word in split_words(fact.said))
        found.append(replace(fact, argument=named, stems=words))
    return tuple(found)


def _chosen(spec: AgentSpec, settings: Mapping[str, str]) -> Mapping[tuple[str, str], Json]:
    """The options of each kind: those that were said, else those of the agent spec's own arguments."""
    found: dict[tuple[str, str], Json] = {}
    for said, value in settings.items():
        if said not in {*SETTINGS, ZONE}:
            raise WorkbenchError(f"{said!r} is no setting; the settings are: {', '.join([*SETTINGS, ZONE])}.")
        found |= dict.fromkeys(SETTINGS.get(said, ()), value)
    for argument in spec.arguments:
        options = _options_of(argument)
        kind = str(options.get("part", "")).partition(".")[0]
        for places in SETTINGS.values():
            for of, option in places:
                if of == kind and option in options:
                    found.setdefault((of, option), options[option])
    return found


def _options_of(argument: Argument) -> Mapping[str, Json]:
    return {} if argument.extraction is None else argument.extraction.options


def _with_settings(source: Extraction | None, chosen: Mapping[tuple[str, str], Json]) -> Extraction | None:
    part = str(source.options.get("part", "")).partition(".")[0] if source is not None else ""
    more = {option: value for (kind, option), value in chosen.items() if kind == part}
    return replace(source, options={**source.options, **more}) if source is not None and more else source


def called_values(spec: AgentSpec, steps: Sequence[Step]) -> Mapping[str, tuple[ToldValue, ...]]:
    """The values that the schemas of the tools name; a text that is a date in every call is a date."""
    seen: dict[tuple[str, tuple[str, ...]], list[Json]] = {}
    for step in steps:
        for path, value in _json_leaves(dict(step.arguments or {}), ()):
            seen.setdefault((step.tool or "", path), []).append(value)
    return {
        tool.name: tuple(_as_seen(leaf, seen.get((tool.name, leaf.path), ())) for leaf in _called(tool))
        for tool in spec.tools
    }


def _as_seen(leaf: ToldValue, values: Sequence[Json]) -> ToldValue:
    found = _observed_type(values) if leaf.type.kind is Kind.STR and not leaf.many else None
    moments = (Kind.DATE, Kind.DATETIME)
    return replace(leaf, type=found) if found is not None and found.kind in moments else leaf


def returned_values(spec: AgentSpec, steps: Sequence[Step]) -> Mapping[str, tuple[ToldValue, ...]]:
    """The values that recorded results have, by tool."""
    return {tool.name: _returned(tool.name, steps) for tool in spec.tools}


def _facts(spec: AgentSpec, steps: Sequence[Step]) -> Iterator[SayableFact]:
    called, returned = called_values(spec, steps), returned_values(spec, steps)
    yield from _of_calls(called)
    yield from _of_context(steps)
    yield from _of_time(steps)
    keys = _keys(called)
    required = {
        tool: frozenset(leaf.path[0] for leaf in leaves if leaf.required and len(leaf.path) == 1)
        for tool, leaves in called.items()
    }
    for tool in spec.tools:
        yield from _of_earlier_calls(tool.name, called[tool.name], keys)
        yield from _of_earlier_results(tool.name, called[tool.name], returned[tool.name], keys, required)
    for thing in _things(spec, called, returned):
        yield from _of_things(thing, returned, keys)


# --- the call itself --------------------------------------------------------------


def _called(tool: Tool) -> Iterator[ToldValue]:
    """The values that the schema of a tool names."""
    yield from _schema_leaves(dict(tool.parameters), (), many=False)


def _schema_leaves(schema: Json, path: tuple[str, ...], *, many: bool) -> Iterator[ToldValue]:
    if not isinstance(schema, dict) or len(path) > 2 * _DEPTH:
        return
    properties, listed = schema.get("properties"), schema.get("required")
    items, needed = schema.get("items"), listed if isinstance(listed, list) else []
    if isinstance(properties, dict):
        for name, inner in properties.items():
            if _SAFE_KEY.fullmatch(name):
                for leaf in _schema_leaves(inner, (*path, name), many=many):
                    yield replace(leaf, required=leaf.required and name in needed)
    elif isinstance(items, dict) and path:
        yield from _schema_leaves(items, (*path, "[*]"), many=True)
    elif path and (type_ := _schema_type(schema)) is not None:
        yield ToldValue(path, type_, many)


def _schema_type(schema: Mapping[str, Json]) -> ArgumentType | None:
    values, kind = schema.get("enum"), schema.get("type")
    if isinstance(values, list) and values and all(isinstance(value, str) for value in values):
        return ArgumentType(Kind.ENUM, tuple(dict.fromkeys(map(str, values))))
    pattern, form = schema.get("pattern"), schema.get("format")
    if kind == "string" and isinstance(pattern, str) and _LOOKS_DECIMAL.search(pattern):
        return ArgumentType(Kind.DECIMAL)
    by_form = {"date": Kind.DATE, "date-time": Kind.DATETIME, "time": Kind.TIME}
    if kind == "string" and isinstance(form, str) and form in by_form:
        return ArgumentType(by_form[form])
    kinds = {"string": Kind.STR, "integer": Kind.INT, "number": Kind.DECIMAL, "boolean": Kind.BOOL}
    return ArgumentType(kinds[kind]) if isinstance(kind, str) and kind in kinds else None


def _of_calls(called: Mapping[str, tuple[ToldValue, ...]]) -> Iterator[SayableFact]:
    """Each value of a call; of one path and type in several tools there is one fact."""
    holders: dict[ToldValue, list[str]] = {}
    for tool, leaves in called.items():
        for leaf in leaves:
            holders.setdefault(leaf, []).append(tool)
    for leaf, tools in holders.items():
        several = sum(one.path == leaf.path for one in holders) > 1
        said = f"{leaf.words} of {_listed(tools)}" if several else leaf.words
        name = name_of((*((tools[0],) if several else ()), *(part for part in leaf.path if part != "[*]")))
        options: dict[str, Json] = {"path": leaf.written("$.arguments"), "tools": list[Json](tools)}
        if leaf.many:
            type_, options["elsewhere"] = ArgumentType(Kind.SET, leaf.type.values), []
            if leaf.type.kind not in (Kind.STR, Kind.ENUM):
                continue
        else:
            type_ = replace(leaf.type, optional=True)
        yield SayableFact(
            said, FactSource.CALL, Argument(name, type_, said, Extraction("jsonpath", options)), tuple(tools)
        )
        for part, words in _PARTS_OF_TIME if leaf.type.kind in (Kind.DATE, Kind.DATETIME) else ():
            source = Extraction("jsonpath", {**options, "part": part})
            number, told = ArgumentType(Kind.INT, optional=True), f"{words} of {said}"
            argument = Argument(name_of((name, part)), number, told, source)
            yield SayableFact(told, FactSource.CALL, argument, tuple(tools))
        yield from _parts_of(leaf, said, name, options, tuple(tools))
        yield from _within(leaf, said, name, tuple(tools))


def _within(leaf: ToldValue, said: str, name: str, tools: tuple[str, ...]) -> Iterator[SayableFact]:
    """What of a form that is known by itself stands in a text: numbers of cards, addresses of mails."""
    last = next(part for part in reversed(leaf.path) if part != "[*]")
    if leaf.many or leaf.type.kind is not Kind.STR or not set(split_words(last)) & _PROSE:
        return
    for form, part, pattern in _FORMS_IN_TEXT:
        options: dict[str, Json] = {
            "pattern": pattern,
            "text": f"arguments.{last}",
            "tools": list[Json](tools),
            "elsewhere": list[Json](),
            **({"part": part} if part else {}),
        }
        text = f"{form} in {said}"
        argument = Argument(name_of((name, form)), ArgumentType(Kind.SET), text, Extraction("regex", options))
        yield SayableFact(text, FactSource.CALL, argument, tools)


def _parts_of(
    leaf: ToldValue, said: str, name: str, options: Mapping[str, Json], tools: tuple[str, ...]
) -> Iterator[SayableFact]:
    """The typed parts of a text, where its name says of what kind it is."""
    last = next(part for part in reversed(leaf.path) if part != "[*]")
    words = set(split_words(last))
    if leaf.type.kind is not Kind.STR:
        return
    for kind, part, of, form in _PARTS:
        if not words & _KIND_WORDS[kind] or (leaf.many and of is not Kind.STR):
            continue
        many = leaf.many or of is Kind.SET
        type_ = ArgumentType(Kind.SET) if many else ArgumentType(of, optional=True)
        text = form.format(said)
        own = {**options, "part": f"{kind}.{part}", **({"elsewhere": list[Json]()} if many else {})}
        argument = Argument(name_of((name, part)), type_, text, Extraction("jsonpath", own))
        yield SayableFact(text, FactSource.CALL, argument, tools)


# --- context and time ---------------------------------------------------------------


def _of_context(steps: Sequence[Step]) -> Iterator[SayableFact]:
    seen: dict[tuple[str, ...], list[Json]] = {}
    for step in steps:
        for path, value in _json_leaves(dict(step.context), ()):
            if "[*]" not in path:
                seen.setdefault(path, []).append(value)
    for path, values in seen.items():
        type_ = _observed_type(values)
        if type_ is None or path in {("id",), ("index",), ("time",)}:
            continue
        leaf = ToldValue(path, replace(type_, optional=True))
        said = f"{path[-1].replace('_', ' ')} of the user"
        source = Extraction("jsonpath", {"path": leaf.written("$.context")})
        yield SayableFact(
            said, FactSource.CONTEXT, Argument(name_of((f"user_{path[-1]}",)), leaf.type, said, source)
        )


def _of_time(steps: Sequence[Step]) -> Iterator[SayableFact]:
    if not any(step.time for step in steps):
        return
    parts = (
        ("time", "", Kind.DATETIME, "time of the call"),
        ("today", "date", Kind.DATE, "day of the call"),
        ("weekday", "weekday", Kind.INT, "weekday of the call"),
        ("day_of_month", "day", Kind.INT, "day of the month of the call"),
        ("hour", "hour", Kind.INT, "hour of the call"),
    )
    for name, part, kind, said in parts:
        options: dict[str, Json] = {"part": part} if part else {}
        argument = Argument(name_of((f"call_{name}",)), ArgumentType(kind), said, Extraction("now", options))
        yield SayableFact(said, FactSource.TIME, argument)


# --- earlier calls --------------------------------------------------------------------


def _keys(called: Mapping[str, tuple[ToldValue, ...]]) -> Mapping[str, tuple[str, ...]]:
    """The tools that take each text at the top of a call: what may be the same in two calls."""
    found: dict[str, list[str]] = {}
    for tool, leaves in called.items():
        for leaf in leaves:
            if len(leaf.path) == 1 and not leaf.many and leaf.type.kind in (Kind.STR, Kind.INT):
                found.setdefault(leaf.path[0], []).append(tool)
    return {key: tuple(tools) for key, tools in found.items()}


def _history(operation: str, **options: Json) -> Extraction:
    return Extraction(
        "history", {"operation": operation, **options, "outcome": "successful", "errors": [ERRORS]}
    )


def _of_earlier_calls(
    tool: str, leaves: tuple[ToldValue, ...], keys: Mapping[str, tuple[str, ...]]
) -> Iterator[SayableFact]:
    of: list[Json] = [tool]
    said = f"how many {tool} succeeded before in the run"
    yield _earlier(tool, ("count",), said, ArgumentType(Kind.INT), _history("count", of=of))
    for key, same, tools, suffix in _shared(leaves, keys):
        source = _history("count", of=of, same=same, tools=list[Json](tools))
        text = f"how many {tool} succeeded before in the run for the same {key}"
        yield _earlier(tool, ("count", *suffix), text, ArgumentType(Kind.INT, optional=True), source, tools)
    for leaf in leaves:
        path: dict[str, Json] = {tool: leaf.written("$.arguments")}
        if leaf.type.kind in (Kind.DECIMAL, Kind.INT):
            text = f"all {leaf.words} of {tool} in the run together with this call"
            type_, parts = ArgumentType(leaf.type.kind), (*_plain(leaf), "total")
            yield _earlier(tool, parts, text, type_, _history("sum", path=path, current=True))
            for key, same, tools, suffix in _shared(leaves, keys):
                given: list[Json] = [*tools]
                text = f"all {leaf.words} of {tool} in the run for the same {key} together with this call"
                found = replace(type_, optional=True)
                source = _history("sum", path=path, same=same, tools=given, current=True)
                yield _earlier(tool, (*parts, *suffix), text, found, source, tools)
        elif leaf.type.kind in (Kind.STR, Kind.ENUM):
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
    leaves: tuple[ToldValue, ...],
    returned: tuple[ToldValue, ...],
    keys: Mapping[str, tuple[str, ...]],
    required: Mapping[str, frozenset[str]],
) -> Iterator[SayableFact]:
    """What earlier results of a tool say: of any call, and of those that share a key with this one."""
    shared: list[_SharedKey] = list(_shared(leaves, keys))
    taken = {leaf.path[0] for leaf in leaves if len(leaf.path) == 1}
    for leaf in returned:
        if len(leaf.path) == 1 and leaf.path[0] in keys and leaf.path[0] not in taken and not leaf.many:
            key = leaf.path[0]
            same: dict[str, Json] = {leaf.written("$.result"): f"$.arguments{path_part(key)}"}
            shared.append((key, same, keys[key], ("by", key)))
    for leaf in returned:
        if leaf.type.kind is Kind.BOOL and not leaf.many:
            yield from _said_yes(tool, leaf, shared)
        if leaf.many:
            yield from _listed_earlier(tool, leaf, shared, required)
        else:
            yield from _said_last(tool, leaf, shared)


def _said_yes(tool: str, leaf: ToldValue, shared: Sequence[_SharedKey]) -> Iterator[SayableFact]:
    """Whether some earlier result says yes."""
    where: dict[str, Json] = {leaf.written("$.result"): [True]}
    text, parts = f"{tool} said {leaf.words} before in the run", (*_plain(leaf), "ever")
    yield _earlier(tool, parts, text, ArgumentType(Kind.BOOL), _history("ever", of=[tool], where=where))
    for key, same, tools, suffix in shared:
        source = _history("ever", of=[tool], where=where, same=same, tools=list[Json](tools))
        type_ = ArgumentType(Kind.BOOL, optional=True)
        yield _earlier(tool, (*parts, *suffix), f"{text} for the same {key}", type_, source, tools)


def _said_last(tool: str, leaf: ToldValue, shared: Sequence[_SharedKey]) -> Iterator[SayableFact]:
    """What the latest result says."""
    path: dict[str, Json] = {tool: leaf.written("$.result")}
    text, type_ = f"{leaf.words} of the last {tool}", replace(leaf.type, optional=True)
    for key, same, tools, suffix in shared:
        source = _history("last", path=path, same=same, tools=list[Json](tools))
        yield _earlier(tool, (*_plain(leaf), *suffix), f"{text} for the same {key}", type_, source, tools)
    yield _earlier(tool, ("last", *_plain(leaf)), text, type_, _history("last", path=path))


def _listed_earlier(
    tool: str, leaf: ToldValue, shared: Sequence[_SharedKey], required: Mapping[str, frozenset[str]]
) -> Iterator[SayableFact]:
    """The texts in lists of earlier results; where a call may lack the key, nothing would be known of it."""
    if leaf.type.kind not in (Kind.STR, Kind.ENUM):
        return
    path: dict[str, Json] = {tool: leaf.written("$.result")}
    for key, same, tools, suffix in shared:
        given: list[Json] = [one for one in tools if key in required.get(one, ())]
        if given:
            source = _history("values", path=path, same=same, tools=given, elsewhere=list[Json]())
            text = f"{leaf.words} of earlier {tool} for the same {key}"
            yield _earlier(tool, (*_plain(leaf), *suffix), text, ArgumentType(Kind.SET), source, tools)


def _shared(leaves: tuple[ToldValue, ...], keys: Mapping[str, tuple[str, ...]]) -> Iterator[_SharedKey]:
    """Each text of a call that another call may name too: how they are the same, and which tools take it."""
    for leaf in leaves:
        key = leaf.path[0]
        if len(leaf.path) == 1 and key in keys and not leaf.many:
            place = f"$.arguments{path_part(key)}"
            yield key, {place: place}, keys[key], ("by", key)


def _plain(leaf: ToldValue) -> tuple[str, ...]:
    return tuple(part for part in leaf.path if part != "[*]")


def _earlier(
    tool: str,
    parts: tuple[str, ...],
    said: str,
    type_: ArgumentType,
    source: Extraction,
    tools: tuple[str, ...] = (),
) -> SayableFact:
    kind = FactSource.EARLIER_RESULT if "$.result" in str(source.options) else FactSource.EARLIER_CALL
    return SayableFact(said, kind, Argument(name_of((tool, *parts)), type_, said, source), tools)


# --- what a thing that the call names tells -------------------------------------------


@dataclass(frozen=True, slots=True)
class _Thing:
    """A record that a tool looks up by one text, its argument, and the fields that other calls take too."""

    record: Record
    argument: Argument
    fields: tuple[str, ...]


def _things(
    spec: AgentSpec,
    called: Mapping[str, tuple[ToldValue, ...]],
    returned: Mapping[str, tuple[ToldValue, ...]],
) -> Iterator[_Thing]:
    declared = {record.name: record for record in spec.records}
    for tool in spec.tools:
        texts = [leaf for leaf in called[tool.name] if leaf.type.kind is Kind.STR and len(leaf.path) == 1]
        own = {leaf.path[0]: leaf for leaf in returned[tool.name] if len(leaf.path) == 1 and not leaf.many}
        if len(texts) != 1 or len(called[tool.name]) != 1 or texts[0].path[0] not in own:
            continue
        key = texts[0].path[0]
        words = [word for word in split_words(tool.name)[1:] if word != "up"]
        name = name_of((key.removesuffix("_id") if key.endswith("_id") else "_".join(words) or tool.name,))
        taken = {leaf.path[0] for leaves in called.values() for leaf in leaves if len(leaf.path) == 1}
        others = tuple(one for one in own if one != key and one in taken)
        place = f"$.arguments{path_part(key)}"
        if name in declared:
            yield from _declared_thing(spec, declared[name], place, others)
        elif others:
            fields = tuple(RecordField(one, replace(own[one].type, optional=True)) for one in others)
            told = (RecordResult(tool.name, "$"),)
            look_up = LookUpTool(tool.name, {key: "key"})
            record = Record(name, fields, key, told, look_up=look_up, errors=(ERRORS,))
            source = Extraction("record", {"record": name, "key": place})
            said = f"the {name} of the call"
            type_ = ArgumentType(Kind.RECORD, optional=True, record=record.type)
            yield _Thing(record, Argument(f"{name}_of_call", type_, said, source), others)


def _declared_thing(spec: AgentSpec, record: Record, place: str, fields: tuple[str, ...]) -> Iterator[_Thing]:
    """The thing of a record that the agent spec declares, with its argument there."""
    known = {one.name for one in record.fields}
    for argument in spec.arguments:
        told = _options_of(argument)
        if told.get("record") == record.name and told.get("key") == place:
            yield _Thing(record, argument, tuple(one for one in fields if one in known))
            return


def _of_things(
    thing: _Thing,
    returned: Mapping[str, tuple[ToldValue, ...]],
    keys: Mapping[str, tuple[str, ...]],
) -> Iterator[SayableFact]:
    """What earlier calls say for a field of the thing that this call names."""
    name, key = thing.record.name, thing.record.key
    tools = keys.get(key, ())
    for name_of_field in thing.fields:
        for tool in keys.get(name_of_field, ()):
            same: dict[str, Json] = {
                f"$.arguments{path_part(name_of_field)}": f"{thing.argument.name}.{name_of_field}"
            }
            more: dict[str, Json] = {"of": [tool], "same": same, "tools": list[Json](tools)}
            said = f"for the {name_of_field} of the {name}"
            count = _history("count", **more)
            type_ = ArgumentType(Kind.INT, optional=True)
            found: list[tuple[tuple[str, ...], str, ArgumentType, Extraction]] = [
                (("count",), f"how many {tool} succeeded before in the run {said}", type_, count)
            ]
            for leaf in returned[tool]:
                if leaf.type.kind is Kind.BOOL and not leaf.many:
                    source = _history("ever", **more, where={leaf.written("$.result"): [True]})
                    text = f"{tool} said {leaf.words} before in the run {said}"
                    found.append(
                        ((*_plain(leaf), "ever"), text, ArgumentType(Kind.BOOL, optional=True), source)
                    )
            for leaf in returned[tool]:
                if not leaf.many:
                    path: dict[str, Json] = {tool: leaf.written("$.result")}
                    source = _history("last", path=path, same=same, tools=list[Json](tools))
                    text, kind = f"{leaf.words} of the last {tool} {said}", replace(leaf.type, optional=True)
                    found.append((_plain(leaf), text, kind, source))
            for parts, text, kind, source in found:
                fact = _earlier(tool, (*parts, "by", name, name_of_field), text, kind, source, tools)
                yield replace(fact, record=thing.record, of_record=thing.argument)


# --- the shapes of what is recorded ---------------------------------------------------


def _returned(tool: str, steps: Sequence[Step]) -> tuple[ToldValue, ...]:
    """The values in the recorded results of a tool, without those of failed calls."""
    seen: dict[tuple[str, ...], list[Json]] = {}
    for step in steps:
        if step.tool != tool or step.result is None or step.failed:
            continue
        result = _result_of(step)
        if isinstance(result, dict) and "error" not in result:
            for path, value in _json_leaves(result, ()):
                seen.setdefault(path, []).append(value)
    found = ((path, _observed_type(values)) for path, values in seen.items())
    return tuple(ToldValue(path, type_, "[*]" in path) for path, type_ in found if type_ is not None)


def _result_of(step: Step) -> Json:
    if not isinstance(step.result, str):
        return step.result
    try:
        return json.loads(step.result)
    except (ValueError, RecursionError):
        return None


def _json_leaves(value: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Json]]:
    if len(path) > 2 * _DEPTH:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            if _SAFE_KEY.fullmatch(name):
                yield from _json_leaves(inner, (*path, name))
    elif isinstance(value, list):
        for inner in value[:50]:
            yield from _json_leaves(inner, (*path, "[*]"))
    elif path:
        yield path, value


def _observed_type(values: Sequence[Json]) -> ArgumentType | None:
    given = [value for value in values if value is not None]
    if not given:
        return None
    if all(isinstance(value, bool) for value in given):
        return ArgumentType(Kind.BOOL)
    if all(isinstance(value, int) and not isinstance(value, bool) for value in given):
        return ArgumentType(Kind.INT)
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in given):
        return ArgumentType(Kind.DECIMAL)
    texts = [value for value in given if isinstance(value, str)]
    if len(texts) != len(given):
        return None
    if all(_DECIMAL.fullmatch(text) for text in texts):
        return ArgumentType(Kind.DECIMAL)
    for kind, read in ((Kind.DATE, date.fromisoformat), (Kind.DATETIME, datetime.fromisoformat)):
        if all(len(text) >= 10 and _reads(text, read) for text in texts):
            return ArgumentType(kind)
    few = tuple(sorted(set(texts)))
    if len(few) <= min(_MOST_VALUES, len(texts)) and all(0 < len(text) <= _LONGEST_VALUE for text in few):
        return ArgumentType(Kind.STR, few)
    return ArgumentType(Kind.STR)


def _reads(text: str, read: object) -> bool:
    try:
        read(text)  # type: ignore[operator]
    except ValueError:
        return False
    return True


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
