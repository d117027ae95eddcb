"""Recorded runs looked at as a whole: denials by cause, strategies, and ways from a step to its rule."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual import on

from workbench.old_screen import messages, replay_messages
from workbench.old_screen.inspection_actions import NOT_YET
from workbench.old_screen.request_actions import AskingApp

if TYPE_CHECKING:
    from workbench.old_screen.widgets.causes import CauseList


class ReplayingApp(AskingApp):
    """Finds causes, judges groups, compares strategies."""

    @on(replay_messages.CausesWanted)
    def _causes_wanted(self) -> None:
        terms, port, generation = self._board.verdicts.terms, self._port, self._live.generation
        if terms is not None:
            self._live.ask("causes", lambda: replay_messages.CausesFound(generation, port.causes(terms)))

    @on(replay_messages.CausesFound)
    def _causes_found(self, event: replay_messages.CausesFound) -> None:
        replayed = self._board.replayed
        if event.generation == self._live.generation and not replayed.stale:
            self._put(replace(self._board, replayed=replace(replayed, causes=event.causes)))

    def on_cause_list_judged(self, event: CauseList.Judged) -> None:
        """Keep the steps of a group as cases."""
        terms = self._board.verdicts.terms
        if terms is None or self._board.replayed.stale:
            self._say("The replay is stale; wait until it is decided again.")
            return
        self._change(partial(self._port.judge, terms, event.key, event.right), "")

    @on(replay_messages.StrategiesWanted)
    def _strategies_wanted(self) -> None:
        terms, port, generation = self._board.verdicts.terms, self._port, self._live.generation
        if terms is not None:
            self._live.ask(
                "strategies",
                lambda: replay_messages.StrategiesFound(generation, port.strategies(terms)),
            )

    @on(replay_messages.StrategiesFound)
    def _strategies_found(self, event: replay_messages.StrategiesFound) -> None:
        replayed = self._board.replayed
        if event.generation == self._live.generation and not replayed.stale:
            self._put(replace(self._board, replayed=replace(replayed, strategies=event.strategies)))

    @on(replay_messages.WayWanted)
    def _way_wanted(self, event: replay_messages.WayWanted) -> None:
        from workbench.old_screen.widgets.reader import ReaderScreen
        from workbench.old_screen.widgets.strategies import way_entries

        found = self._board.replayed.strategies
        way = next((way for way in found.ways if way.name == event.name), None) if found else None
        if found is not None and way is not None:
            entries = way_entries(way, found.label)
            self.push_screen(ReaderScreen(f"{way.short} {way.name}".strip(), entries), self._run_wanted)

    def _run_wanted(self, run: str | None) -> None:
        from workbench.old_screen.step_filter import quoted

        if run:
            self.replay_pane.show_filter(f"in:{quoted(run)}")

    # --- from a step elsewhere

    @on(replay_messages.RuleWanted)
    def _rule_wanted(self, event: replay_messages.RuleWanted) -> None:
        terms = self._board.verdicts.terms
        if terms is None:
            self._say(NOT_YET)
            return
        lines = [rule.line for rule in terms.rules if rule.name == event.rule]
        self.post_message(messages.LineWanted(lines[0] if lines else terms.line))

    @on(replay_messages.StepWanted)
    def _step_wanted(self, event: replay_messages.StepWanted) -> None:
        self._remember()
        self.show_pane("replay")
        self.replay_pane.go_to_step(event.index)
