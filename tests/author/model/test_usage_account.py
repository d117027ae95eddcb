"""Shared by the clients of a session: its budget over all calls, and a server that is not asked again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.author.model.model_server import Behaviour, model_server
from workbench.author.choice_of_author import client_of
from workbench.author.model.errors import ModelError, Unanswered
from workbench.author.model.progress import CallProgress, Usage
from workbench.author.model.recording import Sent, StoredCall, used_by
from workbench.author.model.settings import ModelSettings
from workbench.author.model.usage_account import MOST_UNANSWERED, PAUSE_SECONDS, UsageAccount
from workbench.cli.model_calls import cost_line, running_line
from workbench.model import AgentSpec
from workbench.session import Session


class Clock:
    """A clock that keeps its time until it is set."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_budget_counts_what_earlier_calls_used() -> None:
    account = UsageAccount(Usage(800, 100, 3.0, 0.4))
    account.check(ModelSettings("m", budget_tokens=1000, budget_money=0.5))
    account.answered(Usage(90, 10, 1.0, 0.1))
    for settings in (ModelSettings("m", budget_tokens=1000), ModelSettings("m", budget_money=0.5)):
        with pytest.raises(ModelError, match="is spent"):
            account.check(settings)
    account.check(ModelSettings("m"))


def test_a_silent_server_is_asked_again_after_a_pause_and_an_answer_forgives_everything() -> None:
    clock = Clock()
    account, settings = UsageAccount(clock=clock), ModelSettings("m")
    for _ in range(MOST_UNANSWERED):
        account.check(settings)
        account.unanswered()
    with pytest.raises(Unanswered, match="in a row unanswered"):
        account.check(settings)
    clock.seconds = PAUSE_SECONDS
    account.check(settings)
    account.answered(Usage())
    account.unanswered()
    account.check(settings)


def test_the_seconds_of_all_calls_together_are_bounded_and_pauses_between_calls_do_not_count() -> None:
    clock = Clock()
    account, settings = UsageAccount(clock=clock), ModelSettings("m", deadline=10)
    with account.turn(settings, lambda: False):
        clock.seconds = 6
        account.check(settings)
    clock.seconds = 1000
    account.check(settings)
    with account.turn(ModelSettings("m", parallel=2), lambda: False):
        clock.seconds = 1003
        account.check(settings)
        with account.turn(ModelSettings("m", parallel=2), lambda: False):
            clock.seconds = 1004
            with pytest.raises(ModelError, match="WORKBENCH_MODEL_DEADLINE"):
                account.check(settings)
    with pytest.raises(ModelError, match="10 seconds together"):
        account.check(settings)
    account.check(ModelSettings("m"))


def recorded() -> list[StoredCall]:
    """Two recorded calls."""
    usage = Usage(6_000, 900, 3.0, 0.4)
    sent = Sent("policy", "m", (), {}, 0.0, 1, 1)
    return [StoredCall(key=key, sent=sent, reply="", usage=usage) for key in ("a", "b")]


@pytest.mark.parametrize("usage", [Usage(-3, -1), Usage(seconds=-1), Usage(money=float("nan"))])
def test_a_usage_that_is_no_number_above_nothing_counts_nothing(usage: Usage) -> None:
    assert used_by([recorded()[0].model_copy(update={"usage": usage})]) == Usage()


def test_the_budget_of_a_session_outlives_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "session"
    with Session.create(folder, "Pay.\n", AgentSpec("desk"), author="openai") as session:
        for call in recorded():
            session.append_call(call.model_dump(mode="json"))
    used = used_by(recorded())
    tokens = used.prompt_tokens + used.reply_tokens
    assert tokens > 10_000
    with Session.open(folder, read_only=True) as session, model_server(Behaviour()) as server:
        environment = {
            "WORKBENCH_MODEL": "another",
            "OPENAI_BASE_URL": server.url,
            "WORKBENCH_BUDGET_TOKENS": str(tokens),
        }
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        client = client_of(session, environment=environment, read_only=True)
        assert client is not None
        with pytest.raises(ModelError, match=r"budget .* is spent"):
            client.ask_text("question", ())
        assert not server.requests


def test_a_person_reads_who_is_asked_how_long_and_what_is_left() -> None:
    used = Usage(1_000, 234, 9.0, 0.01)
    running = CallProgress("rules R1", model="asked", seconds=12.4, pieces=7, used=used)
    assert running_line(running) == "rules R1 (asked): 12 s, ~7 tokens"
    again = CallProgress("rules R1", model="asked", seconds=3.0, trouble="the server answers with status 429")
    assert "trying again, since the server answers with status 429" in running_line(again)
    done = CallProgress(
        "rules R1", used=used, done=True, model="asked", replied_by="other", seconds=12.4, budget_tokens=2_000
    )
    assert cost_line(done) == (
        "rules R1: 12 s, answered by other; the session has used 1,234 of 2,000 tokens, 0.0100."
    )
    failed = CallProgress("rules R1", done=True, failed=True, model="asked", seconds=1.0, budget_money=2.0)
    assert cost_line(failed) == (
        "rules R1: no reply after 1 s; the session has used 0 tokens, 0.0000 of 2.00."
    )
