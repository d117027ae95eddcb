"""A workbench whose check takes milliseconds: the preview in place of the verifier, cases without pytest."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from typing import override

from workbench.app.cases import Cases
from workbench.app.workbench import Workbench
from workbench.author.protocol import Author
from workbench.check.cases_run import CaseRun
from workbench.check.proof.prover import TIME_LIMIT, Prover
from workbench.engines.compiled.compile import compile_policy
from workbench.engines.smt.preview import preview
from workbench.model import Case, CaseResult, ClauseProof, Proof, Verdict
from workbench.policy.decisive_part import completed, lacking
from workbench.policy.terms import PolicyTerms
from workbench.session import Session


class PreviewProver(Prover):
    """A stand-in for the verifier that reports what the preview finds; it proves nothing."""

    @override
    def start(self) -> None:
        """Nothing has to be started."""

    @override
    def prove(
        self,
        terms: PolicyTerms,
        clauses: Collection[str] | None = None,
        *,
        time_limit: float = TIME_LIMIT,
        on_clause: Callable[[ClauseProof], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> Proof:
        """The preview's verdicts."""
        return preview(terms)


class QuickCases(Cases):
    """The cases of a session, decided by the compiled policy in this process instead of by pytest."""

    @override
    def run(
        self,
        source: str | None = None,
        cases: Sequence[Case] | None = None,
        *,
        cancelled: threading.Event | None = None,
    ) -> CaseRun:
        """The result of each case, as ``run_cases`` gives it."""
        terms = self._session.evaluated(source).terms
        return CaseRun(_results(terms, tuple(self._session.cases if cases is None else cases)))


def _results(terms: PolicyTerms, cases: Sequence[Case]) -> tuple[CaseResult, ...]:
    policy = compile_policy(terms)
    results: list[CaseResult] = []
    for case in cases:
        arguments = case.arguments
        names = {argument.name for argument in terms.arguments}
        on_purpose = case.expected is Verdict.CANNOT_EVALUATE
        if not on_purpose and not names <= arguments.keys() and not lacking(terms, arguments):
            arguments = completed(terms, arguments)
        verdict = policy.decide(arguments).verdict
        results.append(CaseResult(case.id, verdict is case.expected, verdict))
    return tuple(results)


def quick(session: Session, author: Author | None = None, *, replay_calls: bool = False) -> Workbench:
    """An open session with quick checks; with ``replay_calls`` a model is never asked."""
    bench = Workbench(session, author, replay_calls=replay_calls, prover=PreviewProver())
    bench.cases = QuickCases(session, bench.request)
    return bench
