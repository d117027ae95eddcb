"""The calls of the logs as a list that makes only the visible lines, for any number of calls.

The search for calls by typed words among 100,000 calls, in a thread, within the pause between two keys.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial

from workbench.app.results import Logs
from workbench.app.session_state import SessionState
from workbench.model import CallDecision, Decision, RecordedCall
from workbench.tui.background_result import Things, are_the_same
from workbench.tui.messages import Ask
from workbench.tui.run_text import call_line, call_text, new_messages, undecided_words
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import Line, line, muted, wrap
from workbench.tui.widgets.lines import LineList


class RecordedCallList(LineList):
    """Calls by their position in the logs; a thread narrows them by typed words."""

    DEFAULT_CSS = style_sheet(__file__)

    def __init__(self, name: str, *, id: str, lacking: str = "No call here.") -> None:
        """Start empty; ``lacking`` says that no call is to be shown."""
        super().__init__(id=id, classes="pane")
        self.called = name
        self._lacking = lacking
        self._note = ""
        self._state: SessionState | None = None
        self._whole: Sequence[int] = ()
        self._shown: Sequence[int] = ()
        self._drawn: Things = ()
        self._search_texts = SearchTexts()
        self._search_ended = threading.Event()
        self.entitle(name)

    # --- drawing

    def fill(
        self,
        state: SessionState,
        positions: Sequence[int],
        *,
        newest: bool = False,
        name: str = "",
        note: str = "",
    ) -> None:
        """Show calls of a state; the cursor stays on its call if that is still listed.

        With ``newest``, a cursor on the last call moves to the new last call. ``name`` is the list's
        title, and ``note`` follows it.
        """
        stood_last = newest and self.cursor == len(self._shown) - 1
        self.called, self._note = name or self.called, note
        self._state, self._whole = state, positions
        if self.words:
            self.show_narrowed()
        else:
            self._draw(positions)
        if stood_last and self._shown:
            self.cursor = len(self._shown) - 1

    @property
    def position(self) -> int | None:
        """The call at the cursor, by its position in the logs."""
        return self._shown[self.cursor] if 0 <= self.cursor < len(self._shown) else None

    def select(self, position: int) -> None:
        """Put the cursor on a call; if it is not listed, on one near to it."""
        from bisect import bisect_left

        if position in self._shown:
            self.cursor = self._shown.index(position)
        elif self._shown:
            self.cursor = min(bisect_left(self._shown, position), len(self._shown) - 1)

    def _draw(self, positions: Sequence[int]) -> None:
        before = self.position
        self._shown = positions
        count = f"{len(positions):,} of {len(self._whole):,}" if self.words else f"{len(self._whole):,}"
        noted = self._note and not self.words
        self.entitle(f"{self.called} · {self._note}" if noted else f"{self.called}   {count}")
        if before is not None:
            self.select(before)
        of = self._state, positions, " ".join(self.words)
        self.rows_changed(() if are_the_same(of, self._drawn) else None)
        self._drawn = of
        if self.cursor < 0 and positions:
            self.cursor = 0

    def row_count(self) -> int:
        """The number of calls; of the lines that say why there is none."""
        return len(self._shown) or len(self._nothing(self.line_width))

    def _nothing(self, width: int) -> Sequence[Line]:
        words = undecided_words(self._state) if self._state is not None else "Reading the logs."
        lacking = self._lacking + (" Esc clears the search." if self.words else "")
        return wrap(line(muted(words or lacking)), width)

    def row_selectable(self, row: int) -> bool:
        """True for every row."""
        return 0 <= row < len(self._shown)

    def row_line(self, row: int, width: int) -> Line:
        """The call in one line."""
        if self._state is None or not self._shown:
            return self._nothing(width)[row]
        return call_line(self._state, self._shown[row], width, self._shown[row - 1] if row else None)

    # --- narrowing

    def show_narrowed(self) -> None:
        """Show the calls that have the words, once a thread has found them."""
        self._search_ended.set()
        self._search_ended = ended = threading.Event()
        if not self.words or self._state is None:
            self._draw(self._whole)
            return
        find = partial(self._search_texts.having, self._state, self._whole, self.words, ended)
        group = f"narrow {id(self)}"
        self.post_message(Ask(group, lambda _bench: find(), self._draw_matches, ended=ended, lasts=True))

    def _draw_matches(self, positions: Sequence[int]) -> None:
        """Draw the found calls; another call in the cursor's row counts as a move of the cursor."""
        row, call = self.cursor, self.position
        self._draw(positions)
        if row == self.cursor and call != self.position and self.position is not None:
            self.post_message(self.Moved(self))

    def on_unmount(self) -> None:
        """End a running search."""
        self._search_ended.set()


class SearchTexts:
    """The texts in which calls are searched: their words in the logs, made once, and their decisions."""

    def __init__(self) -> None:
        """Start with nothing made."""
        self._logs: Logs | None = None
        self._texts: list[str] = []
        self._decisions: Sequence[CallDecision] = ()
        self._decided: list[str] = []
        self._making = threading.Lock()

    def having(
        self, state: SessionState, whole: Sequence[int], words: Sequence[str], cancelled: threading.Event
    ) -> Sequence[int]:
        """The calls that have all words in their log or decision; any calls if ``cancelled`` is set."""
        with self._making:
            if cancelled.is_set() or state.logs is None:
                return ()
            self._make(state.logs, state.decisions)
            texts, decided = self._texts, self._decided
            known_count = min(len(texts), len(decided))
            positions = [position for position in whole if position < known_count]
            for word in words:
                if not cancelled.is_set():
                    decisive = {text for text in set(decided) if word in text}
                    positions = [at for at in positions if word in texts[at] or decided[at] in decisive]
            return positions

    def _make(self, logs: Logs, decisions: Sequence[CallDecision]) -> None:
        if logs is not self._logs:
            self._texts, self._logs = _log_texts(logs.calls), logs
        if decisions is not self._decisions:
            verdict_texts: dict[int, str] = {}
            self._decided = [_decided(decision.decision, verdict_texts) for decision in decisions]
            self._decisions = decisions


def _log_texts(calls: Sequence[RecordedCall]) -> list[str]:
    """The words of each call: its run, the call, its result, and the messages since the call before."""
    texts: list[str] = []
    run, text_by_name = "", dict[str, str]()
    for call in calls:
        if call.run != run:
            run, text_by_name = call.run, {}
        spoken_text = " ".join(text for _, text in new_messages(call, text_by_name))
        texts.append(f"{call.run} {call_text(call)} {call.result or ''} {spoken_text}".casefold())
    return texts


def _decided(decision: Decision, verdict_texts: dict[int, str]) -> str:
    """The verdict with the rules that fired and the reasons; made once for each decision object."""
    text = verdict_texts.get(id(decision))
    if text is None:
        rules = " ".join(f"{violation.rule} {violation.message}" for violation in decision.violations)
        text = f"{decision.verdict} {rules} {' '.join(decision.reasons)}".casefold()
        verdict_texts[id(decision)] = text
    return text
