"""The view of the recorded runs: why calls were denied, the calls, and the run as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.timer import Timer

from workbench.app.session_state import SessionState
from workbench.model import Judgement, StepDecision, Verdict
from workbench.tui.messages import Act, Ask, Go, LogWanted, Say, TypeIn
from workbench.tui.places import Place, PlaceKind, ViewName
from workbench.tui.run_text import run_rows
from workbench.tui.signs import VERDICT_WORD
from workbench.tui.text_runs import line, muted
from workbench.tui.value_text import paragraph
from workbench.tui.views.runs.causes import ALL, FILES, STRATEGIES, cause_rows, groups_at
from workbench.tui.views.runs.files import file_rows
from workbench.tui.views.runs.strategies import strategy_rows
from workbench.tui.views.runs.timeline import Timeline
from workbench.tui.views.view import View
from workbench.tui.widgets.lines import LineList, Row
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.step_list import StepList

if TYPE_CHECKING:
    from workbench.policy.terms import PolicyTerms
    from workbench.runs.replay.explanation import StepExplanation
    from workbench.runs.replay.grouping import DenialGroup
    from workbench.runs.replay.strategies import StrategyComparison

EXPLAIN_AFTER = 0.15
"""Seconds of rest at a call after which its reason is found, while reasons are asked for."""
PLAY = 0.8
"""Seconds that a call is shown while a run plays."""


class RunsView(View):
    """Causes as a tree, the calls of the one at the cursor, and the chosen call with its log."""

    NAME = ViewName.RUNS
    HELP = """At the left is why calls were not allowed, by rule and by the values that it fired on; the
cursor narrows the calls beside it to that cause, and y or x judges all of them at once. At the right is the
chosen call in its run: the decision, the arguments with where they were read, and the text of the log in
which they are marked. w says why, and what would have to differ. p keeps a call as a case, a as a
demonstration. o opens a log, f follows one as it grows, . plays the run, s compares the strategies."""

    def __init__(self) -> None:
        """Start with all calls."""
        super().__init__(id=ViewName.RUNS.value)
        self._state: SessionState | None = None
        self._cause = ALL
        self._left = ALL
        self._folded: set[str] = set()
        self._groups: Sequence[DenialGroup] | None = None
        self._explaining = False
        self._explained: tuple[PolicyTerms, int, StepExplanation] | None = None
        self._rest: Timer | None = None
        self._compared: tuple[Sequence[StepDecision], StrategyComparison] | None = None
        self._playing: Timer | None = None

    def compose(self) -> ComposeResult:
        """The run on one line over causes, calls, and the run as text."""
        yield Timeline()
        yield Pane("Why denied", id="causes")
        yield StepList("Calls", id="steps")
        yield Pane("Run", id="run")

    @property
    def first(self) -> LineList:
        """The calls, where there is room for one pane only."""
        return self._steps if self.small else self._causes

    @property
    def _causes(self) -> Pane:
        return self.query_one("#causes", Pane)

    @property
    def _steps(self) -> StepList:
        return self.query_one("#steps", StepList)

    @property
    def _run(self) -> Pane:
        return self.query_one("#run", Pane)

    # --- what is shown

    def show(self, state: SessionState) -> None:
        """Draw another state; the cause and the call stay."""
        grew = self._state is not None and state.logs is not self._state.logs
        self._state = state
        if state.causes is not None or not state.decisions:
            self._groups = state.causes
        self._fill_causes()
        if not self._causes.key:
            self._causes.select(ALL)
        self._steps.fill(state, self._positions(self._cause), newest=grew and bool(state.followed))
        self._show_run()
        self._explain_soon()
        if self._cause == STRATEGIES:
            self._compare()

    def go(self, place: Place) -> None:
        """Put the cursor on a call; all calls are shown for it."""
        if place.kind is PlaceKind.STEP and self._state is not None and place.name.isdigit():
            self._take(ALL)
            self._causes.select(ALL)
            self._steps.narrow("")
            self._steps.select(int(place.name))
            self._steps.focus()
            self._show_run()

    def _fill_causes(self) -> None:
        if self._state is not None:
            self._causes.fill(partial(cause_rows, self._state, self._groups, self._folded))

    def _positions(self, cause: str) -> Sequence[int]:
        """The calls of a row of the tree, in the order of the logs."""
        state = self._state
        if state is None or not state.decisions:
            return ()
        kind, _, name = cause.partition(":")
        if kind == "verdict":
            return [position for position, verdict in enumerate(state.verdicts) if verdict == Verdict(name)]
        if kind in ("cause", "rules"):
            known = len(state.decisions)
            groups = groups_at(cause, self._groups or ())
            return sorted(position for group in groups for position in group.steps if position < known)
        return range(len(state.decisions))

    def _take(self, cause: str) -> None:
        """Show the calls of a row of the tree."""
        self._cause = cause
        if self._state is not None:
            self._steps.fill(self._state, self._positions(cause))
        if cause == STRATEGIES:
            self._compare()
        self._show_run()

    @on(LineList.Moved, "#causes")
    def _cause_moved(self, event: LineList.Moved) -> None:
        event.stop()
        key = self._causes.key
        if key and key != self._cause:
            self._take(key)

    @on(LineList.Chosen, "#causes")
    def _cause_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        (self._run if self._cause in (FILES, STRATEGIES) else self._steps).focus()

    @on(LineList.Moved, "#steps")
    def _step_moved(self, event: LineList.Moved) -> None:
        event.stop()
        if self._cause in (FILES, STRATEGIES) and self._steps.has_focus:
            self._causes.select(ALL)
            self._take(ALL)
        self._show_run()
        self._explain_soon()

    @on(LineList.Chosen, "#steps")
    def _step_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        self._run.focus()

    @on(LineList.Chosen, "#run")
    def _run_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        kind, _, name = self._run.key.partition(":")
        if kind == "rule":
            self.post_message(Go(Place(ViewName.AUTHOR, PlaceKind.RULE, name)))
        elif kind == "step":
            self._see(int(name))

    @on(Timeline.Wanted)
    def _call_wanted(self, event: Timeline.Wanted) -> None:
        event.stop()
        self._see(event.position)

    def _see(self, position: int) -> None:
        """Put the cursor on a call, which all calls are shown for where the present ones do not have it."""
        if self._cause in (FILES, STRATEGIES) or position not in self._positions(self._cause):
            self._causes.select(ALL)
            self._take(ALL)
        self._steps.select(position)

    def _show_run(self) -> None:
        state, position = self._state, self._steps.position
        if state is None:
            return
        self.query_one(Timeline).show(state, position, self._playing is not None)
        if self._cause == FILES:
            self._run.fill(partial(file_rows, state.logs), name="Logs")
        elif self._cause == STRATEGIES:
            known = self._compared is not None and self._compared[0] is state.decisions
            found = self._compared[1] if known and self._compared is not None else None
            self._run.fill(partial(strategy_rows, state, found), name="Strategies")
        elif position is None or position >= len(state.decisions):
            self._run.fill(partial(_no_call, state), name="Run")
        else:
            index = state.decisions[position].index
            self._run.fill(partial(run_rows, state, position, why=self._why), name=f"Run, call {index}")
            if not self._run.has_focus or self._run.key != f"step:{position}":
                self._run.centre(f"step:{position}")

    @property
    def _chosen(self) -> StepDecision | None:
        """The call at the cursor with its decision."""
        state, position = self._state, self._steps.position
        if state is None or position is None or position >= len(state.decisions):
            return None
        return None if self._cause in (FILES, STRATEGIES) else state.decisions[position]

    # --- why, and what would have to differ

    def do_why(self) -> bool:
        """Say why the chosen call was decided so, and of every other that is gone to; or no more."""
        if self._chosen is None:
            return False
        self._explaining = not self._explaining
        self._show_run()
        self._explain()
        return True

    @property
    def _why(self) -> StepExplanation | None:
        """The reason of the chosen call, where it is asked for and found."""
        state, found = self._state, self._explained
        if not self._explaining or state is None or found is None:
            return None
        return found[2] if found[0] is state.terms and found[1] == self._steps.position else None

    def _explain_soon(self) -> None:
        if self._rest is not None:
            self._rest.stop()
            self._rest = None
        if self._explaining:
            self._rest = self.set_timer(EXPLAIN_AFTER, self._explain)

    def _explain(self) -> None:
        state, position, decided = self._state, self._steps.position, self._chosen
        if not self._explaining or self._why is not None or state is None:
            return
        terms, logs = state.terms, state.logs
        if terms is None or logs is None or decided is None or position is None:
            return

        def told(found: StepExplanation) -> None:
            self._explained = (terms, position, found)
            self._show_run()

        self.post_message(
            Ask(
                "why",
                lambda bench: partial(told, bench.runs.explain(terms, logs, decided.run, decided.index)[0]),
            )
        )

    # --- judging

    def do_right(self) -> bool:
        """Judge the calls of a cause, or a call, as decided right."""
        return self._judge(Judgement.RIGHT)

    def do_wrong(self) -> bool:
        """Judge the calls of a cause, or a call, as decided wrong."""
        return self._judge(Judgement.FALSE_ALARM)

    def do_pin(self) -> bool:
        """Keep the chosen call as a case with the decision that it has."""
        return self._judge_call(Judgement.RIGHT)

    def _judge(self, judgement: Judgement) -> bool:
        if self.current is not self._causes:
            return self._judge_call(judgement)
        groups = groups_at(self._causes.key, self._groups or ())
        if groups:
            said = "right" if judgement is Judgement.RIGHT else "false alarm"
            calls = sum(len(group.steps) for group in groups)
            label = f"{calls:,} {'denial' if calls == 1 else 'denials'} judged {said}"
            self.post_message(Act(label, lambda bench: bench.runs.judge(groups, judgement)))
        return bool(groups)

    def _judge_call(self, judgement: Judgement) -> bool:
        state, decided = self._state, self._chosen
        if state is None or state.terms is None or decided is None:
            return False
        terms, verdict = state.terms, decided.decision.verdict
        denied = (verdict is Verdict.DENY) is (judgement is Judgement.RIGHT)
        expected = VERDICT_WORD[Verdict.DENY if denied else Verdict.ALLOW]
        label = f"Case of call {decided.index} of {decided.run}: {expected}"
        self.post_message(Act(label, lambda bench: bench.runs.judge_step(terms, decided, judgement)))
        return True

    def do_add(self) -> bool:
        """Keep the chosen call as a demonstration; where a policy cannot teach it, a person writes it."""
        state, decided, position = self._state, self._chosen, self._steps.position
        if state is None or state.terms is None or state.logs is None or decided is None:
            return False

        def failed(why: str) -> None:
            self.post_message(Go(Place(ViewName.MEMORY, PlaceKind.STEP, str(position))))
            self.post_message(
                Say(f"{why} Here a begins a demonstration of the call, to be written by hand.", True)
            )

        arguments = state.terms, state.logs, decided.run, decided.index
        label = f"Demonstration of call {decided.index} of {decided.run}"
        self.post_message(Act(label, lambda bench: bench.memory.add_from_step(*arguments), failed))
        return True

    # --- the tree, the strategies

    def do_fold(self) -> bool:
        """Fold the rule at the cursor, or unfold it."""
        key = self._causes.key
        if key.startswith("cause:"):
            rules = next((one.cause.rules for one in groups_at(key, self._groups or ())), ())
            key = f"rules:{','.join(rules)}"
        if not key.startswith("rules:"):
            return False
        self._folded ^= {key}
        self._fill_causes()
        self._causes.select(key)
        return True

    def do_strategies(self) -> bool:
        """Compare the strategies on the recorded runs, or go back to the calls."""
        if self._state is None or not self._state.decisions:
            return False
        away = self._cause == STRATEGIES
        cause = self._left if away else STRATEGIES
        if not away:
            self._left = self._cause
        self._causes.select(cause)
        self._take(cause)
        (self._steps if away else self._run).focus()
        return True

    def _compare(self) -> None:
        state = self._state
        if state is None or state.terms is None or state.logs is None:
            return
        terms, logs, decisions = state.terms, state.logs, state.decisions
        if self._compared is not None and self._compared[0] is decisions:
            return

        def told(found: StrategyComparison) -> None:
            self._compared = (decisions, found)
            self._show_run()

        self.post_message(
            Ask("strategies", lambda bench: partial(told, bench.runs.strategies(terms, logs, None)))
        )

    # --- playing

    def do_play(self) -> bool:
        """Go through the run call by call, or stop."""
        if self._playing is not None:
            self._playing.stop()
            self._playing = None
        elif self._chosen is None:
            return False
        else:
            self._playing = self.set_interval(PLAY, self._play_on)
        self._show_run()
        return True

    def _play_on(self) -> None:
        """Go to the next call; a run that ends, or another place that is gone to, ends the play."""
        before, now = self._chosen, None
        if self.display:
            self._steps.action_cursor(1)
            now = self._chosen
        if before is None or now is None or now is before or now.run != before.run:
            self.do_play()

    # --- logs

    def do_open(self) -> bool:
        """Ask for a log, and open it beside those of the session."""
        self._ask_path("open a log: ", lambda path: LogWanted(path))
        return True

    def do_follow(self) -> bool:
        """Follow the log of the chosen call as it grows, or another one; or stop following."""
        state, position = self._state, self._steps.position
        if state is not None and state.followed:
            self.post_message(LogWanted(None))
            return True
        path = ""
        if state is not None and state.logs is not None and position is not None:
            run = state.logs.steps[position].run
            path = next((one.path for one in state.logs.runs if one.id == run), "")
        self._ask_path("follow: ", lambda wanted: LogWanted(wanted, follow=True), path)
        return True

    def _ask_path(self, sign: str, wanted: Callable[[Path], LogWanted], path: str = "") -> None:
        def typed(text: str) -> None:
            self.post_message(wanted(Path(text.strip().strip("'\"")).expanduser()))

        self.post_message(TypeIn(sign, typed, path))


def _no_call(state: SessionState, width: int) -> Sequence[Row]:
    if state.logs is None:
        words = "Reading the logs."
    elif state.terms is None:
        words = "No call is decided while the policy has problems; P shows them."
    elif not state.logs.steps:
        words = "There is no recorded run yet. o opens a log, f follows one as it grows."
    else:
        words = "Choose a call."
    return paragraph(line(muted(words)), width)
