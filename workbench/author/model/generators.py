"""The generators: policy, contract and cases of one requirement, each by calls of its own.

The constraint generator never sees a policy, and the policy generator never sees a contract, so that neither
repeats an error of the other. Each reply becomes data. A reply outside the dialect goes back to the model
with the reason, and is refused if it stays wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
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
from workbench.author.model.usable_reply import Conversation
from workbench.engines.smt.preview import preview
from workbench.model import AgentSpec, Argument, Case, Json, ProofStatus, Requirement, Span, Value, Verdict
from workbench.policy.check import check
from workbench.policy.connectives import TRUE
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
                or _suspect_rules(self._rules_of(reply, target, passage), self.arguments)
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


# --- suspicions about a reply in the dialect: rules and clauses that always or never hold
#
# Each suspicion goes to the model once, with the reason. A reply that is repeated is left to the loop and
# to a person, since a request may mean it.

_PLACE = Target(Requirement("R1", "", "", Span(0, 0)), "")


_NOTHING = "If the passage only announces what follows, or says what is so, reply with"


def _suspect_rules(part: RulesPart, arguments: Sequence[Argument]) -> list[str]:
    """Complaints about rules that can never deny an action, and rules that deny every action."""
    complaints: list[str] = []
    for rule in part.rules:
        if not rule.forbids:
            continue
        alone = RulesPart((rule,))
        if _proved(alone, True, arguments):
            complaints.append(
                f"The rule {rule.name!r} never denies anything: its tests cannot all hold, or what it needs "
                f'holds always. Give it a test that some action fails. {_NOTHING} "rules": [].'
            )
        elif _proved(alone, False, arguments):
            complaints.append(f'The rule {rule.name!r} denies every action there is. {_NOTHING} "rules": [].')
    return complaints


def suspect_clauses(
    part: ClausesPart,
    tests_of_clauses: Sequence[Sequence[Mapping[str, Json]]],
    passage: Passage,
    arguments: Sequence[Argument],
    otherwise: str,
) -> list[str]:
    """Complaints about clauses that hold for every action, allow too much of a list, or deny nothing else.

    ``tests_of_clauses`` are the tests of each clause, in the order of the reply.
    """
    complaints = [
        f"The clause “{clause.comment}” is about every action there is. Give it a test that some action "
        f'fails. {_NOTHING} "clauses": [].'
        for clause in part.clauses
        if _always(clause, arguments)
    ]
    allows = [
        tests
        for clause, tests in zip(part.clauses, tests_of_clauses, strict=False)
        if clause.allow and len(tests_of_clauses) == len(part.clauses)
    ]
    complaints += dict.fromkeys(complaint for tests in allows for complaint in _leaves(tests))
    if (
        passage.lists
        and part.clauses
        and otherwise == "allow"
        and all(clause.allow for clause in part.clauses)
    ):
        complaints.append(
            "No clause denies anything, and everything else is allowed anyway: so the list would have no "
            'effect. Say also which actions are denied because they leave the list: "any not in".'
        )
    return complaints


def _always(clause: ClausePart, arguments: Sequence[Argument]) -> bool:
    return _proved(RulesPart((RulePart("held", True, clause.when, "It holds."),)), False, arguments)


def _leaves(tests: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    """A complaint about an allowing clause that one element of a set satisfies."""
    whole = {str(test.get("argument")) for test in tests if test.get("is") in ("all in", "none in")}
    for test in tests:
        name, values = str(test.get("argument")), test.get("values")
        if test.get("is") == "any in" and name not in whole:
            of = values if isinstance(values, str) else "the list"
            yield (
                f"A clause allows where any of {name} is in {of}: that also allows {name} with one in {of} "
                f'and another outside it. "all in" allows what lies in {of} as a whole; "any not in" denies '
                "what leaves it."
            )


def _proved(rules: RulesPart, allow: bool, arguments: Sequence[Argument]) -> bool:
    """Whether a policy of these rules alone gives every action the decision."""
    everything = ClausesPart((ClausePart(TRUE, allow, "Always."),))
    text = assemble("", [Unit(_PLACE, rules, everything, CasesPart())], arguments, "allow")
    return preview(check(text)).status is ProofStatus.PROVED
