"""The words of the questions are data: some request raises each table's question, placeholders filled in."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.author.rules.sentence_corpus import corpus
from tests.author.specs_for_author import SHOP
from tests.clarify.planted_troubles import PLANTED
from workbench.author.doubts import IS_RULE, NOTHING, rewrite_id, without_effect_id
from workbench.author.rules import RulesAuthor
from workbench.author.rules.author_doubts import (
    context_id,
    idle_word_id,
    vocabulary,
)
from workbench.clarify.question_kinds import kinds
from workbench.clarify.situation import Situation
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Doubt,
    Kind,
    Question,
    Span,
    Tool,
    WorkbenchError,
)
from workbench.question_wording import OptionWording, known_words, phrase, question_about, wordings

ROOT = Path(__file__).resolve().parents[2]
AUTHOR = RulesAuthor()
MAIL = AgentSpec(
    "mail",
    arguments=(
        Argument("tool", ArgumentType(Kind.ENUM, ("forward_email", "read_email"))),
        Argument("confirmed", ArgumentType(Kind.BOOL)),
        Argument("size", ArgumentType(Kind.INT, optional=True)),
    ),
)
POST = AgentSpec("post", tools=(Tool("forward_email"), Tool("read_email")))
DESK = AgentSpec(
    "desk", tools=(Tool("pay"),), arguments=(Argument("role", ArgumentType(Kind.ENUM, ("clerk", "guest"))),)
)
REST = "Everything else is forbidden.\n"
IN_VAIN = (
    f"Forwarding emails is forbidden unless the user has confirmed it.\nThe agent may read emails.\n{REST}"
)
IDLE = "The desk works in an office."
ODD = "The agent may juggle emails."
# Questions that no sentence of the corpora and no planted trouble raises: about a whole request, about
# other agents, and after an answer.
ALSO: tuple[tuple[str, AgentSpec, Mapping[str, str]], ...] = (
    (IN_VAIN, MAIL, {}),
    ("Never read emails.\nReading emails is forbidden if the user has confirmed it.", MAIL, {}),
    ("Never read emails if the user has confirmed it and the user has not confirmed it.", MAIL, {}),
    ("Emails with a size of more than 10 must not be forwarded.\nEverything else is allowed.", MAIL, {}),
    ("Users may only forward emails with a size of at most 10.", MAIL, {}),
    ("Emails may be forwarded at most 3 times.", POST, {}),
    ("Emails may be forwarded at most 3 times per day.", POST, {}),
    (f"Nobody may juggle.\n{REST}", DESK, {}),
    ("Get the order before cancelling it.\nEverything else is allowed.", SHOP, {}),
    (f"{IDLE}\n{REST}", MAIL, {context_id(IDLE): IS_RULE}),
    (f"{ODD}\n{REST}", MAIL, {idle_word_id("juggle", ODD): NOTHING}),
    (f"{ODD}\n{REST}", MAIL, {rewrite_id(ODD): "The agent may read emails."}),
    (f"{ODD}\n{REST}", MAIL, {without_effect_id(ODD): "The agent may read emails."}),
)


def questions_of(
    request: str, spec: AgentSpec, choices: Mapping[str, str], *, late: bool = True
) -> list[Question]:
    situation = Situation(request, spec, AUTHOR.draft(request, spec, choices), choices, AUTHOR)
    return [question for kind in kinds() if late or not kind.late for question in kind.find(situation)]


@cache
def every_question() -> tuple[Question, ...]:
    """All questions about the traps of the corpus, the planted troubles, and ``ALSO``."""
    return (
        *(
            wording
            for corpus_sentence in corpus("traps")
            for wording in questions_of(corpus_sentence.request, corpus_sentence.spec, {}, late=False)
        ),
        *(
            wording
            for planted in PLANTED
            for wording in questions_of(planted.request, planted.spec, {}, late=False)
        ),
        *(wording for inputs in ALSO for wording in questions_of(*inputs)),
    )


def is_said(template: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts is the template with its placeholders filled in."""
    parts = re.split(r"\{[^{}]*\}", template)
    pattern = re.compile("(?s:.*)".join(re.escape(part) for part in parts))
    return any(pattern.fullmatch(text) for text in texts)


def are_said(wording: OptionWording, questions: Iterable[Question]) -> bool:
    """Whether an option of one of the questions is the wording with its placeholders filled in."""
    return any(
        all(
            is_said(template, [text])
            for template, text in (
                (wording.label, option.label),
                (wording.effect, option.effect),
                (wording.statement, option.statement),
            )
        )
        for question in questions
        for option in question.options
    )


OF_REQUESTS = [name for name, wording in wordings().questions.items() if wording.asked_by == "clarify"]


@pytest.mark.parametrize("name", OF_REQUESTS)
def test_some_request_is_asked_about_by_every_table(name: str) -> None:
    wording = wordings().questions[name]
    questions = [
        question
        for question in every_question()
        if question.kind == wordings().kind(name) and is_said(wording.text, [question.text])
    ]
    assert questions
    for value, option in wording.options.items():
        assert are_said(option, questions), value
    for sentence in wording.phrases.values():
        assert any(is_said(f"{{}}{sentence}{{}}", [question.text]) for question in questions), sentence


def test_every_shared_option_is_offered() -> None:
    for name, option in wordings().shared_options.items():
        assert are_said(option, every_question()), name


def test_braces_of_a_request_are_text() -> None:
    near = ("manager", "context")
    doubt = vocabulary("{mngr}", near, "role", "Only {mngr}\n may pay.", Span(0, 9), denying=True)
    asked_ = question_about(doubt)
    assert "“{mngr}”" in asked_.text
    assert [option.label for option in asked_.options] == [
        "It means “manager”",
        "It means “context”",
        "It is a different role",
    ]


def test_a_placeholder_that_the_doubt_does_not_give_is_named() -> None:
    doubt = Doubt(
        id="card:x", kind="card", quote="Pay.", span=Span(0, 4), values=("yes",), default="yes",
        requirements=("R1",),
    )  # fmt: skip
    with pytest.raises(WorkbenchError, match=r"\[card\] of .*questions\.toml has \{\w+\}.* gives quote, "):
        question_about(doubt)


def test_the_effect_of_a_bound_says_where_the_rule_would_deny() -> None:
    over = (
        "Emails with a size over 10 must not be forwarded.",
        "Only emails with a size over 10 may be forwarded.",
    )
    denied = [
        ["deny" in option.effect for option in wording.options]
        for text in over
        for wording in questions_of(text, MAIL, {}, late=False)
        if wording.kind == "boundary"
    ]
    assert denied == [[True, False], [False, True]]


def test_a_word_that_is_not_known_comes_with_those_that_are_and_with_how_to_tell_the_tool() -> None:
    (undefined,) = [
        wording
        for wording in questions_of(f"Nobody may juggle.\n{REST}", DESK, {})
        if wording.kind == "undefined"
    ]
    known = phrase("undefined", "known", words=known_words(DESK.arguments))
    assert undefined.text.endswith(known + phrase("undefined", "no_tool"))


def test_the_page_of_questions_has_their_table() -> None:
    spec = importlib.util.spec_from_file_location("question_table", ROOT / "scripts/question_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = (ROOT / "docs/reference/questions.md").read_text(encoding="utf-8")
    assert module.page(text) == text, "run 'make docs'"
    others = {wordings().kind(name) for name in wordings().questions if name not in OF_REQUESTS}
    assert module.table("model", "check").count("\n") == 2 + len(others)
