"""Filters of decided steps, and which filter left none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from workbench.likeness import nearest
from workbench.model import Step, StepDecision, Verdict

_SHOWN = 8

type _Test = Callable[[Step, StepDecision], bool]


@dataclass(frozen=True, slots=True)
class Filters:
    """What to show; an empty filter shows everything. ``text`` is looked for in any case of letters."""

    decision: Verdict | None = None
    rule: str = ""
    tool: str = ""
    run: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Filtered:
    """The positions of the steps that pass, and one sentence about the filter that left none."""

    positions: tuple[int, ...]
    emptied: str = ""


def filtered(steps: Sequence[Step], decided: Sequence[StepDecision], filters: Filters) -> Filtered:
    """The steps that pass every filter; both sequences are in the same order."""
    left: Sequence[int] = range(len(steps))
    for name, wanted, test, known in _tests(steps, decided, filters):
        passing = [position for position in left if test(steps[position], decided[position])]
        if not passing and left:
            alone = any(test(step, decision) for step, decision in zip(steps, decided, strict=True))
            return Filtered((), _sentence(name, wanted, len(left), known, alone=alone))
        left = passing
    return Filtered(tuple(left))


def _tests(
    steps: Sequence[Step], decided: Sequence[StepDecision], filters: Filters
) -> Iterable[tuple[str, str, _Test, Iterable[str]]]:
    """The filters that are set: name, value, test, and the values that would show something."""
    if filters.run:
        yield "run", filters.run, lambda step, _: step.run == filters.run, (s.run for s in steps)
    if filters.tool:
        tools = (step.tool for step in steps if step.tool is not None)
        yield "tool", filters.tool, lambda step, _: step.tool == filters.tool, tools
    if filters.decision is not None:
        verdict = filters.decision
        yield "decision", verdict.value, lambda _, decision: decision.decision.verdict is verdict, ()
    if filters.rule:
        fired = (rule for decision in decided for rule in rules_of(decision))
        yield "rule", filters.rule, lambda _, decision: filters.rule in rules_of(decision), fired
    if filters.text:
        wanted = filters.text.casefold()
        yield "text", filters.text, lambda step, decision: _mentions(step, decision, wanted), ()


def rules_of(decision: StepDecision) -> tuple[str, ...]:
    """The rules that fired on a step, forbidding and permitting ones."""
    return (*(violation.rule for violation in decision.decision.violations), *decision.decision.permitted_by)


def _mentions(step: Step, decided: StepDecision, sought_text: str) -> bool:
    decision = decided.decision
    violation_texts = (
        f"{violation.rule} {violation.message} {' '.join(violation.items)}"
        for violation in decision.violations
    )
    texts = (
        step.run,
        step.tool or "",
        *step.texts.values(),
        step.result or "",
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
