"""The guard: decides a call before the tool runs, and carries out a strategy on a denial."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from enum import StrEnum
from types import TracebackType
from typing import Self

from workbench.guard.approval import Answer, Approval, Asking
from workbench.guard.call_reading import ArgumentsOf, CallReader, EnforcedPolicy, NamedPolicy, read_by
from workbench.guard.calls import Outcome, PastCall, ToolCall, answered, look_up_first, raised, refused
from workbench.guard.grants import Grants
from workbench.guard.log import DecisionLog, LogFailed, result_text
from workbench.guard.look_alike_names import unclear_keys
from workbench.guard.look_ups import MOST_HOPS, LookUps
from workbench.guard.run_so_far import Clock, RunSoFar
from workbench.guard.strategy import (
    ENDED,
    REPLANS,
    Action,
    Enforcement,
    PersonsAnswer,
    Response,
    Strategy,
)
from workbench.guard.subagents import SUBAGENT, delegated
from workbench.model import Decision, Json, LookedUp, Verdict, WorkbenchError


class Mode(StrEnum):
    """Whether denials are enforced, or only decided and logged (shadow)."""

    ENFORCE = "enforce"
    SHADOW = "shadow"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A call about which a person is asked, outside the lock."""

    outcome: Outcome
    asking: Asking
    action: Action


class Guard:
    """Decides the tool calls of one run of an agent.

    ``arguments_of`` turns a call into the policy's arguments; it also gets the calls of the run that were
    carried out before, with their results. If it raises, the call cannot be evaluated and is refused. It may
    also be a reader, which a session makes and which names possible look-ups too. The application reports
    what happens in the run: messages by ``message``, results of calls by ``finish``. Calls are decided one
    after another, so that parallel calls cannot slip past the state of a strategy or a policy; while a person
    is asked, other calls go on.

    Each run needs a guard of its own: ``with guard.run(context=...) as run``. Its subagents have guards from
    ``run.delegate``.
    """

    def __init__(
        self,
        policy: EnforcedPolicy | Sequence[NamedPolicy],
        arguments_of: ArgumentsOf | CallReader | None = None,
        *,
        strategy: Strategy = Strategy.BLOCK_CALL,
        mode: Mode = Mode.ENFORCE,
        approval: Approval | None = None,
        log: DecisionLog | None = None,
        replans: int = REPLANS,
        name: str = "",
        context: Mapping[str, Json] | None = None,
        look_ups: LookUps | None = None,
        measuring: bool = False,
        clock: Clock | None = None,
        began_before: bool = False,
        grants: Grants | None = None,
    ) -> None:
        """Guard with ``policy``; the default strategy blocks the single action.

        A list of policies, each with its own reader of calls, allows what all of them allow. A strategy that
        does not enforce needs ``measuring``. ``look_ups`` are the read-only tools that may be called to
        decide a call. ``name`` is the run's name in the decision log; ``context`` is what the application
        knows of the user and the run. A call's own context is added to it and takes precedence, except that
        the first ``user`` of a run is the user's first message (``first_user``) for all its calls. ``clock``
        is the time of the calls, where a run is played that was made up. Of a run that ``began_before`` it is
        not known what was called, so that what depends on earlier calls is not determinable; it cannot be
        guarded by a strategy that remembers denials. ``grants`` are asked where the policy does not
        allow a call.
        """
        if not strategy.enforces and not measuring:
            raise WorkbenchError(
                f"The strategy {strategy} lets calls run that the policy denies; it can be measured only."
            )
        if began_before and strategy is not Strategy.BLOCK_CALL:
            raise WorkbenchError(
                f"The strategy {strategy} remembers the denials of a run, so the run has to be named."
            )
        self._policy, self._reader = read_by(policy, arguments_of)
        self._look_ups = look_ups or LookUps()
        self._strategy = strategy
        self._mode = mode
        self._approval = approval
        self._grants = grants
        self._log = log
        self._replans = replans
        self._measuring = measuring
        self._clock = clock
        self._run = RunSoFar(name, context or {}, clock, began_before=began_before)
        self._enforcement = Enforcement(strategy, replans)
        self._lock = threading.Lock()
        self._parent: Guard | None = None
        self._kinds: tuple[str, ...] = ()
        self._agent: Mapping[str, Json] = {}
        self._has_ended = False

    def run(
        self,
        name: str = "",
        *,
        context: Mapping[str, Json] | None = None,
        strategy: Strategy | None = None,
        log: DecisionLog | None = None,
        mode: Mode | None = None,
        approval: Approval | None = None,
        began_before: bool = False,
    ) -> Guard:
        """A guard like this one for another run, with no memory of this run.

        As a context manager it refuses every call that is made after the run has ended. ``log``, ``mode`` and
        ``approval`` are this run's own. Raises WorkbenchError as the guard itself does, and for a guard of a
        subagent, whose calls all are calls of one run.
        """
        if self._parent is not None:
            raise WorkbenchError(
                "A subagent has no run of its own: its calls count in the run of all agents."
            )
        return Guard(
            self._policy,
            self._reader,
            strategy=strategy or self._strategy,
            mode=mode or self._mode,
            approval=approval or self._approval,
            log=log or self._log,
            replans=self._replans,
            name=name,
            context={**self._run.context, **(context or {})},
            look_ups=self._look_ups,
            measuring=self._measuring,
            clock=self._clock,
            began_before=began_before,
            grants=self._grants,
        )

    def delegate(self, kind: str, name: str = "") -> Guard:
        """A guard for a subagent of this run, of a kind, perhaps with a name of its own.

        Its calls are calls of this run: they are decided by the same policies on the run of all agents, under
        one strategy and in one log, and by what policies say of subagents of its kind, and of those that it
        is a subagent of. What a subagent is told is not said by the user. The end of this guard is the
        subagent's; after the end of the run, or of the agent that delegated, each of its calls is refused
        too. Raises WorkbenchError if the kind is empty.
        """
        if not kind:
            raise WorkbenchError("Name the kind of the subagent, as session.toml names it.")
        child = copy(self)
        child._parent, child._kinds, child._has_ended = self, (*self._kinds, kind), False
        child._agent = delegated(child._kinds, name)
        return child

    def __enter__(self) -> Self:
        """Begin the run."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the run: tools of the run that are still referenced are refused from then on."""
        self.end()

    def end(self, ended: Mapping[str, Json] | None = None) -> None:
        """End the run: every later call is refused. ``ended`` describes the end for the decision log."""
        with self._lock:
            self._has_ended = True
            if self._log is not None and ended is not None and self._parent is None:
                try:
                    self._log.write_end(self.name, ended, instance=self._run.instance)
                except LogFailed as error:
                    warnings.warn(str(error), stacklevel=2)

    def resume(self, lines: Iterable[Mapping[str, Json]]) -> None:
        """Go on with a run whose guard is gone: take the lines of its decision log as what happened so far.

        What the strategy remembers is not in the log, so only a strategy that remembers nothing can go on.
        Raises WorkbenchError for a line that no decision log of this run has.
        """
        if self._strategy is not Strategy.BLOCK_CALL:
            raise WorkbenchError(f"A run under the strategy {self._strategy} cannot be resumed from its log.")
        with self._lock:
            for line in lines:
                self._run.take(line)

    @property
    def calls(self) -> Sequence[PastCall]:
        """The calls of the run that were decided so far, in order."""
        return tuple(self._run.past)

    @property
    def name(self) -> str:
        """The name of the run in the decision log."""
        return self._run.name

    @property
    def policy(self) -> EnforcedPolicy:
        """The policy, to ask it without guarding a call."""
        return self._policy

    @property
    def grants_problem(self) -> str:
        """Why nothing that a person granted is in force; empty if that is not so."""
        return "" if self._grants is None else self._grants.problem

    # --- events of the run --------------------------------------------------------

    def message(self, role: str, text: str | None) -> None:
        """Report a message of the run: of the user, the application (``system``) or the agent.

        Report every message as it comes, also a message of the agent that has only calls and no text.
        """
        role = role if self._parent is None else SUBAGENT
        with self._lock:
            self._run.message(role, text)
            if self._log is not None:
                try:
                    self._log.write_message(self.name, role, text, instance=self._run.instance)
                except LogFailed as error:
                    warnings.warn(str(error), stacklevel=2)

    def finish(self, outcome: Outcome, result: object, *, failed: bool = False) -> None:
        """Report that a call has ended and its result, for policies over earlier results.

        The result None means that the call may or may not have had an effect. ``failed`` means that it had no
        effect but its message. A call ends once; a second ``finish`` does nothing.
        """
        self.finish_call(outcome.call, result, failed=failed)

    def finish_call(self, call: ToolCall, result: object, *, failed: bool = False) -> None:
        """Like ``finish``, for one of the run's ``calls``: its outcome may be gone with another process."""
        text = None if result is None else result_text(result)
        with self._lock:
            if self._run.finish(call, text, failed=failed) and self._log is not None:
                try:
                    self._log.write_result(call, text, failed=failed)
                except LogFailed as error:  # the call has run; its outcome is in the log
                    warnings.warn(str(error), stacklevel=2)

    def fail(self, outcome: Outcome, error: BaseException) -> None:
        """Report that a tool raised: the call had no effect, unless it was cut off while it ran."""
        if isinstance(error, TimeoutError | ConnectionError):
            self.finish(outcome, None)
        else:
            self.finish(outcome, f"{type(error).__name__}: {error}", failed=True)

    # --- deciding -----------------------------------------------------------------

    def check(self, call: ToolCall, *, look_ups: LookUps | None = None) -> Outcome:
        """Decide ``call``, respond by the strategy, and log the outcome. Nothing has run yet.

        The call is an action of its own. ``look_ups`` replace the guard's own, for look-ups that belong to
        the channel of the call.
        """
        return self.check_action((call,), look_ups=look_ups)[0]

    async def check_async(self, call: ToolCall) -> Outcome:
        """Like ``check``, without blocking the event loop while a person is asked."""
        return (await self.check_action_async((call,)))[0]

    def check_action(
        self, calls: Sequence[ToolCall], *, look_ups: LookUps | None = None
    ) -> tuple[Outcome, ...]:
        """Decide the calls of one action, one by one, before any of them runs.

        Each call is decided as if the allowed calls before it were running. The strategy determines what a
        denial means for the calls after it.
        """
        active_look_ups = self._look_ups if look_ups is None else look_ups
        action, number = self._begin_action(calls, active_look_ups)
        outcomes: list[Outcome] = []
        for call in calls:
            result = self._begin(replace(call, action=number), active_look_ups, action)
            if not isinstance(result, Outcome):
                result = self._settle(result, result.asking.answer(), active_look_ups)
            outcomes.append(result)
        return tuple(outcomes)

    async def check_action_async(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """Like ``check_action``, without blocking the event loop while a person is asked."""
        import asyncio  # a third of a guard's start, which only coroutines need

        action, number = await asyncio.to_thread(self._begin_action, calls, self._look_ups)
        outcomes: list[Outcome] = []
        for call in calls:
            result = await asyncio.to_thread(
                self._begin, replace(call, action=number), self._look_ups, action
            )
            if not isinstance(result, Outcome):
                answer = await result.asking.answer_async()
                result = await asyncio.to_thread(self._settle, result, answer, self._look_ups)
            outcomes.append(result)
        return tuple(outcomes)

    def require(self, call: ToolCall) -> Outcome:
        """Like ``check``, but raises ActionDenied or TaskTerminated if the call may not run."""
        return raised(self.check(call))

    async def require_async(self, call: ToolCall) -> Outcome:
        """Like ``check_async``, but raises ActionDenied or TaskTerminated if the call may not run."""
        return raised(await self.check_async(call))

    def refuse(self, call: ToolCall, reason: str) -> Outcome:
        """Log that ``call`` is not carried out, and why, in any mode and without asking the policy."""
        with self._lock:
            return self._logged(refused(self._run.numbered(self._own(call)), reason))

    def _begin_action(self, calls: Sequence[ToolCall], look_ups: LookUps) -> tuple[Action, int | None]:
        """A new action, and its number if it has several calls."""
        with self._lock:
            number = self._run.next_action()
            if len(calls) < 2:
                return self._enforcement.begin(), None
            ahead, asks = self._ahead(calls, number, look_ups), self._approval is not None
            return self._enforcement.begin(ahead, asks=asks), number

    def _ahead(self, calls: Sequence[ToolCall], number: int, look_ups: LookUps) -> Sequence[Decision]:
        """The decisions on the calls of an action if the strategy needs them; nothing is noted of them."""
        if not self._enforcement.looks_ahead or self._mode is Mode.SHADOW:
            return ()
        watching = copy(self)
        watching._run, watching._log, watching._mode = self._run.copied(), None, Mode.SHADOW
        watching._lock = threading.Lock()
        begun = (watching._begin(replace(call, action=number), look_ups, Action()) for call in calls)
        return [one.decision for one in begun if isinstance(one, Outcome) and not one.granted]

    def _own(self, call: ToolCall) -> ToolCall:
        """The call with the kind and the name of its agent."""
        return replace(call, context={**call.context, **self._agent}) if self._agent else call

    def _refusal(self, action: Action) -> Response | None:
        """The response to a call that is refused whatever the policy says; None if there is none."""
        guard: Guard | None = self
        while guard is not None:
            if guard._has_ended:
                return ENDED
            guard = guard._parent
        return self._enforcement.before(action)

    def _begin(self, call: ToolCall, look_ups: LookUps, action: Action) -> Outcome | _Asked:
        with self._lock:
            call = self._run.begun(self._own(call))
            refusal = self._refusal(action)
            if refusal is not None and self._mode is Mode.ENFORCE:
                return self._logged(answered(call, self._decide(call), refusal))
            call = self._looked_up(call, look_ups)
            decision = self._decide(call)
            granted = None if action.blocked else self._granted(call, decision)
            if granted is not None:
                return self._logged(granted)
            if self._mode is Mode.SHADOW:
                return self._logged(
                    Outcome(call, decision, runs=True, shadow=decision.verdict is not Verdict.ALLOW)
                )
            if decision.verdict is not Verdict.ASK or self._approval is None or action.blocked:
                return self._logged(self._responded(call, decision, action))
            outcome = Outcome(call, decision, runs=False)
        return _Asked(outcome, Asking(self._approval, outcome), action)

    def _granted(self, call: ToolCall, decision: Decision) -> Outcome | None:
        """The outcome of a call that a person granted; None where no grant lets it run.

        Grants are read at each call, so that one that was revoked meanwhile, or used up, lets nothing run.
        """
        if self._grants is None or decision.verdict is not Verdict.ASK:
            return None
        try:
            granted = self._grants.opening(call, self._run.past)
        except Exception as error:  # what goes wrong with grants grants nothing
            warnings.warn(f"No grant was read: {type(error).__name__}: {error}", stacklevel=4)
            return None
        if granted is None:
            return None
        return Outcome(call, decision, runs=True, approved_by=granted.by, granted=granted.ids)

    def _looked_up(self, call: ToolCall, look_ups: LookUps) -> ToolCall:
        """The call with the look-ups made to decide it: one answer may lead to the next look-up."""
        if call.arguments is None or not look_ups.tools:
            return call
        for _ in range(MOST_HOPS):
            try:
                wanted_look_ups = self._reader.wanted(call, self._run.past)
            except Exception:  # a call that cannot be read is refused when it is decided
                return call
            earlier_look_ups = [(look_up.tool, look_up.arguments) for look_up in call.look_ups]
            new_look_ups = [
                look_ups.ask(looked_up)
                for looked_up in wanted_look_ups
                if looked_up.tool in look_ups.tools
                and (looked_up.tool, looked_up.arguments) not in earlier_look_ups
            ]
            if not new_look_ups:
                return call
            call = replace(call, look_ups=(*call.look_ups, *new_look_ups))
        return call

    def _settle(self, asked: _Asked, answer: Answer, look_ups: LookUps) -> Outcome:
        """Carry out a person's answer, if it is still about what was asked.

        Other calls went on meanwhile: the run may have ended, and the policy may now deny, or ask for another
        reason than the approved one.
        """
        with self._lock:
            call, asked_decision = asked.outcome.call, asked.outcome.decision
            refusal = self._refusal(asked.action)
            if refusal is not None:
                return self._logged(answered(call, self._decide(call), refusal))
            if not answer.by:
                return self._logged(self._responded(call, asked_decision, asked.action, answer.said))
            # The records looked up before the person was asked may have changed since.
            call = self._looked_up(self._run.timed(replace(call, look_ups=())), look_ups)
            decision = self._decide(call)
            granted = self._granted(call, decision)
            if granted is not None:  # the person granted it, so that the grant is used
                return self._logged(replace(granted, answer=PersonsAnswer.APPROVED))
            asked_rules = {violation.rule for violation in asked_decision.violations}
            rules = {violation.rule for violation in decision.violations}
            if decision.verdict not in (Verdict.ASK, Verdict.ALLOW) or not asked_rules >= rules:
                return self._logged(self._responded(call, decision, asked.action))
            said = PersonsAnswer.APPROVED
            return self._logged(Outcome(call, decision, runs=True, approved_by=answer.by, answer=said))

    def _responded(
        self,
        call: ToolCall,
        decision: Decision,
        action: Action,
        said: PersonsAnswer = PersonsAnswer.NOT_ASKED,
    ) -> Outcome:
        response = self._enforcement.respond(action, decision, said)
        outcome = replace(answered(call, decision, response), answer=said)
        if outcome.runs or outcome.ends_task or not outcome.feedback:
            return outcome
        first = self._look_up_first(outcome)
        feedback = " ".join(part for part in (outcome.feedback, look_up_first(first)) if part)
        return replace(outcome, feedback=feedback, look_up_first=first)

    def _look_up_first(self, outcome: Outcome) -> tuple[LookedUp, ...]:
        try:
            return tuple(self._reader.remedy(self._policy, outcome.call, self._run.past, outcome.decision))
        except Exception:  # without a remedy the refusal is unchanged
            return ()

    def _logged(self, outcome: Outcome) -> Outcome:
        """Log under the lock, so that the log has the order of the decisions.

        A call whose decision cannot be recorded is not carried out, unless the guard only watches or the log
        is not required.
        """
        if self._log is not None:
            try:
                self._write_begun()
                self._log.write(outcome)
            except LogFailed as error:
                if self._mode is Mode.SHADOW or not self._log.required:
                    warnings.warn(str(error), stacklevel=4)
                elif outcome.runs:
                    feedback = "Refused: the decision could not be recorded. This action was not carried out."
                    outcome = replace(outcome, runs=False, feedback=feedback, refused_because=feedback)
        self._run.decided(outcome)
        return outcome

    def _write_begun(self) -> None:
        """Log what is not known of the run's beginning, once, so that a replay of the log decides alike."""
        while self._log is not None and self._run.unwritten:
            unknown = Decision(Verdict.CANNOT_EVALUATE, reasons=("it is not known what was called before",))
            self._log.write(Outcome(self._run.unwritten[0].call, unknown, runs=True))
            self._run.unwritten = self._run.unwritten[1:]

    def _decide(self, call: ToolCall) -> Decision:
        if call.arguments is None:
            return Decision(Verdict.CANNOT_EVALUATE, reasons=("the arguments of the call are unknown",))
        try:
            if why := unclear_keys(call.arguments):
                return Decision(Verdict.CANNOT_EVALUATE, reasons=(why,))
            return self._reader.decide(self._policy, call, self._run.past)
        except Exception as error:  # any failure must refuse the call, not crash past the guard
            reason = f"the arguments could not be derived from the call: {type(error).__name__}: {error}"
            return Decision(Verdict.CANNOT_EVALUATE, reasons=(reason,))

    # --- Python tools -------------------------------------------------------------

    def tool[**P, R](
        self, function: Callable[P, R], *, name: str = "", context: Mapping[str, Json] | None = None
    ) -> Callable[P, R]:
        """Wrap a Python tool, sync or async: the decision is made before its body starts.

        Positional arguments are bound to their names first, so that the check sees all of them. The wrapped
        tool raises ActionDenied or TaskTerminated in place of a call that may not run.
        """
        from workbench.guard.guarded_functions import guarded

        return guarded(self, function, name, context or {})
