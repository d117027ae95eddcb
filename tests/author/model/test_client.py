"""The model client against a real server that misbehaves: every end is clear, nothing is lost."""

from __future__ import annotations

import json
import threading

import pytest
from pydantic import BaseModel

from tests.author.model.model_server import Behaviour, ModelServer, model_server
from workbench.author.model.client import LONGEST_REPLY, ModelClient
from workbench.author.model.errors import Cancelled, ModelError
from workbench.author.model.progress import CallProgress
from workbench.author.model.recording import Message, RecordedModelCalls
from workbench.author.model.settings import ModelSettings, read_key, settings_from
from workbench.model import Json, WorkbenchError

PROMPT = (Message("user", "Is it?"),)
KEY = "sk-scripted-key"


class Answer(BaseModel):
    """What the tests ask for."""

    answer: str


async def no_wait(_seconds: float) -> None:
    """Replaces the wait between attempts, which only takes time."""


def client(server: ModelServer, calls: RecordedModelCalls | None = None, **settings: float) -> ModelClient:
    options = ModelSettings("scripted", server.url, **settings)  # pyright: ignore[reportArgumentType]  ints and floats of each test
    return ModelClient(options, calls or RecordedModelCalls(), key=lambda: KEY, wait=no_wait)


def ask(model_client: ModelClient) -> str:
    return model_client.ask("question", PROMPT, Answer).answer


def test_a_reply_is_streamed_checked_recorded_and_counted() -> None:
    calls = RecordedModelCalls()
    with model_server(Behaviour(pieces=('{"answer"', ': "yes"}'))) as server:
        model_client = client(server, calls, price_prompt=1_000_000.0, price_reply=2_000_000.0)
        assert ask(model_client) == "yes"
    assert (model_client.usage.prompt_tokens, model_client.usage.reply_tokens, model_client.usage.money) == (
        10,
        5,
        20.0,
    )
    record = calls.calls[0].model_dump(mode="json")
    assert record["replied_by"] == "scripted-1"
    assert KEY not in json.dumps(record)


def test_who_watches_a_client_is_told_every_piece_of_a_reply_and_what_it_used() -> None:
    progress: list[CallProgress] = []
    calls = RecordedModelCalls()
    with model_server(Behaviour(pieces=('{"answer"', ': "yes"}'))) as server:
        model_client = client(server, calls)
        model_client.watch(progress.append)
        ask(model_client)
    assert [progress.text for progress in progress] == ["", '{"answer"', ': "yes"}', ""]
    assert [progress.done for progress in progress] == [False, False, False, True]
    assert (progress[0].used.prompt_tokens, progress[-1].used.prompt_tokens) == (0, 10)
    progress.clear()
    ask(model_client)
    assert [(progress.replayed, progress.done) for progress in progress] == [(True, True)]


@pytest.mark.parametrize("value", ["many", "-1", "nan", "inf"])
def test_a_limit_that_is_no_number_is_refused_in_one_sentence(value: str) -> None:
    named = {"WORKBENCH_MODEL": "scripted", "WORKBENCH_BUDGET_TOKENS": value}
    with pytest.raises(WorkbenchError, match=r"WORKBENCH_BUDGET_TOKENS is .*; set it to a number"):
        settings_from(named)
    limits = {"BUDGET_TOKENS": "5000", "MODEL_SECONDS": "600", "MODEL_ROUNDS": "5"}
    settings = settings_from({**named, **{f"WORKBENCH_{name}": text for name, text in limits.items()}})
    assert settings is not None
    assert (settings.budget_tokens, settings.seconds, settings.rounds) == (5000, 600.0, 5)
    assert [settings.seconds_for(tokens) for tokens in (100, 4096, 16_384)] == [600.0, 600.0, 2400.0]


def test_a_recorded_session_runs_again_without_a_server_byte_for_byte() -> None:
    calls = RecordedModelCalls()
    with model_server() as server:
        settings = ModelSettings("scripted", server.url)
        assert ask(ModelClient(settings, calls, key=lambda: KEY)) == "yes"
    records = calls.calls
    again = ModelClient(settings, RecordedModelCalls(records), replay_only=True)
    assert ask(again) == "yes"
    with pytest.raises(ModelError, match="never recorded"):
        again.ask("question", (Message("user", "Something else?"),), Answer)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_passes_is_tried_again(status: int) -> None:
    with model_server(
        Behaviour(status=status, retry_after="0"), Behaviour(status=status), Behaviour()
    ) as server:
        assert ask(client(server)) == "yes"
        assert len(server.requests) == 3


def test_a_server_that_stays_broken_is_given_up_on_after_the_attempts() -> None:
    with model_server(Behaviour(status=500)) as server:
        with pytest.raises(ModelError, match="status 500"):
            ask(client(server, attempts=3))
        assert len(server.requests) == 3


def test_a_cut_stream_is_tried_again_and_then_named() -> None:
    cut = Behaviour(pieces=('{"answer": "y',), finish=None)
    with model_server(cut, Behaviour()) as server:
        assert ask(client(server)) == "yes"
    with model_server(cut) as server, pytest.raises(ModelError, match="stream broke off"):
        ask(client(server, attempts=2))


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (Behaviour(pieces=("no json here",)), "holds no JSON object"),
        (Behaviour(pieces=('{"answer": 3}',)), "does not have the asked form at answer"),
        (Behaviour(pieces=('{"answer": ',), finish="length"), "cut at its token limit"),
        (Behaviour(pieces=()), "holds no JSON object"),
        (Behaviour(pieces=("{" * 50_000 + "}",)), "does not have the asked form"),
        (Behaviour(pieces=("x" * (LONGEST_REPLY + 1),)), "longer than"),
        (Behaviour(pieces=(), refusal="I will not."), "The model refused: I will not."),
        (Behaviour(status=401), "does not accept the key"),
        (Behaviour(status=404), "does not know 'scripted'"),
        (Behaviour(status=400, error="context too long"), "refused the request"),
        (Behaviour(raw=b"data: {broken\n\n"), "did not answer"),
    ],
)
def test_every_misbehaviour_ends_in_one_clear_sentence(behaviour: Behaviour, message: str) -> None:
    with model_server(behaviour) as server, pytest.raises(ModelError, match=message) as caught:
        ask(client(server, attempts=1))
    assert caught.value.exit_code == 3
    assert KEY not in str(caught.value)


def _complain(kinds: set[str]) -> Behaviour:
    def refuse(body: dict[str, Json]) -> str:
        form = body.get("response_format")
        kind = str(form["type"]) if isinstance(form, dict) else "tool"
        return f"response_format {kind} is not supported" if kind in kinds else ""

    return Behaviour(refuse_if=refuse, as_tool="json_object" in kinds)


@pytest.mark.parametrize("kinds", [{"json_schema"}, {"json_schema", "json_object"}])
def test_servers_without_schemas_are_asked_for_json_and_then_by_a_tool_call(kinds: set[str]) -> None:
    with model_server(_complain(kinds)) as server:
        model_client = client(server)
        assert ask(model_client) == "yes"
        assert len(server.requests) == len(kinds) + 1
        model_client.ask("again", PROMPT, Answer)
        assert len(server.requests) == len(kinds) + 2


def test_cancelling_closes_the_connection() -> None:
    cancelled = threading.Event()
    with model_server(Behaviour(hang=True)) as server:
        threading.Thread(target=lambda: server.reached.wait(20) and cancelled.set(), daemon=True).start()
        model_client = client(server)
        model_client.watch(lambda _progress: None, cancelled)
        with pytest.raises(Cancelled):
            ask(model_client)
        assert server.closed.wait(20)


def test_a_slow_server_ends_at_the_time_limit() -> None:
    with (
        model_server(Behaviour(hang=True)) as server,
        pytest.raises(ModelError, match="longer than the time limit"),
    ):
        ask(client(server, seconds=0.3, attempts=1))


def test_the_deadline_of_all_calls_ends_a_running_one() -> None:
    with (
        model_server(Behaviour(hang=True)) as server,
        pytest.raises(ModelError, match=r"taken 0\.2 seconds together \(WORKBENCH_MODEL_DEADLINE\)"),
    ):
        ask(client(server, deadline=0.2))


def test_a_spent_budget_stops_before_asking() -> None:
    with model_server() as server:
        model_client = client(server, budget_tokens=15)
        ask(model_client)
        with pytest.raises(ModelError, match="budget of 15 tokens is spent"):
            model_client.ask("again", PROMPT, Answer)
        assert len(server.requests) == 1


def test_no_key_is_one_sentence_with_a_remedy() -> None:
    with pytest.raises(WorkbenchError, match="OPENAI_API_KEY"):
        read_key({})
