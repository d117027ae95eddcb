"""Which calls a norm is about that speaks of no tool: those that have what its condition compares.

“Books may be lent for at most 28 days”, where one tool has days, is a limit on its calls. Read about every
call it would deny or permit the calls of all other tools, for want of a value that they cannot have.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.author.argument_terms import ALWAYS, all_of, among, atoms, is_presence, names
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.norms import Effect, Norm
from workbench.model import AgentSpec, Argument, Json


def about_calls_that_have_it(norm: Norm, lexicon: Lexicon, spec: AgentSpec) -> Norm:
    """The norm about the tools that take what its condition compares; as it is where every tool does.

    A permission needs no tools: it permits nothing where a value is missing. So does a norm that says what
    holds there, or that speaks of anything else than what calls give.
    """
    action = lexicon.action()
    if action is None or norm.complete or norm.effect is Effect.PERMIT:
        return norm
    if action.name in names(norm.scope, norm.condition):
        return norm
    compared = norm.scope if norm.condition == ALWAYS else norm.condition
    if any(is_presence(atom) for atom in atoms(compared)):
        return norm
    known = {argument.name: argument for argument in lexicon.arguments}
    holders = [_holders(known.get(name), spec) for name in names(compared)]
    having = frozenset[str]().union(*holders)
    if not holders or not all(holders) or having >= set(action.type.values):
        return norm
    listed = among(action, *(value for value in action.type.values if value in having))
    return replace(norm, scope=all_of(listed, norm.scope))


def _holders(argument: Argument | None, spec: AgentSpec) -> frozenset[str]:
    """The tools whose calls may have an argument; none where it is never missing or no value of the call."""
    source = argument.extraction if argument is not None else None
    if argument is None or source is None or not argument.type.optional or source.method != "jsonpath":
        return frozenset()
    path = source.options.get("path")
    if not isinstance(path, str) or not path.startswith("$.arguments."):
        return frozenset()
    name = path.removeprefix("$.arguments.").replace("[", ".").partition(".")[0]
    given = source.options.get("tools")
    listed = frozenset(map(str, given)) if isinstance(given, list) else None
    return frozenset(
        tool.name
        for tool in spec.tools
        if name in _properties(tool.parameters.get("properties")) and (listed is None or tool.name in listed)
    )


def _properties(declared: Json) -> Iterable[str]:
    return declared if isinstance(declared, dict) else ()
