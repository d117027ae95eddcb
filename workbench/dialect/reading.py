"""Expressions over calls and runs: what ``call`` and ``run`` add to the expressions of the dialect."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial

from workbench.dialect.call_file import RUN, CallFile, Spot, tool_type
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.fact_calls import value_of_fact
from workbench.dialect.gathered_values import gathered, is_gathered
from workbench.dialect.normal_comparisons import say_different_forms, say_other_spellings
from workbench.dialect.pair_expressions import pairs_in, zipped
from workbench.dialect.run_expressions import (
    context_value,
    earlier_calls,
    is_looked_up,
    is_of_context,
    method_of_run,
    methods_of,
    value_of_context,
    value_of_run,
)
from workbench.dialect.run_values import CALL, SENTENCES_WITH, WORDS, UserWords
from workbench.dialect.text_expressions import (
    applied,
    elements_of_part,
    is_reading,
    reading_of,
    says_no_part,
    sentences_with,
    source_of,
    typed_part,
)
from workbench.model import ArgumentType, Kind
from workbench.policy.checker.expressions import collection, expression, known
from workbench.policy.checker.scope import File, Scope, Typed, TypedSet, suggestion
from workbench.policy.terms import Elements, Not, Quantifier, SetVariable, Variable
from workbench.policy.types import STR, holds_many, set_element


def call_file(file: File, types: AgentTypes, tool: str = "") -> CallFile:
    """The policy of calls of a file, whose expressions are read by this reader from now on."""
    calls = CallFile(file, types, tool=tool)
    file.nested_lists = True
    file.left_out = types.unreadable
    file.term = partial(_term, calls=calls)
    file.collection = partial(_collection, calls=calls)
    file.is_many = partial(_is_many, calls=calls)
    return calls


def _term(node: ast.expr, scope: Scope, calls: CallFile) -> Typed | None:
    """The typed term of an expression; None, with a problem, if it has no meaning in the dialect.

    Readers look at a part before they read what it is a part of, so a term is kept for its scope.
    """
    kept = calls.read.get((id(node), id(scope)))
    if kept is not None:
        return kept[-1]
    problems = len(calls.file.problems.items)
    own = _own(node, scope, calls)
    if own is False:
        return None
    typed = known(own, scope, calls.file) if isinstance(own, Typed) else expression(node, scope, calls.file)
    if typed is not None:
        say_other_spellings(node, typed.term, calls)
        say_different_forms(node, typed.term, calls)
        column = calls.file.problems.column(node.lineno, node.col_offset)
        calls.spots.setdefault(id(typed.term), Spot(typed.term, node.lineno, column))
        if len(calls.file.problems.items) == problems:
            calls.read[id(node), id(scope)] = node, scope, typed
    return typed


def _collection(node: ast.expr, scope: Scope, calls: CallFile) -> TypedSet | None:
    """The collection of an expression; None, with a problem, if it is no collection."""
    if isinstance(node, ast.Call) and method_of_run(node, scope, calls) == "earlier":
        return earlier_calls(node, scope, calls)
    if isinstance(node, ast.Attribute) and (source := source_of(node, scope, calls)) is not None:
        return source
    if isinstance(node, ast.Attribute) and (part := elements_of_part(node, scope, calls)) is not None:
        return part
    if isinstance(node, ast.Attribute) and is_reading(node, scope, calls):
        reading = reading_of(node, scope, calls)
        return None if reading is None else _elements_of(*reading)
    if isinstance(node, ast.Attribute) and is_of_context(node, scope):
        return _elements_of(context_value(node.attr, calls), calls.types.context[node.attr].type)
    return collection(node, scope, calls.file)


def _is_many(node: ast.expr, scope: Scope, calls: CallFile) -> bool:
    if isinstance(node, ast.Call):
        return method_of_run(node, scope, calls) == "earlier"
    if isinstance(node, ast.Attribute) and is_reading(node, scope, calls):
        return holds_many(calls.types.readings[node.attr].type)
    if isinstance(node, ast.Attribute) and is_of_context(node, scope):
        declared = calls.types.context.get(node.attr)
        return declared is not None and holds_many(declared.type)
    if not isinstance(node, ast.Attribute):
        return False
    if source_of(node, scope, calls) is not None or elements_of_part(node, scope, calls) is not None:
        return True
    if isinstance(node.value, ast.Name):
        return False
    record = calls.quietly(node.value, scope)
    declared = record.type.record.field(node.attr) if record and record.type.record else None
    return declared is not None and holds_many(declared)


def _own(node: ast.expr, scope: Scope, calls: CallFile) -> Typed | bool | None:
    """The term of an expression that only a policy of calls has.

    None if the expression is of no such form; False, with a problem, if it is and has no meaning.
    """
    if isinstance(node, ast.Attribute):
        return _attribute(node, scope, calls)
    if not isinstance(node, ast.Call):
        return None
    if (method := method_of_run(node, scope, calls)) is not None:
        return value_of_run(node, method, scope, calls) or False
    if isinstance(node.func, ast.Attribute) and node.func.attr == SENTENCES_WITH:
        return sentences_with(node, node.func.value, scope, calls) or False
    if isinstance(node.func, ast.Attribute):
        return applied(node, node.func, scope, calls)
    return _named(node, node.func.id, scope, calls) if isinstance(node.func, ast.Name) else None


def _named(node: ast.Call, name: str, scope: Scope, calls: CallFile) -> Typed | bool | None:
    """The value of a function with this name, as in ``_own``."""
    if name == "looked_up":
        return is_looked_up(node, scope, calls) or False
    if name in calls.facts:
        return value_of_fact(node, calls.facts[name], scope, calls) or False
    if is_gathered(node, name):
        return gathered(node, name, scope, calls) or False
    if name in ("any", "all") and pairs_in(node) is not None:
        return zipped(node, Quantifier(name), scope, calls) or False
    return None


def _attribute(node: ast.Attribute, scope: Scope, calls: CallFile) -> Typed | bool | None:
    meaning = scope.names.get(node.value.id) if isinstance(node.value, ast.Name) else None
    if isinstance(meaning, Typed) and meaning.term == Variable(CALL, meaning.type) and node.attr == "tool":
        return _tool(calls)
    if is_of_context(node, scope):
        return value_of_context(node, calls) or False
    if isinstance(meaning, Typed) and meaning.type == RUN and node.attr in WORDS:
        return calls.over_run(node, UserWords(node.attr), f"run.{node.attr}", STR)
    if isinstance(meaning, Typed) and meaning.type == RUN:
        hint = suggestion(node.attr, methods_of(calls)) or "Call run.earlier(...) or a record of the agent."
        calls.file.say(node, f"`run` has no field `{node.attr}`.", hint)
        return False
    if calls.all_have_ended and node.attr == "succeeded":
        return _not_failed(node, scope, calls)
    if is_reading(node, scope, calls):
        reading = reading_of(node, scope, calls)
        return False if reading is None or holds_many(reading[1]) else Typed(Variable(*reading), reading[1])
    part = typed_part(node, scope, calls)
    if part is None:
        return False if says_no_part(node, scope, calls) else None
    return None if holds_many(part.type) else Typed(part, part.type)


def _not_failed(node: ast.Attribute, scope: Scope, calls: CallFile) -> Typed | None:
    """That a call which has ended did not fail; None if this is a field of another value."""
    call = calls.quietly(node.value, scope)
    record = None if call is None or call.type.optional else call.type.record
    is_call = record is not None and set(record.name.split(" | ")) <= calls.types.calls.keys()
    failed = (
        calls.file.term(ast.copy_location(ast.Attribute(node.value, "failed"), node), scope)
        if is_call
        else None
    )
    return None if failed is None else replace(failed, term=Not(failed.term))


def _tool(calls: CallFile) -> Typed:
    type_ = tool_type(call.tool for call in calls.types.calls.values())
    return Typed(Variable("call.tool", type_), type_)


def _elements_of(text: str, type_: ArgumentType) -> TypedSet:
    """The elements of a value over the run that is a set or list."""
    if type_.kind is Kind.SET:
        return TypedSet(SetVariable(text), set_element(type_))
    return TypedSet(Elements(Variable(text, type_)), type_.element)
