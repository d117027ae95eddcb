"""The rules that read a value which may be missing since they were written, and what they are read as."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.app.session_language import ALONE, language_of, rule_sentences
from workbench.dialect.absent_values import GuardedPolicy, guarded
from workbench.dialect.call_types import agent_types
from workbench.language.kept_sentence import kept_text, said_in

if TYPE_CHECKING:
    from workbench.model import AgentSpec
    from workbench.session import Session


@dataclass(frozen=True, slots=True)
class AbsentRule:
    """A rule that reads ``values`` which may be missing, in Python, and the sentence that guards them.

    ``cited`` is the sentence of the request that it cites; empty for none.
    """

    name: str
    values: tuple[str, ...]
    sentence: str
    cited: str


@dataclass(frozen=True, slots=True)
class AbsentRules:
    """The text of the policy with guards, and its guarded rules."""

    text: str
    rules: tuple[AbsentRule, ...]


def absent_rules(session: Session) -> AbsentRules | None:
    """The guarded rules; None if there are none, or if something else keeps the policy from the dialect."""
    source = session.written
    if not source or session.lowered is not None:
        return None
    found = guarded(source, agent_types(session.agent))
    if found is None:
        return None
    text = _as_sentences_are(source, found, session.agent)
    said = rule_sentences(text, session.agent)
    cited = {
        node.name: (ast.get_docstring(node) or "").partition(": ")[2]
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef)
    }
    rules = tuple(AbsentRule(name, values, said[name], cited[name]) for name, values in found.rules)
    return AbsentRules(text, rules)


def _as_sentences_are(source: str, found: GuardedPolicy, agent: AgentSpec) -> str:
    """The guarded text, in which those functions are as a sentence is kept that were so before."""
    with ALONE:
        language = language_of(found.text, agent)
        kept = said_in(language, source, found.functions)
        lines = found.text.split("\n")
        for node in reversed(ast.parse(found.text).body):
            if isinstance(node, ast.FunctionDef) and node.name in kept:
                own = lines[node.lineno - 1 : node.end_lineno]
                lines[node.lineno - 1 : node.end_lineno] = kept_text(language, node, own).rstrip().split("\n")
    return "\n".join(lines)
