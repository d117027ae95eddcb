"""Large clauses proved by their obligations, small goals that together say what a clause says.

The preview solver guesses which conditions an obligation needs; Nagini proves it with these. A guess that is
too small makes the proof fail, and the clause is then proved as a whole. Obligations that are proved are
stored, so that an edit of one rule leaves those of the others as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Protocol

from workbench.engines.nagini.lowering.clause_slice import Goal
from workbench.engines.nagini.lowering.lower import VACUITY, Lowered, LoweringLimit, ReadyPolicy, lower_goals
from workbench.engines.nagini.lowering.obligations import Obligation, is_flag
from workbench.engines.nagini.verdict_cache import StoredVerdict, VerdictCache
from workbench.engines.nagini.verifier.connection import ProverDied, ProverTimeout
from workbench.engines.nagini.verifier.worker_protocol import Answer
from workbench.model import ProofStatus
from workbench.policy.flat.traverse import free_names
from workbench.policy.terms import Clause, Not, Term

MOST_GOALS = 32
"""Goals of one program. More would say of more clauses at once that they are proved, and later."""


_MOST_KEPT = 4096


class Asker(Protocol):
    """A function that verifies one program, restarting the verifier once if it dies.

    With ``model`` failures come with a model, and the verifier leaves nothing out that could help.
    """

    def __call__(self, text: str, *, model: bool, time_limit: float) -> Answer:
        """See ``VerifierProcess.ask``."""
        ...


class GoalOutcome(Enum):
    """The outcome of proving the obligations of a clause."""

    PROVED = "all of them are proved"
    STORED = "all of them are proved, some by a stored verdict"
    FAILED = "the verifier could not prove one"
    UNDECIDED = "the verifier did not decide one"


@dataclass(slots=True)
class _Progress:
    """One clause, how many of its obligations are not proved yet, and what is known of it."""

    clause: Clause
    left: int = 0
    outcome: GoalOutcome = GoalOutcome.PROVED
    seconds: float = 0.0

    @property
    def ended(self) -> bool:
        """Whether nothing more can be done for the clause."""
        return self.outcome in {GoalOutcome.FAILED, GoalOutcome.UNDECIDED}


@dataclass(frozen=True, slots=True)
class _Task:
    """One goal to be proved, for a clause; ``key`` is that of its obligation, empty for a whole clause."""

    progress: _Progress
    key: str
    goal: Future[Goal]


@dataclass(slots=True)
class SmallGoals:
    """Proves clauses of one policy by their obligations.

    ``solver`` runs the preview solver. ``report`` hears of each clause when nothing more can be done for it
    here; ``refuted`` says whether an input is known that breaks a clause. ``begin`` starts the verifier.
    ``guesses`` are what obligations needed in proofs before, and are gathered for those after.
    """

    ready: ReadyPolicy
    ask: Asker
    cache: VerdictCache
    time_limit: float
    solver: ThreadPoolExecutor
    report: Callable[[Clause, GoalOutcome, float], None]
    refuted: Callable[[Clause], bool]
    begin: Callable[[], object] = lambda: None
    guesses: Guesses = field(default_factory=dict[str, "NeededBefore"])
    _guess: _Guess = field(init=False)
    _tasks: list[_Task] = field(default_factory=list[_Task])

    def __post_init__(self) -> None:
        """Prepare the preview solver; nothing is solved yet."""
        self._guess = _Guess(self.ready, self.guesses, self._stored)

    def take(self, clauses: Sequence[Clause]) -> bool:
        """Set the solver to work on clauses, if there is one among them that has obligations.

        ``begin`` is called as soon as one is found that is not stored as proved.
        """
        keyed_clauses: list[tuple[Clause, list[tuple[Obligation, str]]]] = []
        begun = False
        for clause in clauses:
            keyed = [
                (obligation, self.ready.key_of(obligation.goal()))
                for obligation in self.ready.obligations(clause.id)
            ]
            keyed_clauses.append((clause, keyed))
            if not begun and not all(self._stored(key) for _, key in keyed):
                begun = True
                self.begin()
        if not any(key for _, key in keyed_clauses):
            return False
        for clause, keyed in keyed_clauses:
            if keyed:
                self._take_obligations(clause, keyed)
            else:
                goal = self.solver.submit(self.ready.whole, clause.id)
                self._tasks.append(_Task(_Progress(clause, 1), "", goal))
        return True

    def _take_obligations(self, clause: Clause, keyed: Iterable[tuple[Obligation, str]]) -> None:
        progress = _Progress(clause)
        for obligation, key in keyed:
            if self._stored(key):
                progress.outcome = GoalOutcome.STORED
                continue
            progress.left += 1
            self._tasks.append(_Task(progress, key, self.solver.submit(self._guess.goal, obligation)))
        if not progress.left:
            self.report(clause, progress.outcome, 0.0)

    def _stored(self, key: str) -> bool:
        """Whether a goal is stored as proved."""
        entry = self.cache.get(key, self.ready.opened.original)
        return entry is not None and entry.status is ProofStatus.PROVED

    def prove(self) -> None:
        """Prove what was taken; ``report`` is called with every clause of it.

        Raises:
            ProverCancelled: the request is stale.
            ProverUnready: the verifier cannot be started.
        """
        batch: list[_Task] = []
        for task in self._tasks:
            if task.key and self._known(task):
                task.progress.outcome = GoalOutcome.STORED
                self._proved(task, 0.0)
            else:
                batch.append(task)
            if len(batch) == MOST_GOALS:
                self._batch(batch)
                batch = []
        self._batch(batch)

    def _known(self, task: _Task) -> bool:
        """Whether an obligation is stored as proved from the few conditions that it needs."""
        with suppress(LoweringLimit):
            return self._stored(self.ready.key_of(task.goal.result()))
        return False

    def _batch(self, tasks: list[_Task], *, thorough: bool = False) -> None:
        """Verify goals in one program; whatever goes wrong with several is tried with fewer."""
        tasks = [task for task in tasks if not task.progress.ended]
        if not tasks:
            return
        answer = failed = None
        with suppress(LoweringLimit, ProverTimeout, ProverDied):
            lowered = lower_goals(self.ready, [task.goal.result() for task in tasks])
            answer = self.ask(lowered.text, model=thorough, time_limit=self.time_limit + len(tasks))
            failed = _failed(lowered, answer)
        if answer is not None and failed is not None:
            self._read(tasks, failed, answer.seconds / len(tasks), thorough=thorough)
        elif len(tasks) == 1:
            self._end(tasks[0].progress, GoalOutcome.UNDECIDED)
        else:
            middle = len(tasks) // 2
            self._batch(tasks[:middle], thorough=thorough)
            self._batch(tasks[middle:], thorough=thorough)

    def _read(self, tasks: list[_Task], failed: set[str], seconds: float, *, thorough: bool) -> None:
        """Take note of what was proved, and try once more what was not."""
        for task in tasks:
            if task.goal.result().name not in failed:
                self._store(task, seconds)
                self._proved(task, seconds)
        again = [task for task in tasks if task.goal.result().name in failed]
        for task in again:
            if thorough or self.refuted(task.progress.clause):
                self._end(task.progress, GoalOutcome.FAILED)
        if not thorough:
            self._batch(again, thorough=True)

    def _store(self, task: _Task, seconds: float) -> None:
        """Store that an obligation is proved: for all its conditions, and for those that it needs."""
        if task.key:
            for key in (task.key, self.ready.key_of(task.goal.result())):
                self.cache.put(key, StoredVerdict(ProofStatus.PROVED, None, seconds))

    def _proved(self, task: _Task, seconds: float) -> None:
        progress = task.progress
        progress.seconds += seconds
        progress.left -= 1
        if not progress.left and not progress.ended:
            self.report(progress.clause, progress.outcome, progress.seconds)

    def _end(self, progress: _Progress, outcome: GoalOutcome) -> None:
        """Give up on a clause: one of its obligations is not proved."""
        if not progress.ended:
            progress.outcome = outcome
            self.report(progress.clause, outcome, progress.seconds)


@dataclass(frozen=True, slots=True)
class NeededBefore:
    """The conditions that an obligation needed in an earlier proof, and what its goal required then."""

    conditions: tuple[Term, ...]
    requires: tuple[Term, ...]


type Guesses = dict[str, NeededBefore]
"""The conditions that obligations needed, by the names of the obligations."""


class _Guess:
    """Asks the preview solver what obligations of one policy need."""

    def __init__(self, ready: ReadyPolicy, before: Guesses, stored: Callable[[str], bool]) -> None:
        from workbench.engines.smt.contradicting_conditions import NeededConditions

        self._ready = ready
        self._conditions = NeededConditions(ready.terms)
        self._before = before
        self._stored = stored

    def goal(self, obligation: Obligation) -> Goal:
        """The goal of an obligation with what it needs, without lists.

        If the goal with the conditions of an earlier proof is stored as proved, it is reused and no solver
        runs.

        Raises:
            LoweringLimit: there is no such goal without lists.
        """
        known = self._as_before(obligation)
        if known is not None:
            return known
        if len(self._before) >= _MOST_KEPT:
            self._before.clear()
        needed, goal = self._solved(obligation)
        needed_conditions = tuple(
            condition for place, condition in enumerate(obligation.conditions) if place in needed
        )
        self._before[obligation.name] = NeededBefore(needed_conditions, goal.requires)
        return goal

    def _as_before(self, obligation: Obligation) -> Goal | None:
        """The goal with what was needed before, where it has all of that still and is stored as proved."""
        before = self._before.get(obligation.name)
        if before is None or not all(condition in obligation.conditions for condition in before.conditions):
            return None
        needed = frozenset(
            place for place, condition in enumerate(obligation.conditions) if condition in before.conditions
        )
        goal = self._ready.flat(obligation.goal(needed))
        if not all(requirement in goal.requires for requirement in before.requires):
            return None
        goal = replace(goal, requires=before.requires)
        return goal if self._stored(self._ready.key_of(goal)) else None

    def _solved(self, obligation: Obligation) -> tuple[Collection[int], Goal]:
        """The places of the conditions that the solver finds to be needed, and the goal of these.

        An obligation that the solver cannot say anything of gets the conditions that it is likely to need.
        """
        likely = obligation.likely(self._ready.terms.rules)
        places = self._conditions.of(obligation.conditions, likely)
        needed = likely if places is None else obligation.guarded(places)
        goal = self._ready.flat(obligation.goal(needed))
        if places is None or goal.flat is None:
            return needed, goal
        decided = goal.decision if obligation.allowing else Not(goal.decision)
        among = self._conditions.of_flat((*goal.requires, decided), goal.flat)
        if among is None:
            return needed, goal
        return needed, replace(goal, requires=_needed_requirements(goal.requires, decided, among))


def _needed_requirements(
    requires: tuple[Term, ...], decided: Term, among: Collection[int]
) -> tuple[Term, ...]:
    """The requirements that are needed, with what says whether their values are missing."""
    needed = [requirement for place, requirement in enumerate(requires) if place in among]
    names = free_names(decided).union(*map(free_names, needed))
    guards = {
        requirement for requirement in requires if is_flag(requirement) and free_names(requirement) <= names
    }
    return tuple(requirement for requirement in requires if requirement in guards or requirement in needed)


def _failed(lowered: Lowered, answer: Answer) -> set[str] | None:
    """The goals that failed; None if a failure belongs to none, or nothing is said by those that did not."""
    failed: set[str] = set()
    for failure in answer.failures:
        name = lowered.goal_at(failure.line)
        if name is None or failure.code.startswith("type.error"):
            return None
        failed.add(name)
    return failed if {VACUITY} & lowered.clause_lines.keys() <= failed and not answer.error else None
