"""A sentence that is turned round in any way gets no offer of the sense that it had before."""

from __future__ import annotations

from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.dialect.call_types import agent_types
from workbench.language.contrary import contrary
from workbench.language.language import Language
from workbench.language.normal_form import normal
from workbench.language.suggestion import Suggestion, Suggestions
from workbench.session.agent_file import read_agent

_AGENT = """
name = "bank"
[tools.send_transfer]
description = "Send money."
[tools.send_transfer.parameters]
type = "object"
required = ["iban", "amount"]
properties = {iban = {type = "string"}, amount = {type = "number"}, note = {type = "string"}}
[tools.sell_seats]
description = "Sell seats."
[tools.sell_seats.parameters]
type = "object"
required = ["order_id", "payment", "price"]
[tools.sell_seats.parameters.properties]
order_id = {type = "string"}
price = {type = "number"}
payment = {type = "string", enum = ["card", "invoice"]}
"""
_LIMITS = {
    "of more than 500": "more than", "above 500": "more than", "exceeding 500": "more than",
    "beyond 500": "more than", "of less than 500": "less than", "below 500": "less than",
    "of at least 500": "at least", "of 500 or more": "at least", "of at most 500": "at most",
    "up to 500": "at most", "of no more than 500": "at most",
}  # fmt: skip
_TURNED = {"more than": "at most", "at most": "more than", "less than": "at least", "at least": "less than"}
_REFUSED = (
    "Transfers {} are refused.", "No transfer {} is sent.", "Never send a transfer {}.",
    "Nobody sends transfers {}.", "Transfers {} are out of the question.", "Don't send transfers {}.",
    "Transfers must not be {}.", "Transfers shall in no case be {}.", "A transfer {} has to be refused.",
    "It is not allowed to send transfers {}.", "Transfers are refused if they are {}.",
    "Under no circumstances may a transfer {} be sent.", "Refrain from transfers {}.",
    "Transfers hardly ever go out if they are {}.", "Avoid sending transfers {}.",
    "Transfers {} are refused, all others may be sent.", "Transfers {} may not be sent, but all others may.",
    "All transfers may be sent, with the exception of those {}.", "Transfers {} are sent by nobody.",
    "Instead of transfers {}, send nothing.", "Rather than send a transfer {}, do nothing.",
)  # fmt: skip
_SENT = (
    "Only transfers {} are sent.", "Transfers are not sent unless they are {}.",
    "Transfers {} are sent, never otherwise.", "Transfers may only be sent if they are {}.",
    "Transfers may be sent if they are {}, and in no other case.", "No transfer may be sent except one {}.",
    "No transfers other than those {} are sent.", "Transfers are sent only when they are {}.",
    "Sending transfers is reserved for those {}.", "Transfers must be {}.",
    "Save for those {}, transfers are not sent.", "Barring those {}, no transfer is sent.",
    "Transfers are refused if they are not {}.", "Transfers are refused until they are {}.",
    "Anything but a transfer {} is refused.", "All transfers except those {} are refused.",
    "Transfers {} are the only ones that may be sent.", "Transfers {} alone are sent.",
    "Transfers are limited to those {}.", "We send transfers {} and nothing else.",
    "Transfers {} excepted, no transfer is sent.", "Short of transfers {}, nothing is sent.",
    "Unless {}, a transfer is refused.", "Transfers that are not {} must not be sent.",
)  # fmt: skip


@lru_cache
def _language() -> Language:
    return Language(agent_types(read_agent(_AGENT)), '"""Rules."""\n\nDEFAULT = "allow"\n')


def _offered(foreign: str) -> tuple[Suggestion, ...]:
    return Suggestions(_language()).of(foreign)


@settings(deadline=None, max_examples=150)
@given(
    st.one_of(
        st.tuples(st.sampled_from(_REFUSED), st.just(value=True)),
        st.tuples(st.sampled_from(_SENT), st.just(value=False)),
    ),
    st.sampled_from(sorted(_LIMITS)),
)
def test_nothing_contrary_is_offered_however_a_limit_is_turned(frame: tuple[str, bool], limit: str) -> None:
    text, refused = frame
    bound = _LIMITS[limit] if refused else _TURNED[_LIMITS[limit]]
    (meant,) = _language().read(f"The agent must not send a transfer if the amount is {bound} 500.")
    form = normal(meant)
    assert not [one.text for one in _offered(text.format(limit)) if contrary(normal(one.tree), form)]


@pytest.mark.parametrize("frame", [*_REFUSED[:14], *_SENT[:2], *_SENT[6:9], *_SENT[10:11]])
def test_what_is_meant_is_offered_all_the_same(frame: str) -> None:
    if "hardly" in frame:
        pytest.skip("“hardly ever” says too little.")
    bound = "more than" if frame in _REFUSED else "at most"
    meant = f"The agent must not send a transfer if the amount is {bound} 500."
    unless = "The agent must not send a transfer unless the amount is more than 500."
    texts = [one.text for one in _offered(frame.format("of more than 500"))]
    assert meant in texts or unless in texts


@pytest.mark.parametrize(
    ("foreign", "never"),
    [
        ("Paying by invoice is fine from 500 upwards, not below.", "The agent may sell"),
        ("Seats are paid by invoice, never otherwise.", "if the payment is invoice."),
        ("Transfers may be sent only with a note.", "The agent may send transfer if the note is given."),
        ("Transfers up to 500 are sent.", "The agent must not send transfer if the amount is at most 500."),
        ("Transfers without a note are accepted.", "The agent must not"),
        ("Transfers above 500 are to be sent.", "The agent must not"),
        ("Transfers are always to be sent.", "The agent must"),
        ("Only transfers above 500 cannot be sent.", "amount is at most 500"),
        ("Transfers may not be sent only above 500.", "amount is at most 500"),
        ("It goes without saying that nobody sends transfers without a note.", "the note is given."),
        ("We hesitate to send transfers above 500.", "The agent"),
        ("They have yet to send a transfer of more than 500.", "The agent"),
        ("Clerks used to send transfers above 500.", "The agent"),
        ("A transfer minus a note is never sent.", "the note is given."),
        ("Transfers topping 500 are refused.", "the amount is"),
        ("As long as there is no note, a transfer is withheld.", "the note is given."),
        ("Transfers stay unsent while no note is missing.", "the note is missing."),
        ("No transfer below -500 is sent.", "less than 500."),
    ],
)
def test_nothing_is_refused_or_allowed_for_which_no_word_is_said(foreign: str, never: str) -> None:
    assert not [one.text for one in _offered(foreign) if never in one.text]


def test_what_is_said_not_to_be_acceptable_is_forbidden() -> None:
    found = _offered("It is not acceptable that a transfer above 500 is sent.")
    assert found[0].text == "The agent must not send a transfer if the amount is more than 500."


def test_a_number_keeps_its_sign() -> None:
    assert _offered("No transfer below -500 is sent.")[0].text.endswith("if the amount is less than -500.")


def test_an_address_is_compared_with_no_id() -> None:
    found = _offered("Seats of the order “hr@nordwind.example” are never sold.")
    assert not [one.text for one in found if "order id" in one.text]
