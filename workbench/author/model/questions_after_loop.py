"""Questions that stay open after the loop: values without words, and rules that differ from the contract.

Nothing is guessed. While a question is open, the draft forbids what any of its readings forbids and permits
only what all of them permit. So the draft can be proved, and is strict where it is uncertain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.author.argument_terms import rendered
from workbench.author.doubts import CONTEXT, short_hash
from workbench.author.model.context_questions import short_quote, unstated_requirement
from workbench.author.model.draft_findings import Accuser, Finding, show
from workbench.author.model.passages import supported
from workbench.author.model.quotation_places import may_state_rule
from workbench.author.model.reply_conditions import in_place
from workbench.author.model.requirement_parts import ClausePart, ClausesPart, RulePart, RulesPart, Unit
from workbench.model import AgentSpec, Doubt, Question, Requirement
from workbench.question_wording import phrase, question_about

RULES, CONTRACT, DIFFERENT = "rules", "contract", "different"


@dataclass(frozen=True, slots=True)
class Settled:
    """The units that go into the policy file, and the questions about them."""

    units: tuple[Unit, ...]
    questions: tuple[Question, ...]


def settled(units: Sequence[Unit], spec: AgentSpec, choices: Mapping[str, str]) -> Settled:
    """The units, restricted to denials while a value has no words in its passage and no confirmation."""
    questions_by_id: dict[str, Question] = {}
    settled_units: list[Unit] = []
    for unit in units:
        questions = [_word(unit.target.requirement, *value) for value in _unsupported(unit, spec)]
        if questions and not may_state_rule(unit.target.requirement.quote):
            # A sentence without a word that allows, forbids or requires: one question is enough.
            question = _nothing(unit.target.requirement)
            questions_by_id[question.id] = question
            context = choices.get(question.id) == CONTEXT
            settled_units.append(
                replace(unit, rules=RulesPart(), clauses=ClausesPart()) if context else _only_denials(unit)
            )
            continue
        questions_by_id.update({question.id: question for question in questions})
        answers = [choices.get(question.id, "") for question in questions]
        if any(answer == DIFFERENT for answer in answers):
            settled_units.append(replace(unit, rules=RulesPart(), clauses=ClausesPart()))
        elif all(answer == option for answer, option in zip(answers, map(_meant, questions), strict=True)):
            settled_units.append(unit)
        else:
            settled_units.append(_only_denials(unit))
    return Settled(tuple(settled_units), tuple(questions_by_id.values()))


def _unsupported(unit: Unit, spec: AgentSpec) -> Iterator[tuple[str, str]]:
    words = " ".join((unit.target.passage, *unit.target.assumptions))
    parts: tuple[RulePart | ClausePart, ...] = (*unit.rules.rules, *unit.clauses.clauses)
    for name, value in dict.fromkeys(pair for part in parts for pair in part.values):
        if not supported(value, words, spec):
            yield name, value


def _only_denials(unit: Unit) -> Unit:
    return replace(
        unit,
        rules=replace(unit.rules, rules=tuple(rule for rule in unit.rules.rules if rule.forbids)),
        clauses=replace(
            unit.clauses, clauses=tuple(clause for clause in unit.clauses.clauses if not clause.allow)
        ),
    )


def _meant(question: Question) -> str:
    return question.options[0].value


def _word(requirement: Requirement, name: str, value: str) -> Question:
    return question_about(
        Doubt(
            id=f"word:{short_hash(requirement.quote + name + value)}",
            kind="model-word",
            quote=requirement.quote,
            span=requirement.span,
            values=(value, DIFFERENT),
            requirements=(requirement.id,),
            facts={"argument": name, "meant": value, "short": short_quote(requirement)},
        )
    )


# --- where rules and contract differ ----------------------------------------------


def differing(
    units: Sequence[Unit], findings: Sequence[Finding], choices: Mapping[str, str], otherwise: str
) -> Settled:
    """A question for each requirement with a refuted clause, and both readings until it is answered."""
    by_requirement: dict[str, Finding] = {}
    for finding in findings:
        if finding.accuser is Accuser.CLAUSE:
            by_requirement.setdefault(finding.requirement, finding)
    questions: list[Question] = []
    settled_units: list[Unit] = []
    for unit in units:
        finding = by_requirement.get(unit.target.requirement.id)
        if finding is None or unit.target.choice or unit.rules.wrong:
            settled_units.append(unit)
            continue
        question = _difference(unit, finding)
        questions.append(question)
        settled_units += _readings(unit, question, choices, otherwise)
    return Settled(tuple(settled_units), tuple(questions))


def _readings(unit: Unit, question: Question, choices: Mapping[str, str], otherwise: str) -> Iterator[Unit]:
    """The unit as the rules read it, as the contract reads it, or both while the question is open."""
    first = replace(unit, clauses=ClausesPart(tuple(_clauses(unit.rules))))
    second = replace(unit, rules=RulesPart(tuple(_rules(unit, otherwise))))
    chosen = choices.get(question.id, "")
    if chosen == RULES:
        yield first
    elif chosen == CONTRACT:
        yield second
    else:
        for reading, value in ((first, RULES), (second, CONTRACT)):
            yield replace(reading, target=replace(unit.target, choice=f"{question.id}={value}"))


def _clauses(rules: RulesPart) -> Iterator[ClausePart]:
    """A clause for each denial of the rules."""
    for rule in rules.rules:
        if rule.forbids:
            yield ClausePart(
                in_place(rule.when), False, f"Denied where {rule.words}." if rule.words else rule.message
            )


def _rules(unit: Unit, otherwise: str) -> Iterator[RulePart]:
    """The clauses of the contract as rules."""
    message = next((rule.message for rule in unit.rules.rules), unit.target.requirement.text)
    name = next((rule.name for rule in unit.rules.rules), unit.target.requirement.id.lower())
    for clause in unit.clauses.clauses:
        if clause.allow and otherwise == "allow":
            continue
        words = clause.comment.removeprefix("Denied where ").removeprefix("Allowed where ").rstrip(".")
        yield RulePart(name, not clause.allow, clause.when, message, words, clause.values)


def _difference(unit: Unit, finding: Finding) -> Question:
    requirement = unit.target.requirement
    rules = "; ".join(_rule_text(rule) for rule in unit.rules.rules)
    by_rules, by_contract = ("allowed", "denied") if finding.allowed else ("denied", "allowed")
    doubt = Doubt(
        id=f"differs:{short_hash(requirement.quote)}",
        kind="model-difference",
        quote=requirement.quote,
        span=requirement.span,
        values=(RULES, CONTRACT),
        requirements=(requirement.id,),
        facts={
            "shown": show(finding.arguments),
            "by_rules": by_rules,
            "rules": rules or phrase("model-difference", "no_rules"),
            "by_contract": by_contract,
            "contract": " ".join(clause.comment for clause in unit.clauses.clauses),
            "short": short_quote(requirement),
        },
    )
    return question_about(doubt, finding.arguments)


def _rule_text(rule: RulePart) -> str:
    effect = "forbids" if rule.forbids else "permits"
    return phrase("model-difference", effect, condition=rule.words or rendered(rule.when))


# --- neither rule nor clause --------------------------------------------------------


def empty(units: Sequence[Unit]) -> Iterator[Question]:
    """A question for each requirement that the model turned into neither a rule nor a clause."""
    for unit in units:
        parts = unit.rules, unit.clauses
        nothing = not unit.rules.rules and not unit.clauses.clauses and not any(part.wrong for part in parts)
        may_be_rule = (
            unit.target.passage and not unit.target.choice and may_state_rule(unit.target.requirement.quote)
        )
        if nothing and may_be_rule:
            yield _nothing(unit.target.requirement)


def _nothing(requirement: Requirement) -> Question:
    return unstated_requirement(requirement, "no_rule", blocking=False)
