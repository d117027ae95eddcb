"""The cost of each stage of a model's work: words, tokens and seconds, from recorded calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.author.model.recording import StoredCall
from workbench.cli.output import markdown_table

# "rules R1, try 2" corrects the stage "rules"; "guardagent debugging 2" is of "guardagent debugging".
_OF_A_PART = re.compile(r"\s+(?:[A-Z]*\d+\S*)(?=,|$)")
_AGAIN = re.compile(r",\s*try\s+\d+")


@dataclass(frozen=True, slots=True)
class StageCost:
    """The calls of one stage by one model, summed.

    Words are the parts between white space, of the whole prompt and of the reply; tokens are the server's.
    """

    stage: str
    model: str
    calls: int
    prompt_words: int
    reply_words: int
    prompt_tokens: int
    reply_tokens: int
    seconds: float


def stage_of(purpose: str) -> str:
    """The stage of a call, by its purpose; corrections of a reply are a stage of their own."""
    again = _AGAIN.search(purpose) is not None
    stage = _OF_A_PART.sub("", _AGAIN.sub("", purpose)).strip()
    return f"{stage}, corrected" if again else stage


def stage_costs(calls: Iterable[StoredCall]) -> tuple[StageCost, ...]:
    """The cost of each stage and model, in the order of their first calls."""
    calls_by_stage: dict[tuple[str, str], list[StoredCall]] = {}
    for call in calls:
        place = stage_of(call.sent.purpose), call.replied_by or call.sent.model
        calls_by_stage.setdefault(place, []).append(call)
    return tuple(
        StageCost(
            stage,
            model,
            len(stored_calls),
            sum(_words(message.content) for call in stored_calls for message in call.sent.messages),
            sum(_words(call.reply) for call in stored_calls),
            sum(call.usage.prompt_tokens for call in stored_calls),
            sum(call.usage.reply_tokens for call in stored_calls),
            sum(call.usage.seconds for call in stored_calls),
        )
        for (stage, model), stored_calls in calls_by_stage.items()
    )


def _words(text: str) -> int:
    return len(text.split())


def stage_table(stages: Sequence[StageCost]) -> str:
    """The stages as a Markdown table: mean words, tokens and seconds of one call."""
    head = ["stage", "model", "calls", "words sent", "words replied", "tokens sent", "tokens replied", "s"]
    return markdown_table(
        head,
        [
            [
                stage.stage,
                stage.model,
                str(stage.calls),
                *(
                    f"{total / stage.calls:.0f}"
                    for total in (
                        stage.prompt_words,
                        stage.reply_words,
                        stage.prompt_tokens,
                        stage.reply_tokens,
                    )
                ),
                f"{stage.seconds / stage.calls:.1f}",
            ]
            for stage in stages
        ],
    )
