"""Runs that were made up, played to the real guard: it decides each call, the world answers as they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from workbench.engines.compiled.compile import compile_policy
from workbench.guard import Approval, DecisionLog, Guard, ToolCall
from workbench.guard.calls import Outcome
from workbench.model import AgentSpec, Arguments, RecordedCall, Run
from workbench.policy.terms import PolicyTerms
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.live_guard import RecordedCallReader, recorded_call
from workbench.runs.world.earlier_calls import Earlier

_ALL_SAID, _LAST_SAID = "all_user", "user"
_PERSON = "a person"


class Player:
    """Plays runs to the guard of one policy of calls; a person approves whatever it asks about."""

    def __init__(self, terms: PolicyTerms, spec: AgentSpec) -> None:
        """Take the policy as it guards, and its agent. ``runs`` counts the runs that were played."""
        self._policy = compile_policy(terms)
        self._extractor = Extractor(terms.sources, replace(spec, arguments=terms.sources))
        self._reader = RecordedCallReader(self._extractor)
        self.runs = 0

    def play(self, run: Run, log: DecisionLog | None = None) -> Run:
        """The run as the guard saw it: a call that it refused did not run, and has no result."""
        self.runs += 1
        clock = _Clock()
        approval = Approval(lambda _outcome: _PERSON)
        guard = Guard(self._policy, self._reader, approval=approval, log=log, name=run.id, clock=clock.now)
        played: list[RecordedCall] = []
        said = ""
        for call in run.calls:
            clock.time = max(clock.time, _moment(call, clock.time))
            said = _report(guard, call, said)
            outcome = guard.check(ToolCall(call.tool or "", call.arguments, call.context))
            if outcome.runs and call.result is not None:
                guard.finish(outcome, call.result, failed=call.failed)
            played.append(_recorded(outcome, call, len(played)))
        return replace(run, calls=tuple(played))

    def arguments(self, run: Run) -> Arguments:
        """The arguments of the last call of a run that was played, as far as they are known."""
        place = len(run.calls) - 1
        extracted = self._extractor.extract(run.calls[place], Earlier(run.calls, place))
        return {name: item.value for name, item in extracted.items() if item.missing is None}


class _Clock:
    """A clock that says what the played run says."""

    time = datetime.min.replace(tzinfo=UTC)

    def now(self) -> datetime:
        """The time of the call that is made."""
        return self.time


def _moment(call: RecordedCall, before: datetime) -> datetime:
    if call.time is None:
        return before
    found = datetime.fromisoformat(call.time)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _report(guard: Guard, call: RecordedCall, said: str) -> str:
    """Report what the user says before a call, if it is new; returns all that was said."""
    whole, last = call.texts.get(_ALL_SAID, ""), call.texts.get(_LAST_SAID, "")
    if whole and whole not in said:
        guard.message("user", whole)
        said = f"{said}\n\n{whole}"
    if last and last != whole:
        guard.message("user", last)
        said = f"{said}\n\n{last}"
    return said


def _recorded(outcome: Outcome, call: RecordedCall, place: int) -> RecordedCall:
    return recorded_call(
        outcome.call,
        place,
        call.result if outcome.runs else None,
        ran=outcome.runs,
        failed=call.failed and outcome.runs,
        known_from=place + 1,
        approved=bool(outcome.approved_by),
    )


def joined(runs: Sequence[Run], name: str) -> Run:
    """One run of several, one after the other."""
    calls = [call for run in runs for call in run.calls]
    return Run(
        name,
        tuple(replace(call, run=name, index=number) for number, call in enumerate(calls)),
        format="realised",
    )
