"""What the screen asks about the recorded runs of a real session, in the screen's own values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.model import Judgement
from workbench.old_screen.live_calls import LiveCalls
from workbench.old_screen.value_text import plural

if TYPE_CHECKING:
    from workbench.old_screen.replay_state import Cause, Strategies, Sums, Way
    from workbench.old_screen.state import Contents
    from workbench.policy.terms import PolicyTerms
    from workbench.runs.replay.strategies import StrategyComparison, Tally

WORDS = {Judgement.RIGHT: "right", Judgement.FALSE_ALARM: "false alarm"}


class ReplayCalls(LiveCalls):
    """The calls of a ``Port`` about recorded runs as a whole."""

    def causes(self, terms: PolicyTerms) -> tuple[Cause, ...]:
        """The steps that are not allowed, by cause."""
        from workbench.old_screen.replay_state import Cause

        bench = self._bench
        found: list[Cause] = []
        for group in bench.runs.denials(terms, bench.runs.decide(terms, self._loaded())):
            said = bench.runs.judged(group)
            judged = WORDS[said] if said is not None else ""
            found.append(
                Cause(group.key, group.title, group.cause.verdict, group.steps, len(group.runs), judged)
            )
        return tuple(found)

    def judge(self, terms: PolicyTerms, key: str, right: bool) -> Contents:
        """Store a judgement of a whole group as cases."""
        bench = self._bench
        judgement = Judgement.RIGHT if right else Judgement.FALSE_ALARM
        _, judged = bench.runs.judge_named(terms, self._loaded(), key, judgement)
        notice = f"{plural(len(judged.cases), 'case')} made of the group."
        if judged.contradicted:
            notice += f" Another case says otherwise: {', '.join(judged.contradicted[:5])}."
        contents = self.contents()
        return replace(contents, notice=" ".join(part for part in (contents.notice, notice) if part))

    def strategies(self, terms: PolicyTerms) -> Strategies:
        """What each strategy would have stopped, by the first context key that sorts runs into a few."""
        from workbench.old_screen.replay_state import Strategies

        found = self._bench.runs.strategies(terms, self._loaded(), None)
        return Strategies(_ways(found), found.label)


def _ways(found: StrategyComparison) -> tuple[Way, ...]:
    from workbench.old_screen.replay_state import RunOutcome, Way

    ways: list[Way] = []
    for way in found.outcomes:
        short = found.short(way)
        runs = tuple(
            RunOutcome(one.run, one.steps, one.stopped, one.lost, len(one.unknown))
            for one in found.outcomes[way]
            if one.touched
        )
        labels = {name: _sums(found.tally(way, name)) for name in found.labels}
        ways.append(Way(way.value, short, _sums(found.tally(way)), not short, labels, runs))
    return tuple(ways)


def _sums(tally: Tally) -> Sums:
    from workbench.old_screen.replay_state import Sums

    return Sums(
        tally.runs,
        tally.touched,
        tally.steps,
        tally.stopped,
        tally.lost,
        tally.let_through,
        tally.unknown,
    )
