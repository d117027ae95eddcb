"""An answer is previewed before it is stored; skipping and rejecting leave a question open."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.model import SentenceRole, WorkbenchError

SESSION = Path(__file__).parents[2] / "sessions" / "web-shopping"
QUESTION = "contradiction:bb44d4ba"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SESSION, tmp_path / "session"))


@pytest.fixture
def bench(folder: Path) -> Iterator[Workbench]:
    opened = Workbench.open(folder)
    for item in opened.session.assumptions:
        opened.questions.retract(item.question)
    yield opened
    opened.close()


def test_a_preview_is_what_the_answer_then_does_and_stores_nothing(bench: Workbench) -> None:
    logs = bench.runs.load()
    (question,) = bench.questions.understand(logs=logs).open
    before = bench.session.policy
    preview = bench.questions.preview(question, "message", logs)
    assert bench.session.policy == before
    assert bench.session.assumptions == ()
    assert [clause.requirements for clause in preview.added] == [("R6",)]
    assert preview.change.semantic.newly_allowed
    flipped = [
        flip for flip in preview.change.flips if flip.old.decision.verdict != flip.new.decision.verdict
    ]
    assert flipped
    bench.questions.answer(question, "message")
    assert bench.session.policy == preview.policy
    back = bench.questions.preview(question, None, logs)
    assert back.change.semantic.newly_denied


def test_a_skipped_question_stays_open_and_is_asked_last(bench: Workbench) -> None:
    bench.session.set_request(f"{bench.session.request}\n\nUsers over 65 may not book a hotel.\n")
    first = bench.questions.understand().open[0]
    bench.questions.skip(first)
    understanding = bench.questions.understand()
    assert len(understanding.open) == 2
    assert understanding.open[-1].id == first.id
    assert understanding.answered == ()


def test_where_no_reading_is_meant_the_sentence_is_read_in_other_words(bench: Workbench) -> None:
    (question,) = bench.questions.understand().open
    bench.questions.reject(question)
    (open_question,) = bench.questions.understand().open
    assert (open_question.kind, open_question.blocking, open_question.free_text) == ("rewrite", True, True)
    bench.questions.answer(open_question, "Only vaccinated users may book a flight.")
    understanding = bench.questions.understand()
    assert understanding.open == ()
    profile = {"domestic": True, "dr_license": True, "membership": True, "age": 30, "action": "book_flight"}
    from workbench.engines.compiled.compile import compile_policy

    policy = compile_policy(bench.policy.terms())
    assert policy.allows({**profile, "vaccine": True})
    assert not policy.allows({**profile, "vaccine": False})


def test_a_question_about_no_sentence_cannot_be_said_in_other_words(bench: Workbench) -> None:
    bench.session.set_request(bench.session.request.replace("All other actions are allowed.", ""))
    question = next(
        open_question
        for open_question in bench.questions.understand().open
        if open_question.kind == "default-decision"
    )
    with pytest.raises(WorkbenchError, match="no single sentence"):
        bench.questions.reject(question)


def test_an_explanation_shows_where_the_paths_of_the_readings_part(bench: Workbench) -> None:
    (question,) = bench.questions.understand().open
    first, second = bench.questions.explain(question).readings
    assert {first.verdict, second.verdict} == {"allow", "deny"}
    parting = [a.rule for a, b in zip(first.path, second.path, strict=True) if a.fired != b.fired]
    assert parting == ["forbid_book_flight_by_vaccine"]


def test_the_refined_request_names_every_sentence_and_its_assumption(bench: Workbench) -> None:
    (question,) = bench.questions.understand().open
    bench.questions.answer(question, "message")
    understanding = bench.questions.understand()
    refined = bench.questions.refined(understanding)
    assert [sentence.written for sentence in refined.sentences] == [
        sentence.text for sentence in understanding.draft.sentences
    ]
    assumed = [sentence for sentence in refined.sentences if sentence.assumptions]
    assert [item.question for refined_sentence in assumed for item in refined_sentence.assumptions] == [
        QUESTION
    ]
    assert assumed[0].role is SentenceRole.REQUIREMENT
    assert "is meant, not the condition" in refined.markdown("a | title")
    assert "a \\| title" in refined.markdown("a | title")


def test_arguments_of_an_undeclared_spec_are_those_of_the_draft(bench: Workbench) -> None:
    from dataclasses import replace

    spec = bench.session.spec
    bench.session.set_spec(replace(spec, arguments=()))
    bench.session.set_request("Never call book_seat.\nEverything else is allowed.\n")
    assert [argument.name for argument in bench.runs.arguments()] == ["tool"]


def test_the_command_line_previews_skips_explains_and_exports(
    folder: Path, bench: Workbench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.close()
    path = str(folder)
    assert main(["answer", path, QUESTION, "message", "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["added"][0]["requirements"] == ["R6"]
    assert main(["ask", path, "--explain", QUESTION]) == 0
    assert "forbid_book_flight_by_vaccine fires" in capsys.readouterr().out
    assert main(["answer", path, QUESTION, "--skip"]) == 0
    capsys.readouterr()
    assert main(["ask", path, "--json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert [question["id"] for question in shown["open"]] == [QUESTION]
    assert sum(shown["coverage"]["counts"].values()) == len(shown["coverage"]["sentences"])
    assert main(["request", path, "--output", str(folder / "refined.md")]) == 0
    assert (folder / "refined.md").read_text(encoding="utf-8").startswith("# ")
    assert main(["answer", path, QUESTION, "--skip", "--dry-run"]) == 2


@pytest.fixture
def unread(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """A session whose request has a sentence that cannot be read; its folder."""
    (tmp_path / "request.md").write_text("Never be odd.\n\nEverything else is allowed.\n", encoding="utf-8")
    command = ["new", str(tmp_path / "made"), "--request", str(tmp_path / "request.md")]
    assert main([*command, "--agent", str(SESSION / "agent.toml")]) == 0
    capsys.readouterr()
    return str(tmp_path / "made")


def test_own_words_are_read_or_said_to_be_unreadable_and_stay_open(
    unread: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", unread]) == 1
    assert "your own words, in quotes" in capsys.readouterr().out
    assert main(["answer", unread, "unreadable", "Never be peculiar."]) == 1
    shown = capsys.readouterr().out
    assert "cannot be read either; the question is still open" in shown
    assert "Never be peculiar." in shown
    assert main(["ask", unread, "--json"]) == 1
    (question,) = json.loads(capsys.readouterr().out)["open"]
    assert question["quote"] == "Never be peculiar."
    assert main(["answer", unread, "unreadable", "Users under 18 may not book a hotel."]) == 0
    shown = capsys.readouterr().out
    assert "Read as:" in shown
    assert "def forbid_book_hotel_by_age" in shown
    assert main(["ask", unread, "--json"]) == 1
    output = json.loads(capsys.readouterr().out)
    assert [question["kind"] for question in output["open"]] == ["boundary"]
    (answered,) = output["answered"]
    assert answered["assumption"]["value"] == "Users under 18 may not book a hotel."
    assert output["coverage"]["counts"]["open"] == 0
    assert main(["answer", unread, "boundary", "included", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["heard"] is None
    assert main(["undo", unread]) == 0


def test_an_empty_answer_is_refused_with_the_values_that_count(
    folder: Path, bench: Workbench, unread: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.close()
    assert main(["answer", str(folder), QUESTION, ""]) == 2
    assert "is empty; answer with one of: condition, message" in capsys.readouterr().err
    assert main(["answer", unread, "unreadable", " "]) == 2
    assert "is empty; say the sentence in other words" in capsys.readouterr().err


def test_assumptions_are_listed_with_who_when_and_what_they_touch(
    folder: Path, bench: Workbench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.close()
    path = str(folder)
    assert main(["assumptions", path]) == 0
    assert "Nothing is assumed yet" in capsys.readouterr().out
    assert main(["answer", path, QUESTION, "message"]) == 0
    capsys.readouterr()
    assert main(["assumptions", path, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["made_by"], row["question"], row["value"]) == ("human", QUESTION, "message")
    assert [sentence["requirements"] for sentence in row["sentences"]] == [["R6"]]
    assert set(row["options"]) == {"condition", "message"}
    assert main(["assumptions", path]) == 0
    shown = capsys.readouterr().out
    assert "made by human on 20" in shown
    assert "condition" in shown
    assert main(["answer", path, QUESTION, "condition", "--preview", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["replay"]["changed"]


def test_an_assumption_that_the_request_asks_no_more_can_still_be_removed(
    folder: Path, bench: Workbench, capsys: pytest.CaptureFixture[str]
) -> None:
    (question,) = bench.questions.understand().open
    bench.questions.answer(question, "message")
    bench.session.set_request("Users under 18 may not book a hotel.\nEverything else is allowed.\n")
    bench.close()
    assert main(["assumptions", str(folder)]) == 0
    assert "asks this no more" in capsys.readouterr().out
    assert main(["answer", str(folder), QUESTION, "--retract"]) == 0
    assert main(["answer", str(folder), QUESTION, "--retract"]) == 2
    assert "there is none" in capsys.readouterr().err
