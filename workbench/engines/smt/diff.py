"""Semantic diff: the inputs that two versions of a policy decide differently, region by region.

The versions are equivalent by proof, or there are inputs that one of them allows, asks a person about or
denies and the other does not. A found input represents its region: the inputs on which the same rules
decide, for the same values of the enums involved and, if one element of a set makes the difference, for that
element. The bounds of numbers and times that hold on all of them are proved. The search continues outside the
regions found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from workbench.engines.smt.formula import Formula
from workbench.engines.smt.ground_parts import looks_inside_words, mentioned, tested_words, walk_ground
from workbench.engines.smt.ground_terms import member_of
from workbench.engines.smt.policy_pair import PolicyPair, SignatureMismatch
from workbench.engines.smt.solver import SolverAnswer
from workbench.model import NEWLY, Arguments, ArgumentType, Kind, Value, Verdict
from workbench.policy.connectives import conjunction, negate
from workbench.policy.decisive_part import what_fires
from workbench.policy.evaluate import Valuation, evaluate, evaluate_in, valuation
from workbench.policy.flat.opening import missing_flags, narrowed
from workbench.policy.term_text import render_term
from workbench.policy.terms import (
    Compare,
    Comparison,
    Constant,
    Member,
    Not,
    Parameter,
    PolicyTerms,
    Quantified,
    Quantifier,
    SetVariable,
    Term,
    Variable,
)
from workbench.policy.types import BOOL
from workbench.serialization.json_form import json_form

__all__ = ["DifferingRegion", "SemanticDiff", "SignatureMismatch", "semantic_diff"]

MOST_DIFFERING_REGIONS = 40


@dataclass(frozen=True, slots=True)
class DifferingRegion:
    """Inputs that the two versions decide differently for the same reason.

    ``old`` and ``new`` are the two decisions. ``witness`` is a plain input of the region; ``where`` gives the
    values that every input of it shares, ``bounds`` in words what is less or more than a constant in each.
    ``old_rules`` and ``new_rules`` name the rules that fire on the witness. ``recorded`` is the place of the
    first preferred input that lies in the region, None where there is none. ``decisive_arguments`` is the
    part of the witness on which both decisions rest, ``turning`` are the arguments of the conditions that
    differ. ``realised`` says, for policies of calls, whether a run was found that is decided so; it is None
    where that was not asked.
    """

    old: Verdict
    new: Verdict
    witness: Arguments
    where: Mapping[str, Value]
    old_rules: tuple[str, ...]
    new_rules: tuple[str, ...]
    recorded: int | None = None
    decisive_arguments: Arguments = field(default_factory=dict[str, Value])
    bounds: tuple[str, ...] = ()
    turning: frozenset[str] = frozenset()
    realised: bool | None = None

    @property
    def widens(self) -> bool:
        """Whether the new version lets more run: without a person, or with one."""
        return self.new is Verdict.ALLOW or self.old is Verdict.DENY


json_form(DifferingRegion, "witness", "where", "bounds", "old_rules", "new_rules", ("realised?", "realised"))


@dataclass(frozen=True, slots=True)
class SemanticDiff:
    """The difference in decisions between two versions of a policy.

    ``equivalent`` is True or False by proof or witness, None if not known. ``unknown`` names what could not
    be decided. ``more`` is True if there are further regions than are listed. ``notes`` names what the
    comparison leaves out because the signatures differ.
    """

    equivalent: bool | None
    regions: tuple[DifferingRegion, ...] = ()
    unknown: str = ""
    more: bool = False
    notes: tuple[str, ...] = ()

    def now(self, verdict: Verdict) -> tuple[DifferingRegion, ...]:
        """The regions on which the new version decides so, and the old one does not."""
        return tuple(region for region in self.regions if region.new is verdict)

    @property
    def newly_allowed(self) -> tuple[DifferingRegion, ...]:
        """The regions that only the new version allows."""
        return self.now(Verdict.ALLOW)

    @property
    def newly_asked(self) -> tuple[DifferingRegion, ...]:
        """The regions about which only the new version asks a person; the old one allows or denies them."""
        return self.now(Verdict.ASK)

    @property
    def newly_denied(self) -> tuple[DifferingRegion, ...]:
        """The regions that only the new version denies."""
        return self.now(Verdict.DENY)


json_form(
    SemanticDiff,
    *("equivalent", "newly_allowed", "newly_asked", "newly_denied", "unknown", "more", "notes"),
)


def semantic_diff(
    old: PolicyTerms,
    new: PolicyTerms,
    *,
    prefer: Iterable[Arguments | None] = (),
    most: int = MOST_DIFFERING_REGIONS,
) -> SemanticDiff:
    """Compare two versions of a policy on the inputs that both can evaluate.

    ``prefer`` are inputs (from logs) to show as witnesses if they fit, with None for calls without an input;
    at most ``most`` regions are listed. Raises ``SignatureMismatch`` if an argument of one name has types
    without a common value.
    """
    pair = PolicyPair(old, new)
    cells = _Cells(pair)
    turning = _turning(pair, prefer)
    regions: list[DifferingRegion] = []
    unknown: list[str] = []
    has_more = False
    for turn, query in _queries(pair).items():
        blocked: list[Term] = []
        found = _Found(cells)
        while True:
            if len(regions) >= most:
                has_more = True
                break
            solved = pair.solve(
                conjunction((query, *blocked)),
                lambda arguments: _turn(pair, arguments) == turn and found.lacks(arguments),  # noqa: B023 # called at once
                prefer=turning[turn].values(),
            )
            if solved.status is SolverAnswer.UNKNOWN:
                unknown.append(f"{NEWLY[turn[1]]}: {solved.why}")
            if solved.arguments is None:
                break
            regions.append(cells.region(solved.arguments, query, turning[turn]))
            blocked.append(cells.outside(solved.arguments))
            found.add(solved.arguments)
    equivalent = False if regions else None if unknown else True
    return SemanticDiff(equivalent, tuple(regions), "; ".join(unknown), has_more, _notes(pair))


type _Turn = tuple[Verdict, Verdict]
"""The decisions of the old and the new version. Where the new one allows, the old one is taken to deny."""


def _queries(pair: PolicyPair) -> Mapping[_Turn, Term]:
    """The searches of a comparison: what is newly allowed comes first, then what is not allowed any more."""
    allow, ask, deny = Verdict.ALLOW, Verdict.ASK, Verdict.DENY
    if not pair.any_asks:
        return {(deny, allow): pair.turns(True), (allow, deny): pair.turns(False)}
    denied = negate(pair.new_not_denied)
    return {
        (deny, allow): pair.turns(True),
        (deny, ask): pair.hands_over(True),
        (allow, ask): conjunction((pair.turns(False), pair.new_not_denied)),
        (allow, deny): conjunction((pair.turns(False), denied)),
        (ask, deny): pair.hands_over(False),
    }


def _turn(pair: PolicyPair, arguments: Arguments) -> _Turn | None:
    """The search to which an input belongs; None if both decide alike, or not both can evaluate it."""
    if not pair.any_asks:
        turned = pair.turned(arguments)
        allow, deny = Verdict.ALLOW, Verdict.DENY
        return None if turned is None else (deny, allow) if turned else (allow, deny)
    verdicts = pair.verdicts(arguments)
    if verdicts is None or verdicts[0] is verdicts[1]:
        return None
    return (Verdict.DENY, Verdict.ALLOW) if verdicts[1] is Verdict.ALLOW else verdicts


def _turning(pair: PolicyPair, prefer: Iterable[Arguments | None]) -> Mapping[_Turn, Mapping[int, Arguments]]:
    """The preferred inputs that are decided otherwise, by the search and by their places."""
    turned_inputs: dict[_Turn, dict[int, Arguments]] = {turn: {} for turn in _queries(pair)}
    for place, arguments in enumerate(prefer):
        if arguments is None:
            continue
        policy_input = narrowed(pair.parameters, arguments)
        turned = _turn(pair, policy_input)
        if turned is not None:
            turned_inputs[turned][place] = policy_input
    return turned_inputs


def _notes(pair: PolicyPair) -> tuple[str, ...]:
    """Return notes about what the comparison leaves out."""
    notes = list(pair.notes)
    for formula, other_formula, name in ((pair.old, pair.new, "old"), (pair.new, pair.old, "new")):
        if formula.precondition == other_formula.precondition:
            continue
        only = pair.solve(
            conjunction((formula.precondition, other_formula.excluded)),
            lambda arguments: (
                formula.runner.evaluable(pair.own(formula, arguments))  # noqa: B023 # called at once
                and other_formula.runner.excludes(pair.own(other_formula, arguments))  # noqa: B023 # called at once
            ),
        )
        if only.status is not SolverAnswer.UNSAT:
            notes.append(f"the preconditions differ: some inputs can be evaluated by the {name} version only")
    return tuple(notes)


def _kinds(formula: Formula) -> set[tuple[bool, bool, Term]]:
    """Return the ground bodies of a policy's rules, with whether they forbid, and whether they ask."""
    return {(rule.forbids, rule.asks, formula.rules[rule.name]) for rule in formula.terms.rules}


def _is_bound(term: Term) -> bool:
    """Whether a test bounds a value by a constant."""
    return (
        isinstance(term, Compare)
        and term.operator not in (Comparison.EQ, Comparison.NE)
        and isinstance(term.left, Constant) is not isinstance(term.right, Constant)
    )


def _positive(bound: Term) -> Term:
    """A test of :func:`_is_bound`, or its negation, as a comparison of the value with the constant."""
    match bound:
        case Not(Compare(operator, left, right)):
            return _positive(Compare(operator.negated, left, right))
        case Compare(operator, Constant() as left, right):
            return Compare(operator.turned, right, left)
        case _:
            return bound


def _met(bounds: Iterable[Term]) -> Iterator[Term]:
    """Yield bounds; a lower and an upper bound that leave one value become an equality."""
    distinct = dict.fromkeys(bounds)
    for bound in distinct:
        match bound:
            case Compare(Comparison.GE, left, right) if Compare(Comparison.LE, left, right) in distinct:
                yield Compare(Comparison.EQ, left, right)
            case Compare(Comparison.LE, left, right) if Compare(Comparison.GE, left, right) in distinct:
                pass
            case _:
                yield bound


def _hold(terms: Iterable[Term], world: Valuation) -> bool:
    return all(evaluate_in(world, term) is True for term in terms)


class _Cells:
    """The regions of one comparison, as ground terms."""

    def __init__(self, pair: PolicyPair) -> None:
        self._pair = pair
        ours, theirs = _kinds(pair.old), _kinds(pair.new)
        every = (*pair.old.rules.values(), *pair.new.rules.values())
        changed = {body for *_, body in ours ^ theirs}
        self._changed = [body for body in dict.fromkeys(every) if body in changed]
        names = frozenset[str]().union(*(mentioned(body) for body in self._changed))
        self._parameters = [parameter for parameter in pair.opened if parameter.name in names]
        self._words = tuple(dict.fromkeys(word for body in self._changed for word in tested_words(body)))
        # For words whose inside is tested, the rules that fire describe a region better than single words.
        self._by_word = not any(looks_inside_words(body) for body in self._changed)

    def meets(self, terms: Iterable[Term], arguments: Arguments) -> bool:
        """Whether ground terms hold on an input."""
        return _hold(terms, self.world(arguments))

    def outside(self, witness: Arguments) -> Term:
        """Return the ground term for inputs outside the region of a witness."""
        return negate(conjunction(self._inside(witness)))

    def world(self, arguments: Arguments) -> Valuation:
        """Return an input as what ground terms are evaluated in."""
        return valuation(self._pair.old.terms, self._pair.explode(arguments))

    def fired(self, world: Valuation) -> tuple[bool, ...]:
        """Return for each changed rule whether it fires on an input."""
        return tuple(_hold((body,), world) for body in self._changed)

    def shared(self, witness: Arguments) -> tuple[Term, ...]:
        """Return what the inputs of a region share beside the rules that fire."""
        return tuple(term for _, _, term in self._shared(witness))

    def _inside(self, witness: Arguments) -> tuple[Term, ...]:
        fired = zip(self._changed, self.fired(self.world(witness)), strict=True)
        return (*(body if holds else negate(body) for body, holds in fired), *self.shared(witness))

    def region(self, witness: Arguments, turned: Term, turning: Mapping[int, Arguments]) -> DifferingRegion:
        """Return the region of a witness of the search ``turned``; ``turning`` are such inputs, by place."""
        inside = self._inside(witness)
        recorded = next(
            (place for place, arguments in turning.items() if self.meets(inside, arguments)), None
        )
        where = {name: value for name, value, _ in self._shared(witness) if value is not None}
        fired = [
            tuple(rule.rule for rule in formula.runner.path(self._pair.own(formula, witness)) if rule.fired)
            for formula in (self._pair.old, self._pair.new)
        ]
        matters = what_fires((self._pair.old.terms, self._pair.new.terms), witness)
        bounds = tuple(self._bounds(witness, turned, inside))
        verdicts = self._pair.verdicts(witness)
        assert verdicts is not None
        names = frozenset(parameter.name.partition(".")[0] for parameter in self._parameters)
        return DifferingRegion(
            *verdicts, witness, where, fired[0], fired[1], recorded, matters, bounds, turning=names
        )

    def _bounds(self, witness: Arguments, turned: Term, inside: tuple[Term, ...]) -> Iterator[str]:
        """Yield in words the bounds by constants that are proved to hold on every input of the region."""
        values = self._pair.explode(witness)
        tests = (part for body in self._changed for part in walk_ground(body) if _is_bound(part))
        held: list[Term] = []
        for test in dict.fromkeys(tests):
            names = mentioned(test)
            if not names <= values.keys() or any(values[name] is None for name in names):
                continue  # the test concerns elements of a list, or no argument
            bound = test if evaluate(self._pair.old.terms, test, values) is True else negate(test)
            # What the changed rules say alone is a small query, and often enough.
            if any(
                self._pair.never(conjunction((*query, *inside, negate(bound)))) for query in ((), (turned,))
            ):
                held.append(_positive(bound))
        words = self._pair.new.terms.file.words
        yield from (words.said(render_term(bound)) for bound in _met(held))

    def _shared(self, witness: Arguments) -> Iterator[tuple[str, Value, Term]]:
        """Yield the common values of the inputs of a region: argument, value (None: any new word), term.

        A field has a value only where its records are there: for the field of a missing record, the term
        says that the record is missing.
        """
        values = self._pair.explode(witness)
        for parameter in self._parameters:
            flags = [Variable(name, BOOL) for name in missing_flags(parameter.name) if name in values]
            there = [negate(one) for one in takewhile(lambda one: values[one.name] is False, flags)]
            for name, value, term in self._value(parameter, values[parameter.name]):
                if len(there) == len(flags):
                    yield name, value, conjunction((*there, term))
                else:
                    missing = flags[len(there)]
                    yield missing.name, None, conjunction((*there, missing))

    def _value(self, parameter: Parameter, value: Value) -> Iterator[tuple[str, Value, Term]]:
        """Yield the value of one opened argument in a region, as ``_shared`` does."""
        name, variable = parameter.name, Variable(parameter.name, parameter.type)
        match parameter.type.kind:
            case Kind.ENUM if isinstance(value, str):
                yield name, value, Compare(Comparison.EQ, variable, Constant(value))
            case Kind.STR if self._by_word and isinstance(value, str):
                if value in self._words:
                    yield name, value, Compare(Comparison.EQ, variable, Constant(value))
                else:
                    yield name, None, negate(member_of(variable, self._words))
            case Kind.SET if self._by_word and isinstance(value, frozenset) and len(value) == 1:
                set_variable = SetVariable(name)
                if value <= set(self._words):
                    yield name, value, Member(Constant(next(iter(value))), set_variable)
                else:
                    item = Variable("item@0", ArgumentType(Kind.STR))
                    new_word = negate(member_of(item, self._words))
                    yield name, None, Quantified(Quantifier.ANY, item, set_variable, new_word)
            case _:
                pass


class _Found:
    """The regions that one search has found."""

    def __init__(self, cells: _Cells) -> None:
        self._cells = cells
        self._shared: dict[tuple[bool, ...], list[tuple[Term, ...]]] = {}

    def add(self, witness: Arguments) -> None:
        """Note the region of a witness."""
        fired = self._cells.fired(self._cells.world(witness))
        self._shared.setdefault(fired, []).append(self._cells.shared(witness))

    def lacks(self, arguments: Arguments) -> bool:
        """Whether an input is in none of the regions."""
        if not self._shared:
            return True
        world = self._cells.world(arguments)
        return not any(_hold(shared, world) for shared in self._shared.get(self._cells.fired(world), ()))
