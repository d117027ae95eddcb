"""The base of all views: panes over the state of the session, and the place that is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.containers import Container, Vertical
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Input, TextArea

from workbench.app.session_state import ClauseState, SessionState
from workbench.clean_text import one_line
from workbench.model import CallDecision, Judgement
from workbench.tui.keys import EDITOR, KeyHint, done_by
from workbench.tui.messages import Act, Ask, Go, HintsChanged, Place, PlaceKind, Say, ViewName, Workbench
from workbench.tui.verdict_signs import VERDICT_WORD
from workbench.tui.widgets.lines import LineList, RowList
from workbench.tui.widgets.text_editor import NOT_STORED, TextEditor

type SessionAct = Callable[[Workbench], object]
"""Changes the session. What it returns is shown if it is a sentence or a choice."""
type Store = Callable[[Workbench, str], object]

WIDE = 100
"""From this width on all parts of a view stand beside each other; below it two of them."""
NARROW = Size(76, 20)
"""Below this width, or height, one pane is shown at a time."""
UNKNOWN = SessionState("", request="…")
"""The state of a session that is not read yet, so that its request is not understood."""


class View(Container):
    """One of the five views. A subclass composes its panes and fills them from the state.

    A method ``moved_ID`` or ``chosen_ID`` is called if the cursor moved in the pane of that id, or a row of
    it was chosen.
    """

    NAME: ClassVar[ViewName]
    SHOWN_IN: ClassVar[Mapping[str, ViewName]] = {
        "requirement": ViewName.AUTHOR,
        "case": ViewName.AUTHOR,
        "rule": ViewName.POLICY,
        "clause": ViewName.POLICY,
        "call": ViewName.RUNS,
        "demonstration": ViewName.MEMORY,
    }
    """The view that Enter opens, by the kind of the item."""
    HELP: ClassVar[str | None] = ""
    options_came = 0.0
    """The time when the visible numbered options appeared, by the clock that stamps messages."""
    _leftmost: int | None = None
    _panes: Sequence[LineList] = ()
    """The left one of the two parts that a small screen shows, by its number."""
    _entered: tuple[LineList, LineList] | None = None
    """The pane in which Enter was pressed, and the one to which it led."""

    def show(self, state: SessionState) -> None:
        """Draw another state of the session, at the present place."""
        raise NotImplementedError

    def prepare(self, state: SessionState) -> None:
        """Make what is long of a state in the thread that found it, before the state is shown."""

    def go(self, place: Place) -> None:
        """Show a place; a place that is gone changes nothing."""
        raise NotImplementedError

    @on(LineList.Moved)
    @on(LineList.Chosen)
    def _told(self, event: LineList.Told) -> None:
        event.stop()
        what = "moved" if isinstance(event, LineList.Moved) else "chosen"
        method: Callable[[], object] | None = getattr(self, f"{what}_{event.lines.id}", None)
        if method is not None:
            method()

    def act(self, label: str, work: SessionAct, failed: Callable[[str], None] | None = None) -> bool:
        """Change the session by an act; ``failed`` is called with the reason if it fails."""
        return self.post_message(Act(label, work, failed))

    def on_paste(self, event: events.Paste) -> None:
        """Say that no list takes a pasted text."""
        if not isinstance(self.screen.focused, TextArea | Input):
            event.stop()
            self.say("Nothing here takes what is pasted: Enter, e or a opens an editor first.")

    def say(self, text: str, *, problem: bool = False) -> bool:
        """Show the person a sentence."""
        return self.post_message(Say(text, problem))

    def hints_changed(self) -> bool:
        """Have the keys at the focus told anew."""
        return self.post_message(HintsChanged())

    def follow(self, key: str) -> bool:
        """Show the item of a row with the key ``KIND:NAME`` in the view for it; False if there is none."""
        kind, _, name = key.partition(":")
        view = self.SHOWN_IN.get(kind)
        return view is not None and self.post_message(Go(Place(view, PlaceKind(kind), name)))

    def choose_number(self, number: int) -> bool:
        """Choose a visible numbered option; False if there is none with this number."""
        del number
        return False

    def in_sight(self, pane: LineList) -> bool:
        """Whether a pane is visible; a small screen or a zoomed pane hides others."""
        if pane is self.current or self.has_class("-zoomed") or self.fitting == 1:
            return pane is self.current
        return self.fitting > 2 or any(part.has_class("-beside") for part in (pane, *pane.ancestors))

    def brought(self, pane: LineList, option: str = "", *, whole: bool = True) -> bool:
        """Bring the pane with the numbered options into sight; False if it is, so that a digit chooses.

        With the key of an ``option`` of a list of rows this row has to be in sight, and ``whole``.
        """
        is_shown = not option or not isinstance(pane, RowList) or (whole and pane.shows(option))
        if self.in_sight(pane) and is_shown:
            return False
        pane.focus()
        if not is_shown and isinstance(pane, RowList):
            pane.select(option)
        return self.say("These are the options; press the digit again to choose.")

    def leave_what_is_begun(self) -> bool:
        """Leave a temporary content of the view; False if it shows its usual content."""
        return False

    def own_hints(self) -> Sequence[KeyHint]:
        """Keys that work now in addition to those of the table: the digits of a question."""
        return ()

    def words_at_cursor(self) -> Mapping[str, str]:
        """Hints of actions for the item at the cursor, by their ids, instead of those of the table."""
        return {}

    def narrow(self, pane: LineList, words: str) -> None:
        """Show only rows with all of the words, in a pane and its dependent panes; all rows without words."""
        pane.narrow(words)

    @property
    def narrowed(self) -> bool:
        """Whether a pane shows a part of its rows only."""
        return any(pane.narrowed for pane in self.panes)

    def show_all(self) -> None:
        """Show all rows of all panes."""
        for pane in self.panes:
            if pane.narrowed:
                self.narrow(pane, "")

    def narrows(self, pane: LineList) -> str:
        """The name of the rows that typed words narrow."""
        return pane.called

    def do(self, action: str) -> bool:
        """Do an action of the table at the focus; False if there is nothing to apply it to."""
        return done_by(self, action)

    @property
    def standing(self) -> str:
        """The view and the pane with the focus, as the table of actions names them."""
        if isinstance(self.screen.focused, TextArea):
            return EDITOR
        return f"{self.NAME.value}.{self.current.id}"

    @property
    def panes(self) -> Sequence[LineList]:
        """The panes in the order of Tab, which are looked for once: they stay."""
        if not self._panes:
            self._panes = [*self.query(".pane").results(LineList)]
        return self._panes

    @property
    def fitting(self) -> int:
        """How many parts stand beside each other: one pane, two neighbours, or all three."""
        size = self.screen.size
        if size.width < NARROW.width or size.height < NARROW.height:
            return 1
        return 2 if size.width < WIDE else 3

    @property
    def first(self) -> LineList:
        """The pane that gets the focus first."""
        return self.panes[0]

    def mark(self, current: Widget) -> None:
        """Mark the pane that narrow screens show, the part with it, and the two parts that small ones show.

        The two stay as long as one of them has the pane.
        """
        hides = self.fitting < 3 or self.has_class("-zoomed")  # else no style depends on what is marked
        for pane in self.panes:
            pane.set_class(pane is current, "-current", update=hides)
        parts = [part for part in self.children if isinstance(part, Vertical) or part.has_class("pane")]
        at = next((n for n, part in enumerate(parts) if part is current or part in current.ancestors), 0)
        if self._leftmost is None or not self._leftmost <= at <= self._leftmost + 1:
            self._leftmost = at if self._leftmost is None or at < self._leftmost else at - 1
        self._leftmost = max(min(self._leftmost, len(parts) - 2), 0)
        shown = range(at, at + 1) if self.has_class("-zoomed") else range(self._leftmost, self._leftmost + 2)
        for number, part in enumerate(parts):
            part.update_classes({"-holds": number == at, "-beside": number in shown}, update=hides)

    def do_zoom(self) -> None:
        """Let the pane in focus fill the view, or undo that."""
        self.toggle_class("-zoomed")
        self.mark(self.current)

    def keep_counterexample(self, state: SessionState, clause: ClauseState | None) -> bool:
        """Keep the input that breaks a clause as a case; False if there is none."""
        terms, example = state.terms, None if clause is None else clause.counterexample
        if clause is None or terms is None or example is None:
            return False
        name = clause.clause.id
        label = f"Kept the counterexample to {name} as a case"
        return self.act(label, lambda bench: bench.cases.keep_counterexample(terms, name, example))

    def judge_call(
        self, state: SessionState, decided: CallDecision | None, judgement: Judgement, tried: str = ""
    ) -> bool:
        """Make a case of a call, perhaps one that is ``tried`` by a text; False if none is chosen."""
        terms = state.terms
        if terms is None or decided is None:
            return False
        called = one_line(tried, 40) or f"call {decided.index} of {decided.run}"
        label = f"Case of {called}: {VERDICT_WORD[judgement.expects(decided.decision.verdict)]}"
        return self.act(label, lambda bench: bench.judging.judge_call(terms, decided, judgement, tried))

    def edit_text(
        self, editor: TextEditor, name: str, text: str, keep: Callable[[str], object], note: str = ""
    ) -> None:
        """Edit a text beside the editor's pane; ``keep`` gets it if it is to be kept.

        The pane with the focus gets the focus back.
        """
        back = self.current

        def left(kept: str | None) -> None:
            back.focus()
            if kept is not None:
                keep(kept)
            else:
                self.say("")  # an older error about the text is obsolete

        self.mark(next(pane for pane in self.panes if pane.parent is editor.parent))
        editor.begin(name, text, left, note)

    def edit_stored(
        self, editor: TextEditor, name: str, text: str, label: str, store: Store, note: str = ""
    ) -> None:
        """Edit a text, and store it by an act with a label; if that fails, edit it again."""

        def keep(kept: str) -> None:
            def failed(_why: str) -> None:
                self.edit_stored(editor, name, kept, label, store, NOT_STORED)

            self.act(label, lambda bench: store(bench, kept), failed)

        self.edit_text(editor, name, text, keep, note)

    def edit_found(
        self, editor: TextEditor, name: str, find: Callable[[Workbench], str], label: str, store: Store
    ) -> bool:
        """Edit a text that a thread reads, and store it by an act with a label."""
        edit = partial(self.edit_stored, editor, name, label=label, store=store)
        return self.post_message(Ask(name, find, edit, opens=True))

    def enter(self, pane: LineList) -> None:
        """Go to another pane, from which Esc leads back."""
        if pane is not self.current:
            self._entered = self.current, pane
            pane.focus()

    @property
    def entered(self) -> bool:
        """Whether Enter in another pane led to the present one."""
        return self._entered is not None and self.current is self._entered[1]

    def leave_entered(self) -> bool:
        """Go back to the pane in which Enter was pressed; False if another way led to the present pane."""
        entered, is_entered, self._entered = self._entered, self.entered, None
        if entered is not None and is_entered:
            entered[0].focus()
        return is_entered

    def leave_pane(self) -> bool:
        """On a small screen go to the pane before; False if it is the first, or if all are visible."""
        panes, current = self.panes, self.current
        if self.fitting > 2 or panes.index(current) <= panes.index(self.first):
            return False
        panes[panes.index(current) - 1].focus()
        return True

    @property
    def current(self) -> LineList:
        """The pane that has the focus, or had it last."""
        focused = self.screen.focused
        panes = self.panes
        if isinstance(focused, LineList) and focused in panes:
            return focused
        return next((pane for pane in panes if pane.has_class("-current")), self.first)
