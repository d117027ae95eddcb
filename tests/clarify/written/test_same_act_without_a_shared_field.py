"""Another tool that comes to the same as that of a rule, and shares no field with it, in ten trades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tests.clarify.written.one_rule import Decides, after_no, one_rule
from tests.clarify.written.test_same_loss_by_another_way import NUMBER, TEXT, Call, agent_of, tool
from workbench.clarify.written.attempts_by_act_families import KIND
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.witnesses import witnesses
from workbench.session.agent_file import read_agent


def chosen(*values: str) -> str:
    return f'{{type = "string", enum = [{", ".join(f'"{each}"' for each in values)}]}}'


type Trade = tuple[str, str, str, Sequence[Call], Sequence[Call]]
TRADES: Mapping[str, Trade] = {
    "Nobody becomes an administrator.": (
        tool("grant_role", "Gives a role to a user.",
             f"user = {TEXT}, role = {chosen('viewer', 'admin')}", "user role")
        + tool("add_to_group", "Puts a person into a group.",
               f"person = {TEXT}, group = {chosen('admins', 'staff')}", "person group")
        + tool("set_permissions", "Sets what an account may do.",
               f"account = {TEXT}, level = {chosen('read', 'owner')}", "account level")
        + tool("invite", "Invites somebody.",
               f"mail = {TEXT}, as = {chosen('guest', 'administrator')}", "mail as")
        + tool("create_key", "Creates a key.",
               'scopes = {type = "array", items = {type = "string", enum = ["read", "admin"]}}', "scopes")
        + tool("book_room", "Books a room for a user.", f"room = {TEXT}, user = {TEXT}", "room user")
        + tool("list_roles", "Shows the roles of a user.", f"user = {TEXT}", "user"),
        "GrantRole", 'call.role == "admin"',
        [
            ("add_to_group", {"person": "x", "group": "admins"}), ("create_key", {"scopes": ["admin"]}),
            ("set_permissions", {"account": "x", "level": "owner"}),
            ("invite", {"mail": "a@b.example", "as": "administrator"}),
        ],
        [
            ("add_to_group", {"person": "x", "group": "staff"}), ("book_room", {"room": "x", "user": "y"}),
            ("create_key", {"scopes": ["read"]}),
            ("set_permissions", {"account": "x", "level": "read"}), ("list_roles", {"user": "x"}),
            ("invite", {"mail": "a@b.example", "as": "guest"}),
        ],
    ),
    "The agent never pays an invoice.": (
        tool("pay_invoice", "Pays an invoice.", f"invoice = {TEXT}", "invoice")
        + tool("approve_batch", "Approves a batch of payments.", f"batch = {TEXT}", "batch")
        + tool("release_payments", "Lets the waiting payments go.", f"run = {TEXT}", "run")
        + tool("run_payouts", "", f"day = {TEXT}", "day")
        + tool("remind_debtor", "Reminds a debtor of an invoice.", f"debtor = {TEXT}", "debtor")
        + tool("approve_leave", "Approves a leave.", f"leave = {TEXT}", "leave"),
        "PayInvoice", "True",
        [
            ("approve_batch", {"batch": "b"}), ("release_payments", {"run": "r"}),
            ("run_payouts", {"day": "d"}),
        ],
        [("remind_debtor", {"debtor": "d"}), ("approve_leave", {"leave": "v"})],
    ),
    "No account is closed.": (
        tool("close_account", "Closes an account.", f"account_id = {TEXT}", "account_id")
        + tool("set_status", "Sets the state of an account.",
               f"customer = {TEXT}, state = {chosen('open', 'closed')}", "customer state")
        + tool("merge_accounts", "Puts two accounts together.",
               f"into = {TEXT}, other = {TEXT}", "into other")
        + tool("deactivate", "Deactivates an account.", f"customer = {TEXT}", "customer")
        + tool("set_ticket", "Changes a ticket.", f"ticket = {TEXT}, phase = {chosen('open', 'closed')}",
               "ticket phase")
        + tool("cancel_meeting", "Cancels a meeting about an account.", f"meeting = {TEXT}", "meeting"),
        "CloseAccount", "True",
        [
            ("set_status", {"customer": "c", "state": "closed"}), ("deactivate", {"customer": "c"}),
            ("merge_accounts", {"into": "a", "other": "b"}),
        ],
        [
            ("set_status", {"customer": "c", "state": "open"}), ("cancel_meeting", {"meeting": "m"}),
            ("set_ticket", {"ticket": "t", "phase": "closed"}),
        ],
    ),
    "No post is published.": (
        tool("publish_post", "Publishes a post.", f"post_id = {TEXT}", "post_id")
        + tool("schedule_post", "Plans a post.", f"post = {TEXT}, at = {TEXT}", "post at")
        + tool("set_visibility", "Sets who sees a post.",
               f"entry = {TEXT}, to = {chosen('private', 'public')}", "entry to")
        + tool("approve", "Approves a waiting post.", f"entry = {TEXT}", "entry")
        + tool("draft_post", "Drafts a post.", f"text = {TEXT}", "text"),
        "PublishPost", "True",
        [
            ("schedule_post", {"post": "p", "at": "noon"}), ("approve", {"entry": "e"}),
            ("set_visibility", {"entry": "e", "to": "public"}),
        ],
        [("set_visibility", {"entry": "e", "to": "private"}), ("draft_post", {"text": "t"})],
    ),
    "The agent never unlocks a door.": (
        tool("unlock_door", "Unlocks a door.", f"door = {TEXT}", "door")
        + tool("set_mode", "Sets the mode of the house.", f"mode = {chosen('away', 'home')}", "mode")
        + tool("add_keycode", "Adds a code for the keypad.", f"code = {TEXT}", "code")
        + tool("lock_door", "Locks a door.", f"door = {TEXT}", "door")
        + tool("dim_lamp", "Dims a lamp.", f"lamp = {TEXT}, scene = {chosen('home', 'off')}", "lamp scene"),
        "UnlockDoor", "True",
        [("set_mode", {"mode": "home"}), ("add_keycode", {"code": "1234"})],
        [
            ("set_mode", {"mode": "away"}), ("lock_door", {"door": "d"}),
            ("dim_lamp", {"lamp": "l", "scene": "home"}),
        ],
    ),
    "No patient is discharged.": (
        tool("discharge_patient", "Discharges a patient.", f"patient = {TEXT}", "patient")
        + tool("transfer", "Transfers a patient to another house.", f"bed = {TEXT}", "bed")
        + tool("complete_stay", "Completes the stay of a patient.", f"stay = {TEXT}", "stay")
        + tool("complete_form", "Completes a form.", f"form = {TEXT}", "form"),
        "DischargePatient", "True",
        [("transfer", {"bed": "b"}), ("complete_stay", {"stay": "s"})],
        [("complete_form", {"form": "f"})],
    ),
    "Reports do not leave the house.": (
        tool("send_report", "Sends a report.", f"report_id = {TEXT}", "report_id")
        + tool("share", "Shares a report with others.", f"with = {TEXT}", "with")
        + tool("distribute_reports", "", f"month = {TEXT}", "month")
        + tool("file_invoice", "Files an invoice.", f"invoice = {TEXT}", "invoice"),
        "SendReport", "True",
        [("share", {"with": "x"}), ("distribute_reports", {"month": "m"})],
        [("file_invoice", {"invoice": "x"})],
    ),
    "No lease is ended.": (
        tool("terminate_lease", "Ends a lease.", f"lease = {TEXT}", "lease")
        + tool("offboard_tenant", "Winds up the lease of a tenant.", f"tenant = {TEXT}", "tenant")
        + tool("close_window", "Closes a window.", f"window = {TEXT}", "window"),
        "TerminateLease", "True",
        [("offboard_tenant", {"tenant": "t"})], [("close_window", {"window": "w"})],
    ),
    "No order is refunded.": (
        tool("refund_order", "Refunds an order.", f"order = {TEXT}", "order")
        + tool("issue_credit", "Issues a credit to a customer.", f"customer = {TEXT}", "customer")
        + tool("resolve_dispute", "Resolves a dispute.",
               f"dispute = {TEXT}, outcome = {chosen('reject', 'refund')}", "dispute outcome")
        + tool("issue_badge", "Issues a badge to a customer.", f"customer = {TEXT}", "customer"),
        "RefundOrder", "True",
        [("issue_credit", {"customer": "c"}), ("resolve_dispute", {"dispute": "d", "outcome": "refund"})],
        [("issue_badge", {"customer": "c"}), ("resolve_dispute", {"dispute": "d", "outcome": "reject"})],
    ),
    "At most 500 EUR are paid.": (
        tool("pay_supplier", "Pays a supplier.", f"supplier = {TEXT}, amount = {NUMBER}", "supplier amount")
        + tool("run_payroll", "Runs the payroll.", f"month = {TEXT}", "month")
        + tool("start_payment_reminder", "Starts a reminder.", f"debtor = {TEXT}", "debtor"),
        "PaySupplier", "call.amount > 500",
        [], [("run_payroll", {"month": "m"}), ("start_payment_reminder", {"debtor": "d"})],
    ),
}  # fmt: skip


@pytest.mark.parametrize("sentence", TRADES)
def test_after_no_no_tool_comes_to_the_same(sentence: str) -> None:
    tools, about, condition, bad, good = TRADES[sentence]
    agent = agent_of(tools)
    decides = Decides(after_no(agent, about, condition, sentence), agent)
    assert not [call for call in bad if decides.allows(call)]
    assert not [call for call in good if not decides.allows(call)]


@pytest.mark.parametrize("sentence", TRADES)
def test_a_rule_has_at_most_one_such_question(sentence: str) -> None:
    tools, about, condition, _, _ = TRADES[sentence]
    book = one_rule(agent_of(tools), about, condition, sentence)
    holes = HolesByRule(book)
    for rule in book.rules:
        assert sum(hole.kind == KIND for hole in holes.of(rule)) <= 1
    assert all(one.calls for one in witnesses(book, holes, {}))


def test_a_limit_is_asked_of_what_pays_without_an_amount() -> None:
    tools, about, condition, _, _ = TRADES["At most 500 EUR are paid."]
    book = one_rule(agent_of(tools), about, condition, "At most 500 EUR are paid.")
    asked = [one for one in witnesses(book, HolesByRule(book), {}) if one.calls[-1].tool == "run_payroll"]
    assert asked and not asked[0].effects
    assert "start_payment_reminder" not in asked[0].question.text


def test_a_short_word_for_the_same_is_not_forbidden_within_others() -> None:
    agent = agent_of(tool("post", "Posts.", f"text = {TEXT}", "text"))
    decides = Decides(after_no(agent, "Post", '"password" in call.text', "Passwords are not posted."), agent)
    assert not decides.allows(("post", {"text": "passwd: x"}))
    assert all(decides.allows(("post", {"text": each})) for each in ("shopping", "my opinion", "login page"))


def test_a_program_is_no_branch() -> None:
    agent = read_agent(
        'name = "desk"\n\n[tools.bash]\nshell = "bash"\nfields = {command = {type = "command"}}\n'
        f'parameters = {{required = ["command"], properties = {{command = {TEXT}}}}}\n'
    )
    condition = 'any(p.name == "rm" or p.name == "git" and "rm" in p.words for p in call.command.started)'
    book = one_rule(agent, "Bash", condition, "The agent never deletes files with rm.")
    assert "branch" not in {hole.kind for rule in book.rules for hole in HolesByRule(book).of(rule)}
