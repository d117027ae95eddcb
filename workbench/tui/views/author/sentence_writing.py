"""Saying a sentence of the request in the language: what is typed is read, previewed and kept.

Rows of a sentence that is being typed: what is offered, what it is read as, and what it changes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from workbench.app.requested_sentence import RequestedSentence, SentenceState
from workbench.app.suggestions import Offered
from workbench.app.typed_sentence import Typed, WordOffer, others, phrase_at, placed_beside, typed
from workbench.app.value_texts import OWN_NAMES, ArgumentWords, undetermined_words
from workbench.clean_text import one_line
from workbench.language.words import on_one_line
from workbench.model import RecordedCall, TheoremVerdict, WorkbenchError
from workbench.tui.known_state import TYPING_PAUSE
from workbench.tui.messages import Act, Ask, Workbench
from workbench.tui.text_runs import Line, TextRun, accent, bad, coded, muted, strong, warn
from workbench.tui.theorem_rows import theorem_rows
from workbench.tui.verdict_signs import turned_line
from workbench.tui.widgets.lines import BLANK, LineList, Row, argument_rows, paragraph

if TYPE_CHECKING:
    from workbench.app.call_exceptions import CallException, Responsible
    from workbench.app.results import PolicyChange
    from workbench.app.rewording import RewordingPreview
    from workbench.app.sentences import SayPreview
    from workbench.app.session_state import SessionState
    from workbench.tui.views.author.view import AuthorView


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

    ``typed`` is what was understood of the text that was ``read``, with the cursor at its place.
    ``exceptions`` are sentences with which a call would run that the first text keeps from running.
    ``suggested`` are whole sentences for one that is not read, ``advice`` says what it needs. Where one is
    taken for the ``foreign`` text, ``left_out`` are the words that it does not say. ``effect`` is what a text
    that is read changes with the clauses that it contradicts, ``theorems`` the preview's verdicts on those
    that it adds, and ``refused`` says why it cannot be kept. Once it is ``told`` what the text means or
    changes, nothing more is looked for; if that is ``late``, the editor says what is done meanwhile.
    """

    sentence: RequestedSentence | None
    why: str = ""
    text: str = "\0"
    cursor: int = 0
    chosen: int = 0
    typed: Typed = field(default_factory=Typed)
    read: tuple[str, int] | None = None
    exceptions: Sequence[CallException] = ()
    begun: str = ""
    refused_before: bool = False
    advice: str = ""
    foreign: str = ""
    left_out: Sequence[str] = ()
    suggested: Mapping[WordOffer, Offered] = field(default_factory=dict["WordOffer", "Offered"])
    effect: SayPreview | RewordingPreview | None = None
    theorems: Sequence[TheoremVerdict] = ()
    refused: str = ""
    told: bool = True
    late: bool = False

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
        if self.begins_context:
            return ()
        offers = [*self.excepting, *self.suggested, *self.typed.offers]
        is_open = self.sentence is not None and self.sentence.state is SentenceState.OPEN
        if is_open and not self.typed.whole and not self.typed.context:
            offers.append(WordOffer(CONTEXT, 0, len(self.text)))
        return offers

    @property
    def begins_context(self) -> bool:
        """Whether the text says that there is no rule, and not yet why."""
        return self.text.strip().casefold() == CONTEXT

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
        self.advice, self.left_out = "", ()
        self.told, self.late = not text.strip(), False


def writing_rows(writing: Writing, words: ArgumentWords = OWN_NAMES) -> Iterator[Row]:
    """The sentence of the request, why it was not kept, the offers, the phrases and the effect.

    ``words`` are what sentences call the arguments of the present policy.
    """
    read = writing.typed
    quote = "" if writing.sentence is None else one_line(writing.sentence.requirement.quote)
    if quote and quote != one_line(writing.text):
        yield paragraph(*_marked(quote, writing.left_out), hang=1)
    for problem in filter(None, dict.fromkeys((writing.why, writing.refused))):
        yield from (BLANK, paragraph(bad(one_line(problem))))
    if writing.begins_context:
        yield from (BLANK, paragraph(muted("the reason follows: why the sentence states no rule")))
        return
    if read.context:
        yield from (BLANK, paragraph(muted("states no rule: "), one_line(read.context)))
        return
    yield from _open(writing)
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


def _open(writing: Writing) -> Iterator[Row]:
    """What is not read of a text, and what of the sentence of the request it does not say."""
    if unread := writing.typed.unread:
        words = one_line(writing.text[slice(*unread[0])])
        yield from (BLANK, paragraph(warn("not read: "), f"“{words}”", hang=2))
        if writing.advice:
            yield paragraph(muted(one_line(writing.advice)), indent=2)
    if writing.left_out:
        yield paragraph(warn("not said yet: "), one_line(", ".join(writing.left_out)), hang=2)


def _marked(quote: str, left_out: Sequence[str]) -> Sequence[TextRun]:
    """A sentence of the request, in which the words are marked that are not said yet."""
    words = "|".join(map(re.escape, left_out)) or "$^"
    parts = re.split(rf"\b({words})\b", quote, flags=re.IGNORECASE)
    return [warn(part) if number % 2 else strong(part) for number, part in enumerate(parts)]


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
            said = exception.differing(one_line(writing.text))
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
    words = one_line(", ".join(offered.left_out))
    without = f"leaves out {words}: take it, then go on with that" if words else ""
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


type Find[Found] = Callable[[Workbench], Found]

_MOST_SUGGESTED = 3
_READ_SOON = 0.5
"""Seconds after which it is said that a text is still being read."""


class SentenceWriting:
    """Opens the editor of sentences, reads what is typed, says what it changes, and keeps it."""

    def __init__(
        self, view: AuthorView, fill: Callable[[], None], code: Callable[[str, str, str], None]
    ) -> None:
        """Write for a view; ``fill`` draws its panes, and ``code`` edits the rule of a sentence in Python."""
        self._view = view
        self._editor = view.sentence
        self._editor.moved, self._editor.left = self._moved, self._left
        self._fill = fill
        self._code = code
        self._writing: Writing | None = None
        self._back: LineList | None = None
        self._code_wanted = "", ""
        self._not_kept: list[Callable[[], None]] = []

    @property
    def writing(self) -> bool:
        """Whether a sentence is being typed."""
        return self._writing is not None

    @property
    def said(self) -> str | None:
        """The id of the sentence that is typed, empty for a new one; None while none is typed."""
        writing = self._writing
        if writing is None:
            return None
        return "" if writing.sentence is None else writing.sentence.requirement.id

    def begin(self) -> bool:
        """Say the sentence in focus; False if none is, or the policy has problems."""
        row = self._view.row
        sentence = None if row is None else self._view.state.requested_of(row.requirement.id)
        if sentence is None:
            return False
        said = f"context: {sentence.reason}" if sentence.reason else "\n".join(sentence.texts)
        self._begin(sentence, said or one_line(sentence.requirement.text), replaced=not said)
        return True

    def begin_new(self) -> bool:
        """Say a sentence that the request does not have yet; False if the policy has problems."""
        if self._view.state.terms is None:
            return False
        self._begin(None, "")
        return True

    def begin_exception(self, rules: Sequence[str], run: Sequence[RecordedCall]) -> bool:
        """Say an exception for the last call of a run, which these rules keep from running."""
        terms, logs, begun = self._view.state.terms, self._view.state.logs, self._view.row
        if terms is None:
            return False

        def find(bench: Workbench) -> Responsible:
            return bench.exceptions.of(terms, rules, run[-1], run[:-1], logs)

        def show(found: Responsible) -> None:
            if not self.writing and self._view.row is begun:  # else the person has gone on meanwhile
                self._begin(found.sentence, found.text, exceptions=found.exceptions)
                self._editor.mark_part(*found.selected)

        return self._view.post_message(Ask("exception", find, show, "looking for exceptions"))

    def _begin(
        self,
        sentence: RequestedSentence | None,
        text: str,
        why: str = "",
        *,
        replaced: bool = False,
        exceptions: Sequence[CallException] = (),
    ) -> None:
        writing = Writing(sentence, why, exceptions=exceptions, begun=text, refused_before=bool(why))
        self._writing = writing
        self._back = self._view.current
        self._view.mark(self._view.middle)
        named = "A NEW SENTENCE" if sentence is None else "WHAT IT MEANS"
        self._editor.begin(named, text, replaced=replaced)
        self._read(writing)
        self._fill()

    # --- reading what is typed

    def _moved(self) -> None:
        """Read the text if it was changed or the cursor moved; else another offer is chosen."""
        writing, editor = self._writing, self._editor
        if writing is None:
            return
        if (editor.text, editor.cursor) == (writing.text, writing.cursor):
            self._offer(writing)
        else:
            self._read(writing)

    def _read(self, writing: Writing) -> None:
        text, cursor = self._editor.text, self._editor.cursor
        if text != writing.text:
            writing.begin(text)
            self._after(TYPING_PAUSE, writing, self._paused)
            self._after(_READ_SOON, writing, self._tell)
        writing.cursor = cursor
        self._after(TYPING_PAUSE, writing, partial(self._rested, cursor))
        words = text, cursor, writing.words
        show = partial(self._found, cursor)
        self._ask("sentence", writing, lambda bench: typed(bench.sentences, *words), show)

    def _after(self, seconds: float, writing: Writing, act: Callable[[Writing], object]) -> None:
        """Do something with what is typed after some seconds, unless more was typed then."""
        text = writing.text

        def rested() -> None:
            if self._writing is writing and writing.text == text:
                act(writing)

        self._view.set_timer(seconds, rested)

    def _ask[Found](
        self, group: str, writing: Writing, find: Find[Found], show: Callable[[Writing, Found], object]
    ) -> None:
        """Find something about what is typed, and show it unless more was typed then."""
        text = writing.text

        def found(result: Found) -> None:
            if self._writing is writing and writing.text == text:
                show(writing, result)

        self._view.post_message(Ask(group, find, found))

    def _rested(self, cursor: int, writing: Writing) -> None:
        """Ask what may stand in the place of the words at the cursor, if it is still there."""
        if cursor == writing.cursor:
            words = writing.text, cursor, writing.words
            show = partial(self._others, cursor)
            self._ask("other words", writing, lambda bench: others(bench.sentences, *words), show)

    def _others(self, cursor: int, writing: Writing, found: Sequence[WordOffer]) -> None:
        if found and cursor == writing.cursor and writing.read == (writing.text, cursor):
            writing.typed = replace(writing.typed, offers=tuple(found))
            self._offer(writing)

    def _tell(self, writing: Writing) -> None:
        """Say that what is shown is of an earlier text, or that more is looked for."""
        writing.late = True
        if writing.read is None or writing.text != writing.read[0]:
            self._editor.tell(" · reading …")
        elif not writing.told:
            self._editor.tell(f" · looking what it {'may mean' if writing.typed.unread else 'changes'} …")

    def _found(self, cursor: int, writing: Writing, found: Typed) -> None:
        writing.typed, writing.read = found, (writing.text, cursor)
        if writing.late and not writing.told:
            self._tell(writing)
        else:
            self._editor.tell()
        self._offer(writing)

    def _offer(self, writing: Writing) -> None:
        """Show what is offered and what is not read."""
        self._editor.offer(writing.offers, writing.typed.unread, writing.read)
        writing.chosen = self._editor.chosen
        self._fill()

    def _paused(self, writing: Writing) -> None:
        """Ask what a text changes if it is read, or what it may mean."""
        text, logs, sentence = writing.text, self._view.state.logs, writing.sentence
        if not text.strip():
            return

        def find(bench: Workbench) -> Callable[[], object]:
            from workbench.app.rewording import Reworded, sentences_of

            found = typed(bench.sentences, text, len(text), writing.words)
            around = None if sentence is None else "\n".join(sentence.under)
            if found.foreign:
                foreign = found.foreign[0]
                suggested = bench.suggestions.of(foreign.text, logs, around, _MOST_SUGGESTED)
                advice = bench.suggestions.advice(foreign.text, logs)
                return partial(self._suggested, writing, foreign, suggested, advice)
            if not found.whole:
                return lambda: None
            sentences = sentences_of(text)
            try:
                if sentence is None:
                    preview, refused = bench.sentences.preview(sentences, logs), ""
                else:
                    reworded = Reworded(sentence.requirement.text, sentences, whole=True)
                    preview, refused = bench.rewordings.preview([reworded], logs), ""
            except WorkbenchError as error:
                preview, refused = None, " ".join(map(str, (error, *error.problems)))
            meant = writing.foreign, sentences, logs, around, _MOST_SUGGESTED
            rest = bench.suggestions.beside(*meant) if writing.foreign else ((), ())
            return partial(self._changes, writing, preview, refused, *rest)

        def show(writing: Writing, tell: Callable[[], object]) -> None:
            writing.told = True
            self._editor.tell()
            tell()

        self._ask("said", writing, find, show)

    def _suggested(self, writing: Writing, foreign: WordOffer, found: Sequence[Offered], advice: str) -> None:
        place, writing.advice, writing.foreign = (foreign.start, foreign.end), advice, foreign.text
        writing.suggested = {WordOffer(one.text, *place): one for one in found if one.text}
        self._offer(writing)

    def _changes(
        self,
        writing: Writing,
        effect: SayPreview | RewordingPreview | None,
        why: str,
        left_out: Sequence[str],
        beside: Sequence[Offered],
    ) -> None:
        """Show what a text changes and does not say yet, and ask for verdicts on theorems that it adds."""
        writing.effect, writing.refused, writing.left_out = effect, why, left_out
        writing.suggested = {placed_beside(writing.text, one.text): one for one in beside}
        self._offer(writing)
        if effect is not None:
            policy = effect.policy

            def find(bench: Workbench) -> Sequence[TheoremVerdict]:
                return bench.theorems.said(bench.policy.terms(), bench.policy.terms(policy))

            self._ask("said theorems", writing, find, self._theorems)

    def _theorems(self, writing: Writing, found: Sequence[TheoremVerdict]) -> None:
        writing.theorems = found
        self._fill()

    # --- the end

    def _left(self, text: str, is_kept: bool, as_code: bool) -> None:
        """Keep what was typed, or discard it."""
        from workbench.app.rewording import sentence_places

        writing, self._writing = self._writing, None
        self._view.call_after_refresh(self._take_up)
        (self._back or self._view.middle).focus()
        self._fill()
        if writing is None or not is_kept:
            return
        sentence = writing.sentence
        words = text if sentence is None else sentence.requirement.text
        places = (part for part in sentence_places(writing.text) if writing.cursor <= part[1])
        said = next((writing.text[start:end] for start, end in places), "")
        if as_code and (text == on_one_line(writing.begun) or not writing.typed.whole):
            self._code(words, writing.tool, said)
            return
        # a sentence that is read is kept again, so that its clauses follow a rule that was edited
        stays = sentence is not None and sentence.state in (SentenceState.PYTHON, SentenceState.CONTEXT)
        if not text or (stays and text == on_one_line(writing.begun)):
            return
        if as_code:
            self._code_wanted = words, said

        def failed(why: str) -> None:
            self._code_wanted = "", ""
            self._not_kept.append(partial(self._begin, sentence, text, why))
            self._take_up()
            if not self._view.display:
                self._view.say(f"Not kept; Author shows it again: {why}", problem=True)

        done = "Said" if sentence is not None else "Added to request.md"
        act = Act(f"{done}: {one_line(text)}", partial(_keep, sentence, text), failed, opens=as_code)
        self._view.store(act, "" if sentence is None else sentence.requirement.id)

    def _take_up(self) -> None:
        """Edit again what could not be kept, once nothing else is typed and the view is in sight."""
        if self._not_kept and not self.writing and self._view.display:
            self._not_kept.pop(0)()

    def show(self, state: SessionState) -> None:
        """Edit in Python what was said, if that was wanted, now that the state has it.

        What was refused, and is stored all the same, is not edited any more.
        """
        writing = self._writing
        if self._not_kept:
            self._view.call_after_refresh(self._take_up)
        if writing is not None and writing.sentence is not None and writing.refused_before:
            sentence = writing.sentence
            stored = state.requested_of(sentence.requirement.id)
            if stored is not None and stored.texts != sentence.texts:
                self._editor.action_leave(False)
        words, said = self._code_wanted
        if words and any(one.requirement.text == words and one.readings for one in state.requested):
            self._code_wanted = "", ""
            self._view.call_after_refresh(self._code, words, "", said)

    def rows(self) -> Iterable[Row]:
        """The sentence of the request, what is offered, what is read, and what it changes."""
        return () if self._writing is None else writing_rows(self._writing, self._view.state.words)


def _keep(sentence: RequestedSentence | None, text: str, bench: Workbench) -> object:
    from workbench.app.rewording import Reworded, context_of, sentences_of

    if sentence is None:
        return bench.rewordings.add(text)
    words, reason = sentence.requirement.text, context_of(text)
    kept = Reworded(words, context=reason) if reason else Reworded(words, sentences_of(text), whole=True)
    return bench.rewordings.keep([kept])
