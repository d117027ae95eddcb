"""The clauses of a policy of calls that follow from its rules, where a person edits the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.app.session_language import ALONE, language_of
from workbench.model import AgentSpec, WorkbenchError

if TYPE_CHECKING:
    from workbench.policy.terms import Clause
    from workbench.session import Session


def narrowed_edit(agent: AgentSpec, text: str, before: str) -> str:
    """An edit of a policy, with what its own clauses demand narrowed by the prohibitions that it adds.

    An edit that is not in the dialect stays as it is; so does one of a policy that was not.
    """
    from workbench.language.own_clauses import narrowed

    try:
        with ALONE:
            return _same(text, narrowed(language_of(text, agent), text, language_of(before, agent)))
    except WorkbenchError:
        return text


def in_line(agent: AgentSpec, text: str) -> str:
    """A policy with its own clauses as they follow from its rules; a clause that a person edited stays."""
    from workbench.language.own_clauses import in_step, own_clauses

    try:
        with ALONE:
            language = language_of(text, agent)
            return _same(text, in_step(language, text, own_clauses(language, text)))
    except WorkbenchError:
        return text


def clauses_behind(session: Session) -> tuple[Clause, ...]:
    """The own clauses of a policy that do not follow its rules, as one was added without them."""
    from workbench.dialect.lowered_policy import lowered_policy

    text = session.written
    after = in_line(session.agent, text)
    if after == text:
        return ()
    kept = {clause.source for clause in lowered_policy(after, session.agent).terms.clauses}
    return tuple(
        clause for clause in lowered_policy(text, session.agent).terms.clauses if clause.source not in kept
    )


def _same(text: str, after: str) -> str:
    """The text as it is if nothing but empty lines differ."""
    said = [[line for line in one.split("\n") if line.strip()] for one in (text, after)]
    return text if said[0] == said[1] else after
