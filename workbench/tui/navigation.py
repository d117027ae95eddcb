"""Moving on the screen: views, panes, places, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.widgets import ContentSwitcher, TextArea

from workbench.tui.messages import Say
from workbench.tui.screen_places import Place, PlaceHistory, ViewName
from workbench.tui.views.view import View
from workbench.tui.widgets.first_minute import FirstMinute
from workbench.tui.widgets.pane import Pane
from workbench.tui.widgets.prompt import Prompt
from workbench.tui.widgets.recorded_call_list import RecordedCallList
from workbench.tui.work_queue import DONE, task_after

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


class Going:
    """Shows the place where the person is, and keeps the places before."""

    def __init__(self, app: WorkbenchApp) -> None:
        """Begin in the first view of an app."""
        self._app = app
        self._history = PlaceHistory()

    @property
    def here(self) -> Place:
        """The place that is shown."""
        return self._history.here

    @property
    def view(self) -> View:
        """The visible view."""
        return self._app.query_one(f"#{self.here.view.value}", View)

    def go(self, place: Place) -> None:
        """Show a place."""
        self._history.go(place)
        self._show(place)

    def begin_in(self, name: ViewName) -> None:
        """Show the first view of a session, with nothing to go back to."""
        self._history = PlaceHistory(name)
        self._show(self.here)

    def to_view(self, name: ViewName) -> bool:
        """Go to a view at the place where it was left; from the view itself to its first pane."""
        if self.here.view is name and not isinstance(self._app.focused, TextArea):
            self.view.mark(self.view.first)
            self.view.first.focus()
        self.go(Place(name))
        return True

    def _show(self, place: Place) -> None:
        app = self._app
        app.query_one("#views", ContentSwitcher).current = place.view.value
        view = self.view
        if app.state is not None:
            view.show(app.state)
        view.go(place)
        if app.focused is None or view not in app.focused.ancestors:
            view.current.focus()
        app.draw()

    def focused(self, event: events.DescendantFocus) -> None:
        """Mark the pane with the focus, which small screens show, and draw its keys."""
        if event.widget is not self._app.focused:
            return
        if event.widget in self.view.panes:
            self.view.mark(event.widget)
            self._app.draw_lines()
            self._app.changing.look_outside()  # what came while a text was edited
        elif isinstance(event.widget, TextArea):
            self._app.draw_lines()

    # --- actions

    def do_author(self) -> bool:
        """Go to the view Author."""
        return self.to_view(ViewName.AUTHOR)

    def do_policy(self) -> bool:
        """Go to the view Policy."""
        return self.to_view(ViewName.POLICY)

    def do_runs(self) -> bool:
        """Go to the view Runs."""
        return self.to_view(ViewName.RUNS)

    def do_memory(self) -> bool:
        """Go to the view Memory."""
        return self.to_view(ViewName.MEMORY)

    def do_evidence(self) -> bool:
        """Go to the view Evidence."""
        return self.to_view(ViewName.EVIDENCE)

    def do_back(self) -> bool:
        """Stop work, else end the walk or the first minute, else undo what narrows the view, else go back."""
        app, pane = self._app, self.view.current
        first_minute = app.query_one(FirstMinute)
        if app.teller.going_on.stoppable:
            app.work.stop()
        elif app.walk.end():
            app.draw_lines()
        elif first_minute.running:
            app.end_first_minute("The first minute is put away; workbench tour shows it again.")
        elif isinstance(pane, Pane | RecordedCallList) and pane.narrowed:
            self.view.narrow(pane, "")
        elif app.living.leave() or self.view.leave_what_is_begun():
            app.draw_lines()
        elif self.view.leave_pane():
            pass
        elif (place := self._history.back()) is not None:
            self._show(place)
        return True

    def do_next(self) -> bool:
        """Go to the next thing that is left to do."""
        return self._task(1)

    def do_previous(self) -> bool:
        """Go to the thing before that is left to do."""
        return self._task(-1)

    def _task(self, direction: int) -> bool:
        state = self._app.state
        if state is None:
            return False
        found = task_after(state, self.here, direction)
        if found is None:
            self._app.say(Say(DONE))
            return True
        task, number = found
        self.go(task.place)
        self._app.say(Say(f"{number}: {task.words}"))
        return True

    def do_next_pane(self) -> bool:
        """Give the focus to the next pane of the view."""
        return self._pane(1)

    def do_previous_pane(self) -> bool:
        """Give the focus to the pane before."""
        return self._pane(-1)

    def _pane(self, direction: int) -> bool:
        panes = self.view.panes
        following = panes[(panes.index(self.view.current) + direction) % len(panes)]
        self.view.mark(following)
        following.focus()
        return True

    def do_zoom(self) -> bool:
        """Let the pane in focus fill the view, or undo that."""
        self.view.zoom()
        return True

    def do_find(self) -> bool:
        """Narrow the pane in focus by words that the person types."""
        view, pane = self.view, self.view.current
        if not isinstance(pane, Pane | RecordedCallList):
            return False

        def leave(text: str | None) -> None:
            if text is not None:
                view.narrow(pane, text)
            pane.focus()

        sign = f"find in {view.narrows(pane)}: "
        self._app.query_one(Prompt).ask(sign, "", lambda text: view.narrow(pane, text), leave)
        return True
