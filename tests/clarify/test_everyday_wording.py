"""Everyday verbs and nouns become a tool's own words if the meaning is the same, never if it is narrower."""

from __future__ import annotations

import pytest

from tests.clarify.everyday_desk import DESK
from workbench.author.rules import RulesAuthor
from workbench.author.rules.author import lexicon_of
from workbench.author.rules.lexicon import effective_arguments
from workbench.author.rules.words import participle
from workbench.clarify.everyday_wording import everyday_rules
from workbench.clarify.known_facts import fact_book
from workbench.clarify.word_meanings import opened_words
from workbench.model import AgentSpec

SPEC = AgentSpec("desk", tools=DESK.tools, arguments=effective_arguments(DESK))


def rule_sentences(text: str) -> list[str]:
    rules = everyday_rules(
        text, lexicon_of(SPEC), lambda sentence: RulesAuthor().draft(sentence, SPEC, {}), "asked"
    )
    assert all(rule.answers and rule.assumed for rule in rules)
    return [rule.sentence for rule in rules]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (
            "Notices may only go to addresses at city-library.org.",
            "Never send notice if the email is not known or the email does not end with “@city-library.org”; "
            "It is allowed to send notice",
        ),
        ("Members may borrow books.", "It is allowed to lend book"),
        ("The agent may look up members freely.", "It is allowed to get member"),
        ("Members can be viewed at any time.", "It is allowed to get member"),
        ("Books may be lent as often as you like.", "It is allowed to lend book"),
        ("Never hand out books.", ""),
        (
            "Rooms may not be booked before 2026-12-01.",
            "Never reserve room if the date is not known or the date is before 2026-12-01",
        ),
        ("Do not extend loans.", "Never renew loan"),
        ("Users are allowed to borrow books.", "It is allowed to lend book"),
    ],
)
def test_a_verb_of_the_same_sense_is_the_tools_own(text: str, rule: str) -> None:
    assert [sentence.replace('"', "“", 1).replace('"', "”", 1) for sentence in rule_sentences(text)] == (
        [rule] if rule else []
    )


@pytest.mark.parametrize(
    "text",
    [
        "Books may not be lent freely.",
        "Members may only borrow books.",
        "Fees may be waived.",
        "Fees may go.",
        "Never lower a fee.",
        "Loans may be reported.",
        "Members must never be contacted.",
        "Members who may borrow books are adults.",
        "Notices may go to addresses at city-library.org without delay.",
    ],
)
def test_another_verb_or_more_words_are_not_said_so(text: str) -> None:
    assert not rule_sentences(text)


@pytest.mark.parametrize(
    ("verb", "done"),
    [("send", "sent"), ("create", "created"), ("deny", "denied"), ("delay", "delayed"), ("read", "read")],
)
def test_a_participle_says_what_is_done(verb: str, done: str) -> None:
    assert participle(verb) == done


def test_a_verb_of_the_same_sense_lists_the_tool_first() -> None:
    words = opened_words("Members may borrow films.", lexicon_of(SPEC), fact_book(SPEC, ()))
    (borrow,) = [word for word in words if word.text == "borrow"]
    assert borrow.candidates[0].value == "lend_book"
