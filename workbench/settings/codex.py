"""The rules of Codex: ``*.rules`` with ``prefix_rule``, and what ``config.toml`` says of tools of MCP.

Sources: ``codex-rs/execpolicy/README.md`` of openai/codex, and ``codex execpolicy check`` of 0.171.0. Words
are compared in order; a list among them has alternatives; without a decision a rule allows. Of the rules
that match the strictest decides.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from itertools import islice, product
from typing import cast

from workbench.model import Json
from workbench.runs.kinds.shell.program_tables import TABLES
from workbench.settings.rules import (
    SHELL,
    CommandPattern,
    Effect,
    Settings,
    SettingsClient,
    SettingsRule,
    Unreadable,
)

_DECISIONS = {"allow": Effect.ALLOW, "prompt": Effect.ASK, "forbidden": Effect.DENY}
_MOST_ALTERNATIVES = 64


def read_codex_rules(text: str, source: str) -> Settings:
    """The rules of a ``.rules`` file. Raises Unreadable."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f" at line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise Unreadable(f"it is no Starlark that can be read{line}") from None
    rules: list[SettingsRule] = []
    lost: list[str] = []
    for statement in tree.body:
        place = f"{source}, line {statement.lineno}"
        call = statement.value if isinstance(statement, ast.Expr) else None
        name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
        if isinstance(call, ast.Constant):
            continue
        rule = _prefix_rule(call, place) if isinstance(call, ast.Call) and name == "prefix_rule" else None
        if rule is not None:
            rules.append(rule)
        elif name == "host_executable":
            lost.append(f"{place}: host_executable limits the paths of a program, which the session does not")
        else:
            lost.append(f"{place} is no prefix_rule that can be read")
    return Settings(SettingsClient.CODEX, tuple(rules), tuple(lost))


def _prefix_rule(call: ast.Call, place: str) -> SettingsRule | None:
    try:
        values = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg is not None}
    except (ValueError, RecursionError, MemoryError):
        return None
    effect = _DECISIONS.get(str(values.get("decision", "allow")))
    pattern = values.get("pattern")
    if effect is None or not isinstance(pattern, list) or not pattern:
        return None
    choices: list[list[str]] = []
    for part in cast("list[object]", pattern):
        words = cast("list[object]", part) if isinstance(part, list) else [part]
        if not words or not all(isinstance(word, str) for word in words):
            return None
        choices.append([str(word) for word in words])
    regex = r"\0".join(f"(?:{'|'.join(map(re.escape, choice))})" for choice in choices) + r"(?:\0.*)?"
    words = tuple(islice(product(*choices), _MOST_ALTERNATIVES + 1))
    if len(words) > _MOST_ALTERNATIVES:
        return None
    text = " ".join("|".join(choice) for choice in choices)
    return SettingsRule(effect, (SHELL,), text, place, effect, CommandPattern(regex, words), _dead(words))


def _dead(words: Sequence[Sequence[str]]) -> str:
    """Why no command matches a pattern with these words, if each has several in one; nothing if some may."""
    if not all(_has_several(of_one) for of_one in words):
        return ""
    apart = ", ".join(f'"{part}"' for word in words[0] for part in word.split())
    return f"Codex compares word by word, and here several are written as one; write [{apart}]"


def _has_several(words: Sequence[str]) -> bool:
    """Whether the program, or its sub-command, is written in one word with what follows it."""
    program, *rest = words
    begin = rest[0].split() if rest else []
    return len(program.split()) > 1 or (len(begin) > 1 and f"{program} {begin[0]}" in TABLES)


def read_codex_config(value: Mapping[str, Json], source: str) -> Settings:
    """What ``config.toml`` closes of tools of MCP; the sandbox and the policy of approval stay with Codex."""
    rules: list[SettingsRule] = []
    lost: list[str] = []
    for key in ("approval_policy", "sandbox_mode", "sandbox_workspace_write"):
        if key in value:
            lost.append(f"{source}: {key} stays with Codex; a session has no sandbox")
    servers = value.get("mcp_servers")
    for name, server in servers.items() if isinstance(servers, dict) else ():
        listed = server.get("disabled_tools") if isinstance(server, dict) else None
        for tool in listed if isinstance(listed, list) else ():
            full = f"mcp__{name}__{tool}"
            rules.append(SettingsRule(Effect.DENY, (full,), full, f"{source}, {name}", Effect.DENY))
        if isinstance(server, dict) and "enabled_tools" in server:
            lost.append(f"{source}: enabled_tools of {name} stay with Codex")
    return Settings(SettingsClient.CODEX, tuple(rules), tuple(lost))
