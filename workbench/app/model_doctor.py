"""An examination of the model's endpoint by one small question: sentences about what it can do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.app.doctor import Diagnosis
from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from workbench.author.model.endpoint.probe import Probed
    from workbench.author.model.settings import ModelSettings

_SUBJECT = "Model"


def examine_model(environment: Mapping[str, str]) -> tuple[Diagnosis, ...]:
    """Ask the model of the environment; the key is sent, never shown. The findings are stored."""
    from workbench.author.model.endpoint.learnt_abilities import LearntFile
    from workbench.author.model.endpoint.probe import probe
    from workbench.author.model.settings import key_of, settings_from

    learnt = LearntFile(anew=True)
    try:
        settings = settings_from(environment)
        if settings is None:
            remedy = "Set WORKBENCH_MODEL, and OPENAI_BASE_URL for a server other than OpenAI's."
            return (Diagnosis(_SUBJECT, False, "none is named", remedy),)
        probed = probe(settings, learnt, lambda: key_of(settings, environment))
    except WorkbenchError as error:
        return (
            Diagnosis(_SUBJECT, False, str(error).rstrip("."), "See 'Drafting and reading with a model'."),
        )
    usage = probed.usage
    named = f" as {probed.replied_by}" if probed.replied_by != settings.model else ""
    description = f"{settings.model} at {settings.address.shown} answers{named} after {usage.seconds:.1f} s"
    return (
        Diagnosis(_SUBJECT, True, description),
        Diagnosis("Protocol", True, _protocol(probed)),
        _form(probed),
        Diagnosis("Tokens", True, _tokens(probed)),
        _price(settings, environment),
        Diagnosis("Context", True, _context(settings)),
        Diagnosis("Kept", True, f"in {learnt.path}; calls begin with what is known"),
    )


def _protocol(probed: Probed) -> str:
    from workbench.author.model.endpoint.abilities import Api

    abilities = probed.abilities
    name = "chat completions" if abilities.api is Api.CHAT else "the Responses API"
    chat = abilities.api is Api.CHAT
    lacking = {
        "a temperature": abilities.temperature,
        "a seed": abilities.seed or not chat,
        "an effort": abilities.effort,
        "messages of the system": abilities.system,
        "streams": abilities.streams,
        "a limit of the reply": bool(abilities.limit),
    }
    left = ", ".join(part for part, is_taken in lacking.items() if not is_taken)
    return f"{name}; not taken and left out: {left}" if left else name


def _form(probed: Probed) -> Diagnosis:
    from workbench.author.model.endpoint.abilities import Form

    how = {
        Form.STRICT: "a strict schema",
        Form.SCHEMA: "a schema",
        Form.JSON: "the word that JSON is wanted",
        Form.TOOL: "a tool to call",
        Form.PROMPT: "the prompt only",
    }[probed.abilities.form]
    if probed.held_to_form:
        return Diagnosis("Form of replies", True, f"by {how}, which the server holds the model to")
    description = f"by {how}; the server does not hold the model to it, so the form is in the prompt"
    return Diagnosis("Form of replies", True, description)


def _tokens(probed: Probed) -> str:
    usage = probed.usage
    text = f"{usage.prompt_tokens} of the prompt ({usage.cached_tokens} from a cache)"
    text += f", {usage.reply_tokens} replied"
    return f"{text}, {usage.thinking_tokens} of them for thinking" if usage.thinking_tokens else text


def _price(settings: ModelSettings, environment: Mapping[str, str]) -> Diagnosis:
    from workbench.author.model.prices import price_of, user_table

    if settings.price_prompt is not None or settings.price_reply is not None:
        return Diagnosis("Price", True, "as WORKBENCH_PRICE_PROMPT and WORKBENCH_PRICE_REPLY say")
    try:
        price_found = price_of(settings.model, settings.address.host, environment)
    except WorkbenchError as error:
        return Diagnosis("Price", False, str(error).rstrip("."), "Correct the table.", needed=False)
    if price_found is None:
        remedy = f"Write it into {user_table(environment)}, or set WORKBENCH_PRICE_PROMPT and _REPLY."
        return Diagnosis("Price", False, "unknown", remedy, needed=False)
    price = price_found.price
    cached = "" if price.cached is None else f" ({price.cached:g} from a cache)"
    text = f"{price.prompt:g}{cached} for a million tokens of prompts, {price.reply:g} of replies"
    return Diagnosis("Price", True, f"{text}, by {price_found.source}")


def _context(settings: ModelSettings) -> str:
    from workbench.author.model.endpoint.probe import context_of

    context = context_of(settings)
    return f"{context:,} tokens" if context else "of unknown length"
