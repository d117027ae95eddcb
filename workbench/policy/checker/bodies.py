"""Function bodies: local names and early returns."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.policy.checker.constants import name_is_free
from workbench.policy.checker.expressions import chosen
from workbench.policy.checker.present_values import condition, is_collection, promoted, unguarded
from workbench.policy.checker.scope import File, Meaning, Scope, Signature, Typed, present_if
from workbench.policy.checker.syntax_tree import nodes_in
from workbench.policy.terms import Constant
from workbench.policy.types import a_type, assignable, show


def docstring(node: ast.FunctionDef) -> str:
    """The docstring of a function, cleaned; empty if it has none."""
    return ast.get_docstring(node) or ""


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements after the docstring."""
    first = body[0] if body else None
    value = first.value if isinstance(first, ast.Expr) else None
    return body[1:] if isinstance(value, ast.Constant) and isinstance(value.value, str) else body


def block_of(function: Signature, scope: Scope, file: File) -> Typed | None:
    """The term of a function's body in a scope; None, with problems, if it has none."""
    return _block(function.node, without_docstring(function.node.body), scope, function, file)


def _block(
    place: ast.AST, statements: list[ast.stmt], scope: Scope, function: Signature, file: File
) -> Typed | None:
    sound = True
    for index, statement in enumerate(statements):
        remaining_statements = statements[index + 1 :]
        if isinstance(statement, ast.Return):
            if remaining_statements:
                file.say(remaining_statements[0], "This is never reached.", "Remove it.")
            value = _returned(statement, scope, function, file)
            return value if sound else None
        if isinstance(statement, ast.If):
            value = _branch(statement, remaining_statements, scope, function, file)
            return value if sound else None
        extended = assigned(statement, scope, function, file)
        if extended is None:
            sound = False
            scope = replace(scope, broken=scope.broken | _targets(statement))
        else:
            scope = extended
    if sound:
        file.say(place, f"`{function.name}` can end without returning a value.", "End it with `return`.")
    return None


def _targets(node: ast.stmt) -> frozenset[str]:
    return frozenset(
        part.id for part in nodes_in(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    )


def _branch(
    node: ast.If, remaining_statements: list[ast.stmt], scope: Scope, function: Signature, file: File
) -> Typed | None:
    test = condition(node.test, scope, file)
    yes = scope if test is None else scope.knowing(present_if(test.term, True))
    no = scope if test is None else scope.knowing(present_if(test.term, False))
    then = _block(node, node.body, yes, function, file)
    if node.orelse and _returns(node.orelse):
        if remaining_statements:
            file.say(remaining_statements[0], "This is never reached.", "Remove it.")
        otherwise = _block(node, node.orelse, no, function, file)
    else:
        otherwise = _block(node, [*node.orelse, *remaining_statements], no, function, file)
    if test is None or then is None or otherwise is None:
        return None
    return chosen(node, test, then, otherwise, file)


def _returns(statements: list[ast.stmt]) -> bool:
    last = statements[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _returns(last.body) and _returns(last.orelse)
    return isinstance(last, ast.Return)


def _returned(node: ast.Return, scope: Scope, function: Signature, file: File) -> Typed | None:
    if node.value is None:
        file.say(node, "This returns nothing.", "Write the value after `return`.")
        return None
    value = file.term(node.value, scope)
    if value is None:
        return None
    if value.type.optional and not function.result.optional:
        unguarded(node, value, file)
        return None
    value = promoted(value, Typed(Constant(None), function.result))
    if not assignable(value.type, function.result):
        message = f"`{function.name}` returns {show(function.result)}, but this is {a_type(value.type)}."
        file.say(node, message, "Return a value of the declared type.")
        return None
    return value


def assigned(node: ast.stmt, scope: Scope, function: Signature, file: File) -> Scope | None:
    """The scope after an assignment of a local name; None, with a problem, for another statement."""
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    if not isinstance(node, ast.Assign) or not isinstance(target, ast.Name):
        _foreign(node, file)
        return None
    if target.id in scope.names:
        own = {one.arg for one in function.node.args.args}
        mistake = "is a parameter" if target.id in own else "is assigned twice"
        file.say(target, f"`{target.id}` {mistake}.", "Choose a new name.")
        return None
    if not name_is_free(target, target.id, file):
        return None
    value: Meaning | None
    value = (
        file.collection(node.value, scope)
        if is_collection(node.value, scope, file)
        else file.term(node.value, scope)
    )
    return None if value is None else scope.with_name(target.id, value)


_STATEMENTS: dict[type[ast.stmt], str] = {
    ast.For: "A loop",
    ast.AsyncFor: "A loop",
    ast.While: "A loop",
    ast.With: "`with`",
    ast.Try: "`try`",
    ast.Raise: "`raise`",
    ast.Assert: "`assert`",
    ast.Import: "An import inside a function",
    ast.ImportFrom: "An import inside a function",
    ast.FunctionDef: "A function inside a function",
    ast.ClassDef: "A class",
    ast.Global: "`global`",
    ast.Delete: "`del`",
    ast.AugAssign: "Changing a name",
    ast.AnnAssign: "A local name with a type",
    ast.Match: "`match`",
    ast.Pass: "`pass`",
}


def _foreign(node: ast.stmt, file: File) -> None:
    if isinstance(node, ast.Expr):
        value = node.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            name = value.func.id
            if name in ("Ensures", "Requires"):
                file.say(node, f"`{name}` stands in contracts only.", "Move it to a `contract_`.")
                return
            file.say(node, f"`{name}(...)` is not allowed.", "A policy only computes; remove the call.")
            return
        file.say(node, "This expression has no effect.", "Return it, or remove it.")
        return
    description = _STATEMENTS.get(type(node), "This statement")
    instead = "Use any(...) or all(...)." if "loop" in description else "Use assignments, `if` and `return`."
    file.say(node, f"{description} is not part of the dialect.", instead)
