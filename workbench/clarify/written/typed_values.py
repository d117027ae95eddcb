"""Whether a folder, a host, an address or a command is meant, where a rule tests the raw text of one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.clarify.written.asked import MEANT, TYPED, Asked, Effect, identity
from workbench.clarify.written.book import Book, SaidRule, same
from workbench.clarify.written.witnesses import passing_calls, shown_call
from workbench.language.trees import CALL, RUN, NotInLanguage, Tree, is_tree, joined, negated, tree_of
from workbench.model import Doubt
from workbench.policy.written import TextTest
from workbench.question_wording import question_about

VALUE = "value"
_OPPOSITES = {"==": "!=", "!=": "=="}


def typed_values(book: Book) -> Iterator[Asked]:
    """Yield a question for each test of raw text whose typed form has a sentence."""
    rules = {rule.name: rule for rule in book.rules}
    for test in book.terms.file.text_tests:
        rule = rules.get(test.rule)
        if rule is not None and (found := _asked(book, rule, test)) is not None:
            yield found


def _asked(book: Book, rule: SaidRule, test: TextTest) -> Asked | None:
    raw, typed = _tree(test.text), _tree(test.typed)
    if raw is None or typed is None or _is_negated(raw) is not _is_negated(typed):
        return None
    condition = _with_typed(rule.condition, raw, typed)
    other_tree = rule.with_condition(condition)
    now, then = book.sentence(rule.tree), book.sentence(other_tree)
    if condition == rule.condition or not then:
        return None
    doubt = Doubt(
        id=identity(TYPED, rule.name, test.text),
        kind=TYPED,
        quote=rule.quote,
        span=rule.span,
        values=(VALUE, MEANT),
        default=MEANT,
        requirements=rule.requirements,
        facts={"says": now},
        value_facts={VALUE: {"meaning": then}, MEANT: {"meaning": now}},
    )
    passing = next(passing_calls(book, rule), None)
    example = None if passing is None else shown_call(book, rule, passing)
    return Asked(question_about(doubt, example), {VALUE: Effect({rule.name: other_tree})}, (rule.name,))


def _with_typed(tree: Tree, raw: Tree, typed: Tree) -> Tree:
    """A tree with the typed form wherever it has the raw test, and its opposite where it has the opposite."""
    if same(tree, raw):
        return typed
    if same(tree, _opposite(raw)):
        return _opposite(typed)
    parts = [_with_typed(part, raw, typed) if is_tree(part) else part for part in tree]
    if tree[0] in ("and", "or"):
        return joined(tree[0], parts[1:])
    return negated(parts[1]) if tree[0] == "not" else tuple(parts)


def _opposite(tree: Tree) -> Tree:
    """What holds exactly where a test does not."""
    if tree[0] == "not":
        return tree[1]
    return (_OPPOSITES[tree[0]], *tree[1:]) if tree[0] in _OPPOSITES else negated(tree)


def _is_negated(tree: Tree) -> bool:
    """Whether a test says what is not so: a test and its typed form both do, or neither does."""
    return tree[0] in ("not", "!=", "not in")


def _tree(text: str) -> Tree | None:
    """The tree of an expression over the call; None if it is none."""
    try:
        return tree_of(ast.parse(text, mode="eval").body, {"call": CALL, "run": RUN})
    except (SyntaxError, NotInLanguage):
        return None
