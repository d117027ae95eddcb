"""Questions about many inputs that differ from each other in few arguments.

Shrinking an input, and leaving parts of it out, try hundreds of neighbours of one input. A rule takes few
of the arguments, so that of most neighbours it says what it said before, and is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from workbench.model import Arguments, Value
from workbench.policy.evaluate import normalised
from workbench.policy.flat.traverse import free_names
from workbench.policy.terms import Term

type World = Mapping[str, Value]


class Remembered[Answer]:
    """What a function says of the named arguments. Values go by identity, and are kept with the answer."""

    def __init__(self, names: Iterable[str], function: Callable[[World], Answer]) -> None:
        """``function`` is given those of the named arguments that an input has."""
        self._names = tuple(names)
        self._function = function
        self._known: dict[tuple[int, ...], tuple[tuple[object, ...], Answer]] = {}

    def __call__(self, arguments: World) -> Answer:
        """The answer for an input; the function is called where these values are new."""
        values = tuple([arguments.get(name, _ABSENT) for name in self._names])
        key = tuple(map(id, values))
        known = self._known.get(key)
        if known is None:
            taken = {name: arguments[name] for name in self._names if name in arguments}
            known = self._known[key] = values, self._function(taken)
        return known[1]


_ABSENT = object()


def of_term[Answer](term: Term, function: Callable[[World], Answer]) -> Remembered[Answer]:
    """A function of the arguments that a term mentions, remembered."""
    return Remembered(sorted(free_names(term)), function)


class Worlds:
    """Inputs as terms read them; the same value becomes the same one each time."""

    def __init__(self) -> None:
        """No value is known at first."""
        self._known: dict[int, tuple[Value, Value]] = {}

    def __call__(self, arguments: Arguments) -> dict[str, Value]:
        """The arguments with every datetime in UTC."""
        found: dict[str, Value] = {}
        for name, value in arguments.items():
            known = self._known.get(id(value))
            if known is None:
                known = self._known[id(value)] = value, normalised(value)
            found[name] = known[1]
        return found
