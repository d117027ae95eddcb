"""A checked policy of calls: its rules and clauses, each once for each tool that it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.dialect.call_file import Fact, Spot
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.run_values import RunValue
from workbench.model import ArgumentType, Scalar
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
class CallsOfTool:
    """What a theorem says of one call of a tool: whether it counts, and its value in a sum or extreme.

    All is over ``call``, with its outcome, and the run as it was when the call was decided. ``about`` is
    whether the call is one of those that are spoken of, by the conditions after ``if``.
    """

    tool: str
    about: Term
    condition: Term
    value: Term | None


@dataclass(frozen=True, slots=True)
class OverCalls:
    """A value that a theorem gathers over the calls of the whole run.

    ``name`` is the variable that it is in the theorem, and ``text`` what the file says.
    ``operation`` is ``any``, ``count``, ``sum``, ``min`` or ``max``; ``all`` is the negation of an ``any``.
    ``before`` is the same over the earlier calls of a decided call, as a rule says it, and ``some`` whether
    any of them counts; both are None where no rule can say it.
    """

    name: str
    text: str
    operation: str
    type: ArgumentType
    tools: tuple[CallsOfTool, ...]
    before: Term | None
    some: Term | None
    default: Term | None

    def of_tool(self, tool: str) -> CallsOfTool | None:
        """What it says of a call of a tool; None if it is not about such calls."""
        return next((one for one in self.tools if one.tool == tool), None)


@dataclass(frozen=True, slots=True)
class CallTheorem:
    """A ``theorem_*`` function: its sentence, and its condition over what it gathers over the whole run."""

    name: str
    sentence: str
    requirements: tuple[str, ...]
    term: Term
    parts: tuple[OverCalls, ...]
    line: int
    end_line: int

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools whose calls it is about."""
        return tuple(dict.fromkeys(one.tool for part in self.parts for one in part.tools))

    @property
    def of_calls(self) -> tuple[Term, ...]:
        """What it says of each call: the conditions under which it counts, and its values."""
        said = (term for part in self.parts for one in part.tools for term in (one.condition, one.value))
        return tuple(term for term in said if term is not None)


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """A checked policy of calls.

    ``constants`` are the single values at the top of the file, and ``constant_names`` the names of all that
    is defined there. ``named`` has each fact by the text of its value. ``spots`` has the places of terms by
    the identity of the term. Calls of a tool with a ``permit_*`` rule are denied unless one fires; all others
    are allowed unless ``default_allow`` is False.
    """

    source: str
    title: str
    types: AgentTypes
    rules: tuple[CallRule, ...]
    clauses: tuple[CallClause, ...]
    theorems: tuple[CallTheorem, ...]
    facts: Mapping[str, Fact]
    values: Mapping[str, RunValue]
    named: Mapping[str, Fact]
    constants: Mapping[str, Scalar]
    constant_names: frozenset[str]
    sets: Mapping[str, ConstantSet]
    tables: Mapping[str, Table]
    default_allow: bool
    places: int
    spots: Mapping[int, Spot]
