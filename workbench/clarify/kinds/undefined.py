"""A word that the agent spec does not define, or an argument that it cannot supply."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.author.doubts import Unread
from workbench.author.rules.lexicon import effective_arguments
from workbench.clarify.situation import Situation
from workbench.clarify.wording import context_option, known_words, question
from workbench.model import AgentSpec, Kind, Question

NO_TOOL = (
    "The agent spec has tools, but none of its arguments tells which one is called: declare one, or "
    "declare no argument at all."
)


def find(situation: Situation) -> Iterator[Question]:
    """One question for each sentence."""
    for doubt in situation.doubts(Unread, "undefined"):
        text = (
            f"This sentence cannot be read with the words of the agent spec: {doubt.reason}. "
            "Please say it with the agent's own words, or declare an argument or a synonym for it in the "
            "agent spec."
        )
        known = known_words(effective_arguments(situation.spec))
        text += f" What it knows: {known}." if known else ""
        text += " " + NO_TOOL if _lacks_the_tool(situation.spec) else ""
        yield question(doubt, text, [context_option(doubt.quote)])


def _lacks_the_tool(spec: AgentSpec) -> bool:
    """Whether arguments are declared, and none has a tool's name for a value."""
    names = {tool.name for tool in spec.tools}
    told = any(each.type.kind is Kind.STR or names & set(each.type.values) for each in spec.arguments)
    return bool(names and spec.arguments) and not told
