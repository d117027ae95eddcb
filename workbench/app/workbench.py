"""The one place that knows the order: what follows from what in a session.

Both front ends call this module and nothing below it. It does not print and holds no widgets. Calls
that may take long accept a ``cancelled`` event and return early, with less, when it is set.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.app.agent import AgentCalls
from workbench.app.memory import MemoryCalls
from workbench.app.proof import ProofCalls
from workbench.app.report import Report
from workbench.app.request import RequestCalls
from workbench.app.results import Logs, PolicyChange, complete
from workbench.model import (
    Argument,
    Case,
    ClauseProof,
    Json,
    Problem,
    Proof,
    WorkbenchError,
)
from workbench.runs.replay import ReplaySummary, summarise

if TYPE_CHECKING:
    from workbench.app.page import SessionPage
    from workbench.author.model.client import ModelClient
    from workbench.author.model.progress import CallProgress
    from workbench.author.protocol import Author
    from workbench.check.cases import CaseRun
    from workbench.check.proof import Prover
    from workbench.guard import Approval, DecisionLog, Guard, Mode, Strategy
    from workbench.policy.merge import Merged
    from workbench.policy.terms import PolicyTerms
    from workbench.runs.extract import Extractor
    from workbench.runs.replay.redecide import Redecider
    from workbench.session import Session
    from workbench.session.watching import FileWatch

POLICY = "policy.py"


class Workbench(RequestCalls, ProofCalls, MemoryCalls, AgentCalls):
    """One open session and everything that can be asked of it."""

    def __init__(self, session: Session, author: Author | None = None, *, replay_calls: bool = False) -> None:
        """Take the session; the author is the one that the session names unless another is given.

        With ``replay_calls`` a model is never asked: the session's recorded calls answer.
        """
        self.session = session
        self._author = author
        self._replay_calls = replay_calls
        self._client: ModelClient | None = None
        self._watching: tuple[Callable[[CallProgress], None], threading.Event | None] | None = None
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
            from workbench.author.choice_of_author import author_of

            self._author = author_of(self.session.info.author, self._model)
        return self._author

    def _model(self) -> ModelClient | None:
        """Who asks the session's model; made once, so that the budget is the whole session's."""
        if self._client is None:
            from workbench.author.choice_of_author import client_of

            self._client = client_of(
                self.session,
                environment=os.environ,
                replay_calls=self._replay_calls,
                read_only=self.session.read_only,
            )
            if self._client is not None and self._watching is not None:
                self._client.watch(*self._watching)
        return self._client

    def extractor(self, arguments: Sequence[Argument] | None = None) -> Extractor:
        """The extractor of the given arguments, or of all, taught by the session's memory."""
        from workbench.author.choice_of_author import reader_of
        from workbench.runs.extract import Extractor

        spec = self.session.spec
        wanted = self.arguments() if arguments is None else arguments
        return Extractor(wanted, spec, reader_of(spec, self._model), self.session.demonstrations)

    # --- the policy ---------------------------------------------------------------

    def terms(self, source: str | None = None, path: str = POLICY) -> PolicyTerms:
        """The checked policy of the session or of ``source``; raises PolicyError with all problems.

        ``path`` is what the problems call the file.
        """
        from workbench.policy.check import check

        text = self.session.policy if source is None else source
        return check(text, path=path)

    def problems(self, source: str | None = None) -> tuple[Problem, ...]:
        """What keeps the policy from being in the dialect; empty if nothing does."""
        try:
            self.terms(source)
        except WorkbenchError as error:
            return error.problems or (Problem(str(error)),)
        return ()

    def preview(self, terms: PolicyTerms) -> Proof:
        """The instant verdict of the solver on every clause."""
        from workbench.engines.smt.preview import preview

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
        time_limit: float | None = None,
        on_clause: Callable[[ClauseProof], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> Proof:
        """Prove every clause with Nagini; the prover stays warm for the next call.

        ``time_limit`` is in seconds of work per clause; None for the usual one.
        """
        from workbench.check.proof import TIME_LIMIT

        limit = TIME_LIMIT if time_limit is None else time_limit
        return prover.prove(terms, time_limit=limit, on_clause=on_clause, cancelled=cancelled)

    def version(self, name: str) -> str:
        """The text of a version of the policy by its name; see ``workbench.session.versions``."""
        from workbench.session.versions import version_text

        return version_text(self.session, name, self.draft())

    def take_round(self, number: int) -> bool:
        """Make a round of a model's refinement the policy file; False if it is that already.

        Raises WorkbenchError if the draft had no such round. Undo brings the other version back.
        """
        from workbench.policy.render import format_policy
        from workbench.session.versions import round_of

        text = format_policy(round_of(self.draft(), str(number)).policy)
        changed = text != self.session.policy
        if changed:
            self.session.set_policy(text, f"Go back to round {number} of the draft")
        return changed

    def watch_model(
        self, on_progress: Callable[[CallProgress], None], cancelled: threading.Event | None = None
    ) -> None:
        """Be told what a model replies, piece by piece, and what it costs; ``cancelled`` ends its calls."""
        self._watching = on_progress, cancelled
        if self._client is not None:
            self._client.watch(*self._watching)

    def merged_edits(self, base: str, ours: str, theirs: str) -> Merged:
        """Two edits of one policy as one text; where both changed the same part, ours stays.

        Raises WorkbenchError if the merged text or ours is not in the dialect.
        """
        from workbench.policy.merge import merge

        merged = merge(base, ours, theirs)
        for text in (merged.text, ours):
            self.terms(text)
        return merged

    def watched_files(self, tell: Callable[[], None]) -> FileWatch:
        """A watch, not started, over the session's files; it calls ``tell`` in a thread of its own."""
        from workbench.session import FILES
        from workbench.session.watching import FileWatch

        return FileWatch([self.session.path / name for name in FILES], tell)

    def diff(self, old: str, new: str, logs: Logs | None = None) -> PolicyChange:
        """What a change of the policy newly allows and newly denies: proved, and seen in the logs."""
        from workbench.engines.smt.diff import semantic_diff
        from workbench.runs.replay import flips

        before, after = self.terms(old), self.terms(new)
        seen = logs or Logs()
        found = tuple(flips(self.decide(before, seen), self.decide(after, seen)))
        names = {one.name for one in (*before.arguments, *after.arguments)}
        taken = ({name: one for name, one in item.items() if name in names} for item in seen.extracted)
        inputs = tuple(vector for item in taken if (vector := complete(item)) is not None)
        return PolicyChange(semantic_diff(before, after, prefer=inputs), found)

    def lowered(self, terms: PolicyTerms) -> str:
        """The program that is handed to Nagini."""
        from workbench.engines.nagini.lowering.lower import lower

        return lower(terms).text

    def export(self, proof: Proof | None = None) -> str:
        """The policy as one dependency-free Python file, its contract as comments.

        Without a proof its header says what earlier proofs found; none is run. The file is run on
        all cases and on the policy's boundaries; WorkbenchError if it decides otherwise than the policy.
        """
        from workbench.check.boundary_inputs import boundary_inputs
        from workbench.check.known_proof import known_proof
        from workbench.guard.export import proof_summary
        from workbench.guard.export_trial import tried_export

        terms = self.terms()
        status = proof_summary(known_proof(terms) if proof is None else proof)
        inputs = [*(case.arguments for case in self.session.cases), *boundary_inputs(terms)]
        return tried_export(terms, {"session": self.session.info.name, "proof": status}, inputs)

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
        from workbench.engines.compiled.compile import compile_policy
        from workbench.runs.replay.live_guard import live_guard

        policy = compile_policy(self.terms())
        extractor = self.extractor()
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
        source, cases = self.as_understood(understanding)
        problems = self.problems(source)
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
        terms = self.terms(source)
        on_stage("test")
        run = self.test(source, cases)
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
        from workbench.app.page import SessionPage

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
