"""A policy of calls in its two forms: lowered and extracted, and its rules as they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tests.runs.expressions.small_agent import SPEC, reader
from workbench.dialect.lowered_policy import lowered_policy
from workbench.dialect.run_values import RunExpression
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Extracted, RecordedCall, Verdict
from workbench.policy.evaluate import UNDEFINED, Valuation, value_of
from workbench.policy.operations import Known
from workbench.policy.terms import Term
from workbench.policy.undetermined import Undetermined, joined
from workbench.runs.expressions.moment import Moment, Trace
from workbench.runs.expressions.scope import ReadExpression, RunScope, naive_value
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

    def lacks_element(self, run: Sequence[RecordedCall], index: int) -> bool:
        """Whether a list has no value because a value of one of its elements is not determined.

        Such a list is undetermined as a whole, although a known element may settle what is asked of it.
        """
        extracted = self.extracted(run, index)
        return any(
            argument.expression is not None
            and argument.expression.fields
            and argument.name in extracted
            and extracted[argument.name].missing is not None
            for argument in self.lowered.arguments
        )

    def restarted(self, run: Sequence[RecordedCall], index: int) -> Verdict:
        """The same decision by an extractor that has seen nothing of the run before."""
        extracted = Extractor(self.lowered.arguments, SPEC).extract(run[index], Earlier(tuple(run), index))
        return decision_on(self.policy, extracted).verdict

    def naive(self, run: Sequence[RecordedCall], index: int) -> Verdict:
        """The decision by the rules as they are written, each evaluated from scratch."""
        call = run[index]
        if call.tool is None:
            return Verdict.CANNOT_EVALUATE
        moment = Moment(reader(), call, Earlier(tuple(run), index))
        truths: dict[str, list[object]] = {"forbid": [], "ask": [], "permit": []}
        for rule in self.calls.rules:
            for one in rule.terms:
                if one.tool in ("", call.tool):
                    read = ReadExpression(RunExpression(one.tool, rule.name, one.term, self.calls.values))
                    truths[rule.name.split("_")[0]].append(naive_value(read, moment, Trace(), {}))
        permitted = _any(truths["permit"]) if truths["permit"] else self.calls.default_allow
        denied, asked = _any(truths["forbid"]), _any(truths["ask"])
        allowed = joined([permitted, _not(denied)], deciding=False)
        if isinstance(allowed, Undetermined):
            return Verdict.CANNOT_EVALUATE
        if not allowed:
            return Verdict.DENY
        return Verdict.ALLOW if asked is False else Verdict.ASK

    def clauses(self, run: Sequence[RecordedCall], index: int) -> Iterator[tuple[str, Known, Known]]:
        """Each clause about the tool of a call: its id, and its truth as lowered and as written.

        ``Result()`` is whether the call is allowed, undetermined if it cannot be evaluated.
        """
        call, terms = run[index], self.lowered.terms
        verdict = self.core(run, index)
        result = None if verdict is Verdict.CANNOT_EVALUATE else verdict is Verdict.ALLOW
        values: dict[str, Known] = {
            name: one.value if one.missing is None else Undetermined(frozenset({name}), one.between)
            for name, one in self.extracted(run, index).items()
        }
        moment = Moment(reader(), call, Earlier(tuple(run), index))
        for core, one in zip(terms.clauses, self.lowered.lowered.clauses, strict=True):
            if call.tool is not None and one.tool in ("", call.tool):
                (written,) = [each.term for each in one.clause.terms if each.tool == one.tool]
                read = ReadExpression(RunExpression(one.tool, core.id, written, self.calls.values))
                scope = RunScope(read, moment, Trace(), {})
                yield (
                    core.id,
                    _truth(core.term, Valuation(terms, values, result)),
                    _truth(read.term, replace(scope.valuation, result=result)),
                )


def _truth(term: Term, valuation: Valuation) -> Known:
    try:
        return value_of(term, valuation)
    except UNDEFINED:
        return Undetermined(frozenset({"no value"}))


def _not(truth: bool | Undetermined) -> bool | Undetermined:
    return truth if isinstance(truth, Undetermined) else not truth


def _any(truths: Sequence[object]) -> bool | Undetermined:
    return joined([truth for truth in truths if isinstance(truth, bool | Undetermined)], deciding=True)
