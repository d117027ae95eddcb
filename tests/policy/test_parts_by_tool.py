"""The part of a policy about one tool decides the calls of this tool as the whole policy does."""

from __future__ import annotations

import decimal
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.engines.compiled.compile import as_expected, compile_policy, decided_by_tool
from workbench.model import Verdict
from workbench.policy.evaluate import EXACT, Valuation, truth_of
from workbench.policy.parts_by_tool import PartsByTool
from workbench.session.session import Session

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["sessions/travel-desk", "benchmarks/sessions/authoring-warehouse"])
def test_a_part_decides_its_cases_as_the_whole_does(name: str) -> None:
    with Session.open(ROOT / name, read_only=True) as session:
        assert session.lowered is not None
        terms, cases = session.lowered.terms, session.cases
    parts, whole, of_tool = PartsByTool(terms), compile_policy(terms), decided_by_tool(terms)
    fewer = 0
    for case in cases:
        tool = case.arguments.get("tool")
        fewer += len(parts.of_call(tool).rules) < len(terms.rules)
        assert parts.of_call(tool).rules == parts.rules_about(tool)
        decided, expected = of_tool(case.arguments), whole.decide(case.arguments)
        assert (decided.verdict, decided.violations) == (expected.verdict, expected.violations)
        for left_out in (None, *case.arguments):  # the truth of each rule is that of its own term
            known = {name: value for name, value in case.arguments.items() if name != left_out}
            with decimal.localcontext(EXACT):
                world = Valuation(terms, known, None)
                assert whole.truths(known) == {
                    **{rule.name: truth_of(rule.body, world) for rule in terms.rules},
                    **{clause.id: truth_of(clause.term, world) for clause in terms.preconditions},
                }
    assert fewer


@pytest.mark.parametrize("name", ["sessions/travel-desk", "benchmarks/sessions/authoring-warehouse"])
def test_a_case_is_as_expected_where_the_whole_policy_decides_so(name: str) -> None:
    with Session.open(ROOT / name, read_only=True) as session:
        assert session.lowered is not None
        terms, cases = session.lowered.terms, session.cases
    whole, expected = compile_policy(terms), as_expected(terms)
    for case in cases:
        for left_out in (None, *case.arguments):
            known = {argument: value for argument, value in case.arguments.items() if argument != left_out}
            verdict = whole.decide(known).verdict
            for asked in Verdict:
                one = replace(case, arguments=known, expected=asked)
                assert expected(one) is (verdict is asked), (case.id, left_out, asked)
