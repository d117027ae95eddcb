"""A checked policy of calls: its rules and clauses, each once for each tool that it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.dialect.call_file import Fact, Spot
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.run_values import RunValue
from workbench.policy.terms import ConstantSet, Table, Term


@dataclass(frozen=True, slots=True)
class TermOfTool:
    """The term of a rule or clause about the calls of one tool; an empty tool means all calls."""

    tool: str
    term: Term


@dataclass(frozen=True, slots=True)
class CallRule:
    """A ``forbid_*``, ``permit_*`` or ``ask_*`` rule: its term for each tool, and its place in the file."""

    name: str
    terms: tuple[TermOfTool, ...]
    message: str
    requirements: tuple[str, ...]
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class CallClause:
    """A clause of a ``contract_*`` function: its term for each tool, its text, and its place in the file."""

    function: str
    terms: tuple[TermOfTool, ...]
    requirements: tuple[str, ...]
    comment: str
    source: str
    line: int
    end_line: int
    precondition: bool


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """A checked policy of calls.

    ``constants`` is the text of the constants at the top of the file, and ``named`` has each fact by the text
    of its value. ``spots`` has the places of terms by the identity of the term. Calls of a tool with a
    ``permit_*`` rule are denied unless one fires; all others are allowed unless ``default_allow`` is False.
    """

    source: str
    title: str
    types: AgentTypes
    rules: tuple[CallRule, ...]
    clauses: tuple[CallClause, ...]
    facts: Mapping[str, Fact]
    values: Mapping[str, RunValue]
    named: Mapping[str, Fact]
    constants: tuple[str, ...]
    sets: Mapping[str, ConstantSet]
    tables: Mapping[str, Table]
    default_allow: bool
    places: int
    spots: Mapping[int, Spot]

    @property
    def constant_names(self) -> tuple[str, ...]:
        """The names of the constants at the top of the file."""
        return tuple(text.partition(" = ")[0] for text in self.constants)
