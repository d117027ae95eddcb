"""Attempts to get past a rule, tried by the real evaluator, and the rewriting that is shown to stop them.

A kind of attempt has several tries; the first that is allowed is the witness of a question. A rewriting is
offered only if it stops every try that is allowed, leaves each logged call as it was decided, and lets
nothing through that was stopped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, cast

from workbench.clarify.written.asked import Calls, Effect, TriedCall
from workbench.clarify.written.attacked import Attacked, attacked_by
from workbench.clarify.written.book import Book, SaidRule
from workbench.clarify.written.tried_calls import trials_with
from workbench.language.trees import Tree, joined, negated
from workbench.model import Json


@dataclass(frozen=True, slots=True)
class Try:
    """A run of calls that a person would hardly want, and why it passes."""

    calls: Calls
    why: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """Tries of one kind, with what would stop them, the best first; ``advice`` is what to do without one."""

    kind: str
    tries: Sequence[Try]
    rewritings: Sequence[Effect]
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Closing:
    """What an answer does to calls: whether it stops what it has to, and which logged calls it turns."""

    effect: Effect
    stops: bool
    turned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hole:
    """What gets past a rule: all runs that are allowed, the shown one first, and what stops them."""

    kind: str
    every: Sequence[Try]
    closing: Closing | None
    advice: str = ""

    @property
    def shown(self) -> Try:
        """The run that a question shows."""
        return self.every[0]


def narrower(rule: SaidRule, condition: Tree) -> Effect:
    """The rule, which stops besides what a condition says."""
    if rule.form == "permit":
        return Effect({rule.name: rule.with_condition(joined("and", [rule.condition, negated(condition)]))})
    return Effect({rule.name: rule.with_condition(joined("or", [rule.condition, condition]))})


def instead(rule: SaidRule, condition: Tree) -> Effect:
    """The rule with another condition of what it stops."""
    return Effect(
        {rule.name: rule.with_condition(negated(condition) if rule.form == "permit" else condition)}
    )


def holes(attacked: Attacked) -> Iterator[Hole]:
    """Yield what gets past a rule, the worst kinds first."""
    from workbench.clarify.written.attempts_at_commands import attempts_at_commands
    from workbench.clarify.written.attempts_at_texts import attempts_at_texts
    from workbench.clarify.written.attempts_elsewhere import attempts_elsewhere

    for kind in (attempts_at_texts, attempts_at_commands, attempts_elsewhere):
        for attempt in kind(attacked):
            passing = [one for one in attempt.tries if attacked.trials.allows(one.calls)]
            if passing:
                found = best_closing(attacked, attempt.rewritings, passing)
                if attempt.kind in OF_TEXTS and found is not None and found.effect.said:
                    attacked.condition = found.effect.said[attacked.rule.name][2]
                yield Hole(attempt.kind, passing, found, attempt.advice)


OF_TEXTS = frozenset(
    (
        "hidden program",
        "host",
        "other name of a host",
        "path",
        "address",
        "statement",
        "second program",
        "path in a command",
    )
)
"""The kinds of attempts at what a rule that tests raw text takes for something else."""


class HolesByRule:
    """What gets past the rules of a policy, found once for each; ``told`` are the questions asked so far."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._found: dict[str, Sequence[tuple[Attacked, Hole]]] = {}
        logged = repr([(one.tool, one.arguments) for one in book.calls])
        self._logged = hashlib.sha256(logged.encode()).hexdigest()
        self.told: set[str] = set()

    def of(self, rule: SaidRule) -> Sequence[tuple[Attacked, Hole]]:
        """The holes of a rule, each with the tool whose calls get past it."""
        if rule.name not in self._found:
            self._found[rule.name] = [
                (one, hole) for one in attacked_by(self._book, rule) for hole in self._of_tool(one)
            ]
        return self._found[rule.name]

    def _of_tool(self, attacked: Attacked) -> Sequence[Hole]:
        """The holes of a rule about one tool, which are looked for once for a policy and its logs."""
        kept = self._book.kept
        if kept is not None:
            kept = replace(kept, key=f"{kept.key}\nholes {attacked.rule.name} {attacked.tool} {self._logged}")
            if (stored := kept.get()) is not None:
                return [_hole_of(one) for one in json.loads(stored)]
        found = list(holes(attacked))
        if kept is not None:
            kept.put(
                json.dumps([_json_of(one) for one in found], default=lambda number: {"decimal": str(number)})
            )
        return found


def _json_of(hole: Hole) -> Json:
    written: Any = None
    if (closing := hole.closing) is not None:
        effect = closing.effect
        written = [dict(effect.said), list(effect.new), effect.beside, list(closing.turned)]
    tries: list[Json] = [
        [one.why, [[call.tool, dict(call.arguments)] for call in one.calls]] for one in hole.every
    ]
    return [hole.kind, tries, written, hole.advice]


def _tree_of(stored: Any) -> Any:
    """A tree as it was before it was JSON."""
    if isinstance(stored, dict):
        return Decimal(cast("dict[str, str]", stored)["decimal"])
    return tuple(map(_tree_of, cast("list[Any]", stored))) if isinstance(stored, list) else stored


def _hole_of(stored: Any) -> Hole:
    kind, tries, written, advice = stored
    every = [Try(tuple(TriedCall(*call) for call in calls), why) for why, calls in tries]
    closing = None
    if written is not None:
        said, new, beside, turned = written
        trees = {name: _tree_of(tree) for name, tree in said.items()}
        effect = Effect(trees, new=tuple(map(_tree_of, new)), beside=beside)
        closing = Closing(effect, stops=True, turned=tuple(turned))
    return Hole(kind, every, closing, advice)


def best_closing(attacked: Attacked, effects: Sequence[Effect], passing: Sequence[Try]) -> Closing | None:
    """The first rewriting that stops every try and turns no logged call, or the fewest."""
    found: Closing | None = None
    for effect in effects:
        if not _is_said(attacked, effect):
            continue
        closing = closing_of(attacked, effect, passing)
        if closing.stops and (found is None or len(closing.turned) < len(found.turned)):
            found = closing
        if found is not None and not found.turned:
            break
    return found


def _is_said(attacked: Attacked, effect: Effect) -> bool:
    """Whether every rule of a rewriting has a sentence."""
    return all(attacked.book.sentence(tree) for tree in (*effect.said.values(), *effect.new))


def closing_of(attacked: Attacked, effect: Effect, passing: Sequence[Try]) -> Closing:
    """What an answer does to some runs, which it has to stop, and to what is known of the tool.

    It must let nothing through that is stopped, and go on letting a harmless call through.
    """
    tries = {repr(call) for one in passing for call in one.calls}
    after = trials_with(
        attacked.book, {call.tool for one in passing for call in one.calls} | {attacked.tool}, effect
    )
    if after is None or any(after.allows(one.calls) for one in passing):
        return Closing(effect, stops=False)
    made = [
        one for one in (attacked.stopped, attacked.harmless) if one is not None and repr(one) not in tries
    ]
    if any(after.allows((one,)) is not attacked.allows(one) for one in made):
        return Closing(effect, stops=False)
    turned = [one for one in attacked.logged if after.allows((one,)) is not attacked.allows(one)]
    newly = any(not attacked.allows(one) for one in turned)
    return Closing(effect, stops=not newly, turned=tuple(map(str, turned)))


def is_stopped(attacked: Attacked, effect: Effect, passing: Sequence[Try]) -> bool:
    """Whether an answer stops some runs."""
    return closing_of(attacked, effect, passing).stops
