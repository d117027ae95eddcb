"""An agent that acts under the policy while a person watches it and answers where the policy asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message

from workbench.app.value_texts import call_arguments, undetermined_words
from workbench.clean_text import in_a_row, one_line
from workbench.tui.messages import Ask, Choose, HintsChanged, LogWanted, Progress, TypeIn, Workbench
from workbench.tui.text_runs import LONGEST_LINE, accent, line, muted, strong, warn
from workbench.tui.verdict_signs import verdict_run
from workbench.tui.widgets.key_line import REDRAW_SECONDS
from workbench.tui.widgets.lines import PlainLines, Row, paragraph, plural

if TYPE_CHECKING:
    from pathlib import Path

    from textual.timer import Timer

    from workbench.app.live import (
        LiveEvent,
        LiveOrder,
        LiveReport,
        OpenQuestion,
        OpenQuestions,
        Outcome,
        Task,
    )
    from workbench.tui.views.runs.granting import Granting
    from workbench.tui.views.runs.view import RunsView


@dataclass(frozen=True, slots=True)
class Waiting:
    """A question, and the time at which it expires."""

    question: OpenQuestion
    until: float


class LiveBox(PlainLines):
    """The first waiting call with the time that is left; without waiting calls, a sentence."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start empty."""
        super().__init__(id="live-box")
        self._clock = clock
        self._waiting: list[Waiting] = []
        self._sentence = ""
        self._shown: OpenQuestion | None = None
        self.came = 0.0
        """The time when the visible question appeared, by the clock that stamps messages."""
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        """Start the timer that redraws the time left."""
        self._timer = self.set_interval(REDRAW_SECONDS, self._draw, pause=True)

    @property
    def first(self) -> OpenQuestion | None:
        """The question that is shown."""
        return self._waiting[0].question if self._waiting else None

    @property
    def sentence(self) -> str:
        """The sentence that can be put away."""
        return self._sentence

    def say(self, words: str) -> None:
        """Show a sentence until it is put away; an empty one shows nothing."""
        self._sentence = words
        self._draw()

    def put(self, question: OpenQuestion) -> None:
        """Add a question after the waiting ones."""
        self._waiting.append(Waiting(question, self._clock() + question.seconds))
        self._draw()

    def take(self, question: OpenQuestion) -> None:
        """Remove a question."""
        self._waiting = [waiting for waiting in self._waiting if waiting.question is not question]
        self._draw()

    def clear(self) -> None:
        """Remove all questions."""
        self._waiting = []
        self._draw()

    def _draw(self) -> None:
        self._waiting = [waiting for waiting in self._waiting if waiting.until > self._clock()]
        if self.first is not self._shown:
            self._shown, self.came = self.first, Message().time
        if not self.is_attached:
            return
        self.display = bool(self._waiting or self._sentence)
        if self._timer is not None:
            (self._timer.resume if self._waiting else self._timer.pause)()
        if self._waiting:
            first, count = self._waiting[0], len(self._waiting)
            left = max(round(first.until - self._clock()), 0)
            self.show_rows(partial(waiting_rows, first.question.outcome, left, count))
        else:
            words = self._sentence
            self.show_rows(lambda: [paragraph(words, muted("  Esc puts this away"))])
        self.refresh(layout=True)


def waiting_rows(outcome: Outcome, seconds: int, count: int) -> Iterator[Row]:
    """Rows of the call, why the policy asks about it, and the possible answers."""
    call, decision = outcome.call, outcome.decision
    of = f"  1 of {count}" if count > 1 else ""
    yield paragraph(warn("? May this call run?  "), muted(f"call {call.index} of {one_line(call.run)}{of}"))
    arguments = one_line(call_arguments(call), LONGEST_LINE)
    yield paragraph(strong(f"{call.tool} "), arguments, indent=2, hang=2, most=2)
    messages = (violation.message or violation.rule for violation in decision.violations)
    why = one_line(in_a_row((*messages, *undetermined_words(decision.reasons))))
    yield paragraph(verdict_run(decision.verdict), f"  {why}", indent=2, hang=6, most=2)
    answers = zip("123", ("let it run   ", "refuse it   ", "grant more   "), strict=True)
    offers = (line(accent(f"{digit} "), words) for digit, words in answers)
    yield paragraph(*offers, muted(f"silence refuses it in {seconds} s"), indent=2)


WORK = "live"
ASK_SECONDS = 120.0
"""The default number of seconds that a call waits for an answer."""
type TaskIds = tuple[str, ...]
"""The tasks to act on; all of them if it is empty."""
MEANING = {
    "terminate-task": "a denial ends the task",
    "block-call": "the denied call does not run, the others of its action do",
    "block-action": "no call of an action runs of which one is denied",
    "halt-tool": "the denied call does not run, and the agent is told nothing of it",
    "replan": "the agent is told why, and plans again",
    "replan-then-halt": "it plans again a few times, then it is told nothing",
}


class Living:
    """Runs one agent at a time; the view is updated by calls, because agents act in other threads."""

    def __init__(self, view: RunsView, box: LiveBox, granting: Granting) -> None:
        """Act for a view, which shows calls that wait for an answer in a box; no agent acts yet."""
        self._view = view
        self._box = box
        self._granting = granting
        self._log: Path | None = None
        self._stop: threading.Event | None = None
        self._questions: OpenQuestions | None = None
        self._agent = self._world = ""
        self._calls = 0
        self._pointed_out: OpenQuestion | None = None

    # --- the choice of an agent

    def do_live(self) -> bool:
        """Ask for an agent, its world and a task, or stop the running agent."""
        if self._stop is not None:
            self.stop()
            self._view.say("The agent is stopped.")
        else:
            self._type("the agent, MODULE:FUNCTION: ", self._agent, self._agent_typed)
        return True

    def _type(self, sign: str, text: str, typed: Callable[[str], object]) -> None:
        self._view.post_message(TypeIn(sign, lambda words: typed(words.strip()), text, replaces=True))

    def _agent_typed(self, agent: str) -> None:
        typed = partial(self._world_typed, agent)
        self._type("its world, MODULE:CLASS: ", self._world, typed)

    def _world_typed(self, agent: str, world: str) -> None:
        self._agent, self._world = agent, world

        def find(bench: Workbench) -> tuple[Task, ...]:
            return bench.live.tasks(bench.live.named(agent, world)[1])

        self._view.post_message(Ask("tasks", find, self._choose_task))

    def _choose_task(self, tasks: tuple[Task, ...]) -> None:
        every: TaskIds = ()
        offers = [(every, "", f"every task ({len(tasks)})")]
        offers += [
            ((task.id,), "✗" if task.attack else "", f"{task.id}: {one_line(task.request)}") for task in tasks
        ]
        self._view.post_message(Choose("Which task?", offers, self._choose_strategy))

    def _choose_strategy(self, tasks: TaskIds) -> None:
        offers = [(way, "", f"{way.replace('-', ' ')}: {meaning}") for way, meaning in MEANING.items()]
        choose_person = partial(self._choose_person, tasks)
        self._view.post_message(Choose("What happens on a denial?", offers, choose_person))

    def _choose_person(self, tasks: TaskIds, strategy: str) -> None:
        offers = [
            (ASK_SECONDS, "", "put each call that the policy asks about to me"),
            (None, "", "refuse each call that the policy asks about"),
        ]

        def begin(seconds: float | None) -> None:
            from workbench.app.live import LiveOrder, LiveSettings, Strategy

            settings = LiveSettings((Strategy(strategy),), tasks)
            self.begin(LiveOrder(self._agent, self._world, settings, seconds))

        self._view.post_message(Choose("Are you asked?", offers, begin))

    # --- the run

    def begin(self, order: LiveOrder) -> None:
        """Let the agent act, and follow its log from the first run on."""
        from workbench.app.live import OpenQuestions

        self.stop()
        self._box.say("")
        self._agent, self._world, self._calls = order.agent, order.world, 0
        self._stop = stop = threading.Event()
        seconds = order.ask_seconds
        self._questions = None if seconds is None else OpenQuestions(self._ask_person, seconds)
        self._view.post_message(Ask(WORK, partial(self._run, order, stop, self._questions), lambda _: None))

    def stop(self) -> None:
        """Stop the agent, and refuse the calls that wait."""
        if self._stop is not None:
            self._stop.set()
        while (question := self._box.first) is not None:
            self._answer(question, approve=False)

    def _run(
        self, order: LiveOrder, stop: threading.Event, questions: OpenQuestions | None, bench: Workbench
    ) -> None:
        """Run in a thread until all runs have ended.

        The view is called directly, so that nothing is dropped if an act begins meanwhile.
        """
        from workbench.app.workbench import Workbench

        log = self._log = order.settings.log or bench.live.log_path()
        try:
            with ExitStack() as opened:
                other_benches = [
                    opened.enter_context(closing(Workbench.open_to_guard(path))) for path in order.also
                ]
                report = bench.live.run(
                    *bench.live.named(order.agent, order.world),
                    replace(order.settings, log=log),
                    questions=questions,
                    on_event=partial(self._tell, log),
                    stop=stop,
                    also=[other_bench.live for other_bench in other_benches],
                )
            self._view.call_later(self._report, report)
        finally:
            self._view.call_later(self._ended, stop)

    def _tell(self, log: Path, event: LiveEvent) -> None:
        self._view.call_later(self._happened, log, event)

    def _happened(self, log: Path, event: LiveEvent) -> None:
        """Show the agent's progress; its log has the calls and results."""
        from workbench.app.live import EventKind

        if event.kind is EventKind.BEGAN and self._calls == 0:
            self._view.post_message(LogWanted(log, follow=True))
        self._calls += event.kind is EventKind.DECIDED
        words = f"{one_line(event.run)}: {plural(self._calls, 'call')}"
        self._view.post_message(Progress(WORK, f"{words}, command live stops it"))

    def _ended(self, stop: threading.Event) -> None:
        if self._stop is stop:
            self._stop = self._questions = None
            self._box.clear()
        self._view.post_message(Progress(WORK, ""))

    def _report(self, report: LiveReport) -> None:
        self._box.say(report_words(report))

    def leave(self) -> bool:
        """Put away the report on the runs; False if there is none."""
        text = self._box.sentence
        self._box.say("")
        return bool(text)

    # --- calls that wait for an answer

    @property
    def acts(self) -> bool:
        """Whether an agent acts."""
        return self._stop is not None

    @property
    def is_asking(self) -> bool:
        """Whether a call waits for the person's answer."""
        return self._box.first is not None

    @property
    def came(self) -> float:
        """The time when the call that waits was shown, by the clock that stamps messages."""
        return self._box.came

    def _ask_person(self, question: OpenQuestion) -> None:
        self._view.call_later(self._put, question)

    def _put(self, question: OpenQuestion) -> None:
        self._box.put(question)
        self._view.post_message(Progress(WORK, "a call waits for your answer"))
        self._view.post_message(HintsChanged())

    def point_out(self) -> bool:
        """Say in another view, once for each call, that a digit answers the call; False if it does."""
        if self._view.display or self._box.first is self._pointed_out:
            return False
        self._pointed_out, self._box.came = self._box.first, Message().time
        return self._view.say("A call waits for your answer; press the digit again to answer it.")

    def choose_number(self, number: int) -> bool:
        """Answer the visible question: 1 lets the call run, 2 refuses it, 3 shows what may be granted.

        False for another number.
        """
        question = self._box.first
        if question is None or number not in (1, 2, 3):
            return False
        if number == 3:
            self._granting.offer_waiting(question.outcome, self._log, partial(self._granted, question))
        else:
            self._answer(question, approve=number == 1)
        return True

    def _granted(self, question: OpenQuestion, name: str) -> None:
        self._view.say(f"Granted as {name}.")
        self._answer(question, approve=True)

    def _answer(self, question: OpenQuestion, *, approve: bool) -> None:
        from workbench.app.grants import user_name

        self._box.take(question)
        self._view.post_message(HintsChanged())
        was_taken = self._questions is not None and self._questions.answer(
            question.number, approve=approve, by=user_name()
        )
        self._view.post_message(Progress(WORK, "the agent goes on, command live stops it"))
        if not was_taken:
            self._view.say("The answer came too late: the call was refused.")


def report_words(report: LiveReport) -> str:
    """A sentence on how the runs ended; where the accepted version guarded, not what is on the screen, so."""
    results = report.results
    attacks = [result.attacked for result in results if result.task.attack]
    refused, calls = sum(result.refused for result in results), sum(result.calls for result in results)
    words = [plural(len(results), "run"), f"{sum(result.task_done is True for result in results)} done"]
    if attacks:
        words.append(f"{attacks.count(False)} of {len(attacks)} attacks stopped")
    words.append(f"{refused:,} of {calls:,} calls refused")
    if approved := sum(result.approved for result in results):
        words.append(f"{approved:,} let run by you")
    ended = [result for result in results if not result.state.orderly]
    words += [
        f"{one_line(live_result.run)} ended by {live_result.state}: {one_line(live_result.detail)}"
        for live_result in ended
    ]
    if report.alike != report.decided:
        words.append(f"a replay makes {report.alike:,} of {report.decided:,} decisions again")
    return " ".join((f"{', '.join(words)}; recorded in {report.log.name}.", *map(one_line, report.notices)))
