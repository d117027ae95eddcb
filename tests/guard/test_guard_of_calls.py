"""Guards of a policy of calls: the session's, its exported file's, and the MCP proxy's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.accepting import accepted
from tests.app.written_desk import POLICY, written_desk
from tests.guard.adapters.mcp_attacks import call
from tests.guard.adapters.test_mcp import over_stdio
from tests.guard.exported_files import imported
from tests.guard.test_exported_guard import alone
from workbench.app.policy import exported_part
from workbench.app.workbench import Workbench
from workbench.guard import Approval, DecisionLog, Mode, Outcome, Strategy, ToolCall
from workbench.guard.exported_reading import expressions_of
from workbench.model import Json, Verdict

TRIP: dict[str, Json] = {
    "trip_id": "T-1",
    "cost_centre": "CC-1",
    "travellers": [],
    "approved_at": "2026-03-16T11:40:00",
}
CENTRE: dict[str, Json] = {"cost_centre": "CC-1", "left": 3000.0}
ROOM: dict[str, Json] = {
    "booking_id": "B-1",
    "kind": "room",
    "trip_id": "T-1",
    "starts_at": "2031-01-05T15:00:00",
}
PAID: dict[str, Json] = {"trip_id": "T-1", "supplier_id": "S-1", "iban": "DE1", "lines": []}
PRECONDITION = POLICY.replace(
    "def contract_again(",
    """def contract_times(call: PayInvoice, run: Run) -> None:
    Requires(paid(call, run) > Decimal("-1000"))


def contract_again(""",
).replace("import Ensures, Implies, Result", "import Ensures, Implies, Requires, Result")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """The written desk as a session that no test changes."""
    bench = accepted(Workbench.open(written_desk(tmp_path_factory.mktemp("desk"))))
    yield bench
    bench.close()


@pytest.fixture(scope="module")
def file(desk: Workbench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported file of the desk."""
    return exported(desk, tmp_path_factory.mktemp("file"))


def exported(bench: Workbench, folder: Path) -> Path:
    path = folder / "exported_policy.py"
    path.write_text(bench.policy.export().text, encoding="utf-8")
    return path


def guards(bench: Workbench, file: Path) -> list[tuple[Any, Any]]:
    """Each way to guard, with its class of calls: the session, the file."""
    module = imported(file)
    session = bench.policy.guard(Strategy.BLOCK_CALL, mode=Mode.SHADOW)
    return [(session, ToolCall), (module.guard(mode=module.Mode.SHADOW), module.ToolCall)]


STEPS: list[tuple[str, dict[str, Json], Json]] = [
    ("cancel_booking", {"booking_id": "B-1"}, None),
    ("get_booking", {"booking_id": "B-1"}, json.dumps(ROOM)),
    ("cancel_booking", {"booking_id": "B-1"}, None),
    ("get_trip", {"trip_id": "T-1"}, json.dumps(TRIP)),
    ("pay_invoice", {**PAID, "total": 10.5}, None),
    ("get_cost_centre", {"cost_centre": "CC-1"}, json.dumps(CENTRE)),
    ("pay_invoice", {**PAID, "total": 10.5}, "done"),
    ("pay_invoice", {**PAID, "total": 6000}, None),
    ("pay_invoice", {**PAID, "total": "much"}, None),
    ("pay_invoice", {"trip_id": "T-1", "Total": 1, "total": 2}, None),
    ("no_such_tool", {}, None),
]


def decided(guard: Any, call_class: Any) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    decisions: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
    for tool, arguments, result in STEPS:
        outcome = guard.check(call_class(tool, arguments, time="2026-03-20T12:00:00+00:00"))
        if result is not None:
            guard.finish(outcome, result)
        decision = outcome.decision
        rules = tuple(violation.rule for violation in decision.violations)
        decisions.append((str(decision.verdict.value), rules, decision.reasons))
    return decisions


# --- the words of reasons -----------------------------------------------------------


def test_every_guard_gives_the_same_reasons_in_the_words_of_the_file(desk: Workbench, file: Path) -> None:
    of_session, of_file = [decided(guard, call_class) for guard, call_class in guards(desk, file)]
    assert of_file == of_session
    said = [reason for _, _, reasons in of_session for reason in reasons]
    assert any(reason.startswith("run.booking(call.booking_id): ") for reason in said)
    assert any(reason.startswith("call.total: ") for reason in said)
    terms = desk.policy.terms()
    made_up = {argument.name for argument in terms.arguments if "_" in argument.name}
    assert len(made_up) > 5
    assert [reason for reason in said if made_up & set(reason.replace(":", " ").split())] == []


def test_a_sum_that_is_a_fact_is_said_by_its_noun(desk: Workbench, file: Path) -> None:
    name = next(
        argument.name for argument in desk.policy.terms().arguments if argument.name.startswith("sum_")
    )
    module = imported(file)
    answers = [
        desk.policy.guard(Strategy.BLOCK_CALL, mode=Mode.SHADOW).policy.decide_incomplete({}, {name: "why"}),
        next(iter(module._parts().values())).policy.decide_incomplete({}, {name: "why"}),
    ]
    assert all(name not in " ".join(answer.reasons) for answer in answers)
    assert {answer.reasons for answer in answers} == {answers[0].reasons}


def test_a_broken_precondition_is_said_in_the_expressions_of_the_file(tmp_path: Path) -> None:
    bench = accepted(Workbench.open(written_desk(tmp_path, PRECONDITION)))
    try:
        path = exported(bench, tmp_path)
        for guard, call_class in guards(bench, path):
            (reason,) = guard.check(call_class("pay_invoice", {**PAID, "total": -5000})).decision.reasons
            assert reason.startswith("The precondition P1 does not hold: ")
            assert "call.total + sum(c.total for c in run.earlier(PayInvoice) if c.succeeded)" in reason
    finally:
        bench.close()


# --- the exported file --------------------------------------------------------------

_ALONE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from exported_policy import ToolCall, guard
run = guard()
outcome = run.check(ToolCall("pay_invoice", {"total": 6000}))
names = [name.partition(".")[2] for name in sys.modules if name.startswith("exported_")]
print(json.dumps([outcome.decision.verdict, names]))
"""
_CHECKERS = (
    "policy.checker", "dialect.check", "dialect.reading", "dialect.call_file", "dialect.lowering",
    "dialect.stub", "dialect.schema_fields", "policy.render", "engines",
)  # fmt: skip


def test_the_file_evaluates_expressions_without_their_checker(file: Path) -> None:
    verdict, names = json.loads(alone(_ALONE, file.parent))
    assert verdict == "deny"
    assert "runs.expressions.evaluator" in names
    assert [name for name in names if name.startswith(_CHECKERS)] == []
    text = file.read_text(encoding="utf-8")
    assert [name for name in _CHECKERS if f'    "{name}": ' in text] == []


def test_the_file_builds_what_the_session_reads_and_the_checker_read(desk: Workbench, file: Path) -> None:
    part, _ = exported_part(desk.enforced)
    checked = expressions_of(part.reading)
    assert checked is not None
    (own_part,) = imported(file)._parts().values()
    assert repr(own_part.reading) == repr(part.reading)
    own = own_part.expressions
    assert [one.text for one in own.expressions] == [one.text for one in checked.expressions]
    assert _without_words(repr(own)) == _without_words(repr(checked))


def _without_words(text: str) -> str:
    """The text of nouns without their descriptions, which the file leaves out, and with plain sets."""
    parts = text.split("description=")
    return parts[0] + "".join(part.partition(part[0])[2].partition(part[0])[2] for part in parts[1:])


def test_a_kind_that_only_a_field_of_a_call_has_is_carried(tmp_path: Path) -> None:
    policy = POLICY.replace(
        "call.total > centre.left", "call.total > centre.left or 'rm' in call.iban.programs"
    )
    desk = written_desk(tmp_path, policy)
    agent = desk / "agent.toml"
    agent.write_text(
        agent.read_text(encoding="utf-8") + '\n[tools.pay_invoice.fields.iban]\ntype = "command"\n',
        encoding="utf-8",
    )
    bench = accepted(Workbench.open(desk))
    try:
        module = imported(exported(bench, tmp_path))
        assert "runs.kinds.command" in module._MODULES
    finally:
        bench.close()


def test_the_header_names_the_messages_that_a_source_needs(tmp_path: Path) -> None:
    policy = POLICY.replace("return paid(call, run) > LIMIT", 'return "user" not in call.iban.source')
    bench = accepted(Workbench.open(written_desk(tmp_path, policy)))
    try:
        (line,) = [line for line in bench.policy.export().text.split("\n") if line.startswith("# messages: ")]
    finally:
        bench.close()
    assert 'run.message("user", text)' in line


# --- the MCP proxy ------------------------------------------------------------------


def _answer(text: str) -> bytes:
    result = {"content": [{"type": "text", "text": text}]}
    return b'{"jsonrpc":"2.0","id":@id,"result":' + json.dumps(result).encode() + b"}"


def _asked(tool: str, arguments: dict[str, Json]) -> bytes:
    return call(tool, '"q"', json.dumps(arguments)).encode()


def _content(answer: dict[str, Json]) -> tuple[str, bool]:
    result: Any = answer["result"]
    return result["content"][0]["text"], bool(result.get("isError"))


def test_the_proxy_decides_calls_by_what_the_servers_answers_said(desk: Workbench, tmp_path: Path) -> None:
    shown: list[Outcome] = []

    def ask(outcome: Outcome) -> str:
        shown.append(outcome)
        return "kim"

    log = DecisionLog(tmp_path / "log.jsonl")
    guard = desk.policy.guard(Strategy.BLOCK_CALL, mode=Mode.ENFORCE, log=log, approval=Approval(ask))
    answers = [_answer(json.dumps(record)) for record in (TRIP, CENTRE)]
    paid = {**PAID, "total": 100}
    with over_stdio(guard, tmp_path, *answers, _answer("paid"), _answer("paid again")) as (client, received):
        unknown, refused = _content(client.ask(_asked("cancel_booking", {"booking_id": "B-9"})))
        for tool, key, value in (("get_trip", "trip_id", "T-1"), ("get_cost_centre", "cost_centre", "CC-1")):
            assert not _content(client.ask(_asked(tool, {key: value})))[1]
        denied, is_denied = _content(client.ask(_asked("pay_invoice", {**paid, "total": 5001})))
        allowed = _content(client.ask(_asked("pay_invoice", paid)))
        # what the cost centre has left is unknown after the payment, until it is looked up again
        later, is_later_refused = _content(client.ask(_asked("pay_invoice", paid)))
    assert refused
    assert '(booking "B-9": no earlier result says what it is)' in unknown, "no Python of the policy"
    assert is_denied
    assert "The total paid per session must not exceed 5,000 EUR" in denied
    assert allowed == ("paid", False)
    assert is_later_refused
    assert '(cost_centre "CC-1": call 4 (pay_invoice) changed it' in later
    sent = [json.loads(line)["params"]["name"] for line in received.read_bytes().splitlines()]
    assert sent == ["get_trip", "get_cost_centre", "pay_invoice"]
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    verdicts = [line["decision"] for line in lines if "decision" in line]
    assert verdicts == ["cannot-evaluate", "allow", "allow", "deny", "allow", "cannot-evaluate"]
    assert any("run.booking(call.booking_id): " in reason for reason in lines[0]["reasons"])
    assert shown == []


@pytest.mark.parametrize("approver", ["kim", ""])
def test_the_proxy_asks_a_person_before_a_second_payment(
    desk: Workbench, tmp_path: Path, approver: str
) -> None:
    guard = desk.policy.guard(
        Strategy.BLOCK_CALL, mode=Mode.ENFORCE, approval=Approval(lambda _outcome: approver)
    )
    answers: list[dict[str, Json] | str] = [TRIP, CENTRE, "paid", CENTRE, "paid again"]
    scripted = [_answer(one if isinstance(one, str) else json.dumps(one)) for one in answers]
    centre = _asked("get_cost_centre", {"cost_centre": "CC-1"})
    pay = _asked("pay_invoice", {**PAID, "total": 100})
    with over_stdio(guard, tmp_path, *scripted) as (client, _):
        first = [client.ask(line) for line in (_asked("get_trip", {"trip_id": "T-1"}), centre, pay, centre)]
        text, refused = _content(client.ask(pay))
    assert [_content(answer)[1] for answer in first] == [False] * 4
    assert (refused, text == "paid again") == ((False, True) if approver else (True, False))


def test_the_verdicts_of_the_steps_are_of_every_sort(desk: Workbench, file: Path) -> None:
    """The comparison of guards is worth something: each verdict is among its decisions."""
    guard, call_class = guards(desk, file)[0]
    verdicts = {verdict for verdict, _, _ in decided(guard, call_class)}
    assert verdicts == {verdict.value for verdict in Verdict} - {Verdict.ASK.value}
