"""What is left to do in a session, as one list: failures first, then questions, then calls to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.app.owed import not_asked
from workbench.app.session_state import ClauseState, SessionState
from workbench.clean_text import one_line
from workbench.model import ProofStatus, Verdict
from workbench.tui.screen_places import Place, PlaceKind, ViewName

DONE = "Nothing is left to do. By their names, : runs accept, export and report."


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to do: where it is, and what it is in a few words."""

    place: Place
    words: str


def tasks(state: SessionState) -> Sequence[Task]:
    """Everything that is left to do, each place once."""
    found: dict[Place, Task] = {}
    for task in (*_failures(state), *_answers(state), *_questions(state), *_calls(state)):
        found.setdefault(task.place, task)
    return tuple(found.values())


def _failures(state: SessionState) -> Iterator[Task]:
    if state.problems:
        yield Task(Place(ViewName.POLICY), f"problem: {one_line(state.problems[0].message)}")
    for clause in state.clauses:
        status, verdict = clause.status, clause.verdict
        if status is not None and status is not ProofStatus.PROVED:
            place = Place(ViewName.AUTHOR, PlaceKind.CLAUSE, clause.clause.id)
            why = f": {one_line(verdict.why)}" if verdict is not None and verdict.why else ""
            yield Task(place, f"{status.value}: {clause.name}{_decided_by(state, clause) or why}")
    for result in state.failed:
        reason = next((one_line(case.reason) for case in state.cases if case.id == result.case), "a case")
        yield Task(Place(ViewName.AUTHOR, PlaceKind.CASE, result.case), f"fails: {reason}")


def _decided_by(state: SessionState, clause: ClauseState) -> str:
    """The rules that decide the counterexample of a clause, in words."""
    rules = state.deciding(clause)
    return "" if rules is None else f", the example is decided by {', '.join(rules) or 'no rule'}"


def _answers(state: SessionState) -> Iterator[Task]:
    """The answers that are not in force although nothing asks for them."""
    given = {assumption.question for assumption in state.assumptions}
    for item in not_asked(state.not_in_force, state.open):
        name = item.question if item.question in given else ""
        place = Place(ViewName.AUTHOR, PlaceKind.ANSWER, name) if name else Place(ViewName.AUTHOR)
        yield Task(place, f"not in force: {item.kind} {one_line(item.statement)}")


def _questions(state: SessionState) -> Iterator[Task]:
    for question in state.open:
        owner = next((row.requirement.id for row in state.rows if question in row.questions), "")
        kind = PlaceKind.REQUIREMENT if owner else PlaceKind.QUESTION
        yield Task(Place(ViewName.AUTHOR, kind, owner or question.id), f"open: {one_line(question.text)}")


def _calls(state: SessionState) -> Iterator[Task]:
    """The first call of each tool that cannot be evaluated, and of each cause of denials not judged."""
    told: set[str] = set()
    for position, decided in enumerate(state.decisions):
        tool = str(decided.decision.arguments.get("tool", ""))
        if decided.decision.verdict is Verdict.CANNOT_EVALUATE and tool not in told:
            told.add(tool)
            words = f"cannot be evaluated: call {decided.index} of {one_line(decided.run)}"
            yield Task(_call(position), words)
    for group in state.causes or ():
        if group.key not in state.judged and group.calls and group.calls[0] < len(state.decisions):
            yield Task(_call(group.calls[0]), f"denied and not judged: {one_line(group.title)}")


def _call(position: int) -> Place:
    return Place(ViewName.RUNS, PlaceKind.CALL, str(position))


def task_after(state: SessionState, here: Place, direction: int) -> tuple[Task, str] | None:
    """The task after or before the one at a place, with its number; from elsewhere the first or last."""
    found = tasks(state)
    if not found:
        return None
    places = [task.place for task in found]
    before = places.index(here) if here in places else -1 if direction > 0 else 0
    number = (before + direction) % len(found)
    wrapped = here in places and number != before + direction
    again = (", from the first again" if direction > 0 else ", from the last again") if wrapped else ""
    return found[number], f"{number + 1} of {len(found)}{again}"
