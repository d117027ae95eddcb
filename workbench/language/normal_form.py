"""One form for rules that differ only in how a condition is put: two with one form decide alike.

Negations stand at single conditions, ``all`` is said with ``any``, comparisons have one direction, and the
parts of ``and`` and ``or`` one order. That two forms differ says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from workbench.language.trees import FALSE, TRUE, Tree, canonical, is_tree, joined

_NEGATED = {
    "<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "in": "not in", "not in": "in",
    "is none": "is some", "is some": "is none",
}  # fmt: skip
_SWAPPED = {">": "<", ">=": "<="}


def normal(tree: Tree) -> Tree:
    """The form of a rule or condition that all have which say the same in another order or by a negation."""
    match canonical(tree):
        case ("call", "forbid" | "ask" | "permit" | "ensure" | "require" as form, condition, *tools):
            return ("call", form, _condition(condition), *sorted(tools))
        case other:
            return _condition(other)


def is_settled(form: Tree) -> bool:
    """Whether a part of a normal form never holds, or always does, by what its parts say of one value."""
    match form:
        case ("and" | "or" as word, *parts):
            every = parts if word == "and" else [_condition(part, holds=False) for part in parts]
            if any(all(_excluded(one, every) for one in _either(part)) for part in every):
                return True
        case ("in" | "not in", ("attr", ("attr", *value), _), ("attr", ("attr", *other), _)):
            return value == other
        case _:
            pass
    return any(is_settled(part) for part in form[1:] if is_tree(part))


def _either(part: Tree) -> Sequence[Tree]:
    return part[1:] if part[0] == "or" else (part,)


def _excluded(one: Tree, parts: Iterable[Tree]) -> bool:
    """Whether a condition cannot hold where these do."""
    return any(_exclude(one, other) for part in parts for other in _alone(part))


def _alone(part: Tree) -> Sequence[Tree]:
    return () if part[0] == "or" else (part,)


def _exclude(one: Tree, other: Tree) -> bool:
    """Whether no value is as both conditions say."""
    if _condition(one, holds=False) == other or _in_two_folders(one, other):
        return True
    first, second = _range(one), _range(other)
    if first is None or second is None or first[0] != second[0]:
        return False
    try:
        return _apart(first[1:], second[1:]) or _apart(second[1:], first[1:])
    except TypeError:
        return False


def _in_two_folders(one: Tree, other: Tree) -> bool:
    """Whether a path is said to lie in two folders of which none lies in the other, or to be one of them."""
    first, second = _folder(one), _folder(other)
    if first is None or second is None or first[0] != second[0] or "==" == one[0] == other[0]:
        return False
    return not first[1].startswith(second[1]) and not second[1].startswith(first[1])


def _folder(condition: Tree) -> tuple[Tree, str] | None:
    """The path that lies in a folder, or is one, with the folder's full name and a slash."""
    match condition:
        case (
            ("in", ("lit", "text", str(folder)), ("attr", path, "inside"))
            | ("==", path, ("lit", "text", str(folder)))
            | ("==", ("lit", "text", str(folder)), path)
        ) if is_tree(path) and folder.startswith("/"):
            return path, f"{folder}/"
        case _:
            return None


def _apart(below: Sequence[Any], above: Sequence[Any]) -> bool:
    """Whether all values of a range are below those of another: each its ends, and whether it has them."""
    _, high, closed = below
    low, _, has_low = above
    if high is None or low is None:
        return False
    return high < low or (high == low and not (closed and has_low))


def _range(tree: Tree) -> tuple[Tree, Any, Any, bool] | None:
    """The value that is compared with a constant, and between which ends it lies."""
    match tree:
        case ("==" | "<" | "<=" | ">" | ">=" as operator, left, right) if "lit" in (left[0], right[0]):
            value, (_, _, end) = (left, right) if right[0] == "lit" else (right, left)
            low = None if operator in ("<", "<=") else end
            high = None if operator in (">", ">=") else end
            return value, low, high, operator not in ("<", ">")
        case _:
            return None


def _condition(tree: Tree, *, holds: bool = True) -> Tree:
    match tree:
        case ("not", inner):
            return _condition(inner, holds=not holds)
        case ("and" | "or" as word, *parts):
            own = word if holds else {"and": "or", "or": "and"}[word]
            return _ordered(joined(own, [_condition(part, holds=holds) for part in parts]))
        case ("if", test, then, otherwise):
            either: Tree = ("or", ("and", test, then), ("and", ("not", test), otherwise))
            return _condition(either, holds=holds)
        case ("call", "Implies", first, second):
            return _condition(("or", ("not", first), second), holds=holds)
        case ("call", "all" | "any" as word, each) if each[0] == "gen":
            return _quantified(word, each, holds=holds)
        case ("in" | "not in" as operator, value, ("set", *values)):
            every: Tree = ("or", *(("==", value, one) for one in values))
            return _condition(every, holds=holds == (operator == "in"))
        case (str(operator), left, right) if operator in _NEGATED:
            return _compared(operator if holds else _NEGATED[operator], _value(left), _value(right))
        case ("is none" | "is some" as operator, value):
            return (operator if holds else _NEGATED[operator], _value(value))
        case ("lit", "bool", value):
            return ("lit", "bool", bool(value) == holds)
        case _:
            return _value(tree) if holds else ("not", _value(tree))


def _quantified(word: str, each: Tree, *, holds: bool) -> Tree:
    """``any`` and ``all``, both said with ``any``."""
    _, variable, element, elements, condition = each
    if word == "all":
        element, holds = ("not", element), not holds
    body = _condition(joined("and", [one for one in (condition, element) if one != TRUE]))
    found: Tree = ("call", "any", ("gen", variable, body, _value(elements), TRUE))
    return found if holds else ("not", found)


def _ordered(tree: Tree) -> Tree:
    """The parts of ``and`` and ``or`` once each, in one order, without those that settle nothing."""
    if tree[0] not in ("and", "or"):
        return tree
    settled = FALSE if tree[0] == "and" else TRUE
    parts = [one for one in dict.fromkeys(tree[1:]) if one not in (TRUE, FALSE)]
    return settled if settled in tree[1:] else joined(tree[0], sorted(parts, key=repr))


def _compared(operator: str, left: Tree, right: Tree) -> Tree:
    if left[0] == "lit" and right[0] != "lit" and operator not in ("in", "not in"):
        left, right = right, left
        operator = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(operator, operator)
    if left[0] == "+" and right[:2] == ("lit", "number"):
        more = [part for part in left[1:] if part[:2] == ("lit", "number")]
        counts = [part for part in left[1:] if _is_count(part)]
        if len(more) == len(counts) == 1:  # "with this one, at least two"
            left, right = counts[0], ("lit", "number", right[2] - more[0][2])
    if _is_count(left) and right[:2] == ("lit", "number"):
        return _counted(operator, left, right[2])
    if left[0] == "attr" and left[2] == "weekday" and right[:2] == ("lit", "number"):
        return _on_days(operator, left, right[2])
    if operator in ("==", "!="):
        return (operator, *sorted((left, right), key=repr))
    if operator in _SWAPPED and right[0] != "lit":
        return (_SWAPPED[operator], right, left)
    return (operator, left, right)


def _on_days(operator: str, day: Tree, number: Decimal) -> Tree:
    """A comparison of a day of the week, as one of the days for which it holds."""
    held = [one for one in _DAYS if _HOLDS[operator](one, number)]
    if len(held) in (0, len(_DAYS)):
        return TRUE if held else FALSE
    return _ordered(
        joined("or", [("==", *sorted((day, ("lit", "number", Decimal(one))), key=repr)) for one in held])
    )


_DAYS = range(1, 8)
_HOLDS = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


def _is_count(tree: Tree) -> bool:
    match tree:
        case ("call", "len", _):
            return True
        case ("call", "sum", ("gen", _, ("lit", "number", one), _, _)):
            return one == Decimal(1)
        case _:
            return False


def _counted(operator: str, count: Tree, number: Decimal) -> Tree:
    """A comparison of a number of things, which is whole and not negative."""
    if operator == ">":
        operator, number = ">=", number + 1
    if operator == "<=":
        operator, number = "<", number + 1
    if operator in ("==", "!=") and number == 0:
        operator, number = ("<" if operator == "==" else ">="), Decimal(1)
    match count:
        case ("call", "sum", ("gen", variable, _, elements, condition)) if number == 1 and operator in (
            "<",
            ">=",
        ):
            some: Tree = ("call", "any", ("gen", variable, condition, elements, TRUE))
            return some if operator == ">=" else ("not", some)
        case _:
            return (operator, count, ("lit", "number", number))


def _value(tree: Tree) -> Tree:
    match tree:
        case ("lit", *_) | ("name", _):
            return tree
        case ("gen" | "setof" as form, variable, element, elements, condition):
            return (form, variable, _condition(element), _value(elements), _condition(condition))
        case ("set", *parts):
            return ("set", *sorted((_value(part) for part in parts), key=repr))
        case ("+" | "*" as operator, left, right):
            return (operator, *sorted((_value(left), _value(right)), key=repr))
        case _:
            return tuple(_value(part) if is_tree(part) else part for part in tree)
