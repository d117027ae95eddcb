"""What is found of the rules of a policy is kept over its edits, and is what is found anew."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.clarify.written.test_questions_beside_other_rules import CODE, CODE_OTHERS, CODE_RULES, rules_of
from workbench.clarify.written import Book, asked_of
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.tried_calls import Trials
from workbench.dialect.lowered_policy import lowered_policy
from workbench.files.kept_texts import KeptText, KeptTexts
from workbench.model import AgentSpec
from workbench.session.agent_file import read_agent

_EDITS = 6
_RULES = (*CODE_RULES.values(), *CODE_OTHERS.values())


def _asked(book: Book) -> list[object]:
    return [(one.question, dict(one.effects), one.about, one.calls) for one in asked_of(book)]


def test_questions_after_each_of_some_edits_are_those_of_a_search_from_scratch() -> None:
    chance, kept = random.Random(5), KeptText(KeptTexts("what is found after edits"), "")
    rules = chance.sample(_RULES, 4)
    for _ in range(_EDITS):
        assert _asked(replace(rules_of(CODE, *rules), kept=kept)) == _asked(rules_of(CODE, *rules))
        rules[chance.randrange(len(rules))] = chance.choice([one for one in _RULES if one not in rules])


PAYING = """
name = "desk"

[tools.pay]
[tools.pay.parameters]
type = "object"
required = ["supplier", "total"]
properties = {supplier = {type = "string"}, total = {type = "integer"}}
"""
PAYMENTS = '''"""Payments."""

from datetime import time

from agent import Pay

DEFAULT = "allow"
MOST = {"S-1": 100, "S-2": 200}


def forbid_one(call: Pay) -> bool:
    """R1: More than the supplier may have."""
    return call.total > MOST.get(call.supplier, 50)


def forbid_early(call: Pay) -> bool:
    """R2: Before nine."""
    return call.time.time < time(9)
'''
"""A rule over a table, and one over the hours of a zone."""


@pytest.mark.parametrize(
    ("name", "policy", "agent"),
    [
        ("forbid_one", PAYMENTS.replace("100", "150"), PAYING),
        ("forbid_early", PAYMENTS, PAYING.replace('"desk"\n', '"desk"\nzone = "Europe/Berlin"\n')),
    ],
)
def test_what_is_kept_of_a_rule_is_that_of_its_tables_and_of_its_zone(
    name: str, policy: str, agent: str
) -> None:
    kept = KeptText(KeptTexts("rules of payments"), "")
    call = TriedCall("pay", {"supplier": "S-1", "total": 120}, time="2026-06-01T08:30:00+00:00")

    def holds(policy: str, agent: AgentSpec) -> tuple[object, bool]:
        trials = Trials(lowered_policy(policy, agent).terms, agent, kept)
        (rule,) = (one for one in trials.terms.rules if one.name == name)
        truth = trials.truth(rule, (call,))
        trials.keep()
        return truth, trials.allows((call,), gone={"forbid_one", "forbid_early"} - {name})

    assert holds(PAYMENTS, read_agent(PAYING)) == (True, False)
    assert holds(policy, read_agent(agent)) == (False, True)
