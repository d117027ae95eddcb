"""The checker of the dialect: from the text of a policy file to its typed terms.

Only text that passed ``check`` is ever executed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.model import Problem
from workbench.policy.checker.bodies import body_of, docstring, scope_of, signature, without_docstring
from workbench.policy.checker.constants import need_import, read_constant, read_import
from workbench.policy.checker.expressions import collection, condition, expression, parameter
from workbench.policy.checker.record_types import read_record
from workbench.policy.checker.scope import File, Meaning, Scope, Signature, Typed, context_hash, suggestion
from workbench.policy.checker.syntax_tree import read, split_requirements
from workbench.policy.names import CLAUSE_LETTERS, IMPORTS
from workbench.policy.problems import PolicyError, Problems
from workbench.policy.result_cache import Recent
from workbench.policy.rule_names import ASK, NEGATED, PERMIT, RULES
from workbench.policy.terms import Clause, Parameter, PolicyTerms, Rule, Term

__all__ = ["PolicyError", "check", "check_condition"]


def check(source: str, path: str = "") -> PolicyTerms:
    """Read the text of a policy file into typed terms, without running any of it.

    ``path`` only names the file in problems. Raises ``PolicyError`` with every problem
    found, in the order of the file.
    """
    try:
        return _check(source, path)
    except RecursionError:
        raise _too_deep(path) from None


def check_condition(source: str, parameters: Sequence[Parameter]) -> Term:
    """Read the text of one condition over ``parameters`` into its term.

    Raises ``PolicyError`` with every problem found, as ``check`` does.
    """
    try:
        return _check_condition(source, parameters)
    except RecursionError:
        raise _too_deep("") from None


def _too_deep(path: str) -> PolicyError:
    instead = "Split it into functions."
    return PolicyError([Problem("The text is nested too deeply to be read.", instead, path=path)])


def _check_condition(source: str, parameters: Sequence[Parameter]) -> Term:
    file = _file(source, "")
    file.imported |= {name for module in ("datetime", "decimal") for name in IMPORTS[module]}
    body = file.read.tree.body
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        raise PolicyError([Problem("A condition is one expression.", "Write nothing else.")])
    names = {declared.name: parameter(declared.name, declared.type) for declared in parameters}
    typed = condition(body[0].value, Scope(names), file)
    file.problems.raise_if_any()
    assert typed is not None
    return typed.term


def _file(source: str, path: str) -> File:
    text = read(source, path)
    file = File(text, Problems(text.source, path), text.places)
    file.term = lambda node, scope: expression(node, scope, file)
    file.collection = lambda node, scope: collection(node, scope, file)
    return file


def _check(source: str, path: str) -> PolicyTerms:
    file = _file(source, path)
    functions = _top_level(file)
    for function in functions:
        read_signature = signature(function, file)
        if read_signature is None:
            file.broken.add(function.name)
        else:
            file.signatures[read_signature.name] = read_signature
    file.surroundings = context_hash(file)
    rules = [function for function in file.signatures.values() if function.kind == "rule"]
    bodies = {rule.name: body for rule in rules if (body := _body(rule, file)) is not None}
    decided = _decided(functions, file)
    file.problems.raise_if_any()
    assert decided is not None
    return _terms(file, bodies, decided)


def _top_level(file: File) -> list[ast.FunctionDef]:
    functions: list[ast.FunctionDef] = []
    constants = False
    for node in without_docstring(file.read.tree.body):
        if isinstance(node, ast.FunctionDef):
            functions.append(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            if constants or functions:
                file.say(node, "Imports come first in the file.", "Move it up.")
            read_import(node, file)
        elif isinstance(node, ast.ClassDef):
            constants = True
            if functions:
                file.say(node, "Records come before the functions.", "Move it up.")
            read_record(node, file)
            file.broken |= {node.name} - file.defined()
        elif isinstance(node, ast.Assign):
            constants = True
            if functions:
                file.say(node, "Constants come before the functions.", "Move it up.")
            read_constant(node, file)
            names = {target.id for target in node.targets if isinstance(target, ast.Name)}
            file.broken |= names - file.defined()
        else:
            file.say(node, "This statement is not allowed at the top of a policy file.",
                     "Keep imports, records, constants and functions only.")  # fmt: skip
    return functions


_read_bodies: Recent[tuple[bytes, str], Typed] = Recent(4096)


def _body(function: Signature, file: File) -> Typed | None:
    """The body of a rule; one that was read before in the same surroundings is not read again."""
    key = (file.surroundings, file.lines_of(function.node))
    body = _read_bodies.get(key) if file.surroundings else None
    if body is None:
        body = body_of(function, file)
        if body is not None and file.surroundings and not file.problems.items:
            _read_bodies.put(key, body)
    return body


def _decided(functions: list[ast.FunctionDef], file: File) -> DecisionFunction | None:
    allow = file.signatures.get("allow")
    if allow is None:
        if not any(function.name == "allow" for function in functions):
            file.say(None, "The policy has no function `allow`.",
                     "Add `def allow(...) -> bool:` with the decision.")  # fmt: skip
        return None
    if functions[-1].name != "allow":
        file.say(functions[-1], "`allow` is the last function of the file.", "Move this above it.")
    return decision(allow, file)


def _terms(file: File, bodies: dict[str, Typed], decided: DecisionFunction) -> PolicyTerms:
    rules: list[Rule] = []
    for function in file.signatures.values():
        if function.kind == "rule":
            parameters = tuple(Parameter(name, kind) for name, kind in function.parameters)
            requirements, message = rule_text(function, file)
            end = function.node.end_lineno or function.node.lineno
            rules.append(
                Rule(
                    function.name,
                    parameters,
                    bodies[function.name].term,
                    message,
                    requirements,
                    function.node.lineno,
                    end,
                )
            )
    file.problems.raise_if_any()
    allow = file.signatures["allow"]
    rules.sort(key=lambda rule: decided.rules.index(rule.name))
    return PolicyTerms(
        source=file.read.source,
        arguments=tuple(Parameter(name, kind) for name, kind in allow.parameters),
        sets=file.sets,
        tables=file.tables,
        rules=tuple(rules),
        default_allow=decided.default_allow,
        preconditions=decided.preconditions,
        clauses=decided.clauses,
        line=allow.node.lineno,
        places=file.places,
        records=file.records,
        constants=file.constants,
    )


# --- The deciding function: its contract and the rules that it names


@dataclass(frozen=True)
class DecisionFunction:
    """The function ``allow``: its contract, the names of its rules in order, and the default."""

    preconditions: tuple[Clause, ...]
    clauses: tuple[Clause, ...]
    rules: tuple[str, ...]
    default_allow: bool


def decision(function: Signature, file: File) -> DecisionFunction:
    """Read the body of ``allow``."""
    node = function.node
    scope = replace(scope_of(function), contract=True)
    siblings: dict[str, list[Clause]] = {name: [] for name in CLAUSE_LETTERS}
    body = without_docstring(node.body)
    last = body[-1] if body else None
    for statement in body[:-1] if isinstance(last, ast.Return) else body:
        _clause(statement, scope, siblings, file)
    preconditions, clauses = tuple(siblings["Requires"]), tuple(siblings["Ensures"])
    if not isinstance(last, ast.Return) or last.value is None:
        file.say(last or node, "`allow` must end with the decision.", f"Write `return {_EXAMPLE}`.")
        return DecisionFunction(preconditions, clauses, (), False)
    rules, default = _rules(last.value, function, file)
    for rule in (one for one in file.signatures.values() if one.kind == "rule" and one.name not in rules):
        file.say(
            rule.node,
            f"The decision does not name the rule `{rule.name}`.",
            "Name it in `allow`, or remove it.",
        )
    return DecisionFunction(preconditions, clauses, tuple(rules), default)


def _clause(node: ast.stmt, scope: Scope, siblings: Mapping[str, list[Clause]], file: File) -> None:
    call = node.value if isinstance(node, ast.Expr) else None
    name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
    if not isinstance(call, ast.Call) or name not in siblings:
        file.say(node, "`allow` holds only its contract and one return.", "Move this to a rule.")
        return
    need_import(node, name, file)
    if len(call.args) != 1 or call.keywords:
        file.say(call, f"`{name}` takes one condition.", f"Write {name}(condition).")
        return
    source = file.problems.segment(call.args[0])
    term = _term(call.args[0], name, source, scope, file)
    if term is None:
        return
    requirements, comment = split_requirements(file.read.comment_above(node.lineno))
    identity = f"{CLAUSE_LETTERS[name]}{len(siblings[name]) + 1}"
    end = node.end_lineno or node.lineno
    siblings[name].append(Clause(identity, term, requirements, comment, source, node.lineno, end))


_read_before: Recent[tuple[bytes, str, tuple[tuple[str, Meaning], ...], str], Term] = Recent(4096)


def _term(node: ast.expr, name: str, source: str, scope: Scope, file: File) -> Term | None:
    """The term of a clause; a clause that was read before in the same surroundings is not read again."""
    key = (file.surroundings, name, tuple(scope.names.items()), source)
    known_term = _read_before.get(key) if file.surroundings else None
    if known_term is not None:
        return known_term
    typed = condition(node, replace(scope, result=name == "Ensures"), file)
    if typed is not None and file.surroundings and not file.problems.items:
        _read_before.put(key, typed.term)
    return None if typed is None else typed.term


_EXAMPLE = "not (forbid_a(x) or forbid_b(y))"
_SHAPE = f"Write `{_EXAMPLE}`, and for a closed default `... and (permit_c(x) or permit_d(y))`."


def _rules(node: ast.expr, signature: Signature, file: File) -> tuple[list[str], bool]:
    """The rules in the order in which they are named, and whether the default is to allow."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return [], node.value
    negated_names: list[str] = []
    permits: list[str] = []
    parts = node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else [node]
    permits_none = len(parts) > 1 and isinstance(parts[-1], ast.Constant) and parts[-1].value is False
    for part in parts[:-1] if permits_none else parts:
        negated = isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not)
        inner = part.operand if isinstance(part, ast.UnaryOp) and negated else part
        calls = inner.values if isinstance(inner, ast.BoolOp) and isinstance(inner.op, ast.Or) else [inner]
        if not negated and permits:
            file.say(
                part, "All permit rules are in one group.", "Join them with `or` in one pair of brackets."
            )
        for call in calls:
            name = _rule(call, NEGATED if negated else (PERMIT,), signature, file)
            if name is None:
                continue
            if name in negated_names or name in permits:
                file.say(call, f"`{name}` is named twice.", "Name each rule once.")
                continue
            (negated_names if negated else permits).append(name)
    if permits_none and permits:
        file.say(parts[-1], "A decision that ends in `False` permits nothing.", "Leave out `and False`.")
    return [*negated_names, *permits], not permits and not permits_none


def _rule(node: ast.expr, kinds: tuple[str, ...], signature: Signature, file: File) -> str | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        file.say(node, f"`{ast.unparse(node)[:60]}` is not a call of a rule.", _SHAPE)
        return None
    name = node.func.id
    if not name.startswith(RULES):
        file.say(node, f"`{name}` is not a rule.", _SHAPE)
        return None
    if not name.startswith(kinds):
        message = (
            "A rule that forbids or asks must be negated."
            if name.startswith(NEGATED)
            else "A permit rule cannot be negated."
        )
        file.say(node, f"{message} (`{name}`)", _SHAPE)
        return name
    rule = file.signatures.get(name)
    if rule is None:
        if not any(
            isinstance(statement, ast.FunctionDef) and statement.name == name
            for statement in file.read.tree.body
        ):
            rules = {rule.name for rule in file.signatures.values() if rule.kind == "rule"}
            file.say(
                node,
                f"There is no rule `{name}`.",
                suggestion(name, rules) or "Define it, or remove the call.",
            )
        return None
    _check_arguments(node, rule, signature, file)
    return name


def _check_arguments(node: ast.Call, rule: Signature, signature: Signature, file: File) -> None:
    given_names = [argument.id if isinstance(argument, ast.Name) else "" for argument in node.args]
    parameter_names = [name for name, _ in rule.parameters]
    arguments = dict(signature.parameters)
    unknown = [name for name in parameter_names if name not in arguments]
    for name in unknown:
        hint = suggestion(name, arguments) or f"Add `{name}` to the parameters of `allow`."
        file.say(rule.node, f"`{name}`, a parameter of `{rule.name}`, is not an argument of `allow`.", hint)
    for name, kind in rule.parameters:
        if name in arguments and arguments[name] != kind:
            file.say(
                rule.node, f"`{name}` has another type in `{rule.name}` than in `allow`.", "Declare it alike."
            )
    if not unknown and (given_names != parameter_names or node.keywords):
        file.say(node, f"`{rule.name}` must be called with its own parameters.",
                 f"Write {rule.name}({', '.join(parameter_names)}).")  # fmt: skip


def rule_text(signature: Signature, file: File) -> tuple[tuple[str, ...], str]:
    """The requirement ids and the message of a rule, from the first line of its docstring."""
    first = docstring(signature.node).strip().split("\n")[0].strip()
    requirements, message = split_requirements(first)
    if not message and signature.name.startswith(NEGATED):
        why = "Why a person decides." if signature.name.startswith(ASK) else "Why it is denied."
        file.say(signature.node, f"The rule `{signature.name}` has no message.",
                 f'Begin it with a docstring: """R1: {why}"""')  # fmt: skip
    return requirements, message
