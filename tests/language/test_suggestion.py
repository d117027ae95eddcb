"""Suggestions for sentences that are not of the language, on a desk of invention."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.language.library_desk import POLICY, library
from workbench.dialect.call_types import agent_types
from workbench.language.foreign.confirmed import confirmed
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.language import Language
from workbench.language.normal_form import normal
from workbench.language.suggestion import MOST_SUGGESTED, Suggestions
from workbench.language.trees import Tree
from workbench.session.agent_file import read_agent

_FILE = tomllib.loads(Path(__file__).with_name("meant.toml").read_text(encoding="utf-8"))
MEANT: dict[str, str] = {one["sentence"]: one["meaning"] for one in _FILE["sentences"]}
"""Sentences of people, and what each means."""

_WORDS = [
    "the",
    "a",
    "member",
    "book",
    "books",
    "loan",
    "fine",
    "fines",
    "must",
    "not",
    "may",
    "only",
    "if",
    "unless",
    "and",
    "or",
    "no",
    "more",
    "than",
    "at",
    "least",
    "before",
    "3",
    "28",
    "days",
    "20",
    "EUR",
    "suspended",
    "without",
    "note",
    "librarian",
    "lent",
    "collect",
    "renew",
    "“if”",
    "call",
    "agent",
    "approval",
    "is",
    "until",
    "except",
    "nobody",
    ",",
]


def _tree(text: str) -> Tree:
    (tree,) = library().read(text)
    return tree


@pytest.mark.parametrize("foreign", MEANT)
def test_what_is_meant_is_among_the_suggestions(foreign: str) -> None:
    found = [normal(one.tree) for one in Suggestions(library()).of(foreign)]
    assert normal(_tree(MEANT[foreign])) in found


@pytest.mark.parametrize("foreign", [one for one in MEANT if "may only" not in one])
def test_nothing_contrary_is_offered(foreign: str) -> None:
    meant = normal(_tree(MEANT[foreign]))
    contrary = {normal(("call", form, tree, *meant[3:])) for form in ("permit", "forbid", "ask")
                for tree in (meant[2], ("not", meant[2]))} - {meant}  # fmt: skip
    permitted = normal(("call", "permit", ("not", meant[2]), *meant[3:]))
    offered = {normal(one.tree) for one in Suggestions(library()).of(foreign)}
    assert not offered & (contrary - {permitted})


@pytest.mark.parametrize(
    "foreign", ["Lending at the harbour is allowed.", "Fines may be collected by librarians."]
)
def test_a_permission_that_limits_nothing_is_no_prohibition(foreign: str) -> None:
    assert {one.tree[1] for one in Suggestions(library()).of(foreign)} == {"permit"}


def test_the_words_that_a_suggestion_says_nothing_of_are_told() -> None:
    first, *_ = Suggestions(library()).of("A book of poems is lent for at most 28 days.")
    assert first.text == "The agent must not lend book if the days is more than 28."
    assert first.left_out == ("poems",)


def test_a_heading_says_which_tool_is_meant() -> None:
    suggestions = Suggestions(library())
    first, *_ = suggestions.of("At most 28 days.", around="Lending books")
    assert first.text == "The agent must not lend book if the days is more than 28."


def test_a_confirmed_word_is_used_in_the_next_sentence() -> None:
    foreign = "Tardy levies above 50 EUR must never be collected."
    chosen = "The agent must not collect fine if the amount is more than 50."
    pairs = confirmed("Levies above 50 EUR must never be collected.", "The agent must never collect fine.")
    assert pairs == {"levies": "fine"}
    before = [one.left_out for one in Suggestions(library()).of(foreign) if one.text == chosen]
    after = [one.left_out for one in Suggestions(library(), pairs.items()).of(foreign) if one.text == chosen]
    assert before == [("Tardy", "levies")]
    assert after == [("Tardy",)]


def test_words_of_both_sides_are_confirmed_only_where_it_is_clear_which_mean_which() -> None:
    assert (
        confirmed("Old tomes stay here.", "The agent must not lend book if the days is more than 28.") == {}
    )
    assert confirmed("Customers are checked.", "The clients are checked.") == {"customers": "clients"}


@pytest.mark.parametrize(
    ("foreign", "meaning"),
    [
        (
            "Fines of under 20 EUR need not be approved.",
            "The agent may collect fine if the amount is less than 20.",
        ),
        ("Looking up members and loans is allowed.", "The agent may always get a member or get a loan."),
        (
            "Volunteers lend books in the north or harbour branch.",
            "The agent may lend book if the session's role is volunteer and the branch is given and "
            "(the branch is one of north or harbour).",
        ),
    ],
)
def test_where_nothing_else_is_allowed_what_needs_no_yes_or_only_reads_is_permitted(
    foreign: str, meaning: str
) -> None:
    language = Language(library().types, POLICY.replace('"allow"', '"deny"'))
    found = [normal(one.tree) for one in Suggestions(language).of(foreign)]
    assert found[0][1] == "permit"
    assert normal(language.read(meaning)[0]) in found


def test_what_is_done_by_anybody_is_not_forbidden_to_an_owner() -> None:
    language = Language(library().types, POLICY.replace('"allow"', '"deny"'))
    found = Suggestions(language).of("A book in the north is lent by whoever needs it.")
    assert not [one.text for one in found if one.tree[1] == "forbid"]


_COURIER = """
name = "courier"
[tools.get_stop]
description = "A stop of a round."
reads_only = true
parameters = {type = "object", properties = {stop_id = {type = "string"}}, required = ["stop_id"]}
[tools.plan_round]
description = "Plans the round of a van to a stop."
[tools.plan_round.parameters]
type = "object"
required = ["stop_id", "leaves_at", "van", "kilos", "source", "target"]
[tools.plan_round.parameters.properties]
stop_id = {type = "string"}
leaves_at = {type = "string", format = "date-time"}
van = {type = "string"}
kilos = {type = "integer"}
source = {type = "string", enum = ["north", "south"]}
target = {type = "string", enum = ["north", "south"]}
[tools.plan_round.fields]
leaves_at = {type = "datetime"}
[tools.text_shop]
description = "Sends a message to the shop of a stop."
[tools.text_shop.parameters]
type = "object"
required = ["stop_id", "phone", "text"]
properties = {stop_id = {type = "string"}, phone = {type = "string"}, text = {type = "string"}}
[records.stop]
key = "stop_id"
fields.opens_at = {type = "datetime"}
fields.phone = {type = "str"}
fields.kilos = {type = "int"}
fields.reserved_for = {type = "str", optional = true}
fields.no_messages = {type = "bool"}
look_up = {tool = "get_stop", arguments = {stop_id = "key"}}
"""


@lru_cache
def courier() -> Language:
    return Language(agent_types(read_agent(_COURIER)), '"""Rounds."""\n\nDEFAULT = "allow"\n')


@pytest.mark.parametrize(
    ("foreign", "meaning"),
    [
        (
            "Shops are only texted at the number we have on file.",
            "The agent must not text a shop unless the stop exists and the phone is the stop's phone.",
        ),
        (
            "The van of a round leaves at least two hours before the stop opens.",
            "The agent must not plan a round if the stop exists and the time from the leaves at to the "
            "stop's opens at is less than 2 hours.",
        ),
        (
            "The stop has to be looked up in the ten minutes before a round is planned.",
            "The agent must not plan a round unless the stop was looked up in the last 10 minutes.",
        ),
        (
            "No round is planned with more kilos than the stop takes.",
            "The agent must not plan a round if the stop exists and the kilos is more than the stop's kilos.",
        ),
        (
            "No round is planned from a depot to itself.",
            "The agent must not plan a round if the source is the target.",
        ),
        (
            "A stop's round is planned only for the van it is reserved for.",
            "The agent must not plan a round if the stop exists and the stop's reserved for is given and the "
            "stop's reserved for is not the van.",
        ),
        (
            "No round is planned with a van other than Blue Bay or Pescamar.",
            "The agent must not plan a round if the van is none of “Blue Bay” or “Pescamar”.",
        ),
    ],
)  # fmt: skip
def test_what_a_call_gives_is_held_against_what_a_record_has(foreign: str, meaning: str) -> None:
    found = [normal(one.tree) for one in Suggestions(courier()).of(foreign)]
    assert normal(courier().read(meaning)[0]) in found


_LEDGER = """
name = "ledger"
[tools.get_bill]
description = "A bill."
parameters = {type = "object", properties = {bill_id = {type = "string"}}, required = ["bill_id"]}
[tools.pay_bill]
description = "Pays a bill."
parameters = {type = "object", properties = {bill_id = {type = "string"}}, required = ["bill_id"]}
[context.user]
type = "str"
[records.bill]
key = "bill_id"
fields.author = {type = "str"}
fields.checked_by = {type = "str"}
look_up = {tool = "get_bill", arguments = {bill_id = "key"}}
"""


@pytest.mark.parametrize(
    ("foreign", "other"),
    [
        ("Whoever checked a bill may not pay it.", "the session's user"),
        ("A bill is never paid by the one who checked it.", "the session's user"),
        ("A bill is not paid if its author is the one who checked it.", "the bill's author"),
    ],
)
def test_who_did_something_is_who_calls_or_who_is_named_before(foreign: str, other: str) -> None:
    ledger = Language(agent_types(read_agent(_LEDGER)), '"""Bills."""\n\nDEFAULT = "allow"\n')
    meaning = f"The agent must not pay a bill if the bill exists and the bill's checked by is {other}."
    found = [normal(one.tree) for one in Suggestions(ledger).of(foreign)]
    assert normal(ledger.read(meaning)[0]) in found


def test_who_calls_is_not_called_by_a_text_that_names_somebody_else() -> None:
    ledger = Language(agent_types(read_agent(_LEDGER)), '"""Bills."""\n\nDEFAULT = "allow"\n')
    found = [one.text for one in Suggestions(ledger).of("No bill of “Acme” is paid.")]
    assert found
    assert not [text for text in found if "session's user" in text]
    named = [one.text for one in Suggestions(ledger).of("The user “Acme” pays no bill.")]
    assert "The agent must not pay a bill if the session's user is “Acme”." in named


_POST = """
name = "post"
[tools.send_letter]
description = "Sends a letter."
[tools.send_letter.parameters]
type = "object"
required = ["to", "title"]
[tools.send_letter.parameters.properties]
to = {type = "array", items = {type = "string"}}
title = {type = "string"}
memo = {type = "string"}
[context.clerk]
type = "str"
[context.approved]
type = "bool"
"""


@lru_cache
def _post() -> Language:
    return Language(agent_types(read_agent(_POST)), '"""Letters."""\n\nDEFAULT = "allow"\n')


@pytest.mark.parametrize(
    ("foreign", "affirmed", "first"),
    [
        (
            "No letter is sent if a to does not end with “@a.org” unless the session is approved.",
            "No letter is sent if a to ends with “@a.org” unless the session is approved.",
            "The agent must not send a letter if all of these hold: (a) there is a “to entry” for which the "
            "“to entry” does not end with “@a.org”; (b) the session is not marked approved.",
        ),
        (
            "The agent must not send letters if the title doesn't contain “draft”.",
            "The agent must not send letters if the title contains “draft”.",
            "The agent must not send a letter if the title does not contain “draft”.",
        ),
        (
            "The agent must not send letters whose title isn't “draft”.",
            "The agent must not send letters whose title is “draft”.",
            "The agent must not send a letter if the title is not “draft”.",
        ),
        (
            "The agent must not send letters if “@a.org” is not in the to.",
            "The agent must not send letters if “@a.org” is in the to.",
            "The agent must not send a letter if “@a.org” is not among the “to”.",
        ),
        (
            "The agent must not send letters if the to is not empty.",
            "The agent must not send letters if the to is empty.",
            "The agent must not send a letter if the number of “to” is not 0.",
        ),
        (
            "The agent must not send letters if the memo is not missing.",
            "The agent must not send letters if the memo is missing.",
            "The agent must not send a letter if the memo is given.",
        ),
    ],
)
def test_what_a_sentence_denies_is_denied_in_what_is_offered(foreign: str, affirmed: str, first: str) -> None:
    """What says that the thing itself is so is not offered, and what is offered uses the "not"."""
    offered, *_ = found = Suggestions(_post()).of(foreign)
    assert (offered.text, offered.left_out) == (first, ())
    otherwise, *_ = Suggestions(_post()).of(affirmed)
    assert normal(otherwise.tree) not in [normal(one.tree) for one in found]


@pytest.mark.parametrize(
    ("foreign", "meant"),
    [
        (
            "No other titles than a.org, b.org and c.org are sent in letters.",
            "The agent must not send a letter if the title is none of “a.org”, “b.org” or “c.org”.",
        ),
        (
            "Neither “a.org” nor “b.org” may be the title of a letter that is sent.",
            "The agent must not send a letter if the title is one of “a.org” or “b.org”.",
        ),
    ],
)
def test_what_forbids_denies_nothing_of_the_values_that_it_names(foreign: str, meant: str) -> None:
    (tree,) = _post().read(meant)
    assert normal(tree) in [normal(one.tree) for one in Suggestions(_post()).of(foreign)]


def test_nothing_is_offered_where_a_negation_denies_nothing() -> None:
    """An entry of which something is denied is not "no entry": which way the "no" turns it is not settled."""
    text = "The agent must not send letters if there is no to that ends with “@a.org”."
    found = Suggestions(_post()).of(text)
    assert [one.text for one in found if "to entry" in one.text] == []
    assert not any("no" in one.left_out for one in found)


def test_a_parameter_with_a_small_word_for_its_name_is_left_out_where_nothing_names_it() -> None:
    found = Suggestions(_post()).of("The agent must not send letters if a to ends with “@a.org”.")
    assert "to entry" in found[0].text and found[0].left_out == ()
    other = [one for one in found if "“to" not in one.text]
    assert other and all("to" in one.left_out for one in other)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=12))
def test_each_suggestion_is_read_as_what_it_says(words: list[str]) -> None:
    language = library()
    found = Suggestions(language).of(" ".join(words))
    assert len(found) <= MOST_SUGGESTED
    for one in found:
        assert [normal(tree) for tree in language.read(one.text)] == [normal(one.tree)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "...",
        "the if unless",
        "لا يجوز إعارة الكتب لأكثر من 28 يوما",
        "本は28日以上貸し出してはいけない",
        "“unclosed",
        "{} \\ \x1b[31m fines",
        "9" * 5_000,
        "book " * 2_000,
        "A book is lent without",
        "A book is lent up to 5" + " " * 20_000 + "days",
        "up to 5 books " * 700,
        "A book must be lent for more than 28 days and " * 200,
    ],
)
def test_any_text_is_answered(text: str) -> None:
    assert len(Suggestions(library()).of(text)) <= MOST_SUGGESTED


def test_a_limit_is_not_offered_the_other_way_round() -> None:
    texts = [
        one.text for one in Suggestions(library()).of("The note must not be longer than 200 characters.")
    ]
    assert any("the length of the note is more than 200" in text for text in texts)
    assert not any("the length of the note is at most 200" in text for text in texts)


@pytest.mark.parametrize(
    ("sentence", "meant", "turned"),
    [
        ("If nobody wrote a note, the book is not lent.", "if the note is missing", "if the note is given."),
        ("Non-volunteers never lend a book.", "role is not volunteer", "role is volunteer"),
        ("Lending a book needs no less than 3 days.", "the days is less than 3", "may lend book if the days"),
        ("The lower limit of the days is 3.", "the days is less than 3", "the days is more than 3"),
        ("Loans are kept for 10 days after they are due.", "since the loan's due at is less than 10 days",
         "is at least 10 days"),
        ("Loans may be renewed a day before they are due or earlier.", "due at is less than 24 hours",
         "due at is more than 24 hours"),
        ("Lending is never done before 9 or after 17:30.",
         "unless the time of day is not before 9:00 and the time of day is not after 17:30",
         "if the time of day is not before"),
    ],
)  # fmt: skip
def test_what_is_told_is_not_turned(sentence: str, meant: str, turned: str) -> None:
    texts = [one.text for one in Suggestions(library()).of(sentence)]
    assert any(meant in text for text in texts)
    assert not any(turned in text for text in texts)


@pytest.mark.parametrize(
    "address", ["tax@steuer-lotz.example", "a.b@mail.two-parts.example", "x-y@z.example"]
)
def test_an_address_is_one_word(address: str) -> None:
    words = ForeignSentence(f"No invoice goes to {address}, whoever asks.").words
    assert address in [one.low for one in words]


_PARTIES = """
name = "parties"
[tools.book_hall]
description = "Books a hall."
[tools.book_hall.parameters]
type = "object"
required = ["guests", "price_per_guest", "hours"]
[tools.book_hall.parameters.properties]
guests = {type = "integer"}
price_per_guest = {type = "number"}
hours = {type = "integer"}
"""


@pytest.mark.parametrize(
    ("foreign", "product", "bound"),
    [
        ("The total of guests × price per guest may not exceed 2,000.", "guests", "more than 2,000"),
        ("Guests multiplied by the price per guest must stay below 900.", "guests", "at least 900"),
        ("No hall is booked where the hours times the price per guest exceed 50.", "hours", "more than 50"),
    ],
)
def test_what_two_numbers_come_to_is_offered_first(foreign: str, product: str, bound: str) -> None:
    parties = Language(agent_types(read_agent(_PARTIES)), '"""Parties."""\n\nDEFAULT = "allow"\n')
    offered = Suggestions(parties).of(foreign)[0].text
    assert offered == f"The agent must not book a hall if the {product} times the price per guest is {bound}."
