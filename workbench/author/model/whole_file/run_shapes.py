"""The shapes of recorded runs, for a model that defines the sources of arguments and records."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Sequence

from workbench.clean_text import clean
from workbench.model import Json, RecordedCall, Run

MOST_CALLS = 2000
_LONGEST = 700
_EXAMPLES = 2
_PATHS = 40
_LONGEST_VALUE = 200
_LONGEST_VALUES = 2500
_SHORT = 40
_MOST_SHORT = _LONGEST_VALUES // _SHORT
"""For how many short values there is room at any place: of more, a few say what they look like."""
_FEW_VALUES = 8
_MOST_KEYS = 12
"""The most keys of an object that are names: more, each of an object, are ids."""
_TOLD = 16
_LONGEST_TOLD = 240


def looked_at(runs: Sequence[Run]) -> tuple[Run, ...]:
    """The first runs that together have at most ``MOST_CALLS`` calls; at least one run."""
    first_runs: list[Run] = []
    count = 0
    for run in runs:
        count += len(run.calls)
        if first_runs and count > MOST_CALLS:
            break
        first_runs.append(run)
    return tuple(first_runs)


def shapes(runs: Sequence[Run]) -> str:
    """The contexts of the runs; for each tool calls, results and their values; and messages of users."""
    recorded_calls = [call for run in runs for call in run.calls]
    if not recorded_calls:
        return "There are no recorded runs."
    lines = [f"{len(runs)} runs with {len(recorded_calls)} calls."]
    contexts = {json.dumps(dict(call.context), ensure_ascii=False): call.context for call in recorded_calls}
    lines += [f"$.context is for instance {_cut(text)}" for text in list(contexts)[:1]]
    lines += _values_at("$.context", [dict(context) for context in contexts.values()])
    if any(call.time for call in recorded_calls):
        lines.append(f"$.time is for instance {next(call.time for call in recorded_calls if call.time)}")
    by_tool: dict[str, list[RecordedCall]] = {}
    for call in recorded_calls:
        by_tool.setdefault(call.tool or "(none)", []).append(call)
    for tool, calls in by_tool.items():
        lines.append(f"{tool}: {len(calls)} calls, for instance")
        for call in _telling(calls):
            arguments = json.dumps(dict(call.arguments or {}), ensure_ascii=False)
            lines.append(f"  $.arguments {_cut(arguments)}")
            if call.result is not None:
                lines.append(f"  $.result    {_cut(call.result)}{' (failed)' if call.failed else ''}")
        lines += ["  with these values:"]
        lines += [
            f"  {line}" for line in _values_at("$.arguments", [dict(call.arguments or {}) for call in calls])
        ]
        lines += [f"  {line}" for line in _values_at("$.result", _results(calls))]
    return clean_lines([*lines, *_first_messages(runs)])


def _results(calls: Sequence[RecordedCall]) -> list[Json]:
    """The results that are objects or lists."""
    results: list[Json] = []
    for call in calls:
        try:
            value: Json = json.loads(call.result or "")
        except (ValueError, RecursionError):
            continue
        if isinstance(value, (dict, list)):
            results.append(value)
    return results


def _first_messages(runs: Sequence[Run]) -> list[str]:
    """The beginnings of the first messages of the runs, by their author: texts that a regex can read."""
    lines: list[str] = []
    for name in ("first_system", "first_user", "agent_input"):
        texts = [run.calls[-1].texts.get(name, "") for run in runs if run.calls]
        forms = list(dict.fromkeys(text for text in texts if text))
        if forms:
            lines.append(f"The text {name} in {len(forms)} forms, for instance")
            lines += [
                f"  {_cut(text, _LONGEST_TOLD)}" for text in forms[:: max(1, len(forms) // _TOLD)][:_TOLD]
            ]
    return lines


def _telling(calls: Sequence[RecordedCall]) -> list[RecordedCall]:
    """The call with the longest result, and the shortest of another form, which is mostly a failure."""
    ranked = sorted(calls, key=lambda call: len(call.result or ""), reverse=True)
    recorded_calls = ranked[:1]
    short = [call for call in reversed(ranked) if call.result and call is not ranked[0]]
    return [*recorded_calls, *short[: _EXAMPLES - 1]]


def clean_lines(lines: Sequence[str]) -> str:
    """The lines with control characters made visible; a log cannot add a line."""
    return "\n".join(clean(line.replace("\n", "\\n").replace("\r", "\\r")) for line in lines)


def _values_at(root: str, objects: Sequence[Json]) -> list[str]:
    """For each place with values in these objects: the values, and the number of objects that have it."""
    counts_by_path: dict[str, Counter[str]] = {}
    held: Counter[str] = Counter()
    by_ids = _keyed_by_ids(objects)
    for value in objects:
        leaves = list(_leaves(root, value, by_ids))
        held.update({path for path, _ in leaves})
        for path, text in leaves:
            counts_by_path.setdefault(path, Counter())[text] += 1
    lines: list[str] = []
    for path, values in list(counts_by_path.items())[:_PATHS]:
        listed = ", ".join(_first_of([text for text, _ in values.most_common()]))
        lacking = f" [in {held[path]} of {len(objects)}]" if held[path] < len(objects) else ""
        lines.append(f"{path}{lacking}: {listed}")
    return lines


def _first_of(texts: Sequence[str]) -> list[str]:
    """The first of these texts, as many as there is room for, and their total number."""
    lengths = list(itertools.accumulate(len(text) for text in texts))
    shown_count = max(1, sum(length <= _LONGEST_VALUES for length in lengths))
    if len(texts) > _MOST_SHORT and lengths[-1] < _SHORT * len(texts):
        shown_count = _FEW_VALUES
    return (
        list(texts) if shown_count >= len(texts) else [*texts[:shown_count], f"... ({len(texts)} different)"]
    )


def _keyed_by_ids(objects: Sequence[Json]) -> frozenset[str]:
    """The paths, from a root, of objects that have many different keys, each of an object."""
    keys: dict[str, set[str]] = {}
    work: list[tuple[str, Json]] = [("", value) for value in objects]
    while work:
        path, value = work.pop()
        inner = value.items() if isinstance(value, dict) else ()
        if inner and all(isinstance(held, dict) for _, held in inner):
            keys.setdefault(path, set()).update(name for name, _ in inner)
        work += [(f"{path}.{name}", held) for name, held in inner]
        work += [(f"{path}[*]", held) for held in (value if isinstance(value, list) else ())]
    return frozenset(path for path, names in keys.items() if len(names) > _MOST_KEYS)


def _leaves(path: str, value: Json, by_ids: frozenset[str], place: str = "") -> Iterator[tuple[str, str]]:
    """The leaf values of an object with their paths; the elements of a list share one path, as do ids."""
    if isinstance(value, dict):
        for name, held in value.items():
            said = "*" if place in by_ids else name
            yield from _leaves(f"{path}.{said}", held, by_ids, f"{place}.{name}")
    elif isinstance(value, list):
        for held in value:
            yield from _leaves(f"{path}[*]", held, by_ids, f"{place}[*]")
    else:
        yield path, _cut(json.dumps(value, ensure_ascii=False), _LONGEST_VALUE)


def _cut(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters)"
