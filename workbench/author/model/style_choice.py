"""The choice of the style in which a model drafts: forms, sentence by sentence, or whole files.

Small models can fill forms but cannot write a file in a dialect that they never saw. The setting decides.
Without a setting, a session keeps the style it began with. A new session asks the endpoint how long a prompt
may be, and looks at the size in the model's name.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable

from workbench.author.model.client import ModelClient
from workbench.author.model.endpoint.connection import connected
from workbench.author.model.recording import StoredCall
from workbench.author.model.settings import ModelSettings, key_of

FILE, FORMS = "file", "forms"
LEAST_CONTEXT = 32_000
LEAST_BILLIONS = 20.0
_SECONDS = 5.0
_LENGTHS = ("context_length", "max_model_len", "max_context_length", "context_window", "n_ctx")
_SIZE = re.compile(r"(?<![a-z0-9.])(\d{1,4}(?:\.\d{1,3})?)\s?([bm])(?![a-z0-9])", re.I)


def style_of(client: ModelClient, calls: Iterable[StoredCall], *, drafted: bool = False) -> str:
    """The style, ``file`` or ``forms``; ``drafted`` means that the session has a drafting of whole files."""
    if client.settings.style:
        return client.settings.style
    if drafted:
        return FILE
    purposes = [call.sent.purpose for call in calls]
    if any(purpose == "agent file" or purpose.startswith("agent file,") for purpose in purposes):
        return FILE
    if any(purpose.split(",")[0].split()[0] in ("analysis", "sentence", "rules") for purpose in purposes):
        return FORMS
    if is_small(client.settings.model):
        return FORMS
    context = context_of(client.settings)
    return FORMS if 0 < context < LEAST_CONTEXT else FILE


def is_small(model: str) -> bool:
    """Whether the size in a model's name is below that of models that write whole files."""
    sizes = [float(number) / (1 if unit.lower() == "b" else 1000) for number, unit in _SIZE.findall(model)]
    return bool(sizes) and max(sizes) < LEAST_BILLIONS


def context_of(settings: ModelSettings) -> int:
    """The most tokens of a prompt by the endpoint's list of models; 0 if the list does not give it."""
    try:
        return asyncio.run(_listed(settings))
    except Exception:  # an endpoint that cannot be reached is reported when the model is asked
        return 0


async def _listed(settings: ModelSettings) -> int:
    async with connected(settings, key_of(settings), _SECONDS) as client:
        listed = await client.models.list()
    for model in listed.data:
        if model.id == settings.model:
            extra = model.model_extra or {}
            lengths = [extra.get(key) for key in _LENGTHS]
            return next((length for length in lengths if isinstance(length, int) and length > 0), 0)
    return 0
