"""Denials grouped by cause, so that a group can be judged at once, and the cases from such judgements."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import cast

from workbench.clean_text import in_a_row, one_line
from workbench.engines.compiled.compile import CompiledPolicy
from workbench.model import (
    TOOL_ARGUMENT,
    Arguments,
    CallDecision,
    Case,
    Decision,
    Element,
    Judgement,
    Kind,
    RecordValue,
    Value,
    Verdict,
    WorkbenchError,
)
from workbench.policy.deciding import DEFAULT_RULE
from workbench.policy.decisive_part import settled
from workbench.policy.evaluate import EXACT, in_utc
from workbench.policy.written import OWN_NAMES, ArgumentWords
from workbench.runs.replay.shown_value import shown_value
from workbench.serialization.json_form import Nested, json_form
from workbench.serialization.json_values import json_value
from workbench.serialization.nouns import CONDITION

MOST_CASES = 20

_NUMBERED = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b|\d+", re.IGNORECASE
)
_TRUTHS, _MARKS = ("True", "False"), '"'
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


@dataclass(frozen=True, slots=True)
class Cause:
    """The reason why calls were denied or could not be evaluated, without what differs by chance.

    ``rules`` fired. ``items`` are the elements at fault, with ``#`` for numbers and ids. ``conditions`` are
    the conditions of the rules that fired, with their truth. ``where`` has the values of the enums, truth
    values and tools that these rules read. ``reasons`` say why a call could not be evaluated.
    """

    verdict: Verdict
    rules: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    conditions: tuple[tuple[str, bool], ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """A name for the cause that is the same in every run: the rule and eight digits."""
        facts = [self.verdict, self.rules, self.items, self.conditions, self.where, self.reasons]
        digest = hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:8]
        return f"{self.rules[0] if self.rules else self.verdict.value}-{digest}"


@dataclass(frozen=True, slots=True)
class DenialGroup:
    """Calls with one cause; ``title`` has the sentences of its rules and the elements at fault in one line.

    ``calls`` are positions among all decided calls; ``vectors`` are the first different arguments
    among them, in the order of the logs.
    """

    cause: Cause
    title: str
    calls: tuple[int, ...]
    runs: tuple[str, ...]
    vectors: tuple[Arguments, ...]
    requirements: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The stable name of the group."""
        return self.cause.key

    def said(self, words: ArgumentWords = OWN_NAMES) -> str:
        """The title, and the values on which the rules fired, in these words."""
        where = in_a_row(self.where(words))
        return one_line(words.told(f"{self.title.removesuffix('.')}{f', in {where}' if where else ''}."))

    def where(self, words: ArgumentWords) -> list[str]:
        """The tool and the values on which the rules fired, as sentences say them."""
        return [_value_in_words(words.of(name), name, value) for name, value in self.cause.where]


def _where(group: DenialGroup) -> Mapping[str, str]:
    return dict(group.cause.where)


json_form(
    DenialGroup,
    *("key", ("decision", "cause.verdict"), "title", ("rules", "cause.rules"), ("items", "cause.items")),
    *(("conditions", Nested(CONDITION, "cause.conditions", many=True)), ("where", _where)),
    *(("reasons", "cause.reasons"), "requirements"),
)


def _value_in_words(called: str, name: str, value: str) -> str:
    if name == TOOL_ARGUMENT:
        return f"calls to {value.strip(_MARKS).replace('_', ' ')}"
    condition = called.removeprefix("whether ")
    if value in _TRUTHS:
        return condition if value == "True" else f"not: {condition}"
    return f"{called} is {value}"


@dataclass(slots=True)
class _Growing:
    title: str
    requirements: tuple[str, ...]
    calls: list[int] = field(default_factory=list[int])
    runs: dict[str, None] = field(default_factory=dict[str, None])
    vectors: dict[str, Arguments] = field(default_factory=dict[str, Arguments])


def group_denials(policy: CompiledPolicy, decided: Sequence[CallDecision]) -> tuple[DenialGroup, ...]:
    """The calls that are not allowed, in one group for each cause, the largest group first."""
    finder = _Causes(policy)
    group_by_cause: dict[Cause, _Growing] = {}
    for position, decision in enumerate(decided):
        if decision.decision.verdict is Verdict.ALLOW:
            continue
        cause = finder.of(decision)
        group = group_by_cause.get(cause)
        if group is None:
            group = group_by_cause[cause] = _Growing(
                _title(cause, decision.decision), finder.requirements(cause)
            )
        group.calls.append(position)
        group.runs[decision.run] = None
        if len(group.vectors) < MOST_CASES:
            group.vectors.setdefault(_identity(decision.decision.arguments), decision.decision.arguments)
    groups = (
        DenialGroup(
            cause,
            growing.title,
            tuple(growing.calls),
            tuple(growing.runs),
            tuple(growing.vectors.values()),
            growing.requirements,
        )
        for cause, growing in group_by_cause.items()
    )
    return tuple(sorted(groups, key=lambda group: (-len(group.calls), group.key)))


class _Causes:
    """Finds causes; the path through a policy is computed once for each different decision."""

    def __init__(self, policy: CompiledPolicy) -> None:
        self._policy = policy
        self._rules = {rule.name: rule for rule in policy.terms.rules}
        self._kinds = {parameter.name: parameter.type.kind for parameter in policy.terms.arguments}
        self._known: dict[int, tuple[Decision, Cause]] = {}

    def of(self, decision: CallDecision) -> Cause:
        # Equal argument vectors share their decision. The decision is kept, so that its id is not reused.
        known_entry = self._known.get(id(decision.decision))
        if known_entry is None:
            known_entry = self._known[id(decision.decision)] = (decision.decision, self._fresh(decision))
        return known_entry[1]

    def requirements(self, cause: Cause) -> tuple[str, ...]:
        """The requirements behind the rules that fired."""
        rules = (self._rules[name] for name in cause.rules if name in self._rules)
        return tuple(dict.fromkeys(requirement for rule in rules for requirement in rule.requirements))

    def _fresh(self, decided: CallDecision) -> Cause:
        decision = decided.decision
        if decision.verdict is Verdict.CANNOT_EVALUATE:
            reasons = sorted({_reason(reason) for reason in decision.reasons})
            return Cause(decision.verdict, reasons=tuple(reasons))
        names = tuple(violation.rule for violation in decision.violations)
        items = sorted(
            {_NUMBERED.sub("#", item) for violation in decision.violations for item in violation.items}
        )
        conditions = tuple(
            pair
            for rule in self._policy.path(decision.arguments)
            if rule.fired and rule.rule in names
            for pair in rule.conditions
        )
        return Cause(decision.verdict, names, tuple(items), conditions, self._where(decided, names))

    def _where(self, decision: CallDecision, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        looked_at = {
            parameter.name
            for name, rule in self._rules.items()
            if name in names or (DEFAULT_RULE in names and not rule.forbids)
            for parameter in rule.parameters
        }
        words_by_name = {
            name: shown_value(value)
            for name, value in decision.decision.arguments.items()
            if name in looked_at and (self._kinds[name] in (Kind.ENUM, Kind.BOOL) or _is_tool(decision, name))
        }
        idle = self._idle(decision.decision.arguments, names, words_by_name)
        return tuple((name, words) for name, words in words_by_name.items() if name not in idle)

    def _idle(self, arguments: Arguments, names: tuple[str, ...], among: Iterable[str]) -> frozenset[str]:
        """The arguments in ``among`` without effect: without them the same rules fire."""
        terms = self._policy.terms
        firing = [rule.body for name, rule in self._rules.items() if name in names]
        silent = [rule.body for rule in terms.rules if DEFAULT_RULE in names and not rule.forbids]
        left, idle = dict(arguments), set[str]()
        for name in among:
            without = {other_name: value for other_name, value in left.items() if other_name != name}
            if all(settled(terms, body, without) is True for body in firing) and all(
                settled(terms, body, without) is False for body in silent
            ):
                left = without
                idle.add(name)
        return frozenset(idle)


def _is_tool(decision: CallDecision, name: str) -> bool:
    extracted = decision.extracted.get(name)
    return extracted is not None and any(entry.text == "tool" for entry in extracted.provenance)


def _reason(reason: str) -> str:
    """A reason without the parts that differ from call to call: quoted values and numbers."""
    return _NUMBERED.sub("#", _QUOTED.sub("'...'", one_line(reason)))


def _title(cause: Cause, decision: Decision) -> str:
    if cause.verdict is Verdict.CANNOT_EVALUATE:
        return one_line(f"cannot be evaluated: {in_a_row(decision.reasons)}", 300)
    messages = in_a_row(
        f"{violation.rule}: {violation.message}" for violation in decision.violations
    ).removesuffix(".")
    items = f" [{', '.join(cause.items[:5])}{', ...' if len(cause.items) > 5 else ''}]" if cause.items else ""
    return one_line(f"{messages}{items}.")


def _identity(arguments: Arguments) -> str:
    """A text that is the same for equal arguments, however their numbers and times are written.

    A case that was read from its file may write a number otherwise than the log does, as 0.0 for 0.
    """
    return json.dumps({name: json_value(_of_one_form(value)) for name, value in sorted(arguments.items())})


def _of_one_form(value: Value) -> Value:
    if isinstance(value, RecordValue):
        return RecordValue(value.type, tuple((name, _of_one_form(held)) for name, held in value.fields))
    if isinstance(value, tuple):
        return tuple(cast("Element", _of_one_form(element)) for element in value)
    if isinstance(value, Decimal):
        return value.normalize(EXACT) if value else Decimal(0)
    return in_utc(value) if isinstance(value, datetime) else value


def group_named(groups: Iterable[DenialGroup], key: str) -> DenialGroup:
    """The group with this key, or the only group whose key begins or ends with it; raises WorkbenchError."""
    all_groups = list(groups)
    exact = [group for group in all_groups if group.key == key]
    denial_groups = exact or [
        group for group in all_groups if key and (group.key.startswith(key) or group.key.endswith(key))
    ]
    if len(denial_groups) == 1:
        return denial_groups[0]
    problem = "Several groups have keys like" if denial_groups else "No group of denials has the key"
    raise WorkbenchError(f"{problem} {one_line(key, 80)!r}; 'workbench denials SESSION' lists the keys.")


_OUTCOME = {Verdict.ALLOW: "Allowed", Verdict.ASK: "A person asked about", Verdict.DENY: "Denied"}


def cases_of(group: DenialGroup, judgement: Judgement) -> tuple[Case, ...]:
    """The cases from a judgement of a whole group: one for each of its first different arguments.

    Raises:
        WorkbenchError: the calls of the group lack arguments, so that no decision can be expected.
    """
    if group.cause.verdict is Verdict.CANNOT_EVALUATE:
        raise WorkbenchError(
            f"The group {group.key} cannot be judged: it {group.title.rstrip('.')}. "
            "Mend the extraction in agent.toml, then judge what is decided."
        )
    expected = judgement.expects(group.cause.verdict)
    judged = "right" if judgement is Judgement.RIGHT else "a false alarm"
    label = f"{_OUTCOME[group.cause.verdict]} in the logs, judged {judged}: {group.said()}"
    return tuple(_case(vector, expected, label, group.requirements) for vector in group.vectors)


def _case(vector: Arguments, expected: Verdict, label: str, requirements: Iterable[str]) -> Case:
    name = f"log-{hashlib.sha256(_identity(vector).encode()).hexdigest()[:10]}"
    return Case(name, vector, expected, label, tuple(requirements), "log")


def case_of(
    decided: CallDecision, judgement: Judgement, requirements: Iterable[str] = (), tried: str = ""
) -> Case:
    """The case from a judgement of one recorded call; ``requirements`` are behind the rules that fired.

    A call that a person ``tried`` is in no log; it is named by its text.

    Raises:
        WorkbenchError: the call cannot be evaluated, so that no decision can be expected.
    """
    decision = decided.decision
    place = one_line(tried, 80) or f"call {decided.index} of {one_line(decided.run, 80)}"
    if decision.verdict is Verdict.CANNOT_EVALUATE:
        raise WorkbenchError(
            f"{place.capitalize()} cannot be judged: it cannot be evaluated. "
            "Mend the extraction in agent.toml, then judge what is decided."
        )
    judged = "right" if judgement is Judgement.RIGHT else "wrong"
    where = "when tried" if tried else "in the logs"
    label = f"{_OUTCOME[decision.verdict]} {where}, judged {judged}: {place}"
    return _case(decision.arguments, judgement.expects(decision.verdict), label, requirements)


def judgement_of(group: DenialGroup, cases: Iterable[Case]) -> Judgement | None:
    """An earlier judgement of the group, by its cases; None if there is none, or if there are both."""
    if group.cause.verdict is Verdict.CANNOT_EVALUATE:
        return None
    ids = {case.id for case in cases_of(group, Judgement.RIGHT)}
    verdicts = {case.expected for case in cases if case.origin == "log" and case.id in ids}
    if len(verdicts) != 1:
        return None
    return Judgement.RIGHT if verdicts == {group.cause.verdict} else Judgement.FALSE_ALARM


@dataclass(frozen=True, slots=True)
class JudgedGroup:
    """The effect of judging a group: the added cases, and the ids of cases that contradict them."""

    cases: tuple[Case, ...]
    contradicted: tuple[str, ...] = ()


def _judged_cases(judged: JudgedGroup) -> list[str]:
    return [case.id for case in judged.cases]


json_form(JudgedGroup, ("cases", _judged_cases), "contradicted")


def with_judgement(cases: Sequence[Case], new: Sequence[Case]) -> tuple[tuple[Case, ...], JudgedGroup]:
    """All cases and the new ones, which replace earlier judgements of the same arguments.

    Cases of other origins stay; ``contradicted`` names those that expect another decision on the same
    arguments.
    """
    identities = {_identity(case.arguments): case for case in new}
    remaining = tuple(
        case for case in cases if not (case.origin == "log" and _identity(case.arguments) in identities)
    )
    taken_ids = {case.id for case in remaining}
    added = tuple(case for case in new if case.id not in taken_ids)
    contradicted = tuple(
        case.id
        for case in remaining
        if (new_case := identities.get(_identity(case.arguments))) is not None
        and new_case.expected is not case.expected
    )
    return (*remaining, *added), JudgedGroup(added, contradicted)
