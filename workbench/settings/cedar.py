"""Cedar policies for tools of MCP: the simple fragment, and a sentence for whatever is not of it.

``permit(principal, action == Action::"tool", resource) when { context.input.amount < 100 };`` permits calls
of the tool under the condition; ``forbid`` outweighs ``permit``, and what nothing permits is denied.
Principal and resource are not limited; a condition compares members of ``context`` with literals, joined by
``&&``, ``||`` and ``!``. A policy of which the tools are not read may be about each tool.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from workbench.dialect.class_names import field_name
from workbench.policy.checker.syntax_tree import DEEPEST_NESTING
from workbench.settings.conditions import never_holds
from workbench.settings.rules import (
    ArgumentCondition,
    Effect,
    Settings,
    SettingsClient,
    SettingsRule,
    Unreadable,
    UnreadPattern,
)

_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*')
_POLICY = re.compile(
    r'\s*((?:@\w+\s*\(\s*"[^"]*"\s*\)\s*)*)(permit|forbid)\s*\(([^()]*)\)\s*((?:(?:when|unless)\s*\{[^{}]*\}\s*)*);',
    re.DOTALL,
)
_ACTION = re.compile(r'(?:\w+::)*Action::"([^"\\\x00-\x1f]+)"')
_CLAUSE = re.compile(r"(when|unless)\s*\{([^{}]*)\}", re.DOTALL)
_TOKEN = re.compile(
    r'\s*(?:(?P<field>context(?:\.input|\.arguments|\.args)?\.([A-Za-z_]\w*))|(?P<text>"(?:[^"\\\n]|\\["\\])*")|(?P<number>-?\d+)|'
    r"(?P<word>true|false)|(?P<sign>&&|\|\||==|!=|<=|>=|<|>|!|\(|\)))"
)
_JOINED = {"&&": " and ", "||": " or ", "!": "not ", "(": "(", ")": ")"}
_COMPARED = frozenset({"==", "!=", "<", "<=", ">", ">="})
_MOST = 2_000


def read_cedar(text: str, source: str) -> Settings:
    """The policies of a file. Raises Unreadable if none is a policy of the fragment or near it."""
    text = _COMMENT.sub(lambda match: match[1] or "", text)
    rules: list[SettingsRule] = []
    place, number = 0, 0
    types: dict[tuple[str, str], str] = {}
    while text[place:].strip():
        number += 1
        match = _POLICY.match(text, place)
        if match is None or number > _MOST:
            following = re.compile(r";\s*").search(text, place)
            rules.append(
                _unread("forbid", (), f"{source}, policy {number}", "is not of the forms that are read")
            )
            place = following.end() if following else len(text)
            continue
        place = match.end()
        for rule in _rules(match, f"{source}, policy {number}"):
            fields = rule.pattern.fields if isinstance(rule.pattern, ArgumentCondition) else ()
            if all(types.setdefault((rule.tools[0], name), type_) == type_ for name, type_ in fields):
                rules.append(rule)
            else:
                why = "compares a member of context with another type than a policy before it"
                rules.append(replace(rule, pattern=UnreadPattern(why)))
    if not rules:
        raise Unreadable("it has no policy")
    every = tuple(dict.fromkeys(tool for rule in rules for tool in rule.tools))
    return Settings(SettingsClient.CEDAR, tuple(replace(one, tools=one.tools or every) for one in rules))


def _unread(word: str, tools: tuple[str, ...], place: str, why: str) -> SettingsRule:
    effect = Effect.ALLOW if word == "permit" else Effect.DENY
    return SettingsRule(
        effect, tools, f"{word} {', '.join(tools)}".rstrip(), place, effect, UnreadPattern(why)
    )


def _rules(match: re.Match[str], place: str) -> list[SettingsRule]:
    parts = [part.strip() for part in match[3].split(",")]
    scope = ",".join(parts[1:-1]) if len(parts) >= 3 else ""
    tools = tuple(dict.fromkeys(_ACTION.findall(scope)))
    if parts[0] != "principal" or parts[-1] != "resource" or not scope.startswith("action"):
        why = "limits the principal or the resource, which a call does not tell"
        return [_unread(match[2], tools, place, why)]
    if not tools:
        return [_unread(match[2], (), place, "is about every action; name the tools")]
    expressions: list[str] = []
    fields: dict[str, str] = {}
    for word, body in _CLAUSE.findall(match[4]):
        try:
            expression = _expression(body, fields)
        except Unreadable as error:
            return [_unread(match[2], tools, place, f"is not read: {error}")]
        expressions.append(f"({expression})" if word == "when" else f"not ({expression})")
    effect = Effect.ALLOW if match[2] == "permit" else Effect.DENY
    pattern = ArgumentCondition(" and ".join(expressions), tuple(fields.items())) if expressions else None
    dead = "no call fulfils its condition" if pattern is not None and never_holds(pattern) else ""
    return [
        SettingsRule(effect, (tool,), f"{match[2]} {tool}", place, effect, pattern, dead) for tool in tools
    ]


def _expression(body: str, fields: dict[str, str]) -> str:
    """A condition as an expression of the dialect; notes the types of its fields. Raises Unreadable."""
    written: list[str] = []
    tokens: list[tuple[str, str]] = []
    place = 0
    while body[place:].strip():
        match = _TOKEN.match(body, place)
        if match is None:
            raise Unreadable(f"the condition has {body[place:].strip()[:30]!r}, which is not read")
        tokens.append((match.lastgroup or "field", match["field"] or match[0].strip()))
        place = match.end()
    while tokens:
        kind, text = tokens.pop(0)
        if kind == "sign" and text in _JOINED:
            written.append(_JOINED[text])
            continue
        if kind != "field":
            raise Unreadable(f"the condition has {text!r} in a place that is not read")
        written.append(_comparison(text.rpartition(".")[2], tokens, fields))
    try:
        level: list[ast.AST] = [ast.parse("".join(written) or "?", mode="eval")]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unreadable("the condition is no comparison that is read") from None
    for _ in range(DEEPEST_NESTING):
        level = [part for node in level for part in ast.iter_child_nodes(node)]
    if level:
        raise Unreadable(f"the condition is nested more than {DEEPEST_NESTING} levels deep")
    return "".join(written)


def _comparison(name: str, tokens: list[tuple[str, str]], fields: dict[str, str]) -> str:
    kinds = {"text": "string", "number": "integer", "word": "boolean"}
    literal, sign = ("word", "true"), "=="
    if tokens and tokens[0][1] in _COMPARED:
        if len(tokens) < 2 or tokens[1][0] not in kinds:
            raise Unreadable(f"context.{name} is compared with something else than a literal")
        sign, literal = tokens.pop(0)[1], tokens.pop(0)
    if fields.setdefault(name, kinds[literal[0]]) != kinds[literal[0]]:
        raise Unreadable(f"context.{name} is compared with values of two types")
    if literal[0] == "word":
        is_true = (literal[1] == "true") == (sign == "==")
        if sign not in ("==", "!="):
            raise Unreadable(f"context.{name} is compared by {sign} with a truth value")
        return f"call.{field_name(name)}" if is_true else f"not call.{field_name(name)}"
    return f"call.{field_name(name)} {sign} {literal[1]}"
