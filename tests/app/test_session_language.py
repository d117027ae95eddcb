"""Sentences are written once for a lexicon, and anew where a value or a noun of the policy changes."""

from __future__ import annotations

from tests.language.library_desk import AGENT, POLICY
from workbench.app.session_language import language_of, rule_sentences
from workbench.session.agent_file import read_agent

_POLICY = POLICY.replace(
    'DEFAULT = "allow"', 'DEFAULT = "allow"\nMOST_DAYS = 60\nBRANCHES = {"north"}'
).replace("call.days > 60", "call.days > MOST_DAYS or call.branch is not None and call.branch in BRANCHES")


def test_an_edit_changes_the_sentences_that_say_it_and_no_others() -> None:
    agent = read_agent(AGENT)

    def said(source: str) -> str:
        return rule_sentences(source, agent)["forbid_long"]

    assert "more than 60" in said(_POLICY)
    assert "more than 30" in said(_POLICY.replace("MOST_DAYS = 60", "MOST_DAYS = 30"))
    assert "more than 60" in said(_POLICY)
    other = _POLICY.replace('BRANCHES = {"north"}', 'BRANCHES = {"harbour"}')
    assert said(other) == said(_POLICY).replace("north", "harbour")
    # a fact's body has no part in nouns; its first line is one
    before = language_of(_POLICY, agent).lexicon.made_of
    assert language_of(_POLICY.replace("c.member_id ==", "c.member_id !="), agent).lexicon.made_of == before
    assert language_of(_POLICY.replace("of the member was", "was"), agent).lexicon.made_of != before
    assert language_of(_POLICY.replace("BRANCHES", "PLACES"), agent).lexicon.made_of != before
