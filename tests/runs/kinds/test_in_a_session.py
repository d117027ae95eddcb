"""Kinds of values in a session: declared, extracted with their place, decided alike everywhere."""

from __future__ import annotations

import json
import math
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.dialect.lowered_agents import lowered_agent
from tests.guard.exported_files import reading_of
from tests.runs.replay.playing import played
from tests.runs.replay.test_every_recording import decided_alike, replayed_alike
from workbench.files.file_error import FileError
from workbench.guard import Guard, ToolCall
from workbench.model import Decision, Json, Verdict, WorkbenchError
from workbench.runs.extract.reading_needs import needed_beside_python
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.logs import load_runs
from workbench.runs.values.found_value import Missing
from workbench.session.agent_file import read_agent, write_agent

AGENT = """
name = "clerk"
zone = "Europe/Oslo"

[tools.act.parameters]
type = "object"
[tools.act.parameters.properties]
id = {type = "string"}
path = {type = "string"}
url = {type = "string"}
refund = {type = "string"}
leaving = {type = "string"}
to = {type = "array", items = {type = "string"}}
[tools.act.fields]
path = {type = "path", options = {root = "/repo"}}
url = {type = "url"}
refund = {type = "amount", options = {currency = "EUR"}}
leaving = {type = "moment"}
to = {optional = true}
"to[]" = {type = "mail_address"}
[tools.get_ticket.parameters]
type = "object"
properties = {id = {type = "string"}}
required = ["id"]

[records.ticket]
key = "id"
fields.site = {type = "url"}
fields.site_host = {type = "str", path = "id"}
fields.file = {type = "path", options = {root = "/repo"}}
fields.opened = {type = "datetime"}
fields.owner = {type = "mail_address", optional = true}
fields.price = {type = "amount", options = {currency = "EUR"}, optional = true}
fields.to = {type = "list", of = "mail_address"}
results = {get_ticket = "$"}
"""
POLICY = '''
"""What a clerk may do."""

from decimal import Decimal

from agent import Act, Run

DEFAULT = "allow"


def forbid_outside(call: Act) -> bool:
    """R1: Files outside /repo are not written."""
    return call.path is not None and "/repo" not in call.path.inside


def forbid_mail(call: Act) -> bool:
    """R2: Mail goes to example.com only."""
    return any(each.domain != "example.com" for each in call.to)


def forbid_site(call: Act) -> bool:
    """R3: Only https to api.example.com."""
    return call.url is not None and (call.url.scheme != "https" or call.url.host != "api.example.com")


def forbid_refund(call: Act) -> bool:
    """R4: Refunds are at most 100 EUR."""
    return call.refund is not None and (call.refund.currency != "EUR" or call.refund.value > Decimal("100"))


def forbid_time(call: Act) -> bool:
    """R5: Not on Sundays, and not at night."""
    return call.leaving is not None and (call.leaving.hour < 6 or call.leaving.weekday == 7)


def forbid_ticket(call: Act, run: Run) -> bool:
    """R6: Tickets of evil.io are left alone."""
    if call.id is None:
        return False
    ticket = run.ticket(call.id)
    return ticket is not None and (
        ticket.site.host == "evil.io"
        or ticket.site_host == "evil.io"
        or ticket.file.folder != "/repo/docs"
        or "/repo" not in ticket.file.inside
        or any(each.domain == "evil.io" for each in ticket.to)
        or ticket.opened.weekday == 7
        or (ticket.owner is not None and ticket.owner.domain.lower() == "evil.io")
        or (ticket.price is not None and ticket.price.value > Decimal("100"))
    )
'''
TICKET = {
    "id": "t1", "site": "https://Example.com/a", "file": "docs/a.md", "opened": "2026-03-02T23:30:00Z",
    "to": ["Ann <a@Example.com>"],
}  # fmt: skip
A, D, C = Verdict.ALLOW, Verdict.DENY, Verdict.CANNOT_EVALUATE
CALLS: list[tuple[dict[str, Json], Verdict]] = [
    ({"path": "src/x.py"}, A),
    ({"path": "../repo-old/x"}, D),
    ({"path": "a\x00b"}, C),
    ({"path": None}, A),
    ({"to": ["Ann <a@example.com>", "b@EXAMPLE.com"]}, A),
    ({"to": ['"a@example.com" <e@evil.io>']}, D),
    ({"to": ["a@example.com, e@evil.io"]}, C),
    ({"url": "https://api.example.com/x"}, A),
    ({"url": "https://api.example.com@evil.io/"}, D),
    ({"url": "https://api.ex\u0430mple.com/"}, D),
    ({"url": "https://api.example.com\\@evil.io/"}, C),
    ({"refund": "99.5"}, A),
    ({"refund": "100.01"}, D),
    ({"refund": "100 USD"}, D),
    ({"refund": "1,000"}, C),
    ({"leaving": "2026-03-08T00:30:00"}, D),
    ({"leaving": "2026-03-07T23:30:00Z"}, D),  # Sunday, half past midnight in Oslo
    ({"leaving": "2026-03-07T12:00:00"}, A),
    ({"leaving": "tomorrow"}, C),
]
TICKETS: list[tuple[dict[str, Json], Verdict]] = [
    ({"site": "https://evil.io\\@x.com"}, C),
    ({"site": "https://evil.io\\@x.com", "to": ["e@evil.io"]}, D),  # another field decides
    ({"site": "https://EVIL.io/"}, D),
    ({"file": "docs/../src/a.md"}, D),
    ({"opened": "2026-03-07T23:30:00Z"}, D),
    ({"owner": "Eve <e@Evil.IO>"}, D),
    ({"owner": "nobody"}, C),
    ({"owner": None}, A),
    ({"price": "100.01"}, D),
    ({"price": 99}, A),
    ({"price": "99 USD"}, A),
]


def _read(id_: str, tool: str, arguments: dict[str, Json], result: str) -> list[dict[str, Any]]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    call = {"id": id_, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": id_, "content": result},
    ]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """A run with these calls, and last a ticket that is read and then used."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number, (arguments, _) in enumerate(CALLS):
        messages += _read(f"c{number}", "act", arguments, "ok")
    messages += _read("t1", "get_ticket", {"id": "t1"}, json.dumps(TICKET))
    messages += _read("t2", "act", {"id": "t1"}, "ok")
    for changes, _ in TICKETS:
        messages += _read("t", "get_ticket", {"id": "t1"}, json.dumps({**TICKET, **changes}))
        messages += _read("t", "act", {"id": "t1"}, "ok")
    path = tmp_path_factory.mktemp("logs") / "run.json"
    path.write_text(json.dumps({"messages": messages}))
    return path, messages


def test_replay_live_guard_and_exported_file_decide_alike(
    recorded: tuple[Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    path, messages = recorded
    (terms, spec), runs = lowered_agent(AGENT, POLICY), load_runs([path]).runs

    def play(guard: Guard, _place: int, tool_call: type[ToolCall]) -> list[Decision]:
        return played(messages, guard, tool_call)

    live, again = decided_alike(terms, spec, runs, [0], play, tmp_path)
    assert [decision.verdict for decision in live] == [decision.verdict for decision in again]
    wanted = [verdict for _, verdict in CALLS]
    assert [decision.verdict for decision in again] == [
        *wanted,
        A,
        A,
        *(one for _, verdict in TICKETS for one in (A, verdict)),
    ]
    replayed_alike(terms, spec, runs, tmp_path)


def test_what_an_agent_declares_is_written_as_it_was_read() -> None:
    spec = read_agent(AGENT)
    assert read_agent(write_agent(spec)) == spec
    assert 'options = {root = "/repo"}' in write_agent(spec)


def test_what_reading_needs_is_told() -> None:
    terms, spec = lowered_agent(AGENT, POLICY)
    needs = needed_beside_python(reading_of(terms, spec))
    assert "email-validator and idna for act_to, ticket.owner, ticket.to" in needs
    assert "ada-url and idna for url.scheme, url.host, ticket.site" in needs


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('url = {type = "url"}', 'url = {type = "urn"}', 'Did you mean "url"?'),
        ('options = {root = "/repo"}}\nurl', 'options = {rot = "/repo"}}\nurl', "has no option 'rot'"),
        ('options = {root = "/repo"}}\nurl', 'options = {root = "repo"}}\nurl', "root must be absolute"),
        ('{type = "url"}\nfields', '{type = "urn"}\nfields', 'Did you mean "url"?'),
        ('options = {root = "/repo"}}\nfields', 'options = {rot = "/repo"}}\nfields', "has no option 'rot'"),
        ('{type = "url"}\nfields', '{type = "str", options = {root = "/"}}\nfields', "is of none"),
        ('{type = "url"}\nfields', '{type = "url", normal = "code"}\nfields', "form of a text"),
        ("[records.ticket]", "[records.url]", 'has the name of a kind of value'),
        ("[records.ticket]", "[records.result]", 'the class `Result`, a word of the dialect'),
    ],
)  # fmt: skip
def test_a_mistake_of_the_declaration_is_one_sentence(old: str, new: str, why: str) -> None:
    assert old in AGENT
    with pytest.raises((FileError, WorkbenchError)) as raised:
        read_agent(AGENT.replace(old, new, 1))
    assert why in str(raised.value)


@pytest.mark.parametrize(
    ("written", "at"),
    [
        (1772409600, "2026-03-02T00:00:00+00:00"),
        ("1772409600.5", "2026-03-02T00:00:00.500000+00:00"),
        ("20260302", None),
        (20260302, None),
        (20260302.0, None),
        ("202603021030", None),
        ("20260302103000", None),
        ("2026", None),
        ("260302", None),
        ("2026061", None),
        ("3661", "1970-01-01T01:01:01+00:00"),
        (-1, None),
        (math.nan, None),
        (True, None),
    ],
)
def test_digits_are_a_moment_where_they_are_no_date(written: Json, at: str | None) -> None:
    reader = KINDS["moment"].reader({}, "UTC")
    if at is None:
        with pytest.raises(Missing):
            reader.part(written, "at")
    else:
        assert reader.part(written, "at") == datetime.fromisoformat(at)


def test_a_date_alone_has_its_weekday_without_a_zone() -> None:
    reader = KINDS["moment"].reader({})
    assert [reader.part("2026-03-02", name) for name in ("weekday", "day", "date")] == [
        1,
        2,
        date(2026, 3, 2),
    ]
    assert dict(reader.record("2026-03-02").fields).keys() == {"text", "date", "weekday", "day"}
    in_zone = KINDS["moment"].reader({}, "UTC").record("2026-03-02")
    assert dict(in_zone.fields).keys() == {"text", "at", "date", "weekday", "day"}
    for text, part in (
        ("2026-03-02", "hour"),
        ("2026-03-02", "at"),
        ("2026-03-02T10:00", "weekday"),
        ("2026-02-30", "day"),
    ):
        with pytest.raises(Missing):
            reader.part(text, part)
