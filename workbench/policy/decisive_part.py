"""The part of an input that settles a question; the rest could have any value.

An incomplete input lacks some parts: an argument, a field of a record, or a field of an element of a list. An
incomplete input settles a condition if the condition has the same truth for all values of the missing parts.
Only what follows without a search is found here (for instance, an ``and`` with one false part is false). So a
part may be kept needlessly, but is never left out wrongly.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import cast

from workbench.model import Arguments, Element, RecordValue, Value
from workbench.policy.evaluate import EXACT, UNDEFINED, Valuation, evaluate_incomplete, valuation, value_of
from workbench.policy.flat.plainest_value import plain_value
from workbench.policy.near_inputs import LastInput, ReadInputs, StoredAnswer, of_term
from workbench.policy.terms import Clause, Parameter, PolicyTerms, Term
from workbench.policy.undetermined import Undetermined, decided

_NOT_SETTLED = Undetermined(frozenset())
_MOST_TRIES = 500
_FEW_ELEMENTS = 8


def settled(policy: PolicyTerms, term: Term, arguments: Arguments, result: bool | None = None) -> bool | None:
    """The truth of a condition on an incomplete input; None if the missing parts may change it."""
    with decimal.localcontext(EXACT):
        return _truth(term, valuation(policy, arguments, result))


def settled_decision(policy: PolicyTerms, arguments: Arguments) -> bool | None:
    """Whether the policy allows an incomplete input; None if the missing parts may change the decision."""
    try:
        decision = evaluate_incomplete(policy, arguments)
    except UNDEFINED:
        return None
    return None if isinstance(decision, Undetermined) else decision


def decision_of(policy: PolicyTerms, truths: Iterable[bool | None]) -> bool | None:
    """Whether a policy allows an input on which its rules have these truths, in order; None: not settled."""
    decision = decided(policy, [_NOT_SETTLED if truth is None else truth for truth in truths])
    return None if isinstance(decision, Undetermined) else decision


def _truth(term: Term, world: Valuation) -> bool | None:
    """The truth of a condition in a valuation; None if it is undetermined or has no value."""
    try:
        value = value_of(term, world)
    except UNDEFINED:
        return None
    return value if isinstance(value, bool) else None


class _Settled:
    """The results of one policy for incomplete inputs that differ in few arguments."""

    def __init__(self, policy: PolicyTerms) -> None:
        self.worlds = ReadInputs()
        self.preconditions = [self._truth(policy, precondition.term) for precondition in policy.preconditions]
        self._policy = policy
        self._rules = LastInput([self._truth(policy, rule.body) for rule in policy.rules])

    @staticmethod
    def _truth(policy: PolicyTerms, term: Term) -> StoredAnswer[bool | None]:
        return of_term(term, lambda world: _truth(term, Valuation(policy, world, None)))

    def decision(self, arguments: Arguments) -> bool | None:
        """Like ``settled_decision``, but what earlier inputs settled is reused."""
        self._rules.go_to(self.worlds(arguments))
        with decimal.localcontext(EXACT):
            truths = [self._rules.says(place) for place in range(len(self._policy.rules))]
        return decision_of(self._policy, truths)


def what_breaks(policy: PolicyTerms, clause: Clause, arguments: Arguments) -> dict[str, Value]:
    """The part of a clause-breaking input on which decision and verdict rest."""
    settles = _Settled(policy)
    # A settled part has the same decision as the whole input, so the decision of the whole input is used.
    allowed = settles.decision(arguments)
    truth = of_term(clause.term, lambda world: _truth(clause.term, Valuation(policy, world, allowed)))

    def breaks(part: Arguments) -> bool:
        world = settles.worlds(part)
        with decimal.localcontext(EXACT):
            broken = truth(world) is False and all(
                precondition(world) for precondition in settles.preconditions
            )
        return broken and allowed is not None and settles.decision(part) is allowed

    return least(arguments, breaks)


def what_fires(policies: Iterable[PolicyTerms], arguments: Arguments) -> dict[str, Value]:
    """The part of an input on which each policy's decision rests, and on which the same rules fire."""
    tests = [_firing(policy, arguments) for policy in policies]
    return least(arguments, lambda part: all(enough(part) for enough in tests))


def _firing(policy: PolicyTerms, arguments: Arguments) -> Callable[[Arguments], bool]:
    """A test whether a part of an input gives the same decision and fires the rules behind that decision."""
    allowed = settled_decision(policy, arguments)
    with decimal.localcontext(EXACT):
        world = valuation(policy, arguments)
        fired = [rule for rule in policy.rules if _truth(rule.body, world)]

    def enough(part: Arguments) -> bool:
        with decimal.localcontext(EXACT):
            world = valuation(policy, part)
            if not all(_truth(rule.body, world) for rule in fired):
                return False
        denied = allowed is False and any(rule.forbids for rule in fired)
        return denied or settled_decision(policy, part) is allowed

    return enough


def lacking(policy: PolicyTerms, arguments: Arguments) -> tuple[Parameter, ...]:
    """The missing parameters that may change the decision; none if no values of them can change it.

    Allowing, asking a person and denying are different decisions.
    """
    missing = tuple(argument for argument in policy.arguments if argument.name not in arguments)
    preconditions_settled = all(
        settled(policy, precondition.term, arguments) for precondition in policy.preconditions
    )
    if not missing or (preconditions_settled and _is_settled(policy, arguments)):
        return ()
    whole = completed(policy, arguments)
    return (
        tuple(
            parameter
            for parameter in missing
            if not _is_settled(policy, {name: whole[name] for name in whole if name != parameter.name})
        )
        or missing
    )


def _is_settled(policy: PolicyTerms, arguments: Arguments) -> bool:
    """Whether the missing parts of an incomplete input cannot change the decision."""
    not_denied = settled_decision(policy.without_asking, arguments)
    return not_denied is False or (not_denied is True and settled_decision(policy, arguments) is not None)


def completed(policy: PolicyTerms, arguments: Arguments) -> dict[str, Value]:
    """The input with plain values for the parameters that it lacks."""
    plain_values = {
        argument.name: plain_value(argument.type)
        for argument in policy.arguments
        if argument.name not in arguments
    }
    return {**arguments, **plain_values}


def least(arguments: Arguments, enough: Callable[[Arguments], bool]) -> dict[str, Value]:
    """The input without the parts that can be left out, one after the other; all of it if it is not enough.

    After many tries, the remaining parts are kept.
    """
    current = dict(arguments)
    if not enough(current):
        return current
    for name in reversed([*arguments]):
        without = {other_name: value for other_name, value in current.items() if other_name != name}
        if enough(without):
            current = without
    tries = 0
    for name in current:
        skipped = 0
        while (less := next(islice(_with_less(current[name]), skipped, None), None)) is not None:
            tries += 1
            if tries > _MOST_TRIES:
                return current
            if enough({**current, name: less}):
                current[name] = less
            else:
                skipped += 1
    return current


def left_out(arguments: Arguments, part: Arguments) -> tuple[str, ...]:
    """The names of the arguments, and of fields of records, that an incomplete input lacks."""
    missing_names: list[str] = []
    for name, value in arguments.items():
        missing_names += _lacking(name, value, part[name]) if name in part else [name]
    return tuple(dict.fromkeys(missing_names))


def _lacking(name: str, whole: Value, part: Value) -> Iterator[str]:
    if isinstance(whole, RecordValue) and isinstance(part, RecordValue):
        value_by_field = dict(part.fields)
        for field, held in whole.fields:
            if field in value_by_field:
                yield from _lacking(f"{name}.{field}", held, value_by_field[field])
            else:
                yield f"{name}.{field}"
    elif isinstance(whole, tuple) and isinstance(part, tuple):
        for element, part_element in zip(whole, part, strict=True):
            yield from _lacking(f"{name}[]", element, part_element)


def _without(record: RecordValue, name: str) -> RecordValue:
    return replace(record, fields=tuple(pair for pair in record.fields if pair[0] != name))


def _with_less(value: Value) -> Iterator[Value]:
    """Yield the value without one of its parts: a field of a record, or a field of an element of a list.

    Of a long list first without a field of all its elements.
    """
    if isinstance(value, RecordValue):
        for name, held in value.fields:
            yield _without(value, name)
            for less in _with_less(held):
                fields = (
                    (field_name, less if field_name == name else field_value)
                    for field_name, field_value in value.fields
                )
                yield replace(value, fields=tuple(fields))
    elif isinstance(value, tuple):
        if len(value) > _FEW_ELEMENTS and all(isinstance(item, RecordValue) for item in value):
            records = cast("tuple[RecordValue, ...]", value)
            names = dict.fromkeys(name for record in records for name, _ in record.fields)
            yield from (tuple(_without(record, name) for record in records) for name in names)
        for place, item in enumerate(value):
            for less in _with_less(item):
                assert isinstance(less, RecordValue)
                element: Element = less
                yield (*value[:place], element, *value[place + 1 :])
