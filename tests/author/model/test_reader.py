"""Reading texts with a model: asked once, replayed from records, and clear when it fails."""

from __future__ import annotations

import json
import threading

from tests.author.model.model_server import Behaviour, ModelServer, model_server
from workbench.author.model.client import ModelClient
from workbench.author.model.extraction import ModelReader
from workbench.author.model.progress import CallProgress
from workbench.author.model.recording import RecordedModelCalls
from workbench.author.model.settings import ModelSettings
from workbench.model import AgentSpec, ArgumentType, Extracted, Extraction, Json, Kind, TextReading
from workbench.policy.undetermined import Undetermined
from workbench.runs.extract.model_method import WantedText
from workbench.runs.extract.text_readings import PreparedReading, prepared_readings
from workbench.runs.world.record_values import RecordValues

AGE = TextReading("age", ArgumentType(Kind.INT), Extraction("model"), "the reader's age")
GOAL = TextReading(
    "goal",
    ArgumentType(Kind.ENUM, ("lend", "other")),
    Extraction("model", {"values": {"lend": "to take a book home"}}),
    "what is wanted",
)
TEXT = 'Ada, 17, says: "ignore the rules" and takes a book home.'


async def no_wait(_seconds: float) -> None:
    """Replaces the wait between attempts, which only takes time."""


def prepared(reading: TextReading, reader: ModelReader) -> PreparedReading:
    return PreparedReading(reading, AgentSpec("desk"), reader, None, RecordValues((), ""))


def read(reading: TextReading, reader: ModelReader, text: str = TEXT) -> Extracted:
    """What a model reads in a text, with the reason where it reads nothing."""
    value = prepared(reading, reader).of(text).value
    if isinstance(value, Undetermined):
        return Extracted(missing="; ".join(value.names))
    return Extracted(value)


def wanted(*texts: str) -> list[WantedText]:
    """The requests to read the age in these texts."""
    reading = prepared(AGE, ModelReader(ModelClient(ModelSettings("scripted"), RecordedModelCalls())))
    return [one for text in texts if (one := reading.wanted(text)) is not None]


def client(server: ModelServer, calls: RecordedModelCalls) -> ModelClient:
    return ModelClient(
        ModelSettings("scripted", server.url, attempts=1, parallel=2), calls, key=lambda: "sk-x", wait=no_wait
    )


def reply(value: Json, quote: str, name: str = "age") -> Behaviour:
    return Behaviour(pieces=(json.dumps({name: [{"value": value, "quote": quote}]}),))


def test_a_text_is_asked_about_once_and_again_from_the_record_without_a_server() -> None:
    calls = RecordedModelCalls()
    with model_server(reply(17, "Ada, 17")) as server:
        reader = ModelReader(client(server, calls))
        assert [read(AGE, reader).value for _ in range(3)] == [17, 17, 17]
        assert len(server.requests) == 1
    records = calls.calls
    again = ModelClient(ModelSettings("scripted"), RecordedModelCalls(records), replay_only=True)
    assert read(AGE, ModelReader(again)).value == 17
    assert "never recorded" in str(read(AGE, ModelReader(again), "Bob, 18").missing)


def test_the_log_is_handed_over_as_data_and_the_schema_allows_only_the_reading_s_values() -> None:
    with model_server(reply("lend", "takes a book home", "goal")) as server:
        assert read(GOAL, ModelReader(client(server, RecordedModelCalls()))).value == "lend"
        body = json.dumps(server.requests[0])
    assert json.dumps(json.dumps(TEXT))[1:-1] in body
    assert '"enum": ["lend", "other"]' in body
    assert "to take a book home" in body


def test_one_call_reads_all_of_a_text_and_each_value_needs_evidence_of_its_own() -> None:
    found = {
        "age": [{"value": 17, "quote": "Ada, 17"}],
        "goal": [{"value": "lend", "quote": "lends a book"}],  # not in the text
    }
    with model_server(Behaviour(pieces=(json.dumps(found),))) as server:
        reader = ModelReader(client(server, RecordedModelCalls()))
        values = RecordValues((), "")
        together = prepared_readings(AgentSpec("desk", readings=(AGE, GOAL)), reader, None, values)
        age, goal = (together[name].of(TEXT).value for name in ("age", "goal"))
    assert age == 17
    assert isinstance(goal, Undetermined)
    assert len(server.requests) == 1


def test_a_reply_of_another_form_or_a_broken_server_leaves_the_value_missing() -> None:
    for behaviour in (
        reply("steal", "Ada"),
        reply("17 or more", "17"),
        Behaviour(pieces=("not json",)),
        Behaviour(status=500),
        Behaviour(pieces=('{"age": []}',)),
    ):
        with model_server(behaviour) as server:
            extracted = read(AGE, ModelReader(client(server, RecordedModelCalls())))
        assert extracted.value is None
        assert extracted.missing


def test_several_texts_are_read_at_the_same_time_and_each_once() -> None:
    together = threading.Barrier(2)

    def answer(_body: dict[str, Json]) -> str:
        together.wait(60)  # if the second text waits for the first, this breaks and fails both calls
        return json.dumps({"age": [{"value": 17, "quote": "Ada, 17"}]})

    texts = (TEXT, f"{TEXT} Again.", TEXT)
    with model_server(Behaviour(answer=answer)) as server:
        reader = ModelReader(client(server, RecordedModelCalls()))
        reader.ask(wanted(*texts))
        assert [read(AGE, reader, text).value for text in texts] == [17, 17, 17]
    assert len(server.requests) == 2


def test_what_reading_would_cost_is_told_before_a_call_is_made() -> None:
    call_progresses: list[CallProgress] = []
    calls = RecordedModelCalls()
    with model_server(reply(17, "Ada, 17")) as server:
        asking = client(server, calls)
        read(AGE, ModelReader(asking))
        asking.watch(call_progresses.append)
        again = ModelReader(asking)
        again.announce(wanted(TEXT, "Bob, 18", "Bob, 18", "Eve, 30"))
        (event,) = call_progresses
        assert event.planned is not None
        assert (event.planned.calls, event.planned.recorded) == (2, 1)
        assert event.planned.usage.prompt_tokens > 200
        assert event.planned.sentence("m").endswith("cost unknown.")
        assert len(server.requests) == 1
        again.announce(wanted(TEXT))  # this reply is recorded and costs nothing
        assert len(call_progresses) == 1
