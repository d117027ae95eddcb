"""A pane: rows with a title, which typed words narrow."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from types import FunctionType

from workbench.clean_text import clean
from workbench.tui.background_result import Things, are_the_same
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import fit, muted
from workbench.tui.widgets.lines import Builder, Ready, RowLine, RowList, laid_out, paragraph


class Pane(RowList):
    """A list of rows that a view fills; the key of the row at the cursor names its item."""

    DEFAULT_CSS = style_sheet(__file__)

    def __init__(self, name: str, *, id: str) -> None:
        """Name the pane."""
        super().__init__(id=id, classes="pane")
        self.called = name
        self.entitle(name)
        self._of: Things = ()
        self._prepared: tuple[Things, Ready] = (), (None, None)
        self._searched: tuple[Sequence[RowLine], Mapping[str, str]] | None = None
        self.stays: Collection[str] = ()
        """The keys of rows that are shown where no row has the words that are typed."""
        self.lacking = "Nothing here has"
        """How it is said that none has them."""

    def fill(self, build: Builder, name: str = "", note: str = "", *, of: Things = ()) -> None:
        """Show rows; ``name`` is the pane's title, and ``note`` follows it.

        Rows are not made again if all is the same ``of`` which they are made, such as parts of a state.
        """
        self.called = name or self.called
        self.entitle(f"{self.called} · {note}" if note else self.called)
        of = of or _parts_of(build)
        if not of or not are_the_same(of, self._of):
            self._of = of
            for_what, ready = self._prepared
            self.show_rows(build, ready if of and are_the_same(of, for_what) else (None, None))

    def prepare(self, build: Builder, of: Things) -> None:
        """Make the rows in another thread, before they are shown: of a long list that delays a key."""
        if not are_the_same(of, self._prepared[0]) and not are_the_same(of, self._of):
            self._prepared = of, self.made_ready(build)

    def lines_in(self, width: int) -> Sequence[RowLine]:
        """The lines that have the words, else that none has."""
        rows = super().lines_in(width)
        if not self.words:
            return rows
        texts = self._texts_of(rows)
        matching_keys = {key for key, text in texts.items() if all(word in text for word in self.words)}
        if matching_keys:
            return [row for row in rows if row.key in matching_keys]
        words = f"{self.lacking} {fit(' '.join(self.words), width).rstrip()}; Esc clears the search."
        lacking = laid_out([paragraph(muted(words))], width)
        return [*(row for row in rows if row.key in self.stays), *lacking]

    def _texts_of(self, rows: Sequence[RowLine]) -> Mapping[str, str]:
        """What is searched for words: the text of the rows of each key, made once for the same rows."""
        if self._searched is None or self._searched[0] is not rows:
            texts: dict[str, str] = {}
            for row in rows:
                if row.key:
                    text = "".join(clean(run.text) for run in row.line).casefold()
                    texts[row.key] = f"{texts.get(row.key, '')} {text}"
            self._searched = rows, texts
        return self._searched[1]


def _parts_of(build: Builder) -> Things:
    """The function of a builder with the things that it is given; nothing if the builder may hold others."""
    if not (isinstance(build, partial) and isinstance(build.func, FunctionType)):
        return ()
    parts = build.func, *build.args, *build.keywords.values()
    return () if any(isinstance(part, set | list | dict) for part in parts) else parts
