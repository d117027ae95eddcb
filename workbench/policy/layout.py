"""Layout of expressions: on one line if it fits, otherwise broken at the outermost operator."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import groupby

from workbench.policy.literals import literal

WIDTH = 100
_CHOICE, _OR, _AND, _NOT, _COMPARE, _BAR, _SUM, _PRODUCT, _NEGATIVE, _ATOM = range(10)
_BINARY: dict[type[ast.operator], tuple[str, int]] = {
    ast.BitOr: ("|", _BAR),
    ast.Add: ("+", _SUM),
    ast.Sub: ("-", _SUM),
    ast.Mult: ("*", _PRODUCT),
    ast.FloorDiv: ("//", _PRODUCT),
    ast.Mod: ("%", _PRODUCT),
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}


def line_of(node: ast.expr, least: int = _CHOICE) -> str:
    """An expression on one line, in brackets if its operator binds less tightly than ``least``."""
    text, strength = _flat(node)
    return text if strength >= least else f"({text})"


def _flat(node: ast.expr) -> tuple[str, int]:  # noqa: C901, PLR0912 # one case for each kind of expression
    match node:
        case ast.Name(id=name):
            return name, _ATOM
        case ast.Constant(value=str(value)):
            return literal(value), _ATOM
        case ast.BoolOp(op=op, values=values):
            word, strength = (" and ", _AND) if isinstance(op, ast.And) else (" or ", _OR)
            return word.join(line_of(value, strength + 1) for value in values), strength
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"not {line_of(operand, _NOT)}", _NOT
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"-{line_of(operand, _NEGATIVE)}", _NEGATIVE
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            sign, strength = _BINARY[type(op)]
            return f"{line_of(left, strength)} {sign} {line_of(right, strength + 1)}", strength
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            pairs = zip(ops, comparators, strict=True)
            comparisons_text = "".join(
                f" {_COMPARISONS[type(op)]} {line_of(comparator, _BAR)}" for op, comparator in pairs
            )
            return line_of(left, _BAR) + comparisons_text, _COMPARE
        case ast.IfExp(test=test, body=body, orelse=otherwise):
            return f"{line_of(body, _OR)} if {line_of(test, _OR)} else {line_of(otherwise)}", _CHOICE
        case ast.Call(func=function, args=[ast.GeneratorExp() as generator], keywords=[]):
            return f"{line_of(function, _ATOM)}({' '.join(_generator(generator))})", _ATOM
        case ast.Call(func=function, args=args, keywords=keywords):
            arguments = [line_of(argument) for argument in args] + [_keyword(keyword) for keyword in keywords]
            return f"{line_of(function, _ATOM)}({', '.join(arguments)})", _ATOM
        case ast.SetComp():
            return f"{{{' '.join(_generator(node))}}}", _ATOM
        case ast.Tuple(elts=members) if len(members) > 1:
            return f"({', '.join(line_of(member) for member in members)})", _ATOM
        case ast.Attribute(value=value, attr=name):
            return f"{line_of(value, _ATOM)}.{name}", _ATOM
        case ast.Subscript(value=value, slice=ast.Tuple(elts=members)):
            return f"{line_of(value, _ATOM)}[{', '.join(line_of(member) for member in members)}]", _ATOM
        case ast.Subscript(value=value, slice=index):
            return f"{line_of(value, _ATOM)}[{line_of(index)}]", _ATOM
        case ast.Set(elts=members):
            return f"{{{', '.join(line_of(member) for member in members)}}}", _ATOM
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            entries = (f"{line_of(key)}: {line_of(value)}" for key, value in pairs if key is not None)
            return f"{{{', '.join(entries)}}}", _ATOM
        case _:
            return ast.unparse(node), _ATOM if isinstance(node, ast.Constant) else _CHOICE


def _keyword(node: ast.keyword) -> str:
    return f"{node.arg}={line_of(node.value)}" if node.arg is not None else f"**{line_of(node.value)}"


def _generator(node: ast.GeneratorExp | ast.SetComp) -> list[str]:
    parts = [line_of(node.elt)]
    for clause in node.generators:
        parts.append(f"for {line_of(clause.target)} in {line_of(clause.iter, _OR)}")
        parts += [f"if {line_of(test, _OR)}" for test in clause.ifs]
    return parts


def fold(node: ast.expr, room: int, least: int = _CHOICE, inside: bool = False) -> list[str]:
    """An expression in lines of at most ``room`` columns, as far as possible.

    ``inside`` means that it is already in brackets of its own, where it may be broken.
    """
    flat, strength = _flat(node)
    text = flat if strength >= least else f"({flat})"
    if len(text) <= room:
        return [text]
    breaks = isinstance(node, ast.BoolOp | ast.BinOp | ast.Compare | ast.IfExp)
    if strength < least or (breaks and not inside):
        return ["(", *_indented(fold(node, room - 4, inside=True)), ")"]
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _after("not ", fold(operand, room - 4, _NOT))
        case ast.Call():
            return _call(node, room)
        case ast.SetComp():
            return ["{", *_indented(_folded(node, room)), "}"]
        case ast.Set(elts=members):
            return ["{", *_indented(_members(members, room - 4)), "}"]
        case ast.Subscript(value=value, slice=ast.Tuple(elts=members)):
            inner = filled([line_of(member) for member in members], room - 4)
            return [f"{line_of(value, _ATOM)}[", *_indented(inner), "]"]
        case ast.Dict():
            return _table(node, room)
        case _:
            return _joined(node, room) or [text]


def _members(members: list[ast.expr], room: int) -> list[str]:
    """The members of a set; qualified names are grouped by qualifier (table by table), each on a new line."""
    texts = [line_of(member) for member in members]
    qualified = all(isinstance(member, ast.Constant) and "." in str(member.value) for member in members)
    groups = [list(group) for _, group in groupby(texts, lambda text: text.partition(".")[0])]
    if not qualified or 2 * len(groups) > len(texts):
        return filled(texts, room)
    return [line for group in groups for line in filled(group, room)]


def _joined(node: ast.expr, room: int) -> list[str]:
    match node:
        case ast.BoolOp(op=op, values=values):
            word, strength = ("and ", _AND) if isinstance(op, ast.And) else ("or ", _OR)
            lines = fold(values[0], room, strength + 1, True)
            for value in values[1:]:
                lines += _after(word, fold(value, room - len(word), strength + 1, True))
            return lines
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            sign, strength = _BINARY[type(op)]
            word = f"{sign} "
            return [
                *fold(left, room, strength, True),
                *_after(word, fold(right, room - len(word), strength + 1, True)),
            ]
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            lines = fold(left, room, _BAR, True)
            for op, comparator in zip(ops, comparators, strict=True):
                word = f"{_COMPARISONS[type(op)]} "
                lines += _after(word, fold(comparator, room - len(word), _BAR, True))
            return lines
        case ast.IfExp(test=test, body=body, orelse=otherwise):
            lines = fold(body, room, _OR, True) + _after("if ", fold(test, room - 3, _OR, True))
            return lines + _after("else ", fold(otherwise, room - 5, _CHOICE, True))
        case _:
            return []


def _call(node: ast.Call, room: int) -> list[str]:
    lines: list[str] = []
    for argument in node.args:
        if isinstance(argument, ast.GeneratorExp):
            if len(node.args) + len(node.keywords) == 1:
                lines += _folded(argument, room)
            else:
                lines += ["(", *_indented(_folded(argument, room - 4)), "),"]
            continue
        lines += fold(argument, room - 5, _CHOICE, True)
        lines[-1] += ","
    lines += [f"{_keyword(keyword)}," for keyword in node.keywords]
    return [f"{line_of(node.func, _ATOM)}(", *_indented(lines), ")"]


def _folded(node: ast.GeneratorExp | ast.SetComp, room: int) -> list[str]:
    """A generator with each part on lines of its own."""
    lines = fold(node.elt, room - 4, _CHOICE, True)
    for clause in node.generators:
        head = f"for {line_of(clause.target)} in "
        lines += _after(head, fold(clause.iter, room - 4 - len(head), _OR, True))
        for test in clause.ifs:
            lines += _after("if ", fold(test, room - 7, _OR, True))
    return lines


def _table(node: ast.Dict, room: int) -> list[str]:
    lines: list[str] = []
    for key, value in zip(node.keys, node.values, strict=True):
        head = f"{line_of(key)}: " if key is not None else "**"
        entry = _after(head, fold(value, room - 5 - len(head)))
        entry[-1] += ","
        lines += entry
    return ["{", *_indented(lines), "}"]


def filled(parts: Sequence[str], room: int) -> list[str]:
    """Parts with commas, as many on each line as fit."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 2 <= room:
            lines[-1] += f" {part},"
        else:
            lines.append(f"{part},")
    return lines


def _after(head: str, lines: list[str]) -> list[str]:
    return [head + lines[0], *lines[1:]]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def statement(node: ast.stmt, room: int) -> list[str]:
    """A statement in lines of at most ``room`` columns, as far as possible."""
    match node:
        case ast.Return(value=value) if value is not None:
            return _after("return ", fold(value, room - 7))
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return _after(f"{name} = ", fold(value, room - len(name) - 3))
        case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=None):
            return _after(f"{name}: ", fold(kind, room - len(name) - 2))
        case ast.Expr(value=value):
            return fold(value, room)
        case _:
            return ast.unparse(node).split("\n")


def header(node: ast.FunctionDef) -> list[str]:
    """The ``def`` line of a function, broken by parameters if it is too long."""
    parameters = [
        f"{argument.arg}: {line_of(argument.annotation)}" if argument.annotation is not None else argument.arg
        for argument in node.args.args
    ]
    result = f" -> {line_of(node.returns)}:" if node.returns is not None else ":"
    text = f"def {node.name}({', '.join(parameters)}){result}"
    if len(text) <= WIDTH:
        return [text]
    return [f"def {node.name}(", *(f"    {parameter}," for parameter in parameters), f"){result}"]
