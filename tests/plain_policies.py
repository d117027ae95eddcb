"""Policies over plain arguments for tests of what reads terms, written as Python.

The rules are functions of arguments; ``allow`` has the contract, and the decision that names the rules.
Types, constants and expressions are read by the checker of the dialect.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.model import ArgumentType, Kind, Problem, RecordType
from workbench.policy.checker.bodies import block_of, docstring, without_docstring
from workbench.policy.checker.constants import annotation, read_constant, read_import
from workbench.policy.checker.expressions import collection, condition, expression
from workbench.policy.checker.scope import File, Meaning, Scope, Signature, Typed, TypedSet
from workbench.policy.checker.syntax_tree import read, split_requirements
from workbench.policy.names import IMPORTS
from workbench.policy.problems import PolicyError, Problems
from workbench.policy.rule_names import NEGATED
from workbench.policy.terms import (
    Clause,
    Elements,
    Parameter,
    PolicyTerms,
    Rule,
    SetVariable,
    Term,
    Variable,
)
from workbench.policy.types import BOOL, INT, SET, set_element
from workbench.policy.written import WrittenFile, WrittenPart

__all__ = ["PolicyError", "check", "check_condition"]
_LETTERS = {"Requires": "P", "Ensures": "C"}


def check(source: str) -> PolicyTerms:
    """The terms of a policy. Raises ``PolicyError`` with the problems that the checker finds."""
    try:
        return _terms(file_of(source))
    except RecursionError:
        raise PolicyError([Problem("The text is nested too deeply to be read.")]) from None


def check_condition(source: str, arguments: tuple[Parameter, ...]) -> Term:
    """The term of a condition over arguments."""
    file = file_of(source)
    file.imported |= {name for module in ("datetime", "decimal") for name in IMPORTS[module]}
    (statement,) = file.read.tree.body
    assert isinstance(statement, ast.Expr)
    typed = condition(statement.value, scope_of(arguments), file)
    file.problems.raise_if_any()
    assert typed is not None
    return typed.term


def file_of(source: str) -> File:
    """A file whose expressions the checker of the dialect reads."""
    text = read(source)
    file = File(text, Problems(text.source), text.places)
    file.term = lambda node, scope: expression(node, scope, file)
    file.collection = lambda node, scope: collection(node, scope, file)
    return file


def _terms(file: File) -> PolicyTerms:
    functions: dict[str, ast.FunctionDef] = {}
    records: dict[str, RecordType] = {}
    for node in without_docstring(file.read.tree.body):
        match node:
            case ast.ImportFrom(module="dataclasses"):
                pass
            case ast.Import() | ast.ImportFrom():
                read_import(node, file)
            case ast.ClassDef(name=name):
                records[name] = _record(node, file)
                file.enums[name] = ArgumentType(Kind.RECORD, record=records[name])
            case ast.Assign():
                read_constant(node, file)
            case ast.FunctionDef(name=name):
                functions[name] = node
            case _:
                file.say(node, "This statement is not allowed at the top of a policy file.")
    if "allow" not in functions:
        file.say(None, "The policy has no function `allow`.", "Add it at the end.")
        file.problems.raise_if_any()
    allow = functions.pop("allow")
    rules = {name: _rule(Signature(name, BOOL, node), file) for name, node in functions.items()}
    arguments = tuple(Parameter(*one) for one in _parameters(allow, file))
    clauses = _clauses(allow, arguments, file)
    file.problems.raise_if_any()
    named, default = _decision(allow, tuple(rules))
    parts = {rule.name: WrittenPart(rule.line, rule.end_line) for rule in rules.values()}
    parts |= {one.id: WrittenPart(one.line, one.end_line, one.source) for one in clauses}
    return PolicyTerms(
        arguments=arguments,
        sets=file.sets,
        tables=file.tables,
        rules=tuple(rules[name] for name in named),
        default_allow=default,
        preconditions=tuple(one for one in clauses if one.id.startswith("P")),
        clauses=tuple(one for one in clauses if one.id.startswith("C")),
        places=file.places,
        records=records,
        constants=file.constants,
        written=WrittenFile(file.read.source, parts, (), default_allow=default),
    )


def _record(node: ast.ClassDef, file: File) -> RecordType:
    fields: list[tuple[str, ArgumentType]] = []
    for statement in without_docstring(node.body):
        assert isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        fields.append((statement.target.id, _type(statement.annotation, file)))
    return RecordType(node.name, tuple(fields))


def _type(node: ast.expr | None, file: File) -> ArgumentType:
    assert node is not None
    match node:
        case ast.BinOp(left, ast.BitOr(), ast.Constant(None)):
            return replace(_type(left, file), optional=True)
        case ast.Subscript(ast.Name("frozenset"), ast.Name(name)):
            return {"str": SET, "int": ArgumentType(Kind.SET, element=INT)}[name]
        case ast.Subscript(ast.Name("tuple"), ast.Tuple([element, _])):
            return ArgumentType(Kind.LIST, element=_type(element, file))
        case _:
            type_ = annotation(node, file)
    if type_ is None:
        file.problems.raise_if_any()
    assert type_ is not None
    return type_


def _parameters(node: ast.FunctionDef, file: File) -> tuple[tuple[str, ArgumentType], ...]:
    return tuple((one.arg, _type(one.annotation, file)) for one in node.args.args)


def scope_of(arguments: tuple[Parameter, ...]) -> Scope:
    """The scope in which the arguments are known."""
    return Scope({one.name: _meaning(one.name, one.type) for one in arguments})


def _meaning(name: str, type_: ArgumentType) -> Meaning:
    if type_.kind is Kind.SET:
        return TypedSet(SetVariable(name), set_element(type_))
    variable = Variable(name, type_)
    return TypedSet(Elements(variable), type_.element) if type_.kind is Kind.LIST else Typed(variable, type_)


def _rule(one: Signature, file: File) -> Rule:
    parameters = tuple(Parameter(*parameter) for parameter in _parameters(one.node, file))
    body = block_of(one, scope_of(parameters), file)
    requirements, message = split_requirements(docstring(one.node).strip().split("\n")[0].strip())
    end = one.node.end_lineno or 0
    term = Variable("problem", BOOL) if body is None else body.term
    return Rule(one.name, parameters, term, message, requirements, one.node.lineno, end)


def _clauses(allow: ast.FunctionDef, arguments: tuple[Parameter, ...], file: File) -> list[Clause]:
    scope = replace(scope_of(arguments), contract=True)
    clauses: list[Clause] = []
    for statement in without_docstring(allow.body)[:-1]:
        match statement:
            case ast.Expr(ast.Call(ast.Name(word), [node])) if word in _LETTERS:
                pass
            case _:
                raise AssertionError(ast.unparse(statement))
        letter = _LETTERS[word]
        typed = condition(node, replace(scope, result=word == "Ensures"), file)
        if typed is not None:
            requirements, comment = split_requirements(file.read.comment_above(statement.lineno))
            number = 1 + sum(one.id.startswith(letter) for one in clauses)
            source, end = file.problems.segment(node), statement.end_lineno or 0
            clauses.append(
                Clause(f"{letter}{number}", typed.term, requirements, comment, source, statement.lineno, end)
            )
    return clauses


def _decision(allow: ast.FunctionDef, rules: tuple[str, ...]) -> tuple[list[str], bool]:
    """The rules in the order in which they are named, and whether the default is to allow."""
    last = allow.body[-1]
    assert isinstance(last, ast.Return) and last.value is not None
    calls = [node for node in ast.walk(last.value) if isinstance(node, ast.Call)]
    calls.sort(key=lambda node: (node.lineno, node.col_offset))
    named = [node.func.id for node in calls if isinstance(node.func, ast.Name)]
    assert sorted(named) == sorted(rules), "each rule is named once"
    closes = isinstance(last.value, ast.Constant) and last.value.value is False
    if isinstance(last.value, ast.BoolOp):
        end = last.value.values[-1]
        closes = isinstance(end, ast.Constant) and end.value is False
    return named, not closes and all(name.startswith(NEGATED) for name in named)
