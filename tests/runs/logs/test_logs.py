"""Importers: their input, their choice by format, and that damage stays local."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.runs.logs.log_samples import CHAT, PAID, SAMPLES, call, chat, lines, paid
from workbench.clean_text import clean
from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs import IMPORTERS, Imported, load_runs, read_all
from workbench.runs.logs.log_stream import LogSource
from workbench.runs.values.jsontext import MAX_DEPTH, BadJson, parse_json


def load(folder: Path, text: str | bytes, name: str = "log.jsonl") -> Imported:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_runs([path])


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_every_format_is_recognised_by_its_content_alone(name: str, tmp_path: Path) -> None:
    imported = load(tmp_path, SAMPLES[name], "unnamed")
    assert {run.format for run in imported.runs} == {name}
    assert imported.problems == ()
    assert sum(len(run.calls) for run in imported.runs) >= 1


def test_every_importer_has_a_sample_that_the_tests_read() -> None:
    assert {importer.name for importer in IMPORTERS} == set(SAMPLES)


def test_chat_calls_have_arguments_texts_and_results_by_id(tmp_path: Path) -> None:
    first = load(tmp_path, CHAT).runs[0].calls[0]
    assert (first.tool, first.call_id, first.result) == ("send_money", "c1", "paid")
    assert first.arguments == {"amount": 12.5, "to": "ann"}
    assert first.texts["arguments"] == '{"amount": 12.5, "to": "ann"}'
    assert first.texts["arguments.to"] == "ann"
    assert first.texts["user"].startswith("Identity: Nursing")


def test_arguments_that_are_no_json_object_are_unknown_with_their_text_kept(tmp_path: Path) -> None:
    texts = ['{"amount": 1', "[1]", '{"amount": 1, "amount": 2}', "free text"]
    record = chat(*(call("pay", text, f"c{index}") for index, text in enumerate(texts)))
    calls = load(tmp_path, lines(record)).runs[0].calls
    assert [recorded_call.arguments for recorded_call in calls] == [None] * 4
    assert [recorded_call.texts["arguments"] for recorded_call in calls] == texts


def test_no_arguments_and_unknown_arguments_differ(tmp_path: Path) -> None:
    calls = load(tmp_path, lines(chat(call("a", ""), call("b", {}), call("c", None)))).runs[0].calls
    assert [recorded_call.arguments for recorded_call in calls] == [{}, {}, None]


@pytest.mark.parametrize(
    "beside",
    [
        {"args": {"amount": 1}},
        {"function": {"name": "pay", "arguments": "{}", "input": '{"amount": 1}'}},
        {"custom": {"name": "pay", "input": '{"amount": 1}'}},
        {"arguments": '{"amount": 1}'},
    ],
)
def test_arguments_in_two_places_of_a_call_are_unknown(tmp_path: Path, beside: dict[str, Json]) -> None:
    record = chat({**call("pay", {}, "x"), **beside})
    (recorded_call,) = load(tmp_path, lines(record)).runs[0].calls
    assert (recorded_call.tool, recorded_call.arguments) == ("pay", None)


def test_parallel_calls_are_calls_in_order_and_pair_with_their_own_results(tmp_path: Path) -> None:
    record = {
        "id": "p",
        "messages": [
            {"role": "assistant", "tool_calls": [call("a", {}, "x"), call("b", {}, "y"), call("c", {}, "z")]},
            {"role": "tool", "tool_call_id": "z", "content": "of c"},
            {"role": "tool", "tool_call_id": "x", "content": [{"type": "text", "text": "of a"}]},
        ],
    }
    calls = load(tmp_path, lines(record)).runs[0].calls
    assert [(recorded_call.index, recorded_call.tool, recorded_call.result) for recorded_call in calls] == [
        (0, "a", "of a"),
        (1, "b", None),
        (2, "c", "of c"),
    ]


def test_legacy_function_calls_and_responses_are_read(tmp_path: Path) -> None:
    old = {
        "messages": [
            {"role": "assistant", "function_call": {"name": "f", "arguments": '{"a": 1}'}},
            {"role": "function", "name": "f", "content": "7"},
        ]
    }
    new = {"id": "resp", "choices": [{"message": {"role": "assistant", "tool_calls": [call("g", {"b": 2})]}}]}
    imported = load(tmp_path, lines(old, new))
    assert [run.calls[0].tool for run in imported.runs] == ["f", "g"]
    assert imported.runs[0].calls[0].result == "7"
    assert imported.runs[0].id == "log:1"


def test_plain_messages_are_no_calls(tmp_path: Path) -> None:
    record = {
        "id": "m",
        "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}],
    }
    (run,) = load(tmp_path, lines(record)).runs
    assert run.calls == ()


def test_records_are_read_from_lines_and_from_an_array(tmp_path: Path) -> None:
    records = [paid("g1"), paid("g2")]
    from_lines = load(tmp_path, lines(*records))
    many = [load(tmp_path, json.dumps(records, indent=indent), f"a{indent}.json") for indent in (None, 1, 4)]
    for imported in [from_lines, *many]:
        assert [run.id for run in imported.runs] == ["g1", "g2"]
        assert imported.runs[0].calls[0].arguments == {"amount": 3}
        assert imported.problems == ()


def test_a_broken_line_is_a_problem_and_its_neighbours_are_read(tmp_path: Path) -> None:
    text = (
        CHAT
        + '{"id": "broken", "messages": [\n'
        + "17\n"
        + lines({"other": 1})
        + lines(chat(call("z", {}), run="t3"))
    )
    imported = load(tmp_path, text)
    assert [run.id for run in imported.runs] == ["t1", "t2", "t3"]
    assert [problem.line for problem in imported.problems] == [3, 4, 5]
    assert all(problem.reason for problem in imported.problems)


@pytest.mark.parametrize("damage", ['"id": "g2', '"id": "g2"\n  }', '"id": [[{"g2"'])
def test_a_broken_element_of_an_array_does_not_hide_the_next(damage: str, tmp_path: Path) -> None:
    text = json.dumps([paid(f"g{number}") for number in range(1, 6)], indent=1)
    imported = load(tmp_path, text.replace('"id": "g2"', damage), "array.json")
    names = [run.id for run in imported.runs]
    assert "g2" not in names
    assert {"g1", "g3", "g4", "g5"} <= set(names)
    assert len(imported.problems) >= 1


def test_a_truncated_array_keeps_what_came_before(tmp_path: Path) -> None:
    text = json.dumps([paid("g1"), paid("g2")])
    imported = load(tmp_path, text[:-40], "array.json")
    assert [run.id for run in imported.runs] == ["g1"]
    assert [problem.reason for problem in imported.problems] == ["the file ends in the middle of this record"]


def test_runs_of_one_id_are_told_apart_and_nothing_is_lost(tmp_path: Path) -> None:
    imported = load(tmp_path, PAID + PAID)
    assert [run.id for run in imported.runs] == ["g1", "g2", "g1#2", "g2#2"]
    assert [run.calls[0].run for run in imported.runs] == ["g1", "g2", "g1#2", "g2#2"]
    assert not imported.problems


def test_ids_are_unique_across_files(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(PAID)
    names = [run.id for run in load_runs([tmp_path]).runs]
    assert names == ["g1", "g2", "g1#2", "g2#2"]


def test_gzip_is_read_and_a_cut_one_gives_what_came_before(tmp_path: Path) -> None:
    records = [{"run": f"t{number % 7}", "tool": "pay", "arguments": {"n": number}} for number in range(5000)]
    packed = gzip.compress(lines(*records).encode())
    whole = load(tmp_path, packed, "log.jsonl.gz")
    assert sum(len(run.calls) for run in whole.runs) == 5000
    cut = load(tmp_path, packed[: len(packed) // 2], "cut.gz")
    assert any("damaged or cut off" in problem.reason for problem in cut.problems)
    assert 1000 < sum(len(run.calls) for run in cut.runs) < 5000


def test_zstd_is_read_where_a_reader_is_installed_and_is_a_problem_elsewhere(tmp_path: Path) -> None:
    damaged = load(tmp_path, b"\x28\xb5\x2f\xfdnothing of the kind", "bad.zst")
    assert damaged.runs == ()
    assert "zstd" in damaged.problems[0].reason or "damaged" in damaged.problems[0].reason


def test_a_file_that_is_no_gzip_but_says_so_is_a_problem(tmp_path: Path) -> None:
    (problem,) = load(tmp_path, b"\x1f\x8bnothing of the kind", "bad.gz").problems
    assert "damaged" in problem.reason


def test_a_bomb_is_read_up_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.runs.logs.log_stream.EXPANSION_LIMIT", 5_000_000)
    packed = gzip.compress(PAID.encode() + b" " * 50_000_000)
    imported = load(tmp_path, packed, "bomb.gz")
    assert [run.id for run in imported.runs] == ["g1", "g2"]
    assert any("expands to more than" in problem.reason for problem in imported.problems)


def test_a_record_past_the_limit_is_skipped_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    with path.open("w") as stream:
        stream.write(lines(paid("g1")))
        stream.write('{"id": "big", "messages": ["' + "x" * 200_000 + '"]}\n')
        stream.write(lines(paid("g2")))
    source = LogSource(path, record_limit=10_000)
    records = list(source.records())
    assert [record.error is None for record in records] == [True, False, True]
    assert records[1].line == 2
    assert "larger than" in (records[1].error or "")


def test_a_large_element_of_a_one_line_array_is_skipped_alone(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    path.write_text(json.dumps([paid("g1"), {"id": "big", "text": "x" * 2_000_000}, paid("g2")]))
    records = list(LogSource(path, record_limit=100_000).records())
    values = [record.value["id"] for record in records if isinstance(record.value, dict)]
    assert values == ["g1", "g2"]
    assert sum(record.error is not None for record in records) == 1


def test_a_missing_file_and_an_unknown_format_are_problems(
    tmp_path: Path,
) -> None:
    assert isinstance(next(read_all([tmp_path / "none.jsonl"])), ImportProblem)
    assert "not known" in load(tmp_path, "just some words\n").problems[0].reason
    empty = load(tmp_path, "  \n")
    assert (empty.runs, [problem.reason for problem in empty.problems]) == ((), ["the file is empty"])


@pytest.mark.parametrize("leaf", ["1", '"\\u0041"', "[]", "{}"])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a": ', "}")])
def test_json_has_a_depth_whether_or_not_its_texts_need_cleaning(
    leaf: str, opening: str, closing: str
) -> None:
    within = MAX_DEPTH - (leaf in {"[]", "{}"})
    parse_json(opening * within + leaf + closing * within)
    with pytest.raises(BadJson):
        parse_json(opening * (within + 1) + leaf + closing * (within + 1))


def test_deep_json_is_a_problem(tmp_path: Path) -> None:
    deep = '{"id": "", "messages": ' + "[" * 100_000 + "]" * 100_000 + "}\n"
    imported = load(tmp_path, PAID + deep + '{"messages": ' + '{"a":' * 150 + "1" + "}" * 150 + "}\n")
    assert len(imported.runs) == 2
    assert [problem.line for problem in imported.problems] == [3, 4]


def test_control_characters_are_made_visible_everywhere(tmp_path: Path) -> None:
    evil = "\x1b]52;c;AAAA\x07\u202egnp.exe\x9b31m\u200b\udcff\U000e0041"
    asked = {"role": "user", "content": f"Pay {evil}"}
    acted: dict[str, object] = {"role": "assistant", "tool_calls": [call("pay", {"to": evil})]}
    record = {"id": "id\x1b[2J", "user": evil, "messages": [asked, acted]}
    (run,) = load(tmp_path, lines(record)).runs
    joined = run.id + "".join(run.calls[0].texts.values()) + repr(run.calls[0].context)
    assert clean(joined) == joined
    assert run.id == "id\u241b[2J"
    assert "<U+202E>" in run.calls[0].texts["user"]
    joined.encode()


def test_a_number_that_a_float_would_change_keeps_its_digits(tmp_path: Path) -> None:
    text = '{"amount": 100.00000000000000001, "other": 0.1, "huge": 1e999}'
    recorded_call = load(tmp_path, lines(chat(call("pay", text)))).runs[0].calls[0]
    assert recorded_call.arguments == {"amount": "100.00000000000000001", "other": 0.1, "huge": "1e999"}


def test_calls_are_in_the_order_of_their_times_however_these_are_written(tmp_path: Path) -> None:
    times = ["10:00:00.5Z", "12:00:00+02:00", "10:00:00.51Z", "10:00:01", "09:59:59.999Z", "10:00Z"]
    order = [4, 1, 5, 0, 2, 3]
    spans: list[dict[str, Json]] = [
        {
            "id": place,
            "trace_id": "t",
            "run_type": "tool",
            "name": f"tool{place}",
            "start_time": f"2026-01-01T{time}",
        }
        for place, time in enumerate(times)
    ]
    (run,) = load(tmp_path, lines(*spans)).runs
    assert [recorded_call.tool for recorded_call in run.calls] == [f"tool{place}" for place in order]
    odd = {**spans[0], "start_time": "yesterday"}
    (run,) = load(tmp_path, lines(*spans[1:], odd)).runs
    assert [recorded_call.tool for recorded_call in run.calls] == [
        f"tool{place}" for place in (1, 2, 3, 4, 5, 0)
    ]


def test_a_session_that_was_closed_for_space_goes_on_with_an_unknown_past(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.runs.logs.importer._OPEN_CALLS", 3)
    steps: list[dict[str, Json]] = [
        {"run": run, "tool": "pay", "arguments": {}, "result": "ok"} for run in "aabbbaa"
    ]
    runs = load(tmp_path, lines(*steps)).runs
    assert [[recorded_call.tool for recorded_call in run.calls] for run in runs] == [
        ["pay", "pay"],
        ["pay", "pay", "pay"],
        [None, "pay", "pay"],
    ]


def test_reading_streams(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(PAID + "{broken\n" + lines(paid("g3")))
    items = read_all([path])
    assert isinstance(next(items), Run)
    assert [type(item).__name__ for item in items] == ["Run", "ImportProblem", "Run"]
