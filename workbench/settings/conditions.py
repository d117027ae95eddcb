"""Whether a condition over the arguments of a call ever holds, and whether it holds wherever another does.

A condition compares arguments with literals. So the literals themselves, one value between any two of them
and one beside them all stand for every value, and the conditions are tried on these. A member that a call
does not have is an error where it is read, and a policy with an error is not about the call.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from math import prod

from workbench.settings.rules import ArgumentCondition

type _Value = str | int | bool
type _Case = Mapping[str, _Value]
_MOST_CASES = 4_000
_COMPARED: Mapping[type[ast.cmpop], Callable[[_Value, _Value], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def never_holds(condition: ArgumentCondition) -> bool:
    """Whether it is known that no call fulfils the condition."""
    cases = _cases(condition)
    return cases is not None and not any(_holds(condition, case) for case in cases)


def implies(narrow: ArgumentCondition, wide: ArgumentCondition) -> bool:
    """Whether it is known that the one condition holds only where the other does."""
    cases = _cases(narrow, wide)
    return cases is not None and all(_holds(wide, case) for case in cases if _holds(narrow, case))


def _cases(*conditions: ArgumentCondition) -> Iterator[_Case] | None:
    """A case for each combination of values that the conditions tell apart; None if there are too many."""
    literals: dict[str, set[_Value]] = {}
    for condition in conditions:
        for node in ast.walk(_tree(condition.expression)):
            match node:
                case ast.Compare(left=ast.Attribute(attr=name), comparators=[right]):
                    literals.setdefault(name, set()).add(_literal(right))
                case ast.Attribute(attr=name):
                    literals.setdefault(name, set())
                case _:
                    pass
    values = {name: _told_apart(compared) for name, compared in literals.items()}
    if prod(len(of_one) + 1 for of_one in values.values()) > _MOST_CASES:
        return None
    every = product(*([(name, value) for value in (None, *of_one)] for name, of_one in values.items()))
    return ({name: value for name, value in case if value is not None} for case in every)


def _told_apart(literals: set[_Value]) -> list[_Value]:
    """Values that stand for all of an argument that is compared with these; without any, a truth value."""
    texts = sorted(value for value in literals if isinstance(value, str))
    numbers = sorted(value for value in literals if not isinstance(value, str))
    if texts:
        return ["", *(text + end for text in texts for end in ("", "\0"))]
    return sorted({number + step for number in numbers for step in (-1, 0, 1)}) or [False, True]


def _literal(node: ast.expr) -> _Value:
    value: object = ast.literal_eval(node)
    if not isinstance(value, str | int):
        raise TypeError(f"{ast.unparse(node)} is no literal of a condition.")
    return value


@lru_cache(maxsize=4_096)
def _tree(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


def _holds(condition: ArgumentCondition, case: _Case) -> bool:
    try:
        return _value(_tree(condition.expression), case)
    except KeyError:
        return False


def _value(node: ast.expr, case: _Case) -> bool:
    match node:
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value(part, case) for part in parts)
        case ast.BoolOp(values=parts):
            return any(_value(part, case) for part in parts)
        case ast.UnaryOp(operand=part):
            return not _value(part, case)
        case ast.Attribute(attr=name):
            return bool(case[name])
        case ast.Compare(left=ast.Attribute(attr=name), ops=[sign], comparators=[right]):
            return _COMPARED[type(sign)](case[name], _literal(right))
        case _:
            raise TypeError(f"{ast.unparse(node)} is no condition over arguments.")
