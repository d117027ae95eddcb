"""A value that only a run's context has is offered as a fact, if all other words of a sentence are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clarify.everyday_desk import DESK
from workbench.app.workbench import Workbench
from workbench.author.rules import RulesAuthor
from workbench.author.rules.author import lexicon_of
from workbench.author.rules.lexicon import effective_arguments
from workbench.clarify.context_facts import context_rules
from workbench.clarify.known_facts import fact_book
from workbench.clarify.person_rule import PersonRule
from workbench.clarify.word_meanings import opened_words
from workbench.cli import main
from workbench.engines.compiled.compile import compile_policy
from workbench.model import AgentSpec, Draft, SentenceRole, Verdict
from workbench.session import Session

SPEC = AgentSpec("desk", tools=DESK.tools, arguments=effective_arguments(DESK))


def draft(text: str, spec: AgentSpec) -> Draft:
    return RulesAuthor().draft(text, spec, {})


def offered(text: str) -> tuple[PersonRule, ...]:
    lexicon = lexicon_of(SPEC)
    words = opened_words(text, lexicon, fact_book(SPEC, ()))
    return context_rules(text, words, lexicon, SPEC, draft, "asked")


@pytest.mark.parametrize(
    ("text", "aloud", "place"),
    [
        (
            "If the member is banned, do not lend books.",
            "Never lend book if the member is banned in context is true",
            "member_is_banned",
        ),
        (
            "Never charge more than 20 EUR without a manager.",
            "Never charge fee if (the amount is not known or the amount is more than 20) and the manager "
            "agreed in context is false",
            "manager_agreed",
        ),
        (
            "Ask the member before charging a fee.",
            "Never charge fee if the member agreed in context is false",
            "member_agreed",
        ),
        (
            "Ask first before charging fees.",
            "Never charge fee if the person agreed in context is false",
            "person_agreed",
        ),
        (
            "Ask the member for an ok before charging a fee.",
            "Never charge fee if the member agreed in context is false",
            "member_agreed",
        ),
        (
            "Only librarians may charge a fee.",
            "Never charge fee if the user is librarian in context is false; It is allowed to charge fee",
            "user_is_librarian",
        ),
    ],
)
def test_the_rule_speaks_of_a_fact_that_the_context_has_to_say(text: str, aloud: str, place: str) -> None:
    (rule,) = offered(text)
    assert rule.sentence == aloud
    assert rule.needs[0].phrase == place
    assert place in rule.offered


@pytest.mark.parametrize(
    "text",
    [
        "Fees may be charged without a manager.",
        "Charging a fee needs no approval.",
        "If the member is not banned, do not lend books.",
        "If the member is banned or late, do not lend books.",
        "If the member is banned, lend books.",
        "Do not hesitate to lend books if the member is nice.",
        "Never charge a fee without a stamp.",
        "Only old books may be lent.",
        "Only librarians may not charge a fee.",
        "Ask the member for help before charging a fee.",
        "If the amount is high, do not charge a fee.",
        "Do not lend films if the member is banned.",
    ],
)
def test_what_says_the_contrary_or_is_not_read_otherwise_is_not_offered(text: str) -> None:
    assert not offered(text)


def test_a_fact_of_the_context_that_is_missing_denies(tmp_path: Path) -> None:
    text = "Never charge a fee without a manager's approval."
    bench = Workbench(Session.create(tmp_path / "desk", f"{text}\n\nEverything else is allowed.\n", SPEC))
    bench.request.redraft()
    assert bench.words.sentences.all()[0].role is SentenceRole.OPEN
    (rule,) = bench.words.open(text).rules
    bench.words.rules(text, [rule])
    assert bench.words.sentences.all()[0].role is SentenceRole.REQUIREMENT
    (argument,) = [
        declared for declared in bench.session.spec.arguments if declared.name == "manager_agreed_in_context"
    ]
    assert not argument.type.optional  # without a value in the context, only a denial is decided
    policy = compile_policy(bench.policy.terms())
    for agreed, verdict in ((True, Verdict.ALLOW), (False, Verdict.DENY)):
        arguments = {name: None for name in policy.parameters} | {"tool": "charge_fee", argument.name: agreed}
        assert policy.decide(arguments).verdict is verdict
    bench.close()


def test_a_list_of_questions_has_the_rules_that_a_sentence_may_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "desk"
    text = "Never charge a fee without a manager's approval."
    bench = Workbench(Session.create(folder, f"{text}\n\nEverything else is allowed.\n", SPEC))
    bench.request.redraft()
    (rule,) = bench.words.open(text).rules
    (question,) = bench.questions.understand().open
    assert bench.words.offered_for([question]) == {question.id: (rule.offered,)}
    bench.close()
    assert main(["ask", str(folder)]) == 1
    shown = capsys.readouterr().out
    assert f"rule 1, which it may state: {rule.offered}" in shown
    assert "--rule NUMBER" in shown
