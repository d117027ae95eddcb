"""Values at paths and values read from texts: their places, and reasons for missing values."""

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
    Extraction,
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


def extract(
    recorded_call: RecordedCall,
    type_: ArgumentType,
    method: str,
    /,
    **options: Json,
) -> Extracted:
    argument = Argument("value", type_, extraction=Extraction(method, options))
    return Extractor([argument], SPEC).extract(recorded_call)["value"]


def placed(recorded_call: RecordedCall, extracted: Extracted) -> list[str]:
    return [
        recorded_call.texts[entry.text][span.start : span.end]
        for entry in extracted.provenance
        for span in entry.spans
    ]


# --- jsonpath ---------------------------------------------------------------------


def test_a_path_finds_an_argument_and_its_characters() -> None:
    recorded_call = call('{"to": {"name": "Ann"}, "amount": 12.50}')
    extracted = extract(recorded_call, DECIMAL, "jsonpath", path="$.arguments.amount")
    assert (extracted.value, placed(recorded_call, extracted)) == (Decimal("12.5"), ["12.50"])
    extracted = extract(recorded_call, STR, "jsonpath", path="$.arguments['to'].name")
    assert (extracted.value, placed(recorded_call, extracted)) == ("Ann", ["Ann"])


def test_a_path_with_all_members_fills_a_set_with_places() -> None:
    recorded_call = call('{"to": [{"mail": "a@x"}, {"mail": "b@x"}, {"mail": "a@x"}]}')
    extracted = extract(recorded_call, SET, "jsonpath", path="$.arguments.to[*].mail")
    assert extracted.value == frozenset({"a@x", "b@x"})
    assert len(extracted.items["a@x"]) == 2
    assert placed(recorded_call, extracted) == ["a@x", "b@x", "a@x"]


def test_a_path_to_a_list_gives_its_elements() -> None:
    recorded_call = call({"to": ["a", "b"]})
    assert extract(recorded_call, SET, "jsonpath", path="$.arguments.to").value == frozenset({"a", "b"})


def test_context_result_and_tool_have_paths() -> None:
    recorded_call = call({}, context={"user_info": {"age": 33}}, result='{"balance": 7}')
    assert extract(recorded_call, INT, "jsonpath", path="$.context.user_info.age").value == 33
    assert extract(recorded_call, INT, "jsonpath", path="$.result.balance").value == 7
    extracted = extract(recorded_call, STR, "jsonpath", path="$.tool")
    assert (extracted.value, placed(recorded_call, extracted)) == ("pay", ["pay"])


def test_an_absent_argument_is_none_only_for_an_optional_type() -> None:
    optional = ArgumentType(Kind.DECIMAL, optional=True)
    assert extract(call({}), optional, "jsonpath", path="$.arguments.amount").missing is None
    assert (
        extract(call({}), DECIMAL, "jsonpath", path="$.arguments.amount").missing
        == "the call has no argument amount"
    )


@pytest.mark.parametrize("raw", [None, "{broken", "[1]"])
def test_unknown_arguments_are_missing_even_for_an_optional_type(raw: Json) -> None:
    optional = ArgumentType(Kind.DECIMAL, optional=True)
    extracted = extract(call(raw), optional, "jsonpath", path="$.arguments.amount")
    assert extracted.missing == "the log does not say which arguments the call had"


def test_an_unknown_context_is_missing_even_for_an_optional_type() -> None:
    optional = ArgumentType(Kind.INT, optional=True)
    assert extract(call({}), optional, "jsonpath", path="$.context.age").missing is not None
    assert extract(call({}), optional, "jsonpath", path="$.result.age").missing is not None


def test_what_a_context_lacks_that_says_other_things_is_none_only_for_an_optional_type() -> None:
    optional = ArgumentType(Kind.INT, optional=True)
    context: dict[str, Json] = {"role": "nurse", "ward": {}, "ages": [1]}
    recorded_call = call({}, context=context)
    assert extract(recorded_call, optional, "jsonpath", path="$.context.age").missing is None
    assert (
        extract(recorded_call, INT, "jsonpath", path="$.context.age").missing
        == "the context of the run has no age"
    )
    for unsaid in ("$.context.user.age", "$.context.ward.age", "$.context.role.age", "$.context.ages.age"):
        assert extract(recorded_call, optional, "jsonpath", path=unsaid).missing is not None


def test_the_members_of_a_list_of_the_context_are_known_or_certainly_none() -> None:
    teams = "$.context.teams[*]"
    assert extract(call({}, context={"teams": ["web"]}), SET, "jsonpath", path=teams).value == {"web"}
    certain: list[dict[str, Json]] = [{"teams": []}, {"role": "nurse"}]
    for context in certain:
        recorded_call = call({}, context=context)
        assert extract(recorded_call, SET, "jsonpath", path=teams).value == frozenset()
        assert extract(recorded_call, SET, "jsonpath", path="$.context.teams").value == frozenset()
    unsaid: list[dict[str, Json]] = [{}, {"teams": "web"}, {"teams": None}, {"teams": [{}]}]
    for context in unsaid:
        assert extract(call({}, context=context), SET, "jsonpath", path=teams).missing is not None


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
        ("jsonpth", {}, "did you mean jsonpath"),
        ("jsonpath", {}, "path is needed"),
        ("jsonpath", {"path": "$.argument.x"}, "begins with one of"),
        ("jsonpath", {"path": "$.arguments[?(@.x)]"}, "not understood at character"),
    ],
)
def test_wrong_options_are_errors_that_name_the_argument(
    method: str, options: dict[str, Json], words: str
) -> None:
    with pytest.raises(WorkbenchError, match="argument value") as error:
        extract(call({}), ACTION, method, **options)
    assert words in str(error.value)


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
