"""Calls as an agent would make them, decided by the real evaluator: what a question shows is what happens."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from workbench.clarify.written.asked import Calls, Effect, TriedCall
from workbench.clarify.written.book import Book
from workbench.dialect.file_imports import with_imports
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.language.python_text import rule_text
from workbench.model import AgentSpec, Decision, RecordedCall, Verdict
from workbench.policy.problems import PolicyError
from workbench.policy.rule_names import RULES
from workbench.policy.terms import PolicyTerms
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier

THEOREM = "theorem_"
TRIED = "forbid_tried_"
"""How the names of rules begin that an answer adds."""


@dataclass
class Trials:
    """A policy on which calls are tried, one run after another."""

    terms: PolicyTerms
    agent: AgentSpec
    _decided: dict[str, Sequence[Decision]] = field(default_factory=dict[str, Sequence[Decision]])

    def __post_init__(self) -> None:
        self._policy = compile_policy(self.terms)
        self._extractor = Extractor(self.terms.file.arguments, self.agent)

    def decisions(self, calls: Calls) -> Sequence[Decision]:
        """The decision on each call of a run in which all of them succeeded."""
        key = repr(calls)
        if key not in self._decided:
            run = [
                RecordedCall("tried", number, one.tool, one.arguments, result="{}", known_from=number + 1)
                for number, one in enumerate(calls)
            ]
            self._decided[key] = [
                decision_on(self._policy, self._extractor.extract(one, Earlier(run, number)))
                for number, one in enumerate(run)
            ]
        return self._decided[key]

    def allows(self, calls: Calls) -> bool:
        """Whether each call of a run is allowed."""
        return all(one.verdict is Verdict.ALLOW for one in self.decisions(calls))

    def stops(self, rule: str, call: TriedCall) -> bool:
        """Whether a rule stops a call: a prohibition that holds on it, or a permission that does not."""
        (decision,) = self.decisions((call,))
        named = {one.rule for one in decision.violations}
        return decision.verdict in (Verdict.DENY, Verdict.ASK) and (rule in named or not named)


def trials_with(book: Book, tools: Collection[str], effect: Effect) -> Trials | None:
    """The rules about some tools with what an answer puts into them; None if that is no policy."""
    classes = {name for name, call in book.language.types.calls.items() if call.tool in tools}
    classes |= {str(one[1]) for tree in effect.new for one in tree[3:]}
    text = _text(book, classes, effect)
    try:
        terms = lowered_policy(with_imports(text, book.language.types), book.agent).terms
    except PolicyError:
        return None
    return Trials(terms, book.agent)


def _text(book: Book, classes: Collection[str], effect: Effect) -> str:
    """The file with the rules that are about calls of some classes, and with what they need."""
    source = book.language.source
    clauses = {clause.function for clause in book.language.policy.clauses}
    parts: list[str] = []
    for node in ast.parse(source).body:
        if not isinstance(node, ast.FunctionDef):
            parts.append(ast.get_source_segment(source, node) or "")
        elif node.name in effect.said:
            parts.append(rule_text(effect.said[node.name], node.name, _first_line(node)))
        elif node.name.startswith(RULES):
            if _named(node) & {*classes, "Call"}:
                parts.append(ast.get_source_segment(source, node) or "")
        elif node.name not in clauses and not node.name.startswith(THEOREM):
            parts.append(ast.get_source_segment(source, node) or "")
    parts += [rule_text(tree, f"{TRIED}{number}", "Tried.") for number, tree in enumerate(effect.new)]
    return "\n\n\n".join(parts) + "\n"


def _first_line(node: ast.FunctionDef) -> str:
    return (ast.get_docstring(node) or "").split("\n")[0]


def _named(node: ast.FunctionDef) -> set[str]:
    """The classes of calls that a rule is about."""
    annotation = node.args.args[0].annotation if node.args.args else None
    return set() if annotation is None else set(ast.unparse(annotation).split(" | "))
