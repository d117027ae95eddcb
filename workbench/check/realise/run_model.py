"""The run as plain lists: what the arguments of a policy of calls are in terms of earlier calls.

The solver takes an argument over the run as a symbol of any value. Here each symbol is defined by lists of
earlier calls, one for each tool, so that an input comes with the calls that give it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from workbench.check.realise.json_values import field_at
from workbench.check.realise.reading_texts import words_of
from workbench.dialect.call_fields import field_and_part
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.check import run_expression
from workbench.dialect.run_terms import all_parts, free_names, text_of
from workbench.dialect.run_values import (
    CALL,
    GATHERING,
    ContextValue,
    EarlierCalls,
    Gathered,
    IsLookedUp,
    ReadingOf,
    RecordAt,
    RunExpression,
    RunValue,
    SourceOf,
    Zipped,
)
from workbench.model import Argument, ArgumentType, CallExpression, Kind, RecordType, Value
from workbench.policy.flat.traverse import free_names as free_variables
from workbench.policy.problems import PolicyError
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Clause,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    Elements,
    IsMissing,
    Member,
    Not,
    Or,
    Parameter,
    PolicyTerms,
    Quantified,
    Quantifier,
    SetVariable,
    Sum,
    Term,
    Variable,
)
from workbench.policy.types import BOOL, DATETIME, INT, SET, STR, holds_many
from workbench.policy.walk import children, root_and_path, substituted, subterms, with_children
from workbench.runs.values.found_value import Missing
from workbench.runs.values.normal_texts import normal_text

TIME, SUCCEEDED, FAILED, APPROVED = "time", "succeeded", "failed", "approved"
_OWN = "own"
_NOW = f"{CALL}.{TIME}"
_SAID = ("user", "application")
_THESE_DAYS = datetime(2026, 1, 1, tzinfo=UTC)


class Inexpressible(Exception):
    """An expression cannot be written over plain lists."""


@dataclass(frozen=True, slots=True)
class FieldOfRecord:
    """A field of the record with this key; an empty name means whether the record is absent."""

    record: str
    keys: tuple[Term, ...]
    name: str


@dataclass
class CallList:
    """The earlier calls of one tool as a plain list: its argument, and the fields of its elements.

    ``paths`` are the fields of a call, by the name of the element's field; ``records`` are fields of the
    records that a call names, their keys over the element ``element``.
    """

    argument: str
    tool: str
    class_name: str
    types: dict[str, ArgumentType] = field(default_factory=dict[str, ArgumentType])
    paths: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    records: dict[str, FieldOfRecord] = field(default_factory=dict[str, FieldOfRecord])

    @property
    def type(self) -> ArgumentType:
        """The type of the list."""
        fields = tuple(self.types.items()) or ((SUCCEEDED, BOOL),)
        record = ArgumentType(Kind.RECORD, record=RecordType(self.class_name, fields))
        return ArgumentType(Kind.LIST, element=record)


@dataclass(frozen=True, slots=True)
class OfArgument:
    """An argument about the calls of a tool, with its expression."""

    argument: Argument
    expression: RunExpression
    fields: Mapping[str, RunExpression]


ELEMENT = "x"
"""The name of an element of a list of the call, in the expressions of its fields."""
CALL_OF_LIST = "c"
"""The name of an earlier call, in the keys of the records that it names."""


class RunModel:
    """The arguments about the calls of one tool, and the lists of earlier calls that define them."""

    def __init__(self, terms: PolicyTerms, types: AgentTypes, tool: str) -> None:
        """Take a policy of calls, and the tool of the decided call."""
        self.types = types
        self.tool = tool
        self.policy = terms
        self.arguments = tuple(_arguments_of(terms, types, tool))
        self.values: dict[str, RunValue] = {}
        for one in self.arguments:
            self.values |= one.expression.values
        self.lists: dict[str, CallList] = {}
        self.own: dict[str, tuple[Parameter, Term]] = {}
        self._inner: dict[str, Quantified | Count | Sum] = {}
        self._hoists: dict[str, tuple[Variable, Term]] = {}
        self._plain_terms: dict[str, Term] = {}
        self._added: set[str] = set()
        self._by_text = {text_of(one.expression.term): one.argument for one in self.arguments}
        self._taken = {argument.name for argument in terms.arguments}
        self._definitions()  # the types of the lists are complete when all that is read of them is known
        self.terms = self._with(self._definitions())

    def adds(self, name: str) -> bool:
        """Whether an argument is one of the model beside those of the policy."""
        return name in self._added

    @property
    def undefined(self) -> tuple[OfArgument, ...]:
        """The arguments whose expressions the solver is not told, and which more than one field may give."""
        return tuple(
            one
            for one in self.arguments
            if one.argument.name not in self._plain_terms
            and (one.fields or not _is_field(one.expression.term, self.values))
        )

    def needed_for(self, names: Collection[str]) -> frozenset[str]:
        """These arguments, and those that their definitions and the keys of their records mention."""
        found = set(names)
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            definition = self._plain_terms.get(name)
            new = frozenset[str]() if definition is None else free_variables(definition)
            new = (new | self._keys_of(name)) - found
            found |= new
            waiting += new
        return frozenset(found)

    def _keys_of(self, name: str) -> frozenset[str]:
        """The arguments that are the keys of the records which an argument, or a list of calls, names."""
        keys = [
            key
            for one in self.lists.values()
            if one.argument == name
            for held in one.records.values()
            for key in held.keys
        ]
        for one in self.arguments:
            term = one.expression.term
            value = self.values.get(term.name) if isinstance(term, Variable) else None
            if one.argument.name == name and isinstance(value, RecordAt | IsLookedUp):
                keys += value.keys
        parts = [part for key in keys for part in all_parts(key, self.values)]
        return frozenset(
            self._by_text[text].name
            for part in parts
            if isinstance(part, Variable | Attribute) and (text := text_of(part)) in self._by_text
        )

    # --- the policy with the lists --------------------------------------------------

    def _definitions(self) -> list[Term]:
        found = (self._definition(one) for one in self.arguments)
        defined = [one for one in found if one is not None]
        for text, (variable, _) in list(self._hoists.items()):
            plain = self._aggregate(self._inner[text], {})
            self._hoists[text] = variable, plain
            self._plain_terms[variable.name] = plain
            defined.append(Compare(Comparison.EQ, variable, plain))
        return [*defined, *self._facts_of_lists(), *self.facts_of_values()]

    def _with(self, facts: Iterable[Term]) -> PolicyTerms:
        clauses = tuple(Clause(f"D{number}", term, (), "", "", 0, 0) for number, term in enumerate(facts, 1))
        parameters = [Parameter(one.argument, one.type) for one in self.lists.values()]
        parameters += [parameter for parameter, _ in self.own.values()]
        parameters += [Parameter(variable.name, variable.type) for variable, _ in self._hoists.values()]
        return replace(
            self.policy,
            interpreted=True,
            arguments=(*self.policy.arguments, *parameters),
            axioms=(*self.policy.axioms, *clauses),
        )

    def _facts_of_lists(self) -> Iterable[Term]:
        """What holds of all earlier calls: one outcome, and a time that is not after the decided call."""
        for one in self.lists.values():
            if SUCCEEDED in one.types and FAILED in one.types:
                yield self._compared(one, Comparison.NE, SUCCEEDED, Attribute(_element(one), FAILED, BOOL))
            if TIME in one.types:
                now = self.primitive(Attribute(Variable(CALL, BOOL), TIME, DATETIME), DATETIME)
                yield self._compared(one, Comparison.LE, TIME, now)

    def facts_of_values(self) -> Iterable[Term]:
        """What holds of texts whatever the run is: normal forms, places of sources, words of readings."""
        terms = [rule.body for rule in self.policy.rules]
        terms += [clause.term for clause in self.policy.clauses]
        terms += [part for one in self.arguments for part in all_parts(one.expression.term, self.values)]
        texts = {one for term in terms for one in constants_of(term) if isinstance(one, str)}
        for one in self.arguments:
            name, term = one.argument.name, one.expression.term
            value = self.values.get(term.name) if isinstance(term, Variable) else None
            if isinstance(value, SourceOf) and one.argument.type.kind is Kind.SET:
                place = Variable("place", STR)
                among = Member(place, ConstantSet(tuple(sorted(self._places(texts)))))
                yield Quantified(Quantifier.ALL, place, SetVariable(name), among)
            if isinstance(value, ReadingOf) and one.argument.type.kind is Kind.SET:
                words = words_of(self.types.readings[value.reading])
                word = Variable("word", STR)
                if words:
                    yield Quantified(
                        Quantifier.ALL, word, SetVariable(name), Member(word, ConstantSet(words))
                    )
            form = self._normal_form(self.tool, root_and_path(term)[1]) if isinstance(term, Attribute) else ""
            if form and (other := _not_in_form(texts, form)):
                yield Not(Member(Variable(name, one.argument.type), ConstantSet(other)))
        for calls in self.lists.values():
            for name, path in calls.paths.items():
                form = self._normal_form(calls.tool, path)
                if form and (other := _not_in_form(texts, form)):
                    element = _element(calls)
                    body = Not(Member(Attribute(element, name, calls.types[name]), ConstantSet(other)))
                    many = Elements(Variable(calls.argument, calls.type))
                    yield Quantified(Quantifier.ALL, element, many, body)

    def _places(self, texts: Iterable[str]) -> set[str]:
        """The places that values of the call are tried at: where anything is said, and in results."""
        tools = [call.tool for call in self.types.calls.values()]
        found = {text for text in texts if text in _SAID or text.partition(".")[0] in tools}
        for record in self.types.records.values():
            if record.look_up is not None:
                found |= {f"{record.look_up.tool}.{one.path or one.name}" for one in record.fields}
        return found | set(_SAID)

    def _normal_form(self, tool: str, path: tuple[str, ...]) -> str:
        one = field_at(self.types.of_tool(tool).fields, path)
        form = None if one is None else one.options.get("normal")
        return form if isinstance(form, str) else ""

    @property
    def preferred(self) -> tuple[Term, ...]:
        """What a run that people read has, if it can: times of these days, and calls that succeeded."""
        found: list[Term] = []
        for one in self.lists.values():
            if SUCCEEDED in one.types:
                found.append(self._compared(one, Comparison.EQ, SUCCEEDED, Constant(True)))
            if TIME in one.types:
                found.append(self._compared(one, Comparison.GE, TIME, Constant(_THESE_DAYS)))
        now = self._by_text.get(_NOW)
        parameter = self.own[_NOW][0] if _NOW in self.own else None
        if name := (now.name if now is not None else "" if parameter is None else parameter.name):
            found.append(Compare(Comparison.GE, Variable(name, DATETIME), Constant(_THESE_DAYS)))
        return tuple(found)

    def _compared(self, calls: CallList, operator: Comparison, name: str, right: Term) -> Term:
        """The comparison of a field of each call with a term, which may be another field of it."""
        element = _element(calls)
        left = Attribute(element, name, calls.types[name])
        body = Compare(operator, left, right)
        return Quantified(Quantifier.ALL, element, Elements(Variable(calls.argument, calls.type)), body)

    def _definition(self, one: OfArgument) -> Term | None:
        """The equation of an argument with its expression; None for a field of the call and the like."""
        term, argument = one.expression.term, one.argument
        value = self.values.get(term.name) if isinstance(term, Variable) else None
        if isinstance(value, Gathered) and value.operation in GATHERING and not argument.type.optional:
            return self._extreme(argument.name, term, value)
        if isinstance(term, Variable | Attribute) or argument.type.optional or holds_many(argument.type):
            return None
        try:
            plain = self._plain_terms[argument.name] = self.plain(term)
        except Inexpressible:
            return None
        return Compare(Comparison.EQ, Variable(argument.name, argument.type), plain)

    def _extreme(self, name: str, own: Term, value: Gathered) -> Term | None:
        """What makes an argument an extreme: an element has it, and none that counts is beyond it."""
        of = value.of

        def some(*tests: Term) -> Term:
            parts = tuple(part for part in (of.condition, *tests) if part != Constant(True))
            body = parts[0] if len(parts) == 1 else And(parts) if parts else Constant(True)
            return Quantified(Quantifier.ANY, of.variable, of.collection, body)

        beyond = Comparison.GT if value.operation == "max" else Comparison.LT
        term: Term = And(
            (some(Compare(Comparison.EQ, of.value, own)), Not(some(Compare(beyond, of.value, own))))
        )
        if value.default is not None:
            term = Or((term, And((Not(some()), Compare(Comparison.EQ, own, value.default)))))
        try:
            plain = self._plain_terms[name] = self.plain(term)
        except Inexpressible:
            return None
        return plain

    # --- terms ----------------------------------------------------------------------

    def plain(self, term: Term) -> Term:
        """The term over the plain arguments and lists; raises Inexpressible."""
        return self._plain(term, {})

    def _plain(self, term: Term, calls: Mapping[str, CallList | None]) -> Term:
        match term:
            case Variable(name):
                return term if name in calls else self.primitive(term, term.type)
            case Attribute():
                return self._place(term, calls)
            case IsMissing(place):
                return self._missing(place, calls)
            case Quantified() | Count() | Sum():
                return self._aggregate(term, calls)
            case Member(item, SetVariable(name)):
                held = self.primitive(Variable(name, SET), SET)
                if not isinstance(held, Variable):
                    raise Inexpressible
                return Member(self._plain(item, calls), SetVariable(held.name))
            case Member(_, Elements()):
                raise Inexpressible
            case _:
                return with_children(term, tuple(self._plain(part, calls) for part in children(term)))

    def _place(self, term: Attribute, calls: Mapping[str, CallList | None]) -> Term:
        root, path = root_and_path(term)
        if root.name in calls:
            return self._field_of_call(root, path, term.type, calls[root.name])
        value = self.values.get(root.name)
        if isinstance(value, RecordAt):
            return self._field_of_record(root, value, "_".join(path), term.type, calls)
        if holds_many(term.type):
            raise Inexpressible
        return self.primitive(term, term.type)

    def _missing(self, place: Variable | Attribute, calls: Mapping[str, CallList | None]) -> Term:
        value = self.values.get(place.name) if isinstance(place, Variable) else None
        if isinstance(place, Variable) and isinstance(value, RecordAt):
            return self._field_of_record(place, value, "", BOOL, calls)
        plain = self._plain(place, calls)
        if not isinstance(plain, Variable | Attribute):
            raise Inexpressible
        return IsMissing(plain)

    def _field_of_call(
        self, root: Variable, path: tuple[str, ...], type_: ArgumentType, calls: CallList | None
    ) -> Term:
        if holds_many(type_) or type_.kind is Kind.RECORD or field_and_part(path[-1])[1]:
            raise Inexpressible
        if calls is None:  # an element of a list of the decided call
            (own,) = path
            return Attribute(root, own, type_)
        name = "_".join(path)
        calls.types.setdefault(name, type_)
        calls.paths.setdefault(name, path)
        return Attribute(root, name, type_)

    def _field_of_record(
        self,
        root: Variable,
        value: RecordAt,
        name: str,
        type_: ArgumentType,
        calls: Mapping[str, CallList | None],
    ) -> Term:
        """A field of a record, or whether it is absent: of an argument, or of an earlier call."""
        if holds_many(type_):
            raise Inexpressible
        free = frozenset[str]().union(*(free_names(key, self.values) for key in value.keys))
        bound = [one for one in calls if one in free]
        if bound:
            of_call = calls[bound[0]]
            if len(bound) > 1 or of_call is None:
                raise Inexpressible
            keys = tuple(substituted(key, bound[0], _element(of_call)) for key in value.keys)
            words = "_".join(_words(" ".join(map(text_of, keys))))
            own = f"{value.record}_{name or 'is_absent'}_of_{words}"
            of_call.types.setdefault(own, type_)
            of_call.records.setdefault(own, FieldOfRecord(value.record, keys, name))
            return Attribute(Variable(bound[0], _element_type(of_call)), own, type_)
        argument = self._by_text.get(root.name)
        record = None if argument is None else argument.type.record
        if argument is None or record is None or (name and record.field(name) is None):
            raise Inexpressible
        held = Variable(argument.name, argument.type)
        return Attribute(held, name, type_) if name else IsMissing(held)

    def primitive(self, term: Term, type_: ArgumentType) -> Term:
        """The plain argument that is a field of the call or a value of the run; a further one if none is."""
        if isinstance(term, Variable) and term.name == f"{CALL}.tool":
            return Constant(self.tool)
        text = text_of(term)
        argument = self._by_text.get(text)
        if argument is not None:
            return Variable(argument.name, argument.type)
        root = root_and_path(term)[0] if isinstance(term, Attribute) else term
        known = isinstance(root, Variable) and (
            root.name == CALL or isinstance(self.values.get(root.name), _VALUES)
        )
        if not known or type_.kind is Kind.RECORD:
            raise Inexpressible
        if text not in self.own:
            name = self._unused(f"{_OWN}_{'_'.join(_words(text))}")
            self.own[text] = Parameter(name, type_), term
        parameter = self.own[text][0]
        return Variable(parameter.name, parameter.type)

    def _aggregate(self, term: Quantified | Count | Sum, calls: Mapping[str, CallList | None]) -> Term:
        if calls:
            return self._hoisted(term, calls)
        if isinstance(term, Quantified) and isinstance(term.collection, SetVariable):
            held = self.primitive(Variable(term.collection.name, SET), SET)
            if not isinstance(held, Variable):
                raise Inexpressible
            body = self._plain(term.body, {term.variable.name: None})
            return replace(term, collection=SetVariable(held.name), body=body)
        place = term.collection.term if isinstance(term.collection, Elements) else None
        if place is None:
            raise Inexpressible
        value = self.values.get(place.name) if isinstance(place, Variable) else None
        if not isinstance(value, EarlierCalls):
            return self._over_own(term, place)
        if value.bounds:
            raise Inexpressible  # a list of calls has no order
        parts = [self._over(term, self._list(tool)) for tool in value.tools]
        if len(parts) == 1:
            return parts[0]
        if isinstance(term, Quantified):
            return Or(tuple(parts)) if term.quantifier is Quantifier.ANY else And(tuple(parts))
        total = parts[0]
        for part in parts[1:]:
            total = Arithmetic("+", total, part)
        return total

    def _hoisted(self, term: Quantified | Count | Sum, calls: Mapping[str, CallList | None]) -> Term:
        """An aggregate inside another that does not depend on the call around it: an argument of its own."""
        if free_names(term, self.values) & calls.keys():
            raise Inexpressible
        text = text_of(term)
        if text not in self._hoists:
            type_ = term.type if isinstance(term, Sum) else INT if isinstance(term, Count) else BOOL
            self._inner[text] = term
            self._hoists[text] = Variable(self._unused("inner_value"), type_), self._aggregate(term, {})
        return self._hoists[text][0]

    def _over_own(self, term: Quantified | Count | Sum, place: Variable | Attribute) -> Term:
        """An aggregate over a list of the call, as far as the argument that is the list has its fields."""
        argument = self._by_text.get(text_of(place))
        element = None if argument is None else argument.type.element
        if argument is None or element is None or argument.type.kind is not Kind.LIST:
            raise Inexpressible
        known = {name for name, _ in element.record.fields} if element.record is not None else set[str]()
        name = term.variable.name
        parts = {
            part.name
            for part in subterms(term)
            if isinstance(part, Attribute) and part.record == term.variable
        }
        if not parts <= known:
            raise Inexpressible
        collection = Elements(Variable(argument.name, argument.type))
        return self._with_parts(term, replace(term.variable, type=element), collection, {name: None})

    def _over(self, term: Quantified | Count | Sum, calls: CallList) -> Term:
        """An aggregate over the calls of one tool."""
        elements = Elements(Variable(calls.argument, calls.type))
        variable = replace(term.variable, type=_element_type(calls))
        return self._with_parts(term, variable, elements, {term.variable.name: calls})

    def _with_parts(
        self,
        term: Quantified | Count | Sum,
        variable: Variable,
        collection: Elements,
        inner: Mapping[str, CallList | None],
    ) -> Term:
        """The aggregate over a plain list, its condition and value over plain arguments."""
        own = replace(term, variable=variable, collection=collection)
        match own:
            case Quantified():
                return replace(own, body=self._plain(own.body, inner))
            case Count():
                return replace(own, condition=self._plain(own.condition, inner))
            case Sum():
                condition, value = self._plain(own.condition, inner), self._plain(own.value, inner)
                return replace(own, condition=condition, value=value)

    def _list(self, tool: str) -> CallList:
        if tool not in self.lists:
            name = self._unused(f"earlier_{'_'.join(_words(tool))}")
            self.lists[tool] = CallList(name, tool, f"Earlier{self.types.of_tool(tool).name}")
        return self.lists[tool]

    def _unused(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        self._added.add(name)
        return name


_VALUES = (ContextValue, SourceOf, IsLookedUp)


def _arguments_of(terms: PolicyTerms, types: AgentTypes, tool: str) -> Iterable[OfArgument]:
    for argument in terms.sources:
        expression = argument.expression
        if expression is None or expression.tool not in ("", tool) or not expression.plays_for(tool):
            continue
        whole = run_expression(expression.text, types, expression.tool)
        yield OfArgument(argument, whole, _fields(expression, whole, types))


def _fields(expression: CallExpression, whole: RunExpression, types: AgentTypes) -> dict[str, RunExpression]:
    """The expressions of the fields of a list's elements, as far as they are of the list itself."""
    term = whole.term
    element = term.type.element if isinstance(term, Variable | Attribute) else None
    found: dict[str, RunExpression] = {}
    if element is None:
        return found
    for path, text in expression.fields.items():
        try:
            found[path] = run_expression(text, types, expression.tool, (ELEMENT, element))
        except PolicyError:
            continue
    return found


def typed_part(term: Term) -> tuple[tuple[str, ...], str] | None:
    """The path of the field of the decided call whose typed part a term is, and the part; else None."""
    if not isinstance(term, Attribute):
        return None
    root, path = root_and_path(term)
    field_name, part = field_and_part(path[-1])
    return ((*path[:-1], field_name), part) if part and root.name == CALL else None


def _is_field(term: Term, values: Mapping[str, RunValue]) -> bool:
    """Whether a term is a field of the call, a record, or a value that the run has at one place."""
    if isinstance(term, Attribute):
        return typed_part(term) is None
    return isinstance(term, Variable) and not isinstance(values.get(term.name), Zipped)


def _element(calls: CallList) -> Variable:
    return Variable(CALL_OF_LIST, _element_type(calls))


def _element_type(calls: CallList) -> ArgumentType:
    element = calls.type.element
    assert element is not None
    return element


def constants_of(term: Term) -> Iterator[Value]:
    """The constants of a term."""
    for part in subterms(term):
        if isinstance(part, Constant):
            yield part.value
        collection = getattr(part, "collection", None)
        if isinstance(collection, ConstantSet):
            yield from collection.values


def _not_in_form(texts: Iterable[str], form: str) -> tuple[str, ...]:
    """Those of some texts that are not in a normal form, which no field that is read in it can be."""
    found: list[str] = []
    for text in texts:
        try:
            if normal_text(text, form) != text:
                found.append(text)
        except Missing:
            found.append(text)
    return tuple(sorted(found))


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in text).split()
