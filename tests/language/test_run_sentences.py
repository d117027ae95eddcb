"""Everyday sentences about whole runs: theorems are the first that is offered for them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls
from workbench.language.kept_sentence import with_sentence
from workbench.language.language import Language
from workbench.language.run_sentences import in_order, is_of_a_sum, is_of_runs
from workbench.language.suggestion import Suggestions
from workbench.session.agent_file import read_agent

ROOT = Path(__file__).resolve().parents[2]
TOOLS = {
    "pay_invoice": ("total",),
    "send_mail": ("to",),
    "read_page": ("url",),
    "issue_refund": ("order_id", "amount"),
    "cancel_order": ("order_id",),
    "get_order": ("order_id",),
}
RECORD = """
[records.order]
key = "order_id"
results = {get_order = "$"}
look_up = {tool = "get_order", arguments = {order_id = "key"}}
fields.user = {type = "str"}
"""
POLICY = '''\
"""What may be done."""

from agent import PayInvoice, ReadPage, Run, SendMail

DEFAULT = "allow"


def goes_outside(call: SendMail) -> bool:
    """whether a mail is sent outside"""
    return not call.to.endswith("@desk.example")


def saw_untrusted(run: Run) -> bool:
    """whether an untrusted page was read"""
    return any(not c.url.startswith("https://desk.example/") and not c.failed for c in run.earlier(ReadPage))


def forbid_much(call: PayInvoice) -> bool:
    """R1: Not more than 9,000 EUR."""
    return call.total > 9000
'''


def agent() -> str:
    lines = ['name = "desk"']
    for tool, parameters in TOOLS.items():
        of = {name: "number" if name in ("total", "amount") else "string" for name in parameters}
        properties = ", ".join(f'{name} = {{type = "{type_}"}}' for name, type_ in of.items())
        required = ", ".join(f'"{name}"' for name in parameters)
        lines.append(
            f'[tools.{tool}]\nparameters = {{type = "object", required = [{required}], '
            f"properties = {{{properties}}}}}"
        )
    return "\n".join(lines) + RECORD


@cache
def language(session: str) -> Language:
    if not session:
        return Language(agent_types(read_agent(agent())), POLICY)
    folder = ROOT / session
    return Language(
        agent_types(read_agent((folder / "agent.toml").read_text())), (folder / "policy.py").read_text()
    )


OFFERED = [
    (
        "",
        "In no run is more than 5,000 EUR paid.",
        "In no run is the sum of the total of all calls to pay an invoice that did not fail more than 5,000.",
    ),
    (
        "",
        "In no run is a mail sent outside after an untrusted page was read, unless a person approved.",
        "In no run may the agent send mail if no person approves the call and a mail is sent outside "
        "and an untrusted page was read.",
    ),
    (
        "",
        "In no run is a mail sent outside after an untrusted page was read.",
        "In no run may the agent send mail if a mail is sent outside and an untrusted page was read.",
    ),
    (
        "",
        "Within any hour at most three refunds are issued.",
        "In no run may the agent issue a refund if the number of earlier calls to issue a refund that "
        "succeeded (where the earlier call was at most 1 hour ago) is at least 3.",
    ),
    (
        "",
        "Every order that is cancelled was looked up before.",
        "In no run may the agent cancel an order unless the order was looked up.",
    ),
    (
        "",
        "In no run is an order cancelled before it was looked up.",
        "In no run may the agent cancel an order unless the order was looked up.",
    ),
    (
        "sessions/travel-desk",
        "No run pays more than 5,000 EUR.",
        "In no run is the sum of the total of all calls to pay an invoice that did not fail more than "
        "5,000 EUR.",
    ),
    (
        "sessions/travel-desk",
        "Every booking that is cancelled was looked up before.",
        "In no run may the agent cancel a booking unless the booking was looked up.",
    ),
    (
        "benchmarks/sessions/retail-desk",
        "Every order that is cancelled was looked up before.",
        "In no run may the agent cancel a pending order unless the order was looked up.",
    ),
    (
        "benchmarks/sessions/airline-desk",
        "In no run are more than 500 dollars paid.",
        "In no run is the sum of the amount of all calls to send a certificate that did not fail "
        "more than 500.",
    ),
    (
        "benchmarks/sessions/authoring-support",
        "Within any hour at most three refunds are issued.",
        "In no run may the agent issue a refund if the number of earlier calls to issue a refund that "
        "succeeded (where the earlier call was at most 1 hour ago) is at least 3.",
    ),
]


@pytest.mark.parametrize(("session", "sentence", "theorem"), OFFERED)
def test_the_first_that_is_offered_for_a_sentence_about_runs_is_the_theorem_that_it_means(
    session: str, sentence: str, theorem: str
) -> None:
    assert is_of_runs(sentence)
    first, *others = Suggestions(language(session)).of_runs(sentence)
    assert first.text == theorem
    assert first.left_out == ()
    assert not others[-1].text.startswith("In ")  # the rule that it may mean instead


@pytest.mark.parametrize("number", [number for number, (session, *_) in enumerate(OFFERED) if not session])
def test_what_is_offered_is_kept_as_a_theorem(number: int) -> None:
    own = language("")
    first = Suggestions(own).of_runs(OFFERED[number][1])[0]
    (read,) = own.read(first.text)
    theorem, *_ = check_calls(with_sentence(own, read, first.text).policy, own.types).theorems
    assert theorem.sentence == first.text


@pytest.mark.parametrize(
    "sentence",
    [
        "Refunds are issued within an hour.",
        "Every order that is late is refunded.",
        "No refund is issued after 30 days.",
        "Orders are cancelled before they are shipped.",
        "The hour before a flight nothing is cancelled.",
    ],
)
def test_what_says_nothing_of_whole_runs_is_a_rule(sentence: str) -> None:
    assert not is_of_runs(sentence)
    assert not is_of_a_sum(sentence)
    assert not list(in_order(sentence))
