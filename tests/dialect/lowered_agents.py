"""Agents with a policy of calls, as the engines and replays see them."""

from __future__ import annotations

from dataclasses import replace

from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import AgentSpec
from workbench.policy.terms import PolicyTerms
from workbench.session.agent_file import read_agent


def lowered_agent(agent: str | AgentSpec, policy: str) -> tuple[PolicyTerms, AgentSpec]:
    """The terms that a policy comes to, and the agent with the arguments that they take."""
    spec = read_agent(agent) if isinstance(agent, str) else agent
    lowered = lowered_policy(policy, spec)
    return lowered.terms, replace(spec, arguments=lowered.arguments)
