"""A changed request is carried into a policy that a person edited, and into the answers; nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from tests.question_ids import bound
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.engines.compiled.compile import compile_policy
from workbench.model import AgentSpec, Argument, ArgumentType, Kind, WorkbenchError
from workbench.policy.renumber import renumber
from workbench.session import FILES, Session
from workbench.session.redrafting import moved

HOTEL = "Users under 18 may not book a hotel."
CAR = "Users under 21 may not rent a car."
REST = "Everything else is allowed."
SPEC = AgentSpec(
    "shop",
    arguments=(
        Argument("age", ArgumentType(Kind.INT), "the user's age in years"),
        Argument("action", ArgumentType(Kind.ENUM, ("book_hotel", "rent_car", "buy_wine")), "what is done"),
    ),
)


def request_of(*sentences: str) -> str:
    return "\n\n".join(sentences) + "\n"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    opened = Workbench(Session.create(tmp_path / "shop", request_of(HOTEL, CAR, REST), SPEC))
    opened.request.redraft()
    yield opened
    opened.close()


def answer(bench: Workbench, question_id: str, value: str) -> None:
    question = next(
        asked_question
        for asked_question in bench.questions.understand().questions
        if asked_question.id == question_id
    )
    bench.questions.answer(question, value)


def allows(bench: Workbench, action: str, age: int) -> bool:
    return compile_policy(bench.policy.terms()).allows({"action": action, "age": age})


def edit(bench: Workbench, old: str, new: str) -> None:
    assert old in bench.session.policy
    bench.session.set_policy(bench.session.policy.replace(old, new))


def test_a_sentence_that_is_added_reaches_a_policy_that_a_person_edited(bench: Workbench) -> None:
    edit(bench, "age <= 18", "age <= 19")
    changed = bench.request.set(request_of("Users under 16 may not buy wine.", HOTEL, CAR, REST))
    assert changed.conflicts == ()
    assert not allows(bench, "buy_wine", 15)
    assert not allows(bench, "book_hotel", 19)  # the person's edit
    assert allows(bench, "book_hotel", 20)
    assert "R2: Users under 18" in bench.session.policy
    clauses = {id_ for clause in bench.policy.terms().clauses for id_ in clause.requirements}
    assert {"R1", "R2", "R3"} <= clauses


def test_a_sentence_that_is_taken_out_leaves_the_policy_and_what_a_person_wrote_stays(
    bench: Workbench,
) -> None:
    rule = '''def forbid_minor_wine(action: Action, age: int) -> bool:
    """No wine for the young."""
    return action == "buy_wine" and age < 18


def allow('''
    edit(bench, "def allow(", rule)
    edit(bench, "return not (", "return not (forbid_minor_wine(action, age) or ")
    changed = bench.request.set(request_of(CAR, REST))
    assert changed.conflicts == ()
    assert allows(bench, "book_hotel", 3)
    assert not allows(bench, "rent_car", 20)
    assert not allows(bench, "buy_wine", 17)


def test_what_both_changed_stays_the_persons_and_is_reported(bench: Workbench) -> None:
    edit(bench, "age <= 18", "age <= 19")
    changed = bench.request.set(request_of(HOTEL.replace("18", "20"), CAR, REST))
    assert any(conflict.name.startswith("forbid_book_hotel") for conflict in changed.conflicts)
    assert "age <= 19" in bench.session.policy


def test_an_answer_stays_with_its_sentence(bench: Workbench) -> None:
    answer(bench, bound(HOTEL, "age"), "excluded")
    assert allows(bench, "book_hotel", 18)
    changed = bench.request.set(request_of("Users under 16 may not buy wine.", CAR, HOTEL, REST))
    (assumption,) = bench.session.assumptions
    assert (assumption.question, assumption.requirements) == (bound(HOTEL, "age"), ("R3",))
    assert changed.dropped == ()
    assert allows(bench, "book_hotel", 18)
    assert not allows(bench, "buy_wine", 16)
    assert not allows(bench, "rent_car", 21)


def test_an_answer_about_a_sentence_that_is_gone_is_dropped_and_said(bench: Workbench) -> None:
    answer(bench, bound(HOTEL, "age"), "excluded")
    changed = bench.request.set(request_of(CAR, REST))
    assert [assumption.question for assumption in changed.dropped] == [bound(HOTEL, "age")]
    assert bench.session.assumptions == ()
    assert not allows(bench, "rent_car", 21)


def test_own_words_do_not_move_an_answer_to_another_sentence(bench: Workbench) -> None:
    bench.request.set(request_of("Youngsters must not frobnicate wine.", HOTEL, CAR, REST))
    answer(bench, bound(HOTEL, "age"), "excluded")
    (unread,) = [question for question in bench.questions.understand().open if question.blocking]
    bench.questions.answer(unread, "Users under 16 may not buy wine.")
    assert allows(bench, "book_hotel", 18)
    assert not allows(bench, "buy_wine", 16)
    bench.questions.retract(unread.id)
    assert allows(bench, "book_hotel", 18)


def test_answers_stay_with_their_sentences_whatever_comes_goes_or_moves(bench: Workbench) -> None:
    answer(bench, bound(HOTEL, "age"), "excluded")
    answer(bench, bound(CAR, "age"), "included")
    both = {bound(HOTEL, "age"): "excluded", bound(CAR, "age"): "included"}
    wine = "Users under 16 may not buy wine."
    for request in (
        request_of(CAR, HOTEL, REST),
        request_of(wine, HOTEL, CAR, REST),
        request_of(HOTEL, wine, CAR, REST),
        request_of(f"Youngsters must not frobnicate wine.\n\n{CAR}", HOTEL, REST),
    ):
        assert bench.request.set(request).dropped == ()
        assert {assumption.question: assumption.value for assumption in bench.session.assumptions} == both
        assert not {question.id for question in bench.questions.understand().open} & set(both)
        assert allows(bench, "book_hotel", 18)
        assert not allows(bench, "rent_car", 21)
        bench.session.undo()
        assert {assumption.question: assumption.value for assumption in bench.session.assumptions} == both


def test_taking_an_answer_back_and_undoing_it_moves_no_other_answer(bench: Workbench) -> None:
    odd = "Youngsters must not frobnicate wine."
    bench.request.set(request_of(odd, HOTEL, CAR, REST))
    answer(bench, bound(CAR, "age"), "excluded")
    (unread,) = [question for question in bench.questions.understand().open if question.blocking]
    bench.questions.answer(unread, "Users under 16 may not buy wine.")
    answer(bench, bound(odd, "age"), "excluded")
    assumptions = bench.session.assumptions
    bench.questions.retract(unread.id)
    assert {assumption.question for assumption in bench.session.assumptions} == {
        bound(CAR, "age"),
        bound(odd, "age"),
    }
    assert (allows(bench, "rent_car", 21), allows(bench, "buy_wine", 3)) == (True, True)
    bench.questions.answer(unread, "Users under 16 may not buy wine.")
    assert not [
        question for question in bench.questions.understand().open if question.id == bound(odd, "age")
    ]
    bench.session.undo()
    bench.session.undo()
    assert bench.session.assumptions == assumptions
    assert (allows(bench, "buy_wine", 16), allows(bench, "buy_wine", 15)) == (True, False)


def test_a_changed_request_is_undone_as_one_change_with_all_that_followed(bench: Workbench) -> None:
    answer(bench, bound(HOTEL, "age"), "excluded")
    session = bench.session
    before = (session.request, session.policy, session.cases, session.assumptions, session.drafted)
    bench.request.set(request_of("Users under 16 may not buy wine.", HOTEL, REST))
    session.undo()
    assert before == (session.request, session.policy, session.cases, session.assumptions, session.drafted)
    bench.request.set(request_of(HOTEL, CAR, REST, "Nobody may buy wine."))
    assert not allows(bench, "buy_wine", 50)


def test_a_request_edited_by_another_program_is_drafted_into_the_edited_policy(
    bench: Workbench, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(bench, bound(CAR, "age"), "excluded")
    edit(bench, "age <= 18", "age <= 19")
    folder = bench.session.path
    bench.close()
    text = request_of("Users under 16 may not buy wine.", HOTEL, CAR, REST)
    (folder / "request.md").write_text(text, encoding="utf-8")
    assert main(["draft", str(folder)]) == 0
    assert "Drafted." in capsys.readouterr().out
    with Session.open(folder) as session:
        again = Workbench(session)
        assert [assumption.question for assumption in session.assumptions] == [bound(CAR, "age")]
        assert not allows(again, "book_hotel", 19)
        assert allows(again, "rent_car", 21)
        assert not allows(again, "buy_wine", 16)
    assert main(["draft", str(folder)]) == 0
    assert "already has" in capsys.readouterr().out


def test_a_conflict_is_printed_with_both_texts(bench: Workbench, capsys: pytest.CaptureFixture[str]) -> None:
    edit(bench, "age <= 18", "age <= 19")
    folder = bench.session.path
    bench.close()
    (folder / "request.md").write_text(request_of(HOTEL.replace("18", "20"), CAR, REST), encoding="utf-8")
    assert main(["draft", str(folder)]) == 1
    shown = capsys.readouterr().out
    assert "age <= 19" in shown.split("Kept your edit", 1)[1]
    assert "+    return action" in shown
    assert "age <= 20" in shown


def test_a_policy_that_cannot_be_read_waits_for_its_mending(bench: Workbench) -> None:
    bench.request.set(request_of(HOTEL, CAR, REST, "Nobody may buy wine."), carry=False)
    assert allows(bench, "buy_wine", 50)
    bench.request.redraft()
    assert not allows(bench, "buy_wine", 50)


def test_a_kept_draft_that_is_missing_is_kept_again_where_nothing_is_doubtful(bench: Workbench) -> None:
    answer(bench, bound(HOTEL, "age"), "excluded")
    drafted = bench.session.drafted
    folder = bench.session.path
    bench.close()
    (folder / "draft.toml").unlink()
    with Session.open(folder) as session:
        assert session.drafted is None
        assert Workbench(session).request.redraft().conflicts == ()
        assert [assumption.question for assumption in session.assumptions] == [bound(HOTEL, "age")]
        assert session.drafted == drafted


@pytest.mark.parametrize(
    ("damage", "reason"),
    [("{", "line|TOML"), ("policy = 3\n", "must be a string"), ("x = 1\n", "unknown key")],
)
def test_a_kept_draft_that_is_damaged_is_refused_by_name(bench: Workbench, damage: str, reason: str) -> None:
    folder = bench.session.path
    bench.close()
    (folder / "draft.toml").write_text(damage, encoding="utf-8")
    with pytest.raises(WorkbenchError, match=f"^draft.toml:1.*({reason})"):
        Session.open(folder)


def cloned(bench: Workbench, to: Path) -> Path:
    """The session as git copies it: without the hidden folder."""
    bench.close()
    return Path(copytree(bench.session.path, to, ignore=ignore_patterns(".workbench")))


def test_a_request_edited_in_a_fresh_clone_is_carried_into_a_policy_that_was_edited_there(
    bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(bench, "age <= 18", "age <= 19")
    folder = cloned(bench, tmp_path / "clone")
    text = request_of("Users under 16 may not buy wine.", HOTEL, CAR.replace("21", "25"), REST)
    (folder / "request.md").write_text(text, encoding="utf-8")
    policy = (folder / "policy.py").read_text(encoding="utf-8")
    (folder / "policy.py").write_text(policy.replace("Users under 18", "Guests under 18"), encoding="utf-8")
    assert main(["draft", str(folder)]) == 0
    assert "Drafted." in capsys.readouterr().out
    with Session.open(folder) as session:
        again = Workbench(session)
        assert not allows(again, "book_hotel", 19)
        assert "Guests under 18" in session.policy
        assert not allows(again, "buy_wine", 15)
        assert not allows(again, "rent_car", 24)
    assert main(["draft", str(folder)]) == 0
    assert f"own edits of the policy: 'workbench diff {folder} draft current'" in capsys.readouterr().out


def test_nothing_is_kept_silently_where_nobody_knows_what_was_drafted(
    bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = cloned(bench, tmp_path / "clone")
    (folder / "draft.toml").unlink()
    (folder / "request.md").write_text(request_of(HOTEL, CAR.replace("21", "25"), REST), encoding="utf-8")
    before = (folder / "policy.py").read_text(encoding="utf-8")
    assert main(["draft", str(folder)]) == 1
    assert (folder / "policy.py").read_text(encoding="utf-8") == before
    shown = capsys.readouterr().out
    assert "draft.toml is missing" in shown
    assert "Users under 25 may not rent a car." in shown.split("Kept: forbid_rent_car", 1)[1]
    assert f"'workbench draft {folder} --discard-edits'" in shown
    assert main(["draft", str(folder), "--discard-edits"]) == 0
    with Session.open(folder) as session:
        assert not allows(Workbench(session), "rent_car", 24)
    assert main(["undo", str(folder)]) == 0
    assert (folder / "policy.py").read_text(encoding="utf-8") == before


def test_an_answer_in_a_session_without_a_kept_draft_says_which_edits_it_keeps(
    bench: Workbench, tmp_path: Path
) -> None:
    edit(bench, "age <= 21", "age <= 22")
    folder = cloned(bench, tmp_path / "clone")
    (folder / "draft.toml").unlink()
    with Session.open(folder) as session:
        again = Workbench(session)
        wanted = bound(HOTEL, "age")
        question = next(
            asked_question
            for asked_question in again.questions.understand().questions
            if asked_question.id == wanted
        )
        changed = again.questions.answer(question, "excluded")
        assert allows(again, "book_hotel", 18)
        assert not allows(again, "rent_car", 22)
        (merge_conflict,) = changed.conflicts
        assert (merge_conflict.doubtful, "age <= 22" in (merge_conflict.ours or "")) == (True, True)
        assert session.drafted is not None


@pytest.mark.parametrize("name", ["hospital-access", "web-shopping"])
def test_every_answer_that_is_taken_back_leaves_the_files_as_they_were(name: str, tmp_path: Path) -> None:
    shipped = Path(__file__).resolve().parents[2] / "sessions" / name
    folder = copytree(shipped, tmp_path / name, ignore=ignore_patterns(".workbench"))
    with Session.open(folder) as session:
        bench = Workbench(session)
        for assumption in session.assumptions:
            bench.questions.retract(assumption.question)
        questions = bench.questions.understand().questions
        assert questions
        for question in questions:
            for option in question.options:
                before = {file: session.text(file) for file in FILES}
                bench.questions.answer(question, option.value)
                bench.questions.retract(question.id)
                assert {file: session.text(file) for file in FILES} == before


def test_requirements_are_matched_by_words_and_order() -> None:
    moved_answers = moved({"R1": "a", "R2": "b", "R3": "c"}, {"R1": "x", "R2": "a", "R3": "c"})
    assert (moved_answers.ids["R1"], moved_answers.ids["R3"]) == ("R2", "R3")
    assert moved_answers.same == {"R1", "R3"}
    assert moved_answers.ids["R2"] not in {"R1", "R2", "R3"}
    swapped = moved({"R1": "a", "R2": "b"}, {"R1": "b", "R2": "a"})
    assert (swapped.ids, swapped.same) == ({"R1": "R2", "R2": "R1"}, {"R1", "R2"})


def test_only_ids_at_the_head_of_comments_and_messages_are_renumbered() -> None:
    source = 'X = "R1: a"\n# R1, R2: text of R1\n    """R2: R1 is no id here."""\n'
    assert renumber(source, {"R1": "R2", "R2": "R3"}) == (
        'X = "R1: a"\n# R2, R3: text of R1\n    """R3: R1 is no id here."""\n'
    )
