"""The effect of a policy's change on recorded calls: every call in exactly one bucket."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from workbench.model import CallDecision, Decision, Verdict, WorkbenchError
from workbench.serialization.json_form import Nested, json_form
from workbench.serialization.nouns import PLACE


class FlipKind(StrEnum):
    """The buckets of a comparison. Cannot-evaluate counts as denied, as enforcement does."""

    NEWLY_ALLOWED = "newly-allowed"
    NEWLY_ASKED = "newly-asked"
    NEWLY_DENIED = "newly-denied"
    CANNOT_EVALUATE = "cannot-evaluate"
    OTHER_RULE = "other-rule"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Flip:
    """One call under the old and the new policy."""

    kind: FlipKind
    old: CallDecision
    new: CallDecision

    @property
    def turns(self) -> bool:
        """Whether the verdict differs, not only the rules behind it."""
        return self.old.decision.verdict is not self.new.decision.verdict

    @property
    def widens(self) -> bool:
        """Whether the call may run now, alone or approved by a person, and could not before."""
        asked = self.kind is FlipKind.NEWLY_ASKED and self.old.decision.verdict is not Verdict.ALLOW
        return asked or self.kind is FlipKind.NEWLY_ALLOWED

    @property
    def text(self) -> str:
        """Both verdicts; if they are the same, with the rules behind each."""
        old, new = self.old.decision, self.new.decision
        if self.turns:
            return f"{old.verdict} became {new.verdict}"
        return f"{old.verdict} by {_rules_text(old)} became {new.verdict} by {_rules_text(new)}"


def _new_rules(flip: Flip) -> tuple[str, ...]:
    return tuple(violation.rule for violation in flip.new.decision.violations)


json_form(
    Flip,
    *(Nested(PLACE, "new"), ("bucket", "kind"), ("old", "old.decision.verdict")),
    *(("new", "new.decision.verdict"), ("rules", _new_rules)),
)


def _rules_text(decision: Decision) -> str:
    rules = [f"{violation.rule}{_items_text(violation.items)}" for violation in decision.violations]
    return ", ".join(rules or decision.permitted_by) or "no rule"


def _items_text(items: tuple[str, ...]) -> str:
    return f" ({', '.join(items[:5])}{', …' if len(items) > 5 else ''})" if items else ""


def flips(old: Iterable[CallDecision], new: Iterable[CallDecision]) -> Iterator[Flip]:
    """Pair the decisions of two replays of the same calls; raises WorkbenchError if they differ."""
    for before, after in zip(old, new, strict=True):
        if (before.run, before.index) != (after.run, after.index):
            raise WorkbenchError(
                f"The two replays are of different calls: {before.run}/{before.index} and "
                f"{after.run}/{after.index}."
            )
        yield Flip(flip_kind(before.decision, after.decision), before, after)


_TURNED = {
    Verdict.ALLOW: FlipKind.NEWLY_ALLOWED,
    Verdict.ASK: FlipKind.NEWLY_ASKED,
    Verdict.DENY: FlipKind.NEWLY_DENIED,
    Verdict.CANNOT_EVALUATE: FlipKind.CANNOT_EVALUATE,
}


def flip_kind(old: Decision, new: Decision) -> FlipKind:
    """The bucket of a call, by its old and its new decision."""
    if old.verdict is not new.verdict:
        return _TURNED[new.verdict]
    if old.violations != new.violations and _rules(old) != _rules(new):
        return FlipKind.OTHER_RULE
    return FlipKind.SAME


def _rules(decision: Decision) -> frozenset[tuple[str, tuple[str, ...]]]:
    return frozenset((violation.rule, violation.items) for violation in decision.violations)
