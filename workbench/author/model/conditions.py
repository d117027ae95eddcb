"""Translation of the tests in a model's reply to a condition of the dialect, and to words.

Everything here is done by code: a model says which argument is compared with which value; how that
is written, negated and read aloud is not left to it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal

from workbench.author.model.expressions import NotAnExpression, clean
from workbench.model import Argument, Json, Kind, Value
from workbench.policy.literals import literal

type Lists = Mapping[str, tuple[str, ...]]

_ORDER = {"less than": "<", "at most": "<=", "exactly": "==", "at least": ">=", "more than": ">", "not": "!="}
_TIMES = {"before": "<", "until": "<=", "exactly": "==", "from": ">=", "after": ">"}
_SYMBOLS = {
    "<": "less than",
    "<=": "at most",
    "==": "exactly",
    ">=": "at least",
    ">": "more than",
    "!=": "not",
}
_TEXTS = {
    "one of": ("{name} == {value}", " or "),
    "none of": ("{name} != {value}", " and "),
    "starts with": ("{name}.startswith({value})", " or "),
    "ends with": ("{name}.endswith({value})", " or "),
    "contains": ("{value} in {name}", " or "),
    "does not contain": ("{value} not in {name}", " and "),
}
_SETS = {
    "all in": "all(element in {of} for element in {name})",
    "any in": "any(element in {of} for element in {name})",
    "any not in": "any(element not in {of} for element in {name})",
    "none in": "all(element not in {of} for element in {name})",
}


@dataclass(frozen=True, slots=True)
class ReplyCondition:
    """A condition: its text in the dialect, its words, the lists that it names, the values it compares with.

    An empty text always holds.
    """

    text: str
    words: str
    lists: Lists = field(default_factory=dict[str, tuple[str, ...]])
    values: tuple[tuple[str, str], ...] = ()


def lowered(tests: Sequence[Json], arguments: Sequence[Argument], lists: Lists, name: str) -> ReplyCondition:
    """The condition that all tests hold; longer lists get a constant called like ``name``.

    Raises NotAnExpression where an expression is none.
    """
    known = {argument.name: argument for argument in arguments}
    parts = [_lowered(test, known, lists, name) for test in tests if isinstance(test, dict)]
    return joined(parts, "and")


def joined(parts: Sequence[ReplyCondition], word: str) -> ReplyCondition:
    """The parts joined by ``and`` or ``or``."""
    texts = [part.text for part in parts if part.text]
    merged: dict[str, tuple[str, ...]] = {}
    for part in parts:
        merged.update(part.lists)
    return ReplyCondition(
        clean(f" {word} ".join(f"({text})" for text in texts)) if texts else "",
        f" {word} ".join(part.words for part in parts if part.words),
        merged,
        tuple(dict.fromkeys(value for part in parts for value in part.values)),
    )


def negated(condition: ReplyCondition) -> ReplyCondition:
    """The condition under which the given one does not hold."""
    return ReplyCondition(
        clean(_denied(ast.parse(condition.text or "True", mode="eval").body)),
        f"not ({condition.words})",
        condition.lists,
        condition.values,
    )


_INVERSE: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


def _denied(node: ast.expr) -> str:
    """The negation as a person would write it: it stands at the comparisons."""
    match node:
        case ast.BoolOp(operator, values):
            word = " or " if isinstance(operator, ast.And) else " and "
            return word.join(f"({_denied(value)})" for value in values)
        case ast.UnaryOp(ast.Not(), operand):
            return ast.unparse(operand)
        case ast.Compare(left, [operator], [right]):
            return ast.unparse(ast.Compare(left, [_INVERSE[type(operator)]()], [right]))
        case ast.Call(
            ast.Name("all" | "any" as word), [ast.GeneratorExp(test, [ast.comprehension() as each])]
        ):
            other = "any" if word == "all" else "all"
            return f"{other}({_denied(test)} for {ast.unparse(each.target)} in {ast.unparse(each.iter)})"
        case _:
            return f"not ({ast.unparse(node)})"


# --- one test ---------------------------------------------------------------------


def _lowered(
    test: Mapping[str, Json], known: Mapping[str, Argument], lists: Lists, name: str
) -> ReplyCondition:
    if "expression" in test:
        return _expression(test)
    argument = known[str(test["argument"])]
    said = test["is"]
    if said == "unknown":
        return ReplyCondition(f"{argument.name} is None", f"{argument.name} is not known")
    found = _known(argument, said, test, lists, name)
    if not argument.type.optional:
        return found
    text = f"{argument.name} is not None and ({found.text})"
    return ReplyCondition(text, found.words, found.lists, found.values)


def _expression(test: Mapping[str, Json]) -> ReplyCondition:
    text = str(test["expression"])
    if not text.strip():
        raise NotAnExpression("An expression needs its text.")
    given = test.get("lists")
    lists: dict[str, tuple[str, ...]] = {}
    for one in given if isinstance(given, list) else ():
        if isinstance(one, dict) and isinstance(values := one.get("values"), list):
            lists[str(one["name"])] = tuple(dict.fromkeys(map(str, values)))
    cleaned = clean(text)
    return ReplyCondition(cleaned, cleaned, lists)


def _known(
    argument: Argument, said: Json, test: Mapping[str, Json], lists: Lists, name: str
) -> ReplyCondition:
    """The test of an argument that has a value."""
    of = argument.name
    match argument.type.kind:
        case Kind.BOOL:
            return ReplyCondition(
                of if said is True else f"not {of}", f"{of} is {'true' if said is True else 'false'}"
            )
        case Kind.SET:
            return _of_set(argument, str(said), test.get("values"), lists, name)
        case Kind.ENUM | Kind.STR:
            return _of_texts(of, str(said), test.get("values"))
        case kind:
            symbol = (_ORDER if kind in (Kind.INT, Kind.DECIMAL) else _TIMES)[str(said)]
            value = _constant(kind, test.get("value"))
            return ReplyCondition(f"{of} {symbol} {literal(value)}", f"{of} is {said} {value}")


def _of_texts(of: str, said: str, given: Json) -> ReplyCondition:
    values = tuple(dict.fromkeys(map(str, given))) if isinstance(given, list) else ()
    form, word = _TEXTS[said]
    text = word.join(f"({form.format(name=of, value=literal(value))})" for value in values)
    if said in ("one of", "none of") and len(values) > 1:
        text = f"{of} {'in' if said == 'one of' else 'not in'} {{{', '.join(map(literal, values))}}}"
    shown = " or ".join(values)
    verb = {"one of": "is", "none of": "is not"}.get(said, said)
    return ReplyCondition(text, f"{of} {verb} {shown}", {}, tuple((of, value) for value in values))


def _of_set(argument: Argument, said: str, given: Json, lists: Lists, name: str) -> ReplyCondition:
    if isinstance(given, str):
        values, shown = lists[given], f"what is listed ({len(lists[given])})"
    else:
        values = tuple(dict.fromkeys(map(str, given))) if isinstance(given, list) else ()
        shown = ", ".join(values[:4]) + ("..." if len(values) > 4 else "")
    text = _SETS[said].format(of=name, name=argument.name)
    found = () if isinstance(given, str) else tuple((argument.name, value) for value in values)
    words = {
        "all in": f"all {argument.name} are among {shown}",
        "any in": f"one of {argument.name} is among {shown}",
        "any not in": f"one of {argument.name} is not among {shown}",
        "none in": f"none of {argument.name} is among {shown}",
    }
    return ReplyCondition(text, words[said], {name: values}, found)


def _constant(kind: Kind, given: Json) -> Value:
    """The value in the argument's type; raises NotAnExpression for a date that does not exist."""
    try:
        match kind:
            case Kind.INT:
                return int(str(given))
            case Kind.DECIMAL:
                return Decimal(str(given))
            case Kind.DATE:
                return date.fromisoformat(str(given))
            case Kind.TIME:
                return time.fromisoformat(str(given))
            case _:
                return datetime.fromisoformat(str(given))
    except (ValueError, ArithmeticError):
        raise NotAnExpression(f"{given!r} is no {kind}.") from None


def test_of(name: str, symbol: str, value: str, argument: Argument) -> Mapping[str, Json] | None:
    """The test that ``name symbol value`` is, as a request may write it; None if it is none."""
    match argument.type.kind:
        case Kind.BOOL if value.lower() in ("true", "false") and symbol in ("==", "!=", "="):
            return {"argument": name, "is": (value.lower() == "true") is (symbol != "!=")}
        case Kind.INT if value.lstrip("-").isdigit() and symbol in _SYMBOLS:
            return {"argument": name, "is": _SYMBOLS[symbol], "value": int(value)}
        case Kind.ENUM if value in argument.type.values and symbol in ("==", "!=", "="):
            return {"argument": name, "is": "none of" if symbol == "!=" else "one of", "values": [value]}
        case _:
            return None
