"""The evidence matrix: each cell comes from a measurement, and gaps are listed."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.dialect.desk import lowered, rule
from tests.plain_policies import check
from workbench.check.disagreement import DISAGREEMENT, contradictory, disagreement
from workbench.check.evidence import EvidenceRow, evidence
from workbench.check.strength import strength
from workbench.check.undemanded import clause_question
from workbench.engines.smt.preview import preview, vacuity
from workbench.model import (
    Arguments,
    Assumption,
    CallDecision,
    Case,
    ClauseProof,
    Counterexample,
    Decision,
    Engine,
    MadeBy,
    Proof,
    ProofStatus,
    Requirement,
    Span,
    Verdict,
)
from workbench.serialization.nouns import json_of

SOURCE = '''
from nagini_contracts.contracts import Ensures, Implies, Requires, Result


def forbid_young(action: str, age: int) -> bool:
    """R1: Users under 18 may not book."""
    return action == "book" and age < 18


def forbid_pay(action: str) -> bool:
    """Nobody pays."""
    return action == "pay"


def allow(action: str, age: int) -> bool:
    # R1: Users under 18 may not book.
    Ensures(Implies(action == "book" and age < 18, not Result()))
    # R2: Anybody may look.
    Ensures(Implies(action == "look", Result()))
    return not (forbid_young(action, age) or forbid_pay(action))
'''


def requirement(name: str, text: str) -> Requirement:
    return Requirement(name, text, text, Span(0, len(text)))


def recorded_call(index: int, arguments: Arguments, verdict: Verdict) -> CallDecision:
    return CallDecision("t1", index, Decision(verdict, arguments=arguments))


REQUIREMENTS = (
    requirement("R1", "Users under 18 may not book."),
    requirement("R2", "Anybody may look."),
    requirement("R3", "Be polite."),
)
CALLS = (
    recorded_call(0, {"action": "book", "age": 12}, Verdict.DENY),
    recorded_call(1, {"action": "book", "age": 30}, Verdict.ALLOW),
    recorded_call(2, {"action": "book", "age": 12}, Verdict.DENY),
    recorded_call(3, {"action": "book", "age": "old"}, Verdict.CANNOT_EVALUATE),
    recorded_call(4, {"weather": "fine"}, Verdict.ALLOW),
)
CASES = (
    Case("c1", {"action": "look", "age": 3}, Verdict.ALLOW, "anybody"),
    Case("c2", {"action": "book"}, Verdict.CANNOT_EVALUATE, "age is missing"),
)


def test_every_cell_is_filled_from_what_was_measured() -> None:
    terms = check(SOURCE)
    assumption = Assumption(
        "A1", "q", "under", "Under 18 is below 18.", "2026-01-01T00:00:00", ("R1",), made_by=MadeBy.HUMAN
    )
    report = strength(terms)
    measured = evidence(
        terms,
        requirements=REQUIREMENTS,
        assumptions=(assumption,),
        proofs=(preview(terms),),
        vacuity=vacuity(terms),
        cases=CASES,
        strength=report,
        decisions=CALLS,
    )
    young, look = measured.rows
    assert young.sentences == ("Users under 18 may not book.",)
    assert young.assumptions == (assumption,)
    assert look.assumptions == ()
    assert (young.calls, young.call_examples) == (2, (("t1", 0), ("t1", 2)))
    assert look.cases == ("c1",)
    assert look.calls == 0
    assert young.mutants_killed == report.kills["C1"] > 0
    assert young.vacuity is not None
    assert not young.vacuity.vacuous
    assert [verdict.status for verdict in young.verdicts] == [ProofStatus.PROVED]
    assert measured.sentences_without_clause == ("Be polite.",)
    assert measured.rules_without_sentence == ("forbid_pay",)
    assert measured.clauses_never_exercised == ("C2",)
    assert measured.killed == report.killed
    assert set(measured.survivors)


def test_context_lacks_no_clause_and_the_default_lacks_no_sentence() -> None:
    """A person said that a sentence states no rule, and what DEFAULT permits is no rule of the file."""
    polite = REQUIREMENTS[2]
    question = clause_question(polite, ())
    said = Assumption("A1", question, "meant", "", "2026-01-01T00:00:00", ("R3",), made_by=MadeBy.HUMAN)
    stated = evidence(check(SOURCE), requirements=REQUIREMENTS, assumptions=(said,))
    assert stated.sentences_without_clause == ()
    terms = lowered(rule("call.total <= 5").replace("forbid_it", "permit_it")).terms
    assert "permit_other_tools" in {one.name for one in terms.rules}
    assert evidence(terms).rules_without_sentence == ("permit_it",)


def test_what_was_not_measured_stays_open() -> None:
    measured = evidence(check(SOURCE))
    assert [(row.mutants_killed, row.calls, row.vacuity) for row in measured.rows] == [(None, None, None)] * 2
    assert measured.clauses_never_exercised == ()
    assert json.loads(json.dumps(json_of(measured)))["strength"] is None


def test_engines_that_disagree_are_told() -> None:
    def verdict(engine: Engine, status: ProofStatus) -> Proof:
        return Proof((ClauseProof("C1", ("R1",), status, engine),))

    proved = verdict(Engine.NAGINI, ProofStatus.PROVED)
    clashing = evidence(check(SOURCE), proofs=(proved, verdict(Engine.CVC5, ProofStatus.REFUTED)))
    open_one = evidence(check(SOURCE), proofs=(proved, verdict(Engine.CVC5, ProofStatus.UNKNOWN)))
    rows: list[EvidenceRow] = [*clashing.rows, *open_one.rows]
    assert [row.engines_disagree for row in rows] == [True, False, False, False]


def test_engines_that_contradict_each_other_are_told_with_all_that_a_report_needs() -> None:
    terms = check(CONTRADICTED)
    example = Counterexample({"age": 3}, confirmed=True)
    proved = ClauseProof("C1", (), ProofStatus.PROVED, Engine.NAGINI)
    unsure = ClauseProof("C1", (), ProofStatus.UNKNOWN, Engine.NAGINI, why=DISAGREEMENT)
    refuted = ClauseProof("C1", (), ProofStatus.REFUTED, Engine.CVC5, example)
    assert contradictory((proved, refuted))
    assert contradictory((unsure,))
    assert not contradictory((refuted, replace(unsure, why="time limit")))
    assert not contradictory(())
    report = disagreement(terms, "C1", (unsure, refuted))
    for part in (CONTRADICTED, "age=3", "def check_C1", "lowering", "cvc5: refuted", DISAGREEMENT):
        assert part in report


CONTRADICTED = """from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_minor(age: int) -> bool:
    \"\"\"R1: No minors.\"\"\"
    return age < 18


def allow(age: int) -> bool:
    # R1: No minors.
    Ensures(Implies(age < 18, not Result()))
    return not (forbid_minor(age))
"""
