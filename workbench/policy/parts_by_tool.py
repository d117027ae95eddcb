"""The part of a policy of calls that decides the calls of some tools.

Where each tool has rules of its own, what is asked of one call takes as long however long the policy is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from workbench.model import TOOL_ARGUMENT
from workbench.policy.flat.traverse import free_names
from workbench.policy.terms import PolicyTerms, Rule, Term


class PartsByTool:
    """The parts of one policy, each made once."""

    def __init__(self, terms: PolicyTerms) -> None:
        self.terms = terms
        self._places = terms.file.parts
        self._known: dict[tuple[str, ...], PolicyTerms] = {}
        self._rules: dict[object, tuple[Rule, ...]] = {}
        self._places_by_tool: dict[str, list[int]] = {}
        for place, rule in enumerate(terms.rules):
            for tool in self.tools_of(rule) or ("",):
                self._places_by_tool.setdefault(tool, []).append(place)

    def tools_of(self, rule: Rule) -> tuple[str, ...]:
        """The tools whose calls a rule is about; none if it is about all."""
        part = self._places.get(rule.name)
        return () if part is None else part.tools

    def of_tools(self, tools: Sequence[str]) -> PolicyTerms:
        """The rules about the calls of some tools with the arguments that they read, without the contract.

        It decides these calls as the whole policy does. Without tools, and of a policy over declared
        arguments, it is the whole one.
        """
        key = tuple(tools)
        if not key or not self.terms.file.words:
            return self.terms
        if key not in self._known:
            self._known[key] = self._part(key)
        return self._known[key]

    def rules_about(self, tool: object) -> tuple[Rule, ...]:
        """The rules that may hold of a call of one tool; all rules if it is none."""
        if not isinstance(tool, str):
            return self.terms.rules
        if tool not in self._rules:
            self._rules[tool] = self._about((tool,))
        return self._rules[tool]

    def _about(self, tools: Sequence[str]) -> tuple[Rule, ...]:
        places = {place for tool in ("", *tools) for place in self._places_by_tool.get(tool, ())}
        return tuple(self.terms.rules[place] for place in sorted(places))

    def of_call(self, tool: object) -> PolicyTerms:
        """The part that decides the calls of one tool; the whole policy if it is none."""
        return self.of_tools((tool,) if isinstance(tool, str) else ())

    def _part(self, tools: tuple[str, ...]) -> PolicyTerms:
        terms = self.terms
        rules = self._about(tools)
        read = {TOOL_ARGUMENT, *(parameter.name for rule in rules for parameter in rule.parameters)}
        read |= _names(one.term for one in terms.preconditions)
        axioms = {one.id: _names((one.term,)) for one in terms.axioms}
        grown = True
        while grown:  # what is related to an argument that is read bounds its values
            related = read.union(*(names for names in axioms.values() if names & read))
            grown, read = related != read, related
        return replace(
            terms,
            rules=rules,
            arguments=tuple(one for one in terms.arguments if one.name in read),
            axioms=tuple(one for one in terms.axioms if axioms[one.id] <= read),
            clauses=(),
        )


def _names(terms: Iterable[Term]) -> set[str]:
    return {name for term in terms for name in free_names(term)}
