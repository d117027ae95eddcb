"""The same loss by another way: a side effect that is told, another measure, statement, argument or owner.

After “No” to every question, all calls of a table are denied that do the same, and harmless ones are allowed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import pytest

from tests.clarify.written.one_rule import Decides, after_no, one_rule
from workbench.app.answered_rules import with_effect
from workbench.clarify.written.attempts_at_statements import STATEMENTS
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.witnesses import CLOSED, witnesses
from workbench.model import AgentSpec, Json
from workbench.session.agent_file import read_agent

type Call = tuple[str, Mapping[str, Json]]
type Case = tuple[str, str, str, str, list[Call], list[Call]]


def tool(name: str, description: str, properties: str, required: str = "", fields: str = "") -> str:
    needed = ", ".join(f'"{each}"' for each in required.split())
    return (
        f'[tools.{name}]\ndescription = "{description}"\nfields = {{{fields}}}\n'
        f"parameters = {{required = [{needed}], properties = {{{properties}}}}}\n"
    )


TEXT, NUMBER, SWITCH = '{type = "string"}', '{type = "number"}', '{type = "boolean"}'
TICKETS = (
    tool("close_ticket", "Closes a ticket.", f"ticket = {TEXT}", "ticket")
    + tool("merge_tickets", "Puts tickets together. The merged ones are closed.",
           f"into = {TEXT}, merged = {TEXT}", "into merged")
    + tool("answer_ticket", "Answers a ticket.",
           f'ticket = {TEXT}, text = {TEXT}, close = {{type = "boolean", description = "also closes it"}}',
           "ticket text")
    + tool("change_ticket", "Changes a ticket.",
           f'ticket = {TEXT}, status = {{type = "string", enum = ["open", "solved"]}}', "ticket")
    + tool("note_ticket", "Writes a note; a ticket is not closed by it.", f"ticket = {TEXT}", "ticket")
)  # fmt: skip
ROOMS = (
    tool("set_heating", "Sets the temperature.",
         f'room = {TEXT}, target = {NUMBER}, unit = {{type = "string", enum = ["C", "F"]}}', "room target")
    + tool("nudge_heating", "Makes a room warmer.", f"room = {TEXT}, steps = {NUMBER}", "room steps")
    + tool("read_heating", "Shows the temperature.", f"room = {TEXT}", "room")
)  # fmt: skip
SQL = tool("query", "Runs SQL.", f"sql = {TEXT}", "sql", 'sql = {type = "sql"}')
KUBE = tool("kubectl", "Runs kubectl.", 'args = {type = "array", items = {type = "string"}}', "args")
KUBE_LINE = tool("kubectl", "Runs kubectl.", f"arguments = {TEXT}", "arguments")
SHELL = tool("sandbox", "Runs a command.", f"command = {TEXT}", "command", 'command = {type = "command"}')
PORTS = tool("open_port", "Lets traffic in.", f"port = {NUMBER}, cidr = {TEXT}", "port cidr")
PAGES = tool("open_page", "Opens a page.", f"url = {TEXT}", "url", 'url = {type = "url"}')
TURNED = '{type = "string", enum = ["lock", "unlock", "open"]}'
DOORS = tool("turn", "Turns a lock.", f"door = {TEXT}, to = {TURNED}", "door to")
PAYMENTS = tool(
    "pay", "Pays.",
    f'to = {TEXT}, amount = {NUMBER}, repeat = {{type = "integer", description = "how often it is paid"}}',
    "to amount",
)  # fmt: skip
SUPPLIERS = tool("pay_supplier", "Pays.", f"supplier_id = {TEXT}, supplier_name = {TEXT}, amount = {NUMBER}")
CASES: Mapping[str, Case] = {
    "No ticket is closed.": (
        TICKETS, "CloseTicket", "True", "",
        [
            ("merge_tickets", {"into": "T1", "merged": "T2"}),
            ("answer_ticket", {"ticket": "T1", "text": "x", "close": True}),
            ("change_ticket", {"ticket": "T1", "status": "solved"}),
        ],
        [
            ("answer_ticket", {"ticket": "T1", "text": "x"}), ("change_ticket", {"ticket": "T1"}),
            ("change_ticket", {"ticket": "T1", "status": "open"}), ("note_ticket", {"ticket": "T1"}),
        ],
    ),
    "No room is set below 15 degrees.": (
        ROOMS, "SetHeating", "call.target < 15", "",
        [
            ("set_heating", {"room": "r", "target": 40, "unit": "F"}),
            ("nudge_heating", {"room": "r", "steps": -9}),
        ],
        [
            ("set_heating", {"room": "r", "target": 20, "unit": "C"}),
            ("set_heating", {"room": "r", "target": 20}),
            ("nudge_heating", {"room": "r", "steps": 1}), ("read_heating", {"room": "r"}),
        ],
    ),
    "Orders are not deleted.": (
        SQL, "Query", '"delete" in call.sql.kinds and "orders" in call.sql.writes', "",
        [
            ("query", {"sql": each}) for each in (
                "TRUNCATE TABLE orders", "DROP TABLE orders", "UPDATE orders SET a = NULL",
                "CREATE OR REPLACE TABLE orders AS SELECT 1 AS a", "WITH g AS (DELETE FROM orders) SELECT 1",
            )
        ],
        [("query", {"sql": each}) for each in ("SELECT * FROM orders", "DELETE FROM drafts")],
    ),
    "A namespace is never deleted.": (
        KUBE, "Kubectl", '"delete" in call.args and "namespace" in call.args', "",
        [
            ("kubectl", {"args": [*each]}) for each in (
                ("delete", "ns", "x"), ("delete", "namespaces", "x"), ("delete", "namespace/x"),
                ("delete", "ns/x"), ("delete", "pod,namespace", "x"),
            )
        ],
        [("kubectl", {"args": [*each]}) for each in (("get", "ns"), ("delete", "pod", "x"))],
    ),
    "No namespace is deleted.": (
        KUBE_LINE, "Kubectl", '"delete namespace" in call.arguments', "",
        [
            ("kubectl", {"arguments": each}) for each in (
                "delete ns x", "delete  namespace x", "delete ns/x", "-n a delete namespaces x",
                "delete --wait=false namespace x",
            )
        ],
        [
            ("kubectl", {"arguments": each}) for each in (
                "get ns", "delete pod x --namespace=fares", "delete pod x --namespace fares",
                "delete pod namespace-controller", "delete pod dns",
            )
        ],
    ),
    "Code comes from our own pages only (github.com/guild-north).": (
        PAGES, "OpenPage", 'call.url.host != "github.com"', "",
        [
            ("open_page", {"url": f"https://{each}"}) for each in (
                "github.com/stranger/x", "GITHUB.com/stranger/x", "github.com/guild-north/../stranger/x",
                "github.com/stranger/x?github.com/guild-north/", "github.com/guild-north/%2e%2e/stranger/x",
            )
        ],
        [("open_page", {"url": f"https://{each}/guild-north/x"}) for each in ("github.com", "GITHUB.com")],
    ),
    "No port is opened to the whole Internet.": (
        PORTS, "OpenPort", 'call.cidr in {"0.0.0.0/0", "::/0"}', "",
        [("open_port", {"port": 1, "cidr": each}) for each in ("0.0.0.0/1", "128.0.0.0/1", "9.9.9.9/0")],
        [("open_port", {"port": 1, "cidr": each}) for each in ("10.0.0.0/8", "192.0.2.7/32", "2001::/32")],
    ),
    "Only pages of shop.example.com are opened.": (
        PAGES, "OpenPage", 'call.url.host != "shop.example.com"', "",
        [
            ("open_page", {"url": f"https://shop.example.com/{each}"}) for each in (
                "redirect?to=https://evil.example/x", "login?next=%2F%2Fevil.example",
                "a?b=https%3A%2F%2Fevil.example",
            )
        ],
        [("open_page", {"url": "https://shop.example.com/chairs?page=2"})],
    ),
    "The agent never unlocks a door.": (
        DOORS, "Turn", 'call.to == "unlock"', "",
        [("turn", {"door": "d", "to": "open"})], [("turn", {"door": "d", "to": "lock"})],
    ),
    "At most 500 EUR are paid.": (
        PAYMENTS, "Pay", "call.amount > 500", "",
        [("pay", {"to": "x", "amount": 500, "repeat": 40}), ("pay", {"to": "x", "amount": 300, "repeat": 2})],
        [("pay", {"to": "x", "amount": 300, "repeat": 1}), ("pay", {"to": "y", "amount": 20, "repeat": 3})],
    ),
    "Northmill gets nothing.": (
        SUPPLIERS, "PaySupplier", 'call.supplier_name == "Northmill"', "",
        [("pay_supplier", {"supplier_id": "S-131", "amount": 3})],
        [("pay_supplier", {"supplier_name": "Sauer", "amount": 3})],
    ),
}  # fmt: skip


def agent_of(tools: str) -> AgentSpec:
    return read_agent(f'name = "desk"\n\n{tools}')


@pytest.mark.parametrize("sentence", CASES)
def test_after_no_to_each_question_nothing_comes_to_the_same(sentence: str) -> None:
    tools, about, condition, _, bad, good = CASES[sentence]
    agent = agent_of(tools)
    decides = Decides(after_no(agent, about, condition, sentence), agent)
    assert not [call for call in bad if decides.allows(call)]
    assert not [call for call in good if not decides.allows(call)]


CAREFUL: Mapping[str, tuple[str, str, str]] = {
    "No ticket is noted.": (TICKETS, "NoteTicket", "True"),
    "Nobody looks at a room.": (ROOMS, "ReadHeating", "True"),
    "Orders are not read.": (SQL, "Query", '"orders" in call.sql.reads'),
    "No node is drained.": (KUBE, "Kubectl", '"drain" in call.args'),
    "Not 192.0.2.7.": (PORTS, "OpenPort", 'call.cidr.startswith("192.0.2.7")'),
}
UNDESERVED = frozenset(("told effect", "told flag", "by a number", "measure", "wider network", "statement"))


@pytest.mark.parametrize("sentence", CAREFUL)
def test_what_nothing_comes_to_is_not_asked_about(sentence: str) -> None:
    tools, about, condition = CAREFUL[sentence]
    book = one_rule(agent_of(tools), about, condition, sentence)
    holes = HolesByRule(book)
    kinds = {hole.kind for rule in book.rules for hole in holes.of(rule)}
    assert not kinds & UNDESERVED
    assert all(one.calls for one in witnesses(book, holes, {}))


def rows_after(statement: str) -> list[tuple[object, ...]]:
    """The rows of a table after a statement, as SQLite runs it."""
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE orders (a, b)")
        base.execute("INSERT INTO orders VALUES (7, 8)")
        base.execute(statement)
        is_there = base.execute("SELECT 1 FROM sqlite_master WHERE name = 'orders'").fetchall()
        return base.execute("SELECT a, b FROM orders").fetchall() if is_there else []


def test_statements_do_what_is_said_of_them() -> None:
    for _, closed, others in STATEMENTS:
        for statement in (*closed.values(), *others.values()):
            text = statement.format(t="orders")
            if text.startswith(("TRUNCATE", "CREATE OR REPLACE")):  # which SQLite does not know
                continue
            if "copied" in text and text.startswith("INSERT"):
                text = text.replace("INSERT INTO copied", "CREATE TABLE copied AS")
            rows = rows_after(text)
            reads = text.startswith("SELECT") or "copied" in text
            assert (rows == [(7, 8)]) is reads
            assert reads or "UPDATE" not in text or rows[0][1] == 8


def test_the_pages_of_another_owner_are_told_by_how_an_address_in_a_command_begins() -> None:
    agent = read_agent(f'name = "guild"\n{SHELL}')
    sentence = "Code comes from our own pages only (github.com/guild-north)."
    book = one_rule(agent, "Sandbox", 'not call.command.hosts <= {"github.com"}', sentence)
    found = [*witnesses(book, HolesByRule(book), {})]
    (asked,) = (one for one in found if "is not of guild-north" in one.question.text)
    source, _ = with_effect(book.language, book.language.source, asked.effects[CLOSED], open_default=True)
    decides = Decides(source, agent)
    for address, is_open in {
        "https://github.com/guild-north/x": True,
        "https://GITHUB.com/guild-north/x": True,
        "git@github.com:guild-north/plans.git": True,
        "git@github.com:stranger/plans.git": False,
        "https://GITHUB.com/stranger/x": False,
        "https://github.com/guild-north/../stranger/x": False,
        "https://github.com/guild-north/%2e%2e/stranger/x": False,
        "https://github.com/stranger/x?github.com/guild-north/": False,
    }.items():
        assert decides.allows(("sandbox", {"command": f"git clone {address}"})) == is_open, address
