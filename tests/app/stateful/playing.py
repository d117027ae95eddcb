"""Runs of the state machines: many histories, each until the first disagreement."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from tests.app.stateful.moment import Disagreement, Shared, Tally
from workbench.app import effect

STEPS, FIRST = 6, 1000
"""Of the tests: the most acts of a history, and the first seed."""
ANEW = 6
"""The histories that Hypothesis draws from one seed: a longer run of it varies those that it had."""


@dataclass(frozen=True, slots=True)
class Played:
    """The figures of a run, and the history that ended in a disagreement; empty if none did."""

    tally: Tally
    finding: str = ""


def played(
    machine: type[RuleBasedStateMachine],
    histories: int,
    first: int,
    *,
    shrink: bool = False,
    steps: int = STEPS,
) -> Played:
    """Play so many histories or a few more, drawn from the seed ``first``; ``shrink`` makes a finding short.

    ``steps`` are the most acts of one.
    """
    tally, seeds, finding = Tally(), count(first * 1000), ""
    with tempfile.TemporaryDirectory(prefix="histories-") as folder:
        shared = type(machine.__name__, (machine,), {"shared": Shared[object](tally, first, Path(folder))})
        while tally.histories < histories and not finding:
            finding = _finding(shared, next(seeds), shrink=shrink, steps=steps)
    return Played(tally, finding)


def _finding(machine: type[RuleBasedStateMachine], drawn_from: int, *, shrink: bool, steps: int) -> str:
    """Play the histories of one seed of Hypothesis; empty if none ends in a disagreement."""
    counted = seed(drawn_from)(type(machine.__name__, (machine,), {}))
    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    wanted = settings(
        max_examples=ANEW,
        stateful_step_count=steps,
        phases=phases,
        database=None,
        derandomize=False,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
        print_blob=False,
    )
    try:
        with contextlib.redirect_stdout(io.StringIO()), pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "fsync", _unsynced)
            patch.setattr(effect, "_FEW_RULES", 0)  # no history looks at more than one difference
            run_state_machine_as_test(counted, settings=wanted)
    except Disagreement as disagreement:
        return str(disagreement)
    return ""


def _unsynced(_file: object) -> None:
    """No history ends in a loss of power, so that nothing has to be on the disk."""
