"""What the screen asks about the agent spec of a real session, in the screen's own values."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from workbench.old_screen.live_calls import LiveCalls

if TYPE_CHECKING:
    from workbench.old_screen.agent_state import AgentView, ArgumentEffect, MethodOption, SpecEdit
    from workbench.old_screen.state import Contents
    from workbench.policy.terms import PolicyTerms
    from workbench.runs.replay.rereading import ArgumentEffect as Found
    from workbench.runs.values.described_option import DescribedOption


class AgentCalls(LiveCalls):
    """The calls of a ``Port`` about the agent spec."""

    def agent(self) -> AgentView:
        """The agent spec with what its forms need."""
        from workbench.old_screen.agent_state import AgentView, Method

        bench, logs = self._bench, self._loaded()
        valued: dict[str, int] = {}
        for found in logs.extracted:
            for name, value in found.items():
                valued[name] = valued.get(name, 0) + (value.missing is None)
        return AgentView(
            bench.session.spec,
            tuple(
                Method(method.name, method.meaning, _options(method.options))
                for method in bench.agent.methods()
            ),
            _options(bench.agent.common_options()),
            valued,
            len(logs.steps),
            bench.agent.proposals(logs.steps, history=True),
        )

    def set_spec(self, edit: SpecEdit) -> Contents:
        """Write the changed agent spec."""
        return self._changed(self._bench.agent.set_spec(edit.spec, edit.label))

    def accept_proposal(self, name: str) -> Contents:
        """Declare what is proposed under a name, with the records that it needs."""
        agent = self._bench.agent
        found = agent.proposals(self._loaded().steps, history=True)
        return self._changed(agent.accept(found, [name]))

    def drop_proposal(self, name: str) -> Contents:
        """Do not propose it again."""
        agent = self._bench.agent
        found = agent.proposals(self._loaded().steps, history=True)
        return self._changed(agent.drop(found, [name]))

    def try_argument(
        self,
        edit: SpecEdit,
        terms: PolicyTerms | None,
        at: int | None,
        tell: Callable[[ArgumentEffect], None],
        cancelled: threading.Event,
    ) -> ArgumentEffect:
        """What storing an edited argument would change on the loaded steps."""
        from workbench.old_screen.agent_state import ArgumentEffect

        argument, logs = edit.argument, self._loaded()
        if argument is None:
            return ArgumentEffect("")
        if self._bench.agent.asks_model(argument):
            return ArgumentEffect(
                argument.name, note="A model reads this. It is asked once it is stored, for each text."
            )
        step = logs.steps[at] if at is not None and at < len(logs.steps) else None

        def shown(found: Found) -> ArgumentEffect:
            turns = {str(turn): count for turn, count in found.turns.items()}
            return ArgumentEffect(
                argument.name,
                found.steps,
                found.seen,
                found.valued,
                turns.get("gained", 0),
                turns.get("lost", 0),
                turns.get("changed", 0),
                found.reasons,
                tuple((logs.steps[one.position], one.before, one.after) for one in found.examples),
                found.flips,
                step,
                found.here,
            )

        found = self._bench.agent.try_argument(
            argument,
            edit.replaces,
            logs,
            terms,
            at=at,
            tell=lambda part: tell(shown(part)),
            cancelled=cancelled,
        )
        return shown(found)


def _options(options: Iterable[DescribedOption]) -> tuple[MethodOption, ...]:
    from workbench.old_screen.agent_state import MethodOption

    return tuple(
        MethodOption(one.name, one.kind.value, one.meaning, one.choices, one.needed) for one in options
    )
