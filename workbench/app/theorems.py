"""The theorems about whole runs of a session: their verdicts, and the runs that break them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.app.cases import KeptCase
from workbench.clean_text import counted
from workbench.model import ProofStatus, Run, TheoremVerdict, Verdict, WorkbenchError

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.app.cases import Cases
    from workbench.app.proof import Proving
    from workbench.app.runs import Runs
    from workbench.check.strength import StrengthReport
    from workbench.check.theorems.verdicts import TheoremVerdicts
    from workbench.policy.terms import PolicyTerms
    from workbench.session import Session

__all__ = ["TheoremVerdict", "Theorems", "searched_words"]


class Theorems:
    """The theorems of a policy of calls."""

    def __init__(self, session: Session, proof: Proving, cases: Cases, runs: Runs) -> None:
        self._runs = runs
        self._session = session
        self._proof = proof
        self._cases = cases
        self._kept: tuple[PolicyTerms, TheoremVerdicts] | None = None

    def verdicts(
        self,
        terms: PolicyTerms,
        *,
        verify: bool = True,
        most: int | None = None,
    ) -> tuple[TheoremVerdict, ...]:
        """The verdict on each theorem, in the order of the file.

        Without ``verify`` the preview alone decides. ``most`` bounds the calls of the runs that are searched.
        """
        from workbench.check.theorems.breaking_runs import MOST_CALLS

        if not terms.file.theorems:
            return ()
        return self._deciding(terms).all(self._proof.verified if verify else None, most=most or MOST_CALLS)

    def previewed(
        self,
        terms: PolicyTerms,
        on_theorem: Callable[[tuple[TheoremVerdict, ...]], None],
        cancelled: Callable[[], bool],
    ) -> None:
        """Tell the preview's verdicts so far after each theorem of a policy that is typed."""
        if terms.file.theorems:
            self._deciding(terms).all(on_theorem=on_theorem, cancelled=cancelled)

    def said(self, before: PolicyTerms, terms: PolicyTerms) -> tuple[TheoremVerdict, ...]:
        """The preview's verdicts on the theorems of a policy that the one before it does not have."""
        had = before.file.theorems.items()
        new = [name for name, sentence in terms.file.theorems.items() if (name, sentence) not in had]
        return self._deciding(terms).all(only=new) if new else ()

    def strength(self, terms: PolicyTerms) -> StrengthReport | None:
        """The wrong versions of the policy that the theorems refuse; None without a theorem."""
        from workbench.check.strength import strength

        deciding = self._deciding(terms)
        return strength(deciding.alone.terms) if deciding.theorems else None

    def refused(self, terms: PolicyTerms, report: StrengthReport | None) -> dict[str, int]:
        """How many wrong versions each theorem refuses; empty where none were made."""
        if report is None:
            return {}
        steps = self._deciding(terms).alone.steps
        killed_by = [set(result.killed_by) for result in report.results]
        return {
            name: sum(
                any(step.clause in killers for step in steps if step.theorem == name) for killers in killed_by
            )
            for name in self._deciding(terms).alone.theorems
        }

    def named(self, terms: PolicyTerms, name: str) -> TheoremVerdict:
        """The preview's verdict on a theorem. Raises WorkbenchError if there is none of this name."""
        verdicts = self.verdicts(terms, verify=False)
        found = next((one for one in verdicts if name in (one.name, one.name.removeprefix("theorem_"))), None)
        if found is None:
            names = ", ".join(one.name for one in verdicts) or "none"
            raise WorkbenchError(f"The policy has no theorem {name!r}; it has {names}.")
        return found

    def keep(self, terms: PolicyTerms, name: str) -> KeptCase:
        """Keep the last call of the run that breaks a theorem as a case: it is to be denied.

        Raises WorkbenchError if no run breaks it.
        """
        verdict = self.named(terms, name)
        run = _breaking(verdict)
        arguments = self._deciding(terms).runs.player.arguments(run)
        return self._cases.keep(
            terms,
            arguments,
            Verdict.DENY,
            reason=f"It breaks the theorem: {verdict.sentence}",
            requirements=verdict.requirements,
            origin="counterexample",
            identity=f"theorem-{verdict.name.removeprefix('theorem_')}",
        )

    def opened(self, terms: PolicyTerms, name: str) -> Path:
        """The log of the run that breaks a theorem, in the user's own folder: any log is opened by its path.

        Raises WorkbenchError if no run breaks it.
        """
        from workbench.files.private import data_folder

        folder = data_folder() / "theorems"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self._session.path.resolve().name}-{name}.jsonl"
        path.unlink(missing_ok=True)
        self.record(terms, name, path)
        return path

    def record(self, terms: PolicyTerms, name: str, path: Path) -> Run:
        """Play the run that breaks a theorem to the guard again, and record it in a file as a log.

        Raises WorkbenchError if no run breaks it, or if the file exists.
        """
        from workbench.guard import DecisionLog

        run = _breaking(self.named(terms, name))
        if path.exists():
            raise WorkbenchError(f"{path} exists; name another file.")
        log = DecisionLog(path)
        log.open()
        return self._deciding(terms).runs.player.play(run, log)

    def _deciding(self, terms: PolicyTerms) -> TheoremVerdicts:
        from workbench.check.theorems.verdicts import TheoremVerdicts

        kept = self._kept
        if kept is None or kept[0] is not terms:
            recorded = self._runs.known.runs
            kept = self._kept = terms, TheoremVerdicts(terms, self._session.agent, recorded)
        return kept[1]


def searched_words(verdict: TheoremVerdict) -> str:
    """What it means that a theorem is unknown."""
    calls = counted(verdict.searched, "call")
    searched = f"no run of up to {calls} breaks it, longer ones were not decided"
    if not verdict.searched:
        searched = "no run that breaks it was found, and not all of one call were decided"
    return f"neither proved nor refuted: {searched}; it may need another theorem to rest on, or a rule"


def _breaking(verdict: TheoremVerdict) -> Run:
    if verdict.status is not ProofStatus.REFUTED or verdict.breaking is None:
        raise WorkbenchError(f"No run breaks {verdict.name}: it is {verdict.status}.", exit_code=1)
    if not verdict.breaking.calls:
        raise WorkbenchError(f"{verdict.name} does not hold of a run without calls.", exit_code=1)
    return verdict.breaking
