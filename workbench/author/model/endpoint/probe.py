"""One small question to an endpoint, which shows what it accepts and whether it enforces a form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from workbench.author.model.client import ModelClient
from workbench.author.model.endpoint.abilities import Abilities
from workbench.author.model.endpoint.learnt_abilities import LearntFile
from workbench.author.model.errors import BadReply
from workbench.author.model.progress import Usage
from workbench.author.model.recording import Message, RecordedModelCalls
from workbench.author.model.settings import ModelSettings

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
