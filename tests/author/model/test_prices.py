"""The cost of tokens: by the user's table first, and unknown if no table has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.author.model.http_endpoint import chat, http_endpoint
from workbench.author.model.client import ModelClient
from workbench.author.model.errors import ModelError
from workbench.author.model.prices import Price, price_of
from workbench.author.model.progress import Usage
from workbench.author.model.recording import Message, RecordedModelCalls
from workbench.author.model.settings import ModelSettings
from workbench.model import WorkbenchError

HOST = "api.openai.com"


def written(tmp_path: Path, text: str) -> dict[str, str]:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    return {"WORKBENCH_PRICES": str(path)}


def test_a_price_is_of_a_model_at_its_provider_and_of_dated_versions(tmp_path: Path) -> None:
    none = {"WORKBENCH_PRICES": str(tmp_path / "absent")}
    known = price_of("gpt-4o", HOST, none)
    assert known is not None
    assert price_of("gpt-4o-2024-08-06", HOST, none) == known
    assert price_of("gpt-4o", "x.openai.azure.com", none) == known
    assert price_of("gpt-4o", "localhost", none) is None
    assert price_of("gpt-4o-of-somebody", HOST, none) is None
    mini = price_of("gpt-4o-mini", HOST, none)
    assert mini is not None
    assert mini.price.prompt < known.price.prompt


def test_the_user_s_table_counts_first_and_cached_tokens_have_their_own_price(tmp_path: Path) -> None:
    own = written(
        tmp_path, '[[provider]]\n[provider.models]\n"gpt-4o" = {prompt = 4, cached = 1, reply = 8}\n'
    )
    price_found = price_of("gpt-4o", HOST, own)
    assert price_found is not None
    assert price_found.price == Price(prompt=4, cached=1, reply=8)
    assert price_found.source == own["WORKBENCH_PRICES"]
    assert price_found.price.of(Usage(1_000_000, 500_000, cached_tokens=600_000)) == pytest.approx(
        1.6 + 0.6 + 4
    )
    assert price_of("gpt-4.1", HOST, own) is not None


@pytest.mark.parametrize(
    "text", ["provider = 3", "[[provider]]\nmodels = {m = {prompt = -1, reply = 1}}", "x = ", "surprise = 1"]
)
def test_a_table_that_is_broken_is_refused_in_one_sentence(text: str, tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match=r"own\.toml"):
        price_of("gpt-4o", HOST, written(tmp_path, text))


def test_a_cost_that_is_not_known_is_said_and_a_budget_of_money_is_not_pretended() -> None:
    with http_endpoint(lambda _request: chat("yes")) as server:
        settings = ModelSettings("m", f"{server.origin}/v1")
        client = ModelClient(settings, RecordedModelCalls(), key=lambda: "k")
        client.ask_text("question", (Message("user", "Is it?"),))
        assert client.usage.cost == "unknown"
        assert (client.usage + Usage(money=0.5)).cost == "at least 0.5000"
        bounded = ModelSettings("m", f"{server.origin}/v1", budget_money=1.0)
        with pytest.raises(ModelError, match="WORKBENCH_BUDGET_MONEY cannot be kept"):
            ModelClient(bounded, RecordedModelCalls(), key=lambda: "k").ask_text("question", ())
        assert len(server.requests) == 1
