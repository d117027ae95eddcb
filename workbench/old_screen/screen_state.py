"""Everything the screen shows at one moment, and what that means for each stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from workbench.check.verdict_words import not_proved
from workbench.model import CaseResult, ClauseProof, Problem, Proof, ProofStatus, StepDecision, Verdict
from workbench.old_screen.state import (
    Cases,
    Contents,
    Evidence,
    Replayed,
    Stage,
    StageCondition,
    StageName,
    Survivor,
    Verdicts,
)
from workbench.old_screen.value_text import plural

if TYPE_CHECKING:
    from workbench.policy.terms import PolicyTerms


@dataclass(frozen=True, slots=True)
class ScreenState:
    """What is known. ``running`` and ``failed`` are about the stages; see ``stages``."""

    contents: Contents = field(default_factory=lambda: Contents("", "", "", ""))
    loaded: bool = False
    problems: tuple[Problem, ...] = ()
    tests: Cases = field(default_factory=Cases)
    verdicts: Verdicts = field(default_factory=Verdicts)
    replayed: Replayed = field(default_factory=Replayed)
    running: frozenset[StageName] = frozenset()
    failed: Mapping[StageName, str] = field(default_factory=dict[StageName, str])


def stale(board: ScreenState) -> ScreenState:
    """The board after a change of the text: what it shows belongs to an older one."""
    tests, verdicts, replayed = board.tests, board.verdicts, board.replayed
    if tests.results and not tests.stale:
        tests = replace(tests, stale=True)
    if verdicts.terms is not None and not verdicts.stale:
        verdicts = replace(verdicts, stale=True, running=False)
    if replayed.decisions and not replayed.stale:
        replayed = replace(replayed, stale=True)
    return replace(board, tests=tests, verdicts=verdicts, replayed=replayed)


def failed(board: ScreenState, stage: StageName, why: str) -> ScreenState:
    """The board after a stage could not be done."""
    board = replace(board, failed={**board.failed, stage: why})
    if stage is StageName.PROVE:
        return replace(board, verdicts=replace(board.verdicts, running=False, why=why))
    if stage is StageName.TEST:
        return replace(board, tests=replace(board.tests, why=why))
    return board


def done(board: ScreenState, stage: StageName) -> ScreenState:
    """The board after a stage ended, well or not."""
    still = {name: why for name, why in board.failed.items() if name is not stage}
    return replace(board, running=board.running - {stage}, failed=still)


def checked(board: ScreenState, terms: PolicyTerms | None, problems: tuple[Problem, ...]) -> ScreenState:
    """The board after a text was checked: what was known of another text is stale or gone."""
    board = replace(board, problems=problems)
    if terms is None:
        return replace(stale(board), running=frozenset())
    verdicts = Verdicts(terms=terms, running=True, progress=board.verdicts.progress)
    running = board.running - {StageName.DRAFT} | {StageName.TEST, StageName.PROVE}
    return replace(board, verdicts=verdicts, running=running)


def previewed(board: ScreenState, proof: Proof) -> ScreenState:
    """The board with the preview's verdicts."""
    return replace(board, verdicts=replace(board.verdicts, preview=proof))


def proving(board: ScreenState) -> ScreenState:
    """The board while what was not decided is proved again."""
    return replace(
        board,
        verdicts=replace(board.verdicts, running=True, why=""),
        running=board.running | {StageName.PROVE},
    )


def clause_proved(board: ScreenState, clause: ClauseProof) -> ScreenState:
    """The board with the prover's verdict on one clause."""
    proof = board.verdicts.proof
    others = tuple(item for item in proof.clauses if item.clause != clause.clause)
    return replace(board, verdicts=replace(board.verdicts, proof=replace(proof, clauses=(*others, clause))))


def proved(board: ScreenState, proof: Proof) -> ScreenState:
    """The board with all of the prover's verdicts."""
    verdicts = replace(board.verdicts, proof=proof, running=False, why=proof.why)
    return done(replace(board, verdicts=verdicts), StageName.PROVE)


def prover_says(board: ScreenState, text: str) -> ScreenState:
    """The board with what the prover is doing."""
    return replace(board, verdicts=replace(board.verdicts, progress=text))


def tested(board: ScreenState, results: Sequence[CaseResult]) -> ScreenState:
    """The board with the results of the cases."""
    tests = Cases(board.tests.cases, {result.case: result for result in results})
    return done(replace(board, tests=tests), StageName.TEST)


def decided(board: ScreenState, decisions: Sequence[StepDecision]) -> ScreenState:
    """The board with new decisions; the first ones are what later ones are compared with.

    Decisions that are not of the board's steps leave it as it is: they may arrive before the steps,
    which are decided again once they are there.
    """
    if len(decisions) != len(board.replayed.steps):
        return board
    replayed = replace(board.replayed, decisions=decisions, stale=False, causes=None, strategies=None)
    if len(replayed.before) != len(decisions):
        replayed = replace(replayed, before=replayed.verdicts)
    return done(replace(board, replayed=replayed), StageName.REPLAY)


def tested_some(board: ScreenState, results: Sequence[CaseResult]) -> ScreenState:
    """The board with the results of some of the cases, the others as they were."""
    merged = {**board.tests.results, **{result.case: result for result in results}}
    return replace(board, tests=replace(board.tests, results=merged))


def passed(board: ScreenState, survivor: Survivor) -> ScreenState:
    """The board once a person said that a wrong version may pass."""
    evidence = board.verdicts.evidence
    if evidence is None:
        return board
    others = tuple(item for item in evidence.survivors if item.id != survivor.id)
    return replace(board, verdicts=replace(board.verdicts, evidence=replace(evidence, survivors=others)))


def measured(board: ScreenState, evidence: Evidence | None, progress: str) -> ScreenState:
    """The board with the evidence, or with how far measuring it is."""
    verdicts = replace(board.verdicts, evidence=evidence or board.verdicts.evidence, measuring=progress)
    return replace(board, verdicts=verdicts)


def settled(board: ScreenState) -> ScreenState:
    """The board with later decisions compared with those of this moment."""
    replayed = board.replayed
    if not replayed.decisions or replayed.stale:
        return board
    return replace(board, replayed=replace(replayed, before=replayed.verdicts))


def stages(board: ScreenState) -> tuple[Stage, ...]:
    """The five stages in order, each with its condition and a few words."""
    if not board.loaded:
        first = Stage(StageName.CLARIFY, StageCondition.RUNNING, "reading the session")
        return (first, *(Stage(name) for name in StageName if name is not StageName.CLARIFY))
    return _clarify(board), _draft(board), _test(board), _prove(board), _replay(board)


def _failure(board: ScreenState, name: StageName) -> Stage | None:
    return Stage(name, StageCondition.BAD, "failed") if name in board.failed else None


def _clarify(board: ScreenState) -> Stage:
    if StageName.CLARIFY in board.running:
        return Stage(StageName.CLARIFY, StageCondition.RUNNING, "working")
    waiting = len(board.contents.open)
    if waiting:
        return Stage(StageName.CLARIFY, StageCondition.OPEN, f"{waiting} open")
    return Stage(StageName.CLARIFY, StageCondition.GOOD, "nothing open")


def _draft(board: ScreenState) -> Stage:
    if board.problems:
        return Stage(StageName.DRAFT, StageCondition.BAD, f"{len(board.problems)} to mend")
    if StageName.DRAFT in board.running:
        return Stage(StageName.DRAFT, StageCondition.RUNNING, "checking")
    terms = board.verdicts.terms
    if terms is None:
        return _failure(board, StageName.DRAFT) or Stage(StageName.DRAFT)
    return Stage(StageName.DRAFT, StageCondition.GOOD, plural(len(terms.rules), "rule"))


def _test(board: ScreenState) -> Stage:
    tests = board.tests
    if StageName.TEST in board.running:
        return Stage(StageName.TEST, StageCondition.RUNNING, f"{len(tests.cases)} running")
    if board.problems and tests.results:
        return Stage(StageName.TEST, StageCondition.STALE, "stale")
    if tests.failed and not tests.stale:
        return Stage(StageName.TEST, StageCondition.BAD, f"{tests.failed} of {len(tests.cases)} failed")
    if failure := _failure(board, StageName.TEST):
        return failure
    if not tests.results:
        return Stage(StageName.TEST, StageCondition.WAITING, "no cases" if not tests.cases else "to run")
    if tests.stale:
        return Stage(StageName.TEST, StageCondition.STALE, "stale")
    return Stage(StageName.TEST, StageCondition.GOOD, f"{len(tests.results)} passed")


def _prove(board: ScreenState) -> Stage:
    verdicts = board.verdicts
    clauses = verdicts.terms.clauses if verdicts.terms else ()
    found = [verdicts.of(clause.id) for clause in clauses]
    refuted = sum(item is not None and item.status is ProofStatus.REFUTED for item in found)
    if refuted and not verdicts.stale:
        return Stage(StageName.PROVE, StageCondition.BAD, f"{refuted} refuted")
    done = sum(item.status is ProofStatus.PROVED for item in verdicts.proof.clauses)
    if StageName.PROVE in board.running:
        return Stage(
            StageName.PROVE, StageCondition.RUNNING, verdicts.progress or f"{done} of {len(clauses)}"
        )
    if verdicts.stale:
        return Stage(StageName.PROVE, StageCondition.STALE, "stale")
    if failure := _failure(board, StageName.PROVE):
        return failure
    if verdicts.terms is not None and verdicts.proof.status is ProofStatus.PROVED:
        return Stage(StageName.PROVE, StageCondition.GOOD, "proved")
    if verdicts.proof.clauses:
        return Stage(StageName.PROVE, StageCondition.OPEN, not_proved(verdicts.proof))
    return Stage(StageName.PROVE, StageCondition.WAITING, "to do" if clauses else "")


def _replay(board: ScreenState) -> Stage:
    replayed = board.replayed
    if StageName.REPLAY in board.running and not replayed.decisions:
        return Stage(StageName.REPLAY, StageCondition.RUNNING, "reading logs")
    if replayed.stale or (board.problems and replayed.decisions):
        return Stage(StageName.REPLAY, StageCondition.STALE, "stale")
    if failure := _failure(board, StageName.REPLAY):
        return failure
    if not replayed.decisions:
        return Stage(StageName.REPLAY, StageCondition.WAITING, "no steps" if not replayed.steps else "to do")
    counts = replayed.counts
    words = f"{counts[Verdict.ALLOW]:,} allow {counts[Verdict.DENY]:,} deny"
    cannot = counts[Verdict.CANNOT_EVALUATE]
    return Stage(StageName.REPLAY, StageCondition.GOOD, words + (f" {cannot:,} cannot" if cannot else ""))
