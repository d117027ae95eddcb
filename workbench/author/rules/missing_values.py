"""Norms whose arguments may have no value: the strict reading, or the person's answer."""

from __future__ import annotations

from dataclasses import replace

from workbench.author.argument_terms import (
    all_of,
    any_of,
    atoms,
    has_no_value,
    is_presence,
    map_atoms,
    names,
    opposite,
    value_listing,
)
from workbench.author.rules import author_doubts
from workbench.author.rules.norms import Effect, Norm
from workbench.author.rules.request_reading import RequestReading
from workbench.model import AgentSpec, Span
from workbench.policy.terms import Term


def with_missing_values(drafting: RequestReading, norm: Norm) -> Norm:
    """The norm, completed by its effect if an optional argument has no value."""
    known_arguments = (*drafting.lexicon.arguments, *drafting.lexicon.records_and_lists)
    optional = {argument.name: argument for argument in known_arguments if argument.type.optional}
    if norm.complete or not optional.keys() & set(names(norm.scope, norm.condition)):
        return norm

    def guard(condition: Term, *, denying: bool) -> Term:
        def change(atom: Term) -> Term:
            if is_presence(atom):
                return atom
            guarded = atom
            for name in reversed(
                [argument_name for argument_name in names(atom) if argument_name in optional]
            ):
                strict = norm.effect is Effect.PERMIT or _missing(drafting, norm, name) == author_doubts.DENY
                absent = has_no_value(optional[name])
                guarded = any_of(absent, guarded) if strict == denying else all_of(opposite(absent), guarded)
            return guarded

        return map_atoms(condition, change)

    permits = norm.effect is Effect.PERMIT
    scope = guard(norm.scope, denying=not permits)
    return replace(norm, scope=scope, condition=guard(norm.condition, denying=norm.effect is Effect.FORBID))


def _missing(drafting: RequestReading, norm: Norm, argument: str) -> str:
    listings = [listing for atom in atoms(norm.scope) if (listing := value_listing(atom)) is not None]
    tools = [listing for listing in listings if listing.argument == "tool"]
    if tools and not tools[0].negated and _always_given(drafting.spec, tools[0].values, argument):
        return author_doubts.DENY
    requirement = next(
        (candidate for candidate in drafting.requirements if candidate.id == norm.requirement), None
    )
    quote = requirement.quote if requirement else ""
    span = requirement.span if requirement else Span(0, 0)
    return drafting.doubt_answers.ask(author_doubts.missing(argument, (norm.requirement,), quote, span))


def _always_given(spec: AgentSpec, tools: tuple[str, ...], argument: str) -> bool:
    """Whether the schema of every one of the tools requires the parameter."""
    for tool in spec.tools:
        if tool.name in tools:
            required = tool.parameters.get("required")
            if not isinstance(required, list) or argument not in required:
                return False
    return {tool.name for tool in spec.tools} >= set(tools)
