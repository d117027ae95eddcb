"""Facts of the call itself: its arguments and their parts, the context of its run, and its time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.author.rules.words import PROSE, split_words
from workbench.clarify.kinds_of_texts import parts_of_text
from workbench.clarify.sayable_facts import FactSource, SayableFact
from workbench.clarify.tool_values import ToolValue, json_leaves, observed_type
from workbench.model import Argument, ArgumentType, Extraction, Json, Kind, RecordedCall
from workbench.policy.types import MOMENTS, TEXTS
from workbench.runs.extract.propose import name_of

_FORMS_IN_TEXT = (
    ("card number", "", r"(?<![\d-])(?:\d[ -]?){12,18}\d(?![\d-])"),
    ("domain of a mail address", "mail_address.domain", r"[\w.+%-]+@[\w.-]*\w"),
)
_PARTS_OF_TIME = (("weekday", "weekday"), ("day", "day of the month"), ("hour", "hour"))


def facts_of_calls(called: Mapping[str, tuple[ToolValue, ...]]) -> Iterator[SayableFact]:
    """Yield a fact for each value of a call; several tools with the same path and type share one."""
    holders: dict[ToolValue, list[str]] = {}
    for tool, leaves in called.items():
        for leaf in leaves:
            holders.setdefault(leaf, []).append(tool)
    for leaf, tools in holders.items():
        several = sum(holder.path == leaf.path for holder in holders) > 1
        phrase = f"{leaf.words} of {', '.join(tools)}" if several else leaf.words
        name = name_of((*((tools[0],) if several else ()), *(part for part in leaf.path if part != "[*]")))
        options: dict[str, Json] = {"path": leaf.written("$.arguments"), "tools": list[Json](tools)}
        if leaf.many:
            type_, options["elsewhere"] = ArgumentType(Kind.SET, leaf.type.values), []
            if leaf.type.kind not in TEXTS:
                continue
        else:
            type_ = replace(leaf.type, optional=True)
        yield SayableFact(
            phrase,
            FactSource.CALL,
            Argument(name, type_, phrase, Extraction("jsonpath", options)),
            tuple(tools),
        )
        for part, words in _PARTS_OF_TIME if leaf.type.kind in MOMENTS else ():
            source = Extraction("jsonpath", {**options, "part": part})
            number, part_phrase = ArgumentType(Kind.INT, optional=True), f"{words} of {phrase}"
            argument = Argument(name_of((name, part)), number, part_phrase, source)
            yield SayableFact(part_phrase, FactSource.CALL, argument, tuple(tools))
        yield from _typed_parts(leaf, phrase, name, options, tuple(tools))
        yield from _within(leaf, phrase, name, tuple(tools))


def _within(leaf: ToolValue, phrase: str, name: str, tools: tuple[str, ...]) -> Iterator[SayableFact]:
    """Yield values of a known form within a text: card numbers, mail addresses."""
    last = next(part for part in reversed(leaf.path) if part != "[*]")
    if leaf.many or leaf.type.kind is not Kind.STR or not set(split_words(last)) & PROSE:
        return
    for form, part, pattern in _FORMS_IN_TEXT:
        options: dict[str, Json] = {
            "pattern": pattern,
            "text": f"arguments.{last}",
            "tools": list[Json](tools),
            "elsewhere": list[Json](),
            **({"part": part} if part else {}),
        }
        text = f"{form} in {phrase}"
        argument = Argument(name_of((name, form)), ArgumentType(Kind.SET), text, Extraction("regex", options))
        yield SayableFact(text, FactSource.CALL, argument, tools)


def _typed_parts(
    leaf: ToolValue, phrase: str, name: str, options: Mapping[str, Json], tools: tuple[str, ...]
) -> Iterator[SayableFact]:
    """Yield the typed parts of a text whose name suggests its kind."""
    for part, type_, form in parts_of_text(leaf):
        if leaf.many and type_.kind not in (Kind.STR,):
            continue
        many = leaf.many or type_.kind is Kind.SET
        text = form.format(phrase)
        part_options = {**options, "part": part, **({"elsewhere": list[Json]()} if many else {})}
        typed = ArgumentType(Kind.SET) if many else replace(type_, optional=True)
        argument = Argument(
            name_of((name, part.partition(".")[2])), typed, text, Extraction("jsonpath", part_options)
        )
        yield SayableFact(text, FactSource.CALL, argument, tools)


def facts_of_context(calls: Sequence[RecordedCall]) -> Iterator[SayableFact]:
    """Yield each single value in the context of the recorded runs, and the texts of each list as a set."""
    for path, values in values_of_context(calls).items():
        type_ = observed_type(values)
        if type_ is None or path in {("id",), ("index",), ("time",)}:
            continue
        if "[*]" in path:
            if type_.kind is not Kind.STR or path.count("[*]") > 1:
                continue
            type_ = ArgumentType(Kind.SET)
        else:
            type_ = replace(type_, optional=True)
        words = path[path.index("[*]") - 1 :] if "[*]" in path else path[-1:]
        leaf = ToolValue(path, type_)
        name = " ".join(part for part in words if part != "[*]")
        phrase = f"{name.replace('_', ' ')} of the user"
        source = Extraction("jsonpath", {"path": leaf.written("$.context")})
        argument = Argument(name_of((f"user {name}",)), leaf.type, phrase, source)
        yield SayableFact(phrase, FactSource.CONTEXT, argument)


def values_of_context(calls: Sequence[RecordedCall]) -> Mapping[tuple[str, ...], Sequence[Json]]:
    """The single values in the contexts of recorded runs, by their path; ``[*]`` is any element of a list."""
    values_by_path: dict[tuple[str, ...], list[Json]] = {}
    for call in calls:
        for path, value in json_leaves(dict(call.context), ()):
            values_by_path.setdefault(path, []).append(value)
    return values_by_path


def facts_of_time(calls: Sequence[RecordedCall], now: str) -> Iterator[SayableFact]:
    """Yield facts about the time of the call; ``now`` is the constant that a person gave, or empty."""
    if not now and not any(call.time for call in calls):
        return
    parts = (
        ("time", "", Kind.DATETIME, "time of the call"),
        ("today", "date", Kind.DATE, "day of the call"),
        ("weekday", "weekday", Kind.INT, "weekday of the call"),
        ("day_of_month", "day", Kind.INT, "day of the month of the call"),
        ("hour", "hour", Kind.INT, "hour of the call"),
    )
    for name, part, kind, phrase in parts:
        options: dict[str, Json] = {**({"part": part} if part else {}), **({"value": now} if now else {})}
        argument = Argument(
            name_of((f"call_{name}",)), ArgumentType(kind), phrase, Extraction("now", options)
        )
        yield SayableFact(phrase, FactSource.TIME, argument)
