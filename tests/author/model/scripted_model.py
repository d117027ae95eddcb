"""A scripted model behind the real server: it replies according to the request."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast, override

from pydantic import BaseModel

from tests.author.model.model_server import Behaviour, model_server
from workbench.author.model.author import OpenAIAuthor
from workbench.author.model.client import ModelClient, parse_reply
from workbench.author.model.recording import CallRecords, Message, RecordedModelCalls
from workbench.author.model.settings import ModelSettings
from workbench.model import Json

type Reply = Json | str | Callable[[str], Json]


@dataclass
class Script:
    """Replies by purpose (``analysis``, ``rules R3``), one for each request of it; the last repeats.

    A reply is data, a text sent as it is, or a function of the whole prompt. ``sent_prompts`` has purposes
    with their prompts.
    """

    replies: Mapping[str, Sequence[Reply]]
    sent_prompts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    counts: dict[str, int] = field(default_factory=dict[str, int])

    def answer(self, body: dict[str, Json]) -> str:
        """The reply to one request of the client."""
        form = cast("dict[str, dict[str, str]]", body["response_format"])
        purpose = re.sub(r"__try_\d+$", "", form["json_schema"]["name"]).replace("_", " ")
        messages = cast("list[dict[str, str]]", body["messages"])
        prompt = "\n\n".join(message["content"] for message in messages[1:])
        self.sent_prompts.append((purpose, prompt))
        replies = self.replies.get(purpose) or self.replies.get(purpose.split()[0], [""])
        place = self.counts.get(purpose, 0)
        self.counts[purpose] = place + 1
        reply = replies[min(place, len(replies) - 1)]
        if callable(reply):
            reply = reply(prompt)
        return reply if isinstance(reply, str) else json.dumps(reply)

    def prompts(self, purpose: str) -> list[str]:
        """The prompts of one purpose, in order."""
        return [prompt for asked_purpose, prompt in self.sent_prompts if asked_purpose == purpose]


async def _no_wait(_seconds: float) -> None:
    """Replaces the wait between attempts, which only takes time."""


@contextmanager
def scripted_author(
    script: Script, calls: CallRecords | None = None, *, rounds: int = 3, samples: int = 1
) -> Generator[OpenAIAuthor]:
    """An author whose model is the script, behind the real client and a real server."""
    with model_server(Behaviour(answer=script.answer)) as server:
        settings = ModelSettings("scripted", server.url)
        client = ModelClient(settings, calls or RecordedModelCalls(), key=lambda: "sk-x", wait=_no_wait)
        yield OpenAIAuthor(client, rounds=rounds, samples=samples)


class DirectClient(ModelClient):
    """The script without a server: for the many tests that are not about the connection."""

    def __init__(self, script: Script) -> None:
        super().__init__(ModelSettings("scripted"), RecordedModelCalls(), replay_only=True)
        self._script = script

    @override
    def ask[T: BaseModel](
        self,
        purpose: str,
        messages: tuple[Message, ...],
        reply_type: type[T],
        *,
        temperature: float | None = None,
        seed: int | None = None,
        cancelled: threading.Event | None = None,
    ) -> T:
        """The script's reply, checked against the requested form as any reply is."""
        sent = [{"content": message.content} for message in messages]
        name = re.sub(r"\W", "_", purpose)
        body = {"messages": sent, "response_format": {"json_schema": {"name": name}}}
        return parse_reply(self._script.answer(cast("dict[str, Json]", body)), reply_type, purpose)


def direct_author(script: Script, *, rounds: int = 3, samples: int = 1) -> OpenAIAuthor:
    """An author whose model is the script."""
    return OpenAIAuthor(DirectClient(script), rounds=rounds, samples=samples)


def expression(text: str, **lists: Sequence[str]) -> Json:
    """A test that is an expression of the dialect."""
    return {"expression": text, "lists": _lists(lists)}


def rules(*pairs: tuple[str, str], **lists: Sequence[str]) -> Json:
    """A policy generator's reply: names and conditions of rules that forbid, and lists."""
    return {
        "rules": [
            {"name": name, "effect": "forbidden", "when": [expression(when, **lists)]} for name, when in pairs
        ]
    }


def clauses(*pairs: tuple[str, str], **lists: Sequence[str]) -> Json:
    """A constraint generator's reply: conditions and decisions."""
    return {
        "clauses": [{"when": [expression(when, **lists)], "decision": decision} for when, decision in pairs]
    }


def cases(*pairs: tuple[Mapping[str, Json], str]) -> Json:
    """A case generator's reply: arguments and expected decisions."""
    return {
        "cases": [
            {"arguments": dict(arguments), "expected": expected, "reason": "a scripted case"}
            for arguments, expected in pairs
        ]
    }


def analysis(
    *requirements: tuple[str, str],
    otherwise: str = "allow",
    doubts: Sequence[Json] = (),
    title: str = "A request",
) -> Json:
    """A validator's reply: quotes and statements of rules, and doubts."""
    return {
        "title": title,
        "rules": [{"quote": quote, "statement": statement} for quote, statement in requirements],
        "otherwise": otherwise,
        "doubts": list(doubts),
    }


def doubt(quote: str, question: str, *readings: str) -> Json:
    """A doubt of the validator with its readings."""
    return {
        "quote": quote,
        "question": question,
        "readings": [{"label": reading[:40], "statement": reading} for reading in readings],
    }


def _lists(lists: Mapping[str, Sequence[str]]) -> list[Json]:
    return [{"name": name, "values": list(values)} for name, values in lists.items()]
