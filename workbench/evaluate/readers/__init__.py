"""Readers of labelled recordings, one file for each format; the content of a file chooses its reader.

What readers share is in ``reader_moves``: ``runs_with_records`` reads the runs by an importer, each with
its record, and ``with_context`` puts what the agent knew in the place of the record's fields, so that no
guard sees a label. Where whole runs are judged, ``Dataset.runs`` is true and ``Example.attacked`` tells
which run somebody else steered.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from workbench.evaluate.dataset import Dataset
from workbench.evaluate.readers.labelled_actions import LabelledActions
from workbench.evaluate.readers.labelled_calls import LabelledCalls
from workbench.evaluate.readers.labels_of_calls import LabelsOfCalls
from workbench.evaluate.readers.seeact import SeeActTasks
from workbench.evaluate.readers.tools import ListedTools
from workbench.evaluate.readers.tools_csv import ListedToolsCsv
from workbench.model import WorkbenchError
from workbench.runs.logs.log_stream import LogSource, Sample

__all__ = ["READERS", "RecordingReader", "read_dataset"]


class RecordingReader(Protocol):
    """Reads one format."""

    @property
    def name(self) -> str:
        """The name of the format, as ``format_name`` of ``read_dataset`` takes it."""
        ...

    def matches(self, sample: Sample) -> bool:
        """Whether the sampled records are of this format."""
        ...

    def read(self, path: Path) -> Dataset:
        """The dataset of the file.

        A record whose label is missing or cannot be read is left out, or the file is refused by a
        WorkbenchError; it is never taken for allowed. ``Example.attacked`` is true where the run holds a call
        to be denied that whole runs are judged by, also if the agent erred by itself: the rate of successful
        attacks then counts its errors.
        """
        ...


# The first that matches reads the file.
READERS: tuple[RecordingReader, ...] = (
    LabelledActions(),
    LabelledCalls(),
    LabelsOfCalls(),
    SeeActTasks(),
    ListedTools(),
    ListedToolsCsv(),
)


def read_dataset(path: Path, format_name: str | None = None) -> Dataset:
    """The labelled recordings in a file; raises WorkbenchError with one sentence if there are none."""
    known = ", ".join(reader.name for reader in READERS)
    if not path.is_file():
        raise WorkbenchError(f"There is no file {path}; name a file of labelled recordings.")
    if format_name is not None:
        chosen = next((reader for reader in READERS if reader.name == format_name), None)
        if chosen is None:
            raise WorkbenchError(f"There is no dataset format {format_name!r}; known are {known}.")
    else:
        sample = LogSource(path).sample()
        chosen = next((reader for reader in READERS if reader.matches(sample)), None)
        if chosen is None:
            raise WorkbenchError(f"{path} holds no labelled recordings of a known format; known are {known}.")
    dataset = chosen.read(path)
    if not dataset.examples:
        raise WorkbenchError(f"{path} holds no record with a label.")
    return dataset
