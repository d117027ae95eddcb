"""Rules that read records, with runs just outside of what they test: found, and stopped by “No”."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from tests.clarify.written.one_rule import Decides, after_no, one_rule
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.witnesses import witnesses
from workbench.model import Json
from workbench.session.agent_file import read_agent

type Call = tuple[str, Mapping[str, Json]] | tuple[str, Mapping[str, Json], str]

KINDS: dict[str, Json] = {
    "str": {"type": "string"}, "int": {"type": "integer"}, "num": {"type": "number"},
    "bool": {"type": "boolean"},
    "rows": {
        "type": "array",
        "items": {
            "type": "object", "required": ["net", "tax"],
            "properties": {"net": {"type": "number"}, "tax": {"type": "number"}},
        },
    },
    "date": {"type": "string", "format": "date"}, "strs": {"type": "array", "items": {"type": "string"}},
}  # fmt: skip


def tool(name: str, parameters: str, told: str = "") -> str:
    """The table of a tool with what it needs, each as “name:type”; a type with a bar is a choice."""
    pairs = [one.split(":") for one in parameters.split()]
    properties: dict[str, Json] = {
        key: {"type": "string", "enum": [*kind.split("|")]} if "|" in kind else KINDS[kind]
        for key, kind in pairs
    }
    schema: dict[str, Json] = {"type": "object", "required": [*properties], "properties": properties}
    dates = [f'{key} = {{type = "date"}}' for key, kind in pairs if kind == "date"]
    return (
        f'[tools.{name}]\ndescription = "{told}"\nparameters = {toml(schema)}\n'
        f"fields = {{{', '.join(dates)}}}\n"
    )


def toml(value: Json) -> str:
    """A value as TOML."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {toml(held)}' for key, held in value.items())}}}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else json.dumps(value)


def record(name: str, fields: str, more: str = "") -> str:
    """The tables of a record with its look-up."""
    look_up = f'look_up = {{tool = "get_{name}", arguments = {{{name}_id = "key"}}}}'
    own = f'[records.{name}]\nkey = "{name}_id"\n{fields}\n{look_up}\n{more}\n'
    return tool(f"get_{name}", f"{name}_id:str") + own


class Case(NamedTuple):
    """A rule with what a person means by it: runs that are not to pass, and harmless ones."""

    tools: str
    about: str
    condition: str
    bad: list[list[Call]]
    good: list[list[Call]]


def told(name: str, key: str, **fields: Json) -> Call:
    """A look-up and what it tells."""
    return f"get_{name}", {f"{name}_id": key}, json.dumps({f"{name}_id": key, **fields})


def refund(amount: int, order: str = "o") -> Call:
    return "refund", {"order_id": order, "amount": amount}


def salary(amount: int) -> Call:
    return "set_salary", {"employee_id": "e", "salary": amount}


def rent(start: str, end: str) -> Call:
    return "rent_out", {"vehicle_id": "v", "start": start, "end": end}


def spend(amount: int) -> Call:
    return "spend", {"budget_id": "b", "amount": amount}


def move(to: str) -> Call:
    return "transfer_patient", {"patient_id": "p", "destination": to}


def access() -> Call:
    return "grant_access", {"employee_id": "e", "system": "s"}


def coins(amount: int, to: str) -> Call:
    return "send_coins", {"to_address": to, "amount": amount}


def transfer(to: str) -> Call:
    return "transfer", {"user_id": "u", "to_account": to, "amount": 5}


def link(account: str) -> Call:
    return "link_account", {"user_id": "u", "account": account}


def shipment(mode: str) -> Call:
    return "book_shipment", {"order_id": "o", "mode": mode, "hazardous": True}


def device(name: str, state: str) -> Call:
    return "set_device", {"device": name, "state": state}


def dose(mg: int, times: int) -> Call:
    return "prescribe", {"drug": "d", "mg": mg, "times_per_day": times}


def off(percent: int, order: str = "o") -> Call:
    return "apply_discount", {"order_id": order, "percent": percent}


def back(goods: int, postage: int) -> Call:
    return "refund_order", {"order_id": "o", "goods_amount": goods, "postage_amount": postage}


def seen_by(whom: str) -> Call:
    return "set_visibility", {"document_id": "d", "visibility": whom}


def paid(invoice: str, amount: int) -> Call:
    return "pay_invoice", {"invoice_id": invoice, "amount": amount}


def given_out(packs: int, size: int) -> Call:
    return "dispense", {"drug": "d", "packs": packs, "pack_size": size}


def nights(number: int) -> Call:
    return "book_stay", {"hotel": "h", "nights": number}


def extended(number: int) -> Call:
    return "extend_stay", {"stay_id": "s", "more_nights": number}


def bill(net: int, tax: int) -> Call:
    return "pay_bill", {"bill_id": "b", "positions": [{"net": net, "tax": tax}]}


def room(guest: str) -> Call:
    return "book_room", {"guest_id": guest, "room": "r"}


def query(statement: str) -> Call:
    return "run_query", {"query": statement}


QUERY = tool("run_query", "query:str").replace("fields = {}", 'fields = {query = {type = "sql"}}')
OBJECT, CHANGE = "run.object(call.object_id)", "run.change(call.change_id)"
TICKET = "run.ticket(call.ticket_id)"
ITEM, PAPER = "run.item(call.item_id)", "run.paper(call.paper_id)"
ORDER, VEHICLE = "run.order(call.order_id)", "run.vehicle(call.vehicle_id)"
EMPLOYEE, BUDGET = "run.employee(call.employee_id)", "run.budget(call.budget_id)"
CONTRACT, PATIENT = "run.contract(call.contract_id)", "run.patient(call.patient_id)"
DOCUMENT = "run.document(call.document_id)"
BY: list[Json] = [{"by": "ann"}, {"by": "ann"}]
CASES = {
    "No more is refunded than the order did cost.": Case(
        record("order", 'fields.total = {type = "decimal"}') + tool("refund", "order_id:str amount:num"),
        "Refund",
        f"{ORDER} is None or call.amount > {ORDER}.total",
        [
            [told("order", "o", total=80), refund(80), refund(80)],
            [told("order", "o", total=80), refund(50), refund(40)],
        ],
        [
            [told("order", "o", total=80), refund(40), refund(40)],
            [told("order", "o", total=80), told("order", "x", total=80), refund(80), refund(80, "x")],
        ],
    ),
    "No more is spent than the budget has left.": Case(
        record("budget", 'fields.left = {type = "decimal"}') + tool("spend", "budget_id:str amount:num"),
        "Spend",
        f"{BUDGET} is None or call.amount > {BUDGET}.left",
        [[told("budget", "b", left=80), spend(80), spend(80)]],
        [
            [told("budget", "b", left=80), spend(40), spend(40)],
            [told("budget", "b", left=80), spend(50), told("budget", "b", left=30), spend(30)],
        ],
    ),
    "A salary is raised by at most 10 percent.": Case(
        record(
            "employee",
            'fields.salary = {type = "decimal"}',
            'changed_to = {set_salary = {salary = "$.arguments.salary"}}',
        )
        + tool("set_salary", "employee_id:str salary:num"),
        "SetSalary",
        f'{EMPLOYEE} is None or call.salary > {EMPLOYEE}.salary * Decimal("1.10")',
        [[told("employee", "e", salary=100), salary(110), salary(121)]],
        [[told("employee", "e", salary=100), salary(110)], [told("employee", "e", salary=100), salary(90)]],
    ),
    "No vehicle is on the road after its inspection ends.": Case(
        record("vehicle", 'fields.inspected_until = {type = "date"}')
        + tool("rent_out", "vehicle_id:str start:date end:date"),
        "RentOut",
        f"{VEHICLE} is None or call.start > {VEHICLE}.inspected_until",
        [[told("vehicle", "v", inspected_until="2026-03-10"), rent("2026-03-09", "2026-03-11")]],
        [[told("vehicle", "v", inspected_until="2026-03-10"), rent("2026-03-01", "2026-03-10")]],
    ),
    "A contract is signed when two people have approved it.": Case(
        '[records.approval]\nfields.by = {type = "str"}\n'
        + record("contract", 'fields.approvals = {type = "list", of = "approval"}')
        + tool("sign_contract", "contract_id:str"),
        "SignContract",
        f"{CONTRACT} is None or len({CONTRACT}.approvals) < 2",
        [[told("contract", "c", approvals=BY), ("sign_contract", {"contract_id": "c"})]],
        [
            [
                told("contract", "c", approvals=[{"by": "ann"}, {"by": "bob"}]),
                ("sign_contract", {"contract_id": "c"}),
            ]
        ],
    ),
    "No patient is sent home while a result is pending.": Case(
        record("patient", 'fields.pending = {type = "int"}')
        + tool("discharge_patient", "patient_id:str")
        + tool("transfer_patient", "patient_id:str destination:ward|home")
        + tool("order_lab", "patient_id:str test:str", "Orders a test."),
        "DischargePatient",
        f"{PATIENT} is None or {PATIENT}.pending > 0",
        [[told("patient", "p", pending=2), move("home")]],
        [
            [told("patient", "p", pending=2), move("ward")], [told("patient", "p", pending=0), move("home")],
            [told("patient", "p", pending=2), ("order_lab", {"patient_id": "p", "test": "crp"})],
        ],
    ),
    "The text of an archived document is not changed.": Case(
        record("document", 'fields.archived = {type = "bool"}')
        + tool("edit_document", "document_id:str text:str")
        + tool("restore_version", "document_id:str version:int")
        + tool("comment_document", "document_id:str note:str"),
        "EditDocument",
        f"{DOCUMENT} is None or {DOCUMENT}.archived",
        [[told("document", "d", archived=True), ("restore_version", {"document_id": "d", "version": 1})]],
        [
            [told("document", "d", archived=False), ("restore_version", {"document_id": "d", "version": 1})],
            [told("document", "d", archived=True), ("comment_document", {"document_id": "d", "note": "x"})],
        ],
    ),
    "Nobody under notice gets access to a system.": Case(
        record("employee", 'fields.notice = {type = "bool"}')
        + tool("grant_access", "employee_id:str system:str")
        + tool("add_to_group", "group:str members:strs", "Its members have access to the systems of a group.")
        + tool("send_note", "employee_id:str text:str", "Sends a note."),
        "GrantAccess",
        f"{EMPLOYEE} is None or {EMPLOYEE}.notice",
        [[told("employee", "e", notice=True), ("add_to_group", {"group": "g", "members": ["e"]})]],
        [
            [told("employee", "e", notice=False), ("add_to_group", {"group": "g", "members": ["e"]})],
            [told("employee", "e", notice=True), ("send_note", {"employee_id": "e", "text": "x"})],
        ],
    ),
    "Whoever did not pass the background check gets no access.": Case(
        record("employee", 'fields.background_check = {type = "str", optional = true}')
        + tool("grant_access", "employee_id:str system:str"),
        "GrantAccess",
        f'{EMPLOYEE} is None or {EMPLOYEE}.background_check is not None'
        f' and {EMPLOYEE}.background_check == "failed"',
        [[told("employee", "e"), access()]],
        [[told("employee", "e", background_check="passed"), access()]],
    ),
    "Not more than 5 coins leave the wallet on a day.": Case(
        tool("send_coins", "to_address:str amount:num"),
        "SendCoins",
        "call.amount + sum(c.amount for c in run.earlier(SendCoins)"
        " if c.to_address == call.to_address and not c.failed) > 5",
        [[coins(4, "a"), coins(3, "b")], [coins(5, "a"), coins(5, "b")]],
        [[coins(2, "a"), coins(3, "b")], [coins(5, "a")]],
    ),
    "Money goes to accounts of the user only.": Case(
        record("user", 'fields.accounts = {type = "set"}')
        + tool("transfer", "user_id:str to_account:str amount:num")
        + tool("link_account", "user_id:str account:str"),
        "Transfer",
        "run.user(call.user_id) is None or call.to_account not in run.user(call.user_id).accounts",
        [[link("x"), told("user", "u", accounts=["x"]), transfer("x")]],
        [
            [told("user", "u", accounts=["a"]), transfer("a")],
            [link("x"), told("user", "u", accounts=["a"]), transfer("a")],
        ],
    ),
    "The stock does not fall below what is kept.": Case(
        record("item", 'fields.stock = {type = "int"}\nfields.kept = {type = "int"}')
        + tool("remove_stock", "item_id:str pieces:int")
        + tool("add_stock", "item_id:str pieces:int"),
        "RemoveStock",
        f"{ITEM} is None or {ITEM}.stock - call.pieces < {ITEM}.kept",
        [[("add_stock", {"item_id": "i", "pieces": -9})]],
        [
            [("add_stock", {"item_id": "i", "pieces": 9})],
            [told("item", "i", stock=9, kept=2), ("remove_stock", {"item_id": "i", "pieces": 3})],
        ],
    ),
    "A paper is printed only after its reviewers have agreed.": Case(
        '[records.review]\nfields.agreed = {type = "bool"}\n'
        + record("paper", 'fields.reviewers = {type = "list", of = "review"}')
        + tool("print_paper", "paper_id:str"),
        "PrintPaper",
        f"{PAPER} is None or any(not each.agreed for each in {PAPER}.reviewers)",
        [[told("paper", "p", reviewers=[]), ("print_paper", {"paper_id": "p"})]],
        [[told("paper", "p", reviewers=[{"agreed": True}]), ("print_paper", {"paper_id": "p"})]],
    ),
    "Hazardous goods must not travel by air.": Case(
        tool("book_shipment", "order_id:str mode:road|air hazardous:bool")
        + tool("change_mode", "shipment_id:str mode:road|air"),
        "BookShipment",
        'call.hazardous and call.mode == "air"',
        [[shipment("road"), ("change_mode", {"shipment_id": "s", "mode": "air"})]],
        [[shipment("road"), ("change_mode", {"shipment_id": "s", "mode": "road"})], [shipment("road")]],
    ),
    "The front door stays locked.": Case(
        tool("unlock_door", "door:str")
        + tool("set_device", "device:str state:str", "Sets the state of a device: lamps, locks of doors."),
        "UnlockDoor",
        'call.door == "front"',
        [[device("front", "unlocked")], [device("the Front door", "open")]],
        [[device("kitchen lamp", "on")], [("unlock_door", {"door": "garden"})]],
    ),
    "No patient is given more than 4,000 mg a day.": Case(
        tool("prescribe", "drug:str mg:int times_per_day:int"),
        "Prescribe",
        "call.mg > 4000",
        [[dose(1000, 6)], [dose(4000, 2)], [dose(3600, 50)]],
        [[dose(4000, 1)], [dose(500, 8)], [dose(100, 39)]],
    ),
    "No order gets more than 15 percent off.": Case(
        tool("apply_discount", "order_id:str percent:int"),
        "ApplyDiscount",
        "call.percent > 15",
        [[off(15), off(15)], [off(8), off(8)]],
        [[off(15)], [off(7), off(8)], [off(15), off(15, "other")]],
    ),
    "Not more than 100 EUR of an order are paid back.": Case(
        tool("refund_order", "order_id:str goods_amount:num postage_amount:num"),
        "RefundOrder",
        "call.goods_amount > 100",
        [[back(90, 50)], [back(100, 1)], [back(0, 200)]],
        [[back(90, 10)], [back(100, 0)]],
    ),
    "Only open tickets are answered.": Case(
        record("ticket", 'fields.state = {type = "str"}') + tool("answer_ticket", "ticket_id:str"),
        "AnswerTicket",
        f'{TICKET} is None or {TICKET}.state == "closed"',
        [[told("ticket", "t", state="spam"), ("answer_ticket", {"ticket_id": "t"})]],
        [[told("ticket", "t", state="open"), ("answer_ticket", {"ticket_id": "t"})]],
    ),
    "Confidential documents are not published.": Case(
        record("document", 'fields.confidential = {type = "bool"}')
        + tool("publish_document", "document_id:str")
        + tool("set_visibility", "document_id:str visibility:private|team|public"),
        "PublishDocument",
        f"{DOCUMENT} is None or {DOCUMENT}.confidential",
        [[told("document", "d", confidential=True), seen_by("public")]],
        [
            [told("document", "d", confidential=True), seen_by("team")],
            [told("document", "d", confidential=False), seen_by("public")],
        ],
    ),
    "Prices are not lowered.": Case(
        record("item", 'fields.price = {type = "decimal"}')
        + tool("set_price", "item_id:str price:num")
        + tool("create_promotion", "item_id:str percent_off:int")
        + tool("set_photo", "item_id:str photo:str"),
        "SetPrice",
        f"{ITEM} is None or call.price < {ITEM}.price",
        [[told("item", "i", price=9), ("create_promotion", {"item_id": "i", "percent_off": 50})]],
        [
            [told("item", "i", price=9), ("set_price", {"item_id": "i", "price": 10})],
            [("set_photo", {"item_id": "i", "photo": "p"})],
        ],
    ),
    "Subscribers are not deleted.": Case(
        tool("delete_subscriber", "subscriber_id:str")
        + tool("import_subscribers", "file:str replace:bool", "With replace the list is emptied."),
        "DeleteSubscriber",
        "True",
        [[("import_subscribers", {"file": "f", "replace": True})]],
        [[("import_subscribers", {"file": "f", "replace": False})]],
    ),
    "Every expense over 100 EUR has a receipt.": Case(
        tool("submit_expense", "amount:num receipt:str").replace('"amount", "receipt"', '"amount"'),
        "SubmitExpense",
        "call.amount > 100 and call.receipt is None",
        [[("submit_expense", {"amount": 200, "receipt": " "})]],
        [[("submit_expense", {"amount": 200, "receipt": "r"})], [("submit_expense", {"amount": 20})]],
    ),
    "Data of those who have not agreed stay in the hospital.": Case(
        record("patient", 'fields.consent = {type = "str", optional = true}')
        + tool("export_data", "patient_id:str study:str"),
        "ExportData",
        f'{PATIENT} is None or {PATIENT}.consent == "refused"',
        [[told("patient", "p"), ("export_data", {"patient_id": "p", "study": "s"})]],
        [[told("patient", "p", consent="given"), ("export_data", {"patient_id": "p", "study": "s"})]],
    ),
    "No invoice is paid twice.": Case(
        tool("pay_invoice", "invoice_id:str amount:num"),
        "PayInvoice",
        "any(c.invoice_id == call.invoice_id and c.amount == call.amount for c in run.earlier(PayInvoice))",
        [[paid("i", 5), paid("i", 6)], [paid("I", 5), paid("i", 5)]],
        [[paid("i", 5), paid("j", 5)], [paid("i", 5)]],
    ),
    "Nobody gets into flat 7.": Case(
        tool("issue_key", "flat:str person:str") + tool("reset_lock", "flat:str person:str"),
        "IssueKey",
        'call.flat == "7"',
        [[("reset_lock", {"flat": "7", "person": "p"})]],
        [[("reset_lock", {"flat": "8", "person": "p"})]],
    ),
    "The back door is never unlocked.": Case(
        tool("unlock_door", "door:front|back")
        + tool("run_scene", "scene:Film|night|party", "Film dims, night locks all, party unlocks doors."),
        "UnlockDoor",
        'call.door == "back"',
        [[("run_scene", {"scene": "party"})]],
        [[("run_scene", {"scene": "Film"})], [("run_scene", {"scene": "night"})]],
    ),
    "Fragile objects never leave the house.": Case(
        record("object", 'fields.fragile = {type = "bool"}')
        + tool("lend_object", "object_id:str museum:str")
        + tool("ship_objects", "object_ids:strs place:str")
        + tool("describe_object", "object_id:str text:str"),
        "LendObject",
        f"{OBJECT} is None or {OBJECT}.fragile",
        [[told("object", "o", fragile=True), ("ship_objects", {"object_ids": ["o"], "place": "p"})]],
        [
            [told("object", "o", fragile=False), ("ship_objects", {"object_ids": ["o"], "place": "p"})],
            [told("object", "o", fragile=True), ("describe_object", {"object_id": "o", "text": "x"})],
        ],
    ),
    "A change is merged after somebody else approved it.": Case(
        record("change", 'fields.author = {type = "str"}\nfields.approvers = {type = "set"}')
        + tool("merge_change", "change_id:str"),
        "MergeChange",
        f"{CHANGE} is None or len({CHANGE}.approvers) == 0",
        [[told("change", "c", author="ann", approvers=["ann"]), ("merge_change", {"change_id": "c"})]],
        [[told("change", "c", author="ann", approvers=["ann", "bob"]), ("merge_change", {"change_id": "c"})]],
    ),
    "Not more than 1,000 EUR are taken out of a deposit.": Case(
        tool("withdraw", "deposit_id:str amount:num")
        + tool("close_deposit", "deposit_id:str", "Closes a deposit and pays everything out.")
        + tool("name_deposit", "deposit_id:str label:str", "Gives a deposit another label."),
        "Withdraw",
        "call.amount > 1000",
        [[("close_deposit", {"deposit_id": "d"})]],
        [[("name_deposit", {"deposit_id": "d", "label": "x"})]],
    ),
    "The oven stays below 250 degrees.": Case(
        tool("set_oven", "celsius:int")
        + tool("start_program", "program:pizza|cake", "The oven: pizza heats to 300 degrees, cake to 180."),
        "SetOven",
        "call.celsius >= 250",
        [[("start_program", {"program": "pizza"})]],
        [[("start_program", {"program": "cake"})], [("set_oven", {"celsius": 200})]],
    ),
    "Exams are opened by the office.": Case(
        tool("unlock_exam", "exam_id:str")
        + tool("set_window", "exam_id:str start:date end:date", "Sets from when an exam is open to all.")
        + tool("set_room", "exam_id:str room:str", "Sets where an exam is written."),
        "UnlockExam",
        "True",
        [[("set_window", {"exam_id": "e", "start": "2026-01-01", "end": "2026-02-01"})]],
        [[("set_room", {"exam_id": "e", "room": "x"})]],
    ),
    "Not more than 20 tablets are given out.": Case(
        tool("dispense", "drug:str packs:int pack_size:int"),
        "Dispense",
        "call.packs > 20",
        [[given_out(2, 50)], [given_out(1, 21)]],
        [[given_out(2, 10)], [given_out(1, 20)]],
    ),
    "Nobody stays longer than 14 nights.": Case(
        tool("book_stay", "hotel:str nights:int") + tool("extend_stay", "stay_id:str more_nights:int"),
        "BookStay",
        "call.nights > 14",
        [[nights(14), extended(10)], [extended(30)], [nights(8), extended(4), extended(4)]],
        [[nights(3), extended(1)], [extended(2)]],
    ),
    "No bill of more than 900 EUR is paid.": Case(
        tool("pay_bill", "bill_id:str positions:rows"),
        "PayBill",
        "sum(one.net for one in call.positions) > 900",
        [[bill(800, 700)], [bill(1, 1000)]],
        [[bill(400, 70)]],
    ),
    "Nobody earns more than 40 EUR an hour.": Case(
        tool("set_wage", "worker_id:str hourly_wage:num")
        + tool("set_bonus", "worker_id:str monthly_bonus:num")
        + tool("set_desk", "worker_id:str"),
        "SetWage",
        "call.hourly_wage > 40",
        [[("set_bonus", {"worker_id": "w", "monthly_bonus": 9000})]],
        [[("set_bonus", {"worker_id": "w", "monthly_bonus": 20})], [("set_desk", {"worker_id": "w"})]],
    ),
    "A guest has at most two rooms.": Case(
        tool("book_room", "guest_id:str room:str"),
        "BookRoom",
        "sum(1 for c in run.earlier(BookRoom) if c.guest_id == call.guest_id and not c.failed) >= 2",
        [[room("G"), room("g"), room("g ")]],
        [[room("G"), room("g"), room("h")]],
    ),
    "The table payroll is not read.": Case(
        QUERY, "RunQuery", '"payroll" in call.query.reads',
        [[query("SELECT * FROM hr.payroll")]],
        [[query("SELECT * FROM payroll_rules")], [query("SELECT * FROM hr.people")]],
    ),
    "Orders are not deleted.": Case(
        QUERY, "RunQuery", '"delete" in call.query.kinds and "orders" in call.query.writes',
        [[query("UPDATE orders SET a = NULL")]],
        [[query("UPDATE orders SET a = 1 WHERE id = 3")], [query("SELECT * FROM orders")]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("sentence", CASES)
def test_what_is_just_outside_of_a_test_is_shown_and_stopped_and_nothing_else(sentence: str) -> None:
    case = CASES[sentence]
    agent = read_agent(f'name = "desk"\n\n{case.tools}')
    book = one_rule(agent, case.about, case.condition, sentence)
    before = Decides(book.language.source, agent)
    assert all(before.allows(*run) for run in case.bad)
    assert [*witnesses(book, HolesByRule(book), {})]
    after = Decides(after_no(agent, case.about, case.condition, sentence), agent)
    assert not [run for run in case.bad if after.allows(*run)]
    assert not [run for run in case.good if not after.allows(*run)]


OF_ORDER = CASES["No more is refunded than the order did cost."]
OF_VEHICLE = CASES["No vehicle is on the road after its inspection ends."]
OF_CONTRACT = CASES["A contract is signed when two people have approved it."]
OF_COINS = CASES["Not more than 5 coins leave the wallet on a day."]
OF_EMPLOYEE = CASES["Nobody under notice gets access to a system."]
CAREFUL = {
    "Nobody becomes an admin.": Case(
        tool("grant_role", "user_id:str role:reader|admin") + tool("send_mail", "user_id:str text:str"),
        "GrantRole",
        'call.role == "admin"',
        [],
        [],
    ),
    "Photos are never deleted.": Case(
        tool("delete_photo", "photo_id:str") + tool("tag_photo", "photo_id:str tag:str"),
        "DeletePhoto",
        "True",
        [],
        [],
    ),
    "All refunds of an order together stay within what it cost.": OF_ORDER._replace(
        condition=f"{ORDER} is None or call.amount <= 0 or call.amount + sum(c.amount for c in"
        f" run.earlier(Refund) if c.order_id == call.order_id and not c.failed) > {ORDER}.total"
    ),
    "In a day at most 5 coins leave the wallet.": OF_COINS._replace(
        condition="call.amount <= 0"
        " or call.amount + sum(c.amount for c in run.earlier(SendCoins) if not c.failed) > 5"
    ),
    "A contract is signed when two different people have approved it.": OF_CONTRACT._replace(
        condition=f"{CONTRACT} is None or len({{each.by for each in {CONTRACT}.approvals}}) < 2"
    ),
    "No card pays more than it has.": Case(
        tool("pay_by_card", "card:str amount:num") + tool("top_up", "card:str amount:num"),
        "PayByCard",
        "call.amount < 0",
        [],
        [],
    ),
    "German firms are registered with their number.": Case(
        tool("register", "name:str country:str number:str").replace(
            '"name", "country", "number"', '"name", "country"'
        ),
        "Register",
        'call.country.strip().lower() == "de" and (call.number is None or call.number.strip() == "")',
        [],
        [],
    ),
    "No single refund is above what the order did cost.": OF_ORDER,
    "No vehicle begins a tour after its inspection ends.": OF_VEHICLE._replace(
        condition=f"{VEHICLE} is None or call.end > {VEHICLE}.inspected_until"
    ),
    "A contract is signed after two approvals.": OF_CONTRACT,
    "Hazardous goods never travel by air.": CASES["Hazardous goods must not travel by air."]._replace(
        tools=tool("book_shipment", "order_id:str mode:road|air hazardous:bool")
    ),
    "A note to an employee under notice is not sent.": OF_EMPLOYEE._replace(
        tools=OF_EMPLOYEE.tools.replace("grant_access", "get_access"), about="SendNote"
    ),
}


def test_a_rule_that_looks_back_less_far_than_its_sentence_is_asked_about() -> None:
    agent = read_agent(f'name = "desk"\n\n{tool("issue_voucher", "customer_id:str value:num")}')
    again = "c.customer_id == call.customer_id and call.time - c.time < timedelta(days={})"
    for days, is_asked in ((1, True), (7, False)):
        condition = f"any({again.format(days)} for c in run.earlier(IssueVoucher))"
        book = one_rule(agent, "IssueVoucher", condition, "A customer gets one voucher a week.")
        kinds = {hole.kind for hole in HolesByRule(book).of(book.rules[0])}
        assert ("longer time" in kinds) is is_asked


def test_what_a_sentence_says_of_one_address_is_counted_for_it() -> None:
    sentence = "Not more than 5 coins a day go to the same address."
    book = one_rule(
        read_agent(f'name = "desk"\n\n{OF_COINS.tools}'), "SendCoins", OF_COINS.condition, sentence
    )
    kinds = {hole.kind for hole in HolesByRule(book).of(book.rules[0])}
    assert "counted apart" not in kinds


@pytest.mark.parametrize("sentence", CAREFUL)
def test_a_rule_that_looks_at_what_its_sentence_says_is_not_asked_about(sentence: str) -> None:
    case = CAREFUL[sentence]
    book = one_rule(read_agent(f'name = "desk"\n\n{case.tools}'), case.about, case.condition, sentence)
    assert not [*witnesses(book, HolesByRule(book), {})]
