"""Saying a sentence of the request in the language: what is typed is read, previewed and kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from workbench.app.requested_sentence import RequestedSentence
from workbench.app.rewording import Reworded, RewordingPreview, Tried, context_of, sentences_of
from workbench.clean_text import one_line
from workbench.language.language import lines_of
from workbench.model import Verdict
from workbench.tones import Tone
from workbench.tui.messages import Act, Ask
from workbench.tui.text_runs import Line, TextRun, line, muted
from workbench.tui.value_text import BLANK, argument_rows, paragraph
from workbench.tui.verdict_signs import verdict_run
from workbench.tui.widgets.lines import Row
from workbench.tui.widgets.sentence_editor import SentenceEditor

if TYPE_CHECKING:
    from workbench.app.results import PolicyChange
    from workbench.app.workbench import Workbench
    from workbench.tui.views.author.view import AuthorView

_MOST_OFFERED = 8
_MOST_CALLS = 6
_MOST_REGIONS = 2


class SentenceWriting:
    """Opens the editor of sentences for a requirement, previews what is typed, and keeps it."""

    def __init__(self, view: AuthorView, fill: Callable[[], None]) -> None:
        """Write for a view; ``fill`` draws its panes."""
        self._view = view
        self._fill = fill
        self._sentence: RequestedSentence | None = None
        self._tried = Tried()
        self._why = ""

    @property
    def writing(self) -> bool:
        """Whether a sentence is being typed."""
        return self._sentence is not None

    @property
    def _editor(self) -> SentenceEditor:
        return self._view.query_one("#say", SentenceEditor)

    def begin(self, text: str | None = None, why: str = "") -> bool:
        """Say the sentence in focus; False if the policy is none of calls, or has problems."""
        view, state = self._view, self._view.state
        row = view.row
        sentence = None if state is None or row is None else state.requested_of(row.requirement.id)
        if sentence is None:
            return False
        self._sentence, self._tried, self._why = sentence, Tried(), why
        first = f"context: {sentence.reason}" if sentence.reason else " ".join(sentence.texts)
        view.mark(view.middle)
        self._editor.begin("what it means", first if text is None else text)
        self.typed(self._editor.text)
        self._fill()
        return True

    def typed(self, text: str) -> None:
        """Ask what a text is read as; an empty one only means that another offer is chosen."""
        if self._sentence is None:
            return
        if not text and self._editor.text:
            self._fill()
            return
        words, logs = (
            self._sentence.requirement.text,
            None if self._view.state is None else self._view.state.logs,
        )

        def work(bench: Workbench) -> Callable[[], object]:
            return partial(self._found, text, bench.rewordings.tried(words, text, logs))

        self._view.post_message(Ask("sentence", work))

    def _found(self, text: str, tried: Tried) -> None:
        """Show what a text is read as, unless more was typed meanwhile."""
        if self._sentence is not None and text == self._editor.text:
            self._tried = tried
            if text:
                self._why = ""
            self._editor.offer(() if tried.completion is None else tried.completion.offered)
            self._fill()

    def left(self, event: SentenceEditor.Left) -> None:
        """Keep what was typed, or discard it."""
        sentence, self._sentence, self._tried = self._sentence, None, Tried()
        self._view.middle.focus()
        self._fill()
        if sentence is None or not event.is_kept or not event.text:
            return
        words, text = sentence.requirement.text, event.text
        item = Reworded(words, context=context_of(text)) if context_of(text) else None
        item = item or Reworded(words, sentences_of(text))

        def failed(why: str) -> None:
            self.begin(text, why)

        label = f"Said: {one_line(text)}"
        self._view.post_message(Act(label, lambda bench: bench.rewordings.keep([item]), failed))

    # --- rows

    def rows(self, width: int) -> Sequence[Row]:
        """The sentence of the request, what may come next, and what is typed as rule, input and calls."""
        sentence, tried = self._sentence, self._tried
        if sentence is None:
            return ()
        quote = one_line(sentence.requirement.quote)
        rows = paragraph(line(TextRun(f"“{quote}”", Tone.TITLE)), width, hang=1)
        if self._why:
            rows += [BLANK, *paragraph(line(TextRun(one_line(self._why), Tone.BAD)), width)]
        if tried.context:
            return [*rows, BLANK, *paragraph(line(muted("states no rule: "), one_line(tried.context)), width)]
        if tried.why:
            rows += [BLANK, *paragraph(line(TextRun(one_line(tried.why), Tone.WARN)), width)]
        if tried.completion is not None and tried.completion.offered:
            rows += [BLANK, *self._offered(tried.completion.offered, width)]
        if not self._editor.text:
            words = "Or type “context: ” and the reason why it states no rule."
            rows += [BLANK, *paragraph(line(muted(words)), width)]
        return rows if tried.preview is None else [*rows, BLANK, *_previewed(tried.preview, width)]

    def _offered(self, offered: Sequence[str], width: int) -> list[Row]:
        """The words that may come next, the chosen one marked."""
        at = min(self._editor.chosen, len(offered) - 1)
        first = max(0, min(at - _MOST_OFFERED + 2, len(offered) - _MOST_OFFERED))
        rows: list[Row] = []
        for number, word in enumerate(offered[first : first + _MOST_OFFERED], start=first):
            is_chosen = number == at
            tab = "Tab  " if is_chosen else "     "
            tone = Tone.ACCENT if is_chosen else Tone.PLAIN
            rows += paragraph(line(muted(tab), TextRun(one_line(word), tone)), width, hang=5)
        if len(offered) > first + _MOST_OFFERED:
            more = f"     and {len(offered) - first - _MOST_OFFERED} more, ↓"
            rows += paragraph(line(muted(more)), width)
        return rows


def _previewed(preview: RewordingPreview, width: int) -> list[Row]:
    """What is typed as sentences, what it changes, and as rules."""
    rows: list[Row] = []
    for part in (part for _, texts in preview.taken for text in texts for part in lines_of(text)):
        rows += paragraph(line(TextRun(part, Tone.GOOD)), width, hang=2)
    for found in preview.contradictions:
        rows += paragraph(line(TextRun(f"contradicts {found.sentence}", Tone.BAD)), width, hang=2)
    rows += _changed(preview.change, width)
    for text in preview.python:
        rows.append(BLANK)
        for part in text.rstrip().split("\n"):
            rows += paragraph(line(TextRun(part, Tone.CODE)), width, hang=4)
    return rows


def _changed(change: PolicyChange, width: int) -> list[Row]:
    """An input that would be decided otherwise, and the recorded calls that would turn."""
    rows = [BLANK, *paragraph(line(muted(change.as_if)), width)] if change.as_if else list[Row]()
    for region in change.semantic.regions[:_MOST_REGIONS]:
        decided: Line = (verdict_run(region.old), TextRun(" → "), verdict_run(region.new))
        rows += [BLANK, *paragraph(line(muted("for example "), *decided), width)]
        rows += argument_rows(
            change.words.shown(region.decisive_arguments or region.witness), width, indent=2
        )
    if change.semantic.equivalent:
        rows += [BLANK, *paragraph(line(muted("No call is decided otherwise.")), width)]
    turned = [flip for flip in change.changed if flip.turns]
    if turned:
        counts: dict[Verdict, int] = {}
        for flip in turned:
            verdict = flip.new.decision.verdict
            counts[verdict] = counts.get(verdict, 0) + 1
        total = ", ".join(f"{count:,} → {verdict.value}" for verdict, count in counts.items())
        rows += [BLANK, *paragraph(line(muted(f"of {len(change.flips):,} recorded calls: "), total), width)]
        for flip in turned[:_MOST_CALLS]:
            call = f"{one_line(flip.new.run)} call {flip.new.index}: "
            before, after = flip.old.decision.verdict, flip.new.decision.verdict
            verdicts: Line = (verdict_run(before), TextRun(" → "), verdict_run(after))
            rows += paragraph(line(muted(f"  {call}"), *verdicts), width, hang=4)
    return rows
