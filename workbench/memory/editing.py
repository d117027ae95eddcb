"""A demonstration as a text that a person edits: TOML with a line for each of the plan's steps."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import tomlkit
from tomlkit.items import String, StringType, Trivia

from workbench.model import Demonstration, WorkbenchError

_KEYS = ("agent_input", "agent_output", "plan", "code", "enabled")


def demonstration_text(one: Demonstration) -> str:
    """The demonstration as TOML; its id is not edited."""
    document = tomlkit.document()
    document.add(
        tomlkit.comment(f"The demonstration {one.id}: what the agent was asked and did, and its guardrail.")
    )
    document.add("agent_input", _text(one.agent_input))
    document.add("agent_output", _text(one.agent_output))
    document.add("plan", tomlkit.item(list(one.plan)).multiline(True))
    document.add("code", _text(one.code))
    document.add("enabled", tomlkit.boolean("true" if one.enabled else "false"))
    return tomlkit.dumps(document)


def _text(text: str) -> String:
    """The text over several lines where it has several."""
    if "\n" not in text:
        return tomlkit.string(text)
    escaped = str(tomlkit.string(text).as_string())[1:-1].replace("\\n", "\n")
    return String(StringType.MLB, text, f"\n{escaped}", Trivia())


def read_demonstration(text: str, old: Demonstration) -> Demonstration:
    """The demonstration with what a person wrote; raises WorkbenchError in one sentence."""
    try:
        data: dict[str, object] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise WorkbenchError(
            f"The demonstration {old.id} is not TOML as edited: {error}; nothing is changed."
        ) from None
    unknown = ", ".join(sorted(set(data) - set(_KEYS)))
    if unknown:
        raise WorkbenchError(
            f"A demonstration has no {unknown}; it has {', '.join(_KEYS)}. Nothing is changed."
        )
    texts: dict[str, str] = {}
    for key in ("agent_input", "agent_output", "code"):
        value = data.get(key, getattr(old, key))
        if not isinstance(value, str):
            raise WorkbenchError(f"{key} has to be a text; nothing is changed.")
        texts[key] = value
    enabled = data.get("enabled", old.enabled)
    if not isinstance(enabled, bool):
        raise WorkbenchError("enabled has to be true or false; nothing is changed.")
    plan = data.get("plan", list(old.plan))
    match plan:
        case [str(first), str(second), str(third), str(fourth)]:
            steps = (first, second, third, fourth)
        case _:
            raise WorkbenchError("The plan needs four steps, each a text; nothing is changed.")
    return replace(old, **texts, plan=steps, enabled=enabled)
