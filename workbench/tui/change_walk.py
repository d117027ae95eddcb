"""The walk through the changes of the last act, or since a version, and the lines that show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from functools import partial
from itertools import chain
from textwrap import dedent

from textual import events

from workbench.app import what_changed as changed
from workbench.app.session_state import SessionState
from workbench.clean_text import one_line
from workbench.model import ProofStatus
from workbench.tones import Tone
from workbench.tui.messages import Place, PlaceKind, ViewName
from workbench.tui.text_runs import LONGEST_LINE, Line, TextRun, accent, bad, fit, line, muted, width_of
from workbench.tui.verdict_signs import PREVIEWED, STATUS_SIGN, turned_line, verdict_run
from workbench.tui.widgets.lines import PlainLines, Row, laid_out, paragraph, plural

type Change = (
    changed.RequirementChange | changed.RuleChange | changed.ClauseChange | changed.CaseChange
    | changed.CallChange | changed.QuestionChange | changed.DemonstrationChange | changed.RetrievalChange
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


def stops(changes: changed.WhatChanged) -> tuple[Stop, ...]:
    """Every change with its place, in the order of the walk: calls, what fails, rules, the rest."""
    return tuple(Stop(change, _place(change)) for change in _changes(changes))


def _changes(changes: changed.WhatChanged) -> Iterator[Change]:
    yield from changes.calls[:_MOST_FIRST]
    yield from refuted_first(changes.clauses)
    yield from sorted(changes.cases, key=lambda case: case.passed_after is not False)
    yield from changes.rules
    yield from changes.requirements
    yield from changes.questions
    yield from changes.demonstrations
    yield from changes.retrieved
    yield from changes.calls[_MOST_FIRST:]


def refuted_first(clauses: Iterable[changed.ClauseChange]) -> Sequence[changed.ClauseChange]:
    """Clauses that changed, those that are refuted now first."""
    return sorted(clauses, key=lambda clause: clause.status_after is not ProofStatus.REFUTED)


def _place(change: Change) -> Place | None:
    author, gone = ViewName.AUTHOR, PlaceKind.REQUIREMENT
    match change:
        case changed.RequirementChange():
            return Place(author, PlaceKind.REQUIREMENT, change.requirement) if change.after else None
        case changed.RuleChange(after="") | changed.ClauseChange(after="") | changed.CaseChange(removed=True):
            return Place(author, gone, change.requirements[0]) if change.requirements else None
        case changed.RuleChange():
            return Place(author if change.requirements else ViewName.POLICY, PlaceKind.RULE, change.name)
        case changed.ClauseChange():
            return Place(author, PlaceKind.CLAUSE, change.clause)
        case changed.CaseChange():
            return Place(author, PlaceKind.CASE, change.case)
        case changed.CallChange():
            return Place.of_call(change.position)
        case changed.QuestionChange():
            return Place(author, PlaceKind.QUESTION, change.question) if change.opened else None
        case changed.RetrievalChange():
            return Place.of_call(change.position, ViewName.MEMORY)
        case changed.DemonstrationChange():
            place = Place(ViewName.MEMORY, PlaceKind.DEMONSTRATION, change.demonstration)
            return place if change.after else None


def change_rows(
    change: Change, before: SessionState | None, after: SessionState | None, key: str = ""
) -> Iterator[Row]:
    """Rows of a change: a heading and both versions."""
    yield paragraph(heading_line(change), key=key, indent=1, hang=2)
    match change:
        case changed.RuleChange() if change.message_before != change.message_after:
            yield from text_diff(change.message_before, change.message_after, key, words=True)
            yield from text_diff(change.before, change.after, key)
        case changed.RetrievalChange():
            yield from text_diff("\n".join(change.before), "\n".join(change.after), key)
        case changed.CallChange():
            yield from _decided(before, change, bad("- "), key)
            yield from _decided(after, change, TextRun("+ ", Tone.GOOD), key)
        case changed.QuestionChange():
            yield paragraph(one_line(change.text), key=key, indent=3)
        case changed.CaseChange():
            cases = () if before is None or after is None else (*after.cases, *before.cases)
            if name := next((case.reason for case in cases if case.id == change.case), ""):
                yield paragraph(muted(one_line(name)), key=key, indent=3)
        case _:
            is_sentence = isinstance(change, changed.RequirementChange)
            yield from text_diff(change.before, change.after, key, words=is_sentence)


def heading_line(change: Change) -> Line:
    """One line with the thing that changed and the kind of change."""
    match change:
        case changed.RequirementChange():
            return line(
                f"{change.requirement} ", accent(_act(change.before, change.after)), muted("  sentence")
            )
        case changed.RuleChange():
            named = f"{', '.join(change.requirements)}  " if change.requirements else ""
            return line(f"{named}{change.name} ", accent(_act(change.before, change.after)))
        case changed.ClauseChange():
            return clause_line(change)
        case changed.CaseChange():
            return _case(change)
        case changed.CallChange():
            turned = turned_line(change.before, change.after)
            return line(f"{one_line(change.run)} call {change.index}  ", turned)
        case changed.QuestionChange():
            return line(TextRun(f"{'? ' * change.opened}question {change.act}", Tone.WARN))
        case changed.DemonstrationChange():
            return line(f"demonstration {change.demonstration} ", accent(_act(change.before, change.after)))
        case changed.RetrievalChange():
            moved = "the order" if set(change.before) == set(change.after) else "what is retrieved"
            return line(f"{one_line(change.run)} call {change.index}  ", accent(f"{moved} differs"))


def _case(case: changed.CaseChange) -> Line:
    ends = bad("fails") if case.passed_after is False else TextRun("passes", Tone.GOOD)
    if case.removed:
        return line("a case is gone")
    if case.added:
        return line("a case is new", (TextRun(", "), ends) if case.passed_after is not None else ())
    return line("a case ", ends, " now")


def clause_line(clause: changed.ClauseChange) -> Line:
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


def _decided(
    state: SessionState | None, change: changed.CallChange, sign: TextRun, key: str
) -> Iterator[Row]:
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
    texts = [[one_line(text)] if words else text.splitlines() for text in (before, after)]
    texts = [[item for item in lines if item.strip()] for lines in texts]
    lines = dedent("\n".join(chain(*texts))).split("\n")
    split = len(texts[0])
    for part in [*unified_diff(lines[:split], lines[split:], n=1, lineterm="")][_HEAD:]:
        if not part.startswith("@@"):
            sign, tone = _TONES[part[0]]
            words_of_line = TextRun(f"{part[0]} ", sign), TextRun(part[1:], tone)
            yield paragraph(*words_of_line, key=key, indent=3, hang=6)


UNDONE = "Undone"
"""The first word of the label of an act that undid another one."""


class Walk:
    """The differences of the present state from an earlier one, and the position of a walk through them.

    The earlier state is that before the last act, or that of a version.
    """

    def __init__(self) -> None:
        """Start with nothing done."""
        self.label = ""
        self.says = False
        self.before: SessionState | None = None
        self.after: SessionState | None = None
        self.at: int | None = None
        self._is_compared = True
        self._changes = changed.WhatChanged()
        self._stops: tuple[Stop, ...] = ()

    def begin(self, label: str, before: SessionState | None, *, says: bool = False) -> None:
        """Compare with another state from now on; the walk begins anew."""
        self.label, self.before, self.at, self.says = label[:LONGEST_LINE], before, None, says

    def take(self, after: SessionState) -> None:
        """Compare with the newly known state, once somebody looks: results come faster than that."""
        self.after, self._is_compared = after, False

    @property
    def changes(self) -> changed.WhatChanged:
        """The differences; verdicts of the verifier and of the cases come later than the rest."""
        self._compare()
        return self._changes

    def _compare(self) -> None:
        """Compare with the newly known state; the walk stays at its change."""
        if self._is_compared or self.after is None:
            return
        old_stop, self._is_compared = self._stop, True
        self._changes = (
            changed.WhatChanged() if self.before is None else changed.what_changed(self.before, self.after)
        )
        self._stops = stops(self._changes)
        if old_stop is not None:
            places = [stop.place for stop in self._stops]
            self.at = places.index(old_stop.place) if old_stop.place in places else None

    @property
    def undone(self) -> bool:
        """Whether the act undid another one, which can be redone."""
        return self.label.startswith(UNDONE)

    @property
    def count(self) -> int:
        """The number of changes to look at."""
        self._compare()
        return len(self._stops)

    @property
    def here(self) -> Stop | None:
        """The change at which the walk is; None before the walk and after it."""
        self._compare()
        return self._stop

    @property
    def _stop(self) -> Stop | None:
        return self._stops[self.at] if self.at is not None and self.at < len(self._stops) else None

    def go(self, direction: int) -> Stop | None:
        """Go to the next change or to the one before, and return it; None if there are no changes."""
        self._compare()
        if not self._stops:
            return None
        start = -1 if direction > 0 else 0
        self.at = ((start if self.at is None else self.at) + direction) % len(self._stops)
        return self.here

    def end(self) -> bool:
        """End the walk; False if there was none."""
        walked, self.at = self.at is not None, None
        return walked


WALK = "v walk · u undo"
WALK_WIDE = "v walk · c since · u undo"
REDO = " · U redo"
"""The key that is added if the act undid another one."""
WIDE = 100
"""The width from which on there is room for all keys next to the changes."""
MOST_ROWS = 9
"""The most rows of both versions of a change, on a screen that has room for them."""


class ChangedLine(PlainLines):
    """The line with the last changes; below it both versions of the change at which the walk is."""

    def on_click(self, event: events.Click) -> None:
        """Walk on."""
        event.stop()
        self.call_next(self.run_action, "app.do('walk')")

    def show(self, walk: Walk) -> None:
        """Show the changes of an act and the position of the walk."""
        self.display = bool(walk.label)
        most = min(MOST_ROWS, max(self.screen.size.height // 4, 4))
        self.show_rows(lambda: [Row(partial(changed_lines, walk, most))])


def changed_lines(walk: Walk, most: int, width: int) -> Sequence[Line]:
    """The line of the act, and below it at most ``most`` lines of the change at which the walk is."""
    head = changed_line(walk, width) if walk.changes else unchanged_line(walk, width)
    if (stop := walk.here) is None:
        return [head]
    lines = [row.line for row in laid_out(change_rows(stop.change, walk.before, walk.after), width)]
    if len(lines) > most:
        lines[most - 1 :] = [line(muted(f"   … {len(lines) - most + 1} more lines"))]
    return [head, *lines]


def unchanged_line(walk: Walk, width: int) -> Line:
    """The line for an act without a change, with the reason; an act that says its result needs none."""
    why = "" if walk.says else "nothing changed"
    if walk.after is not None and walk.after.problems:
        why = "nothing is decided by it before the problem is mended"
    head = TextRun(fit(f" {one_line(walk.label)}", max(width - len(why) - 3, 8)).rstrip(), Tone.TITLE)
    return line(head, "  ", muted(why))


def changed_line(walk: Walk, width: int) -> Line:
    """The label of the act, then as many kinds of change as fit, and the keys for the next action.

    If the act undid another one, the key for redo is among them.
    """
    parts: list[Line] = []
    if walk.at is None:
        end = (WALK_WIDE if width >= WIDE else WALK) + (REDO if walk.undone else "")
        parts += changed_parts(walk.changes)
    else:
        end = f"{walk.at + 1} of {walk.count} · v next · V back · Esc ends · u undo"
    widths = [width_of(part) + 3 for part in parts[: max(_urgent(walk.changes), 1)]] or [0]
    room = width - len(end) - 6
    most = max(room - sum(widths), min(width * 2 // 5, room - widths[0]), 12)  # the first is always seen
    shown = line(TextRun(fit(f" {one_line(walk.label)}", most).rstrip(), Tone.TITLE), "  ")
    left_out = ""
    for part in parts:
        if width_of(line(shown, part)) <= room:
            shown = line(shown, part, "   ")
        else:
            left_out = "…"
    shown = line(shown, muted(left_out))
    return line(shown, " " * max(width - width_of(shown) - len(end) - 1, 1), muted(end))


def _urgent(changes: changed.WhatChanged) -> int:
    """The number of parts that come first: calls that turned, what is asked anew, and what fails."""
    refuted = sum(clause.status_after is ProofStatus.REFUTED for clause in changes.clauses)
    return len(changes.turned) + bool(_more(changes)) + refuted


def _more(changes: changed.WhatChanged) -> int:
    """The number of questions that came, without those that took the place of one of their kind."""
    opened, closed = (
        Counter(
            one.question.partition(":")[0]
            for one in changes.questions
            if one.opened is is_open and not one.options
        )
        for is_open in (True, False)
    )
    return (opened - closed).total()


def changed_parts(changes: changed.WhatChanged) -> Iterator[Line]:
    """Every kind of change in a few words: calls, what fails, rules, the rest."""
    for (before, after), count in changes.turned.items():
        yield line(f"{plural(count, 'call')} ", turned_line(before, after))
    failing = sum(case.passed_after is False for case in changes.cases)
    added = sum(case.added for case in changes.cases)
    removed = sum(case.removed for case in changes.cases)
    if more := _more(changes):
        yield line(TextRun(f"? {plural(more, 'more question')}", Tone.WARN))
    for clause in refuted_first(changes.clauses):
        yield clause_line(clause)
    if failing:
        yield line(bad(f"{failing} {'case fails' if failing == 1 else 'cases fail'}"))
    yield from _counted_rules(changes)
    if added or removed:
        parts = [f"{added} added"] * bool(added) + [f"{removed} gone"] * bool(removed)
        yield line(f"cases: {', '.join(parts)}")
    for question in (one for one in changes.questions if one.options or not one.opened):
        yield line(f"question {question.act if question.opened else 'answered'}")
    if count := len(changes.retrieved):
        yield line(f"{count:,} {'call retrieves' if count == 1 else 'calls retrieve'} differently")
    for demonstration in changes.demonstrations:
        act = _act(demonstration.before, demonstration.after)
        yield line(f"demonstration {one_line(demonstration.demonstration)} {act}")


def _act(before: str, after: str, otherwise: str = "changed") -> str:
    return "new" if not before else "gone" if not after else otherwise


def _counted_rules(changes: changed.WhatChanged) -> Iterator[Line]:
    """The rules that changed, and the sentences that changed without one."""
    for rule in changes.rules:
        named = ", ".join(rule.requirements) or one_line(rule.name)
        yield line(f"{named} rule {_act(rule.before, rule.after)}")
    with_rule = {name for rule in changes.rules for name in rule.requirements}
    for one in changes.requirements:
        if one.requirement not in with_rule:
            yield line(f"{one.requirement} {_act(one.before, one.after, 'read otherwise')}")
