"""Labelled recordings: the correct decision of each call, and properties of the run.

Guards see runs only. Truths stay here, where decisions are compared with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from workbench.model import ImportProblem, RecordedCall, Run


@dataclass(frozen=True, slots=True)
class Truth:
    """The label of one call by the authors of a recording.

    ``items`` are what a denial must name (``database.column``), None if the label names none; ``sentence`` is
    the violated rule in the authors' words; ``risk`` the level of risk and ``risk_name`` its name.
    ``answered`` is False if the label has an answer which the agent's is not; ``effect`` is True if the call
    changes anything outside the agent.
    """

    denied: bool
    items: frozenset[str] | None = None
    sentence: str = ""
    risk: int | None = None
    risk_name: str = ""
    answered: bool = True
    effect: bool = True


@dataclass(frozen=True, slots=True)
class Example:
    """A recorded run with the truths of its calls, in the order of the calls.

    ``kind`` is the dataset's own name for this sort of run. ``attacked`` is True if an attacker steered the
    run, or if it has errors that are counted as attacks. ``succeeded`` is True if the user's task is recorded
    as done. ``attack_tried`` is True if an attack was tried, with or without success; None if that is
    unknown.
    """

    run: Run
    truths: tuple[Truth, ...]
    kind: str = ""
    attacked: bool = False
    succeeded: bool | None = None
    attack_tried: bool | None = None

    def calls(self) -> Iterator[tuple[RecordedCall, Truth]]:
        """Every call with its truth."""
        return zip(self.run.calls, self.truths, strict=True)


@dataclass(frozen=True, slots=True)
class Dataset:
    """Examples of one file; ``runs`` is True if whole runs are to be judged, not single calls."""

    name: str
    format: str
    examples: tuple[Example, ...]
    runs: bool = False
    problems: tuple[ImportProblem, ...] = field(default=())

    @property
    def calls(self) -> int:
        """The number of calls to decide."""
        return sum(len(example.run.calls) for example in self.examples)

    def truth_of(self) -> dict[tuple[str, int], Truth]:
        """The truths by run id and index of the call."""
        return {
            (example.run.id, call.index): truth
            for example in self.examples
            for call, truth in example.calls()
        }
