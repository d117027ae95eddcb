"""A lending desk with a policy of calls, its request with labels and a log: what a new user makes."""

from __future__ import annotations

import json
from pathlib import Path

from workbench.model import Json

REQUEST = """\
# The lending desk

- R1: Fees charged in one run must not exceed 40 EUR.
- R2: A loan may only be renewed from the day after it was made.
- R3: A fee may be waived only if the loan was looked up and the fee is at most 10 EUR.
- R4: A member may have at most three items lent in one run.
"""
AGENT = """\
name = "lending desk"

[tools.get_loan]
parameters = {type = "object", properties = {loan_id = {type = "string"}}, required = ["loan_id"]}

[tools.renew_loan]
parameters = {type = "object", properties = {loan_id = {type = "string"}}, required = ["loan_id"]}

[tools.waive_fee.parameters]
type = "object"
properties = {loan_id = {type = "string"}, amount = {type = "number"}}
required = ["loan_id", "amount"]

[tools.charge_fee.parameters]
type = "object"
properties = {member_id = {type = "string"}, amount = {type = "number"}}
required = ["member_id", "amount"]

[tools.lend_item.parameters]
type = "object"
properties = {member_id = {type = "string"}, items = {type = "array", items = {type = "string"}}}
required = ["member_id", "items"]

[records.loan]
key = "loan_id"
fields.made_at = {type = "datetime"}
look_up = {tool = "get_loan", arguments = {loan_id = "key"}}
"""
POLICY = '''\
"""What the lending desk may do."""

from datetime import timedelta
from decimal import Decimal

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import ChargeFee, LendItem, RenewLoan, Run, WaiveFee, looked_up

DEFAULT = "allow"


def charged(call: ChargeFee, run: Run) -> Decimal:
    """the fees charged in this run, this one included"""
    return call.amount + sum(c.amount for c in run.earlier(ChargeFee) if c.succeeded)


def forbid_large_fees(call: ChargeFee, run: Run) -> bool:
    """R1: Fees charged in one run must not exceed 40 EUR."""
    return charged(call, run) > 40


def forbid_early_renewal(call: RenewLoan, run: Run) -> bool:
    """R2: A loan may only be renewed from the day after it was made."""
    loan = run.loan(call.loan_id)
    return loan is None or call.time - loan.made_at < timedelta(days=1)


def permit_small_waiver(call: WaiveFee, run: Run) -> bool:
    """R3: A fee may be waived only if the loan was looked up and the fee is at most 10 EUR."""
    return looked_up(run.loan(call.loan_id)) and call.amount <= 10


def forbid_many_loans(call: LendItem, run: Run) -> bool:
    """R4: A member may have at most three items lent in one run."""
    return sum(1 for c in run.earlier(LendItem) if c.member_id == call.member_id) >= 3


def contract_fees(call: ChargeFee, run: Run) -> None:
    # R1: Fees charged in one run must not exceed 40 EUR.
    Ensures(Implies(charged(call, run) > Decimal("40"), not Result()))


def contract_renew(call: RenewLoan, run: Run) -> None:
    # R2: A loan may only be renewed from the day after it was made.
    loan = run.loan(call.loan_id)
    early = loan is None or call.time - loan.made_at < timedelta(days=1)
    Ensures(Implies(early, not Result()))
'''


def _line(run: str, tool: str, time: str, arguments: Json, result: Json = None) -> str:
    call = {"run": run, "tool": tool, "time": f"2026-03-{time}:00Z", "arguments": arguments}
    return json.dumps({**call, "result": {"ok": True} if result is None else result})


LOG = "\n".join(
    (
        _line("fees", "charge_fee", "10T10:00", {"member_id": "m1", "amount": 30}),
        _line("fees", "charge_fee", "10T10:01", {"member_id": "m1", "amount": 15}),
        _line(
            "early", "get_loan", "10T10:00", {"loan_id": "l1"},
            {"loan_id": "l1", "made_at": "2026-03-10T09:00:00Z"},
        ),
        _line("early", "renew_loan", "10T10:01", {"loan_id": "l1"}),
        _line("blind", "waive_fee", "10T10:01", {"loan_id": "l9", "amount": 8}),
        *(_line("loans", "lend_item", f"10T10:0{n}", {"member_id": "m1", "items": ["b"]}) for n in range(4)),
    )
)  # fmt: skip


def lending_desk(folder: Path, policy: str = POLICY, request: str = REQUEST) -> Path:
    """A session of the desk in a new folder."""
    desk = folder / "lending-desk"
    (desk / "logs").mkdir(parents=True)
    head = 'format = 1\nname = "lending-desk"\ntitle = "Lending"\nauthor = "written"\n'
    (desk / "session.toml").write_text(f'{head}created = "2026-03-01T00:00:00+00:00"\n', encoding="utf-8")
    (desk / "request.md").write_text(request, encoding="utf-8")
    (desk / "agent.toml").write_text(AGENT, encoding="utf-8")
    (desk / "policy.py").write_text(policy, encoding="utf-8")
    (desk / "logs" / "runs.jsonl").write_text(f"{LOG}\n", encoding="utf-8")
    return desk
