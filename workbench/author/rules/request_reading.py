"""The reading of a request so far: sentences, requirements, norms and doubts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from workbench.author import doubts
from workbench.author.argument_terms import (
    names,
)
from workbench.author.request_text import FIELD, plain
from workbench.author.rules import author_doubts
from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.chosen_rules import chosen_norms, closed_norms, is_rules, without_words
from workbench.author.rules.context_reasons import HEADING, NO_RULE, TOLD, heads_only, may_state_a_rule
from workbench.author.rules.doubt_answers import DoubtAnswers
from workbench.author.rules.lexicon import Lexicon, key
from workbench.author.rules.modal_words import MODAL_VERBS, NEGATIONS, any_of
from workbench.author.rules.norm_builder import Default, StatementNorms
from workbench.author.rules.norms import Norm
from workbench.author.rules.parsing import Parsed, Parsing, parse
from workbench.author.rules.reading_cache import KeptReadings
from workbench.author.rules.words import split_words, stem
from workbench.model import AgentSpec, Doubt, Kind, Requirement, Sentence, SentenceRole, Span, WorkbenchError

_CONSENT = re.compile(r"\b(approv|confirm|consent|permission|agree|authori[sz])", re.I)
_THEY = re.compile(r"(they|he|she|these|those|such)\s+\w", re.I)
_MODAL = re.compile(rf"\b{any_of(MODAL_VERBS | NEGATIONS | {'only'})}\b", re.I)
_STATEFUL = re.compile(
    r"\bper \w+|\b(each|every|a|within an?|in one) (day|week|month|year|hour|minute|task|session)\b"
    r"|\b(daily|weekly|monthly|hourly|in total|altogether|cumulative\w*|times|twice|"
    r"(?:at most|only|than) once|after (reading|using|calling|having)|before (reading|using|calling))\b",
    re.I,
)
_TABLE_STATEMENT = re.compile(
    r"\b(only|exactly|nothing (but|except|beyond)|no other)\b.*"
    r"\b(list(ed)?|below|following|table|above|given|named)\b"
    r"|\b(list(ed)?|below|following|table)\b.*\b(only|exactly|nothing else|no other)\b",
    re.I | re.S,
)


@dataclass(slots=True)
class RequestReading:
    """Collects the meanings of the units of a request under given choices.

    ``default`` is the decision about everything else, with its requirement. ``tables`` are the requirements
    of role tables, and ``verb`` is what those permit. ``title`` is the first heading, ``topic`` the last one
    below it. ``mentioned`` are the arguments of readings that are still undecided. ``kept_readings`` are
    those of other drafts of the same agent.
    """

    request: str
    spec: AgentSpec
    lexicon: Lexicon
    doubt_answers: DoubtAnswers
    sentences: list[Sentence] = field(default_factory=list[Sentence])
    requirements: list[Requirement] = field(default_factory=list[Requirement])
    norms: list[Norm] = field(default_factory=list[Norm])
    default: tuple[bool, str] | None = None
    verb: str = ""
    tables: list[str] = field(default_factory=list[str])
    mentioned: list[str] = field(default_factory=list[str])
    title: str = ""
    topic: str = ""
    kept_readings: KeptReadings = field(default_factory=KeptReadings)
    _subjects: dict[str, str] = field(default_factory=dict[str, str])
    _whole: dict[Span, str] = field(default_factory=dict[Span, str])
    _statements: list[tuple[int, UnreadableError]] = field(default_factory=list[tuple[int, UnreadableError]])

    def finish(self) -> None:
        """Link the sentences about all role tables to the requirements of these tables.

        Without a table, such a sentence is unreadable and causes a question.
        """
        ids = tuple(dict.fromkeys(self.tables))
        for place, error in self._statements:
            sentence = self.sentences[place]
            if ids:
                self.sentences[place] = replace(sentence, role=SentenceRole.REQUIREMENT, requirements=ids)
                continue
            self.ask_about(self.quote(sentence.span), sentence.text, sentence.span, error)
            self.sentences[place] = self.sentences.pop()
        self._statements.clear()

    # --- bookkeeping ---

    def next_id(self) -> str:
        """The id of the next requirement."""
        return f"R{len(self.requirements) + 1}"

    def note(self, span: Span, role: SentenceRole, *requirements: str, why: str = "") -> None:
        """Record the role of a sentence; ``why`` is the reason why it is context."""
        self.sentences.append(Sentence(plain(self.quote(span)), span, role, requirements, why))

    def quote(self, span: Span) -> str:
        """The text of the request at a place."""
        return self.request[span.start : span.end]

    def require(self, text: str, span: Span, reading: StatementNorms, mark: int) -> str:
        """Add a requirement for a reading and return its id; ``mark`` is where its questions begin."""
        id_ = self.next_id()
        self._subjects[id_] = self.subject(span)
        assumptions = tuple(
            name for name in list(self.doubt_answers.doubts)[mark:] if name in self.doubt_answers.choices
        )
        self.requirements.append(Requirement(id_, text, self.quote(span), span, assumptions))
        if isinstance(reading, Default):
            self.default = (reading.allow, id_)
        else:
            self.norms.extend(reading)
        return id_

    def subject(self, span: Span) -> str:
        """A hash that identifies a text of the request in the ids of its doubts, wherever the text is.

        An item that completes its lead-in is hashed with it. Equal texts share their questions.
        """
        return doubts.short_hash(self._whole.get(span) or self.quote(span))

    def about(self, requirement: str) -> str:
        """The text in the ids of doubts for a requirement, or for several that became one norm."""
        return "+".join(self._subjects.get(id_, id_) for id_ in requirement.split(", "))

    # --- sentences ---

    def settled[R](self, read: Callable[[Parsing], R], span: Span) -> R:
        """The result of ``read`` under the choices, after resolving its doubts; raises UnreadableError."""
        about = self.subject(span)
        return self._adopted_reading(
            self.doubt_answers.settle(lambda answers: parse(read, self.spec, self.lexicon, answers, about))
        )

    def _adopted_reading[R](self, parsed: Parsed[R]) -> R:
        self.mentioned += parsed.mentioned
        return parsed.reading

    def plain_sentence(self, text: str, span: Span, *, heading: bool = False) -> None:
        """Read a sentence, record it as context, or ask about it."""
        heading = heading or (text.endswith(":") and not _MODAL.search(text))
        self._whole[span] = text
        if self.reworded(span) or self._answered(text, span):
            return
        if heading and heads_only(text) and not self._is_asked(span):
            self.note(span, SentenceRole.CONTEXT, why=HEADING)
            return
        try:
            quote = plain(self.quote(span))
            self._sentence(self._without_idle_words(text, quote, span), span, len(self.doubt_answers.doubts))
        except UnreadableError as error:
            self._unread(text, span, error)

    def _without_idle_words(self, text: str, quote: str, span: Span) -> str:
        """The text without the words that add nothing to a sentence, by a person's answers."""
        idle_words = [
            author_doubts.idle_word(word, quote, span)
            for word in author_doubts.idle_words(quote, self.doubt_answers.choices)
        ]
        return without_words(
            text, [doubt.facts["word"] for doubt in idle_words if self.doubt_answers.ask(doubt)]
        )

    def reworded(self, span: Span) -> bool:
        """Read a person's own words for a sentence; False if there are none.

        A person is asked for them if no reading was meant, and if the rule has no effect.
        """
        quote = self.quote(span)
        words = self.doubt_answers.choices.get(doubts.rewrite_id(plain(quote)))
        if words:
            self.doubt_answers.ask(doubts.rewrite(plain(quote), span))
            if not self.settle(words, plain(quote), span, len(self.doubt_answers.doubts) - 1):
                self.rewritten(doubts.rewrite_id(plain(quote)), words, span)
            return True
        id_ = doubts.without_effect_id(quote)
        answer = self.doubt_answers.choices.get(id_)
        if answer is None or answer == author_doubts.KEEP:
            return False
        self.doubt_answers.ask(doubts.without_effect(quote, span))
        self.rewritten(id_, answer, span)
        return True

    def _answered(self, text: str, span: Span) -> bool:
        """Apply a person's answer about a sentence that could not be read; False without an answer.

        The answer counts even if facts declared since then make the sentence readable, or context.
        """
        quote, choices = self.quote(span), self.doubt_answers.choices
        answer = choices.get(author_doubts.unreadable_id(quote)) or ""
        if answer in ("", doubts.UNDECIDED, text):
            return False
        error = self._trouble_reading(text, span)
        question = self.trouble(quote, span, error)
        if question.id != author_doubts.unreadable_id(quote):
            question = author_doubts.unreadable(quote, span, error.reason)
        mark = len(self.doubt_answers.doubts)
        self.doubt_answers.ask(question)
        if not self.settle(answer, text, span, mark):
            self.rewritten(question.id, answer, span)
        return True

    def _trouble_reading(self, text: str, span: Span) -> UnreadableError:
        """The error for a sentence with a person's answer; a generic error if the sentence can be read."""
        requirement, topic = self.next_id(), self.topic
        try:
            parse(
                lambda parsing: parsing.bounded_sentence(text, requirement, span, topic),
                self.spec,
                self.lexicon,
                self.doubt_answers.choices,
                self.subject(span),
            )
        except UnreadableError as error:
            return error
        return UnreadableError("a person said what it means")

    def _sentence(self, text: str, span: Span, mark: int) -> None:
        if _THEY.match(text) and self._spoke_of_some():
            raise UnreadableError("it is open of whom it speaks", text.split()[0])
        reading = self.reading_of(text, span)
        self.note(span, SentenceRole.REQUIREMENT, self.require(text, span, reading, mark))

    def _spoke_of_some(self) -> bool:
        """Whether the previous norm is about some people or things only."""
        action = self.lexicon.action()
        mentioned_names = names(self.norms[-1].scope, self.norms[-1].condition) if self.norms else ()
        return any(action is None or name != action.name for name in mentioned_names)

    def reading_of(self, text: str, span: Span) -> StatementNorms:
        """The norms of a sentence with its open bounds decided; raises UnreadableError."""
        requirement, spec, lexicon, topic = self.next_id(), self.spec, self.lexicon, self.topic
        about = self.subject(span)
        place = (
            requirement,
            f"{about}\n{topic}\n{text}",
            span,
            tuple(argument.name for argument in lexicon.arguments),
        )

        def read(parsing: Parsing) -> StatementNorms:
            return parsing.bounded_sentence(text, requirement, span, topic)

        def parsed(answers: Mapping[str, str]) -> Parsed[StatementNorms]:
            return self.kept_readings.parsed(
                place, answers, lambda given_answers: parse(read, spec, lexicon, given_answers, about)
            )

        return self._adopted_reading(self.doubt_answers.settle(parsed))

    def _unread(self, text: str, span: Span, error: UnreadableError) -> None:
        """Record a sentence without a rule as context; ask about a sentence that may state one."""
        if _TABLE_STATEMENT.search(text) and not self._names_a_value(text):
            self._statements.append((len(self.sentences), error))
            self.note(span, SentenceRole.OPEN)
            return
        may_be_rule = may_state_a_rule(text, self.lexicon) or self._is_known_field(text)
        if may_be_rule or self._is_asked(span):
            self.ask_about(self.quote(span), text, span, error)
        else:
            self.note(span, SentenceRole.CONTEXT, why=NO_RULE)

    def _is_asked(self, span: Span) -> bool:
        """Whether a person answered that a sentence taken as context states a rule."""
        quote = self.quote(span)
        if self.doubt_answers.choices.get(author_doubts.context_id(plain(quote))) != author_doubts.IS_RULE:
            return False
        self.doubt_answers.ask(author_doubts.context(plain(quote), span))
        return True

    def _is_known_field(self, text: str) -> bool:
        """Whether a text has the form "Key: value" and uses words of the agent spec."""
        if FIELD.fullmatch(text) is None:
            return False
        words = {stem(word) for word in split_words(text)}
        return any(entry.stems <= words for entry in self.lexicon.entries) or any(
            literal in text.lower() for literal in self.lexicon.literals
        )

    def _names_a_value(self, text: str) -> bool:
        """Whether a text names a role or action of the agent."""
        words = {stem(word) for word in split_words(text)}
        values = [value for argument in self.lexicon.of_kind(Kind.ENUM) for value in argument.type.values]
        return any(key(value) <= words for value in values)

    def ask_about(self, quote: str, text: str, span: Span, error: UnreadableError) -> None:
        """Ask about the meaning of an unreadable text, and apply the answer."""
        mark = len(self.doubt_answers.doubts)
        question = self.trouble(quote, span, error)
        answer = self.doubt_answers.ask(question)
        if answer in (doubts.UNDECIDED, text):
            self.note(span, SentenceRole.OPEN)
        elif not self.settle(answer, text, span, mark):
            self.rewritten(question.id, answer, span)

    def settle(self, answer: str, text: str, span: Span, mark: int) -> bool:
        """Whether an answer classifies an unread sentence, instead of rewording it.

        The sentence is then context, a requirement without a norm (a person writes its rule), or the rules
        that the person chose. ``mark`` is where its questions begin.
        """
        if answer == author_doubts.CONTEXT:
            self.note(span, SentenceRole.CONTEXT, why=TOLD)
        elif answer == author_doubts.BY_HAND:
            self.note(span, SentenceRole.REQUIREMENT, self.require(text, span, (), mark))
        elif is_rules(answer):
            try:
                known_arguments = (*self.lexicon.arguments, *self.lexicon.records_and_lists)
                norms = chosen_norms(answer, self.next_id(), text, known_arguments)
            except WorkbenchError as error:
                self._refused(answer, text, span, mark, error)
                return True
            self.note(span, SentenceRole.REQUIREMENT, self.require(text, span, norms, mark))
        return answer in (author_doubts.CONTEXT, author_doubts.BY_HAND) or is_rules(answer)

    def _refused(self, answer: str, text: str, span: Span, mark: int, error: WorkbenchError) -> None:
        """Ask about rules that a person chose and that the dialect refuses; deny all that they may deny."""
        problem = error.problems[0].message if error.problems else str(error)
        reason = f"the rule that was chosen for it cannot be made ({problem.rstrip('.')})"
        doubt = author_doubts.unreadable(plain(answer), span, reason)
        reply = self.doubt_answers.ask(doubt)
        if reply in (doubts.UNDECIDED, answer):
            known_arguments = (*self.lexicon.arguments, *self.lexicon.records_and_lists)
            norms = closed_norms(answer, self.next_id(), text, known_arguments)
            self.note(span, SentenceRole.OPEN, self.require(text, span, norms, mark))
        elif not self.settle(reply, text, span, mark):
            self.rewritten(doubt.id, reply, span)

    def trouble(self, quote: str, span: Span, error: UnreadableError) -> Doubt:
        """The doubt about a text that could not be read, by the kind of trouble."""
        if error.kind == "undefined" and _CONSENT.search(error.subject):
            return author_doubts.unreadable(quote, span, error.reason, "presupposition")
        stateful = _STATEFUL.search(quote)
        if stateful and (
            error.kind != "undefined" or set(split_words(stateful.group())) & set(split_words(error.subject))
        ):
            about = any(error.subject == argument.name for argument in self.lexicon.arguments)
            reason = error.reason if about else f"“{stateful.group()}”"
            return author_doubts.unreadable(quote, span, reason, "stateful")
        return author_doubts.unreadable(quote, span, error.reason, error.kind)

    def rewritten(self, question: str, answer: str, span: Span) -> None:
        """Read a person's own words, given as answer to a question, in place of a sentence."""
        try:
            sentence = self._without_idle_words(answer, plain(answer), span)
            self._sentence(sentence, span, len(self.doubt_answers.doubts))
        except UnreadableError as error:
            mark = len(self.doubt_answers.doubts)
            doubt = self.trouble(answer, span, error)
            reply = self.doubt_answers.ask(doubt)
            if reply in (doubts.UNDECIDED, answer):
                self.note(span, SentenceRole.OPEN)
            elif not self.settle(reply, answer, span, mark):
                self.rewritten(doubt.id, reply, span)
        else:
            last = self.requirements[-1]
            self.requirements[-1] = replace(last, assumptions=(question, *last.assumptions))
