"""Reading arguments with a model: asked once, replayed from records, and clear when it fails."""

from __future__ import annotations

import json

from tests.author.model.model_server import Behaviour, ModelServer, model_server
from workbench.author.model.client import ModelClient
from workbench.author.model.extraction import ModelReader
from workbench.author.model.recording import RecordedCalls
from workbench.author.model.settings import ModelSettings
from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Json, Kind, Step
from workbench.runs.extract import Extractor

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
    """Stands for waiting between attempts, which only takes time."""


def step(text: str = TEXT) -> Step:
    return Step("t", 0, None, None, {"user": text})


def client(server: ModelServer, calls: RecordedCalls) -> ModelClient:
    return ModelClient(
        ModelSettings("scripted", server.url, attempts=1), calls, key=lambda: "sk-x", wait=no_wait
    )


def reply(value: Json, quote: str) -> Behaviour:
    return Behaviour(pieces=(json.dumps({"found": [{"value": value, "quote": quote}]}),))


def test_a_text_is_asked_about_once_and_again_from_the_record_without_a_server() -> None:
    calls = RecordedCalls()
    with model_server(reply(17, "Ada, 17")) as server:
        extractor = Extractor([AGE], AGENT, ModelReader(client(server, calls)))
        assert [extractor.extract(step())["age"].value for _ in range(3)] == [17, 17, 17]
        assert len(server.requests) == 1
    records = [item.line for item in calls.kept]
    again = ModelClient(ModelSettings("scripted"), RecordedCalls(records), replay_only=True)
    assert Extractor([AGE], AGENT, ModelReader(again)).extract(step())["age"].value == 17
    unknown = Extractor([AGE], AGENT, ModelReader(again)).extract(step("Bob, 18"))["age"]
    assert "never recorded" in str(unknown.missing)


def test_the_log_is_handed_over_as_data_and_the_schema_allows_only_the_argument_s_values() -> None:
    with model_server(reply("lend", "takes a book home")) as server:
        extractor = Extractor([GOAL], AGENT, ModelReader(client(server, RecordedCalls())))
        assert extractor.extract(step())["goal"].value == "lend"
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
        Behaviour(pieces=('{"found": []}',)),
    ):
        with model_server(behaviour) as server:
            found = Extractor([AGE], AGENT, ModelReader(client(server, RecordedCalls()))).extract(step())
        assert found["age"].value is None
        assert found["age"].missing
