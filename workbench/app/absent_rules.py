"""The rules that read a value which may be missing since they were written, and what they are read as.

A field that ``agent.toml`` makes optional after rules were written is one. The guard allows no more: without
the value a prohibition forbids, a permission allows nothing, and a clause demands nothing.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.app.session_language import language_of, rule_sentences
from workbench.dialect.call_types import AgentTypes, agent_types
from workbench.dialect.check import check_calls
from workbench.language.alone import ALONE
from workbench.language.kept_sentence import kept_text, said_in
from workbench.model import Problem
from workbench.policy.checker.present_values import absent_in
from workbench.policy.problems import PolicyError
from workbench.policy.rule_names import NEGATED, RULES

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


_MOST_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class GuardedPolicy:
    """The text with guards, its guarded functions, and the rules among them with what may be missing."""

    text: str
    functions: frozenset[str]
    rules: tuple[tuple[str, tuple[str, ...]], ...]


def guarded(source: str, types: AgentTypes) -> GuardedPolicy | None:
    """The policy with guards; None for one without problems, and for one with others."""
    values: dict[str, tuple[str, ...]] = {}
    text = source
    for _ in range(_MOST_ROUNDS):
        try:
            check_calls(text, types)
        except PolicyError as error:
            found = _round(text, error.problems, values)
            if found is None:
                return None
            text = found
        else:
            rules = tuple((name, each) for name, each in values.items() if name.startswith(RULES))
            return GuardedPolicy(text, frozenset(values), rules) if values else None
    return None


def _round(source: str, problems: tuple[Problem, ...], values: dict[str, tuple[str, ...]]) -> str | None:
    """The text with a guard for each problem; None if there is none for one of them."""
    if not all(map(absent_in, problems)):
        return None
    edits: dict[tuple[int, int, int, int], tuple[str, str]] = {}
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    for problem in problems:
        absent = absent_in(problem)
        function = next((one for one in functions if _has(one, problem)), None)
        place = None if function is None else _place(function, problem)
        if function is None or place is None or not _is_outer(absent, function):
            return None
        value = ast.unparse(place)
        edits.setdefault(_span(place), (_guard(function, absent, value), value))
        known = values.get(function.name, ())
        values[function.name] = known if absent in known else (*known, absent)
    return _edited(source, {span: text for span, (text, _) in edits.items()})


def _has(node: ast.stmt, problem: Problem) -> bool:
    return node.lineno <= problem.line <= (node.end_lineno or node.lineno)


def _place(function: ast.FunctionDef, problem: Problem) -> ast.expr | None:
    """What is guarded: what a rule returns, or what the clause of the problem ensures."""
    for statement in function.body:
        match statement:
            case ast.Return(value=ast.expr() as value) if function.name.startswith(RULES):
                return value if _has(statement, problem) else None
            case ast.Expr(value=ast.Call(func=ast.Name(id="Ensures"), args=[value])):
                if _has(statement, problem):
                    return value
            case ast.Expr(value=ast.Constant()):
                continue
            case _:
                return None
    return None


def _is_outer(absent: str, function: ast.FunctionDef) -> bool:
    """Whether a value is one of the call and of its run, not of an element of a list."""
    names = {node.id for node in ast.walk(ast.parse(absent, mode="eval")) if isinstance(node, ast.Name)}
    return names <= {one.arg for one in function.args.args}


def _guard(function: ast.FunctionDef, absent: str, value: str) -> str:
    if function.name.startswith(NEGATED):
        return f"{absent} is None or ({value})"
    if function.name.startswith(RULES):
        return f"{absent} is not None and ({value})"
    return f"Implies({absent} is not None, {value})"


def _span(node: ast.expr) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0


def _edited(source: str, edits: dict[tuple[int, int, int, int], str]) -> str:
    """The text with other expressions at some places, the last first; columns count bytes."""
    lines = [line.encode() for line in source.split("\n")]
    for (first, start, last, end), text in sorted(edits.items(), reverse=True):
        lines[first - 1 : last] = [lines[first - 1][:start] + text.encode() + lines[last - 1][end:]]
    return b"\n".join(lines).decode()
