"""Facts that rules may mention: their names, their sources, and their terms in the dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from workbench.author.argument_terms import variable
from workbench.model import Argument, ArgumentType, Extraction, Json, Record
from workbench.policy.elements import Place
from workbench.policy.render import render_term
from workbench.policy.terms import Attribute, Term, Variable


class FactSource(StrEnum):
    """The source of a fact."""

    CALL = "an argument of the call"
    CONTEXT = "the context of the run"
    EXTRACTED = "an argument of the agent spec"
    TIME = "the time of the call"
    POLICY = "an argument of the policy"


@dataclass(frozen=True, slots=True)
class DerivedValue:
    """A value that a term takes from arguments: a field of a record or of an element, a size, a sum.

    ``type`` is optional if one of the places that the term needs may be None.
    """

    term: Term
    type: ArgumentType


@dataclass(frozen=True, slots=True)
class SayableFact:
    """Something that a rule may speak of: its name in plain words, and its value.

    The value is an argument that the agent spec can take as it is, or is derived from ``arguments``: the
    amount of a line needs the lines. ``records`` are those that it needs too. ``tools`` are those
    whose calls have it, all where empty. ``meaning`` is the part of a kind of value (``path.absolute``),
    ``root`` where relative paths begin. ``absent`` are the places that may be None where it has no value,
    in the order of looking; else it is the value itself.
    """

    phrase: str
    source: FactSource
    value: Argument | DerivedValue
    tools: tuple[str, ...] = ()
    stems: frozenset[str] = field(default_factory=frozenset[str])
    records: tuple[Record, ...] = ()
    arguments: tuple[Argument, ...] = ()
    meaning: str = ""
    root: str = ""
    absent: tuple[Place, ...] = ()

    @property
    def term(self) -> Term:
        """The value in a condition of the dialect."""
        return self.value.term if isinstance(self.value, DerivedValue) else variable(self.value)

    @property
    def type(self) -> ArgumentType:
        """The type of the value, optional if the fact may have no value."""
        return self.value.type

    @property
    def name(self) -> str:
        """The text of the value in the dialect, which is the name of an argument."""
        return render_term(self.value.term) if isinstance(self.value, DerivedValue) else self.value.name

    @property
    def description(self) -> str:
        """The description of an argument; of any other value, the phrase that names it."""
        return self.value.description if isinstance(self.value, Argument) else self.phrase

    @property
    def extraction(self) -> Extraction | None:
        """The extraction of an argument."""
        return self.value.extraction if isinstance(self.value, Argument) else None

    @property
    def lacking(self) -> tuple[Place, ...]:
        """The places that may be None if the fact has no value; none for a fact that always has one."""
        if not self.type.optional:
            return ()
        return self.absent or ((self.term,) if isinstance(self.term, Variable | Attribute) else ())

    @property
    def declared(self) -> tuple[Argument, ...]:
        """The arguments that the agent spec needs for the fact."""
        return (*self.arguments, self.value) if isinstance(self.value, Argument) else self.arguments


def options_of(argument: Argument) -> Mapping[str, Json]:
    """The options of an argument's extraction."""
    return {} if argument.extraction is None else argument.extraction.options


def with_meaning(fact: SayableFact) -> SayableFact:
    """The fact with the kind of value that its argument is a part of, and the root of its paths."""
    if not isinstance(fact.value, Argument):
        return fact
    options = options_of(fact.value)
    root = options.get("root") or options.get("folder") or ""
    return replace(fact, meaning=str(options.get("part", "")), root=str(root))
