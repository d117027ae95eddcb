"""The reading ``embedding``: the value whose examples are most similar in meaning to a text."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.model import (
    Demonstration,
    Json,
    Kind,
    Provenance,
    TextReading,
    WorkbenchError,
)
from workbench.runs.extract.options import Options
from workbench.runs.extract.text_region import ReadsRegion, TextRegion
from workbench.runs.extract.value_examples import Taught
from workbench.runs.values.found_value import FoundValue, Missing

if TYPE_CHECKING:
    from workbench.runs.extract.embedding_model import Classifier, Embedder, Vectors

_SHOWN = 60
_SURE = 0.5


def embedding(reading: TextReading, options: Options, memory: Sequence[Demonstration] | None) -> ReadsRegion:
    """The value that a small embedding model and a linear classifier learn from examples.

    ``examples = {value = ["text", ...]}``, ``memory`` as for ``nearest``. The classifier's probability is the
    confidence. Below ``confidence`` (0.5 if not given) the value is missing, and the reason names the rivals.
    A set takes every value with at least ``share`` (0.3), and always the likeliest one, so that a text with
    two requests gets both. No data leaves this machine.
    """
    taught = Taught(reading, options, memory)
    needed = options.number("confidence") if options.has("confidence") else _SURE
    many = reading.type.kind is Kind.SET
    share = options.number("share")
    learned = _Learned(taught)

    def read(text: TextRegion) -> FoundValue:
        region = taught.region(text)
        try:
            ranked, like = learned.ranked(region.text)
        except WorkbenchError as error:
            raise Missing(str(error)) from error
        sure = ranked[0][1]
        if sure < needed:
            rivals = " or ".join(f"{value} ({chance:.2f})" for value, chance in ranked[:2])
            raise Missing(f"{region.name} may be {rivals}; it is not sure enough ({needed:.2f} needed)")
        if not many:
            return FoundValue(ranked[0][0], (_place(region, like, sure),))
        items = {
            value: (_place(region, like, chance),)
            for place, (value, chance) in enumerate(ranked)
            if place == 0 or chance >= share
        }
        return FoundValue(
            list[Json](items), tuple(place for places in items.values() for place in places), items
        )

    return read


def _place(region: TextRegion, like: str, sure: float) -> Provenance:
    return region.provenance(f"embedding (like {like})", 0, len(region.text), sure)


class _Learned:
    """The classifier of one reading, fitted when the first text is classified."""

    def __init__(self, taught: Taught) -> None:
        self._taught = taught
        self._fitted: tuple[Embedder, Classifier, Vectors] | None = None
        self._fitting = threading.Lock()

    def ranked(self, text: str) -> tuple[list[tuple[str, float]], str]:
        """Every value with its probability, highest first, and the nearest example of the first value."""
        with self._fitting:
            if self._fitted is None:
                self._fitted = self._fit()
        model, classifier, example_vectors = self._fitted
        (vector,) = model.embed([text])
        chances = classifier.probabilities(vector[None, :])[0].tolist()
        ranked = sorted(zip(classifier.labels, chances, strict=True), key=lambda pair: -pair[1])
        near = (example_vectors @ vector).tolist()
        best = max(
            (
                (nearness, taught_example)
                for nearness, taught_example in zip(near, self._taught.examples, strict=True)
                if taught_example.value == ranked[0][0]
            ),
            key=lambda pair: pair[0],
        )[1]
        quoted = best.text if len(best.text) <= _SHOWN else best.text[: _SHOWN - 3] + "..."
        return ranked, f"demonstration {best.source}" if best.source else f"“{quoted}”"

    def _fit(self) -> tuple[Embedder, Classifier, Vectors]:
        try:
            from workbench.runs.extract.embedding_model import Classifier, embedder
        except ImportError as error:
            raise WorkbenchError(
                f"The package {error.name} is not installed; "
                "install it with 'pip install policy-workbench[embedding]'.",
                exit_code=3,
            ) from error

        examples = self._taught.examples
        model = embedder()
        vectors = model.embed([example.text for example in examples])
        return model, Classifier(vectors, [example.value for example in examples]), vectors
