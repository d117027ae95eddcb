"""The generators: policy, contract and cases of one requirement, each by calls of its own.

The constraint generator never sees a policy, nor the policy generator a contract, so that an error
of one is not repeated by the other. Each reply becomes data; what is not in the dialect goes back to
the model with the reason, and is refused if it stays wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.author.openai import prompts
from workbench.author.openai.assemble import assemble
from workbench.author.openai.case_forms import CasesForm, cases_form, replied_cases
from workbench.author.openai.expressions import NotAnExpression, clean, line
from workbench.author.openai.recording import Message
from workbench.author.openai.schemas import ClausesReply, NamedList, RulesReply
from workbench.author.openai.talk import Talk
from workbench.author.openai.units import (
    CasesPart,
    ClausePart,
    ClausesPart,
    RulePart,
    RulesPart,
    Target,
    Unit,
)
from workbench.extract.coerce import coerce
from workbench.extract.found import Missing
from workbench.model import AgentSpec, Argument, Case, Json, Requirement, Span, Value, Verdict
from workbench.policy.check import check
from workbench.policy.problems import PolicyError

_MOST_PROBLEMS = 6


@dataclass(frozen=True, slots=True)
class Generators:
    """Makes the parts of a unit for an agent; ``otherwise`` is what holds where no rule speaks."""

    talk: Talk
    spec: AgentSpec
    arguments: Sequence[Argument]
    otherwise: str

    def unit(self, target: Target) -> Unit:
        """All three parts, each from its first reply that is usable."""
        return Unit(target, self.rules(target), self.clauses(target), self.cases(target))

    # --- the three calls ----------------------------------------------------------

    def rules(self, target: Target, back: tuple[Message, ...] = ()) -> RulesPart:
        """The policy generator (VeriGuard, section 3.2); ``back`` is a reply with its critique."""
        reply, wrong = self.talk.ask(
            f"rules {target.requirement.id}",
            self._prompt(prompts.RULES, target, back),
            RulesReply,
            self._no_rules,
        )
        if reply is None or wrong:
            return RulesPart(wrong=tuple(wrong))
        return self._rules_of(reply)

    def clauses(self, target: Target, back: tuple[Message, ...] = ()) -> ClausesPart:
        """The constraint generator: what every right policy does, without having seen one."""
        reply, wrong = self.talk.ask(
            f"contract {target.requirement.id}",
            self._prompt(prompts.CLAUSES, target, back),
            ClausesReply,
            self._no_clauses,
        )
        if reply is None or wrong:
            return ClausesPart(wrong=tuple(wrong))
        return self._clauses_of(reply)

    def cases(self, target: Target, back: tuple[Message, ...] = ()) -> CasesPart:
        """The case generator: inputs with the decision that each must get, as typed data."""
        reply, wrong = self.talk.ask(
            f"cases {target.requirement.id}",
            self._prompt(prompts.CASES, target, back),
            cases_form(self.arguments),
            lambda reply: self._cases_of(reply, target)[1],
        )
        if reply is None:
            return CasesPart(wrong=tuple(wrong))
        cases, refused = self._cases_of(reply, target)
        return CasesPart(tuple(cases), tuple(refused), reply.model_dump_json())

    def _prompt(self, system: str, target: Target, back: tuple[Message, ...]) -> tuple[Message, ...]:
        asked = prompts.ask_for_part(
            system,
            self.spec,
            self.arguments,
            otherwise=self.otherwise,
            statement=target.requirement.text,
            passage=target.passage,
            assumptions=target.assumptions,
        )
        return (*asked, *back)

    # --- rules --------------------------------------------------------------------

    def _no_rules(self, reply: RulesReply) -> list[str]:
        """Why a reply is no set of rules in the dialect."""
        if self.otherwise == "allow" and any(rule.effect == "permit" for rule in reply.rules):
            return ["Everything is allowed that no rule forbids, so every rule must forbid: say when."]
        try:
            part = self._rules_of(reply)
        except NotAnExpression as error:
            return [str(error)]
        return self._problems(Unit(_PLACE, part, ClausesPart(), CasesPart()))

    def _rules_of(self, reply: RulesReply) -> RulesPart:
        rules = tuple(
            RulePart(rule.name, rule.effect == "forbid", _needed(rule.when), line(rule.message) or rule.name)
            for rule in reply.rules
        )
        return RulesPart(rules, _lists(reply.lists), reply=reply.model_dump_json())

    # --- clauses ------------------------------------------------------------------

    def _no_clauses(self, reply: ClausesReply) -> list[str]:
        """Why a reply is no contract in the dialect."""
        try:
            part = self._clauses_of(reply)
        except NotAnExpression as error:
            return [str(error)]
        return self._problems(Unit(_PLACE, RulesPart(), part, CasesPart()))

    def _clauses_of(self, reply: ClausesReply) -> ClausesPart:
        inline = dict(_lists(reply.lists))
        return ClausesPart(
            tuple(
                ClausePart(_condition(clause.when, inline), clause.decision == "allow", line(clause.comment))
                for clause in reply.clauses
            ),
            reply=reply.model_dump_json(),
        )

    # --- cases --------------------------------------------------------------------

    def _cases_of(self, reply: CasesForm, target: Target) -> tuple[list[Case], list[str]]:
        """The cases whose values fit the arguments' types, and what is wrong with the rest."""
        cases: dict[tuple[tuple[str, str], ...], Case] = {}
        refused: list[str] = []
        id_ = target.requirement.id
        for given, allow, reason in replied_cases(reply):
            values, unfit = self._fitted(given)
            if unfit:
                refused.append(unfit)
                continue
            key = tuple((name, repr(value)) for name, value in values.items())
            expected = Verdict.ALLOW if allow else Verdict.DENY
            if key in cases and cases[key].expected is not expected:
                refused.append("Two cases with the same arguments expect different decisions.")
            number = len(cases) + 1
            case = Case(f"model-{id_.lower()}-{number}", values, expected, f"{id_}: {line(reason)}", (id_,))
            cases.setdefault(key, case)
        return list(cases.values()), refused

    def _fitted(self, given: Mapping[str, Json]) -> tuple[dict[str, Value], str]:
        """The values in the arguments' types, or why one does not fit."""
        values: dict[str, Value] = {}
        for argument in self.arguments:
            try:
                values[argument.name] = coerce(given.get(argument.name), argument.type)
            except Missing as missing:
                return {}, f"In a case, {argument.name} does not fit: {missing}."
        return values, ""

    # --- the dialect --------------------------------------------------------------

    def _problems(self, unit: Unit) -> list[str]:
        """What keeps a file with this unit alone from being in the dialect."""
        try:
            text = assemble("", [unit], self.arguments, "allow")
        except (NotAnExpression, PolicyError) as error:
            return [str(error)]
        try:
            check(text)
        except PolicyError as error:
            lines = text.splitlines()
            return [
                f"{problem.what} {problem.instead}".strip() + _where(lines, problem.line)
                for problem in error.problems[:_MOST_PROBLEMS]
            ]
        return []


def _where(lines: list[str], number: int) -> str:
    return f" (in: {lines[number - 1].strip()[:160]})" if 0 < number <= len(lines) else ""


def _needed(text: str) -> str:
    if not text.strip():
        raise NotAnExpression('A rule needs its condition in "when".')
    return clean(text)


def _condition(text: str, inline: Mapping[str, tuple[str, ...]]) -> str:
    """The condition of a clause; empty if it always holds."""
    condition = clean(text, inline=inline) if text.strip() else ""
    return "" if condition == "True" else condition


def _lists(lists: Sequence[NamedList]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((one.name, tuple(dict.fromkeys(one.values))) for one in lists)


_PLACE = Target(Requirement("R1", "", "", Span(0, 0)), "")
