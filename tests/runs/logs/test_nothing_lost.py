"""Nothing of a log is lost, split or invented without a word: independent counts, and unknown kinds.

A walk over the JSON of a file counts its calls by the simplest sign that the format has. The importer must
give as many calls, or problems that count the rest.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.recordings import DATA, needs_recordings
from tests.runs.logs.log_samples import SAMPLES
from workbench.model import Json
from workbench.runs.logs import Imported, load_runs

type Sign = Callable[[dict[str, Json]], list[object]]


def dicts(value: Json) -> Iterator[dict[str, Json]]:
    """Every object in a value, at any depth."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from dicts(inner)


def values_of(text: str) -> list[Json]:
    """The document that a text is, or its lines."""
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def keyed(**wanted: Json) -> Sign:
    """Each object with these values is a call."""
    return lambda value: [id(value)] if all(value.get(key) == want for key, want in wanted.items()) else []


def having(*keys: str) -> Sign:
    """Each object with these keys is a call."""
    return lambda value: [id(value)] if all(key in value for key in keys) else []


def listed(key: str) -> Sign:
    """Each element of the list at this key is a call; elements with the same id are one."""

    def found(value: dict[str, Json]) -> list[object]:
        entries = value.get(key)
        if not isinstance(entries, list):
            return []
        return [
            entry.get("id") or id(entry) if isinstance(entry, dict) and key == "toolCalls" else id(entry)
            for entry in entries
        ]

    return found


def of_kind(*endings: str) -> Sign:
    """Each object whose type has one of these endings is a call."""
    return lambda value: (
        [id(value)] if isinstance(kind := value.get("type"), str) and kind.endswith(endings) else []
    )


def by_id(key: str) -> Sign:
    """Each different value of this key is a call."""
    return lambda value: [value[key]] if key in value else []


def attribute(key: str, wanted: str) -> Sign:
    """Each span with this attribute, in OTLP's form or another, is a call."""

    def found(value: dict[str, Json]) -> list[object]:
        attributes = value.get("attributes")
        text = json.dumps(attributes if attributes is not None else {})
        own = f'"{key}", "value": {{"stringValue": "{wanted}"}}' in text or f'"{key}": "{wanted}"' in text
        return [id(value)] if own else []

    return found


SIGNS: dict[str, Sign] = {
    "openai-chat": listed("tool_calls"),
    "openai-responses": of_kind("_call"),
    "anthropic": of_kind("tool_use"),
    "claude-code": of_kind("tool_use"),
    "claude-code-hooks": by_id("tool_use_id"),
    "codex": of_kind("_call"),
    "gemini-cli": listed("toolCalls"),
    "atif": having("function_name"),
    "agents-sdk": keyed(type="function"),
    "mcp": keyed(method="tools/call"),
    "otel-genai": attribute("gen_ai.operation.name", "execute_tool"),
    "langsmith": keyed(run_type="tool"),
    "langfuse": keyed(type="TOOL"),
    "inspect": keyed(event="tool"),
    "workbench": having("tool"),
    "tool-calls": having("tool"),
    "opa-decision-log": having("decision_id"),
    "openhands": lambda value: [id(value)] if value.get("action") not in (None, "message") else [],
    "openinference": lambda value: (
        [id(value)] if '"kind": "TOOL"' in json.dumps(value.get("attributes")) else []
    ),
}


def counted_calls(text: str, sign: Sign) -> int:
    """How many calls a text has by a sign."""
    values = values_of(text)  # ids of objects count, so the objects must live on
    return len({call for value in values for inner in dicts(value) for call in sign(inner)})


def load(folder: Path, text: str) -> Imported:
    path = folder / "log"
    path.write_text(text, encoding="utf-8")
    return load_runs([path])


def known_calls(imported: Imported) -> int:
    return sum(call.tool is not None or call.arguments is None for run in imported.runs for call in run.calls)


def unread(imported: Imported) -> int:
    return sum(problem.count for problem in imported.problems)


@pytest.mark.parametrize("name", sorted(SIGNS))
def test_an_importer_gives_as_many_calls_as_a_walk_over_the_file_counts(name: str, tmp_path: Path) -> None:
    imported = load(tmp_path, SAMPLES[name])
    assert {run.format for run in imported.runs} == {name}
    assert unread(imported) == 0
    assert sum(len(run.calls) for run in imported.runs) == counted_calls(SAMPLES[name], SIGNS[name]) > 0


def test_every_format_of_json_has_a_sign() -> None:
    assert SIGNS.keys() == SAMPLES.keys()


# --- kinds that no importer knows --------------------------------------------------

KINDS = ("type", "kind", "event", "method", "run_type", "hook_event_name", "source", "action", "operation")
# What a tool received or returned, and what describes a part, is no part of its own.
INSIDE = frozenset(
    {
        *("arguments", "args", "input", "output", "result", "response", "tool_input", "tool_response"),
        *(
            "function",
            "agent",
            "extra",
            "error",
            "thoughts",
            "context",
            "outputs",
            "inputs",
            "wireToolInputs",
        ),
        *("functionResponse", "observation", "resource", "injections", "tool_call", "params"),
    }
)


IDS = {"id", "uuid", "spanId", "call_id", "tool_use_id"}


def places(value: Json) -> Iterator[tuple[list[Json], int]]:
    """The elements of lists that have a kind, outside what tools received and returned."""
    if isinstance(value, list):
        for place, item in enumerate(value):
            if isinstance(item, dict) and kind_key(item) is not None and "projectHash" not in item:
                yield value, place
            if not (isinstance(item, dict) and str(item.get("type")).endswith("tool_result")):
                yield from places(item)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in INSIDE:
                yield from places(inner)


def kind_key(item: dict[str, Json]) -> str | None:
    payload = item.get("payload", item.get("span_data"))
    if isinstance(payload, dict) and isinstance(payload.get("type"), str):
        return "payload" if "payload" in item else "span_data"
    return next((key for key in KINDS if isinstance(item.get(key), str)), None)


def with_an_unknown_kind(item: dict[str, Json], number: int) -> dict[str, Json]:
    """A copy of an element that no importer can know: of another kind, and with another id."""
    copy: dict[str, Json] = json.loads(json.dumps(item))
    key = kind_key(item)
    assert key is not None
    inner = copy[key]
    if isinstance(inner, dict):
        inner["type"] = "unheard_of"
    else:
        copy[key] = "unheard_of"
    for part in dicts(copy):
        for name in IDS & part.keys():
            part[name] = f"{part[name]} of copy {number}"
    return copy


# Formats without kinds, or where any other kind of action is a call of that name.
WITHOUT_KINDS = {
    "openai-chat",
    "workbench",
    "tool-calls",
    "opa-decision-log",
}
CASES = [
    (name, number)
    for name in sorted(SIGNS.keys() - WITHOUT_KINDS)
    for number in range(len(list(places(values_of(SAMPLES[name])))))
]


@pytest.mark.parametrize(("name", "number"), CASES, ids=[f"{name}-{number}" for name, number in CASES])
def test_a_part_of_an_unknown_kind_is_a_problem_with_a_count_or_a_call(
    name: str, number: int, tmp_path: Path
) -> None:
    whole = load(tmp_path, SAMPLES[name])
    values = values_of(SAMPLES[name])
    holder, place = list(places(values))[number]
    item = holder[place]
    assert isinstance(item, dict)
    holder[place + 1 : place + 1] = [with_an_unknown_kind(item, number) for number in (1, 2)]
    imported = load(tmp_path, "".join(json.dumps(value) + "\n" for value in values))
    before, after = (sum(len(run.calls) for run in each.runs) for each in (whole, imported))
    assert unread(imported) >= 2 or after - before == 2, imported.problems


# --- wrong types at every place ------------------------------------------------------

WRONG: tuple[Json, ...] = (
    *(None, True, 3, -1.5, "", "x", [], {}, [None], [[]], [3, "x"], {"type": 3}, {"type": []}, {"id": {}}),
    *({"a": {"a": [{"a": {}}]}}, ["tool_use"], [{"type": "tool_use"}], [{"type": "unheard_of"}]),
)


def slots(value: Json) -> Iterator[Callable[[Json], None]]:
    """For every place of a value, what puts another value there."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield partial(value.__setitem__, key)
            yield from slots(inner)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield partial(value.__setitem__, place)
            yield from slots(inner)


@pytest.mark.parametrize("name", sorted(SIGNS))
@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(changes=st.lists(st.tuples(st.integers(0, 5000), st.sampled_from(WRONG)), min_size=1, max_size=3))
def test_a_wrong_type_at_any_place_ends_in_calls_or_problems(
    name: str, changes: list[tuple[int, Json]]
) -> None:
    values: list[Json] = values_of(SAMPLES[name])
    for at, wrong in changes:
        every = list(slots(values))
        every[at % len(every)](json.loads(json.dumps(wrong)))
    with tempfile.TemporaryDirectory() as folder:
        imported = load(Path(folder), "".join(json.dumps(value) + "\n" for value in values))
    assert all(
        problem.count > 0 and problem.reason and "\n" not in problem.reason for problem in imported.problems
    )
    assert len({run.id for run in imported.runs}) == len(imported.runs)
    # Several changes may make all that a file has into something that is no call in any format.
    assert len(changes) > 1 or imported.runs or imported.problems


@pytest.mark.parametrize("name", sorted(SIGNS))
def test_a_thousand_unknown_kinds_are_few_problems_that_count_them_all(name: str, tmp_path: Path) -> None:
    record = {"type": "x", "projectHash": 1, "object": "trace.span"}
    text = SAMPLES[name] if "\n{" in SAMPLES[name] else json.dumps(json.loads(SAMPLES[name])) + "\n"
    many = "".join(json.dumps({**record, "type": f"kind {number}"}) + "\n" for number in range(1000))
    imported = load(tmp_path, text + many)
    assert unread(imported) >= 1000
    assert max(len(problem.reason) for problem in imported.problems) < 300


# --- recordings ------------------------------------------------------------------------

FILES = {
    "clients/claude-transcript-deny.jsonl": ("claude-code", 2),
    "clients/codex-rollout-deny.jsonl": ("codex", 2),
    "clients/gemini-session-deny.jsonl": ("gemini-cli", 2),
    "clients/claude-hook-stdin-allow.jsonl": ("claude-code-hooks", 2),
    "clients/codex-hook-stdin-allow.jsonl": ("claude-code-hooks", 2),
    "clients/gemini-hook-stdin-allow.jsonl": ("claude-code-hooks", 2),
    "cases/B13/response.json": ("openai-responses", 10),
    "cases/B14/session.jsonl": ("anthropic", 2),
    "cases/B16/spans.json": ("openinference", 2),
    "cases/B17/session.json": ("gemini-cli", 1),
    "cases/B19/session.jsonl": ("anthropic", 1),
    "cases/B22/spans.jsonl": ("agents-sdk", 2),
    "cases/B32/trajectory.json": ("atif", 1),
}


@needs_recordings
@pytest.mark.parametrize("name", sorted(FILES))
def test_files_of_real_clients_are_read_whole(name: str) -> None:
    format_name, calls = FILES[name]
    imported = load_runs([DATA / name])
    assert [run.format for run in imported.runs] == [format_name]
    assert [problem.reason for problem in imported.problems] == []
    assert sum(call.tool is not None for run in imported.runs for call in run.calls) == calls


@needs_recordings
@pytest.mark.parametrize("name", ["B23", "B25", "B26", "B28", "B29", "B33"])
def test_files_of_formats_that_are_not_read_are_refused_with_their_name(name: str) -> None:
    (path,) = [path for path in (DATA / "cases" / name).iterdir() if path.suffix.startswith(".json")]
    imported = load_runs([path])
    (problem,) = imported.problems
    assert not imported.runs
    assert "not read yet" in problem.reason


@needs_recordings
def test_the_last_action_of_a_trajectory_is_told() -> None:
    imported = load_runs([DATA / "cases/B10/run.traj"])
    assert known_calls(imported) + unread(imported) == 2


@needs_recordings
@pytest.mark.parametrize("folder", ["tau_airline", "tau_retail", "agentdojo_real", "agentdojo"])
def test_recordings_of_agents_lose_nothing(folder: str) -> None:
    paths = [
        path for path in sorted((DATA / folder).rglob("*")) if path.suffix in (".json", ".jsonl", ".traj")
    ]
    for path in paths[:40]:
        imported = load_runs([path])
        for name in {run.format for run in imported.runs} & SIGNS.keys():
            expected = counted_calls(path.read_text(encoding="utf-8"), SIGNS[name])
            calls = sum(len(run.calls) for run in imported.runs)
            assert calls + unread(imported) >= expected, path
            assert calls <= expected, path
