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
from workbench.tui.screen_places import Place, PlaceKind, ViewName
from workbench.tui.text_runs import Line, TextRun, line, muted
from workbench.tui.value_text import paragraph
from workbench.tui.verdict_signs import PREVIEWED, STATUS_SIGN, verdict_run
from workbench.tui.widgets.lines import Row

type Change = (
    RequirementChange
    | RuleChange
    | ClauseChange
    | CaseChange
    | CallChange
    | QuestionChange
    | DemonstrationChange
    | RetrievalChange
)
_MOST_FIRST = 3
"""The most calls that a walk goes through before the other changes."""
_HEAD = 2
"""The lines before the first difference that name the texts."""
_SIGNS = {
    "-": (TextRun("- ", Tone.BAD), Tone.PLAIN),
    "+": (TextRun("+ ", Tone.GOOD), Tone.PLAIN),
    " ": (TextRun("  "), Tone.MUTED),
}
"""What is drawn for each first character of a difference: a sign, and the tone of the line."""


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
    author = ViewName.AUTHOR
    match change:
        case RequirementChange(after=""):
            return None
        case RequirementChange():
            return Place(author, PlaceKind.REQUIREMENT, change.requirement)
        case RuleChange(after="") | ClauseChange(after="") | CaseChange(removed=True):
            gone_from = change.requirements
            return Place(author, PlaceKind.REQUIREMENT, gone_from[0]) if gone_from else None
        case RuleChange():
            view = author if change.requirements else ViewName.POLICY
            return Place(view, PlaceKind.RULE, change.name)
        case ClauseChange():
            return Place(author, PlaceKind.CLAUSE, change.clause)
        case CaseChange():
            return Place(author, PlaceKind.CASE, change.case)
        case CallChange():
            return Place(ViewName.RUNS, PlaceKind.CALL, str(change.position))
        case QuestionChange():
            return Place(author, PlaceKind.QUESTION, change.question) if change.opened else None
        case DemonstrationChange() | RetrievalChange():
            return _place_in_memory(change)


def _place_in_memory(change: DemonstrationChange | RetrievalChange) -> Place | None:
    if isinstance(change, RetrievalChange):
        return Place(ViewName.MEMORY, PlaceKind.CALL, str(change.position))
    gone = not change.after
    return None if gone else Place(ViewName.MEMORY, PlaceKind.DEMONSTRATION, change.demonstration)


def change_rows(
    change: Change, before: SessionState | None, after: SessionState | None, width: int, key: str = ""
) -> list[Row]:
    """Rows of a change: a heading and both versions."""
    rows = paragraph(heading_line(change), width, key, indent=1, hang=2)
    match change:
        case RuleChange():
            if change.message_before != change.message_after:
                rows += text_diff(change.message_before, change.message_after, width, key, words=True)
            rows += text_diff(change.before, change.after, width, key)
        case RequirementChange():
            rows += text_diff(change.before, change.after, width, key, words=True)
        case ClauseChange() | DemonstrationChange() | RetrievalChange():
            if change.before != change.after:
                rows += text_diff(_as_text(change.before), _as_text(change.after), width, key)
        case CallChange():
            for state, sign in ((before, "-"), (after, "+")):
                rows += _decided(state, change, sign, width, key)
        case QuestionChange():
            rows += paragraph(one_line(change.text), width, key, indent=3)
        case CaseChange():
            state = before if change.removed else after
            name = next((case.reason for case in state.cases if case.id == change.case), "") if state else ""
            rows += paragraph(muted(one_line(name)), width, key, indent=3) if name else []
    return rows


def _as_text(text: str | tuple[str, ...]) -> str:
    """A text, or ids with one on each line."""
    return text if isinstance(text, str) else "\n".join(text)


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
            return line("a case is " if change.added or change.removed else "a case ", *_case(change))
        case CallChange():
            verdicts = line(verdict_run(change.before), " → ", verdict_run(change.after))
            return line(f"{one_line(change.run)} call {change.index}  ", *verdicts)
        case QuestionChange():
            return line(TextRun("? question opened" if change.opened else "question closed", Tone.WARN))
        case DemonstrationChange():
            return line(f"demonstration {change.demonstration} ", _act(change.before, change.after))
        case RetrievalChange():
            moved = "the order" if set(change.before) == set(change.after) else "what is retrieved"
            return line(
                f"{one_line(change.run)} call {change.index}  ", TextRun(f"{moved} differs", Tone.ACCENT)
            )


def _act(before: str, after: str) -> TextRun:
    return TextRun("new" if not before else "gone" if not after else "changed", Tone.ACCENT)


def _case(case: CaseChange) -> Line:
    ends = TextRun("fails", Tone.BAD) if case.passed_after is False else TextRun("passes", Tone.GOOD)
    if case.removed:
        return line("gone")
    if case.added:
        return line("new", *((", ", ends) if case.passed_after is not None else ()))
    return line(ends, " now")


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


def _decided(state: SessionState | None, change: CallChange, sign: str, width: int, key: str) -> list[Row]:
    """Rows of a state's decision on a call, with the rules that made it."""
    decisions = () if state is None else state.decisions
    likely_first = chain(decisions[change.position : change.position + 1], decisions)
    call = (change.run, change.index)
    decided = next((one for one in likely_first if (one.run, one.index) == call), None)
    if decided is None:
        return []
    decision = decided.decision
    rules = [violation.rule for violation in decision.violations] or [*decision.permitted_by]
    why = f"  {', '.join(rules)}" if rules else "  no rule fires"
    tone = Tone.BAD if sign == "-" else Tone.GOOD
    content = line(TextRun(f"{sign} ", tone), verdict_run(decision.verdict), muted(why))
    return paragraph(content, width, key, indent=3, hang=2)


def text_diff(before: str, after: str, width: int, key: str = "", *, words: bool = False) -> list[Row]:
    """The different lines of two texts, with one around them; ``words`` takes each text as one line."""
    if words:
        old, new = [one_line(before)], [one_line(after)]
    else:
        removed = len(_text_lines(before))
        lines = dedent("\n".join((*_text_lines(before), *_text_lines(after)))).split("\n")
        old, new = lines[:removed], lines[removed:]
    old, new = ([item for item in lines if item] for lines in (old, new))
    rows: list[Row] = []
    for changed in [*unified_diff(old, new, n=1, lineterm="")][_HEAD:]:
        if not changed.startswith("@@"):
            sign, tone = _SIGNS[changed[0]]
            rows += paragraph(line(sign, TextRun(changed[1:], tone)), width, key, indent=3, hang=6)
    return rows


def _text_lines(text: str) -> list[str]:
    return [item for item in text.splitlines() if item.strip()]
