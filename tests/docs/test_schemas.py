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
    made = {name: module.schema(form) for name, form in module.FORMS.items()}
    assert made == {path.name: path.read_text() for path in SCHEMAS.iterdir()}, "run 'make docs'"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_shipped_file_is_what_its_schema_says(path: Path) -> None:
    assert not any(refused(path.stem, value) for value in written(path))


def test_a_mistake_is_refused_by_the_schema() -> None:
    assert refused("session", {"format": 1, "name": "a", "titel": "b"})
    assert refused("cases", {"case": [{"id": "a", "expected": "denied"}]})
    assert refused("agent", {"name": "a", "arguments": {"age": {"type": "integer"}}})
    assert refused("agent", {"name": "a", "arguments": {"age": {"type": "int", "places": -1}}})
    assert refused("memory", {"id": "a"})
    assert refused("keys", {"keys": {"zom": "f9"}})
    assert not refused("agent", {"name": "a", "arguments": {"age": {"type": "int"}}})
    assert not refused("keys", {"vim": True, "keys": {"zoom": "f9"}})
