"""The third truth value: what is undetermined, and which undetermined arguments it depends on.

An undetermined number may have bounds: a sum over calls of which one may not count lies between two sums. An
undetermined set may have members that are known: a command starts these programs, and one that only the run
tells. A record may have fields that are known, and of a text the pattern that it fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.model import Between, Members, RecordValue, Value
from workbench.policy.name_patterns import Fitting
from workbench.policy.terms import PolicyTerms


@dataclass(frozen=True, slots=True)
class Undetermined:
    """The value of a term that may be different for different values of the arguments with these names.

    If it is a number, ``between`` are the bounds that it lies between, both included; None is no bound. For
    a set it has the members that are certain, for a record the fields that are known, for a text of a pattern
    and a set of such texts the patterns.
    """

    names: frozenset[str]
    between: Between | Fitting | None = None

    @property
    def members(self) -> Members:
        """The members that an undetermined set certainly has."""
        if isinstance(self.between, Fitting):
            return self.between.members
        return self.between if isinstance(self.between, frozenset) else frozenset[str]()

    @property
    def fitting(self) -> Fitting | None:
        """The patterns of an undetermined text, or of the further members of a set, if known."""
        return self.between if isinstance(self.between, Fitting) else None

    @property
    def further(self) -> Sequence[Undetermined]:
        """The members of a set beside ``members``, each of which is a text of a pattern."""
        patterns = () if self.fitting is None else self.fitting.patterns
        return [Undetermined(self.names, Fitting((pattern,))) for pattern in patterns]

    @property
    def record(self) -> RecordValue | None:
        """An undetermined record with the fields that are known, which may be none; None for other values."""
        return self.between if isinstance(self.between, RecordValue) else None

    def with_those_of(self, *others: object) -> Undetermined:
        """Undetermined for the same names, and for those of other undetermined values; without bounds."""
        return Undetermined(
            self.names.union(*[other.names for other in others if isinstance(other, Undetermined)])
        )


@dataclass(frozen=True, slots=True, eq=False)
class IncompleteRecord(RecordValue):
    """A record of which some fields are undetermined: ``lacking`` has them instead of ``fields``.

    As an element of a list it may stand for several, of each of which the same is known.
    """

    lacking: Mapping[str, Undetermined]
    is_several: bool = False


def record_of(
    name: str, fields: Mapping[str, Value | Undetermined], *, is_several: bool = False
) -> RecordValue:
    """The record of fields of which some may be undetermined, or several such records."""
    known = tuple((name, value) for name, value in fields.items() if not isinstance(value, Undetermined))
    if len(known) == len(fields) and not is_several:
        return RecordValue(name, known)
    lacking = {name: value for name, value in fields.items() if isinstance(value, Undetermined)}
    return IncompleteRecord(name, known, lacking, is_several)


def fields_in(record: RecordValue) -> dict[str, Value | Undetermined]:
    """The fields of a record, known or not."""
    return {**dict(record.fields), **(record.lacking if isinstance(record, IncompleteRecord) else {})}


def unknown(*reasons: str) -> Undetermined:
    """An undetermined value; each reason is a sentence without a full stop."""
    return Undetermined(frozenset(reasons))


def undetermined(*values: object) -> Undetermined:
    """Undetermined for the names of all these values that are undetermined."""
    return Undetermined(frozenset()).with_those_of(*values)


def decided(policy: PolicyTerms, truths: Iterable[bool | Undetermined]) -> bool | Undetermined:
    """Whether a policy allows, by the truth of each rule.

    A rule that certainly fires decides, whatever is undetermined of the others. A call that certainly no rule
    permits is denied, whether or not another rule forbids it too.
    """
    by_rule = list(zip(policy.rules, truths, strict=True))
    forbidding = [truth for rule, truth in by_rule if rule.forbids]
    permitting = [truth for rule, truth in by_rule if not rule.forbids]
    permitted = policy.default_allow or joined(permitting, deciding=True)
    denied = joined(forbidding, deciding=True)
    return joined([permitted, denied if isinstance(denied, Undetermined) else not denied], deciding=False)


def joined(truths: Iterable[bool | Undetermined], *, deciding: bool) -> bool | Undetermined:
    """The disjunction of truth values if True decides it, and their conjunction if False does."""
    open_truth: Undetermined | None = None
    for truth in truths:
        if truth is deciding:
            return deciding
        if isinstance(truth, Undetermined):
            open_truth = truth if open_truth is None else open_truth.with_those_of(truth)
    return not deciding if open_truth is None else open_truth
