"""The line mode: every word by pipe and in a terminal, hostile text, interruptions, nothing lost."""

from __future__ import annotations

import io
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pexpect
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app.test_contradictions import archive
from tests.clarify.parcel_desk import CALLS, REQUEST, SPEC, log_text
from workbench.app.proof import Proving
from workbench.app.workbench import Workbench
from workbench.clean_text import clean
from workbench.cli.output import OutputClosedError
from workbench.cli.plain_mode import converse
from workbench.cli.plain_mode.commands import COMMANDS
from workbench.cli.plain_mode.conversation import Conversation
from workbench.cli.plain_mode.line_streams import PORTION, Lines
from workbench.cli.plain_mode.work import stoppable
from workbench.model import ClauseProof, Engine, Proof, ProofStatus, WorkbenchError
from workbench.policy.terms import PolicyTerms
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[3]
CHECKED = "check_person said passed before in the run for the person of the parcel"
HOSTILE = "[@click=app.quit]x[/] \x1b]52;c;cHduZWQ=\x07 \x1b[2J \x9b31m \x85 \x00 \x7f \u202e\u2066\u200b \\"
# A shell that starts the tests in the background passes on an ignored interrupt.
WITHOUT_PROVER = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from workbench.app.proof import Proving
Proving.start = lambda self: None
from workbench.cli import main
sys.exit(main(["open", "--plain", sys.argv[1]]))
"""


@pytest.fixture(scope="module")
def made_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session with two sentences that cannot be read, and a log."""
    folder = tmp_path_factory.mktemp("plain") / "desk"
    session = Session.create(folder, REQUEST, SPEC)
    (folder / "logs" / "run.jsonl").write_text(log_text(CALLS), encoding="utf-8")
    bench = Workbench(session)
    bench.request.redraft()
    bench.close()
    return folder


@pytest.fixture
def desk(made_desk: Path, tmp_path: Path) -> Path:
    """A copy of that session."""
    return Path(shutil.copytree(made_desk, tmp_path / "desk"))


@pytest.fixture(autouse=True)
def no_verifier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start no verifier: a proof ends at once, without a verdict."""
    monkeypatch.setattr(Proving, "start", _nothing)


def _nothing(proving: Proving) -> None:
    del proving


def talked(folder: Path, *words: str) -> list[str]:
    """The output for these lines, to their end."""
    target = io.StringIO()
    source = io.StringIO("".join(f"{word}\n" for word in words))
    bench = Workbench.open(folder)
    assert converse(Conversation(bench, Lines(source, target, prompts=False))) == 0
    bench.close()
    return target.getvalue().splitlines()


def place_of(lines: list[str], beginning: str) -> int:
    """The index of the first line with this beginning; fails, showing all lines, if there is none."""
    place = next((place for place, line in enumerate(lines) if line.strip().startswith(beginning)), None)
    assert place is not None, f"no line begins with {beginning!r}:\n" + "\n".join(lines)
    return place


def test_it_begins_with_how_things_stand_and_every_word_has_a_number(desk: Path) -> None:
    shown = talked(desk, "9", "HEL")
    assert shown[0].startswith("desk: 2 open questions, ")
    assert "9 calls: 0 allowed, 9 denied" in shown[0]
    assert shown[1].startswith("1. questions: ")
    assert shown[-1] == "The end; everything is kept."
    assert [command.menu for command in COMMANDS] == sorted(
        (listed_command.menu for listed_command in COMMANDS), reverse=True
    )
    for number, command in enumerate(COMMANDS, start=1):
        wanted = f"{number}. {command.name}{f' {command.follows}' if command.follows else ''}: {command.does}"
        assert shown.count(wanted) == (3 if command.menu and not command.follows else 2)


@pytest.mark.parametrize(
    "line",
    [
        "nonsense|'nonsense' is no command; 'help' lists them.",
        "99|'99' is no command",
        f"{'9' * 5000}|is no command",
        "re|'re' is no command",
        "question 99|Give the number of a question, from 1 to 2",
        "question ²|Give the number of a question",
        "answer 1|Say 'answer N M'",
        "answer 1=9|Question 1 has 2 options; 9 is the number of none.",
        "answer 7=1|There are 2 open questions; 7 is the number of none.",
        "retract 0|Give the number of an assumption, but there is none",
        "answers|Say 'answers FILE'",
        "answers /nothing.toml|/nothing.toml",
        "word|Say 'word N'",
        "word 9|No sentence has the words",
        "word 3 back =|Say 'word 3 WORD = MEANING'",
        "states 3|a form of 'only if'",
        "states 3 when goods|is no condition that is understood",
        "states 3 now and then|is no form of a rule",
        "states 3 never; hammer x|'hammer' begins no part",
        "rule forbid; tool nothing|is no tool",
        "rule once|is no part of a rule",
        "context 99|No sentence that is context",
        "policy 5-3|Give a line or a range such as 3-5; the policy has",
        "policy 9999|Give a line or a range",
        "delete|Give a line or a range",
        "call 0|Give the number of a call",
        "judge 1 perhaps|Say 'judge 1' and one of: right, false-alarm",
        "compare|Say 'compare N'",
        "restore 77|Give the number of a version",
        "cases all|Say 'cases', 'cases run' or 'cases failing'.",
        "replay is:no|is: is followed by allow, ask, deny, cannot-evaluate.",
        "replay tool:nothing|tool",
        "more|There is no more.",
        "redo|Nothing to redo.",
        "question \ufffd|That line is not UTF-8 text; nothing was done.",
    ],
)
def test_what_is_wrong_is_one_sentence(line: str, desk_talk: Callable[[str], list[str]]) -> None:
    words, _, sentence = line.partition("|")
    shown = desk_talk(words)
    assert any(sentence in shown_line for shown_line in shown), shown
    assert desk_talk("status")[-1].startswith("desk: 2 open questions")


@pytest.fixture(scope="module")
def desk_talk(made_desk: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[str]]:
    """The answers to a line in one conversation, in a session that is opened once."""
    from workbench.cli.plain_mode.commands import run_line

    folder = Path(shutil.copytree(made_desk, tmp_path_factory.mktemp("talk") / "desk"))
    target = io.StringIO()
    talk = Conversation(Workbench.open(folder), Lines(io.StringIO(""), target, prompts=False))

    def reply_to(line: str) -> list[str]:
        target.seek(0)
        target.truncate()
        run_line(talk, line)
        return target.getvalue().splitlines()

    return reply_to


def test_an_unread_sentence_is_opened_word_by_word_and_becomes_a_rule(desk: Path) -> None:
    statement = f"states 3 only if; tool pay_back; when {CHECKED}"
    shown = talked(
        desk, "sentences", "question 1", "word", "later", "word 3", "word 3 Money = nothing", "yes",
        statement, "no", statement.replace("only if; ", ""), "no", statement, "yes",
        "changed", "more", "more", "rules", "undo", "facts checked passed",
    )  # fmt: skip
    place_of(shown, "3  open         Money goes back only")
    back = place_of(shown, "back: not understood")
    assert shown[back + 1].strip() == "1 means the tool pay_back; kept for the next sentences"
    assert "It stays as it is." in shown
    place = place_of(shown, "Kept. The sentence is open: it is not read yet.")
    assert shown[place + 2].strip() == "Money: adds nothing a person said so"
    reads = f"Reads: pay_back only if {CHECKED}"
    assert shown.count(reads) == 2  # written before each was to be stored
    assert any(line.startswith(f"{reads}; assumed: “only if”") for line in shown)
    assert shown.count("3 recorded calls would turn.") == 3
    assert shown.count("Nothing is stored.") == 2
    changed = shown[place_of(shown, "Kept. The sentence is a requirement.") :]
    assert changed[1] == "What changed:"
    assert "  3 calls deny → allow" in changed
    assert "    run-1 call 4: deny → allow" in changed
    assert any(line.startswith("  clause C1 added") for line in changed)
    assert any(
        line.startswith("desk: 1 open question, ") and "3 allowed, 6 denied" in line for line in changed
    )
    assert any(line.startswith("  says: Never pay back if") for line in changed)
    assert any("+def forbid_pay_back" in line for line in changed)
    undone = shown[shown.index("Undone.") :]
    assert "  3 calls allow → deny" in undone
    assert any(line.startswith(f"{CHECKED}  (bool") for line in undone)


def test_questions_are_answered_by_numbers_and_what_changed_is_said(desk: Path) -> None:
    shown = talked(
        desk, "answer 1=2 2=1", "questions", "assumptions", "instead 1 1", "retract 1", "undo", "undo",
        "undo", "redo", "context", "context 2", "question",
    )  # fmt: skip
    stored = place_of(shown, "Stored; ")
    assert shown[stored + 1] == "What changed:"
    assert "  2 questions closed" in shown
    assert any(line.startswith("desk: 1 open question") for line in shown), "nothing is permitted by anything"
    assert any("No clause demands that any call is allowed" in line for line in shown)
    assert any(line.startswith("Questions   2 answered") for line in shown)
    chosen = place_of(shown, "1. “Money goes back only")
    assert "2. It is a rule, and I write it in policy.py (chosen)" in shown[chosen + 4]
    assert shown.count("Undone.") == 3
    assert shown.count("Done again.") == 1
    place_of(shown, "2  line 3:")
    assert 'It is asked about: "The desk sends parcels to four cities.".' in shown
    assert shown[place_of(shown, "It is asked about") + 1 :].count("  1 question opened") == 1


def test_answers_come_from_a_file_and_own_words_are_read(desk: Path, tmp_path: Path) -> None:
    file = tmp_path / "answers.toml"
    file.write_text('"Nobody gets more than 40 euros" = "It is context, not a rule"\n', encoding="utf-8")
    shown = talked(desk, f"answers {file}", "question", "=Never call send_mail.", "rules")
    place_of(shown, "1 answer taken, 1 choice in all.")
    place = shown.index("Read as:")
    assert "send_mail" in " ".join(shown[place : place + 8])
    place_of(shown, "Never send mail.")


def test_a_rule_is_built_from_its_parts_or_asked_for_part_by_part(desk: Path) -> None:
    plan = "rule forbid; tool send_mail; message No mail."
    shown = talked(
        desk, "rule facts", plan, "no", plan, "yes", "undo", "rule", "forbid", "send_mail", "", "",
        "No mail.", "yes", "rules", "changed",
    )  # fmt: skip
    place_of(shown, "tool: enum; is, is not")
    assert shown.count("Never send mail.") == 3
    assert shown.count('    """No mail."""') == 3
    assert shown.count("Nothing is stored.") == 1
    assert shown.count("Added forbid_send_mail to the policy.") == 2
    assert shown[shown.index("Added forbid_send_mail to the policy.") + 1] == "What changed:"
    assert "rule forbid_send_mail added" in shown
    assert "  Never send mail." in shown


def test_a_rule_that_contradicts_a_clause_is_stored_only_if_a_person_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    with closing(archive(folder)) as bench:
        bench.editing.store(bench.session.policy.replace("Result() == (age >= 16)", "Result() == (age > 15)"))
        before = bench.session.policy
    plan = "rule forbid; tool lend_map; when guest is true"
    shown = talked(folder, plan, "yes", "no")
    assert any("lend_map" in line and "would not hold" in line for line in shown)
    assert "Nothing is stored." in shown
    assert (folder / "policy.py").read_text(encoding="utf-8") == before
    shown = talked(folder, plan, "yes", "yes")
    assert "Added forbid_lend_map_guest to the policy." in shown
    assert "def forbid_lend_map_guest" in (folder / "policy.py").read_text(encoding="utf-8")


def test_the_policy_has_line_numbers_and_is_edited_line_by_line(desk: Path) -> None:
    before = (desk / "policy.py").read_text()
    lines = before.splitlines()
    shown = talked(desk, "insert 1 # why", "policy 1-2", "delete 1", "versions", "compare 1")
    assert "1 # why" in shown
    assert f"2 {lines[0]}" in shown
    assert shown.count("Stored.") == 2
    assert "Both policies decide the same on every input." in shown
    assert any(line.endswith(", the present one") for line in shown)
    assert (desk / "policy.py").read_text() == before
    shown = talked(
        desk, "insert 1 import os", "policy 1-2", "proof", "cases", "replay", "delete 1", "policy 1"
    )
    assert "Kept, not stored: the policy is not in the dialect yet." in shown
    assert shown[shown.index("1 import os") + 1].startswith("-- problem: ")
    assert not any(line.startswith("The proof is") for line in shown)
    assert (desk / "policy.py").read_text() == before


def test_what_another_program_changed_is_taken_in_and_said(desk: Path) -> None:
    bench = Workbench.open(desk)
    target = io.StringIO()

    class Changing(Lines):
        """A person who works while another program writes the request."""

        def ask(self, prompt: str) -> str | None:
            line = super().ask(prompt)
            if line == "status":
                text = (desk / "request.md").read_text().replace("40 euros", "50 euros")
                (desk / "request.md").write_text(text)
            return line

    converse(Conversation(bench, Changing(io.StringIO("status\nquit\n"), target, prompts=False)))
    bench.close()
    shown = target.getvalue()
    assert "Files of the session were changed outside." in shown
    assert "  1 question opened" in shown
    assert "  1 question closed" in shown


def test_cases_proof_evidence_and_calls_are_lines(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuted(
        _proving: Proving,
        terms: PolicyTerms,
        *,
        on_clause: Callable[[ClauseProof], None],
        cancelled: threading.Event,
    ) -> Proof:
        del cancelled
        clause_proofs = [
            ClauseProof(clause.id, clause.requirements, ProofStatus.REFUTED, Engine.NAGINI)
            for clause in terms.clauses
        ]
        for clause_proof in clause_proofs:
            on_clause(clause_proof)
        return Proof(tuple(clause_proofs))

    monkeypatch.setattr(Proving, "prove", refuted)
    shown = talked(
        desk, "cases", "cases failing", "proof", "policy", "more", "evidence", "replay is:deny", "call 1",
        "denials", "denials 1", "judge 1 false-alarm", "cases", "replay is:allow",
    )  # fmt: skip
    place_of(shown, "2 cases, 0 failed.")
    assert "No case failed." in shown
    place_of(shown, "1. passed. expected deny")
    assert "The proof is refuted." in shown
    assert any(line.startswith("-- C1: refuted") for line in shown)
    assert any("wrong versions" in line for line in shown)
    assert sum(line[:1].isdigit() and "  deny  " in line for line in shown) >= 9
    place_of(shown, "No other values of this call")
    place_of(shown, "Judged false-alarm: ")
    assert any(line.endswith(("cases added", "case added")) for line in shown)
    assert any("FAILED, got deny" in line for line in shown)


def test_a_long_list_comes_in_portions(desk: Path) -> None:
    lines = (desk / "policy.py").read_text().splitlines()
    shown = talked(desk, "insert 1 # a", *["insert 1 # a"] * PORTION, "policy", *["more"] * 3)
    left = len(lines) + 1 + PORTION - PORTION
    notes = sum(line.startswith("-- ") for line in shown)
    assert f"{left + notes} more; 'more' shows them." in shown
    for number in range(1, len(lines) + PORTION + 2):
        assert any(line == str(number) or line.startswith(f"{number} ") for line in shown)


def test_hostile_text_is_made_visible(tmp_path: Path) -> None:
    folder = tmp_path / "hostile"
    session = Session.create(folder, REQUEST.replace("checked", f"checked {HOSTILE}"), SPEC)
    (folder / "logs" / "run.jsonl").write_text(log_text(CALLS), encoding="utf-8")
    session.close()
    words = [
        command.name for command in COMMANDS if command.name not in ("quit", "question", "rule", "proof")
    ]
    shown = talked(
        folder, "question", "word", "later", *words, "word 3", "call 1", "insert 1 broken", "policy", HOSTILE,
        f"answer 1={HOSTILE}", "questions", f"word 3 {HOSTILE} = nothing", f"rule forbid; tool {HOSTILE}",
    )  # fmt: skip
    for line in shown:
        assert line == clean(line)
        assert "\x1b" not in line


def test_ctrl_c_stops_the_work_and_not_the_conversation(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(
        _proving: Proving, _terms: PolicyTerms, *, cancelled: threading.Event, **_more: object
    ) -> Proof:
        signal.raise_signal(signal.SIGINT)
        assert cancelled.wait(60)
        return Proof((), why="The proof was cancelled.")

    monkeypatch.setattr(Proving, "prove", endless)
    shown = talked(desk, "proof", "status")
    assert "Stopped." in shown
    assert not any(line.startswith("The proof is") for line in shown)
    assert shown[-2].startswith("desk: ")


def test_work_that_fails_fails_where_it_was_asked_for() -> None:
    def work(_cancelled: threading.Event) -> None:
        raise WorkbenchError("It cannot be done.")

    with pytest.raises(WorkbenchError, match="cannot be done"):
        stoppable(work, lambda: None)


class Closed(io.StringIO):
    """A stream whose reader has closed it."""

    def write(self, text: str, /) -> int:
        raise BrokenPipeError(text)


def test_a_reader_that_goes_away_ends_it(desk: Path) -> None:
    bench = Workbench.open(desk)
    with pytest.raises(OutputClosedError):
        converse(Conversation(bench, Lines(io.StringIO(""), Closed(), prompts=False)))
    bench.close()


@settings(max_examples=12, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=20), max_size=6))
def test_no_input_breaks_it(desk_talk: Callable[[str], list[str]], words: list[str]) -> None:
    named = [command.name for command in COMMANDS if command.name not in ("evidence", "cases", "quit")]
    for word in words:
        line = f"{named[len(word) % len(named)]} {word}" if len(word) % 2 else word
        for shown in desk_talk(line.replace("\n", " ").replace("\r", " ")):
            assert shown == clean(shown)


# --- the command itself


def test_by_pipe_it_answers_edits_undoes_and_stores(desk: Path) -> None:
    before = (desk / "policy.py").read_text()
    words = "answer 1 2\nquestions\ninsert 1 # mine\nundo\nundo\nversions\nreplay is:deny\nquit\n"
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PROVER, str(desk)],
        input=words.encode() + b"\xff\xfe never read\n",
        capture_output=True,
        check=False,
    )
    shown = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in shown
    assert "  1 question closed" in shown
    assert shown.count("Undone.") == 2
    assert "9 denied" in shown
    assert shown.endswith("The end; everything is kept.\n")
    assert (desk / "policy.py").read_text() == before


@pytest.mark.parametrize(("ending", "code"), [("\x03", 130), ("\x04", 0)], ids=["ctrl-c", "end of input"])
def test_in_a_terminal_it_prompts_sends_no_sequence_and_ends_in_order(
    desk: Path, ending: str, code: int
) -> None:
    before = (desk / "policy.py").read_text()
    talk: pexpect.spawn[str] = pexpect.spawn(
        sys.executable,
        ["-c", WITHOUT_PROVER, str(desk)],
        cwd=str(ROOT),
        env={"PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8"},
        encoding="utf-8",
        timeout=60,
        dimensions=(24, 80),
    )
    talk.expect("Command: ")
    seen = str(talk.before)
    talk.sendline("states 3 never; tool check_person")
    talk.expect_exact("Keep it? (yes or no): ")
    talk.sendline("no")
    talk.expect_exact("Nothing is stored.")
    talk.expect("Command: ")
    talk.sendline("insert 1 import os")
    talk.expect("Kept, not stored")
    talk.expect("Command: ")
    for _ in range(20):  # a first Ctrl-C may be what stops the check of the new line
        talk.send(ending)
        if not talk.expect(["everything is kept", pexpect.TIMEOUT], timeout=3):
            break
    talk.expect(pexpect.EOF)
    talk.close()
    assert talk.exitstatus == code
    assert "\x1b" not in seen
    with Session.open(desk) as reopened:
        assert not reopened.read_only
        assert reopened.buffers["policy.py"].text.startswith("import os\n")
        assert reopened.policy == before
