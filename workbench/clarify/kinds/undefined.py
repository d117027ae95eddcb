"""A word that the agent spec does not define, or an argument that it cannot supply."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.implied_arguments import effective_arguments
from workbench.clarify.situation import Situation
from workbench.model import AgentSpec, Kind, Question
from workbench.question_wording import known_words, phrase, question_about


def find(situation: Situation) -> Iterator[Question]:
    """Yield one question for each sentence with such a word."""
    words = known_words(effective_arguments(situation.spec))
    known_phrase = phrase("undefined", "known", words=words) if words else ""
    no_tool = phrase("undefined", "no_tool") if _lacks_the_tool(situation.spec) else ""
    for doubt in situation.doubts("undefined"):
        yield question_about(doubt, known=known_phrase, no_tool=no_tool)


def _lacks_the_tool(spec: AgentSpec) -> bool:
    """Whether arguments are declared, and none has the name of a tool as a value."""
    names = {tool.name for tool in spec.tools}
    types = [argument.type for argument in spec.arguments]
    return bool(names and types) and not any(
        type_.kind is Kind.STR or names & set(type_.values) for type_ in types
    )
