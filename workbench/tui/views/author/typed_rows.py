"""Rows of a sentence that is being typed: what is offered, what it is read as, and what it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.app.requested_sentence import RequestedSentence, SentenceState
from workbench.app.suggestions import many_folders
from workbench.app.typed_sentence import Typed, WordOffer, phrase_at
from workbench.app.value_texts import undetermined_words
from workbench.clean_text import one_line
from workbench.model import TheoremVerdict
from workbench.tones import Tone
from workbench.tui.text_runs import Line, TextRun, line, muted
from workbench.tui.theorem_rows import theorem_rows
from workbench.tui.value_text import BLANK, argument_rows, paragraph
from workbench.tui.verdict_signs import verdict_run
from workbench.tui.views.author.requirement import differing_words
from workbench.tui.widgets.lines import Row

if TYPE_CHECKING:
    from workbench.app.call_exceptions import CallException
    from workbench.app.results import PolicyChange
    from workbench.app.rewording import RewordingPreview
    from workbench.app.sentences import SayPreview
    from workbench.app.suggestions import Offered

CONTEXT = "context:"
"""The beginning of a text that says why a sentence states no rule."""
_MOST_OFFERED = 6
_MOST_CALLS = 4
_INDENT = 5
_TURNED = {
    "newly-denied": "+{} deny", "newly-allowed": "+{} allow", "newly-asked": "+{} ask",
    "cannot-evaluate": "{} cannot",
}  # fmt: skip


@dataclass
class Writing:
    """A sentence that is being typed, and what is known of the text so far.

    ``typed`` is what was understood of the text ``read``. ``exceptions`` are sentences with which a call
    would run that the first text keeps from running.
    ``suggested`` are whole sentences for one that is not read, ``effect`` what a text that is read changes
    with the clauses that it contradicts, ``theorems`` the preview's verdicts on those that it adds, and
    ``refused`` says why it cannot be kept.
    """

    sentence: RequestedSentence | None
    why: str = ""
    text: str = "\0"
    cursor: int = 0
    chosen: int = 0
    typed: Typed = field(default_factory=Typed)
    read: str = ""
    exceptions: Sequence[CallException] = ()
    begun: str = ""
    refused_before: bool = False
    suggested: Mapping[WordOffer, Offered] = field(default_factory=dict["WordOffer", "Offered"])
    effect: SayPreview | RewordingPreview | None = None
    theorems: Sequence[TheoremVerdict] = ()
    refused: str = ""

    @property
    def words(self) -> str:
        """The sentence of the request; empty for a new one."""
        return "" if self.sentence is None else self.sentence.requirement.text

    @property
    def tool(self) -> str:
        """The class of the tool that the text names first; empty if it names none."""
        names = (one.python for one in self.typed.phrases if one.listed)
        return next((name.partition(",")[0] for name in names if name.isidentifier()), "")

    @property
    def offers(self) -> Sequence[WordOffer]:
        """What Tab may write: whole sentences first, then words, and last that it states no rule."""
        offers = [*self.excepting, *self.suggested, *self.typed.offers]
        is_open = self.sentence is not None and self.sentence.state is SentenceState.OPEN
        if is_open and not self.typed.whole and not self.typed.context:
            offers.append(WordOffer(CONTEXT, 0, len(self.text)))
        return offers

    @property
    def excepting(self) -> Mapping[WordOffer, CallException]:
        """The exceptions, while nothing else is typed."""
        if self.text not in (self.begun, *(one.text for one in self.exceptions)):
            return {}
        every = (one for one in self.exceptions if one.text != self.text)
        return {WordOffer(one.text, 0, len(self.text)): one for one in every}

    def begin(self, text: str) -> None:
        """Take another text, of which nothing is known yet; what was read stays until this is."""
        if self.text != "\0":
            self.why = ""
        self.text, self.suggested, self.effect, self.theorems, self.refused = text, {}, None, (), ""


def writing_rows(writing: Writing, width: int) -> Sequence[Row]:
    """The sentence of the request, why it was not kept, the offers, the phrases and the effect."""
    rows: list[Row] = []
    read = writing.typed
    if writing.sentence is not None:
        quote = TextRun(f"“{one_line(writing.sentence.requirement.quote)}”", Tone.TITLE)
        rows += paragraph(quote, width, hang=1)
    for problem in filter(None, (writing.why, writing.refused)):
        rows += [BLANK, *paragraph(TextRun(one_line(problem), Tone.BAD), width)]
    if read.context:
        return [*rows, BLANK, *paragraph(line(muted("states no rule: "), one_line(read.context)), width)]
    if read.unread:
        start, end = read.unread[0]
        unread = one_line(writing.text[start:end])
        rows += [BLANK, *paragraph(line(TextRun("not read: ", Tone.WARN), f"“{unread}”"), width, hang=2)]
        if pattern := many_folders(writing.text):
            rows += paragraph(muted(one_line(pattern)), width, indent=2)
    if writing.offers:
        rows += [BLANK, *_offered(writing, width)]
    rows += _phrases(writing, width)
    if writing.effect is not None:
        for found in writing.effect.contradictions:
            rows += paragraph(TextRun(f"contradicts {found.sentence}", Tone.BAD), width, hang=2)
        rows += _changed(writing.effect.change, width)
    for theorem in writing.theorems:
        rows += [BLANK, *theorem_rows(theorem, width)]
    return rows


def _offered(writing: Writing, width: int) -> list[Row]:
    """The offers around the chosen one, which Tab writes."""
    offers = writing.offers
    chosen = min(writing.chosen, len(offers) - 1)
    first = max(0, min(chosen - _MOST_OFFERED + 2, len(offers) - _MOST_OFFERED))
    rows: list[Row] = []
    for number, offer in enumerate(offers[first : first + _MOST_OFFERED], start=first):
        is_chosen = number == chosen
        head = muted("Tab".ljust(_INDENT) if is_chosen else " " * _INDENT)
        said = one_line(offer.text)
        if offer in writing.excepting:
            said = differing_words(one_line(writing.text), said)[1]
        words = TextRun(said, Tone.ACCENT if is_chosen else Tone.PLAIN)
        last = muted("  and the reason, as it states no rule") if offer.text == CONTEXT else TextRun("")
        rows += paragraph(line(head, words, last), width, hang=_INDENT)
        if (exception := writing.excepting.get(offer)) is not None:
            effect = line(TextRun(f"{exception.words} · ", Tone.ACCENT), muted(exception.also))
            rows += paragraph(effect, width, indent=_INDENT)
        if (suggestion := writing.suggested.get(offer)) is not None:
            effect = effect_of_offer(suggestion)
            rows += paragraph(effect, width, indent=_INDENT) if effect else []
    if len(offers) > first + _MOST_OFFERED:
        rows += paragraph(muted(f"     and {len(offers) - first - _MOST_OFFERED} more, ↓"), width)
    return rows


def effect_of_offer(offered: Offered) -> Line:
    """What a suggested sentence turns, with an example, and the words that it says nothing of."""
    turned = [_TURNED[kind].format(count) for kind, count in offered.turned if kind in _TURNED]
    parts = [*turned, *([f"as {offered.example}"] if offered.example else [])]
    theorem = ["a theorem, which decides no call"] if offered.is_theorem else parts
    effect = TextRun(" · ".join(["the policy has it"] if offered.stands else theorem), Tone.ACCENT)
    without = muted(f"leaves out {one_line(', '.join(offered.left_out))}") if offered.left_out else muted("")
    gap = " · " if effect.text and without.text else ""
    return tuple(run for run in (effect, muted(gap), without) if run.text)


def _phrases(writing: Writing, width: int) -> list[Row]:
    """Each phrase that is read, and the condition that it is; the one at the cursor is marked."""
    every = writing.typed.phrases
    if not every or every[-1].end > len(writing.text):
        return []
    here = phrase_at(every, writing.cursor)
    rows: list[Row] = [BLANK]
    for phrase in (one for one in every if one.listed):
        is_here = here is not None and phrase.start <= here.start and here.end <= phrase.end
        said = one_line(writing.text[phrase.start : phrase.end])
        mark = TextRun("▸ ", Tone.ACCENT) if is_here else TextRun("  ")
        content = line(mark, said, muted("  is  "), TextRun(phrase.python, Tone.CODE))
        rows += paragraph(content, width, hang=4)
        if is_here and here is not None and not here.listed and here.python != phrase.python:
            inner = one_line(writing.text[here.start : here.end])
            rows += paragraph(line(muted(f"{inner}  is  "), TextRun(here.python, Tone.CODE)), width, indent=6)
    return rows


def _changed(change: PolicyChange, width: int) -> list[Row]:
    """The recorded calls that would turn, and an input that would be decided otherwise."""
    rows: list[Row] = [BLANK, *paragraph(muted(change.as_if), width)] if change.as_if else []
    turned = [flip for flip in change.changed if flip.turns]
    if turned:
        counts = Counter(flip.kind.value for flip in turned)
        total = " · ".join(_TURNED[kind].format(count) for kind, count in counts.items() if kind in _TURNED)
        head = line(TextRun(total, Tone.ACCENT), muted(f" of {len(change.flips):,} recorded calls"))
        rows += [BLANK, *paragraph(head, width)]
        whys = Counter(
            why for flip in turned for why in undetermined_words(flip.new.decision.reasons, change.words.noun)
        )
        for why, count in whys.most_common(1):
            rows += paragraph(muted(f"{count:,} cannot, as {one_line(why)}"), width, indent=2, hang=2)
        for flip in turned[:_MOST_CALLS]:
            before, after = flip.old.decision.verdict, flip.new.decision.verdict
            call = muted(f"{one_line(flip.new.run)}, call {flip.new.index}: ")
            rows += paragraph(
                line(call, verdict_run(before), " → ", verdict_run(after)), width, indent=2, hang=2
            )
    for region in change.semantic.regions[:1]:
        decided: Line = (verdict_run(region.old), TextRun(" → "), verdict_run(region.new))
        rows += [BLANK, *paragraph(line(muted("for example "), *decided), width)]
        rows += argument_rows(
            change.words.shown(region.decisive_arguments or region.witness), width, indent=2
        )
    if change.semantic.equivalent:
        rows += [BLANK, *paragraph(muted("No call is decided otherwise."), width)]
    return rows
