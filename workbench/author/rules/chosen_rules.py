"""Rules that a person chose for a sentence: the answer that stores them, and words that add nothing to it.

The answer about an unread sentence may be rules, one per line: ``require: SCOPE => CONDITION`` (denied in the
scope unless the condition holds), ``forbid:`` (denied if both hold) or ``permit:`` (permitted if both hold).
Scope and condition are written in the dialect and read by its checker.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Set
from dataclasses import replace

from workbench.author.request_text import plain
from workbench.author.rules.norms import Effect, Norm
from workbench.model import Argument, WorkbenchError
from workbench.policy.check import check_condition
from workbench.policy.checker.syntax_tree import is_expression
from workbench.policy.connectives import TRUE
from workbench.policy.elements import unlike
from workbench.policy.render import render_term
from workbench.policy.terms import Parameter, Term

_ABOUT = " => "
"""The separator between the scope and the condition of a rule; a text in these may contain it too."""


def is_rules(answer: str) -> bool:
    """Whether an answer has the form of rules that ``rule_line`` writes."""
    lines = answer.strip().splitlines()
    return bool(lines) and all(_parted(line) is not None for line in lines)


def rule_line(norm: Norm) -> str:
    """A rule as a line of an answer."""
    scope, condition = (render_term(term, as_listed=True) for term in (norm.scope, norm.condition))
    return f"{norm.effect.value}: {scope}{_ABOUT}{condition}"


def chosen_norms(
    answer: str, requirement: str, message: str, arguments: Iterable[Argument]
) -> tuple[Norm, ...]:
    """The norms of an answer with rules; raises WorkbenchError if a rule is not in the dialect."""
    parameters = tuple(Parameter(argument.name, argument.type) for argument in arguments)
    norms: list[Norm] = []
    for line in answer.strip().splitlines():
        parted = _parted(line)
        if parted is None:
            raise WorkbenchError(f"{line!r} is no rule: write EFFECT: SCOPE => CONDITION.")
        effect, *sides = parted
        scope, condition = (_checked(side, parameters) for side in sides)
        norms.append(Norm(requirement, effect, scope, condition, plain(message), complete=True))
    return tuple(norms)


def closed_norms(
    answer: str, requirement: str, message: str, arguments: Iterable[Argument]
) -> tuple[Norm, ...]:
    """Norms that deny whatever the rules of an answer may deny, if the dialect refuses one of them.

    A refused rule denies its whole scope, or everything if its scope is refused too; a refused permission
    permits nothing.
    """
    declared = tuple(arguments)
    norms: list[Norm] = []
    for line in answer.strip().splitlines():
        try:
            norms += chosen_norms(line, requirement, message, declared)
            continue
        except WorkbenchError:
            effect, scope, _ = _parted(line) or (Effect.FORBID, "", "")
        if effect is not Effect.PERMIT:
            closed = Norm(requirement, Effect.FORBID, _scope(scope, declared), TRUE, plain(message))
            norms.append(replace(closed, complete=True))
    return tuple(norms)


def _scope(text: str, arguments: Iterable[Argument]) -> Term:
    """The scope of a refused rule; everything if it is no condition over the arguments."""
    try:
        return _checked(text, tuple(Parameter(argument.name, argument.type) for argument in arguments))
    except WorkbenchError:
        return TRUE


def _checked(text: str, parameters: tuple[Parameter, ...]) -> Term:
    """The term of a condition; an element with the name of an argument gets another name.

    An argument may be declared after the rule was chosen, or have the singular name of a list.
    """
    tree = ast.parse(text, mode="eval") if is_expression(text) else None
    names = {parameter.name for parameter in parameters}
    if tree is None or not any(_elements(node) & names for node in ast.walk(tree)):
        return check_condition(text, parameters)
    used = names | {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return check_condition(ast.unparse(_OwnElements(names, used).visit(tree)), parameters)


def _elements(node: ast.AST) -> set[str]:
    """The names that a comprehension gives to its elements."""
    if not isinstance(node, ast.GeneratorExp):
        return set()
    return {part.target.id for part in node.generators if isinstance(part.target, ast.Name)}


class _OwnElements(ast.NodeTransformer):
    """Renames elements of comprehensions that have the name of an argument, within the comprehension."""

    def __init__(self, names: Set[str], used: set[str]) -> None:
        self._names = names
        self._used = used

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        """Rename within the comprehension; the first collection is outside of it."""
        first = node.generators[0]
        taken = _elements(node) & self._names
        outside = self.visit(first.iter)
        first.iter = ast.Constant(None)
        new = {name: unlike(name, self._used) for name in taken}
        self._used.update(new.values())
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in new:
                part.id = new[part.id]
        self.generic_visit(node)
        first.iter = outside
        return node


def _parted(line: str) -> tuple[Effect, str, str] | None:
    """The effect, the scope and the condition of a line; None for any other text.

    The scope ends at the first separator before which it is an expression, since a text may contain one.
    """
    effect = next((effect for effect in Effect if line.startswith(f"{effect.value}: ")), None)
    if effect is None:
        return None
    parts = line.removeprefix(f"{effect.value}: ").split(_ABOUT)
    ends = [(_ABOUT.join(parts[:place]), _ABOUT.join(parts[place:])) for place in range(1, len(parts))]
    first = ends[0] if ends else ("", "")
    scope, condition = next((sides for sides in ends if is_expression(sides[0])), first)
    return (effect, scope, condition) if scope and condition else None


def without_words(text: str, words: Iterable[str]) -> str:
    """The text without the words that add nothing to it, by a person's answers."""
    for word in words:
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w),?", " ", text, flags=re.I)
    return re.sub(r"\s+([.,;!?])", r"\1", re.sub(r"\s+", " ", text)).strip()
