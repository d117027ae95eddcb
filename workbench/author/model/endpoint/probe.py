"""One small question to an endpoint, which shows what it accepts and whether it enforces a form.

The most tokens of a prompt, by the endpoint's list of models.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from workbench.author.model.client import ModelClient
from workbench.author.model.endpoint.abilities import Abilities
from workbench.author.model.endpoint.connection import connected
from workbench.author.model.endpoint.learnt_abilities import LearntFile
from workbench.author.model.errors import BadReply, ModelError
from workbench.author.model.progress import Usage
from workbench.author.model.recording import Message, RecordedModelCalls
from workbench.author.model.settings import ModelSettings, key_of

_SECONDS = 5.0
_LENGTHS = ("context_length", "max_model_len", "max_context_length", "context_window", "n_ctx")


def context_of(settings: ModelSettings) -> int:
    """The most tokens of a prompt; 0 if the list does not give it."""
    import openai

    try:
        return asyncio.run(_listed(settings))
    except (openai.OpenAIError, ModelError, OSError, ValueError, TypeError, AttributeError, RecursionError):
        return 0  # what cannot be asked, or answers something else, is reported when the model is asked


async def _listed(settings: ModelSettings) -> int:
    async with connected(settings, key_of(settings), _SECONDS) as client:
        listed = await client.models.list()
    for model in listed.data:
        if model.id == settings.model:
            extra = model.model_extra or {}
            lengths = [extra.get(key) for key in _LENGTHS]
            return next((length for length in lengths if isinstance(length, int) and length > 0), 0)
    return 0


_AGAINST_THE_FORM = "Is 7 a prime number? Reply with the one word yes or no, as plain text, without any JSON."
_PLAIN = 'Is 7 a prime number? Reply in JSON: "answer" is yes or no.'


class YesOrNo(BaseModel):
    """The form of the reply."""

    answer: Literal["yes", "no"]


@dataclass(frozen=True, slots=True)
class Probed:
    """The findings about an endpoint.

    ``held_to_form`` means that the server enforced the form of the reply although the prompt asked for
    another.
    """

    abilities: Abilities
    held_to_form: bool
    replied_by: str
    usage: Usage


def probe(settings: ModelSettings, learnt: LearntFile, key: Callable[[], str] | None = None) -> Probed:
    """Ask, and return the findings; raises ModelError if the endpoint gives no usable answer.

    The question starts from the abilities in ``learnt``, and the new ones are written there.
    """
    calls = RecordedModelCalls()
    client = ModelClient(settings, calls, key=key, learnt=learnt)
    messages = Message("system", "You answer questions."), Message("user", _AGAINST_THE_FORM)
    try:
        client.ask("doctor", messages, YesOrNo)
        held = not client.abilities.form_in_prompt
    except BadReply:
        client.ask("doctor, in its form", (messages[0], Message("user", _PLAIN)), YesOrNo)
        held = False
    return Probed(client.abilities, held, calls.calls[-1].replied_by, client.usage)
