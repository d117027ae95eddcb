"""The arguments' schema (VeriGuard, section 3.2): the arguments that rules need, and the missing facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.author.doubts import short_hash
from workbench.author.model.expression_check import line
from workbench.author.model.prompts import ask_for_uses
from workbench.author.model.reply_schemas import Uses
from workbench.author.model.usable_reply import Conversation
from workbench.model import AgentSpec, Argument, Doubt, Question, Requirement
from workbench.question_wording import question_about

LEAVE = "leave"
_NOTHING = frozenset({"", "none", "nothing", "n/a", "null", "no", "-"})


def ask_uses(
    talk: Conversation, requirements: Sequence[Requirement], spec: AgentSpec, arguments: Sequence[Argument]
) -> tuple[tuple[Question, ...], tuple[str, ...]]:
    """A question for each fact that a rule needs and the agent spec lacks; and the faults of a refused reply.

    The model names arguments but cannot add one, because only the spec can define its extraction.
    """
    if not requirements:
        return (), ()
    ids = {requirement.id for requirement in requirements}
    reply, wrong = talk.ask(
        "arguments",
        ask_for_uses([(requirement.id, requirement.text) for requirement in requirements], spec, arguments),
        Uses,
        lambda reply: list(_strange(reply, ids, arguments)),
    )
    if reply is None:
        return (), tuple(wrong)
    by_id = {requirement.id: requirement for requirement in requirements}
    questions: dict[str, Question] = {}
    for use in reply.rules:
        fact = line(use.lacking).strip(".").strip()
        supplied = fact.lower() in _NOTHING or _supplied(fact, arguments)
        if use.rule in by_id and not supplied:
            question = _lacking(by_id[use.rule], fact)
            questions.setdefault(question.id, question)
    return tuple(questions.values()), tuple(wrong)


def _strange(reply: Uses, ids: set[str], arguments: Sequence[Argument]) -> Iterator[str]:
    names = {argument.name for argument in arguments}
    for use in reply.rules:
        if use.rule not in ids:
            yield f"There is no rule {use.rule!r}; the rules are {', '.join(sorted(ids))}."
        for name in use.arguments:
            if name not in names:
                yield f'There is no argument {name!r}; what the rules lack belongs into "lacking".'


def _supplied(fact: str, arguments: Sequence[Argument]) -> bool:
    """Whether an argument has this fact as its name or as its whole description."""
    lowered = fact.lower()
    return any(lowered in (argument.name.lower(), argument.description.lower()) for argument in arguments)


def _lacking(requirement: Requirement, lacking: str) -> Question:
    return question_about(
        Doubt(
            id=f"argument:{short_hash(requirement.quote + lacking)}",
            kind="model-argument",
            quote=requirement.quote,
            span=requirement.span,
            values=(LEAVE,),
            requirements=(requirement.id,),
            free_text=True,
            facts={"lacking": lacking},
        )
    )
