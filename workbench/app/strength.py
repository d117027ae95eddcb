"""The strength of a session's contract: wrong versions that it refuses, and those that it lets pass."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.app.cases import KeptCase
from workbench.check.realise.realiser import NEAR, Executed, Realiser
from workbench.check.strength import Fate, MutantResult, StrengthReport, strength
from workbench.model import TOOL_ARGUMENT, Accepted, AgentSpec, Arguments, Question, Verdict, WorkbenchError
from workbench.policy.connectives import TRUE, conjunction, disjunction, negate
from workbench.policy.decisive_part import completed, decision_of, settled, what_breaks
from workbench.policy.terms import Clause, Constant, PolicyTerms, ResultTerm, Term
from workbench.policy.walk import children, with_children
from workbench.timestamps import timestamp

if TYPE_CHECKING:
    from workbench.app.cases import Cases
    from workbench.app.policy import Policy
    from workbench.app.request import Request
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
        report = strength(
            terms,
            on_progress=on_progress,
            cancelled=cancelled.is_set if cancelled is not None else None,
            accepted={accepted.mutant: accepted.reason for accepted in self._session.accepted},
            inputs=[completed(terms, case.arguments) for case in self._session.cases],
        )
        return realised_strength(report, terms, self._session.agent)

    def survivor(self, terms: PolicyTerms, mutant: str) -> MutantResult:
        """The wrong version with this id, which the contract lets pass.

        Raises WorkbenchError if there is none, or if the contract refuses it.
        """
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


# --- Wrong versions that the contract refuses: whether a run shows the refusal


MOST_INPUTS = 150
"""The most inputs that the solver is asked for, for all wrong versions of a policy together."""
MOST_RUNS = 2000
"""The most runs that are made for them; each is a replay of a few calls."""


def realised_strength(report: StrengthReport, terms: PolicyTerms, spec: AgentSpec) -> StrengthReport:
    """The report, each wrong version that is refused with whether a run was found that shows it.

    That of a policy over plain arguments is unchanged. Once as many inputs or runs were tried as are allowed
    for all together, it is said of the wrong versions that are left only where an earlier run shows it.
    """
    if not terms.sources:
        return report
    shown = _Shown(Realiser(terms, spec))
    return replace(report, results=tuple(map(shown.with_run, report.results)))


class _Decided:
    """A run, with what the policy itself settles on it."""

    def __init__(self, terms: PolicyTerms, executed: Executed) -> None:
        self.executed = executed
        self._terms = terms
        self._truths = {rule.name: settled(terms, rule.body, executed.arguments) for rule in terms.rules}
        self.decision = decision_of(terms, self._truths.values())

    def decision_of(self, wrong: PolicyTerms) -> bool | None:
        """What a wrong version decides; only rules that differ from the policy's are evaluated."""
        own, alike = self._terms, wrong.tables == self._terms.tables
        bodies = {rule.name: rule.body for rule in own.rules}
        known = self.executed.arguments
        return decision_of(
            wrong,
            [
                self._truths[rule.name]
                if alike and rule.body is bodies.get(rule.name)
                else settled(wrong, rule.body, known)
                for rule in wrong.rules
            ],
        )


class _Shown:
    """The runs that were found; one run often shows the refusal of several wrong versions."""

    def __init__(self, realiser: Realiser) -> None:
        self._realiser = realiser
        self._runs: list[_Decided] = []
        self._tried_near: set[tuple[str, str]] = set()
        self._names = [argument.name for argument in realiser.terms.arguments]

    def with_run(self, result: MutantResult) -> MutantResult:
        if result.fate is not Fate.KILLED or result.example is None:
            return result
        if any(self._refuses(result, run) for run in self._runs):
            return replace(result, realised=True)
        if self._realiser.inputs >= MOST_INPUTS or self._realiser.runs >= MOST_RUNS:
            return result
        found = self._searched(result)
        if found is not None:
            self._runs.append(_Decided(self._realiser.terms, found))
        return replace(result, realised=found is not None)

    def _searched(self, result: MutantResult) -> Executed | None:
        """A run on which the first clause is broken that refuses the wrong version."""
        example = result.example or {}
        allowed = None if result.mutant_decision is None else result.mutant_decision.allows
        tool = example.get(TOOL_ARGUMENT)
        broken = next((one for one in self._realiser.terms.clauses if one.id in result.killed_by), None)
        if not isinstance(tool, str) or broken is None or allowed is None:
            return None
        wrong, own = result.mutant.terms, self._realiser.terms

        def refused(executed: Executed) -> bool:
            return self._refuses(result, _Decided(own, executed))

        def decisive(values: Arguments) -> Collection[str]:
            return what_breaks(wrong, broken, {name: values[name] for name in self._names if name in values})

        # What the solver is not told of a clause is the same for every wrong version that it refuses.
        near = 0 if (broken.id, tool) in self._tried_near else NEAR
        self._tried_near.add((broken.id, tool))
        if wrong.tables != own.tables:
            # A condition of the wrong version would be read with the policy's own tables.
            return self._realiser.given(what_breaks(wrong, broken, example), tool, refused, near=near)
        query = _breaking(wrong, broken, allowed)
        return self._realiser.searched(query, tool, refused, decisive=decisive, near=near)

    def _refuses(self, result: MutantResult, run: _Decided) -> bool:
        """Whether the wrong version breaks a clause on a run on which the policy decides otherwise."""
        terms, known = self._realiser.terms, run.executed.arguments
        decided = run.decision_of(result.mutant.terms)
        if decided is None or decided is run.decision:
            return False
        if not all(settled(terms, one.term, known) for one in terms.preconditions):
            return False
        return any(settled(terms, one.term, known, decided) is False for one in terms.clauses)


def _breaking(wrong: PolicyTerms, clause: Clause, allowed: bool) -> Term:
    """The condition that a wrong version allows or denies, and that this breaks a clause."""
    forbidden = disjunction(rule.body for rule in wrong.rules if rule.forbids)
    permitted = disjunction(rule.body for rule in wrong.rules if not rule.forbids)
    allows = conjunction((negate(forbidden), TRUE if wrong.default_allow else permitted))
    return conjunction((allows if allowed else negate(allows), negate(_with_result(clause.term, allowed))))


def _with_result(term: Term, allowed: bool) -> Term:
    if isinstance(term, ResultTerm):
        return Constant(allowed)
    return with_children(term, tuple(_with_result(part, allowed) for part in children(term)))
