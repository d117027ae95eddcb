"""The signs and tones of verdicts, the same in every view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.app.session_state import PROVISIONAL, ClauseState, Rule, SessionState
from workbench.model import ProofStatus, TheoremVerdict, Verdict
from workbench.tones import Tone
from workbench.tui.text_runs import Line, TextRun, accent, bad, good, line, muted, warn

VERDICT_TONE = {
    Verdict.ALLOW: Tone.GOOD, Verdict.ASK: Tone.ACCENT, Verdict.DENY: Tone.BAD,
    Verdict.CANNOT_EVALUATE: Tone.WARN,
}  # fmt: skip
VERDICT_WORD = {
    Verdict.ALLOW: "allow", Verdict.ASK: "ask", Verdict.DENY: "deny", Verdict.CANNOT_EVALUATE: "cannot",
}  # fmt: skip
STATUS_SIGN = {
    ProofStatus.REFUTED: bad("✗"),
    ProofStatus.POSSIBLE: warn("≈"),
    ProofStatus.UNKNOWN: warn("?"),
    ProofStatus.VACUOUS: warn("○"),
    ProofStatus.PROVED: good("✓"),
}
WAITS = warn("✗")
"""The sign of a failure that depends on the reading assumed while a question is open."""
PREVIEWED = accent("◇")
UNKNOWN_YET = muted("·")
_WORST_FIRST = "✗≈?○·◇✓"


def verdict_run(verdict: Verdict) -> TextRun:
    """The word of a verdict in its tone."""
    return TextRun(VERDICT_WORD[verdict], VERDICT_TONE[verdict])


def turned_line(before: Verdict, after: Verdict) -> Line:
    """The words of a verdict before and after a change."""
    return line(verdict_run(before), " → ", verdict_run(after))


def clause_sign(clause: ClauseState) -> TextRun:
    """The sign of a clause's status; a preview is never shown as proved."""
    if clause.only_previewed or (clause.provisional and clause.status is ProofStatus.PROVED):
        return PREVIEWED
    if clause.status is ProofStatus.REFUTED and clause.provisional:
        return WAITS
    return UNKNOWN_YET if clause.status is None else STATUS_SIGN[clause.status]


def line_signs(state: SessionState) -> Mapping[int, TextRun]:
    """The signs of the policy's lines (from 1): of each clause and theorem, and the worst of each rule.

    Empty if the text differs from the one that was judged.
    """
    terms = state.terms
    if terms is None or terms.file.text != state.policy:
        return {}
    signs: dict[int, list[TextRun]] = {}
    for rule in terms.rules:
        signs.setdefault(terms.file.part(rule).line, []).append(rule_sign(state, rule))
    for clause in state.clauses:
        signs.setdefault(clause.line, []).append(clause_sign(clause))
    for theorem in state.theorems:
        signs.setdefault(theorem.line, []).append(theorem_sign(theorem))
    return {number: worst(found) for number, found in signs.items() if number}


def theorem_sign(theorem: TheoremVerdict) -> TextRun:
    """The sign of the preview's verdict on a theorem; the preview alone proves nothing."""
    return PREVIEWED if theorem.status is ProofStatus.PROVED else STATUS_SIGN[theorem.status]


def rule_sign(state: SessionState, rule: Rule) -> TextRun:
    """The worst sign of the clauses about a rule's requirements; a failing case counts as wrong."""
    requirement_ids = set(rule.requirements)
    if any(row.failed for row in map(state.row, requirement_ids) if row is not None):
        return WAITS if requirement_ids & state.disputed else STATUS_SIGN[ProofStatus.REFUTED]
    return worst(
        [clause_sign(clause) for clause in state.clauses if requirement_ids & set(clause.clause.requirements)]
    )


def worst(signs: Sequence[TextRun]) -> TextRun:
    """The worst of the signs of clauses, a space if there is none."""
    text_runs = sorted(signs, key=lambda sign: (_WORST_FIRST.find(sign.text), sign.tone is not Tone.BAD))
    return text_runs[0] if text_runs else TextRun(" ")


def clause_words(clause: ClauseState) -> str:
    """The words for the status of a clause."""
    verdict = clause.verdict
    if verdict is None:
        return "not judged yet"
    by = "Nagini" if verdict is clause.proof else "the preview"
    match verdict.status:
        case ProofStatus.PROVED if clause.only_previewed:
            words = "holds in the preview; the proof follows"
        case ProofStatus.PROVED:
            words = f"proved by {by}" + (f", {verdict.seconds:.1f} s" if verdict.seconds else "")
        case ProofStatus.REFUTED:
            words = f"refuted by {by}"
        case ProofStatus.POSSIBLE:
            words = f"possible, not realised: {verdict.why}"
        case ProofStatus.VACUOUS:
            words = "vacuous: it says nothing"
        case ProofStatus.UNKNOWN:
            words = f"unknown: {verdict.why}" if verdict.why else "unknown"
    return f"{words}; {PROVISIONAL}" if clause.provisional else words
