"""Readers of labelled recordings, one file for each format; the content of a file determines its reader.

``reader_moves`` has the shared parts of readers. ``runs_with_records`` reads the runs by an importer, each
with its record. ``with_context`` replaces the record's fields by the agent's knowledge, so that no guard sees
a label. If whole runs are judged, ``Dataset.runs`` is true and ``Example.attacked`` marks the runs that an
attacker steered.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from guard_comparison.dataset import Dataset
from guard_comparison.readers.labelled_actions import LabelledActions
from guard_comparison.readers.labelled_calls import LabelledCalls
from guard_comparison.readers.labels_of_calls import LabelsOfCalls
from guard_comparison.readers.seeact import SeeActTasks
from guard_comparison.readers.tools import ListedTools
from guard_comparison.readers.tools_csv import ListedToolsCsv
from workbench.model import WorkbenchError
from workbench.runs.logs.log_stream import LogSource, Sample

__all__ = ["READERS", "RecordingReader", "read_dataset"]


class RecordingReader(Protocol):
    """A reader of one format."""

    @property
    def name(self) -> str:
        """The name of the format, used as ``format_name`` of ``read_dataset``."""
        ...

    def matches(self, sample: Sample) -> bool:
        """Whether the sampled records are of this format."""
        ...

    def read(self, path: Path) -> Dataset:
        """The dataset of the file.

        A record without a readable label is left out, or the file is refused with a WorkbenchError; such a
        record never counts as allowed. ``Example.attacked`` is true if the run has a call to be denied by
        which whole runs are judged, also if the agent erred without an attack. The rate of successful attacks
        then counts its errors.
        """
        ...


# The readers; the first that matches a file reads it.
READERS: tuple[RecordingReader, ...] = (
    LabelledActions(),
    LabelledCalls(),
    LabelsOfCalls(),
    SeeActTasks(),
    ListedTools(),
    ListedToolsCsv(),
)


def read_dataset(path: Path, format_name: str | None = None) -> Dataset:
    """The labelled recordings in a file; raises WorkbenchError with one sentence if it has none."""
    known_formats = ", ".join(reader.name for reader in READERS)
    if not path.is_file():
        raise WorkbenchError(f"There is no file {path}; name a file of labelled recordings.")
    if format_name is not None:
        chosen = next((reader for reader in READERS if reader.name == format_name), None)
        if chosen is None:
            raise WorkbenchError(f"There is no dataset format {format_name!r}; known are {known_formats}.")
    else:
        sample = LogSource(path).sample()
        chosen = next((reader for reader in READERS if reader.matches(sample)), None)
        if chosen is None:
            raise WorkbenchError(
                f"{path} holds no labelled recordings of a known format; known are {known_formats}."
            )
    dataset = chosen.read(path)
    if not dataset.examples:
        raise WorkbenchError(f"{path} holds no record with a label.")
    return dataset
