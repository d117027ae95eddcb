"""Conditions that say of one value what cannot be, or what always is."""

from __future__ import annotations

import ast

import pytest

from workbench.language.normal_form import is_settled, normal
from workbench.language.trees import tree_of


@pytest.mark.parametrize(
    "condition",
    [
        'call.amount <= 500 and call.amount > Decimal("5000")',
        "not (call.amount <= 500 and call.amount > 5000)",
        "call.a < 4 or call.a >= 4",
        'call.k == "a" and call.k == "b"',
        'call.k in {"a", "b"} and call.k == "c"',
        "call.a != 3 and call.a == 3",
        "any(x.a > 5 and x.a < 3 for x in call.list)",
        "call.at < time(9, 0) and call.at > time(18, 30)",
        "call.b is None or call.b is not None",
        "call.mail.domain in call.mail.domains",
        '"/a" not in call.path.inside or "/b" not in call.path.inside',
        'any("/a" in x.inside and "/ab/c" in x.inside for x in call.paths)',
        '"/a" not in call.path.inside or call.path != "/b"',
    ],
)
def test_what_never_or_always_holds_is_settled(condition: str) -> None:
    assert is_settled(normal(tree_of(ast.parse(condition, mode="eval").body)))


@pytest.mark.parametrize(
    "condition",
    [
        "call.a < 4 or call.a > 4",
        "call.a <= 5 and call.a >= 5",
        'call.k in {"a", "b"} and call.k == "b"',
        "call.at < time(9, 0) or call.at > time(18, 30)",
        'call.a < 5 and call.a == "x"',
        "call.a < 4 and call.b > 5",
        "call.mail.domain in call.other.domains",
        '"/a" not in call.path.inside or "/a/b" not in call.path.inside',
        '"/a" in call.path.inside and call.path == "/a/b"',
        '"/a" not in call.path.inside or "/b" not in call.other.inside',
        '"a" not in call.path.inside or "b" not in call.path.inside',
    ],
)
def test_what_may_hold_and_may_not_is_open(condition: str) -> None:
    assert not is_settled(normal(tree_of(ast.parse(condition, mode="eval").body)))
