"""The protocol between the prover and its process: one JSON object per line.

Requests: ``{"job": n, "text": ..., "model": bool, "limit": seconds}`` and ``{"cancel": n}``. Answers:
``{"phase": ...}`` while starting; then per job ``{"work": n, "seconds": ...}`` when it begins and at
intervals, with the processor time that it has used; and ``{"job": n, "failures": [...], ...}`` or ``{"job":
n, "error": ...}``. Nothing else is written to the two pipes. A shared prover uses the same protocol over its
socket, after a line ``{"hello": fingerprint, "pid": ...}``; there ``limit`` bounds a client's use.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from workbench.model import Json


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of a proof: the line of the program, with a model as text."""

    line: int
    message: str
    reason: str = ""
    model: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one job.

    ``error`` is set if the program could not be translated or the verifier failed; then no clause has a
    result. ``memory`` is the process' resident set in bytes. ``unready`` is True if the verifier does not
    start at all.
    """

    job: int
    failures: tuple[Failure, ...] = ()
    error: str = ""
    seconds: float = 0.0
    memory: int = 0
    unready: bool = False


def encode(message: Mapping[str, Json]) -> bytes:
    """A message as one line."""
    return json.dumps(message, ensure_ascii=True).encode() + b"\n"


def decode(line: bytes) -> dict[str, Json]:
    """The object on a line.

    Raises:
        ValueError: the line is no JSON object.
    """
    value: Json = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def answer_of(message: Mapping[str, Json]) -> Answer:
    """The answer in a message; a missing part or a wrong type makes it an error."""
    job, error = message.get("job"), message.get("error", "")
    failures = message.get("failures", [])
    seconds, memory = message.get("seconds", 0.0), message.get("memory", 0)
    if not isinstance(job, int) or not isinstance(failures, list):
        return Answer(job if isinstance(job, int) else -1, error="the prover's answer could not be read")
    return Answer(
        job,
        tuple(_failure(failure) for failure in failures if isinstance(failure, dict)),
        str(error),
        float(seconds) if isinstance(seconds, (int, float)) else 0.0,
        memory if isinstance(memory, int) else 0,
        message.get("unready") is True,
    )


def answer_message(job: int, answer: Answer) -> dict[str, Json]:
    """An answer as a message for the pipe, under another job number."""
    failures: list[Json] = [
        failure_message(failure.line, failure.message, failure.reason, failure.model, failure.code)
        for failure in answer.failures
    ]
    return {
        "job": job,
        "failures": failures,
        "error": answer.error,
        "seconds": answer.seconds,
        "memory": answer.memory,
        "unready": answer.unready,
    }


def _failure(value: Mapping[str, Json]) -> Failure:
    line = value.get("line")
    texts = {name: str(value.get(name) or "") for name in ("message", "reason", "model", "code")}
    return Failure(line if isinstance(line, int) else 0, **texts)


def failure_message(line: int, message: str, reason: str, model: str, code: str) -> dict[str, Json]:
    """A failure as a message for the pipe."""
    return cast(
        "dict[str, Json]",
        {"line": line, "message": message, "reason": reason, "model": model, "code": code},
    )
