"""Acts on the session, one at a time, each followed by the new state of the session.

Reads logs in a thread while a person looks: the first calls at once, the others as they come.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.app.contradictions import Contradicts
from workbench.app.session_state import SessionState
from workbench.model import Verdict, WorkbenchError
from workbench.tui.messages import (
    Announced,
    Choose,
    FilesTouched,
    Freed,
    Go,
    LogGrew,
    Progress,
    Say,
    StateFound,
)
from workbench.tui.screen_places import Place, PlaceKind, ViewName
from workbench.tui.value_text import plural
from workbench.tui.worker_threads import Working, lasting

if TYPE_CHECKING:
    from textual.message import Message

    from workbench.app.policy import PolicyTerms
    from workbench.app.results import Logs
    from workbench.app.workbench import Workbench
    from workbench.model import CallDecision, ImportProblem


_LEAVE, _ANYWAY = "leave", "anyway"


class Acts:
    """Performs the person's acts on the session, one at a time and in their order."""

    def __init__(self, working: Working) -> None:
        """Act on the session of ``working``."""
        self._work = working
        self._logs = LogReading(working)

    def open(self) -> None:
        """Read the session, then judge its policy, and watch its files from then on."""
        self._work.begin()
        self._work.act("Opening", partial(self._open, self._work.generation))

    def do(
        self,
        label: str,
        work: Callable[[Workbench], object],
        failed: Callable[[str], None] | None = None,
    ) -> None:
        """Change the session by ``work``, then compute the new state; the last act wins.

        If the act fails, ``failed`` is called with the reason, on the thread of the widgets.
        """
        self._work.begin()
        self._work.act(label, partial(self._act, self._work.generation, label, work), failed)

    def announce(self, label: str, work: Callable[[Workbench], object]) -> None:
        """Try a change on a copy of the session, and post its effect."""
        self._work.begin()
        self._work.act(label, partial(self._announce, self._work.generation, label, work))

    def look_outside(self, editor_text: str, known_texts: Mapping[str, str] | None) -> None:
        """Post the effect of other programs' edits on the session, unless the texts equal ``known_texts``."""
        self._work.start(
            "outside", partial(self._look_outside, self._work.generation, editor_text, known_texts)
        )

    def tell_outside(self) -> None:
        """Post which files other programs changed on the disk and the session did not take over."""
        self._work.start("outside", partial(self._tell_outside, self._work.generation))

    def look_for_lock(self) -> None:
        """Post ``Freed`` as soon as the session can be changed, if another program had it open."""
        self._work.start("lock", self._look_for_lock)

    def open_log(
        self, path: Path, *, follow: bool = False, failed: Callable[[str], None] | None = None
    ) -> None:
        """Read a log in addition to the session's, and follow it as it grows; ``failed`` as in ``do``."""
        self._work.begin()
        self._work.act(path.name, partial(self._open_log, self._work.generation, path, follow), failed)

    def unfollow(self) -> None:
        """Follow no log any more."""
        self._work.start("follow", partial(self._unfollow, self._work.generation))

    def read_on(self, state: SessionState) -> None:
        """Read the new calls of the log that is followed."""
        self._work.start("follow", partial(self._read_on, self._work.generation, state))

    # --- in workers

    def _open(self, generation: int) -> None:
        with self._work.session:
            self._work.workbench.request.draft_first()
            session = self._work.workbench.session
            notices = [notice for notice in session.notices if notice != session.why_read_only]
            self._logs.begin(self._work.workbench, generation)
        if notices:
            self._work.post(Say(" ".join(notices)))
        self._work.post(Progress(_READING, "reading the request"))
        try:
            self._judged(generation, "")
        finally:
            self._work.post(Progress(_READING, ""))
        self._work.workbench.watch_files(lambda: self._work.post(FilesTouched()))

    def _open_log(self, generation: int, path: Path, follow: bool) -> None:
        ended = self._work.ended_by_group[_READING] = threading.Event()
        try:
            with self._work.session:
                label, position = self._logs.open(
                    self._work.workbench, generation, path, ended, follow=follow
                )
        except WorkbenchError:
            if ended.is_set():
                self._judged(generation, "")  # without the calls that had arrived of it
            raise
        finally:
            self._work.ended_by_group.pop(_READING, None)
        self._judged(generation, label, says=True)
        if position is not None:
            self._work.post(Go(Place(ViewName.RUNS, PlaceKind.CALL, str(position))))

    def _read_on(self, generation: int, state: SessionState) -> None:
        with self._work.session:
            self._logs.read_on(self._work.workbench, generation, state)
        if generation != self._work.generation:
            self._work.post(LogGrew())  # the policy is another one by now

    def _unfollow(self, generation: int) -> None:
        self._work.post(self._logs.unfollow(self._work.workbench, generation))

    def _act(self, generation: int, label: str, work: Callable[[Workbench], object]) -> None:
        doing = f"act {generation}"
        self._work.post(Progress(doing, f"{label} …", brief=True))
        try:
            with self._work.session:
                editing = self._work.workbench.editing
                refused = editing.refused_edit
                result = work(self._work.workbench)
                if refused is not None and editing.kept_edit == refused:
                    editing.keep_or_store(refused)  # what it reads may be declared now
            says = isinstance(result, Say | Choose)
            self._judged(generation, label, says=says)
        except Contradicts as error:
            self._ask_anyway(error, label, work)
            raise
        finally:
            self._work.post(Progress(doing, ""))
        if isinstance(result, Say | Choose):
            self._work.post(result)

    def _ask_anyway(self, error: Contradicts, label: str, work: Callable[[Workbench], object]) -> None:
        """Ask whether an act that contradicts the contract is stored all the same."""

        def store(bench: Workbench) -> object:
            with bench.request.anyway():
                return work(bench)

        broken = ". ".join(contradiction.sentence for contradiction in error.found)
        offers = (
            (_LEAVE, "leave it", f"Store nothing, and choose otherwise or change the clause. {broken}."),
            (_ANYWAY, "anyway", "Store it all the same; the clause is refuted then."),
        )

        def chosen(key: str) -> None:
            if key == _ANYWAY:
                self.do(label, store)

        self._work.post(Choose("It contradicts the contract: store it?", offers, chosen))

    def _judged(self, generation: int, label: str, *, says: bool = False) -> None:
        """Post the present state of the session, and its decisions."""
        with self._work.session:
            state = self._work.workbench.state()
        terms, logs = state.terms, state.logs
        if terms is None or logs is None:
            state.derive()
            self._work.post(StateFound(generation, lambda _before: state, label or " ", says))
            return
        with lasting(len(logs.calls)):
            decided = replace(state, decisions=self._work.workbench.runs.decide(terms, logs)).derive()
        self._work.post(StateFound(generation, lambda _before: decided, label or " ", says))

    def _announce(self, generation: int, label: str, work: Callable[[Workbench], object]) -> None:
        from workbench.app.scratch_session import announced, keep

        with self._work.session:
            after, texts = announced(self._work.workbench, work)
        self._work.post(Announced(generation, label, after, lambda bench: keep(bench, texts, label)))

    def _look_outside(self, generation: int, editor_text: str, known_texts: Mapping[str, str] | None) -> None:
        from workbench.app.scratch_session import outside_texts, state_after_outside

        with self._work.session:
            bench = self._work.workbench
            texts = outside_texts(bench)
            new = bool(texts) and texts != known_texts
            if new and bench.session.read_only:
                bench.editing.take_outside(editor_text)
                state = bench.judged_state()
                self._work.post(StateFound(generation, lambda _before: state, "Changed by the other window"))
                return
            after = state_after_outside(bench, editor_text) if new else None
        if not texts and known_texts is not None:
            self._tell_outside(generation)
        if after is None:
            return
        label = f"Changed outside: {', '.join(texts)}"
        keep = partial(_take_outside, editor_text=editor_text)
        self._work.post(Announced(generation, label, after, keep, texts))

    def _tell_outside(self, generation: int) -> None:
        with self._work.session:
            names = self._work.workbench.session.differing
        self._work.post(StateFound(generation, lambda before: replace(before, outside=names)))

    def _look_for_lock(self) -> None:
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
        self._work.post(Freed())


def _take_outside(bench: Workbench, editor_text: str) -> Say | None:
    """Take over the edits of other programs; return a sentence for the person, if there is one."""
    edit = bench.editing.take_outside(editor_text)
    return Say(edit.sentence) if edit is not None and edit.sentence else None


_READING = "logs"
_FOLLOWING = "follow"


class LogReading:
    """Reads logs for workers, and posts the results for the generation that asked."""

    def __init__(self, working: Working) -> None:
        """Send messages to the screen of ``working``."""
        self._show, self._post = working.show, working.post

    def begin(self, bench: Workbench, generation: int) -> None:
        """Read the session's files, its first calls, then all calls, and show each result as it comes."""
        first = bench.first_state()
        self._post(StateFound(generation, lambda _before: first))
        if first.terms is not None:
            self._arrived(bench, generation, first.terms, bench.runs.first(first.terms), self._show)
        self._post(Progress(_READING, "reading the request and the logs"))
        bench.runs.current(partial(self._arrived, bench, generation, first.terms, post=self._post))
        self._post(Progress(_READING, ""))

    def _arrived(
        self,
        bench: Workbench,
        generation: int,
        terms: PolicyTerms | None,
        logs: Logs,
        post: Callable[[Message], None],
        stops: bool = False,
    ) -> None:
        if terms is not None and logs.calls:
            with lasting(len(logs.calls)):
                decided = SessionState("", decisions=bench.runs.decide(terms, logs)).derive()

            def with_logs(now: SessionState) -> SessionState:
                return replace(now, logs=logs, decisions=decided.decisions).sharing(decided)

            post(StateFound(generation, with_logs))
            words = f"reading the logs: {plural(len(logs.calls), 'call')}"
            self._post(Progress(_READING, words, stops=stops))

    def open(
        self, bench: Workbench, generation: int, path: Path, ended: threading.Event, *, follow: bool
    ) -> tuple[str, int | None]:
        """Read a log in addition to those of the session; return a label for that, and the call to show.

        The call is the log's first one. In a log that is followed it is the last one.
        """
        before, terms = bench.runs.current(), bench.first_state().terms
        self._post(Progress(_READING, f"reading {path.name}", stops=True))
        try:
            arrived = partial(self._arrived, bench, generation, terms, post=self._post, stops=True)
            logs = (
                bench.runs.follow(path, lambda: self._post(LogGrew()), arrived, ended)
                if follow
                else bench.runs.open_log(path, arrived, ended)
            )
        finally:
            self._post(Progress(_READING, ""))
            self._tell_followed(bench)
        runs, calls = len(logs.runs) - len(before.runs), len(logs.calls) - len(before.calls)
        words = f"{plural(runs, 'run')}, {plural(calls, 'call')}"
        if problems := sum(problem.count for problem in logs.problems[len(before.problems) :]):
            words += f", {plural(problems, 'record')} not understood"
        label = f"Following {path.name}, at first {words}" if follow else f"Opened {path.name}: {words}"
        call_position = len(logs.calls) - 1 if follow else len(before.calls)
        return label, call_position if calls > 0 else None

    def unfollow(self, bench: Workbench, generation: int) -> StateFound:
        """Follow no log any more."""
        bench.runs.unfollow()
        self._tell_followed(bench)
        return StateFound(generation, lambda now: replace(now, followed=""))

    def _tell_followed(self, bench: Workbench) -> None:
        followed = bench.runs.followed
        self._post(Progress(_FOLLOWING, "" if followed is None else f"following {followed.name}, F stops"))

    def read_on(self, bench: Workbench, generation: int, state: SessionState) -> None:
        """Show the new calls of the followed log, and report those that are not allowed."""
        logs = bench.runs.read_on()
        if state.terms is None or logs is state.logs:
            return
        with lasting(len(logs.calls)):
            decisions = bench.runs.decide(state.terms, logs)
            causes, judged = bench.judging.caused(state.terms, decisions)
            decided = SessionState("", decisions=decisions).derive()

        def with_logs(now: SessionState) -> SessionState:
            found = replace(now, logs=logs, decisions=decisions, causes=causes, judged=judged)
            return found.sharing(decided)

        self._post(StateFound(generation, with_logs))
        known_problems = () if state.logs is None else state.logs.problems
        lost = [problem for problem in logs.problems if problem not in known_problems]
        self._post(Say(_arrival_words(state.decisions, decisions, lost), problem=bool(lost)))


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
