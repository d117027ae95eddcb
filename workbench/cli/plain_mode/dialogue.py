"""What a conversation about a session knows: the port, the board that the screen draws too, the lines."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from workbench.cli.plain_mode.line_streams import Lines
from workbench.cli.plain_mode.work import stoppable
from workbench.model import ClauseProof, Problem, WorkbenchError
from workbench.old_screen import screen_state as boards
from workbench.old_screen.port import Port
from workbench.old_screen.replay_state import Cause
from workbench.old_screen.screen_state import ScreenState
from workbench.old_screen.state import Contents, Replayed
from workbench.policy.terms import PolicyTerms


class Talk:
    """One session, talked about line by line."""

    def __init__(self, port: Port, lines: Lines) -> None:
        """Talk over ``lines`` about the session behind ``port``."""
        self.port = port
        self.lines = lines
        self.board = ScreenState()
        self.ended = False

    @property
    def text(self) -> str:
        """The policy as it stands, stored or kept."""
        return self.board.contents.policy

    def load(self) -> None:
        """Read the session and say what happened to it; raises WorkbenchError if it cannot be read."""
        self._take(self._work(lambda _: self.port.contents())[0])

    def _take(self, contents: Contents) -> None:
        """Show a session as it is after a change: what was known of another text is stale."""
        self.board = boards.stale(boards.settled(self.board))
        self.board = replace(self.board, contents=replace(contents, notice=""), loaded=True)
        tests = replace(self.board.tests, cases=self.port.cases().cases)
        self.board = replace(self.board, tests=tests)
        if contents.notice:
            self.lines.say(contents.notice)
        self._check()

    def _check(self) -> None:
        terms, problems = None, ()
        try:
            terms = self.port.check(self.text)
        except WorkbenchError as error:
            problems = error.problems or (Problem(str(error)),)
        board = boards.checked(self.board, terms, problems)
        self.board = replace(board, running=frozenset(), verdicts=replace(board.verdicts, running=False))
        for problem in problems:
            self.lines.say(str(problem))

    # --- changes

    def change(self, work: Callable[[], Contents | None], done: str, nothing: str) -> None:
        """Change the session and say so; a refusal is said, and the conversation goes on."""
        contents, _ = self._work(lambda _: work())
        if contents is None:
            self.lines.say(nothing)
            return
        self._take(contents)
        self.lines.say(done)

    def put_text(self, text: str) -> None:
        """Store a changed policy; outside the dialect it is kept beside the file until it is mended."""
        try:
            self.port.check(text)
        except WorkbenchError:
            self.port.keep(text)
            self._take(replace(self.board.contents, policy=text))
            self.lines.say("Kept, not stored: the policy is not in the dialect yet.")
            return
        self.change(lambda: self.port.store(text), "Stored.", "That changes nothing.")

    # --- what is found out

    def terms(self) -> PolicyTerms:
        """The checked policy; raises WorkbenchError while it is not in the dialect."""
        return self.port.check(self.text)

    def test(self) -> None:
        """Run all cases."""
        results, stopped = self._work(lambda cancelled: self.port.test(self.text, cancelled))
        if not stopped:
            self.board = boards.tested(self.board, results)

    def prove(self, tell: Callable[[ClauseProof], None]) -> None:
        """Preview and prove every clause, each told as it is found."""
        terms = self.terms()
        preview, stopped = self._work(lambda _: self.port.preview(terms))
        self.board = boards.previewed(self.board, preview)
        if stopped:
            return
        proof, stopped = self._work(lambda cancelled: self.port.prove(terms, tell, cancelled))
        if not stopped:
            self.board = boards.proved(self.board, proof)

    def replay(self) -> Replayed:
        """All steps decided by the policy as it stands."""
        terms, replayed = self.terms(), self.board.replayed
        if not replayed.steps:
            (steps, unreadable), _ = self._work(lambda _: self.port.steps())
            self.board = replace(self.board, replayed=Replayed(steps=steps, unreadable=unreadable))
        if not self.board.replayed.decisions or self.board.replayed.stale:
            decisions, stopped = self._work(lambda cancelled: self.port.decide(terms, cancelled))
            if not stopped:
                self.board = boards.decided(self.board, decisions)
        return self.board.replayed

    def causes(self) -> tuple[Cause, ...]:
        """The steps that are not allowed, by cause."""
        replayed, terms = self.replay(), self.terms()
        if replayed.causes is None:
            found = self.work(lambda _: self.port.causes(terms))
            self.board = replace(self.board, replayed=replace(replayed, causes=found or ()))
        return self.board.replayed.causes or ()

    def work[T](self, work: Callable[[threading.Event], T]) -> T | None:
        """What some work finds; None if Ctrl-C stopped it."""
        found, stopped = self._work(work)
        return None if stopped else found

    def _work[T](self, work: Callable[[threading.Event], T]) -> tuple[T, bool]:
        found, stopped = stoppable(work, self.port.cancel)
        if stopped:
            self.lines.say("Stopped.")
        return found, stopped
