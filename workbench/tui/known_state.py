"""What is known of the session: its state, the changes of the last act, and the works that find out more.

The works compute in threads what is not stored: decisions, case results, proofs, causes, evidence.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from workbench.app.session_state import SessionState
from workbench.model import CallDecision, ClauseProof, Question, TheoremVerdict, WorkbenchError
from workbench.tui.change_walk import Walk
from workbench.tui.messages import Ask, WorkbenchApp
from workbench.tui.views.view import UNKNOWN
from workbench.tui.widgets.code_editor import CodeEditor
from workbench.tui.worker_threads import Generation, lasting

if TYPE_CHECKING:
    from textual.timer import Timer

    from workbench.app.policy import PolicyTerms
    from workbench.app.results import Logs

type Find = Callable[[SessionState], SessionState]
"""Makes the new state from the present one."""

EDIT = "Edit"
MOST_TURNED = 5
"""The number of open questions for which the calls that their answers turn are computed at once."""
TYPING_PAUSE = 0.15
"""Seconds without a key after which an edited text is judged."""
THEOREM_PAUSE = 0.5
"""Seconds without a key after which the theorems of an edited text are decided, beside the keys."""
KEPT_AFTER = 0.4
"""Seconds of continuous typing after which a text is kept next to its file, before it is judged."""
_OPENING = "opening the editor"
_DRAWN_AFTER = 0.25
"""Seconds within which the results of works are drawn together."""
_JUDGE_AFTER = 0.8
"""Seconds without a key after which an edit is tested and proved."""


class KnownState:
    """Takes what workers find, compares it with the state before the last act, and has more found out."""

    def __init__(self, app: WorkbenchApp) -> None:
        """Begin before the session of an app is read."""
        self._app = app
        self._work = app.work
        self.state = UNKNOWN
        self.walk = Walk()
        self._judging: Timer | None = None
        self._drawing: Timer | None = None
        self._asked: dict[str, tuple[Generation, Ask[Any]]] = {}
        """The last request of each group that works, and the generation in which it was made."""
        self._keeping = threading.Lock()
        self._kept_of = 0
        self._unkept_since: float | None = None

    @property
    def waiting(self) -> bool:
        """Whether work, or the drawing of a result, is scheduled."""
        return self._judging is not None or self._drawing is not None

    def take(self, generation: Generation, find: Find, acted: str = "", says: bool = False) -> None:
        """Take what a worker found; nothing if an act or edit began since, as the policy is another one.

        ``acted`` names the act of which this is the first state; the act may be one that ``says`` itself what
        it did.
        """
        if generation is not self._work.generation:
            return
        before, label = self.state, acted.strip()
        if label and not label == EDIT == self.walk.label:
            self.walk.begin(label, before, says=says)
        self.state = find(before).sharing(before)
        self.walk.take(self.state)
        if self.state.followed and _calls(self.state) < _calls(before):
            self._app.acts.read_on()  # the worker missed the log's growth, which is told once
        if acted:
            self._judge_soon(_JUDGE_AFTER if label == EDIT else 0.0, generation)
        if label:
            self._app.teller.clear()
        if acted or before.logs is not self.state.logs:
            self._app.draw()
        elif self._drawing is None:
            self._drawing = self._app.set_timer(_DRAWN_AFTER, self._draw)
        if acted:
            self._app.begin_in_runs()

    def _draw(self) -> None:
        """Draw the results that came within a moment together: each alone would delay the keys."""
        self._drawing = None
        self._app.draw()

    def _judge_soon(self, seconds: float, generation: Generation) -> None:
        """Run the cases, prove, and find out more, after this many seconds without a key."""

        def judge() -> None:
            self._judging = None
            if generation is self._work.generation:
                self._judge()

        if self._judging is not None:
            self._judging.stop()
        self._judging = self._app.set_timer(seconds, judge) if seconds else None
        if not seconds:
            judge()

    def _judge(self) -> None:
        """Run the cases and prove the clauses of the policy.

        Also find the causes of denials, and the calls that the answers to the first open questions would
        turn.
        """
        state, start = self.state, self._work.start
        if state.terms is not None and not state.problems:
            if not state.preview.clauses:
                start("preview", partial(self._preview, state.terms))
            if not state.theorems:
                start("theorems", partial(self._theorems, state.terms))
            start("cases", partial(self._test, state.policy))
            start("prove", partial(self._prove, state.terms))
        if state.terms is not None and state.decisions:
            start("causes", partial(self._cause, state.terms, state.decisions))
        if state.logs is not None:
            if state.demonstrations:
                start("retrieved", partial(self._retrieve, state.logs))
            for question in state.open[:MOST_TURNED]:
                start(f"turned {question.id}", partial(self._turn, question, state.logs))

    def edit(self, text: str) -> None:
        """Judge an edited text of the policy without storing it."""
        self._work.begin()
        self._work.start("edit", partial(self._edit, self.state, text))

    def keep_text(self, left: CodeEditor.Left) -> bool:
        """Keep the text of an editor that was left; False if the text did not change."""
        if left.changed or (self.state.policy != left.policy):
            self._app.acts.do(EDIT, lambda bench: bench.editing.keep_or_store(left.policy))
            return True
        return False

    def find(self, ask: Ask[Any]) -> None:
        """Do the work of an ``Ask``, and show its result; the last one of a group wins."""
        if ask.opens:
            self._app.keys_typed.hold(ask.ended.set)
        if (before := self._work.ended_by_group.pop(ask.group, None)) is not None:
            before.set()
        if ask.label:
            self._work.ended_by_group[ask.group] = ask.ended
        works, self._asked[ask.group] = ask.group in self._asked, (self._work.generation, ask)
        if not works:
            self._work.start(ask.group, partial(self._find, ask))

    def _show(self, ask: Ask[Any], found: object) -> None:
        """Show the result of the last ``Ask`` of its group; it lasts, or no act or edit began since."""
        generation, last = self._asked[ask.group]
        is_present = ask.lasts or ask.opens or generation is self._work.generation
        if last is ask and is_present and not ask.ended.is_set():
            ask.show(found)

    def _go_on(self, ask: Ask[Any]) -> None:
        """Do the last request that its group got meanwhile: a fast typist makes many."""
        if ask.opens:
            self._app.keys_typed.release()
        if (last := self._asked.pop(ask.group))[1] is not ask:
            self._asked[ask.group] = last
            self._work.start(ask.group, partial(self._find, last[1]))

    # --- in workers

    def _found(self, generation: Generation, find: Find) -> None:
        """Hand what was found to the screen, with what is derived of it, which takes long."""
        before = self.state
        found = self.prepared(find(before).sharing(before))
        self._work.call(self.take, generation, lambda now: found if now is before else find(now))

    def prepared(self, found: SessionState) -> SessionState:
        """A state, of which is made in this thread what takes long and is shown later."""
        found.derive()
        for view in self._app.views:
            view.prepare(found)
        return found

    def _edit(self, state: SessionState, text: str, generation: Generation) -> None:
        typed_on = generation.ended.wait(TYPING_PAUSE)
        self._keep(text, KEPT_AFTER if typed_on else 0.0, generation)
        if typed_on:  # results now would delay the keys
            return
        bench = self._work.workbench
        problems = bench.policy.problems(text)
        if problems:
            edited = replace(state, policy=text, problems=problems)
        else:
            with lasting(0 if state.logs is None else len(state.logs.calls)):
                terms = bench.policy.terms(text)
                edited = state.with_policy(text, terms)
                if state.logs is not None and not generation.ended.is_set():
                    decided = bench.runs.decide(terms, state.logs, generation.ended)
                    edited = replace(edited, decisions=decided)
        self.prepared(edited.sharing(state))
        self._work.call(self.take, generation, lambda _before: edited, EDIT)
        if not problems and edited.terms is not None and not generation.ended.is_set():
            self._preview(edited.terms, generation)
            if not generation.ended.wait(THEOREM_PAUSE):
                self._theorems(edited.terms, generation)

    def _keep(self, text: str, after: float, generation: Generation) -> None:
        """Keep a text next to its file, so that a killed screen loses nothing; never overwrite a newer text.

        If less than ``after`` seconds have passed since the last text was kept, the next call keeps it.
        """
        bench = self._work.workbench
        with self._keeping:
            since = self._unkept_since = self._unkept_since or time.monotonic() - TYPING_PAUSE
            if generation.number > self._kept_of and time.monotonic() - since >= after:
                self._kept_of, self._unkept_since = generation.number, None
                if not bench.session.read_only:
                    bench.editing.keep(text)

    def _preview(self, terms: PolicyTerms, generation: Generation) -> None:
        if generation is self._work.generation:
            preview = self._work.workbench.proof.preview(terms)
            self._found(generation, lambda now: replace(now, preview=preview))

    def _theorems(self, terms: PolicyTerms, generation: Generation) -> None:
        """Decide the theorems by the preview, one after the other; a key ends it after the present one."""

        def tell(verdicts: tuple[TheoremVerdict, ...]) -> None:
            if not generation.ended.is_set():
                self._found(generation, lambda now: replace(now, theorems=verdicts))

        self._work.workbench.theorems.previewed(terms, tell, generation.ended.is_set)

    def _test(self, policy: str, generation: Generation) -> None:
        with self._work.progress("cases", "running the cases"):
            results = self._work.workbench.cases.run(policy, cancelled=generation.ended).results
        result_by_case = {result.case: result for result in results}
        if not generation.ended.is_set():
            self._found(generation, lambda now: replace(now, results=result_by_case))

    def _prove(self, terms: PolicyTerms, generation: Generation) -> None:
        ended, numbers = generation.proof_ended, count(1)
        with self._work.progress("proof") as tell:

            def proved(_clause: ClauseProof) -> None:
                tell(f"proved {next(numbers)} of {len(terms.clauses)} clauses")

            try:
                proof = self._work.workbench.proof.prove(terms, on_clause=proved, cancelled=ended)
            except WorkbenchError:
                if ended.is_set() and generation is not self._work.generation:
                    return  # a newer policy is proved instead: nothing to report
                raise
        if not ended.is_set():
            self._found(generation, lambda now: replace(now, proof=proof))

    def _cause(self, terms: PolicyTerms, decisions: Sequence[CallDecision], generation: Generation) -> None:
        """Find the denied calls by cause."""
        causes, judged = self._work.workbench.judging.caused(terms, decisions)
        self._found(generation, lambda now: replace(now, causes=causes, judged=judged))

    def _retrieve(self, logs: Logs, generation: Generation) -> None:
        """Find the demonstrations that every call retrieves."""
        found = SessionState("", retrieved=self._work.workbench.memory.retrieved(logs)).derive()
        self._found(generation, lambda now: replace(now, retrieved=found.retrieved).sharing(found))

    def _turn(self, question: Question, logs: Logs, generation: Generation) -> None:
        """Find the calls that the answers to a question would turn."""
        by_answer = self._work.workbench.questions.turned_by(question, logs)
        self._found(generation, lambda now: replace(now, turned={**now.turned, question.id: by_answer}))

    def _find(self, ask: Ask[Any], _generation: Generation) -> None:
        try:
            label = ask.label or (_OPENING if ask.opens else "")
            with self._work.progress(ask.group, label, stops=True, brief=ask.opens):
                found = ask.find(self._work.workbench)
            self._work.call(self._show, ask, found)
        finally:
            self._work.call(self._go_on, ask)


def _calls(state: SessionState) -> int:
    """The number of calls of the logs that were read."""
    return 0 if state.logs is None else len(state.logs.calls)
