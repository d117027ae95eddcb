"""The sample session's denials by cause, and what strategies would have stopped."""

from __future__ import annotations

from dataclasses import replace

from workbench.engines.compiled.compile import compile_policy
from workbench.model import Verdict
from workbench.old_screen.replay_state import Cause, RunOutcome, Strategies, Sums, Way
from workbench.old_screen.samples.sample import REPLAYED, STEPS, TERMS, decide_sample
from workbench.old_screen.state import Replayed
from workbench.policy.terms import PolicyTerms
from workbench.runs.replay.grouping import group_denials
from workbench.runs.replay.strategies import label_of


def sample_causes(terms: PolicyTerms) -> tuple[Cause, ...]:
    """The sample's denials by cause."""
    return tuple(
        Cause(group.key, group.title, group.cause.verdict, group.steps, len(group.runs))
        for group in group_denials(compile_policy(terms), decide_sample(terms))
    )


def sample_strategies(terms: PolicyTerms) -> Strategies:
    """As if every run were stopped at its denial; each of the sample's runs has one step."""
    denied = [step.run for step, verdict in zip(STEPS, _verdicts(terms), strict=True) if verdict]
    sums = Sums(len(STEPS), len(denied), len(STEPS), len(denied))
    runs = tuple(RunOutcome(run, 1, (0,)) for run in denied)
    ways = (("terminate-task", "TT"), ("block-action", "AB"), ("halt-tool", "TEH"), ("replan", "CRP"))
    some = replace(sums, let_through=2, stopped=len(denied) - 2, lost=3, unknown=4)
    return Strategies(
        (
            *(Way(name, short, sums, runs=runs) for name, short in ways),
            Way("replan-then-halt", "CRP+TEH", some, labels={"direct": sums, "none": Sums(20)}, runs=runs),
            Way("allow-all", "", Sums(len(STEPS), 0, len(STEPS), 0, 0, len(denied)), control=True),
            Way("deny-all", "", replace(sums, lost=len(STEPS) - len(denied)), control=True),
        ),
        label_of(STEPS) or "attack",
    )


def _verdicts(terms: PolicyTerms) -> list[bool]:
    return [found.decision.verdict is not Verdict.ALLOW for found in decide_sample(terms)]


CAUSES = sample_causes(TERMS)
STRATEGIES = sample_strategies(TERMS)
ONE_RUN = Replayed(tuple(replace(step, run="eicu-all") for step in STEPS), REPLAYED.decisions)
