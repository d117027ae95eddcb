"""The command ``say`` on the booking desk: sentences read aloud, completed, shown and kept."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from workbench.cli import main

DESK = Path(__file__).parents[2] / "examples" / "bookings"
LATE = "The agent must not cancel a booking if the booking exists and the booking is marked flexible."


class Shell:
    """Runs ``say`` on a copy of the desk and keeps its output."""

    def __init__(self, session: Path, captured: pytest.CaptureFixture[str]) -> None:
        self.session = session
        self._captured = captured
        self.out = self.err = ""

    def run(self, *words: str, command: str = "say") -> int:
        code = main([command, str(self.session), *words])
        self.out, self.err = self._captured.readouterr()
        return code

    @property
    def policy(self) -> str:
        """The policy file."""
        return (self.session / "policy.py").read_text(encoding="utf-8")


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(Path(shutil.copytree(DESK, tmp_path / "desk")), capsys)


def test_the_whole_policy_is_read_aloud(shell: Shell) -> None:
    assert shell.run("--all") == 0
    assert "The agent must not cancel a booking unless the booking was looked up." in shell.out
    assert shell.run("--all", "--json") == 0
    lines = [json.loads(line) for line in shell.out.splitlines()]
    assert [line["name"] for line in lines][:3] == [
        "DEFAULT",
        "forbid_unknown_booking",
        "forbid_late_cancellation",
    ]
    assert all(line["sentence"].endswith(".") and line["why"] == "" for line in lines)


def test_a_sentence_is_shown_with_its_rule_and_what_it_changes(shell: Shell) -> None:
    before = shell.policy
    assert shell.run("The agent must not cancel a booking if the booking does not exist.") == 0
    assert "def forbid_cancel_booking(call: CancelBooking, run: Run) -> bool:" in shell.out
    assert "return run.booking(call.id) is None" in shell.out
    assert "Nothing is stored" in shell.out
    assert shell.policy == before


def test_a_kept_sentence_is_a_rule_of_the_file_until_it_is_undone(shell: Shell) -> None:
    before = shell.policy
    assert (
        shell.run("The agent may cancel a booking only with the approval of a person.", "--keep", "--anyway")
        == 0
    )
    assert "Added ask_cancel_booking to the policy." in shell.out
    assert '"""The agent may cancel a booking only with the approval of a person."""' in shell.policy
    assert shell.policy.index("def ask_cancel_booking") < shell.policy.index("def contract_cancelling")
    assert shell.run("--all") == 0
    assert "The agent may cancel a booking only with the approval of a person." in shell.out
    assert shell.run(command="undo") == 0
    assert shell.policy == before


def test_a_kept_sentence_brings_what_it_needs_to_import(shell: Shell) -> None:
    words = "The agent must not get a booking if there was an earlier call to cancel a booking that failed."
    assert shell.run(words, "--keep", "--anyway") == 0
    assert "def forbid_get_booking(call: GetBooking, run: Run) -> bool:" in shell.policy
    assert shell.run("--all") == 0
    assert words in shell.out


def test_a_sentence_that_breaks_the_contract_is_not_stored(shell: Shell) -> None:
    before = shell.policy
    assert shell.run(LATE) == 0
    assert "Contradicts" in shell.out
    assert shell.run(LATE, "--keep") == 1
    assert "would contradict its own contract" in shell.err
    assert "run.booking(call.id)" in shell.err, "the input is in the words of the file"
    assert "cancel_booking_" not in shell.err
    assert shell.policy == before


def test_a_sentence_that_is_not_read_says_how_far_it_is(shell: Shell) -> None:
    assert shell.run("The agent must not cancel a booking if the booking is red.") == 1
    assert (
        "It is read up to “The agent must not cancel a booking if the booking is”. After it could stand: "
        in shell.out
    )
    assert shell.run() == 2


def test_a_rule_that_the_dialect_refuses_is_refused_in_a_sentence(shell: Shell) -> None:
    assert shell.run("The agent must not cancel a booking if the booking is marked flexible.") == 2
    assert "say “the booking exists and …”" in shell.err


def test_what_may_come_next_is_listed(shell: Shell) -> None:
    assert shell.run("--complete", "The agent must not c") == 0
    assert shell.out.splitlines() == ["cancel a booking"]
    assert shell.run("--complete", "The agent must not cancel a booking if the booking ", "--json") == 0
    found = json.loads(shell.out)
    assert {"exists", "does not exist"} <= set(found["offered"])
    assert not found["whole"]
    assert shell.run("--complete", "The agent must never cancel a booking.") == 0
    assert shell.out == "This is a sentence.\n"


FOREIGN = "Reservations may never be called off."
MEANT = "The agent must never cancel a booking."


def test_sentences_are_suggested_for_one_that_is_not_read(shell: Shell) -> None:
    before = shell.policy
    assert shell.run(FOREIGN) == 1
    assert "This is no sentence of the language." in shell.out
    assert f"  1  {MEANT}\n     It newly denies" in shell.out
    assert shell.run(FOREIGN, "--json") == 1
    first, *_ = json.loads(shell.out)
    assert (first["number"], first["sentence"], first["left_out"], first["stands"]) == (1, MEANT, [], False)
    assert first["turned"]["newly-denied"] > 0
    assert shell.policy == before


def test_a_foreign_sentence_of_any_length_is_answered_on_a_screen(shell: Shell) -> None:
    assert shell.run(" ".join(["Reservations may never be called off by a stranger and"] * 100)) == 1
    assert "This is no sentence of the language." in shell.out
    assert len(shell.out) < 5_000


def test_what_the_policy_says_already_is_told(shell: Shell) -> None:
    assert shell.run("A booking may only be cancelled after it was looked up.") == 1
    assert "The policy says it already." in shell.out


def test_a_suggestion_that_is_picked_is_kept_and_its_words_are_confirmed(shell: Shell) -> None:
    assert shell.run(FOREIGN, "--pick", "1") == 0
    assert MEANT in shell.out and "Nothing is stored" in shell.out
    before = shell.policy, (shell.session / "agent.toml").read_text(encoding="utf-8")
    assert shell.run(FOREIGN, "--pick", "1", "--keep", "--anyway") == 0
    assert shell.run(MEANT, "--json") == 0
    assert MEANT in shell.policy
    agent = (shell.session / "agent.toml").read_text(encoding="utf-8")
    assert 'reservations = "booking"' in agent
    assert shell.run(command="undo") == 0
    assert (shell.policy, (shell.session / "agent.toml").read_text(encoding="utf-8")) == before


def test_a_suggestion_for_a_sentence_of_the_request_cites_it(shell: Shell) -> None:
    words = "A booking is cancelled only after the desk has looked it up."
    assert shell.run("--for", words) == 1
    assert "  1  The agent must not cancel a booking unless the booking was looked up." in shell.out
    assert shell.run("--for", words, "--pick", "1") == 0
    assert f'"""R1: {words}"""' in shell.out


def test_a_number_without_a_suggestion_is_an_error(shell: Shell) -> None:
    assert shell.run(FOREIGN, "--pick", "9") == 2
    assert "There is no suggestion 9 for this sentence; the suggestions are 1 to " in shell.err
    assert shell.run("--pick", "1") == 2
    assert "--pick takes one sentence" in shell.err


def test_a_sentence_whose_words_name_nothing_gets_no_suggestion(shell: Shell) -> None:
    assert shell.run("Зима.") == 1
    assert "Nothing is suggested" in shell.out
