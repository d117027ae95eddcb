"""The line mode: every word by pipe and in a terminal, hostile text, interruptions, nothing lost."""

from __future__ import annotations

import io
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pexpect
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.old_screen.screens import HOSTILE, LONG
from tests.old_screen.test_hostile import HostilePort
from workbench.clean_text import clean
from workbench.cli.output import OutputClosedError
from workbench.cli.plain_mode import converse
from workbench.cli.plain_mode.commands import COMMANDS
from workbench.cli.plain_mode.dialogue import Talk
from workbench.cli.plain_mode.line_streams import PORTION, Lines
from workbench.cli.plain_mode.work import stoppable
from workbench.model import ClauseProof, Proof, Step, StepDecision, WorkbenchError
from workbench.old_screen.port import Port
from workbench.old_screen.samples.sample import PROOF, REFUTED, STEPS, decide_sample
from workbench.old_screen.samples.sample_port import SamplePort
from workbench.policy.terms import PolicyTerms
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "sessions" / "hospital-access"
# Whoever starts the tests in the background hands down an ignored interrupt.
WITHOUT_PROVER = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from workbench.app.proof import Proving
Proving.start = lambda self: None
from workbench.cli import main
sys.exit(main(["open", "--plain", sys.argv[1]]))
"""


def talked(port: Port, *words: str) -> list[str]:
    """What is written when these lines are read, to their end."""
    target = io.StringIO()
    source = io.StringIO("".join(f"{word}\n" for word in words))
    assert converse(Talk(port, Lines(source, target, prompts=False))) == 0
    return target.getvalue().splitlines()


def test_it_begins_with_how_things_stand_and_a_numbered_menu_and_ends_with_the_input() -> None:
    shown = talked(SamplePort())
    assert shown[0].startswith("hospital-access: clarify")
    assert shown[1].startswith("1. questions: ")
    assert shown[-1] == "The end; everything is kept."


def test_numbers_names_and_beginnings_of_names_are_the_same_command() -> None:
    assert talked(SamplePort(), "6") == talked(SamplePort(), "help") == talked(SamplePort(), "HEL")
    assert len({command.name for command in COMMANDS}) == len(COMMANDS)
    for command in COMMANDS:
        assert any(f". {command.name}" in line for line in talked(SamplePort(), "help"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("nonsense", "'nonsense' is no command; 'help' lists them."),
        ("99", "'99' is no command"),
        ("9" * 5000, "is no command"),
        ("re", "'re' is no command"),
        ("question 99", "Give the number of a question, from 1 to "),
        ("question ²", "Give the number of a question"),
        ("answer 1", "Say 'answer N M'"),
        ("retract 0", "Give the number of a question"),
        ("policy 5-3", "Give a line or a range such as 3-5; the policy has"),
        ("policy 9999", "Give a line or a range"),
        ("delete", "Give a line or a range"),
        ("step 0", "Give the number of a step"),
        ("restore 77", "Give the number of a version"),
        ("cases all", "Say 'cases', 'cases run' or 'cases failing'."),
        ("more", "There is no more."),
        ("redo", "Nothing to redo."),
        ("replay tool:nothing", "No step passes: tool:nothing leaves none."),
        ("replay \ufffd", "That line is not UTF-8 text; nothing was done."),
    ],
)
def test_what_is_wrong_is_one_sentence_and_the_conversation_goes_on(words: str, sentence: str) -> None:
    shown = talked(SamplePort(), words, "status")
    assert any(sentence in line for line in shown)
    assert shown[-2].startswith("hospital-access: ")


def test_a_question_is_shown_with_numbered_options_and_answered_by_number() -> None:
    port = SamplePort()
    question = port.contents().open[0]
    shown = talked(port, "question", "1", "questions")
    assert any(line.endswith(question.text) and line.startswith("Question ") for line in shown)
    assert any(line.startswith("1. ") and question.options[0].label in line for line in shown)
    assert f"answer {question.id} {question.options[0].value}" in port.calls
    assert any("answered. " in line and question.text in line for line in shown)


def test_leaving_a_question_keeps_it_open_and_its_effects_can_be_asked() -> None:
    port = SamplePort()
    shown = talked(port, "question", "effects", "why", "later")
    assert any(line.endswith("forbid_unreadable_column fires") for line in shown)
    assert any("log steps decided otherwise" in line for line in shown)
    assert "It stays as it is." in shown
    assert not any(call.startswith("answer") for call in port.calls)


def test_an_answer_is_taken_back_and_everything_can_be_undone() -> None:
    port = SamplePort()
    place = port.contents().questions.index(port.contents().open[0]) + 1
    shown = talked(port, f"answer {place} 1", f"retract {place}", "undo", "undo", "undo", "redo")
    assert shown.count("Undone.") == 2
    assert "The question is open again." in shown
    assert "Nothing to undo." in shown
    assert "Done again." in shown


def test_the_policy_has_line_numbers_and_is_edited_line_by_line() -> None:
    port = SamplePort()
    lines = port.contents().policy.splitlines()
    number = next(place for place, line in enumerate(lines, start=1) if "rows > 100" in line)
    edited = lines[number - 1].replace("100", "50")
    shown = talked(port, f"policy {number}", f"replace {number} {edited}", f"policy {number}")
    assert f"{number} {lines[number - 1]}" in shown
    assert "Stored." in shown
    assert f"{number} {edited}" in shown
    assert port.contents().policy.splitlines() == [*lines[: number - 1], edited, *lines[number:]]
    talked(port, f"insert {number} # why", f"delete {number}")
    assert port.contents().policy.splitlines() == [*lines[: number - 1], edited, *lines[number:]]


def test_an_edit_outside_the_dialect_is_kept_with_a_message_at_its_line() -> None:
    port = SamplePort()
    before = port.contents().policy
    shown = talked(
        port, "insert 1 import os", "policy 1-2", "proof", "cases", "replay", "delete 1", "policy 1"
    )
    assert "Kept, not stored: the policy is not in the dialect yet." in shown
    place = shown.index("1 import os")
    assert shown[place + 1].startswith("-- problem: ")
    assert f"keep {len(before) + len('import os') + 1}" in port.calls
    assert port.contents().policy == before
    assert not any(line.startswith("The proof is") for line in shown)


def test_cases_proof_evidence_and_replay_are_lines() -> None:
    proof = replace(PROOF, clauses=(*PROOF.clauses[:2], REFUTED))
    shown = talked(SamplePort(proof=proof), "cases", "cases failing", "proof", "policy", "more", "evidence")
    assert any("cases, 1 failed." in line for line in shown)
    assert any("FAILED, got" in line for line in shown)
    assert any("refuted (" in line for line in shown)
    assert any(line.startswith("-- counterexample, confirmed") for line in shown)
    assert "The proof is refuted." in shown
    assert any(line.startswith(f"-- {REFUTED.clause}: refuted (") for line in shown)
    assert any("wrong versions of the policy are refused" in line for line in shown)


def test_steps_are_filtered_as_on_the_screen_and_explained() -> None:
    shown = talked(SamplePort(), "replay is:deny", "more", "step 1", "denials")
    denied = [line for line in shown if ". deny. " in line]
    expected = sum(found.decision.verdict == "deny" for found in decide_sample(SamplePort().check(POLICY)))
    assert len(denied) == expected > 0
    assert any(line.startswith("-- from ") for line in shown)
    assert any("Show them: replay cause:" in line or 'Show them: replay "cause:' in line for line in shown)


POLICY = SamplePort().contents().policy


class LongPort(SamplePort):
    """The sample with many steps."""

    def steps(self) -> tuple[Sequence[Step], int]:
        return (*STEPS, *STEPS, *STEPS, *STEPS), 2

    def decide(self, terms: PolicyTerms, cancelled: threading.Event) -> Sequence[StepDecision]:
        return tuple(super().decide(terms, cancelled)) * 4


def test_a_long_list_comes_in_portions() -> None:
    total = len(STEPS) * 4
    assert total > PORTION
    shown = talked(LongPort(), "replay")
    assert "2 records of the logs could not be read." in shown
    assert f"{total - PORTION} more; 'more' shows them." in shown
    rest = talked(LongPort(), "replay", *["more"] * (total // PORTION))
    assert sum(line.split(". ")[0].isdigit() and " call " in line for line in rest) == total


@pytest.mark.parametrize("text", [HOSTILE, LONG], ids=["hostile", "long"])
def test_hostile_text_is_made_visible(text: str) -> None:
    words = [command.name for command in COMMANDS if command.name not in ("quit", "question")]
    shown = talked(
        HostilePort(text), "question", "later", *words, "step 1", "insert 1 broken", "policy", text
    )
    for line in shown:
        assert line == clean(line)
        assert "\x1b" not in line


class EndlessPort(SamplePort):
    """The sample whose proof and decisions go on until they are cancelled."""

    def prove(
        self, terms: PolicyTerms, on_clause: Callable[[ClauseProof], None], cancelled: threading.Event
    ) -> Proof:
        on_clause(super().prove(terms, on_clause, threading.Event()).clauses[0])
        signal.raise_signal(signal.SIGINT)
        assert cancelled.wait(60)
        return Proof((), why="The proof was cancelled.")


def test_ctrl_c_stops_the_work_and_not_the_conversation() -> None:
    port = EndlessPort()
    shown = talked(port, "proof", "status")
    assert "Stopped." in shown
    assert "cancel" in port.calls
    assert shown[-2].startswith("hospital-access: ")


def test_work_that_fails_fails_where_it_was_asked_for() -> None:
    def work(_cancelled: threading.Event) -> None:
        raise WorkbenchError("It cannot be done.")

    with pytest.raises(WorkbenchError, match="cannot be done"):
        stoppable(work, lambda: None)


class Closed(io.StringIO):
    """A stream whose reader went away."""

    def write(self, text: str, /) -> int:
        raise BrokenPipeError(text)


def test_a_reader_that_goes_away_ends_it() -> None:
    with pytest.raises(OutputClosedError):
        converse(Talk(SamplePort(), Lines(io.StringIO(""), Closed(), prompts=False)))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=30), max_size=8))
def test_no_input_breaks_it(words: list[str]) -> None:
    named = [command.name for command in COMMANDS]
    spoken = [f"{named[len(word) % len(named)]} {word}" if len(word) % 2 else word for word in words]
    shown = talked(SamplePort(), *[line.replace("\n", " ").replace("\r", " ") for line in spoken])
    assert shown[-1] == "The end; everything is kept."


# --- the command itself


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A copy of a shipped session."""
    folder = tmp_path / "hospital-access"
    shutil.copytree(SHIPPED, folder, ignore=shutil.ignore_patterns(".workbench"))
    return folder


def test_by_pipe_it_answers_edits_undoes_and_stores(session: Path) -> None:
    before = (session / "policy.py").read_text()
    words = "answer 1 2\nquestions\ninsert 1 # mine\nundo\nundo\nversions\nreplay is:deny\nquit\n"
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PROVER, str(session)],
        input=words.encode() + b"\xff\xfe never read\n",
        capture_output=True,
        check=False,
    )
    shown = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in shown
    assert "Stored; policy and cases follow." in shown
    assert shown.count("Undone.") == 2
    assert "denied" in shown
    assert shown.endswith("The end; everything is kept.\n")
    assert (session / "policy.py").read_text() == before


def terminal(session: Path) -> pexpect.spawn[str]:
    """The command in a terminal."""
    return pexpect.spawn(
        sys.executable,
        ["-c", WITHOUT_PROVER, str(session)],
        cwd=str(ROOT),
        env={"PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8"},
        encoding="utf-8",
        timeout=60,
        dimensions=(24, 80),
    )


@pytest.mark.parametrize(("ending", "code"), [("\x03", 130), ("\x04", 0)], ids=["ctrl-c", "end of input"])
def test_in_a_terminal_it_prompts_sends_no_sequence_and_ends_in_order(
    session: Path, ending: str, code: int
) -> None:
    talk = terminal(session)
    talk.expect("Command: ")
    seen = str(talk.before)
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
    with Session.open(session) as reopened:
        assert not reopened.read_only
        assert reopened.buffers["policy.py"].text.startswith("import os\n")
        assert reopened.policy == (SHIPPED / "policy.py").read_text()
