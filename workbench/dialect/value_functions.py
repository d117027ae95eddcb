"""Functions of values that a policy of calls may use, each declared here and nowhere else.

They are evaluated when a call is read; for the engines their value is an argument of any value. The
name, the types and the meaning are those of Python, so that an editor knows them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from workbench.model import ArgumentType, Kind, Scalar
from workbench.policy.types import STR

type Compute = Callable[[Sequence[Scalar]], Scalar]


@dataclass(frozen=True, slots=True)
class ValueFunction:
    """A method of a value of one of the types ``of``, and of further values that are constants.

    ``meaning`` completes "the value is".
    """

    name: str
    of: tuple[Kind, ...]
    result: ArgumentType
    meaning: str
    compute: Compute
    parameters: tuple[ArgumentType, ...] = ()

    def written(self, operands: Sequence[str]) -> str:
        """The text of the function of operands."""
        first, *others = operands
        return f"{first}.{self.name}({', '.join(others)})"


def _text(values: Sequence[Scalar]) -> tuple[str, ...]:
    return tuple(cast("str", value) for value in values)


def _of_texts(compute: Callable[..., str]) -> Compute:
    return lambda values: compute(*_text(values))


FUNCTIONS: Mapping[str, ValueFunction] = {
    one.name: one
    for one in (
        ValueFunction(
            "removeprefix",
            (Kind.STR, Kind.ENUM),
            STR,
            "the text without this beginning, if it has it",
            _of_texts(str.removeprefix),
            parameters=(STR,),
        ),
        ValueFunction(
            "removesuffix",
            (Kind.STR, Kind.ENUM),
            STR,
            "the text without this end, if it has it",
            _of_texts(str.removesuffix),
            parameters=(STR,),
        ),
        ValueFunction("lower", (Kind.STR, Kind.ENUM), STR, "the text in small letters", _of_texts(str.lower)),
        ValueFunction(
            "strip", (Kind.STR, Kind.ENUM), STR, "the text without blanks at its ends", _of_texts(str.strip)
        ),
    )
}
"""The functions by name."""
