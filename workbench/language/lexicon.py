"""The nouns of a session: what sentences call its tools, parameters, records, facts, constants and values."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from itertools import count, product
from typing import NamedTuple

from workbench.dialect.call_fields import CallField, CallType, field_and_part, type_of_record
from workbench.dialect.call_file import ANY_CALL, RUN, Fact, FactParameter
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.checked import CallPolicy
from workbench.dialect.nouns import CONTEXT
from workbench.dialect.run_values import AS_OF
from workbench.language.enum_values import enum_texts
from workbench.language.grammar import productions
from workbench.language.productions import (
    Production,
    Slot,
    Sorts,
    Word,
    key_of,
    kind_of,
    unit_of,
    with_unit,
)
from workbench.language.tables import Columns
from workbench.language.trees import CALL, TRUE, Tree, tree_of
from workbench.language.trees import RUN as RUN_NAME
from workbench.language.words import identifier_of, listed, singular, tokens, words_of, words_of_name
from workbench.model import ArgumentType, Kind, Record, RecordType, Scalar
from workbench.policy.checker.syntax_tree import statements
from workbench.policy.rule_names import DEFAULT, RULES
from workbench.policy.terms import ConstantSet, Table
from workbench.policy.types import of_value, set_element
from workbench.runs.kinds.kinds_by_name import KINDS, element_class
from workbench.runs.kinds.kinds_by_name import kind_of as kind_of_value

_SCALARS = {
    Kind.BOOL: "bool", Kind.INT: "int", Kind.DECIMAL: "dec", Kind.STR: "text",
    Kind.DATE: "date", Kind.TIME: "clock", Kind.DATETIME: "moment", Kind.DURATION: "dur",
}  # fmt: skip


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SAID_IN_LISTS = _words("and or if unless not that which where who than then otherwise ")
"""Words that join or bound conditions: a noun with one of them ends its line."""
VERBS = _words(
    "add approve ask assign book buy call cancel change check close commit copy create delete "
    "describe disable download edit enable estimate exchange execute export fetch find forward "
    "get give grant import install invite issue list look make modify move open order pay post "
    "publish push query read refund register reject remove rename renew reply reschedule "
    "reserve reset restart retry return revoke run save schedule search send set share show "
    "sign start stop submit subscribe transfer update upload verify view write "
)
UNCOUNTED = _words(
    "access baggage data help information luggage mail money news shell stock text time "
    "away back down off out over up "
)
"""Last words of names that no article stands before: what is not counted, and what belongs to the verb."""
OF_VERBS = _words("away back down off out over up ")
"""Words that belong to the verb before them, so that an article stands after them: "look up a payment"."""
_OUTCOME = ("succeeded", "failed", "approved")
_FIELDS = ("field", "flag", "gap", "many", "each", "event", "begins", "happened")
"""The categories of what has a field: of any value, a yes or no, what may be missing, a list, a time."""
_WHEN = ("at", "on")


class Named(NamedTuple):
    """What has a name at a place: the name in the dialect, the words, and the sort.

    ``form`` is element, parameter, optional (a parameter that may be None), or many (one with elements).
    """

    name: str
    words: str
    sort: str
    form: str


class Scope(NamedTuple):
    """What a sentence may speak of at a place: the call by its classes, elements and parameters.

    ``level`` is the number of lists around. With ``by_name`` an element is written by its name throughout.
    """

    calls: tuple[str, ...] = ()
    names: tuple[Named, ...] = ()
    level: int = 0
    by_name: bool = False

    @property
    def element(self) -> Named | None:
        """The one element around, if it is written "it"; None if there is none, or "it" could be more."""
        elements = [one for one in self.names if one.form == "element"]
        return elements[0] if len(elements) == 1 and not self.by_name else None

    @property
    def innermost(self) -> Named | None:
        """The element around that is nearest, which "its" is read for; None if there is none."""
        return self.names[-1] if self.names and self.names[-1].form == "element" else None

    @property
    def call(self) -> str:
        """The sort of the decided call."""
        return f"call:{'|'.join(self.calls)}"


@dataclass
class Node:
    """A place in the patterns of a category: the words and slots that go on from it, and what ends there.

    ``text`` is the word that leads to it, as it is written; ``written`` is whether a sentence that is written
    goes through it.
    """

    words: dict[str, Node] = field(default_factory=dict[str, "Node"])
    text: str = ""
    written: bool = False
    slots: list[tuple[Slot, Node]] = field(default_factory=list[tuple[Slot, "Node"]])
    ends: list[Production] = field(default_factory=list[Production])


class Block:
    """Some productions of one category, for reading by their words and for writing by their expression."""

    def __init__(self, made: Iterable[Production]) -> None:
        self._made = tuple(made)

    @cached_property
    def root(self) -> Node:
        """The begin of all patterns, for reading."""
        root = Node()
        for one in self._made:
            _add(root, one)
        return root

    @cached_property
    def by_key(self) -> Mapping[str, Sequence[Production]]:
        """The productions that write, by what their expressions begin with."""
        found: dict[str, list[Production]] = {}
        for one in self._made:
            if not one.reads_only:
                found.setdefault(one.key, []).append(one)
        return found

    @cached_property
    def by_words(self) -> Mapping[str, Production]:
        """The first production with each pattern."""
        found: dict[str, Production] = {}
        for one in self._made:
            found.setdefault(one.pattern, one)
        return found

    def writing(self, tree: Tree) -> Iterator[Production]:
        """Yield the productions whose expression may match a tree, in their order."""
        yield from self.by_key.get(key_of(tree), ())
        yield from self.by_key.get("", ())


def _add(root: Node, made: Production) -> None:
    node = root
    node.written |= not made.reads_only
    for part in made.parts:
        if isinstance(part, Word):
            node = node.words.get(part.word) or node.words.setdefault(part.word, Node(text=part.text))
            node.written |= not made.reads_only
            continue
        found = next((inner for slot, inner in node.slots if _alike(slot, part)), None)
        if found is None:
            found = Node()
            node.slots.append((part, found))
        node = found
        node.written |= not made.reads_only
    node.ends.append(made)


def _alike(one: Slot, other: Slot) -> bool:
    return (one.category, one.sorts, one.many) == (other.category, other.sorts, other.many)


@dataclass(frozen=True, slots=True)
class FieldWords:
    """A field of a class: its name, words and sort; of a set or list the sort of its elements."""

    name: str
    words: str
    sort: str
    optional: bool
    many: bool


class Lexicon:
    """The productions of a session: those of the grammar, and one for each of its nouns.

    Those that the agent spec has are taken for those of the names. With ``quoted`` they are written in
    quotation marks, as what may be mistaken for other words is.
    """

    def __init__(self, types: AgentTypes, policy: CallPolicy | None = None, *, quoted: bool = False) -> None:
        self.types = types
        self.policy = policy
        self.quoted = quoted
        self.facts: Mapping[str, Fact] = {} if policy is None else policy.facts
        self._sets: Mapping[str, ConstantSet] = {} if policy is None else policy.sets
        self._tables_by_name: Mapping[str, Table] = {} if policy is None else policy.tables
        self.fields: dict[str, tuple[FieldWords, ...]] = {}
        self._kinds: dict[tuple[tuple[str, str], ...], int] = {}
        constants = frozenset[str]() if policy is None else frozenset(policy.constant_names)
        self.taken_names = frozenset({"call", "run", *keyword.kwlist, *self.facts, *types.calls}) | constants
        self._of_element, self._static = _of_the_grammar()
        self._blocks: dict[tuple[str, str], Block] = {}
        self._of_scope: dict[tuple[object, ...], Mapping[str, Block]] = {}
        self._declare()

    @property
    def made_of(self) -> str:
        """What its productions come from: lexicons with the same text write and read the same sentences.

        What a function computes, the values of a list and where a reading is found have no part in nouns.
        """
        types = self.types
        readings = [(one.name, one.type, one.texts) for one in types.readings.values()]
        facts = [(one.name, one.parameters, one.result, one.noun) for one in self.facts.values()]
        lists = [(one.pattern, one.sorts) for one in (*self._constants(), *self._tables())]
        of_types = types.calls, types.records, types.context, readings, types.nouns, types.units
        return repr((*of_types, facts, lists, sorted(self.taken_names), sorted(set(self._unions()))))

    # --- words --------------------------------------------------------------------

    def tool_words(self, call: CallType) -> str:
        """What the agent does by calling a tool: it completes "The agent must not …"."""
        return self.types.nouns.get(call.name) or doing(call.tool)

    def list_words(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the words of each list of the policy."""
        for name in self._sets:
            yield name, words_of_name(name.lower())

    def words_of_field(self, owner: str, name: str) -> str:
        """The words of a field of a class; of one whose key has letters that no name may have, that key."""
        full = f"{owner}.{name}"
        known = self.types.nouns.get(full) or self._keys.get(full) or _PARTS.get(full)
        return known or words_of_name(name.rstrip("_"))

    @cached_property
    def _keys(self) -> Mapping[str, str]:
        """The words of the keys that are written in other letters than names are."""
        calls = self.types.calls.values()
        pairs = (pair for call in calls for pair in _with_inner(call.name, call.fields))
        return {
            f"{owner}.{one.name}": words_of_name(one.key)
            for owner, one in pairs
            if not one.key.isascii() and all(part.isalnum() for part in words_of_name(one.key).split())
        }

    def words_of_record(self, record: Record) -> str:
        """The words of a record; empty if another record has them."""
        words = self._words_of_record(record)
        others = (self._words_of_record(one) for one in self.types.records.values() if one is not record)
        return "" if words.casefold() in (one.casefold() for one in others) else words

    def _words_of_record(self, record: Record) -> str:
        return self.types.nouns.get(record.class_name) or words_of_name(record.name)

    def words_of_fact(self, fact: Fact) -> str:
        """The words of a function: those of the agent spec, or the first line of its docstring."""
        return self.types.nouns.get(fact.name) or fact.noun

    def noun(self, words: str, name: str) -> Iterator[str]:
        """Yield the patterns of a noun: as it is written, and in the other way."""
        quoted = f"“{words or name}”"
        if not words or _is_said(words):
            yield quoted
        else:
            yield from (quoted, words) if self.quoted or is_structural(words) else (words, quoted)

    # --- classes ------------------------------------------------------------------

    def _declare(self) -> None:
        for call in self.types.calls.values():
            self._class(f"call:{call.name}", call.decided, call.name)
            self._class(f"earlier:{call.name}", call.earlier, call.name)
        self._class(f"call:{ANY_CALL}", RecordType(ANY_CALL, ()), ANY_CALL)
        for record in self.types.records.values():
            self._class(f"rec:{record.class_name}", type_of_record(record), record.class_name)
        context = RecordType("", tuple((name, one.type) for name, one in self.types.context.items()))
        self._class("context", context, CONTEXT)
        readings = RecordType("", tuple((name, one.type) for name, one in self.types.readings.items()))
        self._class("text", readings, "text")
        parts = (("date", "date"), ("time", "clock"), ("weekday", "int"), ("day", "int"), ("hour", "int"))
        self.fields["moment"] = tuple(
            FieldWords(name, _PARTS.get(f"moment.{name}", name), sort, optional=False, many=False)
            for name, sort in parts
        )
        for classes in self._unions():
            self.class_of_calls(classes)

    def _unions(self) -> Iterator[tuple[str, ...]]:
        for rule in () if self.policy is None else self.policy.rules:
            yield tuple(self._class_name(one.tool) for one in rule.terms)

    def _class_name(self, tool: str) -> str:
        return self.types.of_tool(tool).name if tool else ANY_CALL

    def class_of_calls(self, classes: tuple[str, ...], form: str = "call") -> str:
        """The sort of calls of several classes, with the fields that all of them have."""
        key = f"{form}:{'|'.join(classes)}"
        if key not in self.fields:
            first, *others = (self.fields[f"{form}:{name}"] for name in classes)
            known = [{self._shape(one): one for one in fields} for fields in others]
            common = (
                _in_all(one, [other[self._shape(one)] for other in known])
                for one in first
                if all(self._shape(one) in other for other in known)
            )
            self.fields[key] = tuple(_told_apart(list(common)))
        return key

    def _shape(self, one: FieldWords) -> tuple[object, ...]:
        """What a field is, whatever its words, its unit and the class of an object in it are."""
        inner: tuple[object, ...] = ()
        if kind_of(one.sort) == "rec":
            inner = tuple(self._shape(each) for each in self.fields[one.sort])
        sort = kind_of(one.sort) if unit_of(one.sort) else one.sort
        return one.name, inner or sort, one.optional, one.many

    def _class(self, key: str, record: RecordType, owner: str) -> None:
        """The fields of a class, and the classes of what they hold."""
        if key in self.fields:
            return
        self.fields[key] = ()
        whole = {name for name, _ in record.fields if "." not in name}
        found: list[FieldWords] = []
        parts: dict[str, list[tuple[str, ArgumentType]]] = {}
        for name, type_ in record.fields:
            base, part = field_and_part(name)
            if part and base in whole:
                parts.setdefault(base, []).append((part, type_))
        for name, type_ in record.fields:
            if name not in whole or (key.startswith(("call:", "earlier:")) and name in ("time", *_OUTCOME)):
                continue
            found.append(self._field(name, type_, owner, parts.get(name, [])))
        if key.startswith("call:"):
            tools = "|".join(call.tool for call in self.types.calls.values())
            found.append(
                FieldWords("tool", "tool", f"enum|{tools}" if tools else "text", optional=False, many=False)
            )
        if key.startswith("earlier:"):
            found.append(FieldWords("time", "time", "moment", optional=False, many=False))
        self.fields[key] = tuple(_told_apart(found))

    def _field(
        self, name: str, type_: ArgumentType, owner: str, parts: list[tuple[str, ArgumentType]]
    ) -> FieldWords:
        many = type_.kind in (Kind.SET, Kind.LIST)
        element = type_
        if many:
            element = set_element(type_) if type_.kind is Kind.SET else type_.element or type_
        sort = with_unit(self.sort_of(element), self.types.units.get(f"{owner}.{name}", ""))
        if parts and sort == "text":
            sort = self._text_with(parts, f"{owner}.{name}")
        return FieldWords(name, self.words_of_field(owner, name), sort, type_.optional and not many, many)

    def _text_with(self, parts: Sequence[tuple[str, ArgumentType]], owner: str) -> str:
        """The sort of a text with these parts, which is one for all texts of a kind."""
        key = tuple((part, self.sort_of(one)) for part, one in parts)
        sort = f"text@{self._kinds.setdefault(key, len(self._kinds))}"
        kind = _CLASS_BY_PARTS.get(frozenset(part for part, _ in parts), owner)
        self._class(sort, RecordType("", tuple(parts)), kind)
        return sort

    def sort_of_parameter(self, parameter: FactParameter) -> str:
        """The sort of what a function takes, or of an element of it."""
        if (element := element_class(parameter.kind)) is not None:
            return self.sort_of(element)
        if parameter.kind:
            return self._text_with(KINDS[parameter.kind].type_in_calls.fields, parameter.kind)
        many = parameter.type.kind in (Kind.SET, Kind.LIST)
        return self.sort_of(
            (parameter.type.element or set_element(parameter.type)) if many else parameter.type
        )

    def sort_of(self, type_: ArgumentType) -> str:
        """The sort of a type."""
        if type_.kind is Kind.ENUM:
            return f"enum|{'|'.join(type_.values)}"
        if type_.kind is Kind.RECORD and type_.record is not None:
            if kind_of_value(type_.record) is not None:
                return self._text_with(type_.record.fields, type_.record.name)
            key = f"rec:{type_.record.name}"
            self._class(key, type_.record, type_.record.name)
            return key
        return _SCALARS.get(type_.kind, "unknown")

    def classes_of(self, sort: str) -> Iterator[str]:
        """Yield the classes that have the fields of a value of a sort."""
        if sort in self.fields:
            yield sort
        if kind_of(sort) in ("text", "enum") and sort != "text":
            yield "text"

    # --- productions --------------------------------------------------------------

    def blocks(self, category: str, sorts: Sorts, scope: Scope, it: Named | None) -> Iterator[Block]:
        """Yield the productions of a category that make what is wanted, at a place; ``it`` is "it" there.

        A "key" is a term, but no text "in small letters": that would be said of what has the key.
        """
        if category == "term":
            yield self._static["changed"]
        category = "term" if category == "key" else category
        if category in self._of_element and it is not None:
            yield self._of_element[category]
        if category in self._static:
            yield self._static[category]
        if category in _FIELDS and sorts[0] != "none":
            owners = list(self.classes_of(sorts[0])) if sorts[0] else [""]
            yield from (self._fields_of(category, owner) for owner in owners)
        elif category in ("tool", "kind", "constants", "table", "sets", "own_fact"):
            yield self._general(category)
        elif category == "state" and scope.names and scope.names[-1].form == "element":
            yield self._states(scope.names[-1].sort)
        for named in (self._names(scope.names), self._of_call(scope)):
            if category in named:
                yield named[category]
        if category == "sought" and "simple" in self._names(scope.names):
            yield self._names(scope.names)["simple"]

    def _fields_of(self, category: str, owner: str) -> Block:
        """The fields of a class; without one the words of all fields, each once (see ``named_fields``)."""
        key = (category, owner)
        if key not in self._blocks:
            if owner:
                self._blocks[key] = Block(self._field_productions(category, owner))
            else:
                every = (
                    made
                    for one in self.fields
                    if one != "context"
                    for made in self._field_productions(category, one)
                )
                words = dict.fromkeys((made.pattern, made.noun, len(made.sorts)) for made in every)
                self._blocks[key] = Block(
                    Production(category, ("",) * count, text, ("words", text), noun)
                    for text, noun, count in words
                )
        return self._blocks[key]

    def named_fields(self, category: str, owner: str, words: str) -> Iterator[Production]:
        """Yield the fields of a class that have these words."""
        for one in self.classes_of(owner):
            found = self._fields_of(category, one).by_words.get(words)
            if found is not None:
                yield found

    def _field_productions(self, category: str, owner: str) -> Iterator[Production]:
        taken = {one.words.casefold() for one in self.fields[owner]}
        for one in self.fields[owner]:
            fits = {
                "field": not one.many and one.sort != "bool",
                "flag": not one.many and one.sort == "bool",
                "gap": one.optional,
                "many": one.many,
                "each": one.many,
                "event": _event(one) == "event",
                "begins": _event(one) == "begins",
                "happened": one.optional and _event(one) == "event",
            }[category]
            if not fits:
                continue
            of_one = singular(one.words or words_of_name(one.name))
            words = of_one if category == "each" and one.words else one.words
            if category in ("event", "begins", "happened"):
                words = words.rpartition(" ")[0]
            sorts = (owner,) if category in ("flag", "gap", "happened") else (owner, one.sort)
            noun = (f"“{of_one}”" if is_structural(of_one) else of_one) if one.many else ""
            for text in self.noun(words, one.name):
                yield Production(category, sorts, text, ("field", one.name), noun)
            if one.words and one.name.casefold() not in (*taken, words.casefold()) and category != "each":
                yield Production(category, sorts, one.name, ("field", one.name), noun, reads_only=True)
            if category == "many" and of_one == f"{words} entry" and f"{words} entries" not in taken:
                text = f"{words} entries"
                yield Production(category, sorts, text, ("field", one.name), noun, reads_only=True)
            plain, bracket, _ = words.partition(" (") if words in _PARTS.values() else (words, "", "")
            for other in (plain, f"“{plain}”") if bracket else (f"{words}s",):
                if category == "field" and other not in taken and not _is_said(words):
                    yield Production(category, sorts, other, ("field", one.name), noun, reads_only=True)

    def _general(self, category: str) -> Block:
        key = (category, "")
        if key not in self._blocks:
            makers = {
                "tool": self._tools,
                "kind": self._kinds_of_records,
                "constants": self._constants,
                "table": self._tables,
                "sets": self._tables,
                "own_fact": self._own_facts,
            }
            self._blocks[key] = Block(one for one in makers[category]() if one.category == category)
        return self._blocks[key]

    def _tools(self) -> Iterator[Production]:
        yield Production("tool", (), "make any call", ("name", ANY_CALL))
        by_words: dict[str, list[CallType]] = {}
        others: dict[str, list[CallType]] = {}
        for call in self.types.calls.values():
            words = self.tool_words(call)
            by_words.setdefault(words.casefold(), []).append(call)
            for other in _with_other_articles(words):
                others.setdefault(other.casefold(), []).append(call)
        for calls in by_words.values():
            for call in calls:
                if len(calls) == 1:
                    yield Production("tool", (), self.tool_words(call), ("name", call.name))
                yield Production(
                    "tool", (), f"use “{call.tool}”", ("name", call.name), reads_only=len(calls) == 1
                )
        for words, calls in others.items():
            if len(calls) == 1 and words not in by_words:
                yield Production("tool", (), words, ("name", calls[0].name), reads_only=True)

    def _kinds_of_records(self) -> Iterator[Production]:
        """Each record that is found by a key, as what a condition is named of: "a customer"."""
        for record in self.types.records.values():
            if record.key and (words := self.words_of_record(record)):
                for text in self.noun(words, record.name):
                    yield Production("kind", (), text, ("name", record.name), reads_only=True)

    def parameters_of_record(self, name: str) -> Sequence[tuple[str, str]]:
        """The parts of the key of a record, as a function takes them, with their sorts."""
        record = self.types.records[name]
        sorts = {one.name: kind_of(one.sort) for one in self.fields[f"rec:{record.class_name}"]}
        return [(key, "int" if sorts.get(key) == "int" else "text") for key in record.keys]

    def new_fact(self, noun: str) -> str:
        """The name of a new function with a noun; empty if a function has the noun."""
        if any(self.says(one, noun) for one in self.facts.values()):
            return ""
        base = identifier_of(noun, "condition")
        base = f"is_{base}" if base.startswith((*RULES, "contract_", "theorem_")) else base
        numbered = (base if number == 1 else f"{base}_{number}" for number in count(1))
        return next(one for one in numbered if one not in self.taken_names and not keyword.iskeyword(one))

    def says(self, fact: Fact, noun: str) -> bool:
        """Whether a function has a noun, in any letters."""
        return self.words_of_fact(fact).removeprefix("whether ").casefold() == noun.casefold()

    def _states(self, sort: str) -> Block:
        """What an element of a class is, by the values of its fields: "economy" of a leg."""
        key = ("state", sort)
        if key not in self._blocks:
            self._blocks[key] = Block(self._state_productions(sort))
        return self._blocks[key]

    def _state_productions(self, sort: str) -> Iterator[Production]:
        it: Tree = ("name", "it")
        owned: list[tuple[Tree, str]] = [(it, sort)] if kind_of(sort) == "enum" else []
        for one in self.fields.get(sort, ()) if kind_of(sort) == "rec" else ():
            if not one.many:
                owned.append((("attr", it, one.name), one.sort))
                if one.sort == "bool" and one.words:
                    for text in self.noun(one.words, one.name):
                        yield Production("state", (), text, owned[-1][0])
        for tree, own in owned:
            for text, value in enum_texts(own).items() if kind_of(own) == "enum" else ():
                yield Production("state", (), text, ("==", tree, ("lit", "text", value)))

    def new_constant(self, words: str) -> str:
        """The name of a new constant with these words; empty if none has them, or another name is taken."""
        name = identifier_of(words, "").upper()
        taken = name in self.taken_names or name in ("", DEFAULT) or keyword.iskeyword(name)
        return "" if taken or words_of_name(name.lower()) != words else name

    def _constants(self) -> Iterator[Production]:
        tools = {call.tool for call in self.types.calls.values()}
        for name, values in self._sets.items():
            sort = _sort_of_value(next(iter(values.values), ""))
            if values.values and tools.issuperset(map(str, values.values)):
                sort = f"enum|{'|'.join(one.tool for one in self.types.calls.values())}"
            yield Production(
                "constants", (sort,), f"the list “{words_of_name(name.lower())}”", ("name", name)
            )

    def _tables(self) -> Iterator[Production]:
        for name in self._tables_by_name:
            columns = self.columns(name)
            words = f"the table “{words_of_name(name.lower())}”"
            category = "sets" if columns.many else "table"
            yield Production(category, (columns.key, columns.entry), words, ("name", name))

    def columns(self, name: str) -> Columns:
        """What a table of the policy holds."""
        entries = self._tables_by_name[name].entries
        values = [
            one for value in entries.values() for one in (value if isinstance(value, frozenset) else (value,))
        ]
        many = any(isinstance(value, frozenset) for value in entries.values())
        key = next(iter(entries), "")
        return Columns(_sort_of_value(key), _sort_of_value(next(iter(values), "")), many)

    # --- what depends on the place ------------------------------------------------

    def _names(self, names: tuple[Named, ...]) -> Mapping[str, Block]:
        key = ("names", names)
        if key not in self._of_scope:
            made: dict[str, list[Production]] = {}
            for name, words, sort, form in names:
                tree: Tree = ("name", name)
                if form == "many":
                    plain = words.removeprefix("the ")
                    made.setdefault("named", []).append(Production("named", (sort,), plain, tree, "entry"))
                    continue
                made.setdefault("simple", []).append(Production("simple", (sort,), words, tree))
                if form == "element" and name == names[-1].name:  # the nearest, as "its" is read
                    it = Production("simple", (sort,), "it", tree, reads_only=True)
                    made["simple"].append(it)
                if form == "optional":
                    made.setdefault("optional", []).append(Production("optional", (), words, tree))
            self._of_scope[key] = {category: Block(ones) for category, ones in made.items()}
        return self._of_scope[key]

    def _of_call(self, scope: Scope) -> Mapping[str, Block]:
        key = ("call", scope.calls, tuple(one.name for one in scope.names if one.form != "element"))
        if key not in self._of_scope:
            made: dict[str, list[Production]] = {}
            for one in (*self._records(scope), *self._facts(scope)):
                made.setdefault(one.category, []).append(one)
            self._of_scope[key] = {category: Block(ones) for category, ones in made.items()}
        return self._of_scope[key]

    def is_said(self, noun: str, scope: Scope) -> bool:
        """Whether "the NOUN" is something else at a place: a parameter of the call, or a record."""
        if any(one.words == noun for one in self.fields.get(scope.call, ()) if scope.calls):
            return True
        key = ("said", scope.calls, tuple(one.name for one in scope.names if one.form != "element"))
        if key not in self._of_scope:
            records = [one for one in self._records(scope) if one.category == "simple"]
            self._of_scope[key] = {one.pattern: Block(()) for one in records}
        return f"the {noun}" in self._of_scope[key]

    def _default(self, names: Iterable[str], scope: Scope) -> Tree | None:
        """The parameter of a fact around, or of the call, that has one of these names."""
        for name in names:
            if any(one.name == name and one.form != "element" for one in scope.names):
                return ("name", name)
            if scope.calls and any(one.name == name for one in self.fields.get(scope.call, ())):
                return ("attr", CALL, name)
        return None

    def _records(self, scope: Scope) -> Iterator[Production]:
        """The records by their keys; one whose keys are what has their names needs no more words."""
        for record in self.types.records.values():
            if not record.key:
                continue
            words = self.words_of_record(record)
            sorts = (f"rec:{record.class_name}",)
            own = [self._default(self._key_names(record, key), scope) for key in record.keys]
            form: Tree = ("method", RUN_NAME, record.name, *(("name", f"k{n}") for n in range(len(own))))
            as_of: Tree = (*form, (AS_OF, ("name", "at")))
            for number, text in enumerate(self._nouns_of_record(words, record.name)):
                hidden = number > 0
                if None not in own:
                    found: Tree = ("method", RUN_NAME, record.name, *own)
                    yield Production("simple", sorts, f"the {text}", found, reads_only=hidden)
                    yield from self._looked_up_lately(record, f"the {text}", own, scope)
                for said in self._said_keys(record):
                    yield Production("term", sorts, f"the {text} for {said}", form, reads_only=hidden)
                    former = f"the former {text} for {said} as of {{at:term earlier}}"
                    yield Production("term", sorts, former, as_of, reads_only=hidden)

    def _looked_up_lately(
        self, record: Record, words: str, keys: Sequence[Tree | None], scope: Scope
    ) -> Iterator[Production]:
        """That a record was looked up in some time: that the tool which tells it was called with its key."""
        some = self.looked_up_since(record, keys, ("name", "d")) if scope.calls else None
        if some is None:
            return
        for was, tree in (("was", some), ("was not", ("not", some))):
            lately = f"{words} {was} looked up in the last {{d:value dur}}"
            yield Production("atom", (), lately, tree, reads_only=True)

    def looked_up_since(self, record: Record, keys: Sequence[Tree | None], length: Tree) -> Tree | None:
        """That a record was looked up by its keys in a length of time; None if no tool looks it up so."""
        if record.look_up is None:
            return None
        call, one = self.types.of_tool(record.look_up.tool), ("name", "c")
        by_key = {
            "key" if len(keys) == 1 else f"key.{key}": tree
            for key, tree in zip(record.keys, keys, strict=True)
        }
        same = [
            ("==", ("attr", one, name), by_key[str(value)])
            for name, value in record.look_up.arguments.items()
            if value in by_key and call.earlier.field(name) is not None
        ]
        if len(same) < len(keys):
            return None
        since: Tree = ("-", ("attr", CALL, "time"), ("attr", one, "time"))
        found: Tree = ("and", ("attr", one, "succeeded"), *same, ("<=", since, length))
        domain: Tree = ("method", RUN_NAME, "earlier", ("name", call.name))
        return ("call", "any", ("gen", one, found, domain, TRUE))

    def _nouns_of_record(self, words: str, name: str) -> Iterator[str]:
        """Yield the patterns of a record: its words, and its name, which no field has as its words."""
        by_name = f"record “{name}”"
        taken = words.casefold() in self._words_of_parameters
        texts = [text for text in self.noun(words, name) if words and not (taken and text.startswith("“"))]
        yield from (by_name, *texts) if self.quoted else (*texts, by_name)

    @cached_property
    def _words_of_parameters(self) -> frozenset[str]:
        calls = (fields for sort, fields in self.fields.items() if sort.startswith("call:"))
        return frozenset(one.words.casefold() for fields in calls for one in fields)

    def _key_names(self, record: Record, key: str) -> tuple[str, ...]:
        """The names of parameters that a key is taken from without words."""
        if len(record.keys) > 1:
            return (key,)
        asked = () if record.look_up is None else record.look_up.arguments.items()
        # a name such as "query" may mean another thing in another call, the id of a thing does not
        of_look_up = (name for name, value in asked if value == "key" and words_of_name(name).endswith(" id"))
        return (key, f"{record.name}_id", record.name, "id", *of_look_up)

    def _said_keys(self, record: Record) -> Iterator[str]:
        """Yield the patterns of the keys of a record."""
        if len(record.keys) == 1:
            yield from ("{k0:key text}", "{k0:key int}")
            return
        sorts = {one.name: kind_of(one.sort) for one in self.fields[f"rec:{record.class_name}"]}
        said = [
            f"{{k{number}:key {'int' if sorts.get(key) == 'int' else 'text'}}} as the {words_of_name(key)}"
            for number, key in enumerate(record.keys)
        ]
        yield listed(said, "and")

    def _facts(self, scope: Scope) -> Iterator[Production]:
        for fact in self.facts.values():
            yield from self._fact(fact, scope)

    def _own_facts(self) -> Iterator[Production]:
        """Each function, as what a sentence gives the meaning of."""
        for fact in self.facts.values():
            for text in self._texts_of_fact(fact):
                yield Production("own_fact", (self._sort_of_fact(fact),), text, ("name", fact.name))

    def _sort_of_fact(self, fact: Fact) -> str:
        return with_unit(self.sort_of(fact.result), self.types.units.get(fact.name, ""))

    def _texts_of_fact(self, fact: Fact) -> tuple[str, ...]:
        """The words of a function: its noun, or its name in quotation marks where another has the noun."""
        boolean = fact.result.kind is Kind.BOOL
        noun = self.words_of_fact(fact)
        others = (self.words_of_fact(one) for one in self.facts.values() if one is not fact)
        if not noun or noun.casefold() in (one.casefold() for one in others):
            texts: tuple[str, ...] = (f"“{words_of_name(fact.name)}”",)
        else:
            texts = tuple(self._clean(noun.removeprefix("whether ") if boolean else noun))
            texts = tuple(f"{one}," if not boolean and one.count(",") % 2 else one for one in texts)
        return tuple(f"{text} holds" if boolean and text.startswith("“") else text for text in texts)

    def _fact(self, fact: Fact, scope: Scope) -> Iterator[Production]:
        """The patterns of a function: what it takes may be left out where it is what has the same name."""
        boolean = fact.result.kind is Kind.BOOL
        sorts = () if boolean else (self._sort_of_fact(fact),)
        choices = [list(self._operand(fact, number, scope)) for number in range(len(fact.parameters))]
        for chosen in product(*choices):
            operands = tuple(tree for tree, _ in chosen)
            said = [text for _, text in chosen if text and not text.startswith(" in")]
            run = "".join(text for _, text in chosen if text.startswith(" in"))
            ending = (f", for {listed(said, 'and')}" if said else "") + run
            for number, text in enumerate(self._texts_of_fact(fact)):
                words = set(words_of(text))  # a noun in quotation marks is one word
                ends = bool(SAID_IN_LISTS & words or "," in words or said)
                category = ("infix" if said else "term") if not boolean else "clause" if ends else "atom"
                whole = f"{text}{ending}".replace(",,", ",")
                tree: Tree = ("call", fact.name, *operands)
                yield Production(category, sorts, whole, tree, reads_only=number > 0)

    def _clean(self, words: str) -> Iterator[str]:
        plain = words.replace("{", "(").replace("}", ")").rstrip(".")
        if "“" in plain:
            yield plain
        elif _is_said(plain):
            yield f"“{plain}”"
        else:
            yield from (f"“{plain}”", plain) if self.quoted else (plain, f"“{plain}”")

    def _operand(self, fact: Fact, number: int, scope: Scope) -> Iterator[tuple[Tree, str]]:
        """What a parameter takes, and the words for it: nothing for what is taken without words."""
        parameter = fact.parameters[number]
        slot = f"p{number}"
        if parameter.type == RUN and not parameter.classes:
            yield RUN_NAME, ""
            yield ("name", slot), f" in the run {{{slot}:run}}"
            return
        if parameter.classes:
            yield CALL, ""
            yield ("name", slot), f"{{{slot}:simple earlier}} as the call"
            return
        if (own := self._default((parameter.name,), scope)) is not None:
            yield own, ""
        words = words_of_name(parameter.name)
        sort = self._plain(self.sort_of_parameter(parameter))
        many = parameter.type.kind in (Kind.SET, Kind.LIST)
        category = f"list {sort}" if many else "truth" if sort == "bool" else f"term {sort}"
        yield ("name", slot), f"{{{slot}:{category}}} as the {words}"

    def _plain(self, sort: str) -> str:
        """A sort as it stands in a pattern, which has no blanks and no braces in it."""
        return "text" if re.search(r"[\s{}]", sort) else sort


def _with_inner(owner: str, fields: Iterable[CallField]) -> Iterator[tuple[str, CallField]]:
    """Yield fields with those of what they hold, each with the name of its class."""
    for one in fields:
        yield owner, one
        held = one.type.element or one.type
        if one.fields and held.record is not None:
            yield from _with_inner(held.record.name, one.fields)


_STRUCTURAL = SAID_IN_LISTS | _words(
    "is are was were of for the a an there one none least every all both either this these it "
    "in on from by to with plus less times minus exactly "
)
"""Words of the language: a noun of a name with one of them is written in quotation marks."""


@lru_cache(maxsize=4096)
def is_structural(words: str) -> bool:
    """Whether a noun has words of the language, so that it is written in quotation marks."""
    return bool(set(words_of(words)) & _STRUCTURAL) and words not in _PARTS.values()


@lru_cache(maxsize=4096)
def _is_said(words: str) -> bool:
    """Whether a noun says something else already, as "now" or a number, so that it is read in marks only."""
    found = tokens(words)
    first = found[0].kind if found else ""
    return first in ("number", "clock", "other") or words_of(words) in _whole_patterns()


@cache
def _whole_patterns() -> frozenset[tuple[str, ...]]:
    """The words that say something by themselves, without a noun."""
    found = {
        tuple(part.word for part in one.parts if isinstance(part, Word))
        for one in productions()
        if not one.slots
    }
    return frozenset({*found, ("yes",), ("no",)})


def doing(tool: str) -> str:
    """What an agent does by a call, by the name of the tool: ``pay_invoice`` is "pay an invoice"."""
    words = words_of_name(tool).split()
    last = words[-1]
    counted = len(words) > 1 and words[0] in VERBS and not last.endswith("s") and last not in UNCOUNTED
    if not counted or is_structural(" ".join(words)):
        return " ".join(words)
    verb, thing = _verb_and_thing(words)
    return f"{verb} a {thing}"


def _verb_and_thing(words: Sequence[str]) -> tuple[str, str]:
    """What is done, and the words of the thing that it is done to."""
    of_verb = 2 if len(words) > 2 and words[1] in OF_VERBS else 1
    return " ".join(words[:of_verb]), " ".join(words[of_verb:])


def _with_other_articles(said: str) -> Iterator[str]:
    """What an agent does in other words: "pay a invoice" is also "pay invoice" and "pay invoices"."""
    verb, thing = _verb_and_thing(said.split())
    article, _, bare = thing.partition(" ")
    thing = bare if article in ("a", "an", "the") else thing
    if not thing or is_structural(thing):
        return
    every = [f"{verb} {thing}", f"{verb} a {thing}", f"{verb} the {thing}"]
    if not thing.endswith("s") and thing.split()[-1] not in UNCOUNTED:
        every.append(f"{verb} {thing}s")
    yield from (one for one in every if one != said)


def _told_apart(fields: Sequence[FieldWords]) -> Iterator[FieldWords]:
    """The fields of a class; those with the words of another are called by their names."""
    every = [one.words.casefold() for one in fields]
    yield from (replace(one, words="") if every.count(one.words.casefold()) > 1 else one for one in fields)


def _event(one: FieldWords) -> str:
    """Whether a time is "approved at", the "event" that something was, or "starts at", when it "begins"."""
    verb, _, last = one.words.rpartition(" ")
    if one.many or kind_of(one.sort) not in ("moment", "date") or last not in _WHEN or not verb:
        return ""
    return "begins" if verb.endswith("s") else "event"


def _in_all(one: FieldWords, others: Sequence[FieldWords]) -> FieldWords:
    """A field of several classes; the words of its name and no unit if it has others in one of them."""
    words = one.words if all(other.words == one.words for other in others) else words_of_name(one.name)
    same = all(other.sort == one.sort for other in others) or not unit_of(one.sort)
    return replace(one, words=words, sort=one.sort if same else kind_of(one.sort))


def _sort_of_value(value: Scalar) -> str:
    return "text" if isinstance(value, str) else _SCALARS[of_value(value).kind]


@cache
def _of_the_grammar() -> tuple[Mapping[str, Block], Mapping[str, Block]]:
    """The rows of the grammar, which all lexicons share: those about an element around, and the others."""
    of_element, others = list[Production](), list[Production]()
    for one in productions():
        (of_element if one.of_element else others).append(one)
    return _by_category(of_element), _by_category(others)


def _by_category(made: Iterable[Production]) -> dict[str, Block]:
    by_category: dict[str, list[Production]] = {}
    for one in made:
        by_category.setdefault(one.category, []).append(one)
    return {category: Block(ones) for category, ones in by_category.items()}


def constants_of(source: str) -> Mapping[str, Tree]:
    """The values of the constants of a policy that sentences have in place of their names."""
    found: dict[str, Tree] = {}
    for node in statements(source):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if isinstance(node.value, ast.Subscript | ast.Dict):
                continue
            tree = tree_of(node.value, found)
            short = tree[0] == "set" and 0 < len(tree) <= _SHORT + 1
            if tree[0] == "lit" or short:
                found[name] = tree
    return found


_CLASS_BY_PARTS = {
    frozenset(name for name, _ in one.type_in_calls.fields): one.type_in_calls.name for one in KINDS.values()
}
"""The classes of the kinds of texts, by the names of their parts."""
_PARTS = {
    "Command.started": "started programs",
    "Command.reads": "read files",
    "Command.writes": "written files",
    "Command.runs": "run files",
    "Command.environment": "environment variables",
    "Path.absolute": "full name",
    "StartedProgram.first": "first word",
    "StartedProgram.second": "second word",
    "moment.weekday": "day of the week (Monday is 1)",
    "moment.day": "day of the month",
    "moment.time": "time of day",
}
"""The words of parts whose names are no phrases."""
_SHORT = 4
"""The most values of a named set that are written in its place."""
