"""A step of a run as text: what the log says of it, with the arguments marked where they were read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from workbench.app.session_state import SessionState
from workbench.clean_text import one_line
from workbench.model import FACTS, Extracted, Json, Step, StepDecision
from workbench.tui.log_text import marked_places, marked_text, provenance_text
from workbench.tui.text_runs import Line, TextRun, Tone, fit, fit_middle, line, muted, width_of, wrap
from workbench.tui.value_text import BLANK, paragraph, value_text
from workbench.tui.verdict_signs import verdict_run
from workbench.tui.widgets.lines import Row

if TYPE_CHECKING:
    from workbench.app.runs import StepExplanation
    from workbench.app.step_guarding import GuardedStep

MOST_LINES = 60
"""The most lines that are shown of one text of a step."""
UNSAID = frozenset({"arguments", "tool", "context", "result", "first_user", "all_user", FACTS})
"""Texts of a step that are parts of its call, or repeat what was said before."""
MOST_RESULT = 8
GUARDED = "guardagent"
"""The key of the line that says what GuardAgent decided of a step."""
ROOMY = 60
"""From this width on a call stands under its verdict; a narrower one needs the room."""
MOST_CALLS = 200
"""How many calls of a long run are shown before and after the chosen one."""


def call_line(state: SessionState, position: int, width: int, before: int | None = None) -> Line:
    """A step in one line: the verdict, its number, and the call.

    The run is named at its end, unless it is that of the step ``before``, over it in a list.
    """
    step, decided = _step(state, position)
    verdict = verdict_run(decided.decision.verdict)
    head = line(TextRun(verdict.text.ljust(7), verdict.tone), muted(f"{step.index:>3}  "))
    room = max(width - width_of(head), 8)
    assert state.logs is not None
    if before is not None and state.logs.steps[before].run == step.run:
        return (*head, TextRun(fit(short_call(step), room)))
    name = one_line(step.run)
    name = fit_middle(name, min(len(name), 18, room // 2))
    return (*head, TextRun(fit(short_call(step), room - width_of((TextRun(name),)) - 1)), muted(f" {name}"))


def short_call(step: Step) -> str:
    """The call without the names of its arguments; the values are enough to tell it from others."""
    if step.arguments is None:
        return call_text(step)
    values = ", ".join(_short(value) for value in step.arguments.values())
    return f"{step.tool or 'action'} {values}".rstrip()


def _short(value: Json) -> str:
    return one_line(value if isinstance(value, str) else str(value))[:80]


def call_text(step: Step) -> str:
    """The call as a person reads it."""
    if step.arguments is None:
        return f"{step.tool or 'no tool'}(arguments not in the log)"
    arguments = ", ".join(f"{name}={one_line(str(value))}" for name, value in step.arguments.items())
    return f"{step.tool or 'action'}({arguments})"


def undecided_words(state: SessionState) -> str:
    """Why no call is decided, or is not yet; empty where calls are."""
    if state.logs is None:
        return "Reading the logs."
    if state.terms is None:
        return "No call is decided while the policy has problems; P shows them."
    if not state.logs.steps:
        return "There is no recorded run yet. In Runs (R) o opens a log, f follows one as it grows."
    return ""


def call_rows(state: SessionState, positions: Sequence[int], width: int) -> Sequence[Row]:
    """Steps as rows, one line each."""
    return [Row(call_line(state, position, width), f"step:{position}") for position in positions]


def run_rows(
    state: SessionState,
    position: int,
    width: int,
    why: StepExplanation | None = None,
    guarded: GuardedStep | None = None,
) -> Sequence[Row]:
    """The run around a step as it went: what was said, each call with its verdict, and the step whole."""
    assert state.logs is not None
    steps = state.logs.steps
    around = run_range(state, position)
    rows = paragraph(_run_heading(state, position), width, hang=2)
    text_by_name: dict[str, str] = {}
    for at in around:
        step = steps[at]
        for name, text in new_messages(step, text_by_name):
            rows += _speech(name, text, width, whole=abs(at - position) <= 1)
        rows += step_rows(state, at, width, why, guarded) if at == position else _call_rows(state, at, width)
    return rows


def _run_heading(state: SessionState, position: int) -> Line:
    """The run of a step, with the file of the log and the place in it."""
    assert state.logs is not None
    name = state.logs.steps[position].run
    run = next((run for run in state.logs.runs if run.id == name), None)
    place = "" if run is None else one_line(f"{PurePath(run.path).name} {run.locator}")
    return line(TextRun(one_line(name), Tone.TITLE), muted(f"  {place}"))


def run_range(state: SessionState, position: int) -> range:
    """The positions of the calls of the run around a step, of a long run those nearest to it."""
    run = whole_run(state, position)
    return range(max(run.start, position - MOST_CALLS), min(run.stop, position + MOST_CALLS + 1))


def whole_run(state: SessionState, position: int) -> range:
    """The positions of all calls of the run of a step."""
    assert state.logs is not None
    steps = state.logs.steps
    first = last = position
    run, end = steps[position].run, min(len(steps), len(state.decisions))
    while first and steps[first - 1].run == run:
        first -= 1
    while last + 1 < end and steps[last + 1].run == run:
        last += 1
    return range(first, last + 1)


def new_messages(step: Step, text_by_name: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The messages before a step, by name; ``text_by_name`` has the last ones, and is added to."""
    for name, text in step.texts.items():
        if _is_message(name) and text.strip() and text_by_name.get(name) != text:
            yield name, text
        text_by_name[name] = text


def _is_message(name: str) -> bool:
    """Whether a text of a step is something that was said, and no part of its call."""
    return name.partition(".")[0] not in UNSAID


def _speech(name: str, text: str, width: int, *, whole: bool) -> list[Row]:
    label = f"{name.replace('_', ' ')[:9]:<10}"
    limit = MOST_LINES if whole else 2
    wrapped = wrap(line(muted(label), text), width, indent=10, limit=limit + 1)
    return [Row(part) for part in wrapped[:limit]]


def _call_rows(state: SessionState, position: int, width: int) -> list[Row]:
    """A call of the run that is not the chosen one: one line with its verdict."""
    step, decided = _step(state, position)
    verdict = verdict_run(decided.decision.verdict)
    head = line(muted(f"{step.index:>4} "), TextRun(verdict.text.ljust(7), verdict.tone))
    return [Row((*head, TextRun(fit(call_text(step), max(width - 12, 8)))), f"step:{position}")]


def step_rows(
    state: SessionState,
    position: int,
    width: int,
    why: StepExplanation | None = None,
    guarded: GuardedStep | None = None,
) -> Sequence[Row]:
    """A step whole: call and result with the arguments marked, the decision, and where they came from."""
    step, decided = _step(state, position)
    key = f"step:{position}"
    marks = marked_places(decided.extracted.values())
    verdict = verdict_run(decided.decision.verdict)
    sign = TextRun("▸", Tone.ACCENT)  # tells it from the calls around it
    head = line(sign, muted(f"{step.index:>3} "), TextRun(verdict.text.ljust(7), verdict.tone))
    arguments = marked_text(step.texts.get("arguments", ""), marks.get("arguments", []))
    call = line(TextRun(step.tool or "action", Tone.TITLE), " ", *arguments, _time(step))
    rows = paragraph((*head, *call), width, key, hang=12 if width >= ROOMY else 5)
    rows += list(_decision(state, decided, width))
    if guarded is not None:
        rows += paragraph(guarded_line(guarded, decided), width, GUARDED, indent=2, hang=2)
    if why is not None:
        from workbench.tui.why_text import why_rows

        rows += why_rows(state, why, width)
    if step.result is not None:
        words = "an error: " if step.failed else ""
        content = line(muted(f"↳ {words}"), step.result)
        rows += [Row(part) for part in wrap(content, width, indent=2, limit=MOST_RESULT)]
    rows += _arguments(decided, width)
    if step.facts:
        known = ", ".join(f"{name} {one_line(str(value))[:60]}" for name, value in step.facts.items())
        rows += paragraph(line(muted(f"known after the run only: {known}")), width, indent=2, hang=2)
    return [*rows, BLANK]


def guarded_line(guarded: GuardedStep, decided: StepDecision) -> Line:
    """A line with GuardAgent's decision on a step, and whether the policy agrees."""
    verdict = guarded.guarded.decision.verdict
    agrees = verdict is decided.decision.verdict
    beside = muted("  as the policy") if agrees else TextRun("  the policy disagrees", Tone.WARN)
    return line("GuardAgent ", verdict_run(verdict), beside)


def _step(state: SessionState, position: int) -> tuple[Step, StepDecision]:
    assert state.logs is not None
    return state.logs.steps[position], state.decisions[position]


def _time(step: Step) -> TextRun:
    return muted(f"  {step.time}" if step.time else "")


def _decision(state: SessionState, decided: StepDecision, width: int) -> Iterator[Row]:
    """The rules that fired with their messages, or why there is no decision."""
    decision = decided.decision
    rules = {} if state.terms is None else {rule.name: rule for rule in state.terms.rules}
    for violation in decision.violations:
        rule = rules.get(violation.rule)
        names = ", ".join(rule.requirements) if rule is not None else ""
        words = line(TextRun(f"{names} ", Tone.ACCENT), one_line(violation.message or violation.rule))
        yield from paragraph(words, width, f"rule:{violation.rule}", indent=2, hang=3)
    for reason in decision.reasons:
        yield from paragraph(line(TextRun(one_line(reason), Tone.WARN)), width, indent=2)


def _arguments(decided: StepDecision, width: int) -> Iterator[Row]:
    """The arguments that have a value with where they were read, then the names of those without."""
    without: list[str] = []
    for name, extracted in decided.extracted.items():
        if extracted.missing is None and extracted.value in (None, frozenset(), (), ""):
            without.append(name)
            continue
        words = line(muted(f"{name} "), _value(extracted))
        source = provenance_text(extracted.provenance)
        if source:
            words = (*words, muted(f"  {source}"))
        yield from paragraph(words, width, f"argument:{name}", indent=2, hang=2)
    if without:
        yield from paragraph(line(muted(f"without a value: {', '.join(without)}")), width, indent=2, hang=2)


def _value(extracted: Extracted) -> TextRun:
    if extracted.missing is not None:
        return TextRun(f"missing: {one_line(extracted.missing)}", Tone.WARN)
    return TextRun(one_line(value_text(extracted.value)), Tone.CODE)
