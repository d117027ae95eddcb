"""What a session owes: an answer is in force, or it is listed with the reason and the act that mends it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.refund_desk import refund_desk
from workbench.app.in_force import OUTSIDE_DIALECT, Answers
from workbench.app.owed import Owed, OwedKind, not_in_force
from workbench.app.results import Understanding
from workbench.app.workbench import Workbench
from workbench.author.model.context_questions import CONTEXT, unread_sentence
from workbench.cli import main
from workbench.model import Assumption, Draft, Sentence, SentenceRole, Span

RULE = "run.context.refunds_today > 3\n"


def missing(bench: Workbench) -> tuple[Owed, ...]:
    """What is not in force by the check, which is what it is by every other reader."""
    found = bench.in_force.missing()
    assert not_in_force(bench.state().owed) == found
    return found


@pytest.fixture(scope="session")
def made_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The support desk with an answer to each question, made once."""
    return refund_desk(tmp_path_factory.mktemp("answered") / "refunds")


@pytest.fixture
def bench(made_desk: Path, tmp_path: Path) -> Iterator[Workbench]:
    """A copy of the support desk, where all is in force."""
    bench = Workbench.open(shutil.copytree(made_desk, tmp_path / "refunds"))
    assert missing(bench) == ()
    yield bench
    bench.close()


def edited_otherwise(bench: Workbench) -> None:
    """Answer a question otherwise, and make the policy again what it was before, as a person does."""
    answered = bench.questions.understand().answered
    question, answer = next(pair for pair in answered if len(pair[0].options) > 1)
    other = next(option.value for option in question.options if option.value != answer.value)
    before = bench.session.written
    bench.questions.answer(question, other)
    assert bench.session.written != before
    bench.session.set_policy(before)


def test_an_edit_away_from_an_answer_is_listed_until_it_is_answered_so(bench: Workbench) -> None:
    edited_otherwise(bench)
    (answer,) = missing(bench)
    assert answer.kind is OwedKind.ANSWER and "policy.py says otherwise" in answer.reason
    assert "--retract" in answer.mend
    assert not bench.in_force.understand().settled
    question = next(one for one in bench.questions.understand().questions if one.id == answer.name)
    bench.questions.answer(question, question.default)
    assert missing(bench) == ()


def test_a_policy_outside_the_dialect_is_not_good(bench: Workbench) -> None:
    text = bench.session.written
    bench.session.set_policy(text.replace(RULE, "run.context.refunds_today.bit_length() > 3\n"))
    report = bench.check()
    assert report.problems and report.exit_code == 1


@pytest.mark.parametrize(("old", "new"), [('key = "', 'kye = "'), ("[tools.", "[tool.")])
def test_a_draft_refuses_an_agent_file_that_cannot_be_used(
    old: str, new: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = Path(__file__).resolve().parents[2] / "sessions" / "hospital-access-model"
    folder = shutil.copytree(shipped, tmp_path / "model", ignore=shutil.ignore_patterns(".workbench"))
    path = folder / "agent.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert main(["draft", str(folder)]) == 2
    told = capsys.readouterr()
    assert "agent.toml:" in told.err and "already has" not in told.out


def test_a_file_that_went_bad_on_the_disk_is_named(bench: Workbench) -> None:
    path = bench.session.path / "agent.toml"
    path.write_text(path.read_text() + "broken = [")
    (file,) = missing(bench)
    assert file.kind is OwedKind.FILE and "TOML" in file.reason


def test_every_reader_says_it(bench: Workbench, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    edited_otherwise(bench)
    folder = str(bench.session.path)
    bench.close()
    for command in (["ask", folder], ["evidence", folder], ["report", folder]):
        code = main(command)
        told = capsys.readouterr().out
        assert "not in force" in told.lower() and "All good" not in told, command
        assert code == 1, command
    assert main(["export", folder, "--output", str(tmp_path / "out.py")]) == 1
    told = capsys.readouterr().err
    assert "Not in force" in told and "no accepted version" in told
    assert not (tmp_path / "out.py").exists()


@pytest.mark.parametrize(
    ("role", "value", "reason"),
    [
        (SentenceRole.OPEN, "Nothing is refunded at night.", "the draft has no rule for it"),
        (SentenceRole.REQUIREMENT, "Nothing is refunded at night.", OUTSIDE_DIALECT),
        (SentenceRole.OPEN, CONTEXT, OUTSIDE_DIALECT),
    ],
)
def test_an_answer_in_own_words_that_the_draft_does_not_read_is_listed(
    role: SentenceRole, value: str, reason: str
) -> None:
    text = "At night it sleeps."
    question = unread_sentence(text, Span(0, len(text)), "no_rule_at_all")
    draft = Draft((Sentence(text, question.span, role, ()),), (), (), "", questions=(question,))
    answer = Assumption.by_person(question.id, value, value)
    answers = Answers("desk", Understanding(draft, (question,), (answer,)))
    assert [one.reason for one in answers.owed()] == [reason]


def test_an_answer_to_what_is_asked_no_more_is_listed() -> None:
    answer = Assumption.by_person("reading:of-before", "a", "Rooms are no flights.")
    (owed,) = Answers("desk", Understanding(Draft((), (), (), ""), (), (answer,))).owed()
    assert owed.reason == "the request no longer asks what it answers" and "--retract" in owed.mend
