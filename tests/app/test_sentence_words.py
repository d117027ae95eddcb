"""A sentence is opened word by word, a person's choices are stored, and answers come from a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.clarify.parcel_desk import SPEC, drafted_desk
from workbench.app.answer_file import read_answers
from workbench.app.assumed_rules import StatedRule
from workbench.app.request_sentences import number_about
from workbench.app.workbench import Workbench
from workbench.author.rules import RulesAuthor
from workbench.author.rules.norms import Effect
from workbench.clarify.person_rule import PersonRule
from workbench.clarify.word_meanings import WordRole
from workbench.cli import main
from workbench.model import (
    Argument,
    ArgumentType,
    Kind,
    Option,
    Question,
    Sentence,
    SentenceRole,
    Span,
    Verdict,
    WorkbenchError,
)
from workbench.session import Session

CHECKED = "parcel is “p1”"
ANSWERS = f"""
"The desk sends parcels" = "It is context, not a rule"

["Money goes back only"]
rule = "only if"
tools = ["pay_back"]
when = ["{CHECKED}"]

["Nobody gets more than 40 euros"]
rule = "never if"
tools = ["pay_back"]
when = ["amount is more than 40 euros"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return drafted_desk(tmp_path / "desk")


def allowed(bench: Workbench) -> list[int]:
    decided = bench.runs.decide(bench.policy.terms(), bench.runs.load())
    return [
        place
        for place, call_decision in enumerate(decided)
        if call_decision.decision.verdict is Verdict.ALLOW
    ]


def test_a_sentence_is_opened_word_by_word(folder: Path) -> None:
    bench = Workbench.open(folder, read_only=True)
    found = bench.words.open("Money goes back")
    roles = {word.text: word.role for word in found.words}
    assert roles["only"] is WordRole.DUTY
    assert roles["parcels"] is WordRole.UNKNOWN
    checked = next(word for word in found.words if word.text == "checked")
    said = {(one.kind, one.value) for one in checked.candidates}
    assert ("synonym", "check_person") in said or checked.role is WordRole.TOOL
    assert all(word.candidates for word in found.words if word.role is WordRole.UNKNOWN)
    assert all(("nothing", "nothing") in {(one.kind, one.value) for one in word.candidates}
               for word in found.words if word.candidates)  # fmt: skip
    for rule in found.rules:  # every listed rule can be taken unchanged
        bench.words.tried("Money goes back", [rule], bench.runs.current())
    bench.close()


def test_a_rule_is_tried_before_it_is_stored_and_decides_as_tried(folder: Path) -> None:
    bench = Workbench.open(folder)
    rule = PersonRule(Effect.REQUIRE, ("pay_back",), (CHECKED,))
    before = (bench.session.policy, bench.session.spec, bench.session.assumptions)
    tried = bench.words.tried("Money goes back", [rule], bench.runs.load())
    assert (bench.session.policy, bench.session.spec, bench.session.assumptions) == before
    assert [flip.new.index for flip in tried.turned] == [2, 4, 5]
    assert tried.rules
    assert tried.readings == (f"pay_back only if {CHECKED}",)
    bench.words.rules("Money goes back", [rule])
    assert allowed(bench) == [2, 4, 5]
    sentence = bench.words.sentences.named("Money goes back")
    assert sentence.role is SentenceRole.REQUIREMENT
    bench.close()
    again = Workbench.open(folder)
    assert allowed(again) == [2, 4, 5]
    assert again.session.undo()
    assert (again.session.policy, again.session.spec, again.session.assumptions) == before
    again.close()


def test_what_nobody_says_of_a_rule_is_assumed_in_sight_where_only_one_fits(folder: Path) -> None:
    bench = Workbench.open(folder)
    assuming, when = bench.words.assuming(), (CHECKED,)
    with pytest.raises(WorkbenchError, match="calls of look_up_parcel, pay_back have"):
        assuming.completed([StatedRule("only if", (), when)], ())
    (told,) = assuming.completed([StatedRule("", ("pay_back",), when)], ())
    assert told.effect is Effect.REQUIRE
    assert told.assumed == ("“only if”, which denies 1 of 4 recorded calls, and its opposite 3",)
    (again,) = assuming.completed([StatedRule("never if", (), when)], ())
    assert (again.tools, again.effect) == (("pay_back",), Effect.FORBID)
    assert again.assumed == ("about pay_back, as said before of rules about the same",)
    (paid,) = assuming.completed([StatedRule("never if", (), ("amount is more than 40 euros",))], ())
    assert paid.tools == ("pay_back",)
    (every,) = assuming.completed([StatedRule("never if", ("any",), when)], ())
    assert (every.tools, every.assumed) == ((), ())
    with pytest.raises(WorkbenchError, match="Say whether it is “only if” or “never if”"):
        assuming.completed([StatedRule("", (), ("amount is exactly 20",))], ())
    bench.words.rules("Money goes back", [told])
    (made,) = [one for one in bench.session.assumptions if "Money goes back" in one.statement]
    assert told.assumed[0] in made.statement
    bench.close()


def test_a_rule_that_is_given_to_a_heading_is_a_rule(folder: Path) -> None:
    bench = Workbench.open(folder)
    bench.words.rules("Paying back", [PersonRule(Effect.FORBID, ("send_mail",), ())])
    sentence = bench.words.sentences.named("Paying back")
    assert sentence.role is SentenceRole.REQUIREMENT
    assert "forbid_send_mail" in [rule.name for rule in bench.policy.terms().rules]
    assert bench.editing.undo()
    assert bench.words.sentences.named("Paying back").role is SentenceRole.CONTEXT
    bench.close()


def test_what_a_sentence_was_said_to_state_holds_where_other_facts_would_read_it(tmp_path: Path) -> None:
    request = "The fee must be at most 40 EUR.\n"
    bench = Workbench(Session.create(tmp_path / "s", request, SPEC))
    bench.request.redraft()
    assert bench.words.sentences.named("1").role is SentenceRole.OPEN
    bench.words.rules("1", [PersonRule(Effect.FORBID, ("check_person",), ())])
    fee = Argument("fee", ArgumentType(Kind.DECIMAL), "the fee in EUR")
    spec = replace(bench.session.spec, arguments=(*SPEC.arguments, fee))
    read = RulesAuthor().draft(request, spec, {})
    assert [one.role for one in read.sentences] == [SentenceRole.REQUIREMENT]
    assert "fee > Decimal" in read.policy
    bench.session.set_spec(spec, "the fee")
    policy = bench.request.draft().policy
    assert "fee:" not in policy
    assert 'tool == "check_person"' in policy
    bench.close()


def test_a_synonym_and_a_fact_are_kept_in_the_agent_spec(folder: Path) -> None:
    bench = Workbench.open(folder)
    bench.words.choose("1", "money goes back", "pay_back")
    assert bench.session.spec.synonyms == {"money goes back": "pay_back"}
    assert any(word.role is WordRole.TOOL for word in bench.words.open("Money goes back").words)
    bench.words.choose("1", "gets money", "check_person")  # the name of a tool, and words of facts
    assert bench.session.spec.synonyms["gets money"] == "check_person"
    assert bench.session.spec.arguments == SPEC.arguments
    bench.words.choose("Money goes back", "checked", "role of the user")
    named = bench.session.spec.synonyms["checked"]
    declared = next(one for one in bench.session.spec.arguments if one.name == named)
    assert declared.extraction is not None
    bench.words.choose("Money goes back", "parcels", "nothing")
    word = next(
        opened_word
        for opened_word in bench.words.open("Money goes back").words
        if opened_word.text == "parcels"
    )
    assert (word.role, word.meaning) == (WordRole.ADDS_NOTHING, "a person said so")
    assert [one.value for one in bench.session.assumptions] == ["nothing"]
    with pytest.raises(WorkbenchError):
        bench.words.choose("1", "cash desk", "no such thing")
    with pytest.raises(WorkbenchError):
        bench.words.choose("Money goes back", "elephants", "nothing")
    bench.close()


def test_a_word_that_adds_nothing_lets_a_sentence_be_read(tmp_path: Path) -> None:
    request = "Kindly pay_back must not be used.\n"
    bench = Workbench(Session.create(tmp_path / "s", request, SPEC))
    bench.request.redraft()
    assert bench.words.sentences.named("1").role is SentenceRole.OPEN
    bench.words.choose("1", "Kindly", "nothing")
    assert bench.words.sentences.named("1").role is SentenceRole.REQUIREMENT
    bench.close()


def test_a_sentence_is_opened_in_the_words_that_a_person_said_in_its_place(tmp_path: Path) -> None:
    bench = Workbench(Session.create(tmp_path / "s", "Money goes back only for parcels.\n", SPEC))
    bench.request.redraft()
    (question,) = (
        open_question for open_question in bench.questions.understand().open if open_question.free_text
    )
    bench.questions.say(question, "Kindly pay_back must not be used.")
    opened = bench.words.open("1")
    assert [word.text for word in opened.words][:2] == ["Kindly", "pay_back"]
    told = bench.words.plans.with_rules(
        bench.words.plans.present(), "1", [PersonRule(Effect.FORBID, ("pay_back",), ())], bench.words.book()
    )
    assert [one.statement for one in told.assumptions] == [
        "“Kindly pay_back must not be used.” states: never pay_back."
    ]
    with pytest.raises(WorkbenchError):
        bench.words.choose("1", "Money", "nothing")
    bench.words.choose("1", "Kindly", "nothing")
    assert bench.words.sentences.named("1").role is SentenceRole.REQUIREMENT
    assert 'tool == "pay_back"' in bench.session.policy
    bench.close()


def test_a_rule_says_which_words_of_its_sentence_it_leaves_out(tmp_path: Path) -> None:
    request = "Support clerks may send_mail bob's friends.\n"
    bench = Workbench(Session.create(tmp_path / "s", request, SPEC))
    bench.request.redraft()
    opened = bench.words.open("1").rules
    told = opened[0]
    assert told.left_out[0] == "Support clerks"
    assert not any("mail" in words for words in told.left_out)
    assert told.offered == f"{told.sentence}; left out: {', '.join(told.left_out)}"
    bench.words.rules("1", [told])
    (made,) = bench.session.assumptions
    assert made.statement.endswith(f"states: {told.offered}.")
    own = bench.words.person_rule("1", StatedRule("never", ("send_mail",), ()))
    assert own.left_out == (), "a person's own rule"
    bench.close()


def test_answers_of_a_file_are_taken_at_once(folder: Path) -> None:
    entries, settings = read_answers(ANSWERS, "answers.toml")
    bench = Workbench.open(folder)
    taken = bench.answers.take(entries, settings, None)
    assert taken.refused == ()
    assert sorted(entry.choices for entry in taken.taken) == [1, 3, 3]
    assert allowed(bench) == [2, 4]
    assert bench.questions.understand().open == ()
    bench.close()


def test_a_fact_that_a_file_does_not_name_in_full_is_said_with_what_is_assumed(folder: Path) -> None:
    text = '["goes back only"]\nrule = "never if"\ntools = ["send_mail"]\nwhen = ["role user is clerk"]'
    entries, settings = read_answers(text, "answers.toml")
    bench = Workbench.open(folder)
    taken = bench.answers.take(entries, settings, None)
    assert taken.assumed == (("goes back only", "it speaks of “role of the user”"),)
    bench.close()


def test_the_answers_of_a_file_are_one_change_with_the_cases_of_the_policy_that_all_of_them_make(
    folder: Path,
) -> None:
    chosen = '"The desk sends parcels" = "It is a rule, and I write it in policy.py"'
    entries, settings = read_answers(
        ANSWERS.replace('"The desk sends parcels" = "It is context, not a rule"', chosen), "answers.toml"
    )
    bench = Workbench.open(folder)
    before = bench.session.policy, bench.session.cases, bench.session.assumptions
    counts: list[tuple[int, int]] = []
    taken = bench.answers.take(entries, settings, None, lambda done, total: counts.append((done, total)))
    assert len(taken.taken) == 3
    assert counts == [(1, 3), (2, 3), (3, 3)]
    made = bench.request.cases_of(bench.request.draft(), bench.request.assumptions, bench.session.policy)
    assert bench.session.cases == made != before[1]
    bench.session.undo()
    assert (bench.session.policy, bench.session.cases, bench.session.assumptions) == before
    bench.close()


def test_a_key_of_a_file_may_be_the_id_of_a_question_whose_rules_the_file_does_not_tell(folder: Path) -> None:
    bench = Workbench.open(folder)
    (asked,) = (one for one in bench.questions.understand().open if "goes back only" in one.quote)
    by_hand = f'"{asked.id}" = "It is a rule, and I write it in policy.py"'
    told = bench.answers.take(*read_answers(by_hand + ANSWERS, "answers.toml"), None)
    assert [entry.about for entry, _ in told.refused] == [asked.id]
    assert allowed(bench) == [2, 4]
    bench.session.undo()
    alone = bench.answers.take(*read_answers(by_hand, "answers.toml"), None)
    assert alone.refused == ()
    assert asked.id not in {one.id for one in bench.questions.understand().open}
    bench.close()


def test_an_option_about_a_sentence_never_takes_the_place_of_the_rules_that_the_file_tells_of_it(
    folder: Path,
) -> None:
    entries, settings = read_answers('"goes back only" = "It is meant so"' + ANSWERS, "answers.toml")
    bench = Workbench.open(folder)
    taken = bench.answers.take(entries, settings, None)
    assert [entry.about for entry, _ in taken.refused] == ["goes back only"]
    assert allowed(bench) == [2, 4]
    bench.close()


def test_what_a_file_says_of_nothing_is_refused_and_the_rest_is_taken(folder: Path) -> None:
    text = f"""
    "Elephants" = "It is context, not a rule"
    {ANSWERS}
    """
    text += '[["The desk sends"]]\nrule = "never if"\nwhen = ["the moon is full"]\n'
    entries, settings = read_answers(
        text.replace('"The desk sends parcels" =', '"Parcels" ='), "answers.toml"
    )
    bench = Workbench.open(folder)
    taken = bench.answers.take(entries, settings, None)
    assert {entry.about for entry, _ in taken.refused} == {"Elephants", "The desk sends", "Parcels"}
    assert all(why.count("\n") == 0 for _, why in taken.refused)
    assert allowed(bench) == [2, 4]
    bench.close()


@pytest.mark.parametrize(
    "text",
    [
        "x =",
        '"a" = 3',
        '["a"]\nrule = "never"\nwhat = "b"',
        "[settings]\nx = 3",
        '["a"]\nwords = {}',
        '"a" = []',
    ],
)
def test_a_file_that_is_no_answers_is_refused(text: str, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "answers.toml"
    path.write_text(text, encoding="utf-8")
    before = (folder / "assumptions.toml").read_text() if (folder / "assumptions.toml").exists() else ""
    assert main(["answer", str(folder), "--file", str(path)]) in (1, 2)
    after = (folder / "assumptions.toml").read_text() if (folder / "assumptions.toml").exists() else ""
    assert before == after


def test_the_command_line_opens_tries_and_keeps(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["word", str(folder)]) == 0
    assert "Money goes back" in capsys.readouterr().out
    assert main(["word", str(folder), "Money goes back"]) == 0
    shown = capsys.readouterr().out
    assert "not understood" in shown
    assert "adds nothing here" in shown
    rule = [
        "word",
        str(folder),
        "Money goes back",
        "--rule",
        "only if",
        "--tool",
        "pay_back",
        "--when",
        CHECKED,
    ]
    for name in ("--preview", "--try"):
        assert main([*rule, name]) == 0
        shown = capsys.readouterr().out
        (said,) = [line for line in shown.splitlines() if line.startswith("Newly allowed, for example: ")]
        assert "pay_back" in said
        assert "3 recorded calls would turn." in shown
    assert main(["word", str(folder), "40 euros", "gets", "--as", "nothing", "--try"]) == 0
    assert "not read with it yet" in capsys.readouterr().out
    assert Session.open(folder, read_only=True).assumptions == ()
    assert main([*rule[:3], *rule[-4:], "--try"]) == 0  # the form is assumed
    assert "assumed: “only if”, which denies 1 of 4 recorded calls" in capsys.readouterr().out
    assert main(rule) == 0
    shown = capsys.readouterr().out
    assert "3 calls deny → allow" in shown
    assert "run-1 call 2: deny → allow" in shown
    assert main(["word", str(folder), "40 euros", "gets", "--as", "nothing"]) == 0
    assert main(["word", str(folder), "--facts", "role user"]) == 0
    assert "role of the user" in capsys.readouterr().out
    assert main(["word", str(folder), "no such words"]) == 2
    assert main(["word", str(folder), "Money", "--rule", "perhaps"]) == 2
    assert main(["word", str(folder), "Money", "goes", "--as", "99"]) == 2


def test_a_sentence_is_found_by_its_own_words_and_by_those_that_a_person_said_in_its_place(
    folder: Path,
) -> None:
    bench = Workbench.open(folder)
    (question,) = [
        open_question
        for open_question in bench.questions.understand().open
        if "Nobody gets" in open_question.quote
    ]
    first = bench.words.sentences.named("Nobody gets more")
    bench.questions.answer(question, "Nobody receives a sum beyond 40 euros.")
    assert bench.words.sentences.named("Nobody receives a sum") == first
    assert bench.words.sentences.named("Nobody gets more") == first
    with pytest.raises(WorkbenchError, match="No sentence has"):
        bench.words.sentences.named("Nobody knows")
    bench.close()


def test_of_several_sentences_with_the_words_it_is_the_one_that_is_written_with_them_exactly(
    tmp_path: Path,
) -> None:
    request = "On wed the desk is shut.\n\nThe desk opens WED at noon.\n"
    with_both = Workbench(Session.create(tmp_path / "desk", request, SPEC))
    assert "noon" in with_both.words.sentences.named("WED").text
    assert "shut" in with_both.words.sentences.named("wed").text
    with pytest.raises(WorkbenchError, match="Several sentences"):
        with_both.words.sentences.named("Wed")
    with_both.close()


def test_a_question_is_about_the_sentence_that_holds_its_words() -> None:
    sentences = [Sentence("text", Span(start, start + 9), SentenceRole.OPEN) for start in (0, 10)]
    places = (Span(10, 19), Span(12, 15), Span(0, 19), Span(30, 31))
    option = Option("a", "a", "a", "a")
    questions = [Question(f"q{place}", "kind", "text", "text", place, (option,), "a") for place in places]
    assert [number_about(sentences, question) for question in questions] == [2, 2, 0, 0]
