"""The commands on the shipped sessions, without the verifier: their output, and when they end with 1."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from workbench.cli import main
from workbench.model import Json

ROOT = Path(__file__).resolve().parents[2]
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
    assert 'role = "physician", columns = {' in shell.out


@pytest.mark.parametrize("name", SHIPPED)
def test_the_preview_names_its_engine(name: str, shell: Shell) -> None:
    assert shell.run("verify", ROOT / "sessions" / name, "--preview") == 0
    (report,) = shell.objects("verify", ROOT / "sessions" / name, "--preview")
    assert report["status"] == "proved"
    assert {str(clause["engine"]) for clause in listed(report["clauses"])} == {"cvc5"}


def test_a_refuted_clause_comes_with_a_confirmed_counterexample(hospital: Path, shell: Shell) -> None:
    policy = without_a_column(hospital)
    assert shell.run("verify", hospital, "--preview", "--policy", policy) == 1
    assert 'counterexample: role = "physician", columns = {"allergy.drugname"}' in shell.out
    (report,) = shell.objects("verify", hospital, "--preview", "--policy", policy)
    refuted = [clause for clause in listed(report["clauses"]) if clause["status"] == "refuted"]
    assert [clause["requirement"] for clause in refuted] == ["R1"]
    counterexample = cast(Object, refuted[0]["counterexample"])
    assert counterexample["confirmed"] is True
    assert counterexample["arguments"] == {"role": "physician", "columns": ["allergy.drugname"]}


def test_text_that_is_not_in_the_dialect_is_bad_input_and_never_run(hospital: Path, shell: Shell) -> None:
    path = hospital.parent / "hostile.py"
    witness = hospital.parent / "was-run"
    path.write_text(f"open({str(witness)!r}, 'w')\n")
    for command in ("test", "verify", "replay", "lower"):
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
    assert 'example  role = "physician", columns = {"allergy.drugname"' in shell.out
    output = shell.out
    (report,) = shell.objects("diff", hospital, "current", policy)
    assert report["newly_allowed"] == []
    (region,) = listed(report["newly_denied"])
    turned = cast(int, cast(Object, cast(Object, report["replay"])["buckets"])["newly-denied"])
    assert (region["recorded"] is None) is (turned == 0)
    assert ("no recorded call lies here" in output) is (turned == 0)
    assert shell.run("diff", hospital, policy) == 1, "the way back allows the column"
    assert shell.run("diff", hospital, policy, "--markdown") == 1
    assert "### Newly allowed: 1 region" in shell.out


def test_a_policy_does_not_differ_from_itself(hospital: Path, shell: Shell) -> None:
    assert shell.run("diff", hospital, hospital / "policy.py") == 0
    assert "Both policies decide the same on every input.\nIn the logs: " in shell.out
    assert shell.out.rstrip().endswith(" same")


def test_diff_without_versions_compares_with_what_was_before_the_last_change(
    shopping: Path, shell: Shell
) -> None:
    assert shell.run("answer", shopping, "contradiction:bb44d4ba", "message") == 0
    assert shell.run("diff", shopping) == 1
    assert "newly allowed" in shell.out
    (report,) = shell.objects("diff", shopping, "0", "draft")
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
    assert shell.run("lower", shopping) == 0
    assert shell.out.startswith("from nagini_contracts.contracts import")
    assert "Ensures(" in shell.out


def ids(objects: Sequence[Object]) -> list[Json]:
    return [item["id"] for item in objects]


def test_an_open_question_is_asked_answered_taken_back_and_answered_again(
    shopping: Path, shell: Shell
) -> None:
    before = shutil.copyfile(shopping / "policy.py", shopping.parent / "before.py")
    assert shell.run("ask", shopping) == 1
    assert "workbench answer" in shell.out
    (understanding,) = shell.objects("ask", shopping)
    question = next(item for item in listed(understanding["open"]) if item["default"] is None)
    assert "vaccin" in str(question["quote"]).lower()
    name = str(question["id"])
    changed: set[str] = set()
    for option in listed(question["options"]):
        assert shell.run("answer", shopping, name, str(option["value"])) == 0
        (after,) = shell.objects("ask", shopping)
        assert name not in ids(listed(after["open"]))
        assumption_by_id = {
            item["id"]: cast(Object, item["assumption"]) for item in listed(after["answered"])
        }
        assert assumption_by_id[name]["value"] == option["value"]
        assert assumption_by_id[name]["made_by"] == "human"
        changed.add((shopping / "policy.py").read_text())
        assert shell.run("answer", shopping, name, "--retract") == 0
        (again,) = shell.objects("ask", shopping)
        assert name in ids(listed(again["open"]))
        assert shell.run("diff", shopping, before, "--strict") == 0, shell.out
    assert len(changed) == len(listed(question["options"])), "two options make the same policy"


def test_an_answer_is_undone_and_redone(shopping: Path, shell: Shell) -> None:
    (understanding,) = shell.objects("ask", shopping)
    question = next(item for item in listed(understanding["open"]) if item["default"] is None)
    before = (shopping / "policy.py").read_text()
    shell.run("answer", shopping, str(question["id"]), str(listed(question["options"])[0]["value"]))
    answered = (shopping / "policy.py").read_text()
    assert answered != before
    assert shell.run("undo", shopping) == 0
    assert shell.out.startswith("Undone: ")
    assert (shopping / "policy.py").read_text() == before
    assert shell.run("redo", shopping) == 0
    assert (shopping / "policy.py").read_text() == answered
    assert shell.run("redo", shopping) == 1


def test_a_version_is_gone_back_to_by_its_number(shopping: Path, shell: Shell) -> None:
    assert shell.run("undo", shopping, "--list") == 0
    assert shell.out == "Nothing was changed yet.\n"
    before = (shopping / "policy.py").read_text()
    shell.run("rule", shopping, "--tool", "book_hotel", "--message", "No hotels.", "--anyway")
    with_rule = (shopping / "policy.py").read_text()
    assert with_rule != before
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
    assert (shopping / "policy.py").read_text() == with_rule


def test_the_difference_has_each_changed_rule_as_text_and_aloud(shopping: Path, shell: Shell) -> None:
    shell.run("rule", shopping, "--tool", "book_hotel", "--message", "No hotels.", "--anyway")
    assert shell.run("diff", shopping, "--rules") == 0
    lines = shell.out.splitlines()
    place = lines.index("Rule forbid_book_hotel")
    assert lines[place + 1] == "  says: Never book hotel."
    assert '  +    """No hotels."""' in lines[place:]
    shell.run("diff", shopping)
    assert "No hotels." not in shell.out
    assert shell.run("diff", shopping, "--rules", "--json") == 2


def test_what_is_no_answer_is_refused_with_the_known_ones(shopping: Path, shell: Shell) -> None:
    (understanding,) = shell.objects("ask", shopping)
    question = listed(understanding["open"])[0]
    assert shell.run("answer", shopping, str(question["id"]), "nonsense") == 2
    assert str(listed(question["options"])[0]["value"]) in shell.err
    assert shell.run("answer", shopping, "nonsense", "x") == 2
    assert str(question["id"]) in shell.err
    assert shell.run("answer", shopping, "unvaccinated users", "message", "--preview") == 0


def test_defaults_are_stored_as_defaults_and_never_for_what_has_no_safe_one(
    shopping: Path, shell: Shell
) -> None:
    (before,) = shell.objects("ask", shopping)
    unsafe = [item["id"] for item in listed(before["open"]) if item["default"] is None]
    assert shell.run("answer", shopping, "--defaults") == 0
    (after,) = shell.objects("ask", shopping)
    assert ids(listed(after["open"])) == unsafe
    makers = [cast(Object, item["assumption"])["made_by"] for item in listed(after["answered"])]
    assert makers.count("default") == len(listed(before["open"])) - len(unsafe)


def test_a_session_is_made_from_a_request_and_an_agent_spec(
    hospital: Path, tmp_path: Path, shell: Shell
) -> None:
    path = tmp_path / "made"
    words = ["new", path, "--request", hospital / "request.md", "--agent", hospital / "agent.toml"]
    for log in sorted((hospital / "logs").iterdir()):
        words += ["--log", log]
    assert shell.run(*words) == 0
    assert shell.run("test", path) == 0
    assert len(shell.objects("replay", path)) == len(shell.objects("replay", hospital))
    (understanding,) = shell.objects("ask", path)
    assert any("general admission" in str(item["quote"]).lower() for item in listed(understanding["open"]))
    assert shell.run(*words) == 2
    assert "not empty" in shell.err


def test_drafting_again_keeps_an_edit(hospital: Path, shell: Shell) -> None:
    assert shell.run("draft", hospital) == 0
    policy = hospital / "policy.py"
    mark = "A role may read only the columns listed for it."
    assert mark in policy.read_text()
    policy.write_text(policy.read_text().replace(mark, "Only what is listed may be read.", 1))
    assert shell.run("draft", hospital) == 0
    assert "Only what is listed may be read." in policy.read_text()


WEAK = """
from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_minor(age: int) -> bool:
    \"\"\"R1: Users under 18 may not book.\"\"\"
    return age < 18


def allow(age: int) -> bool:
    # R1: Users under 18 may not book.
    Ensures(Implies(Result(), age >= 10))
    return not (forbid_minor(age))
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
    assert shell.run("evidence", shopping) == 0
    assert "Users under 18 may not book a hotel." in shell.out
    (report,) = shell.objects("evidence", shopping)
    (proof,) = shell.objects("verify", shopping, "--preview")
    assert len(listed(report["clauses"])) == len(listed(proof["clauses"]))


@pytest.mark.parametrize("command", ["check", "ask", "test", "verify", "replay", "lower"])
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
