"""The nearest call of the logs with another decision than an explained call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from workbench.model import Arguments, CallDecision, RecordValue, Value, Verdict
from workbench.policy.value_words import argument_words
from workbench.runs.replay.turning_values import Reach, TurningChange


@dataclass(frozen=True, slots=True)
class Nearest:
    """The call of the logs that is decided otherwise and differs in the fewest arguments."""

    decided: CallDecision
    changes: tuple[TurningChange, ...]


@dataclass(frozen=True, slots=True)
class KnownCall:
    """A decided call: the arguments with a usable value, those without one, and who can change each."""

    decided: CallDecision
    known_arguments: Arguments
    missing: frozenset[str]
    reaches: Mapping[str, Reach]

    @property
    def target(self) -> Verdict:
        """The other decision."""
        return Verdict.DENY if self.decided.decision.verdict is Verdict.ALLOW else Verdict.ALLOW

    def nearest(self, decisions: Iterable[CallDecision]) -> CallDecision | None:
        """The nearest call of the same tool with the other decision; None if there is none.

        Calls are ranked by the number of differing arguments, then by differing elements of sets. Calls of
        the same run come next, then the calls with the nearest index.
        """
        fixed = [name for name in self.known_arguments if self.reaches.get(name) is Reach.TOOL]
        best: tuple[tuple[int, int, bool, int], CallDecision] | None = None
        bound, own_decision, target = len(self.known_arguments), self.decided, self.target
        for decision in decisions:
            if decision.decision.verdict.allows is not target.allows:
                continue
            other_arguments = decision.decision.arguments
            if any(not _same(other_arguments.get(name), self.known_arguments[name]) for name in fixed):
                continue
            count = sum(
                not _same(other_arguments.get(name), value) for name, value in self.known_arguments.items()
            )
            if count > bound:
                continue
            bound = count
            parts = sum(
                _parts(other_arguments.get(name), value) for name, value in self.known_arguments.items()
            )
            rank = (count, parts, decision.run != own_decision.run, abs(decision.index - own_decision.index))
            if best is None or rank < best[0]:
                best = (rank, decision)
        return best[1] if best is not None else None

    def changes(self, other: Arguments, denied: Arguments) -> tuple[TurningChange, ...]:
        """The differences from ``other``, in arguments of ``denied`` and arguments that are unknown here."""
        decisive = {
            *denied,
            *(path for path, _ in argument_words(denied)),
            *(name for name in other if name not in self.known_arguments),
        }
        return tuple(
            change
            for name, value in other.items()
            for change in _differences(
                TurningChange(
                    name,
                    self.known_arguments.get(name),
                    value,
                    self.reaches.get(name, Reach.GIVEN),
                    name not in self.known_arguments,
                )
            )
            if change.name in decisive
        )


def _differences(change: TurningChange) -> Iterator[TurningChange]:
    """The differences between two values, by field for two records; none if they are equal."""
    old, new = change.old, change.new
    if not isinstance(old, RecordValue) or not isinstance(new, RecordValue):
        if change.supplied or not _same(old, new):
            yield change
        return
    old_fields = dict(old.fields)
    for name, value in new.fields:
        if name in old_fields:
            yield from _differences(
                replace(change, name=f"{change.name}.{name}", old=old_fields[name], new=value)
            )


def _same(left: Value, right: Value) -> bool:
    if isinstance(left, datetime) and isinstance(right, datetime):
        return _aware(left) == _aware(right)
    return type(left) is type(right) and left == right


def _aware(value: datetime) -> datetime:
    return value if value.tzinfo is not None else value.replace(tzinfo=UTC)


def _parts(left: Value, right: Value) -> int:
    return len(left ^ right) if isinstance(left, frozenset) and isinstance(right, frozenset) else 0
