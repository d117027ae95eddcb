"""Incomplete inputs of a compiled policy: the truth of its rules, and the arguments that could change it."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Mapping
from typing import cast

from workbench.engines.compiled.kleene import KLEENE
from workbench.model import Between, Value
from workbench.policy.evaluate import EXACT
from workbench.policy.terms import Clause, PolicyTerms

type Truths = Mapping[str, object]
"""The truth of each rule (by name) and precondition (by id): True, False or undetermined."""

_undetermined = cast("Callable[[str, Between | None], object]", KLEENE["_kleene_argument"])
_names = cast("Callable[[object], frozenset[str] | None]", KLEENE["_kleene_names"])
_could_change = cast(
    "Callable[[list[object], list[object], list[object], bool], frozenset[str]]",
    KLEENE["_kleene_could_change"],
)


class IncompleteInputs:
    """The decision on inputs that lack arguments, as far as it is the same for all completions."""

    def __init__(self, policy: PolicyTerms, tests: Mapping[str, Callable[..., object]]) -> None:
        """Take the three-valued functions of rules and preconditions."""
        self._policy = policy
        self._names = tuple(argument.name for argument in policy.arguments)
        self._tests = tests

    def truths(self, known: Mapping[str, Value], between: Mapping[str, Between]) -> Truths:
        """The truths on known values that fit their types, and on what is known of others."""
        values = {
            name: known[name] if name in known else _undetermined(name, between.get(name))
            for name in self._names
        }
        tests, policy = self._tests, self._policy
        with decimal.localcontext(EXACT):
            truths = {
                rule.name: tests[rule.name](*[values[parameter.name] for parameter in rule.parameters])
                for rule in policy.rules
            }
            return truths | {clause.id: tests[clause.id](*values.values()) for clause in policy.preconditions}

    def broken(self, truths: Truths) -> list[Clause]:
        """The preconditions that certainly do not hold."""
        return [clause for clause in self._policy.preconditions if truths[clause.id] is False]

    def open_arguments(self, truths: Truths) -> tuple[str, ...]:
        """The arguments without which nothing can be decided, in the order of the policy.

        They could change the decision, and it is not certain that a person may be asked.
        """
        rules = self._policy.rules
        names = set(
            _could_change(
                [truths[rule.name] for rule in rules if rule.forbids and not rule.asks],
                [truths[rule.name] for rule in rules if rule.asks],
                [truths[rule.name] for rule in rules if not rule.forbids],
                self._policy.default_allow,
            )
        )
        for clause in self._policy.preconditions:
            names |= _names(truths[clause.id]) or set()
        return tuple(name for name in self._names if name in names)

    def open_asking(self, truths: Truths) -> tuple[frozenset[str], tuple[str, ...]]:
        """The rules that may ask a person and may not, and the arguments on which that depends."""
        open_truths = {rule.name: _names(truths[rule.name]) for rule in self._policy.rules if rule.asks}
        may_ask = {rule: names for rule, names in open_truths.items() if names is not None}
        names = frozenset[str]().union(*may_ask.values())
        return frozenset(may_ask), tuple(name for name in self._names if name in names)
