"""GuardAgent as a guard of live calls next to the policy, and its decisions repeated from stored code."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, override

from workbench.guard.call_reading import CallReader, EnforcedPolicy
from workbench.guard.calls import PastCall, ToolCall
from workbench.model import Decision, Demonstration, RecordedCall, Run, Value, Verdict, WorkbenchError
from workbench.policy.result_cache import Recent
from workbench.runs.replay.joint_decisions import KeptGuard
from workbench.timestamps import timestamp

if TYPE_CHECKING:
    from workbench.app.authorship import Authorship
    from workbench.guardagent.guard_agent import GuardAgentResult
    from workbench.guardagent.prompts import GuardAgentTask
    from workbench.guardagent.toolbox import Toolbox
    from workbench.session import Session
    from workbench.session.accepted_version import AcceptedVersion
    from workbench.session.guardagent_file import GuardAgentRecord

NO_MODEL = (
    "GuardAgent needs a model. Set WORKBENCH_MODEL, and OPENAI_BASE_URL for your own server; "
    "code of your own runs without one."
)
_MOST_CALLS = 64
_TICK = 0.05


type GuardTexts = Session | AcceptedVersion
"""What GuardAgent reads: a session, or the version of it that guards enforce."""


def toolbox_of(texts: GuardTexts) -> Toolbox:
    """The functions that guardrail code may call: those of the paper, and the session's own.

    Raises WorkbenchError for a file of functions that is not there or outside the subset.
    """
    from workbench.guardagent.toolbox import Toolbox

    toolbox = Toolbox.standard()
    for name, text in texts.own_functions:
        toolbox = toolbox.with_written(text, name)
    return toolbox


def asks_guardagent(texts: GuardTexts) -> bool:
    """Whether ``session.toml`` says that GuardAgent guards live calls together with the policy."""
    from workbench.session.session_files import WITH_GUARDAGENT

    return texts.info.guard == WITH_GUARDAGENT


def name_of(texts: GuardTexts) -> str:
    """The name of GuardAgent in decisions; the policy has the name of the session."""
    return f"{texts.info.name}/guardagent"


class NoArguments(EnforcedPolicy):
    """Takes the place of a policy for GuardAgent, which decides nothing from arguments alone."""

    @override
    def decide(self, arguments: Mapping[str, Value]) -> Decision:
        """Return that the call cannot be evaluated."""
        return _undecided("GuardAgent decides calls; there is no call here.")


class GuardAgentReader(CallReader):
    """Reads live calls for GuardAgent, and stores its result on each in the session.

    It asks for no look-ups: GuardAgent gets what the agent saw, and names no look-up that would help. If the
    model fails, the record cannot be written or the time runs out, the call cannot be evaluated.
    """

    def __init__(
        self, session: Session, texts: GuardTexts, authorship: Authorship, stopped: Callable[[], bool]
    ) -> None:
        """Take the session, which stores the decisions, and the texts by which GuardAgent decides.

        ``stopped`` is called while a model replies, and once it is true waiting ends. Raises
        WorkbenchError if the session cannot store decisions, or its functions are wrong.
        """
        if session.read_only:
            raise WorkbenchError(
                f"GuardAgent guards {texts.info.name}, and what it decides is kept in the session. "
                f"{session.why_read_only}"
            )
        self._session = session
        self._texts = texts
        self._authorship = authorship
        self._stopped = stopped
        self._toolbox = toolbox_of(texts)
        self._decided: Recent[tuple[str, int, GuardAgentTask], Decision] = Recent(_MOST_CALLS)

    @override
    def decide(self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall]) -> Decision:
        """The decision of the code that a model writes for this call; the model is asked once per call."""
        from workbench.guardagent.action import task_after
        from workbench.runs.calls.live_call import recorded_call

        logged_call = recorded_call(PastCall(call, known_from=0), len(history))
        task = task_after(self._texts.request, self._texts.spec, logged_call, _earlier(history))
        key = (call.instance, call.index, task)
        earlier_decision = self._decided.get(key)
        if earlier_decision is not None:
            return earlier_decision
        decision = self._decision(call, logged_call, task)
        self._decided.put(key, decision)
        return decision

    def _decision(self, call: ToolCall, recorded_call: RecordedCall, task: GuardAgentTask) -> Decision:
        """GuardAgent's decision on a call, which is stored before it counts."""
        from workbench.guardagent.guard_agent import GuardAgentResult

        nearest_demonstrations = self._nearest(recorded_call)
        answer = self._answer(task, nearest_demonstrations)
        guarded = answer if not isinstance(answer, str) else GuardAgentResult(_undecided(answer), "")
        try:
            self._keep(call, guarded, nearest_demonstrations)
        except WorkbenchError as error:
            return _undecided(f"What GuardAgent decided could not be kept: {error}")
        return guarded.decision

    def _nearest(self, call: RecordedCall) -> tuple[Demonstration, ...]:
        from workbench.memory.call_texts import call_texts
        from workbench.memory.retrieval import DemonstrationIndex

        index = DemonstrationIndex(self._texts.demonstrations)
        retrieved_demonstrations = index.nearest(*call_texts(call), self._texts.info.guardagent.k)
        return tuple(item.demonstration for item in retrieved_demonstrations)

    def _answer(
        self, task: GuardAgentTask, demonstrations: tuple[Demonstration, ...]
    ) -> GuardAgentResult | str:
        """GuardAgent's answer, or the reason why there is none.

        A model is asked in a thread of its own: the caller's thread may have an event loop, and does not wait
        for a reply that comes too late.
        """
        from workbench.guardagent.guard_agent import GuardAgent

        answers: list[GuardAgentResult | str] = []
        cancelled = threading.Event()

        def ask() -> None:
            try:
                client = self._authorship.model()
                if client is None:
                    answers.append(NO_MODEL)
                    return
                rounds = self._texts.info.guardagent.rounds
                agent = GuardAgent(client, self._toolbox, rounds=rounds, cancelled=cancelled)
                answers.append(agent.guard(task, demonstrations))
            except WorkbenchError as error:
                answers.append(f"GuardAgent could not be asked: {error}")
            except Exception as error:  # after any error the call is not allowed
                answers.append(f"GuardAgent failed: {type(error).__name__}: {error}")

        thread = threading.Thread(target=ask, name="guardagent", daemon=True)
        thread.start()
        while thread.is_alive():
            if self._stopped():
                cancelled.set()
                return "GuardAgent did not decide before the run ended."
            thread.join(_TICK)
        return answers[0] if answers else "GuardAgent ended without a decision."

    def _keep(
        self, call: ToolCall, guarded: GuardAgentResult, demonstrations: Sequence[Demonstration]
    ) -> None:
        ids = tuple(demonstration.id for demonstration in demonstrations)
        record = record_of(call.run, call.index, guarded, ids, self._model_name(), timestamp())
        self._session.append_guarded(record.model_copy(update={"time": call.time}))

    def _model_name(self) -> str:
        try:
            client = self._authorship.model()
        except WorkbenchError:  # the settings name no model: the reason is stored
            return ""
        return "" if client is None else client.settings.model


def record_of(
    run: str, call: int, guarded: GuardAgentResult, demonstrations: tuple[str, ...], model: str, when: str
) -> GuardAgentRecord:
    """What a session stores of GuardAgent's result on a call."""
    from workbench.session.guardagent_file import GuardAgentRecord

    return GuardAgentRecord(
        run=run,
        call=call,
        demonstrations=demonstrations,
        plan=guarded.plan,
        attempts=guarded.attempts,
        label=guarded.label,
        details=guarded.details,
        risk=guarded.risk,
        answer=guarded.answer,
        decision=guarded.decision.verdict,
        reasons=guarded.decision.reasons,
        model=model,
        when=when,
    )


class KeptGuarding(KeptGuard):
    """Repeats GuardAgent's decisions on recorded live calls with the stored code; no model is asked."""

    def __init__(self, session: Session, texts: GuardTexts) -> None:
        """Take the session, which has the stored results, and the texts by which GuardAgent decided."""
        self._texts = texts
        self._toolbox = toolbox_of(texts)
        self._records = {record.time or (record.run, record.call): record for record in session.guarded}

    @property
    @override
    def name(self) -> str:
        """The name of GuardAgent in decisions."""
        return name_of(self._texts)

    @property
    @override
    def behind(self) -> bool:
        """Whether GuardAgent is asked only about calls that the policies allow."""
        return not self._texts.info.guardagent.beside

    @override
    def keeps(self, call: RecordedCall) -> bool:
        """Whether the session stores a result of GuardAgent on this call."""
        return self._record(call) is not None

    def _record(self, call: RecordedCall) -> GuardAgentRecord | None:
        """The last record of a call: of a live one by its time, else by its run and its number."""
        record = self._records.get(call.time or "") or self._records.get((call.run, call.index))
        return record if record is not None and record.is_of(call) else None

    @override
    def decide(self, call: RecordedCall, run: Run) -> Decision:
        """The decision of the stored code on a call of a run."""
        from workbench.guardagent.action import task_of
        from workbench.guardagent.guard_agent import run_code

        record = self._record(call)
        if record is None:
            return _undecided("The session keeps nothing of GuardAgent on this call.")
        if record.label is None or not record.attempts:
            return Decision(Verdict.CANNOT_EVALUATE, reasons=record.reasons)
        task = task_of(self._texts.request, self._texts.spec, call, run)
        return run_code(record.attempts[-1].code, task, self._toolbox, record.plan).decision


def _earlier(history: Sequence[PastCall]) -> tuple[RecordedCall, ...]:
    """The latest calls of a run, with the results known now; at most as many as GuardAgent gets."""
    from workbench.guardagent.action import MOST_CALLS
    from workbench.runs.calls.live_call import recorded_call
    from workbench.runs.world.earlier_calls import unanswered

    now = len(history)
    calls = (recorded_call(history[place], place) for place in range(max(0, now - MOST_CALLS), now))
    return tuple(call if call.known_from <= now else unanswered(call) for call in calls)


def _undecided(why: str) -> Decision:
    return Decision(Verdict.CANNOT_EVALUATE, reasons=(why,))
