"""Theorems that are gone or weaker than an accepted version has them, as things that the session owes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.app.owed import Owed, OwedKind
from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls
from workbench.dialect.checked import CallPolicy, CallTheorem, OverCalls
from workbench.dialect.theorem_steps import with_values
from workbench.engines.smt.formula import Formula, SolverAnswer
from workbench.engines.smt.solved_queries import solve
from workbench.model import AgentSpec
from workbench.policy.connectives import conjunction, negate
from workbench.policy.terms import Lookup, Parameter, PolicyTerms, TableEntry, Term, Variable
from workbench.policy.walk import subterms

if TYPE_CHECKING:
    from workbench.app.enforced import EnforcedVersion
    from workbench.session import Session


_LIMIT_MS = 1_500


def stated(terms: PolicyTerms, spec: AgentSpec) -> CallPolicy | None:
    """A policy of calls with its theorems, without rules and clauses; None if it has no theorem."""
    written = terms.written
    if written is None or not written.theorems:
        return None
    return check_calls(written.text, agent_types(spec), all_have_ended=True, theorems_alone=True)


def weakened(old: CallPolicy | None, new: CallPolicy | None) -> Iterator[tuple[CallTheorem, bool]]:
    """The theorems of an old version that the new one does not state or imply, each with whether it is gone.

    A theorem is implied by one of its name that says as much or more of the same calls, as a proof shows.
    """
    theirs = {} if new is None else {one.name: one for one in new.theorems}
    for theorem in () if old is None else old.theorems:
        now = theirs.get(theorem.name)
        if now is None or new is None or old is None:
            yield theorem, True
        elif not _tables_stay(theorem, old, new) or not implies(now, theorem, places=old.places):
            yield theorem, False


def implies(one: CallTheorem, other: CallTheorem, places: int) -> bool:
    """Whether it is proved that a theorem says at least what another one says, whatever its calls have."""
    own, names = _shared(one, other)
    if own == other.term:
        return True
    values = [*other.parts, *(replace(part, name=names[part.name].name) for part in one.parts)]
    types = {part.name: part.type for part in values}
    arguments = tuple(Parameter(name, type_) for name, type_ in types.items())
    terms = PolicyTerms(arguments, {}, {}, (), True, (), (), places)
    solved, _ = solve(Formula(terms), conjunction((own, negate(other.term))), _LIMIT_MS)
    return solved.arguments is None and solved.status is SolverAnswer.UNSAT


def _shared(one: CallTheorem, other: CallTheorem) -> tuple[Term, Mapping[str, Variable]]:
    """A theorem with the other's name for each value that both gather, and for no other value."""
    theirs = {_meaning(part): part for part in other.parts}
    names = {
        part.name: Variable(
            found.name if (found := theirs.get(_meaning(part))) else f"#{part.name}", part.type
        )
        for part in one.parts
    }
    return with_values(one.term, names), names


def _meaning(part: OverCalls) -> OverCalls:
    """A gathered value as far as it says what it is: not its name, nor how the file or a rule writes it."""
    return replace(part, name="", text="", before=None, some=None)


def _tables_stay(theorem: CallTheorem, old: CallPolicy, new: CallPolicy) -> bool:
    """Whether the tables that a theorem reads are the same; its sets and constants are in its terms."""
    tables = {
        part.table
        for term in (theorem.term, *theorem.of_calls)
        for part in subterms(term)
        if isinstance(part, Lookup | TableEntry)
    }
    return all(old.tables.get(name) == new.tables.get(name) for name in tables)


def owed_theorems(session: Session, accepted: EnforcedVersion, terms: PolicyTerms) -> Iterator[Owed]:
    """Each theorem of an accepted version that the policy neither states nor implies by one of its name."""
    command = f"workbench check {shlex.quote(str(session.path))} --accept --anyway"
    now, was = stated(terms, session.spec), stated(accepted.terms, accepted.version.spec)
    for theorem, gone in weakened(was, now):
        how = "it is gone" if gone else "nothing proves that it says as much"
        yield Owed(
            OwedKind.THEOREM,
            theorem.name,
            theorem.sentence,
            f"{how} as in {accepted.named}, so that it is not proved of this one",
            f"write it as it was, or accept that: {command} {theorem.name}",
        )
