"""The widenings of a session against its accepted version: each is not in force until a person accepts it.

A rule that an edit loses or weakens is found by the solver, by its name. How calls are read decides too, and
no proof covers it: an accepted argument or record that is read otherwise is named as well.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.app.owed import Owed, OwedKind
from workbench.app.value_texts import arguments_words
from workbench.engines.smt.widening import Widening, WideningKind, widenings
from workbench.model import AgentSpec, Argument

if TYPE_CHECKING:
    from workbench.app.enforced import EnforcedVersion
    from workbench.policy.terms import PolicyTerms
    from workbench.session import SessionInfo

_STATEMENTS: Mapping[WideningKind, str] = {
    WideningKind.LOST_RULE: "the accepted version denies by {name}",
    WideningKind.PERMISSION: "the accepted version does not permit by {name}",
    WideningKind.DEFAULT: "the accepted version allows only what a rule permits",
    WideningKind.PRECONDITION: "the accepted version cannot evaluate what its preconditions exclude",
    WideningKind.ARGUMENT: "the accepted version cannot evaluate every value of {name}",
}


def widened(
    accepted: EnforcedVersion,
    terms: PolicyTerms,
    arguments: Iterable[Argument],
    spec: AgentSpec,
    info: SessionInfo,
    folder: str,
) -> tuple[Owed, ...]:
    """The widenings of a policy, of the reading of calls, and of the guards, against the accepted version.

    ``folder`` is that of the session, for the command that accepts one.
    """
    items = (
        *map(_of_policy, widenings(accepted.terms, terms)),
        *_of_reading(accepted, terms, arguments, spec),
        *_of_guards(accepted, info),
    )
    unique = {item.name: item for item in reversed(items)}
    command = f"workbench check {shlex.quote(folder)} --accept --anyway"
    return tuple(
        replace(item, mend=f"put it back, or accept it by its name: {command} {shlex.quote(item.name)}")
        for item in reversed(unique.values())
    )


def _of_policy(widening: Widening) -> Owed:
    statement = _STATEMENTS[widening.kind].format(name=widening.name)
    if widening.undecided:
        return _owed(
            widening.name, statement, f"it is not proved that nothing more may run: {widening.undecided}"
        )
    example = arguments_words(widening.example) or "any input"
    return _owed(widening.name, statement, f"the policy lets run what that version does not: {example}")


def _of_reading(
    accepted: EnforcedVersion, terms: PolicyTerms, arguments: Iterable[Argument], spec: AgentSpec
) -> Iterator[Owed]:
    """The arguments and records of the accepted version that are read otherwise now."""
    was = accepted.version.spec
    taken = {parameter.name for parameter in terms.arguments}
    present = {argument.name: argument for argument in arguments}
    for argument in was.arguments:
        now = present.get(argument.name)
        if argument.name in taken and now is not None and now.extraction != argument.extraction:
            yield _read_otherwise(argument.name)
    records = {record.name: record for record in spec.records}
    for record in was.records:
        if record.name in records and records[record.name] != record:
            yield _read_otherwise(record.name)
    if spec.zone != was.zone:
        yield _read_otherwise("zone")


def _read_otherwise(name: str) -> Owed:
    return _owed(
        name,
        f"the accepted version reads {name} of a call in its own way",
        f"agent.toml reads {name} otherwise, so a call may get other values; no proof covers that",
    )


def _of_guards(accepted: EnforcedVersion, info: SessionInfo) -> Iterator[Owed]:
    """GuardAgent, where it guards by the accepted version and would not, or would be asked of less, now."""
    was = accepted.version.info
    for name in was.guard:
        if name not in info.guard:
            yield _owed(
                name,
                f"calls are guarded by {name} in the accepted version",
                f"session.toml has no {name} among its guards",
            )


def _owed(name: str, statement: str, reason: str) -> Owed:
    return Owed(OwedKind.WIDENING, name, statement, reason)
