"""The facts that a rule may speak of and the agent spec does not declare yet, each with where it comes from.

They follow from the tools' schemas and from the shapes of recorded results alone: arguments of calls (nested
ones, and each element of lists), facts of the run's context, earlier calls and what they returned, counts and
sums over a run, and the time of the call. A fact is an argument that the agent spec can take as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from workbench.author.rules.words import split_words, stem
from workbench.clarify.kinds_of_texts import kind_named, parts_of_text
from workbench.clarify.named_things import ERRORS, NamedThing, error_forms, named_things, options_of
from workbench.clarify.told_values import (
    ToldValue,
    called_values,
    json_leaves,
    observed_type,
    returned_values,
)
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Extraction,
    Json,
    Kind,
    Record,
    Step,
    WorkbenchError,
)
from workbench.runs.extract.propose import free_name, name_of, path_part

MOST_FACTS = 3000


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

    ``tools`` are those whose calls have it, all where empty. ``records`` and ``arguments`` are what it needs
    beside: the customer of the order needs the order. Of a fact ``of_element`` the argument's name is a place
    in an element of a list, and ``arguments`` has the list. ``meaning`` is the part of a kind of value
    (``path.absolute``), ``root`` where relative paths begin. ``absent`` are the places
    that may be None where it has no value, in the order of looking; else it is the argument itself.
    """

    said: str
    source: FactSource
    argument: Argument
    tools: tuple[str, ...] = ()
    stems: frozenset[str] = field(default_factory=frozenset[str])
    records: tuple[Record, ...] = ()
    arguments: tuple[Argument, ...] = ()
    of_element: bool = False
    meaning: str = ""
    root: str = ""
    absent: tuple[str, ...] = ()

    @property
    def declared(self) -> tuple[Argument, ...]:
        """The arguments that the agent spec takes for it."""
        return self.arguments if self.of_element else (*self.arguments, self.argument)


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
NOW = "the current time is"


type KindOptions = Mapping[tuple[str, str], Json]
"""What holds for all texts of a kind: its value by the kind and the name of the option."""

# A key that two calls may share: its name, how the two are the same, the tools that take it, parts of a name.
type _SharedKey = tuple[str, dict[str, Json], tuple[str, ...], tuple[str, ...]]


def facts_of(
    spec: AgentSpec, steps: Sequence[Step], settings: Mapping[str, str] | None = None
) -> tuple[SayableFact, ...]:
    """Every fact that schemas and recorded steps show, with names that the agent spec has not taken.

    ``settings`` says what holds for all texts of a kind, by the words of ``SETTINGS``.
    """
    taken = {argument.name for argument in spec.arguments}
    chosen = chosen_options(spec, settings or {})
    found: list[SayableFact] = []
    errors = error_forms(steps)
    for fact in _facts(spec, steps, (settings or {}).get(NOW, ""), errors):
        if len(found) >= MOST_FACTS:
            break
        named = replace(fact.argument, name=free_name(fact.argument.name, taken))
        named = replace(named, extraction=_with_settings(_failing(named.extraction, errors), chosen))
        words = frozenset(stem(word) for word in split_words(fact.said))
        found.append(with_meaning(replace(fact, argument=named, stems=words)))
    return tuple(found)


def with_meaning(fact: SayableFact) -> SayableFact:
    """The fact with the part of a kind of value that its argument is, and with the root of its paths."""
    options = options_of(fact.argument)
    root = options.get("root") or options.get("folder") or ""
    return replace(fact, meaning=str(options.get("part", "")), root=str(root))


def chosen_options(spec: AgentSpec, settings: Mapping[str, str]) -> KindOptions:
    """The options of each kind: those that were said, else those of the agent spec's own arguments."""
    found: dict[tuple[str, str], Json] = {}
    for said, value in settings.items():
        if said not in (known := [*SETTINGS, ZONE, NOW]):
            raise WorkbenchError(f"{said!r} is no setting; the settings are: {', '.join(known)}.")
        found |= dict.fromkeys(SETTINGS.get(said, ()), value)
    for argument in spec.arguments:
        options = options_of(argument)
        kind = kind_named(argument.type, options)
        for places in SETTINGS.values():
            for of, option in places:
                if of == kind and option in options:
                    found.setdefault((of, option), options[option])
    return found


def _with_settings(source: Extraction | None, chosen: KindOptions) -> Extraction | None:
    part = str(source.options.get("part", "")).partition(".")[0] if source is not None else ""
    more = {option: value for (kind, option), value in chosen.items() if kind == part}
    return replace(source, options={**source.options, **more}) if source is not None and more else source


def _failing(source: Extraction | None, errors: tuple[str, ...]) -> Extraction | None:
    """An extraction that knows how results of these tools say that a call failed."""
    if source is None or "errors" not in source.options:
        return source
    return replace(source, options={**source.options, "errors": list[Json](errors)})


def _facts(
    spec: AgentSpec, steps: Sequence[Step], now: str, errors: tuple[str, ...]
) -> Iterator[SayableFact]:
    called, returned = called_values(spec, steps), returned_values(spec, steps)
    yield from _of_calls(called)
    yield from _of_context(steps)
    yield from _of_time(steps, now)
    keys = _keys(called)
    required = {
        tool: frozenset(leaf.path[0] for leaf in leaves if leaf.required and len(leaf.path) == 1)
        for tool, leaves in called.items()
    }
    for tool in spec.tools:
        told = {leaf.words for leaf in returned[tool.name]}
        yield from _of_earlier_calls(tool.name, called[tool.name], keys, told)
        yield from _of_earlier_results(tool.name, called[tool.name], returned[tool.name], keys, required)
    for thing in named_things(spec, called, returned, errors):
        yield from _of_things(thing, returned, keys)


# --- the call itself --------------------------------------------------------------


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
        yield from _typed_parts(leaf, said, name, options, tuple(tools))
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


def _typed_parts(
    leaf: ToldValue, said: str, name: str, options: Mapping[str, Json], tools: tuple[str, ...]
) -> Iterator[SayableFact]:
    """The typed parts of a text, where its name says of what kind it is."""
    for part, type_, form in parts_of_text(leaf):
        if leaf.many and type_.kind not in (Kind.STR,):
            continue
        many = leaf.many or type_.kind is Kind.SET
        text = form.format(said)
        own = {**options, "part": part, **({"elsewhere": list[Json]()} if many else {})}
        typed = ArgumentType(Kind.SET) if many else replace(type_, optional=True)
        argument = Argument(name_of((name, part.partition(".")[2])), typed, text, Extraction("jsonpath", own))
        yield SayableFact(text, FactSource.CALL, argument, tools)


# --- context and time ---------------------------------------------------------------


def _of_context(steps: Sequence[Step]) -> Iterator[SayableFact]:
    seen: dict[tuple[str, ...], list[Json]] = {}
    for step in steps:
        for path, value in json_leaves(dict(step.context), ()):
            if "[*]" not in path:
                seen.setdefault(path, []).append(value)
    for path, values in seen.items():
        type_ = observed_type(values)
        if type_ is None or path in {("id",), ("index",), ("time",)}:
            continue
        leaf = ToldValue(path, replace(type_, optional=True))
        said = f"{path[-1].replace('_', ' ')} of the user"
        source = Extraction("jsonpath", {"path": leaf.written("$.context")})
        yield SayableFact(
            said, FactSource.CONTEXT, Argument(name_of((f"user_{path[-1]}",)), leaf.type, said, source)
        )


def _of_time(steps: Sequence[Step], now: str) -> Iterator[SayableFact]:
    """Facts of the time of the call; ``now`` is the constant that a person says, or empty."""
    if not now and not any(step.time for step in steps):
        return
    parts = (
        ("time", "", Kind.DATETIME, "time of the call"),
        ("today", "date", Kind.DATE, "day of the call"),
        ("weekday", "weekday", Kind.INT, "weekday of the call"),
        ("day_of_month", "day", Kind.INT, "day of the month of the call"),
        ("hour", "hour", Kind.INT, "hour of the call"),
    )
    for name, part, kind, said in parts:
        options: dict[str, Json] = {**({"part": part} if part else {}), **({"value": now} if now else {})}
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
    tool: str, leaves: tuple[ToldValue, ...], keys: Mapping[str, tuple[str, ...]], told: Collection[str]
) -> Iterator[SayableFact]:
    """What earlier calls of a tool did, but for what is called as something ``told`` by its results."""
    of: list[Json] = [tool]
    said = f"how many {tool} succeeded before in the run"
    yield _earlier(tool, ("count",), said, ArgumentType(Kind.INT), _history("count", of=of))
    for key, same, tools, suffix in _shared(leaves, keys):
        source = _history("count", of=of, same=same, tools=list[Json](tools))
        text = f"how many {tool} succeeded before in the run for the same {key}"
        yield _earlier(tool, ("count", *suffix), text, ArgumentType(Kind.INT, optional=True), source, tools)
    for leaf in leaves:
        path: dict[str, Json] = {tool: leaf.written("$.arguments")}
        if not leaf.many and leaf.words not in told:
            text, type_ = f"{leaf.words} of the last {tool}", replace(leaf.type, optional=True)
            yield _earlier(tool, ("last", *_plain(leaf)), text, type_, _history("last", path=path))
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


def _of_things(
    thing: NamedThing,
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
                yield replace(fact, records=(thing.record,), arguments=(thing.argument,))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
