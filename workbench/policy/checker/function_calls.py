"""Calls: string tests, ``len``, ``TABLE.get`` and the contract vocabulary."""

from __future__ import annotations

import ast
from collections.abc import Callable

from workbench.policy.checker.aggregates import length, summed
from workbench.policy.checker.comparisons import text_constant
from workbench.policy.checker.constants import is_literal, literal, need_import
from workbench.policy.checker.present_values import (
    condition,
    is_collection,
    present,
    promoted,
    single_entries,
)
from workbench.policy.checker.scope import File, Scope, Typed, present_if, suggestion
from workbench.policy.names import CONTRACT, METHODS, VOCABULARY
from workbench.policy.terms import (
    Constant,
    ImpliesTerm,
    Length,
    Lookup,
    Quantifier,
    ResultTerm,
    StringTest,
    StringTestKind,
    Table,
)
from workbench.policy.types import (
    BOOL,
    INT,
    a_type,
    is_text,
    join,
    of_value,
)

type TableKey = Callable[[ast.expr, ast.expr, ast.expr, Scope, File], tuple[Table, Typed] | None]
type Quantify = Callable[[ast.Call, Quantifier, Scope, File], Typed | None]


def call(node: ast.Call, scope: Scope, file: File, table_key: TableKey, quantify: Quantify) -> Typed | None:
    """The term of a call of a string test or another callable name."""
    if isinstance(node.func, ast.Attribute):
        return _method(node, node.func, scope, file, table_key)
    if not isinstance(node.func, ast.Name):
        file.say(node, "Only named functions can be called.", "Call a function by its name.")
        return None
    name = node.func.id
    if name in ("any", "all"):
        return quantify(node, Quantifier(name), scope, file)
    if name == "sum":
        return summed(node, scope, file)
    if name == "len":
        return _length(node, scope, file)
    if name in CONTRACT:
        return _contract(node, name, scope, file)
    if name == "isinstance":
        of = ast.unparse(node.args[0]) if node.args else "c"
        hint = (
            f"Write one part for each class and join them: any(... for {of} in run.earlier(A)) or "
            f"any(... for {of} in run.earlier(B)), and with + for sums."
        )
        file.say(node, f"`isinstance` tells the classes of `call` apart, and not those of `{of}`.", hint)
    else:
        hint = suggestion(name, VOCABULARY) or "Only any, all, len and sum can be called."
        file.say(node, f"`{name}(...)` is not allowed.", hint)
    return None


def _length(node: ast.Call, scope: Scope, file: File) -> Typed | None:
    if len(node.args) != 1 or node.keywords:
        file.say(node, "`len` takes one string or list.", "Write len(text).")
        return None
    if is_collection(node.args[0], scope, file):
        among = file.collection(node.args[0], scope)
        return None if among is None else length(node, among, scope, file)
    text = present(node.args[0], file.term(node.args[0], scope), file)
    if text is None:
        return None
    if not is_text(text.type):
        file.say(
            node, f"`len` takes a string or a list, not {a_type(text.type)}.", "Compare the value itself."
        )
        return None
    return file.typed(node, Length(text.term), INT, text)


def _contract(node: ast.Call, name: str, scope: Scope, file: File) -> Typed | None:
    need_import(node, name, file)
    if not scope.contract or name in ("Ensures", "Requires"):
        file.say(node, f"`{name}` belongs to clauses of a contract.", "Remove it here.")
        return None
    if name == "Result":
        if node.args or node.keywords:
            file.say(node, "`Result` takes no arguments.", "Write Result().")
        elif not scope.result:
            file.say(node, "A precondition cannot speak of the result.", "Move it to an Ensures.")
        else:
            return Typed(ResultTerm(), BOOL)
        return None
    if len(node.args) != 2 or node.keywords:
        file.say(node, "`Implies` takes a condition and a consequence.", "Write Implies(a, b).")
        return None
    when = condition(node.args[0], scope, file)
    inner = scope if when is None else scope.knowing(present_if(when.term, True))
    consequence = condition(node.args[1], inner, file)
    if when is None or consequence is None:
        return None
    return file.typed(node, ImpliesTerm(when.term, consequence.term), BOOL, when, consequence)


def _method(
    node: ast.Call, method: ast.Attribute, scope: Scope, file: File, table_key: TableKey
) -> Typed | None:
    name = method.attr
    if name == "get":
        return _get(node, method, scope, file, table_key)
    if name not in ("startswith", "endswith"):
        hint = suggestion(name, set(METHODS)) or "Use startswith, endswith or `in`."
        file.say(node, f"`.{name}(...)` is not part of the dialect.", hint)
        return None
    text = present(method.value, file.term(method.value, scope), file)
    if len(node.args) != 1 or node.keywords:
        file.say(node, f"`{name}` takes one constant string.", f'Write text.{name}("...").')
        return None
    part = file.term(node.args[0], scope)
    if text is None or part is None:
        return None
    if not is_text(text.type):
        file.say(node, f"`{name}` needs a string, not {a_type(text.type)}.", "Test a string argument.")
        return None
    constant = text_constant(node.args[0], part, file)
    if constant is None:
        return None
    return file.typed(node, StringTest(StringTestKind(name), text.term, constant), BOOL, text)


def _get(
    node: ast.Call, method: ast.Attribute, scope: Scope, file: File, table_key: TableKey
) -> Typed | None:
    if len(node.args) != 2 or node.keywords:
        file.say(node, "`get` takes a key and a default.", "Write TABLE.get(key, default).")
        return None
    table_and_key = table_key(node, method.value, node.args[0], scope, file)
    if table_and_key is None:
        return None
    table, key = table_and_key
    entries = single_entries(node, table, file)
    default = None if entries is None else _default(node.args[1], file)
    if entries is None or default is None:
        return None
    default = promoted(default, Typed(Constant(None), entries))
    kind = join(default.type, entries)
    if kind is None or not isinstance(default.term, Constant):
        file.say(
            node.args[1],
            f"The default is not of the type of the entries of `{table.name}`.",
            "Match the type.",
        )
        return None
    return file.typed(node, Lookup(table.name, key.term, default.term), kind, key)


def _default(node: ast.expr, file: File) -> Typed | None:
    if isinstance(node, ast.Name) and node.id in file.constants:
        value = file.constants[node.id]
        return Typed(Constant(value), of_value(value))
    if not is_literal(node):
        file.say(node, "The default of `get` is a constant.", "Write the value itself.")
        return None
    value = literal(node, file)
    return None if value is None else Typed(Constant(value), of_value(value))
