"""Moving on the screen: views, panes, places, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial, partialmethod
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from textual.widget import Widget
from textual.widgets import ContentSwitcher, Input, TextArea

from workbench.app.as_proposed import is_unconfirmed
from workbench.app.clause_findings import NO_CLAUSE
from workbench.app.owed import not_asked
from workbench.app.session_state import Baseline, SessionState, baselines
from workbench.clean_text import one_line
from workbench.model import ProofStatus
from workbench.tui.keys import BY_ID
from workbench.tui.messages import Ask, Choose, Place, PlaceKind, Say, ViewName, Workbench, WorkbenchApp
from workbench.tui.owed_rows import owed_name
from workbench.tui.views.author.spine import start_of
from workbench.tui.views.view import UNKNOWN, View
from workbench.tui.widgets.first_minute import FirstMinute
from workbench.tui.widgets.lines import LineList
from workbench.tui.widgets.prompt import Prompt

DONE = "Nothing is left to do"
_THEN = ("accept", "export", "hook", "report")
"""The commands that are offered then."""
_MEANWHILE = ", while a question is open,"
_OF_EARLIER_RULES = "if a rule or a fact was changed, y takes the new decision, : cases that of all"
_ASKED = (PlaceKind.OWED, PlaceKind.QUESTION)
_MOST_BACK = 100
"""The places to go back to."""


class Task(NamedTuple):
    """One thing to do: where it is, what is counted with it, and more of it in a few words."""

    place: Place
    noun: str
    words: str = ""
    fails: bool = False


def tasks(state: SessionState, questions: Iterable[Task] | None = None) -> Sequence[Task]:
    """Everything that is left to do, each place once: what fails, then in the order of the request.

    What fails by the reading that is taken while a question is open comes after the questions. ``questions``
    are those of the open questions, where they are known.
    """
    asked = _questions(state) if questions is None else questions
    failures = [*_failures(state)]
    failing, waiting = ([one for one in failures if one.fails is fails] for fails in (True, False))
    found: dict[Place, Task] = {}
    for task in chain(failing, _answers(state), asked, waiting, *(more(state) for more in _FURTHER)):
        found.setdefault(task.place, task)
    return tuple(found.values())


def _failures(state: SessionState) -> Iterator[Task]:
    for problem in state.problems:
        place = Place(ViewName.POLICY, PlaceKind.PROBLEM, f"{problem.line}:{problem.column}")
        yield Task(place, "problem of the policy", fails=True)
    for clause in state.clauses:
        if clause.status is not None and clause.status is not ProofStatus.PROVED:
            place = Place(ViewName.AUTHOR, PlaceKind.CLAUSE, clause.clause.id)
            words, noun = f"{clause.status.value}: {clause.name}", "clause" + _MEANWHILE * clause.provisional
            yield Task(place, noun, words, fails=not clause.provisional)
    made = {case.id for case in state.cases if case.origin == "generated"}
    for result in state.failed:
        place, waits = Place(ViewName.AUTHOR, PlaceKind.CASE, result.case), result in state.waiting
        words = _OF_EARLIER_RULES * (result.case in made)
        yield Task(place, "failing case" + _MEANWHILE * waits, words, fails=not waits)


def _answers(state: SessionState) -> Iterator[Task]:
    """The answers that are not in force although nothing asks for them."""
    given = {assumption.question for assumption in state.assumptions}
    for item in not_asked(state.not_in_force, state.open):
        answered = item.question in given
        kind, name = (PlaceKind.ANSWER, item.question) if answered else (PlaceKind.OWED, owed_name(item))
        yield Task(Place(ViewName.AUTHOR, kind, name), "not in force", item.kind)


def _questions(state: SessionState) -> Iterator[Task]:
    """Each open question, as the first line and the requirements count them."""
    places = {requirement.id: place for place, requirement in enumerate(state.requirements)}
    asked: list[tuple[int, Task]] = []
    for question in state.open:
        owner = min((places[name] for name in question.requirements if name in places), default=None)
        start = start_of(question) if owner is None else state.requirements[owner].span.start
        place = Place(ViewName.AUTHOR, PlaceKind.QUESTION, question.id)
        asked.append((start, Task(place, "question", "an open sentence" * (question.kind == NO_CLAUSE))))
    yield from (task for _, task in sorted(asked, key=itemgetter(0)))


def _calls(state: SessionState) -> Iterator[Task]:
    """The first call of each tool that cannot be evaluated, and of each cause of denials not judged."""
    for position in state.to_look_at:
        place = Place.of_call(position)
        if position in state.not_evaluated:
            yield Task(place, "call that cannot be evaluated", "the first of its tool")
        else:
            yield Task(place, "cause of denials", "nobody judged it: y is right, x wrong")


def _assumed(state: SessionState) -> Iterator[Task]:
    """What a new session took as true of results, and nobody said yes to."""
    for one in state.assumptions:
        if is_unconfirmed(one):
            place = Place(ViewName.AUTHOR, PlaceKind.ANSWER, one.question)
            yield Task(place, "assumption", "y says yes")


def _acceptance(state: SessionState) -> Iterator[Task]:
    """That guards still let run what the policy denies, which accepting it mends."""
    if state.not_accepted:
        words = "guards let run what the policy denies; : accept, once all is good, mends that"
        yield Task(Place(ViewName.EVIDENCE), "not accepted", words)


_FURTHER = (_calls, _assumed, _acceptance)


class Queue:
    """What is left to do as one list: what fails, questions in the order of the request, calls to look at.

    A walk through it begins with the first. It goes on where it was, also once that is done, but first to
    what fails anew, and from the calls to what is asked anew. The questions that it passed over come again
    before the calls if one was answered meanwhile. Whoever left for another place is led back.
    """

    def __init__(self) -> None:
        """Begin before the first task."""
        self._state: SessionState | None = None
        self._tasks: Sequence[Task] = ()
        self._numbers: Mapping[Place, str] = {}
        self._asked: Sequence[Task] = ()
        self._walked: Sequence[Place] = ()
        """The places of the tasks when one was told last."""
        self._told = -1
        self._passed = set[Place]()
        """The places that were passed since a question was done."""

    def take(self, state: SessionState) -> Sequence[Task]:
        """The tasks of a state."""
        if state is not self._state:
            before = self._state or UNKNOWN
            if before.open is not state.open or before.requirements is not state.requirements:
                self._asked = [*_questions(state)]
            self._state, self._tasks = state, tasks(state, self._asked)
            of, at = Counter(task.noun for task in self._tasks), Counter[str]()
            self._numbers = {}
            for task in self._tasks:
                at[task.noun] += 1
                self._numbers[task.place] = f"{task.noun} {at[task.noun]} of {of[task.noun]}"
        return self._tasks

    def words(self, state: SessionState, here: Place) -> str:
        """Which of its kind is at a place, else how many things are left, for the line of keys."""
        found = self.take(state)
        return f"next ({self._numbers.get(here, f'{len(found)} left')})" if found else "nothing left"

    def go(self, state: SessionState, direction: int, here: Place | None = None) -> tuple[Task, str] | None:
        """The task after or before the one told last, with its number; None if nothing is left.

        It is the one told last again where the person is ``here`` instead, and it is not done.
        """
        found = self.take(state)
        if not found:
            return None
        places = [task.place for task in found]
        number, known = self._following(places, direction), self._walked
        if self._told >= 0 and here not in (None, told := known[self._told]) and told in places:
            number = places.index(told)
        again = "" if 0 <= number < len(found) else f", from the {'first' if direction > 0 else 'last'} again"
        if direction > 0 and (before := self._before(found, number)) is not None:
            number, again = before, ""
        self._walked, self._told = places, number % len(found)
        return found[self._told], f"{self._numbers[places[self._told]]}{again}"

    def _before(self, found: Sequence[Task], number: int) -> int | None:
        """The number of a task to which the walk goes before it goes on; None if there is none."""
        known = set(self._walked)
        if any(one.kind in _ASKED and one not in self._numbers for one in known):
            self._passed.clear()
        self._passed.update(self._walked[self._told : self._told + 1])
        for at, task in enumerate(found):
            if task.fails and task.place not in known:
                return at
        if number < len(found) and found[number].place.kind in _ASKED:
            return None
        asked = (at for at, task in enumerate(found[:number]) if task.place.kind in _ASKED)
        return next((at for at in asked if found[at].place not in self._passed), None)

    def _following(self, places: Sequence[Place], direction: int) -> int:
        if self._told < 0:
            return 0 if direction > 0 else len(places) - 1
        if (told := self._walked[self._told]) in places:
            return places.index(told) + direction
        passed = [places.index(place) for place in self._walked[: self._told] if place in places]
        return max(passed, default=-1) + (1 if direction > 0 else 0)


class Going:
    """Shows the place where the person is, and keeps the places before."""

    def __init__(self, app: WorkbenchApp) -> None:
        """Begin in the first view of an app."""
        self._app = app
        self._been = [Place(ViewName.AUTHOR)]
        self._arrived: LineList | None = None
        self._queue = Queue()

    @property
    def here(self) -> Place:
        """The place that is shown."""
        return self._been[-1]

    @property
    def view(self) -> View:
        """The visible view."""
        return self._app.query_one(f"#{self.here.view.value}", View)

    def go(self, place: Place) -> None:
        """Show a place."""
        if place != self.here:
            self._been = [*self._been[-_MOST_BACK:], place]
        self._show(place)

    def begin_in(self, name: ViewName) -> None:
        """Show the first view of a session, with nothing to go back to."""
        self._been = [Place(name)]
        self._show(self.here)

    def to_view(self, name: ViewName) -> None:
        """Go to a view as it was left: to the text that is edited there, else to its first pane."""
        self.go(Place(name))
        edited = (text for text in self.view.query(TextArea) if text.display)
        next(edited, self.view.first).focus()

    def _show(self, place: Place) -> None:
        app = self._app
        app.query_one("#views", ContentSwitcher).current = place.view.value
        view = self.view
        if app.state is not UNKNOWN:
            view.show(app.state)
        view.go(place)
        focused = view.screen.focused
        if focused is None or view not in focused.ancestors:
            view.current.focus()
        self._arrived = view.current
        app.draw_around()

    def focused(self, widget: Widget | None) -> None:
        """Mark the pane that gets the focus, which small screens show, and draw its keys.

        A pane that a resize hides while it gets the focus loses it: the pane that is shown takes it.
        """
        if widget is None and self._app.app_focus and self._app.is_running:
            self._app.call_later(self._focus_again)
        elif widget is not None and widget in self.view.panes:
            self.view.mark(widget)
            self._app.draw_lines()
        elif isinstance(widget, TextArea | Input):
            self._app.draw_lines()

    def _focus_again(self) -> None:
        if self.view.screen.focused is None:
            self.view.current.focus()

    # --- actions

    def do_back(self) -> None:
        """Stop work, else end the walk or the first minute, else undo what narrows the view, else go back."""
        app, pane = self._app, self.view.current
        left_text, app.left_text = app.left_text, False
        if app.teller.stoppable:
            app.work.stop()
        elif app.walk.end():
            app.draw_lines()
        elif app.query_one(FirstMinute).display:
            app.end_first_minute("The first minute is put away; workbench tour shows it again.")
        elif app.living.leave() or self.view.leave_what_is_begun():
            app.draw_lines()
        elif self.view.leave_entered():
            pass
        elif self.view.narrowed:
            self.view.show_all()
            app.draw_lines()
        elif left_text:
            app.say(Say("The text is left; Esc again goes back."))
        elif not ((pane is self._arrived and self._go_back()) or self.view.leave_pane() or self._go_back()):
            app.work.stop_proof()  # the last thing that there is to leave

    def _go_back(self) -> bool:
        """Show the place before; False if there is none."""
        if len(self._been) == 1:
            return False
        self._been.pop()
        self._show(self.here)
        return True

    @property
    def left(self) -> str:
        """What is left to do, in the words of the key that goes to it."""
        return self._queue.words(self._app.state, self.here)

    def _task(self, direction: int) -> None:
        """Go to the next thing that is left to do, or to the one before."""
        found = self._queue.go(self._app.state, direction, self.here)
        if found is None and self._app.busy:
            self._app.say(Say("Nothing is left so far; what is still being worked out may leave more."))
            return
        if found is None:
            offers = [(name, name, BY_ID[name].does) for name in _THEN]
            self._app.commanding.choose(Choose(DONE, offers, self._app.commanding.done))
            return
        task, number = found
        self.go(task.place)
        self._app.say(Say(f"{number[:1].upper()}{number[1:]}{': ' if task.words else ''}{task.words}"))

    do_next, do_previous = partialmethod(_task, 1), partialmethod(_task, -1)

    def _walk(self, direction: int) -> None:
        """Go to the next change, or to the one before, and show both versions."""
        stop = self._app.walk.go(direction)
        if stop is not None and stop.place is not None:
            self.go(stop.place)
        else:
            self._app.draw_lines()

    do_walk, do_walk_back = partialmethod(_walk, 1), partialmethod(_walk, -1)

    def do_since(self) -> None:
        """Choose the version with which the present state is compared."""
        app, now = self._app, datetime.now().astimezone()

        def compared(label: str, before: SessionState) -> None:
            app.walk.begin(label, before)
            app.walk.take(app.state)
            app.draw_lines()

        def chosen(baseline: Baseline) -> None:
            show = partial(compared, f"Since {baseline.name}")
            app.known.find(Ask("since", partial(_state_at, baseline), show, f"reading {baseline.name}"))

        offers = [(one, one.name, _made_by(one)) for one in baselines(app.state.versions, now)]
        app.commanding.choose(Choose("What changed since", offers, chosen))

    do_compare = do_since

    def _pane(self, direction: int) -> None:
        """Give the focus to the next pane of the view, or to the one before."""
        panes = self.view.panes
        panes[(panes.index(self.view.current) + direction) % len(panes)].focus()

    do_next_pane, do_previous_pane = partialmethod(_pane, 1), partialmethod(_pane, -1)

    def do_find(self) -> None:
        """Narrow the pane in focus by words that the person types."""
        view, pane = self.view, self.view.current

        def leave(text: str | None) -> None:
            if text is not None:
                view.narrow(pane, text)
            pane.focus()

        sign = f"find in {view.narrows(pane)}: "
        self._app.query_one(Prompt).ask(sign, "", lambda text: view.narrow(pane, text), leave)


def _state_at(baseline: Baseline, bench: Workbench) -> SessionState:
    from workbench.app.scratch_session import state_at

    return state_at(bench, baseline.number)


def _made_by(baseline: Baseline) -> str:
    """The label and time of the act that made a version; for the first version, a phrase."""
    when = baseline.when[:16].replace("T", " ")
    return f"{one_line(baseline.label)}   {when}" if baseline.label else "as the session was made"
