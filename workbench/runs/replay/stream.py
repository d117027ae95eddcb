"""Comparing two versions of a policy over logs of any length: one pass, one run in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.model import Argument, Run, StepDecision
from workbench.runs.replay.decide import ArgumentSource, Decider, DecisionCache
from workbench.runs.replay.flips import Flip, flip_kind
from workbench.runs.world.earlier import Earlier

_TEXTLESS = frozenset({"constant", "history", "jsonpath"})


def needs_texts(arguments: Iterable[Argument]) -> bool:
    """Whether extracting these arguments reads raw texts; if not, a log can be read without them.

    Values are the same either way, but without texts they have no place in the log.
    """
    return any(one.extraction is not None and one.extraction.method not in _TEXTLESS for one in arguments)


def stream_flips(
    old: Decider, new: Decider, extractor: ArgumentSource, runs: Iterable[Run]
) -> Iterator[Flip]:
    """Every step under both versions, in order; its arguments are extracted once."""
    before, after = DecisionCache(old), DecisionCache(new)
    for run in runs:
        for position, step in enumerate(run.steps):
            extracted = extractor.extract(step, Earlier(run.steps, position))
            was = StepDecision(step.run, step.index, before.decide(extracted), extracted, step.action)
            will = StepDecision(step.run, step.index, after.decide(extracted), extracted, step.action)
            yield Flip(flip_kind(was.decision, will.decision), was, will)
