"""What is known of the agent's records after each call of a run."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from datetime import tzinfo

from workbench.model import Record, Step
from workbench.runs.values.look_up_texts import look_up_text_name
from workbench.runs.world.earlier import Earlier
from workbench.runs.world.record_values import RecordValues
from workbench.runs.world.reports import Fact, Made, Report, Reporter, State

_NOTHING = Fact(State.NOT_LOOKED_UP, why="no earlier result says what it is")


class World:
    """What is known of records of all kinds at one moment of a run."""

    def __init__(self, reporters: Mapping[str, Reporter]) -> None:
        """Begin a run, of whose world nothing is known."""
        self._reporters = reporters
        self._facts: dict[str, dict[str, Fact]] = {name: {} for name in reporters}
        self._others: dict[str, Fact] = {}

    def fact(self, record: str, key: str) -> Fact:
        """What is known of the record of that kind with this key."""
        return self._facts[record].get(key) or self._others.get(record, _NOTHING)

    def untouched(self, record: str, key: str) -> bool:
        """Whether no call of the run said or changed anything of it."""
        return key not in self._facts[record] and record not in self._others

    def take(self, step: Step) -> None:
        """What a step looked up, did and was told."""
        self.take_look_ups(step)
        if not step.ran or step.tool is None:
            return
        made = Made(step.tool, step.arguments or {}, step.result, step.failed, step.index)
        for name, reporter in self._reporters.items():
            self._set(name, reporter.of_call(made))

    def take_look_ups(self, step: Step) -> None:
        """What was looked up to decide a step."""
        for number, one in enumerate(step.look_ups):
            text = look_up_text_name(step.look_ups, number)
            made = Made(one.tool, one.arguments, one.result, False, step.index, text)
            for name, reporter in self._reporters.items():
                self._set(name, reporter.of_look_up(made, one.why))

    def before(self, step: Step) -> World:
        """The world in which a step is decided: this one, with what was looked up for the step."""
        if not step.look_ups:
            return self
        found = World(self._reporters)
        found._facts = {name: dict(facts) for name, facts in self._facts.items()}
        found._others = dict(self._others)
        found.take_look_ups(step)
        return found

    def _set(self, record: str, reports: Sequence[Report]) -> None:
        for report in reports:
            if report.key is None:
                self._facts[record].clear()
                self._others[record] = report.fact
            else:
                self._facts[record][report.key] = report.fact


class Worlds:
    """The worlds of runs, each step's made of the one before it."""

    def __init__(self, records: Sequence[Record], zone: tzinfo | None) -> None:
        """Prepare the records that have a key; ``zone`` is that of times which name none."""
        self.values = RecordValues(records, zone)
        self._reporters = {record.name: Reporter(record, self.values) for record in records if record.key}
        self._last = _Last()  # each thread has its own, for the world of a run moves on

    def at(self, step: Step, history: Sequence[Step]) -> World:
        """The world in which a step is decided, after the earlier steps of its run."""
        return self._after(history).before(step)

    def _after(self, history: Sequence[Step]) -> World:
        last = self._last
        steps = history.steps if isinstance(history, Earlier) else history
        goes_on = isinstance(history, Earlier) and steps is last.steps and len(history) >= last.count
        if not goes_on or last.world is None:
            last.steps, last.count, last.world = steps, 0, World(self._reporters)
        world = last.world
        for index in range(last.count, len(history)):
            world.take(history[index])
        last.count = len(history)
        return world


class _Last(threading.local):
    """The run whose world was asked for last, and how far it went."""

    steps: Sequence[Step] = ()
    count: int = 0
    world: World | None = None
