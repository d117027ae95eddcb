"""A person whose answers follow the wanted decisions gets the wanted policy."""

from __future__ import annotations

import pytest

from tests.clarify.simulated_users import AMBIGUOUS, interview
from workbench.model import AgentSpec


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("spec", "request_text"), AMBIGUOUS, ids=range(len(AMBIGUOUS)))
def test_answering_the_examples_truthfully_reaches_the_hidden_policy(
    spec: AgentSpec, request_text: str, seed: int
) -> None:
    interviewed = interview(spec, request_text, seed)
    assert interviewed.reached
    assert interviewed.question_count <= interviewed.blind <= interviewed.every
