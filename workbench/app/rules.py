"""Rules one by one: each read aloud, and a rule that is built without a sentence of the request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from workbench.model import Question, WorkbenchError
from workbench.policy.checker.syntax_tree import is_expression

if TYPE_CHECKING:
    from workbench.app.contradictions import Contradiction
    from workbench.app.policy import Policy
    from workbench.app.questions import Questions
    from workbench.app.request import Request
    from workbench.app.results import Logs, PolicyChange
    from workbench.app.runs import Runs
    from workbench.clarify.condition_shapes import JoinedConditions, ListedCondition, SingleCondition
    from workbench.clarify.fact_book import FactBook
    from workbench.policy.one_more_rule import NewRule
    from workbench.policy.rule_facts import RuleFact
    from workbench.policy.terms import Term
    from workbench.session import Session

__all__ = ["EFFECTS", "RuleAloud", "RuleFact", "RulePlan", "RulePreview", "Rules"]

EFFECTS = ("forbid", "permit")


@dataclass(frozen=True, slots=True)
class RuleAloud:
    """A rule of the policy, the sentence that says what it does, and the message for a denied agent."""

    name: str
    sentence: str
    message: str
    requirements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RulePlan:
    """A rule to be built: the tools that it is about, its conditions, and its effect.

    A condition is in the words of a person, such as ``reservation.cabin is business``, or an expression of
    the dialect. The rule applies if all conditions hold. Without tools it is about every call.
    """

    tools: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    effect: str = "forbid"
    message: str = ""
    name: str = ""
    requirements: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class RulePreview:
    """A rule that is being built and its effect, before it is stored.

    ``rule`` is its text and ``sentence`` the same in words; ``clauses`` are those that it adds to the
    contract or narrows there. ``change`` compares the policy before and after, by proof with an input that
    turns, and on the logs. ``contradictions`` are clauses that would not hold, so that it is refused.
    """

    name: str
    rule: str
    sentence: str
    clauses: tuple[str, ...]
    policy: str
    change: PolicyChange
    contradictions: tuple[Contradiction, ...] = ()
    stored: bool = False


class Rules:
    """Reads the rules of a policy aloud, and builds a rule."""

    def __init__(
        self, session: Session, request: Request, questions: Questions, policy: Policy, runs: Runs
    ) -> None:
        self._session = session
        self._request = request
        self._questions = questions
        self._policy = policy
        self._runs = runs

    def aloud(self, source: str | None = None) -> tuple[RuleAloud, ...]:
        """Every rule of the policy with its sentence."""
        from workbench.policy.read_aloud import rule_sentence

        terms = self._policy.terms(source)
        return tuple(
            RuleAloud(rule.name, rule_sentence(rule, terms), rule.message, rule.requirements)
            for rule in terms.rules
        )

    def facts(self) -> Mapping[str, RuleFact]:
        """The facts that conditions of a rule may use, by their names."""
        from workbench.app.no_dialogue import refuse_dialogue
        from workbench.policy.rule_facts import facts_of
        from workbench.policy.terms import Parameter

        refuse_dialogue(self._session)
        return facts_of([Parameter(argument.name, argument.type) for argument in self._runs.arguments()])

    def preview(self, plan: RulePlan, logs: Logs | None = None) -> RulePreview:
        """The rule and its effect; nothing is stored.

        Raises WorkbenchError if a tool or fact is not known, if a text is no condition, or if the rule is not
        possible in the policy file.
        """
        from workbench.app.contradictions import contradictions
        from workbench.app.no_dialogue import refuse_dialogue
        from workbench.policy.read_aloud import rule_sentence

        refuse_dialogue(self._session)
        before, text, new_rule = self._session.policy, *self._written(plan)
        after = self._policy.terms(text)
        rule = next(rule for rule in after.rules if rule.name == new_rule.name)
        old = {clause.source for clause in self._policy.terms(before).clauses}
        lines = text.split("\n")
        return RulePreview(
            new_rule.name,
            "\n".join(lines[rule.line - 1 : rule.end_line]),
            rule_sentence(rule, after),
            tuple(clause.source for clause in after.clauses if clause.source not in old),
            text,
            self._policy.diff(before, text, logs),
            contradictions(before, text),
        )

    def add(self, plan: RulePlan, logs: Logs | None = None, question: Question | None = None) -> RulePreview:
        """Store the rule in the policy file, together with cases for it; undo removes both.

        If ``question`` is about a sentence that is not read, the rule answers it, and belongs to the
        requirement of that sentence. Raises ``Contradicts``, and stores nothing, if the rule breaks clauses
        of the contract.
        """
        with self._session.transaction(f"Add the rule {plan.name or self._name(plan)}"):
            if question is not None:
                own_requirements = self._questions.answer_by_hand(question)
                plan = replace(plan, requirements=own_requirements or plan.requirements)
            rule_preview = self.preview(plan, logs)
            self._request.check_agreement(self._session.policy, rule_preview.policy)
            cases = self._request.cases_of(
                self._request.draft(), self._request.assumptions, rule_preview.policy
            )
            self._session.set_policy(rule_preview.policy)
            self._session.set_cases(cases)
        return replace(rule_preview, stored=True)

    def _written(self, plan: RulePlan) -> tuple[str, NewRule]:
        from workbench.policy.one_more_rule import NewRule, with_rule
        from workbench.policy.terms import Parameter

        if plan.effect not in EFFECTS:
            raise WorkbenchError(f"{plan.effect!r} is no effect of a rule; it is forbid or permit.")
        if not plan.tools and not plan.conditions:
            raise WorkbenchError(
                "A rule names a tool or a condition; without both it would be about everything."
            )
        facts = self.facts()
        parts = [*map(_text, self._about(plan.tools, facts)), *self._conditions(plan)]
        condition = " and ".join(f"({part})" for part in parts) if len(parts) > 1 else parts[0]
        name = plan.name or self._name(plan)
        if not name.startswith(f"{plan.effect}_") or not name.isidentifier():
            raise WorkbenchError(f"{name!r} cannot name the rule: the name begins with {plan.effect}_.")
        declared = [Parameter(argument.name, argument.type) for argument in self._runs.arguments()]
        message = plan.message.strip() or f"{name.replace('_', ' ').capitalize()}."
        new_rule = NewRule(name, condition, message, plan.requirements)
        text = with_rule(self._session.policy, new_rule, declared)
        if not new_rule.forbids:
            text = self._with_permission(text, new_rule)
        return self._request.agreeing(text), new_rule

    def _with_permission(self, text: str, new_rule: NewRule) -> str:
        """The policy with a clause that demands what the rule permits."""
        from workbench.check.narrowed_clauses import permission
        from workbench.check.pinned_clause import with_clause

        terms = self._policy.terms(text)
        rule = next(rule for rule in terms.rules if rule.name == new_rule.name)
        return with_clause(terms, permission(rule, terms), new_rule.comment)

    def _about(self, tools: Sequence[str], facts: Mapping[str, RuleFact]) -> Iterable[Term]:
        """The condition that the call is one of the tools, on the argument that lists the tools."""
        from workbench.policy.read_aloud import says_act
        from workbench.policy.terms import Compare, Comparison, Constant, ConstantSet, Member

        if not tools:
            return
        acts = next((fact for fact in facts.values() if says_act(fact.path, fact.type)), None)
        if acts is None:
            raise WorkbenchError("No argument of the agent says which tool is called; add one to agent.toml.")
        for tool in tools:
            if tool not in acts.type.values:
                raise WorkbenchError(
                    f"{tool!r} is no {acts.path}; it is one of: {', '.join(acts.type.values)}."
                )
        if len(tools) == 1:
            yield Compare(Comparison.EQ, acts.term, Constant(tools[0]))
        else:
            yield Member(acts.term, ConstantSet(tuple(dict.fromkeys(tools))))

    def _conditions(self, plan: RulePlan) -> Iterable[str]:
        """The conditions in the dialect; raises WorkbenchError if a text is no condition.

        A condition that a person wrote in the dialect is unchanged.
        """
        book, forbids = self._book(), plan.effect == "forbid"
        for text in plan.conditions:
            why = self._no_expression(text)
            yield text if not why else _text(_person_condition(book, text, why).guarded(forbids=forbids))

    def _book(self) -> FactBook:
        from workbench.clarify.argument_book import argument_book

        return argument_book(self._runs.arguments())

    def _no_expression(self, text: str) -> str:
        """The reason why a text is no expression of the dialect; empty if it is one."""
        from workbench.policy.check import check_condition
        from workbench.policy.terms import Parameter

        try:
            check_condition(
                text, [Parameter(argument.name, argument.type) for argument in self._runs.arguments()]
            )
        except WorkbenchError as error:
            return str(error.problems[0] if error.problems else error)
        return ""

    def _name(self, plan: RulePlan) -> str:
        terms = self._policy.terms()
        taken_names = {rule.name for rule in terms.rules} | set(terms.helpers)
        words = "_".join((*plan.tools[:2], *self._named_facts(plan)))
        base = f"{plan.effect}_{re.sub(r'[^a-z0-9]+', '_', words.lower())[:50].strip('_') or 'rule'}"
        name, count = base, 2
        while name in taken_names:
            name, count = f"{base}_{count}", count + 1
        return name

    def _named_facts(self, plan: RulePlan) -> Iterable[str]:
        """The name of the fact in each condition that is in words."""
        from workbench.clarify.sayable_facts import FactSource

        book = self._book()
        for text in plan.conditions:
            facts = book.condition(text).facts if self._no_expression(text) else ()
            yield from [
                fact.name if _is_place(fact.term) else fact.phrase
                for fact in facts
                if fact.source is not FactSource.TIME
            ][:1]


def _text(term: Term) -> str:
    """The text of a condition in the policy file."""
    from workbench.policy.render import render_term

    return render_term(term, as_listed=True)


def _is_place(term: Term) -> bool:
    """Whether a term is an argument or a field."""
    from workbench.policy.terms import Attribute, Variable

    return isinstance(term, Variable | Attribute)


def _person_condition(
    book: FactBook, text: str, why: str
) -> SingleCondition | JoinedConditions | ListedCondition:
    """The condition in a person's words; raises WorkbenchError with the reason if the words are no condition.

    ``why`` is the reason why they are no expression of the dialect. It is added to the error if the words
    look like an expression.
    """
    try:
        return book.condition(text)
    except WorkbenchError as error:
        refusal, judgement = str(error), f"“{text}” is no condition"
        if not refusal.startswith(judgement):
            refusal = f"{judgement}: {refusal}"
        if not is_expression(text):
            raise WorkbenchError(refusal) from None
        raise WorkbenchError(f"{refusal} Nor is it an expression of the dialect ({why})") from None
