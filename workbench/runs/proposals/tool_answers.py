"""The results of recorded calls, read once: JSON answers of tools, and texts of failed calls."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.model import Json, RecordedCall
from workbench.runs.values.jsontext import BadJson, parse_json

_LONGEST = 500_000
_MOST_OF_A_TOOL = 2_000
_SAYS_ERROR = ("error", "errors", "error_message", "exception")


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
    """The JSON results of tools, the number of results that are no JSON, and the texts of failed calls."""

    by_tool: Mapping[str, Sequence[ToolAnswer]]
    no_json: Mapping[str, int] = field(default_factory=dict[str, int])
    failures: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])


def read_answers(calls: Iterable[RecordedCall]) -> ToolAnswers:
    """The results of recorded calls: JSON objects and lists by tool, and failures."""
    answers_by_tool: defaultdict[str, list[ToolAnswer]] = defaultdict(list)
    failures: defaultdict[str, list[str]] = defaultdict(list)
    no_json: Counter[str] = Counter()
    for place, call in enumerate(calls):
        if (
            call.tool is None
            or not call.ran
            or not call.result
            or len(answers_by_tool[call.tool]) >= _MOST_OF_A_TOOL
        ):
            continue
        value = _value(call.result)
        if call.failed or _is_failure(call.result, value):
            failures[call.tool].append(call.result)
        elif isinstance(value, dict | list):
            answers_by_tool[call.tool].append(
                ToolAnswer(call.tool, call.arguments or {}, value, call.run, place)
            )
        elif isinstance(value, str):
            no_json[call.tool] += 1
    return ToolAnswers(
        {tool: own_answers for tool, own_answers in answers_by_tool.items() if own_answers}, no_json, failures
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
    if isinstance(value, dict):
        return any(key in value for key in _SAYS_ERROR) and len(value) <= 3
    return isinstance(value, str) and text.lstrip().lower().startswith("error")


def no_json_sentence(calls: Iterable[RecordedCall]) -> str:
    """A sentence about results that are no JSON, for which no record is proposed; empty if there are none."""
    counts = Counter(read_answers(calls).no_json)
    if not counts:
        return ""
    frequent_tools = ", ".join(f"{tool} ({count})" for tool, count in counts.most_common(3))
    return (
        f"Of {counts.total()} results that are no JSON no record is proposed; most are of {frequent_tools}."
    )


def error_patterns(failures: Iterable[str], records: Iterable[str]) -> tuple[str, ...]:
    """Patterns of failed results; patterns that may match a record are left out."""
    texts = [text.lstrip() for text in failures]
    patterns: list[str] = []
    for key in _SAYS_ERROR:
        if any(text.startswith("{") and f'"{key}"' in text[: len(key) + 8] for text in texts):
            patterns.append(rf'^\s*\{{\s*"{key}"')
    for word in ("Error", "ERROR", "error"):
        if any(text.startswith(word) for text in texts):
            patterns.append(rf"^\s*{word}")
    held = [text.lstrip() for text in records]
    starts = {'^\\s*\\{\\s*"' + key + '"': key for key in _SAYS_ERROR}
    return tuple(
        pattern
        for pattern in patterns
        if pattern not in starts or not any(f'"{starts[pattern]}"' in text[:40] for text in held)
    )


def absent_patterns(failures: Iterable[str]) -> tuple[str, ...]:
    """Patterns of a look-up's answers that report that there is no such record."""
    texts = [text.lower() for text in failures]
    known_phrases = ("not found", "does not exist", "no such")
    return tuple(phrase for phrase in known_phrases if any(phrase in text for text in texts))
