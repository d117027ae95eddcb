"""Policies of one rule for one sentence, and the book of a policy that has R1 as its sentence."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.app.session_language import language_of
from workbench.clarify.written import Book
from workbench.dialect.call_types import agent_types
from workbench.dialect.file_imports import with_imports
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import AgentSpec, RecordedCall, Requirement, Span


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
