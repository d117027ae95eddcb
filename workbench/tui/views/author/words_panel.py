"""A sentence that cannot be read, word by word: candidates for each word, and rules it may state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from workbench.app.planned_answers import meaning_title
from workbench.app.request_sentences import number_about
from workbench.app.session_state import SessionState
from workbench.clean_text import one_line
from workbench.model import Question, SentenceRole, WorkbenchError
from workbench.tones import Tone
from workbench.tui.code_rows import code_rows
from workbench.tui.messages import Act, Ask
from workbench.tui.numbered_options import PICK, Picks
from workbench.tui.text_runs import Line, TextRun, fit, line, muted, width_of
from workbench.tui.value_text import BLANK, paragraph
from workbench.tui.views.author.rule_effect_rows import trial_rows
from workbench.tui.widgets.lines import Row

if TYPE_CHECKING:
    from textual.widget import Widget

    from workbench.app.results import Logs
    from workbench.app.sentence_words import OpenedSentence, OpenedWord, TriedRules
    from workbench.app.workbench import Workbench

MOST_MEANING = 22
MOST_CODE = 10
KEPT = "; kept for the next sentences"
"""The end of the explanation of every synonym."""


class WordsPanel:
    """The words of the sentence in focus; ``changed`` is called when the view has to redraw them."""

    def __init__(self, view: Widget, changed: Callable[[], None]) -> None:
        """Request results by messages of the view."""
        self._view = view
        self._changed = changed
        self._state: SessionState | None = None
        self._opened: dict[str, OpenedSentence | None] = {}
        self._tried: dict[str, TriedRules | str] = {}
        self._named = self._quote = ""
        self._word = 0
        self._option = ""
        self._sight = object()
        """Another one as soon as other words are in sight: what was asked of the ones before is dropped."""

    # --- drawing

    def look(self, state: SessionState, question: Question) -> bool:
        """Open the sentence of a question; False if the question is not about an unreadable sentence."""
        before = self._state
        if before is None or _dependencies(before) != _dependencies(state):
            self._opened = {}
            self._look_elsewhere()
        self._state = state
        named = unread_sentence(state, question)
        if (named, question.quote) != (self._named, self._quote):
            self._named, self._quote, self._word = named, question.quote, 0
            self._look_elsewhere()
        if named and named not in self._opened and state.logs is not None:
            logs, sight = state.logs, self._sight
            keep = partial(self._keep_opened, sight, named)
            self._view.post_message(Ask("words", lambda bench: partial(keep, _opened(bench, named, logs))))
        return bool(named)

    def _look_elsewhere(self) -> None:
        self._tried, self._option, self._sight = {}, "", object()

    def _keep_opened(self, sight: object, named: str, opened: OpenedSentence | None) -> None:
        if sight is self._sight:
            self._opened[named] = opened
            self._changed()

    @property
    def opening(self) -> bool:
        """Whether the words of the sentence, and so the numbers of all options, are not known yet."""
        has_logs = self._state is not None and self._state.logs is not None
        return has_logs and bool(self._named) and self._named not in self._opened

    @property
    def opened(self) -> OpenedSentence | None:
        """The sentence in focus, None until it is opened."""
        return self._opened.get(self._named)

    @property
    def word(self) -> OpenedWord | None:
        """The word in focus, None if all words are understood."""
        unknown = [] if self.opened is None else [word for word in self.opened.words if word.candidates]
        return unknown[self._word % len(unknown)] if unknown else None

    @property
    def turned(self) -> list[tuple[str, int]]:
        """The recorded calls that the option in focus turns, by run and index."""
        tried = self._tried.get(self._option)
        if tried is None or isinstance(tried, str):
            return []
        return [(flip.new.run, flip.new.index) for flip in tried.turned]

    def rows(self, width: int, picks: Picks) -> list[Row]:
        """The words in a row above their meanings, and the rules that the sentence may state."""
        opened, word = self.opened, self.word
        if opened is None:
            words = "Opening the sentence" if self.opening else "The sentence is not opened"
            return paragraph(line(muted(f"{words} word by word.")), width)
        rows = [BLANK, *_strip(opened.words, word, width)]
        if opened.rules:
            rows += [BLANK, *paragraph(line(TextRun("It may state", Tone.TITLE)), width)]
            for number, rule in enumerate(opened.rules):
                out = (TextRun(f"  {one_line(omitted)}", Tone.WARN) for omitted in rule.omitted)
                label = line(one_line(rule.sentence), *out)
                rows += self._option_rows(f"stated:{number}", label, width, picks)
        return rows

    def meaning_rows(self, width: int, picks: Picks) -> list[Row]:
        """The candidates for the word in focus; they come last, so that other options keep their numbers."""
        opened, word, rows = self.opened, self.word, list[Row]()
        if opened is not None and word is not None:
            unknown = [opened_word for opened_word in opened.words if opened_word.candidates]
            place = f"  word {self._word % len(unknown) + 1} of {len(unknown)}, ◂ ▸" if unknown[1:] else ""
            head = line(TextRun(f"“{one_line(word.text)}” is not understood; it could be", Tone.WARN))
            rows += [BLANK, *paragraph((*head, muted(place)), width)]
            for number, meaning in enumerate(word.candidates):
                label = one_line(meaning.explanation).removesuffix(KEPT)
                rows += self._option_rows(f"word:{number}", label, width, picks)
        return rows

    def _option_rows(self, key: str, label: Line | str, width: int, picks: Picks) -> list[Row]:
        rows = picks.rows(key, label, width)
        if key == self._option and (tried := self._tried.get(key)) is not None:
            rows += list(_tried_rows(tried, width))
        return rows

    # --- the person's actions

    def aside(self, direction: int) -> bool:
        """Focus another word; False if there is none."""
        if self.word is None:
            return False
        self._word += direction
        self._look_elsewhere()
        self._changed()
        return True

    def stand(self, key: str) -> None:
        """Find the effect of the option at the cursor, and show it under the option."""
        option = key.removeprefix(PICK)
        if option == self._option:
            return
        self._option = option
        trial = self._trial(option)
        if trial is not None and option not in self._tried:
            sight = self._sight
            self._view.post_message(
                Ask("tried", lambda bench: partial(self._was_tried, sight, option, trial(bench)))
            )
        self._changed()

    def _trial(self, option: str) -> Callable[[Workbench], TriedRules | str] | None:
        kind, _, number = option.partition(":")
        opened, word, named, state = self.opened, self.word, self._named, self._state
        if opened is None or state is None or state.logs is None or not number.isdecimal():
            return None
        logs = state.logs
        if kind == "stated":
            rule = opened.rules[int(number)]
            return lambda bench: _attempt(lambda: bench.words.tried(named, [rule], logs))
        if kind == "word" and word is not None:
            text, meant = word.text, word.candidates[int(number)].value
            return lambda bench: _attempt(lambda: bench.words.tried_word(named, text, meant, logs))
        return None

    def _was_tried(self, sight: object, option: str, tried: TriedRules | str) -> None:
        if sight is self._sight:
            self._tried[option] = tried
            self._changed()

    def act(self, option: str) -> Act | None:
        """The act of choosing an option; None if the option is no word or rule."""
        kind, _, number = option.partition(":")
        opened, word, named = self.opened, self.word, self._named
        if opened is None or not number.isdecimal():
            return None
        if kind == "stated":
            rule = opened.rules[int(number)]
            return Act(
                f"It states: {one_line(rule.sentence)}", lambda bench: bench.words.rules(named, [rule])
            )
        if kind == "word" and word is not None:
            text, meant = word.text, word.candidates[int(number)].value
            return Act(meaning_title(text, meant), lambda bench: bench.words.choose(named, text, meant))
        return None


def unread_sentence(state: SessionState, question: Question) -> str:
    """The number of the unread sentence that a question is about; empty if there is none."""
    number = number_about(state.sentences, question)
    unread = number and state.sentences[number - 1].role is SentenceRole.OPEN and question.free_text
    return str(number) if unread else ""


def _dependencies(state: SessionState) -> tuple[object, ...]:
    """The state on which a sentence's words depend; an act may change any of it, and the agent spec."""
    return state.request, state.assumptions, state.policy, state.versions


def _opened(bench: Workbench, named: str, logs: Logs) -> OpenedSentence | None:
    """The sentence word by word; None if it cannot be opened, so that its question can still be answered."""
    try:
        return bench.words.open(named, logs)
    except WorkbenchError:
        return None


def _attempt(work: Callable[[], TriedRules]) -> TriedRules | str:
    try:
        return work()
    except WorkbenchError as error:
        return str(error)


def _strip(words: Sequence[OpenedWord], chosen: OpenedWord | None, width: int) -> Iterator[Row]:
    """The words in rows, each above its meaning."""
    over: list[TextRun] = [TextRun("  ")]
    under: list[TextRun] = [TextRun("  ")]
    for word in words:
        text, meaning = one_line(word.text), _meaning(word)
        cell = min(max(len(text), len(meaning)), max(len(text), MOST_MEANING)) + 2
        if width_of(over) + cell > width and len(over) > 1:
            yield from (Row(tuple(over)), Row(tuple(under)))
            over, under = [TextRun("  ")], [TextRun("  ")]
        tone = Tone.PLAIN
        if word.candidates:
            tone = Tone.MARK if word is chosen else Tone.WARN
        over += [TextRun(text, tone), TextRun(" " * (cell - len(text)))]
        under.append(TextRun(fit(meaning, cell - 1) + " ", Tone.WARN if word.candidates else Tone.MUTED))
    yield from (Row(tuple(over)), Row(tuple(under)))


def _meaning(word: OpenedWord) -> str:
    """The meaning of a word, in a word or two."""
    if word.candidates:
        return "?"
    values = word.quoted_names
    match word.role.value:
        case "tool" if values:
            return "= " + " or ".join(values)
        case "value":
            return "= " + (one_line(word.meaning).replace("==", "is"))
        case "argument":
            return "= " + one_line(word.meaning)
        case "adds nothing" if word.meaning:
            return "adds nothing"
        case _:
            return ""


def _tried_rows(tried: TriedRules | str, width: int) -> Iterator[Row]:
    """Rows of an option's effect: an input that turns, the recorded calls that turn, and the rules."""
    if isinstance(tried, str):
        yield from paragraph(line(TextRun(one_line(tried), Tone.WARN)), width, indent=4)
        return
    if not tried.rules:
        yield from paragraph(line(muted("The sentence is not read with it yet.")), width, indent=4)
    yield from trial_rows(tried.change, width, indent=4, most=1)
    code = [row for text in tried.rules for row in code_rows(text, 1, len(text.splitlines()), width - 4)]
    for row in code[:MOST_CODE]:
        yield Row((TextRun("    "), *row.line))
    if len(code) > MOST_CODE:
        yield Row(line(muted(f"    … {len(code) - MOST_CODE} more lines of the rule")))
