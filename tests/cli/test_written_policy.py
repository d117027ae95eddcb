"""The commands on a session whose policy of calls a person wrote: words, facts, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.app.written_desk import BROKEN, POLICY, UNKNOWN_FIELD, line_of, written_desk
from workbench.cli import main

MADE_UP = ("pay_invoice_total", "pay_invoice_trip", "sum_total_pay_invoice", "cancel_booking_booking")
"""Names that the program makes of expressions; nobody wrote them."""


class Shell:
    """Runs commands and keeps their output."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured = captured
        self.out = self.err = ""

    def run(self, *words: str | Path) -> int:
        code = main([str(word) for word in words])
        self.out, self.err = self._captured.readouterr()
        return code


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    return written_desk(tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("replay",),
        ("explain", "conferences-0320"),
        ("explain", "hanover-0318"),
        ("denials",),
        ("verify", "--preview"),
        ("strength",),
        ("evidence",),
        ("say", "--all"),
        ("report",),
    ],
    ids=lambda words: " ".join(words),
)
def test_no_command_shows_a_made_up_name(shell: Shell, desk: Path, words: Sequence[str]) -> None:
    command, *more = words
    assert shell.run(command, desk, *more) in (0, 1)
    assert not [name for name in MADE_UP if name in shell.out + shell.err], shell.out


def test_an_explanation_has_facts_with_places(shell: Shell, desk: Path) -> None:
    assert shell.run("explain", desk, "conferences-0320", "--call", "30") == 0
    facts = shell.out[shell.out.index("Facts\n") :].splitlines()
    assert facts[1:4] == [
        "  what was paid in this run, this payment included (paid) = 5112",
        '    arguments, line 1: "120.0"',
        "    of the run: calls 11, 13, 25, 28",
    ]
    assert "booking" not in shell.out, "values about other tools are left out"


def test_a_fact_that_is_not_determined_says_what_tells_it(shell: Shell, desk: Path) -> None:
    shell.run("explain", desk, "hanover-0318", "--call", "0")
    assert '= not determined: booking "B-26-0872": no earlier result says what it is' in shell.out
    assert shell.out.count('Look it up first: get_booking(booking_id="B-26-0872")') == 3


def test_json_has_the_internal_name_beside_the_expression(shell: Shell, desk: Path) -> None:
    assert shell.run("explain", desk, "conferences-0320", "--call", "30", "--json") == 0
    found = json.loads(shell.out)
    assert found["arguments"]["pay_invoice_total"]["expression"] == "call.total"
    assert "tool" not in found["arguments"], "the call names it"
    paid = found["facts"][0]
    assert (paid["name"], paid["value"], paid["missing"]) == ("paid", "5112.0", None)
    assert paid["quotes"][0]["quote"] == "120.0"


def test_a_counterexample_is_in_the_words_of_the_policy(shell: Shell, desk: Path) -> None:
    assert shell.run("verify", desk, "--preview") == 1
    (line,) = [line for line in shell.out.splitlines() if "counterexample:" in line]
    assert 'tool = "pay_invoice", call.total = ' in line


def test_a_changed_expression_is_a_difference(shell: Shell, desk: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text(POLICY.replace("hours=24", "hours=1"), encoding="utf-8")
    assert shell.run("diff", desk, other, "current") == 1
    assert "decide the same on every input" not in shell.out
    shell.run("diff", desk, desk, "current")
    assert "decide the same on every input" in shell.out


@pytest.mark.parametrize(
    "words",
    [
        ("draft",),
    ],
    ids=" ".join,
)
def test_the_dialogue_is_one_sentence(
    shell: Shell, desk: Path, words: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk)
    command, *more = words
    assert shell.run(command, ".", *more) == 2
    assert "is written, and nothing is drafted from sentences: edit policy.py." in shell.err + shell.out
    assert (desk / "policy.py").read_text(encoding="utf-8") == POLICY


def test_ask_lists_findings_only_and_accepts_them(shell: Shell, desk: Path) -> None:
    assert shell.run("ask", desk, "--all") == 1
    asked = re.compile(r"^  ([a-z-]+:\S+)$", re.MULTILINE)
    opened = asked.findall(shell.out)
    assert opened
    assert {name.partition(":")[0] for name in opened} == {"no-clause", "unknown-record"}
    assert shell.run("answer", desk, opened[0], "meant") == 0
    shell.run("ask", desk, "--all")
    assert opened[0] not in asked.findall(shell.out)


def test_a_check_says_once_what_it_asks(shell: Shell, desk: Path) -> None:
    assert shell.run("check", desk) == 1
    asked = re.findall(r"^Open +(\S+)", shell.out, re.MULTILINE)
    assert asked
    assert not [name for name in asked if f"{name} meant" in shell.out]
    assert f"{len(asked)} open questions" in shell.out.splitlines()[-1]


def test_a_difference_is_bounded_in_the_words_of_the_file(shell: Shell, desk: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text(POLICY.replace("timedelta(days=2)", "timedelta(days=1)"), encoding="utf-8")
    shell.run("diff", desk, other, "current")
    (where,) = [line for line in shell.out.splitlines() if line.startswith("  where    ")]
    assert "run.booking(call.booking_id).starts_at - call.time < timedelta(days=2)" in where
    assert not [name for name in (*MADE_UP, "from now", "cancel booking booking") if name in shell.out]


def test_a_draft_is_no_version(shell: Shell, desk: Path) -> None:
    assert shell.run("diff", desk, "draft", "current") == 2
    assert "is written, so there is no draft of it" in shell.err


COMMANDS = (
    ("replay",),
    ("explain", "invoices-0313"),
    ("denials",),
    ("ask",),
    ("verify",),
    ("strength",),
    ("evidence",),
    ("test",),
    ("say", "--all"),
    ("verify", "--program"),
    ("strategies",),
    ("diff", "current"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("policy", "place"), [(BROKEN, "paid(call, run > LIMIT"), (UNKNOWN_FIELD, "call.totl")]
)
def test_a_problem_of_the_file_has_its_place_in_every_command(
    shell: Shell, tmp_path: Path, words: Sequence[str], policy: str, place: str
) -> None:
    desk = written_desk(tmp_path, policy)
    command, *more = words
    assert shell.run(command, desk, *more) == 2
    assert f"policy.py:{line_of(place, policy)}:" in shell.err + shell.out
    assert re.search(r"policy\.py:[0-9]+:[0-9]+: ", shell.err + shell.out)


def test_a_check_lists_the_problems_and_goes_on(shell: Shell, tmp_path: Path) -> None:
    desk = written_desk(tmp_path, UNKNOWN_FIELD)
    assert shell.run("check", desk) == 1
    line = line_of("call.totl", UNKNOWN_FIELD)
    column = UNKNOWN_FIELD.splitlines()[line - 1].index("call.totl") + 1
    assert f"policy.py:{line}:{column}: PayInvoice has no field `totl`. Did you mean `total`?" in shell.out
    assert shell.run("check", desk, "--accept") == 1
    assert not (desk / "accepted.toml").exists()
    for words in (("request",), ("cases",), ("assumptions",), ("propose",), ("report",)):
        assert shell.run(words[0], desk) in (0, 1), words


def test_an_export_of_an_unaccepted_broken_session_is_refused(shell: Shell, tmp_path: Path) -> None:
    assert shell.run("export", written_desk(tmp_path, BROKEN)) == 1
    assert "has no accepted version to export" in shell.err + shell.out


def test_new_makes_a_session_to_be_written(shell: Shell, desk: Path, tmp_path: Path) -> None:
    made = tmp_path / "made"
    request, agent = desk / "request.md", desk / "agent.toml"
    words = ("new", made, "--request", request, "--agent", agent)
    assert shell.run(*words) == 0
    assert "argument" not in shell.out
    assert (made / "agent.pyi").is_file()
    assert 'DEFAULT = "allow"' in (made / "policy.py").read_text(encoding="utf-8")
    assert shell.run("check", made) == 1
    assert "not in the dialect" not in shell.out
    assert shell.run("propose", made, "--log", desk / "logs" / "offsite-0312.jsonl") == 0
    assert ": record, known by" in shell.out
    assert "from $.arguments" not in shell.out


def test_new_declares_records_and_no_arguments_for_a_policy_that_is_written(
    shell: Shell, desk: Path, tmp_path: Path
) -> None:
    made, agent = tmp_path / "made", tmp_path / "tools.toml"
    text = (desk / "agent.toml").read_text(encoding="utf-8")
    agent.write_text(text[: text.index("[records.")], encoding="utf-8")
    logs = [part for log in sorted((desk / "logs").iterdir()) for part in ("--log", log)]
    words = ("--request", desk / "request.md", "--agent", agent, "--accept", *logs)
    assert shell.run("new", made, *words) == 0, shell.err
    written = (made / "agent.toml").read_text(encoding="utf-8")
    assert "[records." in written
    assert "[arguments" not in written
    assert "import Ensures, Implies, Result" in (made / "policy.py").read_text(encoding="utf-8")
    assert shell.run("verify", made, "--preview") in (0, 1), shell.err


def test_a_refuted_clause_is_shown_with_a_run(shell: Shell, tmp_path: Path) -> None:
    desk = written_desk(tmp_path / "high", POLICY.replace('Decimal("5000")', 'Decimal("50000")', 1))
    assert shell.run("verify", desk, "--preview") == 1
    lines = shell.out[shell.out.index("a run in which it happens:") :].splitlines()
    assert any("pay_invoice(" in line and line.endswith("← decided") for line in lines)


def test_the_cases_of_a_written_policy_are_made_of_its_rules(shell: Shell, tmp_path: Path) -> None:
    desk = written_desk(tmp_path / "desk", POLICY)
    assert shell.run("cases", desk, "--generate") == 0
    assert "generated" in shell.out
    assert (desk / "cases.toml").read_text(encoding="utf-8").count("[[case]]") > 5
    assert shell.run("check", desk) == 1
    assert "case" not in [line.split()[0] for line in shell.out.splitlines() if "fails" in line]
