"""A policy by which an engine shows whether it works."""

from __future__ import annotations

from workbench.policy.terms import (
    Clause,
    Compare,
    Comparison,
    Constant,
    ImpliesTerm,
    Not,
    Parameter,
    PolicyTerms,
    ResultTerm,
    Rule,
    Term,
    Variable,
)
from workbench.policy.types import INT


def two_clauses() -> PolicyTerms:
    """A policy with a clause that is true and one that is false: users under 18 may not book."""
    age = Parameter("age", INT)

    def under(years: int) -> Term:
        return Compare(Comparison.LT, Variable(age.name, age.type), Constant(years))

    clauses = (
        Clause(f"C{number}", ImpliesTerm(under(years), Not(ResultTerm())), (), "", "", 0, 0)
        for number, years in enumerate((18, 19), 1)
    )
    rule = Rule("forbid_minor", (age,), under(18), "Users under 18 may not book.", (), 0, 0)
    return PolicyTerms((age,), {}, {}, (rule,), True, (), tuple(clauses))
