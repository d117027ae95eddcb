"""Figures that papers publish, to be printed beside ours and marked as published.

They come from live runs of the papers' own systems, on sets that may differ from the one evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from workbench.evaluate.dataset import Dataset


class Benchmark(StrEnum):
    """The benchmarks with published figures."""

    EICU_AC = "EICU-AC"
    MIND2WEB_SC = "Mind2Web-SC"
    ASB = "ASB"
    AGENTDOJO = "AgentDojo"


@dataclass(frozen=True, slots=True)
class Published:
    """One row of a paper: shares in percent by the name of the metric, and where they stand."""

    benchmark: Benchmark
    method: str
    source: str
    figures: dict[str, float] = field(default_factory=dict[str, float])


def _row(
    benchmark: Benchmark,
    method: str,
    source: str,
    *values: float | None,
    names: str = "accuracy precision recall",
) -> Published:
    pairs = zip(names.split(), values, strict=False)
    return Published(benchmark, method, source, {name: value for name, value in pairs if value is not None})


_VERIGUARD = "VeriGuard"
_GUARDAGENT = "GuardAgent"
_ATTACKED = "VeriGuard, Table 1"
_STRATEGIES = "VeriGuard, Table 3"
_ATTACKS = "attacks tasks"

PUBLISHED: tuple[Published, ...] = (
    _row(Benchmark.EICU_AC, "Hard-coded rules (GPT-4)", _VERIGUARD, 81.0, 76.6, 90.7),
    _row(Benchmark.EICU_AC, "LLaMA-Guard3", _VERIGUARD, 48.7),
    _row(Benchmark.EICU_AC, "AgentMonitor (GPT-4o)", _VERIGUARD, 82.3, 98.2, 66.7),
    _row(
        Benchmark.EICU_AC, "GuardAgent (GPT-4)", _GUARDAGENT, 98.7, 100.0, 97.5, 97.5, 100.0,
        names="accuracy precision recall explanation response",
    ),
    _row(
        Benchmark.EICU_AC, "GuardAgent (Llama3.3-70B)", _GUARDAGENT, 99.1, 100.0, 98.1, 96.9,
        names="accuracy precision recall explanation",
    ),
    _row(Benchmark.EICU_AC, "AGrail (GPT-4o)", _VERIGUARD, 97.8, 97.5, 98.1),
    _row(Benchmark.EICU_AC, "VeriGuard (GPT-4o)", _VERIGUARD, 100.0, 100.0, 100.0),
    _row(Benchmark.MIND2WEB_SC, "Hard-coded rules (GPT-4)", _VERIGUARD, 77.5, 95.1, 58.0),
    _row(Benchmark.MIND2WEB_SC, "LLaMA-Guard3", _VERIGUARD, 56.0, 93.0, 13.0),
    _row(Benchmark.MIND2WEB_SC, "AgentMonitor (GPT-4o)", _VERIGUARD, 72.5, 79.2, 61.0),
    _row(
        Benchmark.MIND2WEB_SC, "GuardAgent (GPT-4)", _GUARDAGENT, 90.0, 100.0, 80.0, 80.0, 100.0,
        names="accuracy precision recall explanation response",
    ),
    _row(
        Benchmark.MIND2WEB_SC, "GuardAgent (Llama3.3-70B)", _GUARDAGENT, 93.0, 92.2, 94.0, 94.0,
        names="accuracy precision recall explanation",
    ),
    _row(Benchmark.MIND2WEB_SC, "AGrail (GPT-4o)", _VERIGUARD, 98.4, 99.0, 98.0),
    _row(Benchmark.MIND2WEB_SC, "VeriGuard (GPT-4o)", _VERIGUARD, 95.1, 91.3, 99.0),
    _row(Benchmark.MIND2WEB_SC, "VeriGuard (GPT-4.1)", _VERIGUARD, 96.2, 91.2, 100.0),
    _row(Benchmark.MIND2WEB_SC, "VeriGuard (Gemini-2.5-pro)", _VERIGUARD, 97.2, 95.0, 99.0),
    _row(Benchmark.ASB, "no defence (GPT-4.1)", _ATTACKED, 63.7, names=_ATTACKS),
    _row(Benchmark.ASB, "GuardRail (GPT-4.1)", _ATTACKED, None, 44.6, names=_ATTACKS),
    _row(Benchmark.ASB, "VeriGuard (GPT-4.1)", _ATTACKED, 0.0, 57.1, names=_ATTACKS),
    _row(Benchmark.ASB, "VeriGuard (Claude-Sonnet-4)", _ATTACKED, 0.0, 85.1, names=_ATTACKS),
    _row(Benchmark.ASB, "task termination (Gemini-2.5-Flash)", _STRATEGIES, 0.0, 0.0, names=_ATTACKS),
    _row(Benchmark.ASB, "action blocking (Gemini-2.5-Flash)", _STRATEGIES, 0.0, 38.1, names=_ATTACKS),
    _row(Benchmark.ASB, "tool halt (Gemini-2.5-Flash)", _STRATEGIES, 0.0, 44.6, names=_ATTACKS),
    _row(Benchmark.ASB, "re-planning (Gemini-2.5-Flash)", _STRATEGIES, 11.9, 62.1, names=_ATTACKS),
    _row(
        Benchmark.ASB, "re-planning, then halt (Gemini-2.5-Flash)", _STRATEGIES, 0.0, 63.3,
        names=_ATTACKS,
    ),
    _row(Benchmark.AGENTDOJO, "no defence", "Progent, first version", 41.2, names=_ATTACKS),
    _row(Benchmark.AGENTDOJO, "Progent", "Progent, first version", 2.2, names=_ATTACKS),
)  # fmt: skip


def benchmark_of(dataset: Dataset) -> Benchmark | None:
    """Which benchmark a dataset looks like, by what its labels hold."""
    if dataset.format.startswith("listed-tools"):
        return Benchmark.ASB
    if dataset.format == "labelled-calls":
        return Benchmark.AGENTDOJO
    truths = [truth for example in dataset.examples for truth in example.truths]
    if any(truth.items is not None for truth in truths):
        return Benchmark.EICU_AC
    if any(truth.sentence for truth in truths):
        return Benchmark.MIND2WEB_SC
    return None


def published_for(benchmark: Benchmark | None) -> tuple[Published, ...]:
    """The published rows of a benchmark."""
    return tuple(row for row in PUBLISHED if row.benchmark is benchmark)
