"""The targets of the generators under the choices, and the safe reading of each open question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.author.doubts import CONTEXT, short_hash
from workbench.author.model.context_questions import unstated_id
from workbench.author.model.quotation_places import passage
from workbench.author.model.requirement_parts import Target, Unit
from workbench.author.model.validator import ReadRequest
from workbench.engines.smt.inclusion import allows_no_more
from workbench.model import Doubt, Option, Question, Requirement, WorkbenchError
from workbench.policy.check import check
from workbench.policy.terms import PolicyTerms
from workbench.question_wording import question_about

LEFT_OUT = "left-out"


def targets(request: str, read: ReadRequest, choices: Mapping[str, str]) -> tuple[Target, ...]:
    """The targets: each requirement under its assumptions, once for each reading of its open questions."""
    spans = [requirement.span for requirement in read.requirements]
    all_targets: list[Target] = []
    for requirement in restated(read.requirements, choices):
        if choices.get(_identity(requirement)) == LEFT_OUT:
            all_targets.append(Target(requirement, ""))
            continue
        text = requirement.text
        if not requirement.assumptions and not _restated(requirement, choices):
            span = passage(request, requirement.span, spans)
            text = request[span.start : span.end]
        about = [question for question in read.questions if requirement.id in question.requirements]
        readings = [
            Target(
                requirement,
                text,
                _assumed(about, {**choices, question.id: option.value}),
                _name(question, option),
            )
            for question in about
            if question.id not in choices and len(question.options) > 1
            for option in question.options
        ]
        all_targets += readings or [Target(requirement, text, _assumed(about, choices))]
    return tuple(all_targets)


def _name(question: Question, option: Option) -> str:
    return f"{question.id}={option.value}"


def _assumed(about: Sequence[Question], choices: Mapping[str, str]) -> tuple[str, ...]:
    """The statements decided about a requirement, in the order of the questions.

    The only option of a question changes nothing, so the generators do not get it.
    """
    statements: list[str] = []
    for question in about:
        chosen = choices.get(question.id, "")
        option = next((option for option in question.options if option.value == chosen), None)
        if option is not None and len(question.options) > 1:
            statements.append(option.statement)
        elif chosen and option is None and question.free_text:
            statements.append(" ".join(chosen.split()))
    return tuple(statements)


# --- defaults ---------------------------------------------------------------------


def with_defaults(
    questions: Sequence[Question],
    units: Sequence[Unit],
    choices: Mapping[str, str],
    write: Callable[[Sequence[Unit]], str],
) -> tuple[Question, ...]:
    """The questions, each open one with the reading that provably allows nothing the other readings deny.

    The model is not asked which reading is safe: the solver compares the policies of the readings. A question
    without such a reading keeps no default.
    """
    named = {unit.target.choice for unit in units}
    completed: list[Question] = []
    for question in questions:
        open_ = question.id not in choices and _name(question, question.options[0]) in named
        default = _strictest(question, units, write) if open_ and not question.default else question.default
        completed.append(replace(question, default=default))
    return tuple(completed)


def _strictest(question: Question, units: Sequence[Unit], write: Callable[[Sequence[Unit]], str]) -> str:
    policies: dict[str, PolicyTerms] = {}
    for option in question.options:
        other_choices = {
            _name(question, other_option) for other_option in question.options if other_option is not option
        }
        remaining_units = [unit for unit in units if unit.target.choice not in other_choices]
        if any(unit.rules.wrong for unit in remaining_units if unit.target.choice == _name(question, option)):
            return ""
        try:
            policies[option.value] = check(write(remaining_units))
        except WorkbenchError:
            return ""
    for value, terms in policies.items():
        if all(
            allows_no_more(terms, other_terms)
            for other_terms in policies.values()
            if other_terms is not terms
        ):
            return value
    return ""


# --- requirements without rules ----------------------------------------------------


def unexpressed(units: Sequence[Unit], choices: Mapping[str, str]) -> Iterator[Question]:
    """A blocking question for each requirement for which the model gave no rule in the dialect."""
    wrong: dict[str, tuple[Requirement, str]] = {}
    for unit in units:
        requirement = unit.target.requirement
        if unit.rules.wrong or _identity(requirement) in choices:
            wrong[requirement.id] = requirement, " ".join(unit.rules.wrong)
    for requirement, why in wrong.values():
        yield _unexpressed(requirement, why)


def _unexpressed(requirement: Requirement, why: str) -> Question:
    why = why[:300].rstrip()
    return question_about(
        Doubt(
            id=_identity(requirement),
            kind="model-unexpressed",
            quote=requirement.quote,
            span=requirement.span,
            values=(LEFT_OUT,),
            requirements=(requirement.id,),
            blocking=True,
            free_text=True,
            facts={"why": f" {why}" if why else ""},
        )
    )


def restated(requirements: Sequence[Requirement], choices: Mapping[str, str]) -> tuple[Requirement, ...]:
    """The requirements, with a person's words for those that led to no rule."""
    rewritten: list[Requirement] = []
    for requirement in requirements:
        own_words = _restated(requirement, choices)
        rewritten.append(replace(requirement, text=own_words) if own_words else requirement)
    return tuple(rewritten)


def _restated(requirement: Requirement, choices: Mapping[str, str]) -> str:
    """A person's words that replace a requirement that led to no rule; empty without them."""
    for identity in (_identity(requirement), unstated_id(requirement)):
        own_words = " ".join(choices.get(identity, "").split())
        if own_words not in ("", LEFT_OUT, CONTEXT):
            return own_words
    return ""


def _identity(requirement: Requirement) -> str:
    return f"unexpressed:{short_hash(requirement.quote)}"
