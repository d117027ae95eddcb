"""Inputs on which two versions of a policy of calls differ: whether a run gives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workbench.check.realise.realiser import NEAR, Executed, Realiser, tools_of
from workbench.engines.smt.diff import DifferingRegion, SemanticDiff
from workbench.model import TOOL_ARGUMENT, AgentSpec, Arguments, Run, Verdict
from workbench.policy.terms import PolicyTerms

_MAY_RUN = (Verdict.ALLOW, Verdict.ASK)
_NEAR_REGIONS = 200
"""The most runs near the inputs of all regions of a difference: a large one would take minutes."""


class Versions:
    """Two versions of a policy of calls, whose equal expressions have one name (see ``named_alike``)."""

    def __init__(
        self, old: PolicyTerms, new: PolicyTerms, spec: AgentSpec, new_spec: AgentSpec | None = None
    ) -> None:
        """Take both versions, and the agent that each is about.

        An expression is read with the agent of its version: another one may refuse it, since a field is
        optional in one of them. Values of both are wanted at once only where one agent is that of both.
        """
        new_spec = new_spec or spec
        self._old, self._new = Realiser(old, spec), Realiser(new, new_spec)
        same = _read_alike(spec, new_spec)
        self._searching = (Realiser(_joined(old, new), spec, old),) if same else (self._new, self._old)

    def of_diff(self, found: SemanticDiff, *, near: bool = True) -> SemanticDiff:
        """The difference, each region with whether a run is decided so; runs ``near`` its input take time."""
        each = _NEAR_REGIONS // max(1, len(found.regions)) if near else 0
        return replace(found, regions=tuple(self._of_region(region, each) for region in found.regions))

    def _of_region(self, region: DifferingRegion, near: int) -> DifferingRegion:
        wanted = region.old, region.new
        run = self.decided(region.decisive_arguments, lambda old, new: (old, new) == wanted, near=near)
        return replace(region, realised=run is not None)

    def widening(self, values: Arguments) -> Run | None:
        """A run with these values that the new version lets run, or hands to a person; None if none is found.

        The old version allows its last call less. Runs near the values are left out: each command compares.
        """

        def more(old: Verdict, new: Verdict) -> bool:
            return new is Verdict.ALLOW is not old or (new is Verdict.ASK and old not in _MAY_RUN)

        return self.decided(values, more, near=0)

    def decided(
        self, values: Arguments, wanted: Callable[[Verdict, Verdict], bool], *, near: int = NEAR
    ) -> Run | None:
        """A run with these values that both versions decide as wanted; None if none is found."""

        def accepted(executed: Executed) -> bool:
            old, new = (one.execute(executed.run).decision.verdict for one in (self._old, self._new))
            return wanted(old, new)

        called = values.get(TOOL_ARGUMENT)
        given = (
            searching.given(_known(searching.terms, values), tool, accepted, near=near)
            for searching in self._searching
            # a policy that asks for no tool has no calls of one
            if _known(searching.terms, {TOOL_ARGUMENT: None})
            for tool in ((called,) if isinstance(called, str) else tools_of(self._old.terms, values))
        )
        return next((executed.run for executed in given if executed is not None), None)


def _read_alike(one: AgentSpec, other: AgentSpec) -> bool:
    """Whether the expressions of a policy mean the same with two agents."""
    return all(
        repr(getattr(one, part)) == repr(getattr(other, part))
        for part in ("tools", "records", "context", "readings")
    )


def _known(terms: PolicyTerms, values: Arguments) -> Arguments:
    """The values of the arguments that a version takes."""
    names = {argument.name for argument in terms.arguments}
    return {name: value for name, value in values.items() if name in names}


def _joined(old: PolicyTerms, new: PolicyTerms) -> PolicyTerms:
    """The old version with the further arguments of the new one, for the values of both."""
    known = {argument.name for argument in old.arguments}
    arguments = (*old.arguments, *(argument for argument in new.arguments if argument.name not in known))
    sources = (*old.sources, *(argument for argument in new.sources if argument.name not in known))
    assert old.written is not None
    return replace(
        old,
        interpreted=True,
        arguments=arguments,
        axioms=(),
        preconditions=(),
        written=replace(old.written, arguments=sources),
    )
