"""Theorems that are gone or weaker than an accepted version has them, as things that the session owes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.app.owed import Owed, OwedKind
from workbench.check.theorems.stated import stated, weakened

if TYPE_CHECKING:
    from workbench.app.enforced import EnforcedVersion
    from workbench.policy.terms import PolicyTerms
    from workbench.session import Session


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
