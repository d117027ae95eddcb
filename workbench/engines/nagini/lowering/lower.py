"""Lowering: the Nagini program that is equivalent to a policy and its contract.

Nagini cannot decide string membership, prefixes or floats, and decides ints well. So
strings become codes, decimals scaled ints, dates and times ordinals, sets ``PSet[int]``
and optional arguments a value with a flag. Every clause becomes a method of its own with
only those rules that can fire under the clause's condition, so that each clause has its
own verdict and a large policy stays a number of small proofs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from workbench.engines.nagini.lowering.expression_text import Writer
from workbench.engines.nagini.lowering.lowered_pieces import (
    LoweredNames,
    declare,
    fresh,
    plain,
    safe,
    scale_of,
)
from workbench.engines.nagini.lowering.lowered_values import Encoded, Values
from workbench.engines.nagini.lowering.run_lowered import LoweredRun
from workbench.engines.nagini.lowering.simplify import KnownFacts, Simplifier
from workbench.engines.nagini.lowering.slice import (
    Goal,
    arguments_of,
    clause_goal,
    decision_goal,
    fingerprint,
    helpers_of,
    vacuity_goal,
)
from workbench.engines.nagini.lowering.string_regions import LoweringFault, LoweringLimit
from workbench.engines.nagini.lowering.strings import Family, Scope, StringFamilies
from workbench.model import Arguments, Kind
from workbench.policy.terms import PolicyTerms

__all__ = ["VACUITY", "Lowered", "LoweringFault", "LoweringLimit", "clause_key", "lower"]

VACUITY = "preconditions"
_DEEP = "The expressions of the policy are nested too deeply to be proved; split them into helpers."
_HEAD = "from nagini_contracts.contracts import *"


@dataclass(frozen=True, slots=True)
class Lowered:
    """A lowered program.

    ``clause_lines`` gives the lines (from 1, both included) of the method of each clause, and of
    ``VACUITY``, a method that must be refuted, where the policy has preconditions.
    """

    text: str
    clause_lines: Mapping[str, tuple[int, int]]
    methods: Mapping[str, str]
    _parameters: Mapping[str, Mapping[str, str]]
    _values: Values
    _largest: int

    def encode(self, arguments: Arguments) -> Encoded:
        """The program's values for arguments that fit their types.

        Raises:
            LoweringLimit: a value has more decimal places than its type.
        """
        return self._values.encode(arguments)

    def decode(self, model: Mapping[str, int | bool | frozenset[int] | None]) -> Arguments:
        """Arguments for the program's values; what the model leaves open gets a plain value."""
        return self._values.decode(model)

    def run(self, encoded: Encoded) -> bool:
        """The decision of the program, run as Python; only of a program lowered with all clauses."""
        if "allow" not in self.methods:
            raise LoweringLimit("Only the whole policy can be run; lower it without naming clauses.")
        return self._python().call("allow", encoded)

    def holds(self, clause: str, encoded: Encoded) -> bool:
        """Whether a clause holds on the values or their preconditions are broken, run as Python."""
        requires, ensures = self._python().contract(self.methods[clause], encoded)
        return ensures or not requires

    def parameters(self, clause: str) -> Mapping[str, str]:
        """The parameters of a clause's method with their types: ``int``, ``bool`` or ``PSet[int]``."""
        return self._parameters[clause]

    def codes(self, parameter: str) -> int:
        """How many codes a parameter of strings has, counted from 1; 0 for other parameters."""
        return self._values.codes(parameter)

    def checker(self) -> LoweredRun:
        """The program as Python, to be run many times."""
        return self._python()

    def _python(self) -> LoweredRun:
        return LoweredRun(self.text, self._largest)


def lower(terms: PolicyTerms, clauses: Collection[str] | None = None) -> Lowered:
    """The Nagini program for a policy, or for some clauses of its contract only.

    Args:
        terms: the checked policy.
        clauses: ids of postconditions; None for all of them and the decision itself.

    Raises:
        LoweringLimit: the policy is in the dialect but cannot be translated exactly.
    """
    try:
        terms = _with_plain_helpers(terms)
        goals = [clause_goal(terms, one) for one in terms.clauses if clauses is None or one.id in clauses]
        if terms.preconditions:
            goals.append(vacuity_goal(terms))
        if clauses is None:
            goals.append(decision_goal(terms))
        return _Program(terms, goals).build()
    except RecursionError:
        raise LoweringLimit(_DEEP) from None


def clause_key(terms: PolicyTerms, clause: str) -> str:
    """A hash of all that the truth of a clause depends on: equal keys have equal verdicts.

    Raises:
        KeyError: there is no such clause.
        LoweringLimit: the policy cannot be translated exactly.
    """
    found = {one.id: one for one in terms.clauses}[clause]
    try:
        return fingerprint(terms, clause_goal(terms, found))
    except RecursionError:
        raise LoweringLimit(_DEEP) from None


def _with_plain_helpers(terms: PolicyTerms) -> PolicyTerms:
    """The policy with quantifiers over constant sets written out in its helpers."""
    simplifier = Simplifier(terms)
    helpers = {
        name: replace(helper, body=simplifier.simplify(helper.body, KnownFacts()))
        for name, helper in terms.helpers.items()
    }
    return replace(terms, helpers=helpers)


class _Program:
    """Builds the text of one program."""

    def __init__(self, terms: PolicyTerms, goals: list[Goal]) -> None:
        self.terms = terms
        self.goals = goals
        self.parts = [part for goal in goals for part in goal.parts]
        self.arguments = arguments_of(terms, self.parts)
        self.strings = StringFamilies(terms, self.arguments, helpers_of(terms, self.parts))
        self.scope: Scope = {argument.name: ("", argument.name) for argument in self.arguments}
        for part in self.parts:
            self.strings.collect(part, self.scope)
        self.strings.assign()
        self.names = self._names()
        self.values = Values(terms, self.strings, self.names)
        self.writer = Writer(terms, self.strings)
        self.parameters: dict[str, Mapping[str, str]] = {}

    def _names(self) -> dict[str, str]:
        names: dict[str, str] = {}
        taken = {f"helper_{safe(one)}" for one in self.terms.helpers} | {"element"}
        for argument in self.arguments:
            name = fresh(argument.name, taken)
            names[argument.name] = name
            taken |= {name, f"{name}_missing"}
        return names

    def build(self) -> Lowered:
        scales = {one.name: scale_of(self.terms, one.type) for one in self.arguments}
        names = LoweredNames(self.names, self.scope, scales)
        methods: list[tuple[Goal, list[str]]] = []
        called: dict[str, str] = {}
        for goal in self.goals:
            called[goal.name] = "allow" if goal.name == "allow" else f"check_{safe(goal.name)}"
            methods.append((goal, self._method(goal, called[goal.name], names)))
        lines = [_HEAD, "", *self._legend(), "", "", *self.writer.written]
        places: dict[str, tuple[int, int]] = {}
        for goal, method in methods:
            if goal.name != "allow":
                places[goal.name] = len(lines) + 1, len(lines) + len(method)
            lines += [*method, "", ""]
        largest = max((len(family.words) for family in self.strings.families()), default=0) + 1
        text = "\n".join(lines).rstrip() + "\n"
        return Lowered(text, places, called, self.parameters, self.values, largest)

    def _method(self, goal: Goal, called: str, names: LoweredNames) -> list[str]:
        wanted = arguments_of(self.terms, goal.parts)
        declared = [text for argument in wanted for text in declare(self.names[argument.name], argument.type)]
        self.parameters[goal.name] = dict(text.split(": ") for text in declared)
        lines = [f"# {plain(f'{goal.name}: {goal.comment}' if goal.comment else goal.name)}"]
        if goal.rules:
            lines.append(f"# {plain('decided by ' + ', '.join(goal.rules))}")
        lines.append(f"def {called}({', '.join(declared)}) -> bool:")
        required = [self.values.domain(argument) for argument in wanted]
        required += [self.writer.condition(one, names) for one in goal.requires]
        lines += [f"    Requires({condition})" for condition in required if condition != "True"]
        if goal.name != "allow":
            lines.append(f"    Ensures({self.writer.condition(goal.ensures, names)})")
        return [*lines, f"    return {self.writer.condition(goal.decision, names)}"]

    def _legend(self) -> list[str]:
        """Comments that say what the ints mean."""
        lines: list[str] = []
        by_family: dict[int, tuple[Family, list[str]]] = {}
        for argument in self.arguments:
            name = self.names[argument.name]
            if argument.type.kind in {Kind.STR, Kind.ENUM, Kind.SET}:
                family = self.strings.family(("", argument.name))
                by_family.setdefault(id(family), (family, []))[1].append(name)
            elif argument.type.kind is Kind.DECIMAL:
                lines.append(f"# {name} is scaled by 10**{scale_of(self.terms, argument.type)}")
            elif argument.type.kind in _UNITS:
                lines.append(f"# {name} is {_UNITS[argument.type.kind]}")
        for family, names in by_family.values():
            lines.append(f"# codes of {', '.join(names)}:")
            for code, word in enumerate(family.words, 1):
                alike = "" if word in family.constants else " (and all strings like it)"
                lines.append(f"# {code:>4} {plain(ascii(word))}{alike}")
        return lines


_UNITS: Mapping[Kind, str] = {
    Kind.DATE: "the days since 0000-12-31",
    Kind.TIME: "the microseconds since midnight",
    Kind.DATETIME: "the microseconds since 1970-01-01 UTC",
}
