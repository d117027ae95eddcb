"""Events of a model's call while it runs, and its usage."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of a call: tokens, seconds and money.

    Of the prompt's tokens ``cached_tokens`` were in the server's cache, of the reply's ``thinking_tokens``
    were spent on thinking. ``unpriced_tokens`` are those whose price is not known: ``money`` leaves them out.
    """

    prompt_tokens: int = 0
    reply_tokens: int = 0
    seconds: float = 0.0
    money: float = 0.0
    cached_tokens: int = 0
    thinking_tokens: int = 0
    unpriced_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        """The sum of two usages."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.reply_tokens + other.reply_tokens,
            self.seconds + other.seconds,
            self.money + other.money,
            self.cached_tokens + other.cached_tokens,
            self.thinking_tokens + other.thinking_tokens,
            self.unpriced_tokens + other.unpriced_tokens,
        )

    @property
    def cost(self) -> str:
        """The money as a text, with a note if prices are not known."""
        if not self.unpriced_tokens:
            return f"{self.money:.4f}"
        return f"at least {self.money:.4f}" if self.money else "unknown"


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """The estimated use of planned calls; ``calls`` is their number, ``recorded`` that of recorded ones.

    ``what`` says what they are, in the plural.
    """

    calls: int
    recorded: int
    usage: Usage
    what: str

    def sentence(self, model: str) -> str:
        """The sentence that a person reads before the calls begin."""
        recorded = f" ({self.recorded:,} more are recorded)" if self.recorded else ""
        tokens = f"{self.usage.prompt_tokens + self.usage.reply_tokens:,}"
        return (
            f"{self.calls:,} {self.what}{recorded} go to {model}: about {tokens} tokens, "
            f"cost {self.usage.cost}."
        )


@dataclass(frozen=True, slots=True)
class CallProgress:
    """The state of a call: a piece of its reply as it arrives, a reason for a retry, or its end.

    ``text`` is the piece, ``tail`` the end of the reply so far, and ``pieces`` the number of pieces; most
    servers send one token with each. ``used`` is what the session's calls used before this one; at the end
    (``done``) it includes this one. ``trouble`` is the reason for a retry. ``failed`` means that the call
    ended without a reply. ``replied_by`` is the model that the server names. ``replayed`` means that a record
    gives the reply and nothing is used. A budget of 0 is no budget. With ``planned`` no call is made yet, and
    the object describes planned calls.
    """

    purpose: str
    text: str = ""
    used: Usage = field(default_factory=Usage)
    done: bool = False
    replayed: bool = False
    model: str = ""
    replied_by: str = ""
    seconds: float = 0.0
    pieces: int = 0
    tail: str = ""
    trouble: str = ""
    failed: bool = False
    budget_tokens: int = 0
    budget_money: float = 0.0
    planned: PlannedCalls | None = None
