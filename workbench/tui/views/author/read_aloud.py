"""Rules read aloud, on request in the Author view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from workbench.app.session_state import SessionState
from workbench.tui.messages import Ask

if TYPE_CHECKING:
    from textual.widget import Widget

    from workbench.app.workbench import Workbench


class ReadAloud:
    """The rules of the present policy as sentences; ``changed`` is called when they are read, or put away."""

    def __init__(self, view: Widget, changed: Callable[[], None]) -> None:
        """Request them by messages of the view."""
        self._view = view
        self._changed = changed
        self._source = ""
        self.sentences: Mapping[str, str] = {}
        """The rules as sentences by their names; empty if they were not requested."""

    def take(self, state: SessionState) -> None:
        """Forget the sentences of another policy."""
        source = "" if state.terms is None else state.terms.file.text
        if self._source != source:
            self._source, self.sentences = source, {}

    def toggle(self, state: SessionState) -> bool:
        """Read the rules aloud, or stop showing that; False if there is no policy."""
        terms = state.terms
        if terms is None:
            return False
        if self.sentences:
            self._keep({})
            return True

        def read(bench: Workbench) -> Callable[[], object]:
            return partial(self._keep, bench.sentences.of_rules(terms.file.text))

        return self._view.post_message(Ask("aloud", read))

    def _keep(self, sentences: Mapping[str, str]) -> None:
        self.sentences = sentences
        self._changed()
