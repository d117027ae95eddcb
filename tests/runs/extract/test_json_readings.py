"""The reading ``json``: a value at a path into a text that is JSON."""

from __future__ import annotations

import pytest

from tests.runs.expressions.small_agent import SPEC
from workbench.files.file_error import FileError
from workbench.model import ArgumentType, Extraction, Json, Kind, TextReading, WorkbenchError
from workbench.policy.undetermined import Undetermined
from workbench.runs.extract.text_readings import PreparedReading
from workbench.runs.world.record_values import RecordValues
from workbench.session.agent_file import read_agent, write_agent


def _read(text: str, kind: Kind = Kind.INT, **options: Json) -> object:
    reading = TextReading("exit_code", ArgumentType(kind), Extraction("json", options))
    return PreparedReading(reading, SPEC, None, None, RecordValues((), "")).of(text).value


def test_a_value_is_found_by_the_name_or_a_path() -> None:
    assert _read('{"exit_code": 3}') == 3
    assert _read('{"process": {"code": 0}}', path="process.code") == 0
    assert _read('{"ids": ["a", "b"]}', Kind.SET, path="ids") == {"a", "b"}
    assert _read('{"rows": [{"id": "a"}, {"id": "b"}]}', Kind.SET, path="rows[*].id") == {"a", "b"}
    assert _read('{"rows": []}', Kind.SET, path="rows[*].id") == frozenset()


def test_a_list_takes_the_list_at_a_path_or_the_one_value_there() -> None:
    texts = ArgumentType(Kind.LIST, element=ArgumentType(Kind.STR))
    reading = PreparedReading(
        TextReading("status", texts, Extraction("json", {})), SPEC, None, None, RecordValues((), "")
    )
    assert reading.of('{"status": "sent"}').value == ("sent",)
    assert reading.of('{"status": ["sent", "sent"]}').value == ("sent", "sent")
    assert reading.of('{"status": []}').value == reading.of("{}").value == ()
    for text in ('{"status": null}', '{"status": {"is": "sent"}}', '{"status": [["sent"]]}', "sent"):
        assert isinstance(reading.of(text).value, Undetermined)


@pytest.mark.parametrize(
    "text",
    [
        "", "no JSON", "{}", '{"exit_code": "x"}', '{"exit_code": null}', '[{"exit_code": 0}]',
        '{"exit_code": 0, "exit_code": 1}', '{"exit_code": true}',
    ],
)  # fmt: skip
def test_what_says_no_such_value_gives_none(text: str) -> None:
    assert isinstance(_read(text), Undetermined)


def test_the_place_of_the_value_is_known() -> None:
    reading = TextReading("exit_code", ArgumentType(Kind.INT), Extraction("json", {}))
    (place,) = (
        PreparedReading(reading, SPEC, None, None, RecordValues((), "")).of('{"exit_code": 31}').provenance
    )
    assert (place.spans[0].start, place.spans[0].end) == (14, 16)


def test_a_path_to_many_values_is_no_single_value() -> None:
    with pytest.raises(WorkbenchError, match="gives many values"):
        _read("{}", path="rows[*].id")


_CONTEXT = 'name = "desk"\n\n[context]\nrole = {type = "str", path = "user.role"}\n'


def test_a_value_of_the_context_has_a_path() -> None:
    agent = read_agent(_CONTEXT)
    assert agent.context["role"].path == "user.role"
    assert read_agent(write_agent(agent)) == agent
    with pytest.raises(FileError, match="must lead to one value"):
        read_agent(_CONTEXT.replace("user.role", "users[*].role"))


def test_a_list_of_what_is_no_type_is_told_what_it_can_be_of() -> None:
    reading = '[readings.hits]\ntype = "list"\nof = "hit"\nextract = {method = "json"}\n'
    with pytest.raises(FileError) as raised:
        read_agent(f'name = "desk"\n\n{reading}')
    message = str(raised.value)
    assert '"of" of the list "hits" cannot be "hit".' in message
    assert "It can be amount, code," in message and "str, date, time or datetime." in message
    assert "is a record: [records.NAME]." in message
