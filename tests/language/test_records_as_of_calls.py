"""A record as of an earlier call in sentences: it is written, and reads as nothing else."""

from __future__ import annotations

import pytest

from tests.language.read_back import meanings, read_back
from tests.runs.expressions.small_agent import TYPES
from workbench.language.language import Language

HEAD = '''\
"""A policy."""

from agent import Order, PayInvoice, Run, looked_up

DEFAULT = "allow"


def forbid_it(call: PayInvoice, run: Run) -> bool:
    """R1: No."""
    return '''
LAST = "run.last(run.earlier(Order))"


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (
            "any(run.booking(c.booking_id, as_of=c) is None for c in run.earlier(Order))",
            "the former booking for its booking id as of the earlier call does not exist",
        ),
        (
            "any(run.user(run.booking(c.booking_id).user_id, as_of=c) is None for c in run.earlier(Order)"
            " if run.booking(c.booking_id) is not None)",
            "the former user for the user id of the booking for its booking id as of the earlier call",
        ),
        (
            "any(run.user(run.booking(c.booking_id, as_of=c).user_id) is None for c in run.earlier(Order)"
            " if run.booking(c.booking_id, as_of=c) is not None)",
            "the user for the user id of the former booking for its booking id as of the earlier call",
        ),
        (
            f"{LAST} is not None and looked_up(run.booking({LAST}.booking_id, as_of={LAST}))",
            "as of the last earlier call to order was looked up",
        ),
    ],
)
def test_a_record_as_of_a_call_has_words_that_read_as_it(condition: str, words: str) -> None:
    language = Language(TYPES, f"{HEAD}{condition}\n")
    sentences = tuple(language.aloud())
    assert any(words in one.text for one in sentences)
    assert meanings(read_back(language, sentences)) == meanings(language.policy)
