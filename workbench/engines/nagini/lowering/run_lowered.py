"""The lowered program run as plain Python, so that it can be compared with the policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast


@dataclass(slots=True)
class _Contract:
    """The truth of the pre- and postcondition of the function being run, and its result once it is known."""

    result: bool = False
    requires: bool = True
    ensures: bool = True


class _IntSet:
    """Replaces ``PSet`` in annotations."""

    def __class_getitem__(cls, item: object) -> type[_IntSet]:
        """``PSet[int]``."""
        return cls


def _pure(function: Callable[..., object]) -> Callable[..., object]:
    return function


def _implies(condition: bool, consequence: bool) -> bool:
    return not condition or consequence


class LoweredRun:
    """Runs the functions of one lowered program.

    Quantifiers over ints are tried on ``0..largest``, which covers every code: the program only quantifies
    over the elements of sets of codes.
    """

    def __init__(self, text: str, largest: int) -> None:
        self._contract = _Contract()
        codes = range(largest + 1)

        def forall(_: object, holds: Callable[[int], bool]) -> bool:
            return all(holds(code) for code in codes)

        self._names: dict[str, Any] = {
            "__builtins__": {"int": int, "bool": bool},
            "Pure": _pure,
            "PSet": _IntSet,
            "Forall": forall,
            "Implies": _implies,
            "Requires": self._requires,
            "Ensures": self._ensures,
            "Result": lambda: self._contract.result,
        }
        body = text.replace("from nagini_contracts.contracts import *", "", 1)
        exec(compile(body, "<lowered>", "exec"), self._names)  # noqa: S102 - written by lower() from checked terms

    def _requires(self, holds: bool) -> None:
        self._contract.requires = self._contract.requires and bool(holds)

    def _ensures(self, holds: bool) -> None:
        self._contract.ensures = self._contract.ensures and bool(holds)

    def call(self, function: str, values: Mapping[str, object]) -> bool:
        """The result of a function of the program."""
        self._contract = _Contract()
        run = cast("Callable[..., bool]", self._names[function])
        parameter_names = run.__code__.co_varnames[: run.__code__.co_argcount]
        return bool(run(**{name: values[name] for name in parameter_names}))

    def contract(self, function: str, values: Mapping[str, object]) -> tuple[bool, bool]:
        """Whether the preconditions and the postconditions of a function hold for a call."""
        result = self.call(function, values)
        self._contract = _Contract(result=result)
        run = cast("Callable[..., bool]", self._names[function])
        parameter_names = run.__code__.co_varnames[: run.__code__.co_argcount]
        run(**{name: values[name] for name in parameter_names})
        return self._contract.requires, self._contract.ensures
