"""What the hooks of a session decided, by their logs: what was refused, asked, or would have been refused."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from workbench.app.hook_guard import RUNS, TROUBLE
from workbench.files.bounded_text import json_objects
from workbench.files.regular import read_regular
from workbench.model import Json, Verdict
from workbench.runs.values.jsontext import BadJson, clean_json, parse_json
from workbench.serialization.json_form import json_form

__all__ = ["HookDay", "HookReport", "HookTrouble", "RefusedCall", "read_report"]

DOCTOR = "doctor-"
"""The beginning of the runs in which doctor tries a hook; they are no work of an agent."""
_MOST_SHOWN = 120
_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """A reason for which calls were refused, asked about, or would have been, and some of them."""

    rule: str
    verdict: str
    count: int
    examples: Sequence[str]


json_form(RefusedCall)


@dataclass(frozen=True, slots=True)
class HookDay:
    """The calls of a day: how many were allowed, denied, asked about, could not be evaluated.

    ``shadow`` is true for hooks that only watch: what they would have refused ran.
    """

    day: str
    shadow: bool
    allowed: int
    denied: int
    asked: int
    not_evaluated: int
    refused: Sequence[RefusedCall]


json_form(HookDay)


@dataclass(frozen=True, slots=True)
class HookTrouble:
    """What went wrong beside the decisions, when it did last, and how often."""

    trouble: str
    last: str
    count: int


json_form(HookTrouble)


@dataclass(frozen=True, slots=True)
class HookReport:
    """The days of a session's hooks, oldest first, and their troubles."""

    days: Sequence[HookDay]
    troubles: Sequence[HookTrouble]


json_form(HookReport)


def read_report(folder: Path) -> HookReport:
    """The report on the folder of a session's hooks; empty if they were never asked."""
    days: dict[tuple[str, bool], list[Mapping[str, Json]]] = {}
    for path in sorted((folder / RUNS).glob("*.jsonl")):
        for line in _lines(path):
            if "tool" in line and DOCTOR not in str(line.get("run")):
                day = str(line.get("time", ""))[:10]
                shadow = line.get("shadow") is True or path.stem.endswith("-shadow")
                days.setdefault((day, shadow), []).append(line)
    troubles: dict[str, list[str]] = {}
    for line in _lines(folder / TROUBLE):
        if not str(line.get("run")).startswith(DOCTOR):
            troubles.setdefault(str(line.get("trouble")), []).append(str(line.get("time")))
    return HookReport(
        [_day(day, shadow, lines) for (day, shadow), lines in sorted(days.items())],
        [HookTrouble(text, max(times), len(times)) for text, times in troubles.items()],
    )


def _day(day: str, shadow: bool, lines: Sequence[Mapping[str, Json]]) -> HookDay:
    verdicts = Counter(_verdict(line) for line in lines)
    calls: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        verdict = _verdict(line)
        if verdict != Verdict.ALLOW.value:
            for rule in _rules(line):
                calls.setdefault((rule, verdict), []).append(_shown(line))
    refused = [
        RefusedCall(rule, verdict, len(shown), list(dict.fromkeys(shown))[:_EXAMPLES])
        for (rule, verdict), shown in sorted(calls.items(), key=lambda item: -len(item[1]))
    ]
    return HookDay(
        day,
        shadow,
        verdicts[Verdict.ALLOW.value],
        verdicts[Verdict.DENY.value],
        verdicts[Verdict.ASK.value],
        verdicts[Verdict.CANNOT_EVALUATE.value],
        refused,
    )


def _verdict(line: Mapping[str, Json]) -> str:
    return str(line.get("decision"))


def _rules(line: Mapping[str, Json]) -> Iterator[str]:
    """The rules that a call broke; else why it was refused."""
    violations = line.get("violations")
    named = (
        [item.get("rule") for item in violations if isinstance(item, dict)]
        if isinstance(violations, list)
        else []
    )
    if named:
        yield from map(str, named)
    elif _verdict(line) == Verdict.CANNOT_EVALUATE.value:
        reasons = line.get("reasons")
        yield str(reasons[0]) if isinstance(reasons, list) and reasons else "cannot be evaluated"
    else:
        yield str(line.get("refused_because") or "no rule permits it")


def _shown(line: Mapping[str, Json]) -> str:
    """A call in a few words: its tool and what it is about."""
    arguments = line.get("arguments")
    try:
        value = parse_json(arguments) if isinstance(arguments, str) else {}
    except BadJson:
        value = {}
    known = cast("dict[str, Json]", value) if isinstance(value, dict) else {}
    told = next(
        (known[key] for key in ("command", "file_path", "path", "url", "pattern") if key in known), ""
    )
    text = f"{line.get('tool')} {told if isinstance(told, str) else json.dumps(told)}".strip()
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _lines(path: Path) -> Iterator[Mapping[str, Json]]:
    """The lines of a log that can be read."""
    try:
        data = read_regular(path)
    except FileNotFoundError:
        return
    for _, line in json_objects(data):
        yield cast("Mapping[str, Json]", clean_json(cast("Json", line)))
