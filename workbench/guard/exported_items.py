"""The elements of sets and lists behind a denial, as functions of Python for the exported file.

They compute what ``workbench.engines.compiled.elements`` does: a true ``any`` names the elements for which
its test holds, a false ``all`` the elements for which it does not.
"""

from __future__ import annotations

from collections.abc import Iterable

from workbench.model import Kind
from workbench.policy.term_text import render_collection, render_term
from workbench.policy.terms import (
    And,
    Choice,
    Elements,
    HelperCall,
    ImpliesTerm,
    Member,
    Not,
    Or,
    Parameter,
    PolicyTerms,
    Quantified,
    Quantifier,
    Rule,
    SetVariable,
    Term,
)
from workbench.policy.types import has_elements

_NONE = "set()"


class ItemsFunctions:
    """The functions of a policy that return elements: one for each rule, and for each helper they need.

    Each helper has a function of its own, so that no name at the place of its call can hide a name of the
    file.
    """

    def __init__(self, terms: PolicyTerms) -> None:
        """Write the functions of all rules."""
        self._terms = terms
        self._of_helpers: dict[str, str] = {}
        self.of_rules = {rule.name: self._of_rule(rule) for rule in terms.rules}
        self.of_helpers = {name: function for name, function in self._of_helpers.items() if function}

    def _of_rule(self, rule: Rule) -> str:
        """A function of the rule's parameters, or ``None`` if there are never any elements."""
        many = any(has_elements(parameter.type) for parameter in rule.parameters)
        elements = self.behind(rule.body, True) if many else ""
        return _function(rule.parameters, elements) if elements else "None"

    def behind(self, term: Term, truth: bool) -> str:
        """The set of elements behind a term that has this truth value; empty if there can be none."""
        match term:
            case Not(operand):
                return self.behind(operand, not truth)
            case And(operands) | Or(operands):
                if isinstance(term, And) is truth:
                    return _union(self.behind(operand, truth) for operand in operands)
                return self._of_some(operands, truth)
            case ImpliesTerm(condition, consequence):
                return self.behind(Or((Not(condition), consequence)), truth)
            case Choice(condition, then, otherwise):
                return self._of_choice(condition, then, otherwise, truth)
            case Quantified():
                return self._of_quantified(term, truth)
            case Member(item, SetVariable() | Elements()) if truth:
                return f"{{{self._text(item)}}}"
            case HelperCall():
                return self._of_call(term, truth)
            case _:
                return ""

    def _of_some(self, operands: tuple[Term, ...], truth: bool) -> str:
        parts = [(self._holds(operand, truth), self.behind(operand, truth)) for operand in operands]
        if not any(elements for _, elements in parts):
            return ""
        pairs = (f"(lambda: {holds}, lambda: {elements or _NONE})" for holds, elements in parts)
        return f"_because({', '.join(pairs)})"

    def _of_choice(self, condition: Term, then: Term, otherwise: Term, truth: bool) -> str:
        yes = _union((self.behind(condition, True), self.behind(then, truth)))
        no = _union((self.behind(condition, False), self.behind(otherwise, truth)))
        if not yes and not no:
            return ""
        return f"({yes or _NONE} if {self._text(condition)} else {no or _NONE})"

    def _of_quantified(self, term: Quantified, truth: bool) -> str:
        if (term.quantifier is Quantifier.ANY) is not truth:
            return ""
        name = term.variable.name
        among = render_collection(term.collection, self._terms.tables)
        test = self._holds(term.body, truth)
        if isinstance(term.collection, SetVariable | Elements):
            return f"{{{name} for {name} in {among} if {test}}}"
        inner = self.behind(term.body, truth)
        return f"set().union(*[{inner} for {name} in {among} if {test}])" if inner else ""

    def _of_call(self, term: HelperCall, truth: bool) -> str:
        helper = self._terms.helpers[term.function]
        name = f"_behind_{'true' if truth else 'false'}_{helper.name}"
        if name not in self._of_helpers:
            elements = self.behind(helper.body, truth) if helper.result.kind is Kind.BOOL else ""
            self._of_helpers[name] = _function(helper.parameters, elements) if elements else ""
        if not self._of_helpers[name]:
            return ""
        return f"{name}({', '.join(self._text(operand) for operand in term.operands)})"

    def _holds(self, term: Term, truth: bool) -> str:
        return f"({self._text(term)})" if truth else f"(not ({self._text(term)}))"

    def _text(self, term: Term) -> str:
        return f"({render_term(term, self._terms.tables)})"


def _function(parameters: tuple[Parameter, ...], elements: str) -> str:
    return f"lambda {', '.join(parameter.name for parameter in parameters)}: {elements}"


def _union(sets: Iterable[str]) -> str:
    parts = [elements for elements in sets if elements]
    return f"({' | '.join(parts)})" if len(parts) > 1 else "".join(parts)
