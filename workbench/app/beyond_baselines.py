"""What a session allows and its baselines do not, as no person accepts: a session narrows what it extends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.app.owed import Owed, OwedKind
from workbench.app.owed_theorems import owed_theorems
from workbench.app.widened import compared
from workbench.model import Argument, WorkbenchError

if TYPE_CHECKING:
    from workbench.app.enforced import Enforced
    from workbench.policy.terms import PolicyTerms
    from workbench.session import Session


def beyond(
    enforced: Enforced, terms: PolicyTerms, arguments: Sequence[Argument], session: Session
) -> tuple[Owed, ...]:
    """What a policy allows and a baseline of its session does not; none only if that is proved.

    No person accepts it by its name: a session narrows what it extends.
    """
    extends = session.info.extends
    try:
        baselines = enforced.extended(session.info).every
    except WorkbenchError as error:
        statement = f"the session extends {extends}"
        return (Owed(OwedKind.BASELINE, extends, statement, str(error), "give the session a baseline"),)
    return tuple(
        replace(
            item,
            kind=OwedKind.BASELINE,
            name=f"{baseline.name}:{item.name}",
            mend=f"narrow it: a session allows no more than {baseline.name}, which it extends",
        )
        for baseline in baselines
        for item in _beyond(baseline, terms, arguments, session)
    )


def _beyond(
    baseline: Enforced, terms: PolicyTerms, arguments: Sequence[Argument], session: Session
) -> Iterator[Owed]:
    """What is allowed or said otherwise; a theorem that the session does not have stays the baseline's."""
    version = replace(baseline.needed(), named=f"the version of {baseline.name}")
    yield from compared(version, terms, arguments, session)
    own = () if terms.written is None else terms.written.theorems
    yield from (item for item in owed_theorems(session, version, terms) if item.name in own)
