"""The view of the recorded runs: causes of denials, the calls, and the run as text."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial, partialmethod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, override

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from workbench.app.results import Logs
from workbench.app.session_state import SessionState
from workbench.app.value_texts import ArgumentWords, undetermined_words
from workbench.clean_text import in_a_row, one_line
from workbench.model import TOOL_ARGUMENT, CallDecision, Judgement, Run, Verdict
from workbench.tones import Tone
from workbench.tui.background_result import BackgroundResult, Explain, Explaining, of_recorded
from workbench.tui.keys import KeyHint, done_by, done_by_any
from workbench.tui.messages import Go, LogWanted, Place, PlaceKind, TypeIn, ViewName, Workbench
from workbench.tui.run_text import GUARDED, run_rows, undecided_words
from workbench.tui.text_runs import TextRun, accent, fit_middle, good, muted, strong, warn
from workbench.tui.verdict_signs import VERDICT_TONE, VERDICT_WORD
from workbench.tui.views.runs.guardagent_on_call import GuardAgentOnCall
from workbench.tui.views.runs.live_agent import Granting, LiveBox, Living
from workbench.tui.views.runs.trying import Trying
from workbench.tui.views.view import UNKNOWN, View
from workbench.tui.widgets.call_lines import CallLines
from workbench.tui.widgets.lines import BLANK, MOST_WORDS, LineList, Row, heading, paragraph, plural
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.prompt import pasted_paths
from workbench.tui.widgets.recorded_call_list import RecordedCallList
from workbench.tui.widgets.text_editor import TextEditor

if TYPE_CHECKING:
    from workbench.app.judging import Cause, DenialGroup
    from workbench.app.runs import Regime, StrategyComparison


ALL = "all"
STRATEGIES = "strategies"
FILES = "files"
DISAGREES = "disagrees"
"""The calls that GuardAgent and the policy decide differently."""
COUNT = 6
NO_BREAK = "\N{NO-BREAK SPACE}"
JUDGED = {Judgement.RIGHT: good(" ✓ right"), Judgement.FALSE_ALARM: warn(" ✗ false alarm")}
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
        self._causes.stays, self._causes.lacking = (ALL,), "No cause has"
        self.lines = CallLines(id="tried")
        self.calls = RecordedCallList("Calls", id="calls")
        self.text, self.run = TextEditor(id="guarding_text"), Pane("Run", id="run")
        self._cause = self._before = ALL
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
        self.living = Living(self, self.box, self._granting)
        """The agent that acts, and its calls that wait for an answer, in whatever view the person is."""
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
            self._causes.select(ALL)
        self.calls.fill(state, self._positions(self._cause), newest=grew and bool(state.followed))
        self.show_chosen()
        self._explaining.soon(state, self.calls.position)
        if self._cause == STRATEGIES:
            self._compare()

    def show_tried(self) -> None:
        """Draw the tried calls in the place of the recorded ones."""
        state = self._trying.state
        if state is not None:
            if self._cause.partition(":")[0] != "verdict":
                self._cause = ALL
            self._fill_causes()
            self._causes.select(self._cause)
            self.calls.fill(state, self._positions(self._cause), name=self._trying.title)
            self.show_chosen()

    def show_recorded(self, position: int | None) -> None:
        """Draw the recorded calls again, with the cursor on a call."""
        self._cause = ALL
        self._causes.select(ALL)
        self.calls.fill(self.recorded, self._positions(ALL), name="Calls")
        if position is not None:
            self.calls.select(position)
        self.show(self.recorded)

    def go(self, place: Place) -> None:
        """Put the cursor on a call, in the list of all calls."""
        self._trying.leave()
        if place.kind is PlaceKind.CALL and place.name.isdigit():
            self._take(ALL)
            self.calls.narrow("")
            self.calls.select(int(place.name))
            self.calls.focus()
            self.show_chosen()

    def _fill_causes(self) -> None:
        if self._trying.open:
            self._causes.fill(partial(verdict_rows, self.state), name="Decisions")
            return
        disagreeing = len(self._guarding.disagreeing(self.state))
        build = partial(cause_rows, self.state, self._groups, self._folded, disagreeing)
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
        if kind == DISAGREES:
            return self._guarding.disagreeing(state)
        if kind in ("cause", "rules"):
            call_count = len(state.decisions)
            groups = groups_at(cause, self._groups or ())
            return sorted(position for group in groups for position in group.calls if position < call_count)
        return range(len(state.decisions))

    def _take(self, cause: str) -> None:
        """Put the cursor on a row of the tree, and show its calls."""
        self._causes.select(cause)
        self._cause = cause
        if self._words:
            self.calls.narrow(self._words if cause == ALL else "")
        self.calls.fill(self.state, self._positions(cause))
        if cause == STRATEGIES:
            self._compare()
        self.show_chosen()

    def moved_causes(self) -> None:
        """Show the calls of the cause at the cursor."""
        key = self._causes.key
        if key and key != self._cause:
            self._take(key)

    def chosen_causes(self) -> None:
        """Go to the calls of the cause, or to what stands in their place."""
        self.enter(self.run if self._cause in (FILES, STRATEGIES) else self.calls)

    def moved_calls(self) -> None:
        """Show the call at the cursor in its run."""
        if self._cause in (FILES, STRATEGIES) and self.calls.has_focus:
            self._take(ALL)
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
        """Show the rule of the row, the call or the rule that denies it, or do what the row offers."""
        kind, _, name = self.run.key.partition(":")
        if kind == GUARDED:
            self.do_guardagent()
        elif self._guarding.open:
            self._guarding.choose(self.run.key)
        elif kind == "rule":
            self.follow(self.run.key)
        elif kind == "call" and int(name) == self.calls.position:
            fired = self.state.decisions[int(name)].decision.violations
            self.follow(f"rule:{fired[0].rule}" if fired else "")
        elif kind == "call":
            self._see(int(name))

    def _see(self, position: int) -> None:
        """Put the cursor on a call; if the present list does not have the call, show all calls."""
        if self._cause in (FILES, STRATEGIES) or position not in self._positions(self._cause):
            self._take(ALL)
        self.calls.select(position)

    def show_chosen(self) -> None:
        """Draw the chosen call in its run, or the content in its place."""
        state, position = self.state, self.calls.position
        if self._trying.open:
            known = position is not None and position < len(state.decisions)
            self._explaining.soon(state, position if known else None, wanted=True)
            why = self._explaining.of(state, position) if known and position is not None else None
            self.run.fill(partial(self._trying.rows, position if known else None, why), name="Tried")
        elif self._cause == FILES:
            self.run.fill(partial(file_rows, state.logs), name="Logs")
        elif self._cause == STRATEGIES:
            rows = self._compared.of(state.decisions) or [paragraph(muted("Replaying the strategies."))]
            self.run.fill(lambda: rows, name="Strategies")
        elif position is None or position >= len(state.decisions):
            self.run.fill(lambda: [paragraph(muted(undecided_words(state) or "Choose a call."))], name="Run")
        elif self._guarding.open:
            self.run.fill(self._guarding.rows, name=f"GuardAgent, call {state.decisions[position].index}")
        else:
            why, whole = self._explaining.of(state, position), state.run_of(position)
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
        return None if self._cause in (FILES, STRATEGIES) else state.decisions[position]

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
        cause = (self._causes.first_key or ALL) if words else self._cause
        self._causes.select(cause)
        if cause != self._cause:
            self._take(cause)
        else:
            self.calls.narrow(words if cause == ALL else "")

    @property
    @override
    def narrowed(self) -> bool:
        """Whether the calls are those of a cause, or those with typed words."""
        return self._cause != ALL or super().narrowed

    @override
    def show_all(self) -> None:
        """Show all causes and all calls; the cursor stays on its call."""
        super().show_all()
        if self._cause != ALL:
            self._take(ALL)

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
        parts = (self._guarding, self, self._trying, self.living, self._granting)
        return done_by_any(parts, action)

    def do_guardagent(self) -> bool:
        """Show GuardAgent on the chosen call in the place of its run, or the run again."""
        if not self._guarding.toggle():
            return False
        self.run.focus()
        self.show_chosen()
        return True

    def choose_number(self, number: int) -> bool:
        """Choose a visible numbered option; False if there is none with this number."""
        if self.living.is_asking:
            return self.living.choose_number(number)
        if self._trying.open:
            return self._trying.choose_number(number)
        return self._guarding.open and (self.brought(self.run) or self._guarding.choose_number(number))

    def leave_what_is_begun(self) -> bool:
        """Show the run again in the place of GuardAgent, or of a call that was tried."""
        return self._trying.leave() or (self._guarding.open and self.do_guardagent())

    def own_hints(self) -> Sequence[KeyHint]:
        """The digits of the visible options."""
        if self.living.is_asking:
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
        if self._cause == DISAGREES:
            self.calls.fill(self.state, self._positions(self._cause))
        self.show_chosen()

    def on_paste(self, event: events.Paste) -> None:
        """Open a dropped file as a log; the terminal pastes its path."""
        if not isinstance(self.screen.focused, TextEditor) and self._dropped(event.text):
            event.stop()
            event.prevent_default()

    def on_unmount(self) -> None:
        """Stop the agent, because no one watches it any more."""
        self.living.stop()

    # --- judging

    def do_pin(self) -> bool:
        """Keep the chosen call as a case with its present decision."""
        return self.judge_call(self.state, self.chosen, Judgement.RIGHT, self._tried_text)

    def _judge(self, judgement: Judgement) -> bool:
        """Judge the calls of a cause, or a call, as decided right or as a false alarm."""
        groups = groups_at(self._causes.key, self._groups or ())
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
            rules = (group.cause.rules for group in groups_at(key, self._groups or ()))
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
            return tuple(strategy_rows(decisions, bench.runs.strategies(terms, logs, None)))

        self._compared.find(find, decisions)

    def do_strategies(self) -> bool:
        """Compare the strategies on the recorded runs, or go back to the calls."""
        if not self.state.decisions:
            return False
        away = self._cause == STRATEGIES
        if not away:
            self._before = self._cause
        self._take(self._before if away else STRATEGIES)
        (self.calls if away else self.run).focus()
        return True


# --- causes of denials as a tree: rules, then the values on which they fired, with counts


def cause_rows(
    state: SessionState, groups: Sequence[DenialGroup] | None, folded: Collection[str], disagreeing: int
) -> Iterator[Row]:
    """All calls, the logs, the strategies; then each rule with its causes, the most frequent first.

    ``disagreeing`` is the number of calls that GuardAgent decides differently.
    """
    yield from verdict_rows(state)
    if disagreeing:
        count = _count(disagreeing, Tone.WARN)
        yield paragraph(count, "GuardAgent disagrees", key=DISAGREES, hang=COUNT)
    yield from _further(state)
    if groups is None and state.decisions:
        yield paragraph(muted("Finding the causes."))
    for rules, inside in by_rules(groups or ()).items():
        yield BLANK
        yield from _rule(state, rules, inside, folded)


def verdict_rows(state: SessionState) -> Iterator[Row]:
    """All calls, and those of each decision."""
    yield paragraph(_count(len(state.decisions), Tone.PLAIN), strong("all calls"), key=ALL)
    for verdict in Verdict:
        if count := state.counts[verdict]:
            words = _count(count, VERDICT_TONE[verdict]), VERDICT_WORD[verdict]
            yield paragraph(*words, key=f"verdict:{verdict}")


def by_rules(groups: Sequence[DenialGroup]) -> dict[tuple[str, ...], list[DenialGroup]]:
    """The causes by the rules that fired, the rules with the most calls first."""
    groups_by_rules: dict[tuple[str, ...], list[DenialGroup]] = {}
    for group in groups:
        groups_by_rules.setdefault(tuple(group.cause.rules), []).append(group)
    return dict(sorted(groups_by_rules.items(), key=lambda pair: -sum(len(group.calls) for group in pair[1])))


def groups_at(key: str, groups: Sequence[DenialGroup]) -> list[DenialGroup]:
    """The causes of a row of the tree."""
    kind, _, name = key.partition(":")
    return [
        group
        for group in groups
        if (kind == "cause" and group.key == name)
        or (kind == "rules" and ",".join(group.cause.rules) == name)
        or (kind == "verdict" and group.cause.verdict == name)
    ]


def _count(count: int, tone: Tone) -> TextRun:
    return TextRun(f"{count:,} ".rjust(COUNT), tone)


def _rule(
    state: SessionState, rules: Sequence[str], inside: Sequence[DenialGroup], folded: Collection[str]
) -> Iterator[Row]:
    """A rule above its causes; a folded rule has the number of its causes."""
    count, key = sum(len(group.calls) for group in inside), f"rules:{','.join(rules)}"
    folds = f"  {plural(len(inside), 'cause').replace(' ', NO_BREAK)}" if key in folded else ""
    head = _count(count, VERDICT_TONE[inside[0].cause.verdict]), strong(_title(state, rules, inside[0]))
    yield paragraph(*head, muted(folds), key=key, hang=COUNT)
    values = {group.key: _where(group, state.words) for group in inside}
    for group in inside if key not in folded else ():
        if len(inside) > 1 or _says_more(group.cause) or group.key in state.judged:
            yield _group(state, group, _words(group, inside, values))


def _says_more(cause: Cause) -> bool:
    """Whether a cause that is the only one of its rule says more than the rule: its tool is none."""
    return bool(cause.items or cause.reasons) or any(name != TOOL_ARGUMENT for name, _ in cause.where)


def _title(state: SessionState, rules: Sequence[str], group: DenialGroup) -> str:
    """The sentences of rules with their requirements; where no rule permits a call, its decision says so."""
    if not rules:
        return "cannot be evaluated"
    rule_by_name = {} if state.terms is None else {rule.name: rule for rule in state.terms.rules}
    named = [name for rule in rules if rule in rule_by_name for name in rule_by_name[rule].requirements]
    said = {one.rule: one.message for one in state.decisions[group.calls[0]].decision.violations}
    said |= {name: rule.message for name, rule in rule_by_name.items()}
    messages = [said.get(rule, rule) for rule in rules]
    return one_line(f"{', '.join(dict.fromkeys(named))} {in_a_row(dict.fromkeys(messages))}".strip())


def _words(group: DenialGroup, inside: Sequence[DenialGroup], values: Mapping[str, Sequence[str]]) -> str:
    """The values of a cause; if other causes of the rule have the same, also the conditions only it meets."""
    where = values[group.key]
    alike = [one.cause for one in inside if one is not group and values[one.key] == where]
    shared = {condition for cause in alike for condition in cause.conditions}
    own_conditions = [text for text, true in group.cause.conditions if true and (text, true) not in shared]
    return one_line(in_a_row((*where, *(own_conditions if alike else ())))) or "always"


def _where(group: DenialGroup, words: ArgumentWords) -> list[str]:
    """The values on which the rules of a cause fired, or the reasons why the calls could not be decided."""
    cause = group.cause
    items = [", ".join(cause.items)] if cause.items else []
    reasons = map(words.told, undetermined_words(cause.reasons, words.noun))
    where = zip(cause.where, group.where(words), strict=True)
    said = [(name, one_line(text, MOST_WORDS)) for (name, _), text in where]
    own = [text for name, text in said if name != TOOL_ARGUMENT]
    return [*(own or [text for _, text in said]), *items, *reasons]


def _group(state: SessionState, group: DenialGroup, words: str) -> Row:
    """A cause under its rule: the number of its calls, its words, and its judgement."""
    judgement = state.judged.get(group.key)
    head = _count(len(group.calls), VERDICT_TONE[group.cause.verdict])
    judged = "" if judgement is None else JUDGED[judgement]
    return paragraph(head, state.words.told(words), judged, key=f"cause:{group.key}", hang=COUNT)


def _further(state: SessionState) -> Iterator[Row]:
    """Rows of the logs, the records that were not understood, and the strategies."""
    if state.logs is None:
        return
    indent = " " * COUNT
    files, runs = len({run.path for run in state.logs.runs}), len(state.logs.runs)
    read = muted(f"{plural(files, 'file')}, {plural(runs, 'run')}")
    yield paragraph(f"{indent}logs ", read, key=FILES, hang=COUNT)
    if problems := sum(problem.count for problem in state.logs.problems):
        lost = warn(f"{indent}{plural(problems, 'record')} not understood")
        yield paragraph(lost, key=FILES, hang=COUNT)
    if state.decisions:
        yield paragraph(f"{indent}strategies", key=STRATEGIES)


MEANING = (
    ("stopped", "denied by the policy and refused"),
    ("lost", "allowed by the policy, yet refused because of a denial before it"),
    ("passed", "denied by the policy, yet carried out"),
    ("unknown", "carried out in the log after a refusal: no replay knows whether the agent would come to it"),
)
MOST_RUNS = 200


def strategy_rows(decisions: Sequence[CallDecision], comparison: StrategyComparison) -> Iterator[Row]:
    """The strategies with their sums, those with equal outcomes together; then the runs that differ."""
    strategies = [way for way in comparison.outcomes if comparison.short(way)]
    for ways in comparison.alike(strategies):
        yield from _sums(comparison, ways)
    yield from (BLANK, paragraph(muted("Controls, which look at no call:")))
    for ways in comparison.alike([way for way in comparison.outcomes if way not in strategies]):
        yield from _sums(comparison, ways)
    yield from (BLANK, *_differing(decisions, comparison, strategies), BLANK)
    for word, meaning in MEANING:
        yield paragraph(strong(f"{word} "), muted(meaning), hang=2)


def _name(comparison: StrategyComparison, way: Regime) -> str:
    """The name of a strategy, with its letters from the papers."""
    short = comparison.short(way)
    return f"{way.value.replace('-', ' ')}{f' ({short})' if short else ''}"


def _sums(comparison: StrategyComparison, ways: Sequence[Regime]) -> Iterator[Row]:
    tally = comparison.tally(ways[0])
    yield paragraph(strong(", ".join(_name(comparison, way) for way in ways)), hang=2)
    counts = (
        ("stopped", tally.stopped, Tone.GOOD),
        ("lost", tally.lost, Tone.WARN),
        ("passed", tally.let_through, Tone.BAD),
    )
    numbers = (TextRun(f"{name} {count:,}  ", tone if count else Tone.MUTED) for name, count, tone in counts)
    of = muted(f"unknown {tally.unknown:,}  in {tally.touched:,} of {plural(tally.runs, 'run')}")
    yield paragraph(*numbers, of, indent=2, hang=2)


def _differing(
    decisions: Sequence[CallDecision], comparison: StrategyComparison, strategies: Sequence[Regime]
) -> Iterator[Row]:
    """The runs in which the strategies do not all have the same outcome, each with the outcomes."""
    begins: dict[str, int] = {}
    for position, decided in enumerate(decisions):
        begins.setdefault(decided.run, position)
    runs = comparison.differing(strategies)
    if not runs:
        yield paragraph(muted("They do the same in every run: no run has a call after a denial."))
        return
    yield heading(f"Runs in which they differ  {len(runs):,} of {len(comparison.outcomes[strategies[0]]):,}")
    for by_outcome in runs[:MOST_RUNS]:
        first = next(iter(by_outcome))
        key = f"call:{begins[first.run]}" if first.run in begins else ""
        name = accent(one_line(first.run))
        yield paragraph(name, muted(f"  {plural(first.calls, 'call')}"), key=key)
        for outcome, ways in by_outcome.items():
            names = ", ".join(map(comparison.short, ways))
            words = f"stopped {_calls(outcome.stopped)}" if outcome.stopped else "stopped none"
            words += f", lost {_calls(outcome.lost)}" if outcome.lost else ""
            yield paragraph(f"{names}  ", muted(words), indent=2, hang=2)
    if len(runs) > MOST_RUNS:
        yield paragraph(muted(f"and {len(runs) - MOST_RUNS:,} more"))


def _calls(indices: Sequence[int]) -> str:
    call_numbers = ", ".join(map(str, indices[:6]))
    return f"{len(indices)} (call {call_numbers}{', …' if len(indices) > 6 else ''})"


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
