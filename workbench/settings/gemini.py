"""The rules of the Gemini CLI: ``tools`` of ``settings.json``, and its policies in TOML.

Sources: ``docs/reference/policy-engine.md`` and the code of 0.61.0, and what 0.61.0 did. The rule of the
highest priority decides; priorities of a person's policies are 4 + priority/1000, and those of
``settings.json`` lie between 4.25 and 4.4. ``tools.exclude`` has names of tools: ``run_shell_command(rm)``
there names a tool that there is not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from workbench.model import Json
from workbench.settings.rules import (
    SHELL,
    UNLISTED,
    CommandPattern,
    Effect,
    Pattern,
    Settings,
    SettingsClient,
    SettingsRule,
    Unreadable,
    UnreadPattern,
)

TOOLS: Mapping[str, tuple[str, ...]] = {
    "run_shell_command": (SHELL,), "ShellTool": (SHELL,), "read_file": ("Read",),
    "read_many_files": ("Read",),
    "write_file": ("Write",), "replace": ("Edit",), "list_directory": ("Glob",), "glob": ("Glob",),
    "grep_search": ("Grep",), "search_file_content": ("Grep",), "web_fetch": ("WebFetch",),
    "google_web_search": ("WebSearch",), "write_todos": ("TodoWrite",), "activate_skill": ("Skill",),
    "invoke_agent": ("Agent",),
}  # fmt: skip
ALL = tuple(dict.fromkeys(name for names in TOOLS.values() for name in names))
_SETTINGS = {
    "core": (Effect.ALLOW, 4.25), "allowed": (Effect.ALLOW, 4.3), "confirmationRequired": (Effect.ASK, 4.35),
    "exclude": (Effect.DENY, 4.4),
}  # fmt: skip
_OLD = {"coreTools": "core", "excludeTools": "exclude", "allowedTools": "allowed"}
_DECISIONS = {"allow": Effect.ALLOW, "ask_user": Effect.ASK, "deny": Effect.DENY}
_NARROWED = re.compile(r"(run_shell_command|ShellTool)\((.*)\)", re.DOTALL)
_KNOWN = frozenset({
    "toolName", "mcpName", "commandPrefix", "commandRegex", "argsPattern", "decision", "priority", "modes",
    "deny_message", "denyMessage", "name", "description",
})  # fmt: skip


def read_gemini_settings(value: Mapping[str, Json], source: str) -> Settings:
    """The rules of ``settings.json``."""
    tools = value.get("tools")
    named: dict[str, Json] = {new: value[old] for old, new in _OLD.items() if old in value}
    named |= {
        key: held for key, held in (tools.items() if isinstance(tools, dict) else ()) if key in _SETTINGS
    }
    rules: list[SettingsRule] = []
    lost: list[str] = []
    for key, held in named.items():
        if not isinstance(held, list):
            lost.append(f"{source}: tools.{key} is no list, so the client has no rule of it")
            continue
        effect, rank = _SETTINGS[key]
        for number, text in enumerate(held, 1):
            _named(text, effect, rank, key, f"{source}, {key} {number}", rules, lost)
        if key == "core":
            rules.append(
                SettingsRule(Effect.DENY, ALL, "every tool that core does not list", source, rank - 0.01)
            )
        if key == "allowed" and any(isinstance(text, str) and _NARROWED.fullmatch(text) for text in held):
            rest = "every command that allowed does not list"
            rules.append(SettingsRule(Effect.DENY, (SHELL,), rest, source, rank - 0.01))
    return Settings(SettingsClient.GEMINI, tuple(rules), tuple(lost))


def _named(
    text: Json, effect: Effect, rank: float, key: str, place: str, rules: list[SettingsRule], lost: list[str]
) -> None:
    if not isinstance(text, str) or not text:
        lost.append(f"{place} is no name of a tool")
        return
    narrowed = _NARROWED.fullmatch(text)
    if narrowed is not None and effect is Effect.ALLOW:
        rules.append(SettingsRule(effect, (SHELL,), text, place, rank, _prefix(narrowed[2])))
    elif narrowed is not None:
        instead = f"a policy with commandPrefix = {json.dumps(narrowed[2])}"
        dead = f"tools.{key} takes it for the name of a tool; write {instead}"
        rules.append(SettingsRule(effect, (SHELL,), text, place, rank, _prefix(narrowed[2]), dead))
    elif text in TOOLS:
        rules.append(SettingsRule(effect, TOOLS[text], text, place, rank))
    elif re.fullmatch(r"mcp_[\w-]+", text):
        rules.append(SettingsRule(effect, (text,), text, place, rank))
    else:
        lost.append(f"{place} ({text}) names no tool that is known")


def read_gemini_policy(value: Mapping[str, Json], source: str) -> Settings:
    """The rules of a policy in TOML. Raises Unreadable."""
    listed = value.get("rule")
    if not isinstance(listed, list):
        raise Unreadable("it has no [[rule]]")
    rules: list[SettingsRule] = []
    lost: list[str] = []
    for number, rule in enumerate(listed, 1):
        place = f"{source}, rule {number}"
        if not isinstance(rule, dict):
            lost.append(f"{place} is no table")
            continue
        _policy_rule(rule, place, rules, lost)
    return Settings(SettingsClient.GEMINI, tuple(rules), tuple(lost))


def _policy_rule(rule: Mapping[str, Json], place: str, rules: list[SettingsRule], lost: list[str]) -> None:
    effect, priority = _DECISIONS.get(str(rule.get("decision"))), rule.get("priority")
    unknown = sorted(set(rule) - _KNOWN)
    if effect is None or isinstance(priority, bool) or not isinstance(priority, int | float):
        lost.append(f"{place} has no decision and priority that the client knows")
        return
    keys = ", ".join(unknown or [key for key in ("modes", "argsPattern") if key in rule])
    unread = UnreadPattern(f"depends on {keys}, which a session cannot carry over") if keys else None
    rank = 4 + float(priority) / 1000
    texts = [text for text in _texts(rule.get("toolName")) or ["*"]]
    server = rule.get("mcpName")
    for pattern, shown in _patterns(rule):
        for text in texts:
            tools = (
                (f"mcp_{server}_{text}",)
                if isinstance(server, str)
                else ALL
                if text == "*"
                else TOOLS.get(text, (text,))
            )
            if "*" in tools[0]:
                unlisted = UnreadPattern(UNLISTED)
                rules.append(SettingsRule(effect, (), shown or tools[0], place, rank, unlisted))
                continue
            dead = (
                ""
                if pattern is None or tools == (SHELL,)
                else "a pattern of commands is for run_shell_command only"
            )
            rules.append(SettingsRule(effect, tools, shown or text, place, rank, unread or pattern, dead))


def _patterns(rule: Mapping[str, Json]) -> Sequence[tuple[Pattern | None, str]]:
    prefixes, regex = _texts(rule.get("commandPrefix")), rule.get("commandRegex")
    if prefixes:
        return [(_prefix(prefix), f"run_shell_command with {prefix}") for prefix in prefixes]
    if isinstance(regex, str):
        return [(_regex(regex), f"run_shell_command like {regex}")]
    return [(None, "")]


def _prefix(text: str) -> CommandPattern:
    return CommandPattern(re.escape(text) + r'(?:[\s"].*)?', (tuple(text.split()),) if text.split() else ())


def _regex(text: str) -> CommandPattern:
    try:
        re.compile(text)
    except (re.error, RecursionError):
        return CommandPattern(r"(?!)")
    plain = re.fullmatch(r"\^?([\w-]+(?: [\w-]+)*)(?:\\b| )?(?:\.\*)?\$?", text)
    return CommandPattern(f"(?:{text}).*", (tuple(plain[1].split()),) if plain else ())


def _texts(value: Json) -> list[str]:
    held = value if isinstance(value, list) else [value]
    return [text for text in held if isinstance(text, str) and text]
