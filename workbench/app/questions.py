"""The questions that a request leaves open: finding them, previewing answers, and answering."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.app.clause_findings import findings_only, is_about_terms, is_finding, with_findings
from workbench.app.results import (
    Assumed,
    ChoicePreview,
    Logs,
    OwnWordsRead,
    SessionChange,
    TurnedCalls,
    Understanding,
    choices_of,
    complete,
)
from workbench.app.term_answers import TermAnswers
from workbench.model import (
    Assumption,
    Case,
    Draft,
    MadeBy,
    Question,
    Sentence,
    SentenceRole,
    WorkbenchError,
    assumption_id,
)
from workbench.timestamps import timestamp

if TYPE_CHECKING:
    from workbench.app.authorship import Authorship
    from workbench.app.policy import Policy
    from workbench.app.request import Request
    from workbench.app.runs import Runs
    from workbench.clarify import QuestionExplanation, RefinedRequest, Situation
    from workbench.session import Session

__all__ = ["QuestionExplanation", "Questions"]


class Questions:
    """The questions that a request leaves open, and a person's answers to them."""

    def __init__(
        self, session: Session, authorship: Authorship, request: Request, runs: Runs, policy: Policy
    ) -> None:
        self._session = session
        self._authorship = authorship
        self._request = request
        self._runs = runs
        self._policy = policy
        self._terms = TermAnswers(session, request, policy)

    def understand(
        self, *, accept_defaults: bool = False, logs: Logs | None = None, draft: Draft | None = None
    ) -> Understanding:
        """Draft and find the questions; with ``accept_defaults`` assume what an unattended run does.

        An unattended run assumes the most restrictive reading that fits the cases and the plain permissions
        of the request (see ``workbench.clarify.unattended_run``). Nothing is written to the session; the
        method ``accept_defaults`` writes. ``draft`` is the session's draft, if the caller has it.
        """
        from workbench.clarify import find_questions, standing

        assumptions = self._request.assumptions
        if self._session.is_written:
            draft = draft or self._request.draft()
            # A model that drafted the policy asks itself what it was not sure of.
            asked = None
            if not self._session.is_drafted:
                asked = tuple(one.question for one in self._terms.asked(draft.requirements))
            return findings_only(draft, assumptions, self._policy.checked()[0], asked)
        situation = self._situation(logs, draft)
        questions = standing(find_questions(situation), situation.draft, assumptions)
        understanding = Understanding(situation.draft, questions, assumptions)
        if accept_defaults and understanding.open:
            understanding = self._unattended(situation, understanding)
        terms, _ = self._policy.checked(self._text_as_understood(understanding))
        return understanding if terms is None else with_findings(understanding, terms)

    def _unattended(self, situation: Situation, understanding: Understanding) -> Understanding:
        from workbench.clarify import find_questions, rejected, standing, unattended

        assumptions = understanding.assumptions
        taken_defaults = unattended(situation, self._session.cases, rejected(assumptions))
        question_by_id = {question.id: question for question in understanding.questions}
        question_by_id |= {
            taken_default.question.id: taken_default.question for taken_default in taken_defaults
        }
        then = situation.under(
            {
                **situation.choices,
                **{taken_default.question.id: taken_default.value for taken_default in taken_defaults},
            }
        )
        questions = standing(
            [question_by_id.get(question.id, question) for question in find_questions(then)],
            then.draft,
            assumptions,
        )
        new_assumptions = tuple(
            replace(
                assumption_of(taken_default.question, taken_default.value, MadeBy.DEFAULT),
                why=taken_default.why,
            )
            for taken_default in taken_defaults
        )
        open_ids = {question.id for question in questions}
        defaults = tuple(assumption for assumption in new_assumptions if assumption.question in open_ids)
        return Understanding(then.draft, questions, assumptions, defaults)

    def as_understood(self, understanding: Understanding) -> tuple[str, tuple[Case, ...]]:
        """The policy file and the cases with the understanding's defaults carried into them."""
        text = self._text_as_understood(understanding)
        if not understanding.defaults:
            return text, self._session.cases
        assumptions = (*understanding.assumptions, *understanding.defaults)
        return text, self._request.cases_of(understanding.draft, assumptions, text)

    def _text_as_understood(self, understanding: Understanding) -> str:
        if not understanding.defaults:
            return self._session.written
        return self._request.planned((*understanding.assumptions, *understanding.defaults)).merged.text

    def _situation(self, logs: Logs | None, draft: Draft | None = None) -> Situation:
        from workbench.clarify import Situation

        every = choices_of(self._request.assumptions)
        choices = {name: value for name, value in every.items() if not is_finding(name)}
        draft = draft or self._request.draft(choices)
        inputs = tuple(complete(vector) for vector in logs.extracted) if logs else ()
        return Situation(
            request=self._session.request,
            spec=self._session.spec,
            draft=draft,
            choices=choices,
            author=self._authorship.author,
            inputs=tuple(vector for vector in inputs if vector is not None),
            edited=self._edited(draft),
        )

    def _edited(self, draft: Draft) -> bool:
        """Whether the policy differs from the draft's policy file, or an edit of it is kept."""
        from workbench.app.editing import POLICY
        from workbench.session.redrafting import as_drafted

        policy = self._session.policy
        try:
            is_edited = bool(policy.strip()) and policy != as_drafted(draft).text
            return is_edited or POLICY in self._session.buffers
        except WorkbenchError:  # a model's draft does not parse
            return True

    def explain(self, question: Question, logs: Logs | None = None) -> QuestionExplanation:
        """The path that each reading of a question takes through its rules on the question's example."""
        from workbench.clarify import explain

        return explain(self._situation(logs), question)

    def refined(self, understanding: Understanding) -> RefinedRequest:
        """The request as understood, each sentence next to its original words, with its assumptions."""
        from workbench.clarify import refine

        assumptions = (*understanding.defaults, *understanding.assumptions)
        chosen = choices_of(assumptions)
        draft = self._request.draft(chosen)
        answered = [item for item in assumptions if item.question in chosen]
        return refine(draft, answered, understanding.open, self._aloud(understanding, draft))

    def _aloud(self, understanding: Understanding, draft: Draft) -> Mapping[str, tuple[str, ...]]:
        """The rules of each requirement as sentences: only rules of it alone if there are any.

        If the policy file is not in the dialect, the rules are those of the draft.
        """
        from workbench.policy.read_aloud import rule_sentence

        text = self.as_understood(understanding)[0]
        readable = text.strip() and not self._policy.problems(text)
        source = text if readable else draft.policy
        if not source:
            return {}
        terms = self._policy.terms(source)
        sentences_by_id: dict[str, tuple[str, ...]] = {}
        for rule in sorted(terms.rules, key=lambda rule: len(rule.requirements) > 1):
            for name in rule.requirements:
                if len(rule.requirements) == 1 or name not in sentences_by_id:
                    sentences_by_id[name] = (*sentences_by_id.get(name, ()), rule_sentence(rule, terms))
        return sentences_by_id

    def preview(self, question: Question, value: str | None, logs: Logs | None = None) -> ChoicePreview:
        """The changes that an answer would make; None for ``value`` previews taking the answer back.

        Raises WorkbenchError if the value is no answer, or the policy file is not in the dialect.
        """
        from workbench.app.contradictions import contradictions

        assumptions = tuple(item for item in self._request.assumptions if item.question != question.id)
        planned = self._request.planned(
            assumptions
            if value is None
            else self._with(assumption_of(question, value, MadeBy.HUMAN), question)
        )
        text = planned.merged.text
        if value is not None and self._session.is_written and is_about_terms(question.id):
            text = self._terms.planned(question, value)
        ours = self._session.policy.strip() and self._session.policy
        before = self._policy.terms(ours or self._request.draft().policy)
        after = self._policy.terms(text)
        old = {clause.source for clause in before.clauses}
        new = {clause.source for clause in after.clauses}
        return ChoicePreview(
            question.id,
            value,
            text,
            self._policy.diff(before.file.text, after.file.text, logs),
            tuple(clause for clause in after.clauses if clause.source not in old),
            tuple(clause for clause in before.clauses if clause.source not in new),
            planned.merged.conflicts,
            contradictions(self._session.policy, text),
        )

    def turned_by(self, question: Question, logs: Logs) -> Mapping[str, TurnedCalls]:
        """The calls that each option of a question would decide otherwise, with the rules, by its value.

        Raises WorkbenchError if the policy file is not in the dialect.
        """
        from workbench.app.what_changed import rule_changes
        from workbench.runs.replay import FlipKind, flips

        if self._session.is_written:
            return {}  # what accepts a finding turns no call
        terms = self._policy.terms()
        before = self._runs.decide(terms, logs)
        drafted = self._request.drafted_from()
        turned_by_value: dict[str, TurnedCalls] = {}
        for option in question.options:
            assumption = assumption_of(question, option.value, MadeBy.HUMAN)
            planned = self._request.planned(self._with(assumption, question), drafted)
            would_be = self._policy.terms(planned.merged.text)
            after = self._runs.decide(would_be, logs)
            kinds = Counter(flip.kind for flip in flips(before, after))
            turned_by_value[option.value] = TurnedCalls(
                kinds[FlipKind.NEWLY_ALLOWED],
                kinds[FlipKind.NEWLY_ASKED],
                kinds[FlipKind.NEWLY_DENIED],
                kinds[FlipKind.CANNOT_EVALUATE],
                rule_changes(terms, would_be),
            )
        return turned_by_value

    def skip(self, question: Question) -> SessionChange:
        """Leave a question for later: it stays open and is asked last."""
        from workbench.clarify import SKIP

        return self.answer(question, SKIP)

    def reject(self, question: Question) -> SessionChange:
        """Store that no reading of a question is meant, so that its sentence has to be said in other words.

        Raises WorkbenchError if the question is about no single sentence.
        """
        from workbench.clarify import NEITHER
        from workbench.clarify.answers_without_option import check_rewritable

        check_rewritable(question, self._request.draft())
        return self.answer(question, NEITHER)

    def say(self, question: Question, words: str) -> SessionChange:
        """Store other words for the sentence of a question, in place of one of its options.

        Raises WorkbenchError if the question is about no single sentence.
        """
        from workbench.clarify.answers_without_option import check_rewritable, rewrite_request

        draft = self._request.draft()
        check_rewritable(question, draft)
        return self.answer(rewrite_request(question, draft), words)

    def answer(self, question: Question, value: str, made_by: MadeBy = MadeBy.HUMAN) -> SessionChange:
        """Store the answer as an assumption and carry it into policy, contract and cases."""
        from workbench.clarify.answers_without_option import STANDING

        if self._session.is_written and is_about_terms(question.id):
            assumption = assumption_of(question, value, made_by)
            changed = self._terms.answer(question, assumption, anyway=self._request.is_anyway)
            return SessionChange(*changed)
        assumptions = self._with(assumption_of(question, value, made_by), question)
        label = f"Answer: {assumptions[-1].statement}"
        changed = self._request.assume(assumptions, label, opens=value in STANDING)
        if value in STANDING or any(option.value == value for option in question.options):
            return changed
        return replace(changed, own_words=self._own_words_read(assumptions[-1].question, value))

    def answer_by_hand(self, question: Question) -> tuple[str, ...]:
        """Store that a person writes the rule of a sentence, and return the ids of its requirements.

        If the question has no such option it stays open, and there are no ids.
        """
        from workbench.author.doubts import BY_HAND

        if all(option.value != BY_HAND for option in question.options):
            return ()
        self.answer(question, BY_HAND)
        return tuple(
            requirement.id
            for requirement in self._request.draft().requirements
            if question.id in requirement.assumptions
        )

    def answer_all(self, chosen: Sequence[tuple[Question, str]]) -> SessionChange:
        """Store several answers as one change; raises WorkbenchError if one of them is no answer."""
        if self._session.is_written:
            return self._answer_each(chosen)
        assumptions = [assumption_of(question, value, MadeBy.HUMAN) for question, value in chosen]
        question_ids = {assumption.question for assumption in assumptions}
        remaining = (
            assumption for assumption in self._request.assumptions if assumption.question not in question_ids
        )
        return self._request.assume((*remaining, *assumptions), f"{len(assumptions)} answers")

    def _answer_each(self, chosen: Sequence[tuple[Question, str]]) -> SessionChange:
        """Store answers about a policy of calls one after another, as one change."""
        with self._session.transaction(f"{len(chosen)} answers"):
            changes = [self.answer(question, value) for question, value in chosen]
        return SessionChange(any(one.policy for one in changes), any(one.cases for one in changes))

    def _with(self, assumption: Assumption, question: Question) -> tuple[Assumption, ...]:
        """The session's assumptions with one more at the end, without those that it replaces.

        Own words for earlier own words that could not be read replace the earlier ones.
        """
        assumptions = self._request.assumptions
        if question.free_text and assumption.statement == assumption.value:
            quote = " ".join(question.quote.split())
            matches = (candidate for candidate in assumptions if " ".join(candidate.value.split()) == quote)
            if (earlier := next(matches, None)) is not None:
                assumption = replace(assumption, id=earlier.id, question=earlier.question)
        replaced = {assumption.question, question.id}
        return (
            *(
                other_assumption
                for other_assumption in assumptions
                if other_assumption.question not in replaced
            ),
            assumption,
        )

    def _own_words_read(self, question_id: str, words: str) -> OwnWordsRead:
        """The draft's reading of a person's own words for a sentence."""
        draft = self._request.draft()
        requirements = [
            requirement for requirement in draft.requirements if question_id in requirement.assumptions
        ]
        if not requirements:
            text = " ".join(words.split())
            questions = (
                question for question in self.understand().open if " ".join(question.quote.split()) == text
            )
            return OwnWordsRead(open=next(questions, None))
        ids = {requirement.id for requirement in requirements}
        lines = draft.policy.splitlines()
        rules = tuple(
            "\n".join(lines[rule.line - 1 : rule.end_line])
            for rule in self._policy.terms(draft.policy).rules
            if ids & set(rule.requirements)
        )
        return OwnWordsRead(
            rules or tuple(f"{requirement.id}: {requirement.text}" for requirement in requirements)
        )

    def assumed(self, understanding: Understanding) -> tuple[Assumed, ...]:
        """Every assumption with the question that it answers and the sentences that it affects."""
        from workbench.app.written_answers import still_held
        from workbench.clarify import touched

        assumptions = (*understanding.defaults, *understanding.assumptions)
        chosen = choices_of(assumptions)
        question_by_id = {question.id: question for question in understanding.questions}
        return tuple(
            Assumed(
                item,
                question_by_id.get(item.question),
                touched(understanding.draft, item),
                still_held(item, self._session.written),
            )
            for item in assumptions
            if item.question in chosen
        )

    def context(self) -> tuple[Sentence, ...]:
        """The sentences that are taken for context, in the order of the request, each with the reason."""
        return tuple(
            sentence for sentence in self._request.draft().sentences if sentence.role is SentenceRole.CONTEXT
        )

    def claim_rule(self, sentence: Sentence) -> SessionChange:
        """Store that a sentence taken for context states a rule, so that a question about it opens.

        If a person had said that it is context, that answer is taken back.
        """
        from workbench.author.doubts import CONTEXT, IS_RULE, short_hash

        known_assumptions, label = self._request.assumptions, f"A rule, not context: {sentence.text}"
        hashed = short_hash(sentence.text)
        written = short_hash(self._session.request[sentence.span.start : sentence.span.end])
        assumptions = tuple(
            assumption
            for assumption in known_assumptions
            if assumption.value == CONTEXT and assumption.question.rpartition(":")[2] in (hashed, written)
        )
        if assumptions:
            kept = tuple(assumption for assumption in known_assumptions if assumption not in assumptions)
            return self._request.assume(kept, label, opens=True)
        claimed = Assumption(
            id=f"A:context:{hashed}",
            question=f"context:{hashed}",
            value=IS_RULE,
            statement=f"“{sentence.text}” states a rule.",
            made_by=MadeBy.HUMAN,
            when=timestamp(),
        )
        return self._request.assume((*known_assumptions, claimed), label, opens=True)

    def accept_defaults(self, defaults: Sequence[Assumption]) -> SessionChange:
        """Store the defaults of an unattended run, marked as defaults."""
        question_ids = {item.question for item in defaults}
        assumptions = tuple(item for item in self._request.assumptions if item.question not in question_ids)
        return self._request.assume((*assumptions, *defaults), "Accept defaults")

    def edit_assumption(self, assumption: Assumption) -> SessionChange:
        """Store an assumption in place of the one with its id, and carry it into policy and cases.

        Raises WorkbenchError if there is none, if it answers another question, or if its value is no answer
        to the question.
        """
        assumption_by_id = {item.id: item for item in self._request.assumptions}
        old = assumption_by_id.get(assumption.id)
        if old is None or assumption.question != old.question:
            raise WorkbenchError("An assumption keeps its id and its question; answer another question anew.")
        if assumption.value != old.value:
            questions = (item for item in self.understand().questions if item.id == assumption.question)
            if (question := next(questions, None)) is None:
                raise WorkbenchError(
                    f"{assumption.question} is asked no more, so its value stays {old.value!r}."
                )
            assumption_of(question, assumption.value, assumption.made_by)
        changed = tuple(assumption if item is old else item for item in self._request.assumptions)
        return self._request.assume(changed, f"Edit the assumption {assumption.id}")

    def retract(self, question_id: str) -> SessionChange:
        """Remove the assumption that answers a question; the question is open again.

        Raises WorkbenchError if there is none.
        """
        answered = next((item for item in self._request.assumptions if item.question == question_id), None)
        if answered is None:
            raise WorkbenchError(
                f"{question_id} has no answer to take back; 'workbench assumptions' lists them."
            )
        if self._session.is_written and is_about_terms(question_id):
            return self._terms.retract(answered)
        assumptions = tuple(item for item in self._request.assumptions if item.question != question_id)
        return self._request.assume(assumptions, f"Retract the answer to {question_id}", opens=True)


# --- the assumption that an answer to a question makes, and what counts as an answer


def assumption_of(question: Question, value: str, made_by: MadeBy) -> Assumption:
    """The assumption that choosing ``value`` makes; raises WorkbenchError if it is no option."""
    from workbench.clarify.answers_without_option import STANDING, statement_of

    option = next((item for item in question.options if item.value == value), None)
    if not value.strip():
        raise WorkbenchError(f"The answer to {question.id} is empty; {_how_to_answer(question)}.")
    if option is None and not question.free_text and value not in STANDING:
        raise WorkbenchError(f"{value!r} does not answer {question.id}; {_how_to_answer(question)}.")
    statement = option.statement if option else statement_of(question, value) if value in STANDING else value
    when = timestamp()
    return Assumption(
        id=assumption_id(question.id),
        question=question.id,
        value=value,
        statement=statement,
        made_by=made_by,
        when=when,
        requirements=question.requirements,
    )


def _how_to_answer(question: Question) -> str:
    """Half a sentence on what counts as an answer to a question."""
    possible_answers = ", ".join(item.value for item in question.options)
    if question.free_text:
        return f"say the sentence in other words, or answer with: {possible_answers}"
    return f"answer with one of: {possible_answers}"
