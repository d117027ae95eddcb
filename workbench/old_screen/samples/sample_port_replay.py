"""The sample session's answers about its recorded runs as a whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

from workbench.model import WorkbenchError
from workbench.old_screen.replay_state import Cause, Strategies
from workbench.old_screen.samples.sample_replay import sample_causes, sample_strategies
from workbench.old_screen.state import Contents
from workbench.policy.terms import PolicyTerms


class SampleReplay(ABC):
    """The calls about recorded runs; judgements are only noted."""

    calls: list[str]
    judgements: dict[str, str]

    @abstractmethod
    def contents(self) -> Contents:
        """The contents as they stand."""

    def causes(self, terms: PolicyTerms) -> tuple[Cause, ...]:
        """The denials by cause, with what was said of them."""
        found = sample_causes(terms)
        return tuple(replace(cause, judged=self.judgements.get(cause.key, "")) for cause in found)

    def judge(self, terms: PolicyTerms, key: str, right: bool) -> Contents:
        """Note the judgement."""
        cause = next(cause for cause in sample_causes(terms) if cause.key == key)
        if cause.verdict == "cannot-evaluate":
            raise WorkbenchError(f"The group {key} cannot be judged.")
        self.judgements[key] = "right" if right else "false alarm"
        self.calls.append(f"judge {key} {right}")
        return self.contents()

    def strategies(self, terms: PolicyTerms) -> Strategies:
        """The sample's strategies."""
        return sample_strategies(terms)
