"""The typed terms of a checked policy: the input of every translation.

``workbench.dialect.lowered_policy`` makes them of a policy of calls that its checker read. Compiling,
lowering to the verifier, the SMT formula, mutation and explanation read nothing else. All are hashable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from workbench.model import Argument, ArgumentType, RecordType, Scalar, Verdict
from workbench.policy.rule_names import ASK, NEGATED
from workbench.serialization.json_form import json_form

if TYPE_CHECKING:
    from workbench.policy.written import WrittenFile


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal value; enum members are str."""

    value: Scalar | None


@dataclass(frozen=True, slots=True)
class Variable:
    """An argument, or the bound variable of a quantifier."""

    name: str
    type: ArgumentType


@dataclass(frozen=True, slots=True)
class Attribute:
    """``record.name``: a field of a record that is present."""

    record: Variable | Attribute
    name: str
    type: ArgumentType


@dataclass(frozen=True, slots=True)
class ResultTerm:
    """``Result()`` of the deciding function, in a contract only."""


@dataclass(frozen=True, slots=True)
class Not:
    """Negation."""

    operand: Term


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction, evaluated from left to right."""

    operands: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Disjunction, evaluated from left to right."""

    operands: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class ImpliesTerm:
    """``Implies(condition, consequence)``, in a contract only."""

    condition: Term
    consequence: Term


class Comparison(StrEnum):
    """The comparison operators; order comparisons need an ordered type on both sides."""

    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="

    @property
    def negated(self) -> Comparison:
        """The comparison that holds exactly where this one does not."""
        pairs = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
        return Comparison(pairs[self])

    @property
    def turned(self) -> Comparison:
        """The comparison with the same meaning when its sides are exchanged."""
        return Comparison({"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(self, self))

    @property
    def other_bound(self) -> Comparison:
        """The same comparison with the bound included if it was excluded, or the reverse; ``==`` stays."""
        return Comparison({"<": "<=", "<=": "<", ">": ">=", ">=": ">"}.get(self, self))


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two terms of one type. Chained comparisons become conjunctions.

    ``==`` and ``!=`` also compare booleans (in a contract: "allowed exactly if").
    """

    operator: Comparison
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class ConstantSet:
    """A set of constants, written in place or named at the top of the file."""

    values: tuple[Scalar, ...]
    name: str | None = None


@dataclass(frozen=True, slots=True)
class TableEntry:
    """``TABLE[key]`` or ``TABLE.get(key, frozenset())`` for a table of sets; absent keys are empty."""

    table: str
    key: Term


@dataclass(frozen=True, slots=True)
class SetVariable:
    """A set-valued argument or parameter used as a collection."""

    name: str


@dataclass(frozen=True, slots=True)
class Elements:
    """The collection that a term holds: a list, or a set that is a field of a record."""

    term: Variable | Attribute


type Collection = ConstantSet | TableEntry | SetVariable | Elements


@dataclass(frozen=True, slots=True)
class Member:
    """``item in collection``. ``not in`` is a Not around it."""

    item: Term
    collection: Collection


class Quantifier(StrEnum):
    """``any`` or ``all``."""

    ANY = "any"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Quantified:
    """``any(body for variable in collection if condition)`` or ``all(...)``.

    Subset tests ``a <= b`` between sets are written as ``all`` with a Member body.
    A condition becomes part of the body: any -> And, all -> Or(Not condition, body).
    """

    quantifier: Quantifier
    variable: Variable
    collection: Collection
    body: Term


@dataclass(frozen=True, slots=True)
class Count:
    """``sum(1 for variable in collection if condition)`` over a list.

    ``len(collection)`` is the count whose condition is the constant True.
    """

    variable: Variable
    collection: Elements
    condition: Term


@dataclass(frozen=True, slots=True)
class Sum:
    """``sum(value for variable in collection if condition)`` over a list; 0 for an empty list.

    ``type`` is the type of the values and of the sum, int or decimal.
    """

    variable: Variable
    collection: Elements
    value: Term
    condition: Term
    type: ArgumentType


@dataclass(frozen=True, slots=True)
class FieldSet:
    """``{(x.a, x.b) for x in collection}``: the elements of a list as a set of some of their fields.

    ``fields`` is empty for a list of scalars, whose elements are compared themselves.
    """

    collection: Elements
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CompareFields:
    """Two lists compared as sets of fields: equal, or the left set a subset (``<=``) of the right set.

    ``!=`` is a Not around ``==``.
    """

    operator: Comparison
    left: FieldSet
    right: FieldSet


class StringTestKind(StrEnum):
    """The tests of a string against a constant."""

    PREFIX = "startswith"
    SUFFIX = "endswith"
    CONTAINS = "contains"


@dataclass(frozen=True, slots=True)
class StringTest:
    """``text.startswith("c")``, ``text.endswith("c")`` or ``"c" in text``."""

    kind: StringTestKind
    text: Term
    constant: str


@dataclass(frozen=True, slots=True)
class Length:
    """``len(text)`` of a string, in Unicode code points."""

    text: Term


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``+``, ``-``, ``*``, ``//`` or ``%``; exact on ints, decimals and durations.

    ``//`` and ``%`` apply to ints, with a positive constant divisor only (Python's floor semantics). The
    difference of two dates or of two datetimes is a duration.
    """

    operator: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Choice:
    """``then if condition else otherwise``; early returns become choices too."""

    condition: Term
    then: Term
    otherwise: Term


@dataclass(frozen=True, slots=True)
class IsMissing:
    """``argument is None`` for an optional argument, or for an optional field of a record that is present."""

    variable: Variable | Attribute


@dataclass(frozen=True, slots=True)
class Lookup:
    """``TABLE[key]`` or ``TABLE.get(key, default)`` for a table of scalars.

    ``default`` is None only if the checker proved that every key is present.
    """

    table: str
    key: Term
    default: Constant | None = None


type Term = (
    Constant
    | Variable
    | Attribute
    | ResultTerm
    | Not
    | And
    | Or
    | ImpliesTerm
    | Compare
    | Member
    | Quantified
    | Count
    | Sum
    | CompareFields
    | StringTest
    | Length
    | Arithmetic
    | Choice
    | IsMissing
    | Lookup
)


# --- the parts of a policy file ---------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameter:
    """A typed parameter of a function of the file."""

    name: str
    type: ArgumentType


@dataclass(frozen=True, slots=True)
class Rule:
    """A ``forbid_*``, ``ask_*`` or ``permit_*`` function.

    ``message`` is the first line of its docstring without the requirement ids that may precede it (``R3:
    Users under 18 may not book a hotel.``).
    """

    name: str
    parameters: tuple[Parameter, ...]
    body: Term
    message: str
    requirements: tuple[str, ...]
    line: int
    end_line: int

    @property
    def forbids(self) -> bool:
        """Whether no call is allowed on which the rule fires: a ``forbid_*`` or ``ask_*`` rule."""
        return self.name.startswith(NEGATED)

    @property
    def asks(self) -> bool:
        """Whether a person may approve a call on which the rule fires: an ``ask_*`` rule."""
        return self.name.startswith(ASK)


@dataclass(frozen=True, slots=True)
class Clause:
    """A pre- or postcondition of the deciding function.

    ``id`` is ``C1``, ``C2``... in the order of the file for postconditions, and ``P1``...
    for preconditions, ``A1``... for axioms. The requirement ids come from the comment above (``# R3: ...``).
    """

    id: str
    term: Term
    requirements: tuple[str, ...]
    comment: str
    source: str
    line: int
    end_line: int


json_form(Clause, "id", "requirements", "source")


@dataclass(frozen=True, slots=True)
class Table:
    """A constant table: scalar keys to sets of scalars, or to scalars."""

    name: str
    entries: Mapping[Scalar, frozenset[Scalar] | Scalar]
    line: int

    def __hash__(self) -> int:
        """A hash of the name: few tables have the same name."""
        return hash(self.name)


@dataclass(frozen=True, slots=True)
class PolicyTerms:
    """A checked policy over plain arguments.

    ``rules`` are those that forbid or ask, and then those that permit. ``default_allow`` is True if no permit
    rule has to fire. ``Result()``, a call that is allowed without a person, is
    ``not (any(forbid) or any(ask)) and (default_allow or any(permit))``. ``axioms``
    relate arguments that are values over one run: whatever is extracted meets them. Proofs assume them,
    nothing tests them, and no text states them: a person's assumption would be believed unchecked.
    ``places`` are the decimal places of every decimal. A policy that few inputs are tried on, as a wrong
    version of another, is ``interpreted``: compiling it would take longer. ``written`` is the policy of calls
    that it was made of.
    """

    arguments: tuple[Parameter, ...]
    sets: Mapping[str, ConstantSet]
    tables: Mapping[str, Table]
    rules: tuple[Rule, ...]
    default_allow: bool
    preconditions: tuple[Clause, ...]
    clauses: tuple[Clause, ...]
    places: int = 2
    records: Mapping[str, RecordType] = field(default_factory=dict[str, RecordType])
    constants: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    axioms: tuple[Clause, ...] = ()
    interpreted: bool = False
    written: WrittenFile | None = field(default=None, compare=False)

    def __hash__(self) -> int:
        """A hash of what is fast to hash: few policies have the same rules at the same lines, and clauses."""
        rules = tuple((rule.name, rule.line, rule.end_line) for rule in self.rules)
        return hash((self.default_allow, rules, tuple(clause.source for clause in self.clauses)))

    @property
    def file(self) -> WrittenFile:
        """The file that a person reads and edits: the policy of calls that it was made of."""
        if self.written is not None:
            return self.written
        from workbench.policy.written import NO_FILE  # a guard has no need of files

        return NO_FILE

    @property
    def sources(self) -> tuple[Argument, ...]:
        """The arguments of a policy of calls with their expressions over call and run, else none."""
        return () if self.written is None else self.written.arguments

    @property
    def assumed(self) -> tuple[Clause, ...]:
        """What holds of every input that is proved about: the preconditions and the axioms."""
        return (*self.preconditions, *self.axioms)

    @property
    def without_asking(self) -> PolicyTerms:
        """The policy that allows what a person may approve too; it is interpreted, if a rule asks."""
        if not any(rule.asks for rule in self.rules):
            return self
        return replace(self, rules=tuple(rule for rule in self.rules if not rule.asks), interpreted=True)

    def verdict(self, fired: Sequence[Rule]) -> Verdict:
        """The decision where these rules fire and no others."""
        permitted = self.default_allow or not all(rule.forbids for rule in fired)
        if not permitted or any(rule.forbids and not rule.asks for rule in fired):
            return Verdict.DENY
        return Verdict.ASK if any(rule.asks for rule in fired) else Verdict.ALLOW

    @property
    def taken_by_rules(self) -> Mapping[str, frozenset[str]]:
        """The names of the arguments that each rule takes."""
        return {rule.name: frozenset(parameter.name for parameter in rule.parameters) for rule in self.rules}
