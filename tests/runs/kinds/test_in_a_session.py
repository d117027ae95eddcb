"""Kinds of values in a session: declared, extracted with their place, decided alike everywhere."""

from __future__ import annotations

import json
import math
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.guard.exported_files import reading_of
from tests.runs.replay.playing import played
from tests.runs.replay.test_every_recording import decided_alike, replayed_alike
from workbench.files.file_error import FileError
from workbench.guard import Guard, ToolCall
from workbench.model import Decision, Json, RecordedCall, RecordValue, Run, Verdict, WorkbenchError
from workbench.policy.check import check
from workbench.runs.extract.extractor import Extractor
from workbench.runs.extract.reading_needs import needed_beside_python
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.logs import load_runs
from workbench.runs.values.found_value import Missing
from workbench.runs.world.earlier_calls import Earlier
from workbench.session.agent_file import read_agent, write_agent

AGENT = """
name = "clerk"
zone = "Europe/Oslo"

[records.ticket]
key = "id"
fields.host = {type = "str", path = "site", part = "url.host"}
fields.folder = {type = "str", path = "file", part = "path.folder", options = {root = "/repo"}}
fields.weekday = {type = "int", path = "opened", part = "weekday"}
fields.opened = {type = "datetime"}
fields.domains = {type = "set", path = "to", part = "mail_address.domain"}
fields.to = {type = "list", of = "mail_address"}
results = {get_ticket = "$"}

[arguments.ticket]
extract = {method = "record", record = "ticket", key = "$.arguments.id"}

[arguments.target]
type = "path"
optional = true
extract = {method = "jsonpath", path = "$.arguments.path", root = "/repo"}

[arguments.to]
type = "list"
of = "mail_address"
extract = {method = "jsonpath", path = "$.arguments.to"}

[arguments.domains]
type = "set"
extract = {method = "jsonpath", path = "$.arguments.to[*]", part = "mail_address.domain"}

[arguments.site]
type = "url"
optional = true
extract = {method = "jsonpath", path = "$.arguments.url"}

[arguments.refund]
type = "amount"
optional = true
extract = {method = "jsonpath", path = "$.arguments.refund", currency = "EUR"}

[arguments.leaving]
type = "moment"
optional = true
extract = {method = "jsonpath", path = "$.arguments.leaving"}

[arguments.weekday]
type = "int"
optional = true
extract = {method = "jsonpath", path = "$.arguments.leaving", part = "weekday"}
"""
POLICY = '''
"""What a clerk may do."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result


@dataclass(frozen=True)
class MailAddress:
    domain: str


@dataclass(frozen=True)
class Ticket:
    host: str
    folder: str
    weekday: int
    domains: frozenset[str]
    to: tuple[MailAddress, ...]


@dataclass(frozen=True)
class Path:
    inside: frozenset[str]


@dataclass(frozen=True)
class Url:
    scheme: str
    host: str


@dataclass(frozen=True)
class Amount:
    value: Decimal
    currency: str | None


@dataclass(frozen=True)
class Moment:
    hour: int


def forbid_outside(target: Path | None) -> bool:
    """R1: Files outside /repo are not written."""
    return target is not None and "/repo" not in target.inside


def forbid_mail(to: tuple[MailAddress, ...], domains: frozenset[str]) -> bool:
    """R2: Mail goes to example.com only."""
    return any(each.domain != "example.com" for each in to) or any(one != "example.com" for one in domains)


def forbid_site(site: Url | None) -> bool:
    """R3: Only https to api.example.com."""
    return site is not None and (site.scheme != "https" or site.host != "api.example.com")


def forbid_refund(refund: Amount | None) -> bool:
    """R4: Refunds are at most 100 EUR."""
    return refund is not None and (refund.currency != "EUR" or refund.value > Decimal("100"))


def forbid_time(leaving: Moment | None, weekday: int | None) -> bool:
    """R5: Not on Sundays, and not at night."""
    return (leaving is not None and leaving.hour < 6) or (weekday is not None and weekday == 7)


def forbid_ticket(ticket: Ticket | None) -> bool:
    """R6: Tickets of evil.io are left alone."""
    return ticket is not None and (
        ticket.host == "evil.io"
        or ticket.folder != "/repo/docs"
        or "evil.io" in ticket.domains
        or any(each.domain == "evil.io" for each in ticket.to)
        or ticket.weekday == 7
    )


def allow(
    target: Path | None,
    to: tuple[MailAddress, ...],
    domains: frozenset[str],
    site: Url | None,
    refund: Amount | None,
    leaving: Moment | None,
    weekday: int | None,
    ticket: Ticket | None,
) -> bool:
    # R3: Only https.
    Ensures(Implies(site is not None and site.scheme == "http", not Result()))
    return not (
        forbid_outside(target)
        or forbid_mail(to, domains)
        or forbid_site(site)
        or forbid_refund(refund)
        or forbid_time(leaving, weekday)
        or forbid_ticket(ticket)
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
    ({"refund": 99.5}, A),
    ({"refund": "100.01"}, D),
    ({"refund": "100 USD"}, D),
    ({"refund": "1,000"}, C),
    ({"leaving": "2026-03-08T00:30:00"}, D),
    ({"leaving": "2026-03-07T23:30:00Z"}, D),  # Sunday, half past midnight in Oslo
    ({"leaving": "2026-03-07T12:00:00"}, A),
    ({"leaving": "tomorrow"}, C),
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
    messages += _read(
        "t3", "get_ticket", {"id": "t1"}, json.dumps({**TICKET, "site": "https://evil.io\\@x.com"})
    )
    messages += _read("t4", "act", {"id": "t1"}, "ok")
    path = tmp_path_factory.mktemp("logs") / "run.json"
    path.write_text(json.dumps({"messages": messages}))
    return path, messages


def test_replay_live_guard_and_exported_file_decide_alike(
    recorded: tuple[Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    path, messages = recorded
    spec, terms, runs = read_agent(AGENT), check(POLICY), load_runs([path]).runs

    def play(guard: Guard, _place: int, tool_call: type[ToolCall]) -> list[Decision]:
        return played(messages, guard, tool_call)

    live, again = decided_alike(terms, spec, runs, [0], play, tmp_path)
    assert [decision.verdict for decision in live] == [decision.verdict for decision in again]
    wanted = [verdict for _, verdict in CALLS]
    assert [decision.verdict for decision in again] == [*wanted, A, A, A, C]
    replayed_alike(terms, spec, runs, tmp_path)


def test_a_value_has_its_text_and_its_place(recorded: tuple[Path, list[dict[str, Any]]]) -> None:
    run: Run = load_runs([recorded[0]]).runs[0]
    spec = read_agent(AGENT)
    extracted = Extractor(spec.arguments, spec).extract(run.calls[5])
    addresses = extracted["to"].value
    assert isinstance(addresses, tuple)
    address = addresses[0]
    assert isinstance(address, RecordValue)
    assert address.text == '"a@example.com" <e@evil.io>'
    (place,) = extracted["domains"].items["evil.io"]
    span = place.spans[0]
    written = run.calls[5].texts["arguments"][span.start : span.end]
    assert json.loads(f'"{written}"') == address.text


def test_what_an_agent_declares_is_written_as_it_was_read() -> None:
    spec = read_agent(AGENT)
    assert read_agent(write_agent(spec)) == spec
    assert 'type = "path"' in write_agent(spec)
    assert 'options = {root = "/repo"}' in write_agent(spec)


def test_what_reading_needs_is_told() -> None:
    spec = read_agent(AGENT)
    needs = needed_beside_python(reading_of(check(POLICY), spec))
    assert "email-validator and idna for to, domains, ticket.domains, ticket.to" in needs
    assert "ada-url and idna for site, ticket.host" in needs


def test_a_moment_is_in_its_zone() -> None:
    spec = read_agent(
        AGENT.replace('path = "$.arguments.leaving"}', 'path = "$.arguments.leaving", zone = "UTC"}')
    )
    call = RecordedCall("r", 0, "act", {"leaving": "2026-03-07T23:30:00Z"})
    extracted = Extractor(spec.arguments, spec).extract(call)
    leaving = extracted["leaving"].value
    assert isinstance(leaving, RecordValue)
    assert (leaving.date, leaving.hour, leaving.weekday, leaving.day) == (date(2026, 3, 7), 23, 6, 7)
    assert extracted["weekday"].value == 7


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('type = "url"', 'type = "urn"', '"type" cannot be "urn". Did you mean "url"?'),
        ('root = "/repo"}\n\n[arguments.to]', 'rot = "/repo"}\n\n[arguments.to]', "there is no option 'rot'"),
        ('root = "/repo"}\n\n[arguments.to]', 'root = "repo"}\n\n[arguments.to]', "root must be absolute"),
        ('part = "mail_address.domain"}\n\n', 'part = "mail_address.domian"}\n\n', "mail_address.domain"),
        ('part = "weekday"}\nfields', 'part = "week"}\nfields', 'Did you mean "weekday"?'),
        ('{type = "int", path = "opened"', '{type = "str", path = "opened"', 'is of type "int"'),
        ("options = {root", "options = {rot", "has no option 'rot'"),
        ('part = "path.folder", options', "options", "is of none"),
        ("[records.ticket]", "[records.url]", 'has the name of a kind of value'),
        ("[records.ticket]", "[records.result]", 'the class `Result`, a word of the dialect'),
        (
            'method = "jsonpath", path = "$.arguments.refund", currency = "EUR"',
            'method = "record", record = "ticket", key = "$.arguments.id"',
            "a record is an optional argument of the type record",
        ),
    ],
)  # fmt: skip
def test_a_mistake_of_the_declaration_is_one_sentence(old: str, new: str, why: str) -> None:
    assert old in AGENT
    with pytest.raises((FileError, WorkbenchError)) as raised:
        spec = read_agent(AGENT.replace(old, new, 1))
        Extractor(spec.arguments, spec)
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
    for text, part in (
        ("2026-03-02", "hour"),
        ("2026-03-02", "at"),
        ("2026-03-02T10:00", "weekday"),
        ("2026-02-30", "day"),
    ):
        with pytest.raises(Missing):
            reader.part(text, part)


def test_a_part_of_one_text_may_be_a_set_in_a_field_of_a_list() -> None:
    spec = read_agent(
        'name = "x"\n\n[tools.write]\nparameters = {type = "object"}\n\n[records.written]\n'
        'fields.above = {type = "set", path = "file", part = "path.inside", options = {root = "/repo"}}\n\n'
        '[arguments.files]\ntype = "list"\nof = "written"\n'
        'extract = {method = "jsonpath", path = {write = "$.arguments.files"}}\n'
    )
    call = RecordedCall("r", 0, "write", {"files": [{"file": "src/../a.ts"}]}, {})
    extracted = Extractor(spec.arguments, spec).extract(call, Earlier((call,), 0))["files"]
    assert extracted.missing is None and isinstance(extracted.value, tuple)
    (element,) = extracted.value
    assert isinstance(element, RecordValue)
    assert dict(element.fields)["above"] == {"/", "/repo", "/repo/a.ts"}
