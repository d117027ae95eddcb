"""What gets past the rules of a policy, and the rewriting that is shown to stop it.

A rewriting is offered only if it stops every try that is allowed, leaves each logged call as it was decided,
and lets nothing through that was stopped. Rules of one form have the same holes, and one question asks about
all of them: the rewriting that is found for the first is tried on the others at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice

from workbench.clarify.written.asked import Calls, Effect
from workbench.clarify.written.attacked import Attacked, attacked_by, logged_calls
from workbench.clarify.written.attempts import OF_TEXTS, SAME_THING, UNDECLARED, Attempt, Declaration, Try
from workbench.clarify.written.book import Book, SaidRule
from workbench.clarify.written.tried_calls import TRIED, Changed, Said, changed_rules, kept_said
from workbench.language.trees import Tree, is_tree

_MOST_SHOWN = 12
"""The most tries of one attempt that pass, of which a rewriting has to stop each."""


@dataclass(frozen=True, slots=True)
class Closing:
    """What an answer does to calls: whether it stops what it has to, and which logged calls it turns."""

    effect: Effect
    stops: bool
    turned: tuple[str, ...] = ()


@dataclass
class Hole:
    """What gets past a rule: all runs of an attempt that are allowed, the shown one first."""

    attacked: Attacked
    attempt: Attempt
    every: Sequence[Try]
    is_declared_in_vain: bool = False
    """Whether no more is stopped once the agent file says what is advised, and nothing less."""

    @property
    def kind(self) -> str:
        """The kind of the attempt."""
        return self.attempt.kind

    @property
    def is_slip(self) -> bool:
        """Whether it may be an oversight: a value that is left out, or written otherwise."""
        return self.kind.startswith("no ") or self.kind in ("spelling", "otherwise written")

    @property
    def shown(self) -> Try:
        """The run that a question shows."""
        return self.every[0]

    @cached_property
    def rewritings(self) -> Sequence[Effect]:
        """What may stop it, the best first."""
        return self.attempt.rewritings()

    @cached_property
    def closing(self) -> Closing | None:
        """The first rewriting that stops every try and turns no logged call, or the fewest."""
        return self._first_of(self.rewritings)

    @cached_property
    def wider(self) -> Closing | None:
        """A rewriting that stops more than every try, where a person may mean that."""
        return self._first_of(self.attempt.wider())

    @cached_property
    def of_shown_tool(self) -> Closing | None:
        """The part of what closes it that stops the shown run, where it is rules for several tools."""
        whole, book = self.closing, self.attacked.book
        tools = {call.tool for call in self.shown.calls}
        new = () if whole is None or whole.effect.said else whole.effect.new
        own = tuple(one for one in new if tools & {book.tool_of(str(each[1])) for each in one[1][3:]})
        if not own or len(own) == len(new):
            return None
        (found,) = closings([(replace(self, every=[self.shown]), Effect(new=own))])
        return found if found.stops else None

    def _first_of(self, rewritings: Sequence[Effect]) -> Closing | None:
        found: Closing | None = None
        for effect in rewritings:
            if not _is_said(self.attacked.book, effect):
                continue
            (closing,) = closings([(self, effect)])
            if closing.stops and (found is None or len(closing.turned) < len(found.turned)):
                found = closing
            if found is not None and not found.turned:
                break
        return found

    @cached_property
    def declared(self) -> Declared | None:
        """What stops every try once the agent file says what is advised; None if nothing is found."""
        advice, attacked = self.attempt.advice, self.attacked
        if not isinstance(advice, Declaration):
            return None
        agent, rule = advice.declared(attacked.book.agent), attacked.rule
        classes = {one.name for one in attacked.book.language.types.calls.values() if one.tool == advice.tool}
        book = attacked.book.about_alone({attacked.call_type.name, *classes}, agent)
        rules = () if book is None else book.rules
        same = next((one for one in rules if one.name == rule.name), None)
        if book is None or same is None:
            return None
        effects = [Effect()]
        for one in HolesByRule(book).of(same):
            abouts = (self.attempt.about, "" if self.attempt.about == UNDECLARED else self.attempt.about)
            is_same = one.kind == self.kind and one.attempt.about in abouts
            if is_same and one.attacked.tool == attacked.tool:
                effects = [each for each in one.rewritings if _is_said(book, each)]
        of_class = (one for one in attacked_by(book, same) if one.tool == attacked.tool)
        again = replace(self, attacked=next(of_class))
        for effect in effects:
            (found,) = closings([(again, effect)])
            is_new = self.closing is None or (self.closing.effect.said, self.closing.effect.new) != (
                effect.said, effect.new
            )  # fmt: skip
            self.is_declared_in_vain |= found.stops and not is_new
            if found.stops and is_new:
                said = [*effect.said.values(), *(tree for _, tree in effect.new)] or [same.tree]
                meaning = " ".join(map(book.sentence, said))
                return Declared(advice, replace(effect, agent=agent), meaning, found.turned)
        return None


@dataclass(frozen=True, slots=True)
class Declared:
    """A rewriting for an agent of which more is declared, what it means, and which logged calls it turns."""

    declaration: Declaration
    effect: Effect
    meaning: str
    turned: tuple[str, ...]


def _is_said(book: Book, effect: Effect) -> bool:
    """Whether every rule of a rewriting has a sentence."""
    trees = (*effect.said.values(), *(tree for _, tree in effect.new))
    return all(map(book.sentence, trees))


def _holes(attacked: Attacked) -> Iterator[Hole]:
    """Yield what gets past a rule, the worst kinds first."""
    from workbench.clarify.written.attempts_at_amounts import attempts_at_amounts
    from workbench.clarify.written.attempts_at_argv import attempts_at_argv
    from workbench.clarify.written.attempts_at_commands import attempts_at_commands
    from workbench.clarify.written.attempts_at_like_files import attempts_at_like_files
    from workbench.clarify.written.attempts_at_lists import attempts_at_lists
    from workbench.clarify.written.attempts_at_parts_of_urls import attempts_at_parts_of_urls
    from workbench.clarify.written.attempts_at_records import attempts_at_records
    from workbench.clarify.written.attempts_at_runs import attempts_at_runs
    from workbench.clarify.written.attempts_at_shared_limits import attempts_at_shared_limits
    from workbench.clarify.written.attempts_at_statements import attempts_at_statements
    from workbench.clarify.written.attempts_at_texts import attempts_at_texts
    from workbench.clarify.written.attempts_at_values import attempts_at_values
    from workbench.clarify.written.attempts_by_act_families import attempts_by_act_families
    from workbench.clarify.written.attempts_by_alike_tools import attempts_by_alike_tools
    from workbench.clarify.written.attempts_by_measures import attempts_by_measures
    from workbench.clarify.written.attempts_by_scripts import attempts_by_scripts
    from workbench.clarify.written.attempts_by_synonyms import attempts_by_synonyms
    from workbench.clarify.written.attempts_by_the_same_key import attempts_by_the_same_key
    from workbench.clarify.written.attempts_done_later import attempts_done_later
    from workbench.clarify.written.attempts_elsewhere import attempts_elsewhere
    from workbench.clarify.written.attempts_near_conditions import attempts_near_conditions
    from workbench.clarify.written.attempts_on_the_same_thing import attempts_on_the_same_thing
    from workbench.clarify.written.attempts_past_hosts import attempts_past_hosts
    from workbench.clarify.written.attempts_without_a_value import attempts_without_a_value

    of_texts, told = False, set[str]()
    for kind in (
        attempts_at_texts, attempts_at_parts_of_urls, attempts_past_hosts, attempts_at_statements,
        attempts_at_commands, attempts_at_argv, attempts_by_scripts,
        attempts_at_like_files, attempts_elsewhere, attempts_by_synonyms,
        attempts_at_values, attempts_without_a_value, attempts_at_lists, attempts_at_records,
        attempts_near_conditions,
        attempts_at_amounts, attempts_by_measures, attempts_at_shared_limits, attempts_at_runs,
        attempts_by_alike_tools, attempts_done_later, attempts_on_the_same_thing,
        attempts_by_the_same_key,
        partial(attempts_by_act_families, told=told),
    ):  # fmt: skip
        for attempt in kind(attacked):
            if (attempt.kind == "spelling" and of_texts) or (
                attempt.kind == SAME_THING and attempt.about in told
            ):
                continue
            runs = ((one, attacked.passing(one.calls)) for one in attempt.tries)
            passing = [
                *islice((Try(calls, one.why) for one, calls in runs if calls is not None), _MOST_SHOWN)
            ]
            if not passing:
                continue
            hole = Hole(attacked, attempt, passing)
            told |= {one.calls[-1].tool for one in passing} - {attacked.tool}
            of_texts = of_texts or attempt.kind in OF_TEXTS
            if attempt.kind in OF_TEXTS and attacked.condition is None and hole.closing is not None:
                said = hole.closing.effect.said.get(attacked.rule.name)
                attacked.typed = None if said is None else said[2]
            yield hole


def _lateness(hole: Hole) -> tuple[bool, bool]:
    """What is asked later: oversights, and before them what wants a declaration first."""
    return hole.is_slip, hole.attempt.about == UNDECLARED


@dataclass
class HolesByRule:
    """What gets past the rules of a policy, found once for each."""

    book: Book

    def of(self, rule: SaidRule) -> Sequence[Hole]:
        """The holes of a rule, of each of the tools whose calls get past it."""
        found = self.book.holes
        if rule.name not in found:
            holes = (hole for one in attacked_by(self.book, rule) for hole in _holes(one))
            found[rule.name] = sorted(holes, key=_lateness)
        return found[rule.name]


# --- what a rewriting does


def as_typed(attacked: Attacked) -> Hole:
    """What a rule that tests raw text is held to where nothing is found that gets past it."""
    return Hole(attacked, Attempt("", (), list), ())


def closings(proposed: Sequence[tuple[Hole, Effect]]) -> Sequence[Closing]:
    """What rewritings of some rules do, each by itself: to what they have to stop, and what is known beside.

    What a rewriting says is decided once for a text, also where other rules change.
    """
    wanted = [_Wanted(hole, effect) for hole, effect in proposed]
    unknown = [one for one in wanted if one.stored is None]
    for part in _apart(unknown):
        book = part[0].hole.attacked.book
        whole = Effect(
            {name: tree for one in part for name, tree in one.effect.said.items()},
            new=tuple(pair for one in part for pair in one.effect.new),
        )
        changed = changed_rules(book, whole)
        if changed is None and len(part) > 1:
            for one in part:
                one.decide(changed_rules(book, one.effect), 0)
            continue
        at = 0
        for one in part:
            one.decide(changed, at)
            at += len(one.effect.new)
    return [one.closing() for one in wanted]


def _apart(wanted: Sequence[_Wanted]) -> Iterator[Sequence[_Wanted]]:
    """Yield the rewritings that can stand in one file: no two of one rule."""
    rest = list(wanted)
    while rest:
        part: list[_Wanted] = []
        names: set[str] = set()
        for one in rest:
            if names.isdisjoint(one.effect.said):
                part.append(one)
                names |= one.effect.said.keys()
        rest = [one for one in rest if one not in part]
        yield part


@dataclass(eq=False)
class _Wanted:
    """A rewriting for a hole, and on which runs what it says is asked."""

    hole: Hole
    effect: Effect
    stored: list[Said] | None = None

    def __post_init__(self) -> None:
        attacked, book = self.hole.attacked, self.hole.attacked.book
        passing = [one.calls for one in self.hole.every]
        tried = {repr(call) for calls in passing for call in calls}
        of_attempt = self.hole.attempt.harmless
        self.stopped, likely = (
            [(one,) for one in kept if one is not None and repr(one) not in tried]
            for kept in ((attacked.stopped, *attacked.denied), () if of_attempt else (attacked.harmless,))
        )
        self.stopped += [(one,) for one in attacked.beside_closed]
        self.harmless: Sequence[Calls] = [of_attempt] if of_attempt else likely
        made = [*self.stopped, *self.harmless]
        others = dict.fromkeys(calls[-1].tool for calls in passing if calls[-1].tool != attacked.tool)
        logged = [*attacked.logged, *(one for tool in others for one in logged_calls(book, tool))]
        self.runs: Sequence[Calls] = [*passing, *made, *((one,) for one in logged)]
        self.kept = kept_said(book, self.effect, self.runs)
        text = None if self.kept is None else self.kept.get()
        self.stored = None if text is None else json.loads(text)

    def decide(self, changed: Changed | None, at: int) -> None:
        """What the changed rules say of each run, of those of the file that are this one's."""
        names = {*self.effect.said, *(f"{TRIED}{at + n}" for n in range(len(self.effect.new)))}
        self.stored = [] if changed is None else [[*changed.said_of(calls, names)] for calls in self.runs]
        if self.kept is not None:
            self.kept.put(json.dumps(self.stored))

    def closing(self) -> Closing:
        """What the rewriting does; it must let nothing through that is stopped, nor stop what is harmless.

        It may stop a harmless call that is made up if it leaves all logged calls as they are.
        """
        attacked, gone, number = self.hole.attacked, self.effect.said.keys(), len(self.hole.every)
        allows = attacked.trials.allows
        after = [allows(calls, gone, said) for calls, said in zip(self.runs, self.stored or (), strict=False)]
        if not after or any(after[:number]):
            return Closing(self.effect, stops=False)
        beside = self.runs[number:]
        differs = [now is not allows(calls) for calls, now in zip(beside, after[number:], strict=True)]
        first, last = len(self.stopped), len(self.stopped) + len(self.harmless)
        own = last + len(attacked.logged)  # those of other tools may be what has to be stopped
        is_shown = not any(differs[last:own]) and any(map(allows, beside[last:own]))
        needed = number > 0 and (bool(self.hole.attempt.harmless) or not is_shown)
        if any(differs[: last if needed else first]):
            return Closing(self.effect, stops=False)
        turned = [calls for calls, one in zip(beside[last:], differs[last:], strict=True) if one]
        return Closing(self.effect, all(map(allows, turned)), tuple(str(calls[0]) for calls in turned))


def shape(tree: Tree) -> Tree:
    """The form of a rule: numbers stand for its constants, the same one for equal ones."""
    constants: dict[Tree, int] = {}

    def form(part: Tree) -> Tree:
        if part[:1] == ("lit",):
            return ("lit", part[1], constants.setdefault(part, len(constants)))
        return tuple(form(one) if is_tree(one) else one for one in part)

    return form(tree)
