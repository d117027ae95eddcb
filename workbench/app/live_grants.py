"""The grants of a session as its guards read them: at each call, from the file as it then is.

A grant opens a call only if the call certainly lies in its region, and if the policy without the rules that
the grant overrides, and every baseline, allows the call. So whatever the region says, a rule that forbids
closes what it closes.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.files.regular import FileMark, file_mark, open_regular
from workbench.guard.call_reading import NamedPolicy
from workbench.guard.calls import PastCall, ToolCall
from workbench.guard.grants import Granted
from workbench.guard.several_policies import SeveralPolicies, named
from workbench.model import Argument, GrantScope, Verdict, WorkbenchError
from workbench.session.grants_file import NAME, Grant, claim_of, load_grants, moment_of

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.engines.compiled.compile import CompiledPolicy
    from workbench.guard.call_reading import CallReader
    from workbench.runs.extract.extractor import Extractor
    from workbench.session.accepted_version import AcceptedVersion

type ExtractorOf = Callable[[Sequence[Argument]], Extractor]


@dataclass(frozen=True, slots=True)
class GuardPart:
    """One of the policies of a guard, the rules by which it asks a person, and the policy without some rules.

    Rules of the session itself have their names, those of others the name of their session before it.
    """

    policy: NamedPolicy
    asking: tuple[str, ...] = ()
    named_without: Callable[[Collection[str]], NamedPolicy] | None = None
    is_own: bool = False

    def called(self, rule: str) -> str:
        """What a grant calls a rule of this part."""
        return rule if self.is_own else named(self.policy.name, rule)

    def without(self, rules: Collection[str]) -> NamedPolicy:
        """The policy without those of these rules by which it asks."""
        own = [rule for rule in self.asking if self.called(rule) in rules]
        return self.named_without(own) if own and self.named_without is not None else self.policy


@dataclass(frozen=True, slots=True)
class CheckedGrants:
    """The grants of a file that was read: those of the version that guards, each with what reads its region.

    ``every`` are all grants of the file. ``problem`` says why none is in force; it is empty otherwise.
    ``baseless`` are the ids of those that override a rule which does not ask, or is gone.
    """

    every: tuple[Grant, ...] = ()
    regions: Mapping[str, tuple[CompiledPolicy, CallReader]] | None = None
    problem: str = ""
    baseless: frozenset[str] = frozenset()


def check_grants(
    grants: Sequence[Grant], version: AcceptedVersion, overridable: Collection[str], extractor: ExtractorOf
) -> CheckedGrants:
    """Check grants as the guard of a version does, without a solver: one wrong grant takes all away."""
    from workbench.dialect.grants import GrantedRegion, region_terms
    from workbench.engines.compiled.compile import compile_policy
    from workbench.policy.problems import PolicyError
    from workbench.runs.replay.live_guard import RecordedCallReader
    from workbench.session.accepted_version import POLICY

    alive = [grant for grant in grants if not grant.revoked and grant.version == version.sha256]
    regions: dict[str, tuple[CompiledPolicy, CallReader]] = {}
    try:
        wrong = {one.id: sorted(set(one.overrides) - set(overridable)) for one in alive}
        if baseless := [name for name, rules in wrong.items() if rules]:
            why = f"{baseless[0]} overrides {wrong[baseless[0]][0]}, which no grant may open"
            return CheckedGrants(tuple(grants), problem=_no_grant(why), baseless=frozenset(baseless))
        if not alive:
            return CheckedGrants(tuple(grants), {})
        wanted = [GrantedRegion(one.id, one.tool, one.region, frozenset(one.overrides)) for one in alive]
        source, spec = version.texts[POLICY], version.spec
        read = region_terms(source, spec, wanted)
        for grant in alive:
            inside = read.inside(grant.id)
            reader = RecordedCallReader(extractor(inside.arguments))
            regions[grant.id] = compile_policy(inside.terms), reader
    except PolicyError as error:
        return CheckedGrants(tuple(grants), problem=_no_grant(f"a region cannot be read: {error}"))
    except WorkbenchError as error:
        return CheckedGrants(tuple(grants), problem=_no_grant(str(error)))
    return CheckedGrants(tuple(grants), regions)


def unchecked_grants(session: Path) -> CheckedGrants:
    """The grants of the session in a folder, of which none is checked and in force."""
    try:
        return CheckedGrants(load_grants(session))
    except WorkbenchError as error:
        return CheckedGrants(problem=f"No grant is in force: {error}")


def _no_grant(why: str) -> str:
    return f"No grant is in force: in {NAME}, {why.removesuffix('.')}."


class LiveGrants:
    """The grants of a session for the guard of its accepted version. Safe to use from several threads."""

    def __init__(
        self,
        session: Path,
        version: AcceptedVersion,
        parts: Sequence[GuardPart],
        extractor: ExtractorOf,
    ) -> None:
        """Take the folder of the session, its accepted version, and all policies that the guard asks."""
        self._session = session
        self._version = version
        self._parts = tuple(parts)
        self._extractor = extractor
        self._lock = threading.Lock()
        self._read: tuple[FileMark, CheckedGrants] | None = None
        self._decided: dict[frozenset[str], NamedPolicy] = {}

    @property
    def overridable(self) -> frozenset[str]:
        """The rules that a grant may override."""
        return frozenset(part.called(rule) for part in self._parts for rule in part.asking)

    def current(self) -> CheckedGrants:
        """The grants of the file as it is now."""
        path = self._session / NAME
        with self._lock:
            mark = file_mark(path)
            if self._read is None or self._read[0] != mark:
                self._read = mark, self._checked()
            return self._read[1]

    @property
    def problem(self) -> str:
        """Why no grant of the file is in force; empty if that is not so."""
        return self.current().problem

    def _checked(self) -> CheckedGrants:
        found = unchecked_grants(self._session)
        if found.problem:
            return found
        return check_grants(found.every, self._version, self.overridable, self._extractor)

    def opening(self, call: ToolCall, history: Sequence[PastCall]) -> Granted | None:
        """The grants by which a call may run that the policy alone does not allow; None if there are none."""
        checked = self.current()
        inside = [
            grant
            for grant in checked.every
            if grant.id in (checked.regions or {})
            and not self._has_ended(grant, call)
            and _may_open(grant, call, history)
            and self._lies_in(checked, grant, call, history)
        ]
        for chosen in (*([grant] for grant in inside), inside):
            overridden = frozenset(name for grant in chosen for name in grant.overrides)
            once = [grant for grant in chosen if grant.scope is GrantScope.ONCE]
            if chosen and self._allows(overridden, call, history) and all(map(self._claimed, once)):
                by = ", ".join(dict.fromkeys(f"{grant.by} (grant {grant.id})" for grant in chosen))
                return Granted(tuple(grant.id for grant in chosen), by)
        return None

    def _has_ended(self, grant: Grant, call: ToolCall) -> bool:
        """Whether a guard has seen the end of a grant for all runs, which a clock does not bring back."""
        if grant.scope is not GrantScope.ALWAYS:
            return False
        at, expires = moment_of(call.time), moment_of(grant.expires)
        if at is None or expires is None or at < expires:
            return os.path.lexists(claim_of(self._session, grant))
        with contextlib.suppress(OSError):
            self._claimed(grant)
        return True

    def _claimed(self, grant: Grant) -> bool:
        """Use up a grant for one call; False if another process or thread did. Raises OSError."""
        claim = claim_of(self._session, grant)
        claim.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.close(open_regular(claim, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        return True

    def _lies_in(
        self, checked: CheckedGrants, grant: Grant, call: ToolCall, history: Sequence[PastCall]
    ) -> bool:
        policy, reader = (checked.regions or {})[grant.id]
        return reader.decide(policy, call, history).verdict is Verdict.ALLOW

    def _allows(self, overridden: frozenset[str], call: ToolCall, history: Sequence[PastCall]) -> bool:
        """Whether the policy without these rules, and every other one, allows the call as the run is now."""
        with self._lock:
            policy = self._decided.get(overridden)
            if policy is None:
                several = SeveralPolicies([part.without(overridden) for part in self._parts])
                policy = NamedPolicy("granted", several.as_policy(), several)
                self._decided[overridden] = policy
        return policy.reader.decide(policy.policy, call, history).verdict is Verdict.ALLOW


def _may_open(grant: Grant, call: ToolCall, history: Sequence[PastCall]) -> bool:
    """Whether a grant is in force for a call, as far as neither its region nor the policy says."""
    return (
        grant.tool == call.tool
        and grant.was_in_force(call.time)
        and grant.was_in_force(_latest([call.time, *(past.call.time for past in history)]))
        and grant.is_of_run(call.run, call.instance)
        and grant.has_arguments(call.arguments)
        and not (grant.scope is GrantScope.ONCE and any(grant.id in past.granted for past in history))
    )


def _latest(times: Sequence[str]) -> str:
    """The latest time of a run: a clock that is set back during it brings no grant back."""
    moments = [moment for text in times if (moment := moment_of(text)) is not None]
    return max(moments).isoformat() if moments else ""
