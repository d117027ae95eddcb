"""The results of recorded calls, read once: JSON answers of tools, and texts of failed calls."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.model import Json, RecordedCall
from workbench.runs.values.jsontext import BadJson, parse_json
from workbench.runs.world.declared_failures import says_error

_LONGEST = 500_000
_LONGEST_ERROR = 2_000
_MOST_KEYS_OF_AN_ERROR = 4
_MOST_OF_A_TOOL = 2_000
_PLAIN_MEMBERS = r'(\s*"[^"\\]*"\s*:\s*("([^"\\]|\\.)*"|[\w.+-]+)\s*,)*'
"""The members of an object before one that says that its call failed: texts, numbers and words."""
_IS_SET = r'(?!null|false|""|\{\s*\}|\[\s*\])'
_ERRORS = (
    *(
        rf'^\s*\{{{_PLAIN_MEMBERS}\s*"{key}"\s*:\s*{_IS_SET}'
        for key in ("errors", "error_message", "exception")
    ),
    rf'^\s*\{{{_PLAIN_MEMBERS}\s*"(success|ok)"\s*:\s*false',
    rf'^\s*\{{{_PLAIN_MEMBERS}\s*"status"\s*:\s*"(error|failed|failure)"',
    r"^\s*(Error|ERROR|error)\b",
    r"^\s*(Traceback|Exception|[A-Za-z]+(Error|Exception):)",
    r"^\s*(Failed|Failure|Invalid|Cannot|Could not|Unable|Unauthorized|Forbidden|Not found)\b",
    r"^\s*(Access|Permission) denied\b",
    r'^[^{}\[\]"\n]{0,80}\b(not found|does not exist)\b',
)
"""Patterns of results that say that a call failed, besides the ``error`` of an object."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The result of a call, as JSON; ``place`` counts the calls of all runs."""

    tool: str
    arguments: Mapping[str, Json]
    value: Json
    run: str
    place: int


@dataclass(frozen=True, slots=True)
class ToolAnswers:
    """The JSON results of tools, the number of results that are no JSON, and the texts of failed calls.

    ``unflagged`` is how many of the failed ones the log does not flag. ``texts`` are results that are a text
    or a number, ``cut`` the tools of which not all results are read.
    """

    by_tool: Mapping[str, Sequence[ToolAnswer]]
    no_json: Mapping[str, int] = field(default_factory=dict[str, int])
    failures: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    unflagged: int = 0
    texts: Mapping[str, Sequence[ToolAnswer]] = field(default_factory=dict[str, Sequence[ToolAnswer]])
    cut: frozenset[str] = frozenset()


def read_answers(calls: Iterable[RecordedCall]) -> ToolAnswers:
    """The results of recorded calls: JSON objects and lists by tool, and failures."""
    answers_by_tool: defaultdict[str, list[ToolAnswer]] = defaultdict(list)
    texts: defaultdict[str, list[ToolAnswer]] = defaultdict(list)
    failures: defaultdict[str, list[str]] = defaultdict(list)
    no_json: Counter[str] = Counter()
    cut: set[str] = set()
    unflagged = 0
    for place, call in enumerate(calls):
        if call.tool is None or not call.ran or not call.result:
            continue
        if len(answers_by_tool[call.tool]) >= _MOST_OF_A_TOOL:
            cut.add(call.tool)
            continue
        value = _value(call.result)
        answer = ToolAnswer(call.tool, call.arguments or {}, value, call.run, place)
        if call.failed or _is_failure(call.result, value):
            failures[call.tool].append(call.result)
            unflagged += not call.failed
        elif isinstance(value, dict | list):
            answers_by_tool[call.tool].append(answer)
        else:
            texts[call.tool].append(answer)
            no_json[call.tool] += isinstance(value, str)
    return ToolAnswers(
        {tool: own_answers for tool, own_answers in answers_by_tool.items() if own_answers},
        no_json,
        failures,
        unflagged,
        texts,
        frozenset(cut),
    )


def _value(text: str) -> Json:
    """The JSON value of a result, or the text itself if it is no JSON."""
    if len(text) > _LONGEST:
        return text
    try:
        return parse_json(text, unique_keys=True)
    except BadJson:
        return text


def _is_failure(text: str, value: Json) -> bool:
    """Whether a result that is not flagged says that its call failed; one with more to say is none.

    One that has an ``error`` is one, whatever it says besides.
    """
    if (says := says_error(text)) is not None:
        return says
    if isinstance(value, dict):
        return bool(_saying(text)) and len(value) <= _MOST_KEYS_OF_AN_ERROR
    return isinstance(value, str) and len(text) <= _LONGEST_ERROR and bool(_saying(text))


def _saying(text: str) -> tuple[str, ...]:
    """The patterns that match a result."""
    return tuple(pattern for pattern in _ERRORS if re.search(pattern, text[:_LONGEST_ERROR]))


def texts_in(value: Json | Mapping[str, Json]) -> Iterator[str]:
    """Yield the texts in a value, at any depth."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from texts_in(inner)


def no_json_sentence(calls: Iterable[RecordedCall]) -> str:
    """A sentence about results that are no JSON, for which no record is proposed; empty if there are none."""
    counts = Counter(read_answers(calls).no_json)
    if not counts:
        return ""
    frequent_tools = ", ".join(f"{tool} ({count})" for tool, count in counts.most_common(3))
    return (
        f"Of {counts.total()} results that are no JSON no record is proposed; most are of {frequent_tools}."
    )


def error_patterns(failures: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """Patterns of results that say of a call of any tool that it failed; none that matches another result."""
    counts = Counter(pattern for text in failures for pattern in _saying(text)[:1])
    wrong = {pattern for text in others for pattern in _saying(text)}
    return tuple(pattern for pattern in _ERRORS if counts[pattern] and pattern not in wrong)


def absent_patterns(failures: Iterable[str]) -> tuple[str, ...]:
    """Patterns of a look-up's answers that report that there is no such record."""
    texts = [text.lower() for text in failures]
    known_phrases = ("not found", "does not exist", "no such")
    return tuple(phrase for phrase in known_phrases if any(phrase in text for text in texts))
