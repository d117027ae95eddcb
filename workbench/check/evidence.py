"""The evidence matrix: what the proof of a policy means, clause by clause.

Each clause of the contract has its sentences, its assumptions, the verdict of each engine, its vacuity, the
cases and logged calls that exercised it, and the mutants it killed. The matrix also lists sentences without a
clause that are no context, written rules without a sentence, and clauses that no log exercised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workbench.check.disagreement import contradictory
from workbench.check.strength import Fate, StrengthReport
from workbench.check.undemanded import clause_question
from workbench.clean_text import one_line
from workbench.engines.smt.preview import left_side
from workbench.engines.smt.vacuity import Vacuity
from workbench.model import (
    Arguments,
    Assumption,
    CallDecision,
    Case,
    ClauseProof,
    Decision,
    Proof,
    Requirement,
    TheoremVerdict,
    Verdict,
)
from workbench.policy.decisive_part import settled, settled_decision
from workbench.policy.evaluate import evaluate
from workbench.policy.terms import Clause, PolicyTerms
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form

_MOST_CALLS_NAMED = 5


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """The evidence for one clause.

    ``verdicts`` holds one entry per engine. ``calls`` counts the logged calls that exercised
    the clause and ``call_examples`` names a few as ``(run, index)``; ``mutants_killed`` and
    ``calls`` are None where that was not measured.
    """

    clause: str
    source: str
    requirements: tuple[str, ...]
    sentences: tuple[str, ...]
    assumptions: tuple[Assumption, ...]
    verdicts: tuple[ClauseProof, ...]
    vacuity: Vacuity | None
    cases: tuple[str, ...]
    mutants_killed: int | None
    calls: int | None
    call_examples: tuple[tuple[str, int], ...] = ()

    @property
    def engines_disagree(self) -> bool:
        """Whether one engine proved the clause and another refuted it: an error of the workbench."""
        return contradictory(self.verdicts)


_RESTS_ON = JsonForm[Assumption](Assumption, fields("id", "statement", "made_by"))
_VERDICT = JsonForm[ClauseProof](ClauseProof, fields("engine", "status", "why"))
_EXAMPLE = JsonForm[tuple[str, int]](tuple[str, int], fields(("run", "0"), ("call", "1")))
json_form(
    EvidenceRow,
    *("clause", "source", "requirements", "sentences"),
    ("assumptions", Nested(_RESTS_ON, "assumptions", many=True)),
    ("verdicts", Nested(_VERDICT, "verdicts", many=True)),
    *("engines_disagree", "vacuity", "cases", "mutants_killed", "calls"),
    ("call_examples", Nested(_EXAMPLE, "call_examples", many=True)),
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The matrix, and the gaps around it. Sentences are named by their words.

    ``killed`` and ``killable`` are of the whole contract, ``survivors`` the ids of the mutants that it does
    not refuse; None and empty if the strength was not measured.
    """

    rows: tuple[EvidenceRow, ...]
    sentences_without_clause: tuple[str, ...]
    rules_without_sentence: tuple[str, ...]
    clauses_never_exercised: tuple[str, ...]
    killed: int | None = None
    killable: int | None = None
    survivors: tuple[str, ...] = ()
    theorems: tuple[TheoremVerdict, ...] = ()


def _measured(evidence: Evidence) -> Evidence | None:
    return None if evidence.killed is None else evidence


_STRENGTH = JsonForm[Evidence](Evidence, fields("killed", "killable", "survivors"))
json_form(
    Evidence,
    *(("clauses", "rows"), "sentences_without_clause", "rules_without_sentence", "clauses_never_exercised"),
    *(("strength", Nested(_STRENGTH, _measured, none=True)), "theorems"),
)


def evidence(
    terms: PolicyTerms,
    *,
    requirements: Iterable[Requirement] = (),
    assumptions: Iterable[Assumption] = (),
    proofs: Iterable[Proof] = (),
    vacuity: Mapping[str, Vacuity] | None = None,
    cases: Iterable[Case] = (),
    strength: StrengthReport | None = None,
    decisions: Iterable[CallDecision] | None = None,
    theorems: Iterable[TheoremVerdict] = (),
) -> Evidence:
    """The evidence for every clause; parts that are not given stay open.

    ``proofs`` are the verdicts of each engine. ``decisions`` are those of a replay, None if nothing was
    replayed.
    """
    requirement_by_id = {requirement.id: requirement for requirement in requirements}
    verdicts = [verdict for proof in proofs for verdict in proof.clauses]
    exercise = _Exercise(terms, cases, decisions)
    all_assumptions = tuple(assumptions)
    answered = {assumption.question for assumption in all_assumptions}
    kills = {} if strength is None else strength.kills
    rows = tuple(
        EvidenceRow(
            clause.id,
            terms.file.part(clause).source or clause.source,
            clause.requirements,
            tuple(requirement_by_id[name].text for name in clause.requirements if name in requirement_by_id),
            tuple(
                assumption
                for assumption in all_assumptions
                if set(clause.requirements) & set(assumption.requirements)
            ),
            tuple(verdict for verdict in verdicts if verdict.clause == clause.id),
            None if vacuity is None else vacuity.get(clause.id),
            exercise.cases(clause),
            kills.get(clause.id),
            *exercise.calls(clause),
        )
        for clause in terms.clauses
    )
    covered = {name for clause in terms.clauses for name in clause.requirements}
    survivors = () if strength is None else strength.having(Fate.SURVIVED)
    return Evidence(
        rows,
        tuple(
            one_line(one.text)
            for name, one in requirement_by_id.items()
            if name not in covered and clause_question(one, ()) not in answered
        ),
        tuple(
            rule.name
            for rule in terms.rules
            if rule.name in terms.file.parts
            and not any(name in requirement_by_id for name in rule.requirements)
        ),
        tuple(row.clause for row in rows if row.calls == 0),
        None if strength is None else strength.killed,
        None if strength is None else strength.killable,
        tuple(result.mutant.id for result in survivors),
        tuple(theorems),
    )


type _Content = tuple[tuple[str, object], ...]


class _Exercise:
    """The cases and logged calls that make the left side of a clause true."""

    def __init__(
        self, terms: PolicyTerms, cases: Iterable[Case], decisions: Iterable[CallDecision] | None
    ) -> None:
        self._terms = terms
        # A case has what its decision rests on, so it exercises what follows from that alone.
        self._cases = [
            (case.id, case.arguments, allowed)
            for case in cases
            if case.expected is not Verdict.CANNOT_EVALUATE
            and all(settled(terms, one.term, case.arguments) for one in terms.preconditions)
            and (allowed := settled_decision(terms, case.arguments)) is not None
        ]
        self._replayed = decisions is not None
        # Logs repeat inputs, so each different input is evaluated once.
        self._calls: dict[_Content, tuple[Decision, list[tuple[str, int]]]] = {}
        for decided in decisions or ():
            if decided.decision.verdict is not Verdict.CANNOT_EVALUATE:
                content = tuple(sorted(decided.decision.arguments.items(), key=lambda item: item[0]))
                _, places = self._calls.setdefault(content, (decided.decision, []))
                places.append((decided.run, decided.index))

    def cases(self, clause: Clause) -> tuple[str, ...]:
        """Return the ids of the cases that exercise a clause."""
        left = left_side(clause.term)
        return tuple(
            name
            for name, arguments, allowed in self._cases
            if settled(self._terms, left, arguments, allowed) is True
        )

    def calls(self, clause: Clause) -> tuple[int | None, tuple[tuple[str, int], ...]]:
        """Return the number of calls that exercise a clause, and the first of them."""
        if not self._replayed:
            return None, ()
        call_places: list[tuple[str, int]] = []
        for decision, places in self._calls.values():
            if self._speaks(clause, decision.arguments, decision.verdict is Verdict.ALLOW):
                call_places.extend(places)
        return len(call_places), tuple(call_places[:_MOST_CALLS_NAMED])

    def _speaks(self, clause: Clause, arguments: Arguments, result: bool) -> bool:
        try:
            return evaluate(self._terms, left_side(clause.term), arguments, result) is True
        except (KeyError, TypeError):
            return False  # another version of the policy decided the log
