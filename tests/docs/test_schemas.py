"""The schemas for editors follow the definitions, and agree with the reader."""

# jsonschema is typed only in part.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest
from typer.main import get_command

from workbench.app.doctor import examine_python
from workbench.cli import main
from workbench.cli.command_tree import tree
from workbench.serialization.nouns import json_of

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "docs" / "reference" / "schemas"
FILES = sorted(
    path
    for path in ROOT.glob("sessions/*/*")
    if path.suffix in (".toml", ".jsonl") and (SCHEMAS / f"{path.stem}.json").exists()
)


def written(path: Path) -> list[Any]:
    """The content of a file of a session; a file of JSON lines has several objects."""
    if path.suffix == ".toml":
        return [tomllib.loads(path.read_text())]
    return [json.loads(line) for line in path.read_text().splitlines()]


def refused(name: str, value: Any) -> bool:
    """Whether the schema of that name rejects a value."""
    validator = jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"{name}.json").read_text()))
    return not validator.is_valid(value)


def test_the_schemas_are_those_of_the_definitions(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("file_schemas", ROOT / "scripts/file_schemas.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # pydantic looks for the module of a model there
    spec.loader.exec_module(module)
    schemas = {name: module.schema(form) for name, form in {**module.FILES, **module.RESULTS}.items()}
    assert schemas == {path.name: path.read_text() for path in SCHEMAS.iterdir()}, "run 'make docs'"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_shipped_file_is_what_its_schema_says(path: Path) -> None:
    assert not any(refused(path.stem, value) for value in written(path))


SHOP = ROOT / "sessions" / "web-shopping"
HOSPITAL = ROOT / "sessions" / "hospital-access"


def printed(captured: pytest.CaptureFixture[str], *words: object) -> list[Any]:
    """The objects that a command prints with ``--json``."""
    main([*map(str, words), "--json"])
    return [json.loads(line) for line in captured.readouterr().out.splitlines()]


def without(value: Any, path: list[Any]) -> Any:
    """The value without the key at the end of the path."""
    first, *rest = path
    if isinstance(value, list):
        return [*value[:first], without(value[first], rest), *value[first + 1 :]]
    return {
        name: without(held, rest) if name == first else held
        for name, held in value.items()
        if rest or name != first
    }


@pytest.fixture(scope="module")
def stricter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another version of the shop's policy, which fails its cases and clauses."""
    path = tmp_path_factory.mktemp("policies") / "policy.py"
    policy = (SHOP / "policy.py").read_text()
    assert "and run.first_said.age < 18" in policy
    path.write_text(policy.replace("and run.first_said.age < 18", "and run.first_said.age < 21"))
    return path


@pytest.mark.parametrize(
    ("command", "words", "inner"),
    [
        ("test", [], ["failures", 0, "case"]),
        ("verify", ["--preview"], ["clauses", 2, "counterexample", "path", 0, "rule"]),
        ("diff", [], ["newly_denied", 0, "witness"]),
        ("strength", [], ["mutants", 0, "killed_by"]),
    ],
)
def test_a_result_is_what_its_schema_says(
    command: str, words: list[str], inner: list[Any], stricter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"result-{command}"
    policy = {"diff": ["current", stricter], "strength": []}.get(command, ["--policy", stricter])
    (result,) = printed(capsys, command, SHOP, *words, *policy)
    assert not refused(name, result)
    assert refused(name, {**result, "more_than_is_said": 1})
    assert refused(name, without(result, inner))


def test_the_lines_of_a_replay_and_their_explanations_are_what_their_schemas_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    decided = printed(capsys, "replay", HOSPITAL)
    assert not any(refused("result-replay", line) for line in decided)
    assert refused("result-replay", without(decided[0], ["arguments", "first_said_role", "value"]))
    chosen = {line["decision"]: line for line in decided}
    assert {"allow", "deny"} <= set(chosen)
    for line in chosen.values():
        (explained,) = printed(capsys, "explain", HOSPITAL, line["run"], "--call", line["call"])
        assert not refused("result-explain", explained)
        assert refused("result-explain", without(explained, ["counterfactual", "found"]))


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A copy of the shop for tests that change it."""
    return shutil.copytree(SHOP, tmp_path / "shop", ignore=shutil.ignore_patterns(".workbench"))


def accepted(captured: pytest.CaptureFixture[str], name: str, *words: object) -> list[Any]:
    """Check that each printed object fits the schema, and that it does not with a field more or less."""
    documents = printed(captured, *words)
    assert documents
    for value in documents:
        assert not refused(name, value)
        row = cast("dict[str, Any]", value[0] if isinstance(value, list) else value)
        more, less = {**row, "more_than_is_said": 1}, without(row, [next(iter(row))])
        assert all(refused(name, [other] if isinstance(value, list) else other) for other in (more, less))
    return documents


def test_what_is_asked_answered_and_assumed_is_what_its_schema_says(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["answer", str(own), "no-clause:ddc100a2:e3b0c442", "--retract"]) == 0
    capsys.readouterr()
    (understanding,) = accepted(capsys, "result-ask", "ask", own)
    question = understanding["open"][0]["id"]
    value = understanding["open"][0]["options"][0]["value"]
    accepted(capsys, "result-answer-preview", "answer", own, question, value, "--preview")
    accepted(capsys, "result-answer", "answer", own, question, value)
    (assumed,) = accepted(capsys, "result-assumptions", "assumptions", own)
    assert [assumption["value"] for assumption in assumed] == [value] * 2
    assert refused("result-assumptions", [without(assumed[0], ["sentences", 0, "line"])])


def test_cases_that_are_kept_and_removed_are_what_their_schemas_say(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (known,) = accepted(capsys, "result-cases", "cases", own)
    arguments = json.dumps({**known[0]["arguments"], "first_said_age": 44})
    (case,) = accepted(
        capsys, "result-cases-expect", "cases", own, "--arguments", arguments, "--expect", "allow"
    )
    accepted(capsys, "result-cases-remove", "cases", own, "--remove", case["case"]["id"])


def test_causes_and_their_judgement_are_what_their_schemas_say(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, *_ = accepted(capsys, "result-denials", "denials", own)
    assert refused("result-denials", without(first, ["calls", 0, "call"]))
    assert refused("result-denials", without(first, ["conditions", 0, "holds"]))
    accepted(capsys, "result-denials-judge", "denials", own, "--judge", first["key"], "right")


def test_what_is_done_with_demonstrations_is_what_its_schema_says(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (known,) = accepted(capsys, "result-memory-list", "memory", "list", own)
    run = printed(capsys, "replay", own)[0]["run"]
    (ranked,) = accepted(capsys, "result-memory-rank", "memory", "rank", own, run)
    best = ranked[0]["id"]
    assert best in {demonstration["id"] for demonstration in known}
    accepted(capsys, "result-memory-effect", "memory", "effect", own, "--without", best)
    (changed,) = accepted(capsys, "result-memory", "memory", "disable", own, best)
    assert refused("result-memory", without(changed, ["retrieve_differently", 0, "call"]))


def test_a_wrong_version_that_passes_is_decided_as_the_schemas_say(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = (own / "policy.py").read_text()
    clause = '    Ensures(Implies(run.said.action == "book_hotel", Result() == (run.first_said.age >= 18)))\n'
    assert clause in policy
    (own / "policy.py").write_text(policy.replace(clause, ""))
    (report,) = printed(capsys, "strength", own)
    first, *_ = (mutant["id"] for mutant in report["mutants"] if mutant["fate"] == "survived")
    accepted(capsys, "result-strength-case", "strength", own, "--case", first)
    accepted(
        capsys, "result-strength-accept", "strength", own, "--accept", first, "--reason", "Nobody minds."
    )


def test_evidence_and_strategies_and_proposals_are_what_their_schemas_say(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (evidence,) = accepted(capsys, "result-evidence", "evidence", own)
    for inner in (["verdicts", 0, "engine"], ["vacuity", "vacuous"], ["call_examples", 0, "run"]):
        row = next(number for number, clause in enumerate(evidence["clauses"]) if clause[inner[0]])
        assert refused("result-evidence", without(evidence, ["clauses", row, *inner]))
    assert refused("result-evidence", without(evidence, ["strength", "killed"]))
    (compared,) = accepted(capsys, "result-strategies", "strategies", own)
    assert refused("result-strategies", without(compared, ["deny-all", "all", "lost"]))
    assert refused("result-strategies", without(compared, ["deny-all", "runs", 0, "lost"]))


def test_an_evaluation_is_what_its_schema_says(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decided = printed(capsys, "replay", own)
    labels = tmp_path / "labels.jsonl"
    labels.write_text(
        "".join(
            json.dumps({"run": line["run"], "call": line["call"], "breaks": ["no-minors"]}) + "\n"
            for line in decided
        )
    )
    (scores,) = accepted(capsys, "result-evaluate", "evaluate", own, labels)
    assert scores["calls"] == len(decided)
    assert refused("result-evaluate", without(scores, ["rules", 0, "recall"]))
    assert refused("result-evaluate", without(scores, ["differing", 0, "label", "breaks"]))


def test_a_finding_of_the_doctor_is_what_its_schema_says() -> None:
    finding = json.loads(json.dumps(json_of(examine_python((3, 11)))))
    assert not finding["good"]
    assert not refused("result-doctor", [finding])
    assert refused("result-doctor", [without(finding, ["remedy"])])


def test_every_command_that_prints_json_has_a_schema() -> None:
    names = {path.stem.removeprefix("result-") for path in SCHEMAS.glob("result-*.json")}
    groups: list[tuple[str, Any]] = [("", get_command(tree()))]
    while groups:
        path, group = groups.pop()
        for name, command in group.commands.items():
            full = f"{path}-{name}" if path else name
            if hasattr(command, "commands"):
                groups.append((full, command))
            elif any("--json" in option.opts for option in command.params):
                assert full in names or path in names, full


def test_a_key_steps_stands_only_where_actions_are_counted() -> None:
    counting = {
        path.name
        for path in SCHEMAS.glob("result-*.json")
        if '"step' in path.read_text().replace('"step"', "")
    }
    assert counting == {"result-live.json"}


def test_a_mistake_is_refused_by_the_schema() -> None:
    assert refused("session", {"format": 1, "name": "a", "titel": "b"})
    assert refused("cases", {"case": [{"id": "a", "expected": "denied"}]})
    assert refused("agent", {"name": "a", "context": {"age": {"type": "integer"}}})
    assert refused("agent", {"name": "a", "context": {"age": {"type": "int", "places": -1}}})
    assert refused("agent", {"name": "a", "arguments": {"age": {"type": "int"}}})
    assert refused("memory", {"id": "a"})
    assert refused("keys", {"keys": {"zom": "f9"}})
    assert not refused("agent", {"name": "a", "context": {"age": {"type": "int"}}})
    assert not refused("keys", {"keys": {"zoom": "f9"}})
