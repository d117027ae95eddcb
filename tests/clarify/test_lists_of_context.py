"""Lists in the context of a run (groups, children, own accounts): rules over them decide as worded."""

from __future__ import annotations

import pytest

from tests.clarify.parcel_desk import CALLS, SPEC, calls_of, denials
from workbench.author.rules.norms import Effect
from workbench.clarify.known_facts import fact_book
from workbench.clarify.person_rule import PersonRule
from workbench.model import Json, RecordedCall
from workbench.policy.render import render_term

BOB: Json = {"person": "bob", "born": "2010-03-05"}
ANN: Json = {"person": "ann", "born": "2020-03-05"}
FAMILIES: dict[str, dict[str, Json]] = {
    "both": {"role": "parent", "groups": ["desk", "cash"], "children": [BOB, ANN]},
    "one": {"role": "parent", "groups": ["cash"], "children": [BOB]},
    "none": {"role": "parent", "groups": [], "children": []},
    "without": {"role": "clerk"},
}
SEEN: list[RecordedCall] = [call for family in FAMILIES.values() for call in calls_of(CALLS, context=family)]


def denied_persons(family: str, *conditions: str) -> list[str]:
    """The persons whom a run of this family may not check, if the conditions are required."""
    calls = calls_of(CALLS, context=FAMILIES[family])
    rule = PersonRule(Effect.REQUIRE, ("check_person",), conditions)
    decided = denials(fact_book(SPEC, SEEN), rule, calls)
    return [
        str((calls[place].arguments or {})["person"]) for place, is_denied in enumerate(decided) if is_denied
    ]


# The calls are of 2026-03-04: bob is one day short of sixteen, which are 5,844 days; ann is six.
@pytest.mark.parametrize(
    ("condition", "denied"),
    [
        ("some child of the user: person is person of the call", {"one": ["ann"], "none": ["ann", "bob"]}),
        ("some child: person is person", {"one": ["ann"], "none": ["ann", "bob"]}),
        ("person is among children person of the user", {"one": ["ann"], "none": ["ann", "bob"]}),
        ("some child: person is person and born is less than 5843 days ago", {"both": ["bob"]}),
        ("some child: person is person and born is less than 5844 days ago", {"both": []}),
        ("number of children of the user is at least 2", {"both": [], "one": ["ann", "bob"]}),
        ("some groups of the user is desk", {"both": [], "one": ["ann", "bob"]}),
        ("each child: person is not person of the call", {"none": [], "without": [], "one": ["bob"]}),
        ("some child: person is person of the call", {"without": ["ann", "bob"]}),
    ],
)
def test_a_rule_over_a_list_of_the_context_decides_as_it_says(
    condition: str, denied: dict[str, list[str]]
) -> None:
    assert {family: denied_persons(family, condition) for family in denied} == denied


def test_a_thing_of_a_list_is_not_compared_with_itself() -> None:
    book = fact_book(SPEC, SEEN)
    same, of_the_call = (
        render_term(book.condition(f"some child: person is {person}").guarded(forbids=False))
        for person in ("person", "person of the call")
    )
    assert same == of_the_call
    assert "one_child.person == person" in same


def test_two_conditions_about_some_thing_of_a_list_may_be_about_two() -> None:
    book = fact_book(SPEC, SEEN)
    apart = ("some child: person is person of the call", "some child: born is less than 5843 days ago")
    together = (f"{apart[0]} and {apart[1].removeprefix('some child: ')}",)
    assert denied_persons("both", *apart) == []
    assert denied_persons("both", *together) == ["bob"]
    person_rules = [PersonRule(Effect.PERMIT, (), condition) for condition in (apart, together)]
    assert [len(book.may_differ(person_rule)) for person_rule in person_rules] == [1, 0]
    assert book.may_differ(PersonRule(Effect.PERMIT, (), apart, either=True)) == ()
