"""Clauses of the contract that an act of the program would refute, shown before anything is stored."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import shorten

from workbench.app.value_texts import arguments_words
from workbench.clean_text import counted, one_line
from workbench.model import ClauseProof, Counterexample, Verdict, WorkbenchError
from workbench.policy.connectives import disjunction
from workbench.policy.flat.traverse import free_names
from workbench.policy.terms import Clause, PolicyTerms, Rule
from workbench.policy.walk import sides_of_result
from workbench.policy.written import OWN_NAMES, ArgumentWords

MOST_SHOWN = 3
"""The most clauses that are shown of those that an act would refute, the shortest first."""
_LONGEST = 240
_AT_ONCE = 20
"""The prohibitions of a policy before an act that are asked about at once."""


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


def newly_refuted(before: PolicyTerms | None, after: PolicyTerms) -> tuple[Contradiction, ...]:
    """The clauses that the preview refutes in terms after an act and did not refute before it."""
    clauses = tuple(_may_break(before, after))
    clause_by_id = {clause.id: clause for clause in clauses}
    refuted = _refuted_of(before, after, clauses)
    if not refuted:
        return ()
    known = _refuted_texts(before, {_text(clause_by_id[verdict.clause]) for verdict in refuted})
    found = (
        Contradiction(
            clause_by_id[verdict.clause], verdict, after.file.words, _deciding(after, verdict.counterexample)
        )
        for verdict in refuted
        if _text(clause_by_id[verdict.clause]) not in known
    )
    return tuple(sorted(found, key=lambda one: len(one.sentence)))


def _refuted_of(
    before: PolicyTerms | None, after: PolicyTerms, clauses: Sequence[Clause]
) -> Sequence[ClauseProof]:
    """The clauses of a policy that are refuted, or were before it.

    Where prohibitions are added and nothing else changes, a clause that only demands calls to be allowed
    breaks by one of these: they are asked alone, however many rules there are beside them.
    """
    alone = None if before is None else _added_prohibitions(before, after)
    kept = set(map(_unplaced, before.clauses)) if before is not None else set[Clause]()
    by_added = [
        one for one in clauses
        if alone is not None and _unplaced(one) in kept and sides_of_result(one.term) == _ALLOWING
    ]  # fmt: skip
    others = [one for one in clauses if one not in by_added]
    return [
        verdict
        for terms, ones in ((alone, by_added), (after, others))
        if terms is not None and ones
        for verdict in _refuted(replace(terms, clauses=tuple(ones)))
    ]


def _added_prohibitions(before: PolicyTerms, after: PolicyTerms) -> PolicyTerms | None:
    """A policy with the prohibitions alone that a change adds, and else allows; None if it changes more."""
    if not _says_the_same(before, after) or _breaking_signs(before, after) != _ALLOWING:
        return None
    known = {(rule.forbids, rule.body) for rule in before.rules}
    added = tuple(rule for rule in after.rules if (rule.forbids, rule.body) not in known)
    gone = known - {(rule.forbids, rule.body) for rule in after.rules}
    return None if gone else replace(after, rules=added, default_allow=True)


def _deciding(terms: PolicyTerms, example: Counterexample | None) -> frozenset[str]:
    fired = {step.rule for step in example.path if step.fired} if example is not None else set[str]()
    return frozenset(name for rule in terms.rules if rule.name in fired for name in free_names(rule.body))


def _may_break(before: PolicyTerms | None, after: PolicyTerms) -> Iterator[Clause]:
    """The clauses that are new, or that a change of what is allowed may break."""
    if before is None or not _says_the_same(before, after):
        yield from after.clauses
        return
    kept = set(map(_unplaced, before.clauses))
    breaking = _breaking_signs(before, after)
    for clause in after.clauses:
        if _unplaced(clause) not in kept or breaking & sides_of_result(clause.term):
            yield clause


def _says_the_same(before: PolicyTerms, after: PolicyTerms) -> bool:
    """Whether a term of both says the same in both: what it names is as it was, and what is assumed of it."""
    tables = all(after.tables.get(name, one).entries == one.entries for name, one in before.tables.items())
    assumed = {one.term for one in before.axioms} <= {one.term for one in after.axioms}
    return tables and assumed and before.places == after.places


def _unplaced(clause: Clause) -> Clause:
    """A clause without its number and its lines."""
    return replace(clause, id="", line=0, end_line=0)


_BOTH = frozenset({True, False})
_ALLOWING = frozenset({True})


def _breaking_signs(before: PolicyTerms, after: PolicyTerms) -> frozenset[bool]:
    """The sides on which a clause has to speak of what is allowed to be broken by a change of the rules.

    Prohibitions that are added, and permissions that go, only break a clause that demands a call to be
    allowed (True); the reverse only one that demands it not to be (False).
    """
    if before.default_allow is not after.default_allow or before.preconditions != after.preconditions:
        return _BOTH
    old, new = ({(rule.forbids, rule.body) for rule in terms.rules} for terms in (before, after))
    added, gone = {forbids for forbids, _ in new - old}, {forbids for forbids, _ in old - new}
    narrows, widens = True in added or False in gone, False in added or True in gone
    return frozenset(sign for sign, happens in ((True, narrows), (False, widens)) if happens)


def _refuted_texts(terms: PolicyTerms | None, asked: Collection[str]) -> frozenset[str]:
    """The texts among those asked for of clauses that the preview refutes."""
    clauses = () if terms is None else tuple(one for one in terms.clauses if _text(one) in asked)
    if terms is None or not clauses:
        return frozenset()
    together = replace(terms, rules=tuple(_together(terms.rules)), clauses=clauses, interpreted=True)
    refuted = {verdict.clause for verdict in _refuted(together)}
    return frozenset(_text(clause) for clause in clauses if clause.id in refuted)


def _together(rules: Sequence[Rule]) -> Iterator[Rule]:
    """Rules that decide what some rules decide, with many prohibitions in one: each rule is a question.

    Prohibitions that are added at the end leave those of the others as they are, whose answers are known.
    """
    denying = [rule for rule in rules if rule.forbids and not rule.asks]
    yield from (rule for rule in rules if not rule.forbids or rule.asks)
    for start in range(0, len(denying), _AT_ONCE):
        few = denying[start : start + _AT_ONCE]
        read = tuple(dict.fromkeys(parameter for rule in few for parameter in rule.parameters))
        yield replace(few[0], parameters=read, body=disjunction(rule.body for rule in few))


def _refuted(terms: PolicyTerms) -> tuple[ClauseProof, ...]:
    from workbench.engines.smt.preview import refutations

    return refutations(terms)


def _text(clause: Clause) -> str:
    return " ".join(clause.source.split())
