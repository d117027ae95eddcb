"""The calls of the pipeline about what a request leaves open: questions, answers, assumptions.

``workbench.app.workbench.Workbench`` inherits them; front ends call them there.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workbench.app.results import (
    Assumed,
    ChoicePreview,
    Logs,
    OwnWordsRead,
    PlannedSession,
    PolicyChange,
    SessionChange,
    TurnedSteps,
    Understanding,
    complete,
)
from workbench.app.runs import RunCalls
from workbench.model import Assumption, Case, Draft, MadeBy, Question, WorkbenchError

if TYPE_CHECKING:
    from workbench.author.protocol import Author
    from workbench.clarify import QuestionExplanation, RefinedRequest, Situation
    from workbench.policy.terms import PolicyTerms


class RequestCalls(RunCalls):
    """What can be asked about the request of a session, and done with the answers."""

    @property
    @abstractmethod
    def author(self) -> Author:
        """The author of drafts."""

    @abstractmethod
    def terms(self, source: str | None = None) -> PolicyTerms:
        """The checked policy of the session or of ``source``."""

    @abstractmethod
    def diff(self, old: str, new: str, logs: Logs | None = None) -> PolicyChange:
        """What a change of the policy newly allows and newly denies."""

    # --- understanding the request ------------------------------------------------

    def draft(self, choices: Mapping[str, str] | None = None) -> Draft:
        """The draft under the given choices, or under the session's assumptions."""
        if choices is None:
            choices = self._choices(self.assumptions)
        return self.author.draft(self.session.request, self.session.spec, choices)

    def understand(self, *, accept_defaults: bool = False, logs: Logs | None = None) -> Understanding:
        """Draft and find the questions; with ``accept_defaults`` assume what an unattended run does.

        That is the most restrictive reading that fits the cases and what the request plainly
        permits (see ``workbench.clarify.unattended_run``). Nothing is written to the session; ``accept``
        does that.
        """
        from workbench.clarify import find_questions, standing

        assumptions = self.assumptions
        situation = self._situation(logs)
        found = standing(find_questions(situation), situation.draft, assumptions)
        understanding = Understanding(situation.draft, found, assumptions)
        if not accept_defaults or not understanding.open:
            return understanding
        return self._unattended(situation, understanding)

    def _unattended(self, situation: Situation, understanding: Understanding) -> Understanding:
        from workbench.clarify import find_questions, rejected, standing, unattended

        assumptions = understanding.assumptions
        taken = unattended(situation, self.session.cases, rejected(assumptions))
        asked = {each.id: each for each in understanding.questions}
        asked |= {each.question.id: each.question for each in taken}
        then = situation.under({**situation.choices, **{each.question.id: each.value for each in taken}})
        questions = standing(
            [asked.get(each.id, each) for each in find_questions(then)], then.draft, assumptions
        )
        made = tuple(
            replace(assumption_of(each.question, each.value, MadeBy.DEFAULT), why=each.why) for each in taken
        )
        kept = {each.id for each in questions}
        defaults = tuple(each for each in made if each.question in kept)
        return Understanding(then.draft, questions, assumptions, defaults)

    def as_understood(self, understanding: Understanding) -> tuple[str, tuple[Case, ...]]:
        """The policy file and the cases with the understanding's defaults carried into them."""
        if not understanding.defaults:
            return self.session.policy, self.session.cases
        assumptions = (*understanding.assumptions, *understanding.defaults)
        return self._planned(assumptions).merged.text, self._cases_of(understanding.draft, assumptions)

    def _situation(self, logs: Logs | None) -> Situation:
        from workbench.clarify import Situation

        choices = self._choices(self.assumptions)
        inputs = tuple(complete(vector) for vector in logs.extracted) if logs else ()
        return Situation(
            request=self.session.request,
            spec=self.session.spec,
            draft=self.draft(choices),
            choices=choices,
            author=self.author,
            inputs=tuple(vector for vector in inputs if vector is not None),
        )

    @staticmethod
    def _choices(assumptions: Iterable[Assumption]) -> Mapping[str, str]:
        from workbench.clarify import choices_of

        return choices_of(assumptions)

    def explain_question(self, question: Question, logs: Logs | None = None) -> QuestionExplanation:
        """The path that each reading of a question takes through its rules on the question's example."""
        from workbench.clarify import explain

        return explain(self._situation(logs), question)

    def refined(self, understanding: Understanding) -> RefinedRequest:
        """The request as understood, sentence by sentence next to what was written, with its assumptions."""
        from workbench.clarify import choices_of, refine

        made = (*understanding.defaults, *understanding.assumptions)
        chosen = choices_of(made)
        draft = self.draft(chosen)
        return refine(draft, [item for item in made if item.question in chosen], understanding.open)

    # --- answering ----------------------------------------------------------------

    def preview_choice(
        self, question: Question, value: str | None, logs: Logs | None = None
    ) -> ChoicePreview:
        """What an answer would change; None for ``value`` previews taking the answer back.

        Raises WorkbenchError where the value is no answer, or the policy file is not in the dialect.
        """
        kept = tuple(item for item in self.assumptions if item.question != question.id)
        planned = self._planned(
            kept if value is None else self._with(assumption_of(question, value, MadeBy.HUMAN), question)
        )
        ours = self.session.policy.strip() and self.session.policy
        before, after = self.terms(ours or self.draft().policy), self.terms(planned.merged.text)
        old = {clause.source for clause in before.clauses}
        new = {clause.source for clause in after.clauses}
        return ChoicePreview(
            question.id,
            value,
            planned.merged.text,
            self.diff(before.source, after.source, logs),
            tuple(clause for clause in after.clauses if clause.source not in old),
            tuple(clause for clause in before.clauses if clause.source not in new),
            planned.merged.conflicts,
        )

    def turned_by(self, question: Question, logs: Logs) -> Mapping[str, TurnedSteps]:
        """For each option of a question how many recorded steps it would decide otherwise.

        Raises WorkbenchError where the policy file is not in the dialect.
        """
        from workbench.runs.replay import FlipKind, flips

        before = self.decide(self.terms(), logs)
        found: dict[str, TurnedSteps] = {}
        for option in question.options:
            assumption = assumption_of(question, option.value, MadeBy.HUMAN)
            planned = self._planned(self._with(assumption, question))
            after = self.decide(self.terms(planned.merged.text), logs)
            kinds = Counter(flip.kind for flip in flips(before, after))
            found[option.value] = TurnedSteps(
                kinds[FlipKind.NEWLY_ALLOWED], kinds[FlipKind.NEWLY_DENIED], kinds[FlipKind.CANNOT_EVALUATE]
            )
        return found

    def skip(self, question: Question) -> SessionChange:
        """Leave a question for later: it stays open and is asked last."""
        from workbench.clarify import SKIP

        return self.answer(question, SKIP)

    def reject_readings(self, question: Question) -> SessionChange:
        """Say that no reading of a question is meant: its sentence is to be said in other words.

        Raises WorkbenchError where the question is about no single sentence.
        """
        from workbench.clarify import NEITHER
        from workbench.clarify.standing import check_rewritable

        check_rewritable(question, self.draft())
        return self.answer(question, NEITHER)

    def answer(self, question: Question, value: str, made_by: MadeBy = MadeBy.HUMAN) -> SessionChange:
        """Store the answer as an assumption and carry it into policy, contract and cases."""
        from workbench.clarify.standing import STANDING

        assumptions = self._with(assumption_of(question, value, made_by), question)
        changed = self._assume(assumptions, f"Answer: {assumptions[-1].statement}")
        if value in STANDING or any(option.value == value for option in question.options):
            return changed
        return replace(changed, heard=self._heard(assumptions[-1].question, value))

    def _with(self, made: Assumption, question: Question) -> tuple[Assumption, ...]:
        """The session's assumptions with one more, the last, in place of what it replaces.

        Own words said because earlier own words could not be read replace those.
        """
        assumptions = self.assumptions
        if question.free_text and made.statement == made.value:
            asked = " ".join(question.quote.split())
            said = (each for each in assumptions if " ".join(each.value.split()) == asked)
            if (earlier := next(said, None)) is not None:
                made = replace(made, id=earlier.id, question=earlier.question)
        replaced = {made.question, question.id}
        return (*(each for each in assumptions if each.question not in replaced), made)

    def _heard(self, question_id: str, words: str) -> OwnWordsRead:
        """What the draft made of a person's own words for a sentence."""
        draft = self.draft()
        made = [each for each in draft.requirements if question_id in each.assumptions]
        if not made:
            said = " ".join(words.split())
            asked = (each for each in self.understand().open if " ".join(each.quote.split()) == said)
            return OwnWordsRead(open=next(asked, None))
        ids = {each.id for each in made}
        lines = draft.policy.splitlines()
        rules = tuple(
            "\n".join(lines[rule.line - 1 : rule.end_line])
            for rule in self.terms(draft.policy).rules
            if ids & set(rule.requirements)
        )
        return OwnWordsRead(rules or tuple(f"{each.id}: {each.text}" for each in made))

    def assumed(self, understanding: Understanding) -> tuple[Assumed, ...]:
        """Every assumption with the question it answers and the sentences it touches."""
        from workbench.clarify import choices_of, touched

        made = (*understanding.defaults, *understanding.assumptions)
        chosen = choices_of(made)
        asked = {each.id: each for each in understanding.questions}
        return tuple(
            Assumed(item, asked.get(item.question), touched(understanding.draft, item))
            for item in made
            if item.question in chosen
        )

    def accept(self, defaults: Sequence[Assumption]) -> SessionChange:
        """Store the defaults of an unattended run, marked as defaults."""
        asked = {item.question for item in defaults}
        kept = tuple(item for item in self.assumptions if item.question not in asked)
        return self._assume((*kept, *defaults), "Accept defaults")

    def edit_assumption(self, made: Assumption) -> SessionChange:
        """Store an assumption in place of the one of its id, and carry it into policy and cases.

        Raises WorkbenchError if there is none, if its question is another one, or if its value
        does not answer it.
        """
        known = {item.id: item for item in self.session.assumptions}
        old = known.get(made.id)
        if old is None or made.question != old.question:
            raise WorkbenchError("An assumption keeps its id and its question; answer another question anew.")
        if made.value != old.value:
            asked = (item for item in self.understand().questions if item.id == made.question)
            if (question := next(asked, None)) is None:
                raise WorkbenchError(f"{made.question} is asked no more, so its value stays {old.value!r}.")
            assumption_of(question, made.value, made.made_by)
        changed = tuple(made if item is old else item for item in self.session.assumptions)
        return self._assume(changed, f"Edit the assumption {made.id}")

    def retract(self, question_id: str) -> SessionChange:
        """Remove the assumption that answers a question; the question is open again.

        Raises WorkbenchError if there is none.
        """
        if all(item.question != question_id for item in self.assumptions):
            raise WorkbenchError(
                f"{question_id} has no answer to take back; 'workbench assumptions' lists them."
            )
        kept = tuple(item for item in self.assumptions if item.question != question_id)
        return self._assume(kept, f"Retract the answer to {question_id}")

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The session's assumptions, with the ids of what the present request drafts.

        They differ from the stored ones only where another program changed the request. Those about
        sentences that are gone are still there, with ids that ask nothing.
        """
        return self._present_assumptions(gone=True)

    def _present_assumptions(self, *, gone: bool) -> tuple[Assumption, ...]:
        from workbench.session.redrafting import moved, quotes_of

        made, base = self.session.assumptions, self.session.drafted
        if not made or base is None or self.session.info.author != "rules":
            return made  # any other author would have to be asked
        quotes = quotes_of(self.draft(self._choices(made)))
        return made if quotes == base.quotes else moved(base.quotes, quotes).assumptions(made, gone=gone)

    def _planned(self, assumptions: tuple[Assumption, ...], before: Draft | None = None) -> PlannedSession:
        """The session as it would be under the assumptions, merged with what a person edited.

        ``before`` is the draft whose ids the assumptions have; without it, the present one.
        """
        from workbench.session.drafted import drafted_of
        from workbench.session.redrafting import carried, merged_policy

        old = before or self._drafted_from() or self.draft()
        draft = self.draft(self._choices(assumptions))
        kept = carried(old, draft, assumptions)
        if kept != assumptions:
            draft = self.draft(self._choices(kept))
        stored = self.session.drafted
        base = stored or drafted_of(old.policy, old.requirements)
        return PlannedSession(
            draft, kept, merged_policy(base, self.session.policy, draft, guessed=stored is None)
        )

    def _drafted_from(self) -> Draft | None:
        """The draft of what the session held before other programs changed it, where no draft is stored."""
        from workbench.session.redrafting import before_outside

        if self.session.drafted is not None or self.session.info.author != "rules":
            return None
        try:
            if (held := before_outside(self.session)) is None:
                return None
            return self.author.draft(held.request, held.spec, self._choices(held.assumptions))
        except WorkbenchError:
            return None  # what could not be read, nothing was drafted from

    def _assume(
        self, assumptions: tuple[Assumption, ...], label: str, before: Draft | None = None
    ) -> SessionChange:
        """Store assumptions with what follows from them, as one change."""
        return self._stored(self._planned(assumptions, before), label)

    def _stored(self, planned: PlannedSession, label: str) -> SessionChange:
        from workbench.session.drafted import drafted_of

        session, merged = self.session, planned.merged
        cases = self._cases_of(planned.draft, planned.assumptions)
        changed = SessionChange(merged.text != session.policy, cases != session.cases, merged.conflicts)
        stays = planned.assumptions == session.assumptions
        with session.transaction(label):
            session.set_assumptions(planned.assumptions)
            session.set_policy(merged.text)
            session.set_cases(cases)
            known = session.drafted is not None or merged.conflicts
            if changed.policy or changed.cases or not stays or not known:
                session.set_drafted(drafted_of(planned.draft.policy, planned.draft.requirements))
        return changed

    def _cases_of(self, draft: Draft, assumptions: tuple[Assumption, ...]) -> tuple[Case, ...]:
        """Cases of the draft, not of the edited file, so that an edit can fail them; and a person's.

        They are generated from its policy; an author that asks a model has cases of its own beside.
        """
        from workbench.check.cases import generate_cases
        from workbench.policy.check import check

        chosen = self._choices(assumptions)
        made = tuple(item for item in assumptions if item.question in chosen)
        generated = generate_cases(check(draft.policy), draft.requirements, assumptions=made)
        names = {case.id for case in generated}
        kept = tuple(
            case
            for case in self.session.cases
            if case.origin not in ("generated", "model") and case.id not in names
        )
        return (*generated, *(case for case in draft.cases if case.id not in names), *kept)

    def redraft(self, *, discard_edits: bool = False) -> SessionChange:
        """Write policy and cases from the request, keeping what a person edited unless told otherwise."""
        from workbench.session.redrafting import as_drafted

        stored = self.session.assumptions
        planned = self._planned(self._present_assumptions(gone=False))
        if discard_edits:
            planned = replace(planned, merged=as_drafted(planned.draft))
        changed = self._stored(planned, "Draft from the request")
        return replace(changed, dropped=self._dropped(stored))

    @property
    def policy_edited(self) -> bool:
        """Whether the policy file differs from the draft that it was last merged with."""
        from workbench.policy.render import format_policy

        base = self.session.drafted
        return base is not None and self.session.policy != format_policy(base.policy)

    def set_request(self, text: str, *, carry: bool = True) -> SessionChange:
        """Write the request, and carry what it drafts otherwise into policy, cases and answers.

        A person's edits of the policy stay: what both changed is a conflict, which is reported. An
        answer stays with its sentence wherever that stands; answers about sentences that are gone
        or say something else are dropped, and asked again. With ``carry`` False only the request is
        written; the next answer or draft carries it.
        """
        from workbench.session.drafted import drafted_of
        from workbench.session.redrafting import as_drafted

        made, before = self.assumptions, self.draft()
        with self.session.transaction("Edit the request"):
            self.session.set_request(text)
            if not carry:
                if self.session.drafted is None and self.session.policy == as_drafted(before).text:
                    self.session.set_drafted(drafted_of(before.policy, before.requirements))
                return SessionChange(policy=False, cases=False)
            changed = self._assume(made, "Edit the request", before)
        return replace(changed, dropped=self._dropped(made))

    def _dropped(self, made: Iterable[Assumption]) -> tuple[Assumption, ...]:
        """Which of the assumptions the session has no more, under any id."""
        kept = {(each.statement, each.when) for each in self.session.assumptions}
        return tuple(each for each in made if (each.statement, each.when) not in kept)


def assumption_of(question: Question, value: str, made_by: MadeBy) -> Assumption:
    """The assumption that choosing ``value`` makes; raises WorkbenchError if it is no option."""
    from workbench.clarify.standing import STANDING, statement_of

    option = next((item for item in question.options if item.value == value), None)
    if not value.strip():
        raise WorkbenchError(f"The answer to {question.id} is empty; {how_to_answer(question)}.")
    if option is None and not question.free_text and value not in STANDING:
        raise WorkbenchError(f"{value!r} does not answer {question.id}; {how_to_answer(question)}.")
    statement = option.statement if option else statement_of(question, value) if value in STANDING else value
    when = datetime.now(UTC).replace(microsecond=0).isoformat()
    return Assumption(
        id=f"A:{question.id}",
        question=question.id,
        value=value,
        statement=statement,
        made_by=made_by,
        when=when,
        requirements=question.requirements,
    )


def how_to_answer(question: Question) -> str:
    """What counts as an answer to a question, as half a sentence."""
    known = ", ".join(item.value for item in question.options)
    if question.free_text:
        return f"say the sentence in other words, or answer with: {known}"
    return f"answer with one of: {known}"
