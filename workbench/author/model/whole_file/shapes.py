"""What recorded runs look like, for a model that has to say where arguments and records come from."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from workbench.guard.sanitise import clean
from workbench.model import Extracted, Json, Run, Step, Value
from workbench.policy.json_values import json_value

MOST_STEPS = 2000
_LONGEST = 700
_EXAMPLES = 2
_PATHS = 40
_VALUES = 8


def looked_at(runs: Sequence[Run], most: int = MOST_STEPS) -> tuple[Run, ...]:
    """The first runs that have no more than so many steps together; at least one."""
    kept: list[Run] = []
    count = 0
    for run in runs:
        count += len(run.steps)
        if kept and count > most:
            break
        kept.append(run)
    return tuple(kept)


def shapes(runs: Sequence[Run]) -> str:
    """The contexts of the runs, and for each tool how often it was called, with calls and results."""
    steps = [step for run in runs for step in run.steps]
    if not steps:
        return "There are no recorded runs."
    lines = [f"{len(runs)} runs with {len(steps)} calls."]
    contexts = {json.dumps(dict(step.context), ensure_ascii=False): step.context for step in steps}
    lines += [f"$.context is for instance {_cut(text)}" for text in list(contexts)[:1]]
    leaves: dict[str, Counter[str]] = {}
    for context in contexts.values():
        for path, text in _leaves("$.context", dict(context)):
            leaves.setdefault(path, Counter())[text] += 1
    for path, values in list(leaves.items())[:_PATHS]:
        shown = ", ".join(text for text, _ in values.most_common(_VALUES))
        lines.append(f"{path}: {shown}{', ...' if len(values) > _VALUES else ''}")
    if any(step.time for step in steps):
        lines.append(f"$.time is for instance {next(step.time for step in steps if step.time)}")
    by_tool: dict[str, list[Step]] = {}
    for step in steps:
        by_tool.setdefault(step.tool or "(none)", []).append(step)
    for tool, calls in by_tool.items():
        lines.append(f"{tool}: {len(calls)} calls, for instance")
        for step in _telling(calls):
            given = json.dumps(dict(step.arguments or {}), ensure_ascii=False)
            lines.append(f"  $.arguments {_cut(given)}")
            if step.result is not None:
                lines.append(f"  $.result    {_cut(step.result)}{' (failed)' if step.failed else ''}")
    return clean_lines(lines)


def _telling(calls: Sequence[Step]) -> list[Step]:
    """The call with the longest result, and the shortest of another form: a failure, mostly."""
    ranked = sorted(calls, key=lambda step: len(step.result or ""), reverse=True)
    found = ranked[:1]
    short = [step for step in reversed(ranked) if step.result and step is not ranked[0]]
    return [*found, *short[: _EXAMPLES - 1]]


def clean_lines(lines: Sequence[str]) -> str:
    """The lines with what a terminal would act on made visible; a log cannot add a line."""
    return "\n".join(clean(line.replace("\n", "\\n").replace("\r", "\\r")) for line in lines)


def _leaves(path: str, value: Json) -> Iterator[tuple[str, str]]:
    """The single values of a context with their paths."""
    if isinstance(value, dict):
        for name, held in value.items():
            yield from _leaves(f"{path}.{name}", held)
    elif not isinstance(value, list):
        yield path, _cut(json.dumps(value, ensure_ascii=False))[:80]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


# --- values -----------------------------------------------------------------------


def values_text(names: Sequence[str], steps: Sequence[Step], found: Sequence[Mapping[str, Extracted]]) -> str:
    """For each argument in how many steps it has a value, with examples, and why others have none."""
    if not steps:
        return "There are no recorded runs."
    lines: list[str] = []
    for name in names:
        held = [one[name] for one in found if name in one]
        missing = Counter(_cut(one.missing)[:160] for one in held if one.missing is not None)
        values = Counter(_example(one.value) for one in held if one.missing is None)
        none = values.pop("null", 0)
        lines.append(f"{name}: a value in {values.total()} of {len(held)} calls, None in {none}")
        if values:
            lines.append(f"  for instance {' | '.join(text for text, _ in values.most_common(3))}")
        lines += [f"  missing in {count}: {reason}" for reason, count in missing.most_common(3)]
    return clean_lines(lines)


def _example(value: Value) -> str:
    held: Json = json_value(value)
    text = json.dumps(held, ensure_ascii=False)
    return text if len(text) <= 240 else f"{text[:240]}…"
