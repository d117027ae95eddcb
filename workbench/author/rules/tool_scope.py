"""The scope of a norm that names no tool: the calls that have the values in its condition.

“Books may be lent for at most 28 days” limits the calls of the one tool with days. Applied to every call, it
would deny or permit the calls of all other tools, because they cannot have that value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.author.argument_terms import (
    all_of,
    among,
    atoms,
    conjuncts,
    is_presence,
    names,
    value_listing,
)
from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.norms import Effect, Norm
from workbench.model import AgentSpec, Argument, Json


def about_calls_that_have_it(norm: Norm, lexicon: Lexicon, spec: AgentSpec) -> Norm:
    """The norm, limited to the tools with the values that it compares; unchanged if every tool has them.

    A permission is unchanged, because it permits nothing if a value is missing. A norm that already covers
    missing values is unchanged too.
    """
    action = lexicon.action()
    if action is None or norm.complete or norm.effect is Effect.PERMIT:
        return norm
    if action.name in names(norm.scope, norm.condition):
        return norm
    parts = conjuncts(norm.denies)
    if any(is_presence(atom) for part in parts for atom in atoms(part)):
        return norm
    argument_by_name = {argument.name: argument for argument in lexicon.arguments}
    compared = [[_holders(argument_by_name.get(name), spec) for name in names(part)] for part in parts]
    having = frozenset[str]().union(*(holder for holders in compared if all(holders) for holder in holders))
    if not having or having >= set(action.type.values):
        return norm
    listed = among(action, *(value for value in action.type.values if value in having))
    return replace(norm, scope=all_of(listed, norm.scope))


def check_calls_have_it(norm: Norm, lexicon: Lexicon, spec: AgentSpec) -> None:
    """Raise UnreadableError if none of the tools that a norm names has a value that it compares.

    For example “Don't restart the database”, if the tool restarts hosts and only another one has databases.
    """
    action = lexicon.action()
    scopes = [value_listing(part) for part in conjuncts(norm.scope)]
    named = [
        scope
        for scope in scopes
        if action is not None and scope is not None and scope.argument == action.name
    ]
    if norm.complete or len(named) != 1 or named[0].negated:
        return
    tools = frozenset(named[0].values)
    argument_by_name = {argument.name: argument for argument in lexicon.arguments}
    for name in names(norm.scope, norm.condition):
        holders = _holders(argument_by_name.get(name), spec)
        if holders and not holders & tools:
            tool_names, having = " or ".join(sorted(tools)), " and ".join(sorted(holders))
            raise UnreadableError(
                f"{name} is what calls of {having} have, and not of {tool_names}", name, "undefined"
            )


def _holders(argument: Argument | None, spec: AgentSpec) -> frozenset[str]:
    """The tools whose calls may have an argument; none if it is never missing, or not a value of the call."""
    source = argument.extraction if argument is not None else None
    if argument is None or source is None or not argument.type.optional or source.method != "jsonpath":
        return frozenset()
    path = source.options.get("path")
    if not isinstance(path, str) or not path.startswith("$.arguments."):
        return frozenset()
    name = path.removeprefix("$.arguments.").replace("[", ".").partition(".")[0]
    listed_tools = source.options.get("tools")
    listed = frozenset(map(str, listed_tools)) if isinstance(listed_tools, list) else None
    return frozenset(
        tool.name
        for tool in spec.tools
        if name in _properties(tool.parameters.get("properties")) and (listed is None or tool.name in listed)
    )


def _properties(declared: Json) -> Iterable[str]:
    return declared if isinstance(declared, dict) else ()
