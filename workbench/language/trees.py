"""Expressions of a policy of calls as trees of tuples, which the grammar matches and builds.

A tree is a tuple whose first member says what it is: ``("attr", base, "total")``, ``(">", left, right)``,
``("and", ...)``, ``("gen", variable, element, elements, condition)``. Trees are hashable and compare by
value; the text of the dialect is on one side of them, and a sentence on the other.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TypeGuard

from workbench.dialect.run_values import AS_OF, GATHERING
from workbench.model import WorkbenchError
from workbench.policy.layout import line_of
from workbench.policy.literals import literal

type Tree = tuple[Any, ...]

TRUE: Tree = ("lit", "bool", True)
FALSE: Tree = ("lit", "bool", False)
CALL: Tree = ("name", "call")
RUN: Tree = ("name", "run")
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
"""What a comparison says with its sides exchanged: a value that is written out stands on the right."""
_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%",
}  # fmt: skip
_COMPARING = {text: operator for operator, text in _COMPARISONS.items()}
_COMPUTING = {text: operator for operator, text in _OPERATIONS.items()}
_MAKERS: dict[str, tuple[str, type]] = {
    "timedelta": ("dur", timedelta), "date": ("date", date), "time": ("clock", time),
    "datetime": ("moment", datetime),
}  # fmt: skip


def is_tree(value: object) -> TypeGuard[Tree]:
    """Whether a part of a tree is a tree itself, not a name or a value."""
    return isinstance(value, tuple)


def as_tree(value: object) -> Tree:
    """What is known to be a tree."""
    if not is_tree(value):
        raise TypeError(f"{value!r} is no tree")
    return value


class NotInLanguage(WorkbenchError):
    """Raised for what the grammar has no words for; the rule is read in Python then."""


def tree_of(node: ast.expr, names: Mapping[str, Tree] | None = None) -> Tree:
    """The tree of an expression; ``names`` are the trees of local names, parameters and constants."""
    return _Reader(names or {}).tree(node)


def body_of(function: ast.FunctionDef, names: Mapping[str, Tree]) -> Tree:
    """What a function returns, as one tree: local names are filled in, and early returns are choices."""
    return _block(function.body, dict(names))


def _block(statements: Sequence[ast.stmt], names: dict[str, Tree]) -> Tree:
    for number, statement in enumerate(statements):
        match statement:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(targets=[ast.Name(name)], value=value):
                names[name] = tree_of(value, names)
            case ast.Return(value=value) if value is not None:
                return tree_of(value, names)
            case ast.If(test=test, body=body, orelse=otherwise):
                remaining = [*otherwise, *statements[number + 1 :]]
                then = _block([*body, *statements[number + 1 :]], dict(names))
                return ("if", tree_of(test, names), then, _block(remaining, dict(names)))
            case _:
                raise NotInLanguage(f"`{ast.unparse(statement)[:60]}` has no words.")
    raise NotInLanguage("A function that returns nothing has no words.")


class _Reader:
    def __init__(self, names: Mapping[str, Tree]) -> None:
        self.names = names

    def tree(self, node: ast.expr) -> Tree:  # noqa: C901, PLR0912 # one case for each form
        match node:
            case ast.Constant(value=value):
                return _constant(value)
            case ast.Name(name):
                return self.names.get(name, ("name", name))
            case ast.Attribute(value=value, attr=name):
                return ("attr", self.tree(value), name)
            case ast.BoolOp(op=op, values=values):
                return joined("and" if isinstance(op, ast.And) else "or", [self.tree(one) for one in values])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return negated(self.tree(operand))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return _minus(self.tree(operand))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
                return (_OPERATIONS[type(op)], self.tree(left), self.tree(right))
            case ast.Compare(left=left, ops=operators, comparators=others):
                return self._compared(left, operators, others)
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                return ("if", self.tree(test), self.tree(body), self.tree(otherwise))
            case ast.Set(elts=elements):
                return ("set", *map(self.tree, elements))
            case ast.Tuple(elts=elements):
                return ("tuple", *map(self.tree, elements))
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                return ("dict", *(("tuple", self.tree(key), self.tree(one)) for key, one in pairs if key))
            case ast.Subscript(value=table, slice=key):
                return ("index", self.tree(table), self.tree(key))
            case ast.GeneratorExp(elt=element, generators=[generator]):
                return self._generated("gen", element, generator)
            case ast.SetComp(elt=element, generators=[generator]):
                return self._generated("setof", element, generator)
            case ast.Call():
                return self._called(node)
            case _:
                raise NotInLanguage(f"`{ast.unparse(node)[:60]}` has no words.")

    def _compared(self, left: ast.expr, operators: list[ast.cmpop], others: list[ast.expr]) -> Tree:
        sides = [self.tree(left), *map(self.tree, others)]
        found: list[Tree] = []
        for operator, first, second in zip(operators, sides, sides[1:], strict=False):
            if isinstance(operator, ast.Is | ast.IsNot):
                found.append(("is none" if isinstance(operator, ast.Is) else "is some", first))
            elif second == ("set",) and first[0] != "setof" and isinstance(operator, ast.Eq | ast.NotEq):
                word = "==" if isinstance(operator, ast.Eq) else ">"
                found.append((word, ("call", "len", first), _constant(0)))  # lists have a count, too
            else:
                word = _COMPARISONS[type(operator)]
                is_turned = first[0] == "lit" and second[0] != "lit" and word in _TURNED
                found.append((_TURNED[word], second, first) if is_turned else (word, first, second))
        return joined("and", found)

    def _generated(self, form: str, element: ast.expr, generator: ast.comprehension) -> Tree:
        target = generator.target
        inner = {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}
        own = _Reader({name: tree for name, tree in self.names.items() if name not in inner})
        condition = joined("and", [own.tree(test) for test in generator.ifs])
        return (form, own.tree(target), own.tree(element), self.tree(generator.iter), condition)

    def _called(self, node: ast.Call) -> Tree:
        if isinstance(node.func, ast.Name):
            return self._function(node, node.func.id)
        if isinstance(node.func, ast.Attribute):
            operands = [self.tree(one) for one in node.args]
            is_many = bool(operands) and operands[0][0] == "method" and operands[0][2] == "earlier"
            if node.func.attr in ("since", "until", "last") and is_many:
                one: Tree = ("name", "c")
                operands[0] = ("gen", one, one, operands[0], TRUE)
            at: list[Tree] = [(AS_OF, self.tree(one.value)) for one in node.keywords if one.arg == AS_OF]
            if len(at) < len(node.keywords):
                raise NotInLanguage(f"`{ast.unparse(node)[:60]}` has no words.")
            return ("method", self.tree(node.func.value), node.func.attr, *operands, *at)
        raise NotInLanguage(f"`{ast.unparse(node)[:60]}` has no words.")

    def _function(self, node: ast.Call, name: str) -> Tree:
        """A call of a function by its name."""
        if name == "Decimal" and isinstance(node.args[0], ast.Constant):
            return ("lit", "dec", Decimal(str(node.args[0].value)))
        if name in _MAKERS:
            kind, make = _MAKERS[name]
            given = [_plain(self.tree(one)) for one in node.args]
            named = {one.arg or "": _plain(self.tree(one.value)) for one in node.keywords}
            return ("lit", kind, make(*given, **named))
        if name == "frozenset" and not node.args:
            return ("set",)
        if name == "isinstance":
            tested, classes = node.args
            return ("call", name, self.tree(tested), *(("name", one) for one in _names(classes)))
        operands = [self.tree(one) for one in node.args]
        if name == "sum" and operands and operands[0][0] == "gen":
            operands = operands[:1]  # a second is zero
            _, _, element, elements, condition = operands[0]
            if (element, condition) == (("lit", "int", 1), TRUE):
                return ("call", "len", elements)
        if name in GATHERING:
            return self._extreme(name, operands, node.keywords)
        return ("call", name, *operands)

    def _extreme(self, name: str, operands: Sequence[Tree], keywords: Sequence[ast.keyword]) -> Tree:
        """An extreme of elements, with the value where there is none, or of two values at a time."""
        given = [("given", self.tree(one.value)) for one in keywords if one.arg == "default"]
        if len(given) != len(keywords):
            raise NotInLanguage(f"`{name}` has words for values and a default only.")
        first, *others = operands
        for other in others:
            first = ("call", name, first, other)
        return first if others else ("call", name, first, *given)


def _names(classes: ast.expr) -> Sequence[str]:
    """The names in ``A``, ``A | B`` or ``(A, B)``."""
    return [one.id for one in ast.walk(classes) if isinstance(one, ast.Name)]


def joined(word: str, parts: Sequence[Tree]) -> Tree:
    """``and`` or ``or`` of trees; those of the same word in it are parts of it."""
    flat: list[Tree] = []
    for part in parts:
        flat.extend(part[1:] if part[0] == word else (part,))
    if not flat:
        return TRUE if word == "and" else FALSE
    return flat[0] if len(flat) == 1 else (word, *flat)


def negated(tree: Tree) -> Tree:
    """``not`` of a tree, as the dialect reads it: of a test for None or for a member it is another test."""
    other = {"in": "not in", "not in": "in", "is none": "is some", "is some": "is none"}
    return (other[tree[0]], *tree[1:]) if tree[0] in other else ("not", tree)


def _plain(tree: Tree) -> Any:
    if tree[0] != "lit":
        raise NotInLanguage("A time of parts that are no constants has no words.")
    return tree[2]


def _constant(value: object) -> Tree:
    kinds: dict[type, str] = {bool: "bool", int: "int", str: "text", type(None): "none"}
    kind = kinds.get(type(value))
    if kind is None:
        raise NotInLanguage(f"`{value!r}` has no words.")
    return ("lit", kind, value)


def _minus(tree: Tree) -> Tree:
    return ("lit", tree[1], -tree[2]) if tree[0] == "lit" and tree[1] in ("int", "dec") else ("neg", tree)


# --- the text of the dialect ------------------------------------------------------


def text_of(tree: Tree) -> str:
    """The expression of a tree, as the dialect writes it."""
    return line_of(node_of(tree))


def node_of(tree: Tree) -> ast.expr:  # noqa: C901, PLR0912 # one case for each form
    """The expression of a tree."""
    match tree:
        case ("lit", _, value):
            return ast.parse(literal(value) if value is not None else "None", mode="eval").body
        case ("name", str(name)):
            return ast.Name(name)
        case ("attr", base, str(name)):
            return ast.Attribute(node_of(base), name)
        case ("and" | "or" as word, *parts):
            return ast.BoolOp(ast.And() if word == "and" else ast.Or(), [node_of(part) for part in parts])
        case ("not", operand):  # written as it is read
            read = negated(operand)
            return ast.UnaryOp(ast.Not(), node_of(operand)) if read == tree else node_of(read)
        case ("neg", operand):
            return ast.UnaryOp(ast.USub(), node_of(operand))
        case ("is none" | "is some" as word, value):
            operator = ast.Is() if word == "is none" else ast.IsNot()
            return ast.Compare(node_of(value), [operator], [ast.Constant(None)])
        case (str(word), left, right) if word in _COMPARING:
            return ast.Compare(node_of(left), [_COMPARING[word]()], [node_of(right)])
        case (str(word), left, right) if word in _COMPUTING:
            return ast.BinOp(node_of(left), _COMPUTING[word](), node_of(right))
        case ("if", test, then, otherwise):
            return ast.IfExp(node_of(test), node_of(then), node_of(otherwise))
        case ("set",):
            return ast.Call(ast.Name("frozenset"), [], [])
        case ("set", *elements):
            return ast.Set([node_of(one) for one in elements])
        case ("tuple", *elements):
            return ast.Tuple([node_of(one) for one in elements])
        case ("dict", *rows):
            return ast.Dict([node_of(row[1]) for row in rows], [node_of(row[2]) for row in rows])
        case ("index", table, key):
            return ast.Subscript(node_of(table), node_of(key))
        case ("gen" | "setof" as form, variable, element, elements, condition):
            tests = [] if condition == TRUE else [node_of(condition)]
            clause = ast.comprehension(node_of(variable), node_of(elements), tests, 0)
            made = ast.GeneratorExp if form == "gen" else ast.SetComp
            return made(node_of(element), [clause])
        case ("call", str(name), *operands, ("given", default)):
            keyword = ast.keyword("default", node_of(default))
            return ast.Call(ast.Name(name), [node_of(one) for one in operands], [keyword])
        case ("call", "isinstance", tested, first, *others):
            union = node_of(first)
            for one in others:
                union = ast.BinOp(union, ast.BitOr(), node_of(one))
            return ast.Call(ast.Name("isinstance"), [node_of(tested), union], [])
        case ("call", str(name), *operands):
            return ast.Call(ast.Name(name), [node_of(one) for one in operands], [])
        case ("method", base, str(name), *operands, (str(word), call)) if word == AS_OF:
            keyword = ast.keyword(AS_OF, node_of(call))
            method = ast.Attribute(node_of(base), name)
            return ast.Call(method, [node_of(one) for one in operands], [keyword])
        case ("method", base, str(name), *operands):
            return ast.Call(ast.Attribute(node_of(base), name), [node_of(one) for one in operands], [])
        case _:
            raise NotInLanguage(f"{tree!r:.80} is no expression.")


# --- one form for one meaning -----------------------------------------------------


def canonical(tree: Tree) -> Tree:
    """The tree with its elements named by their depth, and numbers by their value."""
    return _canonical(tree, {})


def _canonical(tree: Tree, names: Mapping[str, str]) -> Tree:
    match tree:
        case ("lit", "int" | "dec", value):
            return ("lit", "number", Decimal(value))
        case ("lit", *_):
            return tree
        case ("name", str(name)):
            return ("name", names.get(name, name))
        case ("gen" | "setof", variable, element, elements, condition):
            bound = [one[1] for one in (variable[1:] if variable[0] == "tuple" else (variable,))]
            inner = {**names, **{name: f"#{len(names) + number}" for number, name in enumerate(bound)}}
            own = (_canonical(part, inner) for part in (variable, element))
            return (tree[0], *own, _canonical(elements, names), _canonical(condition, inner))
        case ("and" | "or" as word, *parts):
            return joined(word, [_canonical(part, names) for part in parts])
        case _:
            return tuple(_canonical(part, names) if is_tree(part) else part for part in tree)


def with_instead(tree: Tree, old: Tree, new: Tree) -> Tree:
    """The tree with another part wherever a part is in it."""
    if tree == old:
        return new
    return tuple(with_instead(one, old, new) if is_tree(one) else one for one in tree)


def fields_of_call(tree: Tree) -> frozenset[str]:
    """The fields of the decided call that a tree reads."""
    match tree:
        case ("attr", base, str(name)) if base == CALL:
            return frozenset({name})
        case _:
            return frozenset[str]().union(*(fields_of_call(part) for part in tree if is_tree(part)))


def free_names(tree: Tree) -> frozenset[str]:
    """The names that a tree leaves free."""
    match tree:
        case ("lit", *_):
            return frozenset()
        case ("name", str(name)):
            return frozenset({name})
        case ("gen" | "setof", variable, element, elements, condition):
            inner = free_names(element) | free_names(condition)
            return (inner - free_names(variable)) | free_names(elements)
        case _:
            return frozenset[str]().union(*(free_names(part) for part in tree if is_tree(part)))
