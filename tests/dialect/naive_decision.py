"""A policy of calls in its two forms: lowered and extracted, and its rules as they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.runs.expressions.small_agent import SPEC, reader
from workbench.dialect.lowered_policy import lowered_policy
from workbench.dialect.run_values import RunExpression
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Extracted, RecordedCall, Verdict
from workbench.policy.undetermined import Undetermined, joined
from workbench.runs.expressions.moment import Trace
from workbench.runs.expressions.scope import ReadExpression, naive_value
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier


class Translated:
    """A policy of calls of the small agent."""

    def __init__(self, text: str) -> None:
        """Check and lower the policy."""
        self.lowered = lowered_policy(text, SPEC)
        self.calls = self.lowered.calls
        self.policy = compile_policy(self.lowered.terms)
        self.extractor = Extractor(self.lowered.arguments, SPEC)

    def extracted(self, run: Sequence[RecordedCall], index: int) -> Mapping[str, Extracted]:
        """The arguments of a call."""
        return self.extractor.extract(run[index], Earlier(tuple(run), index))

    def core(self, run: Sequence[RecordedCall], index: int) -> Verdict:
        """The decision of the compiled core on the extracted arguments."""
        return decision_on(self.policy, self.extracted(run, index)).verdict

    def naive(self, run: Sequence[RecordedCall], index: int) -> Verdict:
        """The decision by the rules as they are written, each evaluated from scratch."""
        call = run[index]
        if call.tool is None:
            return Verdict.CANNOT_EVALUATE
        moment = reader().at(call, Earlier(tuple(run), index))
        truths: dict[str, list[object]] = {"forbid": [], "permit": []}
        for rule in self.calls.rules:
            for one in rule.terms:
                if one.tool in ("", call.tool):
                    read = ReadExpression(RunExpression(one.tool, rule.name, one.term, self.calls.values))
                    truths[rule.name.split("_")[0]].append(naive_value(read, moment, Trace(), {}))
        permitted = _any(truths["permit"]) if truths["permit"] else self.calls.default_allow
        denied = _any(truths["forbid"])
        allowed = joined([permitted, denied if isinstance(denied, Undetermined) else not denied], deciding=False)
        if isinstance(allowed, Undetermined):
            return Verdict.CANNOT_EVALUATE
        return Verdict.ALLOW if allowed else Verdict.DENY


def loses_knowledge(extracted: Mapping[str, Extracted]) -> bool:
    """Whether an argument that is missing is known in part: a number by its bounds."""
    return any(one.missing is not None and one.between is not None for one in extracted.values())


def _any(truths: Sequence[object]) -> bool | Undetermined:
    return joined([truth for truth in truths if isinstance(truth, bool | Undetermined)], deciding=True)
