"""The events of a reply, in either protocol."""

from __future__ import annotations

from dataclasses import dataclass

_MOST_TOKENS = 10**9


class BrokenStream(Exception):
    """The stream ended before the model's reply was complete, or has another form."""


class UnusableReply(BrokenStream):
    """A part of the reply has a type that it cannot have; the error's text says which."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a call: ``cached`` are part of the prompt's, ``thinking`` part of the reply's."""

    prompt: int
    reply: int
    cached: int = 0
    thinking: int = 0


@dataclass(frozen=True, slots=True)
class EventPiece:
    """The content of one event; ``thought`` counts its characters of thinking, which are not stored."""

    text: str = ""
    thought: int = 0
    replied_by: str = ""
    finish: str = ""
    tokens: Tokens | None = None


def text_of(value: object, what: str) -> str:
    """A text of a reply, empty if there is none; raises UnusableReply for a value of another type."""
    if value is None or isinstance(value, str):
        return value or ""
    raise UnusableReply(f"the {what} is no text but {type(value).__name__}")


def tokens_of(prompt: object, reply: object, total: object, cached: object, thinking: object) -> Tokens:
    """The numbers of tokens that a server reports; an impossible number counts as 0.

    Some servers count the tokens of thinking only in the total, not in the reply.
    """
    prompted, replied = count(prompt), count(reply)
    thought = max(count(thinking), 0)
    unattributed = count(total) - prompted - replied
    if unattributed > 0:
        replied, thought = replied + unattributed, max(thought, unattributed)
    return Tokens(prompted, replied, min(count(cached), prompted), min(thought, replied))


def count(number: object) -> int:
    """A number of tokens; 0 if the value cannot be one."""
    return number if isinstance(number, int) and 0 <= number <= _MOST_TOKENS else 0
