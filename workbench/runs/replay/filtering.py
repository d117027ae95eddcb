"""Filters of decided calls, and a sentence about the filter that leaves none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from workbench.likeness import nearest
from workbench.model import CallDecision, RecordedCall, Verdict

_SHOWN = 8

type _Test = Callable[[RecordedCall, CallDecision], bool]


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of calls; an empty filter shows everything. ``text`` ignores upper and lower case."""

    decision: Verdict | None = None
    rule: str = ""
    tool: str = ""
    run: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Filtered:
    """The positions of the calls that pass, and one sentence about the filter that left none."""

    positions: tuple[int, ...]
    emptied: str = ""


def filtered(calls: Sequence[RecordedCall], decided: Sequence[CallDecision], filters: Filters) -> Filtered:
    """The calls that pass every filter; both sequences are in the same order."""
    left: Sequence[int] = range(len(calls))
    for name, wanted_value, test, known_values in _tests(calls, decided, filters):
        passing = [position for position in left if test(calls[position], decided[position])]
        if not passing and left:
            alone = any(test(call, decision) for call, decision in zip(calls, decided, strict=True))
            return Filtered((), _sentence(name, wanted_value, len(left), known_values, alone=alone))
        left = passing
    return Filtered(tuple(left))


def _tests(
    calls: Sequence[RecordedCall], decided: Sequence[CallDecision], filters: Filters
) -> Iterable[tuple[str, str, _Test, Iterable[str]]]:
    """The filters that are set: name, value, test, and the values that would match a call."""
    if filters.run:
        yield "run", filters.run, lambda call, _: call.run == filters.run, (s.run for s in calls)
    if filters.tool:
        tools = (call.tool for call in calls if call.tool is not None)
        yield "tool", filters.tool, lambda call, _: call.tool == filters.tool, tools
    if filters.decision is not None:
        verdict = filters.decision
        yield "decision", verdict.value, lambda _, decision: decision.decision.verdict is verdict, ()
    if filters.rule:
        fired = (rule for decision in decided for rule in rules_of(decision))
        yield "rule", filters.rule, lambda _, decision: filters.rule in rules_of(decision), fired
    if filters.text:
        wanted_text = filters.text.casefold()
        yield "text", filters.text, lambda call, decision: _mentions(call, decision, wanted_text), ()


def rules_of(decision: CallDecision) -> tuple[str, ...]:
    """The rules that fired on a call, both forbidding and permitting."""
    return (*(violation.rule for violation in decision.decision.violations), *decision.decision.permitted_by)


def _mentions(call: RecordedCall, decided: CallDecision, sought_text: str) -> bool:
    decision = decided.decision
    violation_texts = (
        f"{violation.rule} {violation.message} {' '.join(violation.items)}"
        for violation in decision.violations
    )
    texts = (
        call.run,
        call.tool or "",
        *call.texts.values(),
        call.result or "",
        *decision.reasons,
        *violation_texts,
    )
    return any(sought_text in text.casefold() for text in texts)


def _sentence(name: str, filter_text: str, before: int, candidates: Iterable[str], *, alone: bool) -> str:
    if alone:
        return f"The filter --{name} {filter_text} leaves none of the {before} calls that the others pass."
    names = list(dict.fromkeys(candidates))
    like = nearest(filter_text, names)
    if like:
        return f"No call passes the filter --{name} {filter_text}; did you mean {like}?"
    listed = f"; there are {', '.join(sorted(names)[:_SHOWN])}" if names else ""
    return f"No call passes the filter --{name} {filter_text}{listed}."
