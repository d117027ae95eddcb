"""Large clauses proved by their obligations: small goals that together imply the clause.

The conditions that an obligation needs are guessed, by their connectives alone or with the preview solver;
Nagini proves it with these. If a guess is too small, the proof fails, and the clause is then proved as a
whole. Proved obligations are stored, so that an edit of one rule does not affect those of the others.
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

MOST_GOALS = 96
"""The most goals of one program, which costs as much as some ten goals and gives its verdicts at its end."""


_MOST_KEPT = 4096


class Asker(Protocol):
    """A function that verifies one program, restarting the verifier once if it dies.

    With ``model`` failures come with a model, and the verifier uses all options that could help.
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
    """One clause, the number of its obligations not proved yet, and its outcome so far."""

    clause: Clause
    left: int = 0
    outcome: GoalOutcome = GoalOutcome.PROVED
    seconds: float = 0.0

    @property
    def ended(self) -> bool:
        """Whether no more work can be done for the clause."""
        return self.outcome in {GoalOutcome.FAILED, GoalOutcome.UNDECIDED}


@dataclass(frozen=True, slots=True)
class _Task:
    """One goal to prove, for a clause; ``key`` is that of its obligation, empty for a whole clause."""

    progress: _Progress
    key: str
    goal: Future[Goal]


@dataclass(slots=True)
class SmallGoals:
    """Proves clauses of one policy by their obligations.

    ``solver`` runs the preview solver. ``report`` is called with each clause when its work here has ended;
    ``refuted`` tests whether an input is known that breaks a clause. ``begin`` starts the verifier.
    ``guesses`` are the conditions that obligations needed in earlier proofs; new ones are added for later
    proofs.
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
        """Start the solver's work on clauses; False if none of them has obligations.

        ``begin`` is called as soon as an obligation is found that is not stored as proved.
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
        """Prove the clauses that were taken; ``report`` is called with each of them.

        Raises:
            ProverCancelled: the request is stale.
            ProverUnready: the verifier cannot be started.
        """
        batch: list[_Task] = []
        statements: set[tuple[Term, ...]] = set()
        for task in self._tasks:
            if task.key and self._known(task):
                task.progress.outcome = GoalOutcome.STORED
                self._proved(task, 0.0)
                continue
            batch.append(task)
            with suppress(LoweringLimit):
                statements.add(task.goal.result().parts)
            if len(statements) == MOST_GOALS:
                self._batch(batch)
                batch, statements = [], set()
        self._batch(batch)

    def _known(self, task: _Task) -> bool:
        """Whether an obligation is stored as proved from the few conditions that it needs."""
        with suppress(LoweringLimit):
            return self._stored(self.ready.key_of(task.goal.result()))
        return False

    def _batch(self, tasks: list[_Task], *, thorough: bool = False) -> None:
        """Verify goals in one program; a failed run with several goals is repeated with fewer."""
        tasks = [task for task in tasks if not task.progress.ended]
        if not tasks:
            return
        answer = failed = None
        with suppress(LoweringLimit, ProverTimeout, ProverDied):
            goals = [task.goal.result() for task in tasks]
            # Goals with equal parts are one statement, which is proved once.
            proved_as = {goal.parts: goal for goal in reversed(goals)}
            lowered = lower_goals(self.ready, [goal for goal in goals if proved_as[goal.parts] is goal])
            answer = self.ask(lowered.text, model=thorough, time_limit=self.time_limit + len(proved_as))
            names = _failed(lowered, answer)
            if names is not None:
                failed = {goal.name for goal in goals if proved_as[goal.parts].name in names}
        if answer is not None and failed is not None:
            self._read(tasks, failed, answer.seconds / len(tasks), thorough=thorough)
        elif len(tasks) == 1:
            self._end(tasks[0].progress, GoalOutcome.UNDECIDED)
        else:
            middle = len(tasks) // 2
            self._batch(tasks[:middle], thorough=thorough)
            self._batch(tasks[middle:], thorough=thorough)

    def _read(self, tasks: list[_Task], failed: set[str], seconds: float, *, thorough: bool) -> None:
        """Record the proved goals, and try the other ones once more."""
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
        """Store that an obligation is proved: under all its conditions, and under those that it needs."""
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
        """Give up a clause, because one of its obligations is not proved."""
        if not progress.ended:
            progress.outcome = outcome
            self.report(progress.clause, outcome, progress.seconds)


@dataclass(frozen=True, slots=True)
class NeededBefore:
    """The conditions that an obligation needed in an earlier proof, and the requirements of its goal then."""

    conditions: tuple[Term, ...]
    requires: tuple[Term, ...]


type Guesses = dict[str, NeededBefore]
"""The conditions that obligations needed, by the names of the obligations."""


class _Guess:
    """Finds with the preview solver the conditions that obligations of one policy need."""

    def __init__(self, ready: ReadyPolicy, before: Guesses, stored: Callable[[str], bool]) -> None:
        from workbench.engines.smt.contradicting_conditions import NeededConditions

        self._ready = ready
        self._conditions = NeededConditions(ready.terms)
        self._before = before
        self._stored = stored

    def goal(self, obligation: Obligation) -> Goal:
        """The goal of an obligation with the conditions that it needs, without lists.

        If the goal with the conditions of an earlier proof is stored as proved, it is reused and no solver
        runs.

        Raises:
            LoweringLimit: there is no such goal without lists.
        """
        goal = self._without_tests(obligation)
        if goal is not None:
            return goal
        earlier_goal = self._as_before(obligation)
        if earlier_goal is not None:
            return earlier_goal
        if len(self._before) >= _MOST_KEPT:
            self._before.clear()
        needed, goal = self._solved(obligation)
        needed_conditions = tuple(
            condition for place, condition in enumerate(obligation.conditions) if place in needed
        )
        self._before[obligation.name] = NeededBefore(needed_conditions, goal.requires)
        return goal

    def _without_tests(self, obligation: Obligation) -> Goal | None:
        """The goal of an obligation whose conditions contradict each other by their connectives alone."""
        terms = self._ready.terms
        for among in dict.fromkeys(
            (obligation.likely(terms.rules), frozenset(range(len(obligation.conditions))))
        ):
            goal = obligation.without_tests(terms, among)
            if goal is not None:
                return goal
        return None

    def _as_before(self, obligation: Obligation) -> Goal | None:
        """The goal with the conditions needed before, if it still has them and is stored as proved."""
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
        """The places of the conditions that the solver finds to be needed, and the goal with these.

        If the solver cannot decide an obligation, the conditions that it probably needs are used.
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
    """The needed requirements, with the tests whether their values are missing."""
    needed = [requirement for place, requirement in enumerate(requires) if place in among]
    names = free_names(decided).union(*map(free_names, needed))
    guards = {
        requirement for requirement in requires if is_flag(requirement) and free_names(requirement) <= names
    }
    return tuple(requirement for requirement in requires if requirement in guards or requirement in needed)


def _failed(lowered: Lowered, answer: Answer) -> set[str] | None:
    """The goals that failed; None if the answer cannot be attributed to goals or proves nothing."""
    failed: set[str] = set()
    for failure in answer.failures:
        name = lowered.goal_at(failure.line)
        if name is None or failure.code.startswith("type.error"):
            return None
        failed.add(name)
    return failed if {VACUITY} & lowered.clause_lines.keys() <= failed and not answer.error else None
