"""Troubles of a request become questions, and only those that change a decision are asked."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from tests.author.specs_for_author import BANKING, EMAIL, HOSPITAL, SHELL, SHOPPING
from tests.clarify.asked_questions import AUTHOR, ids, questions
from tests.clarify.planted_troubles import (
    CLEAN_HOSPITAL,
    CLEAN_SHOPPING,
    HOSPITAL_REQUEST,
    PLANTED,
    REST,
    SHOPPING_REQUEST,
    Planted,
)
from tests.clarify.simulated_users import AMBIGUOUS
from tests.question_ids import bound
from workbench.clarify import Situation, examples, find_questions, unattended
from workbench.clarify.examples import allows
from workbench.clarify.question_kinds import kinds
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import PreviewUndecided, distinguish
from workbench.model import (
    AgentSpec,
    Arguments,
    Doubt,
    Question,
    Span,
    WorkbenchError,
)
from workbench.policy.check import check
from workbench.question_wording import wordings


def test_drafts_in_the_same_words_are_the_same_where_the_solver_cannot_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def undecided(*_given: object) -> Arguments | None:
        raise PreviewUndecided("are they the same?", "nobody knows")

    monkeypatch.setattr(examples, "distinguish", undecided)
    text = AUTHOR.draft(CLEAN_SHOPPING, SHOPPING, {}).policy
    drafted, other = check(text), check(text)
    assert examples.difference([drafted, drafted, drafted], ()) == (None, False)
    assert examples.difference([drafted, other], ()) == (None, True)


def default_by_question(request: str, spec: AgentSpec) -> dict[str, str]:
    situation = Situation(request, spec, AUTHOR.draft(request, spec, {}), {}, AUTHOR)
    return {taken_default.question.id: taken_default.value for taken_default in unattended(situation)}


def test_clean_requests_raise_no_question() -> None:
    assert ids(CLEAN_SHOPPING, SHOPPING) == []
    assert ids(CLEAN_HOSPITAL, HOSPITAL) == []


def test_the_shipped_requests_raise_their_one_question_each() -> None:
    assert ids(HOSPITAL_REQUEST, HOSPITAL) == ["vocabulary:general-admission"]
    assert ids(SHOPPING_REQUEST, SHOPPING) == ["contradiction:bb44d4ba"]


@pytest.mark.parametrize("planted", PLANTED, ids=range(len(PLANTED)))
def test_a_planted_trouble_is_asked_about(planted: Planted) -> None:
    assert planted.old in planted.clean
    asked_questions = questions(planted.request, planted.spec)
    assert {question.kind for question in asked_questions} == {planted.kind}, [
        question.id for question in asked_questions
    ]


def test_troubles_of_every_kind_are_planted() -> None:
    assert len(PLANTED) >= 40
    assert {planted.kind for planted in PLANTED} >= {
        *("undefined", "vocabulary", "contradiction", "conflict", "default-decision", "boundary"),
        *("without-effect", "stateful", "presupposition", "reading", "unreadable"),
    }


def test_the_example_is_an_input_on_which_the_options_differ() -> None:
    request = "Users under 18 may not book a hotel.\nMembers may book a hotel.\nEverything else is allowed."
    for question in questions(request, SHOPPING):
        assert question.example is not None
        decided = {
            compile_policy(check(AUTHOR.draft(request, SHOPPING, {question.id: option.value}).policy)).allows(
                question.example
            )
            for option in question.options
        }
        assert decided == {True, False}, question.id


def test_the_example_comes_from_the_logs_where_one_fits() -> None:
    logged: Arguments = {
        "action": "book_flight",
        "age": 44,
        "domestic": False,
        "dr_license": True,
        "vaccine": True,
        "membership": False,
    }
    (question,) = questions(SHOPPING_REQUEST, SHOPPING, inputs=({**logged, "action": "other"}, logged))
    assert question.example == logged
    assert [
        f"allow {count}. The example is " in option.effect
        for option, count in zip(question.options, (1, 2), strict=True)
    ]


def test_calls_are_counted_only_where_the_draft_alone_decides() -> None:
    request = "Users under 18 may not book a hotel.\nMembers may book a hotel.\nEverything else is allowed."
    drafted = AUTHOR.draft(request, SHOPPING, {})
    (first, *_) = questions(request, SHOPPING)
    assert first.example is not None
    for edited in (False, True):
        situation = Situation(request, SHOPPING, drafted, {}, AUTHOR, (first.example,), edited)
        question = next(
            found_question for found_question in find_questions(situation) if found_question.id == first.id
        )
        text = " ".join((question.text, *(option.effect for option in question.options)))
        assert ("logged calls" in text) is not edited
        assert ("By the request alone the example is" in text) is edited


def test_options_that_never_differ_are_not_asked_about() -> None:
    request = "Users under 18 may not book a hotel.\nNobody may book a hotel.\nEverything else is allowed."
    about = bound("Users under 18 may not book a hotel.", "age")
    assert about in {question.id for question in AUTHOR.draft(request, SHOPPING, {}).doubts}
    assert about not in ids(request, SHOPPING)


def test_an_answered_question_stays_listed() -> None:
    answered = questions(SHOPPING_REQUEST, SHOPPING, {"contradiction:bb44d4ba": "message"})
    assert [question.id for question in answered] == ["contradiction:bb44d4ba"]


@pytest.mark.parametrize(
    ("request_text", "spec"),
    [
        (HOSPITAL_REQUEST, HOSPITAL),
        (SHOPPING_REQUEST, SHOPPING),
        ("Users under 18 may not book a hotel.\nMembers may book a hotel.", SHOPPING),
        ("The agent may only send emails to addresses ending with @example.com.", EMAIL),
        ("Users may book a hotel if they are members.\nEverything else is allowed.", SHOPPING),
        ("The agent must not run commands starting with rm.\nEverything else is allowed.", SHELL),
        ("The agent may not send over 100 EUR.\nEverything else is allowed.", BANKING),
    ],
)
def test_a_default_is_never_the_permissive_choice(request_text: str, spec: AgentSpec) -> None:
    for question in questions(request_text, spec):
        if not question.default:
            continue
        chosen = check(AUTHOR.draft(request_text, spec, {question.id: question.default}).policy)
        for option in question.options:
            other = check(AUTHOR.draft(request_text, spec, {question.id: option.value}).policy)
            example = distinguish(chosen, other)
            if example is not None:
                needed = {parameter.name for parameter in chosen.arguments}
                assert not compile_policy(chosen).allows(
                    {name: value for name, value in example.items() if name in needed}
                ), (question.id, option.value, example)


def test_defaults_leave_a_question_without_a_safe_option_open() -> None:
    assert default_by_question(SHOPPING_REQUEST, SHOPPING) == {}
    assert default_by_question(HOSPITAL_REQUEST, HOSPITAL) == {
        "vocabulary:general-admission": "different",
        "never-allowed:general administration": "meant",
    }


def test_taking_every_default_leaves_no_question_open() -> None:
    request = "Users under 18 may not book a hotel.\nMembers may book a hotel."
    choices = default_by_question(request, SHOPPING)
    assert len(choices) == 3
    assert [
        question.id for question in questions(request, SHOPPING, choices) if question.id not in choices
    ] == []


def test_blocking_questions_come_first() -> None:
    request = "Users over 65 may not book a flight.\nNever do odd things.\nEverything else is allowed."
    assert [question.blocking for question in questions(request, SHOPPING)] == [True, False]


def test_every_kind_of_the_planted_troubles_has_a_wording() -> None:
    files = {kind.name.replace("_", "-") for kind in kinds()}
    tables = set(wordings().questions)
    assert {planted.kind for planted in PLANTED} <= {wordings().kind(name) for name in tables}
    assert {"undefined", "never-allowed"} <= files
    assert {"unit", "rewrite", "missing"} <= tables - files


def test_a_kind_words_each_doubt_with_the_answers_that_the_author_can_go_on_with() -> None:
    for planted in PLANTED:
        draft = AUTHOR.draft(planted.request, planted.spec, {})
        situation = Situation(planted.request, planted.spec, draft, {}, AUTHOR)
        worded = {question.id: question for kind in kinds() for question in kind.find(situation)}
        for doubt in draft.doubts:
            question = worded[doubt.id]
            assert tuple(option.value for option in question.options) == doubt.values
            assert (question.kind, question.default) == (wordings().kind(doubt.kind), doubt.default)


def test_a_doubt_that_no_kind_words_is_an_error_and_not_lost() -> None:
    doubt = Doubt(id="odd:1", kind="odd", quote="", span=Span(0, 0), values=("yes", "no"))
    draft = replace(AUTHOR.draft(CLEAN_SHOPPING, SHOPPING, {}), doubts=(doubt,))
    with pytest.raises(WorkbenchError, match="odd:1"):
        find_questions(Situation(CLEAN_SHOPPING, SHOPPING, draft, {}, AUTHOR))


def test_an_answered_late_question_stays_listed_while_another_is_open() -> None:
    request = CLEAN_SHOPPING.replace("All other", "Only vaccinated users may book a flight.\n\n" + REST)
    (question,) = questions(request, SHOPPING)
    with_bound = request.replace("All other", "Users over 65 may not book a flight.\n\nAll other")
    assert ids(with_bound, SHOPPING, {question.id: "keep"})[0] == question.id


@pytest.mark.parametrize(("spec", "request_text"), AMBIGUOUS, ids=range(len(AMBIGUOUS)))
def test_the_next_question_splits_the_remaining_readings_best(spec: AgentSpec, request_text: str) -> None:
    opened = [
        question
        for question in questions(request_text, spec)
        if not question.blocking and len(question.options) > 1
    ]
    axes = [[(question.id, option.value) for option in question.options] for question in opened]
    readings = [dict(chosen) for chosen in product(*axes)]
    policies = [
        compile_policy(check(AUTHOR.draft(request_text, spec, reading).policy)) for reading in readings
    ]

    def decided(question: Question) -> list[bool]:
        return [allows(policy, question.example or {}) for policy in policies]

    def settled(question: Question) -> bool:
        """Whether an answer about the example answers this question and no other."""
        by_option: dict[str, set[bool]] = {}
        for reading, allowed in zip(readings, decided(question), strict=True):
            by_option.setdefault(reading[question.id], set()).add(allowed)
        return all(len(outcomes) == 1 for outcomes in by_option.values())

    def unevenness(question: Question) -> float:
        return abs(sum(decided(question)) / len(policies) - 0.5)

    if len(opened) > 1 and len(readings) <= 16:
        first, *others = opened
        assert settled(first) or not any(settled(question) for question in others)
        alike = [question for question in others if settled(question) == settled(first)]
        assert all(unevenness(first) <= unevenness(question) for question in alike)
