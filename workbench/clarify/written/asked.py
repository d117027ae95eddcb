"""A question about a policy of calls, and what each of its answers puts into the policy."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from workbench.clean_text import one_line
from workbench.language.trees import Tree
from workbench.model import AgentSpec, Json, Question, RecordedCall
from workbench.policy.written import TextTest

BOUND, CONFLICT, WITHOUT_EFFECT, NEVER_HOLDS = "bound", "exception", "without-effect-rule", "never-holds"
TYPED, NAMED, KEY, UNKNOWN_RECORD, OTHER_CALLS, WITNESS, UNIT, CALL_NAME = (
    "typed-value", "named-value", "record-key", "unknown-record", "other-calls", "witness", "unit",
    "call-name",
)  # fmt: skip
KINDS = (
    BOUND, CONFLICT, WITHOUT_EFFECT, NEVER_HOLDS, TYPED, NAMED, KEY, UNKNOWN_RECORD, OTHER_CALLS, WITNESS,
    UNIT, CALL_NAME,
)  # fmt: skip
MEANT = "meant"
"""The answer that what the policy does now is meant, where it has no name of its own."""
DONE = "{}"
"""The result of a call that succeeded, and told nothing."""


@dataclass(frozen=True)
class TriedCall:
    """A call of a tool with its arguments, as JSON; ``recorded`` if it is one of a run with its results.

    ``said`` is what the user wrote before it and ``time`` when it is made, where rules ask for that.
    """

    tool: str
    arguments: Mapping[str, Json]
    recorded: RecordedCall | None = None
    said: str = ""
    time: str = ""

    @property
    def result(self) -> str:
        """What it told before the call that is decided; empty for that one."""
        return "" if self.recorded is None else self.recorded.result or ""

    def __str__(self) -> str:
        shown = ", ".join(f"{name} {_shown(value)}" for name, value in self.arguments.items())
        said = f"{self.tool} ({shown})" if shown else self.tool
        if self.result:
            return f"{said}, which {'succeeds' if self.result == DONE else f'tells {one_line(self.result)}'}"
        said += f" on {datetime.fromisoformat(self.time):%A at %H:%M %Z}" if self.time else ""
        return f"{said}, after the user wrote “{one_line(self.said)}”" if self.said else said


type Calls = tuple[TriedCall, ...]


def _shown(value: Json) -> str:
    if isinstance(value, str):
        return "“" + value.replace("\n", "⏎") + "”"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, dict):
        return f"({', '.join(f'{name} {_shown(held)}' for name, held in value.items())})"
    return str(value)


@dataclass(frozen=True, slots=True)
class Effect:
    """What an answer puts into the policy.

    ``said`` has what rules say in the place of what they say, ``dropped`` the rules that go, ``new`` what is
    said beside rules, for the sentence of each. ``open_tools`` and ``closed_tools`` are the tools that are
    allowed or denied where no rule speaks of them. ``about`` names the rules that stay as they are, without
    which the policy would not do what was chosen. ``agent`` is the agent spec by which all of it is read,
    where that has to say more than it does.
    """

    said: Mapping[str, Tree] = field(default_factory=dict[str, Tree])
    dropped: tuple[str, ...] = ()
    new: tuple[tuple[str, Tree], ...] = ()
    open_tools: tuple[str, ...] = ()
    closed_tools: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    agent: AgentSpec | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, whose default is what the policy does now, and the effects of the other answers.

    What shows a call that is hardly wanted has no default: what the policy does now is not the safe side.
    ``about`` names the rules that do it, or the constant of the default. ``tests`` are the tests of raw text
    that it asks about. ``calls`` are allowed as it is, and hardly wanted.
    """

    question: Question
    effects: Mapping[str, Effect]
    about: tuple[str, ...]
    tests: tuple[TextTest, ...] = ()
    calls: Calls = ()


def identity(kind: str, *material: object) -> str:
    """The id of a question of a kind about something, the same in every run."""
    text = "\0".join(str(part) for part in material)
    return f"{kind}:{hashlib.sha256(text.encode()).hexdigest()[:8]}"
