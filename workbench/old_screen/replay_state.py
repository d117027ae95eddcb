"""Recorded runs looked at as a whole: denials by cause, and what each strategy would have stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.model import Verdict


@dataclass(frozen=True, slots=True)
class Cause:
    """Steps that are not allowed for one cause, which ``title`` says in one line.

    ``steps`` are positions among all steps, ``runs`` counts the runs they stand in. ``judged`` is what
    a person said of them before: ``right``, ``false alarm`` or nothing.
    """

    key: str
    title: str
    verdict: Verdict
    steps: tuple[int, ...]
    runs: int
    judged: str = ""


@dataclass(frozen=True, slots=True)
class Sums:
    """What a strategy does to recorded calls.

    ``stopped``: denied and refused; ``lost``: allowed by the policy, yet refused because of an earlier
    denial; ``let_through``: denied, yet carried out; ``unknown``: carried out in the log after a
    refusal, so that a live agent might never have come to it. ``touched`` of ``runs`` runs were refused
    something.
    """

    runs: int = 0
    touched: int = 0
    steps: int = 0
    stopped: int = 0
    lost: int = 0
    let_through: int = 0
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What a strategy does to one run; the numbers are of steps of that run."""

    run: str
    steps: int
    stopped: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class Way:
    """A strategy, or a control beside it: its name, its sums, those by label, and the runs it touches."""

    name: str
    short: str
    sums: Sums
    control: bool = False
    labels: Mapping[str, Sums] = field(default_factory=dict[str, Sums])
    runs: tuple[RunOutcome, ...] = ()


@dataclass(frozen=True, slots=True)
class Strategies:
    """All strategies and controls on the same runs; ``label`` is the key of the log they are counted by."""

    ways: tuple[Way, ...] = ()
    label: str = ""
