"""The pane of the agent spec: its parts, and the editor of ``agent.toml`` with the problems of an edit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message

from workbench.app.session_state import SessionState
from workbench.model import Problem, WorkbenchError
from workbench.tui.messages import Act, Ask
from workbench.tui.value_text import plural
from workbench.tui.views.policy.agent_rows import agent_rows
from workbench.tui.views.view import UNKNOWN
from workbench.tui.widgets.code_editor import CodeEditor
from workbench.tui.widgets.pane import Pane

if TYPE_CHECKING:
    from workbench.app.agent import Agent, AgentOverview
    from workbench.app.workbench import Workbench
    from workbench.model import Proposal

type Decide = Callable[[Agent, Sequence[Proposal], str], object]


class SpecEditor(CodeEditor):
    """An editor of ``agent.toml``, which offers no words of the dialect."""

    offers = False

    @dataclass
    class Typed(Message):
        """The present text."""

        text: str

    @dataclass
    class Done(Message):
        """The text when the editor was left."""

        text: str
        changed: bool

    def begin_at(self, text: str, key: str) -> None:
        """Edit a text of ``agent.toml``, with the cursor at a part."""
        from workbench.app.agent import line_of_part

        self.begin_whole(text, "agent.toml", line_of_part(text, *key.split(":", 1)))

    def tell(self) -> None:
        """Post the present text."""
        self.post_message(self.Typed(self.policy))

    def end(self, *, changed: bool) -> None:
        """Post the text at the end of editing."""
        self.post_message(self.Done(self.policy, changed))


class AgentPane(Pane):
    """The parts of the agent spec, after the proposals from schemas and logs."""

    def __init__(self) -> None:
        """Start without a state."""
        super().__init__("Agent", id="agent")
        self._state = UNKNOWN
        self._looked_at: object = None
        self._proposing = False

    def take(self, state: SessionState) -> None:
        """Take another state; read the spec again if an act may have changed it."""
        self._state = state
        looked_at = (len(state.versions), id(state.logs))
        if looked_at != self._looked_at:
            self._looked_at = looked_at
            self._find()

    def propose(self) -> bool:
        """Look for records, readings and notes in the tools' schemas and the logs."""
        self._proposing = True
        self._find("looking for what the schemas and the logs suggest")
        return True

    def _find(self, label: str = "") -> None:
        logs, propose = self._state.logs, self._proposing

        def find(bench: Workbench) -> AgentOverview:
            return bench.agent.overview(logs or bench.runs.load(), propose=propose)

        self.post_message(Ask("agent", find, self._show_agent, label))

    def _show_agent(self, agent: AgentOverview) -> None:
        note = plural(len(agent.spec.arguments), "value")
        if self._proposing and not agent.proposals:
            note = "nothing more is suggested"
        self.fill(partial(agent_rows, agent), note=note)

    # --- acts

    def accept(self) -> bool:
        """Accept the proposal at the cursor; False if there is none."""
        return self._decide("Declared", lambda agent, proposals, name: agent.accept(proposals, [name]))

    def put_away(self) -> bool:
        """Drop the proposal at the cursor, or remove the part at the cursor from the spec."""
        if self._decide("Not wanted", lambda agent, proposals, name: agent.drop(proposals, [name])):
            return True
        kind, _, name = self.key.partition(":")
        if not name:
            return False
        label = f"Agent without the {kind} {name}"
        self.post_message(Act(label, lambda bench: bench.agent.without(kind, name)))
        return True

    def _decide(self, label: str, decide: Decide) -> bool:
        kind, _, name = self.key.partition(":")
        logs = self._state.logs
        if kind != "proposal":
            return False

        def work(bench: Workbench) -> object:
            calls = (logs or bench.runs.load()).calls
            return decide(bench.agent, bench.agent.proposals(calls), name)

        self.post_message(Act(f"{label}: {name}", work))
        return True

    # --- editing

    def edit(self, begin: Callable[[str, str], None]) -> None:
        """Read ``agent.toml``; ``begin`` gets its text and the part at the cursor."""
        at_cursor = self.key
        ask = Ask(
            "agent text", lambda bench: bench.agent.text(), lambda text: begin(text, at_cursor), opens=True
        )
        self.post_message(ask)


def store_act(text: str, failed: Callable[[str], None]) -> Act:
    """The act that stores an edited ``agent.toml``; ``failed`` gets the reason of a failure."""
    label = "The agent is edited"
    return Act(label, lambda bench: bench.agent.put_text(text, label), failed)


type Problems = tuple[Problem, ...]


def problems_wanted(text: str, show: Callable[[Problems], None]) -> Ask[Problems]:
    """A request for the problems of an edited ``agent.toml``, which ``show`` gets."""

    def find(bench: Workbench) -> Problems:
        try:
            bench.agent.read(text)
        except WorkbenchError as error:
            return error.problems or (Problem(str(error)),)
        return ()

    return Ask("reading", find, show)
