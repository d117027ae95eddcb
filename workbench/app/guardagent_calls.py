"""GuardAgent on a recorded call: what it retrieves, plans, writes and decides, and a person's corrections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.app.guardagent_guard import NO_MODEL, record_of, toolbox_of
from workbench.app.memory import MemoryChange, call_place
from workbench.app.results import Logs
from workbench.model import (
    CallDecision,
    Decision,
    Demonstration,
    RecordedCall,
    Run,
    Verdict,
    Violation,
    WorkbenchError,
)
from workbench.serialization.json_form import Nested, json_form
from workbench.serialization.nouns import PLACE
from workbench.session.guardagent_file import Writer
from workbench.timestamps import timestamp

if TYPE_CHECKING:
    from workbench.app.authorship import Authorship
    from workbench.app.cases import Cases, KeptCase
    from workbench.app.memory import Memory
    from workbench.app.runs import Runs
    from workbench.guardagent.guard_agent import GuardAgent, GuardAgentResult
    from workbench.guardagent.prompts import GuardAgentTask
    from workbench.guardagent.toolbox import Toolbox
    from workbench.policy.terms import PolicyTerms
    from workbench.session import Session
    from workbench.session.guardagent_file import GuardAgentRecord


@dataclass(frozen=True, slots=True)
class GuardAgentCall:
    """GuardAgent's result on a recorded call, with the policy's decision.

    ``demonstrations`` are the ids of the retrieved ones, nearest first.
    """

    decided: CallDecision
    demonstrations: tuple[str, ...]
    guarded: GuardAgentResult
    plan_by: Writer = Writer.MODEL
    code_by: Writer = Writer.MODEL
    model: str = ""
    when: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the policy and GuardAgent make the same decision."""
        return self.guarded.decision.verdict is self.decided.decision.verdict

    @property
    def code(self) -> str:
        """The code that gave the decision, or the last code that failed."""
        return self.guarded.attempts[-1].code if self.guarded.attempts else ""


json_form(
    GuardAgentCall,
    *(Nested(PLACE, "decided"), Nested(None, "guarded"), ("policy", "decided.decision.verdict"), "agrees"),
    *("demonstrations", "plan_by", "code_by", "model", "when"),
)


@dataclass(frozen=True, slots=True)
class GuardAgentMeans:
    """The means by which GuardAgent decides a call.

    ``demonstrations`` are the ids of those that the call retrieves, nearest first. ``functions`` are the
    signatures that guardrail code may call, each with a line of description. ``no_model`` is the reason why
    no model can be asked, empty if one can.
    """

    demonstrations: tuple[str, ...]
    functions: tuple[tuple[str, str], ...]
    no_model: str = ""


BEGUN_CODE = """# agent_input and agent_output are texts. label is 0 (allow) or 1 (deny), details say why.
label = 0
details = []
"""
"""The text from which a person begins guardrail code."""


class GuardAgentCalls:
    """Lets GuardAgent decide recorded calls, and stores its results."""

    def __init__(
        self,
        session: Session,
        authorship: Authorship,
        runs: Runs,
        memory: Memory,
        cases: Cases,
        clarified: Callable[[], str],
    ) -> None:
        """``clarified`` gives the request as GuardAgent gets it."""
        self._clarified = clarified
        self._session = session
        self._authorship = authorship
        self._runs = runs
        self._memory = memory
        self._cases = cases

    def toolbox(self) -> Toolbox:
        """The functions that guardrail code may call: those of the paper, and the session's own.

        Raises WorkbenchError if a file of functions is missing or outside the subset.
        """
        return toolbox_of(self._session)

    def guard(
        self,
        terms: PolicyTerms,
        logs: Logs,
        run: str,
        index: int,
        *,
        k: int | None = None,
        least_similar: bool = False,
        plan: Sequence[str] = (),
    ) -> GuardAgentCall:
        """Let GuardAgent decide a call by a model, and store the result.

        With ``plan``, its four steps are a person's and the model writes the code only.

        Raises:
            WorkbenchError: there is no such call, no model is named, or the plan has not four steps.
            ModelError: the model cannot be asked.
        """
        if plan and (len(plan) != 4 or not all(step.strip() for step in plan)):
            raise WorkbenchError(f"The plan has {len(plan)} steps; write four, one a line.")
        place = call_place(logs.calls, run, index)
        agent = self._agent()
        demonstrations = self._demonstrations(logs, place, k, least_similar=least_similar)
        task = self._task_of_call(logs, place)
        guarded = (
            agent.follow(task, tuple(plan), demonstrations) if plan else agent.guard(task, demonstrations)
        )
        guarded_call = self._guarded_call(terms, logs, place, demonstrations, guarded)
        return self._keep(
            replace(guarded_call, plan_by=Writer.PERSON if plan else Writer.MODEL, model=agent.model)
        )

    def guard_all(
        self,
        terms: PolicyTerms,
        logs: Logs,
        most: int | None = None,
        *,
        k: int | None = None,
        least_similar: bool = False,
    ) -> Iterator[GuardAgentCall]:
        """Let GuardAgent decide the calls of the logs that it has not decided, at most ``most``.

        What that may cost is announced first. Each result is stored at once, so the next time goes on where
        this one ends. Raises WorkbenchError where the budget of the session is used up or no model answers.
        """
        kept = self.all_kept(terms, logs)
        places = [place for place in range(len(logs.calls)) if place not in kept][:most]
        agent = self._agent()
        agent.announce(
            (
                self._task_of_call(logs, place),
                self._demonstrations(logs, place, k, least_similar=least_similar),
            )
            for place in places
        )
        for place in places:
            call = logs.calls[place]
            yield self.guard(terms, logs, call.run, call.index, k=k, least_similar=least_similar)

    def _demonstrations(
        self, logs: Logs, place: int, k: int | None, *, least_similar: bool
    ) -> tuple[Demonstration, ...]:
        retrieved = self._memory.rank(logs.calls[place], k, least_similar=least_similar)
        return tuple(item.demonstration for item in retrieved)

    def run_code(self, terms: PolicyTerms, logs: Logs, run: str, index: int, code: str) -> GuardAgentCall:
        """Run a person's code on a call, without a model, and store the result.

        The plan is the stored plan of the call. Raises WorkbenchError if there is no such call.
        """
        from workbench.guardagent.guard_agent import run_code

        place = call_place(logs.calls, run, index)
        before = self.kept_call(terms, logs, run, index)
        plan = before.guarded.plan if before is not None else ()
        guarded = run_code(code, self._task_of_call(logs, place), self.toolbox(), plan)
        guarded_call = self._guarded_call(terms, logs, place, (), guarded)
        if before is not None:
            guarded_call = replace(guarded_call, demonstrations=before.demonstrations, plan_by=before.plan_by)
        return self._keep(replace(guarded_call, code_by=Writer.PERSON))

    def kept_call(self, terms: PolicyTerms, logs: Logs, run: str, index: int) -> GuardAgentCall | None:
        """GuardAgent's last result on a call, with the policy's present decision."""
        place = call_place(logs.calls, run, index)
        call = logs.calls[place]
        record = next(
            (
                guarded_record
                for guarded_record in reversed(self._session.guarded)
                if guarded_record.is_of(call)
            ),
            None,
        )
        return None if record is None else _of_record(record, self._runs.decide(terms, logs)[place])

    def all_kept(self, terms: PolicyTerms, logs: Logs) -> Mapping[int, GuardAgentCall]:
        """GuardAgent's last result on every call that it was asked about, by the call's place in the logs."""
        guarded_records = self._session.guarded
        if not guarded_records:
            return {}
        records = {
            guarded_record.time or (guarded_record.run, guarded_record.call): guarded_record
            for guarded_record in guarded_records
        }
        decisions = self._runs.decide(terms, logs)
        guarded_by_place: dict[int, GuardAgentCall] = {}
        for place, call in enumerate(logs.calls):
            # A later result of a person on a live call is stored under the name of the run.
            record = records.get((call.run, call.index)) or records.get(call.time or "")
            if record is not None and record.is_of(call):
                guarded_by_place[place] = _of_record(record, decisions[place])
        return guarded_by_place

    def means(self, call: RecordedCall) -> GuardAgentMeans:
        """The means for deciding a call; no model is asked."""
        retrieved_demonstrations = self._memory.rank(call)
        functions = tuple(
            (f"{name}{signature}", says.partition("\n")[0])
            for name, signature, says in self.toolbox().listed()
        )
        no_model = NO_MODEL if self._authorship.model() is None else ""
        return GuardAgentMeans(
            tuple(retrieved.demonstration.id for retrieved in retrieved_demonstrations),
            functions,
            no_model,
        )

    def demonstrate(self, guarded: GuardAgentCall, logs: Logs) -> MemoryChange:
        """Keep the plan and the code as a demonstration; raises WorkbenchError if there is no decision."""
        from workbench.memory.call_texts import call_texts

        answer, call = guarded.guarded, self._call(logs, guarded)
        if answer.label is None or len(answer.plan) != 4:
            raise WorkbenchError(
                "A demonstration needs a plan of four steps and code that gives a label: correct them first."
            )
        agent_input, agent_output = call_texts(call)
        taken_ids = {demonstration.id for demonstration in self._session.demonstrations}
        identity = f"guardagent-{call.run}-{call.index}"
        while identity in taken_ids:
            identity += "-again"
        first, second, third, fourth = answer.plan
        demonstration = Demonstration(
            identity, agent_input, agent_output, (first, second, third, fourth), guarded.code
        )
        return self._memory.keep(demonstration, logs)

    def keep_case(self, terms: PolicyTerms, guarded: GuardAgentCall, expected: Verdict) -> KeptCase:
        """Keep the call as a case with the decision that a person considers right.

        Raises WorkbenchError if the policy cannot evaluate the call.
        """
        decided = guarded.decided
        verdict = guarded.guarded.decision.verdict.value
        reason = f"GuardAgent says {verdict} of call {decided.index} of {decided.run}; a person decided."
        return self._cases.keep(
            terms, decided.decision.arguments, expected, reason=reason, origin="log", identity="guardagent"
        )

    # --- inside

    def _agent(self) -> GuardAgent:
        from workbench.guardagent.guard_agent import GuardAgent

        client = self._authorship.model()
        if client is None:
            raise WorkbenchError(NO_MODEL, exit_code=3)
        return GuardAgent(client, self.toolbox(), rounds=self._session.info.guardagent.rounds)

    def _task_of_call(self, logs: Logs, place: int) -> GuardAgentTask:
        from workbench.guardagent.action import task_of

        call = logs.calls[place]
        return task_of(self._clarified(), self._session.spec, call, _run_of(logs, call))

    def _guarded_call(
        self,
        terms: PolicyTerms,
        logs: Logs,
        place: int,
        demonstrations: Sequence[Demonstration],
        guarded: GuardAgentResult,
    ) -> GuardAgentCall:
        decided = self._runs.decide(terms, logs)[place]
        when = timestamp()
        return GuardAgentCall(decided, tuple(item.id for item in demonstrations), guarded, when=when)

    def _call(self, logs: Logs, guarded: GuardAgentCall) -> RecordedCall:
        return logs.calls[call_place(logs.calls, guarded.decided.run, guarded.decided.index)]

    def _keep(self, guarded_call: GuardAgentCall) -> GuardAgentCall:
        if not self._session.read_only:
            decided = guarded_call.decided
            record = record_of(
                decided.run,
                decided.index,
                guarded_call.guarded,
                guarded_call.demonstrations,
                guarded_call.model,
                guarded_call.when,
            )
            who = {"plan_by": guarded_call.plan_by, "code_by": guarded_call.code_by}
            self._session.append_guarded(
                record.model_copy(update={**who, "policy": decided.decision.verdict})
            )
        return guarded_call


def _run_of(logs: Logs, call: RecordedCall) -> Run:
    return next(run for run in logs.runs if run.id == call.run)


def _of_record(record: GuardAgentRecord, decided: CallDecision) -> GuardAgentCall:
    return GuardAgentCall(
        decided,
        record.demonstrations,
        _guarded(record),
        record.plan_by,
        record.code_by,
        record.model,
        record.when,
    )


def _guarded(record: GuardAgentRecord) -> GuardAgentResult:
    """GuardAgent's result from a record; a stored allow does not count if the label is not 0."""
    from workbench.guardagent.guard_agent import GuardAgentResult, violation_of

    verdict = record.decision
    if verdict is Verdict.ALLOW and record.label != 0:
        verdict = Verdict.CANNOT_EVALUATE
    violations: tuple[Violation, ...] = (violation_of(record.details),) if verdict is Verdict.DENY else ()
    return GuardAgentResult(
        Decision(verdict, violations, reasons=record.reasons),
        record.answer,
        record.label,
        record.details,
        record.plan,
        record.attempts,
        record.risk,
    )
