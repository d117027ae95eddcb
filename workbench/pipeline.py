"""The one place that knows the order: what follows from what in a session.

Both front ends call this module and nothing below it. It does not print and holds no widgets. Calls
that may take long accept a ``cancelled`` event and return early, with less, when it is set.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.meaning import Meaning
from workbench.model import (
    Arguments,
    Assumption,
    Case,
    ClauseProof,
    Draft,
    Extracted,
    Json,
    MadeBy,
    Problem,
    Proof,
    Question,
    WorkbenchError,
)
from workbench.outcomes import Changed, ChoicePreview, Logs, PolicyChange, Understanding
from workbench.recorded import Recorded
from workbench.replay import ReplaySummary, summarise
from workbench.report import Report

if TYPE_CHECKING:
    from workbench.author.openai.client import ModelClient
    from workbench.author.protocol import Author
    from workbench.check.cases import CaseRun
    from workbench.check.proof import Prover
    from workbench.clarify import Explanation, RefinedRequest, Situation
    from workbench.extract import Extractor
    from workbench.guard import Approval, DecisionLog, Guard, Mode, Strategy
    from workbench.page import SessionPage
    from workbench.policy.merge import Merged
    from workbench.policy.terms import PolicyTerms
    from workbench.replay.again import Redecider
    from workbench.session import Session


class Workbench(Meaning, Recorded):
    """One open session and everything that can be asked of it."""

    def __init__(self, session: Session, author: Author | None = None, *, replay_calls: bool = False) -> None:
        """Take the session; the author is the one that the session names unless another is given.

        With ``replay_calls`` a model is never asked: the session's recorded calls answer.
        """
        self.session = session
        self._author = author
        self._replay_calls = replay_calls
        self._client: ModelClient | None = None
        self._redecider: tuple[Logs, Redecider] | None = None

    @classmethod
    def open(cls, path: Path | str, *, read_only: bool = False, replay_calls: bool = False) -> Workbench:
        """Open the session in the folder ``path``; raises WorkbenchError if it cannot be read."""
        from workbench.session import Session

        return cls(Session.open(Path(path), read_only=read_only), replay_calls=replay_calls)

    def close(self) -> None:
        """Release the session's lock."""
        self.session.close()

    # --- understanding the request ------------------------------------------------

    @property
    def author(self) -> Author:
        """The author of drafts."""
        if self._author is None:
            from workbench.author.choosing import author_of

            self._author = author_of(self.session.info.author, self._model)
        return self._author

    def _model(self) -> ModelClient | None:
        """Who asks the session's model; made once, so that the budget is the whole session's."""
        if self._client is None:
            from workbench.author.choosing import client_of

            self._client = client_of(
                self.session,
                environment=os.environ,
                replay_calls=self._replay_calls,
                read_only=self.session.read_only,
            )
        return self._client

    def _extractor(self) -> Extractor:
        from workbench.author.choosing import reader_of
        from workbench.extract import Extractor

        spec = self.session.spec
        return Extractor(self.arguments(), spec, reader_of(spec, self._model))

    def draft(self, choices: Mapping[str, str] | None = None) -> Draft:
        """The draft under the given choices, or under the session's assumptions."""
        if choices is None:
            choices = self._choices(self.session.assumptions)
        return self.author.draft(self.session.request, self.session.spec, choices)

    def understand(self, *, accept_defaults: bool = False, logs: Logs | None = None) -> Understanding:
        """Draft, find the questions, and with ``accept_defaults`` take what is safe by default.

        Accepted defaults are not written to the session; ``accept`` does that.
        """
        from workbench.clarify import find_questions, standing

        assumptions = self.session.assumptions
        situation = self._situation(logs)
        draft = situation.draft
        questions = standing(find_questions(situation), draft, assumptions)
        understanding = Understanding(draft, questions, assumptions)
        if not accept_defaults:
            return understanding
        defaults = tuple(
            assumption_of(question, question.default, MadeBy.DEFAULT)
            for question in understanding.open
            if question.default
        )
        return Understanding(draft, questions, assumptions, defaults)

    def _situation(self, logs: Logs | None) -> Situation:
        from workbench.clarify import Situation

        choices = self._choices(self.session.assumptions)
        inputs = tuple(_complete(vector) for vector in logs.extracted) if logs else ()
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

    def explain_question(self, question: Question, logs: Logs | None = None) -> Explanation:
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
        kept = tuple(item for item in self.session.assumptions if item.question != question.id)
        made = () if value is None else (assumption_of(question, value, MadeBy.HUMAN),)
        planned = self._planned((*kept, *made))
        ours = self.session.policy.strip() and self.session.policy
        before, after = self.terms(ours or self.draft().policy), self.terms(planned.text)
        old = {clause.source for clause in before.clauses}
        new = {clause.source for clause in after.clauses}
        return ChoicePreview(
            question.id,
            value,
            planned.text,
            self.diff(before.source, after.source, logs),
            tuple(clause for clause in after.clauses if clause.source not in old),
            tuple(clause for clause in before.clauses if clause.source not in new),
            planned.conflicts,
        )

    def skip(self, question: Question) -> Changed:
        """Leave a question for later: it stays open and is asked last."""
        from workbench.clarify import SKIP

        return self.answer(question, SKIP)

    def reject_readings(self, question: Question) -> Changed:
        """Say that no reading of a question is meant: its sentence is to be said in other words.

        Raises WorkbenchError where the question is about no single sentence.
        """
        from workbench.clarify import NEITHER
        from workbench.clarify.standing import check_rewritable

        check_rewritable(question, self.draft())
        return self.answer(question, NEITHER)

    def answer(self, question: Question, value: str, made_by: MadeBy = MadeBy.HUMAN) -> Changed:
        """Store the answer as an assumption and carry it into policy, contract and cases."""
        assumption = assumption_of(question, value, made_by)
        kept = tuple(item for item in self.session.assumptions if item.question != question.id)
        return self._assume((*kept, assumption), f"Answer: {assumption.statement}")

    def accept(self, defaults: Sequence[Assumption]) -> Changed:
        """Store the defaults of an unattended run, marked as defaults."""
        asked = {item.question for item in defaults}
        kept = tuple(item for item in self.session.assumptions if item.question not in asked)
        return self._assume((*kept, *defaults), "Accept defaults")

    def retract(self, question_id: str) -> Changed:
        """Remove the assumption that answers a question; the question is open again."""
        kept = tuple(item for item in self.session.assumptions if item.question != question_id)
        return self._assume(kept, f"Retract the answer to {question_id}")

    def _planned(self, assumptions: tuple[Assumption, ...]) -> Merged:
        """The policy file as it would be under the assumptions, merged with what a person edited."""
        from workbench.policy.merge import Merged, merge
        from workbench.policy.render import format_policy

        base, theirs = self.draft(), self.draft(self._choices(assumptions))
        ours = self.session.policy
        return (
            merge(base.policy, ours, theirs.policy)
            if ours.strip()
            else Merged(format_policy(theirs.policy), ())
        )

    def _assume(self, assumptions: tuple[Assumption, ...], label: str) -> Changed:
        planned = self._planned(assumptions)
        cases = self._cases_of(self.draft(self._choices(assumptions)), assumptions)
        changed = Changed(planned.text != self.session.policy, cases != self.session.cases, planned.conflicts)
        with self.session.transaction(label):
            self.session.set_assumptions(assumptions)
            self.session.set_policy(planned.text)
            self.session.set_cases(cases)
        return changed

    def _cases_of(self, draft: Draft, assumptions: tuple[Assumption, ...]) -> tuple[Case, ...]:
        """Cases generated from the draft, not from the edited file, so that an edit can fail them."""
        from workbench.check.cases import generate_cases
        from workbench.policy.check import check

        chosen = self._choices(assumptions)
        made = tuple(item for item in assumptions if item.question in chosen)
        generated = generate_cases(check(draft.policy), draft.requirements, assumptions=made)
        names = {case.id for case in generated}
        kept = tuple(
            case for case in self.session.cases if case.origin != "generated" and case.id not in names
        )
        return (*generated, *kept)

    def redraft(self) -> Changed:
        """Write policy and cases from the request, keeping what a person edited."""
        return self._assume(self.session.assumptions, "Draft from the request")

    # --- the policy ---------------------------------------------------------------

    def terms(self, source: str | None = None) -> PolicyTerms:
        """The checked policy of the session or of ``source``; raises PolicyError with all problems."""
        from workbench.policy.check import check

        text = self.session.policy if source is None else source
        return check(text, path="policy.py")

    def problems(self, source: str | None = None) -> tuple[Problem, ...]:
        """What keeps the policy from being in the dialect; empty if nothing does."""
        try:
            self.terms(source)
        except WorkbenchError as error:
            return error.problems or (Problem(str(error)),)
        return ()

    def preview(self, terms: PolicyTerms) -> Proof:
        """The instant verdict of the solver on every clause."""
        from workbench.check.preview import preview

        return preview(terms)

    def test(
        self,
        source: str | None = None,
        cases: Sequence[Case] | None = None,
        *,
        cancelled: threading.Event | None = None,
    ) -> CaseRun:
        """Run the session's cases against the policy with pytest, in a process of its own."""
        from workbench.check.cases import run_cases

        return run_cases(
            self.session.policy if source is None else source,
            self.session.cases if cases is None else cases,
            cancelled=cancelled,
        )

    def prove(
        self,
        terms: PolicyTerms,
        prover: Prover,
        *,
        on_clause: Callable[[ClauseProof], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> Proof:
        """Prove every clause with Nagini; the prover stays warm for the next call."""
        return prover.prove(terms, on_clause=on_clause, cancelled=cancelled)

    def version(self, name: str) -> str:
        """The text of a version of the policy by its name; see ``workbench.versions``."""
        from workbench.versions import version_text

        return version_text(self.session, name, self.draft().policy)

    def diff(self, old: str, new: str, logs: Logs | None = None) -> PolicyChange:
        """What a change of the policy newly allows and newly denies: proved, and seen in the logs."""
        from workbench.policy.diff import semantic_diff
        from workbench.replay import flips

        before, after = self.terms(old), self.terms(new)
        seen = logs or Logs()
        found = tuple(flips(self.decide(before, seen), self.decide(after, seen)))
        inputs = tuple(vector for item in seen.extracted if (vector := _complete(item)) is not None)
        return PolicyChange(semantic_diff(before, after, prefer=inputs), found)

    def lowered(self, terms: PolicyTerms) -> str:
        """The program that is handed to Nagini."""
        from workbench.policy.lower import lower

        return lower(terms).text

    def export(self, proof: Proof | None = None) -> str:
        """The policy as one dependency-free Python file, its contract stripped.

        Without a proof its header says what earlier proofs found; none is run.
        """
        from workbench.check.known_proof import known_proof
        from workbench.guard.export import export_policy, proof_summary

        terms = self.terms()
        status = proof_summary(known_proof(terms) if proof is None else proof)
        return export_policy(terms, {"session": self.session.info.name, "proof": status})

    def guard(
        self,
        strategy: Strategy,
        *,
        mode: Mode,
        log: DecisionLog | None = None,
        approval: Approval | None = None,
        context: Mapping[str, Json] | None = None,
    ) -> Guard:
        """A guard that enforces the session's policy; ``.run()`` makes one for each run of an agent.

        Arguments come from a call by the same extraction as from a recorded step.
        """
        from workbench.policy.compile import compile_policy
        from workbench.replay.live import live_guard

        policy = compile_policy(self.terms())
        extractor = self._extractor()
        return live_guard(
            policy, extractor, strategy=strategy, mode=mode, log=log, approval=approval, context=context
        )

    # --- everything ---------------------------------------------------------------

    def check(
        self,
        prover: Prover,
        *,
        accept_defaults: bool = False,
        on_stage: Callable[[str], None] = lambda _stage: None,
    ) -> Report:
        """Clarify, test, prove and replay the session once, and report what was found."""
        on_stage("clarify")
        logs = self.load_logs()
        understanding = self.understand(accept_defaults=accept_defaults, logs=logs)
        problems = self.problems()
        if problems:
            nothing = Proof((), why="the policy is not in the dialect")
            return Report(
                self.session.path,
                understanding.open,
                understanding.answered,
                problems,
                (),
                nothing,
                ReplaySummary(),
                logs.problems,
            )
        terms = self.terms()
        on_stage("test")
        run = self.test()
        on_stage("prove")
        proof = self.prove(terms, prover)
        on_stage("replay")
        return Report(
            self.session.path,
            understanding.open,
            understanding.answered,
            (),
            run.results,
            proof,
            summarise(self.decide(terms, logs)),
            logs.problems,
        )

    def page(self, prover: Prover, *, accept_defaults: bool = False) -> SessionPage:
        """The session as a page: what a check finds, with request, policy and evidence."""
        from workbench.page import SessionPage

        report = self.check(prover, accept_defaults=accept_defaults)
        evidence = None
        if not report.problems:
            terms = self.terms()
            evidence = self.evidence(
                terms,
                proofs=(report.proof,),
                strength=self.strength(terms),
                steps=self.decide(terms, self.load_logs()),
            )
        draft = self.draft()
        return SessionPage(
            self.session.info.title or self.session.info.name,
            self.session.request,
            draft.sentences,
            draft.requirements,
            self.session.policy,
            report,
            evidence,
        )


def assumption_of(question: Question, value: str, made_by: MadeBy) -> Assumption:
    """The assumption that choosing ``value`` makes; raises WorkbenchError if it is no option."""
    from workbench.clarify.standing import STANDING, statement_of

    option = next((item for item in question.options if item.value == value), None)
    if option is None and not question.free_text and value not in STANDING:
        known = ", ".join(item.value for item in question.options)
        raise WorkbenchError(f"{value!r} does not answer {question.id}; answer with one of: {known}.")
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


def _complete(extracted: Mapping[str, Extracted]) -> Arguments | None:
    if any(item.missing is not None for item in extracted.values()):
        return None
    return {name: item.value for name, item in extracted.items()}
