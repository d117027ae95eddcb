"""Clauses of the contract that an act of the program would refute, shown before anything is stored."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten

from workbench.app.value_texts import arguments_words
from workbench.clean_text import counted, one_line
from workbench.model import ClauseProof, Counterexample, ProofStatus, Verdict, WorkbenchError
from workbench.policy.flat.traverse import free_names
from workbench.policy.terms import Clause, PolicyTerms
from workbench.policy.written import OWN_NAMES, ArgumentWords

MOST_SHOWN = 3
"""The most clauses that are shown of those that an act would refute, the shortest first."""
_LONGEST = 240


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A clause that the policy would break after an act and did not break before, with an input."""

    clause: Clause
    verdict: ClauseProof
    words: ArgumentWords = OWN_NAMES
    deciding: frozenset[str] = frozenset()
    """The arguments that the rules read which decide the input; empty where none fires."""

    @property
    def sentence(self) -> str:
        """The clause, the input on which it would not hold, and the decision there, without a full stop.

        Of the input it has what the rules read that decide it; what is long is cut off.
        """
        ids, comment = ", ".join(self.clause.requirements), self.clause.comment
        said = comment if not ids or comment.startswith(ids) else f"{ids}: {comment}".removesuffix(": ")
        named = f"{self.clause.id} “{_cut(said or self.clause.source)}”"
        example = self.verdict.counterexample
        if example is None:
            return one_line(f"{named} would not hold")
        words = {Verdict.DENY: "denied", Verdict.ASK: "put to a person"}
        decided = "allowed" if example.decision is None else words.get(example.decision, "allowed")
        rules = ", ".join(step.rule for step in example.path if step.fired)
        by = f" by {rules}" if rules else ""
        read = {
            name: value
            for name, value in example.shown.items()
            if name == "tool" or not self.deciding or name in self.deciding
        }
        return one_line(
            f"{named} would not hold: {_cut(arguments_words(self.words.shown(read)))} is {decided}{by}"
        )


def _cut(text: str) -> str:
    """A text as far as it is read in a list of several."""
    return shorten(one_line(text), _LONGEST, placeholder=" …")


class Contradicts(WorkbenchError):
    """An act would make the policy break its own contract; nothing was stored."""

    def __init__(self, found: Sequence[Contradiction]) -> None:
        """Say which clauses would not hold, and what can be done."""
        shown = "; ".join(contradiction.sentence for contradiction in found[:MOST_SHOWN])
        more = f"; and {counted(len(found) - MOST_SHOWN, 'clause')} more" if len(found) > MOST_SHOWN else ""
        super().__init__(
            f"Nothing is stored, because the policy would contradict its own contract. {shown}{more}. "
            "Choose otherwise, change that clause or rule first, or store it all the same.",
            exit_code=1,
        )
        self.found = tuple(found)


def contradictions(before: str, after: str) -> tuple[Contradiction, ...]:
    """The clauses that the preview refutes in a policy ``after`` an act and did not refute ``before`` it.

    There are none where there was no policy before, or where the policy is not in the dialect.
    """
    file = _checked(after)
    if file is None or after == before or not before.strip():
        return ()
    return newly_refuted(_checked(before), file)


def newly_refuted(before: PolicyTerms | None, after: PolicyTerms) -> tuple[Contradiction, ...]:
    """The clauses that the preview refutes in terms after an act and did not refute before it."""
    clause_by_id = {clause.id: clause for clause in after.clauses}
    refuted = _refuted(after)
    if not refuted:
        return ()
    known = _refuted_texts(before)
    found = (
        Contradiction(
            clause_by_id[verdict.clause], verdict, after.file.words, _deciding(after, verdict.counterexample)
        )
        for verdict in refuted
        if _text(clause_by_id[verdict.clause]) not in known
    )
    return tuple(sorted(found, key=lambda one: len(one.sentence)))


def _deciding(terms: PolicyTerms, example: Counterexample | None) -> frozenset[str]:
    fired = {step.rule for step in example.path if step.fired} if example is not None else set[str]()
    return frozenset(name for rule in terms.rules if rule.name in fired for name in free_names(rule.body))


def _refuted_texts(terms: PolicyTerms | None) -> frozenset[str]:
    if terms is None:
        return frozenset()
    refuted = {verdict.clause for verdict in _refuted(terms)}
    return frozenset(_text(clause) for clause in terms.clauses if clause.id in refuted)


_KEPT: deque[tuple[PolicyTerms, tuple[ClauseProof, ...]]] = deque(maxlen=4)
"""What the preview refutes in the policies of the last acts: each begins where another ended."""


def _refuted(terms: PolicyTerms) -> tuple[ClauseProof, ...]:
    from workbench.engines.smt.preview import preview

    for known, verdicts in tuple(_KEPT):
        if known is terms:
            return verdicts
    verdicts = tuple(one for one in preview(terms).clauses if one.status is ProofStatus.REFUTED)
    _KEPT.append((terms, verdicts))
    return verdicts


def _text(clause: Clause) -> str:
    return " ".join(clause.source.split())


def _checked(text: str) -> PolicyTerms | None:
    from workbench.policy.check import check

    try:
        return check(text)
    except WorkbenchError:
        return None
