"""What names a run and an agent over HTTP: a header, a session, the proxy; what has no name is not known."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from tests.accepting import accept, accepted
from tests.app.written_desk import written_desk
from tests.guard.adapters.mcp_attacks import call
from tests.guard.adapters.mcp_server import http_server, serving
from tests.guard.adapters.test_mcp import post
from workbench.app.workbench import Workbench
from workbench.guard import DecisionLog, Guard, Mode, Strategy, ToolCall
from workbench.guard.adapters.mcp_http import http_guard
from workbench.model import Json, Verdict, WorkbenchError
from workbench.runs.logs import load_runs

RULES = '''\
"""What the desk may cancel and pay."""

from decimal import Decimal

from agent import CancelBooking, PayInvoice, Run

DEFAULT = "allow"


def forbid_over_limit(call: PayInvoice, run: Run) -> bool:
    """R9: The total paid per session must not exceed 5,000 EUR."""
    return call.total + sum(c.total for c in run.earlier(PayInvoice)) > Decimal("5000")


def forbid_cancelling(call: CancelBooking, run: Run) -> bool:
    """R10: The booking B-1 is not cancelled."""
    return call.booking_id == "B-1"
'''
PAY: dict[str, Json] = {"trip_id": "T-1", "supplier_id": "S-1", "iban": "DE1", "lines": [], "total": 3000}
PAYMENT = call("pay_invoice", '"p"', json.dumps(PAY)).encode()
CANCEL = call("cancel_booking", '"c"', '{"booking_id": "B-2"}').encode()
RAN = b"ran pay_invoice"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """A desk with one rule over earlier calls and one over the call alone."""
    with closing(Workbench.open(written_desk(tmp_path_factory.mktemp("desk"), RULES))) as bench:
        yield accepted(bench)


def guard_of(desk: Workbench, strategy: Strategy = Strategy.BLOCK_CALL) -> Guard:
    return desk.policy.guard(strategy, mode=Mode.ENFORCE)


def answers(guard: Guard, *requests: tuple[bytes, bytes], one_run: bool = False) -> list[bytes]:
    """The guard's answers to posts, each with a line of headers; empty lines are left out."""
    with http_server() as server:
        proxy = http_guard(guard, f"http://127.0.0.1:{server.port}/mcp", one_run=one_run)
        with serving(proxy) as port:
            return [post(port, body, *([line] if line else []))[2] for line, body in requests]


def test_a_header_names_the_run(desk: Workbench) -> None:
    first, second = b"Workbench-Run: a", b"Workbench-Run: b"
    one, other, again = answers(guard_of(desk), (first, PAYMENT), (second, PAYMENT), (first, PAYMENT))
    assert RAN in one
    assert RAN in other
    assert RAN not in again
    assert b"5,000 EUR" in again


def test_without_a_name_only_what_depends_on_no_earlier_call_is_decided(desk: Workbench) -> None:
    payment, cancelled = answers(guard_of(desk), (b"", PAYMENT), (b"", CANCEL))
    assert RAN not in payment
    assert b"it is not known of which tool call 0 was" in payment
    assert b"ran cancel_booking" in cancelled


def test_the_whole_proxy_can_be_one_run(desk: Workbench) -> None:
    one, again = answers(guard_of(desk), (b"", PAYMENT), (b"Workbench-Run: b", PAYMENT), one_run=True)
    assert RAN in one
    assert RAN not in again


def test_sessions_of_a_proxy_that_is_one_run_share_it_whatever_the_header_says(desk: Workbench) -> None:
    with http_server() as server:
        server.headers = [("Content-Type", "application/json"), ("Mcp-Session-Id", "s1")]
        proxy = http_guard(guard_of(desk), f"http://127.0.0.1:{server.port}/mcp", one_run=True)
        with serving(proxy) as port:
            assert RAN in post(port, PAYMENT, b"Workbench-Run: a")[2]
            status, _, answer = post(port, PAYMENT, b"Mcp-Session-Id: s1")
    assert status == 200
    assert b"5,000 EUR" in answer


@pytest.mark.parametrize("name", [b"", b"a b", b"a" * 257, b"\xe4"])
def test_a_header_that_is_no_name_is_refused(desk: Workbench, name: bytes) -> None:
    (answer,) = answers(guard_of(desk), (b"Workbench-Run: " + name, CANCEL))
    assert b"ran" not in answer


def test_a_session_stays_in_the_run_that_opened_it(desk: Workbench) -> None:
    with http_server() as server:
        server.headers = [("Content-Type", "application/json"), ("Mcp-Session-Id", "s1")]
        with serving(http_guard(guard_of(desk), f"http://127.0.0.1:{server.port}/mcp")) as port:
            in_run, session = b"Workbench-Run: a", b"Mcp-Session-Id: s1"
            assert RAN in post(port, PAYMENT, in_run)[2]
            assert RAN not in post(port, PAYMENT, in_run, session)[2]
            assert post(port, CANCEL, session)[0] == 400
            assert post(port, CANCEL, session, b"Workbench-Run: b")[0] == 400


@pytest.mark.parametrize(
    "answer",
    [
        None,
        b'{"jsonrpc":"2.0","id":"p","result":{"resultType":"input_required","content":[]}}',
        b'{"jsonrpc":"2.0","result":{"content":[]}}',
        b'{"jsonrpc":"2.0","id":"p","error":{"code":-32000,"message":"not paid"}}',
        b"ok",
    ],
)
def test_calls_at_the_same_time_run_no_more_than_their_run_may(desk: Workbench, answer: bytes | None) -> None:
    with http_server() as server:
        server.body = answer
        proxy = http_guard(guard_of(desk), f"http://127.0.0.1:{server.port}/mcp")
        with serving(proxy) as port, ThreadPoolExecutor(8) as threads:
            for asked in [threads.submit(post, port, PAYMENT, b"Workbench-Run: a") for _ in range(8)]:
                asked.result()
        assert len(server.messages) == 1


@pytest.fixture
def two_desks(tmp_path: Path) -> Guard:
    """A guard of a desk in whose runs up to 5,000 are paid, of which a clerk pays nothing."""
    desk = written_desk(tmp_path, RULES)
    info = (desk / "session.toml").read_text()
    (desk / "session.toml").write_text(f'{info}\n[agents]\nclerk = "../clerk"\n')
    shutil.copytree(accept(desk), tmp_path / "clerk")
    (tmp_path / "clerk" / "session.toml").write_text(
        info.replace('name = "', 'name = "clerk-', 1) + f'\nextends = "../{desk.name}"\n'
    )
    (tmp_path / "clerk" / "policy.py").write_text(RULES.replace("5000", "0"))
    accept(tmp_path / "clerk")
    with closing(Workbench.open_to_guard(desk)) as bench:
        return guard_of(bench)


def test_a_header_names_the_kind_of_subagent_whose_calls_are_of_the_run(two_desks: Guard) -> None:
    run, clerk, helper = b"Workbench-Run: a", b"Workbench-Agent: clerk", b"Workbench-Agent: helper"
    for one_run in (False, True):
        with http_server() as server:
            proxy = http_guard(two_desks, f"http://127.0.0.1:{server.port}/mcp", one_run=one_run)
            with serving(proxy) as port:
                assert RAN not in post(port, PAYMENT, run, clerk)[2]
                for two in (b"clerk,helper", b"helper,clerk", b"clerk, helper"):
                    assert post(port, PAYMENT, run, b"Workbench-Agent: " + two)[0] == 400
                assert RAN in post(port, PAYMENT, run, helper)[2]
                assert b"5,000 EUR" in post(port, PAYMENT, run)[2]


def test_a_session_stays_with_the_kind_of_agent_that_opened_it(two_desks: Guard) -> None:
    clerk = b"Workbench-Agent: clerk"
    with http_server() as server:
        server.headers = [("Content-Type", "application/json"), ("Mcp-Session-Id", "s1")]
        with serving(http_guard(two_desks, f"http://127.0.0.1:{server.port}/mcp")) as port:
            session = b"Mcp-Session-Id: s1"
            assert post(port, CANCEL, clerk)[0] == 200
            assert post(port, PAYMENT, session)[0] == 400
            assert RAN not in post(port, PAYMENT, session, clerk)[2]
            assert post(port, CANCEL, session, clerk)[0] == 200


@pytest.mark.usefixtures("two_desks")
def test_a_baseline_decides_what_a_proxy_lets_through(tmp_path: Path) -> None:
    with closing(Workbench.open(tmp_path / "clerk")) as bench:
        guard = guard_of(bench)
    payment, cancelled, denied = answers(
        guard,
        (b"Workbench-Run: a", PAYMENT),
        (b"Workbench-Run: a", CANCEL),
        (b"Workbench-Run: a", CANCEL.replace(b"B-2", b"B-1")),
    )
    assert RAN not in payment
    assert b"ran cancel_booking" in cancelled
    assert b"B-1 is not cancelled" in denied


def test_a_strategy_that_remembers_needs_a_named_run(desk: Workbench) -> None:
    guard = guard_of(desk, Strategy.TERMINATE_TASK)
    unnamed, named = answers(guard, (b"", CANCEL), (b"Workbench-Run: a", CANCEL))
    assert b"the run has to be named" in unnamed
    assert b"ran cancel_booking" in named
    with pytest.raises(WorkbenchError, match="has to be named"):
        guard.run(began_before=True)


def test_the_log_of_an_unnamed_run_is_replayed_as_it_was_decided(desk: Workbench, tmp_path: Path) -> None:
    log = tmp_path / "decisions.jsonl"
    run = guard_of(desk).run(log=DecisionLog(log), began_before=True)
    outcomes = [
        run.check(ToolCall("pay_invoice", PAY)),
        run.check(ToolCall("cancel_booking", {"booking_id": "B-1"})),
    ]
    assert [outcome.decision.verdict for outcome in outcomes] == [Verdict.CANNOT_EVALUATE, Verdict.DENY]
    (recorded,) = load_runs([log]).runs
    assert [one.tool for one in recorded.calls] == [None, "pay_invoice", "cancel_booking"]
    again = guard_of(desk).run(recorded.id)
    again.resume([json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()])
    assert again.check(ToolCall("pay_invoice", PAY)).decision.verdict is Verdict.CANNOT_EVALUATE
