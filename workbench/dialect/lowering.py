"""Lowering: a policy of calls as a policy over plain arguments, each an expression over call and run.

A field of the call, a record of the run, and an outermost any, all, count or sum over the run become
arguments; everything around them stays as it is. So the engines see what they see of every policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.dialect.axioms import Key, KeyedRecord, ReadText, axioms
from workbench.dialect.call_fields import field_and_part, name_in_record
from workbench.dialect.call_file import tool_type
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.checked import CallClause, CallPolicy, CallRule, TermOfTool
from workbench.dialect.class_names import is_field_name
from workbench.dialect.run_terms import canonical, free_names, renamed, text_of
from workbench.dialect.run_values import (
    CALL,
    DISTINCT,
    ELEMENT,
    ContextValue,
    EarlierCalls,
    Gathered,
    ReadingOf,
    RecordAt,
    RunValue,
    Zipped,
    all_parts,
)
from workbench.model import TOOL_ARGUMENT, Argument, ArgumentType, CallExpression, Kind, Problem, RecordType
from workbench.policy.checker.aggregates import reads_list
from workbench.policy.flat.traverse import elements as collection_of
from workbench.policy.flat.traverse import free_names as names_in
from workbench.policy.names import free_name, usable
from workbench.policy.narrowed_values import NOTHING_READ
from workbench.policy.problems import PolicyError
from workbench.policy.result_cache import Recent
from workbench.policy.terms import (
    And,
    Attribute,
    Collection,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    Elements,
    ImpliesTerm,
    IsMissing,
    Lookup,
    Member,
    Not,
    Or,
    Quantified,
    Quantifier,
    SetVariable,
    Sum,
    TableEntry,
    Term,
    Variable,
)
from workbench.policy.types import BOOL, INT, STR, holds_many
from workbench.policy.walk import (
    bound_names,
    children,
    inside,
    opposite,
    path_of,
    root_and_path,
    with_children,
)
from workbench.runs.kinds.kinds_by_name import kind_of


@dataclass
class Fields:
    """The fields of a record, or of the elements of a list, that a policy reads.

    ``types`` are in the order of their first use. ``expressions`` are those of the fields that are not in the
    record itself; ``lists`` are the fields of the elements of a field that is a list. ``own`` are the names
    of all fields of an element, read or not: no expression has one of them.
    """

    types: dict[str, ArgumentType] = field(default_factory=dict[str, ArgumentType])
    expressions: dict[str, str] = field(default_factory=dict[str, str])
    lists: dict[str, Fields] = field(default_factory=dict[str, "Fields"])
    own: frozenset[str] = frozenset()

    @property
    def are_own(self) -> bool:
        """Whether every field is one of the record itself."""
        return not self.expressions and all(inner.are_own for inner in self.lists.values())


@dataclass
class Symbol:
    """A plain argument of the lowered policy: the expression that it is, and the tools whose rules read it.

    ``tool`` is the tool whose calls the expression is about, empty if it is about all.
    """

    name: str
    type: ArgumentType
    text: str
    tool: str
    tools: list[str]
    noun: str
    term: Term
    fields: Fields = field(default_factory=Fields)


@dataclass(frozen=True, slots=True)
class LoweredRule:
    """A rule over plain arguments."""

    rule: CallRule
    term: Term


@dataclass(frozen=True, slots=True)
class LoweredClause:
    """A clause over plain arguments, about the calls of one tool."""

    clause: CallClause
    tool: str
    term: Term


@dataclass(frozen=True, slots=True)
class Lowered:
    """A policy over plain arguments, with the record types of its arguments and what relates these.

    ``symbols`` are what the arguments but the tool are, in their order, and ``values`` the values over the
    run that these name.
    """

    policy: CallPolicy
    rules: tuple[LoweredRule, ...]
    clauses: tuple[LoweredClause, ...]
    arguments: tuple[Argument, ...]
    records: tuple[RecordType, ...]
    axioms: tuple[Term, ...]
    symbols: tuple[Symbol, ...]
    values: Mapping[str, RunValue]


def lower(policy: CallPolicy) -> Lowered:
    """The policy over plain arguments.

    Raises ``PolicyError`` for an expression that no argument can be.
    """
    lowering = _Lowering(policy)
    rules = tuple(LoweredRule(rule, lowering.rule(rule)) for rule in policy.rules)
    clauses = tuple(
        LoweredClause(clause, one.tool, lowering.clause(clause, one))
        for clause in policy.clauses
        for one in clause.terms
    )
    if lowering.problems:
        raise PolicyError(lowering.problems)
    arguments, records = lowering.arguments()
    return Lowered(
        policy,
        rules,
        clauses,
        arguments,
        records,
        lowering.axioms(arguments),
        tuple(lowering.symbols.values()),
        lowering.values,
    )


type _Value = tuple[Term, ArgumentType, Variable]
"""A value of call or run that a term reads, with its type, and the argument that it is."""


@dataclass(frozen=True, slots=True)
class _Before:
    """What a term of a rule or clause was lowered to, of whose policy no more is known than the types.

    ``values`` are all that it reads of call and run, each with its type there and the argument that it was.
    """

    of: TermOfTool
    types: AgentTypes
    term: Term
    values: tuple[_Value, ...]


_before: Recent[int, _Before] = Recent(8192)
"""What terms were lowered to, by their identities, which stay: an edit lowers those that it changes."""


class _Lowering:
    """Lowers the terms of one policy; equal expressions become one argument."""

    def __init__(self, policy: CallPolicy) -> None:
        self.policy = policy
        self.tools = tuple(call.tool for call in policy.types.calls.values())
        self.classes = {call.tool: name for name, call in policy.types.calls.items()}
        self.values: dict[str, RunValue] = dict(policy.values)
        self.symbols: dict[tuple[str, str], Symbol] = {}
        self.problems: list[Problem] = []
        self.paths: dict[tuple[str, str], tuple[str, ...]] = {}
        self.named_tool = Variable(TOOL_ARGUMENT, ArgumentType(Kind.ENUM, self.tools))
        self.taken = {TOOL_ARGUMENT, *policy.constant_names, *policy.types.record_classes}
        self.taken |= {rule.name for rule in policy.rules}
        self.taken |= {name for term in _terms_of(policy) for name in bound_names(term)}
        self.lowered: dict[tuple[int, str], tuple[Term, Term, tuple[_Value, ...] | None]] = {}
        self.read: list[_Value] = []
        self.reads_fields = False
        self.of_places: dict[tuple[str, str], Symbol] = {}
        self.tool = ""
        self.at = (0, 0)

    # --- rules and clauses --------------------------------------------------------

    def rule(self, rule: CallRule) -> Term:
        """The condition of a rule, for the calls of each of its tools."""
        parts: list[Term] = []
        for one in rule.terms:
            self.tool, self.at = one.tool, (rule.line, 0)
            parts.append(self._as_before(one, self._of_tool))
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def clause(self, clause: CallClause, one: TermOfTool) -> Term:
        """The condition of a clause, for the calls of one tool."""
        self.tool, self.at = one.tool, (clause.line, 0)
        return self._as_before(one, self._implied_by_tool)

    def _as_before(self, one: TermOfTool, of_tool: Callable[[str, Term], Term]) -> Term:
        """The condition of a term; one that was lowered before is if all it reads are the same arguments."""
        known = _before.get(id(one))
        if known is not None and known.types is self.policy.types and self._are_same(known.values):
            return known.term
        problems = len(self.problems)
        self.read, self.reads_fields = [], False
        term = of_tool(one.tool, self.term(one.term, {}))
        if not self.reads_fields and len(self.problems) == problems:
            _before.put(id(one), _Before(one, self.policy.types, term, tuple(self.read)))
        return term

    def _are_same(self, values: Iterable[_Value]) -> bool:
        """Whether values are the arguments that they were in an earlier policy; they are arguments then."""
        return all(self._symbol_of(term, type_, {}) == was for term, type_, was in values)

    def _implied_by_tool(self, tool: str, term: Term) -> Term:
        """A clause on the calls of a tool; one on the calls of all tools is the term itself."""
        if not tool:
            return term
        if isinstance(term, ImpliesTerm):
            return ImpliesTerm(self._of_tool(tool, term.condition), term.consequence)
        return ImpliesTerm(self._of_tool(tool, Constant(True)), term)

    def _of_tool(self, tool: str, term: Term) -> Term:
        """The condition on the calls of a tool; for the calls of all tools it is the condition itself."""
        if not tool:
            return term
        test = Compare(Comparison.EQ, self.named_tool, Constant(tool))
        if term == Constant(True):
            return test
        return And((test, *term.operands)) if isinstance(term, And) else And((test, term))

    # --- terms --------------------------------------------------------------------

    def term(self, term: Term, elements: Mapping[str, Fields]) -> Term:
        """The term over plain arguments; a fact's value is noted, so that sentences call it by its noun.

        A term that several rules share, as the value of a fact, is lowered once for each tool.
        """
        if isinstance(term, Constant):
            return term
        if elements:
            return self._noted(term, elements)
        key = id(term), self.tool
        known = self.lowered.get(key)
        if known is None:
            problems, read, reads_fields = len(self.problems), len(self.read), self.reads_fields
            self.reads_fields = False
            lowered = self._noted(term, elements)
            if len(self.problems) == problems:
                self.lowered[key] = term, lowered, None if self.reads_fields else tuple(self.read[read:])
            self.reads_fields |= reads_fields
            return lowered
        self.read += known[2] or ()
        self.reads_fields |= known[2] is None
        return known[1]

    def _noted(self, term: Term, elements: Mapping[str, Fields]) -> Term:
        spot, around = self.policy.spots.get(id(term)), self.at
        if spot is not None:
            self.at = spot.line, spot.column
        lowered = self._lowered(term, elements)
        self.at = around
        return lowered

    def _lowered(self, term: Term, elements: Mapping[str, Fields]) -> Term:
        """The term over plain arguments; ``elements`` are bound variables, with the fields read of them."""
        match term:
            case Variable():
                return self._variable(term, elements)
            case Attribute():
                return self._place(term, elements)
            case IsMissing(place):
                return self._missing(term, place, elements)
            case Quantified() | Count() | Sum():
                return self._aggregate(term, elements)
            case Member(item, collection):
                return self._member(term, item, collection, elements)
            case CompareFields(_, left, right):
                if self._is_over_run(left.collection) or self._is_over_run(right.collection):
                    return self._symbol_of(term, BOOL, elements)
                sides = [
                    replace(
                        side, collection=Elements(self._many(side.collection.term, elements, side.fields))
                    )
                    for side in (left, right)
                ]
                return replace(term, left=sides[0], right=sides[1])
            case _:
                return with_children(term, tuple([self.term(part, elements) for part in children(term)]))

    def _variable(self, term: Variable, elements: Mapping[str, Fields]) -> Term:
        if term.name in elements:
            return term
        if term.name == "call.tool":
            return Variable(TOOL_ARGUMENT, term.type)
        return self._symbol_of(term, term.type, elements)

    def _place(self, term: Attribute, elements: Mapping[str, Fields]) -> Term:
        """A field: of the call, of a record of the run, or of an element of a list."""
        root, path = root_and_path(term)
        if root.name in elements:
            return self._field_of_element(term, elements)
        if root.name == CALL:
            return self._symbol_of(term, term.type, elements)
        bound = self._bound(root, elements)
        if bound:
            return self._symbol_of(term, term.type, elements)
        record = self._record(root)
        name = self._field_of_record(record, path)
        self._read(record.fields, name, term.type)
        return Attribute(Variable(record.name, record.type), name, term.type)

    def _field_of_record(self, record: Symbol, path: tuple[str, ...]) -> str:
        """The name of a field, or of what is in one: it ends with ``_`` where a field has that name."""
        own = record.type.record
        if own is None or path == (_joined(path),):
            return _joined(path)
        name = name_in_record(path, dict(own.fields))
        if self.paths.setdefault((own.name, name), path) != path:
            self._refuse(f"Two parts of {own.name} would both have the name `{name}`.", "Rename one field.")
        return name

    def _field_of_element(self, place: Attribute, elements: Mapping[str, Fields]) -> Attribute:
        """A field of an element of a list; one of a nested object is an expression."""
        root, path = root_and_path(place)
        if len(path) > 1 or field_and_part(place.name)[1]:
            return self._derived(root.name, place, _joined(path), place.type, elements)
        self._read(elements[root.name], place.name, place.type)
        return Attribute(root, place.name, place.type)

    def _derived(
        self, element: str, term: Term, name: str, type_: ArgumentType, elements: Mapping[str, Fields]
    ) -> Attribute:
        """The field that is the value of a term for each element of a list, under a name of its own."""
        fields, text = elements[element], self._text(term, element)
        known = next((one for one, other in fields.expressions.items() if other == text), None)
        if known is None:
            known = free_name(name, fields.own | fields.types.keys())
            fields.expressions[known] = text
            self._read(fields, known, type_)
        return Attribute(Variable(element, _SET), known, type_)

    def _record(self, root: Variable) -> Symbol:
        symbol = self._symbol_of_place(root, root.type)
        assert symbol.type.kind is Kind.RECORD
        self.reads_fields = True
        return symbol

    def _missing(self, term: IsMissing, place: Variable | Attribute, elements: Mapping[str, Fields]) -> Term:
        is_record = place.type.kind is Kind.RECORD
        if isinstance(place, Variable) and is_record and not self._bound(place, elements):
            record = self._record(place)
            return IsMissing(Variable(record.name, record.type))
        if is_record:
            return self._symbol_of(term, BOOL, elements)
        lowered = self.term(place, elements)
        assert isinstance(lowered, Variable | Attribute)
        return IsMissing(lowered)

    def _member(
        self, term: Member, item: Term, collection: Collection, elements: Mapping[str, Fields]
    ) -> Term:
        lowered = self.term(item, elements)
        match collection:
            case TableEntry(table, key):
                return Member(lowered, TableEntry(table, self.term(key, elements)))
            case ConstantSet():
                return Member(lowered, collection)
            case SetVariable(name):
                set_ = self._set(name, elements)
                return Member(lowered, SetVariable(path_of(set_)))
            case Elements(place):
                root = root_and_path(place)[0]
                if self._is_over_run(collection) or self._bound(root, elements, own=True):
                    return self._symbol_of(term, BOOL, elements)
                return Member(lowered, collection_of(self._many(place, elements, ())))

    def _set(self, name: str, elements: Mapping[str, Fields]) -> Variable | Attribute:
        """The argument that is a set; a reading says what its members are."""
        value = self.values.get(name)
        type_ = _SET
        if isinstance(value, ReadingOf):
            type_ = value.type
        elif isinstance(value, ContextValue):
            type_ = self.policy.types.context[value.name].type
        return self._symbol_of(Variable(name, type_), type_, elements)

    # --- aggregates ---------------------------------------------------------------

    def _aggregate(self, term: Quantified | Count | Sum, elements: Mapping[str, Fields]) -> Term:
        collection = term.collection
        if isinstance(term, Quantified) and self._reads_run(term) and term.quantifier is Quantifier.ALL:
            # All and any of one condition are one argument, so that the engines know how they are related.
            some = replace(term, quantifier=Quantifier.ANY, body=opposite(term.body))
            return Not(self._symbol_of(some, BOOL, elements))
        if self._needs_symbol(term, elements):
            return self._symbol_of(term, term.type if isinstance(term, Sum) else _type_of(term), elements)
        within = Fields()
        if isinstance(collection, Elements):
            place = self._many(collection.term, elements, ())
            within = self._fields_of(collection.term, elements)
            collection = collection_of(place)
        elif isinstance(collection, TableEntry):
            collection = TableEntry(collection.table, self.term(collection.key, elements))
        elif isinstance(collection, SetVariable):
            set_ = self._set(collection.name, elements)
            collection = SetVariable(path_of(set_))
        inner = {**elements, term.variable.name: within}
        match term:
            case Quantified():
                return _hoisted(replace(term, collection=collection, body=self.term(term.body, inner)))
            case Count():
                assert isinstance(collection, Elements)
                return replace(term, collection=collection, condition=self.term(term.condition, inner))
            case Sum():
                assert isinstance(collection, Elements)
                value = self.term(term.value, inner)
                return replace(
                    term, collection=collection, value=value, condition=self.term(term.condition, inner)
                )

    def _needs_symbol(self, term: Quantified | Count | Sum, elements: Mapping[str, Fields]) -> bool:
        """Whether the engines cannot see into an aggregate.

        It is over the run, has a list inside a list, or asks the run about its elements: one of them that is
        not determined must not hide what the others settle.
        """
        if isinstance(term.collection, Elements):
            if self._is_over_run(term.collection):
                return True
            if self._bound(root_and_path(term.collection.term)[0], elements, own=True):
                return True
        return self._reads_run(term) or any(reads_list(part) for part in self._inner_parts(term))

    def _inner_parts(self, term: Quantified | Count | Sum) -> list[Term]:
        return [part for inner in inside(term) for part in all_parts(inner, self.values)]

    def _reads_run(self, term: Quantified | Count | Sum) -> bool:
        """Whether an aggregate asks the run about its elements."""
        return any(
            isinstance(part, Variable)
            and part.name in self.values
            and self._bound(part, {term.variable.name: Fields()})
            for part in self._inner_parts(term)
        )

    def _is_over_run(self, collection: Elements) -> bool:
        """Whether a collection has no value of its own for the engines.

        So is a list that is a part of a text: what is not determined of one element must not hide what the
        others settle.
        """
        place = collection.term
        if isinstance(place, Attribute):
            return place.type.kind is Kind.LIST and bool(field_and_part(place.name)[1])
        return isinstance(self.values.get(place.name), EarlierCalls | Zipped)

    def _many(
        self, place: Variable | Attribute, elements: Mapping[str, Fields], read: Iterable[str]
    ) -> Variable | Attribute:
        """A list or set of the call or of a record of the run, as an argument or its field."""
        root, path = root_and_path(place)
        if root.name in elements:  # a set that is a field of an element
            assert isinstance(place, Attribute)
            return self._field_of_element(place, elements)
        self.reads_fields = True
        if root.name == CALL or not path:
            symbol = self._symbol(place, place.type)
            self._note(symbol.fields, place, read)
            return Variable(symbol.name, symbol.type)
        record = self._record(root)
        name = self._field_of_record(record, path)
        self._read(record.fields, name, place.type)
        if place.type.kind is Kind.LIST:
            self._note(record.fields.lists.setdefault(name, Fields()), place, read)
        return Attribute(Variable(record.name, record.type), name, place.type)

    def _fields_of(self, place: Variable | Attribute, elements: Mapping[str, Fields]) -> Fields:
        """The fields of the elements of a list that are read so far; more are added to it."""
        root, path = root_and_path(place)
        self.reads_fields = True
        if root.name in elements:
            return Fields()
        if root.name == CALL or not path:
            fields = self._symbol(place, place.type).fields
        else:
            record = self._record(root)
            fields = record.fields.lists.setdefault(self._field_of_record(record, path), Fields())
        element = place.type.element.record if place.type.element is not None else None
        fields.own = frozenset(() if element is None else (name for name, _ in element.fields))
        return fields

    def _note(self, fields: Fields, place: Variable | Attribute, read: Iterable[str]) -> None:
        element = place.type.element.record if place.type.element is not None else None
        for name in read:
            type_ = None if element is None else element.field(name)
            if type_ is not None:
                self._read(fields, name, type_)

    def _read(self, fields: Fields, name: str, type_: ArgumentType) -> None:
        self.reads_fields = True
        fields.types.setdefault(name, type_)

    # --- symbols ------------------------------------------------------------------

    def _bound(self, term: Term, elements: Mapping[str, Fields], *, own: bool = False) -> list[str]:
        """The bound variables that a term depends on; with ``own`` also the variable that it is."""
        if not elements:
            return []
        names = free_names(term, self.values)
        if not own and isinstance(term, Variable) and term.name in elements:
            return []
        return [name for name in elements if name in names]

    def _symbol_of(
        self, term: Term, type_: ArgumentType, elements: Mapping[str, Fields]
    ) -> Variable | Attribute:
        """The argument that is the value of a term, or the field of the element that it depends on."""
        bound = self._bound(term, elements, own=True)
        if not bound:
            if isinstance(term, Variable | Attribute):
                symbol = self._symbol_of_place(term, type_)
            else:
                symbol = self._symbol(canonical(term, self.values, self.classes), type_)
            argument = Variable(symbol.name, symbol.type)
            self.read.append((term, type_, argument))
            return argument
        if len(bound) > 1:
            self._refuse(
                "A value depends on elements of two lists.", "Name each part by a function of its own."
            )
        return self._derived(bound[0], term, _short_name(term), type_, elements)

    def _symbol_of_place(self, place: Variable | Attribute, type_: ArgumentType) -> Symbol:
        """The argument that is the value of a place, which is found once for each tool."""
        key = self.tool, path_of(place)
        symbol = self.of_places.get(key)
        if symbol is None:
            problems = len(self.problems)
            symbol = self._symbol(canonical(place, self.values, self.classes), type_)
            if len(self.problems) == problems:
                self.of_places[key] = symbol
        return symbol

    def _text(self, term: Term, element: str) -> str:
        """The text of a value of an element of a list, which is called ``x`` in it."""
        own = renamed(
            canonical(term, self.values, self.classes), {element: ELEMENT}, self.values, self.classes
        )
        return self._complete(own, all_parts(own, self.values))

    def _complete(self, term: Term, parts: Iterable[Term]) -> str:
        if any(isinstance(part, Lookup) or _reads_table(part) for part in parts):
            self._refuse("A table is looked up inside an expression over the run.", "Look it up outside.")
        return text_of(term)

    def _symbol(self, term: Term, type_: ArgumentType) -> Symbol:
        parts = tuple(all_parts(term, self.values))
        text = self._complete(term, parts)
        names = free_names(term, self.values) | {part.name for part in parts if isinstance(part, Variable)}
        of_call = any(name == CALL or name.startswith("call.") for name in names)
        tool = self.tool if of_call and text != "call.time" else ""
        symbol = self.symbols.get((tool, text))
        if symbol is None:
            fact = self.policy.named.get(text)
            base = fact.name if fact is not None else self._name_of(term)
            of = tool if is_field_name(tool) else self.classes.get(tool, "")
            name = "now" if text == "call.time" else base if fact is not None or not tool else f"{of}_{base}"
            noun = fact.noun if fact is not None and fact.noun else text
            symbol = Symbol(free_name(usable(name), self.taken), type_, text, tool, [], noun, term)
            self.symbols[tool, text] = symbol
            self.taken.add(symbol.name)
        if self.tool not in symbol.tools:
            symbol.tools.append(self.tool)
        return symbol

    def _name_of(self, term: Term) -> str:
        """A name for the value of a term, of the names in it."""
        value = self.values.get(term.name) if isinstance(term, Variable) else None
        if not isinstance(value, Gathered):
            return _short_name(term)
        word = "distinct" if value.operation == DISTINCT else value.operation
        return f"{word}_{_last_word(value.of.value)}_{_word(value.of.collection)}"

    def _refuse(self, message: str, instead: str) -> None:
        problem = Problem(message, instead, *self.at)
        if problem not in self.problems:
            self.problems.append(problem)

    # --- arguments ----------------------------------------------------------------

    def arguments(self) -> tuple[tuple[Argument, ...], tuple[RecordType, ...]]:
        """The arguments, with the tool first, and the types of their records."""
        classes = _Classes(self.symbols.values())
        arguments = [Argument(TOOL_ARGUMENT, tool_type(self.tools), "the tool that is called")]
        for symbol in self.symbols.values():
            tools = () if "" in symbol.tools else tuple(symbol.tools)
            expression = CallExpression(symbol.text, symbol.tool, tools, dict(_expressions(symbol.fields)))
            arguments.append(Argument(symbol.name, classes.type_of(symbol), symbol.noun, expression))
        return tuple(arguments), tuple(classes.records.values())

    def axioms(self, arguments: Sequence[Argument]) -> tuple[Term, ...]:
        """What relates the arguments, since they are values over one run."""
        variables = {argument.name: Variable(argument.name, argument.type) for argument in arguments}
        values = [(variables[symbol.name], symbol.term) for symbol in self.symbols.values()]
        records: list[KeyedRecord] = []
        for (tool, _), symbol in self.symbols.items():
            value = self.values.get(symbol.text)
            if not isinstance(value, RecordAt) or value.as_of is not None:
                continue
            keys = [self._key(tool, key, variables) for key in value.keys]
            known = tuple(key for key in keys if key is not None)
            if len(known) == len(keys):
                records.append(KeyedRecord(variables[symbol.name], value.record, known))
        return axioms(values, records, self.values, list(self._readings(variables)))

    def _readings(self, variables: Mapping[str, Variable]) -> Iterator[ReadText]:
        """The readings of texts that are arguments too."""
        for (tool, text), symbol in self.symbols.items():
            value = self.values.get(text)
            if not isinstance(value, ReadingOf):
                continue
            of = text_of(value.text)
            read = self.symbols.get((tool, of)) or self.symbols.get(("", of))
            if read is not None:
                yield ReadText(variables[symbol.name], value.reading, variables[read.name])

    def _key(self, tool: str, key: Term, variables: Mapping[str, Variable]) -> Key | None:
        """The key of a record over the arguments; None where it may be None or is no such place."""
        if isinstance(key, Constant):
            return key
        symbol = self.symbols.get((tool, text_of(key)))
        if symbol is not None:
            return None if symbol.type.optional else variables[symbol.name]
        if not isinstance(key, Attribute) or not isinstance(key.record, Variable):
            return None
        holder = self.symbols.get((tool, key.record.name))
        type_ = None if holder is None else variables[holder.name].type
        field_type = None if type_ is None or type_.record is None else type_.record.field(key.name)
        if holder is None or field_type is None or field_type.optional:
            return None
        return Attribute(variables[holder.name], key.name, field_type)


def _expressions(fields: Fields, path: str = "") -> Iterable[tuple[str, str]]:
    """The expressions of fields of elements, by the path from the argument to the field."""
    for name, text in fields.expressions.items():
        yield f"{path}{name}", text
    for name, inner in fields.lists.items():
        yield from _expressions(inner, f"{path}{name}.")


class _Classes:
    """The record types of the arguments: one for each record of the agent, with the fields that are read."""

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        self.records: dict[str, RecordType] = {}
        self._shared: dict[str, Fields] = {}
        for symbol in symbols:
            record = _record_of(symbol.type)
            if record is not None and symbol.fields.are_own:
                self._join(_one_word(record.name), record, symbol.fields)

    def _join(self, name: str, record: RecordType, fields: Fields) -> None:
        shared = self._shared.setdefault(name, Fields())
        for field_name, type_ in fields.types.items():
            shared.types.setdefault(field_name, type_)
        for field_name, inner in fields.lists.items():
            element = _element_of(record, field_name)
            if element is not None:
                self._join(element.name, element, inner)
            shared.lists.setdefault(field_name, inner)

    def type_of(self, symbol: Symbol) -> ArgumentType:
        """The type of an argument, with the records that the lowered policy declares."""
        record = _record_of(symbol.type)
        if record is None:
            return symbol.type
        own = symbol.fields.are_own
        name = (
            _one_word(record.name)
            if own
            else free_name(_class_name(symbol.name), {*self.records, *self._shared})
        )
        declared = self._declared(name, record, self._shared[name] if own else symbol.fields, own=own)
        if symbol.type.kind is Kind.LIST:
            return ArgumentType(Kind.LIST, element=ArgumentType(Kind.RECORD, record=declared))
        return ArgumentType(Kind.RECORD, record=declared, optional=symbol.type.optional)

    def _declared(self, name: str, record: RecordType, fields: Fields, *, own: bool) -> RecordType:
        if name in self.records:
            return self.records[name]
        types: list[tuple[str, ArgumentType]] = []
        for field_name, type_ in fields.types.items():
            element = _element_of(record, field_name)
            if element is not None:
                inner_name = element.name if own else f"{name}{_class_name(field_name)}"
                inner_fields = self._shared[inner_name] if own else fields.lists.get(field_name, Fields())
                inner = self._declared(inner_name, element, inner_fields, own=own)
                type_ = ArgumentType(Kind.LIST, element=ArgumentType(Kind.RECORD, record=inner))
            types.append((field_name, type_))
        if not types:
            plain = (one for one in record.fields if not one[1].record and not holds_many(one[1]))
            # What a text of a kind says may be unknown, and a list of such texts is counted all the same; a
            # call was there, whatever the log leaves out of it.
            whole = kind_of(record) is not None or record.field("succeeded") is not None
            types = [(NOTHING_READ, BOOL) if whole else next(plain, (NOTHING_READ, BOOL))]
        declared = self.records[name] = RecordType(name, tuple(types))
        return declared


def _record_of(type_: ArgumentType) -> RecordType | None:
    return type_.record or (type_.element.record if type_.element is not None else None)


def _element_of(record: RecordType, field_name: str) -> RecordType | None:
    type_ = record.field(field_name)
    return type_.element.record if type_ is not None and type_.element is not None else None


def _one_word(name: str) -> str:
    """The name of a class; of a class that is several, one made of theirs."""
    return name.replace(" | ", "Or")


def _class_name(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


_SET = ArgumentType(Kind.SET, element=STR)


def _terms_of(policy: CallPolicy) -> Iterable[Term]:
    for part in (*policy.rules, *policy.clauses):
        yield from (one.term for one in part.terms)


def _type_of(term: Quantified | Count) -> ArgumentType:
    return BOOL if isinstance(term, Quantified) else INT


def _joined(path: Iterable[str]) -> str:
    """One name for the names of fields and parts on a path."""
    return "_".join(path).replace(".", "_")


def _hoisted(term: Quantified) -> Term:
    """An any or all without what its body asks of no element at its ends: ``a and any(b(x) for x in list)``.

    Engines relate such a condition to others; within the list it would be one for each element. It stays
    before what it may guard, and behind what may guard it. An empty list decides as before, since
    ``a and False`` is False.
    """
    is_any = term.quantifier is Quantifier.ANY
    join = And if is_any else Or
    parts = list(_operands(term.body, join))
    before: list[Term] = []
    behind: list[Term] = []
    while parts and not _mentions(parts[0], term.variable.name):
        before.append(parts.pop(0))
    while parts and not _mentions(parts[-1], term.variable.name):
        behind.insert(0, parts.pop())
    if not before and not behind:
        return term
    rest = Constant(is_any) if not parts else parts[0] if len(parts) == 1 else join(tuple(parts))
    return join((*before, replace(term, body=rest), *behind))


def _operands(term: Term, join: type[And | Or]) -> Iterator[Term]:
    if isinstance(term, join):
        for operand in term.operands:
            yield from _operands(operand, join)
    else:
        yield term


def _mentions(term: Term, name: str) -> bool:
    """Whether a term over plain arguments speaks of an element."""
    return any(place.partition(".")[0] == name for place in names_in(term))


def _reads_table(term: Term) -> bool:
    return isinstance(getattr(term, "collection", None), TableEntry)


def _short_name(term: Term) -> str:
    """A name for the value of a term, of the names in it."""
    match term:
        case Attribute():
            root, path = root_and_path(term)
            return _joined(path if root.name == CALL else (_short_name(root), *path))
        case Variable(name):
            base, _, after = name.partition("(")
            words = (
                f"{base}{after.rpartition(')')[2]}".removeprefix("run.")
                .removeprefix("call.")
                .replace(".", "_")
            )
            return (
                f"looked_up_{_short_name(Variable(name[10:-1], BOOL))}"
                if name.startswith("looked_up(")
                else words
            )
        case IsMissing(place):
            return f"{_short_name(place)}_is_none"
        case Not(operand):
            return f"not_{_short_name(operand)}"
        case Sum(_, collection, value, _):
            return f"sum_{_last_word(value)}_{_word(collection)}"
        case Count(_, collection, _):
            return f"count_{_word(collection)}"
        case Quantified(quantifier, _, collection, _):
            return f"{quantifier}_{_word(collection)}"
        case _:
            return "value"


def _last_word(term: Term) -> str:
    return _joined([term.name]) if isinstance(term, Attribute) else "value"


def _word(collection: Collection) -> str:
    if not isinstance(collection, Elements):
        return "of_set"
    root, path = root_and_path(collection.term)
    if path:
        return _joined(path[-1:])
    last = root.name.rpartition(")")[2].rpartition(".")[2]
    if last:
        return last
    _, of_run, tools = root.name.rpartition(".earlier(")
    inner = (tools if of_run else root.name.partition("(")[2]).rstrip(")")
    words = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in inner)
    return "_".join(
        "".join(letter if letter.isalnum() else " " for letter in words.replace("_", " ")).split()
    )
