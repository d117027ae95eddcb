"""Runs of the state machines: many histories, each until the first disagreement."""

from __future__ import annotations

import contextlib
import io
import os
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from tests.app.stateful.moment import Disagreement, Tally

STEPS, FIRST = 10, 1000
"""Of the tests: the most acts of a history, and the first seed."""


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
    """Play so many histories, drawn from the seed ``first``; with ``shrink`` a finding is made short.

    ``steps`` are the most acts of one.
    """
    tally = Tally()
    counted = seed(first)(type(machine.__name__, (machine,), {"tally": tally}))
    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    wanted = settings(
        max_examples=histories,
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
            run_state_machine_as_test(counted, settings=wanted)
    except Disagreement as disagreement:
        return Played(tally, str(disagreement))
    return Played(tally)


def _unsynced(_file: object) -> None:
    """No history ends in a loss of power, so that nothing has to be on the disk."""
