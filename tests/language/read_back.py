"""Policies of calls whose sentences are read back: the sessions, and what their rules and clauses come to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from workbench.dialect.call_file import KIND_CLASSES, TEXT
from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls
from workbench.dialect.checked import CallPolicy
from workbench.dialect.run_terms import canonical as canonical_term
from workbench.dialect.run_terms import text_of
from workbench.language.language import Language, Said
from workbench.language.python_text import HEADS, clause_text, fact_text, rule_text
from workbench.language.theorem_trees import FORMS, theorem_text
from workbench.language.trees import Tree, canonical, tree_of
from workbench.policy.terms import Term
from workbench.session.agent_file import read_agent

ROOT = Path(__file__).parents[2]
SESSIONS = (
    *("sessions/travel-desk", "examples/bookings"),
    *(
        f"benchmarks/sessions/{name}"
        for name in (
            *("retail-desk", "airline-desk", "team-chat", "own-tools", "payments"),
            *(f"authoring-{name}" for name in ("coding", "expenses", "support", "warehouse")),
        )
    ),
)
_IMPORTS = """\
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Requires, Result

"""


@lru_cache
def language_of(session: str) -> Language:
    """The language of a session's policy."""
    folder = ROOT / session
    types = agent_types(read_agent((folder / "agent.toml").read_text()))
    return Language(types, (folder / "policy.py").read_text())


@lru_cache
def sentences_of(session: str) -> tuple[Said, ...]:
    """The sentences of a session's policy."""
    return tuple(language_of(session).aloud())


def read_back(language: Language, sentences: tuple[Said, ...]) -> CallPolicy:
    """The policy that the sentences read as, each of which has one reading: the tree that it was written of.

    A rule or clause has a name with that of its own function and its line.
    """
    parts = [_IMPORTS + _agent_import(language)]
    for node in ast.parse(language.source).body:
        if isinstance(node, ast.Assign):
            parts.append(ast.unparse(node))
    for number, one in enumerate(sentences):
        (tree,) = language.read(one.text)
        assert canonical(tree) == canonical(one.tree), one.text
        name = f"{one.name}__{one.line}__{number}"
        if tree[1] == "meaning":
            fact = language.policy.facts.get(one.name)
            parts.append("" if fact is None else fact_text(tree, fact))
        elif tree[1] in FORMS:
            parts.append(theorem_text(tree, f"theorem_{number}", "It says so."))
        else:
            parts.append((rule_text if tree[1] in HEADS else clause_text)(tree, name, "R1: It says so."))
    return check_calls("\n\n".join(parts), language.types)


def _agent_import(language: Language) -> str:
    records = (record.class_name for record in language.types.records.values())
    names = ("Run", "Call", "looked_up", *language.types.calls, *records, TEXT, *KIND_CLASSES)
    return f"from agent import {', '.join(names)}\n"


def meanings(policy: CallPolicy) -> Mapping[tuple[str, int, str], Tree]:
    """What each rule and clause says for each tool, by the name and line of its function."""
    return {(*_place(name, line), tool): _meaning(term, policy) for name, line, tool, term in _terms(policy)}


def _terms(policy: CallPolicy) -> Iterator[tuple[str, int, str, Term]]:
    for rule in policy.rules:
        yield from ((rule.name, rule.line, one.tool, one.term) for one in rule.terms)
    for clause in policy.clauses:
        yield from ((clause.function, clause.line, one.tool, one.term) for one in clause.terms)


def _place(name: str, line: int) -> tuple[str, int]:
    if "__" not in name:
        return name, line
    own, own_line, _ = name.rsplit("__", 2)
    return own, int(own_line)


def _meaning(term: Term, policy: CallPolicy) -> Tree:
    """A term in the one form of all that differ in the names of elements and in brackets of ``and``."""
    classes = {call.tool: name for name, call in policy.types.calls.items()}
    text = text_of(canonical_term(term, dict(policy.values), classes))
    return canonical(tree_of(ast.parse(text, mode="eval").body))
