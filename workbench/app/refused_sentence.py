"""Why the dialect refuses what a sentence says, in the words of the language where it has some."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from workbench.policy.checker.present_values import absent_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.language.language import Language
    from workbench.model import Problem

_EXISTS, _GIVEN = " exists", " is given"


def refusal(problem: Problem, source: str, language: Language) -> str:
    """Why a rule is refused: of a value that may be missing the condition that has to be said before it.

    ``source`` is the policy with the rule. It is stored nowhere, so that no line of it is named.
    """
    said = _missing_words(problem, source, language)
    if said.endswith((_EXISTS, _GIVEN)):
        owner = said.removesuffix(_EXISTS).removesuffix(_GIVEN)
        lacks = "may not exist" if said.endswith(_EXISTS) else "may be missing"
        return f"{owner[:1].upper()}{owner[1:]} {lacks}: say “{said} and …” before what is said of it."
    return f"{problem.message} {problem.instead}".strip()


def _missing_words(problem: Problem, source: str, language: Language) -> str:
    """The condition that the value is there, in words; empty where there are none."""
    absent = absent_in(problem)
    for node in ast.parse(source).body if absent else ():
        if isinstance(node, ast.FunctionDef) and node.lineno <= problem.line <= (node.end_lineno or 0):
            return next(_words(node, absent, language), "")
    return ""


def _words(function: ast.FunctionDef, absent: str, language: Language) -> Iterator[str]:
    try:
        given = ast.parse(f"{absent} is not None", mode="eval").body
    except SyntaxError:
        return
    for tool in language.tools_of(function):
        rule = language.rule_of(function, given, tool)
        words = language.write(rule).rstrip(".").partition(" if ")[2]
        if words:
            yield words
