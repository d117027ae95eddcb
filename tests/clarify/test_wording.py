"""The words of the questions are data: some kind asks each of them, with every placeholder filled in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from workbench.author import doubts
from workbench.author.rules import RulesAuthor
from workbench.clarify.registry import kinds
from workbench.clarify.situation import Situation
from workbench.clarify.wording import known_words, phrase, wordings
from workbench.model import AgentSpec, Argument, ArgumentType, Doubt, Draft, Kind, Question, Span, Tool

PAGE = Path(__file__).resolve().parents[2] / "docs/reference/request-language.md"
# Braces of a request are text, no placeholders.
QUOTE = "Only {managers}\n may pay."
SPEC = AgentSpec(
    "desk", tools=(Tool("pay"),), arguments=(Argument("role", ArgumentType(Kind.ENUM, ("clerk", "guest"))),)
)
MAIL = AgentSpec(
    "mail",
    arguments=(
        Argument("tool", ArgumentType(Kind.ENUM, ("forward_email", "read_email"))),
        Argument("confirmed", ArgumentType(Kind.BOOL)),
    ),
)
IN_VAIN = """Forwarding emails is forbidden unless the user has confirmed it.
The agent may read emails.
Everything else is forbidden.
"""
UNREAD_KINDS = ("unreadable", "undefined", "unit", "stateful", "presupposition", "rewrite")


def doubt[D: Doubt](cls: type[D], kind: str, *values: str, **facts: Any) -> D:
    return cls(
        id=kind, kind=kind, quote=QUOTE, span=Span(0, 9), values=values, requirements=("R1", "R2"), **facts
    )


DOUBTS: tuple[Doubt, ...] = (
    *(doubt(doubts.Unread, kind, "context", reason="of {this}") for kind in UNREAD_KINDS),
    *(doubt(doubts.UncountedWindow, "stateful", "run", "context", words=words) for words in ("per day", "")),
    doubt(
        doubts.Presupposed,
        "presupposition",
        "true",
        "false",
        words="again",
        argument="asked",
        description="so",
    ),
    doubt(
        doubts.NearMiss,
        "vocabulary",
        "manager",
        "context",
        "different",
        word="mngr",
        near=("manager", "context"),
        of="role",
    ),
    *(
        doubt(
            doubts.OpenBound,
            "boundary",
            "included",
            "excluded",
            argument="age",
            word="under",
            value="18",
            wide=wide,
        )
        for wide in (True, False)
    ),
    doubt(
        doubts.CardContradiction,
        "contradiction",
        "condition",
        "message",
        condition="age > 18",
        message="No minors.",
        condition_denies="adults",
        message_denies="minors",
    ),
    doubt(
        doubts.Incompatible,
        "contradiction",
        "both",
        "R1",
        "R2",
        first="R1",
        second="R2",
        texts=("one text", "another text"),
    ),
    doubt(
        doubts.NormConflict,
        "conflict",
        "forbid",
        "permit",
        permit="R1",
        forbid="R2",
        texts=("one text", "another text"),
    ),
    doubt(doubts.NothingElseSaid, "default-decision", "deny", "allow"),
    doubt(doubts.MissingValue, "missing", "deny", "ignore", argument="age"),
    doubt(doubts.Reworded, "without-effect", "keep"),
    doubt(doubts.OnlyFocus, "reading", "everything", "object", action="paying", restriction="by managers"),
    doubt(doubts.OnlyIf, "reading", "only", "also", condition="agreed"),
    doubt(doubts.Excepted, "reading", "forbidden", "open", action="paying", excepted="guests"),
    doubt(doubts.MixedAndOr, "reading", "and", "or", wide="a or b", narrow="b and c"),
    doubt(doubts.SeveralWays, "reading", "0", "1", ways=("One way", "Another way")),
)


def asked(draft: Draft, request: str, spec: AgentSpec) -> list[Question]:
    situation = Situation(request, spec, draft, {}, RulesAuthor())
    return [question for kind in kinds() for question in kind.find(situation)]


def is_said(template: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts is the template with its placeholders filled in."""
    parts = re.split(r"\{[^{}]*\}", template)
    pattern = re.compile("(?s:.*)".join(re.escape(part) for part in parts))
    return any(pattern.fullmatch(text) for text in texts)


def test_every_doubt_is_one_question_with_an_option_for_each_value() -> None:
    questions = asked(Draft((), (), (), "", doubts=DOUBTS), QUOTE, SPEC)
    key = [(question.kind, *(option.value for option in question.options)) for question in questions]
    assert sorted(key) == sorted((doubt.kind, *doubt.values) for doubt in DOUBTS)
    vocabulary = next(question for question in questions if question.kind == "vocabulary")
    assert [option.label for option in vocabulary.options] == [
        "It means “manager”",
        "It means “context”",
        "It is a different role",
    ]
    boundary = [question for question in questions if question.kind == "boundary"]
    assert [["deny" in option.effect for option in question.options] for question in boundary] == [
        [True, False],
        [False, True],
    ]


def test_every_wording_is_asked_by_a_kind() -> None:
    questions = asked(Draft((), (), (), "", doubts=DOUBTS), QUOTE, SPEC)
    questions += asked(RulesAuthor().draft(IN_VAIN, MAIL, {}), IN_VAIN, MAIL)
    options = [option for question in questions for option in question.options]
    for name, wording in wordings().questions.items():
        assert is_said(wording.text, (question.text for question in questions)), name
    every = [
        *wordings().shared_options.values(),
        *(option for wording in wordings().questions.values() for option in wording.options.values()),
    ]
    for wording in every:
        assert is_said(wording.label, (option.label for option in options)), wording.label
        assert is_said(wording.effect, (option.effect for option in options)), wording.effect
        assert is_said(wording.statement, (option.statement for option in options)), wording.statement


def test_a_word_that_is_not_known_comes_with_those_that_are_and_with_how_to_tell_the_tool() -> None:
    questions = asked(Draft((), (), (), "", doubts=DOUBTS), QUOTE, SPEC)
    (undefined,) = [question for question in questions if question.kind == "undefined"]
    known = phrase("undefined", "known", words=known_words(SPEC.arguments))
    assert undefined.text.endswith(known + phrase("undefined", "no_tool"))


def test_the_page_of_requests_lists_every_kind() -> None:
    rows = re.findall(r"^\| ([a-z, -]+) \| .+ \| .+ \|$", PAGE.read_text(), re.MULTILINE)
    listed = {kind for row in rows for kind in row.split(", ")}
    questions = asked(RulesAuthor().draft(IN_VAIN, MAIL, {}), IN_VAIN, MAIL)
    kinds_asked = {doubt.kind for doubt in DOUBTS} | {question.kind for question in questions}
    assert kinds_asked <= listed
