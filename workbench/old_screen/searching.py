"""Search in a list, the same in all of them: / and a text, then n and N.

The text is typed into the list itself, whose last line shows it, so that it works in panes, readers
and windows alike, with and without a border.
"""

from __future__ import annotations

from textual import events

from workbench.clean_text import clean
from workbench.old_screen.plain import Line, TextRun, Tone


class Searching:
    """What a list of lines knows of searching; stands before the widget's class among the bases."""

    _query = ""
    _typing = False

    # --- what the list says

    def search_rows(self) -> int:
        """How many rows there are to search."""
        raise NotImplementedError

    def search_text(self, row: int) -> str:
        """The text of a row."""
        raise NotImplementedError

    def search_from(self) -> int:
        """The row where the search begins."""
        raise NotImplementedError

    def search_show(self, row: int) -> None:
        """Go to a row that was found."""
        raise NotImplementedError

    def search_drawn(self) -> None:
        """Draw again: what is searched for has changed."""
        raise NotImplementedError

    # --- searching

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """While a text is typed, the keys that type belong to it."""
        del key
        return self._typing and character is not None and character.isprintable()

    @property
    def searching(self) -> bool:
        """Whether a text is being typed."""
        return self._typing

    @property
    def query_text(self) -> str:
        """What is searched for, empty if nothing is."""
        return self._query

    def action_search(self) -> None:
        """Begin to type what to look for."""
        self._query, self._typing = "", True
        self.search_drawn()

    async def _on_key(self, event: events.Key) -> None:
        if self._typing:
            event.stop()
            event.prevent_default()
            self._typed(event)
        elif self._query and event.key in ("n", "N", "escape"):
            event.stop()
            event.prevent_default()
            if event.key == "escape":
                self._query = ""
            else:
                self.find_next(1 if event.key == "n" else -1)
            self.search_drawn()

    def _typed(self, event: events.Key) -> None:
        if event.key == "escape":
            self._query, self._typing = "", False
        elif event.key == "enter":
            self._typing = False
        elif event.key == "backspace":
            self._query = self._query[:-1]
        elif event.character is not None and event.is_printable:
            self._query += event.character
            self.find_next(1, here=True)
        self.search_drawn()

    def find_next(self, direction: int, *, here: bool = False) -> bool:
        """Go to the next row with the text, around the end; whether there is one."""
        count, wanted = self.search_rows(), self._query.casefold()
        if not wanted or not count:
            return False
        start = max(self.search_from(), 0)
        for offset in range(0 if here else 1, count + 1):
            row = (start + direction * offset) % count
            if wanted in self.search_text(row).casefold():
                self.search_show(row)
                return True
        return False

    # --- drawing

    def search_line(self) -> Line:
        """The line that shows what is typed."""
        hint = "  Enter keeps it, n and N go on, Esc ends" if self._query else "  type to search"
        return (
            TextRun("/", Tone.ACCENT),
            TextRun(self._query),
            TextRun("▏", Tone.ACCENT),
            TextRun(hint, Tone.MUTED),
        )


def marked(content: Line, query: str) -> Line:
    """A line with every occurrence of a text in the tone of a mark."""
    wanted = query.casefold()
    if not wanted:
        return content
    found: list[TextRun] = []
    for run in content:
        text = clean(run.text)
        folded = text.casefold()
        if len(folded) != len(text) or wanted not in folded:
            found.append(run)
            continue
        at = 0
        while (hit := folded.find(wanted, at)) >= 0:
            found += [TextRun(text[at:hit], run.tone), TextRun(text[hit : hit + len(wanted)], Tone.MARK)]
            at = hit + len(wanted)
        found.append(TextRun(text[at:], run.tone))
    return tuple(found)
