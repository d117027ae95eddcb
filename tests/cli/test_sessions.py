"""The commands on the shipped sessions, without the verifier: their output, and when they end with 1."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from workbench.cli import main
from workbench.model import Json
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[2]
NO_CLAUSE = "no-clause:ddc100a2:e3b0c442"
SHIPPED = ("hospital-access", "web-shopping")

type Object = dict[str, Json]


class Shell:
    """Runs commands in this process and stores their output."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured = captured
        self.out = ""
        self.err = ""

    def run(self, *words: str | Path) -> int:
        """Run one command and return its exit code."""
        code = main([str(word) for word in words])
        self.out, self.err = self._captured.readouterr()
        return code

    def objects(self, *words: str | Path) -> list[Object]:
        """Run one command with ``--json`` and parse every line that it wrote."""
        self.run(*words, "--json")
        return [cast(Object, json.loads(line)) for line in self.out.splitlines()]


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest.fixture
def hospital(tmp_path: Path) -> Path:
    return copied("hospital-access", tmp_path)


@pytest.fixture
def shopping(tmp_path: Path) -> Path:
    return copied("web-shopping", tmp_path)


def copied(name: str, folder: Path) -> Path:
    ignored = shutil.ignore_patterns(".workbench")
    return shutil.copytree(ROOT / "sessions" / name, folder / name, ignore=ignored)


def edited(session: Path, old: str, new: str) -> Path:
    """A policy file next to the session's, with one change."""
    text = (session / "policy.py").read_text()
    assert old in text
    path = session.parent / "edited.py"
    path.write_text(text.replace(old, new, 1))
    return path


def without_a_column(hospital: Path) -> Path:
    """The hospital's policy with one column taken from the first role."""
    return edited(hospital, '"allergy.drugname",', "")


def listed(value: Json) -> list[Object]:
    assert isinstance(value, list)
    return cast(list[Object], value)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_case_passes(name: str, shell: Shell) -> None:
    assert shell.run("test", ROOT / "sessions" / name) == 0
    assert shell.out.endswith(" passed\n")
    (report,) = shell.objects("test", ROOT / "sessions" / name)
    assert report["failed"] == 0
    assert report["failures"] == []


def test_a_failing_case_is_named_with_its_arguments(hospital: Path, shell: Shell) -> None:
    assert shell.run("test", hospital, "--policy", without_a_column(hospital)) == 1
    assert "expected allow, got deny" in shell.out
    assert 'run.first_said.role = "physician", call.code.columns = {' in shell.out


@pytest.mark.parametrize("name", SHIPPED)
def test_the_preview_names_its_engine(name: str, shell: Shell) -> None:
    assert shell.run("verify", ROOT / "sessions" / name, "--preview") == 0
    (report,) = shell.objects("verify", ROOT / "sessions" / name, "--preview")
    assert report["status"] == "proved"
    assert {str(clause["engine"]) for clause in listed(report["clauses"])} == {"cvc5"}


def test_a_refuted_clause_comes_with_a_confirmed_counterexample(hospital: Path, shell: Shell) -> None:
    policy = edited(hospital, "READABLE[run.first_said.role] for column", 'READABLE["nursing"] for column')
    assert shell.run("verify", hospital, "--preview", "--policy", policy) == 1
    assert 'run.first_said.role = "general administration"' in shell.out
    (report,) = shell.objects("verify", hospital, "--preview", "--policy", policy)
    refuted = [clause for clause in listed(report["clauses"]) if clause["status"] == "refuted"]
    assert {str(clause["requirement"]) for clause in refuted} == {"R1", "R2", "R4"}
    counterexample = cast(Object, refuted[0]["counterexample"])
    assert counterexample["confirmed"] is True
    assert {"tool", "first_said_role"} < set(cast(Object, counterexample["arguments"]))


def test_text_that_is_not_in_the_dialect_is_bad_input_and_never_run(hospital: Path, shell: Shell) -> None:
    path = hospital.parent / "hostile.py"
    witness = hospital.parent / "was-run"
    path.write_text(f"open({str(witness)!r}, 'w')\n")
    for command in ("test", "verify", "replay"):
        assert shell.run(command, hospital, "--policy", path) == 2
        assert shell.out == ""
        assert shell.err.strip()
    assert not witness.exists()


@pytest.mark.parametrize("name", SHIPPED)
def test_replay_writes_one_object_per_call(name: str, shell: Shell) -> None:
    calls = shell.objects("replay", ROOT / "sessions" / name)
    assert len(calls) >= 40
    assert {str(call["decision"]) for call in calls} == {"allow", "deny", "cannot-evaluate"}
    for call in calls:
        assert {"run", "step", "decision", "violations", "arguments"} <= set(call)
        assert (call["decision"] == "deny") is bool(call["violations"])
        assert (call["decision"] == "cannot-evaluate") is bool(call["reasons"])
        for argument in cast(dict[str, Object], call["arguments"]).values():
            assert "value" in argument
            assert argument["source"] or "missing" in argument
        for violation in listed(call["violations"]):
            assert set(violation) == {"rule", "message", "items"}


def test_replay_sums_up_for_people(hospital: Path, shell: Shell) -> None:
    assert shell.run("replay", hospital) == 0
    allowed = shell.out.count("  allow\n")
    assert f"calls: {allowed} allowed" in shell.out


def test_a_log_elsewhere_is_replayed_instead(hospital: Path, shell: Shell) -> None:
    everything = len(shell.objects("replay", hospital))
    alone = [
        len(shell.objects("replay", hospital, "--log", path))
        for path in sorted((hospital / "logs").iterdir())
    ]
    assert all(alone)
    assert sum(alone) == everything


def test_a_record_that_cannot_be_read_is_told_and_ends_with_1(hospital: Path, shell: Shell) -> None:
    log = next(iter(sorted((hospital / "logs").iterdir())))
    log.write_text(log.read_text() + '{"half a record\n')
    assert shell.run("replay", hospital, "--log", log, "--json") == 1
    assert shell.out.count("\n") > 10
    assert str(log) in shell.err


def test_a_log_that_is_not_there_is_bad_input(hospital: Path, shell: Shell) -> None:
    assert shell.run("replay", hospital, "--log", hospital / "nothing.jsonl") == 2
    assert "nothing.jsonl" in shell.err


def test_a_policy_differs_from_its_edit_by_the_one_column(hospital: Path, shell: Shell) -> None:
    policy = without_a_column(hospital)
    assert shell.run("diff", hospital, "current", policy) == 0, "a denial is not a danger"
    assert shell.run("diff", hospital, "current", policy, "--strict") == 1
    assert "newly denied" in shell.out
    assert 'call.code.columns = {"allergy.drugname"}, run.first_said.role = "physician"' in shell.out
    output = shell.out
    (report,) = shell.objects("diff", hospital, "current", policy)
    assert report["newly_allowed"] == []
    regions = listed(report["newly_denied"])
    assert len(regions) == 3, "one for each tool"
    turned = cast(int, cast(Object, cast(Object, report["replay"])["buckets"])["newly-denied"])
    assert turned == 1
    assert "no recorded call lies here" in output
    assert shell.run("diff", hospital, policy) == 1, "the way back allows the column"
    assert shell.run("diff", hospital, policy, "--markdown") == 1
    assert "### Newly allowed: 3 regions" in shell.out


def test_a_policy_does_not_differ_from_itself(hospital: Path, shell: Shell) -> None:
    assert shell.run("diff", hospital, hospital / "policy.py") == 0
    assert "Both policies decide the same on every input.\nIn the logs: " in shell.out
    assert shell.out.rstrip().endswith(" same")


def test_diff_without_versions_compares_with_what_was_before_the_last_change(
    shopping: Path, shell: Shell
) -> None:
    with Session.open(shopping) as session:
        session.set_text("policy.py", session.written.replace("age < 18", "age < 12"))
    assert shell.run("diff", shopping) == 1
    assert "newly allowed" in shell.out
    (report,) = shell.objects("diff", shopping, "0", "current")
    buckets = cast(Object, cast(Object, report["replay"])["buckets"])
    assert cast(int, buckets["newly-allowed"]) > 0
    changed = cast("list[Object]", cast(Object, report["replay"])["changed"])
    places = [{key: row[key] for key in ("run", "step", "call")} for row in changed]
    recorded = [region["recorded"] for region in listed(report["newly_allowed"])]
    assert any(recorded)
    assert all(place is None or place in places for place in recorded)


def test_a_version_that_is_not_there_is_bad_input(shopping: Path, shell: Shell) -> None:
    assert shell.run("diff", shopping, "nowhere") == 2
    assert shell.run("diff", shopping, "git:nowhere") == 2


def test_the_lowered_program_is_shown(shopping: Path, shell: Shell) -> None:
    assert shell.run("verify", shopping, "--program") == 0
    assert shell.out.startswith("from nagini_contracts.contracts import")
    assert "Ensures(" in shell.out


def ids(objects: Sequence[Object]) -> list[Json]:
    return [item["id"] for item in objects]


def test_an_open_question_is_answered_and_the_answer_taken_back(shopping: Path, shell: Shell) -> None:
    assert shell.run("answer", shopping, NO_CLAUSE, "--retract") == 0
    assert shell.run("ask", shopping) == 1
    assert "--context REASON --keep that it states no rule" in shell.out
    command = next(line for line in shell.out.splitlines() if line.startswith("  workbench say "))
    assert shlex.split(command)[:4] == ["workbench", "say", str(shopping), "--for"]
    assert len(shlex.split(command)) == 5
    (understanding,) = shell.objects("ask", shopping)
    (question,) = listed(understanding["open"])
    assert (question["id"], question["default"]) == (NO_CLAUSE, None)
    assert "signed-in user" in str(question["quote"])
    assert shell.run("answer", shopping, NO_CLAUSE, "meant") == 0
    (after,) = shell.objects("ask", shopping)
    assert listed(after["open"]) == []
    made_by = {item["id"]: cast(Object, item["assumption"])["made_by"] for item in listed(after["answered"])}
    assert made_by[NO_CLAUSE] == "human"


def test_an_answer_is_undone_and_redone(shopping: Path, shell: Shell) -> None:
    before = (shopping / "assumptions.toml").read_text()
    shell.run("answer", shopping, NO_CLAUSE, "--retract")
    retracted = (shopping / "assumptions.toml").read_text()
    assert retracted != before
    assert shell.run("ask", shopping) == 1
    assert shell.run("undo", shopping) == 0
    assert shell.out.startswith("Undone: ")
    assert (shopping / "assumptions.toml").read_text() == before
    assert shell.run("redo", shopping) == 0
    assert (shopping / "assumptions.toml").read_text() == retracted
    assert shell.run("redo", shopping) == 1


def test_a_version_is_gone_back_to_by_its_number(shopping: Path, shell: Shell) -> None:
    assert shell.run("undo", shopping, "--list") == 0
    assert shell.out == "Nothing was changed yet.\n"
    before = (shopping / "policy.py").read_text()
    stricter = before.replace("age < 18", "age < 21")
    with Session.open(shopping) as session:
        session.set_text("policy.py", stricter)
    assert shell.run("undo", shopping, "--to", "0") == 0
    assert (shopping / "policy.py").read_text() == before
    assert shell.run("undo", shopping, "--to", "0") == 0
    assert "already" in shell.out
    shell.run("undo", shopping, "--list")
    lines = shell.out.splitlines()
    assert lines[0].startswith("2. ")
    assert lines[0].endswith("Go back to version 0, the present one")
    assert lines[1].startswith("1. ")
    assert shell.run("undo", shopping, "--to", "9") == 2
    assert "--list" in shell.err
    assert shell.run("undo", shopping) == 0, "going back is a change, which is undone"
    assert (shopping / "policy.py").read_text() == stricter


def test_the_difference_has_each_changed_rule_as_text_and_aloud(shopping: Path, shell: Shell) -> None:
    rule = 'def forbid_hotels(call: BookRoom) -> bool:\n    """R8: No hotels."""\n    return True\n'
    with Session.open(shopping) as session:
        text = session.written.replace("def contract", f"{rule}\n\ndef contract", 1)
        session.set_text("policy.py", text.replace("import Call", "import BookRoom, Call"))
    shell.run("diff", shopping, "--rules")
    lines = shell.out.splitlines()
    place = lines.index("Rule forbid_hotels")
    assert lines[place + 1] == "  says: The agent must never book a room."
    assert '  +    """R8: No hotels."""' in lines[place:]
    shell.run("diff", shopping)
    assert "No hotels." not in shell.out
    assert shell.run("diff", shopping, "--rules", "--json") == 2


def test_what_is_no_answer_is_refused_with_the_known_ones(shopping: Path, shell: Shell) -> None:
    assert shell.run("answer", shopping, NO_CLAUSE, "nonsense") == 2
    assert "meant" in shell.err
    assert shell.run("answer", shopping, "nonsense", "x") == 2
    assert NO_CLAUSE in shell.err


def test_a_session_is_made_from_a_request_and_an_agent_spec(
    hospital: Path, tmp_path: Path, shell: Shell
) -> None:
    path = tmp_path / "made"
    words = ["new", path, "--request", hospital / "request.md", "--agent", hospital / "agent.toml"]
    for log in sorted((hospital / "logs").iterdir()):
        words += ["--log", log]
    assert shell.run(*words) == 0
    assert len(shell.objects("replay", path)) == len(shell.objects("replay", hospital))
    (understanding,) = shell.objects("ask", path)
    assert any("logs in with one role" in str(item["quote"]) for item in listed(understanding["open"]))
    assert shell.run(*words) == 2
    assert "not empty" in shell.err


WEAK = """
from nagini_contracts.contracts import Ensures, Implies, Result


from agent import Call, Run

DEFAULT = "allow"


def forbid_minor(call: Call, run: Run) -> bool:
    \"\"\"R1: Users under 18 may not book.\"\"\"
    return run.first_said.age < 18


def contract_age(call: Call, run: Run) -> None:
    # R1: Users under 18 may not book.
    Ensures(Implies(Result(), run.first_said.age >= 10))
"""


def test_a_contract_that_lets_wrong_versions_pass_is_shown_weak(shopping: Path, shell: Shell) -> None:
    weak = shopping.parent / "weak.py"
    weak.write_text(WEAK)
    assert shell.run("strength", shopping, "--policy", weak) == 1
    assert "  passes: " in shell.out
    (report,) = shell.objects("strength", shopping, "--policy", weak)
    fates = [mutant["fate"] for mutant in listed(report["mutants"])]
    assert "survived" in fates
    assert report["killed"] == fates.count("killed")


def test_the_shipped_contract_lets_no_wrong_version_pass(shopping: Path, shell: Shell) -> None:
    assert shell.run("strength", shopping) == 0
    (report,) = shell.objects("strength", shopping)
    assert report["killed"] == report["killable"] != 0


def test_the_evidence_has_a_row_per_clause_with_its_sentence(shopping: Path, shell: Shell) -> None:
    assert shell.run("evidence", shopping) == 0, "two sentences have no clause, and are context"
    assert "Users under 18 may not book a hotel." in shell.out
    (report,) = shell.objects("evidence", shopping)
    (proof,) = shell.objects("verify", shopping, "--preview")
    assert len(listed(report["clauses"])) == len(listed(proof["clauses"]))


@pytest.mark.parametrize("command", ["check", "ask", "test", "verify", "replay"])
def test_reading_commands_change_no_file(command: str, hospital: Path, shell: Shell) -> None:
    before = {path: path.read_bytes() for path in hospital.rglob("*") if path.is_file()}
    words = {"check": ["--help"], "verify": ["--preview"]}.get(command, [])
    shell.run(command, hospital, *words)
    assert {path: path.read_bytes() for path in hospital.rglob("*") if path.is_file()} == before


def test_a_copy_of_the_user_s_own_is_opened_and_the_original_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "data"))
    shown: list[Path] = []

    def show(path: Path, **_options: object) -> int:
        shown.append(path)
        return 0

    monkeypatch.setattr("workbench.tui.starting.run", show)
    monkeypatch.setattr("workbench.cli.sessions.need_terminal", lambda: None)
    original = copied("hospital-access", tmp_path)
    copy = tmp_path / "data" / "sessions" / original.name
    for _ in range(2):
        assert main(["open", "--copy", str(original)]) == 0
        assert str(copy) in capsys.readouterr().err
        (copy / "request.md").write_text("Changed.", encoding="utf-8")
    assert shown == [copy, copy]
    assert (original / "request.md").read_text("utf-8") != "Changed."
    assert (copy / "request.md").read_text("utf-8") == "Changed."
    assert main(["open", "--copy"]) == 2
    assert "Name the session's folder" in capsys.readouterr().err
