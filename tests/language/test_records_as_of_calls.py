"""Values as of an earlier call in sentences: each is written, and reads as nothing else."""

from __future__ import annotations

import pytest

from tests.language.read_back import meanings, read_back
from tests.runs.expressions.small_agent import TYPES
from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls
from workbench.dialect.run_terms import text_of
from workbench.language.kept_sentence import with_sentence
from workbench.language.language import Language
from workbench.session.agent_file import read_agent

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
            "the former booking for the earlier call's booking id as of the earlier call does not exist",
        ),
        (
            "any(run.user(run.booking(c.booking_id).user_id, as_of=c) is None for c in run.earlier(Order)"
            " if run.booking(c.booking_id) is not None)",
            "the former user for the user id of the booking for the earlier call's booking id as of the "
            "earlier call",
        ),
        (
            "any(run.user(run.booking(c.booking_id, as_of=c).user_id) is None for c in run.earlier(Order)"
            " if run.booking(c.booking_id, as_of=c) is not None)",
            "the user for the user id of the former booking for the earlier call's booking id as of the "
            "earlier call",
        ),
        (
            f"{LAST} is not None and looked_up(run.booking({LAST}.booking_id, as_of={LAST}))",
            "as of the last earlier call to order was looked up",
        ),
        (
            "any('refund' in run.until(c).said for c in run.earlier(Order))",
            "what the user has said before the earlier call contains",
        ),
        (
            "'refund' in run.until(c for c in run.earlier(Order) if c.succeeded).said",
            "what the user has said until one earlier call to order that succeeded contains",
        ),
        (
            f"{LAST} is not None and 'refund' in run.since({LAST}).said",
            "what the user has said after the last earlier call to order contains",
        ),
        (
            f"{LAST} is not None and 'refund' in run.until({LAST}).last_said",
            "the user's last message before the last earlier call to order contains",
        ),
        (
            "any('user' not in call.iban.source_before(c) and 'x' in c.result for c in run.earlier(Order))",
            "the iban was not named by the user before the earlier call",
        ),
        (
            "any(any(y in {'a', 'b'} for y in c.iban.source_before(c)) for c in run.earlier(PayInvoice))",
            "its iban was named by one of",
        ),
        (
            "any(any(d.booking_id == c.booking_id for d in run.until(c).earlier(Order))"
            " for c in run.earlier(Order))",
            "there was an earlier call, before the earlier call, to order",
        ),
    ],
)
def test_a_value_as_of_a_call_has_words_that_read_as_it(condition: str, words: str) -> None:
    language = Language(TYPES, f"{HEAD}{condition}\n")
    sentences = tuple(language.aloud())
    assert any(words in one.text for one in sentences)
    assert meanings(read_back(language, sentences)) == meanings(language.policy)


def test_what_was_said_by_the_user_before_a_call_is_read_as_its_source() -> None:
    language = Language(TYPES, f"{HEAD}False\n")
    said, named = (
        "The agent must not pay an invoice if there was an earlier call to order "
        f"(where the iban was {words} by the user before the earlier call)."
        for words in ("not said", "not named")
    )
    assert len(language.read(said)) == 1
    assert language.read(said) == language.read(named)


MAIL = """
name = "mail"

[tools.send.parameters]
type = "object"
required = ["to"]
properties = {to = {type = "array", items = {type = "string"}}}

[tools.send.fields]
"to[]" = {type = "mail_address"}

[nouns]
"Send.to" = "recipients"
"""


def test_an_element_of_a_kind_has_the_source_of_its_text() -> None:
    types = agent_types(read_agent(MAIL))
    source = '"""A policy."""\n\nfrom agent import Send, Run\n\nDEFAULT = "allow"\n'
    text = (
        "The agent must not send if there is a recipient for which the recipient was not named by the user."
    )
    language = Language(types, source)
    (tree,) = language.read(text)
    policy = with_sentence(language, tree, text).policy
    (rule,) = check_calls(policy, types).rules
    assert text_of(rule.terms[0].term) == 'any("user" not in recipient.text.source for recipient in call.to)'
    assert [one.text for one in Language(types, policy).aloud()][-1] == text
