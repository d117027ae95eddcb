"""The verified policy of a session, with the session's own extraction."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from guard_comparison.guards.evaluated_guard import JudgedCall
from workbench.app.workbench import Workbench
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy, lacking
from workbench.model import AgentSpec, RecordedCall, Run
from workbench.runs.extract.model_method import Reader
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import earlier_calls


class SessionPolicy:
    """Decides by extraction and policy, as replay and enforcement do."""

    def __init__(
        self,
        bench: Workbench,
        source: str | None = None,
        name: str = "policy of the session",
        *,
        spec: AgentSpec | None = None,
        database: Path | None = None,
        reader: Reader | None = None,
    ) -> None:
        """Take the session's policy, or another policy text with its agent ``spec``.

        ``database`` is a folder that answers for records of which a run has no facts, ``reader`` reads texts
        in place of the session's model. Raises PolicyError if the policy has problems.
        """
        self.name = name
        if source is not None and spec is not None:
            lowered = lowered_policy(source, spec)
            terms, spec = lowered.terms, replace(spec, arguments=lowered.arguments)
        else:
            terms = bench.policy.terms(source)
        self._policy = compile_policy(terms)
        self._extractor = bench.runs.extractor(database=database, spec=spec, reader=reader)

    def decide(self, call: RecordedCall, run: Run) -> JudgedCall:
        """Extract the arguments and decide."""
        extracted = self._extractor.extract(call, earlier_calls(call, run))
        return JudgedCall(lacking(self._policy, decision_on(self._policy, extracted)))
