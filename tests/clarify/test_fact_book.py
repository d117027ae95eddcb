"""Rules in a person's words become conditions of the dialect that decide recorded calls as worded."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.clarify.parcel_desk import CALLS, SPEC, TEXT, calls_of, denials, made_tool
from workbench.author.rules.chosen_rules import chosen_norms, is_rules, without_words
from workbench.author.rules.norms import Effect
from workbench.clarify.declared_facts import facts_with
from workbench.clarify.fact_book import FactBook
from workbench.clarify.known_facts import fact_book
from workbench.clarify.person_rule import PersonRule
from workbench.clarify.undeclared_facts import undeclared_facts
from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Json, Kind, WorkbenchError
from workbench.policy.render import render_term

RECORDED_CALLS = calls_of(CALLS)
TOOL = SPEC.arguments[0]
FACTS = facts_with(SPEC.arguments, undeclared_facts(SPEC, RECORDED_CALLS))
BOOK = FactBook(FACTS, TOOL)


def written(book: FactBook, condition: str, *, forbids: bool = False) -> str:
    """The text of a condition in words in the dialect."""
    return render_term(book.condition(condition).guarded(forbids=forbids), as_listed=True)


def denied(rule: PersonRule) -> list[str]:
    """The calls that the rule denies, by number and tool."""
    decided = denials(BOOK, rule, RECORDED_CALLS)
    return [f"{place} {RECORDED_CALLS[place].tool}" for place, is_denied in enumerate(decided) if is_denied]


CASH = ["2 pay_back", "4 pay_back", "5 pay_back"]


# CALLS: 0 check ann yes; 1 look p1 (of bob, 3 days ago); 2 pay p1 20; 3 check bob yes; 4 pay p1 20;
# 5 pay p1 70; 6 look p2 (of ann, 60 days ago); 7 pay p2 5 by card; 8 mail to ann@x.example and eve@y.example.
@pytest.mark.parametrize(
    ("effect", "tools", "conditions", "expected"),
    [
        (Effect.FORBID, ("pay_back",), (), ["2 pay_back", "4 pay_back", "5 pay_back", "7 pay_back"]),
        (Effect.REQUIRE, ("pay_back",), ("amount is at most 20 euros",), ["5 pay_back"]),
        (Effect.FORBID, ("pay_back",), ("amount is more than 10", "way is cash"), CASH),
        (Effect.REQUIRE, ("pay_back",), ("way is one of cash, card",), []),
        (Effect.REQUIRE, ("pay_back",), ("way is not cash",), CASH),
        (Effect.REQUIRE, ("send_mail",), ("each domain of to is one of x.example",), ["8 send_mail"]),
        (Effect.FORBID, ("send_mail",), ("some domain of to is y.example",), ["8 send_mail"]),
        (Effect.FORBID, ("send_mail",), ("no domain of to is y.example",), []),
        (Effect.REQUIRE, ("send_mail",), ("role of the user is clerk",), []),
        (Effect.FORBID, (), ("weekday of the call is one of Saturday, Sunday",), []),
    ],
)  # fmt: skip
def test_a_told_rule_denies_the_calls_that_its_words_speak_of(
    effect: Effect, tools: tuple[str, ...], conditions: tuple[str, ...], expected: list[str]
) -> None:
    assert denied(PersonRule(effect, tools, conditions)) == expected


def test_one_of_several_conditions_is_enough_where_it_is_said() -> None:
    conditions = ("amount is at most 5", "way is cash")
    assert denied(PersonRule(Effect.REQUIRE, ("pay_back",), conditions, either=True)) == []
    assert len(denied(PersonRule(Effect.REQUIRE, ("pay_back",), conditions))) == 4


def test_what_a_call_leaves_out_does_not_fire() -> None:
    assert "8 send_mail" not in denied(PersonRule(Effect.FORBID, ("send_mail",), ("way is cash",)))


@pytest.mark.parametrize(
    "condition",
    [
        "",
        "the moon is full",
        "amount is at most a lot",
        "way is barter",
        "amount contains 3",
        "domain of to is x.example",
        "way is at most 3 days ago",
        "amount is at most way",
        "amount is amount",
        "person is not the same as person",
        "each domain of to is at most 3",
        "__import__('os').system('true')",
    ],
)
def test_what_is_not_understood_is_refused_in_one_sentence(condition: str) -> None:
    with pytest.raises(WorkbenchError) as refused:
        BOOK.rule(PersonRule(Effect.REQUIRE, ("pay_back",), (condition,)))
    assert str(refused.value).strip().count("\n") == 0


@pytest.mark.parametrize(
    "condition",
    [
        "person starts with role of the user",
        "person ends with parcel",
        "person is not the word bob",
        "person is person plus bob",
        "person is the role of look_up_parcel",
        "person is ann or bob",
        "person contains one of bob, role of the user",
        "person starts with Bob in any case",
        "each domain of to is domain of the person",
        "some domain of to ends with role of the user",
    ],
)
def test_words_that_may_speak_of_a_fact_are_no_plain_text(condition: str) -> None:
    book = fact_book(SPEC, RECORDED_CALLS)
    with pytest.raises(WorkbenchError, match="Put a text in quotation marks"):
        book.condition(condition)


@pytest.mark.parametrize(
    ("condition", "read"),
    [
        ("person starts with 'role of the user'", 'person.startswith("role of the user")'),
        ("person contains Duke of York", '"Duke of York" in person'),
        ("person is not one of ann, bob", 'person not in {"ann", "bob"}'),
        ("each domain of to is not one of x.example", 'one_to_domain not in {"x.example"}'),
        ("some to is person", "one_to == person"),
        ("to does not contain role of the user", "not any(one_to == user_role"),
        ("person is ann", 'person == "ann"'),
    ],
)
def test_what_is_quoted_or_plain_is_a_text_and_what_names_a_fact_is_the_fact(
    condition: str, read: str
) -> None:
    assert read in written(fact_book(SPEC, RECORDED_CALLS), condition)


def test_a_condition_aloud_has_its_texts_in_quotation_marks_and_its_facts_by_name() -> None:
    book = fact_book(SPEC, RECORDED_CALLS)
    assert book.aloud("person is one of ann, bob or way is cash") == (
        "person is one of “ann”, “bob” or way is “cash”"
    )
    assert book.aloud("person is role of the user") == "person is role of the user"
    assert book.aloud("person is 'ann'") == "person is 'ann'"
    assert book.aloud("amount is at most 20.50") == "amount is at most 20.50"


def test_what_recorded_calls_have_there_is_a_text_though_it_has_words_of_facts() -> None:
    calls = calls_of([("check_person", {"person": "role of the user"}, {"passed": True}), *CALLS])
    condition = "person contains role of the user"
    assert '"role of the user" in person' in written(fact_book(SPEC, calls), condition)


def test_an_element_is_called_unlike_all_that_a_condition_may_name() -> None:
    texts: Json = {"type": "array", "items": TEXT}
    spec = AgentSpec(
        "notes", tools=(made_tool("write", ("tags", "tag", "rows"), tags=texts, tag=TEXT, rows=texts),)
    )
    book = fact_book(spec, ())
    assert written(book, "each tags is a") == 'all(one_tag in {"a"} for one_tag in tags)'
    assert written(book, "each rows is a") == 'all(row in {"a"} for row in rows)'


def test_only_rules_of_the_dialect_are_read() -> None:
    with pytest.raises(WorkbenchError):
        chosen_norms("require: True => open('x')", "R1", "", (TOOL,))
    assert not is_rules("The agent may read: emails => no")
    assert not is_rules("")
    with pytest.raises(WorkbenchError):
        BOOK.rule(PersonRule(Effect.FORBID, ("rob_bank",), ()))
    with pytest.raises(WorkbenchError):
        BOOK.rule(PersonRule(Effect.REQUIRE, ("pay_back",), ()))


def test_facts_have_the_types_that_schemas_show() -> None:
    types = {fact.phrase: fact.type.kind for fact in BOOK.facts}
    assert types["amount"] is Kind.DECIMAL
    assert types["domain of to"] is Kind.SET
    names = [fact.name for fact in BOOK.facts]
    assert len(set(names)) == len(names)
    assert Decimal(20) == Decimal("20.00")


def test_words_that_add_nothing_are_left_out_as_words() -> None:
    assert without_words("Please, pay the bill pleasedly.", ["please"]) == "pay the bill pleasedly."


def test_the_paths_of_a_call_are_spoken_of_together_whatever_tool_says_them() -> None:
    tools = (
        made_tool("read_file", ("path",), path=TEXT),
        made_tool("commit", ("paths",), paths={"type": "array", "items": TEXT}),
        made_tool("send_mail", ("to",), to=TEXT),
    )
    names = tuple(tool.name for tool in tools)
    tool = Argument("tool", ArgumentType(Kind.ENUM, names), "", Extraction("jsonpath", {"path": "$.tool"}))
    spec = AgentSpec("files", tools=tools, arguments=(tool,))
    book = fact_book(spec, (), {"relative paths begin at": "/repo"})
    each, some = (f"{how} path of the call is inside /tmp" for how in ("each", "some"))
    facts = book.condition(each).facts
    assert {name for fact in facts for name in fact.tools} == {"read_file", "commit"}
    single, many = (fact.name for fact in facts)
    assert f"{single} is None or" in written(book, each)
    assert f"{single} is not None and" in written(book, some, forbids=True)
    assert f"in {many})" in written(book, each)
    with pytest.raises(WorkbenchError):
        book.condition("each colour of the call is inside /tmp")


def test_many_values_that_are_joined_by_or_are_read_as_one_condition() -> None:
    several = " or ".join(map(str, range(20)))
    assert denied(PersonRule(Effect.FORBID, ("pay_back",), (f"amount is one of {several}",))) == [
        "7 pay_back"
    ]
