"""One form for rules that say the same in another order or by a negation, and other forms for others."""

from __future__ import annotations

import ast

import pytest

from tests.language.library_desk import library
from workbench.language.normal_form import normal
from workbench.language.trees import Tree, tree_of

SAME = [
    ("forbid not (call.days <= 28)", "forbid call.days > 28"),
    ("forbid not (a and b)", "forbid not b or not a"),
    ("forbid not all(x.price <= 3 for x in call.items)", "forbid any(x.price > 3 for x in call.items)"),
    ("forbid any(y.price > 3 for y in call.items)", "forbid any(x.price > 3 for x in call.items)"),
    ("forbid any(True for x in call.items if x.price > 3)", "forbid any(x.price > 3 for x in call.items)"),
    ("forbid sum(1 for x in call.items if x.price > 3) >= 1", "forbid any(x.price > 3 for x in call.items)"),
    ("forbid len(call.items) > 2", "forbid len(call.items) >= 3"),
    ("forbid call.branch in {'north'}", "forbid call.branch == 'north'"),
    ("forbid call.branch not in {'a', 'b'}", "forbid not (call.branch == 'b' or call.branch == 'a')"),
    ("forbid False if a else b", "forbid not a and b"),
    ("forbid 3 < call.days", "forbid call.days > 3"),
    ("forbid not (call.note is None)", "forbid call.note is not None"),
]
OTHER = [
    ("forbid call.days > 28", "forbid call.days >= 28"),
    ("forbid call.days > 28", "permit call.days > 28"),
    ("forbid not all(x.price <= 3 for x in call.items)", "forbid all(x.price > 3 for x in call.items)"),
    ("forbid a and b", "forbid a or b"),
    ("forbid call.amount > 2", "forbid call.amount >= 3"),
    ("forbid call.branch in {'a', 'b'}", "forbid call.branch == 'a'"),
    ("forbid sum(1 for x in call.items if x.price > 3) >= 2", "forbid any(x.price > 3 for x in call.items)"),
]


def _rule(text: str) -> Tree:
    form, _, condition = text.partition(" ")
    return ("call", form, tree_of(ast.parse(condition, mode="eval").body), ("name", "LendBook"))


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_is_the_same_has_one_form(one: str, other: str) -> None:
    assert normal(_rule(one)) == normal(_rule(other))


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_what_differs_has_forms_that_differ(one: str, other: str) -> None:
    assert normal(_rule(one)) != normal(_rule(other))


def test_the_order_of_tools_says_nothing() -> None:
    (one,) = library().read("The agent must never lend book or renew a loan.")
    (other,) = library().read("The agent must never renew a loan or lend book.")
    assert normal(one) == normal(other)
