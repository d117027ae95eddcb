"""Function bodies: signatures, local names and early returns."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.model import ArgumentType
from workbench.policy.checker.constants import annotation, name_is_free
from workbench.policy.checker.expressions import chosen, condition, parameter
from workbench.policy.checker.present_values import is_collection, promoted, unguarded
from workbench.policy.checker.scope import File, Meaning, Scope, Signature, Typed, present_if
from workbench.policy.checker.syntax_tree import nodes_in
from workbench.policy.rule_names import RULES
from workbench.policy.terms import Constant
from workbench.policy.types import BOOL, a_type, assignable, show

MOST_BRANCHES = 60


def signature(node: ast.FunctionDef, file: File) -> Signature | None:
    """The signature of a function; None, with problems, if the dialect does not allow it."""
    if not name_is_free(node, node.name, file):
        return None
    arguments = node.args
    if node.decorator_list:
        file.say(node.decorator_list[0], "Decorators are not allowed.", "Remove it.")
    if node.type_params:
        file.say(node, f"`{node.name}` has type parameters.", "Remove them.")
    if (
        arguments.posonlyargs
        or arguments.kwonlyargs
        or arguments.vararg
        or arguments.kwarg
        or arguments.defaults
    ):
        file.say(
            node,
            f"`{node.name}` has parameters that are not plain.",
            "Write `name: type`, without a default.",
        )
        return None
    kind = "decision" if node.name == "allow" else "rule"
    if kind == "rule" and not node.name.startswith(RULES):
        file.say(node, f"`{node.name}` is no rule.", "Begin its name with forbid_, ask_ or permit_.")
        return None
    result = _result(node, kind, file)
    parameters: list[tuple[str, ArgumentType]] = []
    for argument in arguments.args:
        typed = _parameter(node, argument, {name for name, _ in parameters}, file)
        if typed is not None:
            parameters.append((argument.arg, typed))
    if result is None or len(parameters) < len(arguments.args):
        return None
    return Signature(node.name, tuple(parameters), result, node, kind)


def _parameter(
    node: ast.FunctionDef, argument: ast.arg, taken_names: set[str], file: File
) -> ArgumentType | None:
    if argument.annotation is None:
        file.say(
            argument,
            f"The parameter `{argument.arg}` of `{node.name}` has no type.",
            f"Write `{argument.arg}: type`.",
        )
        return None
    if argument.arg in taken_names:
        file.say(argument, f"The parameter `{argument.arg}` appears twice.", "Rename one.")
        return None
    typed = annotation(argument.annotation, file)
    return typed if name_is_free(argument, argument.arg, file) else None


def _result(node: ast.FunctionDef, kind: str, file: File) -> ArgumentType | None:
    if node.returns is None:
        file.say(
            node, f"`{node.name}` does not say what it returns.", "Write `-> bool` after its parameters."
        )
        return None
    result = annotation(node.returns, file)
    if result is None:
        return None
    if result != BOOL:
        file.say(node.returns, f"The {kind} `{node.name}` must return bool.", "Write `-> bool`.")
        return None
    return result


def scope_of(function: Signature) -> Scope:
    """The scope of a function's first statement."""
    return Scope({name: parameter(name, kind) for name, kind in function.parameters})


def docstring(node: ast.FunctionDef) -> str:
    """The docstring of a function, cleaned; empty if it has none."""
    return ast.get_docstring(node) or ""


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements after the docstring."""
    first = body[0] if body else None
    value = first.value if isinstance(first, ast.Expr) else None
    return body[1:] if isinstance(value, ast.Constant) and isinstance(value.value, str) else body


def body_of(function: Signature, file: File) -> Typed | None:
    """The term of the whole body of a rule; None, with problems, if it has none."""
    branches = sum(isinstance(node, ast.If) for node in nodes_in(function.node))
    if branches > MOST_BRANCHES:
        message = f"`{function.name}` has {branches} branches, more than {MOST_BRANCHES}."
        file.say(function.node, message, "Use a table, or join the conditions with `or`.")
        return None
    return block_of(function, scope_of(function), file)


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
        mistake = "is a parameter" if target.id in dict(function.parameters) else "is assigned twice"
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
                file.say(node, f"`{name}` can only come first in `allow`.", "Move the contract to `allow`.")
                return
            file.say(node, f"`{name}(...)` is not allowed.", "A policy only computes; remove the call.")
            return
        file.say(node, "This expression has no effect.", "Return it, or remove it.")
        return
    description = _STATEMENTS.get(type(node), "This statement")
    instead = "Use any(...) or all(...)." if "loop" in description else "Use assignments, `if` and `return`."
    file.say(node, f"{description} is not part of the dialect.", instead)
