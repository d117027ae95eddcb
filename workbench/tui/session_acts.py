"""Acts on the session, one at a time, each followed by the new state of the session.

Logs are read in a thread while a person looks: the first calls at once, the others as they come. Changes of
others are shown before they are kept.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message
from textual.widgets import Input, TextArea

from workbench.app.contradictions import Contradicts
from workbench.app.session_state import SessionState
from workbench.app.value_texts import few_of
from workbench.app.what_changed import RuleChange, what_changed
from workbench.clean_text import counted, one_line
from workbench.model import CallDecision, ImportProblem, Verdict, WorkbenchError
from workbench.tui.change_walk import UNDONE, change_rows, changed_parts, stops
from workbench.tui.chooser import Page
from workbench.tui.messages import Act, Go, Place, Progress, Say, Workbench, WorkbenchApp, if_yes, unless_left
from workbench.tui.text_runs import bad, line, muted
from workbench.tui.widgets.lines import BLANK, Row, paragraph, plural
from workbench.tui.worker_threads import Failed, Generation, lasting

if TYPE_CHECKING:
    from workbench.app.acceptance import Accepted
    from workbench.app.policy import PolicyTerms
    from workbench.app.results import Logs
    from workbench.tui.known_state import Find


type SessionAct = Callable[[Workbench], object]
"""Changes the session. What it returns is shown if it is a sentence or a choice."""

_READING, _FOLLOWING = "logs", "follow"
_MOST_NAMED = 24
"""The most characters of an act while it runs, so that how long it has run is in sight."""
_MOST_ASKED = 3
"""The most open questions that are told by their words when a version is not accepted."""
_MOST_SAID = 80
"""The most characters of each thing for which a version is not accepted."""


class Acts:
    """Performs acts on the session one at a time, undoes them, and takes over changes of other programs."""

    def __init__(self, app: WorkbenchApp) -> None:
        """Act on the session of an app."""
        self._app = app
        self._work = app.work
        self._put_off: Mapping[str, str] | None = None
        self._touched = False

    def open(self) -> None:
        """Read the session, then judge its policy, and watch its files from then on."""
        self._work.act("Opening", self._open)

    def act(self, event: Act) -> None:
        """Do an act; try an announced one first. What was said of the act before goes."""
        self._app.say(Say(""))
        if event.opens:
            self._app.keys_typed.hold()
        if event.announced:
            self._app.say(Say(f"{event.label}: tried on a copy first, to show what it changes"))
            self._work.act(event.label, partial(self._announce, event.label, event.work))
        else:
            self.do(event.label, event.work, event.failed, opens=event.opens)

    def do(
        self, label: str, change: SessionAct, failed: Failed | None = None, *, opens: bool = False
    ) -> None:
        """Change the session, then compute the new state; the last act wins.

        If the act fails, ``failed`` is called with the reason, on the thread of the widgets.
        """
        act = partial(self._act, label, change)
        self._work.act(label, partial(self._opening, act) if opens else act, failed)

    def look_for_lock(self) -> None:
        """Open the session again as soon as it can be changed, if another program had it open."""
        self._work.start("lock", self._look_for_lock)

    def open_log(self, path: Path, *, follow: bool = False, failed: Failed | None = None) -> None:
        """Read a log in addition to the session's, and follow it as it grows; ``failed`` as in ``do``."""
        self._work.act(path.name, partial(self._open_log, path, follow), failed)

    def unfollow(self) -> None:
        """Follow no log any more."""
        self._work.start(_FOLLOWING, self._unfollow)

    def read_on(self) -> None:
        """Read the new calls of the log that is followed."""
        self._work.start(_FOLLOWING, partial(self._read_on, self._app.state))

    # --- in workers

    def _found(self, generation: Generation, find: Find, acted: str = "", *, says: bool = False) -> None:
        self._work.call(self._app.known.take, generation, find, acted, says)

    def _open(self, generation: Generation) -> None:
        with self._work.session:
            bench = self._work.workbench
            bench.request.draft_first()
            notices = [notice for notice in bench.session.notices if notice != bench.session.why_read_only]
            self._read_logs(bench, generation)
        if notices:
            self._work.post(Say(" ".join(notices)))
        with self._work.progress(_READING, "reading the request"):
            self._judged(generation)
        self._work.workbench.watch_files(lambda: self._work.call(self.touched))

    def _read_logs(self, bench: Workbench, generation: Generation) -> None:
        """Read the session's files, its first calls, then all calls, and show each result as it comes."""
        first = bench.first_state()
        terms = first.terms
        self._found(generation, lambda _before: first)
        with self._work.progress(_READING) as tell:
            if terms is not None:
                self._arrived(bench, generation, terms, tell, bench.runs.first(terms))
                self._work.wait_until_drawn()
            tell("reading the request and the logs")
            bench.runs.current(partial(self._arrived, bench, generation, terms, tell))

    def _arrived(
        self,
        bench: Workbench,
        generation: Generation,
        terms: PolicyTerms | None,
        tell: Callable[[str], None],
        logs: Logs,
    ) -> None:
        """Decide the calls that were read so far, and show them."""
        if terms is not None and logs.calls:
            self._decide(bench, generation, terms, logs)
            tell(f"reading the logs: {plural(len(logs.calls), 'call')}")

    def _decide(
        self, bench: Workbench, generation: Generation, terms: PolicyTerms, logs: Logs
    ) -> Sequence[CallDecision]:
        with lasting(len(logs.calls)):
            decisions = bench.runs.decide(terms, logs)
            decided = SessionState("", decisions=decisions).derive()
        self._found(generation, lambda now: replace(now, logs=logs, decisions=decisions).sharing(decided))
        return decisions

    def _open_log(self, path: Path, follow: bool, generation: Generation) -> None:
        ended = self._work.ended_by_group[_READING] = threading.Event()
        try:
            with self._work.session:
                label, position = self._read_log(path, follow, ended, generation)
        except WorkbenchError:
            if ended.is_set():
                self._judged(generation)  # without the calls that had arrived of it
            raise
        finally:
            self._work.ended_by_group.pop(_READING, None)
        self._judged(generation, label, says=True)
        if position is not None:
            self._work.post(Go(Place.of_call(position)))

    def _read_log(
        self, path: Path, follow: bool, ended: threading.Event, generation: Generation
    ) -> tuple[str, int | None]:
        """Read a log in addition to those of the session; return a label for that, and the call to show.

        The call is the log's first one. In a log that is followed it is the last one.
        """
        bench = self._work.workbench
        before, terms = bench.runs.current(), bench.first_state().terms
        try:
            with self._work.progress(_READING, f"reading {path.name}", stops=True) as tell:
                arrived = partial(self._arrived, bench, generation, terms, tell)
                logs = (
                    bench.runs.follow(path, self._grew, arrived, ended)
                    if follow
                    else bench.runs.open_log(path, arrived, ended)
                )
        finally:
            self._tell_followed(bench)
        runs, calls = len(logs.runs) - len(before.runs), len(logs.calls) - len(before.calls)
        words = f"{plural(runs, 'run')}, {plural(calls, 'call')}"
        if problems := sum(problem.count for problem in logs.problems[len(before.problems) :]):
            words += f", {plural(problems, 'record')} not understood"
        label = f"Following {path.name}, at first {words}" if follow else f"Opened {path.name}: {words}"
        call_position = len(logs.calls) - 1 if follow else len(before.calls)
        return label, call_position if calls > 0 else None

    def _grew(self) -> None:
        self._work.call(self.read_on)

    def _read_on(self, state: SessionState, generation: Generation) -> None:
        """Show the new calls of the followed log, and report those that are not allowed."""
        with self._work.session:
            bench = self._work.workbench
            logs = bench.runs.read_on()
            if state.terms is not None and logs is not state.logs:
                self._show_grown(bench, state, state.terms, logs, generation)
        if generation is not self._work.generation:
            self._grew()  # the policy is another one by now

    def _show_grown(
        self, bench: Workbench, state: SessionState, terms: PolicyTerms, logs: Logs, generation: Generation
    ) -> None:
        decisions = self._decide(bench, generation, terms, logs)
        causes, judged = bench.judging.caused(terms, decisions)
        self._found(generation, lambda now: replace(now, causes=causes, judged=judged))
        known_problems = () if state.logs is None else state.logs.problems
        lost = [problem for problem in logs.problems if problem not in known_problems]
        self._work.post(Say(_arrival_words(state.decisions, decisions, lost), problem=bool(lost)))

    def _unfollow(self, generation: Generation) -> None:
        bench = self._work.workbench
        bench.runs.unfollow()
        self._tell_followed(bench)
        self._found(generation, lambda now: replace(now, followed=""))

    def _tell_followed(self, bench: Workbench) -> None:
        followed = bench.runs.followed
        text = "" if followed is None else f"following {followed.name}, F stops"
        self._work.post(Progress(_FOLLOWING, text))

    def _act(self, label: str, change: SessionAct, generation: Generation) -> None:
        with self._work.progress(f"act {generation.number}", f"{one_line(label, _MOST_NAMED)} …", brief=True):
            try:
                with self._work.session:
                    editing = self._work.workbench.editing
                    refused = editing.refused_edit
                    result = change(self._work.workbench)
                    if refused is not None and editing.kept_edit == refused:
                        editing.keep_or_store(refused)  # what it reads may be declared now
                self._judged(generation, label, says=isinstance(result, Message))
            except Contradicts as error:
                self._ask_anyway(error, label, change)
                raise
            except WorkbenchError:
                self._judged(generation)  # what an act before it changed was not shown, as this one began
                raise
        if isinstance(result, Message):
            self._work.post(result)

    def _opening(self, act: Callable[[Generation], None], generation: Generation) -> None:
        """Do an act, and hand on the keys that were held once the editor that it opens is there."""
        try:
            act(generation)
        finally:
            self._work.call(self._app.call_after_refresh, self._app.keys_typed.release)

    def _ask_anyway(self, error: Contradicts, label: str, change: SessionAct) -> None:
        """Ask whether an act that contradicts the contract is stored all the same."""

        def store(bench: Workbench) -> object:
            with bench.request.anyway():
                return change(bench)

        broken = ". ".join(contradiction.sentence for contradiction in error.found)
        left = f"Store nothing, and choose otherwise or change the clause. {broken}."
        all_the_same = "Store it all the same; the clause is refuted then."
        act = partial(self.do, label, store)
        self._work.post(
            unless_left("It contradicts the contract: store it?", left, act, "anyway", all_the_same)
        )

    def _judged(self, generation: Generation, label: str = " ", *, says: bool = False) -> None:
        """Show the present state of the session, and its decisions."""
        with self._work.session:
            state = self._work.workbench.state()
        if state.terms is not None and state.logs is not None:
            with lasting(len(state.logs.calls)):
                decisions = self._work.workbench.runs.decide(state.terms, state.logs)
                state = replace(state, decisions=decisions).derive()
        self._app.known.prepared(state)
        self._found(generation, lambda _before: state, label, says=says)

    def _announce(self, label: str, change: SessionAct, generation: Generation) -> None:
        from workbench.app.scratch_session import announced, keep

        with self._work.session:
            after, texts = announced(self._work.workbench, change)
        kept = partial(keep, texts=texts, label=label)
        self._work.call(self.announced, generation, label, after, kept)

    def _look_outside(
        self, editor_text: str, known_texts: Mapping[str, str] | None, generation: Generation
    ) -> None:
        from workbench.app.scratch_session import outside_texts, state_after_outside

        with self._work.session:
            bench = self._work.workbench
            texts = outside_texts(bench)
            new = bool(texts) and texts != known_texts
            if new and bench.session.read_only:
                bench.editing.take_outside(editor_text)
                state = bench.judged_state()
                self._found(generation, lambda _before: state, "Changed by the other window")
                return
            after = state_after_outside(bench, editor_text) if new else None
        if not texts and known_texts is not None:
            self._tell_outside(generation)
        if after is not None:
            label = f"Changed outside: {', '.join(texts)}"
            kept = partial(_take_outside, editor_text=editor_text)
            self._work.call(self.announced, generation, label, after, kept, texts)

    def _tell_outside(self, generation: Generation) -> None:
        with self._work.session:
            names = self._work.workbench.session.differing
        self._found(generation, lambda before: replace(before, outside=names))

    def _look_for_lock(self, _generation: Generation) -> None:
        with self._work.session:
            old = self._work.workbench
            if not old.session.lock_is_free():
                return
            new = type(old).open(self._work.path)
            if new.session.read_only:
                new.close()
                return
            new.runs.begin_with(old.runs)
            old.close()
            self._work.take(new)
        self._work.call(self.freed)

    # --- what other programs changed

    def announced(
        self,
        generation: Generation,
        label: str,
        after: SessionState,
        keep: SessionAct,
        outside_texts: Mapping[str, str] | None = None,
    ) -> None:
        """Show the effect of a change by others (a model, a merge, another program); ``keep`` makes it.

        ``outside_texts`` has the texts of the files that another program wrote; it is None for other changes.
        If the session changed meanwhile the change is dropped, and files of others are looked at again.
        """
        app, is_outside = self._app, outside_texts is not None
        if generation is not app.work.generation:
            if is_outside:
                app.call_later(self.touched)
            else:
                app.say(Say(f"{label}: left, as the session changed meanwhile.", problem=True))
            return

        def answered(key: str | None) -> None:
            if key == "y":
                self.do(label, keep)
            elif outside_texts is not None and key == "n":
                back = f"Written back: {', '.join(outside_texts)}"
                self.do(back, lambda bench: bench.editing.put_back())
            elif outside_texts is not None:
                self._put_off = outside_texts
                self._work.start("outside", self._tell_outside)

        app.teller.clear()
        note = _OUTSIDE_NOTE if is_outside else _NOTE
        build = partial(_announced_rows, app.state, after)
        app.push_screen(Page(label, note, build, ("y", "n", "escape")), answered)

    def touched(self) -> None:
        """Take note that another program may have changed files of the session."""
        self._touched = True
        self.look_outside()

    def look_outside(self) -> None:
        """Look at the changes of other programs, unless the person types or chooses."""
        app = self._app
        typing = isinstance(app.focused, TextArea | Input)
        if self._touched and not typing and not app.screen.is_modal:
            self._touched = False
            look = partial(self._look_outside, app.state.policy, self._put_off)
            self._work.start("outside", look)

    def freed(self) -> None:
        """Read the session again, because the program that had it open has ended."""
        self.open()
        self._app.say(Say("The other window has ended: the session can be changed here."))

    # --- actions

    def do_accept(self, names: tuple[str, ...] = ()) -> None:
        """Check the session, and accept this version if it is good, or with what is accepted by ``names``."""
        self.do("Accept this version", lambda bench: self._accepted(bench.accept(names)))

    def do_again(self) -> None:
        """Run the cases and the proof again."""
        self.do("Tested and proved again", lambda _bench: None)

    def do_cases(self) -> None:
        """Make the cases that follow from the rules anew."""

        def make(bench: Workbench) -> Say:
            made = counted(bench.cases.generate(), "case")
            return Say(f"{made} made from the rules as they are; those that a person kept stay")

        self.do("Cases made anew", make)

    def _accepted(self, accepted: Accepted) -> Message:
        """What became of it; what nobody may accept comes first, what a person may decide is offered."""
        if accepted.done:
            return Say(accepted.sentence, lasts=True)
        wrong = [one.sentence for one in accepted.missing if not one.by_name]
        if wrong:
            return Say(f"Not accepted: {few_of(wrong)}. n goes through what is left.", problem=True)
        names = tuple(dict.fromkeys(one.name for one in accepted.missing))
        asked = {question.id for question in accepted.report.open}
        many = len(asked) > _MOST_ASKED
        told = [
            one_line(one.sentence, _MOST_SAID) for one in accepted.missing if not (many and one.name in asked)
        ]
        left = few_of([*([f"{len(asked)} questions are open; n goes through them"] if many else ()), *told])
        words = (
            f"accept it with {counted(len(names), 'open thing')}, each of which is written down by its name"
        )
        return unless_left("Not accepted yet", left, partial(self.do_accept, names), "accept", words)

    def do_undo(self) -> None:
        """Undo the last change of the session."""
        state = self._app.state
        current = next((version for version in state.versions if version.current), None)
        dropped = state.interrupted
        if state.edited and not dropped:
            dropped = "the text of policy.py that was not stored"
        elif state.outside and not dropped:  # they are taken over, then back
            dropped = f"Edited outside: {', '.join(state.outside)}"
        if not dropped and current is None:
            self._app.say(Say("There is nothing to undo."))
            return
        label = dropped or (current.label if current is not None else "")
        undo = partial(self.do, f"{UNDONE}: {label}", lambda bench: bench.editing.undo())
        if current is not None and current.accepts and not dropped:
            sign = "guards enforce again what was accepted before; the key y undoes the acceptance: "
            kept = Say("It stays accepted.")
            self._app.commanding.type_in(if_yes(sign, undo, lambda: self._app.say(kept)))
        else:
            undo()

    def do_redo(self) -> None:
        """Redo the last undone change."""
        self.do("Redone", lambda bench: bench.session.redo())


def _take_outside(bench: Workbench, editor_text: str) -> Say | None:
    """Take over the edits of other programs; return a sentence for the person, if there is one."""
    edit = bench.editing.take_outside(editor_text)
    return Say(edit.sentence) if edit is not None and edit.sentence else None


def _arrival_words(
    before: Sequence[CallDecision], after: Sequence[CallDecision], lost: Sequence[ImportProblem] = ()
) -> str:
    """A sentence on new calls: their number, those that are not allowed, and lines that cannot be read."""
    calls = _call_words(before, after)
    if not lost:
        return calls or "The log changed; no call is new."
    last = lost[-1]
    place = f" line {last.line}" if last.line else ""
    lost_words = "Not understood: " if len(lost) == 1 else f"{len(lost):,} lines not understood, the last is "
    return f"{calls} {lost_words}{Path(last.path).name}{place}: {last.reason}".strip()


def _call_words(before: Sequence[CallDecision], after: Sequence[CallDecision]) -> str:
    known_calls = {(decision.run, decision.index) for decision in before}
    new = [decision for decision in after if (decision.run, decision.index) not in known_calls]
    wrong = [decision for decision in new if decision.decision.verdict is not Verdict.ALLOW]
    words = plural(len(new), "new call")
    if not wrong:
        return f"{words}, all allowed." if new else ""
    last = wrong[-1]
    return f"{words}, {len(wrong):,} not allowed: call {last.index} of {last.run} {last.decision.verdict}."


_MOST_CHANGES = 100

_NOTE = "y keeps it · Esc leaves it out"
_OUTSIDE_NOTE = "y takes it over · n writes back what was there · Esc later"


def _announced_rows(before: SessionState, after: SessionState) -> Iterator[Row]:
    """The counts of all changes in a line, then each change with both versions."""
    changes = what_changed(before, after)
    for problem in after.problems:
        yield paragraph(bad(f"✗ {one_line(str(problem))}"), indent=1, hang=2)
    if not changes:
        yield paragraph(muted("It changes no rule, clause, case, question or decision."))
        return
    yield from (paragraph(*(line(part, "   ") for part in changed_parts(changes))), BLANK)
    every = sorted(stops(changes), key=lambda stop: not isinstance(stop.change, RuleChange))
    for number, stop in enumerate(every[:_MOST_CHANGES]):
        yield from (*change_rows(stop.change, before, after, f"change:{number}"), BLANK)
    if (more := len(every) - _MOST_CHANGES) > 0:
        yield paragraph(muted(f"and {more:,} more"))
