"""The view of the recorded runs: causes of denials, the calls, and the run as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial, partialmethod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, override

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from workbench.app.results import Logs
from workbench.app.session_state import SessionState
from workbench.clean_text import one_line
from workbench.model import CallDecision, Judgement, Run, Verdict
from workbench.tui.background_result import BackgroundResult, Explain, Explaining, of_recorded
from workbench.tui.keys import KeyHint, done_by, done_by_any
from workbench.tui.messages import Go, LogWanted, Place, PlaceKind, TypeIn, ViewName, Workbench
from workbench.tui.run_text import GUARDED, run_rows, undecided_words, whole_run
from workbench.tui.text_runs import fit_middle, muted, strong, warn
from workbench.tui.views.runs import causes
from workbench.tui.views.runs.guardagent_on_call import GuardAgentOnCall
from workbench.tui.views.runs.live_agent import Granting, LiveBox, Living
from workbench.tui.views.runs.trying import Trying
from workbench.tui.views.view import UNKNOWN, View
from workbench.tui.widgets.call_lines import CallLines
from workbench.tui.widgets.lines import BLANK, LineList, Row, heading, paragraph, plural
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.prompt import pasted_paths
from workbench.tui.widgets.recorded_call_list import RecordedCallList
from workbench.tui.widgets.text_editor import TextEditor

if TYPE_CHECKING:
    from workbench.app.judging import DenialGroup


NAME = 28
"""The most cells of a run's name in a title."""
_OF_RECORDED = ("except", "guardagent", "strategies", "add", "grant", "why")
"""The actions that are others on tried calls."""


class RunsView(View):
    """Causes as a tree, the calls of the cause at the cursor, and the chosen call with its log."""

    NAME = ViewName.RUNS
    SHOWN_IN: ClassVar[Mapping[str, ViewName]] = {**View.SHOWN_IN, "rule": ViewName.AUTHOR}
    HELP = """At the left is why calls were not allowed; the cursor narrows the calls to that cause. At
the right is the chosen call in its run, with the arguments marked where they were read."""

    def __init__(self) -> None:
        """Start with all calls."""
        super().__init__(id=self.NAME.value)
        self.recorded = UNKNOWN
        self._causes = Pane("Why denied", id="causes")
        self._causes.stays, self._causes.lacking = (causes.ALL,), "No cause has"
        self.lines = CallLines(id="tried")
        self.calls = RecordedCallList("Calls", id="calls")
        self.text, self.run = TextEditor(id="guarding_text"), Pane("Run", id="run")
        self._cause = causes.ALL
        self._before = causes.ALL
        self._words = ""
        self._folded: set[str] = set()
        self._groups: Sequence[DenialGroup] | None = None
        self._explaining = Explaining(self, self.show_chosen, self._explained)
        self._compared: BackgroundResult[Sequence[Row]] = BackgroundResult(
            self, "strategies", self.show_chosen
        )
        self._guarding = GuardAgentOnCall(self)
        self._trying = Trying(self)
        self.box = LiveBox()
        self._granting = Granting(self)
        self._living = Living(self, self.box, self._granting)
        self._refused: dict[str, str] = {}  # by the prompt: the typed path of a log that could not be opened

    def compose(self) -> ComposeResult:
        """The run on one line, and below it causes, calls, and the run as text."""
        yield self._causes
        with Vertical(id="middle"):
            yield from (self.lines, self.calls)
        with Vertical(id="right"):
            yield from (self.text, self.run)

    @property
    def first(self) -> LineList:
        """The causes; the calls, with their run, where not all parts fit."""
        return self.calls if self.fitting < 3 else self._causes

    # --- drawing

    def show(self, state: SessionState) -> None:
        """Draw another state; the chosen cause and call stay."""
        grew = state.logs is not self.recorded.logs
        self.recorded = state
        if state.causes is not None or not state.decisions:
            self._groups = state.causes
        self._guarding.take(state)
        self._trying.take(state)
        if self._trying.open:
            self.show_tried()
            return
        self._fill_causes()
        if not self._causes.key:
            self._causes.select(causes.ALL)
        self.calls.fill(state, self._positions(self._cause), newest=grew and bool(state.followed))
        self.show_chosen()
        self._explaining.soon(state, self.calls.position)
        if self._cause == causes.STRATEGIES:
            self._compare()

    def show_tried(self) -> None:
        """Draw the tried calls in the place of the recorded ones."""
        state = self._trying.state
        if state is not None:
            if self._cause.partition(":")[0] != "verdict":
                self._cause = causes.ALL
            self._fill_causes()
            self._causes.select(self._cause)
            self.calls.fill(state, self._positions(self._cause), name=self._trying.title)
            self.show_chosen()

    def show_recorded(self, position: int | None) -> None:
        """Draw the recorded calls again, with the cursor on a call."""
        self._cause = causes.ALL
        self._causes.select(causes.ALL)
        self.calls.fill(self.recorded, self._positions(causes.ALL), name="Calls")
        if position is not None:
            self.calls.select(position)
        self.show(self.recorded)

    def go(self, place: Place) -> None:
        """Put the cursor on a call, in the list of all calls."""
        self._trying.leave()
        if place.kind is PlaceKind.CALL and place.name.isdigit():
            self._take(causes.ALL)
            self.calls.narrow("")
            self.calls.select(int(place.name))
            self.calls.focus()
            self.show_chosen()

    def _fill_causes(self) -> None:
        if self._trying.open:
            self._causes.fill(partial(causes.verdict_rows, self.state), name="Decisions")
            return
        disagreeing = len(self._guarding.disagreeing(self.state))
        build = partial(causes.cause_rows, self.state, self._groups, self._folded, disagreeing)
        self._causes.fill(build, name="Why denied")

    def _positions(self, cause: str) -> Sequence[int]:
        """The calls of a row of the tree, in the order of the logs."""
        state = self.state
        if not state.decisions:
            return ()
        kind, _, name = cause.partition(":")
        if kind == "verdict":
            wanted = Verdict(name)
            return [position for position, verdict in enumerate(state.verdicts) if verdict is wanted]
        if kind == causes.DISAGREES:
            return self._guarding.disagreeing(state)
        if kind in ("cause", "rules"):
            call_count = len(state.decisions)
            groups = causes.groups_at(cause, self._groups or ())
            return sorted(position for group in groups for position in group.calls if position < call_count)
        return range(len(state.decisions))

    def _take(self, cause: str) -> None:
        """Put the cursor on a row of the tree, and show its calls."""
        self._causes.select(cause)
        self._cause = cause
        if self._words:
            self.calls.narrow(self._words if cause == causes.ALL else "")
        self.calls.fill(self.state, self._positions(cause))
        if cause == causes.STRATEGIES:
            self._compare()
        self.show_chosen()

    def moved_causes(self) -> None:
        """Show the calls of the cause at the cursor."""
        key = self._causes.key
        if key and key != self._cause:
            self._take(key)

    def chosen_causes(self) -> None:
        """Go to the calls of the cause, or to what stands in their place."""
        self.enter(self.run if self._cause in (causes.FILES, causes.STRATEGIES) else self.calls)

    def moved_calls(self) -> None:
        """Show the call at the cursor in its run."""
        if self._cause in (causes.FILES, causes.STRATEGIES) and self.calls.has_focus:
            self._take(causes.ALL)
        self.show_chosen()
        if not self._trying.open:
            self._explaining.soon(self.state, self.calls.position)
            self._guarding.go_on()
        self.hints_changed()

    def chosen_calls(self) -> None:
        """Read the call in its run."""
        if self.calls.position is not None:
            self._read(self.calls.position)

    def chosen_run(self) -> None:
        """Show the rule or the call of the row, or do what the row offers."""
        kind, _, name = self.run.key.partition(":")
        if kind == GUARDED:
            self.do_guardagent()
        elif self._guarding.open:
            self._guarding.choose(self.run.key)
        elif kind == "rule":
            self.follow(self.run.key)
        elif kind == "call" and int(name) == self.calls.position:
            self._see_rule(int(name))
        elif kind == "call":
            self._see(int(name))

    def _see_rule(self, position: int) -> None:
        """Show the first rule that denies the chosen call."""
        fired = self.state.decisions[position].decision.violations
        if fired:
            self.follow(f"rule:{fired[0].rule}")

    def _see(self, position: int) -> None:
        """Put the cursor on a call; if the present list does not have the call, show all calls."""
        if self._cause in (causes.FILES, causes.STRATEGIES) or position not in self._positions(self._cause):
            self._take(causes.ALL)
        self.calls.select(position)

    def show_chosen(self) -> None:
        """Draw the chosen call in its run, or the content in its place."""
        state, position = self.state, self.calls.position
        if self._trying.open:
            known = position is not None and position < len(state.decisions)
            self._explaining.soon(state, position if known else None, wanted=True)
            why = self._explaining.of(state, position) if known and position is not None else None
            self.run.fill(partial(self._trying.rows, position if known else None, why), name="Tried")
        elif self._cause == causes.FILES:
            self.run.fill(partial(file_rows, state.logs), name="Logs")
        elif self._cause == causes.STRATEGIES:
            rows = self._compared.of(state.decisions) or [paragraph(muted("Replaying the strategies."))]
            self.run.fill(lambda: rows, name="Strategies")
        elif position is None or position >= len(state.decisions):
            self.run.fill(lambda: [paragraph(muted(undecided_words(state) or "Choose a call."))], name="Run")
        elif self._guarding.open:
            self.run.fill(self._guarding.rows, name=f"GuardAgent, call {state.decisions[position].index}")
        else:
            why, whole = self._explaining.of(state, position), whole_run(state, position)
            decided, number = state.decisions[position], position - whole.start + 1
            name = fit_middle(one_line(decided.run), min(len(one_line(decided.run)), NAME))
            build = partial(run_rows, state, position, why=why, guarded=self._guarding.of(position))
            self.run.fill(build, name=f"{name} call {decided.index} · {number} of {len(whole)}")
            if not self.run.has_focus or self.run.key != f"call:{position}":
                self.run.centre(f"call:{position}", above=why is None)

    @property
    def state(self) -> SessionState:
        """The state that is drawn: the recorded calls, or those that are tried."""
        return self._trying.state or self.recorded

    @property
    def _tried_text(self) -> str:
        """The line of the tried call at the cursor; empty if recorded calls are shown."""
        return self._trying.text_at(self.calls.position)

    @property
    def chosen(self) -> CallDecision | None:
        """The call at the cursor with its decision."""
        state, position = self.state, self.calls.position
        if position is None or position >= len(state.decisions):
            return None
        return None if self._cause in (causes.FILES, causes.STRATEGIES) else state.decisions[position]

    # --- narrowing

    def narrow(self, pane: LineList, words: str) -> None:
        """Narrow a pane by words.

        Words in the causes show the calls of the first cause with all words. If no cause has them, they show
        the calls that have them. Empty words, in the causes or in the calls, also remove what the words in
        the causes narrowed.
        """
        if pane is self.calls and self._words and not words:
            pane = self._causes
        pane.narrow(words)
        if pane is not self._causes:
            return
        self._words = words
        cause = (self._causes.first_key or causes.ALL) if words else self._cause
        self._causes.select(cause)
        if cause != self._cause:
            self._take(cause)
        else:
            self.calls.narrow(words if cause == causes.ALL else "")

    @property
    @override
    def narrowed(self) -> bool:
        """Whether the calls are those of a cause, or those with typed words."""
        return self._cause != causes.ALL or super().narrowed

    @override
    def show_all(self) -> None:
        """Show all causes and all calls; the cursor stays on its call."""
        super().show_all()
        if self._cause != causes.ALL:
            self._take(causes.ALL)

    def narrows(self, pane: LineList) -> str:
        """The name of the pane; for the causes, also that of the calls, which are narrowed too."""
        return f"{pane.called} and {self.calls.called}" if pane is self._causes else pane.called

    # --- the chosen call

    def _explained(self, state: SessionState, position: int) -> Explain:
        """The work that finds why a call is decided as it is."""
        return self._trying.explain(position) if self._trying.open else of_recorded(state, position)

    def do_except(self) -> bool:
        """Go to the sentence that keeps the chosen call from running, and make an exception for the call."""
        position = self.calls.position
        if self.chosen is None or position is None:
            return False
        self.post_message(Go(Place.of_call(position, ViewName.AUTHOR), then="except"))
        return True

    def do_why(self) -> bool:
        """Explain the decision on the chosen call, or stop explaining it."""
        state, position = self.state, self.calls.position
        if self.chosen is None or position is None:
            return False
        self._explaining.toggle(state, position)
        if self.fitting < 3:
            self._read(position)
        return True

    def _read(self, position: int) -> None:
        """Show the run with a call in the middle, once the pane is visible."""
        self.enter(self.run)
        above = self._explaining.of(self.state, position) is None
        self.call_after_refresh(self.run.centre, f"call:{position}", above=above)

    def do(self, action: str) -> bool:
        """Do an action of the table by the first part of the view that can."""
        if self._trying.open and action in _OF_RECORDED:
            return done_by(self._trying, action)
        parts = (self._guarding, self, self._trying, self._living, self._granting)
        return done_by_any(parts, action)

    def do_guardagent(self) -> bool:
        """Show GuardAgent on the chosen call in the place of its run, or the run again."""
        if not self._guarding.toggle():
            return False
        self.run.focus()
        self.show_chosen()
        return True

    @property
    def living(self) -> Living:
        """The agent that acts, and its calls that wait for an answer, in whatever view the person is."""
        return self._living

    def choose_number(self, number: int) -> bool:
        """Choose a visible numbered option; False if there is none with this number."""
        if self._living.is_asking:
            return self._living.choose_number(number)
        if self._trying.open:
            return self._trying.choose_number(number)
        return self._guarding.open and (self.brought(self.run) or self._guarding.choose_number(number))

    def leave_what_is_begun(self) -> bool:
        """Show the run again in the place of GuardAgent, or of a call that was tried."""
        return self._trying.leave() or (self._guarding.open and self.do_guardagent())

    def own_hints(self) -> Sequence[KeyHint]:
        """The digits of the visible options."""
        if self._living.is_asking:
            return (("1", "let it run"), ("2", "refuse it"), ("3", "grant more"))
        if self._trying.open:
            return self._trying.hints
        return (("1-9", "choose"),) if self._guarding.open and self.in_sight(self.run) else ()

    def words_at_cursor(self) -> Mapping[str, str]:
        """The hint for correcting GuardAgent's result; for tried calls, and for one that runs, other keys."""
        runs = self.chosen is None or self.chosen.decision.verdict not in (Verdict.DENY, Verdict.ASK)
        words = {"except": ""} if runs else {}
        words |= {} if self.chosen is None else {"try": "try calls like it"}
        if self._trying.open:
            return {**words, "add": "", "strategies": "", "follow": "", "try": "edit the lines"}
        return {**words, **(self._guarding.words if self.current is self.run else {})}

    def moved_run(self) -> None:
        """Tell the keys of GuardAgent's result at the cursor."""
        if self._guarding.open:
            self.hints_changed()

    def guarded(self) -> None:
        """Draw GuardAgent's results."""
        self._fill_causes()
        if self._cause == causes.DISAGREES:
            self.calls.fill(self.state, self._positions(self._cause))
        self.show_chosen()

    def on_paste(self, event: events.Paste) -> None:
        """Open a dropped file as a log; the terminal pastes its path."""
        if not isinstance(self.screen.focused, TextEditor) and self._dropped(event.text):
            event.stop()

    def on_unmount(self) -> None:
        """Stop the agent, because no one watches it any more."""
        self._living.stop()

    # --- judging

    def do_pin(self) -> bool:
        """Keep the chosen call as a case with its present decision."""
        return self.judge_call(self.state, self.chosen, Judgement.RIGHT, self._tried_text)

    def _judge(self, judgement: Judgement) -> bool:
        """Judge the calls of a cause, or a call, as decided right or as a false alarm."""
        groups = causes.groups_at(self._causes.key, self._groups or ())
        if self.current is not self._causes:
            return self.judge_call(self.state, self.chosen, judgement, self._tried_text)
        if groups:
            word = "right" if judgement is Judgement.RIGHT else "false alarm"
            calls = sum(len(group.calls) for group in groups)
            label = f"{calls:,} {'denial' if calls == 1 else 'denials'} judged {word}"
            self.act(label, lambda bench: bench.judging.judge(groups, judgement))
        return bool(groups)

    do_right = partialmethod(_judge, Judgement.RIGHT)
    do_wrong = partialmethod(_judge, Judgement.FALSE_ALARM)

    def do_add(self) -> bool:
        """Keep the chosen call as a demonstration; if the policy cannot make one, let the person write it."""
        state, decided = self.state, self.chosen
        position = self.calls.position
        if state.terms is None or state.logs is None or decided is None or position is None:
            return False

        def failed(why: str) -> None:
            self.post_message(Go(Place.of_call(position, ViewName.MEMORY), then="add"))
            sentence = f"{why} So write the plan and the code of this demonstration yourself."
            self.say(sentence, problem=True)

        arguments = state.terms, state.logs, decided.run, decided.index
        label = f"Demonstration of call {decided.index} of {decided.run}"
        return self.act(label, lambda bench: bench.memory.add_from_call(*arguments), failed)

    # --- logs

    def do_open(self) -> bool:
        """Ask for a log, and open it in addition to those of the session."""
        self._ask_path("open a log: ", follow=False)
        return True

    def do_follow(self) -> bool:
        """Follow the log of the chosen call as it grows, or another one; or stop following."""
        state, position = self.state, self.calls.position
        if state.followed:
            return self.post_message(LogWanted(None))
        path = ""
        if state.logs is not None and position is not None:
            run = state.logs.calls[position].run
            path = next((candidate.path for candidate in state.logs.runs if candidate.id == run), "")
        self._ask_path("follow: ", path, follow=True)
        return True

    def _dropped(self, text: str) -> bool:
        """Open a log whose path was dropped on the terminal; False if the text is no path of a file."""
        paths = pasted_paths(text)
        if paths:
            self.post_message(LogWanted(paths[0]))
        return bool(paths)

    def _ask_path(self, sign: str, path: str = "", *, follow: bool) -> None:
        """Let a path be typed; a path that could not be opened is offered again for correction."""

        def typed(text: str) -> None:
            self._refused.pop(sign, None)

            def failed(_why: str) -> None:
                self._refused[sign] = text

            log_path = Path(text.strip().strip("'\"")).expanduser()
            self.post_message(LogWanted(log_path, follow, failed))

        self.post_message(TypeIn(sign, typed, self._refused.get(sign, path), replaces=True))

    # --- the tree, the strategies

    def do_fold(self) -> bool:
        """Fold the rule at the cursor, or unfold it."""
        key = self._causes.key
        if key.startswith("cause:"):
            rules = (group.cause.rules for group in causes.groups_at(key, self._groups or ()))
            key = f"rules:{','.join(next(rules, ()))}"
        if not key.startswith("rules:"):
            return False
        self._folded ^= {key}
        self._fill_causes()
        self._causes.select(key)
        return True

    def _compare(self) -> None:
        """Compare the strategies on the present decisions."""
        terms, logs, decisions = self.state.terms, self.state.logs, self.state.decisions
        if terms is None or logs is None:
            return

        def find(bench: Workbench) -> Sequence[Row]:
            return tuple(causes.strategy_rows(decisions, bench.runs.strategies(terms, logs, None)))

        self._compared.find(find, decisions)

    def do_strategies(self) -> bool:
        """Compare the strategies on the recorded runs, or go back to the calls."""
        if not self.state.decisions:
            return False
        away = self._cause == causes.STRATEGIES
        if not away:
            self._before = self._cause
        self._take(self._before if away else causes.STRATEGIES)
        (self.calls if away else self.run).focus()
        return True


# --- the files of the logs: the number of runs and calls read, and the lines that were not understood

_MOST = 1_000


def file_rows(logs: Logs | None) -> Iterator[Row]:
    """Each file with its runs, its calls and the source of its ids; then each unreadable record."""
    if logs is None:
        yield paragraph(muted("Reading the logs."))
        return
    yield heading("Read")
    position, begins, runs_of = 0, dict[str, int](), dict[str, list[Run]]()
    for run in logs.runs:
        begins.setdefault(run.path, position)
        runs_of.setdefault(run.path, []).append(run)
        position += len(run.calls)
    for path, runs in runs_of.items():
        last = runs[-1]
        named = f"; the id of a run is {last.named_by}" if last.named_by else ""
        calls = plural(sum(len(run.calls) for run in runs), "call")
        words = muted(one_line(f"  {last.format}: {plural(len(runs), 'run')}, {calls}{named}"))
        yield paragraph(strong(f"{one_line(Path(path).name)}  "), words, key=f"call:{begins[path]}", hang=2)
    if not runs_of:
        yield paragraph(muted("Nothing yet; o opens a log, F follows one."))
    if logs.problems:
        yield from (BLANK, heading(f"Not understood  {sum(one.count for one in logs.problems):,}"))
    for problem in logs.problems[:_MOST]:
        place = f"{Path(problem.path).name}{f' line {problem.line}' if problem.line else ''}"
        yield paragraph(warn(f"{one_line(place)} "), one_line(problem.reason), hang=2)
    if (more := len(logs.problems) - _MOST) > 0:
        yield paragraph(muted(f"and {more:,} more"))
