"""Selection of a few of several conditions that contradict each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from workbench.engines.smt.encode import Encoder
from workbench.engines.smt.ground_parts import constant_sets, looks_inside_words
from workbench.engines.smt.ground_terms import Grounder
from workbench.engines.smt.search import MOST_WITNESSES
from workbench.engines.smt.solver import Solver, unless_it_fails
from workbench.engines.smt.witnesses import witnesses
from workbench.model import Kind
from workbench.policy.flat.flat_limit import FlatLimit
from workbench.policy.flat.flatten import Flat, flatten
from workbench.policy.flat.traverse import free_names
from workbench.policy.terms import And, PolicyTerms, Term

LIMIT_MS = 1000


class NeededConditions:
    """Selects, for one policy whose records are opened, conditions among many that contradict each other.

    The answer is a guess that saves work: its user proves that these conditions are enough.
    """

    def __init__(self, terms: PolicyTerms) -> None:
        """Take a policy whose records are opened."""
        self._terms = terms
        self._grounder = Grounder(terms)
        self._sets = tuple(constant_sets(terms))

    def of(self, conditions: Sequence[Term], likely: Collection[int]) -> frozenset[int] | None:
        """The places of few conditions that cannot be true together, or None if no such conditions are known.

        The conditions at the places ``likely`` are tried alone first.
        """
        if len(likely) < len(conditions):
            places = self._among(conditions, sorted(likely))
            if places is not None:
                return places
        return self._among(conditions, range(len(conditions)))

    def of_flat(self, conditions: Sequence[Term], flat: Flat) -> frozenset[int] | None:
        """Like ``of``, for conditions over the arguments of ``flat``, without lists."""
        grounder = Grounder(replace(self._terms, arguments=flat.parameters))
        ground = {place: grounder.ground(condition) for place, condition in enumerate(conditions)}
        return self._core(ground, (), flat)

    def _among(self, conditions: Sequence[Term], places: Sequence[int]) -> frozenset[int] | None:
        ground = [self._grounder.ground(conditions[place]) for place in places]
        names = frozenset[str]().union(*map(free_names, ground))
        try:
            flat = flatten(
                self._terms,
                ground,
                [argument for argument in self._terms.arguments if argument.name in names],
            )
        except FlatLimit:
            return None
        return self._core(dict(zip(places, flat.parts, strict=True)), flat.requires, flat)

    def _core(
        self, ground: Mapping[int, Term], requires: Iterable[Term], flat: Flat
    ) -> frozenset[int] | None:
        """The places of conditions that contradict each other and ``requires``, with few unnecessary ones."""
        return unless_it_fails(lambda: self._contradicting(ground, tuple(requires), flat), lambda _why: None)

    def _contradicting(
        self, ground: Mapping[int, Term], requires: tuple[Term, ...], flat: Flat
    ) -> frozenset[int] | None:
        # Not joined by ``conjunction``: this would simplify away parts that are encoded one by one.
        whole = And((*requires, *ground.values()))
        as_text = looks_inside_words(whole)
        solver = Solver(LIMIT_MS, cores=True)
        encoder = Encoder(
            solver,
            [parameter for parameter in flat.parameters if parameter.type.kind is not Kind.LIST],
            min(witnesses(whole).count, MOST_WITNESSES),
            as_text=as_text,
            sets=() if as_text else self._sets,
            unbounded=flat.sums,
        )
        for required in requires:
            solver.require(encoder.query(required))
        encoded = {place: encoder.query(part) for place, part in ground.items()}
        chosen = solver.contradiction(encoded)
        for place in sorted(chosen or (), reverse=True):
            assert chosen is not None
            fewer = solver.contradiction(
                {other_place: encoded[other_place] for other_place in chosen if other_place != place}
            )
            chosen = chosen if fewer is None else fewer
        return None if chosen is None else frozenset(chosen)
