"""Rules with a hole in a list, a number or a missing value, each beside a careful one that has none."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from workbench.app.questions import with_effect
from workbench.app.session_language import language_of
from workbench.clarify.written import Book
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.holes import Hole, HolesByRule
from workbench.clarify.written.tried_calls import Trials
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import Json, RecordedCall, Requirement, Span
from workbench.session.agent_file import read_agent

AGENT = read_agent("""
name = "office"

[tools.send_mail.parameters]
type = "object"
required = ["to", "body"]
[tools.send_mail.parameters.properties]
to = {type = "array", items = {type = "string"}}
body = {type = "string"}
[tools.send_mail.fields]
"to[]" = {type = "mail_address"}

[tools.merge.parameters]
type = "object"
required = ["branch", "checks"]
[tools.merge.parameters.properties]
branch = {type = "string"}
[tools.merge.parameters.properties.checks]
type = "array"
[tools.merge.parameters.properties.checks.items]
type = "object"
required = ["name", "state"]
[tools.merge.parameters.properties.checks.items.properties]
name = {type = "string"}
state = {type = "string", enum = ["success", "failure", "pending"]}

[tools.export_rows.parameters]
type = "object"
required = ["ids"]
[tools.export_rows.parameters.properties]
ids = {type = "array", items = {type = "string"}, description = "the rows; an empty list means all rows"}

[tools.print_rows.parameters]
type = "object"
required = ["ids"]
[tools.print_rows.parameters.properties]
ids = {type = "array", minItems = 1, items = {type = "string"}}

[tools.label.parameters]
type = "object"
required = ["labels"]
properties = {labels = {type = "array", items = {type = "string"}}}

[tools.order.parameters]
type = "object"
required = ["customer", "lines"]
[tools.order.parameters.properties]
customer = {type = "string"}
[tools.order.parameters.properties.lines]
type = "array"
[tools.order.parameters.properties.lines.items]
type = "object"
required = ["sku", "quantity"]
[tools.order.parameters.properties.lines.items.properties]
sku = {type = "string"}
quantity = {type = "integer", minimum = 1}
""")
_OURS, _OTHER = "lee@ours.example", "eve@evil-drop.example"
_MAIL = TriedCall("send_mail", {"to": [_OURS], "body": "x"})
_PASSED: Json = {"name": "a", "state": "success"}
_ROWS: Json = [*("a" for _ in range(100))]
_LABEL = TriedCall("label", {"labels": ["7", "security2"]})


def _ordered(*lines: tuple[str, int]) -> TriedCall:
    made: list[Json] = [{"sku": sku, "quantity": number} for sku, number in lines]
    return TriedCall("order", {"customer": "c", "lines": made})


class Pair(NamedTuple):
    """A rule with a hole of a kind, what the hole shows, an ordinary call, and a careful rule.

    ``sentence`` is that of both, unless the careful one has another.
    """

    kind: str
    sentence: str
    name: str
    condition: str
    shows: str
    ordinary: TriedCall
    careful: str
    said: str = ""
    form: str = "forbid"


PAIRS = (
    Pair("one element of several", "Mail goes to recipients at ours.example.", "SendMail",
         'not any(one.domain == "ours.example" for one in call.to)', "alone is stopped", _MAIL,
         'any(one.domain != "ours.example" for one in call.to) or len(call.to) == 0'),
    Pair("one element of several", "Nothing is sent to somebody outside ours.example.", "SendMail",
         'all(one.domain != "ours.example" for one in call.to)', "alone is stopped", _MAIL,
         'any(one.domain != "ours.example" for one in call.to)'),
    Pair("one element of several", "Do not put the label security on anything.", "Label",
         'all(one == "security" for one in call.labels)', "“security” alone is stopped", _LABEL,
         'any(one == "security" for one in call.labels)'),
    Pair("one element of several", "A branch is merged when its checks have succeeded.", "Merge",
         'not any(check.state == "success" for check in call.checks)', "state “failure”",
         TriedCall("merge", {"branch": "b", "checks": [_PASSED]}),
         'not any(check.state == "success" for check in call.checks)',
         "A branch is merged when at least one check has succeeded."),
    Pair("one element of several", "An issue may get bug and docs.", "Label",
         'any(one in {"bug", "docs"} for one in call.labels)', "alone is stopped",
         TriedCall("label", {"labels": ["docs", "bug"]}),
         'any(one in {"bug", "docs"} for one in call.labels)',
         "Labels may be set if bug or docs is among them, or some other.", "permit"),
    Pair("empty list", "Checks have succeeded before a branch is merged.", "Merge",
         'any(check.state != "success" for check in call.checks)', "checks []",
         TriedCall("merge", {"branch": "b", "checks": [_PASSED]}),
         'any(check.state == "failure" for check in call.checks)',
         "A branch with a failed check is not merged."),
    Pair("empty list", "At most 100 rows are exported.", "ExportRows", "len(call.ids) > 100",
         "about all", TriedCall("export_rows", {"ids": _ROWS}),
         "len(call.ids) > 100 or len(call.ids) == 0"),
    Pair("empty list", "At most 100 rows are exported.", "ExportRows", "len(call.ids) <= 100",
         "about all", TriedCall("export_rows", {"ids": _ROWS}),
         "0 < len(call.ids) <= 100", "", "permit"),
    Pair("several elements", "No more than 30 pieces of an article are ordered.", "Order",
         "any(line.quantity > 30 for line in call.lines)", "quantity 20", _ordered(("a", 20), ("b", 20)),
         "any(sum(one.quantity for one in call.lines if one.sku == line.sku) > 30 for line in call.lines)"),
    Pair("several elements", "An order has at most 30 pieces.", "Order",
         "any(line.quantity > 30 for line in call.lines)", "quantity 20", _ordered(("a", 15), ("b", 15)),
         "any(line.quantity > 30 for line in call.lines)", "No line of an order has more than 30 pieces."),
    Pair("several elements", "At most 30 pieces may be ordered.", "Order",
         "all(line.quantity <= 30 for line in call.lines)", "quantity 20", _ordered(("a", 15), ("b", 15)),
         "sum(line.quantity for line in call.lines) <= 30", "", "permit"),
)  # fmt: skip


def book_of(pair: Pair, sentence: str, condition: str) -> tuple[Book, str]:
    """A policy of one rule for a sentence."""
    default = "deny" if pair.form == "permit" else "allow"
    source = (
        f'"""Own."""\nfrom agent import {pair.name}\n\nDEFAULT = "{default}"\n\n\n'
        f'def {pair.form}_it(call: {pair.name}) -> bool:\n    """R1: {sentence}"""\n    return {condition}\n'
    )
    request = [Requirement("R1", sentence, sentence, Span(0, len(sentence)))]
    logged = [RecordedCall("log", 0, pair.ordinary.tool, pair.ordinary.arguments, result="{}")]
    terms = lowered_policy(source, AGENT).terms
    return Book(language_of(source, AGENT), AGENT, terms, request, calls=logged), source


def holes_of(book: Book, kind: str) -> list[Hole]:
    return [one for one in HolesByRule(book).of(book.rules[0]) if one.kind == kind]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.kind}: {pair.condition}")
def test_a_hole_is_shown_and_closed_and_a_careful_rule_has_none(pair: Pair) -> None:
    book, source = book_of(pair, pair.sentence, pair.condition)
    (hole,) = holes_of(book, pair.kind)
    assert pair.shows in f"{', '.join(map(str, hole.shown.calls))}; {hole.shown.why}"
    assert hole.closing is not None and not hole.closing.turned

    text, _ = with_effect(book.language, source, hole.closing.effect, open_default=pair.form == "forbid")
    then, now = Trials(lowered_policy(text, AGENT).terms, AGENT), Trials(book.terms, AGENT)
    assert now.confirms(hole.shown.calls) and not then.confirms(hole.shown.calls)
    assert now.confirms((pair.ordinary,)) and then.confirms((pair.ordinary,))

    careful, _ = book_of(pair, pair.said or pair.sentence, pair.careful)
    assert not holes_of(careful, pair.kind)


def test_a_list_that_its_schema_does_not_permit_empty_is_not_tried_empty() -> None:
    call = TriedCall("print_rows", {"ids": ["a"]})
    pair = Pair("empty list", "At most 100 rows are printed.", "PrintRows", "", "", call, "")
    book, _ = book_of(pair, pair.sentence, "len(call.ids) > 100")
    assert not holes_of(book, pair.kind)
