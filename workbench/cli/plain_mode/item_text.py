"""The text that only the line mode writes: the state on one line, numbered lines and cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.app.session_state import PROVISIONAL
from workbench.app.value_texts import OWN_NAMES, ArgumentWords
from workbench.clean_text import counted, one_line
from workbench.cli.report_text import arguments_text
from workbench.model import Case, CaseResult, ClauseProof, Engine, ProofStatus, Verdict

if TYPE_CHECKING:
    from workbench.app.session_state import SessionState


def status_line(state: SessionState) -> str:
    """The state of the session on one line: open questions and errors first."""
    parts = [counted(len(state.open), "open question")]
    if state.not_in_force:
        parts.append(f"{counted(len(state.not_in_force), 'thing')} not in force")
    if state.problems:
        parts.append(f"{counted(len(state.problems), 'problem')} in the policy")
    if state.failed:
        parts.append(f"{counted(len(state.failed), 'case')} failed")
    statuses = [clause.status for clause in state.clauses]
    parts += [
        f"{counted(statuses.count(status), 'clause')} {status}"
        for status in (ProofStatus.REFUTED, ProofStatus.POSSIBLE, ProofStatus.UNKNOWN, ProofStatus.VACUOUS)
        if status in statuses
    ]
    previewed = sum(clause.only_previewed for clause in state.clauses)
    if previewed:
        parts.append(f"{counted(previewed, 'clause')} hold{'s' if previewed == 1 else ''} in the preview")
    if proved := statuses.count(ProofStatus.PROVED) - previewed:
        parts.append(f"{counted(proved, 'clause')} proved")
    parts.append(counted(len(state.cases), "case"))
    if state.decisions:
        counts = state.counts
        asked = f"{counts[Verdict.ASK]} to be asked about, " if counts[Verdict.ASK] else ""
        parts.append(
            f"{counted(len(state.decisions), 'call')}: {counts[Verdict.ALLOW]} allowed, {asked}"
            f"{counts[Verdict.DENY]} denied, {counts[Verdict.CANNOT_EVALUATE]} cannot be evaluated"
        )
    if state.guarded:
        parts.append(state.guarded)
    read_only = f" It is read only: {state.read_only}" if state.read_only else ""
    return one_line(f"{state.name}: {', '.join(parts)}.{read_only}")


def policy_lines(state: SessionState, first: int, last: int) -> Iterator[str]:
    """The policy's lines with their numbers; under each line its problems and findings."""
    notes: dict[int, list[str]] = {}
    for problem in state.problems:
        notes.setdefault(problem.line, []).append(f"problem: {problem.message} {problem.instead}".rstrip())
    if not state.problems:
        for line, note in _known(state):
            notes.setdefault(line, []).append(note)
    yield from (f"-- {one_line(note)}" for note in notes.pop(0, ()))
    for number, text in enumerate(state.policy.splitlines(), start=1):
        if first <= number <= last:
            yield f"{number} {text}".rstrip()
            yield from (f"-- {one_line(note)}" for note in notes.get(number, ()))


def _known(state: SessionState) -> Iterator[tuple[int, str]]:
    """The lines of clauses and rules, each with its verdict or with how often the rule fired."""
    for clause in state.clauses:
        if clause.verdict is not None:
            provisional = f"; {PROVISIONAL}" if clause.provisional else ""
            yield clause.line, f"{clause.name}: {_verdict_words(clause.verdict)}{provisional}"
    terms = state.terms
    if terms is None or not state.decisions:
        return
    for rule in terms.rules:
        yield (
            terms.file.part(rule).line,
            f"fired {counted(len(state.fired.get(rule.name, ())), 'time')} in the logs",
        )


def _verdict_words(verdict: ClauseProof) -> str:
    """A verdict with the engine that reached it; only a clause that Nagini proved is called proved."""
    previewed = verdict.engine is Engine.CVC5
    match verdict.status:
        case ProofStatus.PROVED if previewed:
            return "holds in preview"
        case ProofStatus.UNKNOWN:
            return verdict.status.value
        case _:
            return f"{verdict.status} ({'preview' if previewed else 'Nagini'})"


def case_line(number: int, case: Case, result: CaseResult | None, words: ArgumentWords = OWN_NAMES) -> str:
    """One case with its result, if it ran."""
    if result is None:
        state = "not run"
    else:
        state = "passed" if result.passed else f"FAILED, got {result.actual or 'no decision'}"
    expected = f"expected {case.expected}"
    return f"{number}. {state}. {expected}: {arguments_text(case.arguments, words)}. {one_line(case.reason)}"
