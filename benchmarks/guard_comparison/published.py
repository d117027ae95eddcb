"""Figures that papers publish (``published.toml``), printed with ours and marked as published."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from guard_comparison.dataset import Dataset


class Benchmark(StrEnum):
    """The benchmarks with published figures."""

    EICU_AC = "EICU-AC"
    MIND2WEB_SC = "Mind2Web-SC"
    ASB = "ASB"
    AGENTDOJO = "AgentDojo"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Paper(_Table):
    """A paper that publishes figures."""

    title: str
    address: str


class Published(_Table):
    """One row of a paper: shares in percent by the name of the metric, and their place in the paper."""

    method: str
    paper: str
    place: str = ""
    figures: dict[str, Annotated[float, Field(ge=0, le=100)]]

    @property
    def source(self) -> str:
        """The paper by its short name, and the place of the figures in it."""
        return f"{self.paper}, {self.place}" if self.place else self.paper


class PublishedFigures(_Table):
    """The rows of each benchmark, and the papers that they name."""

    papers: dict[str, Paper]
    rows: dict[Benchmark, tuple[Published, ...]]


@cache
def published_figures() -> PublishedFigures:
    """The figures of ``published.toml``."""
    text = files(__package__).joinpath("published.toml").read_text(encoding="utf-8")
    return PublishedFigures.model_validate(tomllib.loads(text))


def benchmark_of(dataset: Dataset) -> Benchmark | None:
    """The benchmark that is published in the dataset's format; labels tell apart the two of GuardAgent.

    A dataset of any other format is a user's own, whose figures no published one can be compared with.
    """
    if dataset.format in ("listed-tools", "listed-tools-csv"):
        return Benchmark.ASB
    if dataset.format == "labelled-calls":
        return Benchmark.AGENTDOJO
    if dataset.format not in ("labelled-actions", "seeact-tasks"):
        return None
    truths = [truth for example in dataset.examples for truth in example.truths]
    if any(truth.items is not None for truth in truths):
        return Benchmark.EICU_AC
    if any(truth.sentence for truth in truths):
        return Benchmark.MIND2WEB_SC
    return None


def published_for(benchmark: Benchmark | None) -> tuple[Published, ...]:
    """The published rows of a benchmark."""
    return published_figures().rows[benchmark] if benchmark is not None else ()
