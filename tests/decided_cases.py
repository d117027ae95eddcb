"""Cases decided in the process of the tests, instead of in one of their own."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from workbench.check.cases_run import CaseRun
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Case, CaseResult, Verdict
from workbench.policy.decisive_part import completed
from workbench.policy.narrowed_values import narrowed_arguments
from workbench.policy.terms import PolicyTerms
from workbench.policy.written import OWN_NAMES, ArgumentWords


def decided_cases(
    terms: PolicyTerms,
    cases: Sequence[Case],
    *,
    cancelled: threading.Event | None = None,
    words: ArgumentWords = OWN_NAMES,
) -> CaseRun:
    """The result of each case, as ``run_cases`` gives it."""
    del cancelled, words
    policy = compile_policy(terms)
    types = {argument.name: argument.type for argument in terms.arguments}
    results: list[CaseResult] = []
    for case in cases:
        is_complete = types.keys() <= case.arguments.keys() or case.expected is Verdict.CANNOT_EVALUATE
        whole = case.arguments if is_complete else completed(terms, case.arguments)
        got = policy.decide(narrowed_arguments(types, whole)).verdict
        difference = "" if got is case.expected else f"expected {case.expected.value}, got {got.value}"
        results.append(CaseResult(case.id, got is case.expected, got, difference))
    return CaseRun(tuple(results))
