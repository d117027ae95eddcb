"""Random policies of calls with random runs: all that a policy is translated to decides as it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.dialect.call_policies import Step, policy_text, random_run, steps
from tests.dialect.naive_decision import Translated
from tests.examples import examples
from tests.guard.exported_files import ExportedFile, reading_of
from tests.live_guarding import live_guard
from tests.runs.expressions.small_agent import SPEC, TYPES
from workbench.dialect.check import run_expression
from workbench.dialect.run_terms import text_of
from workbench.engines.smt.preview import preview
from workbench.guard import DecisionLog, Guard, Mode, ToolCall
from workbench.model import Argument, Kind, ProofStatus, Verdict
from workbench.policy.terms import Attribute, Variable
from workbench.policy.undetermined import Undetermined
from workbench.runs.logs import load_runs

pytestmark = pytest.mark.slow
_randoms = st.integers(0, 2**32).map(Random)


def _settings(every: int) -> settings:
    return settings(
        max_examples=examples(every),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def _read_again(argument: Argument) -> None:
    """Assert that each expression of an argument is written as it was read."""
    expression = argument.expression
    assert expression is not None
    whole = run_expression(expression.text, TYPES, expression.tool)
    assert text_of(whole.term) == expression.text
    element = whole.term.type.element if isinstance(whole.term, Variable | Attribute) else None
    for field_text in expression.fields.values():
        assert element is not None
        assert text_of(run_expression(field_text, TYPES, expression.tool, ("x", element)).term) == field_text


@_settings(300)
@given(_randoms)
def test_every_policy_is_lowered_to_arguments_whose_expressions_read_as_they_are_written(
    random: Random,
) -> None:
    policy = Translated(policy_text(random, 4))
    tool, *arguments = policy.lowered.arguments
    assert tool.type.kind is Kind.ENUM
    assert [one.name for one in policy.lowered.terms.arguments] == [one.name for one in (tool, *arguments)]
    for argument in arguments:
        _read_again(argument)


@_settings(300)
@given(_randoms)
def test_the_lowered_policy_decides_each_call_as_the_rules_that_are_written(random: Random) -> None:
    policy = Translated(policy_text(random))
    for _ in range(4):
        run = random_run(random)
        for index in range(len(run)):
            decided, written = policy.core(run, index), policy.naive(run, index)
            unknown = decided is Verdict.CANNOT_EVALUATE and policy.lacks_element(run, index)
            assert unknown or decided is written, (policy.calls.source, run[: index + 1])


@_settings(150)
@given(_randoms)
def test_clauses_say_what_is_written_and_no_run_breaks_one_that_is_proved(random: Random) -> None:
    policy = Translated(policy_text(random))
    statuses = {one.clause: one.status for one in preview(policy.lowered.terms).clauses}
    for _ in range(4):
        run = random_run(random)
        for index in range(len(run)):
            for clause, lowered, written in policy.clauses(run, index):
                shown = (clause, policy.calls.source, run[: index + 1])
                if isinstance(lowered, Undetermined):
                    assert isinstance(written, Undetermined) or policy.lacks_element(run, index), shown
                else:
                    assert lowered is written, shown
                if statuses[clause] in (ProofStatus.PROVED, ProofStatus.VACUOUS):
                    assert written is not False, shown


@_settings(30)
@given(_randoms)
def test_live_guard_exported_file_and_replay_of_the_log_decide_alike(random: Random) -> None:
    policy = Translated(policy_text(random))
    terms = policy.lowered.terms
    with TemporaryDirectory() as folder:
        file = ExportedFile(
            Path(folder), terms, reading_of(terms, replace(SPEC, arguments=policy.lowered.arguments))
        )
        log = Path(folder) / "log.jsonl"
        live = live_guard(policy.policy, policy.extractor, mode=Mode.SHADOW, log=DecisionLog(log))
        played = list(steps(random))
        verdicts = _play(live, played)
        assert _play(file.own(), played, file.module.ToolCall) == verdicts
        replayed = [run.calls for run in load_runs([log]).runs]
    assert [policy.core(run, index) for run in replayed for index in range(len(run))] == verdicts


def _play(guard: Guard, played: Sequence[Step], tool_call: type[ToolCall] = ToolCall) -> list[Verdict]:
    """The verdicts of a guard on a run, whose results it sees."""
    found: list[Verdict] = []
    with guard.run() as run:
        run.message("user", "pay DE1 for b1")
        for step in played:
            outcome = run.check(tool_call(step.tool, step.arguments, context=step.context))
            if step.result is not None:
                run.finish(outcome, step.result, failed=step.failed)
            found.append(Verdict(outcome.decision.verdict.value))
    return found
