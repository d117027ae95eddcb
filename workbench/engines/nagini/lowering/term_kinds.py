"""Tests for the kinds of terms that a program writes in another way: conditions and days."""

from __future__ import annotations

from datetime import date, datetime

from workbench.model import Kind
from workbench.policy.terms import (
    Arithmetic,
    Choice,
    Constant,
    HelperCall,
    Length,
    Lookup,
    PolicyTerms,
    Term,
    Variable,
)


def is_condition(terms: PolicyTerms, term: Term) -> bool:
    """Whether a term is boolean."""
    match term:
        case Constant(value):
            return isinstance(value, bool)
        case Variable(_, kind) | HelperCall(_, _, kind):
            return kind.kind is Kind.BOOL
        case Choice(_, then, otherwise):
            return is_condition(terms, then) or is_condition(terms, otherwise)
        case Lookup(table):
            return any(isinstance(entry, bool) for entry in terms.tables[table].entries.values())
        case Length() | Arithmetic():
            return False
        case _:
            return True


def is_day(terms: PolicyTerms, term: Term) -> bool:
    """Whether a term is a date, whose differences are durations."""
    match term:
        case Constant(value):
            return isinstance(value, date) and not isinstance(value, datetime)
        case Variable(_, kind) | HelperCall(_, _, kind):
            return kind.kind is Kind.DATE
        case Choice(_, then, otherwise):
            return is_day(terms, then) or is_day(terms, otherwise)
        case Lookup(table):
            entries = terms.tables[table].entries.values()
            return any(
                is_day(terms, Constant(value)) for value in entries if not isinstance(value, frozenset)
            )
        case _:
            return False
