"""Expressions of the dialect: from syntax to typed terms.

``+``, ``-``, ``*``, ``//`` and ``%``, of numbers and of times.

``any(...)`` and ``all(...)`` over a set or list.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from workbench.model import ArgumentType, Kind, Scalar
from workbench.policy.checker.aggregates import degree, looks_at_list, tested_body
from workbench.policy.checker.comparisons import compare
from workbench.policy.checker.constants import constant_set, is_literal, is_set, literal
from workbench.policy.checker.function_calls import call
from workbench.policy.checker.present_values import (
    condition,
    constant,
    element_is_free,
    is_collection,
    present,
    promoted,
    single_entries,
    unguarded,
)
from workbench.policy.checker.scope import File, Scope, Typed, TypedSet, present_if, suggestion
from workbench.policy.names import RESERVED, free_name
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Constant,
    ConstantSet,
    Elements,
    Lookup,
    Not,
    Or,
    Quantified,
    Quantifier,
    Table,
    TableEntry,
    Variable,
)
from workbench.policy.types import (
    BOOL,
    DURATION,
    a_type,
    comparable,
    holds_many,
    join,
    joined,
    of_value,
    set_element,
    show,
)
from workbench.policy.walk import bound_names, path_of, rename_bound, substituted

_LITERALS = (ast.Constant, ast.Call, ast.UnaryOp)
"""The expressions of which some are literals."""


def expression(node: ast.expr, scope: Scope, file: File) -> Typed | None:
    """The typed term of an expression; None, with a problem, if it has no meaning in the dialect."""
    if isinstance(node, _LITERALS) and is_literal(node):
        value = literal(node, file)
        return None if value is None else constant(value)
    reader = _READERS.get(type(node))
    if reader is not None:
        return reader(node, scope, file)
    description, instead = _FOREIGN.get(
        type(node), ("This expression", "Use the expressions of the dialect.")
    )
    file.say(node, f"{description} is not part of the dialect.", instead)
    return None


def _name(node: ast.Name, scope: Scope, file: File) -> Typed | None:
    meaning = scope.names.get(node.id)
    if isinstance(meaning, Typed):
        return known(meaning, scope, file)
    if node.id in file.constants:
        return constant(file.constants[node.id])
    if isinstance(meaning, TypedSet) or node.id in file.sets or node.id in file.tables:
        kind = "a table" if node.id in file.tables else "a set"
        kind = meaning.is_called if isinstance(meaning, TypedSet) else kind
        file.say(node, f"`{node.id}` is {kind}, not a single value.", "Use `in`, any(...) or all(...).")
        return None
    if node.id in file.enums:
        file.say(node, f"`{node.id}` is a type.", "Compare with one of its values.")
        return None
    unknown(node, scope, file)
    return None


def unknown(node: ast.Name, scope: Scope, file: File) -> None:
    """Report an unknown name, unless its definition has a problem of its own."""
    if node.id in scope.broken:
        return
    hint = suggestion(
        node.id, {*scope.names, *file.defined(), "any", "all", "len", "sum", "Implies", "Result"}
    )
    local = "" if node.id not in RESERVED else " here"
    file.say(
        node, f"`{node.id}` is not known{local}.", hint or "Name an argument, a constant or a local name."
    )


def known(typed: Typed, scope: Scope, file: File) -> Typed:
    """The value as a scope knows it: its bound variables apart from others, present where it was tested."""
    clash = scope.bound & bound_names(typed.term) if scope.bound and typed.size > 1 else frozenset[str]()
    if clash:
        taken_names = {*scope.names, *file.defined(), *bound_names(typed.term)}
        typed = replace(
            typed, term=rename_bound(typed.term, {name: free_name(name, taken_names) for name in clash})
        )
    if not typed.type.optional or not isinstance(typed.term, (Variable, Attribute)):
        return typed
    narrowed = file.lifted or path_of(typed.term) in scope.present
    return replace(typed, type=replace(typed.type, optional=False)) if narrowed else typed


def _field(node: ast.Attribute, scope: Scope, file: File) -> Typed | None:
    record_and_type = _of_record(node, scope, file)
    if record_and_type is None:
        return None
    record, kind = record_and_type
    if holds_many(kind):
        kind_name = "a set" if kind.kind is Kind.SET else "a list"
        file.say(node, f"`{ast.unparse(node)[:60]}` is {kind_name}, not a single value.",
                 "Use `in`, any(...) or all(...).")  # fmt: skip
        return None
    assert isinstance(record.term, Variable | Attribute)
    typed = file.typed(node, Attribute(record.term, node.attr, kind), kind, record)
    return None if typed is None else known(typed, scope, file)


def _logic(node: ast.BoolOp, scope: Scope, file: File) -> Typed | None:
    conjunction = isinstance(node.op, ast.And)
    parts: list[Typed | None] = []
    for value in node.values:
        part = condition(value, scope, file)
        parts.append(part)
        if part is not None:
            scope = scope.knowing(present_if(part.term, conjunction))
    typed_parts = [part for part in parts if part is not None]
    if len(typed_parts) < len(parts):
        return None
    operands = tuple(part.term for part in typed_parts)
    return file.typed(node, And(operands) if conjunction else Or(operands), BOOL, *typed_parts)


def _unary(node: ast.UnaryOp, scope: Scope, file: File) -> Typed | None:
    if isinstance(node.op, ast.Not):
        operand = condition(node.operand, scope, file)
        return None if operand is None else file.typed(node, Not(operand.term), BOOL, operand)
    if isinstance(node.op, ast.USub):
        operand = present(node, file.term(node.operand, scope), file)
        if operand is None:
            return None
        if operand.type.kind not in _NOTHING:
            file.say(
                node, f"{a_type(operand.type, first=True)} cannot be negated.", "Use `not` for conditions."
            )
            return None
        zero = Constant(_NOTHING[operand.type.kind])
        return file.typed(node, Arithmetic("-", zero, operand.term), operand.type, operand)
    file.say(node, "This operator is not part of the dialect.", "Use not, - and the comparisons.")
    return None


def _choice(node: ast.IfExp, scope: Scope, file: File) -> Typed | None:
    if any(isinstance(side, ast.Constant) and side.value is None for side in (node.body, node.orelse)):
        file.say(node, "A choice with None on one side is not in the dialect.",
                 "Write the test where the value is used, such as `test and value > 5`, "
                 "or choose another value.")  # fmt: skip
        return None
    test = condition(node.test, scope, file)
    yes = scope if test is None else scope.knowing(present_if(test.term, True))
    no = scope if test is None else scope.knowing(present_if(test.term, False))
    then = present(node.body, file.term(node.body, yes), file)
    otherwise = present(node.orelse, file.term(node.orelse, no), file)
    if test is None or then is None or otherwise is None:
        return None
    return chosen(node, test, then, otherwise, file)


def chosen(node: ast.AST, test: Typed, then: Typed, otherwise: Typed, file: File) -> Typed | None:
    """The choice between two values of one type."""
    then, otherwise = promoted(then, otherwise), promoted(otherwise, then)
    kind = join(then.type, otherwise.type)
    if kind is not None and kind.record is not None:
        file.say(node, "A choice cannot be a record.", "Choose between fields, or between conditions.")
        return None
    if kind is None:
        file.say(node, f"One branch is {a_type(then.type)} and the other {a_type(otherwise.type)}.",
                 "Give both branches one type.")  # fmt: skip
        return None
    return file.typed(node, Choice(test.term, then.term, otherwise.term), kind, test, then, otherwise)


def _entry(node: ast.Subscript, scope: Scope, file: File) -> Typed | None:
    table_and_key = table_key(node, node.value, node.slice, scope, file)
    if table_and_key is None:
        return None
    table, key = table_and_key
    if not covered(node, table, key, file):
        return None
    kind = single_entries(node, table, file)
    return None if kind is None else file.typed(node, Lookup(table.name, key.term), kind, key)


def table_key(
    node: ast.expr, table_node: ast.expr, key_node: ast.expr, scope: Scope, file: File
) -> tuple[Table, Typed] | None:
    """The table and the typed key of ``TABLE[key]`` or ``TABLE.get(key, default)``."""
    if is_collection(table_node, scope, file) and not (
        isinstance(table_node, ast.Name) and table_node.id in file.tables
    ):
        file.say(node, "An element cannot be taken by its place.",
                 "Say it of the elements with any(...), all(...) or sum(...).")  # fmt: skip
        return None
    key = present(key_node, file.term(key_node, scope), file)
    if not isinstance(table_node, ast.Name) or table_node.id not in file.tables:
        if isinstance(table_node, ast.Name) and table_node.id not in {*scope.names, *file.defined()}:
            unknown(table_node, scope, file)
        else:
            file.say(
                node,
                f"`{ast.unparse(table_node)[:60]}` is not a table.",
                "Only tables of the file have entries.",
            )
        return None
    table = file.tables[table_node.id]
    if key is None:
        return None
    key = promoted(key, Typed(Constant(None), of_value(next(iter(table.entries)))))
    if not comparable(key.type, of_value(next(iter(table.entries)))):
        file.say(
            key_node, f"{a_type(key.type, first=True)} is never a key of `{table.name}`.", "Check the key."
        )
        return None
    return table, key


def covered(node: ast.AST, table: Table, key: Typed, file: File) -> bool:
    """Whether every possible key is in the table; if not, report the missing keys."""
    values: tuple[object, ...] = key.type.values if key.type.kind is Kind.ENUM else ()
    if isinstance(key.term, Constant):
        values = (key.term.value,)
    elif key.type.kind is Kind.BOOL:
        values = (True, False)
    missing = [value for value in values if value not in table.entries]
    if values and not missing:
        return True
    message = f"`{table.name}` has no entry for {missing[0]!r}." if missing else (
        f"`{table.name}` may have no entry for this key of type {show(key.type)}.")  # fmt: skip
    file.say(node, message, f"Add it, or write {table.name}.get(key, default).")
    return False


def collection(node: ast.expr, scope: Scope, file: File) -> TypedSet | None:
    """The collection of an expression; None, with a problem, if it is no collection."""
    if is_set(node):
        members = constant_set(node, file)
        return None if members is None else _typed_set(members)
    if isinstance(node, ast.Name):
        meaning = scope.names.get(node.id)
        if isinstance(meaning, TypedSet):
            return meaning
        if node.id in file.sets:
            return _typed_set(file.sets[node.id])
        if node.id in file.tables:
            file.say(node, f"`{node.id}` is a table, not a set.", f"Write {node.id}[key] or a set.")
            return None
        if not isinstance(meaning, Typed) and node.id not in file.defined():
            unknown(node, scope, file)
            return None
    if isinstance(node, ast.Attribute):
        return _field_elements(node, scope, file)
    if isinstance(node, ast.Subscript):
        entry = table_key(node, node.value, node.slice, scope, file)
        return None if entry is None or not covered(node, *entry, file) else table_entry(node, *entry, file)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        return _get_set(node, node.func, scope, file)
    hint = 'Write a set: {"a", "b"}.' if isinstance(node, ast.List | ast.Tuple | ast.Dict) else "Name a set."
    file.say(node, f"`{ast.unparse(node)[:60]}` is not a set.", hint)
    return None


def _typed_set(members: ConstantSet) -> TypedSet:
    kind = joined([of_value(value) for value in members.values])
    return TypedSet(members, kind)


def _get_set(node: ast.Call, method: ast.Attribute, scope: Scope, file: File) -> TypedSet | None:
    if len(node.args) != 2 or node.keywords:
        file.say(node, "`get` takes a key and a default.", "Write TABLE.get(key, frozenset()).")
        return None
    entry = table_key(node, method.value, node.args[0], scope, file)
    default = constant_set(node.args[1], file) if is_set(node.args[1]) else None
    if default is None or default.values:
        file.say(node.args[1], "The default for a table of sets is the empty set.", "Write frozenset().")
        return None
    return None if entry is None else table_entry(node, *entry, file)


def table_entry(node: ast.AST, table: Table, key: Typed, file: File) -> TypedSet | None:
    """A set of a table as a collection."""
    sets = [value for value in table.entries.values() if isinstance(value, frozenset)]
    if len(sets) < len(table.entries):
        file.say(node, f"An entry of `{table.name}` is a single value, not a set.", "Compare it with ==.")
        return None
    kind = joined([of_value(value) for members in sets for value in sorted(members, key=str)])
    if not file.fits(node, key.size + 1, key.depth + 1):
        return None
    return TypedSet(TableEntry(table.name, key.term), kind, key.size + 1, key.depth + 1)


_READERS: dict[type[ast.expr], Callable[[ast.expr, Scope, File], Typed | None]] = {}


def _register[Node: ast.expr](kind: type[Node], reader: Callable[[Node, Scope, File], Typed | None]) -> None:
    def read(node: ast.expr, scope: Scope, file: File) -> Typed | None:
        assert isinstance(node, kind)
        return reader(node, scope, file)

    _READERS[kind] = read


_register(ast.Name, _name)
_register(ast.BoolOp, _logic)
_register(ast.UnaryOp, _unary)


_NOTHING: dict[Kind, Scalar] = {Kind.INT: 0, Kind.DECIMAL: Decimal(0), Kind.DURATION: timedelta(0)}
_MOST_DURATIONS = 60
_MOST_FACTORS = 4
"""A product of facts that are products grows with each of them; constants do not count."""
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}


def _arithmetic(node: ast.BinOp, scope: Scope, file: File) -> Typed | None:
    """A binary operator between two numbers or two times."""
    operator = _ARITHMETIC.get(type(node.op))
    if operator is None:
        hint = "Multiply the other side instead." if isinstance(node.op, ast.Div) else "Use + - * // and %."
        file.say(node, f"`{ast.unparse(node)[:60]}` uses an operator that is not part of the dialect.", hint)
        return None
    left = present(node.left, file.term(node.left, scope), file)
    right = present(node.right, file.term(node.right, scope), file)
    if left is None or right is None:
        return None
    left, right = promoted(left, right), promoted(right, left)
    kinds = {left.type.kind, right.type.kind}
    if kinds & {Kind.DATE, Kind.DATETIME, Kind.DURATION}:
        return _of_times(node, operator, left, right, file)
    mixed = kinds == {Kind.INT, Kind.DECIMAL} and operator == "*"
    if kinds not in ({Kind.INT}, {Kind.DECIMAL}) and not mixed:
        hint = (
            "Make both of them Decimal or both int." if kinds == {Kind.INT, Kind.DECIMAL} else "Use numbers."
        )
        file.say(node, f"`{operator}` cannot join {a_type(left.type)} and {a_type(right.type)}.", hint)
        return None
    if operator in ("//", "%") and not _divides(node, right, file):
        return None
    kind = right.type if mixed and right.type.kind is Kind.DECIMAL else left.type
    term = Arithmetic(operator, left.term, right.term)
    if degree(term) > _MOST_FACTORS:
        file.say(node, f"This multiplies more than {_MOST_FACTORS} values.", "Compare a part of it.")
        return None
    return file.typed(node, term, kind, left, right)


def _of_times(node: ast.BinOp, operator: str, left: Typed, right: Typed, file: File) -> Typed | None:
    """The difference of two dates or datetimes, and sums and differences of durations."""
    kinds = (left.type.kind, right.type.kind)
    typed = None
    if (operator == "-" and kinds in ((Kind.DATE, Kind.DATE), (Kind.DATETIME, Kind.DATETIME))) or (
        operator in ("+", "-") and kinds == (Kind.DURATION, Kind.DURATION)
    ):
        typed = file.typed(node, Arithmetic(operator, left.term, right.term), DURATION, left, right)
    else:
        hint = "Compare values of one type."
        if Kind.DURATION in kinds and {Kind.DATE, Kind.DATETIME} & {*kinds}:
            hint = "Compare the difference: `later - earlier > timedelta(hours=24)`."
        file.say(node, f"`{operator}` cannot join {a_type(left.type)} and {a_type(right.type)}.", hint)
    if typed is not None and typed.size > _MOST_DURATIONS:
        file.say(node, f"This joins more than {_MOST_DURATIONS} parts to a duration.", "Simplify it.")
        return None
    return typed


def _divides(node: ast.BinOp, right: Typed, file: File) -> bool:
    value = right.term.value if isinstance(right.term, Constant) else None
    if type(value) is int and value > 0:
        return True
    file.say(node.right, "`//` and `%` divide ints by a positive int constant.", "Write the number itself.")
    return False


_register(ast.BinOp, _arithmetic)
_register(ast.IfExp, _choice)
_register(ast.Subscript, _entry)
_register(ast.Compare, compare)
_register(ast.Attribute, _field)
_register(ast.Call, lambda node, scope, file: call(node, scope, file, table_key, _quantified))

_FOREIGN: dict[type[ast.expr], tuple[str, str]] = {
    ast.Lambda: ("`lambda`", "Write a function."),
    ast.JoinedStr: ("An f-string", "Write a plain string."),
    ast.ListComp: ("A list comprehension", "Use any(...) or all(...)."),
    ast.SetComp: ("A set of fields outside a comparison", "Compare it with another by ==, != or <=."),
    ast.DictComp: ("A dict comprehension", "Use a table at the top of the file."),
    ast.GeneratorExp: ("A generator outside any(...), all(...) or sum(...)", "Use any(...) or all(...)."),
    ast.Set: ("A set used as a value", "Use `in`, any(...) or all(...)."),
    ast.List: ("A list", "Use a set."),
    ast.Tuple: ("A tuple", "Use a set."),
    ast.Dict: ("A dict inside a function", "Write it as a table at the top of the file."),
    ast.NamedExpr: ("`:=`", "Assign the name on its own line."),
    ast.Await: ("`await`", "Remove it."),
    ast.Yield: ("`yield`", "Return a value."),
    ast.YieldFrom: ("`yield`", "Return a value."),
    ast.Starred: ("`*`", "Write the arguments out."),
}


# --- fields of records: ``record.field``, a value or a collection


def _of_record(node: ast.Attribute, scope: Scope, file: File) -> tuple[Typed, ArgumentType] | None:
    """The present record before the dot, and the type of its field; None with a problem."""
    if is_collection(node.value, scope, file):
        file.say(node, f"`{ast.unparse(node.value)[:60]}` has elements, which have the fields.",
                 f"Write any(x.{node.attr} ... for x in ...).")  # fmt: skip
        return None
    record = file.term(node.value, scope)
    if record is None:
        return None
    if record.type.record is None:
        hint = "Use the listed string tests only." if record.type.kind is Kind.STR else "Name a record."
        file.say(node, f"{a_type(record.type, first=True)} has no fields.", hint)
        return None
    if record.type.optional:
        unguarded(node, record, file)
        return None
    kind = record.type.record.field(node.attr)
    if kind is None:
        names = [name for name, _ in record.type.record.fields if "." not in name]
        classes = record.type.record.name.split(" | ")
        left_out = [why for name in classes if (why := file.left_out.get(f"{name}.{node.attr}"))]
        hint = " ".join(left_out) or suggestion(node.attr, names) or f"It has {', '.join(names)}."
        file.say(node, f"{record.type.record.name} has no field `{node.attr}`.", hint)
        return None
    return record, kind


def _field_elements(node: ast.Attribute, scope: Scope, file: File) -> TypedSet | None:
    """A set or list that is a field of a record."""
    record_and_type = _of_record(node, scope, file)
    if record_and_type is None:
        return None
    record, kind = record_and_type
    assert isinstance(record.term, Variable | Attribute)
    element = set_element(kind) if kind.kind is Kind.SET else kind.element
    return TypedSet(
        Elements(Attribute(record.term, node.attr, kind)), element, record.size + 1, record.depth + 1
    )


def _quantified(node: ast.Call, quantifier: Quantifier, scope: Scope, file: File) -> Typed | None:
    """``any(body for name in collection if condition)``, or ``all``."""
    generator = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if not isinstance(generator, ast.GeneratorExp) or len(generator.generators) != 1:
        file.say(node, f"`{quantifier}` takes one test over one set or list.",
                 f"Write {quantifier}(test for x in SET).")  # fmt: skip
        return None
    clause = generator.generators[0]
    target = clause.target
    if not isinstance(target, ast.Name) or clause.is_async:
        file.say(target, "One plain name runs over the elements.", f"Write {quantifier}(test for x in SET).")
        return None
    if not is_collection(clause.iter, scope, file):
        typed = file.term(clause.iter, scope)
        if typed is not None:
            file.say(clause.iter, f"{a_type(typed.type, first=True)} is not a set or list.", "Run over one.")
        return None
    among = file.collection(clause.iter, scope)
    if not element_is_free(target, scope, file) or among is None:
        return None

    def body_in(inner: Scope) -> Typed | None:
        return tested_body(generator, quantifier, inner, file)

    return _over(node, quantifier, target.id, among, body_in, scope, file)


def _over(
    node: ast.Call,
    quantifier: Quantifier,
    name: str,
    among: TypedSet,
    body_in: Callable[[Scope], Typed | None],
    scope: Scope,
    file: File,
) -> Typed | None:
    if among.element is None:
        return constant(quantifier is Quantifier.ALL)
    variable = Variable(name, among.element)
    values = among.collection.values if isinstance(among.collection, ConstantSet) else ()
    before = list(file.problems.items)
    if values:
        file.unroll.add(name)
    body = body_in(scope.with_bound(name, Typed(variable, among.element), among.collection))
    file.unroll.discard(name)
    spread = f"{name}!" in file.unroll
    file.unroll.discard(f"{name}!")
    if values and not spread and body is not None and looks_at_list(body.term):
        return _unrolled(node, quantifier, [_with(body, name, value) for value in values], file)
    if spread:
        file.problems.items[:] = before
        parts = [body_in(scope.with_bound(name, constant(value))) for value in values]
        return _unrolled(node, quantifier, parts, file)
    if body is None:
        return None
    term = Quantified(quantifier, variable, among.collection, body.term)
    return file.typed(node, term, BOOL, body, among)


def _with(body: Typed, name: str, value: Scalar) -> Typed:
    """The body with a constant in place of the element."""
    return replace(body, term=substituted(body.term, name, Constant(value)))


def _unrolled(node: ast.AST, quantifier: Quantifier, parts: list[Typed | None], file: File) -> Typed | None:
    typed_parts = [part for part in parts if part is not None]
    if len(typed_parts) < len(parts):
        return None
    if len(typed_parts) == 1:
        return typed_parts[0]
    terms = tuple(part.term for part in typed_parts)
    return file.typed(node, Or(terms) if quantifier is Quantifier.ANY else And(terms), BOOL, *typed_parts)
