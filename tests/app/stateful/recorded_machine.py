"""The state machine of a session whose policy of calls a model drafted, with its recorded replies.

The shipped session has two drafts in its recording: without an answer to the model's question about flights,
and after the answer ``a``. A draft after ``b``, or from another request, was never recorded. The question is
who may book a flight; what each answer forbids is read from the log alone.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import override

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.app.stateful.moment import Disagreement, Moment, Shared
from tests.app.stateful.quick_workbench import quick
from workbench.app.owed import OwedKind, not_in_force
from workbench.app.workbench import Workbench
from workbench.guard import Guard, Outcome, ToolCall
from workbench.model import Verdict, WorkbenchError
from workbench.session import Session
from workbench.session.accepted_version import NAME as ACCEPTED

SHIPPED = Path(__file__).resolve().parents[3] / "sessions" / "web-shopping-model"
QUESTION, FLIGHT = "reading:66ad2471", "book_seat"
OUTSIDE: Mapping[str, Callable[[str], str]] = {
    "request.md": lambda text: text + "\nNobody may search for media at night.\n",
    "agent.toml": lambda text: text.replace("the user's age in years", "the age of the user"),
    "policy.py": lambda text: text.replace("not run.first_said.vaccine", "False"),
}


@dataclass(frozen=True, slots=True)
class TaskCall:
    """A logged call, the task that its user gave, and whether the user is vaccinated."""

    tool: str
    arguments: str
    task: str
    is_vaccinated: bool


@dataclass(frozen=True, slots=True)
class RecordedDesk:
    """The logged calls of the shipped session."""

    logged: tuple[TaskCall, ...]

    def calls(self) -> tuple[TaskCall, ...]:
        """The logged calls."""
        return self.logged

    def guarded(self, guard: Guard, call: TaskCall) -> Outcome:
        """The decision of a guard that heard the task."""
        with guard.run() as run:
            run.message("user", call.task)
            return run.check(ToolCall(call.tool, json.loads(call.arguments)))


@cache
def recorded_desk() -> RecordedDesk:
    """The desk of the log of chats."""
    calls: list[TaskCall] = []
    for line in (SHIPPED / "logs" / "chat.jsonl").read_text().splitlines():
        said = json.loads(line)["messages"]
        task = next(one["content"] for one in said if one["role"] == "user")
        function = next(one["tool_calls"][0]["function"] for one in said if one.get("tool_calls"))
        calls.append(TaskCall(function["name"], function["arguments"], task, "vaccine: True" in task))
    return RecordedDesk(tuple(calls))


@cache
def _template() -> Path:
    """The shipped session with the log of chats alone, which is accepted so."""
    folder = Path(tempfile.mkdtemp(prefix="recorded-desk-")) / SHIPPED.name
    shutil.copytree(SHIPPED, folder, ignore=shutil.ignore_patterns(".workbench", "single-actions.jsonl"))
    bench = quick(Session.open(folder), replay_calls=True)
    assert bench.accept([item.name for item in bench.in_force.missing()]).done
    bench.close()
    return folder


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer that stands, and whether a file was changed that the recorded drafts were made from."""

    value: str = "a"
    edited: frozenset[str] = frozenset()

    def forbids(self, call: TaskCall) -> bool:
        """Whether a flight is forbidden; without an answer every one is."""
        return call.tool == FLIGHT and not (self.value and call.is_vaccinated is (self.value == "a"))


class RecordedMachine(RuleBasedStateMachine):
    """Answers, drafts and edits of the shipped session; a draft that was not recorded is refused."""

    shared: Shared[object]

    @initialize()
    def begin(self) -> None:
        """Copy the shipped session."""
        self._folder = Path(tempfile.mkdtemp(prefix="recorded-"))
        self.session = self._folder / SHIPPED.name
        shutil.copytree(_template(), self.session)
        self.acts: list[str] = []
        self.said = Answered()
        self.bench = self._open()
        self.moments = {len(self.bench.session.history): self.said}
        self.least = len(self.bench.session.history)
        self.accepted = {self.bench.session.text(ACCEPTED): self._moment().guarded}

    def _open(self) -> Workbench:
        return quick(Session.open(self.session), replay_calls=True)

    def _moment(self) -> Moment[TaskCall]:
        return Moment(" → ".join(self.acts), recorded_desk(), self.bench)

    @override
    def teardown(self) -> None:
        """Count, close the session and remove its folder."""
        if hasattr(self, "bench"):
            self.shared.tally.histories += 1
            self.shared.tally.acts += len(self.acts)
            self.bench.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def act(self, name: str, does: Callable[[Workbench], object], then: Answered | None = None) -> None:
        """Do an act; ``then`` is what stands if it is not refused by a WorkbenchError."""
        self.acts.append(name)
        before = len(self.bench.session.history)
        try:
            does(self.bench)
        except WorkbenchError as error:
            self.acts[-1] += f" (refused: {str(error)[:80]})"
            then = None
        except Exception as error:
            raise Disagreement(f"{self.acts}: crashed with {type(error).__name__}: {error}") from error
        if then is None:  # undone, done again, refused, or nothing was said
            then = self.moments.get(len(self.bench.session.history), self.said)
        self.said = then
        for place in range(before, len(self.bench.session.history)):
            self.moments[place + 1] = then

    @rule(value=st.sampled_from(["a", "b"]))
    def answer(self, value: str) -> None:
        """Answer the question of the model."""

        def answers(bench: Workbench) -> None:
            every = bench.questions.understand().questions
            bench.questions.answer(next(one for one in every if one.id == QUESTION), value)

        if "request.md" not in self.said.edited and "agent.toml" not in self.said.edited:
            self.act(f"answer {value}", answers, replace(self.said, value=value))

    @rule()
    def retract(self) -> None:
        """Take the answer back."""
        self.act("retract", lambda bench: bench.questions.retract(QUESTION), replace(self.said, value=""))

    @rule()
    def draft(self) -> None:
        """Draft, by the recorded replies."""
        self.act("draft", lambda bench: bench.request.redraft(), self.said)

    @rule(redo=st.booleans())
    def undo(self, redo: bool) -> None:
        """Undo a change, and perhaps do it again."""
        if len(self.bench.session.history) == self.least:
            return
        for name, step in (("undo", Session.undo), ("redo", Session.redo))[: 2 if redo else 1]:
            self.act(name, lambda bench, step=step: step(bench.session))

    @rule(name=st.sampled_from([*OUTSIDE, ""]))
    def reopen(self, name: str) -> None:
        """Open the session anew, perhaps after another program edited a file."""
        self.bench.close()
        then = self.said
        if name and name not in self.said.edited:
            path = self.session / name
            path.write_text(OUTSIDE[name](path.read_text()))
            then = replace(self.said, edited=self.said.edited | {name})
        before = len(self.bench.session.history)
        self.bench = self._open()
        self.acts.append(f"reopen {name}")
        self.said = then
        now = len(self.bench.session.history)
        self.moments |= dict.fromkeys(range(min(before + 1, now), now + 1), then)

    @rule()
    def accept(self) -> None:
        """Accept the version if it is good, with its widenings by their names."""

        def accepts(bench: Workbench) -> None:
            names = [item.name for item in bench.in_force.missing() if item.kind is OwedKind.WIDENING]
            decided = self._moment().decided
            if bench.accept(names).done:
                self.accepted[bench.session.text(ACCEPTED)] = decided

        self.act("accept", accepts, self.said)

    @invariant()
    def agrees(self) -> None:
        """Nothing is allowed that the answer forbids, or the session says so and is not good."""
        if not hasattr(self, "bench"):
            return
        now = self._moment()
        now.judge_guard(self.accepted.get(self.bench.session.text(ACCEPTED)))
        self.shared.tally.judged += 1
        self.shared.tally.good += now.good
        allowed = [call for call, verdict in now.decided.items() if verdict is Verdict.ALLOW]
        wrong = [call for call in allowed if self.said.forbids(call)]
        if wrong and (now.good or "policy.py" not in self.said.edited):
            now.fail(f"{wrong[0]} is allowed, which the answer {self.said.value!r} forbids")
        if now.good and (self.said.value != "a" or self.said.edited & {"request.md", "policy.py"}):
            now.fail(f"all is good after {self.said}")
        report = now.report
        if report is None:
            return
        now.judge_verdict(report)
        if self.said.edited:
            return
        told = {item.name for item in not_in_force(report.owed)} | {one.id for one in report.open}
        if now.good is not (self.said.value == "a") or (QUESTION in told) is (self.said.value == "a"):
            now.fail(f"the session is {'' if now.good else 'not '}good after the answer {self.said.value!r}")
