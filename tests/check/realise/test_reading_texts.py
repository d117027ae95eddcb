"""Inputs over readings are realised by texts whose real readings have these values, or stay possible."""

from __future__ import annotations

import pytest

from workbench.check.realise.realiser import Realiser
from workbench.dialect.lowered_policy import lowered_policy
from workbench.session.agent_file import read_agent

AGENT = """\
name = "desk"

[tools.send_mail.parameters]
type = "object"
required = ["body", "to", "amount"]
properties = {body = {type = "string"}, to = {type = "string"}, amount = {type = "number"}}

[readings.topic]
type = "enum"
values = ["refund", "talk"]
extract = {method = "phrases", categories = {refund = ["refund", "money back"], talk = ["chat"]}}

[readings.nearest_topic]
type = "enum"
values = ["refund", "talk"]
extract = {method = "nearest", examples = {refund = ["I want my money"], talk = ["How are you today?"]}}

[readings.words]
type = "set"
extract = {method = "regex", pattern = '\\w+'}

[readings.answers]
type = "set"
extract = {method = "regex", pattern = '\\b(yes|no)\\b'}

[readings.amounts]
type = "list"
of = "decimal"
extract = {method = "regex", pattern = '\\b\\d+\\b'}

[readings.sender]
type = "str"
extract = {method = "field", key = "Sender"}

[readings.order]
type = "str"
extract = {method = "regex", pattern = '^order no: (\\S+)$'}

[readings.mood]
type = "enum"
values = ["glad", "angry"]
extract = {method = "model"}
"""
POLICY = '''\
"""Mail."""

from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Run, SendMail

DEFAULT = "allow"


def forbid_large(call: SendMail) -> bool:
    """R1: Not more than 100."""
    return call.amount > 100


def contract_mail(call: SendMail, run: Run) -> None:
    # R2: No such mail.
    Ensures(Implies({condition}, not Result()))
'''
REALISED = (
    'call.body.topic == "refund"',
    'call.body.nearest_topic == "talk"',
    'any(word == "hello" for word in run.said.words)',
    'call.body.sender == "Ada"',
    'call.body.order == "A7"',
    'call.body.topic == "refund" and any(word == "now" for word in run.said.words)',
    'not all(word == "perhaps" for word in call.body.answers)',
    "7 in call.body.amounts",
    "call.amount in run.said.sentences_with(call.to).amounts",
)


def realised(condition: str) -> object:
    spec = read_agent(AGENT)
    terms = lowered_policy(POLICY.replace("{condition}", condition), spec).terms
    (clause,) = terms.clauses
    return Realiser(terms, spec).breaking(clause, "send_mail")


@pytest.mark.parametrize("condition", REALISED)
def test_a_text_is_found_whose_reading_has_the_value(condition: str) -> None:
    assert realised(condition) is not None


@pytest.mark.parametrize("condition", ['call.body.mood == "angry"', 'call.body.order == "A 7"'])
def test_a_reading_that_no_known_text_has_is_not_realised(condition: str) -> None:
    assert realised(condition) is None
