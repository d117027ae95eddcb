"""A call of a model that runs, as the sample of its line."""

from __future__ import annotations

from workbench.author.model.progress import CallProgress, Usage

CALL = CallProgress(
    "rules R3",
    used=Usage(11_200, 1_145, 95.0, 0.0123),
    model="a-model-of-your-own",
    seconds=12.0,
    pieces=340,
    tail='{"rules": [{"name": "film_from_16", "effect": "allowed only if", "needs": [',
    budget_tokens=50_000,
    budget_money=0.5,
)
