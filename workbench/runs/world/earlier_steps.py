"""The earlier steps of a run as they were known when a call was decided, without a copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import overload

from workbench.model import Run, Step

_RESULT = "result"


class Earlier(Sequence[Step]):
    """The first steps of a run, without a copy: a run may have a hundred thousand.

    They are as the call after them knew them: a result that came later is not there.
    """

    __slots__ = ("_count", "_steps")

    def __init__(self, steps: Sequence[Step], count: int) -> None:
        """The first ``count`` of the steps."""
        self._steps = steps
        self._count = count

    @property
    def steps(self) -> Sequence[Step]:
        """All steps of the run, these and the later ones, with all that is known of them."""
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
        if isinstance(chosen, int):
            return self._known(self._steps[chosen])
        return [self._known(self._steps[place]) for place in chosen]

    def __iter__(self) -> Iterator[Step]:
        """The steps in order."""
        return map(self._known, islice(self._steps, self._count))

    def _known(self, step: Step) -> Step:
        return step if step.known_from <= self._count else unanswered(step)


def unanswered(step: Step) -> Step:
    """The step as it was before its result came."""
    texts = {name: text for name, text in step.texts.items() if name != _RESULT}
    return replace(step, result=None, failed=False, texts=texts)


def earlier_steps(step: Step, run: Run) -> tuple[Step, ...]:
    """The steps of the run before this one, with the results that were known to it."""
    return tuple(Earlier(run.steps, sum(other.index < step.index for other in run.steps)))
