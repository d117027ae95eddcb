"""Why the dialect refuses what a sentence says, in the words of the language where it has some."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from workbench.language.words import words_of_name
from workbench.policy.checker.aggregates import SIZE_OF_SET
from workbench.policy.checker.comparisons import SEARCHED, WITH_ORDER
from workbench.policy.checker.present_values import absent_in
from workbench.policy.checker.syntax_tree import statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from workbench.language.language import Language
    from workbench.model import Problem

_OF_TEXT = "A str has no fields."
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
    if absent := absent_in(problem):
        return _said_in_general(absent, language)
    return f"{problem.message} {_INSTEAD.get(problem.message, problem.instead)}".strip()


def refused(
    problems: Iterable[Problem], source: str, language: Language, said: Mapping[str, str]
) -> Sequence[str]:
    """Why sentences are refused; ``said`` is what each is called, by the name of its function.

    What follows from a refused sentence, as the clause of its rule, is refused with it and not told.
    """
    whys = [(_function_at(source, one.line), refusal(one, source, language)) for one in problems]
    told = [f"{said[name]} {why}" for name, why in whys if name in said]
    return told or [why for _, why in whys]


def _function_at(source: str, line: int) -> str:
    """The name of the function at a line; empty if there is none."""
    functions = (node for node in statements(source) if isinstance(node, ast.FunctionDef))
    return next((one.name for one in functions if one.lineno <= line <= (one.end_lineno or 0)), "")


_INSTEAD = {
    SEARCHED: "After “contains”, “begins with” and “ends with” stands a text in quotation marks; of another "
    "value say that it “was named by the user”.",
    WITH_ORDER: "Of its elements say “for every …, …” or “there is …”; of a list that is empty that “the "
    "number of” its elements “is 0”.",
    _OF_TEXT: "Folders, hosts, programs and domains are parts of a path, an address or a command: give the "
    'field its kind in agent.toml, such as "files[]" = {type = "path"} in [tools.….fields].',
    SIZE_OF_SET: "Say “there is …” or “there is no …” of its members. To count them, declare it as a list in "
    'agent.toml, as {type = "list", of = "str"}; of where a text comes from say that it “was named by” '
    "one, by something or by nothing.",
}
"""What a sentence can say in place of what the dialect has not."""


def _said_in_general(absent: str, language: Language) -> str:
    """Which value may be missing, of an element of a list or of another call."""
    try:
        value = ast.parse(absent, mode="eval").body
    except SyntaxError:
        value = None
    match value:
        case ast.Call(func=ast.Attribute(attr=name)) if name in language.types.records:
            words = language.lexicon.words_of_record(language.types.records[name]) or words_of_name(name)
            return (
                f"The {words} may not exist: say “the {words} … exists and …” before what is said of it, "
                "in the same “where” or item; what is said of other elements before does not count."
            )
        case ast.Attribute(attr=name):
            words = words_of_name(name.rstrip("_"))
            return f"The {words} may be missing: say “… {words} is given and …” before what is said of it."
        case _:
            return "A value may be missing: say “… is given and …” before what is said of it."


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
