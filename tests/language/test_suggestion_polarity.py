"""Suggestions for sentences that deny something never say the contrary of them, on desks of invention."""

from __future__ import annotations

from functools import lru_cache

import pytest

from workbench.dialect.call_types import agent_types
from workbench.language.contrary import contrary
from workbench.language.language import Language
from workbench.language.normal_form import normal
from workbench.language.suggestion import Suggestion, Suggestions
from workbench.language.trees import TRUE
from workbench.session.agent_file import read_agent


def _one_of(*values: str) -> str:
    return f'{{type = "string", enum = {list(values)}}}'


_TEXT, _NUMBER, _BOOL = '{type = "string"}', '{type = "number"}', '{type = "boolean"}'
_AGENTS = {
    "bank": {
        "send_transfer": {"iban": _TEXT, "amount": _NUMBER, "note": _TEXT},
        "block_card": {"card_id": _TEXT, "reason": _TEXT},
        "raise_limit": {"card_id": _TEXT, "limit": _NUMBER},
    },
    "house": {
        "turn_on_lights": {"room": _one_of("kitchen", "hall", "nursery"), "bright": _BOOL},
        "unlock_door": {"door": _one_of("front", "garage"), "code": _TEXT},
        "set_heating": {"degrees": '{type = "integer"}'},
    },
    "sales": {
        "update_deal": {"deal_id": _TEXT, "discount": _NUMBER, "stage": _one_of("open", "won")},
        "send_offer": {"recipient": _TEXT, "body": _TEXT},
    },
    "store": {
        "restock_item": {"item_id": _TEXT, "quantity": '{type = "integer"}', "supplier": _TEXT},
        "ship_order": {"order_id": _TEXT, "gift": _BOOL},
    },
}  # fmt: skip
_OPTIONAL = {"note", "reason", "bright", "code", "discount", "stage", "body", "supplier", "gift"}


def _agent(name: str) -> str:
    tools = [
        f'[tools.{tool}]\ndescription = "It does that."\n[tools.{tool}.parameters]\ntype = "object"\n'
        f"required = {[one for one in fields if one not in _OPTIONAL]}\n"
        f"[tools.{tool}.parameters.properties]\n"
        + "\n".join(f"{one} = {schema}" for one, schema in fields.items())
        for tool, fields in _AGENTS[name].items()
    ]
    return "\n".join((f'name = "{name}"', *tools, '[context.at_home]\ntype = "bool"'))


@lru_cache
def _language(name: str) -> Language:
    return Language(agent_types(read_agent(_agent(name))), '"""Rules."""\n\nDEFAULT = "allow"\n')


@lru_cache
def _offered(name: str, foreign: str) -> tuple[Suggestion, ...]:
    return Suggestions(_language(name)).of(foreign)


_MEANT = [
    # what a relative clause denies
    ("bank", "No transfer may be sent to an IBAN that the user did not name.",
     "The agent must not send transfer if the iban was not named by the user."),
    ("bank", "Money must not be sent to an IBAN the user never named.",
     "The agent must not send transfer if the iban was not named by the user."),
    ("sales", "No offer is sent to a recipient that nobody named.",
     "The agent must not send offer if the recipient was not named by the user."),
    ("store", "Never restock an item without the user naming the item id.",
     "The agent must not restock item if the item id was not named by the user."),
    # what is too much, what it has to be, and what is all
    ("bank", "Amounts above 500 are too risky for transfers without a note.",
     "The agent must not send transfer if the amount is more than 500 and the note is missing."),
    ("bank", "A reason must be given before a card is blocked.",
     "The agent must not block card if the reason is missing."),
    ("sales", "Deals stay won.",
     "The agent must not update deal if the stage is given and the stage is not won."),
    ("house", "The garage door opens with a code only.",
     "The agent must not unlock door if the door is garage and the code is missing."),
    ("house", "Turning lights on is for the kitchen, not for other rooms.",
     "The agent must not turn on lights if the room is not kitchen."),
    ("house", "Lights in everything but the nursery may be turned on.",
     "The agent may turn on lights if the room is not nursery."),
    ("house", "Bright lights in the nursery are not turned on, the kitchen is fine.",
     "The agent must not turn on lights if the room is nursery and the bright is given and the call is "
     "marked bright."),
    ("bank", "Transfers are limited to 500 and must not lack a note.",
     "The agent must not send transfer if the amount is more than 500 or the note is missing."),
    # what is needed, and for what
    ("bank", "A note is required for transfers above 500.",
     "The agent must not send transfer if the amount is more than 500 and the note is missing."),
    ("bank", "No note is required for transfers above 500.",
     "The agent may send transfer if the amount is more than 500 and the note is missing."),
    ("bank", "Only transfers without a note need approval.",
     "The agent may send transfer only with the approval of a person if the note is missing."),
    # what stays as it is
    ("house", "Lights stay off after 23:00.",
     "The agent must not turn on lights if the time of day is after 23:00."),
    ("house", "The door must stay closed while nobody is at home.",
     "The agent must not unlock door if the session is not marked at home."),
    ("house", "The heating remains off before 6:00.",
     "The agent must not set heating if the time of day is before 6:00."),
    ("store", "A gift order stays unshipped.",
     "The agent must not ship order if the gift is given and the call is marked gift."),
    # the "no" that forbids
    ("sales", "A won deal gets no discount.",
     "The agent must not update deal if the stage is given and the discount is given and the "
     "stage is won and the discount is more than 0."),
    ("bank", "No notes on transfers above 500.",
     "The agent must not send transfer if the note is given and the amount is more than 500."),
    ("bank", "No reason, no blocking of a card.",
     "The agent must not block card if the reason is missing."),
    # how often
    ("bank", "Raising a limit twice in one day is forbidden.",
     "The agent must not raise limit if there was an earlier call to raise limit that "
     "succeeded (where the earlier call was at most 24 hours ago)."),
    ("bank", "Raising the limit of a card twice in one day is forbidden.",
     "The agent must not raise limit if there was an earlier call to raise limit that "
     "succeeded (where its card id is the card id and the earlier call was at most 24 hours ago)."),
    # a demand after what forbids
    ("bank", "Nobody blocks a card for fun — the reason must have ten characters or more.",
     "The agent must not block card if the length of the reason is less than 10."),
    ("sales", "Nobody sends spam, and the body must have 20 characters or more.",
     "The agent must not send offer if the length of the body is less than 20."),
    # all but one
    ("house", "Lights are never turned on in any room but the kitchen.",
     "The agent must not turn on lights if the room is not kitchen."),
    ("house", "No door but the garage is unlocked.",
     "The agent must not unlock door if the door is not garage."),
    ("house", "Nobody but the agent at home may unlock the front door.",
     "The agent must not unlock door unless the session is marked at home."),
    ("sales", "Deals that are neither won nor open get no discount.",
     "The agent must not update deal if all of these hold: (a) the stage is given; (b) the "
     "discount is given; (c) the stage is none of “won” or “open”; (d) the discount is more "
     "than 0."),
    ("bank", "An IBAN nobody has given us gets no money.",
     "The agent must not send transfer if the iban was not named by the user."),
    ("store", "Gift orders remain in the warehouse.",
     "The agent must not ship order if the gift is given and the call is marked gift."),
    (
        "sales",
        "Do not update any deal except won ones above a discount of 20.",
        "The agent must not update deal if all of these hold: (a) the stage is given; "
        "(b) the discount is given; (c) the discount is more than 20; (d) the stage is not won.",
    ),
    # only when, and not even
    ("sales", "A deal is only changed when it is not won.",
     "The agent must not update deal if the stage is given and the stage is won."),
    ("house", "A door is only unlocked if somebody is at home.",
     "The agent must not unlock door if the session is not marked at home."),
    ("house", "Nobody, not even somebody at home, turns on bright lights.",
     "The agent must not turn on lights if the bright is given and the call is marked bright and the "
     "session is marked at home."),
    # what stands apart, and what is not so
    ("sales", "Leave won deals alone.",
     "The agent must not update deal if the stage is given and the stage is won."),
    ("bank", "Keep transfers away from 2000 and more.",
     "The agent must not send transfer if the amount is at least 2000."),
    ("bank", "Transfers other than those below 500 are refused.",
     "The agent must not send transfer if the amount is at least 500."),
    ("bank", "Transfers of 2000 or less are the only ones that are sent.",
     "The agent must not send transfer if the amount is more than 2000."),
    ("bank", "Transfers lacking a note are refused.",
     "The agent must not send transfer if the note is missing."),
    ("bank", "Do not forget the note of a transfer.",
     "The agent must not send transfer if the note is missing."),
    ("bank", "It isn't OK to send a transfer of more than 2000.",
     "The agent must not send transfer if the amount is more than 2000."),
    # what stands alone, behind its number, or is the only one
    ("bank", "A transfer is sent up to 500, and not beyond.",
     "The agent must not send transfer if the amount is more than 500."),
    ("bank", "No transfer but one of 500 or less gets sent.",
     "The agent must not send transfer if the amount is more than 500."),
    ("house", "The kitchen is the only room that gets lights turned on.",
     "The agent must not turn on lights if the room is not kitchen."),
    ("house", "Lights are turned on in the kitchen alone.",
     "The agent must not turn on lights if the room is not kitchen."),
    ("store", "At least ten items of an order are restocked, as a quantity.",
     "The agent must not restock item if the quantity is less than 10."),
    ("bank", "Not more than 500 shall be transferred.",
     "The agent must not send transfer if the amount is more than 500."),
    # as long as
    ("house", "The door must not be unlocked as long as nobody is at home.",
     "The agent must not unlock door if the session is not marked at home."),
    ("bank", "It is not forbidden to send a transfer of less than 10.",
     "The agent may send transfer if the amount is less than 10."),
    # what a "not" before the sentence turns round
    ("bank", "It is not true that transfers of less than 10 must be approved.",
     "The agent may send transfer if the amount is less than 10."),
    # up to a limit, or without what stands before
    ("sales", "A won deal may get a discount, but not more than 20.",
     "The agent must not update deal if the stage is given and the discount is given and the stage is won "
     "and the discount is more than 20."),
    ("store", "Without a supplier the item is not restocked above a quantity of 100.",
     "The agent must not restock item if the supplier is missing and the quantity is more than 100."),
    ("house", "Everything except the kitchen is refused bright lights.",
     "The agent must not turn on lights if the bright is given and the call is marked bright and the room is "
     "not kitchen."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "foreign", "meant"), _MEANT)
def test_what_denies_is_never_offered_as_its_contrary(name: str, foreign: str, meant: str) -> None:
    (tree,) = _language(name).read(meant)
    assert _offered(name, foreign)
    assert not [one.text for one in _offered(name, foreign) if contrary(normal(one.tree), normal(tree))]


@pytest.mark.parametrize(
    ("name", "foreign", "meant"),
    [
        ("store", "Items are restocked in a quantity of 10, but not for more than 100.",
         "The agent must not restock item if the quantity is more than 100."),
        ("house", "Except for the kitchen, no lights may be turned on.",
         "The agent must not turn on lights if the room is not kitchen."),
        ("house", "Turning lights on is allowed in no kitchen.",
         "The agent must not turn on lights if the room is kitchen."),
        ("bank", "No note is needed for transfers of up to 250.",
         "The agent may send transfer if the note is missing and the amount is at most 250."),
        ("bank", "Transfers above 500 must be approved.",
         "The agent may send transfer only with the approval of a person if the amount is more than 500."),
        ("bank", "Only send a transfer above 500 with the approval of a person.",
         "The agent may send transfer only with the approval of a person if the amount is more than 500."),
    ],
)  # fmt: skip
def test_what_a_small_word_turns_round_is_meant_and_nothing_of_every_call(
    name: str, foreign: str, meant: str
) -> None:
    (tree,) = _language(name).read(meant)
    found = [normal(one.tree) for one in _offered(name, foreign)]
    assert normal(tree) in found
    assert not [one for one in found if one[2] == TRUE and set(one[3:]) & set(tree[3:])]


@pytest.mark.parametrize(
    ("foreign", "first"),
    [
        ("The agent must not send transfer unless the amount stays below 250.",
         "The agent must not send a transfer if the amount is at least 250."),
        ("The agent must not send transfer if the amount goes over 250.",
         "The agent must not send a transfer if the amount is more than 250."),
        ("The agent may send transfer unless the amount goes over 250.",
         "The agent may send a transfer if the amount is at most 250."),
        ("The agent may send transfer only if the amount stays up to 250.",
         "The agent must not send a transfer if the amount is more than 250."),
        ("The agent may send transfer only with the approval of a person if the amount goes over 250.",
         "The agent may send a transfer only with the approval of a person if the amount is more than 250."),
        ("It must be possible to send transfer if the amount goes up to 250.",
         "It must be possible to send a transfer if the amount is at most 250."),
        ("The agent must not send transfer if the iban does not begin with “A” and “B”.",
         "The agent must not send a transfer if the iban does not begin with “A” and the iban does not begin "
         "with “B”."),
    ],
)  # fmt: skip
def test_what_goes_on_as_a_sentence_begins_has_its_sense(foreign: str, first: str) -> None:
    (head, *_) = first.split(" if ")
    texts = [one.text for one in _offered("bank", foreign)]
    assert texts[0] == first
    assert all(text.startswith(head) for text in texts)


@pytest.mark.parametrize(
    ("foreign", "first"),
    [
        ("20 transfers per run, max.",
         "The agent must not send a transfer if the number of earlier calls to send a transfer that "
         "succeeded is at least 20."),
        ("A maximum of 20 transfers per run.",
         "The agent must not send a transfer if the number of earlier calls to send a transfer that "
         "succeeded is at least 20."),
        ("Nobody else ever gets a transfer of more than 250.",
         "The agent must not send a transfer if the amount is more than 250."),
    ],
)  # fmt: skip
def test_a_limit_stands_for_what_is_refused_above_it_wherever_it_is_said(foreign: str, first: str) -> None:
    assert _offered("bank", foreign)[0].text == first


@pytest.mark.parametrize(
    "foreign",
    ["After an order was shipped, no item may be restocked.",
     "No item may be restocked after an order was shipped.",
     "Nothing may be restocked once an order was shipped."],
)  # fmt: skip
def test_what_another_clause_tells_is_not_what_is_forbidden(foreign: str) -> None:
    first, *others = [one.text for one in _offered("store", foreign)]
    after = "if there was an earlier call to ship order that succeeded"
    assert first == f"The agent must not restock item {after}."
    assert not [text for text in others if text.startswith("The agent must not ship")]


def test_what_is_told_of_a_thing_is_not_left_out_of_what_is_forbidden() -> None:
    texts = [one.text for one in _offered("store", "An item whose order was shipped must not be restocked.")]
    assert not [text for text in texts if " never " in text or "ship order" in text.partition(" if ")[0]]


def test_nothing_is_offered_that_turns_round_what_is_read() -> None:
    foreign = "The agent must not send transfer if the time of day is not before 8:00 or after 18:00."
    assert not _offered("bank", foreign)


def test_what_a_demand_is_about_is_no_demand() -> None:
    """Of two things that nothing joins, one says when the other is wanted."""
    found = _offered("sales", "A discount must be given with every won deal.")
    assert any("the stage is won and" in one.text for one in found)
    assert not [one.text for one in found if "the stage is not won" in one.text]
    assert not [one.text for one in found if "unless" in one.text and "the stage is won" in one.text]


def test_a_clause_that_forbids_is_not_mixed_with_one_that_permits() -> None:
    found = _offered("bank", "A card may be blocked, but nobody can raise a limit.")
    assert {(one.tree[1], one.tree[3:]) for one in found if one.tree[2] == TRUE} == {
        ("permit", (("name", "BlockCard"),)),
        ("forbid", (("name", "RaiseLimit"),)),
    }


def test_what_is_understood_of_less_than_a_third_is_not_offered() -> None:
    assert _offered("bank", "Cards must never be blocked by it.")
    assert not _offered("bank", "The old limit talk is never held in our quiet garden during rainy weeks.")


def test_no_tool_is_permitted_wholly_where_most_of_the_permission_is_not_understood() -> None:
    text = "Cards may be blocked during the quiet afternoon shift of the branch office."
    assert not [one.text for one in _offered("bank", text) if one.tree[1:3] == ("permit", TRUE)]


@pytest.mark.parametrize(
    ("name", "foreign", "form"),
    [
        ("bank", "Cards are blocked without asking.", "permit"),
        ("store", "Items are restocked without asking.", "permit"),
        ("bank", "Cards are never blocked without asking.", "ask"),
        ("sales", "Offers must not be sent without approval.", "ask"),
    ],
)
def test_what_is_done_without_asking_needs_no_approval(name: str, foreign: str, form: str) -> None:
    assert {one.tree[1] for one in _offered(name, foreign)} == {form}


@pytest.mark.parametrize(
    ("name", "foreign", "first"),
    [
        ("bank", "Cards are blocked without asking unless the reason is missing.",
         "The agent may block card only with the approval of a person if the reason is missing."),
        ("store", "Items are restocked without asking up to a quantity of 100.",
         "The agent may restock item only with the approval of a person if the quantity is more than 100."),
    ],
)  # fmt: skip
def test_a_person_is_asked_in_an_exception_and_above_a_limit(name: str, foreign: str, first: str) -> None:
    assert _offered(name, foreign)[0].text == first


@pytest.mark.parametrize(
    ("name", "foreign"),
    [
        ("house", "The kitchen lights stay on until 22:00."),
        ("bank", "A card stays blocked without a reason."),
        ("house", "The lights of the hall remain on after 23:00."),
    ],
)
def test_what_stays_as_a_tool_makes_it_is_not_forbidden_to_that_tool(name: str, foreign: str) -> None:
    verbs = ("turn on lights", "block card")
    assert not [
        one.text for one in _offered(name, foreign) if any(f"not {each}" in one.text for each in verbs)
    ]


@pytest.mark.parametrize(
    ("name", "foreign"),
    [
        ("bank", "Transfers may be sent without a note."),
        ("bank", "A card may be blocked without a reason."),
        ("sales", "Offers can be sent without a body."),
    ],
)
def test_what_may_be_done_without_something_forbids_nothing(name: str, foreign: str) -> None:
    assert not [
        one.text for one in _offered(name, foreign) if one.tree[1] == "forbid" or "is given" in one.text
    ]


def test_what_may_be_more_forbids_nothing_that_is_less() -> None:
    offered = _offered("house", "Every room may be heated to more than 22 degrees.")
    assert not [one.text for one in offered if one.tree[1] == "forbid"]


@pytest.mark.parametrize(
    ("name", "foreign", "meant"),
    [
        ("bank", "A transfer needs no note.", "The agent may send transfer if the note is missing."),
    ],
)
def test_what_need_not_be_so_is_allowed(name: str, foreign: str, meant: str) -> None:
    first, *others = _offered(name, foreign)
    assert [normal(first.tree)] == [normal(tree) for tree in _language(name).read(meant)]
    assert not [one.text for one in (first, *others) if one.tree[1] == "forbid"]


_ISSUES = """
name = "issues"
[tools.whoami]
description = "Tells the user who is logged in."
[tools.assign_issue]
description = "Assigns an issue."
[tools.assign_issue.parameters]
type = "object"
required = ["issue_id", "assignee"]
[tools.assign_issue.parameters.properties]
issue_id = {type = "string"}
assignee = {type = "string"}
"""
_TOLD = """
[readings.login]
texts = ["Whoami.result"]
extract = {method = "json", path = "login"}
type = "str"
"""


@pytest.mark.parametrize(
    ("more", "first"),
    [
        ("", "unless there was an earlier call to whoami that succeeded."),
        (_TOLD, "unless there was an earlier call to whoami that succeeded (where its result's login is the "
         "assignee)."),
        ('[context.user]\ntype = "str"', "if the assignee is not the session's user."),
    ],
)  # fmt: skip
def test_who_is_logged_in_is_who_a_tool_or_the_session_tells(more: str, first: str) -> None:
    language = Language(agent_types(read_agent(_ISSUES + more)), '"""Rules."""\n\nDEFAULT = "allow"\n')
    offered = Suggestions(language).of("Issues may only be assigned to the user who is logged in.")
    assert offered[0].text == f"The agent must not assign an issue {first}"
    assert not [one.text for one in offered if "named by" in one.text]


_LETTERS = """
name = "letters"
[tools.send_transfer]
description = "Sends money."
[tools.send_transfer.parameters]
type = "object"
required = ["金額", "amount"]
[tools.send_transfer.parameters.properties]
"金額" = {type = "number"}
amount = {type = "number"}
"שם" = {type = "string"}
name = {type = "string"}
[tools.send_transfer.fields]
"金額" = {name = "parameter"}
"שם" = {name = "parameter2"}
"""


@pytest.mark.parametrize(
    ("foreign", "own"),
    [
        ("A transfer is not sent if 金額 is more than 500.", "parameter"),
        ("金額が500を超える send transfer は must not.", "parameter"),
        ("A transfer must not be sent if שם is “Dan”.", "parameter2"),
        ("A transfer must not be sent without שם.", "parameter2"),
    ],
)
def test_a_parameter_in_other_letters_is_its_own_noun(foreign: str, own: str) -> None:
    language = Language(agent_types(read_agent(_LETTERS)), '"""Rules."""\n\nDEFAULT = "allow"\n')
    first, *_ = offered = Suggestions(language).of(foreign)
    assert f"('attr', ('name', 'call'), '{own}')" in str(first.tree)
    assert [normal(tree) for tree in language.read(first.text)] == [normal(first.tree)]
    assert not [one.text for one in offered if "amount" in one.text or "the name" in one.text]


@pytest.mark.parametrize(
    ("heading", "part", "meant"),
    [
        ("The following is not allowed:", "transfers without a note",
         "The agent must not send transfer if the note is missing."),
        ("Never, whoever asks", "transfers of more than 500",
         "The agent must not send transfer if the amount is more than 500."),
        ("Subject to prior approval", "raising a limit to more than 500",
         "The agent may raise limit only with the approval of a person if the limit is more than 500."),
        ("Free to do without asking", "transfers up to 500",
         "The agent may send transfer only with the approval of a person if the amount is more than 500."),
        ("Not without a human", "transfers of more than 500",
         "The agent may send transfer only with the approval of a person if the amount is more than 500."),
        ("The following is prohibited", "Transfers go up to 500.",
         "The agent must not send transfer if the amount is more than 500."),
        ("Transfers", "Transfers without a note are impermissible.",
         "The agent must not send transfer if the note is missing."),
        ("Transfers", "Transfers without a note are refused.",
         "The agent must not send transfer if the note is missing."),
        ("What must never happen", "Transfers without a note may be sent.",
         "The agent may send transfer if the note is missing."),
    ],
)  # fmt: skip
def test_what_a_heading_says_is_said_of_each_part_below_it(heading: str, part: str, meant: str) -> None:
    offered = Suggestions(_language("bank")).of(part, heading)
    (tree,) = _language("bank").read(meant)
    assert normal(offered[0].tree) == normal(tree)
    assert not [one.text for one in offered if contrary(normal(one.tree), normal(tree))]
