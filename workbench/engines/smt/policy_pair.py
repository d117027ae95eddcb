"""Two policies in comparison: their common inputs, and the inputs that they decide differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property

from workbench.engines.smt.confirm import Runner
from workbench.engines.smt.formula import Formula
from workbench.engines.smt.ground_parts import mentioned
from workbench.engines.smt.search import Search, Solved
from workbench.engines.smt.shrink import hints, shrink
from workbench.engines.smt.solver import SolverAnswer
from workbench.model import Arguments, ArgumentType, Kind, RecordType, Value, Verdict, WorkbenchError
from workbench.policy.connectives import conjunction, is_contradictory, negate
from workbench.policy.evaluate import evaluate_in, valuation
from workbench.policy.flat.opening import narrowed, spread
from workbench.policy.terms import And, Parameter, PolicyTerms, Term

_FEW = 12
"""The rules that are asked about at once; more are asked about only where one of them fires."""
_MOST_ROUNDS = 12


class SignatureMismatch(WorkbenchError):
    """Two policies take an argument of one name with types that have no value in common."""


def common_type(name: str, left: ArgumentType, right: ArgumentType) -> ArgumentType:
    """Return the type of the values that both types admit. Raises ``SignatureMismatch``."""
    optional = left.optional and right.optional
    if left.record is not None and right.record is not None:
        return replace(left, optional=optional, record=common_record(name, left.record, right.record))
    kinds = {left.kind, right.kind}
    if kinds == {Kind.ENUM, Kind.STR}:
        enum = left if left.kind is Kind.ENUM else right
        return replace(enum, optional=optional)
    if len(kinds) > 1:
        raise SignatureMismatch(
            f"The argument {name!r} is of type {left.kind} in one policy and {right.kind} in the other: "
            "rename it or give it one type to compare them."
        )
    element = left.element
    if left.element is not None and right.element is not None:
        element = common_type(name, left.element, right.element)
    values = tuple(dict.fromkeys((*left.values, *right.values)))
    if left.kind is Kind.ENUM:
        values = tuple(value for value in left.values if value in right.values)
        if not values:
            raise SignatureMismatch(f"The two policies have no value of the argument {name!r} in common.")
    return ArgumentType(left.kind, values, optional, min(left.places, right.places), element=element)


def common_record(name: str, left: RecordType, right: RecordType) -> RecordType:
    """Return a record type with the fields of both; a shared field has a type that both admit."""
    ours, theirs = dict(left.fields), dict(right.fields)
    fields = {
        field: common_type(f"{name}.{field}", ours[field], theirs[field])
        if field in ours and field in theirs
        else type
        for field, type in {**ours, **theirs}.items()
    }
    return RecordType(left.name, tuple(fields.items()))


def _notes(name: str, left: ArgumentType, right: ArgumentType) -> Iterable[str]:
    if left.kind is not right.kind:
        yield f"{name}: {left.kind} became {right.kind}; only values of both are compared"
    elif left.kind is Kind.ENUM and set(left.values) != set(right.values):
        changed = sorted(set(left.values) ^ set(right.values))
        yield f"{name}: only one of the policies can evaluate {', '.join(map(repr, changed))}"
    if left.optional is not right.optional:
        yield f"{name}: only one of the policies can evaluate a missing value"
    if left.kind is Kind.DECIMAL and left.places != right.places:
        yield f"{name}: compared to {min(left.places, right.places)} decimal places"


class Trials:
    """A number of inputs that may still be tried; once it is used up, an input stays as plain as it is."""

    def __init__(self, most: int) -> None:
        """Take the number for all questions together."""
        self._left = most

    def of(self, holds: Callable[[Arguments], bool]) -> Callable[[Arguments], bool]:
        """A property that holds of no input once the trials are used up."""

        def within(arguments: Arguments) -> bool:
            self._left -= 1
            return self._left >= 0 and holds(arguments)

        return within


class PolicyPair:
    """Two policies over the inputs that both can evaluate.

    An argument that only one of them takes may have any value. ``notes`` has sentences about what the
    comparison leaves out because the signatures differ.
    """

    def __init__(self, old: PolicyTerms, new: PolicyTerms) -> None:
        """Unify the arguments. Raises ``SignatureMismatch`` if that is not possible."""
        theirs = {parameter.name: parameter.type for parameter in new.arguments}
        ours = {parameter.name: parameter.type for parameter in old.arguments}
        notes: list[str] = []
        shared: dict[str, ArgumentType] = {}
        for name, type in {**ours, **theirs}.items():
            if name in ours and name in theirs:
                shared[name] = common_type(name, ours[name], theirs[name])
                notes.extend(_notes(name, ours[name], theirs[name]))
            else:
                shared[name] = type
                notes.append(f"{name}: only the {'old' if name in ours else 'new'} policy takes it")
        self.parameters = tuple(Parameter(name, type) for name, type in shared.items())
        self.notes = tuple(notes)
        search = Search(self.parameters, (old, new))
        self.old = Formula(old, search, self.parameters)
        self.new = Formula(new, search, self.parameters)
        self.precondition = conjunction((self.old.precondition, self.new.precondition))
        self.opened = search.opened
        self._search = search
        common = set(forbidding(self.old)) & set(forbidding(self.new))
        self._none_forbids = [negate(body) for body in forbidding(self.old) if body in common]
        self._allowed = tuple(without(formula, common) for formula in (self.old, self.new))
        denied = set(_denying(self.old)) & set(_denying(self.new))
        self._none_denies = [negate(body) for body in _denying(self.old) if body in denied]
        self._not_denied = {id(one): without(one, denied, asking=False) for one in (self.old, self.new)}
        self._silent = frozenset((*self._none_forbids, *self._none_denies))

    def turns(self, allowing: bool) -> Term:
        """Return the query for inputs that the new policy allows and the old denies, or the reverse."""
        old, new = self._allowed if allowing else self._allowed[::-1]
        return conjunction((self.precondition, *self._none_forbids, negate(old), new))

    def hands_over(self, allowing: bool) -> Term:
        """Return the query for inputs that the new policy asks about and the old denies, or the reverse."""
        asking, denying = (self.new, self.old) if allowing else (self.old, self.new)
        asks = conjunction((self._not_denied[id(asking)], negate(asking.allowed())))
        denied = negate(self._not_denied[id(denying)])
        return conjunction((self.precondition, *self._none_denies, asks, denied))

    @property
    def new_not_denied(self) -> Term:
        """The condition on which the new policy allows or asks about a call that not both policies deny."""
        return self._not_denied[id(self.new)]

    @cached_property
    def any_asks(self) -> bool:
        """Whether one of the policies has a rule that asks a person."""
        return any(rule.asks for formula in (self.old, self.new) for rule in formula.terms.rules)

    def explode(self, arguments: Arguments) -> dict[str, Value]:
        """An input with the fields of its records as arguments, named as in ground terms."""
        return dict(
            part
            for parameter in self.parameters
            for part in spread(parameter.name, parameter.type, arguments[parameter.name])
        )

    def own(self, formula: Formula, arguments: Arguments) -> Arguments:
        """An input as one of the policies takes it: its records have the fields of that policy's types."""
        return narrowed(formula.terms.arguments, arguments)

    def evaluable(self, arguments: Arguments) -> bool:
        """Whether both policies can evaluate an input."""
        return all(formula.runner.evaluable(self.own(formula, arguments)) for formula in (self.old, self.new))

    def allows(self, formula: Formula, arguments: Arguments) -> bool:
        """Whether one of the policies allows an input that it can evaluate."""
        return formula.runner.allows(self.own(formula, arguments))

    @cached_property
    def _parts(self) -> tuple[Runner, Runner, Runner]:
        return _parts_of(self.old.terms, self.new.terms)

    def turned(self, arguments: Arguments) -> bool | None:
        """Whether an input is newly allowed (True), newly denied (False) or neither (None).

        What forbids in both policies is looked at where their other rules decide otherwise.
        """
        if not self.evaluable(arguments):
            return None
        common, *others = self._parts
        old, new = (_allows(other, arguments) for other in others)
        return None if old is new or not _allows(common, arguments) else new

    def verdicts(self, arguments: Arguments) -> tuple[Verdict, Verdict] | None:
        """The decisions of the old and the new policy; None if not both can evaluate an input."""
        if not self.evaluable(arguments):
            return None
        old, new = (formula.runner.decision(self.own(formula, arguments)) for formula in (self.old, self.new))
        return old, new

    def solve(
        self,
        query: Term,
        confirm: Callable[[Arguments], bool],
        *,
        prefer: Iterable[Arguments] = (),
        plainer: Trials | None = None,
    ) -> Solved:
        """Find a plain input that makes a ground query true; ``confirm`` checks it by running the policies.

        Inputs in ``prefer`` are returned unchanged if one fits. ``plainer`` bounds the inputs that are tried
        to make it plainer.
        """
        for arguments in prefer:
            if confirm(arguments):
                return Solved(SolverAnswer.SAT, arguments)
        solved = self._by_few_rules(query, confirm)
        if solved is None:
            solved = self._search.solve(query, confirm)
        if solved.arguments is None:
            return solved
        policy_hints = hints(*self.old.rules.values(), *self.new.rules.values())
        changed = frozenset[str]().union(*(mentioned(term) for term in self._allowed))
        holds = confirm if plainer is None else plainer.of(confirm)
        return Solved(
            solved.status, shrink(solved.arguments, self.parameters, holds, policy_hints, focus=changed)
        )

    def _by_few_rules(self, query: Term, confirm: Callable[[Arguments], bool]) -> Solved | None:
        """The answer to a query; rules that both policies have are asked about only where one fires.

        Without some of its parts a query has the more answers: if it has none, neither has the whole. None if
        that does not decide it.
        """
        parts = query.operands if isinstance(query, And) else (query,)
        if is_contradictory(parts):
            return Solved(SolverAnswer.UNSAT)
        late = [part for part in parts if part in self._silent]
        if len(late) <= _FEW:
            return None
        asked = [part for part in parts if part not in self._silent]

        def lacking(arguments: Arguments, terms: Iterable[Term]) -> list[Term]:
            world = valuation(self.old.terms, self.explode(arguments))
            return [term for term in terms if evaluate_in(world, term) is not True]

        def holds(arguments: Arguments) -> bool:
            return not lacking(arguments, asked)

        for _ in range(_MOST_ROUNDS):
            solved = self._search.solve(conjunction(asked), holds)
            if solved.arguments is None:
                return solved if solved.status is SolverAnswer.UNSAT else None
            firing = lacking(solved.arguments, late)
            if not firing:
                return solved if confirm(solved.arguments) else None
            asked += firing[:_FEW]
        return None

    def never(self, query: Term) -> bool:
        """Whether it is proved that no input makes a ground query true, which is expected."""
        solved = self._search.solve(query, lambda _arguments: True, doubted=True)
        return solved.status is SolverAnswer.UNSAT


def _allows(runner: Runner, arguments: Arguments) -> bool:
    return runner.allows(narrowed(runner.terms.arguments, arguments))


def _parts_of(old: PolicyTerms, new: PolicyTerms) -> tuple[Runner, Runner, Runner]:
    """The policy of the rules by which both policies forbid, and the policies without these rules.

    There are none if an argument, or what tables hold, is not the same in both.
    """
    types = {parameter.name: parameter.type for parameter in old.arguments}
    alike = old.tables == new.tables and old.places == new.places
    alike &= all(types.get(parameter.name, parameter.type) == parameter.type for parameter in new.arguments)
    theirs = {rule.body for rule in new.rules if alike and rule.forbids}
    common = {rule.body for rule in old.rules if rule.forbids and rule.body in theirs}

    def part(terms: PolicyTerms, *, shared: bool) -> Runner:
        rules = tuple(one for one in terms.rules if (one.forbids and one.body in common) is shared)
        return Runner(replace(terms, rules=rules, default_allow=terms.default_allow or shared))

    return part(old, shared=True), part(old, shared=False), part(new, shared=False)


def forbidding(formula: Formula) -> list[Term]:
    """Return the ground bodies of the rules that forbid."""
    return [formula.rules[rule.name] for rule in formula.terms.rules if rule.forbids]


def _denying(formula: Formula) -> list[Term]:
    """Return the ground bodies of the rules that deny, and hand nothing to a person."""
    return [formula.rules[rule.name] for rule in formula.terms.rules if rule.forbids and not rule.asks]


def without(formula: Formula, common: set[Term], *, asking: bool = True) -> Term:
    """Return the decision of a policy in which no forbidding rule of ``common`` fires.

    Without the rules that are ``asking`` what they hand to a person is allowed.
    """
    rules = [
        rule for rule in formula.terms.rules
        if (asking or not rule.asks) and not (rule.forbids and formula.rules[rule.name] in common)
    ]  # fmt: skip
    return formula.allowed(rules)
