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
        self._latest: tuple[Sequence[RecordedCall], int, Mapping[str, str]] = ((), 0, {})

    def before(self, history: Earlier) -> Mapping[str, str]:
        """Each thing of the earlier calls, with its reason."""
        calls, count, things = self._latest
        if calls is not history.calls or count > len(history):
            count, things = 0, {}
        if count < len(history):
            found = [one for call in history[count:] for one in self._found_in(call)]
            things = {**things, **dict(found)} if found else things
            self._latest = history.calls, len(history), things
        return things
