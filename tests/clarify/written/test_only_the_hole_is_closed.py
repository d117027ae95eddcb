"""A call that hardly anybody wants is asked about; an answer stops what does the same and nothing else."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.clarify.written.one_rule import one_rule
from workbench.app.answered_rules import with_effect
from workbench.app.session_language import language_of
from workbench.clarify.written import Asked
from workbench.clarify.written.asked import Calls, TriedCall
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.tried_calls import Trials
from workbench.clarify.written.values_meant import typed_values
from workbench.clarify.written.witnesses import CLOSED, DECLARED, WIDER, witnesses
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import Json
from workbench.session.agent_file import read_agent


def tool(name: str, needed: str, optional: str = "", more: str = "", told: str = "") -> str:
    """The table of a tool with parameters, each as “name:type”; a type with a bar is a choice."""
    schemas = {
        "str": '{type = "string"}',
        "int": '{type = "integer"}',
        "num": '{type = "number"}',
        "lines": '{type = "array", items = {type = "object", required = ["amount"], '
        'properties = {amount = {type = "number"}}}}',
        "strs": '{type = "array", items = {type = "string"}}',
    }

    def schema(kind: str) -> str:
        values = ", ".join(f'"{each}"' for each in kind.split("|"))
        return f'{{type = "string", enum = [{values}]}}' if "|" in kind else schemas[kind]

    pairs = [one.split(":") for one in f"{needed} {optional}".split()]
    required = ", ".join(f'"{one.partition(":")[0]}"' for one in needed.split())
    return (
        f'[tools.{name}]\ndescription = "{told}"\n{more}\n[tools.{name}.parameters]\ntype = "object"\n'
        f"required = [{required}]\n[tools.{name}.parameters.properties]\n"
        + "".join(f"{name} = {schema(kind)}\n" for name, kind in pairs)
    )


AGENT = read_agent(
    'name = "a"\n'
    + tool("create_price", "product:str", "unit_amount:int unit_amount_decimal:str currency:str")
    + tool("pay_invoice", "invoice_id:str amount:str")
    + tool("delete_pod", "namespace:str pod:str")
    + tool("insert_row", "table:str cells:str")
    + tool("delete_branch", "repo:str branch:str")
    + tool("send_mail", "to:str body:str", "cc:strs", 'fields = {to = {type = "mail_address"}}')
    + tool("create_campaign", "title:str", "daily_budget:num lifetime_budget:num days:int")
    + tool("set_salary", "employee_id:str", "monthly_amount:num annual_amount:num")
    + tool("order_items", "sku:str unit_price:num quantity:int")
    + tool("buy_tickets", "show_id:str customer_id:str quantity:int")
    + tool(
        "bash", "command:str", "", 'shell = "bash"\ncwd = "/repo"\nfields = {command = {type = "command"}}'
    )
    + tool("query", "sql:str", "", 'fields = {sql = {type = "sql"}}')
    + tool("set_server", "device_id:str server:str")
    + tool("unlock", "door:str")
    + tool("share_event", "event_id:str", "visibility:private|public|default")
    + tool("ban_member", "member:str days:int")
    + tool("water_zone", "zone:str", "minutes:int litres:int")
    + tool("reimburse", "employee:str amount:num currency:EUR|USD|GBP|KWD")
    + tool("order_stock", "drug:str packs:int pack_size:int")
    + tool("run_console", "line:str")
    + tool("merge_pull", "number:int")
    + tool("auto_merge", "number:int", told="Merges a pull request when its checks pass.")
    + tool("write_cells", "file:str", "", 'fields = {file = {type = "path"}}')
    + tool("delete_file", "path:str", "", 'fields = {path = {type = "path"}}')
    + tool(
        "make_link",
        "target:str link_path:str",
        "",
        'fields = {target = {type = "path"}, link_path = {type = "path"}}',
    )
    + tool("grant_role", "user_name:str role:admin|owner|member")
    + tool("transfer_ownership", "user_name:str")
    + tool("invite_member", "email_of:str role:admin|owner|member")
    + tool("load_truck", "truck_id:str weight:num unit:kg|t")
    + tool("share_link", "report:str", "expires_in_days:int")
    + tool("send_file", "recipient_id:str name:str")
    + tool("run_python", "code:str")
    + tool("close_account", "account_id:str")
    + tool("merge_accounts", "account_id:str into_id:str", told="Merges an account; the first one is gone.")
    + tool("send_text", "customer:str text:str")
    + tool("submit_claim", "employee:str total:num lines:lines")
    + tool("deploy_service", "service:str", "regions:strs", "fields = {regions = {optional = true}}")
    + tool("lend_book", "reader_id:str book_id:str")
    + tool("lend_books", "reader_id:str book_ids:strs")
    + tool("start_campaign", "segment:str text:str", told="Sends a text to a segment.")
)


class Case(NamedTuple):
    """A rule for a sentence, runs that get past it, harmless ones, and the answer that tells them apart."""

    sentence: str
    name: str
    condition: str
    bad: list[Calls]
    good: list[Calls]
    answer: str = CLOSED
    form: str = "forbid"


def one(tool_name: str, /, **arguments: Json) -> Calls:
    return (TriedCall(tool_name, arguments),)


def commands(*texts: str) -> list[Calls]:
    return [one("bash", command=each) for each in texts]


def tickets(*pairs: tuple[str, str]) -> Calls:
    calls = ({"show_id": show, "customer_id": who, "quantity": 3} for show, who in pairs)
    return tuple(TriedCall("buy_tickets", each) for each in calls)


def lent(*many: int) -> Calls:
    """Books of one reader: one alone in a call, or several in a call."""
    alone: dict[str, Json] = {"reader_id": "r", "book_id": "b"}
    several: list[dict[str, Json]] = [
        {"reader_id": "r", "book_ids": ["b" for _ in range(number)]} for number in many
    ]
    return tuple(
        TriedCall("lend_book", alone) if number == 1 else TriedCall("lend_books", held)
        for number, held in zip(many, several, strict=True)
    )


def claims(total: int, *amounts: int) -> Calls:
    held: list[Json] = [{"amount": each} for each in amounts]
    return one("submit_claim", employee="e", total=total, lines=held)


def lines(*texts: str) -> list[Calls]:
    return [one("run_console", line=each) for each in texts]


READS_SECRETS = 'any(p.name == "secrets.env" for p in call.command.reads)'
CASES = (
    Case("No price above 500 EUR.", "CreatePrice",
         "call.unit_amount is not None and call.unit_amount > 50000",
         [one("create_price", product="p", unit_amount_decimal=each) for each in ("99999.5", "1e9", "60000")],
         [one("create_price", product="p", unit_amount_decimal="100.50"),
          one("create_price", product="p", unit_amount=100)], DECLARED),
    Case("Nothing is paid for 0.", "PayInvoice", 'call.amount == "0"',
         [one("pay_invoice", invoice_id="i", amount=each) for each in ("0.00", "0e1", "000", "0,0")],
         [one("pay_invoice", invoice_id="i", amount="10.50")], DECLARED),
    Case("No pod in prod is deleted.", "DeletePod", 'call.namespace == "prod"',
         [one("delete_pod", namespace=each, pod="p") for each in ("prod-eu", "production", "eu-prod")],
         [one("delete_pod", namespace=each, pod="p") for each in ("dev", "product-demo", "pre-prod")]),
    Case("The release branch stays.", "DeleteBranch", 'call.branch == "release"',
         [one("delete_branch", repo="r", branch=each) for each in ("release/1.2", "release-1.2")],
         [one("delete_branch", repo="r", branch=each) for each in ("topic", "released")]),
    Case("Nothing is inserted into users.", "InsertRow", 'call.table == "users"',
         [one("insert_row", table=each, cells="x") for each in ("public.users", '"users"')],
         [one("insert_row", table=each, cells="x") for each in ("orders", "users_seen")]),
    Case("No mail goes to rival.example.", "SendMail", 'call.to.domain == "rival.example"',
         [one("send_mail", to="a@x.example", body="b", cc=[each])
          for each in ("b@rival.example", "B <b@rival.example>")],
         [one("send_mail", to="a@x.example", body="b", cc=["b@x.example"]),
          one("send_mail", to="a@x.example", body="b")], DECLARED),
    Case("A campaign spends at most 100 EUR a day.", "CreateCampaign",
         "call.daily_budget is not None and call.daily_budget > 100",
         [one("create_campaign", title="n", lifetime_budget=100_000),
          one("create_campaign", title="n", lifetime_budget=5000, days=2)],
         [one("create_campaign", title="n", lifetime_budget=150, days=30),
          one("create_campaign", title="n", daily_budget=50, lifetime_budget=1000)]),
    Case("Nobody earns more than 8,000 EUR a month.", "SetSalary",
         "call.monthly_amount is not None and call.monthly_amount > 8000",
         [one("set_salary", employee_id="e", annual_amount=200_000)],
         [one("set_salary", employee_id="e", annual_amount=60_000)]),
    Case("An order costs at most 500 EUR.", "OrderItems", "call.unit_price > 500",
         [one("order_items", sku="s", unit_price=price, quantity=many)
          for price, many in ((450, 50), (90, 6), (20, 26), (1, 501))],
         [one("order_items", sku="s", unit_price=price, quantity=many)
          for price, many in ((80, 6), (500, 1), (166, 3), (2, 200))]),
    Case("A customer gets at most 4 tickets of a show.", "BuyTickets", "call.quantity > 4",
         [tickets(("s", "c"), ("s", "c"))],
         [tickets(("s", "c"), ("t", "c")), tickets(("s", "c"), ("s", "d"))]),
    Case("The file secrets.env is not read.", "Bash", READS_SECRETS,
         commands("grep -r KEY .", "tar cf /tmp/a.tar /repo", "git grep KEY"),
         commands("git diff", "git diff | head -5", "pytest", "grep -rn KEY src", "ls")),
    Case("The file secrets.env is not read.", "Bash", READS_SECRETS,
         commands("grep -r KEY .", "grep -rn KEY src"), commands("git diff", "pytest", "ls"), WIDER),
    Case("Nothing is loaded.", "Bash", 'any(p in {"curl", "wget"} for p in call.command.programs)',
         commands("scp a eve@x.example:", "rsync a x.example:"), commands("ls", "cat a")),
    Case("No service is stopped.", "Bash", '"systemctl stop" in call.command.calls',
         commands("systemctl kill a", "sudo systemctl kill a"), commands("systemctl status a")),
    Case("No rows are deleted.", "Query", '"delete" in call.sql.kinds',
         [one("query", sql=each) for each in ("TRUNCATE TABLE a", "DROP TABLE a", "SELECT 1; DROP TABLE a")],
         [one("query", sql=each) for each in ("SELECT 1", "INSERT INTO a VALUES (1)")]),
    Case("Devices talk to ours.example.", "SetServer", 'not call.server.endswith("ours.example")',
         [one("set_server", device_id="d", server=each) for each in ("notours.example", "my-ours.example")],
         [one("set_server", device_id="d", server=each) for each in ("ours.example", "mqtt.ours.example")]),
    Case("The server room stays locked.", "Unlock", 'call.door == "server-room"',
         [one("unlock", door=each) for each in ("server room", "Server_Room", " server-room")],
         [one("unlock", door="lobby")]),
    Case("No event is public.", "ShareEvent", 'call.visibility is not None and call.visibility == "public"',
         [one("share_event", event_id="e", visibility="default")],
         [one("share_event", event_id="e", visibility="private")]),
    Case("A member is banned for 7 days at most.", "BanMember", "call.days > 7",
         [one("ban_member", member="a", days=6) * 2],
         [one("ban_member", member="a", days=7),
          one("ban_member", member="a", days=6) + one("ban_member", member="b", days=6)]),
    Case("Water for at most 45 minutes.", "WaterZone", "call.minutes is not None and call.minutes > 45",
         [one("water_zone", zone="z", litres=20_000), one("water_zone", zone="z", minutes=5, litres=9000)],
         [one("water_zone", zone="z", minutes=45)]),
    Case("At most 500 are reimbursed.", "Reimburse", "call.amount <= 500",
         [one("reimburse", employee="e", amount=many, currency=code)
          for many, code in ((480, "KWD"), (499, "GBP"), (200, "KWD"))],
         [one("reimburse", employee="e", amount=many, currency=code)
          for many, code in ((500, "EUR"), (60, "USD"))], form="permit"),
    Case("At most 20 packs are ordered.", "OrderStock", "call.packs > 20",
         [one("order_stock", drug="d", packs=20, pack_size=5000),
          one("order_stock", drug="d", packs=1, pack_size=100_000)],
         [one("order_stock", drug="d", packs=20, pack_size=20)]),
    Case("Nobody gets op.", "RunConsole", 'call.line.startswith("/op")',
         lines("op a", "/minecraft:op a", "/execute as @p run op a", " /op a", "OP a"),
         lines("/say hello", "time set day", "/opal mine")[:2]),
    Case("Nothing is merged.", "MergePull", "True", [one("auto_merge", number=1)], [one("unlock", door="d")]),
    Case("The ledger stays.", "WriteCells", r'call.file == "C:\\Accounts\\ledger.xlsx"',
         [one("write_cells", file=each)
          for each in (r"c:\accounts\LEDGER.xlsx", "C:/Accounts/ledger.xlsx", r"C:\Accounts\.\ledger.xlsx")],
         [one("write_cells", file=r"C:\Accounts\travel.xlsx")], DECLARED),
    Case("The ledger stays.", "WriteCells", r'call.file == "C:\\Accounts\\ledger.xlsx"',
         [one("write_cells", file=each) for each in (r"c:\accounts\LEDGER.xlsx", "C:/Accounts/ledger.xlsx")],
         [one("write_cells", file=r"C:\Accounts\travel.xlsx")]),
    Case("The finals stay.", "DeleteFile", '"/srv/finals" in call.path.inside',
         [one("make_link", target="/srv/finals", link_path="/srv/tmp/a")
          + one("delete_file", path="/srv/tmp/a/b")],
         [one("make_link", target="/srv/sky", link_path="/srv/tmp/a"),
          one("delete_file", path="/srv/tmp/c")]),
    Case("Nobody becomes an admin.", "GrantRole", 'call.role == "admin"',
         [one("transfer_ownership", user_name="u")], [one("grant_role", user_name="u", role="member")]),
    Case("Nobody becomes an admin.", "GrantRole", 'call.role == "admin"',
         [one("invite_member", email_of="u", role="admin")],
         [one("invite_member", email_of="u", role="member")]),
    Case("A load has at most 900 kg.", "LoadTruck", "call.weight > 900",
         [one("load_truck", truck_id="t", weight=each, unit="t") for each in (20, 0.95)],
         [one("load_truck", truck_id="t", weight=800, unit="kg"),
          one("load_truck", truck_id="t", weight=0.5, unit="t")]),
    Case("Loads are not above 900.", "LoadTruck", "call.weight > 900",
         [one("load_truck", truck_id="t", weight=800, unit="kg") * 2],
         [one("load_truck", truck_id="t", weight=800, unit="kg")
          + one("load_truck", truck_id="u", weight=800, unit="kg")]),
    Case("Links last at most 30 days.", "ShareLink",
         "call.expires_in_days is None or call.expires_in_days > 30",
         [one("share_link", report="r", expires_in_days=each) for each in (0, -1)],
         [one("share_link", report="r", expires_in_days=7)]),
    Case("No exe is sent.", "SendFile", 'call.name.endswith(".exe")',
         [one("send_file", recipient_id="r", name=each) for each in ("a.msi", "a.bat")],
         [one("send_file", recipient_id="r", name="a.pdf")]),
    Case("No key is deleted.", "DeleteFile", 'call.path.suffix == ".pem"',
         [one("delete_file", path=each) for each in ("/srv/a.key", "/srv/a.p12")],
         [one("delete_file", path="/srv/a.txt")]),
    Case("Code does not use the network.", "RunPython", '"import requests" in call.code',
         [one("run_python", code=each) for each in ("import urllib.request", "from requests import get")],
         [one("run_python", code="import math")]),
    Case("No account is closed.", "CloseAccount", "True",
         [one("merge_accounts", account_id="a", into_id="b")], [one("unlock", door="lobby")]),
    Case("Nothing is sent to C-1.", "SendText", 'call.customer == "C-1"',
         [one("start_campaign", segment="all", text="t")], [one("send_text", customer="C-2", text="t")]),
    Case("No claim is above 800 EUR.", "SubmitClaim", "call.total > 800",
         [claims(1, 5000), claims(10, 500, 500)], [claims(800, 400, 400), claims(5)]),
    Case("Services only run in eu-1.", "DeployService", 'not all(r in {"eu-1"} for r in call.regions)',
         [one("deploy_service", service="s"), one("deploy_service", service="s", regions=[])],
         [one("deploy_service", service="s", regions=["eu-1"])]),
    Case("No service runs in eu-9.", "DeployService", '"eu-9" in call.regions',
         [one("deploy_service", service="s", regions=["eu-1", each]) for each in ("EU-9", " eu-9")],
         [one("deploy_service", service="s", regions=["eu-1", "eu-90"])]),
    Case("A reader gets at most three books.", "LendBook",
         "sum(1 for e in run.earlier(LendBook) if e.reader_id == call.reader_id and not e.failed) >= 3",
         [lent(1, 1, 1, 2), lent(4), lent(2, 2)],
         [lent(1, 1, 1), lent(1, 2), lent(3)]),
    Case("No rows are deleted.", "Query", '"delete" in call.sql.lower()',
         [one("query", sql="TRUNCATE a")],
         [one("query", sql=each) for each in ("VACUUM", "ANALYZE a", "BEGIN", "SELECT 1")], "value"),
    Case("Nothing is destroyed.", "Bash", 'call.command.startswith("terraform destroy")',
         commands("cd a && terraform destroy", "terraform  destroy", "terraform -chdir=a destroy"),
         commands("terraform plan", "ls"), "value"),
)  # fmt: skip


def stops_all(asked: Asked, case: Case, source: str) -> bool:
    """Whether an answer stops all bad runs and lets the harmless ones through, as a guard would decide."""
    effect = asked.effects.get(case.answer)
    if effect is None:
        return False
    agent = effect.agent or AGENT
    text, _ = with_effect(language_of(source, agent), source, effect, open_default=case.form != "permit")
    then = Trials(lowered_policy(text, agent).terms, agent)
    return not any(map(then.confirms, case.bad)) and all(map(then.confirms, case.good))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.sentence} {case.answer}")
def test_an_answer_stops_what_does_the_same_and_leaves_the_rest(case: Case) -> None:
    book = one_rule(AGENT, case.name, case.condition, case.sentence, form=case.form)
    now = Trials(book.terms, AGENT)
    assert all(map(now.confirms, (*case.bad, *case.good)))
    tried = HolesByRule(book)
    asked = [*witnesses(book, tried, {}), *typed_values(book, tried)]
    assert [each for each in asked if stops_all(each, case, book.language.source)], [
        (each.question.text, [option.label for option in each.question.options]) for each in asked
    ]


@pytest.mark.parametrize(
    ("name", "condition", "sentence"),
    [
        ("DeletePod", 'call.namespace == "prod"', "No pod in exactly prod is deleted."),
        ("BuyTickets", "call.quantity > 4", "No single purchase is of more than 4 tickets."),
        ("CreateCampaign", "call.daily_budget is None or call.daily_budget > 100", "At most 100 EUR a day."),
        ("SetServer", 'call.server != "ours.example" and not call.server.endswith(".ours.example")', "Ours."),
        ("Query", 'not call.sql.kinds <= {"select"}', "Nothing is changed."),
        ("RunConsole", 'not call.line.startswith("/say ")', "The agent may only say something."),
        (
            "LendBook",
            "len(run.earlier(LendBook)) >= 3 or len(run.earlier(LendBooks)) >= 2",
            "At most three books are lent, and two times several.",
        ),
        ("OrderStock", "call.packs > 20 or call.pack_size > 100", "At most 20 packs of up to 100."),
    ],
)
def test_a_careful_rule_has_no_such_hole(name: str, condition: str, sentence: str) -> None:
    book = one_rule(AGENT, name, condition, sentence)
    kinds = {
        "longer name",
        "amount lifetime_budget",
        "name that goes on",
        "statement",
        "word of a line",
        "shared limit",
    }
    kinds |= {"amount pack_size", *(["several calls"] if name == "BuyTickets" else [])}
    assert not [each.shown for each in HolesByRule(book).of(book.rules[0]) if each.kind in kinds]
