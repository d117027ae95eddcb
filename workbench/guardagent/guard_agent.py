"""GuardAgent as a guard: plan, code, execution, debugging (GuardAgent, section 4).

The model writes code; the code decides. A label that is not exactly 0 or 1 after the debugging
rounds is cannot-evaluate, which enforcement treats as a denial.

Asking until the reply is usable: the faults of a reply are sent to the model, a few times.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import BaseModel, ConfigDict, Field

from workbench.author.model.client import ModelClient
from workbench.author.model.errors import BadReply
from workbench.author.model.recording import Message
from workbench.guardagent.prompts import GuardAgentTask, code_messages, debug_message, plan_messages
from workbench.guardagent.sandbox import execute
from workbench.guardagent.toolbox import Toolbox
from workbench.model import CodeAttempt, Decision, Demonstration, Json, Verdict, Violation
from workbench.serialization.json_form import json_form

_TRIES = 3
"""The most replies to one question, the first included."""
_MOST_COMPLAINTS = 12
_LONGEST_ECHO = 6000


@dataclass(frozen=True, slots=True)
class Conversation:
    """The way to ask in one draft: the client, and the event that cancels."""

    client: ModelClient
    cancelled: threading.Event | None = None

    def ask[T: BaseModel](
        self,
        purpose: str,
        messages: tuple[Message, ...],
        reply_type: type[T],
        complaints: Callable[[T], list[str]] = lambda _reply: [],
    ) -> tuple[T | None, list[str]]:
        """The last reply and its remaining faults; None if no reply had the requested form.

        Raises ModelError if the model cannot be asked. The same records give the same result.
        """
        reply: T | None = None
        wrong: list[str] = []
        prompt = messages
        for attempt in range(_TRIES):
            name = purpose if attempt == 0 else f"{purpose}, try {attempt + 1}"
            try:
                reply = self.client.ask(name, prompt, reply_type, cancelled=self.cancelled)
                text, wrong = reply.model_dump_json(), complaints(reply)
            except BadReply as error:
                reply, text, wrong = None, error.reply, [error.problem]
            if not wrong:
                break
            prompt = (*messages, Message("assistant", text[:_LONGEST_ECHO]), _critique(wrong))
        return reply, wrong


def _critique(complaints: list[str]) -> Message:
    """The faults of a reply, as the next message to the model."""
    listed = "\n".join(f"- {complaint}" for complaint in complaints[:_MOST_COMPLAINTS])
    return Message("user", f"Your reply cannot be used as it is:\n{listed}\nReply again with the whole JSON.")


# --- the forms of GuardAgent's replies: a plan, and guardrail code


class PlanReply(BaseModel):
    """The four steps of task planning (GuardAgent, appendix J); none of them says the decision."""

    model_config = ConfigDict(title="Plan")

    request: str = Field(description="Step 1: the keywords of the guard request.", max_length=2000)
    agent_input: str = Field(description="Step 2: what of the agent's input they concern.", max_length=2000)
    agent_output: str = Field(description="Step 3: what of the agent's output they touch.", max_length=2000)
    code: str = Field(description="Step 4: instructions for the guardrail code.", max_length=2000)

    @property
    def steps(self) -> tuple[str, str, str, str]:
        """The four steps in order."""
        return self.request, self.agent_input, self.agent_output, self.code


class CodeReply(BaseModel):
    """Guardrail code."""

    model_config = ConfigDict(title="Code")

    code: str = Field(description="Python that sets label and details.", max_length=20_000)


DEBUGGING_ROUNDS = 3
_REPLY_TOKENS = 300
"""About what a plan or a piece of code has."""
_MOST_ITEMS = 200
_LONGEST_LEVEL = 40
GUARDRAIL_CODE = "guardrail_code"
"""The rule of every denial by guardrail code; its items are what the code names as violated."""


@dataclass(frozen=True, slots=True)
class GuardAgentResult:
    """GuardAgent's result on one action.

    ``answer`` is the text for the user: the agent's answer if it is allowed, else the reason. ``label`` is 0
    or 1, None if the code never gave one; ``risk`` the level of risk that it names, empty if it names none.
    ``attempts`` are in order.
    """

    decision: Decision
    answer: str
    label: int | None = None
    details: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    attempts: tuple[CodeAttempt, ...] = ()
    risk: str = ""


json_form(
    GuardAgentResult,
    *(("decision", "decision.verdict"), "label", "details", "risk", ("reasons", "decision.reasons")),
    *("plan", "attempts", "answer"),
)


class GuardAgent:
    """Decides each action by guardrail code that a model writes for it."""

    def __init__(
        self,
        client: ModelClient,
        toolbox: Toolbox | None = None,
        *,
        rounds: int = DEBUGGING_ROUNDS,
        cancelled: threading.Event | None = None,
    ) -> None:
        """Without a toolbox the functions of the paper are used; ``rounds`` is the limit of corrections."""
        self.model = client.settings.model
        self._talk = Conversation(client, cancelled=cancelled)
        self._toolbox = Toolbox.standard() if toolbox is None else toolbox
        self._rounds = rounds

    def announce(self, tasks: Iterable[tuple[GuardAgentTask, Sequence[Demonstration]]]) -> None:
        """Say what guarding these tasks may use: a plan and code for each, without corrections."""
        calls: list[tuple[str, tuple[Message, ...], type[BaseModel]]] = []
        for task, shown in tasks:
            calls.append(("guardagent plan", plan_messages(task, shown), PlanReply))
            calls.append(("guardagent code", code_messages(task, (), shown, self._toolbox), CodeReply))
        self._talk.client.announce(calls, _REPLY_TOKENS * len(calls), "prompts of GuardAgent")

    def guard(self, task: GuardAgentTask, demonstrations: Sequence[Demonstration] = ()) -> GuardAgentResult:
        """Plan, write code, run it, correct it; the retrieved ``demonstrations`` are examples.

        Raises ModelError if the model cannot be asked.
        """
        reply, wrong = self._talk.ask(
            "guardagent plan", plan_messages(task, demonstrations), PlanReply, _complain_of_plan
        )
        if reply is None or wrong:
            return _undecided("the model gave no plan: " + "; ".join(wrong))
        return self.follow(task, reply.steps, demonstrations)

    def follow(
        self, task: GuardAgentTask, plan: tuple[str, ...], demonstrations: Sequence[Demonstration] = ()
    ) -> GuardAgentResult:
        """Write code for a given plan, run it, correct it. Raises ModelError if the model cannot be asked."""
        messages = code_messages(task, plan, demonstrations, self._toolbox)
        attempts: list[CodeAttempt] = []
        for number in range(self._rounds + 1):
            purpose = "guardagent code" if number == 0 else f"guardagent debugging {number}"
            reply, wrong = self._talk.ask(purpose, messages, CodeReply)
            if reply is None:
                return _undecided("the model gave no code: " + "; ".join(wrong), plan, tuple(attempts))
            ran = _run(reply.code, task, self._toolbox)
            attempts.append(ran.attempt)
            if ran.label is not None:
                return _decided(ran, task, plan, tuple(attempts))
            error = debug_message(ran.attempt.error)
            messages = (*messages, Message("assistant", reply.model_dump_json()), error)
        return _undecided(f"the guardrail code failed: {attempts[-1].error}", plan, tuple(attempts))


def run_code(
    code: str, task: GuardAgentTask, toolbox: Toolbox, plan: tuple[str, ...] = ()
) -> GuardAgentResult:
    """The decision of given guardrail code on an action; no model is asked."""
    ran = _run(code, task, toolbox)
    if ran.label is None:
        return _undecided(f"the guardrail code failed: {ran.attempt.error}", plan, (ran.attempt,))
    return _decided(ran, task, plan, (ran.attempt,))


@dataclass(frozen=True, slots=True)
class _Ran:
    """Guardrail code that ran: its label, None if it gave none, its details and level of risk."""

    attempt: CodeAttempt
    label: int | None = None
    details: tuple[str, ...] = ()
    risk: str = ""


def _run(code: str, task: GuardAgentTask, toolbox: Toolbox) -> _Ran:
    texts: Mapping[str, Json] = {
        "agent_input": task.agent_input,
        "agent_output": task.agent_output,
    }
    execution = execute(code, texts, toolbox)
    label = execution.values.get("label")
    error = execution.error
    if not error and "label" not in execution.values:
        error = "The code does not set label."
    elif not error and (isinstance(label, bool) or not isinstance(label, int) or label not in (0, 1)):
        error = f"label is {_short(label)}; it must be the number 0 or the number 1."
    attempt = CodeAttempt(code, error, execution.output)
    if error or not isinstance(label, int):
        return _Ran(attempt)
    return _Ran(attempt, label, _items(execution.values.get("details")), _level(execution.values.get("risk")))


def _complain_of_plan(reply: PlanReply) -> list[str]:
    empty = [number for number, step in enumerate(reply.steps, start=1) if not step.strip()]
    return [f"Step {number} of the plan is empty." for number in empty]


def _decided(
    ran: _Ran, task: GuardAgentTask, plan: tuple[str, ...], attempts: tuple[CodeAttempt, ...]
) -> GuardAgentResult:
    if ran.label == 0:
        decision, answer = Decision(Verdict.ALLOW), answer_in(task.agent_output)
    else:
        violation = violation_of(ran.details)
        decision, answer = Decision(Verdict.DENY, (violation,)), violation.message
    return GuardAgentResult(decision, answer, ran.label, ran.details, plan, attempts, ran.risk)


_ANSWER = re.compile(r"^\W*(?:final\s+)?answer\W*$", re.I | re.M)


def answer_in(output: str) -> str:
    """The answer in an agent's output: what stands below its last heading “Answer”, else all of it."""
    return _ANSWER.split(output)[-1].strip() or output


def violation_of(details: tuple[str, ...]) -> Violation:
    """The violation for a denial by guardrail code."""
    listed = ", ".join(details)
    message = "The guardrail code denies the action" + (f": {listed}." if listed else ".")
    return Violation(GUARDRAIL_CODE, message, details)


def _undecided(
    why: str, plan: tuple[str, ...] = (), attempts: tuple[CodeAttempt, ...] = ()
) -> GuardAgentResult:
    decision = Decision(Verdict.CANNOT_EVALUATE, reasons=(why,))
    return GuardAgentResult(
        decision, f"The action is refused: it could not be checked ({why}).", None, (), plan, attempts
    )


def _items(details: Json) -> tuple[str, ...]:
    """The details as texts; tables of databases and columns become ``database.column``."""
    if isinstance(details, dict):
        texts = [
            f"{table}.{column}" if column else table
            for table, columns in details.items()
            for column in (columns if isinstance(columns, list) and columns else [""])
        ]
    elif isinstance(details, list):
        texts = [str(cast("object", item)) for item in details]
    else:
        texts = [str(details)] if details not in (None, "", False, 0) else []
    return tuple(item[:500] for item in texts[:_MOST_ITEMS])


def _level(risk: Json) -> str:
    """A level of risk as a word or a number; empty if the code gives none."""
    return str(risk)[:_LONGEST_LEVEL] if isinstance(risk, str | int) and not isinstance(risk, bool) else ""


def _short(value: Json) -> str:
    return repr(value)[:80]
