"""Expressions over calls and runs: what ``call`` and ``run`` add to the expressions of the dialect."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field

from workbench.dialect.call_fields import CallField, CallType
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.run_terms import canonical, record_text, text_of
from workbench.dialect.run_values import (
    CALL,
    ContextValue,
    EarlierCalls,
    IsLookedUp,
    PartOf,
    RecordAt,
    RunValue,
    SourceOf,
    Zipped,
)
from workbench.model import ArgumentType, Kind, Record, RecordType
from workbench.policy.checker.aggregates import conditions
from workbench.policy.checker.bodies import block_of
from workbench.policy.checker.expressions import collection, expression, known
from workbench.policy.checker.present_values import element_is_free, is_collection, present
from workbench.policy.checker.scope import File, Meaning, Scope, Signature, Typed, TypedSet, suggestion
from workbench.policy.terms import (
    And,
    Attribute,
    Elements,
    Not,
    Or,
    Quantified,
    Quantifier,
    SetVariable,
    Variable,
)
from workbench.policy.types import BOOL, STR, a_type, assignable, holds_many, set_element
from workbench.policy.walk import path_of
from workbench.runs.kinds.kinds_by_name import KINDS

RUN = ArgumentType(Kind.RECORD, record=RecordType("Run", ()))
"""The type of ``run``, which no other value has."""
ANY_CALL = "Call"
"""The class of the calls of all tools, with the fields that all of them have."""
MOST_INLINED = 40
MOST_FILLED_IN = 2_000
"""The most calls of functions that are filled in for one rule or clause: each may double the one before."""


@dataclass
class CallFile:
    """A policy of calls under check: its functions, and the values over the run that its terms name."""

    file: File
    types: AgentTypes
    facts: dict[str, Fact] = field(default_factory=dict[str, "Fact"])
    values: dict[str, RunValue] = field(default_factory=dict[str, RunValue])
    named: dict[str, Fact] = field(default_factory=dict[str, "Fact"])
    tool: str = ""
    inlined: list[str] = field(default_factory=list[str])
    filled_in: int = 0

    def __post_init__(self) -> None:
        """Let the readers of the dialect read the parts of an expression by this one."""
        self.file.nested_lists = True
        self.file.left_out = self.types.unreadable
        self.file.term = self.term
        self.file.collection = self.collection
        self.file.is_many = self._is_many

    @property
    def classes(self) -> dict[str, str]:
        """The names of the classes of tools."""
        return {call.tool: name for name, call in self.types.calls.items()}

    # --- readers ------------------------------------------------------------------

    def term(self, node: ast.expr, scope: Scope) -> Typed | None:
        """The typed term of an expression; None, with a problem, if it has no meaning in the dialect."""
        typed = self._own(node, scope)
        if isinstance(typed, Typed) or typed is False:
            return known(typed, scope, self.file) if isinstance(typed, Typed) else None
        return expression(node, scope, self.file)

    def collection(self, node: ast.expr, scope: Scope) -> TypedSet | None:
        """The collection of an expression; None, with a problem, if it is no collection."""
        if isinstance(node, ast.Call) and self._method_of_run(node, scope) == "earlier":
            return self._earlier(node)
        if isinstance(node, ast.Attribute) and (source := self._source(node, scope)) is not None:
            return source
        if isinstance(node, ast.Attribute) and (part := self._part_elements(node, scope)) is not None:
            return part
        return collection(node, scope, self.file)

    def is_collection(self, node: ast.expr, scope: Scope) -> bool:
        """Whether an expression is meant as a set or list."""
        return is_collection(node, scope, self.file)

    def _is_many(self, node: ast.expr, scope: Scope) -> bool:
        if isinstance(node, ast.Call):
            return self._method_of_run(node, scope) == "earlier"
        if not isinstance(node, ast.Attribute) or (
            isinstance(node.value, ast.Name) and node.attr != "source"
        ):
            return False
        if self._source(node, scope) is not None or self._part_elements(node, scope) is not None:
            return True
        record = self._quietly(node.value, scope)
        declared = record.type.record.field(node.attr) if record and record.type.record else None
        return declared is not None and holds_many(declared)

    def _quietly(self, node: ast.expr, scope: Scope) -> Typed | None:
        """The term of an expression, without a problem if it has none."""
        before = list(self.file.problems.items)
        try:
            return None if self.is_collection(node, scope) else self.term(node, scope)
        finally:
            self.file.problems.items[:] = before

    def _own(self, node: ast.expr, scope: Scope) -> Typed | bool | None:
        """The term of an expression that only a policy of calls has.

        None if the expression is of no such form; False, with a problem, if it is and has no meaning.
        """
        if isinstance(node, ast.Attribute):
            return self._attribute(node, scope)
        if not isinstance(node, ast.Call):
            return None
        if (method := self._method_of_run(node, scope)) is not None:
            return self._of_run(node, method, scope) or False
        if not isinstance(node.func, ast.Name):
            return None
        name = node.func.id
        if name == "looked_up":
            return self._looked_up(node, scope) or False
        if name in self.facts:
            return self._fact(node, self.facts[name], scope) or False
        if name in ("any", "all") and _pairs(node) is not None:
            return self._zipped(node, Quantifier(name), scope) or False
        return None

    # --- attributes ---------------------------------------------------------------

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Typed | bool | None:
        meaning = scope.names.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if (
            isinstance(meaning, Typed)
            and meaning.term == Variable(CALL, meaning.type)
            and node.attr == "tool"
        ):
            return self._tool()
        if isinstance(node.value, ast.Attribute) and node.value.attr == "context":
            base = node.value.value
            run = scope.names.get(base.id) if isinstance(base, ast.Name) else None
            if isinstance(run, Typed) and run.type == RUN:
                return self._context(node) or False
        if isinstance(meaning, Typed) and meaning.type == RUN:
            hint = suggestion(node.attr, self._methods()) or "Call run.earlier(...) or a record of the agent."
            self.file.say(node, f"`run` has no field `{node.attr}`.", hint)
            return False
        part = self._part(node, scope)
        if part is None or holds_many(part[1]):
            return None
        return Typed(Variable(*part), part[1])

    def _tool(self) -> Typed:
        type_ = ArgumentType(Kind.ENUM, tuple(call.tool for call in self.types.calls.values()))
        return Typed(Variable("call.tool", type_), type_)

    def _context(self, node: ast.Attribute) -> Typed | None:
        declared = self.types.context.get(node.attr)
        if declared is None:
            hint = suggestion(node.attr, self.types.context) or "Declare it under [context] in agent.toml."
            self.file.say(node, f"The context has no value `{node.attr}`.", hint)
            return None
        text = f"run.context.{node.attr}"
        self.values[text] = ContextValue(node.attr)
        return Typed(Variable(text, declared), declared)

    def _part(self, node: ast.Attribute, scope: Scope) -> tuple[str, ArgumentType] | None:
        """The text and type of a typed part of a value of the call: ``call.command.programs``.

        None if the value is of no kind, has no such part, or may be None.
        """
        if not isinstance(node.value, ast.Attribute) or not self.tool:
            return None
        whole = self._quietly(node.value, scope)
        path = _path_in_call(whole.term) if whole is not None and isinstance(whole.term, Attribute) else None
        if whole is None or path is None or whole.type.optional:
            return None
        kind = _kind_at(self.types.of_tool(self.tool).fields, path)
        type_ = KINDS[kind].type.field(node.attr) if kind in KINDS else None
        if type_ is None:
            return None
        text = f"{CALL}.{'.'.join(path)}.{node.attr}"
        self.values[text] = PartOf(path, node.attr)
        return text, type_

    def _part_elements(self, node: ast.Attribute, scope: Scope) -> TypedSet | None:
        """The elements of a typed part that is a set or list."""
        part = self._part(node, scope)
        if part is None or not holds_many(part[1]):
            return None
        text, type_ = part
        if type_.kind is Kind.SET:
            return TypedSet(SetVariable(text), set_element(type_))
        return TypedSet(Elements(Variable(text, type_)), type_.element)

    def _source(self, node: ast.Attribute, scope: Scope) -> TypedSet | None:
        """The places that a text of the decided call came from: ``call.iban.source``."""
        if node.attr != "source" or not isinstance(node.value, ast.Attribute):
            return None
        text = self._quietly(node.value, scope)
        if (
            text is None
            or text.type.kind not in (Kind.STR, Kind.ENUM)
            or not isinstance(text.term, Attribute)
        ):
            return None
        path = _path_in_call(text.term)
        if path is None:
            return None
        name = f"{path_of(text.term)}.source"
        self.values[name] = SourceOf(path)
        return TypedSet(SetVariable(name), STR)

    # --- the run ------------------------------------------------------------------

    def _method_of_run(self, node: ast.expr, scope: Scope) -> str | None:
        """The name of the method if this is ``run.method(...)``."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return None
        base = node.func.value
        run = scope.names.get(base.id) if isinstance(base, ast.Name) else None
        return node.func.attr if isinstance(run, Typed) and run.type == RUN else None

    def _methods(self) -> set[str]:
        return {"earlier", "context", *(name for name, record in self.types.records.items() if record.key)}

    def _of_run(self, node: ast.Call, method: str, scope: Scope) -> Typed | None:
        if method == "earlier":
            self.file.say(
                node, "`run.earlier(...)` has elements, not a value.", "Use any(...), all(...) or sum(...)."
            )
            return None
        found = self._record(node, method, scope)
        if found is None:
            return None
        record, key = found
        text = record_text(method, key.term)
        self.values[text] = RecordAt(method, key.term)
        type_ = ArgumentType(Kind.RECORD, record=record.type, optional=True)
        return self.file.typed(node, Variable(text, type_), type_, key)

    def _record(self, node: ast.Call, method: str, scope: Scope) -> tuple[Record, Typed] | None:
        record = self.types.records.get(method)
        if record is None or not record.key:
            hint = suggestion(method, self._methods()) or "Declare the record with its key in agent.toml."
            self.file.say(node, f"The agent has no record `{method}`.", hint)
            return None
        if record.key_parts:
            self.file.say(
                node, f"The key of `{method}` has several parts.", "Only a record with one key is read."
            )
            return None
        if len(node.args) != 1 or node.keywords:
            self.file.say(node, f"`run.{method}` takes one key.", f"Write run.{method}(call.{method}_id).")
            return None
        key = present(node.args[0], self.term(node.args[0], scope), self.file)
        if key is None:
            return None
        if key.type.kind not in (Kind.STR, Kind.ENUM, Kind.INT):
            self.file.say(
                node.args[0], f"{a_type(key.type, first=True)} is no key.", "Pass a text or a whole number."
            )
            return None
        return record, key

    def _earlier(self, node: ast.Call) -> TypedSet | None:
        calls: list[CallType] = []
        for argument in node.args:
            call = self.types.calls.get(argument.id) if isinstance(argument, ast.Name) else None
            if call is None:
                hint = suggestion(ast.unparse(argument), self.types.calls) or "Name the class of a tool."
                self.file.say(argument, f"`{ast.unparse(argument)[:60]}` is not a class of calls.", hint)
                return None
            if call not in calls:
                calls.append(call)
        if node.keywords or not node.args:
            self.file.say(node, "`run.earlier` takes the classes of calls.", "Write run.earlier(PayInvoice).")
            return None
        text = f"run.earlier({', '.join(call.name for call in calls)})"
        self.values[text] = EarlierCalls(tuple(call.tool for call in calls))
        element = ArgumentType(Kind.RECORD, record=common([call.earlier for call in calls]))
        return TypedSet(Elements(Variable(text, ArgumentType(Kind.LIST, element=element))), element)

    def _looked_up(self, node: ast.Call, scope: Scope) -> Typed | None:
        inner = node.args[0] if len(node.args) == 1 and not node.keywords else None
        record = None if inner is None else self.term(inner, scope)
        value = self.values.get(record.term.name) if record and isinstance(record.term, Variable) else None
        if record is None or not isinstance(value, RecordAt):
            if inner is None or record is not None:
                self.file.say(
                    node, "`looked_up` takes a record of the run.", "Write looked_up(run.order(key))."
                )
            return None
        text = f"looked_up({record_text(value.record, value.key)})"
        self.values[text] = IsLookedUp(value.record, value.key)
        return self.file.typed(node, Variable(text, BOOL), BOOL, record)

    # --- pairs --------------------------------------------------------------------

    def _zipped(self, node: ast.Call, quantifier: Quantifier, scope: Scope) -> Typed | None:
        """``any(test for a, b in zip(one, other))``, or ``all``."""
        generator, target, pairs = _pairs(node) or (None, None, None)
        assert generator is not None and target is not None and pairs is not None
        names = [one.id for one in target.elts if isinstance(one, ast.Name)]
        keywords = [keyword.arg for keyword in pairs.keywords]
        if (
            len(names) != 2
            or len(set(names)) != 2
            or len(pairs.args) != 2
            or keywords not in ([], ["strict"])
        ):
            self.file.say(
                node, "Pairs are of two lists.", f"Write {quantifier}(test for a, b in zip(one, other))."
            )
            return None
        sides = [self.file.collection(side, scope) for side in pairs.args]
        if not all(
            element_is_free(one, scope, self.file) for one in target.elts if isinstance(one, ast.Name)
        ):
            return None
        left, right = sides
        if left is None or right is None:
            return None
        if not (left.is_list and right.is_list and left.element and right.element):
            self.file.say(pairs, "`zip` takes two lists.", "Pairs need an order, which a set does not have.")
            return None
        assert isinstance(left.collection, Elements) and isinstance(right.collection, Elements)
        text = f"zip({path_of(left.collection.term)}, {path_of(right.collection.term)})"
        self.values[text] = Zipped(left.collection, right.collection)
        fields = ((names[0], left.element), (names[1], right.element))
        element = ArgumentType(Kind.RECORD, record=RecordType("Pair", fields))
        pair = Variable(f"({names[0]}, {names[1]})", element)
        inner = scope
        for name, type_ in fields:
            inner = inner.with_bound(name, Typed(Attribute(pair, name, type_), type_))
        body = self._pair_body(generator, quantifier, inner)
        if body is None:
            return None
        among = Elements(Variable(text, ArgumentType(Kind.LIST, element=element)))
        return self.file.typed(node, Quantified(quantifier, pair, among, body.term), BOOL, body)

    def _pair_body(self, generator: ast.GeneratorExp, quantifier: Quantifier, scope: Scope) -> Typed | None:
        tested, scope = conditions(generator, scope, self.file)
        body = present(generator.elt, self.term(generator.elt, scope), self.file)
        if body is None or tested is None:
            return None
        if body.type.kind is not Kind.BOOL:
            self.file.say(
                generator.elt,
                f"A condition is expected here, but this is {a_type(body.type)}.",
                "Compare it.",
            )
            return None
        if not tested:
            return body
        tests = tuple(test.term for test in tested)
        term = (
            And((*tests, body.term))
            if quantifier is Quantifier.ANY
            else Or((*(Not(test) for test in tests), body.term))
        )
        return self.file.typed(generator, term, BOOL, *tested, body)

    # --- facts --------------------------------------------------------------------

    def _fact(self, node: ast.Call, fact: Fact, scope: Scope) -> Typed | None:
        """The value of a function of the file, which is filled in."""
        if fact.name in self.inlined:
            circle = [*self.inlined[self.inlined.index(fact.name) :], fact.name]
            self.file.say(
                node, f"`{fact.name}` is computed from itself: {' → '.join(circle)}.", "Break the circle."
            )
            return None
        if len(self.inlined) >= MOST_INLINED:
            self.file.say(
                node, f"Functions call each other more than {MOST_INLINED} deep.", "Join some of them."
            )
            return None
        self.filled_in += 1
        if self.filled_in > MOST_FILLED_IN:
            self.file.say(
                node,
                f"Functions are called more than {MOST_FILLED_IN:,} times by one rule or clause.",
                "Give the values of calls local names, or call fewer functions.",
            )
            return None
        if node.keywords or len(node.args) != len(fact.parameters):
            names = ", ".join(parameter.name for parameter in fact.parameters)
            self.file.say(
                node,
                f"`{fact.name}` takes {len(fact.parameters)} argument(s).",
                f"Write {fact.name}({names}).",
            )
            return None
        operands = [
            self._operand(argument, fact, parameter, scope)
            for argument, parameter in zip(node.args, fact.parameters, strict=True)
        ]
        if any(operand is None for operand in operands):
            return None
        names = {
            parameter.name: operand
            for parameter, operand in zip(fact.parameters, operands, strict=True)
            if operand is not None
        }
        return self._filled_in(node, fact, names, scope)

    def _filled_in(
        self, node: ast.Call, fact: Fact, names: Mapping[str, Meaning], scope: Scope
    ) -> Typed | None:
        self.inlined.append(fact.name)
        try:
            apart = with_own_names(fact.node, scope.bound)
            signature = Signature(fact.name, (), fact.result, apart, "helper")
            body = block_of(
                signature, Scope(names, scope.bound, scope.present, broken=scope.broken), self.file
            )
        finally:
            self.inlined.pop()
        if body is None:
            return None
        typed = self.file.typed(
            node, body.term, body.type if fact.result.optional else fact_type(body, fact), body
        )
        if typed is not None:
            own = canonical(body.term, self.values, self.classes)
            self.named.setdefault(text_of(own), fact)
        return typed

    def _operand(self, node: ast.expr, fact: Fact, parameter: FactParameter, scope: Scope) -> Meaning | None:
        if parameter.classes:
            typed = self.term(node, scope) if not self.is_collection(node, scope) else None
            record = typed.type.record if typed is not None else None
            names = set(record.name.split(" | ")) if record is not None else set[str]()
            if typed is not None and names and names <= set(parameter.classes) and not typed.type.optional:
                return typed
            if typed is not None and ANY_CALL in parameter.classes and names <= {*self.types.calls, ANY_CALL}:
                return typed
            if typed is not None:
                expected = " | ".join(parameter.classes)
                self.file.say(node, f"`{fact.name}` takes a {expected} here.", "Pass such a call.")
            return None
        typed = self.term(node, scope)
        if typed is None:
            return None
        if parameter.type == RUN and typed.type == RUN:
            return typed
        if parameter.type == RUN or not assignable(typed.type, parameter.type):
            self.file.say(
                node,
                f"`{fact.name}` takes {a_type(parameter.type)}, not {a_type(typed.type)}.",
                "Pass such a value.",
            )
            return None
        return typed


@dataclass(frozen=True, slots=True)
class FactParameter:
    """A parameter of a function: its type, or the classes of calls that it takes."""

    name: str
    type: ArgumentType
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """A function that rules and other functions read; ``noun`` is the first line of its docstring."""

    name: str
    parameters: tuple[FactParameter, ...]
    result: ArgumentType
    node: ast.FunctionDef
    noun: str


def fact_type(body: Typed, fact: Fact) -> ArgumentType:
    """The type of a filled-in function: the narrower of its body's and the declared one."""
    return body.type if assignable(body.type, fact.result) else fact.result


def common(records: list[RecordType]) -> RecordType:
    """The fields that all of these classes have with one type, under the names of the classes."""
    first, *others = records
    fields = tuple(
        (name, type_) for name, type_ in first.fields if all(other.field(name) == type_ for other in others)
    )
    return RecordType(" | ".join(record.name for record in records), fields)


def with_own_names(function: ast.FunctionDef, taken: frozenset[str]) -> ast.FunctionDef:
    """A copy of a function in which the names of elements are apart.

    An element has no name that is taken, none of an element around it, and none of an element in a local
    name, whose value may be filled in anywhere. Nor is it ``call``, which is the decided call in every term,
    whatever its parameter is called; a parameter ``call`` keeps its name, and no element may have it then.
    """
    copy = deepcopy(function)
    used = set(taken)
    if all(parameter.arg != CALL for parameter in function.args.args):
        used.add(CALL)
    for statement in ast.walk(copy):
        if isinstance(statement, ast.Assign):
            _rename_apart(statement.value, used, every=True)
    for statement in copy.body:
        if not isinstance(statement, ast.Assign):
            _rename_apart(statement, set(used), every=False)
    return copy


def _rename_apart(node: ast.AST, used: set[str], *, every: bool) -> None:
    """Give the elements of generators in a node names that are not used; with ``every`` each its own name."""
    if isinstance(node, ast.Assign) and not every:
        return
    inner = used
    if isinstance(node, ast.GeneratorExp):
        targets = [part for part in ast.walk(node.generators[0].target) if isinstance(part, ast.Name)]
        names = {target.id: _unused(target.id, used) for target in targets}
        if any(old != new for old, new in names.items()):
            _rename(node, names)
        if every:
            used |= set(names.values())
        else:
            inner = used | set(names.values())
    for part in ast.iter_child_nodes(node):
        _rename_apart(part, inner, every=every)


def _unused(name: str, used: set[str]) -> str:
    number, candidate = 1, name
    while candidate in used:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def _rename(generator: ast.GeneratorExp, names: Mapping[str, str]) -> None:
    """Rename the elements of a generator, but not in the collection that it runs over."""
    clause = generator.generators[0]
    for root in (clause.target, generator.elt, *clause.ifs):
        for part in ast.walk(root):
            if isinstance(part, ast.Name):
                part.id = names.get(part.id, part.id)


def _pairs(node: ast.Call) -> tuple[ast.GeneratorExp, ast.Tuple, ast.Call] | None:
    """The parts of ``any(test for a, b in zip(...))``; None for another form."""
    generator = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if not isinstance(generator, ast.GeneratorExp) or len(generator.generators) != 1:
        return None
    clause = generator.generators[0]
    pairs = clause.iter
    if not isinstance(pairs, ast.Call) or not isinstance(pairs.func, ast.Name) or pairs.func.id != "zip":
        return None
    return (generator, clause.target, pairs) if isinstance(clause.target, ast.Tuple) else None


def _kind_at(fields: tuple[CallField, ...], path: tuple[str, ...]) -> str:
    """The kind of value by which the text at a path of the call is read; empty if it is of none."""
    found = next((one for one in fields if one.name == path[0]), None)
    if found is None:
        return ""
    return found.kind if len(path) == 1 else _kind_at(found.fields, path[1:])


def _path_in_call(place: Attribute) -> tuple[str, ...] | None:
    """The names of the fields from ``call`` to a value; None if it is of something else."""
    if isinstance(place.record, Variable):
        return (place.name,) if place.record.name == CALL else None
    before = _path_in_call(place.record)
    return None if before is None else (*before, place.name)
