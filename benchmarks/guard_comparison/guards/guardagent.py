"""GuardAgent with its memory: retrieved demonstrations, plan, code, execution."""

from __future__ import annotations

from guard_comparison.guards.evaluated_guard import JudgedCall, WrittenCode, undecided
from guard_comparison.guards.prompt_guard import Setting
from workbench.author.model.errors import ModelError
from workbench.guardagent.action import action_text
from workbench.guardagent.guard_agent import DEBUGGING_ROUNDS, GuardAgent
from workbench.guardagent.prompts import GuardAgentTask
from workbench.guardagent.toolbox import Toolbox
from workbench.memory.call_texts import call_texts
from workbench.memory.retrieval import DemonstrationIndex
from workbench.memory.retrieval_order import Order
from workbench.model import RecordedCall, Run


class GuardAgentPeer:
    """GuardAgent on recorded calls; ``k`` demonstrations are retrieved for each."""

    def __init__(
        self,
        setting: Setting,
        memory: DemonstrationIndex,
        toolbox: Toolbox,
        *,
        k: int = 3,
        order: Order = Order.MOST_SIMILAR,
        rounds: int = DEBUGGING_ROUNDS,
        rewritten: bool = False,
    ) -> None:
        """The guard's name gives the settings that ablations change; ``rewritten`` describes the memory."""
        self.name = f"GuardAgent (k={k}"
        self.name += ", least similar" if order is Order.LEAST_SIMILAR else ""
        self.name += "" if toolbox.names else ", no toolbox"
        self.name += ", examples rewritten" if rewritten else ""
        self.name += "" if rounds == DEBUGGING_ROUNDS else f", {rounds} debugging rounds"
        self.name += ")"
        self._setting = setting
        self._memory = memory
        self._toolbox = toolbox
        self._k, self._order, self._rounds = k, order, rounds

    def decide(self, call: RecordedCall, run: Run) -> JudgedCall:
        """Retrieve by input and output, then let GuardAgent decide."""
        agent_input, agent_output = call_texts(call)
        retrieved = self._memory.nearest(agent_input, agent_output, self._k, self._order)
        client = self._setting.client()
        shown_output = call.texts.get("agent_output") or action_text(call, run)
        task = GuardAgentTask(self._setting.request, self._setting.agent, agent_input, shown_output)
        try:
            guarded = GuardAgent(client, self._toolbox, rounds=self._rounds).guard(
                task, [item.demonstration for item in retrieved]
            )
        except ModelError as error:
            return undecided(str(error), client.usage, failed=True)
        code = WrittenCode(len(guarded.attempts), guarded.label is not None)
        return JudgedCall(guarded.decision, client.usage, guarded.answer, code=code, risk=guarded.risk)
