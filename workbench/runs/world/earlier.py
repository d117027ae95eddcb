"""The earlier steps of a run, without a copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import overload

from workbench.model import Step


class Earlier(Sequence[Step]):
    """The first steps of a run, without a copy: a run may have a hundred thousand."""

    __slots__ = ("_count", "_steps")

    def __init__(self, steps: Sequence[Step], count: int) -> None:
        """The first ``count`` of the steps."""
        self._steps = steps
        self._count = count

    @property
    def steps(self) -> Sequence[Step]:
        """All steps of the run, these and the later ones."""
        return self._steps

    def __len__(self) -> int:
        """How many there are."""
        return self._count

    @overload
    def __getitem__(self, index: int) -> Step: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Step]: ...

    def __getitem__(self, index: int | slice) -> Step | Sequence[Step]:
        """A step, or a copy of some."""
        chosen = range(self._count)[index]
        return self._steps[chosen] if isinstance(chosen, int) else [self._steps[one] for one in chosen]

    def __iter__(self) -> Iterator[Step]:
        """The steps in order."""
        return islice(self._steps, self._count)
