"""Checks that a model's expression is a term of the dialect, or says why not.

The checker of the dialect reads the text; nothing is run.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from workbench.model import Argument
from workbench.policy.check import check_condition
from workbench.policy.problems import PolicyError
from workbench.policy.terms import ConstantSet, Parameter, Term

_MOST_PROBLEMS = 6


class NotAnExpression(ValueError):
    """The text is not one expression of the dialect; the message is for the model."""


def read_expression(text: str, arguments: Sequence[Argument], lists: Mapping[str, Sequence[str]]) -> Term:
    """The term of a condition over the arguments, which may name ``lists``.

    Raises NotAnExpression.
    """
    parameters = [Parameter(argument.name, argument.type) for argument in arguments]
    sets = [ConstantSet(tuple(values), name) for name, values in lists.items()]
    try:
        return check_condition(rewritten(text), parameters, sets)
    except PolicyError as error:
        problems = (
            f"{problem.message} {problem.instead}".strip() for problem in error.problems[:_MOST_PROBLEMS]
        )
        raise NotAnExpression(f"{' '.join(problems)} (in: {text[:160]})") from None


def rewritten(text: str) -> str:
    """The expression written anew from its syntax tree, without comments and layout.

    Raises NotAnExpression.
    """
    try:
        return ast.unparse(ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else "it cannot be read"
        raise NotAnExpression(f"{text[:120]!r} is not a Python expression: {reason}.") from None
    except (RecursionError, MemoryError):
        raise NotAnExpression("The expression is nested too deeply; write it more simply.") from None


def line(text: str) -> str:
    """A model's sentence on one line, without control characters for terminals and editors."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
