"""Plans of answers: an agent spec and assumptions that can be stored, or only previewed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.app.assumed_rules import declaring
from workbench.app.request_sentences import bare_words
from workbench.model import AgentSpec, Assumption, Sentence, SentenceRole, WorkbenchError
from workbench.timestamps import timestamp

if TYPE_CHECKING:
    from workbench.app.request import Request
    from workbench.app.request_sentences import RequestSentences
    from workbench.clarify.fact_book import FactBook
    from workbench.clarify.person_rule import PersonRule
    from workbench.clarify.sayable_facts import SayableFact
    from workbench.session import Session

_NOTHING = ("nothing", "adds nothing", "adds nothing here")


@dataclass(frozen=True, slots=True)
class PlannedAnswers:
    """An agent spec and assumptions that are not stored yet."""

    spec: AgentSpec
    assumptions: tuple[Assumption, ...]

    def saying(self, *new_assumptions: Assumption) -> PlannedAnswers:
        """The plan with these assumptions in place of those that answer the same questions."""
        question_ids = {assumption.question for assumption in new_assumptions}
        assumptions = tuple(
            assumption for assumption in self.assumptions if assumption.question not in question_ids
        )
        return replace(self, assumptions=(*assumptions, *new_assumptions))


class AnswerPlans:
    """Makes plans from what a person says about sentences and their words; a plan changes nothing."""

    def __init__(self, session: Session, request: Request, sentences: RequestSentences) -> None:
        self._session = session
        self._request = request
        self._sentences = sentences

    def present(self) -> PlannedAnswers:
        """The session as it is, as the plan to start from."""
        return PlannedAnswers(self._session.spec, self._request.assumptions)

    def with_word(
        self, planned: PlannedAnswers, named: str, word: str, meant: str, book: FactBook
    ) -> PlannedAnswers:
        """A plan in which a word means nothing, a fact (by its name), or a tool, value or argument.

        Raises WorkbenchError if the sentence has no such word, or nothing has the name ``meant``.
        """
        if meant.lower() in _NOTHING:
            return planned.saying(self._idle(named, word))
        spec, target = planned.spec, meant
        if not self._is_known(meant):
            fact = book.names.fact(meant)
            if fact is None:
                raise WorkbenchError(
                    f"{meant!r} is no tool, value or argument of the agent spec, and no fact."
                )
            spec, target = declaring(spec, [fact]), fact.name
        synonyms = {**spec.synonyms, word.lower(): target}
        return replace(planned, spec=replace(spec, synonyms=synonyms))

    def with_rules(
        self, planned: PlannedAnswers, named: str, rules: Sequence[PersonRule], book: FactBook
    ) -> PlannedAnswers:
        """A plan in which a sentence states these rules, in place of earlier answers about the sentence.

        Raises WorkbenchError if there is no such sentence, or a rule is not understood.
        """
        sentence = self._sentences.named(named)
        if read := [rule for rule in rules if rule.answers]:
            if len(rules) > 1:
                raise WorkbenchError(f"“{read[0].sentence}” is the whole sentence; take it alone.")
            declared = replace(planned, spec=declaring(planned.spec, read[0].needs))
            return declared.saying(*(replace(answer, when=timestamp()) for answer in read[0].answers))
        spec, answer = _spec_with(planned.spec, book, rules)
        return replace(planned, spec=spec).saying(self._answered(sentence, answer, rules))

    def with_context(self, planned: PlannedAnswers, named: str) -> PlannedAnswers:
        """A plan in which a sentence is context; unchanged if the sentence is taken for context already.

        Raises WorkbenchError if there is no such sentence.
        """
        from workbench.author.doubts import CONTEXT

        sentence = self._sentences.named(named)
        if sentence.role is SentenceRole.CONTEXT:
            return planned
        statement = f"“{sentence.text}” is context and states no rule."
        return planned.saying(_assumption(self._sentences.question_of(sentence), CONTEXT, statement))

    def with_zone(self, planned: PlannedAnswers, zone: str) -> PlannedAnswers:
        """A plan in which times without a zone are in the given zone."""
        return replace(planned, spec=replace(planned.spec, zone=zone))

    def _idle(self, named: str, word: str) -> Assumption:
        from workbench.author.doubts import NOTHING
        from workbench.author.rules.author_doubts import idle_word_id

        sentence = self._sentences.as_said(self._sentences.named(named))
        if bare_words(word) not in bare_words(sentence.text):
            raise WorkbenchError(f"“{word}” is not in “{sentence.text}”.")
        statement = f"“{word}” adds nothing to “{sentence.text}”."
        return _assumption(idle_word_id(word, sentence.text), NOTHING, statement)

    def _is_known(self, target: str) -> bool:
        """Whether the agent spec has a tool, a value or an argument of this name."""
        from workbench.author.rules.author import lexicon_of
        from workbench.author.rules.lexicon import target_meaning

        return target_meaning(lexicon_of(self._session.spec), target) is not None

    def _answered(self, sentence: Sentence, answer: str, rules: Sequence[PersonRule]) -> Assumption:
        """The assumption that an answer about a sentence makes."""
        offered = "; ".join(rule.offered for rule in rules)
        statement = f"“{self._sentences.as_said(sentence).text}” states: {offered}."
        return _assumption(self._sentences.question_of(sentence), answer, statement)


def meaning_title(word: str, meant: str) -> str:
    """The name of the act by which a person gives a word its meaning."""
    return (
        f"“{word}” adds nothing" if meant.lower() in _NOTHING else f"“{word}” means {meant} in every sentence"
    )


def _spec_with(spec: AgentSpec, book: FactBook, rules: Sequence[PersonRule]) -> tuple[AgentSpec, str]:
    """The agent spec with the facts that rules need, and the rules as an answer.

    Raises WorkbenchError if a rule is not in the dialect.
    """
    from workbench.author.rules.chosen_rules import chosen_norms, rule_line

    lines: list[str] = []
    needed: list[SayableFact] = []
    for rule in rules:
        norm, facts = book.rule(rule)
        lines.append(rule_line(norm))
        needed += facts
    declared, answer = declaring(spec, needed), "\n".join(lines)
    chosen_norms(answer, "R1", "a sentence", declared.arguments)
    return declared, answer


def _assumption(question: str, value: str, statement: str) -> Assumption:
    return Assumption.by_person(question, value, statement, timestamp())
