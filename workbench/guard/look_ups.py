"""Look-ups: read-only tools that a guard calls to decide a call, each with a time limit."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from workbench.guard.log import LONGEST_RESULT, result_text
from workbench.model import LookedUp

type LookUpFunction = Callable[..., object]
SECONDS = 5.0
MOST_HOPS = 8
"""The most rounds of look-ups for one call; each round uses the answers of the rounds before."""


class LookUpFailed(Exception):
    """Raised by a look-up that has no answer; its text gives the reason in a few words."""


@dataclass(frozen=True, slots=True)
class FailedAnswer:
    """The result of a look-up whose tool flags its answer as an error."""

    text: str


@dataclass(frozen=True, slots=True)
class LookUps:
    """The functions of read-only tools by the names of the tools, sync or async.

    Each is called with the look-up's arguments by their names. A function that takes longer than ``seconds``
    gave no answer; its later result is ignored.
    """

    tools: Mapping[str, LookUpFunction] = field(default_factory=dict[str, LookUpFunction])
    seconds: float = SECONDS

    def ask(self, look_up: LookedUp) -> LookedUp:
        """The look-up with its answer, or with the reason why there is none."""
        answers: list[LookedUp] = []

        def work() -> None:
            try:
                answers.append(_answered(look_up, self.tools[look_up.tool]))
            except LookUpFailed as error:
                answers.append(replace(look_up, why=str(error)))
            except Exception as error:  # an error of a tool is no answer
                answers.append(replace(look_up, why=f"the tool failed ({type(error).__name__})"))

        thread = threading.Thread(target=work, name=f"look-up {look_up.tool}", daemon=True)
        thread.start()
        thread.join(self.seconds)
        return (
            answers[0] if answers else replace(look_up, why=f"it took longer than {self.seconds:g} seconds")
        )


def _answered(look_up: LookedUp, tool: LookUpFunction) -> LookedUp:
    result = tool(**look_up.arguments)
    if inspect.isawaitable(result):
        import asyncio  # only tools that are coroutines need it

        result = asyncio.run(_awaited(cast("Awaitable[object]", result)))
    if isinstance(result, FailedAnswer):
        return replace(look_up, result=result.text[:LONGEST_RESULT], failed=True)
    if result is None:
        return replace(look_up, why="the tool returned nothing")
    text = result_text(result)
    if text is None:
        return replace(look_up, why=f"the answer is no JSON, or longer than {LONGEST_RESULT} characters")
    return replace(look_up, result=text)


async def _awaited(result: Awaitable[object]) -> object:
    return await result
