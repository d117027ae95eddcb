"""Expressions over calls and runs: what ``call`` and ``run`` add to the expressions of the dialect."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace

from workbench.dialect.call_fields import CallType, field_and_part, part_name
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.class_names import LAST_SAID, SAID
from workbench.dialect.run_terms import canonical, part_text, record_text, text_of, text_of_value
from workbench.dialect.run_values import (
    CALL,
    LAST,
    SENTENCES_WITH,
    Applied,
    ContextValue,
    EarlierCalls,
    IsLookedUp,
    LastCall,
    PartOfRun,
    ReadingOf,
    RecordAt,
    RunBound,
    RunValue,
    SentencesWith,
    SourceOf,
    SourceOfText,
    UserWords,
    Zipped,
)
from workbench.dialect.text_readings import has_reading, is_text
from workbench.dialect.told_apart import for_class
from workbench.dialect.value_functions import FUNCTIONS, ValueFunction
from workbench.model import ArgumentType, Kind, Record, RecordType
from workbench.policy.checker.aggregates import conditions
from workbench.policy.checker.bodies import block_of
from workbench.policy.checker.expressions import collection, expression, known
from workbench.policy.checker.present_values import element_is_free, fresh, is_collection, present, unguarded
from workbench.policy.checker.scope import File, Meaning, Scope, Signature, Typed, TypedSet, suggestion
from workbench.policy.terms import (
    And,
    Attribute,
    Constant,
    Elements,
    Not,
    Or,
    Quantified,
    Quantifier,
    SetVariable,
    Term,
    Variable,
)
from workbench.policy.types import BOOL, STR, a_type, assignable, holds_many, set_element
from workbench.policy.walk import path_of
from workbench.runs.kinds.kinds_by_name import KINDS

RUN = ArgumentType(Kind.RECORD, record=RecordType("Run", ()))
"""The type of ``run``, which no other value has."""
ANY_CALL = "Call"
"""The class of the calls of all tools, with the fields that all of them have."""
_PARTS = ("since", "until")
"""The methods of a run that give a part of it."""
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
    spots: dict[int, Spot] = field(default_factory=dict[int, "Spot"])

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
        own = self._own(node, scope)
        if own is False:
            return None
        typed = known(own, scope, self.file) if isinstance(own, Typed) else expression(node, scope, self.file)
        if typed is not None:
            column = self.file.problems.column(node.lineno, node.col_offset)
            self.spots.setdefault(id(typed.term), Spot(typed.term, node.lineno, column))
        return typed

    def collection(self, node: ast.expr, scope: Scope) -> TypedSet | None:
        """The collection of an expression; None, with a problem, if it is no collection."""
        if isinstance(node, ast.Call) and self._method_of_run(node, scope) == "earlier":
            return self._earlier(node, scope)
        if isinstance(node, ast.Attribute) and (source := self._source(node, scope)) is not None:
            return source
        if isinstance(node, ast.Attribute) and (part := self._part_elements(node, scope)) is not None:
            return part
        if isinstance(node, ast.Attribute) and self._is_of_text(node, scope):
            reading = self._reading(node, scope)
            return None if reading is None else _elements_of(*reading)
        if isinstance(node, ast.Attribute) and _is_of_context(node, scope):
            return _elements_of(self._context_value(node.attr), self.types.context[node.attr].type)
        return collection(node, scope, self.file)

    def is_collection(self, node: ast.expr, scope: Scope) -> bool:
        """Whether an expression is meant as a set or list."""
        return is_collection(node, scope, self.file)

    def _is_many(self, node: ast.expr, scope: Scope) -> bool:
        if isinstance(node, ast.Call):
            return self._method_of_run(node, scope) == "earlier"
        if isinstance(node, ast.Attribute) and self._is_of_text(node, scope):
            return holds_many(self.types.readings[node.attr].type)
        if isinstance(node, ast.Attribute) and _is_of_context(node, scope):
            declared = self.types.context.get(node.attr)
            return declared is not None and holds_many(declared.type)
        if not isinstance(node, ast.Attribute):
            return False
        if self._source(node, scope) is not None or self._part_elements(node, scope) is not None:
            return True
        if isinstance(node.value, ast.Name):
            return False
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
        if isinstance(node.func, ast.Attribute) and node.func.attr == SENTENCES_WITH:
            return self._sentences_with(node, node.func.value, scope) or False
        if isinstance(node.func, ast.Attribute):
            return self._applied(node, node.func, scope)
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
        if _is_of_context(node, scope):
            return self._context(node) or False
        if isinstance(meaning, Typed) and meaning.type == RUN and node.attr in (SAID, LAST_SAID):
            return self._over_run(node, UserWords(node.attr == LAST_SAID), f"run.{node.attr}", STR)
        if isinstance(meaning, Typed) and meaning.type == RUN:
            hint = suggestion(node.attr, self._methods()) or "Call run.earlier(...) or a record of the agent."
            self.file.say(node, f"`run` has no field `{node.attr}`.", hint)
            return False
        if self._is_of_text(node, scope):
            reading = self._reading(node, scope)
            return (
                False if reading is None or holds_many(reading[1]) else Typed(Variable(*reading), reading[1])
            )
        part = self._part(node, scope)
        if part is None:
            return False if self._say_no_part(node, scope) else None
        return None if holds_many(part.type) else Typed(part, part.type)

    def _applied(self, node: ast.Call, method: ast.Attribute, scope: Scope) -> Typed | bool | None:
        """A function of a value: ``call.branch.removeprefix("x/")``; None if this is none."""
        function = FUNCTIONS.get(method.attr)
        first = None if function is None else self._quietly(method.value, scope)
        if function is None or first is None or first.type.kind not in function.of:
            return None
        value = present(method.value, self.term(method.value, scope), self.file)
        operands = self._constants(node, function, scope)
        if value is None or operands is None:
            return False
        applied = Applied(function.name, (value.term, *operands))
        text = text_of_value(applied, self.classes)
        self.values[text] = applied
        return self.file.typed(node, Variable(text, function.result), function.result, value) or False

    def _constants(
        self, node: ast.Call, function: ValueFunction, scope: Scope
    ) -> tuple[Constant, ...] | None:
        """The operands of a function after its first, which are constants."""
        read = [self.term(other, scope) for other in node.args]
        constants = [
            one.term
            for one, type_ in zip(read, function.parameters, strict=False)
            if one is not None and isinstance(one.term, Constant) and assignable(one.type, type_)
        ]
        if node.keywords or len(constants) != len(node.args) or len(read) != len(function.parameters):
            shape = ", ".join('"..."' for _ in function.parameters)
            self.file.say(
                node,
                f"`{function.name}` takes {len(function.parameters)} constant(s).",
                f"Write .{function.name}({shape}).",
            )
            return None
        return tuple(constants)

    def _tool(self) -> Typed:
        type_ = tool_type(call.tool for call in self.types.calls.values())
        return Typed(Variable("call.tool", type_), type_)

    def _context(self, node: ast.Attribute) -> Typed | None:
        field = self.types.context.get(node.attr)
        if field is None:
            hint = suggestion(node.attr, self.types.context) or "Declare it under [context] in agent.toml."
            self.file.say(node, f"The context has no value `{node.attr}`.", hint)
            return None
        if holds_many(field.type):
            kind = "a set" if field.type.kind is Kind.SET else "a list"
            self.file.say(
                node,
                f"`run.context.{node.attr}` is {kind}, not a single value.",
                "Use `in`, any(...) or all(...).",
            )
            return None
        return Typed(Variable(self._context_value(node.attr), field.type), field.type)

    def _context_value(self, name: str) -> str:
        """The text of a value of the context, which is noted."""
        text = f"run.context.{name}"
        self.values[text] = ContextValue(name)
        return text

    def _part(self, node: ast.Attribute, scope: Scope) -> Attribute | None:
        """A typed part of a field of a call, an element or a record: ``call.command.programs``.

        None if the field has no such part, or may be None.
        """
        if isinstance(node.value, ast.Name) and not isinstance(scope.names.get(node.value.id), Typed):
            return None
        whole = self._quietly(node.value, scope)
        if whole is None or not isinstance(whole.term, Attribute) or whole.type.optional:
            return None
        holder = whole.term.record.type.record
        name = part_name(whole.term.name, node.attr)
        type_ = None if holder is None else holder.field(name)
        return None if type_ is None else Attribute(whole.term.record, name, type_)

    def _say_no_part(self, node: ast.Attribute, scope: Scope) -> bool:
        """Say what is wrong with a part of a field that has typed parts; False for any other expression."""
        if isinstance(node.value, ast.Name) and not isinstance(scope.names.get(node.value.id), Typed):
            return False
        whole = self._quietly(node.value, scope)
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
            unguarded(node, whole, self.file)
        elif any(node.attr in kind.ask for kind in KINDS.values() if kind.type.field(parts[-1]) is not None):
            hint = "A set that is not complete is not determinable, so no rule has to ask: leave it out."
            self.file.say(node, f"`{text}` has no part `{node.attr}`.", hint)
        else:
            hint = suggestion(node.attr, parts) or f"It has {', '.join(parts)}."
            self.file.say(node, f"`{text}` has no part `{node.attr}`.", hint)
        return True

    def _part_elements(self, node: ast.Attribute, scope: Scope) -> TypedSet | None:
        """The elements of a typed part that is a set or list."""
        part = self._part(node, scope)
        if part is None or not holds_many(part.type):
            return None
        element = set_element(part.type) if part.type.kind is Kind.SET else part.type.element
        return TypedSet(Elements(part), element)

    def _source(self, node: ast.Attribute, scope: Scope) -> TypedSet | None:
        """The places that a text came from: ``call.iban.source``, ``link.source``."""
        if node.attr != "source":
            return None
        text = self._quietly(node.value, scope)
        if text is None or not is_text(text.type) or not isinstance(text.term, Variable | Attribute):
            return None
        path = _path_in_call(text.term) if isinstance(text.term, Attribute) else None
        if path is None and text.type.optional:
            return None
        value = SourceOfText(text.term) if path is None else SourceOf(path)
        name = f"{path_of(text.term)}.source"
        self.values[name] = value
        return TypedSet(SetVariable(name), STR)

    # --- readings of texts --------------------------------------------------------

    def _is_of_text(self, node: ast.Attribute, scope: Scope) -> bool:
        """Whether this is a reading of a text, by its name and by what it is of."""
        if node.attr not in self.types.readings:
            return False
        text = self._quietly(node.value, scope)
        return text is not None and is_text(text.type)

    def _reading(self, node: ast.Attribute, scope: Scope) -> tuple[str, ArgumentType] | None:
        """The text and type of a reading: ``call.message.topic``; None, with a problem, if it has none."""
        text = present(node.value, self.term(node.value, scope), self.file)
        if text is None:
            return None
        if not isinstance(text.term, Variable | Attribute):
            self.file.say(
                node, f"`{node.attr}` is read of a text that has a name.", "Read each text by itself."
            )
            return None
        reading = self.types.readings[node.attr]
        if not has_reading(reading, *self._owner_and_field(text.term)):
            known = ", ".join(f'"{one}"' for one in reading.texts)
            self.file.say(
                node,
                f"`{node.attr}` is no reading of this text, only of {known}.",
                f"Add the text to [readings.{node.attr}] of agent.toml.",
            )
            return None
        value = ReadingOf(text.term, node.attr, reading.type)
        name = text_of_value(value, self.classes)
        self.values[name] = value
        return name, reading.type

    def _owner_and_field(self, text: Variable | Attribute) -> tuple[str, str]:
        """The class that has a text, and the name of its field; nothing for an element or another reading."""
        if isinstance(text, Attribute):
            record = text.record.type.record
            return ("" if record is None else record.name), text.name
        match self.values.get(text.name):
            case UserWords(last):
                return "Run", LAST_SAID if last else SAID
            case SentencesWith(Variable() | Attribute() as whole):
                return self._owner_and_field(whole)
            case _:
                return "", ""

    def _sentences_with(self, node: ast.Call, base: ast.expr, scope: Scope) -> Typed | None:
        """The sentences of a text in which a value stands: ``run.said.sentences_with(call.recipient)``."""
        if len(node.args) != 1 or node.keywords:
            self.file.say(
                node, f"`{SENTENCES_WITH}` takes one value.", f"Write run.{SAID}.{SENTENCES_WITH}(call.name)."
            )
            return None
        text = present(base, self.term(base, scope), self.file)
        value = present(node.args[0], self.term(node.args[0], scope), self.file)
        if text is None or value is None:
            return None
        for part, typed, kinds in (
            (base, text, _TEXTS),
            (node.args[0], value, (*_TEXTS, Kind.INT, Kind.DECIMAL)),
        ):
            if typed.type.kind not in kinds or not isinstance(typed.term, Variable | Attribute | Constant):
                self.file.say(
                    part,
                    f"`{SENTENCES_WITH}` is of a text, and takes a text or a number.",
                    f"Write run.{SAID}.{SENTENCES_WITH}(call.name).",
                )
                return None
        found = SentencesWith(text.term, value.term)
        return self._over_run(node, found, text_of_value(found, self.classes), STR, text, value)

    def _over_run(
        self, node: ast.expr, value: RunValue, text: str, type_: ArgumentType, *parts: Typed
    ) -> Typed | None:
        """A value over the run, whose variable has its text as name."""
        self.values[text] = value
        return self.file.typed(node, Variable(text, type_), type_, *parts)

    # --- the run ------------------------------------------------------------------

    def _method_of_run(self, node: ast.expr, scope: Scope) -> str | None:
        """The name of the method if this is ``run.method(...)``, of the run or of a part of it."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return None
        base = node.func.value
        run = scope.names.get(base.id) if isinstance(base, ast.Name) else None
        is_run = isinstance(run, Typed) and run.type == RUN
        return node.func.attr if is_run or self._method_of_run(base, scope) in _PARTS else None

    def _methods(self) -> set[str]:
        keyed = (name for name, record in self.types.records.items() if record.key)
        return {"earlier", "context", LAST, *_PARTS, *keyed}

    def _of_run(self, node: ast.Call, method: str, scope: Scope) -> Typed | None:
        if method == "earlier":
            self.file.say(
                node, "`run.earlier(...)` has elements, not a value.", "Use any(...), all(...) or sum(...)."
            )
            return None
        if method in _PARTS:
            return self._part_of_run(node, method, scope)
        if self._bounds(node, scope):
            self.file.say(node, "A part of a run has earlier calls only.", f"Write run.{method}(...).")
            return None
        if method == LAST:
            return self._last(node, scope)
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

    def _part_of_run(self, node: ast.Call, method: str, scope: Scope) -> Typed | None:
        """``run.since(w for w in run.earlier(A) if test)``: the part of the run after the last such call."""
        before = self._bounds(node, scope)
        marker = self._marker(node, method, scope) if before is not None else None
        if before is None or marker is None:
            return None
        bounds = (*before, RunBound(method == "since", marker))
        text = part_text(bounds)
        self.values[text] = PartOfRun(bounds)
        return self.file.typed(node, Variable(text, RUN), RUN, Typed(marker, BOOL))

    def _last(self, node: ast.Call, scope: Scope) -> Typed | None:
        """``run.last(c for c in run.earlier(A) if test)``: the last of these calls, None if there is none."""
        marker = self._marker(node, LAST, scope)
        if marker is None or not isinstance(marker.collection, Elements):
            return None
        calls = self.values[path_of(marker.collection.term)]
        if isinstance(calls, EarlierCalls) and calls.bounds:
            self.file.say(
                node,
                f"`{LAST}` takes calls of the whole run.",
                "Write the bounds as conditions of its calls.",
            )
            return None
        value = LastCall(marker)
        type_ = replace(marker.variable.type, optional=True)
        text = text_of_value(value, self.classes)
        return self._over_run(node, value, text, type_, Typed(marker, BOOL))

    def _bounds(self, node: ast.Call, scope: Scope) -> tuple[RunBound, ...] | None:
        """The bounds of the part of the run whose method this is; None, with a problem, if it has none."""
        assert isinstance(node.func, ast.Attribute)
        part = self.term(node.func.value, scope)
        value = self.values.get(part.term.name) if part and isinstance(part.term, Variable) else None
        return None if part is None else value.bounds if isinstance(value, PartOfRun) else ()

    def _marker(self, node: ast.Call, method: str, scope: Scope) -> Quantified | None:
        """Some call of those that bound a part of a run."""
        shape = f"Write run.{method}(c for c in run.earlier(PayInvoice) if c.succeeded)."
        argument = node.args[0] if len(node.args) == 1 and not node.keywords else None
        if isinstance(argument, ast.GeneratorExp) and len(argument.generators) == 1:
            clause, element = argument.generators[0], argument.elt
            is_plain = isinstance(clause.target, ast.Name) and isinstance(element, ast.Name)
            if not is_plain or clause.target.id != element.id or clause.is_async:  # type: ignore[union-attr] # both are names
                argument = None
        many = argument.generators[0].iter if isinstance(argument, ast.GeneratorExp) else argument
        if many is None or self._method_of_run(many, scope) != "earlier":
            self.file.say(node, f"`{method}` takes earlier calls.", shape)
            return None
        among = self.collection(many, scope)
        if among is None or among.element is None or not isinstance(among.collection, Elements):
            return None
        if not isinstance(argument, ast.GeneratorExp):
            name = fresh("c", {*scope.names, *self.file.defined()})
            return Quantified(Quantifier.ANY, Variable(name, among.element), among.collection, Constant(True))
        target = argument.generators[0].target
        assert isinstance(target, ast.Name)
        if not element_is_free(target, scope, self.file):
            return None
        variable = Variable(target.id, among.element)
        tested, _ = conditions(
            argument, scope.with_bound(target.id, Typed(variable, among.element)), self.file
        )
        if tested is None:
            return None
        tests = tuple(test.term for test in tested)
        body = tests[0] if len(tests) == 1 else And(tests) if tests else Constant(True)
        return Quantified(Quantifier.ANY, variable, among.collection, body)

    def _earlier(self, node: ast.Call, scope: Scope) -> TypedSet | None:
        bounds = self._bounds(node, scope)
        if bounds is None:
            return None
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
        earlier = EarlierCalls(tuple(call.tool for call in calls), bounds)
        text = text_of_value(earlier, self.classes)
        self.values[text] = earlier
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
            for parameter in fact.parameters:
                operand = names[parameter.name]
                record = operand.type.record if isinstance(operand, Typed) else None
                if parameter.classes and record is not None and record.name in parameter.classes:
                    apart = for_class(apart, parameter.name, record.name)
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
class Spot:
    """Where a term stands in the file: the term itself, its line and its column in characters, from 1."""

    term: Term
    line: int
    column: int


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


def tool_type(tools: Iterable[str]) -> ArgumentType:
    """The type of the tool of a call: one of the agent's tools, or any text where the agent lists none."""
    names = tuple(tools)
    return ArgumentType(Kind.ENUM, names) if names else STR


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


_TEXTS = (Kind.STR, Kind.ENUM)


def _elements_of(text: str, type_: ArgumentType) -> TypedSet:
    """The elements of a value over the run that is a set or list."""
    if type_.kind is Kind.SET:
        return TypedSet(SetVariable(text), set_element(type_))
    return TypedSet(Elements(Variable(text, type_)), type_.element)


def _is_of_context(node: ast.Attribute, scope: Scope) -> bool:
    """Whether this is ``run.context.NAME``."""
    if not isinstance(node.value, ast.Attribute) or node.value.attr != "context":
        return False
    base = node.value.value
    run = scope.names.get(base.id) if isinstance(base, ast.Name) else None
    return isinstance(run, Typed) and run.type == RUN


def _path_in_call(place: Attribute) -> tuple[str, ...] | None:
    """The names of the fields from ``call`` to a value; None if it is of something else."""
    if isinstance(place.record, Variable):
        return (place.name,) if place.record.name == CALL else None
    before = _path_in_call(place.record)
    return None if before is None else (*before, place.name)
