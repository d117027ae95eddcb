"""Expressions over calls and runs: what ``call`` and ``run`` add to the expressions of the dialect.

Calls of a policy's own functions, which are filled in where they are called.

What a text has: typed parts, places that it came from, readings, sentences, and functions of values.
"""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from workbench.dialect.call_fields import field_and_part, kind_of_field, part_name
from workbench.dialect.call_file import (
    ANY_CALL,
    KIND_CLASSES,
    RUN,
    CallFile,
    Fact,
    FactParameter,
    Spot,
    tool_type,
)
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.element_names import with_own_names
from workbench.dialect.normal_comparisons import (
    in_own_spelling,
    may_compare_texts,
    say_different_forms,
    say_no_such_part,
    say_other_spellings,
)
from workbench.dialect.run_expressions import (
    context_value,
    earlier_calls,
    gathered,
    is_earlier_call,
    is_gathered,
    is_looked_up,
    is_of_context,
    is_part_of_run,
    method_of_run,
    methods_of,
    pairs_in,
    value_of_context,
    value_of_run,
    words_of_part,
    zipped,
)
from workbench.dialect.run_terms import canonical, elements_in, text_of, text_of_value
from workbench.dialect.run_values import (
    CALL,
    SAID,
    SENTENCES_WITH,
    SOURCE_BEFORE,
    WORDS,
    Applied,
    ReadingOf,
    RecordAt,
    SentencesWith,
    SourceOf,
    SourceOfText,
    UserWords,
)
from workbench.dialect.text_readings import has_reading, is_text
from workbench.dialect.told_apart import for_class
from workbench.dialect.value_functions import FUNCTIONS, ValueFunction
from workbench.model import ArgumentType, Kind
from workbench.policy.checker.bodies import block_of
from workbench.policy.checker.expressions import collection, expression, known
from workbench.policy.checker.present_values import present, unguarded
from workbench.policy.checker.scope import File, Meaning, Scope, Signature, Typed, TypedSet, suggestion
from workbench.policy.term_text import render_collection
from workbench.policy.terms import (
    Attribute,
    Collection,
    Constant,
    Elements,
    Not,
    Quantifier,
    SetVariable,
    Term,
    Variable,
)
from workbench.policy.types import STR, a_type, assignable, holds_many, set_element
from workbench.runs.kinds.kinds_by_name import KINDS, OWN_TEXT, kind_of


def call_file(file: File, types: AgentTypes, tool: str = "") -> CallFile:
    """The policy of calls of a file, whose expressions are read by this reader from now on."""
    calls = CallFile(file, types, tool=tool)
    file.left_out = types.unreadable
    file.term = partial(_term, calls=calls)
    file.collection = partial(_collection, calls=calls)
    file.is_many = partial(_is_many, calls=calls)
    file.single = _text_of_kind
    return calls


def _term(node: ast.expr, scope: Scope, calls: CallFile) -> Typed | None:
    """The typed term of an expression; None, with a problem, if it has no meaning in the dialect.

    Readers look at a part before they read what it is a part of, so a term is kept for its scope.
    """
    kept = calls.read.get((id(node), id(scope)))
    if kept is not None:
        return kept[-1]
    problems = len(calls.file.problems.items)
    own = _own(node, scope, calls) if isinstance(node, (ast.Attribute, ast.Call)) else None
    if own is False:
        return None
    typed = known(own, scope, calls.file) if isinstance(own, Typed) else expression(node, scope, calls.file)
    if typed is not None:
        if may_compare_texts(typed.term):
            typed = replace(typed, term=in_own_spelling(typed.term, calls))
            say_other_spellings(node, typed.term, calls)
            say_no_such_part(node, typed.term, calls)
            say_different_forms(node, typed.term, calls)
        if id(typed.term) not in calls.found.spots:
            column = calls.file.problems.column(node.lineno, node.col_offset)
            calls.found.spots[id(typed.term)] = Spot(typed.term, node.lineno, column)
        if len(calls.file.problems.items) == problems:
            calls.read[id(node), id(scope)] = node, scope, typed
    return typed


def _collection(node: ast.expr, scope: Scope, calls: CallFile) -> TypedSet | None:
    """The collection of an expression; None, with a problem, if it is no collection."""
    if isinstance(node, ast.Call) and method_of_run(node, scope, calls) == "earlier":
        return earlier_calls(node, scope, calls)
    if isinstance(node, ast.Call) and is_source_before(node):
        return source_before(node, scope, calls)
    if isinstance(node, ast.Attribute) and (source := source_of(node, scope, calls)) is not None:
        return source
    if isinstance(node, ast.Attribute) and (part := _elements_of_part(node, scope, calls)) is not None:
        return part
    if isinstance(node, ast.Attribute) and _is_reading(node, scope, calls):
        reading = _reading_of(node, scope, calls)
        return None if reading is None else _elements_of(*reading)
    if isinstance(node, ast.Attribute) and is_of_context(node, scope):
        return _elements_of(context_value(node.attr, calls), calls.types.context[node.attr].type)
    return collection(node, scope, calls.file)


def _is_many(node: ast.expr, scope: Scope, calls: CallFile) -> bool:
    if isinstance(node, ast.Call):
        return method_of_run(node, scope, calls) == "earlier" or is_source_before(node)
    if not isinstance(node, ast.Attribute):
        return False
    if _is_reading(node, scope, calls):
        return holds_many(calls.types.readings[node.attr].type)
    if is_of_context(node, scope):
        declared = calls.types.context.get(node.attr)
        return declared is not None and holds_many(declared.type)
    if source_of(node, scope, calls) is not None or _elements_of_part(node, scope, calls) is not None:
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
        return _value_of_fact(node, calls.facts[name], scope, calls) or False
    if is_gathered(node, name):
        return gathered(node, name, scope, calls) or False
    if name in ("any", "all") and pairs_in(node) is not None:
        return zipped(node, Quantifier(name), scope, calls) or False
    return None


def _attribute(node: ast.Attribute, scope: Scope, calls: CallFile) -> Typed | bool | None:
    meaning = scope.names.get(node.value.id) if isinstance(node.value, ast.Name) else None
    if node.attr == "tool" and isinstance(meaning, Typed) and meaning.term == Variable(CALL, meaning.type):
        return _tool(calls)
    if is_part_of_run(node.value, scope, calls):
        if node.attr in WORDS:
            return words_of_part(node, scope, calls) or False
        hint = f"Pass `run` itself to what reads run.{node.attr}."
        calls.file.say(node, "A part of a run has earlier calls only.", hint)
        return False
    if is_of_context(node, scope):
        return value_of_context(node, calls) or False
    if isinstance(meaning, Typed) and meaning.type == RUN:
        if node.attr in WORDS:
            return calls.over_run(node, UserWords(node.attr), f"run.{node.attr}", STR)
        hint = suggestion(node.attr, methods_of(calls)) or "Call run.earlier(...) or a record of the agent."
        calls.file.say(node, f"`run` has no field `{node.attr}`.", hint)
        return False
    if calls.all_have_ended and node.attr == "succeeded":
        return _not_failed(node, scope, calls)
    if _is_reading(node, scope, calls):
        reading = _reading_of(node, scope, calls)
        return False if reading is None or holds_many(reading[1]) else Typed(Variable(*reading), reading[1])
    part = _typed_part(node, scope, calls)
    if part is None:
        return False if _says_no_part(node, scope, calls) else None
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


_MOST_INLINED = 40
_MOST_FILLED_IN = 2_000
"""The most calls of functions that are filled in for one rule or clause: each may double the one before."""


def _value_of_fact(node: ast.Call, fact: Fact, scope: Scope, calls: CallFile) -> Typed | None:
    """The value of a function of the file, which is filled in."""
    if fact.name in calls.inlined:
        circle = [*calls.inlined[calls.inlined.index(fact.name) :], fact.name]
        calls.file.say(
            node, f"`{fact.name}` is computed from itself: {' → '.join(circle)}.", "Break the circle."
        )
        return None
    if len(calls.inlined) >= _MOST_INLINED:
        calls.file.say(
            node, f"Functions call each other more than {_MOST_INLINED} deep.", "Join some of them."
        )
        return None
    calls.filled_in += 1
    if calls.filled_in > _MOST_FILLED_IN:
        calls.file.say(
            node,
            f"Functions are called more than {_MOST_FILLED_IN:,} times by one rule or clause.",
            "Give the values of calls local names, or call fewer functions.",
        )
        return None
    if node.keywords or len(node.args) != len(fact.parameters):
        names = ", ".join(parameter.name for parameter in fact.parameters)
        calls.file.say(
            node,
            f"`{fact.name}` takes {len(fact.parameters)} argument(s).",
            f"Write {fact.name}({names}).",
        )
        return None
    operands = [
        _operand(argument, fact, parameter, scope, calls)
        for argument, parameter in zip(node.args, fact.parameters, strict=True)
    ]
    if any(operand is None for operand in operands):
        return None
    names = {
        parameter.name: operand
        for parameter, operand in zip(fact.parameters, operands, strict=True)
        if operand is not None
    }
    return _known(node, fact, names, scope, calls)


def _known(
    node: ast.Call, fact: Fact, names: Mapping[str, Meaning], scope: Scope, calls: CallFile
) -> Typed | None:
    """The value of a function, which is filled in once for equal operands.

    Two texts tell constants apart that are equal in Python, as True and 1. What is kept counts as filled in
    each time: a term is as large as if it had been.
    """
    texts = tuple(
        text_of(one.term) if isinstance(one, Typed) else render_collection(one.collection)
        for one in names.values()
    )
    around = (scope.bound, scope.present, scope.broken, tuple(scope.element_of.items()))
    key = (fact.name, tuple(names.values()), texts, calls.tool, around)
    kept = calls.filled.get(key)
    if kept is not None:
        typed, inner, found = kept
        calls.filled_in += inner
        calls.add(found)
        return typed
    problems, before = len(calls.file.problems.items), calls.filled_in
    typed, found = calls.apart(partial(_filled_in, node, fact, names, scope, calls))
    if typed is not None and len(calls.file.problems.items) == problems:
        calls.filled[key] = typed, calls.filled_in - before, found
    return typed


def _filled_in(
    node: ast.Call, fact: Fact, names: Mapping[str, Meaning], scope: Scope, calls: CallFile
) -> Typed | None:
    calls.inlined.append(fact.name)
    try:
        # An operand may come to stand inside an element of the function, whose name none of its own may have.
        inner = (elements_in(one.term, calls.values) for one in names.values() if isinstance(one, Typed))
        apart = with_own_names(fact.node, scope.bound.union(*inner))
        for parameter in fact.parameters:
            operand = names[parameter.name]
            record = operand.type.record if isinstance(operand, Typed) else None
            if parameter.classes and record is not None and record.name in parameter.classes:
                apart = for_class(apart, parameter.name, record.name)
        signature = Signature(fact.name, fact.result, apart)
        inner = Scope(names, scope.bound, scope.present, broken=scope.broken, element_of=scope.element_of)
        body = block_of(signature, inner, calls.file)
    finally:
        calls.inlined.pop()
    if body is None:
        return None
    typed = calls.file.typed(
        node, body.term, body.type if fact.result.optional else _fact_type(body, fact), body
    )
    if typed is not None:
        own = canonical(body.term, ChainMap({}, calls.values), calls.classes)
        calls.found.named.setdefault(text_of(own), fact)
    return typed


def _operand(
    node: ast.expr, fact: Fact, parameter: FactParameter, scope: Scope, calls: CallFile
) -> Meaning | None:
    if parameter.classes:
        typed = calls.file.term(node, scope) if not calls.is_collection(node, scope) else None
        record = typed.type.record if typed is not None else None
        names = set(record.name.split(" | ")) if record is not None else set[str]()
        if typed is not None and names and names <= set(parameter.classes) and not typed.type.optional:
            return typed
        if typed is not None and ANY_CALL in parameter.classes and names <= {*calls.types.calls, ANY_CALL}:
            return typed
        if typed is not None:
            expected = " | ".join(parameter.classes)
            calls.file.say(node, f"`{fact.name}` takes a {expected} here.", "Pass such a call.")
        return None
    typed = calls.file.term(node, scope)
    if typed is None:
        return None
    if parameter.type == RUN and typed.type == RUN:
        return typed
    if parameter.kind:
        if _kind_of(typed) == parameter.kind and (parameter.type.optional or not typed.type.optional):
            return typed
        wanted = next(name for name, kind in KIND_CLASSES.items() if kind == parameter.kind)
        calls.file.say(
            node,
            f"`{fact.name}` takes a {wanted} here{'' if parameter.type.optional else ' that is not None'}.",
            "Pass an element of such a list."
            if wanted == parameter.kind
            else f'Pass a text that agent.toml declares as type = "{parameter.kind}".',
        )
        return None
    if parameter.type == RUN or not assignable(typed.type, parameter.type):
        calls.file.say(
            node,
            f"`{fact.name}` takes {a_type(parameter.type)}, not {a_type(typed.type)}.",
            "Pass such a value.",
        )
        return None
    return typed


def _kind_of(typed: Typed) -> str:
    """The kind of a text with typed parts, or of an element that is one; empty for any other value."""
    record = typed.type.record
    if record is not None:
        return KIND_CLASSES.get(record.name, "")
    place = typed.term
    holder = place.record.type.record if isinstance(place, Attribute) else None
    return "" if holder is None or not isinstance(place, Attribute) else kind_of_field(holder, place.name)


def _fact_type(body: Typed, fact: Fact) -> ArgumentType:
    """The type of a filled-in function: the narrower of its body's and the declared one."""
    return body.type if assignable(body.type, fact.result) else fact.result


_TEXTS = (Kind.STR, Kind.ENUM)


def applied(node: ast.Call, method: ast.Attribute, scope: Scope, calls: CallFile) -> Typed | bool | None:
    """A function of a value: ``call.branch.removeprefix("x/")``; None if this is none."""
    function = FUNCTIONS.get(method.attr)
    first = None if function is None else calls.quietly(method.value, scope)
    if function is None or first is None or _text_of_kind(first).type.kind not in function.of:
        return None
    value = present(method.value, calls.file.term(method.value, scope), calls.file)
    operands = _constants(node, function, scope, calls)
    if value is None or operands is None:
        return False
    found = Applied(function.name, (value.term, *operands))
    text = text_of_value(found, calls.classes)
    calls.name(text, found)
    return calls.file.typed(node, Variable(text, function.result), function.result, value) or False


def _constants(
    node: ast.Call, function: ValueFunction, scope: Scope, calls: CallFile
) -> tuple[Constant, ...] | None:
    """The operands of a function after its first, which are constants."""
    read = [calls.file.term(other, scope) for other in node.args]
    constants = [
        one.term
        for one, type_ in zip(read, function.parameters, strict=False)
        if one is not None and isinstance(one.term, Constant) and assignable(one.type, type_)
    ]
    if node.keywords or len(constants) != len(node.args) or len(read) != len(function.parameters):
        shape = ", ".join('"..."' for _ in function.parameters)
        calls.file.say(
            node,
            f"`{function.name}` takes {len(function.parameters)} constant(s).",
            f"Write .{function.name}({shape}).",
        )
        return None
    return tuple(constants)


def _typed_part(node: ast.Attribute, scope: Scope, calls: CallFile) -> Attribute | None:
    """A typed part of a field of a call, an element or a record: ``call.command.programs``.

    None if the field has no such part, or may be None.
    """
    if not _may_be_field(node.value, scope):
        return None
    whole = calls.quietly(node.value, scope)
    if whole is None or not isinstance(whole.term, Attribute) or whole.type.optional:
        return None
    holder = whole.term.record.type.record
    name = part_name(whole.term.name, node.attr)
    type_ = None if holder is None else holder.field(name)
    return None if type_ is None else Attribute(whole.term.record, name, type_)


def _may_be_field(node: ast.expr, scope: Scope) -> bool:
    """Whether an expression may be a field, as a name that stands for another value is none."""
    if not isinstance(node, ast.Name):
        return True
    meaning = scope.names.get(node.id)
    return isinstance(meaning, Typed) and isinstance(meaning.term, Attribute)


def _says_no_part(node: ast.Attribute, scope: Scope, calls: CallFile) -> bool:
    """Say what is wrong with a part of a field that has typed parts; False for any other expression."""
    if not _may_be_field(node.value, scope):
        return False
    whole = calls.quietly(node.value, scope)
    if whole is None or not isinstance(whole.term, Attribute):
        return False
    holder = whole.term.record.type.record
    parts = [
        field_and_part(name)[1]
        for name, _ in (() if holder is None else holder.fields)
        if field_and_part(name)[0] == whole.term.name and field_and_part(name)[1]
    ]
    if not parts:
        return False
    text = ast.unparse(node.value)[:60]
    if node.attr in parts:
        unguarded(node, whole, calls.file)
    elif any(node.attr in kind.ask for kind in KINDS.values() if kind.type.field(parts[-1]) is not None):
        hint = "A set that is not complete is not determinable, so no rule has to ask: leave it out."
        calls.file.say(node, f"`{text}` has no part `{node.attr}`.", hint)
    else:
        hint = suggestion(node.attr, parts) or f"It has {', '.join(parts)}."
        calls.file.say(node, f"`{text}` has no part `{node.attr}`.", hint)
    return True


def _elements_of_part(node: ast.Attribute, scope: Scope, calls: CallFile) -> TypedSet | None:
    """The elements of a typed part that is a set or list."""
    part = _typed_part(node, scope, calls)
    if part is None or not holds_many(part.type):
        return None
    element = set_element(part.type) if part.type.kind is Kind.SET else part.type.element
    return TypedSet(Elements(part), element)


def source_of(node: ast.Attribute, scope: Scope, calls: CallFile) -> TypedSet | None:
    """The places that a text came from: ``call.iban.source``, ``link.source``."""
    if node.attr != "source":
        return None
    text = calls.quietly(node.value, scope)
    text = None if text is None else _text_of_kind(text)
    if text is None or not is_text(text.type) or not isinstance(text.term, Variable | Attribute):
        return None
    path = _path_in_call(text.term) if isinstance(text.term, Attribute) else None
    if path is None and text.type.optional:
        return None
    value = SourceOf(path) if path is not None else SourceOfText(text.term, _call_of(text.term, scope, calls))
    return _source(value, calls)


def _source(value: SourceOf | SourceOfText, calls: CallFile) -> TypedSet:
    name = text_of_value(value, calls.classes)
    calls.name(name, value)
    return TypedSet(SetVariable(name), STR)


def is_source_before(node: ast.Call) -> bool:
    """Whether this is ``link.source_before(c)``."""
    return isinstance(node.func, ast.Attribute) and node.func.attr == SOURCE_BEFORE


def source_before(node: ast.Call, scope: Scope, calls: CallFile) -> TypedSet | None:
    """The places that a text came from before an earlier call; None, with a problem, if it has none."""
    assert isinstance(node.func, ast.Attribute)
    text = present(node.func.value, calls.file.term(node.func.value, scope), calls.file)
    given = node.args[0] if len(node.args) == 1 and not node.keywords else None
    call = None if given is None else present(given, calls.file.term(given, scope), calls.file)
    if text is None or (given is not None and call is None):
        return None
    is_of_text = is_text(text.type) and isinstance(text.term, Variable | Attribute)
    if call is None or not is_of_text or not is_earlier_call(call, calls):
        shape = f'any("user" in call.iban.{SOURCE_BEFORE}(c) for c in run.earlier(...))'
        calls.file.say(node, f"`{SOURCE_BEFORE}` is of a text, and takes an earlier call.", f"Write {shape}.")
        return None
    assert isinstance(call.term, Variable)
    path = _path_in_call(text.term) if isinstance(text.term, Attribute) else None
    return _source(SourceOfText(text.term, call.term) if path is None else SourceOf(path, call.term), calls)


def _text_of_kind(value: Typed) -> Typed:
    """The text of a value of a kind that is an element of a list; another value is as it is."""
    record = None if value.type.optional else value.type.record
    if record is None or kind_of(record) is None or record.field(OWN_TEXT) != STR:
        return value
    of = value.term
    return Typed(Attribute(of, OWN_TEXT, STR), STR) if isinstance(of, Variable | Attribute) else value


def _call_of(term: Term, scope: Scope, calls: CallFile) -> Variable | None:
    """The earlier call that a text is a part of, or as of which it is read; None for another text."""
    while isinstance(term, Attribute):
        pair = scope.element_of.get(term.name) if term.record == _pair_of(term.record) else None
        term = _place_of_elements(pair) if pair is not None else term.record
    if not isinstance(term, Variable):
        return None
    if is_earlier_call(Typed(term, term.type), calls):
        return term
    match calls.values.get(term.name):
        case RecordAt(_, _, as_of):
            return as_of
        case ReadingOf(text) | SentencesWith(text):
            return _call_of(text, scope, calls)
        case Applied(_, (first, *_)):
            return _call_of(first, scope, calls)
        case None if term.name in scope.element_of:
            return _call_of(_place_of_elements(scope.element_of[term.name]), scope, calls)
        case _:
            return None


def _pair_of(term: Term) -> Term | None:
    """The term, if it is a pair of elements of two lists."""
    return term if isinstance(term, Variable) and term.name.startswith("(") else None


def _place_of_elements(collection: Collection) -> Term:
    """What a collection is of, as a term."""
    if isinstance(collection, Elements):
        return collection.term
    return Variable(collection.name, STR) if isinstance(collection, SetVariable) else Constant(None)


def _is_reading(node: ast.Attribute, scope: Scope, calls: CallFile) -> bool:
    """Whether this is a reading of a text, by its name and by what it is of."""
    if node.attr not in calls.types.readings:
        return False
    text = calls.quietly(node.value, scope)
    return text is not None and is_text(text.type)


def _reading_of(node: ast.Attribute, scope: Scope, calls: CallFile) -> tuple[str, ArgumentType] | None:
    """The text and type of a reading: ``call.message.topic``; None, with a problem, if it has none."""
    text = present(node.value, calls.file.term(node.value, scope), calls.file)
    if text is None:
        return None
    if not isinstance(text.term, Variable | Attribute):
        calls.file.say(
            node, f"`{node.attr}` is read of a text that has a name.", "Read each text by itcalls."
        )
        return None
    reading = calls.types.readings[node.attr]
    if not has_reading(reading, *_owner_and_field(text.term, calls)):
        known = ", ".join(f'"{one}"' for one in reading.texts)
        calls.file.say(
            node,
            f"`{node.attr}` is no reading of this text, only of {known}.",
            f"Add the text to [readings.{node.attr}] of agent.toml.",
        )
        return None
    value = ReadingOf(text.term, node.attr, reading.type)
    name = text_of_value(value, calls.classes)
    calls.name(name, value)
    return name, reading.type


def _owner_and_field(text: Variable | Attribute, calls: CallFile) -> tuple[str, str]:
    """The class that has a text, and the name of its field; nothing for an element or another reading."""
    if isinstance(text, Attribute):
        record = text.record.type.record
        return ("" if record is None else record.name), text.name
    match calls.values.get(text.name):
        case UserWords(attribute):
            return "Run", attribute
        case SentencesWith(Variable() | Attribute() as whole):
            return _owner_and_field(whole, calls)
        case _:
            return "", ""


def sentences_with(node: ast.Call, base: ast.expr, scope: Scope, calls: CallFile) -> Typed | None:
    """The sentences of a text in which a value stands: ``run.said.sentences_with(call.recipient)``."""
    if len(node.args) != 1 or node.keywords:
        calls.file.say(
            node, f"`{SENTENCES_WITH}` takes one value.", f"Write run.{SAID}.{SENTENCES_WITH}(call.name)."
        )
        return None
    text = present(base, calls.file.term(base, scope), calls.file)
    value = present(node.args[0], calls.file.term(node.args[0], scope), calls.file)
    if text is None or value is None:
        return None
    for part, typed, kinds in (
        (base, text, _TEXTS),
        (node.args[0], value, (*_TEXTS, Kind.INT, Kind.DECIMAL)),
    ):
        if typed.type.kind not in kinds or not isinstance(typed.term, Variable | Attribute | Constant):
            calls.file.say(
                part,
                f"`{SENTENCES_WITH}` is of a text, and takes a text or a number.",
                f"Write run.{SAID}.{SENTENCES_WITH}(call.name).",
            )
            return None
    found = SentencesWith(text.term, value.term)
    return calls.over_run(node, found, text_of_value(found, calls.classes), STR, text, value)


def _path_in_call(place: Attribute) -> tuple[str, ...] | None:
    """The names of the fields from ``call`` to a value; None if it is of something else."""
    if isinstance(place.record, Variable):
        return (place.name,) if place.record.name == CALL else None
    before = _path_in_call(place.record)
    return None if before is None else (*before, place.name)
