"""What a norm says where an argument that it reads has no value: the strict reading, or what was answered."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from workbench.author.argument_terms import (
    all_of,
    among,
    any_of,
    atoms,
    is_presence,
    map_atoms,
    missing,
    names,
    negate,
    value_listing,
)
from workbench.author.rules import asking
from workbench.author.rules.norms import Effect, Norm
from workbench.author.rules.understanding import RequestReading
from workbench.model import AgentSpec, Argument, Span, Tool
from workbench.policy.terms import Term

_OF_CALL = re.compile(r"\$\.arguments\.(\w+)(?![\w.])")


def with_missing_values(drafting: RequestReading, norm: Norm) -> Norm:
    """The norm, which says what holds where an optional argument has no value."""
    known = (*drafting.lexicon.arguments, *drafting.lexicon.held)
    optional = {argument.name: argument for argument in known if argument.type.optional}
    if norm.complete or not optional.keys() & set(names(norm.scope, norm.condition)):
        return norm

    def guard(condition: Term, *, denying: bool) -> Term:
        def change(atom: Term) -> Term:
            if is_presence(atom):
                return atom
            guarded = atom
            for name in reversed([one for one in names(atom) if one in optional]):
                strict = norm.effect is Effect.PERMIT or _missing(drafting, norm, name) == asking.DENY
                absent = missing(optional[name])
                guarded = any_of(absent, guarded) if strict == denying else all_of(negate(absent), guarded)
            return guarded

        return map_atoms(condition, change)

    permits = norm.effect is Effect.PERMIT
    scope = guard(norm.scope, denying=not permits)
    return replace(norm, scope=scope, condition=guard(norm.condition, denying=norm.effect is Effect.FORBID))


def of_its_tools(drafting: RequestReading, norm: Norm) -> Norm:
    """The norm about the tools whose calls may have what it speaks of, where it names no tool itself.

    “Meat must be organic” says nothing of a tool that takes neither: there a value is not missing.
    """
    action, spoken = drafting.lexicon.action(), {*names(norm.scope, norm.condition)}
    if norm.complete or action is None or action.name in spoken or not spoken:
        return norm
    known = {argument.name: _parameter(argument) for argument in drafting.lexicon.arguments}
    if not all(known.get(name) for name in spoken):
        return norm
    taking = {tool.name for tool in drafting.spec.tools for name in spoken if known[name] in _taken(tool)}
    values = tuple(value for value in action.type.values if value in taking)
    if not values or len(values) == len(action.type.values) or action.name != "tool":
        return norm
    return replace(norm, scope=all_of(among(action, *values), norm.scope))


def _parameter(argument: Argument) -> str:
    """The parameter of a call that an argument is read from; empty where it is none."""
    source = argument.extraction
    if source is None or source.method != "jsonpath" or source.options.keys() - {"path"}:
        return ""
    found = _OF_CALL.match(str(source.options.get("path", "")))
    return "" if found is None else found[1]


def _taken(tool: Tool) -> Collection[str]:
    properties = tool.parameters.get("properties")
    return properties.keys() if isinstance(properties, dict) else ()


def _missing(drafting: RequestReading, norm: Norm, argument: str) -> str:
    listings = [listing for atom in atoms(norm.scope) if (listing := value_listing(atom)) is not None]
    tools = [listing for listing in listings if listing.argument == "tool"]
    if tools and not tools[0].negated and _always_given(drafting.spec, tools[0].values, argument):
        return asking.DENY
    requirement = next((each for each in drafting.requirements if each.id == norm.requirement), None)
    quote = requirement.quote if requirement else ""
    span = requirement.span if requirement else Span(0, 0)
    return drafting.interview.ask(asking.missing(argument, (norm.requirement,), quote, span))


def _always_given(spec: AgentSpec, tools: tuple[str, ...], argument: str) -> bool:
    """Whether the schema of every one of the tools requires the parameter."""
    for tool in spec.tools:
        if tool.name in tools:
            required = tool.parameters.get("required")
            if not isinstance(required, list) or argument not in required:
                return False
    return {tool.name for tool in spec.tools} >= set(tools)
