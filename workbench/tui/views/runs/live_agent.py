"""An agent that acts under the policy: a person watches it, answers where the policy asks, and grants."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message

from workbench.app.value_texts import call_arguments, undetermined_words
from workbench.clean_text import in_a_row, one_line
from workbench.model import GrantScope, Verdict, WorkbenchError
from workbench.tui.messages import Ask, Choose, LogWanted, Progress, TypeIn, Workbench
from workbench.tui.text_runs import LONGEST_LINE, accent, line, muted, strong, warn
from workbench.tui.verdict_signs import verdict_run
from workbench.tui.widgets.key_line import REDRAW_SECONDS
from workbench.tui.widgets.lines import PlainLines, Row, paragraph, plural

if TYPE_CHECKING:
    from pathlib import Path

    from textual.timer import Timer

    from workbench.app import live
    from workbench.app.grants import ListedGrant, OfferedRegion
    from workbench.tui.views.runs.view import RunsView


type Offering = Callable[[Workbench], Sequence[OfferedRegion]]

_SCOPES = {
    GrantScope.ONCE: "for one call of this run",
    GrantScope.RUN: "for every call of this run",
    GrantScope.ALWAYS: "for every run until it expires",
}


def _logs(bench: Workbench) -> list[Path]:
    """The logs of a session and of its hooks."""
    from workbench.app.hook_guard import recorded_logs

    return recorded_logs(bench.session)


class Granting:
    """Shows a person what a grant would open, and stores or revokes it."""

    def __init__(self, view: RunsView) -> None:
        """Act for a view."""
        self._view = view

    # --- granting

    def do_grant(self) -> bool:
        """Grant the chosen call of a log, if the policy asked about it; False if it did not."""
        decided = self._view.chosen
        if decided is None or decided.decision.verdict is not Verdict.ASK:
            return False
        run, index = decided.run, decided.index
        self._offer(lambda bench: tuple(bench.grants.offered(_logs(bench), run, index)), self._told)
        return True

    def offer_waiting(
        self, outcome: live.Outcome, log: Path | None, granted: Callable[[str], object]
    ) -> None:
        """Offer the regions around a call that waits; ``granted`` is called with the id of the grant."""

        def offering(bench: Workbench) -> Sequence[OfferedRegion]:
            logs = dict.fromkeys((*_logs(bench), *(() if log is None else (log,))))
            return tuple(bench.grants.offered_now(list(logs), outcome))

        self._offer(offering, granted)

    def _offer(self, offering: Offering, granted: Callable[[str], object]) -> None:
        """Have the person choose a region, how often its calls may run, and say how long and why."""
        post = self._view.post_message

        def chosen(offers: Sequence[OfferedRegion]) -> None:
            if not offers:
                self._say("No region around this call is proved to open nothing else.")
                return
            shown = [(offer, "", region_words(offer)) for offer in offers]
            post(Choose("Which calls may run? Narrowest first", shown, choose_scope))

        def choose_scope(offer: OfferedRegion) -> None:
            shown = [(scope, "", words) for scope, words in _SCOPES.items()]
            post(Choose("How often?", shown, partial(type_reason, offer)))

        def type_reason(offer: OfferedRegion, scope: GrantScope) -> None:
            def stored(words: str) -> None:
                post(Ask("grant", partial(_added, offer, scope, words), granted))

            post(TypeIn("hours, and why: ", stored, "8 "))

        post(Ask("regions", offering, chosen, "proving the regions of a grant"))

    def _told(self, name: str) -> None:
        self._say(f"Granted as {name}; the agent has to make the call again.")

    def _say(self, words: str) -> None:
        self._view.say(one_line(words))

    # --- what was granted

    def do_grants(self) -> bool:
        """List the grants; the chosen one is revoked."""
        return self._view.post_message(Ask("grants", lambda bench: bench.grants.listed(), self._list))

    def _list(self, listed: Sequence[ListedGrant]) -> None:
        if not listed:
            self._say("Nothing was granted.")
            return
        shown = [(one.grant.id, "✓" if one.in_force else "", grant_words(one)) for one in listed]
        self._view.post_message(Choose("Grants; Enter revokes", shown, self._revoke))

    def _revoke(self, name: str) -> None:
        def revoke(bench: Workbench) -> str:
            from workbench.app.grants import user_name

            ended = bench.grants.revoke(name, user_name())
            return f"{ended.id} is revoked; it opens nothing from now on."

        self._view.post_message(Ask("grant", revoke, self._say))


def _added(offer: OfferedRegion, scope: GrantScope, words: str, bench: Workbench) -> str:
    """Store a grant; returns its id."""
    from workbench.app.grants import user_name

    lasting, reason = _read(words)
    return bench.grants.add(offer, scope=scope, lasting=lasting, by=user_name(), reason=reason).id


def region_words(offer: OfferedRegion) -> str:
    """What a region opens, which logged calls lie in it, and which rules it overrides."""
    inside = plural(len(offer.inside), "logged call")
    only = "only with exactly these arguments · " if offer.region.exact else ""
    closed = f" · partly closed by {in_a_row(offer.closed)}" if offer.closed else ""
    calls = ", ".join(f"{run} {index}" for run, index in offer.inside[:3])
    opens = f"{only}{inside} in it, {offer.opened} opened ({calls})"
    overrides = f"overrides {in_a_row(offer.overrides)}{closed}"
    return one_line(f"{offer.region.words}: {offer.sentence} · {opens} · {overrides}")


def grant_words(listed: ListedGrant) -> str:
    """What was granted, by whom and why, and whether it is in force."""
    one = listed.grant
    scope = _SCOPES[one.scope].replace("this run", one.run or "a run")
    given = f"{one.by}: {one.reason} · overrides {in_a_row(one.overrides)}"
    return one_line(f"{one.id} {listed.state}: {listed.sentence} · {scope} · {given}")


def _read(words: str) -> tuple[timedelta, str]:
    """How long a grant lasts, and why it is made, as a person typed it."""
    hours, _, reason = words.strip().partition(" ")
    try:
        lasting = timedelta(hours=float(hours))
    except (ValueError, OverflowError):
        raise WorkbenchError("Type the hours and then why it is granted, such as: 8 the release.") from None
    if not reason.strip():
        raise WorkbenchError("Say why it is granted, after the hours: 8 the release.")
    return lasting, reason


class LiveBox(PlainLines):
    """The first waiting call with the time that is left; without waiting calls, a sentence."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start empty."""
        super().__init__(id="live-box")
        self._clock = clock
        self._waiting: list[tuple[live.OpenQuestion, float]] = []
        """The questions in their order, each with the time at which it expires."""
        self.sentence = ""
        """What can be put away."""
        self._shown: live.OpenQuestion | None = None
        self.came = 0.0
        """The time when the visible question appeared, by the clock that stamps messages."""
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        """Start the timer that redraws the time left."""
        self._timer = self.set_interval(REDRAW_SECONDS, self._draw, pause=True)

    @property
    def first(self) -> live.OpenQuestion | None:
        """The question that is shown."""
        return self._waiting[0][0] if self._waiting else None

    def say(self, words: str) -> None:
        """Show a sentence until it is put away; an empty one shows nothing."""
        self.sentence = words
        self._draw()

    def put(self, question: live.OpenQuestion) -> None:
        """Add a question after the waiting ones."""
        self._waiting.append((question, self._clock() + question.seconds))
        self._draw()

    def take(self, question: live.OpenQuestion) -> None:
        """Remove a question."""
        self._waiting = [waiting for waiting in self._waiting if waiting[0] is not question]
        self._draw()

    def clear(self) -> None:
        """Remove all questions."""
        self._waiting.clear()
        self._draw()

    def _draw(self) -> None:
        now = self._clock()
        self._waiting = [waiting for waiting in self._waiting if waiting[1] > now]
        if (first := self.first) is not self._shown:
            self._shown, self.came = first, Message().time
        if not self.is_attached:
            return
        self.display = bool(self._waiting or self.sentence)
        if self._timer is not None:
            (self._timer.resume if self._waiting else self._timer.pause)()
        if first is not None:
            left = max(round(self._waiting[0][1] - now), 0)
            self.show_rows(partial(waiting_rows, first.outcome, left, len(self._waiting)))
        else:
            words = self.sentence
            self.show_rows(lambda: [paragraph(words, muted("  Esc puts this away"))])
        self.refresh(layout=True)


def waiting_rows(outcome: live.Outcome, seconds: int, count: int) -> Iterator[Row]:
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


class Living:
    """Runs one agent at a time; the view is updated by calls, because agents act in other threads."""

    def __init__(self, view: RunsView, box: LiveBox, granting: Granting) -> None:
        """Act for a view, which shows calls that wait for an answer in a box; no agent acts yet."""
        self._view = view
        self._box = box
        self._granting = granting
        self._log: Path | None = None
        self._stop: threading.Event | None = None
        self._questions: live.OpenQuestions | None = None
        self._calls = 0
        self._pointed_out: live.OpenQuestion | None = None

    def do_live(self) -> bool:
        """Stop the running agent; False if none acts."""
        if self._stop is None:
            return False
        self.stop()
        return self._view.say("The agent is stopped.")

    # --- the run

    def begin(self, order: live.LiveOrder) -> None:
        """Let the agent act, and follow its log from the first run on."""
        from workbench.app.live import OpenQuestions

        self.stop()
        self._box.say("")
        self._calls = 0
        self._stop = stop = threading.Event()
        put, seconds = partial(self._view.call_later, self._put), order.ask_seconds
        self._questions = None if seconds is None else OpenQuestions(put, seconds)
        self._view.post_message(Ask(WORK, partial(self._run, order, stop, self._questions), lambda _: None))

    def stop(self) -> None:
        """Stop the agent, and refuse the calls that wait."""
        if self._stop is not None:
            self._stop.set()
        while (question := self._box.first) is not None:
            self._answer(question, approve=False)

    def _run(
        self,
        order: live.LiveOrder,
        stop: threading.Event,
        questions: live.OpenQuestions | None,
        bench: Workbench,
    ) -> None:
        """Run in a thread until all runs have ended.

        The view is called directly, so that nothing is dropped if an act begins meanwhile.
        """
        from workbench.app.workbench import Workbench

        log = self._log = order.settings.log or bench.live.log_path()
        try:
            with ExitStack() as opened:
                also = [opened.enter_context(closing(Workbench.open_to_guard(path))) for path in order.also]
                report = bench.live.run(
                    *bench.live.named(order.agent, order.world),
                    replace(order.settings, log=log),
                    questions=questions,
                    on_event=partial(self._view.call_later, self._happened, log),
                    stop=stop,
                    also=[one.live for one in also],
                )
            self._view.call_later(self._box.say, report_words(report))
        finally:
            self._view.call_later(self._ended, stop)

    def _happened(self, log: Path, event: live.LiveEvent) -> None:
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

    def _put(self, question: live.OpenQuestion) -> None:
        self._box.put(question)
        self._view.post_message(Progress(WORK, "a call waits for your answer"))
        self._view.hints_changed()

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

    def _granted(self, question: live.OpenQuestion, name: str) -> None:
        self._view.say(f"Granted as {name}.")
        self._answer(question, approve=True)

    def _answer(self, question: live.OpenQuestion, *, approve: bool) -> None:
        from workbench.app.grants import user_name

        self._box.take(question)
        self._view.hints_changed()
        was_taken = self._questions is not None and self._questions.answer(
            question.number, approve=approve, by=user_name()
        )
        self._view.post_message(Progress(WORK, "the agent goes on, command live stops it"))
        if not was_taken:
            self._view.say("The answer came too late: the call was refused.")


def report_words(report: live.LiveReport) -> str:
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
    words += [f"{one_line(one.run)} ended by {one.state}: {one_line(one.detail)}" for one in ended]
    if report.alike != report.decided:
        words.append(f"a replay makes {report.alike:,} of {report.decided:,} decisions again")
    return " ".join((f"{', '.join(words)}; recorded in {report.log.name}.", *map(one_line, report.notices)))
