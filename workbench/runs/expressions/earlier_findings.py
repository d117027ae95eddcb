"""What the earlier calls of a run did to what later calls name: each call of a run is looked at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from workbench.model import RecordedCall
from workbench.runs.world.earlier_calls import Earlier


class EarlierFindings:
    """Finds things with their reasons in the earlier calls of a run."""

    def __init__(self, found_in: Callable[[RecordedCall], Iterable[tuple[str, str]]]) -> None:
        """Take what finds the things of one call, each with its reason."""
        self._found_in = found_in
        self._calls: Sequence[RecordedCall] = ()
        self._count = 0
        self._found: list[tuple[int, str, str]] = []

    def before(self, history: Earlier) -> Mapping[str, str]:
        """Each thing of the earlier calls, with its reason."""
        if self._calls is not history.calls:
            self._calls, self._count, self._found = history.calls, 0, []
        if self._count < len(history):
            for place, call in enumerate(history[self._count :], self._count):
                self._found.extend((place, thing, reason) for thing, reason in self._found_in(call))
            self._count = len(history)
        return {thing: reason for place, thing, reason in self._found if place < len(history)}
