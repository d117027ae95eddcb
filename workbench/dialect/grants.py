"""Grants as terms of the policy: the calls that lie in the region of one, and the policy with them in force.

The region of a grant is an expression of the dialect over ``call`` and ``run``, which may name the facts and
constants of the policy. It is read as a rule of that policy, and the rules that the grant overrides forbid
what lies outside of it. So everything that reads, proves, compares and explains rules does so with grants.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls
from workbench.dialect.checked import CallPolicy, CallRule, TermOfTool
from workbench.dialect.file_imports import with_imports
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_calls
from workbench.model import AgentSpec, ArgumentType, Kind, Problem
from workbench.policy.problems import PolicyError
from workbench.policy.rule_names import PERMIT
from workbench.policy.terms import And, Compare, Comparison, Constant, Not, Term, Variable

_RULE = f"{PERMIT}grant_"
LONGEST_REGION = 20_000
_TOOL = Variable("call.tool", ArgumentType(Kind.STR))


@dataclass(frozen=True, slots=True)
class GrantedRegion:
    """The region of a grant: the calls of one tool for which an expression of the dialect is true.

    ``overrides`` are the rules of the policy that do not fire in it.
    """

    name: str
    tool: str
    text: str
    overrides: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RegionTerms:
    """A policy with regions that were read in it; ``whole`` has each region as a rule of its own."""

    policy: CallPolicy
    whole: CallPolicy
    regions: Mapping[str, tuple[GrantedRegion, CallRule]]

    def rule_name(self, name: str) -> str:
        """The name of the rule that a region is in the whole."""
        return self.regions[name][1].name

    def inside(self, name: str) -> LoweredPolicy:
        """The policy that allows exactly the calls that lie in a region."""
        rule = self.regions[name][1]
        return lowered_calls(
            replace(self.policy, rules=(rule,), clauses=(), theorems=(), default_allow=False)
        )

    def with_grants(self) -> LoweredPolicy:
        """The policy with all regions granted: no overridden rule fires in them."""
        chosen = list(self.regions.values())
        rules = tuple(_weakened(rule, chosen) for rule in self.policy.rules)
        return lowered_calls(replace(self.policy, rules=rules))


def _weakened(rule: CallRule, regions: Sequence[tuple[GrantedRegion, CallRule]]) -> CallRule:
    """The rule without what lies in a region that overrides it."""
    inside: dict[str, list[Term]] = {}
    for region, read in regions:
        if rule.name in region.overrides:
            inside.setdefault(region.tool, []).append(read.terms[0].term)
    terms = [
        replace(one, term=_outside(one.term, inside[one.tool])) if one.tool in inside else one
        for one in rule.terms
        if one.tool
    ]
    of_all = next((one for one in rule.terms if not one.tool), None)
    if of_all is not None:
        tools = tuple(inside)
        terms += [TermOfTool(tool, _outside(of_all.term, inside[tool])) for tool in tools]
        others = [Not(Compare(Comparison.EQ, _TOOL, Constant(tool))) for tool in tools]
        terms.append(replace(of_all, term=And((of_all.term, *others))) if others else of_all)
    return replace(rule, terms=tuple(terms))


def _outside(term: Term, inside: Sequence[Term]) -> Term:
    return And((term, *(Not(one) for one in inside)))


def region_terms(source: str, spec: AgentSpec, regions: Sequence[GrantedRegion]) -> RegionTerms:
    """Read regions in a policy of calls. Raises PolicyError for one that is not in the dialect."""
    types = agent_types(spec)
    classes = {call.tool: name for name, call in types.calls.items()}
    functions: list[str] = []
    for number, region in enumerate(regions):
        if region.tool not in classes:
            raise PolicyError([Problem(f"The agent has no tool {region.tool!r} whose calls have a class.")])
        expression = _region_expression(region.text)
        functions.append(
            f"def {_RULE}{number}(call: {classes[region.tool]}, run: Run) -> bool:\n"
            f'    """What a person granted."""\n    return {expression}\n'
        )
    added = "\n\n".join(functions)
    text = "\n\n".join((with_imports(source, types, added).rstrip(), added))
    policy = check_calls(text, types)
    read = {rule.name: rule for rule in policy.rules}
    found = {region.name: (region, read.pop(f"{_RULE}{number}")) for number, region in enumerate(regions)}
    return RegionTerms(replace(policy, rules=tuple(read.values())), policy, found)


def _region_expression(text: str) -> str:
    """The one expression of a region's text, on one line. Raises PolicyError for others."""
    why = ""
    if len(text) > LONGEST_REGION:
        why = f"It has more than {LONGEST_REGION:,} characters."
    else:
        try:
            return ast.unparse(ast.parse(text.strip(), mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            why = f"It is no expression: {getattr(error, 'msg', None) or type(error).__name__}."
    raise PolicyError([Problem(f"The region of a grant cannot be read. {why}", "Write one condition.")])
