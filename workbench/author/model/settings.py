"""Settings of endpoint, model and budget. The key is read when a call is made and never stored."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.model import WorkbenchError

_SECONDS = 120.0
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How to reach a model, and the limits of a session.

    ``seconds`` bounds one attempt; ``attempts`` counts tries for one call. The budgets are for the
    whole session: tokens of prompts and replies together, and money in the currency of the
    prices, which are for a million tokens. A budget of 0 means that there is none. ``style`` is how a
    draft is asked for: ``file``, ``forms``, or empty for what suits the model; ``rounds`` bounds its
    refinement, ``parallel`` the calls that are made at the same time. ``critics`` names those that judge a
    version of the style ``file``, separated by commas; empty for all.
    """

    model: str
    base_url: str | None = None
    temperature: float = 0.0
    seed: int | None = 1
    reply_tokens: int = 4096
    seconds: float = _SECONDS
    attempts: int = 4
    budget_tokens: int = 0
    budget_money: float = 0.0
    price_prompt: float = 0.0
    price_reply: float = 0.0
    style: str = ""
    rounds: int = 3
    parallel: int = 4
    critics: str = ""


def settings_from(environment: Mapping[str, str]) -> ModelSettings | None:
    """The settings that the environment names, or None where it names no model.

    ``WORKBENCH_MODEL`` and ``OPENAI_BASE_URL`` say which; ``WORKBENCH_MODEL_SECONDS`` bounds one attempt;
    ``WORKBENCH_BUDGET_TOKENS`` and ``WORKBENCH_BUDGET_MONEY`` bound the session;
    ``WORKBENCH_PRICE_PROMPT`` and ``WORKBENCH_PRICE_REPLY`` are for a million tokens;
    ``WORKBENCH_MODEL_REPLY_TOKENS`` bounds a reply. ``WORKBENCH_MODEL_STYLE``, ``WORKBENCH_MODEL_ROUNDS``,
    ``WORKBENCH_MODEL_PARALLEL`` and ``WORKBENCH_CRITICS`` say how a policy is drafted. Raises WorkbenchError
    for a value that is no number, or no known word.
    """
    model = environment.get("WORKBENCH_MODEL", "").strip()
    if not model:
        return None
    return ModelSettings(
        model=model,
        base_url=environment.get("OPENAI_BASE_URL") or None,
        seconds=_number(environment, "WORKBENCH_MODEL_SECONDS") or _SECONDS,
        budget_tokens=int(_number(environment, "WORKBENCH_BUDGET_TOKENS")),
        budget_money=_number(environment, "WORKBENCH_BUDGET_MONEY"),
        price_prompt=_number(environment, "WORKBENCH_PRICE_PROMPT"),
        price_reply=_number(environment, "WORKBENCH_PRICE_REPLY"),
        reply_tokens=int(_number(environment, "WORKBENCH_MODEL_REPLY_TOKENS")) or 4096,
        style=_word(environment, "WORKBENCH_MODEL_STYLE", ("", "file", "forms")),
        rounds=int(_number(environment, "WORKBENCH_MODEL_ROUNDS", _ROUNDS)),
        parallel=int(_number(environment, "WORKBENCH_MODEL_PARALLEL")) or 4,
        critics=environment.get("WORKBENCH_CRITICS", "").strip(),
    )


def _word(environment: Mapping[str, str], name: str, words: tuple[str, ...]) -> str:
    """The word in a variable, one of those that it may be."""
    word = environment.get(name, "").strip().lower()
    if word not in words:
        known = " or ".join(filter(None, words))
        raise WorkbenchError(f"{name} is {word[:40]!r}; set it to {known}, or leave it out.")
    return word


def _number(environment: Mapping[str, str], name: str, otherwise: float = 0) -> float:
    """The number in a variable; ``otherwise`` where it is not set."""
    text = environment.get(name, "").strip()
    try:
        value = float(text or otherwise)
    except ValueError:
        value = -1.0
    if not (math.isfinite(value) and value >= 0):
        raise WorkbenchError(f"{name} is {text[:40]!r}; set it to a number, or leave it out.")
    return value


def read_key(environment: Mapping[str, str] = os.environ) -> str:
    """The key from ``OPENAI_API_KEY`` or the system's keyring; raises WorkbenchError if there is none."""
    key = environment.get("OPENAI_API_KEY", "").strip() or _from_keyring()
    if not key:
        raise WorkbenchError(
            "No key for the model was found. Set OPENAI_API_KEY, or store one with "
            "`keyring set workbench openai`; a local server takes any text.",
            exit_code=3,
        )
    if not (key.isascii() and key.isprintable()):
        raise WorkbenchError(
            "The key for the model has a character that no key has; copy it anew.", exit_code=3
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
