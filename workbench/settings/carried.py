"""The session into which settings are carried over: its request, its policy and the agent's tools.

Each rule is a sentence. A denial is a ``forbid_*``, a question an ``ask_*``; a rule of a higher rank that
is milder takes its calls out. What no such rule is about is left to the client, whose own settings stay in
force below the hook.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.clean_text import one_line
from workbench.dialect.call_types import agent_types
from workbench.model import AgentSpec, ArgumentType, ContextField, Json, Kind, Tool, WorkbenchError
from workbench.settings.rules import (
    SHELL,
    ArgumentCondition,
    Effect,
    HostPattern,
    PathPattern,
    Settings,
    SettingsClient,
    SettingsRule,
    UnreadPattern,
)
from workbench.settings.typed_form import SEARCHES, condition_on, literal

_VERBS = {Effect.ALLOW: "allows", Effect.ASK: "asks a person about", Effect.DENY: "denies"}
_NAMES = {Effect.ALLOW: "permit", Effect.ASK: "ask", Effect.DENY: "forbid"}
_FACTS = {"forbid": "denies", "ask": "asks", "permit": "permits"}
_REST = "Every other call is left to the client, which asks its person where its own settings say so."
_REST_OF_CEDAR = "Every other call is denied."
_MOST_SHOWN = 200
_MOST_CLOSING = 200
_MOST_PAIRS = 6_000
"""Permissions times other rules: what a clause of a permission comes to names all others."""
_NOUNS = {"command": "command", "search": "search"}
_SHARED = {
    "is_open": "whether a rule permits the call",
    "is_closed": "whether a rule denies it or asks about it",
}
_PARTS = {"Read": ("reads", "trees"), "Edit": ("writes",)}
"""The files of a command that rules about files are about, by the first tool of the rule."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What settings come to: the texts of a session, and why a rule is not in its policy.

    ``places`` has the name of the policy's function for each rule that has one, by the rule's number.
    """

    request: str
    policy: str
    spec: AgentSpec
    places: Mapping[int, str]
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """The part of a rule about some tools: its condition, which a fact of the policy names.

    ``files`` is the condition on a path that the condition asks of files, if it does.
    """

    rule: int
    name: str
    tools: tuple[str, ...]
    condition: str
    files: str = ""

    @property
    def run(self) -> str:
        """What a function takes and passes on of the run."""
        return ", run" if "run." in self.condition + self.files or "run)" in self.condition else ""

    @property
    def fact(self) -> str:
        """The fact, asked of the call."""
        verb, _, rest = self.name.partition("_")
        return f"{_FACTS[verb]}_{rest}(call{self.run})"


def carried(settings: Settings, spec: AgentSpec, title: str) -> Carried:
    """The session of settings; ``spec`` has the tools that a client has anyway."""
    spec, lost = _spec(settings, spec)
    known = {tool.name for tool in spec.tools}
    parts: list[_Part] = []
    is_closed = settings.client is SettingsClient.CEDAR
    opened = 0 if is_closed else sum(rule.effect is Effect.ALLOW for rule in settings.rules)
    others = len(settings.rules) - opened
    if others > _MOST_CLOSING or opened * others > _MOST_PAIRS:
        raise WorkbenchError(
            f"{opened} permissions beside {others} other rules are too many (at most {_MOST_CLOSING} others, "
            f"and {_MOST_PAIRS:,} pairs); leave permissions out, which stay with the client."
        )
    for number, rule in enumerate(settings.rules, 1):
        found = list(_parts(settings, number, rule, known))
        parts += found
        is_open = not found and (is_closed or rule.effect is not Effect.ALLOW)
        if is_open or isinstance(rule.pattern, UnreadPattern):
            end = ", so its sentence is open" if is_open else ""
            lost.append(f"{rule.place} ({shown(rule.text)}) {_why_not(settings, rule)}{end}")
    sentences = {
        number: f"Rule #{number} {_VERBS[rule.effect]} `{shown(rule.text)}`."
        for number, rule in enumerate(settings.rules, 1)
    }
    sentences[0] = _REST_OF_CEDAR if is_closed else _REST
    request = f"# {title}\n\n" + "\n\n".join(sentences.values()) + "\n"
    policy = _policy(settings, spec, parts, sentences, title)
    return Carried(request, policy, spec, {part.rule: part.name for part in reversed(parts)}, tuple(lost))


def _why_not(settings: Settings, rule: SettingsRule) -> str:
    """Why a rule is not in the policy."""
    if isinstance(rule.pattern, UnreadPattern):
        return rule.pattern.why
    is_outweighed = any(_condition(settings, rule, tool) == "False" for tool in rule.tools)
    return "decides nothing beside a rule that outweighs it" if is_outweighed else "has no typed form"


def _spec(settings: Settings, spec: AgentSpec) -> tuple[AgentSpec, list[str]]:
    """The agent's tools with those of MCP that a rule names, and sentences on tools that there are not."""
    known = {tool.name for tool in spec.tools}
    lost: list[str] = []
    fields: dict[str, dict[str, str]] = {}
    is_cedar = settings.client is SettingsClient.CEDAR
    for rule in settings.rules:
        for tool in set(rule.tools) - known:
            if is_cedar or re.fullmatch(r"mcp_[A-Za-z0-9_-]+|[a-z0-9-]+_[A-Za-z0-9_-]+", tool):
                found = fields.setdefault(tool, {})
                if isinstance(rule.pattern, ArgumentCondition):
                    found |= dict(rule.pattern.fields)
            else:
                lost.append(
                    f"{rule.place} ({shown(rule.text)}) names {one_line(tool)!r}, no tool of the client"
                )
    made: list[Tool] = []
    for name, found in fields.items():
        types: dict[str, Json] = {field: {"type": type_} for field, type_ in found.items()}
        schema: dict[str, Json] = {"type": "object", "required": list(found), "properties": types}
        about = "A tool of MCP that the settings name."
        made.append(Tool(name, about, schema | {"additionalProperties": True}))
    tools = (*(() if is_cedar else spec.tools), *made)
    usable = agent_types(replace(spec, tools=tools)).unreadable
    lost += [
        f"the tool {one_line(name)} cannot be declared: {why}"
        for name, why in usable.items()
        if name in fields
    ]
    tools = tuple(tool for tool in tools if tool.name not in usable)
    # Where the client works, as the hook tells it: patterns of files begin there.
    context = {**spec.context, "project": ContextField(ArgumentType(Kind.STR))}
    name = settings.client.lower().replace(" ", "-")
    return replace(spec, name=name, tools=tools, context=context), lost


def shown(text: str) -> str:
    """A rule's text within a sentence: on one line, without an end of a sentence or a quote in it."""
    text = re.sub(
        r"([.!?;])\s+", r"\1", one_line(text).replace("\\", "/").replace('"', "'").replace("`", "'")
    )
    text = re.sub(r"(\w): ", r"\1:", text).replace("__", "/").rstrip(".!?;: ")
    text = text.replace("**", "…") if text.count("**") > 1 else text
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN].rstrip('.!?;: ')}…"


def _parts(settings: Settings, number: int, rule: SettingsRule, known: set[str]) -> Iterator[_Part]:
    """A function for each way in which a rule's calls are told: by a file, a search, a command, a URL."""
    name = f"{_NAMES[rule.effect]}_{number}"
    if rule.effect is Effect.ALLOW and settings.client is not SettingsClient.CEDAR:
        return
    tools = tuple(tool for tool in rule.tools if tool in known)
    groups: dict[tuple[str, bool], list[str]] = {}
    for tool in tools:
        condition = _condition(settings, rule, tool)
        if condition is not None and condition != "False":
            of_files = any(
                isinstance(one.pattern, PathPattern) for one in (rule, *_milder(settings, rule, tool))
            )
            groups.setdefault((condition, of_files and tool != SHELL), []).append(tool)
    for place, ((condition, of_files), own) in enumerate(groups.items(), 1):
        suffix = f"_{place}" if place > 1 else ""
        if not of_files:
            yield _Part(number, name + suffix, tuple(own), condition)
            continue
        told = _PARTS[own[0]] if isinstance(rule.pattern, PathPattern) and SHELL in known else ()
        yield from _of_files(number, name + suffix, tuple(own), condition, told)
    if isinstance(rule.pattern, HostPattern) and SHELL in known and not _milder(settings, rule, "WebFetch"):
        fetches = 'any(p.name == "curl" or p.name == "wget" for p in call.command.started)'
        yield _Part(number, f"{name}_command", (SHELL,), f"{fetches} and {condition_on(rule, SHELL)}")


def _of_files(
    number: int, name: str, tools: tuple[str, ...], condition: str, places: Sequence[str]
) -> Iterator[_Part]:
    """The functions of a rule about files: of the tools for files, of searches, and of commands."""
    run = ", run" if "run." in condition else ""
    named = f"is_of_{name.partition('_')[2]}"
    files = tuple(tool for tool in tools if tool not in SEARCHES)
    searches = tuple(tool for tool in tools if tool in SEARCHES)
    if files:
        yield _Part(number, name, files, f"{named}(call.file_path{run})", condition)
    if searches:
        yield _Part(
            number,
            f"{name}_search",
            searches,
            f"call.path is not None and {named}(call.path{run})",
            condition,
        )
    if places:
        asked = (f"any({named}(path{run}) for path in call.command.{place})" for place in places)
        yield _Part(number, f"{name}_command", (SHELL,), " or ".join(asked), condition)


def _condition(settings: Settings, rule: SettingsRule, tool: str) -> str | None:
    """The condition of a rule on a call of a tool, without what milder rules of a higher rank take out."""
    condition = condition_on(rule, tool)
    if condition is None:
        return None
    milder = [condition_on(other, tool, opens=True) for other in _milder(settings, rule, tool)]
    taken_out = " or ".join(dict.fromkeys(f"({one})" for one in milder if one is not None))
    if "True" in milder:
        return "False"
    if taken_out:
        condition = f"not ({taken_out})" if condition == "True" else f"({condition}) and not ({taken_out})"
    is_each = tool == SHELL and condition != "True" and not isinstance(rule.pattern, PathPattern)
    return f"any({condition} for p in call.command.started)" if is_each else condition


def _milder(settings: Settings, rule: SettingsRule, tool: str) -> Sequence[SettingsRule]:
    return [
        other
        for other in settings.rules
        if tool in other.tools and other.rank > rule.rank and other.effect < rule.effect and not other.dead
    ]


def _policy(
    settings: Settings,
    spec: AgentSpec,
    parts: Sequence[_Part],
    sentences: Mapping[int, str],
    title: str,
) -> str:
    classes = {call.tool: name for name, call in agent_types(spec).calls.items()}
    is_cedar = settings.client is SettingsClient.CEDAR
    used = sorted({classes[tool] for part in parts for tool in part.tools} | {"Run", "Call", "Path"})
    rules = (text for part in parts for text in _functions(part, sentences[part.rule], classes))
    contract = _contract(settings, parts, sentences, classes)
    text = "\n\n\n".join((*_file_facts(parts), *rules, *contract))
    imported = [name for name in used if re.search(rf"\b{name}\b", text)]
    return (
        f'"""{title}."""\n\nfrom nagini_contracts.contracts import Ensures, Implies, Result\n\n'
        f"from agent import {', '.join(imported)}\n\n"
        f'DEFAULT = "{"deny" if is_cedar else "allow"}"\n\n\n{text}\n'
    )


def _functions(part: _Part, sentence: str, classes: Mapping[str, str]) -> Iterator[str]:
    """The fact of a part and its rule."""
    about = " | ".join(classes[tool] for tool in part.tools)
    run = ", run: Run" if part.run else ""
    name = part.fact.partition("(")[0]
    of = _NOUNS.get(part.name.rpartition("_")[2], "call")
    noun = f"whether rule {part.rule} is about a {of}"
    yield f'def {name}(call: {about}{run}) -> bool:\n    """{noun}"""\n    return {part.condition}'
    cited = f"S{part.rule}: {sentence}"
    yield f'def {part.name}(call: {about}{run}) -> bool:\n    """{cited}"""\n    return {part.fact}'


def _file_facts(parts: Sequence[_Part]) -> Iterator[str]:
    """A fact about a path for each rule about files."""
    facts = {part.condition.partition("is_of_")[2].partition("(")[0]: part for part in parts if part.files}
    for name, part in facts.items():
        number, condition = part.rule, part.files
        run = ", run: Run" if "run." in condition else ""
        noun = f"whether rule {number} is about a file"
        yield f'def is_of_{name}(path: Path{run}) -> bool:\n    """{noun}"""\n    return {condition}'


def _contract(
    settings: Settings,
    parts: Sequence[_Part],
    sentences: Mapping[int, str],
    classes: Mapping[str, str],
) -> Iterator[str]:
    """The clauses of each tool, then of all others: sentence 0 is about what no rule is about."""
    is_cedar = settings.client is SettingsClient.CEDAR
    allowed = {n for n, rule in enumerate(settings.rules, 1) if rule.effect is Effect.ALLOW}
    tools = dict.fromkeys(tool for part in parts for tool in part.tools)
    for tool in tools:
        own = [part for part in parts if tool in part.tools]
        opening = [part for part in own if part.rule in allowed]
        closing = [part for part in own if part.rule not in allowed]
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", classes[tool]).lower()
        run = ", run: Run" if any(part.run for part in own) else ""
        taken = f"(call: {classes[tool]}{run})"
        here = None if is_cedar else [n for n in sorted(allowed) if tool in settings.rules[n - 1].tools]
        clauses = _clauses(opening, closing, here, f"_{name}(call{', run' if run else ''})")
        told = "".join(f"\n    # S{n}: {sentences[n]}\n    Ensures({term})" for n, term in clauses)
        for word, of in (("is_open", opening), ("is_closed", closing)):
            if word in told:
                facts = " or ".join(part.fact for part in of)
                yield f'def {word}_{name}{taken} -> bool:\n    """{_SHARED[word]}"""\n    return {facts}'
        yield f"def contract_{name}{taken} -> None:{told}"
    others = ", ".join(map(literal, tools))
    test = f"call.tool not in {{{others}}}" if others else "True"
    end = f"    Ensures(Implies({test}, {'not ' if is_cedar else ''}Result()))"
    last = (
        [] if is_cedar else [n for n in sorted(allowed) if not set(settings.rules[n - 1].tools) & set(tools)]
    )
    told = "".join(f"\n    # S{n}: {sentences[n]}\n{end}" for n in (*last, 0))
    yield f"def contract_rest(call: Call) -> None:{told}"


def _clauses(
    opening: Sequence[_Part], closing: Sequence[_Part], allowed: Sequence[int] | None, of_tool: str
) -> Iterator[tuple[int, str]]:
    """Each clause with the number of its sentence; ``allowed`` are permissions where a call needs none."""
    is_shut = any(part.condition == "True" for part in closing)
    yield from ((part.rule, f"Implies({part.fact}, not Result())") for part in closing)
    if allowed is not None:
        told = () if is_shut else (*allowed, 0)
        yield from ((number, f"Implies(not is_closed{of_tool}, Result())") for number in told)
        return
    closed = f" and not is_closed{of_tool}" if closing else ""
    opened = () if is_shut else opening
    yield from ((part.rule, f"Implies({part.fact}{closed}, Result())") for part in opened)
    if not any(part.condition == "True" for part in opening):
        yield 0, f"Implies({f'not is_open{of_tool}' if opening else 'True'}, not Result())"
