"""Methods of values: each has its value of Python, its type in the stub, and a row in the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runs.expressions.small_agent import TYPES, call, reader
from workbench.dialect.check import run_expression
from workbench.dialect.value_functions import FUNCTIONS
from workbench.model import Json
from workbench.policy.literals import literal
from workbench.policy.problems import PolicyError
from workbench.policy.undetermined import Undetermined
from workbench.runs.expressions.evaluator import Evaluator
from workbench.runs.expressions.moment import Trace
from workbench.runs.expressions.scope import ReadExpression
from workbench.runs.world.earlier_calls import Earlier

_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "calls.md"
_TEXTS = st.text("aAbxİ/", max_size=6)


def _value(text: str, booking: Json) -> object:
    read = ReadExpression(run_expression(text, TYPES, "order"))
    decided = call(0, "order", {"booking_id": booking, "items": []}, None)
    return Evaluator(reader()).at(decided, Earlier((decided,), 0)).value(read, Trace(), {})


@pytest.mark.parametrize("name", FUNCTIONS)
@given(text=_TEXTS, parts=st.lists(_TEXTS, min_size=3, max_size=3))
def test_a_method_has_the_value_of_python(name: str, text: str, parts: list[str]) -> None:
    chosen = parts[: len(FUNCTIONS[name].parameters)]
    expression = f"call.booking_id.{name}({', '.join(map(literal, chosen))})"
    assert _value(expression, text) == getattr(text, name)(*chosen)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_page_has_each_method(name: str) -> None:
    assert f"`.{name}(" in _PAGE.read_text("utf-8")


def test_a_method_of_what_is_not_determined_is_not_determined() -> None:
    assert isinstance(_value('call.booking_id.removeprefix("D")', None), Undetermined)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("call.iban.removeprefix()", "takes 1 constant"),
        ("call.iban.removeprefix(call.iban)", "takes 1 constant"),
        ("call.iban.casefold()", "not part of the dialect"),
    ],
)
def test_a_method_that_is_not_declared_so_is_refused(text: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        run_expression(text, TYPES, "pay_invoice")
