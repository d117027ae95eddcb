"""The permissions of OpenCode, as ``opencode.json`` has them.

Sources: the page "Permissions" of opencode.ai, and what OpenCode 1.18.33 did. The last matching rule
decides; ``*`` is any text, also with slashes, ``?`` one character, and a last `` *`` may be missing.
Without a rule a call is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from workbench.model import Json
from workbench.settings.rules import (
    EFFECTS,
    SHELL,
    Effect,
    HostPattern,
    PathPattern,
    Pattern,
    Settings,
    SettingsClient,
    SettingsRule,
    UnreadPattern,
    glob_of_commands,
)

TOOLS: Mapping[str, tuple[str, ...]] = {
    "bash": (SHELL,), "read": ("Read",), "edit": ("Edit", "Write", "DeleteFile"), "glob": ("Glob",),
    "grep": ("Grep",), "webfetch": ("WebFetch",), "websearch": ("WebSearch",), "task": ("Agent",),
    "skill": ("Skill",),    "todowrite": ("TodoWrite",), "list": ("Glob",),
}  # fmt: skip
_ALL = tuple(dict.fromkeys(name for names in TOOLS.values() for name in names))
_OF_FILES = frozenset({"read", "edit"})


def read_opencode(value: Mapping[str, Json], source: str) -> Settings:
    """The rules of ``permission``, in their order."""
    held = value.get("permission")
    permission: Mapping[str, Json] = held if isinstance(held, dict) else {"*": held}
    rules: list[SettingsRule] = []
    lost: list[str] = []
    for key, actions in permission.items():
        listed: Mapping[str, Json] = actions if isinstance(actions, dict) else {"*": actions}
        for glob, action in listed.items():
            place = f"{source}, {key}" + ("" if glob == "*" else f" {glob}")
            whole = not glob.strip("*") and glob != ""
            effect = EFFECTS.get(action) if isinstance(action, str) else None
            tools = (
                _ALL if key == "*" else TOOLS.get(key, (key,) if re.fullmatch(r"[\w-]+_[\w-]+", key) else ())
            )
            if effect is None:
                lost.append(f"{place} is none of allow, ask and deny")
            elif not tools or key in ("doom_loop", "external_directory"):
                lost.append(f"{place} stays with the client: a session has no such tool")
            else:
                text = key if whole else f"{key} {glob}"
                pattern = None if whole else _pattern(key, glob, opens=effect is Effect.ALLOW)
                rules.append(SettingsRule(effect, tools, text, place, len(rules), pattern))
    return Settings(SettingsClient.OPENCODE, tuple(rules), tuple(lost))


def _pattern(key: str, glob: str, *, opens: bool) -> Pattern:
    if key == "bash":
        return glob_of_commands(glob, {"*": ".*", "?": "."})
    if key == "webfetch":
        host = re.fullmatch(r"https?://([a-z0-9_.-]*[a-z0-9_-])/\*{1,2}", glob)
        # A host alone is wider than the pattern: it has other schemes and ports.
        if host and not opens:
            return HostPattern(host[1])
    elif key in _OF_FILES and (pattern := _file(glob)) is not None:
        return pattern
    return UnreadPattern("has a pattern that a session cannot carry over")


def _file(glob: str) -> PathPattern | None:
    """A pattern of which ``*`` goes through folders, as one of git's; None where there is no such."""
    home = re.match(r"(?:~|\$HOME)/", glob)
    base, text = (
        (str(Path.home()), glob[home.end() :])
        if home
        else ("/", glob[1:])
        if glob.startswith("/")
        else ("", glob)
    )
    if match := re.fullmatch(r"\*{1,2}/?([^*?/]+)", text):
        return PathPattern(
            base, f"*{match[1]}" if not text.endswith(f"/{match[1]}") else match[1], floats=True
        )
    if match := re.fullmatch(r"([^*?]+)/\*{1,2}", text):
        return PathPattern(base, f"{match[1]}/**", floats=False)
    if match := re.fullmatch(r"\*{1,2}/([^*?/]+)/\*{1,2}", text):
        return PathPattern(base, f"{match[1]}/**", floats=True)
    return None if {"*", "?"} & set(text) else PathPattern(base, text, floats=False)
