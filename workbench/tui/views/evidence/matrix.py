"""The evidence for every clause in rows: sentence, verdict, cases, wrong versions, logged calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.app.owed import Owed, not_asked
from workbench.app.session_state import ClauseState, SessionState
from workbench.app.value_texts import arguments_words
from workbench.clean_text import one_line
from workbench.model import ClauseProof, Engine, ProofStatus
from workbench.tui.owed_rows import owed_rows
from workbench.tui.text_runs import Line, accent, bad, coded, good, line, muted, strong, warn
from workbench.tui.theorem_rows import theorem_rows
from workbench.tui.verdict_signs import STATUS_SIGN, clause_sign, verdict_run
from workbench.tui.widgets.lines import BLANK, Row, paragraph, plural

if TYPE_CHECKING:
    from workbench.app.proof import Evidence, EvidenceRow
    from workbench.app.strength import MutantResult, StrengthReport

MOST_SENTENCE = 2
"""The most lines of a sentence here; Enter shows it whole, in the view of its requirement."""
MOST_NAMES = 100
"""The most names in a list of gaps."""
NOT_MEASURED = "r measures which wrong versions of the policy the contract refuses."


def matrix_rows(
    state: SessionState, evidence: Evidence | None, strength: StrengthReport | None
) -> Iterator[Row]:
    """Rows of the wrong versions that pass and of gaps, then a block for each clause."""
    if above := [*_above(state, evidence, strength)]:
        yield from (*above, BLANK)
    row_by_clause = {} if evidence is None else {row.clause: row for row in evidence.rows}
    for clause in sorted(state.clauses, key=_worst_first):
        yield from _clause(state, clause, row_by_clause.get(clause.clause.id))
    for theorem in () if evidence is None else evidence.theorems:
        yield from theorem_rows(theorem)
    if not state.clauses:
        wrong = "The policy is not in the dialect: P shows what to mend before anything can be proved."
        none = "The policy has no contract: nothing can be proved of it."
        yield paragraph(muted(wrong if state.problems else none))


def _above(state: SessionState, evidence: Evidence | None, strength: StrengthReport | None) -> Iterator[Row]:
    """Rows of what is owed, asked, lacking and not measured."""
    yield from owed_rows(owed_in(state))
    if state.open:
        yield paragraph(warn(f"{plural(len(state.open), 'question')} open: n goes to what is left."))
    if evidence is not None:
        yield from _survivors(state, evidence, strength)
        yield from _missing(evidence)
    if strength is None and state.clauses:
        yield paragraph(muted(NOT_MEASURED))


def owed_in(state: SessionState) -> Sequence[Owed]:
    """What is not in force although nothing asks for it, and what guards let run meanwhile."""
    return (*not_asked(state.not_in_force, state.open), *state.not_accepted)


# --- a clause


def _clause(state: SessionState, clause: ClauseState, found: EvidenceRow | None) -> Iterator[Row]:
    key = f"clause:{clause.clause.id}"
    head = clause_sign(clause), strong(f" {clause.clause.id} ".ljust(5))
    names = accent(f"{', '.join(clause.clause.requirements)} ")
    yield paragraph(*head, names, _sentence_of(state, clause), key=key, hang=6, most=MOST_SENTENCE)
    facts = (*_verdicts(clause, found), *(() if found is None else _facts(found)))
    yield paragraph(*(line(fact, "  ") for fact in facts), key=key, indent=6)
    for one in () if found is None else found.assumptions:
        words = muted(f"assumes{one.by_default} {one_line(one.statement)}")
        yield paragraph(words, key=key, indent=6, hang=2, most=MOST_SENTENCE)


def _sentence_of(state: SessionState, clause: ClauseState) -> str:
    """The sentence of a clause; of several with one sentence its comment, or its tool and line."""
    own_clause = clause.clause
    comment = one_line(own_clause.comment)
    alike = [one for one in state.clauses if one.clause.requirements == own_clause.requirements]
    rows = filter(None, map(state.row, own_clause.requirements))
    sentence = " ".join(one_line(row.requirement.text) for row in rows)
    if len(alike) == 1:
        return sentence or comment or "no sentence"
    if comment and sum(one.clause.comment == own_clause.comment for one in alike) == 1:
        return comment
    part = clause.part
    tool = f"{part.tool}, " if part is not None and part.tool else ""
    place = "" if part is None else f" ({tool}line {part.line})"
    return f"{comment or sentence or 'no sentence'}{place}"


def _worst_first(clause: ClauseState) -> int:
    """The rank of a clause: wrong first, then unknown; others keep the order of the file."""
    order = (ProofStatus.REFUTED, ProofStatus.POSSIBLE, ProofStatus.VACUOUS, ProofStatus.UNKNOWN, None)
    return order.index(clause.status) if clause.status in order else len(order)


def _verdicts(clause: ClauseState, evidence_row: EvidenceRow | None) -> Iterator[Line]:
    """The verdict of each engine; a contradiction between the engines comes first."""
    verdicts = () if evidence_row is None else evidence_row.verdicts
    if evidence_row is not None and evidence_row.engines_disagree:
        yield line(bad("the engines contradict each other: an error of the workbench"))
    found = {verdict.engine: verdict for verdict in verdicts}
    stored = found.get(Engine.NAGINI)
    if stored is not None and stored.status is ProofStatus.UNKNOWN:
        stored = None  # nothing is stored; the running proof has the newer verdict
    yield _verdict("preview", clause.preview or found.get(Engine.CVC5))
    yield _verdict("Nagini", clause.proof or stored)
    if clause.provisional:
        yield line(warn("provisional"))


def _verdict(engine: str, verdict: ClauseProof | None) -> Line:
    if verdict is None:
        return line(muted(f"{engine} –"))
    # A preview is as good as instant; what it took says more of the machine than of the clause.
    slow = verdict.engine is Engine.NAGINI and verdict.seconds >= 0.05
    took = f" {verdict.seconds:.1f} s" if slow else ""
    return line(muted(f"{engine} "), STATUS_SIGN[verdict.status], muted(took))


def _facts(row: EvidenceRow) -> Iterator[Line]:
    """Vacuity, cases, wrong versions and logged calls; missing ones are emphasised."""
    vacuous = None if row.vacuity is None else row.vacuity.vacuous
    if vacuous is not None:
        yield line(warn("vacuous") if vacuous else muted("not vacuous"))
    yield _count(len(row.cases), "case")
    if row.mutants_killed is not None:
        yield line(muted(f"refuses {row.mutants_killed}"))
    if row.calls is not None:
        yield _count(row.calls, "call")


def _count(number: int, noun: str) -> Line:
    return line(muted(plural(number, noun)) if number else warn(f"no {noun}"))


# --- gaps and survivors


def _missing(evidence: Evidence) -> Iterator[Row]:
    quoted = [f"“{one}”" for one in evidence.sentences_without_clause]
    for names, words, kind in (
        (quoted, "Sentences without a clause", "requirement"),
        (evidence.rules_without_sentence, "Rules without a sentence", "rule"),
        (evidence.clauses_never_exercised, "Clauses that no recorded call exercises", "clause"),
    ):
        if names:
            more = f", and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
            named = ", ".join(names[:MOST_NAMES]) + more
            yield paragraph(warn(f"{words}: "), named, key=f"missing:{kind}:{names[0]}", hang=2)


def _survivors(state: SessionState, evidence: Evidence, strength: StrengthReport | None) -> Iterator[Row]:
    if strength is None or evidence.killed is None or evidence.killable is None:
        return
    words = f"The contract refuses {evidence.killed} of {evidence.killable} wrong versions."
    yield paragraph(good(words) if evidence.killed == evidence.killable else warn(words))
    for result in survivors(strength):
        yield from _survivor(state, result, strength.accepted)


def survivors(strength: StrengthReport) -> Sequence[MutantResult]:
    """The wrong versions that the contract lets pass, those without a stored reason first."""
    return sorted(strength.survived, key=lambda result: result.mutant.id in strength.accepted)


def _survivor(state: SessionState, result: MutantResult, accepted: Mapping[str, str]) -> Iterator[Row]:
    """Rows of a wrong version, with the reason why it may pass, or an input that it decides differently."""
    mutant, reason = result.mutant, accepted.get(result.mutant.id)
    key = f"mutant:{mutant.id}"
    sign = muted("may pass ") if reason is not None else warn("✗ lets pass ")
    part = None if state.terms is None else state.terms.file.parts.get(mutant.where)
    place = f"{mutant.where}, line {part.line}" if part is not None and part.line else mutant.where
    yield paragraph(sign, f"{place}: {one_line(state.words.said(mutant.description))}", key=key, hang=2)
    if reason is not None:
        yield paragraph(muted(f"because {one_line(reason)}"), key=key, indent=4)
    elif result.example is not None and result.policy_decision and result.mutant_decision:
        example = coded(one_line(arguments_words(state.words.shown(result.example))))
        here, there = verdict_run(result.policy_decision), verdict_run(result.mutant_decision)
        yield paragraph(example, muted(": here "), here, muted(", there "), there, key=key, indent=4)
