"""Places in JSON, and values read from texts: their places, and reasons for missing values."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runs.extract.read_texts import quoted, read_text
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Extracted,
    Json,
    Kind,
    RecordedCall,
    Value,
    WorkbenchError,
)
from workbench.runs.extract.extractor import Extractor
from workbench.runs.logs.importer import LoggedCall
from workbench.runs.values.coerce import coerce
from workbench.runs.values.found_value import Missing
from workbench.runs.values.json_places import Path, locate
from workbench.runs.values.jsontext import dump

SPEC = AgentSpec("agent", synonyms={"nurse": "nursing"})
DECIMAL = ArgumentType(Kind.DECIMAL)
STR = ArgumentType(Kind.STR)
SET = ArgumentType(Kind.SET)
INT = ArgumentType(Kind.INT)
BOOL = ArgumentType(Kind.BOOL)
ROLE = ArgumentType(Kind.ENUM, ("nursing", "general administration"))


def call(
    arguments: Json,
    tool: str | None = "pay",
    *,
    context: dict[str, Json] | None = None,
    result: str | None = None,
    index: int = 0,
    **texts: str,
) -> RecordedCall:
    known = context or {}
    logged_call = LoggedCall(tool, arguments, result=result, texts=dict(texts))
    return logged_call.recorded_call("t", index, known, dump(known) if known else None)


# --- places


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def paths(value: Json, path: Path = ()) -> list[tuple[Path, Json]]:
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [(path, value), *(inner for key, item in members for inner in paths(item, (*path, key)))]


@given(JSONS, st.sampled_from([None, 1]), st.booleans())
def test_the_place_of_every_value_of_a_json_text_holds_that_value(
    value: Json, indent: int | None, ascii_: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_)
    for path, item in paths(value):
        place = locate(text, path)
        assert place is not None
        start, end = place
        quotes = '"' if isinstance(item, str) else ""
        assert json.loads(quotes + text[start:end] + quotes) == item


@given(st.text(alphabet='{}[]",:a1\\ ', max_size=30))
def test_locating_in_broken_json_never_fails(text: str) -> None:
    place = locate(text, ("a", 0))
    assert place is None or 0 <= place[0] <= place[1] <= len(text)


# --- texts ------------------------------------------------------------------------


def test_a_line_gives_its_value_typed() -> None:
    text = "Task: x\nuser_info:\nage: 33\n  domestic: True\n  Due date: 2026-01-31"
    assert read_text(text, INT, "field", key="age").value == 33
    assert read_text(text, BOOL, "field", key="domestic").value is True
    extracted = read_text(text, ArgumentType(Kind.DATE), "field", key="due_date")
    assert (extracted.value, quoted(text, extracted)) == (date(2026, 1, 31), ["2026-01-31"])


def test_lines_that_contradict_each_other_are_missing() -> None:
    text = "age: 33\nage: 17"
    assert "several lines" in (read_text(text, INT, "field", key="age").missing or "")
    assert "no line" in (read_text(text, INT, "field", key="height").missing or "")


def test_a_pattern_gives_its_group_and_place() -> None:
    text = "send 12 to IBAN DE123 now"
    extracted = read_text(text, STR, "regex", pattern=r"IBAN (\w+)")
    assert (extracted.value, quoted(text, extracted)) == ("DE123", ["DE123"])
    assert read_text(text, SET, "regex", pattern=r"\b\d+\b").value == frozenset({"12"})
    assert "2 different" in (read_text(text, STR, "regex", pattern=r"(send|to)").missing or "")
    either = r"IBAN (\w+)|account (\w+)"
    other = read_text("to account X9", STR, "regex", pattern=either)
    assert (other.value, quoted("to account X9", other)) == ("X9", ["X9"]), "the group that took part"
    assert read_text(text, STR, "regex", pattern=either, group=2).missing is not None


def test_a_pattern_that_explodes_is_stopped() -> None:
    text = "a" * 40_000 + "!"
    assert "too long" in (read_text(text, STR, "regex", pattern=r"(a|aa)+$|((a+)+)+b").missing or "")


ACTION = ArgumentType(Kind.ENUM, ("flight", "hotel", "other"))
CATEGORIES: Json = {"flight": ["book flight", "flight"], "hotel": ["book hotel", "room"]}


@pytest.mark.parametrize(
    ("task", "action"),
    [
        ("Booked two cheap flights to Oslo", "flight"),
        ("Find a hotel room", "hotel"),
        ("Read the news", "other"),
    ],
)
def test_free_text_is_put_into_a_category_by_its_phrases(task: str, action: str) -> None:
    lists: dict[str, Json] = {"categories": CATEGORIES, "otherwise": "other"}
    assert read_text(f"Task: {task}", ACTION, "phrases", field="Task", **lists).value == action


def test_text_between_categories_is_missing_and_so_is_text_without_a_phrase() -> None:
    def category(text: str, **options: Json) -> Extracted:
        return read_text(text, ACTION, "phrases", categories=CATEGORIES, **options)

    assert "as well as" in (category("a flight and a room").missing or "")
    assert "not sure" in (category("book a flight and a room", confidence=0.9).missing or "")
    assert category("news").missing is not None


# --- types and options ------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "type_", "expected"),
    [
        ("33", INT, 33),
        (33.0, INT, 33),
        ("12.30", DECIMAL, Decimal("12.30")),
        (0.1, DECIMAL, Decimal("0.1")),
        ("yes", BOOL, True),
        ("FALSE", BOOL, False),
        (7, STR, "7"),
        ("Nursing", ROLE, "nursing"),
        (["a", "b"], SET, frozenset({"a", "b"})),
    ],
)
def test_values_are_fitted_to_types(value: Json, type_: ArgumentType, expected: Value) -> None:
    fitted = coerce(value, type_)
    assert fitted == expected
    assert type(fitted) is type(expected)


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (True, INT), (33.5, INT), ("33a", INT), ("٣", INT), (None, INT), (1, BOOL), ("maybe", BOOL),
        (0.001, DECIMAL), ("1e5", DECIMAL), ("nan", DECIMAL), (float("inf"), DECIMAL), (True, DECIMAL),
        ("100.00000000000000001", DECIMAL),
        ("doctor", ROLE), (None, STR), ({"a": 1}, STR), ([["a"]], SET), ("tomorrow", ArgumentType(Kind.DATE)),
        ("9" * 5000, INT), ("9" * 5000, DECIMAL),
    ],
)  # fmt: skip
def test_values_that_do_not_fit_are_missing(value: Json, type_: ArgumentType) -> None:
    with pytest.raises(Missing):
        coerce(value, type_)


@given(
    JSONS,
    st.sampled_from(
        [INT, DECIMAL, BOOL, STR, ROLE, SET, ArgumentType(Kind.DATETIME), ArgumentType(Kind.TIME)]
    ),
)
def test_fitting_any_value_gives_the_type_or_a_reason(value: Json, type_: ArgumentType) -> None:
    try:
        assert coerce(value, type_) is not None
    except Missing as missing:
        assert str(missing)


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("field", {"kee": "x"}, "did you mean key"),
        ("regex", {"pattern": "("}, "does not compile"),
        ("regex", {"pattern": "a", "group": 2}, "no group 2"),
        ("phrases", {"categories": {"boat": ["x"]}}, "none of the reading's values"),
        ("regex", {"pattern": "a", "text": "user"}, "no option 'text'"),
        ("field", {"tools": ["pay"]}, "no option 'tools'"),
    ],
)
def test_wrong_options_are_errors_that_name_the_reading(
    method: str, options: dict[str, Json], words: str
) -> None:
    with pytest.raises(WorkbenchError, match="reading value") as error:
        read_text("a", ACTION, method, **options)
    assert words in str(error.value)


def test_an_argument_without_extraction_is_missing() -> None:
    extracted = Extractor([Argument("x", INT)], SPEC).extract(call({}))["x"]
    assert extracted.missing == "the session does not say how to extract it"
