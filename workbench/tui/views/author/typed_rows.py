"""Rows of a sentence that is being typed: what is offered, what it is read as, and what it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from workbench.app.requested_sentence import RequestedSentence, SentenceState
from workbench.app.suggestions import many_folders
from workbench.app.typed_sentence import Typed, WordOffer, phrase_at
from workbench.app.value_texts import OWN_NAMES, ArgumentWords, undetermined_words
from workbench.clean_text import one_line
from workbench.model import TheoremVerdict
from workbench.tui.text_runs import Line, accent, bad, coded, muted, strong, warn
from workbench.tui.theorem_rows import theorem_rows
from workbench.tui.verdict_signs import turned_line
from workbench.tui.views.author.requirement import differing_words
from workbench.tui.widgets.lines import BLANK, Row, argument_rows, paragraph

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


def writing_rows(writing: Writing, words: ArgumentWords = OWN_NAMES) -> Iterator[Row]:
    """The sentence of the request, why it was not kept, the offers, the phrases and the effect.

    ``words`` are what sentences call the arguments of the present policy.
    """
    read = writing.typed
    if writing.sentence is not None:
        yield paragraph(strong(f"“{one_line(writing.sentence.requirement.quote)}”"), hang=1)
    for problem in filter(None, (writing.why, writing.refused)):
        yield from (BLANK, paragraph(bad(one_line(problem))))
    if read.context:
        yield from (BLANK, paragraph(muted("states no rule: "), one_line(read.context)))
        return
    if read.unread:
        unread = one_line(writing.text[slice(*read.unread[0])])
        yield from (BLANK, paragraph(warn("not read: "), f"“{unread}”", hang=2))
        if pattern := many_folders(writing.text):
            yield paragraph(muted(one_line(pattern)), indent=2)
    if writing.offers:
        yield BLANK
        yield from _offered(writing)
    yield from _phrases(writing)
    if writing.effect is not None:
        for found in writing.effect.contradictions:
            yield paragraph(bad(f"contradicts {found.sentence}"), hang=2)
        yield from _changed(writing.effect.change, words)
    for theorem in writing.theorems:
        yield BLANK
        yield from theorem_rows(theorem)


def _offered(writing: Writing) -> Iterator[Row]:
    """The offers around the chosen one, which Tab writes."""
    offers = writing.offers
    chosen = min(writing.chosen, len(offers) - 1)
    first = max(0, min(chosen - _MOST_OFFERED + 2, len(offers) - _MOST_OFFERED))
    below = partial(paragraph, indent=_INDENT)
    for number, offer in enumerate(offers[first : first + _MOST_OFFERED], start=first):
        said, is_chosen = one_line(offer.text), number == chosen
        exception, suggestion = writing.excepting.get(offer), writing.suggested.get(offer)
        if exception is not None:
            said = differing_words(one_line(writing.text), said)[1]
        last = muted("  and the reason, as it states no rule" if offer.text == CONTEXT else "")
        head = muted(("Tab" if is_chosen else "").ljust(_INDENT))
        yield paragraph(head, accent(said) if is_chosen else said, last, hang=_INDENT)
        if exception is not None:
            yield below(accent(f"{exception.words} · "), muted(exception.also))
        if suggestion is not None and (effect := _effect_of(suggestion)):
            yield below(effect)
    if len(offers) > first + _MOST_OFFERED:
        yield paragraph(muted(f"     and {len(offers) - first - _MOST_OFFERED} more, ↓"))


def _effect_of(offered: Offered) -> Line:
    """What a suggested sentence turns, with an example, and the words that it says nothing of."""
    parts = [_TURNED[kind].format(count) for kind, count in offered.turned if kind in _TURNED]
    parts += [f"as {offered.example}"] if offered.example else []
    if offered.is_theorem:
        parts = ["a theorem, which decides no call"]
    effect = "the policy has it" if offered.stands else " · ".join(parts)
    without = f"leaves out {one_line(', '.join(offered.left_out))}" if offered.left_out else ""
    runs = accent(effect), muted(" · " if effect and without else ""), muted(without)
    return tuple(run for run in runs if run.text)


def _phrases(writing: Writing) -> Iterator[Row]:
    """Each phrase that is read, and the condition that it is; the one at the cursor is marked."""
    every, text = writing.typed.phrases, writing.text
    if not every or every[-1].end > len(text):
        return
    here = phrase_at(every, writing.cursor)
    yield BLANK
    for phrase in (one for one in every if one.listed):
        is_here = here is not None and phrase.start <= here.start and here.end <= phrase.end
        said, mark = one_line(text[phrase.start : phrase.end]), accent("▸ " if is_here else "  ")
        yield paragraph(mark, said, muted("  is  "), coded(phrase.python), hang=4)
        if is_here and here is not None and not here.listed and here.python != phrase.python:
            inner = one_line(text[here.start : here.end])
            yield paragraph(muted(f"{inner}  is  "), coded(here.python), indent=6)


def _changed(change: PolicyChange, spoken: ArgumentWords) -> Iterator[Row]:
    """The recorded calls that would turn, and an input that would be decided otherwise."""
    if change.as_if:
        yield from (BLANK, paragraph(muted(change.as_if)))
    inner = partial(paragraph, indent=2, hang=2)
    if turned := [flip for flip in change.changed if flip.turns]:
        counts = Counter(flip.kind.value for flip in turned)
        total = " · ".join(_TURNED[kind].format(count) for kind, count in counts.items() if kind in _TURNED)
        yield from (BLANK, paragraph(accent(total), muted(f" of {len(change.flips):,} recorded calls")))
        reasons = (undetermined_words(flip.new.decision.reasons, change.words.noun) for flip in turned)
        for why, count in Counter(chain.from_iterable(reasons)).most_common(1):
            yield inner(muted(f"{count:,} cannot, as {one_line(why)}"))
        for flip in turned[:_MOST_CALLS]:
            call = muted(f"{one_line(flip.new.run)}, call {flip.new.index}: ")
            yield inner(call, turned_line(flip.old.decision.verdict, flip.new.decision.verdict))
    for region in change.semantic.regions[:1]:
        yield from (BLANK, paragraph(muted("for example "), turned_line(region.old, region.new)))
        words = spoken.joined(change.words)
        yield from argument_rows(words.shown(region.decisive_arguments or region.witness))
    if change.semantic.equivalent:
        yield from (BLANK, paragraph(muted("No call is decided otherwise.")))
