"""A text read by a reading that a test declares."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.model import AgentSpec, ArgumentType, Demonstration, Extracted, Extraction, Json, TextReading
from workbench.policy.undetermined import Undetermined
from workbench.runs.extract.model_method import Reader
from workbench.runs.extract.text_readings import PreparedReading
from workbench.runs.world.record_values import RecordValues


def read_text(
    text: str,
    type_: ArgumentType,
    method: str,
    name: str = "value",
    demonstrations: Sequence[Demonstration] | None = None,
    reader: Reader | None = None,
    /,
    **options: Json,
) -> Extracted:
    """What a reading gives for a text, with the reason where it gives nothing."""
    reading = TextReading(name, type_, Extraction(method, options))
    prepared = PreparedReading(reading, AgentSpec("a"), reader, demonstrations, RecordValues((), ""))
    found = prepared.of(text)
    if isinstance(found.value, Undetermined):
        return Extracted(missing="; ".join(sorted(found.value.names)))
    return Extracted(found.value, found.provenance, None, found.items)


def quoted(text: str, extracted: Extracted) -> list[str]:
    """The parts of a text at the places of a value."""
    return [text[span.start : span.end] for entry in extracted.provenance for span in entry.spans]
