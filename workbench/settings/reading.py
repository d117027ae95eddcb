"""Whose settings a file has, by its name and its keys, and its rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from workbench.files.bounded_text import load_toml
from workbench.files.commented_json import NoJson, is_plain, value_of
from workbench.model import Json, WorkbenchError
from workbench.settings.cedar import read_cedar
from workbench.settings.claude_code import read_claude_code
from workbench.settings.codex import read_codex_config, read_codex_rules
from workbench.settings.gemini import read_gemini_policy, read_gemini_settings
from workbench.settings.opencode import read_opencode
from workbench.settings.rules import Settings, Unreadable, joined

MOST_CHARACTERS = 1_000_000
MOST_RULES = 500
_GEMINI = frozenset({"tools", "coreTools", "excludeTools", "allowedTools"})


def read_settings(files: Sequence[tuple[Path, str]]) -> Settings:
    """The rules of one client's settings in these files, each with its text. Raises WorkbenchError."""
    parts: list[Settings] = []
    for path, text in files:
        try:
            if len(text) > MOST_CHARACTERS:
                raise Unreadable(
                    f"it has more than {MOST_CHARACTERS:,} characters, which settings do not have"
                )
            parts.append(_read(path, text.removeprefix("\ufeff")))
        except Unreadable as error:
            raise WorkbenchError(f"{path} cannot be read as settings: {error}.") from None
    try:
        settings = joined(parts)
    except Unreadable as error:
        raise WorkbenchError(f"{str(error)[0].upper()}{str(error)[1:]}.") from None
    if not settings.rules and not settings.lost:
        raise WorkbenchError(
            f"{', '.join(str(path) for path, _ in files)}: there are no permission rules to carry over."
        )
    if len(settings.rules) > MOST_RULES:
        raise WorkbenchError(
            f"There are {len(settings.rules):,} rules, more than {MOST_RULES:,}; split the settings."
        )
    return settings


def _read(path: Path, text: str) -> Settings:
    source = path.name
    if path.suffix == ".cedar":
        return read_cedar(text, source)
    if path.suffix in (".rules", ".codexpolicy"):
        return read_codex_rules(text, source)
    if path.suffix == ".toml":
        value = _toml(text)
        return read_gemini_policy(value, source) if "rule" in value else read_codex_config(value, source)
    value = _json(text)
    if "permissions" in value:
        read = read_claude_code(value, source, path)
        ignored = f"{source} is no plain JSON (it has a comment, or a comma at an end): the client ignores it"
        return read if is_plain(text) else replace(read, lost=(ignored, *read.lost))
    if "permission" in value:
        return read_opencode(value, source)
    if _GEMINI & set(value):
        return read_gemini_settings(value, source)
    raise Unreadable("it has no permissions (Claude Code), permission (OpenCode) or tools (Gemini CLI)")


def _json(text: str) -> Mapping[str, Json]:
    try:
        value = value_of(text)
    except NoJson as error:
        raise Unreadable(str(error)) from None
    if not isinstance(value, dict):
        raise Unreadable("it is no JSON object")
    return value


def _toml(text: str) -> Mapping[str, Json]:
    try:
        return cast("Mapping[str, Json]", load_toml(text))
    except ValueError as error:
        raise Unreadable(f"it is no TOML ({error})") from None
