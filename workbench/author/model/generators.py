"""The generators: policy, contract and cases of one requirement, each by calls of its own.

The constraint generator never sees a policy, and the policy generator never sees a contract, so that neither
repeats an error of the other. Each reply becomes data. A reply outside the dialect goes back to the model
with the reason, and is refused if it stays wrong.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.author.model import passages, prompts
from workbench.author.model.assemble import assemble
from workbench.author.model.case_schemas import CasesForm, cases_form, replied_cases
from workbench.author.model.condition_schemas import (
    FORBIDDEN,
    ONLY_IF,
    ClausesForm,
    RulesForm,
    clauses_form,
    replied,
    rules_form,
)
from workbench.author.model.expression_check import NotAnExpression, line
from workbench.author.model.passages import Passage
from workbench.author.model.recording import Message
from workbench.author.model.reply_conditions import ReplyCondition, condition_of, in_place, joined, negated
from workbench.author.model.requirement_parts import (
    CasesPart,
    ClausePart,
    ClausesPart,
    RulePart,
    RulesPart,
    Target,
    Unit,
)
from workbench.author.model.trivial_conditions import suspect_clauses, suspect_rules
from workbench.author.model.usable_reply import Conversation
from workbench.engines.smt.preview import preview
from workbench.model import AgentSpec, Argument, Case, Json, ProofStatus, Requirement, Span, Value, Verdict
from workbench.policy.check import check
from workbench.policy.problems import PolicyError
from workbench.runs.values.coerce import coerce
from workbench.runs.values.found_value import Missing

_MOST_PROBLEMS = 6


@dataclass(frozen=True, slots=True)
class Generators:
    """Makes the parts of a unit for an agent; ``otherwise`` is the decision if no rule applies.

    ``decided`` is the part of a prompt that shows actions that were decided before.
    """

    talk: Conversation
    spec: AgentSpec
    arguments: Sequence[Argument]
    otherwise: str
    decided: str = ""

    def unit(self, target: Target) -> Unit:
        """All three parts, each from its first usable reply."""
        return Unit(target, self.rules(target), self.clauses(target), self.cases(target))

    # --- the three calls ----------------------------------------------------------

    def rules(self, target: Target, back: tuple[Message, ...] = ()) -> RulesPart:
        """The policy generator (VeriGuard, section 3.2); ``back`` is a reply with its critique."""
        passage = passages.for_rules(target.passage, self.spec, self.arguments)
        if passage.unknown:
            return RulesPart(wrong=(_unknown(passage),))
        reply, wrong = self.talk.ask(
            f"rules {target.requirement.id}",
            self._prompt(prompts.RULES, target, passage, back),
            rules_form(
                passages.testable(passage, self.arguments),
                tuple(passage.lists),
                permits=self.otherwise == "deny",
            ),
            lambda reply: (
                self._no_rules(reply, target, passage)
                or passages.without_named(_said_rules(reply), passage.text, self.arguments)
                or suspect_rules(self._rules_of(reply, target, passage), self.arguments)
            ),
        )
        # A rule that only seems forgotten or unintended is shown to the model once, and then left to the
        # loop.
        wrong = wrong if reply is None else self._no_rules(reply, target, passage)
        if reply is None or wrong:
            return RulesPart(wrong=tuple(wrong))
        return self._rules_of(reply, target, passage)

    def clauses(self, target: Target, back: tuple[Message, ...] = ()) -> ClausesPart:
        """The constraint generator: the decisions of every correct policy, made without seeing one."""
        passage = passages.for_clauses(target.passage, self.spec, self.arguments)
        if passage.unknown:
            return ClausesPart(wrong=(_unknown(passage),))
        reply, wrong = self.talk.ask(
            f"contract {target.requirement.id}",
            self._prompt(prompts.CLAUSES, target, passage, back),
            clauses_form(passages.testable(passage, self.arguments), tuple(passage.lists)),
            lambda reply: (
                self._no_clauses(reply, passage)
                or passages.without_named(_said_clauses(reply), passage.text, self.arguments)
                or self._suspect_clauses(reply, passage)
            ),
        )
        wrong = wrong if reply is None else self._no_clauses(reply, passage)
        if reply is None or wrong:
            return ClausesPart(wrong=tuple(wrong))
        return self._clauses_of(reply, passage)

    def cases(self, target: Target, back: tuple[Message, ...] = ()) -> CasesPart:
        """The case generator: inputs with the decision that each must get, as typed data."""
        passage = Passage(target.passage.strip())
        listed = bool(passages.for_rules(target.passage, self.spec, self.arguments).lists)
        reply, wrong = self.talk.ask(
            f"cases {target.requirement.id}",
            self._prompt(prompts.CASES, target, passage, back, few=listed),
            cases_form(self.arguments),
            lambda reply: self._cases_of(reply, target)[1],
        )
        if reply is None:
            return CasesPart(wrong=tuple(wrong))
        cases, refused = self._cases_of(reply, target)
        return CasesPart(tuple(cases), tuple(refused), reply.model_dump_json())

    def _prompt(
        self,
        system: str,
        target: Target,
        passage: Passage,
        back: tuple[Message, ...],
        *,
        few: bool = False,
    ) -> tuple[Message, ...]:
        messages = prompts.ask_for_part(
            system,
            self.spec,
            self.arguments,
            otherwise=self.otherwise,
            passage=passage.text,
            few=few or bool(passage.lists) or not passages.names_elements(passage.text, self.arguments),
            assumptions=target.assumptions,
            decided=self.decided,
        )
        return (*messages, *back)

    # --- rules --------------------------------------------------------------------

    def _no_rules(self, reply: RulesForm, target: Target, passage: Passage) -> list[str]:
        """The faults of a reply with rules: not in the dialect, or not what the passage says literally."""
        try:
            part = self._rules_of(reply, target, passage)
        except NotAnExpression as error:
            return [str(error)]
        problems = self._problems(Unit(_PLACE, part, ClausesPart(), CasesPart()))
        return problems or ([] if target.assumptions else self._unkept(part, passage))

    def _unkept(self, part: RulesPart, passage: Passage) -> list[str]:
        """The literal conditions of a card, if the rules deny although all of them hold."""
        if not passage.needs:
            return []
        needs = condition_of([dict(test) for _, test in passage.needs], self.arguments, {}, "")
        forbids = replace(part, rules=tuple(rule for rule in part.rules if rule.forbids))
        held = ClausesPart((ClausePart(needs.term, True, ""),))
        text = assemble("", [Unit(_PLACE, forbids, held, CasesPart())], self.arguments, "allow")
        if preview(check(text)).status is ProofStatus.PROVED:
            return []
        return [
            f"The passage says “{words}”. So the action is allowed only if this holds, whatever is usual: "
            f'"needs" must have {json.dumps(dict(test))}.'
            for words, test in passage.needs
        ]

    def _rules_of(self, reply: RulesForm, target: Target, passage: Passage) -> RulesPart:
        rules: list[RulePart] = []
        message = _message(target)
        for rule in _objects(replied(reply), "rules"):
            name, effect = str(rule["name"]), rule["effect"]
            when = self._condition(rule, "when", passage, "LISTED")
            needs = self._condition(rule, "needs", passage, "LISTED")
            if effect == ONLY_IF:
                rules.append(_rule(name, True, joined(when, negated(needs)), message))
                if self.otherwise == "deny":
                    rules.append(_rule(name, False, joined(when, needs), message))
            else:
                rules.append(_rule(name, effect == FORBIDDEN, when, message))
        return RulesPart(tuple(rules), reply=reply.model_dump_json())

    def _condition(self, part: Mapping[str, Json], key: str, passage: Passage, name: str) -> ReplyCondition:
        tests = part.get(key)
        return condition_of(tests if isinstance(tests, list) else [], self.arguments, passage.lists, name)

    # --- clauses ------------------------------------------------------------------

    def _no_clauses(self, reply: ClausesForm, passage: Passage) -> list[str]:
        """The faults of a reply with a contract: why it is not in the dialect."""
        try:
            part = self._clauses_of(reply, passage)
        except NotAnExpression as error:
            return [str(error)]
        return self._problems(Unit(_PLACE, RulesPart(), part, CasesPart()))

    def _suspect_clauses(self, reply: ClausesForm, passage: Passage) -> list[str]:
        part = self._clauses_of(reply, passage)
        return suspect_clauses(part, _said_clauses(reply), passage, self.arguments, self.otherwise)

    def _clauses_of(self, reply: ClausesForm, passage: Passage) -> ClausesPart:
        clause_parts: list[ClausePart] = []
        for clause in _objects(replied(reply), "clauses"):
            condition = self._condition(clause, "when", passage, "LISTED")
            allow = clause["decision"] == "allow"
            verb = "Allowed" if allow else "Denied"
            comment = f"{verb} where {condition.words}." if condition.words else f"{verb} always."
            clause_parts.append(ClausePart(in_place(condition.term), allow, line(comment), condition.values))
        return ClausesPart(tuple(dict.fromkeys(clause_parts)), reply=reply.model_dump_json())

    # --- cases --------------------------------------------------------------------

    def _cases_of(self, reply: CasesForm, target: Target) -> tuple[list[Case], list[str]]:
        """The cases whose values fit the arguments' types, and the faults of the other cases."""
        cases: dict[tuple[tuple[str, str], ...], Case] = {}
        refused: list[str] = []
        id_ = target.requirement.id
        for raw_values, allow, reason in replied_cases(reply):
            values, unfit = self._fitted(raw_values)
            if unfit:
                refused.append(unfit)
                continue
            key = tuple((name, repr(value)) for name, value in values.items())
            expected = Verdict.ALLOW if allow else Verdict.DENY
            if key in cases and cases[key].expected is not expected:
                refused.append("Two cases with the same arguments expect different decisions.")
            number = len(cases) + 1
            case = Case(
                f"model-{id_.lower()}-{number}", values, expected, f"{id_}: {line(reason)}", (id_,), "model"
            )
            cases.setdefault(key, case)
        return list(cases.values()), refused

    def _fitted(self, raw_values: Mapping[str, Json]) -> tuple[dict[str, Value], str]:
        """The values in the arguments' types, or why one does not fit."""
        values: dict[str, Value] = {}
        for argument in self.arguments:
            try:
                values[argument.name] = coerce(raw_values.get(argument.name), argument.type)
            except Missing as missing:
                return {}, f"In a case, {argument.name} does not fit: {missing}."
        return values, ""

    # --- the dialect --------------------------------------------------------------

    def _problems(self, unit: Unit) -> list[str]:
        """The problems in the dialect of a file that has this unit alone."""
        try:
            text = assemble("", [unit], self.arguments, "allow")
        except PolicyError as error:
            return [str(error)]
        try:
            check(text)
        except PolicyError as error:
            lines = text.splitlines()
            return [
                f"{problem.message} {problem.instead}".strip() + _where(lines, problem.line)
                for problem in error.problems[:_MOST_PROBLEMS]
            ]
        return []


def _where(lines: list[str], number: int) -> str:
    return f" (in: {lines[number - 1].strip()[:160]})" if 0 < number <= len(lines) else ""


def _objects(data: Mapping[str, Json], key: str) -> list[dict[str, Json]]:
    items = data.get(key)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _rule(name: str, forbids: bool, condition: ReplyCondition, message: str) -> RulePart:
    return RulePart(name, forbids, condition.term, message, condition.words, condition.values)


def _message(target: Target) -> str:
    """The sentence for a person whose action is denied: the card's own, else the requirement's."""
    return line(passages.sentence_of(target.passage)) or line(target.requirement.text)


def _said_rules(reply: RulesForm) -> list[list[dict[str, Json]]]:
    """The tests of each rule of a reply."""
    return [_objects(rule, "when") + _objects(rule, "needs") for rule in _objects(replied(reply), "rules")]


def _said_clauses(reply: ClausesForm) -> list[list[dict[str, Json]]]:
    """The tests of each clause of a reply."""
    return [_objects(clause, "when") for clause in _objects(replied(reply), "clauses")]


def _unknown(passage: Passage) -> str:
    listed = ", ".join(f"“{word}”" for word in passage.unknown[:8])
    return f"Its list names {listed}, which the agent spec does not know."


_PLACE = Target(Requirement("R1", "", "", Span(0, 0)), "")
