"""Each change with its place, and both versions of it as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from itertools import chain
from textwrap import dedent

from workbench.app.session_state import SessionState
from workbench.app.what_changed import (
    CallChange,
    CaseChange,
    ClauseChange,
    DemonstrationChange,
    QuestionChange,
    RequirementChange,
    RetrievalChange,
    RuleChange,
    WhatChanged,
)
from workbench.clean_text import one_line
from workbench.model import ProofStatus
from workbench.tones import Tone
from workbench.tui.rows import Row, paragraph
from workbench.tui.screen_places import Place, PlaceKind, ViewName
from workbench.tui.text_runs import Line, TextRun, accent, bad, good, line, muted, warn
from workbench.tui.verdict_signs import PREVIEWED, STATUS_SIGN, turned_line, verdict_run

type Change = (
    RequirementChange | RuleChange | ClauseChange | CaseChange | CallChange | QuestionChange
    | DemonstrationChange | RetrievalChange
)  # fmt: skip
_MOST_FIRST = 3
"""The most calls that a walk goes through before the other changes."""
_HEAD = 2
"""The lines before the first difference that name the texts."""
_TONES = {"-": (Tone.BAD, Tone.PLAIN), "+": (Tone.GOOD, Tone.PLAIN), " ": (Tone.PLAIN, Tone.MUTED)}
"""The tones of the first character of a line of a difference, and of the line."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A change in a walk, and the place that shows it; None if it is shown nowhere any more."""

    change: Change
    place: Place | None


def stops(changes: WhatChanged) -> tuple[Stop, ...]:
    """Every change with its place, in the order of the walk: calls, what fails, rules, the rest."""
    return tuple(Stop(change, _place(change)) for change in _changes(changes))


def _changes(changes: WhatChanged) -> Iterator[Change]:
    yield from changes.calls[:_MOST_FIRST]
    yield from refuted_first(changes.clauses)
    yield from sorted(changes.cases, key=lambda case: case.passed_after is not False)
    yield from changes.rules
    yield from changes.requirements
    yield from changes.questions
    yield from changes.demonstrations
    yield from changes.retrieved
    yield from changes.calls[_MOST_FIRST:]


def refuted_first(clauses: Iterable[ClauseChange]) -> Sequence[ClauseChange]:
    """Clauses that changed, those that are refuted now first."""
    return sorted(clauses, key=lambda clause: clause.status_after is not ProofStatus.REFUTED)


def _place(change: Change) -> Place | None:
    author, gone = ViewName.AUTHOR, PlaceKind.REQUIREMENT
    match change:
        case RequirementChange():
            return Place(author, PlaceKind.REQUIREMENT, change.requirement) if change.after else None
        case RuleChange(after="") | ClauseChange(after="") | CaseChange(removed=True):
            return Place(author, gone, change.requirements[0]) if change.requirements else None
        case RuleChange():
            return Place(author if change.requirements else ViewName.POLICY, PlaceKind.RULE, change.name)
        case ClauseChange():
            return Place(author, PlaceKind.CLAUSE, change.clause)
        case CaseChange():
            return Place(author, PlaceKind.CASE, change.case)
        case CallChange():
            return Place(ViewName.RUNS, PlaceKind.CALL, str(change.position))
        case QuestionChange():
            return Place(author, PlaceKind.QUESTION, change.question) if change.opened else None
        case RetrievalChange():
            return Place(ViewName.MEMORY, PlaceKind.CALL, str(change.position))
        case DemonstrationChange():
            place = Place(ViewName.MEMORY, PlaceKind.DEMONSTRATION, change.demonstration)
            return place if change.after else None


def change_rows(
    change: Change, before: SessionState | None, after: SessionState | None, key: str = ""
) -> Iterator[Row]:
    """Rows of a change: a heading and both versions."""
    yield paragraph(heading_line(change), key=key, indent=1, hang=2)
    match change:
        case RuleChange() if change.message_before != change.message_after:
            yield from text_diff(change.message_before, change.message_after, key, words=True)
            yield from text_diff(change.before, change.after, key)
        case RequirementChange():
            yield from text_diff(change.before, change.after, key, words=True)
        case RetrievalChange():
            yield from text_diff("\n".join(change.before), "\n".join(change.after), key)
        case RuleChange() | ClauseChange() | DemonstrationChange():
            yield from text_diff(change.before, change.after, key)
        case CallChange():
            yield from _decided(before, change, bad("- "), key)
            yield from _decided(after, change, good("+ "), key)
        case QuestionChange():
            yield paragraph(one_line(change.text), key=key, indent=3)
        case CaseChange():
            cases = () if before is None or after is None else (*after.cases, *before.cases)
            if name := next((case.reason for case in cases if case.id == change.case), ""):
                yield paragraph(muted(one_line(name)), key=key, indent=3)


def heading_line(change: Change) -> Line:
    """One line with the thing that changed and the kind of change."""
    match change:
        case RequirementChange():
            return line(f"{change.requirement} ", _act(change.before, change.after), muted("  sentence"))
        case RuleChange():
            named = f"{', '.join(change.requirements)}  " if change.requirements else ""
            return line(f"{named}{change.name} ", _act(change.before, change.after))
        case ClauseChange():
            return clause_line(change)
        case CaseChange():
            return _case(change)
        case CallChange():
            turned = turned_line(change.before, change.after)
            return line(f"{one_line(change.run)} call {change.index}  ", turned)
        case QuestionChange():
            return line(warn("? question opened" if change.opened else "question closed"))
        case DemonstrationChange():
            return line(f"demonstration {change.demonstration} ", _act(change.before, change.after))
        case RetrievalChange():
            moved = "the order" if set(change.before) == set(change.after) else "what is retrieved"
            return line(f"{one_line(change.run)} call {change.index}  ", accent(f"{moved} differs"))


def _act(before: str, after: str) -> TextRun:
    return accent("new" if not before else "gone" if not after else "changed")


def _case(case: CaseChange) -> Line:
    ends = bad("fails") if case.passed_after is False else good("passes")
    if case.removed:
        return line("a case is gone")
    if case.added:
        return line("a case is new", (TextRun(", "), ends) if case.passed_after is not None else ())
    return line("a case ", ends, " now")


def clause_line(clause: ClauseChange) -> Line:
    """A clause under its requirements with its sign before and after; a preview is never shown as proved."""
    name = f"{', '.join(clause.requirements)} {clause.clause}".strip()
    before = _sign(clause.status_before, clause.status_words_before, previewed=clause.previewed_before)
    after = _sign(clause.status_after, clause.status_words_after, previewed=clause.previewed_after)
    if not clause.before or not clause.after:
        return line(f"{name} {'gone' if clause.before else 'new'} ", *after)
    if clause.status_before is clause.status_after:
        return line(f"{name} changed ", *after)
    return line(f"{name} ", *before, " → ", *after)


def _sign(status: ProofStatus | None, text: str, *, previewed: bool) -> Line:
    if status is None:
        return (muted(text),)
    return (PREVIEWED if previewed else STATUS_SIGN[status], muted(f" {text}"))


def _decided(state: SessionState | None, change: CallChange, sign: TextRun, key: str) -> Iterator[Row]:
    """The row of a state's decision on a call, with the rules that made it."""
    decisions = () if state is None else state.decisions
    likely_first = chain(decisions[change.position : change.position + 1], decisions)
    for decided in likely_first:
        if (decided.run, decided.index) == (change.run, change.index):
            decision = decided.decision
            rules = [violation.rule for violation in decision.violations] or decision.permitted_by
            why = muted(f"  {', '.join(rules) or 'no rule fires'}")
            yield paragraph(sign, verdict_run(decision.verdict), why, key=key, indent=3, hang=2)
            return


def text_diff(before: str, after: str, key: str = "", *, words: bool = False) -> Iterator[Row]:
    """The different lines of two texts, with one around them; ``words`` takes each text as one line."""
    texts = [[one_line(before)], [one_line(after)]] if words else [_text_lines(before), _text_lines(after)]
    lines = dedent("\n".join(chain(*texts))).split("\n")
    split = len(texts[0])
    old, new = ([item for item in part if item] for part in (lines[:split], lines[split:]))
    for changed in [*unified_diff(old, new, n=1, lineterm="")][_HEAD:]:
        if not changed.startswith("@@"):
            sign, tone = _TONES[changed[0]]
            words_of_line = TextRun(f"{changed[0]} ", sign), TextRun(changed[1:], tone)
            yield paragraph(*words_of_line, key=key, indent=3, hang=6)


def _text_lines(text: str) -> list[str]:
    return [item for item in text.splitlines() if item.strip()]
