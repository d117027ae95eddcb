"""Common endpoints, each with its accepted and refused parameters: the client learns them and succeeds."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pydantic import BaseModel, Field

from tests.author.model.http_endpoint import (
    Answer,
    HttpEndpoint,
    Request,
    chat,
    http_endpoint,
    refused,
    responses,
    whole_chat,
)
from workbench.author.model.client import ModelClient
from workbench.author.model.endpoint.abilities import Abilities, Api, Form, TokenLimitName, weakened
from workbench.author.model.endpoint.learnt_abilities import LearntFile
from workbench.author.model.endpoint.strict_schema import strict_schema
from workbench.author.model.errors import ModelError
from workbench.author.model.progress import Usage
from workbench.author.model.recording import Message, RecordedModelCalls
from workbench.author.model.settings import ModelSettings, address_of, key_of, settings_from
from workbench.model import Json, WorkbenchError

YES = '{"answer": "yes"}'
PROMPT = (Message("system", "You answer."), Message("user", "Is it?"))
COUNTED: Json = {
    "prompt_tokens": 100, "completion_tokens": 40, "total_tokens": 140,
    "prompt_tokens_details": {"cached_tokens": 64}, "completion_tokens_details": {"reasoning_tokens": 30},
}  # fmt: skip


class Reply(BaseModel):
    """What is asked for."""

    answer: str = Field(max_length=20)


async def no_wait(_seconds: float) -> None:
    """Replaces the wait between attempts."""


def ask(
    server: HttpEndpoint, settings: ModelSettings | None = None, learnt: LearntFile | None = None
) -> tuple[str, ModelClient]:
    """The answer of an endpoint, and the client that asked."""
    settings = settings or ModelSettings("m", f"{server.origin}/v1", attempts=1)
    client = ModelClient(settings, RecordedModelCalls(), key=lambda: "the-key", wait=no_wait, learnt=learnt)
    return client.ask("question", PROMPT, Reply).answer, client


def form_of(request: Request) -> str:
    form: dict[str, str] | None = request.body.get("response_format")
    return form["type"] if form else "tool" if "tools" in request.body else ""


# --- what each kind takes -------------------------------------------------------------------


def reasoning(request: Request) -> Answer:
    """A reasoning model: no temperature, one name of the limit."""
    if "temperature" in request.body:
        return refused(
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1).",
            "temperature", code="unsupported_value",
        )  # fmt: skip
    if "max_tokens" in request.body:
        return refused("Use 'max_completion_tokens' instead.", "max_tokens")
    return chat(YES, usage=COUNTED)


def old_azure(request: Request) -> Answer:
    """An old API version: neither new parameters nor schemas."""
    for name in ("stream_options", "max_completion_tokens"):
        if name in request.body:
            return refused(f"Unrecognized request argument supplied: {name}", status=400)
    if form_of(request) == "json_schema":
        return refused("response_format value as json_schema is enabled only for api versions 2024-08-01 on")
    return chat(YES)


def gemini(request: Request) -> Answer:
    """An error in a list; thinking counted in the total only."""
    if "seed" in request.body:
        message = 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'
        return Answer(400, text=json.dumps([{"error": {"code": 400, "message": message}}]))
    return chat(YES, usage={"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 150})


def ignoring(request: Request) -> Answer:
    """A compatible layer that accepts any form and does not follow it."""
    has_schema = "JSON schema" in request.prompt
    return chat(f"Sure! Here it is:\n```json\n{YES}\n```\nAnything else?" if has_schema else "Yes, it is.")


def without_system(request: Request) -> Answer:
    """A template without system messages."""
    if any(message["role"] == "system" for message in request.body["messages"]):
        return refused("System role not supported", status=400)
    return chat(YES, thinking="Let me see. It is.")


def forms_refused(request: Request) -> Answer:
    """A server that refuses every form, and tools."""
    kind = form_of(request)
    return refused(f"{kind} is unavailable: this response_format type, or tool_choice") if kind else chat(YES)


def mistral(request: Request) -> Answer:
    """A refusal with a third status code, with the place in a list."""
    if "seed" in request.body:
        detail: Json = [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs"}]
        return Answer(422, text=json.dumps({"detail": detail}))
    return chat(YES)


def silent(request: Request) -> Answer:
    """A server that accepts few parameters and does not name those that it refuses."""
    known = {"model", "messages", "max_tokens", "stream"}
    return chat(YES) if set(request.body) <= known else Answer(400, text="{}")


def no_streams(request: Request) -> Answer:
    """An account without permission to stream."""
    if request.body.get("stream"):
        return refused("Your organization must be verified to stream this model.", "stream")
    return whole_chat(YES, COUNTED)


def streams_ignored(_request: Request) -> Answer:
    """A server that answers as if no stream had been requested."""
    return whole_chat(YES, COUNTED)


def responses_only(request: Request) -> Answer:
    """A model with one protocol only."""
    if request.path.endswith("/chat/completions"):
        return refused(
            "This model is only supported in v1/responses and not in v1/chat/completions.",
            "model",
            status=404,
        )
    assert request.body["store"] is False
    if "temperature" in request.body:
        return refused(
            "Unsupported parameter: 'temperature' is not supported with this model.", "temperature"
        )
    usage: Json = {
        "input_tokens": 100, "output_tokens": 40, "total_tokens": 140,
        "input_tokens_details": {"cached_tokens": 64}, "output_tokens_details": {"reasoning_tokens": 30},
    }  # fmt: skip
    return responses(YES, usage=usage)


def elsewhere(request: Request) -> Answer:
    """A server without the first protocol, which gives no hint of this."""
    return responses(YES) if request.path.endswith("/responses") else Answer(404, text="")


def small_limit(request: Request) -> Answer:
    """A model with short replies."""
    if request.body["max_completion_tokens"] > 2048:
        return refused("max_tokens is too large: 4096. This model supports at most 2048 completion tokens")
    return chat(YES)


def small_context(request: Request) -> Answer:
    """A model with a small context."""
    if "max_completion_tokens" in request.body or "max_tokens" in request.body:
        return refused(
            "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length "
            "is 4096 tokens and your request has 900 input tokens."
        )
    return chat(YES)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of endpoint, the knowledge after a call, and the number of requests for it."""

    answer: Callable[[Request], Answer]
    known: Abilities
    requests: int
    usage: Usage | None = None


PLAIN = Abilities(proved=True)
THOUGHT = Usage(100, 40, cached_tokens=64, thinking_tokens=30, unpriced_tokens=140)
KINDS = {
    "reasoning": Kind(reasoning, replace(PLAIN, temperature=False, thinks=True), 2, THOUGHT),
    "old azure": Kind(old_azure, replace(PLAIN, usage=False, limit=TokenLimitName.TOKENS, form=Form.JSON), 4),
    "gemini": Kind(
        gemini, replace(PLAIN, seed=False, thinks=True), 2,
        Usage(100, 50, thinking_tokens=40, unpriced_tokens=150),
    ),
    "ignoring": Kind(ignoring, replace(PLAIN, told=True), 2),
    "without system": Kind(without_system, replace(PLAIN, system=False, thinks=True), 2),
    "forms refused": Kind(forms_refused, replace(PLAIN, form=Form.PROMPT), 4),
    "mistral": Kind(mistral, replace(PLAIN, seed=False), 2),
    "silent": Kind(
        silent,
        Abilities(
            form=Form.PROMPT, limit=TokenLimitName.TOKENS, temperature=False, seed=False, effort=False,
            system=False, usage=False, proved=True,
        ),
        2,
    ),
    "no streams": Kind(no_streams, replace(PLAIN, streams=False, usage=False, thinks=True), 2, THOUGHT),
    "streams ignored": Kind(streams_ignored, replace(PLAIN, thinks=True), 1, THOUGHT),
    "responses only": Kind(
        responses_only, replace(PLAIN, api=Api.RESPONSES, temperature=False, thinks=True), 3, THOUGHT
    ),
    "elsewhere": Kind(elsewhere, replace(PLAIN, api=Api.RESPONSES, thinks=True), 2),
    "small limit": Kind(small_limit, replace(PLAIN, most_tokens=2048), 2),
    "small context": Kind(small_context, replace(PLAIN, limit=TokenLimitName.NONE), 2),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_an_endpoint_is_asked_as_it_takes_it_and_what_was_learnt_saves_the_next_refusals(
    name: str, tmp_path: Path
) -> None:
    kind, learnt = KINDS[name], LearntFile(tmp_path)
    with http_endpoint(kind.answer) as server:
        answer, client = ask(server, learnt=learnt)
        assert answer == "yes"
        assert client.abilities == kind.known
        assert len(server.requests) == kind.requests
        if kind.usage is not None:
            assert replace(client.usage, seconds=0.0) == kind.usage
        answer, again = ask(server, learnt=LearntFile(tmp_path))
        assert (answer, again.abilities) == ("yes", kind.known)
        assert len(server.requests) == kind.requests + 1
    assert "the-key" not in learnt.path.read_text()


def test_tokens_that_a_server_does_not_count_are_estimated_so_that_a_budget_holds() -> None:
    with http_endpoint(lambda _request: chat(YES)) as server:
        _, client = ask(server)
    assert client.usage.prompt_tokens > 0
    assert client.usage.reply_tokens > 0


# --- addresses and keys ---------------------------------------------------------------------


def azure(request: Request) -> Answer:
    """An Azure resource: the key only in a header of its own."""
    if request.headers.get("api-key") != "the-key" or "authorization" in request.headers:
        return refused("Access denied", status=401)
    return chat(YES)


@pytest.mark.parametrize(
    ("base", "version", "path"),
    [
        ("", "2025-01-01-preview", "/openai/deployments/m/chat/completions?api-version=2025-01-01-preview"),
        ("/openai/deployments/m/chat/completions?api-version=2024-10-21", "",
         "/openai/deployments/m/chat/completions?api-version=2024-10-21"),
        ("", "", "/openai/v1/chat/completions"),
        ("/openai/v1/", "", "/openai/v1/chat/completions"),
    ],
)  # fmt: skip
def test_azure_is_reached_in_both_styles_with_the_key_in_its_header(
    base: str, version: str, path: str
) -> None:
    with http_endpoint(azure) as server:
        named = {"WORKBENCH_MODEL": "m", "AZURE_OPENAI_ENDPOINT": f"{server.origin}{base}"}
        settings = settings_from({**named, "OPENAI_API_VERSION": version})
        assert settings is not None
        assert ask(server, settings)[0] == "yes"
        assert server.requests[-1].path == path


def test_other_headers_carry_a_key_where_that_is_set() -> None:
    with http_endpoint(lambda _request: chat(YES)) as server:
        ask(server, ModelSettings("m", f"{server.origin}/v1", key_header="X-Key"))
        assert server.requests[0].headers["x-key"] == "the-key"
        assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    ("copied", "base", "api", "header"),
    [
        (None, "https://api.openai.com/v1", None, ""),
        ("https://x.openai.azure.com", "https://x.openai.azure.com/openai/v1", None, "api-key"),
        ("https://x.openai.azure.com/?api-version=2024-10-21",
         "https://x.openai.azure.com/openai/deployments/a%2Fb", None, "api-key"),
        ("https://api.anthropic.com/v1/", "https://api.anthropic.com/v1", None, ""),
        ("http://localhost:11434/v1/chat/completions", "http://localhost:11434/v1", Api.CHAT, ""),
        ("http://localhost:1234/v1/responses", "http://localhost:1234/v1", Api.RESPONSES, ""),
    ],
)  # fmt: skip
def test_an_address_is_taken_as_people_copy_it(
    copied: str | None, base: str, api: Api | None, header: str
) -> None:
    address = address_of(copied, "a/b")
    assert (address.base_url, address.api, address.key_header) == (base, api, header)


@pytest.mark.parametrize(
    "address", ["localhost:11434", "ftp://x/v1", "http://", "http://[::1", "file:///etc"]
)
def test_what_is_no_web_address_is_refused_in_one_sentence(address: str) -> None:
    with pytest.raises(ModelError, match="OPENAI_BASE_URL is no web address"):
        address_of(address, "m")


def test_this_machine_needs_no_key_and_others_do() -> None:
    assert key_of(ModelSettings("m", "http://127.0.0.1:1/v1"), {}) == "none"
    assert key_of(ModelSettings("m", "http://127.0.0.1:1/v1"), {"OPENAI_API_KEY": "k"}) == "k"
    assert key_of(ModelSettings("m", "https://x.openai.azure.com"), {"AZURE_OPENAI_API_KEY": "k"}) == "k"
    with pytest.raises(WorkbenchError, match="No key"):
        key_of(ModelSettings("m", "http://127.0.0.1.example.org/v1"), {})


# --- reasoning ------------------------------------------------------------------------------


def test_effort_and_room_for_thinking_are_sent_and_can_be_set() -> None:
    with http_endpoint(reasoning) as server:
        settings = ModelSettings(
            "m", f"{server.origin}/v1", effort="low", reply_tokens=500, thinking_tokens=1000, attempts=1
        )
        ask(server, settings)
        assert server.requests[-1].body["reasoning_effort"] == "low"
        assert server.requests[-1].body["max_completion_tokens"] == 1500


def test_a_reply_that_was_all_thinking_is_asked_for_again_with_more_room() -> None:
    def thinks(request: Request) -> Answer:
        enough = request.body["max_completion_tokens"] > 1000
        return chat(YES, thinking="Hm.") if enough else chat("", thinking="Hm. " * 90, finish="length")

    with http_endpoint(thinks) as server:
        settings = ModelSettings("m", f"{server.origin}/v1", reply_tokens=500, thinking_tokens=1000)
        assert ask(server, settings)[0] == "yes"
        with pytest.raises(ModelError, match=r"spent all 600 tokens .* on thinking.*THINKING_TOKENS"):
            ask(server, replace(settings, thinking_tokens=100))


# --- the form -------------------------------------------------------------------------------


def test_a_strict_schema_is_sent_where_it_is_set_and_whole_schemas_elsewhere() -> None:
    with http_endpoint(lambda _request: chat(YES)) as server:
        ask(server, ModelSettings("m", f"{server.origin}/v1", form="strict"))
        ask(server)
    strict, whole = (request.body["response_format"]["json_schema"] for request in server.requests)
    assert strict["strict"] is True
    assert strict["schema"]["additionalProperties"] is False
    assert "maxLength" not in json.dumps(strict["schema"])
    assert whole["strict"] is False
    assert whole["schema"]["properties"]["answer"]["maxLength"] == 20


def test_a_schema_without_a_strict_form_is_found_out() -> None:
    table: dict[str, Json] = {
        "type": "object",
        "properties": {"x": {"type": "object", "additionalProperties": {}}},
    }
    assert strict_schema(table) is None
    optional: dict[str, Json] = {"type": "object", "properties": {"title": {"type": "string", "default": ""}}}
    assert strict_schema(optional) == {
        "type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"],
        "additionalProperties": False,
    }  # fmt: skip


READABLE = {
    "fence": f"```json\n{YES}\n```",
    "prose": f"Of course {{happily}}.\n{YES}\nIs that all?",
    "thinking": f"<think>Is it? {{\"answer\": \"no\"}} no, it is.</think>\n{YES}",
    "end of thinking only": f"Is it? Perhaps {{\"answer\": \"no\"}}.</think>{YES}",
    "two words for thinking": f"<think>a</think><reasoning>b</reasoning>{YES}",
    "marks of channels": f"<|channel|>analysis<|message|>It is.<|end|><|channel|>final<|message|>{YES}",
    "brackets": f"[THINK]hm[/THINK]{YES}",
    "the same twice": f"{YES}\n\nFinal answer:\n{YES}",
    "an example of another form": f'{{"type": "object"}} is the form. {YES}',
}  # fmt: skip


@pytest.mark.parametrize("name", READABLE)
def test_what_stands_around_the_data_is_left_out(name: str) -> None:
    with http_endpoint(lambda _request: chat(READABLE[name])) as server:
        assert ask(server)[0] == "yes"
        assert len(server.requests) == 1


UNREADABLE = {
    "two answers": f'{YES} or rather {{"answer": "no"}}',
    "a key twice": '{"answer": "yes", "answer": "no"}',
    "endless thinking": f"<think>Perhaps {YES} is right, or",
    "another form": '{"reply": "yes"}',
    "cut": '{"answer": "yes',
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_says_two_things_or_none_is_refused(name: str) -> None:
    with http_endpoint(lambda _request: chat(UNREADABLE[name])) as server, pytest.raises(ModelError):
        ask(server)


def test_a_refusal_leaves_out_only_what_it_is_about() -> None:
    whole = Abilities()
    assert weakened(whole, "context too long") == whole
    assert weakened(whole, "Unsupported", "temperature") == replace(whole, temperature=False)
    assert weakened(whole, "reasoning_effort is unknown") == replace(whole, effort=False)
    assert weakened(whole, "only in v1/responses", api_fixed=True) == whole


def test_a_refusal_that_cannot_be_helped_is_told_and_teaches_nothing(tmp_path: Path) -> None:
    with http_endpoint(lambda _request: refused("The prompt is not allowed.")) as server:
        with pytest.raises(ModelError, match=r"refused the request: .*not allowed"):
            ask(server, learnt=LearntFile(tmp_path))
        assert len(server.requests) == 2
    assert not LearntFile(tmp_path).path.exists()
