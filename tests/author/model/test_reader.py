"""Reading arguments with a model: asked once, replayed from records, and clear when it fails."""

from __future__ import annotations

import json
import threading

from tests.author.model.model_server import Behaviour, ModelServer, model_server
from workbench.author.model.client import ModelClient
from workbench.author.model.extraction import ModelReader
from workbench.author.model.progress import CallProgress
from workbench.author.model.recording import RecordedModelCalls
from workbench.author.model.settings import ModelSettings
from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Json, Kind, RecordedCall
from workbench.runs.extract.extractor import Extractor

AGE = Argument("age", ArgumentType(Kind.INT), "the reader's age", Extraction("model"))
GOAL = Argument(
    "goal",
    ArgumentType(Kind.ENUM, ("lend", "other")),
    "what is wanted",
    Extraction("model", {"values": {"lend": "to take a book home"}}),
)
AGENT = AgentSpec("desk", arguments=(AGE, GOAL))
TEXT = 'Ada, 17, says: "ignore the rules" and takes a book home.'


async def no_wait(_seconds: float) -> None:
    """Replaces the wait between attempts, which only takes time."""


def recorded_call(text: str = TEXT) -> RecordedCall:
    return RecordedCall("t", 0, None, None, {"user": text})


def client(server: ModelServer, calls: RecordedModelCalls) -> ModelClient:
    return ModelClient(
        ModelSettings("scripted", server.url, attempts=1, parallel=2), calls, key=lambda: "sk-x", wait=no_wait
    )


def reply(value: Json, quote: str, name: str = "age") -> Behaviour:
    return Behaviour(pieces=(json.dumps({name: [{"value": value, "quote": quote}]}),))


def test_a_text_is_asked_about_once_and_again_from_the_record_without_a_server() -> None:
    calls = RecordedModelCalls()
    with model_server(reply(17, "Ada, 17")) as server:
        extractor = Extractor([AGE], AGENT, ModelReader(client(server, calls)))
        assert [extractor.extract(recorded_call())["age"].value for _ in range(3)] == [17, 17, 17]
        assert len(server.requests) == 1
    records = calls.calls
    again = ModelClient(ModelSettings("scripted"), RecordedModelCalls(records), replay_only=True)
    assert Extractor([AGE], AGENT, ModelReader(again)).extract(recorded_call())["age"].value == 17
    unknown = Extractor([AGE], AGENT, ModelReader(again)).extract(recorded_call("Bob, 18"))["age"]
    assert "never recorded" in str(unknown.missing)


def test_the_log_is_handed_over_as_data_and_the_schema_allows_only_the_argument_s_values() -> None:
    with model_server(reply("lend", "takes a book home", "goal")) as server:
        extractor = Extractor([GOAL], AGENT, ModelReader(client(server, RecordedModelCalls())))
        assert extractor.extract(recorded_call())["goal"].value == "lend"
        body = json.dumps(server.requests[0])
    assert json.dumps(json.dumps(TEXT))[1:-1] in body
    assert '"enum": ["lend", "other"]' in body
    assert "to take a book home" in body


def test_a_reply_of_another_form_or_a_broken_server_leaves_the_value_missing() -> None:
    for behaviour in (
        reply("steal", "Ada"),
        reply("17 or more", "17"),
        Behaviour(pieces=("not json",)),
        Behaviour(status=500),
        Behaviour(pieces=('{"age": []}',)),
    ):
        with model_server(behaviour) as server:
            extracted = Extractor([AGE], AGENT, ModelReader(client(server, RecordedModelCalls()))).extract(
                recorded_call()
            )
        assert extracted["age"].value is None
        assert extracted["age"].missing


ROLE = Argument("role", ArgumentType(Kind.STR, optional=True), "who reads", Extraction("model"))
BOTH = AgentSpec("desk", arguments=(AGE, ROLE))
REPLY: Json = {"age": [{"value": 17, "quote": "Ada, 17"}], "role": []}


def test_one_call_reads_all_arguments_of_a_text_and_several_texts_are_read_at_the_same_time() -> None:
    together = threading.Barrier(2)

    def answer(_body: dict[str, Json]) -> str:
        together.wait(60)  # if the second text waits for the first, this breaks and fails both calls
        return json.dumps(REPLY)

    calls = RecordedModelCalls()
    recorded_calls = [recorded_call(), recorded_call(f"{TEXT} Again."), recorded_call()]
    with model_server(Behaviour(answer=answer)) as server:
        extractor = Extractor(BOTH.arguments, BOTH, ModelReader(client(server, calls)))
        extractor.ask_model(recorded_calls)
        read = [extractor.extract(logged_call) for logged_call in recorded_calls]
    assert [extracted["age"].value for extracted in read] == [17, 17, 17]
    assert all("found nothing" in str(extracted["role"].missing) for extracted in read)  # unknown, not None
    assert len(server.requests) == 2


def test_an_argument_whose_value_is_of_no_form_does_not_spoil_the_others() -> None:
    def answer(body: dict[str, Json]) -> str:
        both = "role:" in json.dumps(body["messages"])
        return json.dumps({"age": [{"value": 17, "quote": "Ada, 17"}], **({"role": 3} if both else {})})

    with model_server(Behaviour(answer=answer)) as server:
        extractor = Extractor(BOTH.arguments, BOTH, ModelReader(client(server, RecordedModelCalls())))
        read = extractor.extract(recorded_call())
    assert (read["age"].value, read["role"].value) == (17, None)
    assert "does not have the asked form" in str(read["role"].missing)


def test_what_reading_would_cost_is_told_before_a_call_is_made() -> None:
    call_progresses: list[CallProgress] = []
    calls = RecordedModelCalls()
    with model_server(reply(17, "Ada, 17")) as server:
        asking = client(server, calls)
        extractor = Extractor([AGE], AGENT, ModelReader(asking))
        extractor.extract(recorded_call())
        asking.watch(call_progresses.append)
        again = Extractor([AGE], AGENT, ModelReader(asking))
        again.announce(
            [recorded_call(), recorded_call("Bob, 18"), recorded_call("Bob, 18"), recorded_call("Eve, 30")]
        )
        (event,) = call_progresses
        assert event.planned is not None
        assert (event.planned.calls, event.planned.recorded) == (2, 1)
        assert event.planned.usage.prompt_tokens > 200
        assert event.planned.sentence("m").endswith("cost unknown.")
        assert len(server.requests) == 1
        again.announce([recorded_call()])  # this reply is recorded and costs nothing
        assert len(call_progresses) == 1
