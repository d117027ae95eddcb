"""A linear classifier over vectors, fitted to a few hundred examples in a fraction of a second."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

type Matrix = NDArray[np.float64]

# The strength of the penalty on the weights, and the number of steps of accelerated descent.
PENALTY = 3e-4
STEPS = 600


class Classifier:
    """Multinomial logistic regression; every class has the same weight, however many examples it has."""

    def __init__(self, vectors: NDArray[np.float32], labels: Sequence[str]) -> None:
        """Fit to rows of length one with their labels; the same input gives the same weights."""
        self.labels: tuple[str, ...] = tuple(sorted(set(labels)))
        place = {label: index for index, label in enumerate(self.labels)}
        rows = _with_constant(vectors)
        truth = np.zeros((len(labels), len(self.labels)))
        truth[np.arange(len(labels)), [place[label] for label in labels]] = 1.0
        share = (1.0 / (len(self.labels) * truth.sum(axis=0)))[truth.argmax(axis=1)][:, None]
        self._weights = _fit(rows, truth, share)

    def probabilities(self, vectors: NDArray[np.float32]) -> Matrix:
        """For each row the probability of every label, in the order of ``labels``."""
        return _softmax(_with_constant(vectors) @ self._weights)


def _fit(rows: Matrix, truth: Matrix, share: Matrix) -> Matrix:
    """The weights by Nesterov's method on the convex loss.

    Rows have a squared length of 2, so a step of 1 is safe.
    """
    weights = np.zeros((rows.shape[1], truth.shape[1]))
    ahead = weights
    momentum = 1.0
    for _ in range(STEPS):
        slope = rows.T @ ((_softmax(rows @ ahead) - truth) * share) + PENALTY * ahead
        after = ahead - slope
        grown = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = after + (momentum - 1.0) / grown * (after - weights)
        weights, momentum = after, grown
    return weights


def _with_constant(vectors: NDArray[np.float32]) -> Matrix:
    rows = np.asarray(vectors, dtype=np.float64)
    return np.hstack([rows, np.ones((len(rows), 1))])


def _softmax(scores: Matrix) -> Matrix:
    exponents = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponents / exponents.sum(axis=1, keepdims=True)
