"""Labels of recorded calls, and what a policy decides about them, beside deny all and allow all.

A line of a file of labels is a JSON object: ``run`` (or ``id``, or ``task`` and ``trial``, which make the
run's name), ``call`` (the place of the call in its run), and ``label`` (``allow`` or ``deny``) or ``breaks``,
the names of the rules that the call breaks, empty if it may be made. A rule is named in full
(``forbid_no_minors``) or by the part after its kind (``no-minors``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.model import CallDecision, Json, Verdict, WorkbenchError
from workbench.policy.deciding import DEFAULT_RULE
from workbench.policy.rule_names import PERMIT
from workbench.runs.logs.log_stream import LogSource
from workbench.serialization.json_form import Nested, json_form
from workbench.serialization.nouns import PLACE

type CallPlace = tuple[str, int]

_LABELS = {"allow": False, "deny": True}


@dataclass(frozen=True, slots=True)
class CallLabel:
    """The label of one call: whether it must be refused, the rules that it breaks, and why, where said."""

    denied: bool
    breaks: frozenset[str] = frozenset()
    because: str = ""


json_form(CallLabel)


@dataclass(frozen=True, slots=True)
class LabelScore:
    """Refused calls against the labels; ``name`` is what refused them.

    ``right`` of the ``refused`` calls have the label. ``missed`` calls have it and were let through. The
    calls refused without the label are ``beyond`` it.
    """

    name: str
    refused: int
    right: int
    missed: int

    @property
    def beyond(self) -> int:
        """The calls that were refused without the label."""
        return self.refused - self.right

    @property
    def precision(self) -> float | None:
        """The share of the refused calls that have the label, in [0, 1]; None if none was refused."""
        return self.right / self.refused if self.refused else None

    @property
    def recall(self) -> float | None:
        """The share of the calls with the label that were refused, in [0, 1]; None if none has it."""
        labelled = self.right + self.missed
        return self.right / labelled if labelled else None


json_form(LabelScore, "name", "refused", "right", "beyond", "missed", "precision", "recall")


@dataclass(frozen=True, slots=True)
class Mislabelled:
    """A call that is decided against its label."""

    decided: CallDecision
    label: CallLabel


json_form(Mislabelled, Nested(PLACE, "decided"), ("decision", "decided.decision.verdict"), "label")


@dataclass(frozen=True, slots=True)
class LabelScores:
    """The decisions on labelled calls: of each rule that a label names, of the policy, and of the controls.

    ``without_rule`` has the labels that no rule is named after: every call that breaks one of them is missed
    by its row of ``rules``. ``undecided`` counts the calls that cannot be evaluated, which are refused.
    """

    calls: int
    undecided: int
    rules: tuple[LabelScore, ...]
    without_rule: tuple[str, ...]
    labelled_rules: LabelScore
    policy: LabelScore
    controls: tuple[LabelScore, ...]
    differing: tuple[Mislabelled, ...]


json_form(LabelScores)


def read_labels(path: Path) -> dict[CallPlace, CallLabel]:
    """The label of each call by its run and place; raises WorkbenchError with the line that is no label."""
    labels: dict[CallPlace, CallLabel] = {}
    for record in LogSource(path).records():
        value = record.value
        label = _label(value) if isinstance(value, dict) else None
        place = value.get("call") if isinstance(value, dict) else None
        if (
            not isinstance(value, dict)
            or label is None
            or isinstance(place, bool)
            or not isinstance(place, int)
        ):
            raise WorkbenchError(
                f'{path}:{record.line}: a label has "run", "call" (the place of the call in it), and "label" '
                '(allow or deny) or "breaks" (a list of rules).'
            )
        key = _run(value), place
        if key in labels:
            raise WorkbenchError(f"{path}:{record.line}: call {place} of run {key[0]} has a label already.")
        labels[key] = label
    return labels


def label_scores(
    decided: Sequence[CallDecision], labels: Mapping[CallPlace, CallLabel], rules: Collection[str]
) -> LabelScores:
    """The decisions against the labels; ``rules`` are the names of the policy's rules.

    Raises WorkbenchError if a call has no label or a label no call.
    """
    places = {(call.run, call.index) for call in decided}
    if lost := sorted(places ^ labels.keys()):
        (run, index), other = lost[0], f" and {len(lost) - 1} others" if len(lost) > 1 else ""
        missing = "has no label" if lost[0] in places else "is labelled and not in the log"
        raise WorkbenchError(
            f"Call {index} of run {run} {missing}{other}; log and labels must have the same calls."
        )
    pairs = [(call, labels[call.run, call.index]) for call in decided]
    named_labels = sorted({name for label in labels.values() for name in label.breaks})
    rule_of = {name: _rule_of(name, rules) for name in named_labels}
    named = {rule for rule in rule_of.values() if rule}
    wrong = [label.denied for _, label in pairs]
    refused = [call.decision.verdict is not Verdict.ALLOW for call, _ in pairs]
    fired = [_refusing(call, rules) for call, _ in pairs]
    return LabelScores(
        calls=len(pairs),
        undecided=sum(call.decision.verdict is Verdict.CANNOT_EVALUATE for call, _ in pairs),
        rules=tuple(
            _score(
                rule or name, [rule in names for names in fired], [name in label.breaks for _, label in pairs]
            )
            for name, rule in rule_of.items()
        ),
        without_rule=tuple(name for name, rule in rule_of.items() if not rule),
        labelled_rules=_score("all rules with a label", [bool(names & named) for names in fired], wrong),
        policy=_score("the policy", refused, wrong),
        controls=(
            _score("deny all (control)", [True] * len(pairs), wrong),
            _score("allow all (control)", [False] * len(pairs), wrong),
        ),
        differing=tuple(
            Mislabelled(call, label)
            for (call, label), is_refused in zip(pairs, refused, strict=True)
            if is_refused is not label.denied
        ),
    )


def _refusing(call: CallDecision, rules: Collection[str]) -> set[str]:
    """The rules that refuse a call; where none permits it, every permitting rule of the policy does."""
    names = {violation.rule for violation in call.decision.violations}
    return names | {rule for rule in rules if rule.startswith(PERMIT)} if DEFAULT_RULE in names else names


def _score(name: str, refused: Sequence[bool], labelled: Sequence[bool]) -> LabelScore:
    right = sum(is_refused and is_labelled for is_refused, is_labelled in zip(refused, labelled, strict=True))
    return LabelScore(name, sum(refused), right, sum(labelled) - right)


def _rule_of(label: str, rules: Collection[str]) -> str:
    """The rule that a label names; empty if there is none."""
    named = label.replace("-", "_")
    return next((rule for rule in rules if named in (rule, rule.partition("_")[2])), "")


def _run(value: Mapping[str, Json]) -> str:
    for key in ("run", "id"):
        if key in value:
            return str(value[key])
    return f"{value.get('task')}-{value.get('trial')}"


def _label(value: Mapping[str, Json]) -> CallLabel | None:
    word, breaks, because = value.get("label"), value.get("breaks"), value.get("because")
    why = because if isinstance(because, str) else ""
    if isinstance(breaks, list):
        names = frozenset(name for name in breaks if isinstance(name, str))
        return CallLabel(bool(names), names, why) if len(names) == len(breaks) else None
    return CallLabel(_LABELS[word], because=why) if isinstance(word, str) and word in _LABELS else None
