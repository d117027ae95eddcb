"""Exported files that tests import, and the decisions of their guards."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, cast

from workbench.guard import Guard
from workbench.guard.call_reading import CallReading
from workbench.guard.export import ExportedPart, export_policies
from workbench.guard.exported_reading import reading_for
from workbench.model import AgentSpec, Demonstration, Run
from workbench.policy.terms import PolicyTerms
from workbench.runs.replay.decide import replay


def reading_of(terms: PolicyTerms, spec: AgentSpec, memory: tuple[Demonstration, ...] = ()) -> CallReading:
    """The reading of a policy's calls in a session with this agent."""
    return reading_for([argument.name for argument in terms.arguments], spec.arguments, spec, memory)


NOTHING_READ = CallReading((), AgentSpec("nothing"))
"""The reading of a policy whose arguments a test makes itself."""


def part_of(terms: PolicyTerms, reading: CallReading = NOTHING_READ) -> dict[str, ExportedPart]:
    """A policy as the only one of an exported file."""
    return {"s": ExportedPart(terms, {"session": "s"}, reading)}


def exported(terms: PolicyTerms, reading: CallReading = NOTHING_READ) -> str:
    """The text of the exported file of a policy."""
    return export_policies(part_of(terms, reading), "nothing")


def imported(path: Path) -> Any:
    """The module of an exported file."""
    spec = importlib.util.spec_from_file_location(f"exported_for_{path.parent.name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class ExportedFile:
    """An exported file, imported as a module."""

    def __init__(self, folder: Path, terms: PolicyTerms, reading: CallReading) -> None:
        """Export the policy, and import the file."""
        self.path = folder / "exported_policy.py"
        self.path.write_text(exported(terms, reading), encoding="utf-8")
        self.module = imported(self.path)

    def own(self, **options: Any) -> Guard:
        """The guard that the file makes itself."""
        return self.module.guard(mode=self.module.Mode.SHADOW, **options)

    def replayed(self, runs: Iterable[Run]) -> list[object]:
        """The decisions of the file's own extraction and policy on recorded runs, with the arguments."""
        module = self.module
        (part,) = module._parts().values()
        extractor = module._module("runs.extract.extractor").Extractor(
            part.reading.arguments, part.reading.spec, None, part.reading.memory, expressions=part.expressions
        )
        return [
            (plain(step.decision), plain(step.extracted)) for step in replay(part.policy, extractor, runs)
        ]


def plain(value: object) -> object:
    """A value without the classes of its nouns, because an imported file has its own classes."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [(field.name, plain(getattr(value, field.name))) for field in dataclasses.fields(value)]
        return type(value).__name__, tuple(fields)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in cast("Mapping[str, object]", value).items()}
    if isinstance(value, tuple):
        return tuple(plain(item) for item in cast("tuple[object, ...]", value))
    return value
