"""Expressions over the run: records by key, earlier calls, parts of a run, the context.

Pairs of two lists: ``any(test for a, b in zip(call.old, call.new))``, or ``all``.

Minima, maxima and numbers of distinct values: of two values, and of what each element of a list has.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from workbench.dialect.call_fields import CallType
from workbench.dialect.call_file import RUN, CallFile, common
from workbench.dialect.class_names import key_kinds, key_names
from workbench.dialect.normal_comparisons import form_of
from workbench.dialect.run_terms import part_text, text_of_value
from workbench.dialect.run_values import (
    AS_OF,
    DISTINCT,
    GATHERING,
    LAST,
    SAID,
    ContextValue,
    EarlierCalls,
    Gathered,
    IsLookedUp,
    LastCall,
    PartOfRun,
    RecordAt,
    RunBound,
    UserWords,
    Zipped,
    place_of,
)
from workbench.model import ArgumentType, Kind, Record, RecordType
from workbench.policy.checker.aggregates import all_of, conditions, tested_body
from workbench.policy.checker.present_values import element_is_free, is_collection, present, promoted
from workbench.policy.checker.scope import Meaning, Scope, Typed, TypedSet, suggestion
from workbench.policy.names import free_name
from workbench.policy.terms import (
    Attribute,
    Compare,
    Comparison,
    Constant,
    Elements,
    Quantified,
    Quantifier,
    Sum,
    Variable,
)
from workbench.policy.types import BOOL, INT, STR, a_type, assignable, holds_many, show
from workbench.policy.walk import path_of

_PARTS = ("since", "until")
"""The methods of a run that give a part of it."""
_KEYS = {Kind.STR: "a text", Kind.INT: "a whole number", Kind.DATE: "a date"}


def method_of_run(node: ast.expr, scope: Scope, calls: CallFile) -> str | None:
    """The name of the method if this is ``run.method(...)``, of the run or of a part of it."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    base = node.func.value
    run = scope.names.get(base.id) if isinstance(base, ast.Name) else None
    is_run = isinstance(run, Typed) and run.type == RUN
    return node.func.attr if is_run or method_of_run(base, scope, calls) in _PARTS else None


def is_part_of_run(node: ast.expr, scope: Scope, calls: CallFile) -> bool:
    """Whether this is a part of a run, ``run.since(...)``, or a name of one."""
    meaning = scope.names.get(node.id) if isinstance(node, ast.Name) else None
    term = meaning.term if isinstance(meaning, Typed) else None
    named = calls.values.get(term.name) if isinstance(term, Variable) else None
    return isinstance(named, PartOfRun) or method_of_run(node, scope, calls) in _PARTS


def methods_of(calls: CallFile) -> set[str]:
    """The names of the methods and values of a run."""
    keyed = (name for name, record in calls.types.records.items() if record.key)
    return {"earlier", "context", LAST, *_PARTS, *keyed}


def value_of_run(node: ast.Call, method: str, scope: Scope, calls: CallFile) -> Typed | None:
    """The value of a method of the run, or of a part of it; None, with a problem, if it has none."""
    if method == "earlier":
        calls.file.say(
            node, "`run.earlier(...)` has elements, not a value.", "Use any(...), all(...) or sum(...)."
        )
        return None
    if method in _PARTS:
        return _part_of_run(node, method, scope, calls)
    if isinstance(node.func, ast.Attribute) and bounds_of(node.func.value, scope, calls):
        calls.file.say(node, "A part of a run has earlier calls only.", f"Write run.{method}(...).")
        return None
    if method == LAST:
        return _last(node, scope, calls)
    keys = _keys(node, method, scope, calls)
    if keys is None:
        return None
    at = [_earlier_call(one, method, scope, calls) for one in node.keywords]
    if None in at:
        return None
    as_of = [one for one in at if one is not None]
    of_calls = [one.term for one in as_of if isinstance(one.term, Variable)]
    value = RecordAt(method, tuple(key.term for key in keys), *of_calls)
    text = text_of_value(value, calls.classes)
    calls.name(text, value)
    type_ = ArgumentType(Kind.RECORD, record=calls.types.type_of_record[method], optional=True)
    return calls.file.typed(node, Variable(text, type_), type_, *keys, *as_of)


def is_earlier_call(of: Typed, calls: CallFile) -> bool:
    """Whether a value is an earlier call: an element of the earlier calls, or the last of some."""
    record = of.type.record
    return (
        isinstance(of.term, Variable)
        and record is not None
        and record.field("succeeded") is not None
        and set(record.name.split(" | ")) <= calls.types.calls.keys()
    )


def _earlier_call(keyword: ast.keyword, record: str, scope: Scope, calls: CallFile) -> Typed | None:
    """The earlier call as of which a record is read; None, with a problem, if it is none."""
    call = present(keyword.value, calls.file.term(keyword.value, scope), calls.file)
    if call is None:
        return None
    if is_earlier_call(call, calls):
        return call
    calls.file.say(
        keyword,
        f"`{ast.unparse(keyword.value)[:60]}` is no earlier call as of which a record is read.",
        f"Name an element: any(run.{record}(c.{record}_id, {AS_OF}=c) is None for c in run.earlier(...)).",
    )
    return None


def _keys(node: ast.Call, method: str, scope: Scope, calls: CallFile) -> tuple[Typed, ...] | None:
    """The parts of the key of a record of the run; None, with a problem, if it is none."""
    record = calls.types.records.get(method)
    if record is None or not record.key:
        hint = suggestion(method, methods_of(calls)) or "Declare the record with its key in agent.toml."
        calls.file.say(node, f"The agent has no record `{method}`.", hint)
        return None
    names = key_names(record)
    if (
        len(node.args) != len(names)
        or len(node.keywords) > 1
        or any(one.arg != AS_OF for one in node.keywords)
        or any(isinstance(one, ast.Starred) for one in node.args)
    ):
        many = "one key" if len(names) == 1 else f"{len(names)} keys: {', '.join(names)}"
        shape = f"call.{method}_id" if len(names) == 1 else ", ".join(f"call.{name}" for name in names)
        calls.file.say(node, f"`run.{method}` takes {many}.", f"Write run.{method}({shape}).")
        return None
    keys = [
        _key(argument, key_kinds(record, path), scope, calls)
        for argument, path in zip(node.args, record.keys, strict=True)
    ]
    found = tuple(key for key in keys if key is not None)
    for argument, key in zip(node.args, keys, strict=True):
        if key is not None and (form := form_of(key.term, calls)) and form != record.normal:
            _say_form(argument, form, method, record, calls)
            return None
    return found if len(found) == len(keys) else None


def _say_form(node: ast.expr, form: str, method: str, record: Record, calls: CallFile) -> None:
    """Say that a key in a normal form finds no record that is known by its key as it is written."""
    known = f'in the form "{record.normal}"' if record.normal else "as it is written"
    calls.file.say(
        node,
        f'`{ast.unparse(node)}` is read in the normal form "{form}", and a key of `{method}` {known}: '
        "such a record would never be found.",
        f'Say normal = "{form}" in [records.{method}] of agent.toml, or take it from the parameter.',
    )


def _key(node: ast.expr, kinds: Sequence[Kind], scope: Scope, calls: CallFile) -> Typed | None:
    """A part of a key, which is of one of these kinds; None, with a problem, if it is none."""
    key = present(node, calls.file.term(node, scope), calls.file)
    if key is None:
        return None
    if (Kind.STR if key.type.kind is Kind.ENUM else key.type.kind) not in kinds:
        wanted = " or ".join(_KEYS[kind] for kind in kinds)
        calls.file.say(node, f"{a_type(key.type, first=True)} is no key.", f"Pass {wanted}.")
        return None
    return key


def _part_of_run(node: ast.Call, method: str, scope: Scope, calls: CallFile) -> Typed | None:
    """``run.since(w for w in run.earlier(A) if test)``: the part of the run after the last such call."""
    before = bounds_of(node.func.value, scope, calls) if isinstance(node.func, ast.Attribute) else None
    at = _one_call(node, scope, calls)
    marker = at or (_marker(node, method, scope, calls) if before is not None else None)
    if before is None or marker is None:
        return None
    bounds = (*before, RunBound(method == "since", marker))
    text = part_text(bounds)
    calls.name(text, PartOfRun(bounds))
    return calls.file.typed(node, Variable(text, RUN), RUN, Typed(marker, BOOL))


def _one_call(node: ast.Call, scope: Scope, calls: CallFile) -> Quantified | None:
    """The bound of ``run.until(c)``, which is one earlier call; None for another bound."""
    argument = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if argument is None or isinstance(argument, ast.GeneratorExp):
        return None
    call = None if calls.is_collection(argument, scope) else calls.quietly(argument, scope)
    if call is None or call.type.optional or not is_earlier_call(call, calls):
        return None
    assert isinstance(call.term, Variable) and call.type.record is not None
    tools = tuple(calls.types.calls[name].tool for name in call.type.record.name.split(" | "))
    earlier = EarlierCalls(tools)
    text = text_of_value(earlier, calls.classes)
    calls.name(text, earlier)
    element = replace(call.type, optional=False)
    variable = Variable(
        free_name("c", {*scope.names, *scope.bound, call.term.name, *calls.file.defined()}), element
    )
    among = Elements(Variable(text, ArgumentType(Kind.LIST, element=element)))
    same = Compare(Comparison.EQ, place_of(variable), place_of(call.term))
    return Quantified(Quantifier.ANY, variable, among, same)


def words_of_part(node: ast.Attribute, scope: Scope, calls: CallFile) -> Typed | None:
    """What the user said in a part of the run: ``run.until(c).said``; None, with a problem, if it is none."""
    bounds = bounds_of(node.value, scope, calls)
    if bounds is None:
        return None
    within = (
        calls.values.get(path_of(one.marker.collection.term))
        for one in bounds
        if isinstance(one.marker.collection, Elements)
    )
    if any(isinstance(one, EarlierCalls) and one.bounds for one in within):
        hint = "Write the bounds as conditions of its calls."
        calls.file.say(
            node, "What the user said is read of a part whose bounds are calls of the whole run.", hint
        )
        return None
    if node.attr != SAID and any(one.since for one in bounds):
        hint = f"Write {ast.unparse(node.value)[:60]}.{SAID}."
        calls.file.say(node, "Of a part that begins at a call, all that the user said is read.", hint)
        return None
    words = UserWords(node.attr, bounds)
    return calls.over_run(node, words, text_of_value(words, calls.classes), STR)


def _last(node: ast.Call, scope: Scope, calls: CallFile) -> Typed | None:
    """``run.last(c for c in run.earlier(A) if test)``: the last of these calls, None if there is none."""
    marker = _marker(node, LAST, scope, calls)
    if marker is None or not isinstance(marker.collection, Elements):
        return None
    among = calls.values[path_of(marker.collection.term)]
    if isinstance(among, EarlierCalls) and among.bounds:
        calls.file.say(
            node,
            f"`{LAST}` takes calls of the whole run.",
            "Write the bounds as conditions of its calls.",
        )
        return None
    value = LastCall(marker)
    type_ = replace(marker.variable.type, optional=True)
    text = text_of_value(value, calls.classes)
    return calls.over_run(node, value, text, type_, Typed(marker, BOOL))


def bounds_of(node: ast.expr, scope: Scope, calls: CallFile) -> tuple[RunBound, ...] | None:
    """The bounds of a part of the run, none for the whole one; None, with a problem, if it is no run."""
    part = calls.file.term(node, scope)
    value = calls.values.get(part.term.name) if part and isinstance(part.term, Variable) else None
    return None if part is None else value.bounds if isinstance(value, PartOfRun) else ()


def _marker(node: ast.Call, method: str, scope: Scope, calls: CallFile) -> Quantified | None:
    """Some call of those that bound a part of a run."""
    shape = f"Write run.{method}(c for c in run.earlier(PayInvoice) if c.succeeded)."
    argument = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if isinstance(argument, ast.GeneratorExp) and len(argument.generators) == 1:
        clause, element = argument.generators[0], argument.elt
        is_plain = isinstance(clause.target, ast.Name) and isinstance(element, ast.Name)
        if not is_plain or clause.target.id != element.id or clause.is_async:  # type: ignore[union-attr] # both are names
            argument = None
    many = argument.generators[0].iter if isinstance(argument, ast.GeneratorExp) else argument
    if many is None or method_of_run(many, scope, calls) != "earlier":
        calls.file.say(node, f"`{method}` takes earlier calls.", shape)
        return None
    among = calls.file.collection(many, scope)
    if among is None or among.element is None or not isinstance(among.collection, Elements):
        return None
    if not isinstance(argument, ast.GeneratorExp):
        name = free_name("c", {*scope.names, *calls.file.defined()})
        return Quantified(Quantifier.ANY, Variable(name, among.element), among.collection, Constant(True))
    target = argument.generators[0].target
    assert isinstance(target, ast.Name)
    if not element_is_free(target, scope, calls.file):
        return None
    variable = Variable(target.id, among.element)
    inner = scope.with_bound(target.id, Typed(variable, among.element), among.collection)
    tested, _ = conditions(argument, inner, calls.file)
    if tested is None:
        return None
    return Quantified(Quantifier.ANY, variable, among.collection, all_of(tested))


def earlier_calls(node: ast.Call, scope: Scope, calls: CallFile) -> TypedSet | None:
    """The earlier calls of some tools, in a part of the run; None, with a problem, if they are none."""
    bounds = bounds_of(node.func.value, scope, calls) if isinstance(node.func, ast.Attribute) else None
    if bounds is None:
        return None
    of: list[CallType] = []
    for argument in node.args:
        call = calls.types.calls.get(argument.id) if isinstance(argument, ast.Name) else None
        if call is None:
            hint = suggestion(ast.unparse(argument), calls.types.calls) or "Name the class of a tool."
            calls.file.say(argument, f"`{ast.unparse(argument)[:60]}` is not a class of calls.", hint)
            return None
        if call not in of:
            of.append(call)
    if node.keywords or not node.args:
        calls.file.say(node, "`run.earlier` takes the classes of calls.", "Write run.earlier(PayInvoice).")
        return None
    earlier = EarlierCalls(tuple(call.tool for call in of), bounds)
    text = text_of_value(earlier, calls.classes)
    calls.name(text, earlier)
    element = ArgumentType(Kind.RECORD, record=common([call.earlier for call in of]))
    return TypedSet(Elements(Variable(text, ArgumentType(Kind.LIST, element=element))), element)


def is_looked_up(node: ast.Call, scope: Scope, calls: CallFile) -> Typed | None:
    """``looked_up(run.order(key))``; None, with a problem, if it is of no record."""
    inner = node.args[0] if len(node.args) == 1 and not node.keywords else None
    record = None if inner is None else calls.file.term(inner, scope)
    value = calls.values.get(record.term.name) if record and isinstance(record.term, Variable) else None
    if record is None or not isinstance(value, RecordAt):
        if inner is None or record is not None:
            calls.file.say(node, "`looked_up` takes a record of the run.", "Write looked_up(run.order(key)).")
        return None
    asked = IsLookedUp(value.record, value.keys, value.as_of)
    text = text_of_value(asked, calls.classes)
    calls.name(text, asked)
    return calls.file.typed(node, Variable(text, BOOL), BOOL, record)


def value_of_context(node: ast.Attribute, calls: CallFile) -> Typed | None:
    """``run.context.NAME``, a single value; None, with a problem, if it is none."""
    field = calls.types.context.get(node.attr)
    if field is None:
        hint = suggestion(node.attr, calls.types.context) or "Declare it under [context] in agent.toml."
        calls.file.say(node, f"The context has no value `{node.attr}`.", hint)
        return None
    if holds_many(field.type):
        kind = "a set" if field.type.kind is Kind.SET else "a list"
        calls.file.say(
            node,
            f"`run.context.{node.attr}` is {kind}, not a single value.",
            "Use `in`, any(...) or all(...).",
        )
        return None
    return Typed(Variable(context_value(node.attr, calls), field.type), field.type)


def context_value(name: str, calls: CallFile) -> str:
    """The text of a value of the context, which is noted."""
    text = f"run.context.{name}"
    calls.name(text, ContextValue(name))
    return text


def is_of_context(node: ast.Attribute, scope: Scope) -> bool:
    """Whether this is ``run.context.NAME``."""
    if not isinstance(node.value, ast.Attribute) or node.value.attr != "context":
        return False
    base = node.value.value
    run = scope.names.get(base.id) if isinstance(base, ast.Name) else None
    return isinstance(run, Typed) and run.type == RUN


def zipped(node: ast.Call, quantifier: Quantifier, scope: Scope, calls: CallFile) -> Typed | None:
    """``any(test for a, b in zip(one, other))``, or ``all``."""
    generator, target, pairs = pairs_in(node) or (None, None, None)
    assert generator is not None and target is not None and pairs is not None
    names = [one.id for one in target.elts if isinstance(one, ast.Name)]
    keywords = [keyword.arg for keyword in pairs.keywords]
    if len(names) != 2 or len(set(names)) != 2 or len(pairs.args) != 2 or keywords not in ([], ["strict"]):
        calls.file.say(
            node, "Pairs are of two lists.", f"Write {quantifier}(test for a, b in zip(one, other))."
        )
        return None
    sides = [calls.file.collection(side, scope) for side in pairs.args]
    if not all(element_is_free(one, scope, calls.file) for one in target.elts if isinstance(one, ast.Name)):
        return None
    left, right = sides
    if left is None or right is None:
        return None
    if not (left.is_list and right.is_list and left.element and right.element):
        calls.file.say(pairs, "`zip` takes two lists.", "Pairs need an order, which a set does not have.")
        return None
    assert isinstance(left.collection, Elements) and isinstance(right.collection, Elements)
    text = f"zip({path_of(left.collection.term)}, {path_of(right.collection.term)})"
    calls.name(text, Zipped(left.collection, right.collection))
    fields = ((names[0], left.element), (names[1], right.element))
    element = ArgumentType(Kind.RECORD, record=RecordType("Pair", fields))
    pair = Variable(f"({names[0]}, {names[1]})", element)
    inner = scope
    for (name, type_), side in zip(fields, (left, right), strict=True):
        inner = inner.with_bound(name, Typed(Attribute(pair, name, type_), type_), side.collection)
    body = tested_body(generator, quantifier, inner, calls.file)
    if body is None:
        return None
    among = Elements(Variable(text, ArgumentType(Kind.LIST, element=element)))
    return calls.file.typed(node, Quantified(quantifier, pair, among, body.term), BOOL, body)


def pairs_in(node: ast.Call) -> tuple[ast.GeneratorExp, ast.Tuple, ast.Call] | None:
    """The parts of ``any(test for a, b in zip(...))``; None for another form."""
    generator = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if not isinstance(generator, ast.GeneratorExp) or len(generator.generators) != 1:
        return None
    clause = generator.generators[0]
    pairs = clause.iter
    if not isinstance(pairs, ast.Call) or not isinstance(pairs.func, ast.Name) or pairs.func.id != "zip":
        return None
    return (generator, clause.target, pairs) if isinstance(clause.target, ast.Tuple) else None


_ORDERED = (Kind.INT, Kind.DECIMAL, Kind.DATE, Kind.TIME, Kind.DATETIME, Kind.DURATION)


def is_gathered(node: ast.Call, name: str) -> bool:
    """Whether a call is one of ``min``, ``max``, or ``len`` of a set that is made in place."""
    return name in GATHERING or (name == DISTINCT and any(isinstance(one, ast.SetComp) for one in node.args))


def gathered(node: ast.Call, name: str, scope: Scope, calls: CallFile) -> Typed | None:
    """The value of ``min(a, b)``, ``max((c.total for c in list if test), default=...)`` or ``len({...})``.

    None, with a problem, if it has no meaning. Without a default there is no extreme where no element counts.
    """
    if name in GATHERING and len(node.args) > 1 and not node.keywords:
        return _of_values(node, name, scope, calls)
    argument = node.args[0] if len(node.args) == 1 else None
    keywords = [keyword.arg for keyword in node.keywords]
    if argument is None or keywords not in ([], ["default"]) or (name == DISTINCT and keywords):
        shape = f"Write {name}((x.field for x in list if condition), default=...), or {name}(a, b)."
        calls.file.say(node, f"`{name}` takes values to compare, or one for each element of a list.", shape)
        return None
    found = _each(argument, name, scope, calls)
    if found is None:
        return None
    of, parts = found
    if name == DISTINCT:
        return _noted(node, Gathered(name, of), parts, calls)
    if not node.keywords:
        return _noted(node, Gathered(name, of), parts, calls)
    given = node.keywords[0].value
    if isinstance(given, ast.Constant) and given.value is None:
        return _noted(node, Gathered(name, of, Constant(None)), parts, calls)
    default = present(given, calls.file.term(given, scope), calls.file)
    if default is None:
        return None
    default = promoted(default, Typed(of.value, of.type))
    if not assignable(default.type, of.type):
        calls.file.say(
            given, f"The default is {a_type(default.type)}, not {show(of.type)}.", "Match the type."
        )
        return None
    return _noted(node, Gathered(name, of, default.term), [*parts, default], calls)


def _of_values(node: ast.Call, name: str, scope: Scope, calls: CallFile) -> Typed | None:
    """``min(a, b)`` as the choice that it is: ``a if a <= b else b``.

    An operand stands in it twice, but is read once: its size doubles with each, and is refused.
    """
    operator = ast.LtE() if name == "min" else ast.GtE()
    first, *others = node.args
    chosen, text = calls.file.term(first, scope), ast.unparse(first)
    for node_of_other in others:
        other = calls.file.term(node_of_other, scope)
        if chosen is None or other is None:
            return None
        one, two = ast.Name(text, ast.Load()), ast.Name(ast.unparse(node_of_other), ast.Load())
        inner = scope.with_bound(one.id, chosen).with_bound(two.id, other)
        choice = ast.IfExp(ast.Compare(one, [operator], [two]), one, two)
        chosen = calls.file.term(ast.fix_missing_locations(ast.copy_location(choice, node)), inner)
        text = f"{name}({one.id}, {two.id})"
    return chosen


def _noted(node: ast.Call, value: Gathered, parts: list[Meaning], calls: CallFile) -> Typed | None:
    type_ = INT if value.operation == DISTINCT else value.of.type
    if value.default == Constant(None):
        type_ = replace(type_, optional=True)
    text = text_of_value(value, calls.classes)
    calls.name(text, value)
    return calls.file.typed(node, Variable(text, type_), type_, *parts)


def _each(argument: ast.expr, name: str, scope: Scope, calls: CallFile) -> tuple[Sum, list[Meaning]] | None:
    """What each element of a list has, in the form of the sum of these values."""
    among = _among(argument, name, scope, calls)
    if among is None:
        return None
    made = argument if isinstance(argument, ast.GeneratorExp | ast.SetComp) else None
    target = None if made is None else made.generators[0].target
    if isinstance(target, ast.Name) and not element_is_free(target, scope, calls.file):
        return None
    taken = {*scope.names, *calls.file.defined()}
    own = target.id if isinstance(target, ast.Name) else free_name("item", taken)
    assert among.element is not None and isinstance(among.collection, Elements)
    variable = Variable(own, among.element)
    inner = scope.with_bound(own, Typed(variable, among.element), among.collection)
    tested: list[Typed] | None = []
    value: Typed | None = Typed(variable, among.element)
    if made is not None:
        generator = ast.copy_location(ast.GeneratorExp(made.elt, made.generators), made)
        tested, inner = conditions(generator, inner, calls.file)
        if calls.is_collection(made.elt, inner):
            calls.file.say(made.elt, f"`{name}` takes one value of each element.", "Name one field.")
            return None
        value = present(made.elt, calls.file.term(made.elt, inner), calls.file)
    if value is None or tested is None:
        return None
    is_of_type = value.type.kind is not Kind.RECORD if name == DISTINCT else value.type.kind in _ORDERED
    if not is_of_type or holds_many(value.type):
        hint = "Name a field." if name == DISTINCT else "Compare numbers, dates or times."
        calls.file.say(argument, f"`{name}` is not of {a_type(value.type)}.", hint)
        return None
    meets = all_of(tested)
    return Sum(variable, among.collection, value.term, meets, value.type), [among, value, *tested]


def _among(argument: ast.expr, name: str, scope: Scope, calls: CallFile) -> TypedSet | None:
    """The list whose elements are gathered."""
    many = argument
    if isinstance(argument, ast.GeneratorExp | ast.SetComp):
        clause = argument.generators[0]
        many = clause.iter
        if len(argument.generators) > 1 or clause.is_async or not isinstance(clause.target, ast.Name):
            calls.file.say(
                argument, f"`{name}` takes a value for each element of one list.", "Name the element."
            )
            return None
    if not is_collection(many, scope, calls.file):
        calls.file.say(many, f"`{name}` of one value is that value.", f"Write {name}(a, b), or name a list.")
        return None
    among = calls.file.collection(many, scope)
    if among is not None and not (among.is_list and among.element is not None):
        calls.file.say(many, f"`{name}` runs over a list only.", "A set is tested by any(...) or all(...).")
        return None
    return among
