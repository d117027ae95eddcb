"""The permissions of Claude Code, as ``settings.json`` has them.

Sources: the page "Configure permissions" of code.claude.com, and what Claude Code 2.1.197 did with rules of
each form (``tests/settings/measured.toml``). A denial outweighs a question, and that a permission, however
particular. Only ``Read(…)`` and ``Edit(…)`` have patterns of files: a pattern of ``Write`` is accepted and
never consulted. ``./x`` is ``x``; a name without a folder floats; ``//`` begins at the root, ``/`` in the
project.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from workbench.model import Json
from workbench.settings.rules import (
    EFFECTS,
    SHELL,
    UNLISTED,
    ArgumentCondition,
    CommandPattern,
    Effect,
    HostPattern,
    PathPattern,
    Pattern,
    Settings,
    SettingsClient,
    SettingsRule,
    Unreadable,
    UnreadPattern,
    glob_of_commands,
)

_RULE = re.compile(r"([A-Za-z_*][\w*-]*)(?:\((.*)\))?", re.DOTALL)
_OF_FILES: Mapping[str, tuple[str, ...]] = {
    "Read": ("Read", "Glob", "Grep"),
    "Edit": ("Edit", "Write", "DeleteFile"),
}
_CONSULTED = {
    "Write": "Edit", "MultiEdit": "Edit", "NotebookEdit": "Edit",
    "Glob": "Read", "Grep": "Read", "LS": "Read",
}  # fmt: skip
"""Whose patterns the client consults in place of those of a tool."""
_SIGNS_OF_GIT = re.compile(r"\\|^[!#]|\s$")
"""Signs that git reads in names: an escape, the begin of an exception and of a comment, a last space."""
_BY_ARGUMENT = {"Agent": "subagent_type", "Task": "subagent_type", "Skill": "skill"}
_RENAMED = {"Task": "Agent", "MultiEdit": "Edit", "NotebookEdit": "Edit"}
_MODES = {
    "acceptEdits": "edits in the working folder run without a question",
    "auto": "a model of the client decides in place of the person",
    "bypassPermissions": "everything that no rule denies runs without a question",
    "dontAsk": "what no rule allows is refused",
    "plan": "the client only looks until its plan is approved",
}


def read_claude_code(value: Mapping[str, Json], source: str, path: Path) -> Settings:
    """The rules of a settings file. Raises Unreadable."""
    permissions = value.get("permissions")
    if not isinstance(permissions, dict):
        raise Unreadable("its permissions are no object")
    rules: list[SettingsRule] = []
    lost: list[str] = []
    for key, held in permissions.items():
        if key in EFFECTS and isinstance(held, list):
            for number, text in enumerate(held, 1):
                _read_rule(text, EFFECTS[key], f"{source}, {key} {number}", path, rules, lost)
        elif key in EFFECTS:
            lost.append(f"{source}: permissions.{key} is no list, so the client passes over the whole file")
        elif key == "defaultMode" and isinstance(held, str):
            if held != "default":
                what = _MODES.get(held, "not known, so it passes over the whole file")
                lost.append(f"{source}: defaultMode {held!r} stays with the client: {what}")
        elif key == "additionalDirectories":
            lost.append(f"{source}: additionalDirectories stay with the client")
        else:
            lost.append(f"{source}: permissions.{key} is not known")
    return Settings(SettingsClient.CLAUDE_CODE, tuple(rules), tuple(lost))


def _read_rule(
    text: Json, effect: Effect, place: str, path: Path, rules: list[SettingsRule], lost: list[str]
) -> None:
    match = _RULE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        lost.append(f"{place} is no rule of the form Tool or Tool(pattern)")
        return
    rule, tool = match[0], match[1]
    name = _RENAMED.get(tool, tool)
    inner = match[2] or ""
    whole = inner.strip() in ("", "*")
    if "*" in tool or (tool.count("__") == 1 and tool.startswith("mcp__")):
        rules.append(SettingsRule(effect, (), rule, place, effect, UnreadPattern(UNLISTED)))
        return
    dead, pattern = "", None
    if not whole:
        pattern, dead = _pattern(tool, inner, path)
    of_files = pattern is not None or name == "Read"
    tools = _OF_FILES.get(_CONSULTED.get(tool, name), (name,)) if of_files else (name,)
    rules.append(SettingsRule(effect, tools, rule, place, effect, pattern, dead))


def _pattern(tool: str, inner: str, path: Path) -> tuple[Pattern, str]:
    """The pattern of a rule, and why the client never matches it, if it does not."""
    unread = UnreadPattern(f"has a pattern that is not known of {tool}")
    if tool == SHELL:
        return command_pattern(inner), ""
    if tool in _OF_FILES:
        if _SIGNS_OF_GIT.search(inner):
            return unread, ""
        return _file_pattern(inner, path), "" if inner.strip("~/.") else "it names no file"
    if tool in _CONSULTED:
        why = f"the client has no patterns of files for {tool}; write {_CONSULTED[tool]}({inner})"
        return _file_pattern(inner, path), why
    if tool == "WebFetch":
        host = inner.removeprefix("domain:").strip().lower()
        if not inner.startswith("domain:"):
            why = f"the client knows WebFetch(domain:…) only; write WebFetch(domain:{_host_in(inner)})"
            return HostPattern(_host_in(inner).lower()), why
        if not re.fullmatch(r"(\*\.)?[a-z0-9_.-]*[a-z0-9_-]", host):
            return unread, ""
        return HostPattern(host.removeprefix("*."), below=host.startswith("*.")), ""
    if tool in _BY_ARGUMENT and re.fullmatch(r"[\w:.-]+", inner):
        field = _BY_ARGUMENT[tool]
        return ArgumentCondition(f"call.{field} == {inner!r}".replace("'", '"'), ((field, "string"),)), ""
    if tool.startswith("mcp__"):
        return unread, "the client has no patterns for tools of MCP"
    return unread, ""


def _host_in(text: str) -> str:
    return re.sub(r"^\w+://", "", text).split("/")[0] or "…"


def command_pattern(inner: str) -> CommandPattern:
    """The pattern of ``Bash(…)``: the text whole, its beginning (``:*``), or with ``*`` for any text."""
    text = " ".join(inner.split())
    if text.endswith(":*"):
        text = f"{text[:-2].rstrip()} *"
    return glob_of_commands(text, {"*": ".*"})


def _file_pattern(inner: str, path: Path) -> PathPattern:
    home = str(Path.home())
    if inner.startswith("//"):
        return PathPattern("/", inner.lstrip("/"), floats=False)
    if inner.startswith("~/"):
        return PathPattern(home, inner[2:], floats=False)
    if inner.startswith("/"):
        in_home = path.resolve().parent == Path.home() / ".claude"
        return PathPattern(str(path.resolve().parent) if in_home else "", inner.lstrip("/"), floats=False)
    glob = inner.removeprefix("./")
    if glob.startswith("**/"):
        return PathPattern("", glob.removeprefix("**/"), floats=True)
    return PathPattern("", glob.rstrip("/"), floats="/" not in glob.rstrip("/"))
