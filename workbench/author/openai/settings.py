"""Which endpoint and model to ask, and what it may cost. The key is read late and never stored."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.model import WorkbenchError


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How to reach a model, and the limits of a session.

    ``seconds`` bounds one attempt; ``attempts`` counts tries for one call. The budgets are for the
    whole session: tokens of prompts and replies together, and money in the currency of the
    prices, which are for a million tokens. A budget of 0 means that there is none.
    """

    model: str
    base_url: str | None = None
    temperature: float = 0.0
    seed: int | None = 1
    reply_tokens: int = 4096
    seconds: float = 120.0
    attempts: int = 4
    budget_tokens: int = 0
    budget_money: float = 0.0
    price_prompt: float = 0.0
    price_reply: float = 0.0


def settings_from(environment: Mapping[str, str]) -> ModelSettings | None:
    """The settings in ``WORKBENCH_MODEL`` and ``OPENAI_BASE_URL``, or None where no model is named."""
    model = environment.get("WORKBENCH_MODEL", "").strip()
    if not model:
        return None
    return ModelSettings(model=model, base_url=environment.get("OPENAI_BASE_URL") or None)


def read_key(environment: Mapping[str, str] = os.environ) -> str:
    """The key from ``OPENAI_API_KEY`` or the system's keyring; raises WorkbenchError if there is none."""
    key = environment.get("OPENAI_API_KEY", "").strip() or _from_keyring()
    if not key:
        raise WorkbenchError(
            "No key for the model was found. Set OPENAI_API_KEY, or store one with "
            "`keyring set workbench openai`; a local server takes any text.",
            exit_code=3,
        )
    return key


def _from_keyring() -> str:
    """The key stored under workbench/openai where the optional keyring package is installed."""
    try:
        import keyring  # pyright: ignore[reportMissingImports]  an optional package
    except ImportError:
        return ""
    try:
        found = keyring.get_password("workbench", "openai")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  untyped where absent
    except Exception:  # a keyring without a usable backend is a keyring without a key
        return ""
    return found if isinstance(found, str) else ""
