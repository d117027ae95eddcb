"""Incomplete inputs of a compiled policy: the truth of its rules, and the arguments that could change it."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Mapping
from typing import cast

from workbench.engines.compiled.kleene import KLEENE
from workbench.model import Value
from workbench.policy.evaluate import EXACT
from workbench.policy.terms import Clause, PolicyTerms

type Truths = Mapping[str, object]
"""The truth of each rule (by name) and precondition (by id): True, False or undetermined."""

_undetermined = cast("Callable[[str], object]", KLEENE["_kleene_argument"])
_names = cast("Callable[[object], frozenset[str] | None]", KLEENE["_kleene_names"])
_allowed = cast("Callable[[list[object], list[object], bool], object]", KLEENE["_kleene_decision"])


class IncompleteInputs:
    """The decision on inputs that lack arguments, as far as it is the same for all completions."""

    def __init__(self, policy: PolicyTerms, tests: Mapping[str, Callable[..., object]]) -> None:
        """Take the three-valued functions of rules and preconditions."""
        self._policy = policy
        self._names = tuple(argument.name for argument in policy.arguments)
        self._tests = tests

    def truths(self, known: Mapping[str, Value]) -> Truths:
        """The truths on known values that fit their types."""
        values = {name: known[name] if name in known else _undetermined(name) for name in self._names}
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
        """The undetermined arguments that could change the decision, in the order of the policy."""
        rules = self._policy.rules
        allowed = _allowed(
            [truths[rule.name] for rule in rules if rule.forbids],
            [truths[rule.name] for rule in rules if not rule.forbids],
            self._policy.default_allow,
        )
        names = set(_names(allowed) or ())
        for clause in self._policy.preconditions:
            names |= _names(truths[clause.id]) or set()
        return tuple(name for name in self._names if name in names)
