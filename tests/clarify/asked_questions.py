"""The questions about a request that the offline author drafted."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.author.rules import RulesAuthor
from workbench.clarify import Situation, find_questions
from workbench.model import AgentSpec, Arguments, Question

AUTHOR = RulesAuthor()


def questions(
    request: str,
    spec: AgentSpec,
    choices: Mapping[str, str] | None = None,
    inputs: tuple[Arguments, ...] = (),
) -> tuple[Question, ...]:
    """The questions about a request, with some answers given."""
    chosen = choices or {}
    drafted = AUTHOR.draft(request, spec, chosen)
    return find_questions(Situation(request, spec, drafted, chosen, AUTHOR, inputs))


def ids(request: str, spec: AgentSpec, choices: Mapping[str, str] | None = None) -> list[str]:
    return [question.id for question in questions(request, spec, choices)]
