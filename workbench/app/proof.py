"""The calls of the pipeline about what a proof means: strength, survivors, examples, cases, evidence.

``workbench.app.workbench.Workbench`` inherits them; front ends call them there.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workbench.model import (
    Accepted,
    Arguments,
    Assumption,
    Case,
    Counterexample,
    Draft,
    Proof,
    Question,
    StepDecision,
    Verdict,
    WorkbenchError,
)

if TYPE_CHECKING:
    from workbench.check.disputed_input import DisputedInput
    from workbench.check.evidence import Evidence
    from workbench.check.strength import MutantResult, StrengthReport
    from workbench.policy.terms import PolicyTerms
    from workbench.session import Session


@dataclass(frozen=True, slots=True)
class KeptCase:
    """A case that was stored, and what it says of the rules and the contract."""

    case: Case
    judgement: DisputedInput


class ProofCalls(ABC):
    """What can be asked about the proof of a session's policy, and done with the answers."""

    session: Session

    @abstractmethod
    def terms(self, source: str | None = None) -> PolicyTerms:
        """The checked policy of the session or of ``source``."""

    @abstractmethod
    def draft(self) -> Draft:
        """The draft under the session's assumptions."""

    @property
    @abstractmethod
    def assumptions(self) -> tuple[Assumption, ...]:
        """The session's assumptions, with the ids of the present draft."""

    # --- contract strength --------------------------------------------------------

    def strength(
        self,
        terms: PolicyTerms,
        *,
        on_progress: Callable[[int, int], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> StrengthReport:
        """How many wrong versions of the policy its contract refuses, with the reasons stored for others."""
        from workbench.check.strength import strength

        return strength(
            terms,
            on_progress=on_progress,
            cancelled=cancelled.is_set if cancelled is not None else None,
            accepted={one.mutant: one.reason for one in self.session.accepted},
        )

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

    def accept_survivor(self, found: MutantResult, reason: str) -> Accepted:
        """Store that a wrong version may pass the contract, and why; an older reason is replaced."""
        said = " ".join(reason.split())
        if not said:
            raise WorkbenchError("Say why this wrong version may pass the contract; the reason is empty.")
        when = datetime.now(UTC).replace(microsecond=0).isoformat()
        one = Accepted(found.mutant.id, said, f"{found.mutant.where}: {found.mutant.what}", when)
        kept = tuple(other for other in self.session.accepted if other.mutant != one.mutant)
        self.session.set_accepted((*kept, one), f"Let {one.mutant} pass: {said}")
        return one

    def refuse_survivor(self, mutant: str) -> None:
        """Forget the reason why a wrong version may pass; raises WorkbenchError if none is stored."""
        kept = tuple(one for one in self.session.accepted if one.mutant != mutant)
        if len(kept) == len(self.session.accepted):
            raise WorkbenchError(f"No reason is stored for {mutant}.")
        self.session.set_accepted(kept, f"No longer let {mutant} pass")

    def pin_survivor(self, terms: PolicyTerms, found: MutantResult) -> str:
        """Add to the session's policy a clause that refuses a wrong version; the clause's condition.

        It says what the policy decides where the two differ, as widely as the preview proves.
        """
        from workbench.check.pin import pin
        from workbench.check.strength import Fate, strength

        assert found.example is not None
        comment = f"Refuses a wrong version ({found.mutant.where}: {found.mutant.what})."
        pinned = pin(terms, found.example, requirements=_requirements(terms, found), comment=comment)
        fates = [one.fate for one in strength(self.terms(pinned.policy), only=found.mutant.id).results]
        if fates != [Fate.KILLED]:
            raise WorkbenchError(f"No clause was found that refuses {found.mutant.id}.", exit_code=1)
        self.session.set_policy(pinned.policy, f"Add a clause against {found.mutant.id}")
        return pinned.condition

    def case_of_survivor(self, terms: PolicyTerms, found: MutantResult, expected: Verdict) -> KeptCase:
        """Keep the input on which a wrong version differs as a case, with the decision a person expects."""
        assert found.example is not None
        reason = f"Tells {found.mutant.where} from: {found.mutant.what}"
        requirements = _requirements(terms, found)
        return self.keep_case(terms, found.example, expected, reason=reason, requirements=requirements,
                              origin="mutant", identity=f"mutant-{found.mutant.id}")  # fmt: skip

    def question_of_survivor(self, terms: PolicyTerms, found: MutantResult) -> Question:
        """The question whether the input on which a wrong version differs should be allowed."""
        from workbench.check.disputed_input import example_question

        assert found.example is not None
        names = _requirements(terms, found)
        about = next((one for one in self.draft().requirements if one.id in names), None)
        return example_question(f"mutant:{found.mutant.id}", found.example, about)

    # --- counterexamples and cases ------------------------------------------------

    def counterexample(self, terms: PolicyTerms, clause: str) -> Counterexample:
        """The preview's counterexample to a clause, with the conditions on the path of each rule.

        Raises WorkbenchError for an unknown clause and for one that is not refuted.
        """
        from workbench.engines.smt.preview import preview

        found = next((one for one in preview(terms).clauses if one.clause == clause), None)
        if found is None:
            known = ", ".join(one.id for one in terms.clauses) or "none"
            raise WorkbenchError(f"The policy has no clause {clause!r}; it has {known}.")
        if found.counterexample is None:
            raise WorkbenchError(
                f"{clause} has no counterexample: the preview says {found.status}.", exit_code=1
            )
        return found.counterexample

    def question_of_clause(self, terms: PolicyTerms, clause: str, arguments: Arguments) -> Question:
        """The question whether the counterexample to a clause should be allowed."""
        from workbench.check.disputed_input import example_question

        named = next((one for one in terms.clauses if one.id == clause), None)
        if named is None:
            raise WorkbenchError(f"The policy has no clause {clause!r}.")
        about = next((one for one in self.draft().requirements if one.id in named.requirements), None)
        return example_question(f"example:{clause}", arguments, about, named)

    def answer_example(self, terms: PolicyTerms, question: Question, value: str) -> KeptCase:
        """Keep the answer to a question by example as a case of a person, and say what is wrong."""
        if question.example is None or value not in {one.value for one in question.options}:
            known = ", ".join(one.value for one in question.options)
            raise WorkbenchError(f"{value!r} does not answer {question.id}; answer with one of: {known}.")
        return self.keep_case(terms, question.example, Verdict(value), reason="Answered by a person",
                              requirements=question.requirements)  # fmt: skip

    def keep_case(
        self,
        terms: PolicyTerms,
        arguments: Arguments,
        expected: Verdict,
        *,
        reason: str = "",
        requirements: Sequence[str] = (),
        origin: str = "human",
        identity: str = "",
    ) -> KeptCase:
        """Keep an input with the decision that a person expects as a case of the session.

        Raises WorkbenchError if the policy cannot evaluate the input (unless that is expected), or if
        a case of a person says otherwise of the same input.
        """
        from workbench.check.disputed_input import judge, with_case

        judgement = judge(terms, arguments, expected)
        case = Case(identity or origin, dict(arguments), expected, reason, tuple(requirements), origin)
        before = self.session.cases
        after = with_case(before, case)
        if after != before:
            self.session.set_cases(after, f"Keep a case: {after[-1].id}")
        kept = next(one for one in reversed(after) if one.arguments == case.arguments)
        return KeptCase(kept, judgement)

    def remove_case(self, identity: str) -> Case:
        """Remove a case; raises WorkbenchError if there is none, or if the draft would make it again."""
        found = next((one for one in self.session.cases if one.id == identity), None)
        if found is None:
            raise WorkbenchError(f"The session has no case {identity!r}; `workbench cases` lists them.")
        if found.origin == "generated":
            raise WorkbenchError(
                f"The case {identity} is made from the request; change the request or its answers."
            )
        kept = tuple(one for one in self.session.cases if one.id != identity)
        self.session.set_cases(kept, f"Remove the case {identity}")
        return found

    # --- evidence -----------------------------------------------------------------

    def known_proof(self, terms: PolicyTerms) -> Proof:
        """What earlier proofs found of each clause, from the verdicts on disk; no prover is started."""
        from workbench.check.known_proof import known_proof

        return known_proof(terms)

    def evidence(
        self,
        terms: PolicyTerms,
        *,
        proofs: Sequence[Proof],
        strength: StrengthReport | None = None,
        steps: Sequence[StepDecision] | None = None,
    ) -> Evidence:
        """What speaks for every clause: sentence, verdicts, vacuity, cases, mutants and log steps."""
        from workbench.check.evidence import evidence
        from workbench.engines.smt.preview import vacuity

        return evidence(
            terms,
            requirements=self.draft().requirements,
            assumptions=self.assumptions,
            proofs=proofs,
            vacuity=vacuity(terms),
            cases=self.session.cases,
            strength=strength,
            steps=steps,
        )

    def disagreements(self, terms: PolicyTerms, found: Evidence) -> tuple[str, ...]:
        """For each clause on which the engines contradict each other, everything that a report needs."""
        from workbench.check.disagreement import disagreement

        return tuple(
            disagreement(terms, row.clause, row.verdicts) for row in found.rows if row.engines_disagree
        )

    def disagreement(self, terms: PolicyTerms, clause: str, proofs: Iterable[Proof]) -> str:
        """Everything that a report of engines that contradict each other on one clause needs."""
        from workbench.check.disagreement import disagreement

        verdicts = [one for proof in proofs for one in proof.clauses if one.clause == clause]
        return disagreement(terms, clause, verdicts)


def _requirements(terms: PolicyTerms, found: MutantResult) -> tuple[str, ...]:
    """The requirements of the rule that a wrong version changes, or of the rules that fire on its input."""
    changed = [rule for rule in terms.rules if rule.name == found.mutant.where]
    if not changed and found.example is not None:
        from workbench.engines.compiled.compile import compile_policy

        fired = {step.rule for step in compile_policy(terms).path(found.example) if step.fired}
        changed = [rule for rule in terms.rules if rule.name in fired]
    return tuple(dict.fromkeys(name for rule in changed for name in rule.requirements))
