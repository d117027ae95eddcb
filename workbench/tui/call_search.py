"""The search for calls by typed words among 100,000 calls, in a thread, within the pause between two keys."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.tui.run_text import call_text, new_messages

if TYPE_CHECKING:
    from workbench.app.results import Logs
    from workbench.app.session_state import SessionState
    from workbench.model import CallDecision, Decision, RecordedCall

LOOK_AGAIN = 8192
"""The number of calls after which a search checks whether it is still wanted."""


class SearchTexts:
    """The texts in which calls are searched: their words in the logs, made once, and their decisions.

    If new words narrow the last search, only its results are searched.
    """

    def __init__(self) -> None:
        """Start with nothing made."""
        self._logs: Logs | None = None
        self._texts: list[str] = []
        self._decisions: Sequence[CallDecision] = ()
        self._decided: list[str] = []
        self._last: tuple[Sequence[int], Sequence[CallDecision], Sequence[str], Sequence[int]] | None = None
        self._making = threading.Lock()

    def having(
        self, state: SessionState, whole: Sequence[int], words: Sequence[str], cancelled: threading.Event
    ) -> Sequence[int]:
        """The calls that have all words in their log or decision; fewer if ``cancelled`` is set meanwhile."""
        with self._making:
            if cancelled.is_set() or state.logs is None:
                return ()
            self._make(state.logs, state.decisions)
            positions = self._begun(whole, words)
            for word in words:
                positions = self._with(word, positions, cancelled)
            if not cancelled.is_set():
                self._last = whole, self._decisions, words, positions
            return positions

    def _begun(self, whole: Sequence[int], words: Sequence[str]) -> Sequence[int]:
        """The positions to search: the last results if the new words narrow the last search, else all."""
        known_count = min(len(self._texts), len(self._decided))
        if self._last is not None:
            searched, decisions, before, positions = self._last
            narrower = all(any(old in new for new in words) for old in before)
            if searched is whole and decisions is self._decisions and narrower:
                return positions
        return [position for position in whole if position < known_count]

    def _with(self, word: str, among: Sequence[int], cancelled: threading.Event) -> Sequence[int]:
        texts, decided = self._texts, self._decided
        decisive = {text for text in set(decided) if word in text}
        positions: list[int] = []
        for start in range(0, len(among), LOOK_AGAIN):
            if cancelled.is_set():
                break
            batch = among[start : start + LOOK_AGAIN]
            if decisive:
                positions += [at for at in batch if word in texts[at] or decided[at] in decisive]
            else:
                positions += [at for at in batch if word in texts[at]]
        return positions

    def _make(self, logs: Logs, decisions: Sequence[CallDecision]) -> None:
        if logs is not self._logs:
            self._texts, self._logs, self._last = _log_texts(logs.calls), logs, None
        if decisions is not self._decisions:
            verdict_texts: dict[int, str] = {}
            self._decided = [_decided(decision.decision, verdict_texts) for decision in decisions]
            self._decisions, self._last = decisions, None


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
