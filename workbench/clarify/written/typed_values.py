"""Whether a folder, a host, an address or a command is meant, where a rule tests the raw text of one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.clarify.written.asked import MEANT, TYPED, Asked, Effect, identity
from workbench.clarify.written.book import Book, SaidRule, places, replaced, same
from workbench.language.trees import CALL, RUN, NotInLanguage, Tree, negated, tree_of
from workbench.model import Doubt
from workbench.policy.written import TextTest
from workbench.question_wording import question_about

VALUE = "value"


def typed_values(book: Book) -> Iterator[Asked]:
    """Yield a question for each test of raw text whose typed form has a sentence."""
    rules = {rule.name: rule for rule in book.rules}
    for test in book.terms.file.text_tests:
        rule = rules.get(test.rule)
        if rule is not None and (found := _asked(book, rule, test)) is not None:
            yield found


def _asked(book: Book, rule: SaidRule, test: TextTest) -> Asked | None:
    raw, typed = _tree(test.text), _tree(test.typed)
    if raw is None or typed is None:
        return None
    condition = rule.condition
    for path, part in list(places(rule.condition)):
        for one, other in ((raw, typed), (negated(raw), negated(typed)), (_opposite(raw), negated(typed))):
            if same(part, one):
                condition = replaced(condition, path, other)
                break
        if condition != rule.condition:
            break
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
    return Asked(question_about(doubt), {VALUE: Effect({rule.name: other_tree})})


def _opposite(tree: Tree) -> Tree:
    """A comparison that is written the other way round."""
    return ("!=", *tree[1:]) if tree[0] == "==" else tree


def _tree(text: str) -> Tree | None:
    """The tree of an expression over the call; None if it is none."""
    try:
        return tree_of(ast.parse(text, mode="eval").body, {"call": CALL, "run": RUN})
    except (SyntaxError, NotInLanguage):
        return None
