"""Answers in a file: many questions and sentences answered at once.

Each key is words of one sentence of the request or of the text of one question, or a question's id. Its value
is the text of an option, own words if the question takes them, or a table with the rules that the sentence
states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from workbench.app.request_sentences import bare_words
from workbench.files.bounded_text import load_toml
from workbench.model import Question, SentenceRole, Span, WorkbenchError

if TYPE_CHECKING:
    from workbench.app.assumed_rules import StatedRule
    from workbench.app.questions import Questions
    from workbench.app.request import Request
    from workbench.app.results import Logs, SessionChange
    from workbench.app.sentence_words import SentenceWords

SETTINGS = "settings"
type Tell = Callable[[int, int], None]
_MOST_ROUNDS = 6
_CONTEXT = frozenset(["context", "it is context", "it is context not a rule"])


class RuleAnswer(BaseModel):
    """A rule that a sentence states: its form, the tools it is about, and its conditions.

    Form and tools may be left out where only one fits all else that is known.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    rule: str = ""
    tools: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    either: bool = False

    @property
    def stated_rule(self) -> StatedRule:
        """The rule, as far as the entry states it."""
        from workbench.app.assumed_rules import StatedRule

        return StatedRule(self.rule, self.tools, self.when, self.either)

    @property
    def choices(self) -> int:
        """The number of a person's choices in it: its form, its tools, each condition."""
        return bool(self.rule) + bool(self.tools) + len(self.when)


class WordAnswers(BaseModel):
    """The meanings of single words of a sentence."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    words: Mapping[str, str] = Field(min_length=1)


type AnswerTable = RuleAnswer | WordAnswers | Annotated[tuple[RuleAnswer, ...], Field(min_length=1)]
_TABLES: TypeAdapter[AnswerTable] = TypeAdapter(AnswerTable)
_SETTINGS_FORM = TypeAdapter(dict[str, str])


@dataclass(frozen=True, slots=True)
class AnswerEntry:
    """One answer of a file: the words that it is about, and what a person says about them."""

    about: str
    answer: str = ""
    rules: tuple[RuleAnswer, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def choices(self) -> int:
        """The number of a person's choices in it."""
        return len(self.words) + sum(rule.choices for rule in self.rules) + bool(self.answer)


@dataclass(frozen=True, slots=True)
class AnswersTaken:
    """The result of taking the answers of a file.

    ``taken`` are the answers that were stored, ``refused`` those that were not, each with the reason in one
    sentence. ``conflicts`` says whether an answer conflicts with an edit of a person. ``assumed`` has pairs:
    the words that an answer is about, and a part of its rule that was assumed or a fact that the rule does
    not name in full.
    """

    taken: tuple[AnswerEntry, ...]
    refused: tuple[tuple[AnswerEntry, str], ...]
    conflicts: bool
    assumed: tuple[tuple[str, str], ...] = ()


def read_answers(text: str, path: str) -> tuple[tuple[AnswerEntry, ...], Mapping[str, str]]:
    """The answers of a file in its order, and its settings; raises WorkbenchError if the form is wrong."""
    try:
        data = load_toml(text, float)
    except ValueError as error:
        raise WorkbenchError(f"{path} is no TOML: {error}.") from error
    try:
        settings = _SETTINGS_FORM.validate_python(data.pop(SETTINGS, {}), strict=True)
    except ValidationError as error:
        raise WorkbenchError(f"{path}: [settings] holds texts only.") from error
    return tuple(_entry(about, answer, path) for about, answer in data.items()), settings


def _entry(about: str, answer: object, path: str) -> AnswerEntry:
    if isinstance(answer, str):
        return AnswerEntry(about, answer)
    try:
        answer_table = _TABLES.validate_python(answer)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise WorkbenchError(
            f"{path}: the answer to “{about}” is not understood ({place}: {first['msg']}); it is a text, a "
            "table with rule, tools and when (or a list of them), or a table with words."
        ) from error
    if isinstance(answer_table, WordAnswers):
        return AnswerEntry(about, words=answer_table.words)
    return AnswerEntry(about, rules=(answer_table,) if isinstance(answer_table, RuleAnswer) else answer_table)


class AnswerFile:
    """Takes the answers of a file in an open session."""

    def __init__(self, request: Request, words: SentenceWords, questions: Questions) -> None:
        self._request = request
        self._words = words
        self._questions = questions

    def take(
        self,
        entries: Sequence[AnswerEntry],
        settings: Mapping[str, str],
        logs: Logs | None,
        tell: Tell = lambda _done, _total: None,
    ) -> AnswersTaken:
        """Store every answer that is understood, as one change; some raise questions that others answer.

        ``tell`` is called with the number of answers taken and the number of all answers.
        """
        with self._request.together(f"{len(entries)} answers of a file"):
            return self._take(entries, settings, logs, tell)

    def _take(
        self, entries: Sequence[AnswerEntry], settings: Mapping[str, str], logs: Logs | None, tell: Tell
    ) -> AnswersTaken:
        answer_entries = [entry for entry in entries if entry.rules or bare_words(entry.answer) in _CONTEXT]
        assumed: list[tuple[str, str]] = []
        taken_entries, why, conflicts = self._take_sentences(
            answer_entries, settings, logs, assumed, lambda done: tell(done, len(entries))
        )
        taken_spans = self._spans(entry.about for entry in taken_entries)
        for entry in entries:
            if entry.words:
                try:
                    conflicts = bool(self._word_answers(entry, logs).conflicts) or conflicts
                except WorkbenchError as error:
                    why[entry.about] = str(error)
                else:
                    taken_entries.append(entry)
                    tell(len(taken_entries), len(entries))
        waiting = [entry for entry in entries if entry.answer and entry not in answer_entries]
        for _ in range(_MOST_ROUNDS):
            answer_by_text = self._chosen(waiting, why, taken_spans) if waiting else {}
            if not answer_by_text:
                break
            conflicts = bool(self._questions.answer_all(list(answer_by_text.values())).conflicts) or conflicts
            taken_entries += [entry for entry in waiting if entry.about in answer_by_text]
            tell(len(taken_entries), len(entries))
            waiting = [entry for entry in waiting if entry.about not in answer_by_text]
        refused = tuple((entry, why[entry.about]) for entry in entries if entry.about in why)
        return AnswersTaken(tuple(taken_entries), refused, conflicts, tuple(assumed))

    def _take_sentences(
        self,
        entries: Sequence[AnswerEntry],
        settings: Mapping[str, str],
        logs: Logs | None,
        assumed: list[tuple[str, str]],
        tell: Callable[[int], None],
    ) -> tuple[list[AnswerEntry], dict[str, str], bool]:
        """Store the answers about whole sentences (rules or context), as one change.

        Returns the entries taken, the reasons why the others are not, and whether an edit of a person
        conflicts. Assumptions about the rules are added to ``assumed``.
        """
        from workbench.clarify.stated_settings import ZONE

        why: dict[str, str] = {}
        answer_entries: list[AnswerEntry] = []
        planned, assuming = self._words.plans.present(), self._words.assuming(logs, settings)
        if ZONE in settings:
            planned = self._words.plans.with_zone(planned, settings[ZONE])
            assuming.spec = planned.spec
        for entry in entries:
            try:
                if entry.rules:
                    stated_rules = [rule.stated_rule for rule in entry.rules]
                    person_rules = assuming.completed(
                        stated_rules, self._words.sentences.tools_named(entry.about)
                    )
                    planned = self._words.plans.with_rules(planned, entry.about, person_rules, assuming.book)
                    assumed += (
                        (entry.about, assumption) for rule in person_rules for assumption in rule.unsaid
                    )
                else:
                    planned = self._words.plans.with_context(planned, entry.about)
            except WorkbenchError as error:
                why[entry.about] = str(error)
            else:
                answer_entries.append(entry)
                tell(len(answer_entries))
        if planned == self._words.plans.present():
            return answer_entries, why, False
        return (
            answer_entries,
            why,
            bool(self._words.stored(planned, f"{len(answer_entries)} answers of a file").conflicts),
        )

    def _spans(self, named: Iterable[str]) -> frozenset[Span]:
        """The spans of the sentences with these words."""
        return frozenset(self._words.sentences.named(about).span for about in named)

    def _chosen(
        self, entries: Sequence[AnswerEntry], why: dict[str, str], taken_spans: frozenset[Span]
    ) -> dict[str, tuple[Question, str]]:
        """The question and the value of each text that answers a question, by the words that it is about.

        The reason why another text answers none is put into ``why``. For sentences at ``taken_spans``, which
        were just answered, only questions without an answer count.
        """
        questions = self._questions.understand().questions
        answer_by_text: dict[str, tuple[Question, str]] = {}
        for entry in entries:
            try:
                question = self._question(entry.about, questions, taken_spans)
                answer_by_text[entry.about] = (question, self._value(question, entry.answer))
            except WorkbenchError as error:
                why[entry.about] = str(error)
            else:
                why.pop(entry.about, None)
        return answer_by_text

    def _word_answers(self, entry: AnswerEntry, logs: Logs | None) -> SessionChange:
        changed: SessionChange | None = None
        for word, meant in entry.words.items():
            changed = self._words.choose(entry.about, word, meant, logs)
        assert changed is not None
        return changed

    def _question(self, about: str, questions: Sequence[Question], taken_spans: frozenset[Span]) -> Question:
        """The question with this id, else about the only sentence with these words, else the only one."""
        for question in questions:
            if question.id == about and not any(
                span.start <= question.span.start < span.end for span in taken_spans
            ):
                return question
        about_words = bare_words(about)
        sentences = [
            sentence
            for sentence in self._words.sentences.all()
            if about_words and about_words in bare_words(sentence.text)
        ]
        if len(sentences) == 1:
            span = sentences[0].span
            matches = [
                question
                for question in questions
                if question.quote and span.start <= question.span.start < span.end
            ]
            if span in taken_spans:
                answered_ids = self._answered()
                matches = [question for question in matches if question.id not in answered_ids]
            elif not matches:
                return self._claimed(about)
        else:
            matches = [
                question for question in questions if about_words and about_words in bare_words(question.text)
            ]
        if len(matches) > 1:
            answered_ids = self._answered()
            matches = [question for question in matches if question.id not in answered_ids] or matches
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise WorkbenchError(
                f"Several questions are about “{about}”: {', '.join(question.id for question in matches)}."
            )
        if len(sentences) == 1:
            raise WorkbenchError(f"Nothing else is asked about “{about}”.")
        several = "Several sentences have" if sentences else "No sentence and no question has"
        raise WorkbenchError(f"{several} the words “{about}”.")

    def _answered(self) -> frozenset[str]:
        return frozenset(assumption.question for assumption in self._words.plans.present().assumptions)

    def _claimed(self, about: str) -> Question:
        """Make a context sentence state a rule, and return the question that this raises.

        Raises WorkbenchError if the sentence is no context or raises no question.
        """
        sentence = self._words.sentences.named(about)
        if sentence.role is not SentenceRole.CONTEXT:
            raise WorkbenchError(f"Nothing is asked about “{about}”.")
        self._questions.claim_rule(sentence)
        questions = self._questions.understand().open
        question = next((question for question in questions if question.span == sentence.span), None)
        if question is None:
            raise WorkbenchError(f"Nothing is asked about “{about}”.")
        return question

    def _value(self, question: Question, text: str) -> str:
        """The option with this text, else the text itself if the question takes own words.

        Raises WorkbenchError if it is neither.
        """
        answer_words = bare_words(text)
        for option in question.options:
            if answer_words in (bare_words(option.value), bare_words(option.label)):
                return option.value
        options = [
            option for option in question.options if answer_words and answer_words in bare_words(option.label)
        ]
        if len(options) == 1:
            return options[0].value
        if question.free_text:
            return text
        option_labels = "; ".join(f"“{option.label}”" for option in question.options)
        raise WorkbenchError(
            f"“{text}” is no option about “{question.quote or question.text}”: {option_labels}."
        )
