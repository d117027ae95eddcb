"""The sentences of a text that contain a value of the call, so that they are about this value."""

from __future__ import annotations

from dataclasses import replace

from workbench.model import RecordedCall
from workbench.runs.extract.jsonpath import parse_path
from workbench.runs.extract.options import Options
from workbench.runs.extract.text_region import TextRegion
from workbench.runs.values.call_paths import matches
from workbench.runs.values.found_value import Absent
from workbench.runs.values.sentences import searched, sentences_with


class Beside:
    """The option ``beside``: the path of a value of the call."""

    def __init__(self, options: Options) -> None:
        """Read the option; without it every region is read as a whole."""
        path = options.text("beside")
        self._path = parse_path(path, options) if path else None

    def of(self, call: RecordedCall, region: TextRegion) -> tuple[TextRegion, ...]:
        """The sentences of a region that contain every value at the path, in any spelling.

        There are none if the call has no such value. Raises Missing for a value that cannot be searched for.
        """
        if self._path is None:
            return (region,)
        try:
            values = [value for value, _ in matches(call, self._path, every=True) if value is not None]
        except Absent:
            return ()
        searched_values = [searched(value) for value in values]
        return tuple(
            replace(region, start=region.start + start, end=region.start + end)
            for start, end in (sentences_with(region.text, *searched_values) if searched_values else ())
        )
