"""Calls of a part of a run as calls of the whole run that lie between its bounds.

``any(test(c) for c in run.since(w for w in run.earlier(A) if mark(w)).earlier(B))`` has the value, of three,
of ``any(not any(mark(w) and w.#place >= c.#place for w in run.earlier(A)) and test(c) for c in
run.earlier(B))``. ``#place`` is the place of a call in its run, which no policy can write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.dialect.run_values import EarlierCalls, Gathered, RunBound, RunValue, place_of
from workbench.policy.terms import (
    And,
    Compare,
    Comparison,
    Constant,
    Count,
    Elements,
    IsMissing,
    Not,
    Or,
    Quantified,
    Quantifier,
    Sum,
    Term,
    Variable,
)
from workbench.policy.walk import children, with_children


class _OwnNames(dict[str, str]):
    """The names of classes in the keys of values, which only have to differ."""

    def __missing__(self, tool: str) -> str:
        return tool


def _keeps(bound: RunBound, call: Variable) -> Term:
    """The condition that a call lies within a bound: after its last call, or before its first."""
    other, own = place_of(bound.marker.variable), place_of(call)
    beyond = Compare(Comparison.GE if bound.since else Comparison.LE, other, own)
    body = beyond if bound.marker.body == Constant(True) else And((bound.marker.body, beyond))
    return Not(replace(bound.marker, body=body))


class WholeRuns:
    """Terms over whole runs in the place of terms over parts of runs; ``values`` are what they name."""

    def __init__(self, values: Mapping[str, RunValue]) -> None:
        """Take the values over the run that the terms name."""
        self.values: dict[str, RunValue] = dict(values)
        self.within: dict[str, tuple[RunBound, ...]] = {}
        self._number = 0

    def term(self, term: Term) -> Term:
        """The term over whole runs."""
        if isinstance(term, Variable):
            return self._variable(term)
        if isinstance(term, IsMissing) and isinstance(term.variable, Variable):
            return IsMissing(self._variable(term.variable))
        inner = with_children(term, tuple(self.term(part) for part in children(term)))
        if not isinstance(inner, Quantified | Count | Sum) or not isinstance(inner.collection, Elements):
            return inner
        place = inner.collection.term
        calls = self.values.get(place.name) if isinstance(place, Variable) else None
        if not isinstance(calls, EarlierCalls) or not calls.bounds:
            return inner
        return self._over_whole(inner, calls)

    def _variable(self, term: Variable) -> Variable:
        """A variable; what is gathered of the calls of a part of a run is one over the whole run."""
        value = self.values.get(term.name)
        if not isinstance(value, Gathered):
            return term
        of = self.term(value.of)
        assert isinstance(of, Sum)
        default = None if value.default is None else self.term(value.default)
        if of == value.of and default == value.default:
            return term
        self._number += 1
        name = f"#gathered{self._number}"
        self.values[name] = replace(value, of=of, default=default)
        return replace(term, name=name)

    def _over_whole(self, term: Quantified | Count | Sum, calls: EarlierCalls) -> Term:
        self._number += 1
        name = f"#calls{self._number}"
        within = tuple(self._apart(bound) for bound in calls.bounds if bound.call is None)
        self.values[name] = EarlierCalls(calls.tools)
        self.within[name] = within
        kept = tuple(_keeps(bound, term.variable) for bound in within)
        kept += tuple(
            Compare(
                Comparison.GT if bound.since else Comparison.LT, place_of(term.variable), place_of(bound.call)
            )
            for bound in calls.bounds
            if bound.call is not None
        )
        collection = Elements(Variable(name, term.collection.term.type))  # type: ignore[union-attr] # it has elements
        if isinstance(term, Quantified) and term.quantifier is Quantifier.ALL:
            body: Term = Or((*(Not(one) for one in kept), term.body))
            return replace(term, collection=collection, body=body)
        if isinstance(term, Quantified):
            return replace(term, collection=collection, body=And((*kept, term.body)))
        return replace(term, collection=collection, condition=And((*kept, term.condition)))

    def _apart(self, bound: RunBound) -> RunBound:
        """The bound, whose call has a name that no other element has."""
        from workbench.dialect.run_terms import renamed  # only a policy with parts of runs has need of it

        self._number += 1
        names = {bound.marker.variable.name: f"#mark{self._number}"}
        marker = renamed(bound.marker, names, self.values, _OwnNames())
        whole = self.term(marker)
        assert isinstance(whole, Quantified)
        return replace(bound, marker=whole)
