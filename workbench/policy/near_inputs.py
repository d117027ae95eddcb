"""Evaluation of many inputs that differ from each other in few arguments.

Shrinking an input and leaving out parts of it try hundreds of neighbours of one input. A rule takes few of
the arguments. So for most neighbours its result is known and is not computed again.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress

from workbench.model import Arguments, Value
from workbench.policy.evaluate import normalised
from workbench.policy.flat.traverse import free_names
from workbench.policy.terms import And, Not, Or, Term

type World = Mapping[str, Value]

_MOST_TERMS = 4096
_MOST_ANSWERS = 20_000
_names: dict[int, tuple[Term, tuple[str, ...]]] = {}


class StoredAnswer[Answer]:
    """A function of the named arguments with stored answers.

    Values are compared by identity, so they are kept with their answer.
    """

    def __init__(self, names: Iterable[str], function: Callable[[World], Answer]) -> None:
        """Take the names, and the function; it gets the named arguments that an input has."""
        self.names = tuple(names)
        self._function = function
        self._known: dict[tuple[int, ...], tuple[tuple[object, ...], Answer]] = {}

    def __call__(self, arguments: World) -> Answer:
        """The answer for an input; the function is called if these values are new."""
        values = tuple([arguments.get(name, _ABSENT) for name in self.names])
        key = tuple(map(id, values))
        known_answer = self._known.get(key)
        if known_answer is None:
            if len(self._known) >= _MOST_ANSWERS:
                self._known.clear()
            own_arguments = {name: arguments[name] for name in self.names if name in arguments}
            known_answer = self._known[key] = values, self._function(own_arguments)
        return known_answer[1]


_ABSENT = object()


def names_of(term: Term) -> tuple[str, ...]:
    """The arguments that a term mentions, remembered by the identity of the term."""
    known_names = _names.get(id(term))
    if known_names is None or known_names[0] is not term:
        if len(_names) >= _MOST_TERMS:
            _names.clear()
        known_names = _names[id(term)] = term, tuple(sorted(free_names(term)))
    return known_names[1]


def of_term[Answer](term: Term, function: Callable[[World], Answer]) -> StoredAnswer[Answer]:
    """A function of the arguments that a term mentions, with stored answers."""
    return StoredAnswer(names_of(term), function)


def truth_of(term: Term, holds: Callable[[Term, World], bool]) -> Callable[[World], bool]:
    """A test of a boolean term, with stored answers for each part that “and”, “or” and “not” combine.

    A part takes fewer arguments than the whole, so it meets known values more often.
    """
    match term:
        case Not(operand):
            negated = truth_of(operand, holds)
            return lambda world: not negated(world)
        case And(operands):
            all_of = [truth_of(operand, holds) for operand in operands]
            return lambda world: all(part(world) for part in all_of)
        case Or(operands):
            any_of = [truth_of(operand, holds) for operand in operands]
            return lambda world: any(part(world) for part in any_of)
        case _:
            return of_term(term, lambda world: holds(term, world))


class LastInput[Answer]:
    """The answers of functions on the last input; the next input differs from it in few arguments."""

    def __init__(self, functions: Sequence[StoredAnswer[Answer]]) -> None:
        """Take functions of some arguments; none has an answer yet."""
        self._functions = functions
        self._answers: list[Answer | None] = [None] * len(functions)
        self._asking: dict[str, list[int]] = {}
        for position, function in enumerate(functions):
            for name in function.names:
                self._asking.setdefault(name, []).append(position)
        self._input: World = {}

    def go_to(self, arguments: World) -> None:
        """Go on to an input; functions that do not take a changed argument keep their answers."""
        before = self._input
        if before.keys() != arguments.keys():
            self._answers = [None] * len(self._functions)
        else:
            for name, value in arguments.items():
                if before[name] is not value:
                    for position in self._asking.get(name, ()):
                        self._answers[position] = None
        self._input = dict(arguments)

    def says(self, position: int) -> Answer:
        """The answer of the function at a position on the current input."""
        answer = self._answers[position]
        if answer is None:
            answer = self._answers[position] = self._functions[position](self._input)
        return answer


class Neighbour:
    """An input; the next one differs from it in few arguments."""

    def __init__(self, arguments: Arguments) -> None:
        """Take the input."""
        self._names, self._values = tuple(arguments), tuple(arguments.values())

    def changed(self, arguments: Arguments) -> Iterator[tuple[str, Value]] | None:
        """What another input has other objects for; None if it has other names, or in another order."""
        if tuple(arguments) != self._names:
            return None
        return compress(arguments.items(), map(operator.is_not, arguments.values(), self._values))


class ReadInputs:
    """Inputs as terms read them; equal values give the same object each time."""

    def __init__(self) -> None:
        """Start without known values."""
        self._known: dict[int, tuple[Value, Value]] = {}
        self._last = Neighbour({})
        self._read: Mapping[str, Value] = {}

    def __call__(self, arguments: Arguments) -> dict[str, Value]:
        """The arguments with every datetime in UTC."""
        changed = self._last.changed(arguments)
        utc_values: dict[str, Value] = {} if changed is None else {**self._read}
        for name, value in arguments.items() if changed is None else changed:
            known_value = self._known.get(id(value))
            if known_value is None:
                known_value = self._known[id(value)] = value, normalised(value)
            utc_values[name] = known_value[1]
        self._last, self._read = Neighbour(arguments), utc_values
        return utc_values
