"""A sentence that cannot be read, opened word by word: its words, the rules it may state, and choosing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workbench.app.assumed_rules import AssumedRules, SaidRule, declaring
from workbench.app.results import Logs, PolicyChange, SessionChange, choices_of
from workbench.model import (
    AgentSpec,
    Assumption,
    MadeBy,
    Sentence,
    SentenceRole,
    WorkbenchError,
)

if TYPE_CHECKING:
    from workbench.app.policy import Policy
    from workbench.app.request import Request
    from workbench.app.runs import Runs
    from workbench.clarify.opened_words import OpenedWord
    from workbench.clarify.sayable_facts import SayableFact
    from workbench.clarify.told_conditions import FactBook
    from workbench.clarify.told_rule import ToldRule
    from workbench.runs.replay import Flip
    from workbench.session import Session

_NOTHING = ("nothing", "adds nothing", "adds nothing here")
MOST_WITNESSES = 4
"""How many inputs that a rule would decide otherwise are looked for before it is stored."""


@dataclass(frozen=True, slots=True)
class OpenedSentence:
    """A sentence word by word, with the rules of listed forms that it may state."""

    sentence: Sentence
    words: tuple[OpenedWord, ...]
    rules: tuple[ToldRule, ...]


@dataclass(frozen=True, slots=True)
class TriedRules:
    """What rules would do for a sentence: how they read and their text.

    ``change`` compares the policy with what it would become: by proof with inputs that turn, and on the logs.
    """

    said: tuple[str, ...]
    rules: tuple[str, ...]
    change: PolicyChange

    @property
    def turned(self) -> tuple[Flip, ...]:
        """The recorded calls whose verdict is another one."""
        return tuple(flip for flip in self.change.flips if flip.turns)


@dataclass(frozen=True, slots=True)
class PlannedAnswers:
    """An agent spec and assumptions that are not stored yet."""

    spec: AgentSpec
    assumptions: tuple[Assumption, ...]


class SentenceWords:
    """What a person does about the words of a sentence."""

    def __init__(self, session: Session, request: Request, runs: Runs, policy: Policy) -> None:
        self._session = session
        self._request = request
        self._runs = runs
        self._policy = policy

    # --- looking ---

    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of the request, in order; the number of one is its place from 1."""
        return self._request.draft().sentences

    def sentence(self, named: str) -> Sentence:
        """The sentence of a number, or the only one with these words; of equal sentences the first.

        Where none is written with them, it is the one that a person said in these words.
        Raises WorkbenchError where there is none, or several have the words.
        """
        sentences, words = self.sentences(), _plain(named)
        if named.isdecimal() and 0 < int(named) <= len(sentences):
            return sentences[int(named) - 1]
        found = [one for one in sentences if words and words in _plain(one.text)]
        found = found or [one for one in sentences if words and words in self._said_of(one)]
        if len({_plain(one.text) for one in found}) != 1:
            trouble = "Several sentences have" if found else "No sentence has"
            raise WorkbenchError(
                f"{trouble} the words “{named}”; 'workbench word SESSION' lists them by number."
            )
        return found[0]

    def book(self, logs: Logs | None = None, settings: Mapping[str, str] | None = None) -> FactBook:
        """Every fact that a rule may speak of, by what it is called; ``settings`` are options of kinds."""
        from workbench.clarify.known_facts import fact_book

        return fact_book(self._session.spec, (logs or self._runs.current()).steps, settings)

    def facts(self, words: str) -> tuple[SayableFact, ...]:
        """The facts in whose names all these words are."""
        from workbench.author.rules.words import split_words, stem

        wanted = {stem(word) for word in split_words(words)}
        return tuple(fact for fact in self.book().facts if wanted <= fact.stems)

    def forms(self) -> tuple[str, ...]:
        """The forms of the rules that a sentence may state, as they are named."""
        from workbench.clarify.told_rule import FORMS

        return tuple(FORMS)

    def told(
        self, named: str, form: str, tools: Sequence[str], when: Sequence[str], *, either: bool = False
    ) -> ToldRule:
        """The rule of a form, about tools under conditions; or that of a number in the sentence's list.

        Raises WorkbenchError where there is no such form or number, or what is left open has several answers.
        """
        if form.isdecimal():
            rules = self.open(named).rules
            if not 0 < int(form) <= len(rules):
                raise WorkbenchError(f"The sentence lists {len(rules)} rules; {form} is the number of none.")
            return rules[int(form) - 1]
        said = SaidRule(form, tuple(tools), tuple(when), either)
        (told,) = self.assuming().completed([said], self.tools_named(named))
        return told

    def assuming(self, logs: Logs | None = None, settings: Mapping[str, str] | None = None) -> AssumedRules:
        """What completes rules that are said in part, by facts and recorded calls."""
        known = logs or self._runs.current()
        return AssumedRules(self._session.spec, self.book(known, settings), known)

    def tools_named(self, named: str) -> tuple[str, ...]:
        """The tools that the words of a sentence name, else those that the heading above it does."""
        from workbench.author.rules.author import lexicon_of
        from workbench.clarify.opened_words import tools_named

        sentence, lexicon = self.sentence(named), lexicon_of(self._session.spec)
        before = self._session.request[: sentence.span.start].splitlines()
        heading = next((line for line in reversed(before) if line.lstrip().startswith("#")), "")
        return tools_named(self._as_said(sentence).text, lexicon) or tools_named(heading, lexicon)

    def numbered(self, named: str, word: str, number: int) -> str:
        """What the choice of a number in a word's list means; raises WorkbenchError where there is none."""
        opened = next((one for one in self.open(named).words if one.text == word), None)
        choices = opened.candidates if opened is not None else ()
        if not 0 < number <= len(choices):
            raise WorkbenchError(f"“{word}” has {len(choices)} choices; {number} is the number of none.")
        return choices[number - 1].value

    def open(self, named: str, logs: Logs | None = None) -> OpenedSentence:
        """The sentence word by word."""
        from workbench.author.rules.asking import idle_words
        from workbench.author.rules.author import lexicon_of
        from workbench.clarify.listed_rules import listed_rules
        from workbench.clarify.opened_words import opened_words, tool_words

        sentence = self._as_said(self.sentence(named))
        book, lexicon = self.book(logs), lexicon_of(self._session.spec)
        idle = idle_words(sentence.text, choices_of(self._request.assumptions))
        words = opened_words(sentence.text, lexicon, book, idle, tool_words(self._session.spec.tools))
        rules = listed_rules(sentence.text, words, lexicon, book) if self._stands_alone(sentence) else ()
        read = self._read_without(sentence, words)
        offers = (*((read,) if read is not None else ()), *rules)
        return OpenedSentence(sentence, words, offers or self._stricter(sentence, book))

    def _read_without(self, sentence: Sentence, words: tuple[OpenedWord, ...]) -> ToldRule | None:
        from workbench.app.reading_without import reading_without

        if sentence.role is not SentenceRole.OPEN or self._session.info.author != "rules":
            return None
        return reading_without(sentence, words, self._request.assumptions, self._request.draft)

    def _stricter(self, sentence: Sentence, book: FactBook) -> tuple[ToldRule, ...]:
        """What denies at least as much as a sentence that cannot be read."""
        from workbench.author.rules import RulesAuthor
        from workbench.author.rules.author import lexicon_of
        from workbench.clarify.stricter_rules import stricter_rules

        offline = self._session.info.author == "rules"
        if sentence.role is not SentenceRole.OPEN or not offline or not self._stands_alone(sentence):
            return ()
        spec, author = self._session.spec, RulesAuthor()
        asked = self._question_of(sentence)
        return stricter_rules(
            sentence.text, lexicon_of(spec), book, lambda text: author.draft(text, spec, {}), asked
        )

    def _stands_alone(self, sentence: Sentence) -> bool:
        """Whether nothing before a sentence says more of it, as the lead-in of a list does."""
        from workbench.author.rules.context_reasons import heads_only
        from workbench.author.rules.request_blocks import LeadIn, Plain, read_units
        from workbench.author.rules.request_text import BlockKind, read_blocks

        request, place = self._session.request, sentence.span.start
        for unit in read_units(request, read_blocks(request)):
            if isinstance(unit, Plain) and unit.span == sentence.span:
                return True
            if isinstance(unit, LeadIn) and any(
                entry.span.start <= place < entry.span.end for entry in unit.entries
            ):
                return unit.lead.kind is BlockKind.HEADING and heads_only(unit.lead.text)
        return False

    def tried(self, named: str, rules: Sequence[ToldRule], logs: Logs) -> TriedRules:
        """What rules would do, before they are stored; raises WorkbenchError where one is not understood."""
        planned = self.with_rules(self.present(), named, rules, self.book(logs))
        return self._tried(self.sentence(named), planned, tuple(rule.offered for rule in rules), logs)

    def tried_word(self, named: str, word: str, meant: str, logs: Logs) -> TriedRules:
        """What a meaning of a word would do, before it is stored; without rules the sentence stays unread.

        Raises WorkbenchError where nothing is called so.
        """
        sentence, book = self.sentence(named), self.book(logs)
        planned = self.with_word(self.present(), named, word, meant, book)
        return self._tried(sentence, planned, (), logs)

    def _tried(
        self, sentence: Sentence, planned: PlannedAnswers, said: tuple[str, ...], logs: Logs
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
        ids = {id_ for one in draft.sentences if one.span == sentence.span for id_ in one.requirements}
        lines = terms.source.splitlines()
        shown = tuple(
            "\n".join(lines[rule.line - 1 : rule.end_line])
            for rule in terms.rules
            if ids & set(rule.requirements)
        )
        proved = semantic_diff(before, terms, most=MOST_WITNESSES)
        return TriedRules(said, shown, PolicyChange(proved, tuple(changed)))

    def _extended(self, spec: AgentSpec, logs: Logs) -> Logs:
        """The logs with the arguments too that a changed agent spec declares."""
        from workbench.runs.extract import Extractor
        from workbench.runs.world.earlier import Earlier

        known = {argument.name for argument in self._session.spec.arguments}
        new = tuple(one for one in spec.arguments if one.name not in known)
        if not new:
            return logs
        wanted = [one for one in self._session.spec.arguments if one.type.record is not None]
        extractor = Extractor((*wanted, *new), spec)
        pairs = [
            extractor.extract(step, Earlier(run.steps, place))
            for run in logs.runs
            for place, step in enumerate(run.steps)
        ]
        return replace(
            logs,
            extracted=tuple({**was, **more} for was, more in zip(logs.extracted, pairs, strict=True)),
        )

    # --- choosing ---

    def with_word(
        self, planned: PlannedAnswers, named: str, word: str, meant: str, book: FactBook
    ) -> PlannedAnswers:
        """A plan in which a word is nothing, a fact by what it is called, or a thing of the agent.

        Raises WorkbenchError where the sentence has no such word, or nothing is called so.
        """
        if meant.lower() in _NOTHING:
            made = self._idle(named, word)
            kept = tuple(one for one in planned.assumptions if one.question != made.question)
            return PlannedAnswers(planned.spec, (*kept, made))
        spec, target = planned.spec, meant
        if not self._is_known(meant):
            fact = book.names.fact(meant)
            if fact is None:
                raise WorkbenchError(
                    f"{meant!r} is no tool, value or argument of the agent spec, and no fact."
                )
            spec, target = declaring(spec, [fact]), fact.argument.name
        synonyms = {**spec.synonyms, word.lower(): target}
        return PlannedAnswers(replace(spec, synonyms=synonyms), planned.assumptions)

    def _idle(self, named: str, word: str) -> Assumption:
        from workbench.author.doubts import NOTHING
        from workbench.author.rules.asking import idle_word_id

        sentence = self._as_said(self.sentence(named))
        if _plain(word) not in _plain(sentence.text):
            raise WorkbenchError(f"“{word}” stands not in “{sentence.text}”.")
        statement = f"“{word}” adds nothing to “{sentence.text}”."
        return _assumption(idle_word_id(word, sentence.text), NOTHING, statement)

    def _is_known(self, target: str) -> bool:
        """Whether a tool, a value or an argument of the agent spec is called so."""
        from workbench.author.rules.author import lexicon_of
        from workbench.author.rules.lexicon import target_meaning

        return target_meaning(lexicon_of(self._session.spec), target) is not None

    def choose(self, named: str, word: str, meant: str, logs: Logs | None = None) -> SessionChange:
        """Say what a word of a sentence is: nothing, a fact by what it is called, or a thing of the agent."""
        planned = self.with_word(self.present(), named, word, meant, self.book(logs))
        return self.stored(planned, said_meaning(word, meant))

    def rules(
        self,
        named: str,
        rules: Sequence[ToldRule],
        logs: Logs | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> SessionChange:
        """Say which rules a sentence states; the facts that they need are declared in the agent spec."""
        label = f"A rule: {'; '.join(rule.said for rule in rules)}"[:200]
        return self.stored(self.with_rules(self.present(), named, rules, self.book(logs, settings)), label)

    def present(self) -> PlannedAnswers:
        """The session as it is, to plan answers from."""
        return PlannedAnswers(self._session.spec, self._request.assumptions)

    def with_rules(
        self, planned: PlannedAnswers, named: str, rules: Sequence[ToldRule], book: FactBook
    ) -> PlannedAnswers:
        """A plan with the rules that a sentence states, in place of what was said of it before.

        Raises WorkbenchError where there is no such sentence, or a rule is not understood.
        """
        sentence = self.sentence(named)
        if read := [rule for rule in rules if rule.answers]:
            if len(rules) > 1:
                raise WorkbenchError(f"“{read[0].said}” is the whole sentence; take it alone.")
            made = tuple(replace(one, when=_now()) for one in read[0].answers)
            asked = {one.question for one in made}
            kept = tuple(one for one in planned.assumptions if one.question not in asked)
            return PlannedAnswers(planned.spec, (*kept, *made))
        spec, answer = self._spec_with(book, rules, planned.spec)
        told = self._answered(sentence, answer, rules)
        kept = tuple(one for one in planned.assumptions if one.question != told.question)
        return PlannedAnswers(spec, (*kept, told))

    def with_context(self, planned: PlannedAnswers, named: str) -> PlannedAnswers:
        """A plan in which a sentence is context; as it is, where it is taken for context anyway.

        Raises WorkbenchError where there is no such sentence.
        """
        from workbench.author.doubts import CONTEXT

        sentence = self.sentence(named)
        if sentence.role is SentenceRole.CONTEXT:
            return planned
        statement = f"“{sentence.text}” is context and states no rule."
        made = _assumption(self._question_of(sentence), CONTEXT, statement)
        kept = tuple(one for one in planned.assumptions if one.question != made.question)
        return PlannedAnswers(planned.spec, (*kept, made))

    def with_zone(self, planned: PlannedAnswers, zone: str) -> PlannedAnswers:
        """A plan in which times that name no zone are in the given one."""
        return PlannedAnswers(replace(planned.spec, zone=zone), planned.assumptions)

    def stored(self, planned: PlannedAnswers, label: str) -> SessionChange:
        """Write what was planned, with what follows from it, as one change."""
        return self._stored(planned.spec, planned.assumptions, label)

    def _spec_with(
        self, book: FactBook, rules: Sequence[ToldRule], spec: AgentSpec | None = None
    ) -> tuple[AgentSpec, str]:
        """The agent spec with the facts that rules need, and the rules as an answer.

        Raises WorkbenchError where a rule is not in the dialect.
        """
        from workbench.author.rules.told_rules import told_norms

        lines: list[str] = []
        needed: list[SayableFact] = []
        for rule in rules:
            line, facts = book.rule(rule)
            lines.append(line)
            needed += facts
        declared, answer = declaring(spec or self._session.spec, needed), "\n".join(lines)
        told_norms(answer, "R1", "a sentence", declared.arguments)
        return declared, answer

    def _answered(self, sentence: Sentence, answer: str, rules: Sequence[ToldRule]) -> Assumption:
        """The assumption with an answer about a sentence."""
        statement = f"“{self._as_said(sentence).text}” states: {'; '.join(rule.offered for rule in rules)}."
        return _assumption(self._question_of(sentence), answer, statement)

    def _as_said(self, sentence: Sentence) -> Sentence:
        """An unread sentence in the words that a person said in its place, where there are any."""
        from workbench.author.rules.request_text import plain

        if sentence.role is SentenceRole.OPEN:
            answered = choices_of(self._request.assumptions)
            for doubt in self._request.draft().doubts:
                asked = doubt.span == sentence.span and doubt.blocking and doubt.free_text
                if asked and doubt.id not in answered:
                    return replace(sentence, text=plain(doubt.quote))
        return sentence

    def _said_of(self, sentence: Sentence) -> str:
        """What a sentence is understood to say, in the words of whoever said it last."""
        texts = (one.text for one in self._request.draft().requirements if one.id in sentence.requirements)
        return _plain(" ".join((self._as_said(sentence).text, *texts)))

    def _question_of(self, sentence: Sentence) -> str:
        """The question that the rules of a sentence answer: that it cannot be read, else what it says."""
        from workbench.author.rules.asking import rewrite_id

        if sentence.role is SentenceRole.OPEN:
            for doubt in self._request.draft().doubts:
                if doubt.span == sentence.span and doubt.blocking and doubt.free_text:
                    return doubt.id
        return rewrite_id(sentence.text)

    def _stored(self, spec: AgentSpec, made: tuple[Assumption, ...], label: str) -> SessionChange:
        """Write agent spec and assumptions with what follows from them, as one change."""
        from workbench.runs.extract import Extractor

        before = self._request.drafted_from()
        Extractor(spec.arguments, spec)
        with self._session.transaction(label):
            if spec != self._session.spec:
                self._session.set_spec(spec, label)
            return self._request.assume(made, label, before)


def said_meaning(word: str, meant: str) -> str:
    """What a person said of a word, as the name of the act."""
    return f"“{word}” adds nothing" if meant in _NOTHING else f"“{word}” means {meant} in every sentence"


def _assumption(question: str, value: str, statement: str) -> Assumption:
    return Assumption(f"A:{question}", question, value, statement, MadeBy.HUMAN, _now())


def _now() -> str:
    return datetime.now(UTC).replace(microsecond=0).isoformat()


def _plain(text: str) -> str:
    """A text without case, spacing and signs, to find words in it."""
    return " ".join(re.findall(r"\w+", text.lower()))
