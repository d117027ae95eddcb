"""Attempts to get past a rule: tries of one kind, and what would stop them.

What makes attempts asks the rule alone; whether a try is allowed the whole policy decides (``holes``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from workbench.clarify.written.asked import Calls, Effect
from workbench.clarify.written.book import SaidRule
from workbench.language.trees import Tree, joined, negated


@dataclass(frozen=True, slots=True)
class Try:
    """A run of calls that a person would hardly want, and why it passes."""

    calls: Calls
    why: str


class Declaration(str):
    """Advice that says what to write into the agent file."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """Tries of one kind, with what would stop them, the best first; ``advice`` is what to do for a better.

    ``about`` tells it from others of the kind: what of the rule it gets past. ``harmless`` is the run that a
    rewriting has to let through, where that is not any call that is allowed.
    The rewritings are made when a try passes: each has to be written as a sentence and tried.
    """

    kind: str
    tries: Iterable[Try]
    rewritings: Callable[[], Sequence[Effect]]
    advice: str = ""
    about: str = ""
    harmless: Calls = ()


OF_TEXTS = frozenset((
    "hidden program", "host", "other name of a host", "path", "address", "statement", "second program",
    "path in a command",
))  # fmt: skip
"""The kinds of attempts at what a rule that tests raw text takes for something else."""


def narrower(rule: SaidRule, condition: Tree) -> Effect:
    """The rule, which stops besides what a condition says."""
    if rule.form == "permit":
        return Effect({rule.name: rule.with_condition(joined("and", [rule.condition, negated(condition)]))})
    return Effect({rule.name: rule.with_condition(joined("or", [rule.condition, condition]))})


def narrower_of_tool(rule: SaidRule, class_name: str, condition: Tree) -> Effect:
    """The rule, which stops besides what a condition says of one tool; of several, one beside it."""
    if rule.form == "permit" or len(rule.classes) == 1:
        return narrower(rule, condition)
    return beside(rule, ("call", rule.form, condition, ("name", class_name)))


def instead(rule: SaidRule, condition: Tree) -> Effect:
    """The rule with another condition of what it stops."""
    return Effect(
        {rule.name: rule.with_condition(negated(condition) if rule.form == "permit" else condition)}
    )


def beside(rule: SaidRule, *said: Tree) -> Effect:
    """The rule as it is, and others for its sentence."""
    return Effect(new=tuple((rule.name, tree) for tree in said))
