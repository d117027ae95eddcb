"""Extract loaded calls again after the agent spec changed, and show the effect of changing one argument.

Nothing is imported again: only the arguments with a changed definition are extracted, from the calls
that are already loaded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.engines.compiled.compile import CompiledPolicy
from workbench.model import Argument, Extracted, RecordedCall, Run, Verdict
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.redecide import Redecider
from workbench.runs.world.earlier_calls import Earlier

_EXAMPLES = 20


class Turn(StrEnum):
    """The effect of a changed extraction on one call's value."""

    GAINED = "gained"
    LOST = "lost"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Reread:
    """A call whose value differs: its position among all calls, and both readings."""

    position: int
    turn: Turn
    before: Extracted | None
    after: Extracted


@dataclass(frozen=True, slots=True)
class ArgumentEffect:
    """The effect on the loaded calls of extracting one argument in another way.

    ``calls_read`` of ``calls`` were read so far. ``valued`` of them have a value; ``reasons`` counts why the
    others have none. ``turns`` counts the calls whose value differs, ``examples`` are the first of them.
    ``flips`` counts the calls whose decision would change, by the verdicts before and after.
    ``reading_of_call`` is the reading of the call at the requested position.
    """

    calls: int
    calls_read: int = 0
    valued: int = 0
    turns: Mapping[Turn, int] = field(default_factory=dict[Turn, int])
    reasons: Mapping[str, int] = field(default_factory=dict[str, int])
    examples: tuple[Reread, ...] = ()
    flips: Mapping[tuple[Verdict, Verdict], int] = field(default_factory=dict[tuple[Verdict, Verdict], int])
    reading_of_call: Extracted | None = None

    @property
    def whole(self) -> bool:
        """Whether every call was read."""
        return self.calls_read == self.calls


def argument_effect(
    extractor: Extractor,
    argument: Argument,
    replaces: str,
    runs: Sequence[Run],
    extracted: Sequence[Mapping[str, Extracted]],
    policy: CompiledPolicy | None,
    *,
    at: int | None = None,
    tell: Callable[[ArgumentEffect], None] | None = None,
    cancelled: threading.Event | None = None,
) -> ArgumentEffect:
    """Read one argument of every loaded call by another definition, and compare.

    Args:
        extractor: for ``argument`` alone.
        argument: the changed or added argument.
        replaces: its name in ``extracted``, empty for an added argument.
        runs: the loaded runs.
        extracted: the present readings of their calls, in order.
        policy: decides before and after; None leaves the flips out.
        at: the position of a call whose reading is wanted.
        tell: gets the effect so far each time that the number of calls read has doubled.
        cancelled: once it is set, the effect so far is returned.
    """
    counted = _Counted(argument, replaces, extracted, policy)
    total, next_count = len(extracted), 256
    order = _calls(runs)
    if at is not None:
        counted.here = next((_read(extractor, argument, *pair) for place, pair in order if place == at), None)
    for position, pair in _calls(runs):
        if cancelled is not None and cancelled.is_set():
            break
        counted.take(position, pair[0], _read(extractor, argument, *pair))
        if tell is not None and counted.seen == next_count and next_count < total:
            next_count *= 2
            tell(counted.effect(total))
    return counted.effect(total)


def _calls(runs: Sequence[Run]) -> Iterator[tuple[int, tuple[RecordedCall, Sequence[RecordedCall]]]]:
    position = 0
    for run in runs:
        for index, call in enumerate(run.calls):
            yield position, (call, Earlier(run.calls, index))
            position += 1


def _read(
    extractor: Extractor, argument: Argument, call: RecordedCall, history: Sequence[RecordedCall]
) -> Extracted:
    return extractor.extract(call, history)[argument.name]


class _Counted:
    """The counts as they grow."""

    def __init__(
        self,
        argument: Argument,
        replaces: str,
        extracted: Sequence[Mapping[str, Extracted]],
        policy: CompiledPolicy | None,
    ) -> None:
        self._argument, self._replaces, self._extracted = argument, replaces, extracted
        self._policy = policy
        self._changed: list[tuple[RecordedCall, Mapping[str, Extracted], Mapping[str, Extracted]]] = []
        self._turns = dict.fromkeys(Turn, 0)
        self._reasons: dict[str, int] = {}
        self._examples: list[Reread] = []
        self._valued = 0
        self.seen = 0
        self.here: Extracted | None = None

    def take(self, position: int, call: RecordedCall, after: Extracted) -> None:
        old = self._extracted[position]
        before = old.get(self._replaces) if self._replaces else None
        self.seen += 1
        if after.missing is None:
            self._valued += 1
        else:
            self._reasons[after.missing] = self._reasons.get(after.missing, 0) + 1
        turn = _turn(before, after)
        if turn is not None:
            self._turns[turn] += 1
            if len(self._examples) < _EXAMPLES:
                self._examples.append(Reread(position, turn, before, after))
        if turn is not None or self._argument.name != self._replaces:
            other_readings = {name: value for name, value in old.items() if name != self._replaces}
            self._changed.append((call, old, {**other_readings, self._argument.name: after}))

    def effect(self, total: int) -> ArgumentEffect:
        return ArgumentEffect(
            total,
            self.seen,
            self._valued,
            dict(self._turns),
            dict(sorted(self._reasons.items(), key=lambda pair: -pair[1])[:8]),
            tuple(self._examples),
            self._flips(),
            self.here,
        )

    def _flips(self) -> Mapping[tuple[Verdict, Verdict], int]:
        flips: dict[tuple[Verdict, Verdict], int] = {}
        if self._policy is None:
            return flips
        calls = [call for call, _, _ in self._changed]
        old = Redecider(calls, [before for _, before, _ in self._changed]).decide(self._policy)
        new = Redecider(calls, [after for _, _, after in self._changed]).decide(self._policy)
        for before, after in zip(old, new, strict=True):
            pair = before.decision.verdict, after.decision.verdict
            if pair[0] is not pair[1]:
                flips[pair] = flips.get(pair, 0) + 1
        return flips


def _turn(before: Extracted | None, after: Extracted) -> Turn | None:
    had = before is not None and before.missing is None
    has = after.missing is None
    if had and has:
        is_same_value = before is not None and (type(before.value), before.value) == (
            type(after.value),
            after.value,
        )
        return None if is_same_value else Turn.CHANGED
    if has:
        return Turn.GAINED
    return Turn.LOST if had else None


def read_again(
    extractor: Callable[[Sequence[Argument]], Extractor],
    old: Sequence[Argument],
    new: Sequence[Argument],
    runs: Sequence[Run],
    extracted: Sequence[Mapping[str, Extracted]],
    *,
    all_of_them: bool = False,
) -> tuple[Mapping[str, Extracted], ...]:
    """The readings of loaded calls under new definitions; unchanged arguments are not read again.

    ``extractor`` makes an extractor for some arguments. ``all_of_them`` reads everything, as a change
    of the agent's vocabulary or schema needs.
    """
    old_by_name = {argument.name: argument for argument in old}
    differ = [argument for argument in new if all_of_them or old_by_name.get(argument.name) != argument]
    names = [argument.name for argument in new]
    if not differ and names == list(old_by_name):
        return tuple(extracted)
    reader = extractor(differ)
    kept = {argument.name for argument in new} - {argument.name for argument in differ}
    readings: list[Mapping[str, Extracted]] = []
    for position, (call, history) in _calls(runs):
        same = {name: value for name, value in extracted[position].items() if name in kept}
        read = {**same, **reader.extract(call, history)}
        readings.append({name: read[name] for name in names if name in read})
    return tuple(readings)
