"""The first line of the screen: the session, errors, open questions, and results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from textual import events

from workbench.app.owed import not_asked
from workbench.app.session_state import SessionState
from workbench.clean_text import one_line
from workbench.model import ProofStatus, Verdict
from workbench.tones import Tone
from workbench.tui.messages import ViewName
from workbench.tui.text_runs import Line, TextRun, accent, bad, fit, fit_middle, line, strong, warn, width_of
from workbench.tui.widgets.lines import PlainLines, fitted, plural

_GAP = TextRun("   ")
NAMED = 110
"""The width from which on all views are named."""
_LEAST_ERROR = 12
"""The least width in which an error is begun."""
MOST_NAMED = 2
"""The most requirements that are named after an error."""


class StatusLine(PlainLines):
    """One line above the views."""

    def on_click(self, event: events.Click) -> None:
        """Go to the view whose name was clicked."""
        event.stop()
        offset = event.get_content_offset(self)
        if offset is None:
            return
        end = self.line_width - 1
        place = min(offset.x, end - 1)
        for view, named in reversed(_views(self._view, self.line_width)):
            begin = end - width_of(named)
            if begin <= place < end:
                self.call_next(self.run_action, f"app.view('{view}')")
            end = begin

    _view = ViewName.AUTHOR

    def show(self, state: SessionState, view: ViewName) -> None:
        """Show a state."""
        self._view = view
        self.show_rows(lambda: [fitted(partial(status_line, state, view))])


def status_line(state: SessionState, view: ViewName, width: int) -> Line:
    """The session's name, errors first, then as many other parts as fit, and the views."""
    views = line(*(run for _, named in _views(view, width) for run in named))
    name = fit_middle(state.name, min(len(state.name), max(width // 5, 12)))
    shown_runs: list[TextRun] = [strong(f" {name}")]
    if state.read_only:
        why = one_line(state.read_only).partition(", so")[0].removeprefix("It is ")
        shown_runs.append(warn(f" (read-only: {why})"))
    room = width - width_of(views) - 1
    for words in (2, 1, 0):
        parts = tuple(_parts(state, words))
        if width_of(shown_runs) + sum(width_of((_GAP, *part)) for part in parts) <= room:
            break
    for part in (*parts, *_further(state)):
        left = room - width_of((*shown_runs, _GAP))
        if width_of(part) <= left:
            shown_runs += [_GAP, *part]
        elif part[0].tone is Tone.BAD and left > _LEAST_ERROR:
            shown_runs += [_GAP, bad(fit(part[0].text, left))]
    return (*shown_runs, TextRun(" " * max(room - width_of(shown_runs), 0)), *views)


def _views(current: ViewName, width: int) -> list[tuple[ViewName, Line]]:
    """The name of each view, which begins with its key; on a small screen the keys of the others."""
    named: list[tuple[ViewName, Line]] = []
    for view in ViewName:
        mark = accent(" ▸" if view is current else "  " if width >= NAMED else " ")
        rest = view.value[1:] if view is current or width >= NAMED else ""
        tone = Tone.TITLE if view is current else Tone.MUTED
        named.append((view, line(mark, accent(view.key), TextRun(rest, tone))))
    return named


def _parts(state: SessionState, words: int) -> Iterator[Line]:
    """The parts of the line, the most important first; with fewer ``words`` clauses and calls are short."""
    yield from _wrong(state)
    yield from _questions(state)
    if state.decisions:
        counts = state.counts
        unclear = counts[Verdict.CANNOT_EVALUATE]
        yield line(
            f"{plural(len(state.decisions), 'call')}: " if words else "",
            f"{counts[Verdict.ALLOW]:,} allow · ",
            *((accent(f"{asked:,} ask · "),) if (asked := counts[Verdict.ASK]) else ()),
            TextRun(f"{counts[Verdict.DENY]:,} deny", Tone.BAD if counts[Verdict.DENY] else Tone.PLAIN),
            *((warn(f" · {unclear:,} cannot"),) if unclear else ()),
        )
    if state.clauses:
        yield _clauses(state, whole=words > 1)
    if state.results and not state.failed:
        yield line(plural(len(state.results), "case"), TextRun(" ✓", Tone.GOOD))


def _further(state: SessionState) -> Iterator[Line]:
    """What is said where there is room."""
    if state.understood:
        yield line(TextRun(plural(len(state.requirements), "requirement"), Tone.MUTED))
    if state.guarded:
        yield line(warn(state.guarded))


def _wrong(state: SessionState) -> Iterator[Line]:
    """Errors that do not depend on open questions."""
    refuted = [
        clause.clause.requirements
        for clause in state.clauses
        if clause.status is ProofStatus.REFUTED and not clause.provisional
    ]
    failed = {result.case for result in state.failed if result not in state.waiting}
    if state.outside and not state.read_only:
        yield line(bad(f"✗ {', '.join(state.outside)} on the disk is another: u writes back"))
    if lost := not_asked(state.not_in_force, state.open):  # what is asked is counted as a question
        names = sorted({str(item.kind) for item in lost})
        words = f"✗ {plural(len(lost), 'thing')} not in force ({', '.join(names)})"
        yield line(bad(words))
    if state.problems:
        yield line(bad(f"✗ {plural(len(state.problems), 'problem')} in the policy"))
    if refuted:
        yield line(bad(f"✗ {plural(len(refuted), 'clause')} refuted{_of(refuted)}"))
    if failed:
        about = [case.requirements for case in state.cases if case.id in failed]
        yield line(bad(f"✗ {plural(len(failed), 'case')} failed{_of(about)}"))


def _of(about: Sequence[Sequence[str]]) -> str:
    """The requirements with an error, if they are few."""
    names = list(dict.fromkeys(name for group in about for name in group))
    return f" ({', '.join(names)})" if 0 < len(names) <= MOST_NAMED else ""


def _questions(state: SessionState) -> Iterator[Line]:
    """The open questions, and the failures by the readings assumed meanwhile."""
    if not state.open:
        return
    yield line(warn(f"? {plural(len(state.open), 'question')}"))
    clauses = sum(clause.status is ProofStatus.REFUTED and clause.provisional for clause in state.clauses)
    cases = len(state.waiting)
    counted = [plural(clauses, "clause")] * bool(clauses) + [plural(cases, "case")] * bool(cases)
    if counted:
        fail = "fails" if clauses + cases == 1 else "fail"
        yield line(warn(f"{' and '.join(counted)} {fail} meanwhile"))


def _clauses(state: SessionState, *, whole: bool) -> Line:
    """The numbers of clauses that are proved, hold in the preview only, or depend on an open question.

    In words, or by their signs.
    """
    sure = [
        clause for clause in state.clauses if clause.status is ProofStatus.PROVED and not clause.provisional
    ]
    held = sum(clause_state.only_previewed for clause_state in sure)
    disputed = sum(clause.provisional for clause in state.clauses)
    proved, total = len(sure) - held, len(state.clauses)
    if not whole:
        counted = ((proved, "✓", Tone.GOOD), (held, "◇", Tone.ACCENT), (disputed, "?", Tone.WARN))
        signs = [TextRun(f"{sign}{count} ", tone) for count, sign, tone in counted if count]
        of = "" if proved + held + disputed == total else f"of {total} "
        return line(*(signs or ["0 "]), f"{of}clauses")
    parts = [TextRun(f"{proved} of {plural(total, 'clause')} proved")]
    if held:
        parts.append(accent(f" · {held} in the preview"))
    if disputed:
        parts.append(warn(f" · {disputed} provisional"))
    return tuple(parts)
