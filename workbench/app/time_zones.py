"""In which zone times are counted, or are that name none: asked where rules read such times."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from workbench.clean_text import one_line
from workbench.model import AgentSpec, Doubt, Json, RecordedCall, Tool
from workbench.policy.terms import PolicyTerms
from workbench.policy.written import TimeRead
from workbench.runs.values.zones import BadZone, zone_named

ZONE = "time-zone"
_MEANT = "meant"
_MOST_FOUND = 500
"""How many times of the log are looked at for one field."""
_TIME = re.compile(
    r"(?<![\w.-])(?:\d{4}-\d\d-\d\d|YYYY-MM-DD)"
    r"[T ](?:\d\d|hh|HH):(?:\d\d|mm|MM)(?::(?:\d\d|ss|SS))?(?:\.\d+)?"
    r"(?P<zone> ?(?:Z\b|[+-]\d\d:?\d\d))?(?![\w:])"
)
_LOCAL = re.compile(r"\blocal (?:date|time)|\bwithout (?:a )?(?:time ?)?zone\b", re.IGNORECASE)
_SAMPLES = (
    "2026-03-02T09:00",
    "2026-03-02T09:00:00",
    "2026-03-02 09:00",
    "2026-03-02 09:00:00",
    "2026-03-02",
)
_REGIONS = frozenset(("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"))
_MOST_CITIES = 4
"""The most cities of a request that are offered: one that names many speaks of something else."""
_ZONE_NAME = re.compile(r"(?<![\w/])[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_]+){1,2}(?![\w/])")


def doubts_of_zones(
    terms: PolicyTerms, agent: AgentSpec, request: str, calls: Sequence[RecordedCall]
) -> Iterator[Doubt]:
    """The question in which zone times are counted, or are that name none, for all such times at once.

    Of times whose days or hours are read it is asked unless the agent or the field says it: one that names a
    zone may name any. Of others it is not asked where what is logged or the schema names zones.
    """
    if agent.zone or not terms.file.times:
        return
    tools = {tool.name: tool for tool in agent.tools}
    found = [(one, _seen(one, tools, calls)) for one in terms.file.times]
    by_clock = any(one.by_clock for one, _ in found)
    doubtful = [(one, seen) for one, seen in found if (one.by_clock if by_clock else seen is not None)]
    if not doubtful:
        return
    times = ", ".join(one.name for one, _ in doubtful)
    said = max((seen for _, seen in found if seen is not None), key=lambda seen: seen.is_logged, default=None)
    zones = dict(_zones(request, terms.file.text, agent))
    material = f"clocks of {times}" if by_clock else times
    yield Doubt(
        id=f"{ZONE}:{hashlib.sha256(material.encode()).hexdigest()[:8]}",
        kind="clock-zone" if by_clock else "time-zone",
        values=(*zones, _MEANT),
        free_text=True,
        facts={
            "times": one_line(times),
            "seen": "" if said is None else f"{said.sentence}. " if by_clock else said.sentence,
        },
        value_facts={name: {"named": where} for name, where in zones.items()},
    )


class _Seen(NamedTuple):
    """The sentence that says why a time may name no zone, and whether the log shows one."""

    sentence: str
    is_logged: bool = False


def _seen(time: TimeRead, tools: Mapping[str, Tool], calls: Sequence[RecordedCall]) -> _Seen | None:
    """What says that a time may name no zone; None where logged times or the schema always name one."""
    from workbench.question_wording import phrase  # which needs pydantic, and the screen starts without

    found = [*islice(_logged(time, calls), _MOST_FOUND)]
    naive = [text for text, has_zone in found if not has_zone]
    if naive:
        values = f"“{one_line(naive[0])}”, one of {len(naive):,}"
        return _Seen(phrase("time-zone", "seen", values=values), is_logged=True)
    if found:
        return None
    schema: Mapping[str, Json] = {}
    if time.path:
        schema = _schema(tools[time.tools[0]].parameters, time.path)
    text = str(schema.get("description", ""))
    written = [*_TIME.finditer(text)]
    if _LOCAL.search(text) or not all(one["zone"] for one in written):
        return _Seen(phrase("time-zone", "described", where=time.name))
    pattern = schema.get("pattern")
    names_zones = any(one["zone"] for one in written) or schema.get("format") == "date-time"
    if isinstance(pattern, str):
        names_zones = not _permits_none(pattern)
    return None if names_zones else _Seen(phrase("time-zone", "unknown"))


def _permits_none(pattern: str) -> bool:
    """Whether a time without a zone matches the pattern of a schema."""
    try:
        return any(re.search(pattern, sample) for sample in _SAMPLES)
    except re.error:  # a pattern of another language says nothing here
        return True


def _logged(time: TimeRead, calls: Sequence[RecordedCall]) -> Iterator[tuple[str, bool]]:
    """Yield what the log has of a time, or of times in results, each with whether it names its zone."""
    for call in calls:
        if time.tools and call.tool not in time.tools:
            continue
        if time.path:
            yield from _of_values(_values(dict(call.arguments or {}), time.path.replace("[]", "").split(".")))
        elif call.result:
            yield from ((one.group(), bool(one["zone"])) for one in _TIME.finditer(call.result))


def _of_values(values: Iterable[Json]) -> Iterator[tuple[str, bool]]:
    for value in values:
        if isinstance(value, int | float):  # seconds since 1970
            yield str(value), True
        if isinstance(value, str):
            try:
                at = datetime.fromisoformat(value.strip())
            except ValueError:
                continue
            yield value, at.tzinfo is not None


def _values(value: Json, path: Sequence[str]) -> Iterator[Json]:
    """Yield the values at a path, also in each element of a list."""
    if isinstance(value, list):
        for one in value:
            yield from _values(one, path)
    elif not path:
        yield value
    elif isinstance(value, dict) and path[0] in value:
        yield from _values(value[path[0]], path[1:])


def _schema(parameters: Mapping[str, Json], path: str) -> Mapping[str, Json]:
    """What a schema says of the value at a path; nothing where it says it by a reference."""
    schema: Json = dict(parameters)
    for name in path.replace("[]", ".[]").split("."):
        if name == "[]":
            schema = schema.get("items") if isinstance(schema, dict) else None
        else:
            inside = schema.get("properties") if isinstance(schema, dict) else None
            schema = inside.get(name) if isinstance(inside, dict) else None
    return schema if isinstance(schema, dict) else {}


def _zones(request: str, policy: str, agent: AgentSpec) -> Iterator[tuple[str, str]]:
    """The zones that may be meant, each with what speaks for it; UTC comes without."""
    from workbench.question_wording import phrase

    found: dict[str, str] = {}
    described = "\n".join(
        (agent.description, *(f"{tool.description}\n{tool.parameters}" for tool in agent.tools))
    )
    for where, text in (("the request", request), ("the policy", policy), ("the agent", described)):
        for name in _ZONE_NAME.findall(text):
            if _is_zone(name):
                found.setdefault(name, phrase("time-zone", "named", where=where))
    for name in islice(_of_cities(request), _MOST_CITIES):
        found.setdefault(name, phrase("time-zone", "named", where="the request"))
    if (name := _zone_here()) and _is_zone(name):
        found.setdefault(name, phrase("time-zone", "here"))
    yield from found.items()
    if "UTC" not in found:
        yield "UTC", ""


def _of_cities(text: str) -> Iterator[str]:
    """The zones that are named by a city which a text speaks of, as “Berlin time” does."""
    from zoneinfo import available_timezones

    capitalised = set(re.findall(r"(?<!\w)[A-Z][a-z]+(?: [A-Z][a-z]+)?(?!\w)", text))
    spoken = capitalised | {word for words in capitalised for word in words.split()}
    for name in sorted(available_timezones()):
        region, slash, city = name.rpartition("/")
        if slash and region in _REGIONS and city.replace("_", " ") in spoken:
            yield name


def _is_zone(name: str) -> bool:
    try:
        zone_named(name)
    except BadZone:
        return False
    return True


def _zone_here() -> str:
    """The name of the zone of this machine; empty if it has none."""
    linked = os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    name = os.environ.get("TZ", "").removeprefix(":") or linked
    return "UTC" if name in ("Etc/UTC", "Etc/UCT", "UCT", "Z") else name
