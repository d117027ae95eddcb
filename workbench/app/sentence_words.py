"""A sentence that cannot be read, opened word by word: its words, the rules it may state, and choosing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.app.assumed_rules import AssumedRules, StatedRule
from workbench.app.planned_answers import AnswerPlans, meaning_title
from workbench.app.request_sentences import RequestSentences
from workbench.app.results import Logs, PolicyChange, SessionChange, choices_of
from workbench.model import (
    AgentSpec,
    Draft,
    Question,
    RecordedCall,
    Sentence,
    SentenceRole,
    WorkbenchError,
)

if TYPE_CHECKING:
    from workbench.app.planned_answers import PlannedAnswers
    from workbench.app.policy import Policy
    from workbench.app.request import Request
    from workbench.app.runs import Runs
    from workbench.clarify.fact_book import FactBook
    from workbench.clarify.person_rule import PersonRule
    from workbench.clarify.sayable_facts import SayableFact
    from workbench.clarify.word_meanings import OpenedWord
    from workbench.runs.replay import Flip
    from workbench.session import Session

__all__ = ["MOST_OFFERED", "MOST_WITNESSES", "OpenedSentence", "OpenedWord", "SentenceWords", "TriedRules"]

MOST_OFFERED = 12
"""If all questions are listed, the number of questions for which rules of their sentences are searched."""
MOST_WITNESSES = 4
"""The number of inputs with another decision that are searched before a rule is stored."""


@dataclass(frozen=True, slots=True)
class OpenedSentence:
    """A sentence word by word, with the rules of listed forms that it may state."""

    sentence: Sentence
    words: tuple[OpenedWord, ...]
    rules: tuple[PersonRule, ...]


@dataclass(frozen=True, slots=True)
class TriedRules:
    """The effect of rules for a sentence, with their reading and their text.

    ``change`` compares the policy before and after: by proof with inputs that turn, and on the logs.
    """

    readings: tuple[str, ...]
    rules: tuple[str, ...]
    change: PolicyChange

    @property
    def turned(self) -> tuple[Flip, ...]:
        """The recorded calls whose verdict changes."""
        return tuple(flip for flip in self.change.flips if flip.turns)


@dataclass(frozen=True, slots=True)
class _KeptBook:
    """The facts from an agent spec and recorded calls."""

    spec: AgentSpec
    calls: Sequence[RecordedCall]
    book: FactBook


class SentenceWords:
    """Opens a sentence word by word, and stores what a person says about its words.

    ``sentences`` finds a sentence by its words; ``plans`` has what an answer would make of the session.
    """

    def __init__(self, session: Session, request: Request, runs: Runs, policy: Policy) -> None:
        self._session = session
        self._request = request
        self._runs = runs
        self._policy = policy
        self.sentences = RequestSentences(session, request)
        self.plans = AnswerPlans(session, request, self.sentences)
        self._kept_book: _KeptBook | None = None

    # --- looking ---

    def book(self, logs: Logs | None = None, settings: Mapping[str, str] | None = None) -> FactBook:
        """Every fact that a rule may use, by its names; ``settings`` are options of kinds of facts.

        A book without settings is cached while agent spec and logs stay the same.
        """
        from workbench.clarify.known_facts import fact_book

        spec, calls = self._session.spec, (logs or self._runs.current()).calls
        cached = self._kept_book
        if settings or cached is None or cached.spec is not spec or cached.calls is not calls:
            cached = _KeptBook(spec, calls, fact_book(spec, calls, settings))
        if not settings:
            self._kept_book = cached
        return cached.book

    def facts(self, words: str) -> tuple[SayableFact, ...]:
        """The facts whose names contain all these words."""
        from workbench.author.rules.words import split_words, stem

        word_stems = {stem(word) for word in split_words(words)}
        return tuple(fact for fact in self.book().facts if word_stems <= fact.stems)

    def forms(self) -> tuple[str, ...]:
        """The names of the forms of rules that a sentence may state."""
        from workbench.clarify.person_rule import FORMS

        return tuple(FORMS)

    def person_rule(self, named: str, stated_rule: StatedRule) -> PersonRule:
        """The rule of a form about tools under conditions, or the rule with a number in the sentence's list.

        Raises WorkbenchError if there is no such form or number, or if an open part has several answers.
        """
        form = stated_rule.form
        if form.isdecimal():
            rules = self.open(named).rules
            if not 0 < int(form) <= len(rules):
                raise WorkbenchError(f"The sentence lists {len(rules)} rules; {form} is the number of none.")
            return rules[int(form) - 1]
        (person_rule,) = self.assuming().completed([stated_rule], self.sentences.tools_named(named))
        return person_rule

    def assuming(self, logs: Logs | None = None, settings: Mapping[str, str] | None = None) -> AssumedRules:
        """The completion of partly stated rules, by facts and recorded calls."""
        current_logs = logs or self._runs.current()
        return AssumedRules(self._session.spec, self.book(current_logs, settings), current_logs)

    def meaning(self, named: str, word: str, name_or_number: str) -> str:
        """The meaning that a person chose for a word: a name, or the number of a choice in the word's list.

        Raises WorkbenchError if no choice has the number.
        """
        if not name_or_number.isdecimal():
            return name_or_number
        number = int(name_or_number)
        opened = next(
            (opened_word for opened_word in self.open(named).words if opened_word.text == word), None
        )
        choices = opened.candidates if opened is not None else ()
        if not 0 < number <= len(choices):
            raise WorkbenchError(f"“{word}” has {len(choices)} choices; {number} is the number of none.")
        return choices[number - 1].value

    def open(self, named: str, logs: Logs | None = None) -> OpenedSentence:
        """The sentence word by word."""
        sentence, book = self.sentences.as_said(self.sentences.named(named)), self.book(logs)
        words = self._words(sentence, book)
        return OpenedSentence(sentence, words, self._offered(sentence, words, book))

    def offered(self, sentence: Sentence, logs: Logs | None = None) -> tuple[PersonRule, ...]:
        """The rules that a sentence may state, as in the opened sentence."""
        from workbench.clarify.fact_book import FactBook

        in_own_words, book = self.sentences.as_said(sentence), self.book(logs)
        return self._offered(in_own_words, self._words(in_own_words, FactBook((), None)), book)

    def offered_for(
        self, questions: Iterable[Question], logs: Logs | None = None
    ) -> Mapping[str, tuple[str, ...]]:
        """The rules, in words, that unread sentences may state, by the ids of the first such questions."""
        unread = {
            sentence.span: sentence for sentence in self.sentences.all() if sentence.role is SentenceRole.OPEN
        }
        blocking_questions = [
            question
            for question in questions
            if question.blocking and question.free_text and question.span in unread
        ]
        return {
            question.id: tuple(rule.offered for rule in self.offered(unread[question.span], logs))
            for question in blocking_questions[:MOST_OFFERED]
        }

    def _words(self, sentence: Sentence, book: FactBook) -> tuple[OpenedWord, ...]:
        from workbench.author.rules.author import lexicon_of
        from workbench.author.rules.author_doubts import idle_words
        from workbench.clarify.word_meanings import opened_words, tool_words

        spec = self._session.spec
        idle = idle_words(sentence.text, choices_of(self._request.assumptions))
        return opened_words(sentence.text, lexicon_of(spec), book, idle, tool_words(spec.tools))

    def _offered(
        self, sentence: Sentence, words: tuple[OpenedWord, ...], book: FactBook
    ) -> tuple[PersonRule, ...]:
        from workbench.author.rules.author import lexicon_of
        from workbench.clarify.listed_rules import listed_rules

        vocabulary = (words, lexicon_of(self._session.spec), book)
        rules = listed_rules(sentence.text, *vocabulary) if self.sentences.stands_alone(sentence) else ()
        read = self._read_without(sentence, words)
        offers = (*((read,) if read is not None else ()), *rules)
        return offers or self._in_other_words(sentence, words, book)

    def _read_without(self, sentence: Sentence, words: tuple[OpenedWord, ...]) -> PersonRule | None:
        from workbench.app.shortened_sentence import reading_without

        if sentence.role is not SentenceRole.OPEN or self._session.info.author != "rules":
            return None
        return reading_without(sentence, words, self._request.assumptions, self._request.draft)

    def _in_other_words(
        self, sentence: Sentence, words: tuple[OpenedWord, ...], book: FactBook
    ) -> tuple[PersonRule, ...]:
        """Rules that an unread sentence states in a tool's words or by the context, else stricter rules."""
        from workbench.author.rules import RulesAuthor
        from workbench.author.rules.author import lexicon_of
        from workbench.clarify.context_facts import context_rules
        from workbench.clarify.everyday_wording import everyday_rules
        from workbench.clarify.stricter_rules import stricter_rules

        offline = self._session.info.author == "rules"
        if sentence.role is not SentenceRole.OPEN or not offline or not self.sentences.stands_alone(sentence):
            return ()
        spec, author, text = self._session.spec, RulesAuthor(), sentence.text
        lexicon, question = lexicon_of(spec), self.sentences.question_of(sentence)

        def draft(wording: str, agent: AgentSpec = spec) -> Draft:
            return author.draft(wording, agent, {})

        return (
            everyday_rules(text, lexicon, draft, question)
            or context_rules(text, words, lexicon, spec, draft, question)
            or stricter_rules(text, lexicon, book, draft, question)
        )

    def tried(self, named: str, rules: Sequence[PersonRule], logs: Logs) -> TriedRules:
        """The effect of rules, before they are stored; raises WorkbenchError if a rule is not understood."""
        planned = self.plans.with_rules(self.plans.present(), named, rules, self.book(logs))
        return self._tried(self.sentences.named(named), planned, tuple(rule.offered for rule in rules), logs)

    def tried_word(self, named: str, word: str, meant: str, logs: Logs) -> TriedRules:
        """The effect of a word's meaning, before it is stored; without rules the sentence stays unread.

        Raises WorkbenchError if nothing has this name.
        """
        sentence, book = self.sentences.named(named), self.book(logs)
        planned = self.plans.with_word(self.plans.present(), named, word, meant, book)
        return self._tried(sentence, planned, (), logs)

    def _tried(
        self, sentence: Sentence, planned: PlannedAnswers, readings: tuple[str, ...], logs: Logs
    ) -> TriedRules:
        from workbench.engines.smt.diff import semantic_diff
        from workbench.policy.check import check
        from workbench.runs.replay import flips

        spec = planned.spec
        would_be = self._request.planned(planned.assumptions, spec=spec)
        draft, terms = would_be.draft, check(would_be.merged.text)
        before = self._policy.terms(self._session.policy.strip() or self._request.draft().policy)
        extended = self._extended(spec, logs)
        changed = flips(self._runs.decide(before, logs), self._runs.decide(terms, extended))
        ids = {
            id_
            for candidate in draft.sentences
            if candidate.span == sentence.span
            for id_ in candidate.requirements
        }
        lines = terms.source.splitlines()
        rule_texts = tuple(
            "\n".join(lines[rule.line - 1 : rule.end_line])
            for rule in terms.rules
            if ids & set(rule.requirements)
        )
        proved = semantic_diff(before, terms, most=MOST_WITNESSES)
        return TriedRules(readings, rule_texts, PolicyChange(proved, tuple(changed)))

    def _extended(self, spec: AgentSpec, logs: Logs) -> Logs:
        """The logs with the additional arguments that a changed agent spec declares."""
        from workbench.runs.extract.extractor import Extractor
        from workbench.runs.world.earlier_calls import Earlier

        declared_names = {argument.name for argument in self._session.spec.arguments}
        new = tuple(argument for argument in spec.arguments if argument.name not in declared_names)
        if not new:
            return logs
        record_arguments = [
            argument for argument in self._session.spec.arguments if argument.type.record is not None
        ]
        extractor = Extractor((*record_arguments, *new), spec)
        pairs = [
            extractor.extract(call, Earlier(run.calls, place))
            for run in logs.runs
            for place, call in enumerate(run.calls)
        ]
        return replace(
            logs,
            extracted=tuple(
                {**was, **new_values} for was, new_values in zip(logs.extracted, pairs, strict=True)
            ),
        )

    # --- choosing ---

    def choose(self, named: str, word: str, meant: str, logs: Logs | None = None) -> SessionChange:
        """Store the meaning of a word in a sentence: nothing, a fact, or a tool, value or argument."""
        planned = self.plans.with_word(self.plans.present(), named, word, meant, self.book(logs))
        return self.stored(planned, meaning_title(word, meant))

    def rules(
        self,
        named: str,
        rules: Sequence[PersonRule],
        logs: Logs | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> SessionChange:
        """Store which rules a sentence states; the agent spec declares the facts that they need."""
        label = f"A rule: {'; '.join(rule.sentence for rule in rules)}"[:200]
        planned = self.plans.with_rules(self.plans.present(), named, rules, self.book(logs, settings))
        return self.stored(planned, label)

    def stored(self, planned: PlannedAnswers, label: str) -> SessionChange:
        """Write the agent spec and the assumptions of a plan, with their consequences, as one change."""
        from workbench.runs.extract.extractor import Extractor

        before, spec = self._request.drafted_from(), planned.spec
        Extractor(spec.arguments, spec)
        with self._session.transaction(label):
            if spec != self._session.spec:
                self._session.set_spec(spec, label)
            return self._request.assume(planned.assumptions, label, before)
