"""The strength of a session's contract: wrong versions that it refuses, and those that it lets pass."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.app.cases import KeptCase
from workbench.model import Accepted, Question, Verdict, WorkbenchError
from workbench.timestamps import timestamp

if TYPE_CHECKING:
    from workbench.app.cases import Cases
    from workbench.app.policy import Policy
    from workbench.app.request import Request
    from workbench.check.strength import MutantResult, StrengthReport
    from workbench.policy.terms import PolicyTerms
    from workbench.session import Session

__all__ = ["MutantResult", "Strength", "StrengthReport"]


class Strength:
    """The wrong versions of a policy, and a person's actions on those that pass."""

    def __init__(self, session: Session, request: Request, policy: Policy, cases: Cases) -> None:
        self._session = session
        self._request = request
        self._policy = policy
        self._cases = cases

    def measure(
        self,
        terms: PolicyTerms,
        *,
        on_progress: Callable[[int, int], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> StrengthReport:
        """The report on the wrong versions of the policy that its contract refuses, with stored reasons."""
        from workbench.check.realise.realised_strength import realised_strength
        from workbench.check.strength import strength
        from workbench.policy.decisive_part import completed

        report = strength(
            terms,
            on_progress=on_progress,
            cancelled=cancelled.is_set if cancelled is not None else None,
            accepted={accepted.mutant: accepted.reason for accepted in self._session.accepted},
            inputs=[completed(terms, case.arguments) for case in self._session.cases],
            processes=os.cpu_count() or 1,
        )
        return realised_strength(report, terms, self._session.agent)

    def survivor(self, terms: PolicyTerms, mutant: str) -> MutantResult:
        """The wrong version with this id, which the contract lets pass.

        Raises WorkbenchError if there is none, or if the contract refuses it.
        """
        from workbench.check.strength import Fate, strength

        results = strength(terms, only=mutant).results
        if not results:
            raise WorkbenchError(f"There is no wrong version {mutant!r}; `workbench strength` lists them.")
        if results[0].fate is not Fate.SURVIVED or results[0].example is None:
            raise WorkbenchError(f"The wrong version {mutant} does not pass the contract: {results[0].fate}.")
        return results[0]

    def accept(self, mutant_result: MutantResult, reason: str) -> Accepted:
        """Store that a wrong version may pass the contract, and why; an older reason is replaced."""
        plain_reason = " ".join(reason.split())
        if not plain_reason:
            raise WorkbenchError("Say why this wrong version may pass the contract; the reason is empty.")
        when = timestamp()
        accepted = Accepted(
            mutant_result.mutant.id,
            f"{mutant_result.mutant.where}: {mutant_result.mutant.description}",
            reason=plain_reason,
            when=when,
        )
        other_mutants = tuple(
            earlier for earlier in self._session.accepted if earlier.mutant != accepted.mutant
        )
        self._session.set_accepted((*other_mutants, accepted), f"Let {accepted.mutant} pass: {plain_reason}")
        return accepted

    def refuse(self, mutant: str) -> None:
        """Forget the reason why a wrong version may pass; raises WorkbenchError if none is stored."""
        other_mutants = tuple(accepted for accepted in self._session.accepted if accepted.mutant != mutant)
        if len(other_mutants) == len(self._session.accepted):
            raise WorkbenchError(f"No reason is stored for {mutant}.")
        self._session.set_accepted(other_mutants, f"No longer let {mutant} pass")

    def case(self, terms: PolicyTerms, mutant_result: MutantResult, expected: Verdict) -> KeptCase:
        """Keep the input on which a wrong version differs as a case, with a person's expected decision."""
        assert mutant_result.example is not None
        reason = f"Tells {mutant_result.mutant.where} from: {mutant_result.mutant.description}"
        requirements = _requirements(terms, mutant_result)
        return self._cases.keep(
            terms,
            mutant_result.example,
            expected,
            reason=reason,
            requirements=requirements,
            origin="mutant",
            identity=f"mutant-{mutant_result.mutant.id}",
        )

    def question(self, terms: PolicyTerms, mutant_result: MutantResult) -> Question:
        """The question whether the input on which a wrong version differs should be allowed."""
        from workbench.check.disputed_input import example_question

        assert mutant_result.example is not None
        names = _requirements(terms, mutant_result)
        about = next(
            (requirement for requirement in self._request.draft().requirements if requirement.id in names),
            None,
        )
        return example_question(f"mutant:{mutant_result.mutant.id}", mutant_result.example, about)


def _requirements(terms: PolicyTerms, mutant_result: MutantResult) -> tuple[str, ...]:
    """The requirements of the rule that a wrong version changes, or of the rules that fire on its input."""
    changed = [rule for rule in terms.rules if rule.name == mutant_result.mutant.where]
    if not changed and mutant_result.example is not None:
        from workbench.engines.compiled.compile import compile_policy

        fired = {step.rule for step in compile_policy(terms).path(mutant_result.example) if step.fired}
        changed = [rule for rule in terms.rules if rule.name in fired]
    return tuple(dict.fromkeys(name for rule in changed for name in rule.requirements))
