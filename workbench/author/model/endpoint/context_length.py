"""The most tokens of a prompt, by the endpoint's list of models."""

from __future__ import annotations

import asyncio

from workbench.author.model.endpoint.connection import connected
from workbench.author.model.errors import ModelError
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
