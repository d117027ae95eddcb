"""A policy of calls under check: what the readers of its expressions share."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from workbench.dialect.call_types import AgentTypes
from workbench.dialect.run_values import RunValue
from workbench.model import ArgumentType, Kind, RecordType
from workbench.policy.checker.present_values import is_collection
from workbench.policy.checker.scope import File, Scope, Typed
from workbench.policy.terms import Term, Variable
from workbench.policy.types import STR
from workbench.runs.kinds.kinds_by_name import CLASSES

RUN = ArgumentType(Kind.RECORD, record=RecordType("Run", ()))
"""The type of ``run``, which no other value has."""
AGENT = "agent"
"""The module that a policy of calls imports the classes of its agent from."""
ANY_CALL = "Call"
"""The class of the calls of all tools, with the fields that all of them have."""
TEXT = "Text"
"""The class of the texts of calls and runs."""
KIND_CLASSES = {
    name: kind if name == classes[0] else name for kind, classes in CLASSES.items() for name in classes
}
"""The classes of texts with typed parts, as ``Path``, each with its kind; that of an element is its own."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a term stands in the file: the term itself, its line and its column in characters, from 1."""

    term: Term
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class FactParameter:
    """A parameter of a function: its type, the classes of calls that it takes, or the kind of its texts."""

    name: str
    type: ArgumentType
    classes: tuple[str, ...] = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A function that rules and other functions read; ``noun`` is the first line of its docstring."""

    name: str
    parameters: tuple[FactParameter, ...]
    result: ArgumentType
    node: ast.FunctionDef
    noun: str


@dataclass
class Found:
    """What a part of a file names: values over the run, functions by the text of their value, and places.

    A place is by the identity of its term.
    """

    values: dict[str, RunValue] = field(default_factory=dict[str, RunValue])
    named: dict[str, Fact] = field(default_factory=dict[str, Fact])
    spots: dict[int, Spot] = field(default_factory=dict[int, Spot])

    def add(self, part: Found) -> None:
        """Add what a later part names. A function or place that was found before stays."""
        self.values.update(part.values)
        for text, fact in part.named.items():
            self.named.setdefault(text, fact)
        for term, spot in part.spots.items():
            self.spots.setdefault(term, spot)

    def moved(self, lines: Iterable[int], nodes: Iterable[ast.stmt], facts: Mapping[str, Fact]) -> Found:
        """What a function names where it and what it reads stood at other lines, and are some nodes now."""
        by_line = {
            line + at: node.lineno - line
            for line, node in zip(lines, nodes, strict=True)
            if line != node.lineno
            for at in range((node.end_lineno or node.lineno) - node.lineno + 1)
        }
        spots = {
            term: Spot(spot.term, spot.line + by_line.get(spot.line, 0), spot.column)
            for term, spot in self.spots.items()
        }
        return Found(self.values, {text: facts[fact.name] for text, fact in self.named.items()}, spots)


@dataclass
class CallFile:
    """A policy of calls under check: its functions, and the values over the run that its terms name.

    ``found`` is what the part that is read now names, and ``values`` has the values of all parts. ``read``
    has the terms of the expressions of one rule or clause, each with its node and scope, by their
    identities. ``filled`` has the values of functions that were filled in, by function, operands and scope,
    each with the number of functions that it filled in and what these name. With ``all_have_ended`` every
    earlier call has failed or has succeeded.
    """

    file: File
    types: AgentTypes
    facts: dict[str, Fact] = field(default_factory=dict[str, Fact])
    values: dict[str, RunValue] = field(default_factory=dict[str, RunValue])
    found: Found = field(default_factory=Found)
    tool: str = ""
    all_have_ended: bool = False
    inlined: list[str] = field(default_factory=list[str])
    filled_in: int = 0
    filled: dict[Hashable, tuple[Typed, int, Found]] = field(
        default_factory=dict[Hashable, "tuple[Typed, int, Found]"]
    )
    read: dict[tuple[int, int], tuple[ast.expr, Scope, Typed]] = field(
        default_factory=dict[tuple[int, int], tuple[ast.expr, Scope, Typed]]
    )

    @cached_property
    def classes(self) -> Mapping[str, str]:
        """The names of the classes of tools."""
        return {call.tool: name for name, call in self.types.calls.items()}

    def is_collection(self, node: ast.expr, scope: Scope) -> bool:
        """Whether an expression is meant as a set or list."""
        return is_collection(node, scope, self.file)

    def quietly(self, node: ast.expr, scope: Scope) -> Typed | None:
        """The term of an expression, without a problem if it has none."""
        before = list(self.file.problems.items)
        try:
            return None if self.is_collection(node, scope) else self.file.term(node, scope)
        finally:
            self.file.problems.items[:] = before

    def name(self, text: str, value: RunValue) -> None:
        """Keep a value over the run, whose variable has this text as name."""
        self.values[text] = self.found.values[text] = value

    def add(self, part: Found) -> None:
        """Add what a part names that was read apart, or in an earlier version of the file."""
        self.found.add(part)
        self.values.update(part.values)

    def apart[Read](self, read: Callable[[], Read]) -> tuple[Read, Found]:
        """What reading a part gives, and what that part names."""
        around, self.found = self.found, Found()
        try:
            return read(), self.found
        finally:
            around.add(self.found)
            self.found = around

    def over_run(
        self, node: ast.expr, value: RunValue, text: str, type_: ArgumentType, *parts: Typed
    ) -> Typed | None:
        """A value over the run, whose variable has its text as name."""
        self.name(text, value)
        return self.file.typed(node, Variable(text, type_), type_, *parts)


def common(records: list[RecordType]) -> RecordType:
    """The fields that all of these classes have with one type, under the names of the classes."""
    first, *others = records
    if not others:
        return first
    fields = tuple(
        (name, type_) for name, type_ in first.fields if all(other.field(name) == type_ for other in others)
    )
    return RecordType(" | ".join(record.name for record in records), fields)


def tool_type(tools: Iterable[str]) -> ArgumentType:
    """The type of the tool of a call: one of the agent's tools, or any text where the agent lists none."""
    names = tuple(tools)
    return ArgumentType(Kind.ENUM, names) if names else STR
