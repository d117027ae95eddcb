"""For a sentence about how often something is done, a count of earlier calls with equal values is offered."""

from __future__ import annotations

import pytest

from tests.clarify.everyday_desk import DESK, offered, offered_sentences
from workbench.app.assumed_rules import declaring
from workbench.author.rules.chosen_rules import rule_line
from workbench.clarify.known_facts import fact_book
from workbench.model import Json, RecordedCall
from workbench.runs.extract.extractor import Extractor
from workbench.runs.world.earlier_calls import Earlier

COUNTED = "how many {} succeeded before in the run{}"


def never(tool: str, keys: str, least: int) -> str:
    """A rule that denies a call after this number of calls with the same values."""
    same = f" for the same {keys}" if keys else ""
    return f"never {tool} if {COUNTED.format(tool, same)} is at least {least}"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (
            "Never lend the same book to the same member twice.",
            [never("lend_book", "book_id and member_id", 1)],
        ),
        ("Don't lend the same book more than 3 times.", [never("lend_book", "book_id", 3)]),
        ("Don't send more than 2 notices to the same address.", [never("send_notice", "email", 2)]),
        ("Never charge a fee more than twice per conversation.", [never("charge_fee", "", 2)]),
        ("Only one loan per book.", []),
        ("At most one fee per member.", [never("charge_fee", "member_id", 1)]),
        ("Don't reserve the same room twice for the same day.", [never("reserve_room", "room and date", 1)]),
        ("Never move money twice to the same account.", [never("move_money", "target_account", 1)]),
        ("Never move money twice from the same account.", [never("move_money", "from_account", 1)]),
        (
            "Never charge the same fee twice.",
            [never("charge_fee", "member_id", 1), never("charge_fee", "member_id and amount", 1)],
        ),
        (
            "Loans can be renewed only once.",
            [f"renew_loan only if {COUNTED.format('renew_loan', ' for the same loan_id')} is less than 1"],
        ),
    ],
)
def test_a_limit_counts_earlier_calls_with_the_same_values(text: str, rules: list[str]) -> None:
    assert offered_sentences(text) == rules


@pytest.mark.parametrize(
    "text",
    [
        "Renew a loan only once the member agreed.",
        "Always lend the same book twice.",
        "Never lend the same book twice unless the member asks.",
        "Lend at least two books per member.",
        "Never lend the same film twice.",
        "Never burn the same book twice.",
        "Members may charge the same fee twice, but not three times.",
        "Charge the same member more than once.",
        "Charge every member twice.",
        "Do not lend the same publisher's books again.",
    ],
)
def test_what_turns_the_limit_or_is_not_understood_keeps_it_from_being_offered(text: str) -> None:
    assert not offered_sentences(text)


def test_a_verb_of_the_same_sense_and_a_window_are_assumptions_in_sight() -> None:
    (rule,) = offered("Members may borrow at most 5 books per day.")
    assert rule.sentence == f"lend_book only if {COUNTED.format('lend_book', '')} is less than 5"
    assert rule.assumed == ("“borrow” means lend_book", "“per day” is counted in each run")


def test_the_count_is_of_calls_with_all_values_the_same() -> None:
    norm, facts = fact_book(DESK, ()).rule(offered("Never lend the same book to the same member twice.")[0])
    spec = declaring(DESK, facts)
    assert "is None or" in rule_line(norm)
    calls: list[dict[str, Json]] = [
        {"member_id": "m1", "book_id": "b1"},
        {"member_id": "m2", "book_id": "b1"},
        {"member_id": "m1", "book_id": "b1"},
        {"member_id": "m1"},
    ]
    recorded_calls = [
        RecordedCall("r", place, "lend_book", arguments, result="ok") for place, arguments in enumerate(calls)
    ]
    (name,) = [fact.name for fact in facts]
    extractor = Extractor(spec.arguments, spec)
    counts = [
        extractor.extract(call, Earlier(recorded_calls, place))[name].value
        for place, call in enumerate(recorded_calls)
    ]
    assert counts == [0, 0, 1, None]
