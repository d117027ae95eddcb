"""Questions about a policy of calls: when each is asked, its input, and what its answers do."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import time, timedelta
from decimal import Decimal
from operator import ge, gt, le, lt
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import workbench.clarify.written.idle_rules as module
from tests.app.invoice_desk import invoice_desk
from tests.examples import examples
from workbench.app.new_session import new_session
from workbench.app.rewording import Reworded
from workbench.app.session_language import language_of
from workbench.app.workbench import Workbench
from workbench.clarify.written import Book, asked_of
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.boundaries import counts_this_call_too, next_to, side_of_day, stated_side
from workbench.clarify.written.conflicts import conflicts
from workbench.clarify.written.idle_rules import idle_rules
from workbench.clarify.written.tried_calls import Trials
from workbench.dialect.file_imports import with_imports
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import satisfiable
from workbench.files.kept_texts import KeptText, KeptTexts
from workbench.language.python_text import rule_text
from workbench.model import Json, ProofStatus, Question, Requirement, Span, Verdict, WorkbenchError
from workbench.policy.terms import And, Not

PAY = "The agent may always pay an invoice."
UP_TO = "Invoices until 5,000 euros are paid."
LIMIT = "The agent must not pay an invoice if the total is more than 5,000."
FLIPPED = "The agent must not pay an invoice if the total is at least 5,000."


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Workbench]:
    bench = invoice_desk(tmp_path, f"{UP_TO} Blocked suppliers get nothing. Paying is fine. Look around.\n")
    yield bench
    bench.close()


def say(bench: Workbench, words: str, *texts: str) -> None:
    bench.rewordings.keep([Reworded(words, texts)])


def asked(bench: Workbench, kind: str) -> list[Question]:
    return [one for one in bench.questions.understand().open if one.id.startswith(f"{kind}:")]


def labels(question: Question) -> dict[str, str]:
    return {option.value: option.label for option in question.options}


def ids_of(bench: Workbench, texts: set[str]) -> set[str]:
    return {one.id for one in bench.request.draft().requirements if one.text in texts}


def proved(bench: Workbench) -> bool:
    return {one.status for one in bench.proof.preview(bench.policy.terms()).clauses} == {ProofStatus.PROVED}


@pytest.mark.parametrize(
    ("sentence", "bound", "side"),
    [
        ("Nothing over 5,000 euros.", Decimal(5000), "low"),
        ("At most three exports.", 3, "low"),
        ("Delivered no more than 30 days ago.", timedelta(days=30), "low"),
        ("A leg of at least six hours.", timedelta(hours=6), "high"),
        ("10 or more people.", 10, "high"),
        ("Up to 150 euros.", 150, "low"),
        ("Returned within 30 days.", timedelta(days=30), "low"),
        ("5 or less.", 5, "low"),
        ("The first two digits are enough.", 2, "low"),
        ("Limited to a period, three months at most.", timedelta(days=92), "low"),
        ("Limited to a period, three months at most.", timedelta(days=61), ""),
        ("Until 150 euros.", 150, ""),
        ("150 euros.", 150, ""),
        ("From 7 to 19 h.", 19, ""),
        ("More than 5 and less than 5.", 5, ""),
        ("No number.", 5, ""),
        ("Not starting before 09:00, not ending after 17:30.", time(9), "high"),
        ("Not starting before 09:00, not ending after 17:30.", time(17, 30), "low"),
        ("No later than 17:30.", time(17, 30), "low"),
        ("Between 9:00 and 17:30.", time(9), ""),
        ("Not after 5:30 pm.", time(5, 30), ""),
    ],
)
def test_words_put_a_bound_on_one_side_or_leave_it_open(sentence: str, bound: object, side: str) -> None:
    assert stated_side(sentence, bound) == side


def test_days_of_which_a_sentence_says_the_first_and_the_last_are_on_the_sides_of_these() -> None:
    sides = [side_of_day("On Monday to Friday only.", day) for day in range(1, 8)]
    assert sides == ["high", "", "", "", "low", "", ""]
    assert not side_of_day("Not on Friday, at most 5.", 5)
    assert [side_of_day("It may only send on weekdays.", day) for day in range(1, 8)] == sides
    weekend = [side_of_day("Never at the weekend.", day) for day in range(1, 8)]
    assert weekend == ["", "", "", "", "", "high", "low"]


@given(st.sampled_from(("<", "<=", ">", ">=")), st.integers(-50, 50), st.integers(-60, 60))
def test_a_comparison_of_whole_numbers_says_the_same_as_the_one_next_to_it(
    operator: str, bound: int, value: int
) -> None:
    compare = {"<": lt, "<=": le, ">": gt, ">=": ge}
    other, same = next_to(operator, bound)
    assert compare[other](value, same) is compare[operator](value, bound)
    assert next_to(other, same) == (operator, bound)


def test_a_bound_that_the_sentence_leaves_open_is_asked_about_and_the_answer_rewrites_the_rule(
    desk: Workbench,
) -> None:
    say(desk, "Paying", PAY)
    say(desk, "Invoices until", LIMIT)
    (question,) = asked(desk, "bound")
    denied, passes = f"5,000 itself: denied. {FLIPPED}", f"5,000 itself: not denied. {LIMIT}"
    assert labels(question) == {"at-least": denied, "more-than": passes}
    assert question.example is not None
    assert question.example["call.total"] == 5000
    before = desk.session.written
    preview = desk.questions.preview(question, "at-least")
    assert preview.added and preview.removed, "the answer changes the clause of the rule"
    assert desk.session.written == before
    desk.questions.answer(question, "at-least")
    assert [one.text for one in desk.sentences.aloud() if one.name == "forbid_pay_invoice"] == [FLIPPED]
    assert 'not call.total >= Decimal("5000")' in desk.session.written.partition("contract_of_permit")[2]
    assert proved(desk)
    assert not asked(desk, "bound")
    assert next(item for item in desk.in_force.owed() if item.name == question.id).in_force
    expected = {case.arguments.get("pay_invoice_total"): case.expected for case in desk.session.cases}
    assert expected.get(Decimal(5000), Verdict.DENY) is Verdict.DENY


@pytest.mark.parametrize(
    ("said", "kinds"), [("at least 6", []), ("more than 5", []), ("more than 4", ["bound", "unsaid"])]
)
def test_whole_numbers_next_to_each_other_say_the_same_bound(
    tmp_path: Path, said: str, kinds: list[str]
) -> None:
    """“Larger than 5” is “at least 6” of whole numbers: there is nothing between them to ask about."""
    sizes = {"size": {"type": "integer"}}
    schema = {"type": "object", "properties": sizes, "required": ["size"]}
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps([{"name": "send", "description": "Send.", "input_schema": schema}]))
    (tmp_path / "request.md").write_text("Files larger than 5 MB must not be sent.\n")
    made = new_session(tmp_path / "desk", tmp_path / "request.md", agent=tools, logs=[], author="written")
    with closing(made.workbench) as bench:
        made.draft()
        say(bench, "Files larger", f"The agent must not send if the size is {said}.")
        found = {one.id.partition(":")[0].partition("-")[0] for one in bench.questions.understand().open}
        assert sorted(found & {"bound", "unsaid"}) == kinds


@pytest.mark.parametrize(
    ("words", "bound", "is_asked"),
    [
        ("Nobody pays more than 3 invoices.", "at least 3", False),
        ("Nobody pays more than 3 invoices.", "more than 2", False),
        ("Nobody pays more than 3 invoices.", "at least 4", True),
        ("Nobody pays more than 3 invoices.", "more than 3", True),
        ("Nothing is paid if more than 3 invoices were paid before.", "more than 3", False),
        ("Nothing is paid if more than 3 invoices were paid before.", "at least 3", True),
        ("At most 3 invoices are paid without prior approval.", "more than 3", True),
    ],
)
def test_of_earlier_calls_one_less_is_stated(desk: Workbench, words: str, bound: str, is_asked: bool) -> None:
    """“No more than 3” is that the fourth is forbidden, before which there were 3."""
    desk.session.set_request(f"{desk.session.request}\n{words}\n")
    number = "the number of earlier calls to pay an invoice that succeeded"
    say(desk, words, f"The agent must not pay an invoice if {number} is {bound}.")
    found = [one for one in desk.questions.understand().open if one.quote == words]
    assert any(one.id.startswith(("bound:", "unsaid-number:")) for one in found) is is_asked


def test_a_count_of_earlier_calls_is_asked_about_by_the_calls_in_all_and_turned_by_one(
    desk: Workbench,
) -> None:
    words, number = "At most 3 invoices are paid.", "the number of earlier calls to pay an invoice"
    desk.session.set_request(f"{desk.session.request}\n{words}\n")
    say(desk, words, f"The agent must not pay an invoice if {number} is more than 3.")
    (question,) = asked(desk, "bound")
    assert question.default == "meant"
    assert labels(question)["meant"].startswith("From call 5 of these on: denied. The agent")
    assert labels(question)["more-than"].startswith("From call 4 of these on: denied. The agent")
    desk.questions.answer(question, "more-than")
    assert not asked(desk, "bound")
    rule = next(one.text for one in desk.sentences.aloud() if one.name == "forbid_pay_invoice")
    assert rule.endswith(f"if {number} is at least 3.")


@pytest.mark.parametrize(
    ("sentence", "outcomes"),
    [
        (
            "The agent must not pay an invoice unless the total is less than 5,000.",
            {"at-most": "5,000 itself: not denied.", "less-than": "5,000 itself: denied."},
        ),
        (
            "The agent may pay an invoice only with the approval of a person if the total is more than "
            "5,000.",
            {"at-least": "5,000 itself: a person is asked.", "more-than": "5,000 itself: nobody is asked."},
        ),
        (
            "The agent may pay an invoice if the total is less than 5,000.",
            {"at-most": "5,000 itself: allowed.", "less-than": "5,000 itself: not allowed."},
        ),
        (
            "The agent must not pay an invoice if the number of earlier calls to pay an invoice (where its "
            "total is more than 5,000) is at least 2.",
            {"at-least": "5,000 itself: counted.", "more-than": "5,000 itself: not counted."},
        ),
    ],
)
def test_each_answer_begins_with_what_it_does_to_the_bound_itself(
    desk: Workbench, sentence: str, outcomes: Mapping[str, str]
) -> None:
    say(desk, "Invoices until", sentence)
    (question,) = [one for one in asked(desk, "bound") if "5,000 itself" in one.text]
    assert {value: label.partition(" The agent")[0] for value, label in labels(question).items()} == outcomes


@pytest.mark.parametrize(
    ("counted", "classes", "is_one_more"),
    [
        ("len(run.earlier(Pay, Send))", {"Pay"}, True),
        ("sum(1 for c in run.earlier(Pay) if c.succeeded)", {"Pay"}, True),
        ("sum(1 for c in run.earlier(Pay) if c.succeeded)", {"Pay", "Send"}, False),
        ("sum(c.total for c in run.earlier(Pay))", {"Pay"}, False),
        ("len({c.path for c in run.earlier(Pay) if not c.failed})", {"Pay"}, True),
        ("len({c.path.absolute for c in run.earlier(Pay)})", {"Pay", "Send"}, False),
    ],
)
def test_a_call_is_one_more_where_all_earlier_ones_of_its_tools_are_counted(
    counted: str, classes: set[str], is_one_more: bool
) -> None:
    assert counts_this_call_too("At most 3.", counted, classes) is is_one_more
    assert not counts_this_call_too("If 3 were made before.", counted, classes)


def test_of_many_bounds_of_a_sentence_few_are_open_and_the_next_follows_an_answer(
    desk: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.clarify.written.boundaries.MOST_OPEN", 1)
    say(desk, UP_TO, "The agent must not pay an invoice if the total is more than 50 and less than 5,000.")
    (first,) = asked(desk, "bound")
    desk.questions.answer(first, first.options[-1].value)
    (second,) = asked(desk, "bound")
    assert second.id != first.id
    desk.questions.answer(second, second.options[-1].value)
    assert not asked(desk, "bound")


def test_bounds_of_sentences_that_differ_in_constants_alone_are_one_question(tmp_path: Path) -> None:
    asked_for = {"Acme": 300, "Globex": 500}
    request = "".join(f"Invoices of {total} euros by {name} wait.\n" for name, total in asked_for.items())
    with closing(invoice_desk(tmp_path, f"{request}Nothing from 10 euros on is paid at once.\n")) as bench:
        for name, total in asked_for.items():
            of = f"the supplier is “{name}” and the total is more than {total}"
            say(bench, f"Invoices of {total}", f"The agent must not pay an invoice if {of}.")
        say(bench, "Nothing from", "The agent must not pay an invoice if the total is more than 10.")
        both, other = asked(bench, "bound")
        assert "300 itself" in both.text and "1 sentence" in both.text and "10 itself" in other.text
        bench.questions.answer(both, "at-least")
        assert bench.session.written.count("call.total >= ") == 2 * len(asked_for)  # and clauses
        assert asked(bench, "bound") == [other]
        assert next(item for item in bench.in_force.owed() if item.name == both.id).in_force


def test_a_bound_that_the_sentence_says_or_a_person_has_a_clause_for_is_not_asked_about(
    tmp_path: Path,
) -> None:
    bench = invoice_desk(tmp_path, "Nothing over 5,000 euros is paid. Up to 10 euros.\n")
    say(bench, "Nothing over", LIMIT)
    assert not asked(bench, "bound")
    say(bench, "Up to", "The agent must not pay an invoice if the total is more than 10.",
        "It must not be possible to pay an invoice if the total is more than 10.")  # fmt: skip
    assert not asked(bench, "bound")
    say(bench, "Nothing over", LIMIT.replace("more than", "at least"))
    assert len(asked(bench, "bound")) == 1, "the rule contradicts the sentence"
    bench.close()


def test_a_bound_on_the_day_of_the_week_is_asked_about_by_its_name(desk: Workbench) -> None:
    after = "The agent must not pay an invoice if the present day of the week (Monday is 1) is more than 5."
    say(desk, "Blocked suppliers", after)

    (question,) = asked(desk, "bound")
    assert question.text == "“Blocked suppliers get nothing.”: does it mean Friday (5) itself too?"


def of_supplier(limit: str, name: str) -> str:
    return limit.removesuffix(".") + f" and the supplier is “{name}”."


def test_an_answer_about_a_bound_is_not_in_force_once_the_rule_has_the_other_side(tmp_path: Path) -> None:
    sentence = "Nothing above 5,000 euros is paid."
    with closing(invoice_desk(tmp_path, f"{sentence} Paying is fine. Look around.\n")) as bench:
        say(bench, sentence, FLIPPED)
        (question,) = asked(bench, "bound")
        bench.questions.answer(question, "at-least")
        assert question.id not in {one.name for one in bench.in_force.missing()}
        say(bench, sentence, LIMIT)  # what the sentence says by itself, so that nobody would ask
        (missing,) = (one for one in bench.in_force.missing() if one.name == question.id)
        assert "policy.py says otherwise" in missing.reason


def test_the_same_bound_in_rules_of_a_sentence_is_one_question_whose_answer_changes_each(
    desk: Workbench,
) -> None:
    say(desk, "Paying", PAY)
    say(desk, "Invoices until", *(of_supplier(LIMIT, name) for name in "abcd"))
    (question,) = asked(desk, "bound")
    assert labels(question)["at-least"].count("at least 5,000") == len("abcd")
    desk.questions.answer(question, "at-least")
    flipped = {of_supplier(FLIPPED, name) for name in "abcd"}
    assert flipped <= {one.text for one in desk.sentences.aloud()}
    assert not asked(desk, "bound") and proved(desk)
    assert question.id not in {item.name for item in desk.in_force.missing()}
    desk.questions.retract(question.id)
    assert not flipped & {one.text for one in desk.sentences.aloud()}


def test_rules_of_a_sentence_that_say_both_sides_are_one_question_and_go_against_either_answer(
    desk: Workbench,
) -> None:
    said = (of_supplier(LIMIT, "a"), of_supplier(FLIPPED, "b"))
    say(desk, "Invoices until", *said)
    (question,) = asked(desk, "bound")
    assert question.default == "meant" and all(text in labels(question)["meant"] for text in said)
    for value in ("more-than", "at-least"):
        desk.questions.answer(question, value)
        assert question.id not in {item.name for item in desk.in_force.missing()}
        desk.session.set_policy(
            desk.session.written.replace('total >= Decimal("5000")', 'total > Decimal("5000")', 1)
            if value == "at-least"
            else desk.session.written.replace('total > Decimal("5000")', 'total >= Decimal("5000")', 1)
        )
        assert question.id in {item.name for item in desk.in_force.missing()}


def test_permissions_that_say_the_same_are_one_question(desk: Workbench) -> None:
    say(desk, "Paying", PAY)
    say(desk, "Look around", PAY)
    say(desk, "Blocked", "The agent must never pay an invoice.")
    (question,) = asked(desk, "exception")
    assert set(question.requirements) == ids_of(
        desk, {"Paying is fine.", "Look around.", "Blocked suppliers get nothing."}
    )


CITED = {"R1": "Invoices until 5,000 euros.", "R2": "Paying is fine.", "R3": "Up to 5,000 euros."}
PARTS = (
    LIMIT, FLIPPED, of_supplier(LIMIT, "a"), of_supplier(FLIPPED, "b"), PAY,
    "The agent must never pay an invoice.", "The agent may pay an invoice if the total is less than 5,000.",
)  # fmt: skip


@settings(
    max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.lists(st.tuples(st.sampled_from(sorted(CITED)), st.sampled_from(PARTS)), min_size=2, max_size=6))
def test_no_two_open_questions_have_the_same_id(desk: Workbench, said: list[tuple[str, str]]) -> None:
    language = language_of(desk.session.written, desk.session.agent)
    trees = [(requirement, language.read(text)[0]) for requirement, text in said]
    rules = [
        rule_text(tree, f"{tree[1]}_{number}", f"{requirement}: {CITED[requirement]}")
        for number, (requirement, tree) in enumerate(trees)
    ]
    text = with_imports("\n\n\n".join((language.source.rstrip(), *rules)), language.types)
    lowered = lowered_policy(text, desk.session.agent)
    requirements = [Requirement(name, words, words, Span(0, 1)) for name, words in CITED.items()]
    book = Book(language_of(text, desk.session.agent), desk.session.agent, lowered.terms, requirements)
    ids = [one.question.id for one in asked_of(book)]
    assert len(ids) == len(set(ids))


def test_every_prohibition_that_meets_a_permission_is_compared_however_many_there_are(
    desk: Workbench,
) -> None:
    language = language_of(desk.session.written, desk.session.agent)
    suppliers = [f"s{number}" for number in range(45)]
    said = [("R1", "The agent may pay an invoice if the total is less than 5,000.")]
    said += [
        ("R2", of_supplier(LIMIT.replace("more than 5,000", "at least 4,000"), one)) for one in suppliers
    ]
    said += [("R2", of_supplier(LIMIT, "none"))]
    rules = [
        rule_text(tree, f"{tree[1]}_{number}", f"{requirement}: {CITED[requirement]}")
        for number, (requirement, text) in enumerate(said)
        for tree in language.read(text)
    ]
    text = with_imports("\n\n\n".join((language.source.rstrip(), *rules)), language.types)
    terms = lowered_policy(text, desk.session.agent).terms
    requirements = [Requirement(name, words, words, Span(0, 1)) for name, words in CITED.items()]
    (found,) = conflicts(Book(language_of(text, desk.session.agent), desk.session.agent, terms, requirements))
    meeting = [f"forbid_{number}" for number in range(1, len(suppliers) + 1)]
    assert list(found.about) == ["permit_0", *meeting]
    assert [*found.effects] == meeting[:9], "a question that no screen holds is asked in parts"


def test_an_edit_against_an_answer_is_not_in_force(desk: Workbench) -> None:
    say(desk, "Invoices until", LIMIT)
    (question,) = asked(desk, "bound")
    desk.questions.answer(question, "more-than")
    assert question.id not in {item.name for item in desk.in_force.missing()}
    say(desk, "Invoices until", FLIPPED)
    missing = {item.name: item for item in desk.in_force.missing()}
    assert (
        "it was answered with more-than (5,000 itself: not denied. The agent must"
        in missing[question.id].reason
    )
    assert "policy.py says otherwise: 5,000 itself: denied. The agent must" in missing[question.id].reason
    desk.session.undo()
    assert question.id not in {item.name for item in desk.in_force.missing()}


def test_contradictory_sentences_are_asked_about_with_an_input(desk: Workbench) -> None:
    say(desk, "Paying", PAY)
    say(desk, "Blocked", "The agent must never pay an invoice.")
    (question,) = asked(desk, "exception")
    assert "“Paying is fine.”" in question.text and "“Blocked suppliers get nothing.”" in question.text
    assert question.example == {"tool": "pay_invoice"}
    desk.questions.answer(question, "forbid_pay_invoice")
    assert "def forbid_pay_invoice" not in desk.session.written
    assert proved(desk)


def test_a_prohibition_of_a_part_is_an_exception_and_one_that_only_meets_is_asked_about(
    desk: Workbench,
) -> None:
    small = "The agent may pay an invoice if the total is less than 5,000."
    say(desk, "Paying", small)
    say(desk, "Blocked", "The agent must not pay an invoice if the supplier is “bad” and the total is 7.")
    assert not asked(desk, "exception")
    say(desk, "Blocked", "The agent must not pay an invoice if the supplier is “bad”.")
    (question,) = asked(desk, "exception")
    assert labels(question)["forbid_pay_invoice"].endswith(
        "The agent must not pay an invoice if the supplier is “bad” and it is not the case that the total is "
        "less than 5,000."
    )
    desk.questions.answer(question, "prohibitions")
    assert not asked(desk, "exception")
    say(desk, "Look", "The agent must not pay an invoice if the supplier is “worse”.")
    assert not asked(desk, "exception"), "the answer holds for later prohibitions"


def test_rules_that_decide_nothing_are_asked_about(desk: Workbench) -> None:
    say(desk, "Invoices until", LIMIT)
    say(desk, "Blocked", LIMIT.replace("5,000", "9,000"))
    say(
        desk,
        "Look",
        "The agent must not pay an invoice if the total is more than 5 and the total is less than 4.",
    )
    (idle,) = asked(desk, "without-effect-rule")
    assert "9,000" in idle.text and f"“{UP_TO}”" in idle.text
    (never,) = asked(desk, "never-holds")
    desk.questions.answer(never, "drop")
    desk.questions.answer(idle, "meant")
    assert not asked(desk, "never-holds") and not asked(desk, "without-effect-rule")
    assert "9000" in desk.session.written and "< 4" not in desk.session.written


def test_a_rule_without_effect_names_the_rules_that_together_decide_all_of_its_calls(desk: Workbench) -> None:
    say(desk, "Paying", "The agent must not pay an invoice if the total is less than 8,000.")
    say(desk, "Blocked", "The agent must not pay an invoice if the supplier is “bad”.")
    say(desk, "Invoices until", "The agent must not pay an invoice if the total is more than 7,000.")
    say(desk, "Look", "The agent must not pay an invoice if the invoice id is “I-9”.")
    (idle,) = [one for one in asked(desk, "without-effect-rule") if "I-9" in one.text.partition("decides")[0]]
    covered = idle.text.partition("decides")[2]
    assert UP_TO in covered and "Paying is fine." in covered and "Blocked" not in covered
    terms, named = desk.policy.terms(), {UP_TO, "Paying is fine."}
    deciding = [rule.body for rule in terms.rules if {*rule.requirements} & ids_of(desk, named)]
    (told,) = [rule.body for rule in terms.rules if {*rule.requirements} & ids_of(desk, {"Look around."})]
    assert len(deciding) == 2 and satisfiable(terms, And((told, *map(Not, deciding)))) is False
    assert all(satisfiable(terms, And((told, Not(one)))) for one in deciding)


def test_whether_a_rule_has_an_effect_is_searched_once_beside_the_same_rules(
    desk: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer of the search is kept by what it is of: a rule about other calls leaves it."""
    say(desk, "Invoices until", LIMIT)
    say(desk, "Blocked", LIMIT.replace("5,000", "9,000"))
    kept = KeptText(KeptTexts("a test"), "policy")

    def found() -> list[str]:
        book = Book(
            desk.sentences.language,
            desk.session.agent,
            desk.policy.terms(),
            desk.request.draft().requirements,
            kept=kept,
        )
        return [one.question.id.partition(":")[0] for one in idle_rules(book)]

    assert found() == ["without-effect-rule"]
    searched = module.satisfiable_beside
    monkeypatch.setattr(module, "satisfiable_beside", None)  # nothing is asked again
    assert found() == ["without-effect-rule"]
    say(desk, "Paying", "The agent must not send a note if the text is “secret”.")
    assert found() == ["without-effect-rule"]
    monkeypatch.setattr(module, "satisfiable_beside", searched)
    say(desk, "Look", LIMIT.replace("5,000", "7,000"))
    assert found() == ["without-effect-rule", "without-effect-rule"]


def test_tools_of_which_nobody_speaks_are_one_question(desk: Workbench) -> None:
    say(desk, "Paying", PAY)
    (question,) = asked(desk, "other-calls")
    assert "get_invoice, send_note" in question.text and "denied at present" in question.text
    assert labels(question)["allow"] == "The agent may always get an invoice or send a note."
    with pytest.raises(WorkbenchError, match="fly is none of get_invoice, send_note"):
        desk.questions.answer(question, "fly")
    desk.questions.answer(question, "get_invoice")
    assert not asked(desk, "other-calls")
    said = {one.text for one in desk.sentences.aloud()}
    assert {"The agent may always get an invoice.", "The agent must never send a note."} <= said
    assert proved(desk)
    verdicts = [one.decision.verdict for one in desk.replay(desk.policy.terms(), desk.runs.load()).shown]
    assert verdicts == [Verdict.ALLOW, Verdict.ALLOW, Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]


def test_a_rule_that_asks_about_calls_which_nothing_permits_is_a_question(desk: Workbench) -> None:
    """Nobody is asked about a call that no sentence permits: it is denied, and every proof is green."""
    say(desk, "Blocked", "The agent may send a note only with the approval of a person.")
    large = "The agent may pay an invoice only with the approval of a person if the total is more than 5,000."
    say(desk, "Invoices until", large)
    say(desk, "Look", "The agent may always get an invoice.")
    in_vain = [one for one in asked(desk, "without-effect-rule") if "nobody is asked" in one.text]
    assert len(in_vain) == 2
    before = [one.decision.verdict for one in desk.replay(desk.policy.terms(), desk.runs.load()).shown]
    for question in in_vain:
        desk.questions.answer(question, "permitted")
    assert not [one for one in asked(desk, "without-effect-rule") if "nobody is asked" in one.text]
    assert not asked(desk, "exception")
    assert not [one for one in asked(desk, "no-clause") if one.text.startswith("No clause of")]
    said = {one.text for one in desk.sentences.aloud()}
    assert "The agent may pay an invoice if the total is more than 5,000." in said
    assert proved(desk)
    now = [one.decision.verdict for one in desk.replay(desk.policy.terms(), desk.runs.load()).shown]
    turned = {(old, new) for old, new in zip(before, now, strict=True) if old != new}
    assert turned == {(Verdict.DENY, Verdict.ASK)}


def test_tools_of_which_only_prohibitions_speak_are_allowed_otherwise(desk: Workbench) -> None:
    desk.session.set_policy(desk.session.written.replace('DEFAULT = "deny"', 'DEFAULT = "allow"'))
    say(desk, "Invoices until", LIMIT)
    forbidden, unsaid = sorted(asked(desk, "other-calls"), key=lambda one: "pay_invoice" not in one.text)
    desk.questions.answer(forbidden, "allow")
    assert "def contract_otherwise_PayInvoice(call: PayInvoice) -> None:" in desk.session.written
    desk.questions.answer(unsaid, "deny")
    say(desk, "Blocked", "The agent must not pay an invoice if the supplier is “bad”.")
    assert '"bad"' in desk.session.written.partition("contract_otherwise_PayInvoice")[2]
    assert proved(desk)
    assert not asked(desk, "other-calls")


MORE = (
    "The agent must not pay an invoice if the supplier is “bad”.",
    "The agent must not send a note if the text contains “secret”.",
)
BY_HAND = """def forbid_bad(call: PayInvoice) -> bool:
    \"\"\"Blocked suppliers get nothing.\"\"\"
    return call.supplier == "bad"


def contract_"""


@pytest.fixture
def opened(desk: Workbench) -> Workbench:
    """The desk after the answers that all calls are allowed where nothing forbids them."""
    desk.session.set_policy(desk.session.written.replace('DEFAULT = "deny"', 'DEFAULT = "allow"'))
    say(desk, "Invoices until", LIMIT)
    for question in asked(desk, "other-calls"):
        desk.questions.answer(question, "allow")
    return desk


def test_what_is_allowed_otherwise_narrows_with_every_rule_whoever_adds_it(opened: Workbench) -> None:
    for sentence in MORE:
        assert not opened.sentences.keep(sentence).contradictions
    by_hand = BY_HAND.replace('"bad"', '"worse"')
    opened.editing.store(opened.session.written.replace("\ndef contract_", f"\n{by_hand}", 1))
    demands = opened.session.written.partition("contract_otherwise_PayInvoice")[2]
    assert '"bad"' in demands and '"worse"' in demands
    assert proved(opened) and not asked(opened, "other-calls")


@pytest.mark.parametrize(("limit", "followed"), [("10", True), ("9000", False)])
@pytest.mark.parametrize("here", [True, False])
def test_the_clause_of_a_rule_that_says_more_after_an_edit_by_hand_follows_it_alone(
    opened: Workbench, limit: str, followed: bool, here: bool
) -> None:
    edited = opened.session.written.replace('call.total > Decimal("5000")', f"call.total > {limit}", 1)
    if here:
        opened.editing.store(edited)
    else:
        (opened.session.path / "policy.py").write_text(edited, "utf-8")
        opened.session.refresh()
        owed = [one for one in opened.in_force.missing() if "does not follow the rules" in one.reason]
        assert len(owed) == followed
        assert opened.request.narrow() == followed
    clauses = [one.source for one in opened.policy.terms().clauses if one.source.endswith("not Result())")]
    assert any(limit in one for one in clauses) == followed
    assert not proved(opened)  # of what is possible otherwise, or of what the rule forbade


def test_a_rule_that_another_program_adds_is_owed_and_a_draft_narrows_the_clauses(opened: Workbench) -> None:
    path = opened.session.path / "policy.py"
    path.write_text(opened.session.written.replace("\ndef contract_", f"\n{BY_HAND}", 1), "utf-8")
    opened.session.refresh()
    (owed,) = [one for one in opened.in_force.missing() if "does not follow the rules" in one.reason]
    assert "workbench draft" in owed.mend
    assert opened.request.redraft().narrowed == (
        "It must always be possible to pay an invoice, where no rule stands against it.",
    )
    assert proved(opened)


@pytest.mark.parametrize("later", [(), MORE])
def test_an_answer_that_is_taken_back_takes_its_clauses_with_it_and_is_asked_again(
    desk: Workbench, later: tuple[str, ...]
) -> None:
    desk.session.set_policy(desk.session.written.replace('DEFAULT = "deny"', 'DEFAULT = "allow"'))
    say(desk, "Invoices until", LIMIT)
    before = desk.session.written
    questions = asked(desk, "other-calls")
    for question in questions:
        desk.questions.answer(question, "allow")
    for sentence in later:
        desk.sentences.keep(sentence)
    held = {one.assumption.question: one.holds for one in desk.questions.assumed(desk.questions.understand())}
    assert all(name.startswith("contract_otherwise_") for question in questions for name in held[question.id])
    for question in questions:
        desk.questions.retract(question.id)
    assert "contract_otherwise" not in desk.session.written
    assert later or desk.session.written == before
    assert len(asked(desk, "other-calls")) == len(questions)


def test_a_rule_and_the_cases_of_an_answer_go_with_it_and_what_it_replaced_is_back(desk: Workbench) -> None:
    say(desk, "Paying", PAY)
    say(desk, "Invoices until", LIMIT)
    before = desk.session.written
    (bound,), (others,) = asked(desk, "bound"), asked(desk, "other-calls")
    desk.questions.answer(bound, "at-least")
    desk.questions.answer(others, "allow")
    for question in (bound, others):
        desk.questions.retract(question.id)
    assert desk.session.written == before
    decide = compile_policy(desk.policy.terms()).decide
    assert all(decide(case.arguments).verdict is case.expected for case in desk.session.cases)
    assert {name for case in desk.session.cases for name in case.requirements} == {"R1", "R2"}
    assert not [case.id for case in desk.session.cases if case.id.startswith("get-invoice-send-note")]
    assert [len(asked(desk, kind)) for kind in ("bound", "other-calls")] == [1, 1]


def test_a_rule_that_was_changed_since_stays_when_its_answer_is_taken_back(desk: Workbench) -> None:
    say(desk, "Paying", PAY)
    say(desk, "Invoices until", LIMIT)
    (bound,) = asked(desk, "bound")
    desk.questions.answer(bound, "at-least")
    desk.editing.store(desk.session.written.replace('"5000"', '"4000"'))
    edited = desk.session.written
    assert desk.questions.retract(bound.id).left == ("forbid_pay_invoice",)
    assert desk.session.written == edited
    assert not any(one.question == bound.id for one in desk.session.assumptions)


def test_what_somebody_names_may_be_asked_of_the_user_s_words(tmp_path: Path) -> None:
    bench = invoice_desk(tmp_path, "It pays suppliers that I name. Notes go out as we asked a person.\n")
    say(bench, "It pays", PAY)
    say(bench, "Notes", "The agent may always send a note.")
    (question,) = asked(bench, "named-value")
    assert labels(question)["supplier"].endswith(
        "The agent must not pay an invoice if the supplier was not named by the user."
    )
    bench.questions.answer(question, "supplier")
    assert not asked(bench, "named-value")
    assert "not in call.supplier.source" in bench.session.written
    assert proved(bench)
    bench.close()


def test_an_answer_is_one_change_that_undo_takes_back(desk: Workbench) -> None:
    say(desk, "Invoices until", LIMIT)
    before = (desk.session.written, desk.session.cases, desk.session.assumptions)
    desk.questions.answer(asked(desk, "bound")[0], "at-least")
    after = (desk.session.written, desk.session.cases, desk.session.assumptions)
    assert after[0] != before[0] and after[1] != before[1] and after[2] != before[2]
    desk.session.undo()
    assert (desk.session.written, desk.session.cases, desk.session.assumptions) == before
    assert len(asked(desk, "bound")) == 1
    desk.session.redo()
    assert (desk.session.written, desk.session.cases, desk.session.assumptions) == after


@pytest.mark.parametrize(
    ("kind", "field", "raw", "typed"),
    [
        ("url", "page", "the page begins with “https://evil.example”", "page"),
        ("path", "file", "the file begins with “/repo/secrets”", "file lies inside “/repo/secrets”"),
        ("mail_address", "to", "the to ends with “@corp.example”", "corp.example"),
    ],
)
def test_a_test_of_raw_text_is_asked_about_and_the_answer_means_the_thing(
    tmp_path: Path, kind: str, field: str, raw: str, typed: str
) -> None:
    (tmp_path / "request.md").write_text("Never touch that.\n", encoding="utf-8")
    (tmp_path / "agent.toml").write_text(
        f"""name = "desk"

[tools.open_it]
description = "Open it."

[tools.open_it.parameters]
type = "object"
properties = {{{field} = {{type = "string"}}}}
required = ["{field}"]
additionalProperties = false

[tools.open_it.fields]
{field} = {{type = "{kind}"}}
""",
        encoding="utf-8",
    )
    created = new_session(
        tmp_path / "desk", tmp_path / "request.md", agent=tmp_path / "agent.toml", logs=(), author="written"
    )
    created.draft()
    with closing(created.workbench) as bench:
        say(bench, "Never touch", f"The agent must not open it if {raw}.")
        (question,) = asked(bench, "typed-value")
        assert typed in labels(question)["value"]
        bench.questions.answer(question, "value")
        assert not asked(bench, "typed-value")
        assert "startswith" not in bench.session.written
        assert "endswith" not in bench.session.written
        assert proved(bench)


ACCOUNTS = """name = "desk"

[tools.get_account.parameters]
type = "object"
properties = {account_id = {type = "string"}}
required = ["account_id"]
additionalProperties = false

[tools.transfer.parameters]
type = "object"
properties = {from_account = {type = "string"}, to_account = {type = "string"}}
required = ["from_account", "to_account"]
additionalProperties = false

[records.account]
key = "id"
fields.blocked = {type = "bool"}
look_up = {tool = "get_account", arguments = {account_id = "key"}}
"""


def test_which_record_is_meant_and_what_holds_where_it_was_not_looked_up(tmp_path: Path) -> None:
    (tmp_path / "request.md").write_text("Blocked accounts get nothing.\n", encoding="utf-8")
    (tmp_path / "agent.toml").write_text(ACCOUNTS, encoding="utf-8")
    created = new_session(
        tmp_path / "desk", tmp_path / "request.md", agent=tmp_path / "agent.toml", logs=(), author="written"
    )
    created.draft()
    account = "the account for the from account"
    with closing(created.workbench) as bench:
        say(
            bench,
            "Blocked",
            f"The agent must not transfer if {account} exists and {account} is marked blocked.",
        )
        (which,) = asked(bench, "record-key")
        assert set(labels(which)) == {"from_account", "to_account"}
        assert "transfer (from_account “from_account 1”, to_account “to_account 2”" in which.text
        to = account.replace("from", "to")
        say(bench, "Blocked", *(f"The agent must not transfer if {one} exists and {one} is marked blocked."
                                for one in (account, to)))  # fmt: skip
        assert not asked(bench, "record-key"), "both are read"
        bench.session.undo()
        bench.questions.answer(which, "to_account")
        assert "run.account(call.from_account)" not in bench.session.written
        assert not asked(bench, "record-key")
        (unknown,) = asked(bench, "unknown-record")
        assert set(labels(unknown)) == {"look-up", "deny", "ignore"}
        bench.questions.answer(unknown, "deny")
        assert "not looked_up(run.account(call.to_account))" in bench.session.written
        assert not asked(bench, "unknown-record")
        assert proved(bench)


COPIES = """name = "desk"

[tools.send_mail.parameters]
type = "object"
required = ["to", "text"]
additionalProperties = false
[tools.send_mail.parameters.properties]
to = {type = "string"}
text = {type = "string"}
watchers = {type = "array", items = {type = "string"}}

[tools.send_mail.fields]
to = {type = "mail_address"}
"""


def test_an_answer_that_declares_a_field_writes_it_into_the_agent_file_and_the_rule_by_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "request.md").write_text("Mail is sent. Nothing goes to rival.example.\n", encoding="utf-8")
    (tmp_path / "agent.toml").write_text(COPIES, encoding="utf-8")
    created = new_session(
        tmp_path / "desk", tmp_path / "request.md", agent=tmp_path / "agent.toml", logs=(), author="written"
    )
    created.draft()
    with closing(created.workbench) as bench:
        say(bench, "Mail is sent", "The agent may always send mail.")
        say(bench, "Nothing", "The agent must not send mail if the to's domain is “rival.example”.")
        (question,) = [one for one in asked(bench, "witness") if "looks at its watchers" in one.text]
        assert "there is a watcher whose domain is “rival.example”" in labels(question)["declared"]
        assert "agent.toml" not in question.text, "what the workbench can write is no homework"
        bench.questions.answer(question, "declared")
        (tool,) = bench.session.agent.tools
        assert tool.fields["watchers[]"].type == "mail_address"
        assert any(one.value == "declared" for one in bench.request.assumptions)
        assert not [one for one in asked(bench, "witness") if "its watchers" in one.text]
        for copies, verdict in ((["eve@rival.example"], False), (["lee@ours.example"], True), ([], True)):
            given: dict[str, Json] = {"to": "lee@ours.example", "watchers": [*copies], "text": "x"}
            call = TriedCall("send_mail", given)
            assert Trials(bench.policy.terms(), bench.session.agent).confirms((call,)) is verdict
        assert proved(bench)

        bench.questions.retract(question.id)
        assert "call.watchers" not in bench.session.written
        assert bench.session.agent.tools[0].fields["watchers[]"].type == "mail_address"


def test_an_answer_that_declares_a_field_is_shown_with_what_it_does_before_it_is_stored(
    tmp_path: Path,
) -> None:
    """As the calls are decided once it is stored, which the screen asks for, as it turns many of them."""
    request, tools, log = (tmp_path / name for name in ("request.md", "agent.toml", "log.jsonl"))
    request.write_text("Mail is sent. Nothing goes to rival.example.\n", encoding="utf-8")
    tools.write_text(COPIES, encoding="utf-8")
    watchers: tuple[list[Json], ...] = (
        ["eve@rival.example"],
        ["eve at rival"],
        ["lee@ours.example"],
        [],
        ["Eve <e@rival.example>"],
    )
    given: list[Json] = [{"to": "lee@ours.example", "watchers": one, "text": "x"} for one in watchers]
    lines = (
        {"format": "workbench-decision/1", "runs": True, "run": "a", "call": at, "tool": "send_mail",
         "arguments": json.dumps(one)}
        for at, one in enumerate(given)
    )  # fmt: skip
    log.write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
    created = new_session(tmp_path / "desk", request, agent=tools, logs=[log], author="written")
    created.draft()
    with closing(created.workbench) as bench:
        say(bench, "Mail is sent", "The agent may always send mail.")
        say(bench, "Nothing", "The agent must not send mail if the to's domain is “rival.example”.")
        (question,) = [one for one in asked(bench, "witness") if "looks at its watchers" in one.text]
        written, agent, logs = bench.session.written, bench.session.agent, bench.runs.current()
        preview = bench.questions.preview(question, "declared", logs)
        turned = bench.questions.turned_by(question, logs)["declared"]
        assert (bench.session.written, bench.session.agent) == (written, agent), "nothing is stored"
        bench.questions.answer(question, "declared")
        assert preview.policy == bench.session.written
        decided = [
            one.decision.verdict for one in bench.runs.decide(bench.policy.terms(), bench.runs.current())
        ]
        assert [flip.new.decision.verdict for flip in preview.change.flips] == decided
        assert decided.count(Verdict.DENY) == turned.denied == 2
        assert decided.count(Verdict.CANNOT_EVALUATE) == turned.undecidable == 1


@pytest.mark.parametrize("value", ["closed", "meant"])
def test_of_a_list_of_answers_one_may_settle_another_but_not_against_it(tmp_path: Path, value: str) -> None:
    request, tools = tmp_path / "request.md", tmp_path / "agent.toml"
    request.write_text("Nothing goes to rival.example.\n", encoding="utf-8")
    tools.write_text(COPIES, encoding="utf-8")
    created = new_session(tmp_path / "desk", request, agent=tools, logs=(), author="written")
    created.draft()
    with closing(created.workbench) as bench:
        say(bench, "Nothing", "The agent must not send mail if the to's domain is “rival.example”.")
        bench.session.set_policy(bench.session.written.replace('DEFAULT = "deny"', 'DEFAULT = "allow"'))
        (calls,), (copies, *_) = asked(bench, "other-calls"), asked(bench, "witness")
        before = bench.session.written
        if value == "meant":
            with pytest.raises(WorkbenchError, match="one by one"):
                bench.questions.answer_all([(calls, "deny"), (copies, value)])
            assert (bench.session.written, bench.session.assumptions) == (before, ())
            return
        changed = bench.questions.answer_all([(calls, "deny"), (copies, value)])
        assert changed.settled == (copies.id,)
        assert [one.question for one in bench.session.assumptions] == [calls.id]
        assert not bench.in_force.missing_answers()


DISCOUNTS = """name = "desk"

[tools.discount.parameters]
type = "object"
required = ["sale_id"]
additionalProperties = false
[tools.discount.parameters.properties]
sale_id = {type = "string"}
percent = {type = "integer"}
amount_off = {type = "integer"}

[tools.order.parameters]
type = "object"
required = ["sku", "quantity", "unit_price"]
additionalProperties = false
properties = {sku = {type = "string"}, quantity = {type = "integer"}, unit_price = {type = "integer"}}
"""


def test_answers_of_a_list_are_kept_beside_each_other_and_the_bounds_that_they_wrote_are_not_asked_about(
    tmp_path: Path,
) -> None:
    request, tools = tmp_path / "request.md", tmp_path / "agent.toml"
    request.write_text("At most 20 percent off. No order above 200 EUR.\n", encoding="utf-8")
    tools.write_text(DISCOUNTS, encoding="utf-8")
    created = new_session(tmp_path / "desk", request, agent=tools, logs=(), author="written")
    created.draft()
    with closing(created.workbench) as bench:
        say(
            bench,
            "At most",
            "The agent must not discount if the percent is given and the percent is more than 20.",
        )
        say(bench, "No order", "The agent must not order if the unit price is more than 200.")
        bench.session.set_policy(bench.session.written.replace('DEFAULT = "deny"', 'DEFAULT = "allow"'))
        shown = [one for one in asked(bench, "witness") if "closed" in labels(one)]
        assert len(shown) > 2
        terms, agent = bench.policy.terms(), bench.session.agent
        book = Book(
            language_of(bench.session.written, agent), agent, terms, bench.request.draft().requirements
        )
        calls = [one.calls for one in asked_of(book) if one.question.id in {each.id for each in shown}]
        assert len(calls) == len(shown)
        bench.questions.answer_all([(one, "closed") for one in shown])
        after = Trials(bench.policy.terms(), bench.session.agent)
        assert not any(after.confirms(run) for run in calls)
        assert not bench.in_force.missing_answers()
        assert not asked(bench, "bound")
        assert not asked(bench, "unit")
        for given in (
            {"sale_id": "s", "percent": 21},
            {"sale_id": "s"},
            {"sale_id": "s", "amount_off": 5000},
        ):
            assert not after.confirms((TriedCall("discount", given),))
        assert after.confirms((TriedCall("order", {"sku": "a", "quantity": 1, "unit_price": 199}),))
        assert not after.confirms((TriedCall("order", {"sku": "a", "quantity": 50, "unit_price": 199}),))


MAILBOX = """name = "desk"

[tools.send_email.parameters]
type = "object"
required = ["to"]
additionalProperties = false
[tools.send_email.parameters.properties]
to = {type = "array", items = {type = "string"}}
cc = {type = "array", items = {type = "string"}}
[tools.send_email.fields]
"to[]" = {type = "mail_address"}
"cc[]" = {type = "mail_address"}
cc = {optional = true}

[tools.forward_email.parameters]
type = "object"
required = ["id", "to"]
additionalProperties = false
properties = {id = {type = "string"}, to = {type = "string"}}

[tools.create_mailbox_rule]
description = "Does something with all mail that comes from now on."
[tools.create_mailbox_rule.parameters]
type = "object"
required = ["subject_has", "then"]
additionalProperties = false
[tools.create_mailbox_rule.parameters.properties]
subject_has = {type = "string"}
then = {type = "string", enum = ["archive", "forward"]}
target = {type = "string", description = "A folder or a mail address"}
"""


@pytest.mark.parametrize("seed", range(8))
def test_each_answer_of_a_list_holds_as_it_was_asked_or_nothing_is_stored(tmp_path: Path, seed: int) -> None:
    request, tools = tmp_path / "request.md", tmp_path / "agent.toml"
    request.write_text("Mail stays in the harbour. Nothing is forwarded to the press.\n", encoding="utf-8")
    tools.write_text(MAILBOX, encoding="utf-8")
    created = new_session(tmp_path / "desk", request, agent=tools, logs=(), author="written")
    created.draft()
    with closing(created.workbench) as bench:
        said = "The agent must not send an email if there is a to entry whose domain is not “harbor.example”."
        say(bench, "Mail stays", said)
        say(bench, "Nothing", "The agent must not forward an email if the to is “press@media.example”.")
        bench.session.set_policy(bench.session.written.replace('DEFAULT = "deny"', 'DEFAULT = "allow"'))
        open_now = list(bench.questions.understand().open)
        chance = random.Random(seed)
        chance.shuffle(open_now)
        chosen = [(one, chance.choice(one.options).value) for one in open_now if one.options]
        agent, terms = bench.session.agent, bench.policy.terms()
        language = language_of(bench.session.written, agent)
        book = Book(language, agent, terms, bench.request.draft().requirements)
        shown = {one.question.id: one.calls for one in asked_of(book) if one.question.kind == "witness"}
        before = bench.session.written, bench.session.assumptions
        try:
            bench.questions.answer_all(chosen)
        except WorkbenchError:
            assert (bench.session.written, bench.session.assumptions) == before
            return
        trials = Trials(bench.policy.terms(), bench.session.agent)
        for question, value in chosen:
            if calls := shown.get(question.id):
                assert trials.confirms(calls) is (value == "meant"), (question.text, value)


BY_IBAN = """name = "desk"

[tools.close_account.parameters]
type = "object"
required = ["iban"]
additionalProperties = false
properties = {iban = {type = "string"}}
"""


def test_an_answer_that_changes_the_agent_file_alone_stays_in_force(tmp_path: Path) -> None:
    (tmp_path / "request.md").write_text("Accounts are closed. DE02120300000000202051 stays.\n")
    (tmp_path / "agent.toml").write_text(BY_IBAN, encoding="utf-8")
    created = new_session(
        tmp_path / "desk", tmp_path / "request.md", agent=tmp_path / "agent.toml", logs=(), author="written"
    )
    created.draft()
    with closing(created.workbench) as bench:
        say(bench, "Accounts", "The agent may always close an account.")
        say(bench, "DE02", "The agent must not close an account if the iban is “DE02120300000000202051”.")
        (question,) = [one for one in asked(bench, "witness") if "declared" in labels(one)]
        before = bench.session.written
        bench.questions.answer(question, "declared")
        assert bench.session.written == before
        assert bench.session.agent.tools[0].fields["iban"].normal == "code"
        assert not bench.in_force.missing_answers()
