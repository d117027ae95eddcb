"""What a request demands, between the sentence and the policy: norms."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workbench.author.rules.conditions import (
    ALWAYS,
    AllOf,
    Among,
    AnyOf,
    Condition,
    Elements,
    all_of,
    map_atoms,
    negate,
)
from workbench.author.rules.lexicon import Lexicon, is_action
from workbench.model import Kind


class Effect(StrEnum):
    """What a norm does within its scope."""

    FORBID = "forbid"  # denied where the condition holds
    REQUIRE = "require"  # denied where the condition does not hold
    PERMIT = "permit"  # permitted where the condition holds


@dataclass(frozen=True, slots=True)
class Norm:
    """One normative statement over the arguments.

    ``scope`` says what it speaks of (an action, a role), ``condition`` when it denies or
    permits there. ``message`` is what a denied agent is told.
    """

    requirement: str
    effect: Effect
    scope: Condition
    condition: Condition
    message: str

    @property
    def denies(self) -> Condition:
        """The inputs that the norm forbids."""
        match self.effect:
            case Effect.FORBID:
                return all_of(self.scope, self.condition)
            case Effect.REQUIRE:
                return all_of(self.scope, negate(self.condition))
            case Effect.PERMIT:
                return AnyOf(())

    @property
    def permits(self) -> Condition:
        """The inputs that the norm permits where nothing is permitted by default."""
        return AnyOf(()) if self.effect is Effect.FORBID else all_of(self.scope, self.condition)

    @property
    def satisfied(self) -> Condition:
        """Within the scope, when the norm itself does not deny."""
        return negate(self.condition) if self.effect is Effect.FORBID else self.condition


def split_scope(lexicon: Lexicon, condition: Condition) -> tuple[Condition, Condition]:
    """What a condition speaks of (its action, else its other enum values), and the rest."""
    parts = condition.parts if isinstance(condition, AllOf) else (condition,)
    enums = [each for each in parts if _is_enum(lexicon, each)]
    actions = [
        each for each in enums if isinstance(each, Among) and is_action(lexicon.argument(each.argument))
    ]
    scope = actions or enums
    return all_of(*scope), all_of(*(part for part in parts if part not in scope))


def _is_enum(lexicon: Lexicon, part: Condition) -> bool:
    return (
        isinstance(part, Among)
        and not part.negated
        and lexicon.argument(part.argument).type.kind is Kind.ENUM
    )


def every_element(condition: Condition) -> Condition:
    """Read a mention of set elements as "all elements are among these" (in a permission)."""

    def change(atom: Condition) -> Condition:
        if isinstance(atom, Elements):
            return Elements(atom.argument, atom.values, "all", atom.negated)
        return atom

    return map_atoms(condition, change)


def disjoint(left: Condition, right: Condition) -> bool:
    """Whether two conditions evidently exclude each other: one argument, no common value."""
    for first in left.parts if isinstance(left, AllOf) else (left,):
        for second in right.parts if isinstance(right, AllOf) else (right,):
            if (
                not (isinstance(first, Among) and isinstance(second, Among))
                or first.argument != second.argument
            ):
                continue
            both, common = not (first.negated or second.negated), set(first.values) & set(second.values)
            if both and not common:
                return True
            if first.negated != second.negated:
                inside, outside = (second, first) if first.negated else (first, second)
                if set(inside.values) <= set(outside.values):
                    return True
    return False


def exhausts(lexicon_values: tuple[str, ...], scopes: list[Condition], argument: str) -> bool:
    """Whether the scopes together cover every value of an enum argument."""
    covered: set[str] = set()
    for scope in scopes:
        if scope == ALWAYS:
            return True
        if isinstance(scope, Among) and scope.argument == argument and not scope.negated:
            covered.update(scope.values)
    return covered >= set(lexicon_values)


def is_row(norm: Norm) -> bool:
    """Whether a norm is a row of a role table: it lists what one role may use, and nothing else."""
    scope, listed = norm.scope, norm.condition
    return (
        norm.effect is Effect.REQUIRE
        and isinstance(scope, Among)
        and not scope.negated
        and len(scope.values) == 1
        and isinstance(listed, Elements)
        and listed.quantifier == "all"
        and not listed.negated
    )
