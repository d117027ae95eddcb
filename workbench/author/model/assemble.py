"""Assembly of a policy file from units. Only text of a unit can get into the file.

While a question is open, the requirement has a unit for each reading. The file then forbids everything that
one of the readings forbids, and permits only what all of them permit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from workbench.author.argument_terms import all_of, any_of, rendered
from workbench.author.model.expression_check import line
from workbench.author.model.requirement_parts import RulePart, RulesPart, Unit
from workbench.model import Argument, Kind
from workbench.policy.connectives import is_true
from workbench.policy.names import RESERVED
from workbench.policy.render import ClauseText, FunctionText, render_policy, used_parameters
from workbench.policy.terms import ConstantSet, ImpliesTerm, Not, Parameter, ResultTerm, Term
from workbench.policy.walk import with_constant_sets


def assemble(title: str, units: Sequence[Unit], arguments: Sequence[Argument], otherwise: str) -> str:
    """The policy file of all units, not yet checked; ``otherwise`` is ``allow`` or ``deny``.

    If no unit has a rule or a clause, everything is denied.
    """
    writer = _Writer(arguments)
    for group in _grouped(units):
        writer.rules(group)
        writer.clauses(group)
    return writer.text(title, otherwise)


def _grouped(units: Sequence[Unit]) -> Iterable[list[Unit]]:
    """The units of each requirement, in their order."""
    groups: dict[str, list[Unit]] = {}
    for unit in units:
        groups.setdefault(unit.target.requirement.id, []).append(unit)
    return groups.values()


class _Writer:
    """Collects rules, constants and clauses, and gives names that are free."""

    def __init__(self, arguments: Sequence[Argument]) -> None:
        self._parameters = [Parameter(argument.name, argument.type) for argument in arguments]
        self._forbids: list[FunctionText] = []
        self._permits: list[FunctionText] = []
        self._clauses: list[ClauseText] = []
        self._constants: dict[ConstantSet, str] = {}
        self._taken_names = {parameter.name for parameter in self._parameters} | RESERVED

    def rules(self, group: list[Unit]) -> None:
        """The rules of one requirement under each of its readings."""
        id_ = group[0].target.requirement.id
        renamed = [self._named(unit.rules, id_) for unit in group]
        seen: set[Term] = set()
        for rule in (rule for rules in renamed for rule in rules if rule.forbids):
            if rule.when not in seen:
                seen.add(rule.when)
                self._forbids.append(self._function("forbid_", rule, id_))
        permits = [[rule for rule in rules if not rule.forbids] for rules in renamed]
        if len(group) == 1:
            self._permits += [self._function("permit_", rule, id_) for rule in permits[0]]
        elif all(permits):
            when = all_of(*(any_of(*(rule.when for rule in rules)) for rules in permits))
            self._permits.append(self._function("permit_", replace(permits[0][0], when=when), id_))

    def clauses(self, group: list[Unit]) -> None:
        """The clauses of one requirement; if its question is open, only those that deny."""
        id_ = group[0].target.requirement.id
        written: set[Term] = set()
        for clause in (clause for unit in group for clause in unit.clauses.clauses):
            if len(group) > 1 and clause.allow:
                continue
            decided = ResultTerm() if clause.allow else Not(ResultTerm())
            condition = decided if is_true(clause.when) else ImpliesTerm(clause.when, decided)
            if condition not in written:
                written.add(condition)
                self._clauses.append(ClauseText(rendered(condition), (id_,), line(clause.comment)))

    def text(self, title: str, otherwise: str) -> str:
        """The whole file, with the arguments it mentions; without rules and clauses it denies all."""
        rules = [*self._forbids, *self._permits]
        mentioned = {
            parameter.name
            for text in (*(rule.body for rule in rules), *(clause.condition for clause in self._clauses))
            for parameter in used_parameters(text, self._parameters)
        }
        mentioned_parameters = [
            parameter for parameter in self._parameters if parameter.name in mentioned
        ] or self._parameters
        # With the default deny, permit rules already deny everything else; without any, an empty policy does.
        return render_policy(
            title=line(title),
            arguments=mentioned_parameters,
            rules=rules if otherwise == "allow" or self._permits else [],
            clauses=self._clauses,
            constants={name: frozenset(members.values) for members, name in self._constants.items()},
            enums=_enums(mentioned_parameters, self._taken_names),
            default_allow=otherwise == "allow" and bool(rules or self._clauses),
        )

    def _function(self, prefix: str, rule: RulePart, id_: str) -> FunctionText:
        name = self._free(f"{prefix}{rule.name}", id_.lower())
        return FunctionText(name, rendered(rule.when), line(rule.message) or rule.name, (id_,))

    def _named(self, part: RulesPart, id_: str) -> list[RulePart]:
        """The rules with their named lists as constants of the file, under names that are free."""

        def named(members: ConstantSet) -> ConstantSet:
            return members if members.name is None else replace(members, name=self._constant(members, id_))

        return [replace(rule, when=with_constant_sets(rule.when, named)) for rule in part.rules]

    def _constant(self, members: ConstantSet, id_: str) -> str:
        """The name of the file's constant for a named list."""
        if members not in self._constants:
            self._constants[members] = self._free(str(members.name), id_)
        return self._constants[members]

    def _free(self, name: str, suffix: str) -> str:
        candidate, number = name, 1
        while candidate in self._taken_names:
            candidate = f"{name}_{suffix}" if number == 1 else f"{name}_{suffix}_{number}"
            number += 1
        self._taken_names.add(candidate)
        return candidate


def _enums(parameters: Sequence[Parameter], taken_names: set[str]) -> Mapping[str, tuple[str, ...]]:
    """A name for each enum that the file uses."""
    named: dict[str, tuple[str, ...]] = {}
    for parameter in parameters:
        if parameter.type.kind is Kind.ENUM and parameter.type.values not in named.values():
            name = "".join(part.capitalize() for part in parameter.name.split("_"))
            while name in taken_names or name in named:
                name += "Value"
            named[name] = parameter.type.values
    return named
