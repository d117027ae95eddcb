"""The events of a reply, in either protocol."""

from __future__ import annotations

from dataclasses import dataclass

_MOST_TOKENS = 10**9


class BrokenStream(Exception):
    """The stream ended before the model said that it had finished, or has another form."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a call: ``cached`` are some of the prompt's, ``thinking`` some of the reply's."""

    prompt: int
    reply: int
    cached: int = 0
    thinking: int = 0


@dataclass(frozen=True, slots=True)
class EventPiece:
    """The content of one event; ``thought`` counts the characters of thinking in it, which are not kept."""

    text: str = ""
    thought: int = 0
    replied_by: str = ""
    finish: str = ""
    tokens: Tokens | None = None


def tokens_of(prompt: object, reply: object, total: object, cached: object, thinking: object) -> Tokens:
    """The numbers of tokens that a server tells; what cannot be one counts as 0.

    Some servers leave the tokens of thinking out of the reply's, and count them in the total only.
    """
    prompted, replied = count(prompt), count(reply)
    thought = max(count(thinking), 0)
    beside = count(total) - prompted - replied
    if beside > 0:
        replied, thought = replied + beside, max(thought, beside)
    return Tokens(prompted, replied, min(count(cached), prompted), min(thought, replied))


def count(number: object) -> int:
    """A number of tokens; 0 for what cannot be one."""
    return number if isinstance(number, int) and 0 <= number <= _MOST_TOKENS else 0
