"""Grants: what a person granted to the agent, and may grant for a call about which the policy asks."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.app.grant_regions import CallRegion, places_to_read, read_fields, regions
from workbench.clean_text import one_line
from workbench.model import (
    Argument,
    CallDecision,
    Extracted,
    GrantScope,
    RecordedCall,
    Run,
    Verdict,
    WorkbenchError,
)
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form
from workbench.session.grants_file import (
    LONGEST,
    NAME,
    Grant,
    changing,
    claim_of,
    exact_text,
    load_grants,
    moment_of,
    now,
    store_grants,
)

if TYPE_CHECKING:
    from workbench.app.enforced import Enforced
    from workbench.app.live_grants import CheckedGrants
    from workbench.app.policy import Policy
    from workbench.app.results import Logs
    from workbench.dialect.grants import RegionTerms
    from workbench.dialect.lowered_policy import LoweredPolicy
    from workbench.guard import Outcome
    from workbench.session import Session
    from workbench.session.accepted_version import AcceptedVersion

__all__ = [
    "LONGEST",
    "Grant",
    "Grants",
    "ListedGrant",
    "OfferedRegion",
    "WaitingCall",
    "user_name",
]


def user_name() -> str:
    """The name that the system has for the user; an agent can set the variables that say another one."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return "unknown"


@dataclass(frozen=True, slots=True)
class ListedGrant:
    """A grant, what it opens as a sentence, and whether it is in force; ``state`` says so in words.

    ``is_over`` is True if it opens nothing any more, whatever happens to other grants.
    """

    grant: Grant
    sentence: str
    in_force: bool
    state: str
    is_over: bool


_GRANT = JsonForm[Grant](
    Grant,
    fields(
        *("tool", "region", "arguments", "overrides", "scope", "run", "made", "expires", "by", "reason"),
        *("revoked", "revoked_by"),
    ),
)
json_form(ListedGrant, ("id", "grant.id"), "in_force", "state", "sentence", Nested(_GRANT, "grant"))


@dataclass(frozen=True, slots=True)
class WaitingCall:
    """A recorded call about which the policy asks a person and which none approved."""

    run: str
    index: int
    tool: str
    arguments: str
    rules: tuple[str, ...]
    instance: str


json_form(WaitingCall, "run", ("call", "index"), "tool", "arguments", "rules")
GRANTS = JsonForm[tuple[Sequence[ListedGrant], Sequence[WaitingCall], str]](
    tuple[Sequence[ListedGrant], Sequence[WaitingCall], str],
    fields(("grants", "0"), ("waiting", "1"), ("problem", "2")),
)
"""The grants, the calls that wait for one, and why none is in force."""


@dataclass(frozen=True, slots=True)
class OfferedRegion:
    """A region that was proved to open nothing that a rule closes which no grant may override.

    ``call`` is the call around which it is. ``sentence`` reads it aloud. ``closed`` are the rules that may
    close a part of it, which stays closed. ``inside`` are the recorded calls that lie in it, each as its run
    and its number, and ``opened`` how many of these the grant lets run that the policy alone does not.
    """

    region: CallRegion
    call: RecordedCall
    sentence: str
    overrides: tuple[str, ...]
    closed: tuple[str, ...]
    inside: tuple[tuple[str, int], ...]
    opened: int


@dataclass(frozen=True, slots=True)
class _Asked:
    """A call that may be granted, the rules that ask about it, and the logs that it stands in."""

    call: RecordedCall
    overrides: tuple[str, ...]
    logs: Logs
    decided: tuple[CallDecision, ...]


class Grants:
    """The grants of a session."""

    def __init__(self, session: Session, enforced: Enforced, policy: Policy) -> None:
        self._session = session
        self._enforced = enforced
        self._policy = policy

    # --- what was granted ---------------------------------------------------------

    def listed(self) -> tuple[ListedGrant, ...]:
        """Every grant, oldest first. Raises WorkbenchError for a file that cannot be read."""
        checked = self._policy.checked_grants()
        if checked.problem and not checked.every:
            raise WorkbenchError(checked.problem)
        moment = now()
        version = self._enforced.version
        sha256 = "" if version is None else version.sha256
        return tuple(self._listed(grant, moment, sha256, checked) for grant in checked.every)

    @property
    def problem(self) -> str:
        """Why no grant of the file is in force; empty if that is not so."""
        return self._policy.checked_grants().problem

    def _listed(self, grant: Grant, moment: str, version: str, checked: CheckedGrants) -> ListedGrant:
        in_force, is_over = False, True
        if grant.revoked:
            state = f"revoked by {grant.revoked_by} at {grant.revoked}"
        elif os.path.lexists(claim_of(self._session.path, grant)):
            is_once = grant.scope is GrantScope.ONCE
            state = "used up: a guard let a call run by it" if is_once else "ended, as a guard saw"
        elif not grant.was_in_force(moment):
            state = f"not in force since {grant.expires}"
        elif grant.version != version:
            guards = "another one guards" if version else "every call is denied"
            state = f"not in force: it was made for the version {grant.version[:12]}, and {guards}"
            if gone := self._gone(grant):
                state += f", which has no rule {', '.join(gone)}"
        else:
            in_force, is_over = not checked.problem, grant.id in checked.baseless
            state = checked.problem or f"in force until {grant.expires}"
        return ListedGrant(grant, self._sentence_of(grant, version), in_force, state, is_over)

    def _gone(self, grant: Grant) -> Sequence[str]:
        """The rules of the session that a grant overrides and that the version which guards does not have."""
        version = self._enforced.version
        if version is None:
            return ()
        known = {rule.name for rule in version.terms.rules}
        return [one_line(name) for name in grant.overrides if ":" not in name and name not in known]

    def _sentence_of(self, grant: Grant, version: str) -> str:
        if grant.version != version:
            return f"calls of {grant.tool} where {grant.region}"
        try:
            return self._sentence(self._read(grant.tool, grant.region, grant.overrides))
        except WorkbenchError:
            return f"calls of {grant.tool} where {grant.region}"

    def doubts(self, logs: Logs) -> Mapping[tuple[str, int], str]:
        """Why recorded calls did not run by the grants that a log names, as they are now, by run and number.

        Nothing is said of the region and the rules of a grant for another version than the accepted one.
        """
        ran = [call for call in logs.calls if call.granted]
        grants = {grant.id: grant for grant in load_grants(self._session.path)} if ran else {}
        inside = {
            name: self._inside(grants[name], logs) for call in ran for name in call.granted if name in grants
        }
        allowed: dict[frozenset[str], frozenset[tuple[str, int]]] = {}
        found: dict[tuple[str, int], str] = {}
        used: set[str] = set()
        for call in ran:
            place = call.run, call.index
            for name in call.granted:
                grant = grants.get(name)
                if grant is None:
                    found[place] = f"{NAME} has no grant {one_line(name)}"
                elif why := _not_for(grant, call, is_used=name in used, inside=inside[name]):
                    found[place] = f"{name} {why}"
                used.add(name)
            if place not in found and all(inside[name] is not None for name in call.granted):
                rules = frozenset(rule for name in call.granted for rule in grants[name].overrides)
                if rules not in allowed:
                    allowed[rules] = self._allowed(self._enforced.needed().lowered_without(rules), logs)
                if place not in allowed[rules]:
                    found[place] = f"{', '.join(call.granted)} overrides only {', '.join(sorted(rules))}"
        return found

    def _inside(self, grant: Grant, logs: Logs) -> frozenset[tuple[str, int]] | None:
        """The recorded calls in the region of a grant; None if it is of another version."""
        version = self._enforced.version
        if version is None or version.sha256 != grant.version:
            return None
        return self._allowed(self._read(grant.tool, grant.region, grant.overrides).inside(_ID), logs)

    def _allowed(self, lowered: LoweredPolicy, logs: Logs) -> frozenset[tuple[str, int]]:
        decided = zip(logs.calls, self._decide(lowered, logs), strict=True)
        return frozenset(
            (call.run, call.index) for call, one in decided if one.decision.verdict is Verdict.ALLOW
        )

    # --- what may be granted ------------------------------------------------------

    def waiting(self, logs: Sequence[Path]) -> tuple[WaitingCall, ...]:
        """The calls of logs that the version asks about and that nobody approved, newest last."""
        read, decided = self._enforced.replayed(logs)
        found: dict[tuple[str, str], WaitingCall] = {}
        for call, decision in zip(read.calls, decided, strict=True):
            if decision.decision.verdict is not Verdict.ASK or call.approved or call.arguments is None:
                continue
            rules = tuple(violation.rule for violation in decision.decision.violations)
            text = exact_text(call.arguments)
            waiting = WaitingCall(call.run, call.index, call.tool or "", text, rules, call.instance)
            found.pop((call.run, text), None)
            found[call.run, text] = waiting
        return tuple(found.values())

    def offered(self, logs: Sequence[Path], run: str, index: int) -> Iterator[OfferedRegion]:
        """The regions that a grant for a recorded call could open, narrowest first, each proved.

        Raises WorkbenchError if the call may not be granted, with the rule that closes it.
        """
        yield from self._offers(self._asked(logs, run, index))

    def offered_now(self, logs: Sequence[Path], outcome: Outcome) -> Iterator[OfferedRegion]:
        """As ``offered``, for a call that waits for a person; ``logs`` have its run without it."""
        yield from self._offers(self._waiting_now(logs, outcome))

    def _offers(self, asked: _Asked) -> Iterator[OfferedRegion]:
        tool = asked.call.tool or ""
        version = self._enforced.needed()
        fields = read_fields(version.spec.arguments, tool)
        type_ = self._read(tool, "True", ()).policy.types.of_tool(tool)
        values = self._values(places_to_read(type_, fields), asked.logs, asked.call)
        for region in regions(type_, asked.call, fields, values):
            try:
                offer = self._offer(region, asked)
            except WorkbenchError:
                if region.exact:
                    raise
                continue
            if (asked.call.run, asked.call.index) in offer.inside:
                yield offer

    def offer(self, logs: Sequence[Path], run: str, index: int, text: str) -> OfferedRegion:
        """A region that a person wrote, for a recorded call that has to lie in it, proved.

        Raises WorkbenchError with the witness if it may not be granted.
        """
        offer = self._offer(CallRegion("your own region", text), self._asked(logs, run, index))
        if (run, index) not in offer.inside:
            raise WorkbenchError(f"The call {index} of {one_line(run)} does not lie in this region.")
        return offer

    def _asked(self, logs: Sequence[Path], run: str, index: int) -> _Asked:
        read, decided = self._enforced.replayed(logs)
        place = _place(read, run, index)
        call = read.calls[place]
        overrides = list(_asking("", decided[place]))
        for baseline in self._enforced.baselines.every:
            others, by_baseline = baseline.replayed(logs)
            if baseline.version is None:
                raise WorkbenchError(baseline.notice)
            overrides += _asking(baseline.name, by_baseline[_place(others, run, index)])
        if not overrides:
            raise WorkbenchError(
                f"The policy allows call {index} of {one_line(run)}; nothing is to be granted."
            )
        return _Asked(call, tuple(overrides), read, decided)

    def _waiting_now(self, logs: Sequence[Path], outcome: Outcome) -> _Asked:
        from workbench.guard import PastCall
        from workbench.runs.calls.live_call import recorded_call

        own = f"{self._enforced.name}:"
        overrides = tuple(violation.rule.removeprefix(own) for violation in outcome.decision.violations)
        known = {baseline.name for baseline in self._enforced.baselines.every}
        others = {policy for name in overrides if (policy := name.rpartition(":")[0]) and policy not in known}
        if outcome.decision.verdict is not Verdict.ASK or others:
            raise WorkbenchError(
                "This may not be granted: no rule of the session, or of one that it extends, asks."
            )
        read, decided = self._enforced.replayed(logs)
        call = outcome.call
        before = next(
            (run for run in read.runs if any(one.instance == call.instance for one in run.calls)), None
        )
        waiting = recorded_call(PastCall(call, ran=False), 0 if before is None else len(before.calls))
        run = Run(call.run, (*(() if before is None else before.calls), waiting), format="waiting")
        runs = (*(one for one in read.runs if one is not before), run)
        of_calls = {id(one): decision for one, decision in zip(read.calls, decided, strict=True)}
        now = CallDecision(waiting.run, waiting.index, outcome.decision)
        calls = tuple(one for each in runs for one in each.calls)
        every = tuple(of_calls.get(id(one), now) for one in calls)
        return _Asked(waiting, overrides, replace(read, runs=runs, calls=calls), every)

    def _offer(self, region: CallRegion, asked: _Asked) -> OfferedRegion:
        logs = asked.logs
        tool = asked.call.tool or ""
        read = self._read(tool, region.text, asked.overrides)
        closed = self._proved(read, asked.overrides)
        lowered = read.inside(_ID)
        exact = exact_text(asked.call.arguments or {}) if region.exact else ""
        inside: list[tuple[str, int]] = []
        opened = 0
        for call, own, region_decision in zip(
            logs.calls, asked.decided, self._decide(lowered, logs), strict=True
        ):
            is_exact = not exact or (call.arguments is not None and exact_text(call.arguments) == exact)
            if region_decision.decision.verdict is Verdict.ALLOW and call.tool == tool and is_exact:
                inside.append((call.run, call.index))
                rules = {violation.rule for violation in own.decision.violations}
                opened += own.decision.verdict is Verdict.ASK and rules <= set(asked.overrides)
        said = self._sentence(read)
        return OfferedRegion(region, asked.call, said, asked.overrides, closed, tuple(inside), opened)

    def _proved(self, read: RegionTerms, overrides: Sequence[str]) -> tuple[str, ...]:
        """What of a region may stay closed. Raises WorkbenchError unless what it opens is proved."""
        from workbench.app.value_texts import arguments_words
        from workbench.dialect.same_expressions import named_alike
        from workbench.engines.smt.widening import WideningKind, widenings
        from workbench.policy.rule_names import ASK

        version = self._enforced.needed()
        old = version.terms
        new = named_alike(read.with_grants().terms, old)
        words = old.file.words.joined(new.file.words)
        found = widenings(old, new)
        for widening in found:
            is_named = widening.kind is WideningKind.LOST_RULE and widening.name in overrides
            if not is_named or not widening.name.startswith(ASK):
                shown = widening.undecided or arguments_words(words.shown(widening.example))
                raise WorkbenchError(
                    f"This may not be granted: {widening.name} closes what it would open ({shown})."
                )
            if widening.undecided:
                raise WorkbenchError(
                    f"This may not be granted: it is not proved what it opens ({widening.undecided})."
                )
        if not found and all(":" not in name for name in overrides):
            raise WorkbenchError("This would open nothing: other rules close every call in it (proved).")
        return tuple(self._still_closed(read, overrides, version))

    def _still_closed(
        self, read: RegionTerms, overrides: Sequence[str], version: AcceptedVersion
    ) -> Iterator[str]:
        """The rules that fire on some call of the region and stay in force, as far as the solver knows."""
        from workbench.dialect.same_expressions import named_alike
        from workbench.engines.smt.preview import satisfiable
        from workbench.policy.connectives import conjunction

        inside = named_alike(read.inside(_ID).terms, version.terms)
        region = inside.rules[0].body
        known = {parameter.name for parameter in version.terms.arguments}
        arguments = (
            *version.terms.arguments,
            *(parameter for parameter in inside.arguments if parameter.name not in known),
        )
        terms = replace(version.terms, arguments=arguments)
        for rule in version.terms.rules:
            stays = rule.forbids and rule.name not in overrides
            if stays and satisfiable(terms, conjunction((region, rule.body))) is not False:
                yield rule.name

    # --- granting and revoking ----------------------------------------------------

    def add(
        self,
        offer: OfferedRegion,
        *,
        scope: GrantScope,
        lasting: timedelta,
        by: str,
        reason: str,
    ) -> Grant:
        """Store a grant of a region that was offered.

        Raises WorkbenchError if the call names no run that is guarded, or the time is too long.
        """
        call = offer.call
        if not timedelta(0) < lasting <= LONGEST:
            raise WorkbenchError("A grant lasts for more than no time and at most a year.")
        is_of_run = scope is not GrantScope.ALWAYS
        if is_of_run and not call.instance:
            raise WorkbenchError(
                "The log of this call is no guard's decision log, so it names no run; grant it for all runs: "
                "--scope always."
            )
        exact = offer.region.exact
        with changing(self._session.path):
            if problem := self.problem:
                raise WorkbenchError(f"This one would not be in force either. {problem}")
            grants = load_grants(self._session.path)
            made = now()
            begun = moment_of(made) or datetime.now(UTC)
            grant = Grant(
                id=f"g{1 + max((int(grant.id[1:]) for grant in grants), default=0)}",
                tool=call.tool or "",
                region=offer.region.text,
                overrides=offer.overrides,
                scope=scope,
                made=made,
                expires=(begun + lasting).isoformat(),
                by=one_line(by).strip() or "unknown",
                reason=one_line(reason).strip(),
                version=self._enforced.needed().sha256,
                arguments=exact_text(call.arguments or {}) if exact else "",
                run=_run_of_guard(call) if is_of_run else "",
                instance=call.instance if is_of_run else "",
            )
            store_grants(self._session.path, (*grants, grant))
        return grant

    def revoke(self, name: str, by: str) -> Grant:
        """End a grant at once. Raises WorkbenchError if there is none of this id, or it has ended already."""
        with changing(self._session.path):
            grants = load_grants(self._session.path)
            grant = next((one for one in grants if one.id == name), None)
            if grant is None:
                known = ", ".join(one.id for one in grants) or "none"
                raise WorkbenchError(f"There is no grant {one_line(name)}; there are {known}.")
            if grant.revoked:
                raise WorkbenchError(f"{grant.id} was revoked already, at {grant.revoked}.")
            ended = replace(grant, revoked=now(), revoked_by=one_line(by).strip() or "unknown")
            store_grants(self._session.path, [ended if one.id == name else one for one in grants])
        return ended

    def prune(self, logs: Sequence[Path]) -> Sequence[Grant]:
        """Take the grants that open nothing any more out of the file, and return them.

        Those by which a call of the logs ran stay, so that it can be explained.
        """
        with changing(self._session.path):
            over = {listed.grant.id for listed in self.listed() if listed.is_over}
            if over and logs:
                calls = self._enforced.replayed(logs)[0].calls
                over -= {name for call in calls for name in call.granted}
            grants = load_grants(self._session.path)
            if over:
                store_grants(self._session.path, [grant for grant in grants if grant.id not in over])
        return [grant for grant in grants if grant.id in over]

    # --- reading ------------------------------------------------------------------

    def _read(self, tool: str, text: str, overrides: Sequence[str]) -> RegionTerms:
        from workbench.dialect.grants import GrantedRegion, region_terms
        from workbench.session.accepted_version import POLICY

        version = self._enforced.needed()
        region = GrantedRegion(_ID, tool, text, frozenset(overrides))
        return region_terms(version.texts[POLICY], version.spec, (region,))

    def _sentence(self, read: RegionTerms) -> str:
        """The region as a sentence of the language, or as Python where the language has no words for it."""
        from workbench.app.session_language import written_sentences
        from workbench.language.alone import ALONE
        from workbench.language.language import Language

        whole = read.whole
        with ALONE:
            language = Language(whole.types, whole.source, whole, written_sentences)
            said = next(iter(language.aloud({read.rule_name(_ID)})), None)
        if said is not None and said.text:
            return said.text
        region = read.regions[_ID][0]
        return f"The agent may call {region.tool} if {region.text}"

    def _decide(self, lowered: LoweredPolicy, logs: Logs) -> Sequence[CallDecision]:
        from workbench.engines.compiled.compile import compile_policy
        from workbench.runs.replay.decide import replay

        extractor = self._enforced.extractor_of(lowered.arguments)
        return tuple(replay(compile_policy(lowered.terms), extractor, logs.runs))

    def _values(
        self, arguments: Sequence[Argument], logs: Logs, call: RecordedCall
    ) -> Mapping[str, Extracted]:
        """What the evaluator reads of a call, by the expressions that are read."""
        run = next(run for run in logs.runs if any(one is call for one in run.calls))
        place = next(place for place, one in enumerate(run.calls) if one is call)
        return self._enforced.extractor_of(arguments).extract(call, run.calls[:place])


_ID = "region"


def _not_for(
    grant: Grant, call: RecordedCall, *, is_used: bool, inside: frozenset[tuple[str, int]] | None
) -> str:
    """Why a grant does not let a recorded call run; empty if it does."""
    if not grant.is_of_run(_run_of_guard(call), call.instance):
        return "is for another run"
    if is_used and grant.scope is GrantScope.ONCE:
        return "is for one call, and another one ran by it before"
    if not grant.was_in_force(call.time or ""):
        return "was not in force then"
    is_outside = inside is not None and (call.run, call.index) not in inside
    if grant.tool != call.tool or not grant.has_arguments(call.arguments) or is_outside:
        return "is for other calls"
    return ""


def _place(logs: Logs, run: str, index: int) -> int:
    for place, call in enumerate(logs.calls):
        if (call.run, call.index) == (run, index):
            return place
    raise WorkbenchError(f"No log has a call {index} of a run {one_line(run)!r}.")


def _asking(policy: str, decided: CallDecision) -> Iterator[str]:
    """The rules by which a policy asks about a call; raises WorkbenchError if it denies the call."""
    decision = decided.decision
    lead = f"{policy}:" if policy else ""
    names = [f"{lead}{violation.rule}" for violation in decision.violations]
    match decision.verdict:
        case Verdict.ASK:
            yield from names
        case Verdict.DENY:
            raise WorkbenchError(
                f"This may not be granted: {', '.join(names) or 'the default'} denies the call "
                f"{decided.index} of {one_line(decided.run)}, and no grant opens what a rule forbids."
            )
        case Verdict.CANNOT_EVALUATE:
            raise WorkbenchError(
                f"This may not be granted: the call cannot be evaluated ({' '.join(decision.reasons)})."
            )
        case Verdict.ALLOW:
            return


def _run_of_guard(call: RecordedCall) -> str:
    """The name of the run for its guard: an import numbers runs of one name."""
    name, sign, number = call.run.rpartition("#")
    return name if sign and number.isdigit() else call.run
