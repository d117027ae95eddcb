"""Wrong versions of a policy of calls that the contract refuses: whether a run shows the refusal."""

from __future__ import annotations

from dataclasses import replace

from workbench.check.realise.realiser import TOOL, Executed, Realiser
from workbench.check.strength import Fate, MutantResult, StrengthReport
from workbench.model import AgentSpec
from workbench.policy.decisive_part import settled, settled_decision, what_breaks
from workbench.policy.terms import PolicyTerms


def realised_strength(report: StrengthReport, terms: PolicyTerms, spec: AgentSpec) -> StrengthReport:
    """The report, each wrong version that is refused with whether a run was found that shows it.

    That of a policy over plain arguments is unchanged.
    """
    if not terms.sources:
        return report
    shown = _Shown(Realiser(terms, spec))
    return replace(report, results=tuple(map(shown.with_run, report.results)))


class _Shown:
    """The runs that were found; one run often shows the refusal of several wrong versions."""

    def __init__(self, realiser: Realiser) -> None:
        self._realiser = realiser
        self._runs: list[Executed] = []

    def with_run(self, result: MutantResult) -> MutantResult:
        if result.fate is not Fate.KILLED or result.example is None:
            return result
        if any(self._refuses(result, run) for run in self._runs):
            return replace(result, realised=True)
        found = self._searched(result)
        self._runs += [] if found is None else [found]
        return replace(result, realised=found is not None)

    def _searched(self, result: MutantResult) -> Executed | None:
        example = result.example or {}
        tool = example.get(TOOL)
        clauses = [one for one in self._realiser.terms.clauses if one.id in result.killed_by]
        if not isinstance(tool, str) or not clauses:
            return None
        decisive = what_breaks(result.mutant.terms, clauses[0], example)
        return self._realiser.given(decisive, tool, lambda executed: self._refuses(result, executed))

    def _refuses(self, result: MutantResult, executed: Executed) -> bool:
        """Whether the wrong version breaks a clause on a run, whatever is not known."""
        terms, known = self._realiser.terms, executed.arguments
        decided = settled_decision(result.mutant.terms, known)
        if decided is None or not all(settled(terms, one.term, known) for one in terms.preconditions):
            return False
        return any(settled(terms, one.term, known, decided) is False for one in terms.clauses)
