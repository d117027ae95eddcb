"""Kinds of questions with a file of their own, and how a new file becomes one."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.author.specs_for_author import SHOPPING
from tests.clarify.asked_questions import AUTHOR, ids, questions
from tests.clarify.planted_troubles import CLEAN_SHOPPING, REST
from workbench.author.rules import RulesAuthor
from workbench.clarify import Situation, find_questions
from workbench.clarify import kinds as kinds_package
from workbench.clarify.question_kinds import kinds
from workbench.engines.compiled.compile import compile_policy
from workbench.model import AgentSpec, Argument, ArgumentType, Kind, Tool
from workbench.policy.check import check


def test_a_rule_without_effect_can_be_said_in_other_words() -> None:
    request = CLEAN_SHOPPING.replace("All other", "Only vaccinated users may book a flight.\n\n" + REST)
    (question,) = questions(request, SHOPPING)
    assert question.quote == "Only vaccinated users may book a flight."
    assert ids(request, SHOPPING, {question.id: "keep"}) == [question.id]
    reworded = AUTHOR.draft(
        request, SHOPPING, {question.id: "Only users aged at least 12 may book a flight."}
    )
    profile = {
        "action": "book_flight",
        "domestic": True,
        "dr_license": True,
        "vaccine": True,
        "membership": True,
    }
    assert not compile_policy(check(reworded.policy)).allows({**profile, "age": 11})
    assert compile_policy(check(reworded.policy)).allows({**profile, "age": 12})


NEW_KIND = '''
"""Requests that are shouted."""

from workbench.model import Option, Question, Span


def find(situation):
    if situation.request.isupper():
        calm = Option("calm", "Calm", "Nothing changes.", "The request is meant calmly.")
        yield Question("shouting", "shouting", "Is it meant so loud?", "", Span(0, 0), (calm,), "calm")
'''


def test_a_new_file_in_kinds_is_a_new_kind_that_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shouting.py").write_text(NEW_KIND, encoding="utf-8")
    monkeypatch.setattr(kinds_package, "__path__", [*kinds_package.__path__, str(tmp_path)])
    kinds.cache_clear()
    try:
        assert ids(CLEAN_SHOPPING, SHOPPING) == []
        assert "shouting" in ids("MEMBERS MAY BOOK A HOTEL. EVERYTHING ELSE IS FORBIDDEN.", SHOPPING)
    finally:
        kinds.cache_clear()
        sys.modules.pop(f"{kinds_package.__name__}.shouting", None)


def test_an_action_that_is_denied_under_a_condition_but_never_permitted_is_asked_about() -> None:
    tools = ("forward_email", "delete_email", "read_email")
    spec = AgentSpec(
        "mail",
        arguments=(
            Argument("tool", ArgumentType(Kind.ENUM, tools)),
            Argument("confirmed", ArgumentType(Kind.BOOL)),
        ),
    )
    request = "Forwarding emails is forbidden unless the user has confirmed it.\nThe agent may read emails.\n"
    closed, author = request + "Everything else is forbidden.\n", RulesAuthor()
    draft = author.draft(closed, spec, {})
    (question,) = find_questions(Situation(closed, spec, draft, {}, author))
    assert (question.id, question.default) == ("never-allowed:forward_email", "meant")
    assert "Forwarding emails" in question.quote
    opened = request + "Everything else is allowed.\n"
    draft = author.draft(opened, spec, {})
    assert find_questions(Situation(opened, spec, draft, {}, author)) == ()


def test_tools_without_an_argument_for_the_called_one_are_told() -> None:
    spec = AgentSpec(
        "mail",
        tools=(Tool("send_email"), Tool("read_email")),
        arguments=(Argument("confirmed", ArgumentType(Kind.BOOL)),),
    )
    (question, *_) = questions("Sending emails is forbidden.\nEverything else is allowed.\n", spec)
    assert question.kind == "undefined"
    assert "declare one, or declare no argument at all" in question.text
    with_tool = replace(spec, arguments=())
    assert ids("Sending emails is forbidden.\nEverything else is allowed.\n", with_tool) == []
