"""Norms: the demands of a request, between the sentence and the policy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from workbench.author.argument_terms import (
    all_of,
    argument_of,
    conjuncts,
    element_listing,
    map_atoms,
    opposite,
    value_listing,
)
from workbench.author.rules.lexicon import Lexicon, is_action
from workbench.model import Kind
from workbench.policy.connectives import FALSE, is_true
from workbench.policy.terms import (
    Member,
    Not,
    Quantified,
    Quantifier,
    Term,
    Variable,
)


class Effect(StrEnum):
    """The effect of a norm within its scope."""

    FORBID = "forbid"  # denied if the condition holds
    REQUIRE = "require"  # denied if the condition does not hold
    PERMIT = "permit"  # permitted if the condition holds


@dataclass(frozen=True, slots=True)
class Norm:
    """One normative statement over the arguments.

    ``scope`` are the calls that it is about (an action, a role); ``condition`` decides which of them it
    denies or permits. ``message`` is shown to a denied agent. A ``complete`` norm already covers the case
    that an optional argument has no value.
    """

    requirement: str
    effect: Effect
    scope: Term
    condition: Term
    message: str
    complete: bool = False

    @property
    def denies(self) -> Term:
        """The inputs that the norm forbids."""
        match self.effect:
            case Effect.FORBID:
                return all_of(self.scope, self.condition)
            case Effect.REQUIRE:
                return all_of(self.scope, opposite(self.condition))
            case Effect.PERMIT:
                return FALSE

    @property
    def permits(self) -> Term:
        """The inputs that the norm permits if nothing is permitted by default."""
        return FALSE if self.effect is Effect.FORBID else all_of(self.scope, self.condition)

    @property
    def satisfied(self) -> Term:
        """The condition under which the norm itself does not deny, within its scope."""
        return opposite(self.condition) if self.effect is Effect.FORBID else self.condition


def split_scope(lexicon: Lexicon, condition: Term) -> tuple[Term, Term]:
    """The scope that a condition names (its action, else its other enum values), and the rest."""
    parts = conjuncts(condition)
    enums = [part for part in parts if _is_enum(lexicon, part)]
    actions = [part for part in enums if is_action(lexicon.argument(argument_of(part)))]
    scope = actions or enums
    return all_of(*scope), all_of(*(part for part in parts if part not in scope))


def _is_enum(lexicon: Lexicon, part: Term) -> bool:
    named = isinstance(part, Member) and isinstance(part.item, Variable)
    return named and lexicon.argument(argument_of(part)).type.kind is Kind.ENUM


def every_element(condition: Term) -> Term:
    """Read a mention of set elements as "all elements are among these" (in a permission)."""

    def change(atom: Term) -> Term:
        inner = atom.operand if isinstance(atom, Not) else atom
        if not isinstance(inner, Quantified):
            return atom
        every = replace(inner, quantifier=Quantifier.ALL)
        return Not(every) if isinstance(atom, Not) else every

    return map_atoms(condition, change)


def disjoint(left: Term, right: Term) -> bool:
    """Whether two conditions evidently exclude each other: one argument, no common value."""
    firsts, seconds = ([value_listing(part) for part in conjuncts(side)] for side in (left, right))
    for first in firsts:
        for second in seconds:
            if first is None or second is None or first.argument != second.argument:
                continue
            affirmed, common = not (first.negated or second.negated), set(first.values) & set(second.values)
            if affirmed and not common:
                return True
            if first.negated != second.negated:
                inside, outside = (second, first) if first.negated else (first, second)
                if set(inside.values) <= set(outside.values):
                    return True
    return False


def exhausts(lexicon_values: tuple[str, ...], scopes: list[Term], argument: str) -> bool:
    """Whether the scopes together cover every value of an enum argument."""
    covered: set[str] = set()
    for scope in scopes:
        if is_true(scope):
            return True
        listing = value_listing(scope)
        if listing is not None and listing.argument == argument and not listing.negated:
            covered.update(listing.values)
    return covered >= set(lexicon_values)


def is_row(norm: Norm) -> bool:
    """Whether a norm is a row of a role table: it lists what one role may use, and nothing else.

    A rule that a person chose for a sentence is not a row: several such rules hold together, without a
    question.
    """
    scope, listed = value_listing(norm.scope), element_listing(norm.condition)
    return (
        norm.effect is Effect.REQUIRE
        and not norm.complete
        and scope is not None
        and not scope.negated
        and len(scope.values) == 1
        and listed is not None
        and listed.quantifier is Quantifier.ALL
        and not listed.negated
    )
