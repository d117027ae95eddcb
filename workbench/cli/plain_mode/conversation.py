"""The state of a conversation about a session: the workbench, its state, the lines, the last change."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.app.contradictions import Contradicts
from workbench.app.results import Logs
from workbench.app.what_changed import WhatChanged, what_changed
from workbench.cli.plain_mode.line_streams import Lines
from workbench.cli.plain_mode.work import stoppable
from workbench.cli.question_text import changed_lines
from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from workbench.app.policy import PolicyTerms
    from workbench.app.results import Understanding
    from workbench.app.session_state import SessionState
    from workbench.app.workbench import Workbench


class Conversation:
    """A conversation about one session, line by line.

    ``last`` has the states before and after the last change; it is None before the first change.
    """

    def __init__(self, bench: Workbench, lines: Lines) -> None:
        """Converse over ``lines`` about the session of ``bench``."""
        self.bench = bench
        self.lines = lines
        self.last: tuple[SessionState, SessionState] | None = None
        self.ended = False
        self._state: SessionState | None = None
        self._calls_ended = threading.Event()

    def load(self) -> None:
        """Draft if there is no policy yet, and write the notices about the session's files."""
        session = self.bench.session
        for notice in session.notices:
            self.lines.say(notice)
        self.attempt(self.bench.request.draft_first)
        for problem in self.state.problems:
            self.lines.say(str(problem))

    # --- the known state

    @property
    def state(self) -> SessionState:
        """The whole state of the session, computed when it is first wanted after a change."""
        if self._state is None:
            session_state = self.attempt(self.bench.judged_state)
            self._state = self.bench.first_state() if session_state is None else session_state
        return self._state

    def know(self, state: SessionState) -> None:
        """Keep a state in which more is known."""
        self._state = state

    @property
    def logs(self) -> Logs:
        """The recorded runs."""
        return self.state.logs or Logs()

    @property
    def text(self) -> str:
        """The present text of the policy, stored or kept."""
        return self.state.policy

    def terms(self) -> PolicyTerms:
        """The checked policy; raises WorkbenchError if the text is not in the dialect."""
        return self.bench.policy.terms(self.text)

    def understanding(self) -> Understanding:
        """The questions and answers, numbered as they are listed."""
        return self.bench.questions.understand(logs=self.logs)

    # --- changes

    def change[R](self, work: Callable[[], R]) -> tuple[R, WhatChanged]:
        """Change the session and return the result and the changes; raises WorkbenchError if that fails.

        If the policy would contradict its contract, a person is asked whether it is stored all the same.
        """
        before = self.state
        try:
            result, _ = self._work(lambda _: work())
        except Contradicts as error:
            self.lines.say(str(error))
            if not self.sure("Store it all the same?"):
                raise WorkbenchError("Nothing is stored.") from None
            with self.bench.request.anyway():
                result, _ = self._work(lambda _: work())
        return result, self._since(before)

    def act(self, work: Callable[[], object], label: str, nothing: str = "That changes nothing.") -> None:
        """Change the session and write what changed.

        If ``work`` returns a false value, nothing changed, and ``nothing`` is written.
        """
        result, changes = self.change(work)
        self.lines.say(label if result else nothing)
        self.tell(changed_lines(changes))

    def look_outside(self) -> None:
        """Take over the changes of other programs to the session's files, and write what they change."""
        before = self.state
        edit = self.attempt(lambda: self.bench.editing.take_outside(before.policy))
        if edit is not None:
            changes = self._since(before)
            self.lines.say(f"Files of the session were changed outside. {edit.sentence}".strip())
            self.tell(changed_lines(changes))

    def _since(self, before: SessionState) -> WhatChanged:
        self._state = None
        after = self.state
        if before.terms is not None and after.terms == before.terms:
            after = replace(after, proof=before.proof)
            if after.cases == before.cases:
                after = replace(after, results=before.results)
            self._state = after
        changes = what_changed(before, after)
        if changes:
            self.last = before, after
        return changes

    # --- work

    def tell(self, lines: Iterable[str]) -> None:
        """Write some lines."""
        for line in lines:
            self.lines.say(line)

    def attempt[R](self, work: Callable[[], R]) -> R | None:
        """The result of some work; if it raises WorkbenchError, write the error and return None."""
        try:
            return self._work(lambda _: work())[0]
        except WorkbenchError as error:
            self.lines.say(str(error))
            return None

    def find[R](self, work: Callable[[threading.Event], R]) -> R | None:
        """The result of some work; None if Ctrl-C stopped it."""
        result, stopped = self._work(work)
        return None if stopped else result

    def sure(self, question: str) -> bool:
        """Whether a person answers a question with yes."""
        answer = self.lines.ask(f"{question} (yes or no): ")
        return answer is not None and answer.strip().casefold() in ("yes", "y")

    def _work[R](self, work: Callable[[threading.Event], R]) -> tuple[R, bool]:
        self._calls_ended.clear()
        self.bench.authorship.watch(lambda _progress: None, self._calls_ended)
        result, stopped = stoppable(work, self._stop)
        if stopped:
            self.lines.say("Stopped.")
        return result, stopped

    def _stop(self) -> None:
        self._calls_ended.set()
        self.bench.proof.cancel()
