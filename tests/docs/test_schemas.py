"""The schemas for editors are those of the definitions, and say what the reader says."""

# jsonschema is typed only in part.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import importlib.util
import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from workbench.cli import main

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "docs" / "reference" / "schemas"
FILES = sorted(
    path
    for path in ROOT.glob("sessions/*/*")
    if path.suffix in (".toml", ".jsonl") and (SCHEMAS / f"{path.stem}.json").exists()
)


def written(path: Path) -> list[Any]:
    """What a file of a session holds; a file of JSON lines holds many."""
    if path.suffix == ".toml":
        return [tomllib.loads(path.read_text())]
    return [json.loads(line) for line in path.read_text().splitlines()]


def refused(name: str, value: Any) -> bool:
    """Whether the schema of that name refuses a value."""
    validator = jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"{name}.json").read_text()))
    return not validator.is_valid(value)


def test_the_schemas_are_those_of_the_definitions() -> None:
    spec = importlib.util.spec_from_file_location("file_schemas", ROOT / "scripts/file_schemas.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = {name: module.schema(form) for name, form in {**module.FORMS, **module.RESULTS}.items()}
    assert made == {path.name: path.read_text() for path in SCHEMAS.iterdir()}, "run 'make docs'"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_shipped_file_is_what_its_schema_says(path: Path) -> None:
    assert not any(refused(path.stem, value) for value in written(path))


SHOP = ROOT / "sessions" / "web-shopping"
HOSPITAL = ROOT / "sessions" / "hospital-access"


def printed(captured: pytest.CaptureFixture[str], *words: object) -> list[Any]:
    """The objects that a command prints with --json."""
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
    assert "and age < 18" in policy
    path.write_text(policy.replace("and age < 18", "and age < 21"))
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
    (found,) = printed(capsys, command, SHOP, *words, *policy)
    assert not refused(name, found)
    assert refused(name, {**found, "more_than_is_said": 1})
    assert refused(name, without(found, inner))


def test_the_lines_of_a_replay_and_their_explanations_are_what_their_schemas_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    decided = printed(capsys, "replay", HOSPITAL)
    assert not any(refused("result-replay", line) for line in decided)
    assert refused("result-replay", without(decided[0], ["arguments", "role", "value"]))
    chosen = {line["decision"]: line for line in decided}
    assert {"allow", "deny"} <= set(chosen)
    for line in chosen.values():
        (explained,) = printed(capsys, "explain", HOSPITAL, line["run"], "--call", line["call"])
        assert not refused("result-explain", explained)
        assert refused("result-explain", without(explained, ["counterfactual", "found"]))


def test_a_mistake_is_refused_by_the_schema() -> None:
    assert refused("session", {"format": 1, "name": "a", "titel": "b"})
    assert refused("cases", {"case": [{"id": "a", "expected": "denied"}]})
    assert refused("agent", {"name": "a", "arguments": {"age": {"type": "integer"}}})
    assert refused("agent", {"name": "a", "arguments": {"age": {"type": "int", "places": -1}}})
    assert refused("memory", {"id": "a"})
    assert refused("keys", {"keys": {"zom": "f9"}})
    assert not refused("agent", {"name": "a", "arguments": {"age": {"type": "int"}}})
    assert not refused("keys", {"vim": True, "keys": {"zoom": "f9"}})
