"""Policies of one rule for one sentence, and the book of a policy that has R1 as its sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.app.answered_rules import with_effect
from workbench.app.session_language import language_of
from workbench.clarify.written import Book
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.witnesses import CLOSED, witnesses
from workbench.dialect.call_types import agent_types
from workbench.dialect.file_imports import with_imports
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.model import AgentSpec, Json, RecordedCall, Requirement, Span, Verdict
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier

SHELL_AND_FILES = """
name = "builder"
[tools.bash]
shell = "bash"
cwd = "/repo"
parameters = {type = "object", required = ["command"], properties = {command = {type = "string"}}}
fields = {command = {type = "command"}}
[tools.write_file]
cwd = "/repo"
[tools.write_file.parameters]
type = "object"
required = ["path", "content"]
properties = {path = {type = "string"}, content = {type = "string"}}
[tools.write_file.fields]
path = {type = "path"}
"""
"""The agent file of an agent with a shell and a tool that writes files."""


def book_of(source: str, agent: AgentSpec, sentence: str = "", logged: Sequence[RecordedCall] = ()) -> Book:
    """A policy with a sentence for R1, if there is one, and with logged calls."""
    request = [Requirement("R1", sentence, sentence, Span(0, len(sentence)))] if sentence else []
    return Book(language_of(source, agent), agent, lowered_policy(source, agent).terms, request, calls=logged)


def one_rule(
    agent: AgentSpec,
    about: str,
    condition: str,
    sentence: str = "No.",
    *,
    form: str = "forbid",
    fact: str = "",
    logged: Sequence[RecordedCall] = (),
) -> Book:
    """A policy of one rule about calls of some classes; ``fact`` is the function of what it reads."""
    source = with_imports(
        f'"""Own."""\n\nDEFAULT = "{"deny" if form == "permit" else "allow"}"\n\n\n{fact}'
        f'def {form}_it(call: {about}, run: Run) -> bool:\n    """R1: {sentence}"""\n'
        f"    return {condition}\n",
        agent_types(agent),
    )
    return book_of(source, agent, sentence, logged)


MANY_ROUNDS = 12


def after_no(agent: AgentSpec, about: str, condition: str, sentence: str) -> str:
    """A policy of one rule, with “No” to each question that has such an answer, until none is left."""
    book = one_rule(agent, about, condition, sentence)
    for _ in range(MANY_ROUNDS):
        found = [one.effects for one in witnesses(book, HolesByRule(book), {})]
        effects = [one[CLOSED] for one in found if CLOSED in one]
        if not effects:
            break
        source, _ = with_effect(book.language, book.language.source, effects[0], open_default=True)
        book = book_of(source, agent, sentence)
    return book.language.source


class Decides:
    """Whether a policy allows all calls of a run, as a guard would decide it.

    Each of them succeeds; one of which nothing is said tells nothing.
    """

    def __init__(self, source: str, agent: AgentSpec) -> None:
        lowered = lowered_policy(source, agent)
        self._policy, self._extractor = compile_policy(lowered.terms), Extractor(lowered.arguments, agent)

    def allows(self, *calls: tuple[str, Mapping[str, Json]] | tuple[str, Mapping[str, Json], str]) -> bool:
        """Whether all calls of a run are allowed, some with what they tell."""
        run = [
            RecordedCall("r", at, one[0], one[1], result=one[2] if len(one) > 2 else "{}", known_from=at + 1)
            for at, one in enumerate(calls)
        ]
        found = (
            decision_on(self._policy, self._extractor.extract(one, Earlier(run, at)))
            for at, one in enumerate(run)
        )
        return all(one.verdict is Verdict.ALLOW for one in found)
