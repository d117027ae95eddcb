"""Reading sentences: what they are, what may come next, and sentences that are none."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import pytest

from tests.language.read_back import language_of
from workbench.dialect.call_types import agent_types
from workbench.language.completion import completion
from workbench.language.language import Language
from workbench.language.reading import MOST_TOKENS, Reader, TooLong
from workbench.language.trees import Tree, canonical, is_tree, text_of, tree_of
from workbench.language.words import on_one_line
from workbench.model import AgentSpec, Json, Tool
from workbench.session.agent_file import read_agent

TRAVEL = "sessions/travel-desk"
PAY = "The agent must not pay an invoice if "
JOURNEY = "The agent must not book a journey if "


SHELF = """
name = "shelf"

[tools.get_item]
parameters = {type = "object", properties = {item_id = {type = "string"}}, required = ["item_id"]}

[tools.pack_box]
parameters.type = "object"
parameters.required = ["lines", "departs_at"]
parameters.properties.departs_at = {type = "string", format = "date-time"}
parameters.properties.lines.type = "array"
parameters.properties.lines.items.type = "object"
parameters.properties.lines.items.required = ["item_id"]
parameters.properties.lines.items.properties.item_id = {type = "string"}

[records.item]
key = "item_id"
look_up = {tool = "get_item", arguments = {item_id = "key"}}
[records.item.fields]
recalled = {type = "bool"}
fragile = {type = "bool", optional = true}

[nouns]
PackBox = "pack a box"
"""


def desk(agent: str) -> Language:
    return Language(agent_types(read_agent(agent)), 'DEFAULT = "deny"\n')


@pytest.fixture(scope="module")
def travel() -> Language:
    return language_of(TRAVEL)


def condition(language: Language, sentence: str) -> str:
    """The condition of a sentence in the dialect; empty if it has no reading, or more than one."""
    trees = language.read(sentence)
    return text_of(trees[0][2]) if len(trees) == 1 else ""


@pytest.mark.parametrize(
    ("words", "expression"),
    [
        ("the total is more than 5,000", 'call.total > Decimal("5000")'),
        ("the total is at most 0.97 ", 'call.total <= Decimal("0.97")'),
        ("the total plus 5 is more than 10", 'call.total + Decimal("5") > Decimal("10")'),
        ("the number of lines is 0", "len(call.lines) == 0"),
        ("the total plus the total plus 5 is more than 10", 'call.total + call.total + Decimal("5") > 10'),
        ("the lines are empty", "len(call.lines) == 0"),
        ("the iban contains a line break", '"\\n" in call.iban'),
        ("the lines are given", "len(call.lines) > 0"),
        ("there are no lines", "len(call.lines) == 0"),
        ("the iban was named by words in the “text” given by calls to get a supplier",
         'any(y in {"get_supplier.text", "get_supplier.text:text"} for y in call.iban.source)'),
        ("the iban is the iban of the supplier", "call.iban == run.supplier(call.supplier_id).iban"),
        ("the supplier's iban is “DE1”", 'run.supplier(call.supplier_id).iban == "DE1"'),
        ("there is a line whose amount is less than 0",
         'any(line.amount < Decimal("0") for line in call.lines)'),
        ("there is no line for which its amount is less than 0",
         'not any(line.amount < Decimal("0") for line in call.lines)'),
        ("the sum of the amount of all lines is not the total",
         "sum(element.amount for element in call.lines) != call.total"),
        ("there is a line", "len(call.lines) > 0"),
        ("there is no line", "len(call.lines) == 0"),
        ("all of these hold: (i) the total is 1; (ii) the number of lines is 0",
         'call.total == Decimal("1") and len(call.lines) == 0'),
        ("the time of day is at least 09:00", "call.time.time >= time(9, 0)"),
        ("the user named the iban", ""),
        ("the iban was named by the user", '"user" in call.iban.source'),
        ("the iban was named by one of the user or the “iban” given by calls to get a supplier",
         'any(y in {"user", "get_supplier.iban"} for y in call.iban.source)'),
        ("the time since the trip's approved at is more than 2 weeks",
         "call.time - run.trip(call.trip_id).approved_at > timedelta(days=14)"),
        ("the trip's approved at is after 9 November 2026 at 9:00",
         "run.trip(call.trip_id).approved_at > datetime(2026, 11, 9, 9, 0)"),
        ("there was an earlier call to pay an invoice that did not fail",
         "any(not earlier_call.failed for earlier_call in run.earlier(PayInvoice))"),
    ],
)  # fmt: skip
def test_a_condition_is_read_as_an_expression(travel: Language, words: str, expression: str) -> None:
    read = condition(travel, f"{PAY}{words}.")
    wanted = expression and canonical(tree_of(ast.parse(expression, mode="eval").body))
    assert (read and canonical(tree_of(ast.parse(read, mode="eval").body))) == wanted


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("the total exceeds 5,000", "the total is more than 5,000 EUR"),
        ("the total is under 5", "the total is less than 5 EUR"),
        ("the total does not exceed 5", "the total is at most 5 EUR"),
        ("the total is no less than 5", "the total is at least 5 EUR"),
        ("the total is between 1 and 3", "the total is at least 1 EUR and the total is at most 3 EUR"),
        ("the total is not between 1 and 3", "the total is less than 1 EUR or the total is more than 3 EUR"),
        ("the total is at least 1 and less than 3 and the iban is “A”",
         "the total is at least 1 EUR and the total is less than 3 EUR and the iban is “A”"),
        ("the total is less than 1 or more than 3",
         "the total is less than 1 EUR or the total is more than 3 EUR"),
        ("the total is 0 or more than 30", "the total is 0 EUR or the total is more than 30 EUR"),
        ("the trip's approved at is on or before 9 November 2026 at 9:00",
         "the trip's approved at is not after 9 November 2026 at 9:00"),
        ("the amounts of the lines are not all different",
         "the number of different amount of all lines is less than the number of lines"),
        ("the sum of the amounts of the lines exceeds the total",
         "the sum of the amount of all lines is more than the total"),
        ("the sum of the totals of earlier calls to pay an invoice that did not fail exceeds 5",
         "the sum of the total of all earlier calls to pay an invoice that did not fail is more than 5 EUR"),
        ("the total is over 1 and under 3", "the total is more than 1 EUR and the total is less than 3 EUR"),
        ("the time of day is before 8:00 or after 18:00",
         "the time of day is before 8:00 or the time of day is after 18:00"),
        ("the time of day is not before 8:00 and not after 18:00",
         "the time of day is not before 8:00 and the time of day is not after 18:00"),
        ("the time of day is between 8:00 and 18:00",
         "the time of day is not before 8:00 and the time of day is not after 18:00"),
        ("the time of day is not between 8:00 and 18:00",
         "the time of day is before 8:00 or the time of day is after 18:00"),
        ("the iban begins with “A”, “B” or “C”",
         "the iban begins with “A” or the iban begins with “B” or the iban begins with “C”"),
        ("the iban begins with “A” or “B” or “C”",
         "the iban begins with “A” or the iban begins with “B” or the iban begins with “C”"),
        ("the iban is “A”, “B”, or “C”", "the iban is one of “A”, “B” or “C”"),
        ("the iban ends with “A” or “B” or always",
         "the iban ends with “A” or the iban ends with “B” or always"),
        ("the iban is “A” or “B” and the total is 1", "the iban is one of “A” or “B” and the total is 1 EUR"),
        ("the iban is not “A” or “B”", "the iban is none of “A” or “B”"),
        ("there was an earlier call to get suppliers", "there was an earlier call to get a supplier"),
        ("there was an earlier call to pay an invoice that did not fail (where its total is 5)",
         "there was an earlier call to pay an invoice that did not fail (where its total is 5 EUR)"),
    ],
)  # fmt: skip
def test_what_is_said_otherwise_is_written_in_one_way(travel: Language, said: str, written: str) -> None:
    (tree,) = travel.read(f"{PAY}{said}.")
    assert travel.write(tree) == f"{PAY}{written}."


@pytest.mark.parametrize(
    ("session", "sentence"),
    [
        ("sessions/coding-agent", "The agent must not web fetch if the url has userinfo."),
        ("sessions/coding-agent", "The agent must not web fetch unless the url has userinfo."),
        ("sessions/coding-agent",
         "The agent must not web fetch if the url has no userinfo or the url leads to an IP address."),
        ("sessions/coding-agent", "The agent must not web fetch unless the url leads to an IP address."),
        (TRAVEL, f"{JOURNEY}the time of day of the trip's approved at is after 22:00."),
        (TRAVEL, f"{JOURNEY}the day of the week (Monday is 1) of the trip's approved at is 7."),
        (TRAVEL, f"{JOURNEY}the present day of the week (Monday is 1) is one of 6 or 7."),
    ],
)  # fmt: skip
def test_what_values_have_is_written_as_it_is_read(session: str, sentence: str) -> None:
    language = language_of(session)
    trees = language.read(sentence)
    assert [language.write(tree) for tree in trees] == [sentence]


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("all legs are economy", "for every leg, its cabin is economy"),
        ("not all of the legs are economy", "unless for every leg, its cabin is economy"),
        ("no leg is economy or business",
         "unless there is a leg whose cabin is economy or its cabin is business"),
        ("a leg is business and the trip exists",
         "all of these hold: (a) there is a leg whose cabin is business; (b) the trip exists"),
        ("there are at least 2 legs whose cabin is business",
         "the number of legs (where its cabin is business) is at least 2"),
        ("there were fewer than 3 earlier calls to book a journey that succeeded",
         "the number of earlier calls to book a journey that succeeded is less than 3"),
        ("there was an earlier call to book a room that did not fail in the last 2 hours",
         "there was an earlier call to book a room that did not fail "
         "(where the earlier call was at most 2 hours ago)"),
        ("there was an earlier call to book a room in the last 2 hours",
         "there was an earlier call to book a room (where the earlier call was at most 2 hours ago)"),
        ("the trip was looked up in the last 10 minutes",
         "there was an earlier call to get a trip that succeeded (where its trip id is the trip id "
         "and the earlier call was at most 10 minutes ago)"),
        ("the trip was approved before 9 November 2026 at 9:00",
         "the trip's approved at is before 9 November 2026 at 9:00"),
        ("the trip was approved more than 14 days ago",
         "the time since the trip's approved at is more than 14 days"),
        ("the trip was not approved", "the trip's approved at is missing"),
        ("the travellers are not unique",
         "the number of different values over every traveller of the traveller is less than the number of "
         "travellers"),
        ("“the trip was looked up and approved no more than 14 days ago” holds and the trip exists",
         "all of these hold: (a) the trip was looked up and approved no more than 14 days ago; "
         "(b) the trip exists"),
    ],
)  # fmt: skip
def test_what_is_said_of_elements_and_times_is_written_in_one_way(
    travel: Language, said: str, written: str
) -> None:
    (tree,) = travel.read(f"{JOURNEY}{said}.")
    whole = written if written.startswith("unless ") else f"if {written}"
    assert travel.write(tree) == f"The agent must not book a journey {whole}."


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("if the file path does not lie inside “/a” or “/b”",
         "unless the file path lies inside “/a” or the file path lies inside “/b”"),
        ("unless the file path lies inside “/a” or “/b”",
         "unless the file path lies inside “/a” or the file path lies inside “/b”"),
        ("if the file path does not start with “/a” or “/b”",
         "unless the file path begins with “/a” or the file path begins with “/b”"),
        ("if the file path does not contain “/a” or “/b”",
         "unless the file path contains “/a” or the file path contains “/b”"),
        ("if there is an origin of the file path that does not end with “a” or “b”",
         "if there is an origin of the file path for which none of these holds: "
         "(a) the origin ends with “a”; (b) the origin ends with “b”"),
        ("unless every origin of the file path is “a” or “b”",
         "unless the file path was named by nothing but “a” or “b”"),
        ("if no origin of the file path lies inside “/a” or “/b”",
         "unless there is an origin of the file path for which the origin lies inside “/a” "
         "or the origin lies inside “/b”"),
        ("if not every origin of the file path is among the names of the file path",
         "unless for every origin of the file path, the origin is among the file path's names"),
    ],
)  # fmt: skip
def test_a_predicate_of_several_values_that_is_denied_holds_of_none(said: str, written: str) -> None:
    language = language_of("sessions/coding-agent")
    (tree,) = language.read(f"The agent must not read {said}.")
    assert language.write(tree) == f"The agent must not read {written}."


def test_it_is_the_element_that_is_nearest() -> None:
    language = language_of("sessions/coding-agent")
    said = "The agent must not read unless for every origin of the file path, {} lies inside “/a”."
    (tree,) = language.read(said.format("it"))
    assert [tree] == list(language.read(said.format("the origin")))
    assert language.write(tree) == said.format("the origin")


def test_its_is_of_the_element_that_is_nearest() -> None:
    retail = language_of("benchmarks/sessions/retail-desk")
    said = (
        "The agent must not exchange delivered order items unless for every item id and the new item id "
        "in the same position, there is an item of the order whose item id is the new item id."
    )
    (tree,) = retail.read(said)
    assert retail.write(tree) == said.replace("position", "place").replace(
        "whose item id", "for which the item's item id"
    )


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("there was an earlier call to get a trip that failed and whose trip id is “x” or always",
         "there was an earlier call to get a trip that failed (where its trip id is “x”) or always"),
        ("there was no earlier call to get a trip whose trip id is the trip id",
         "there was no earlier call to get a trip (where its trip id is the trip id)"),
        ("the trip_id is neither “a” nor “b”", "the trip id is none of “a” or “b”"),
        ("the trip id was not named by something", "the trip id was named by nothing"),
        ("the trip id was made up", "the trip id was named by nothing"),
        ("the trip id was not made up", "the trip id was named by something"),
        ("the trip id without blanks at its ends in small letters is “x”",
         "the trip id without blanks at its ends in small letters is “x”"),
        ("the trip id in small letters without blanks at its ends is “x”",
         "the text the trip id in small letters without blanks at its ends is “x”"),
        ("what the user has said in small letters contains “x”",
         "what the user has said in small letters contains “x”"),
    ],
)  # fmt: skip
def test_what_a_stranger_said_is_read(travel: Language, said: str, written: str) -> None:
    (tree,) = travel.read(f"{JOURNEY}{said}.")
    assert travel.write(tree) in (
        f"{JOURNEY}{written}.",
        JOURNEY.replace("if", "unless")
        + written.replace("there was no", "there was an").replace("nothing", "something")
        + ".",
    )


@pytest.mark.parametrize(
    "said",
    ["all legs are not economy", "all legs are guest", "a traveller is economy", "the leg is economy",
     "the trip was left", "the trip was looked up in the last 5",
     "the trip id does not begin with “a” and “b”",
     "the trip id is “a”, or “b”", "the trip id is “a”, “b” or “c” or “d”", "the trip id is “a” or “b”, “c”",
     "the time of day is not before 8:00 or after 18:00", "every traveller is not “a” or “b”"],
)  # fmt: skip
def test_what_may_be_meant_otherwise_is_not_read(travel: Language, said: str) -> None:
    assert travel.read(f"{JOURNEY}{said}.") == ()


def test_a_flag_is_true_or_false_missing_or_given() -> None:
    coding = language_of("benchmarks/sessions/authoring-coding")
    for said, written in (
        ("is true", "if the call is marked force"),
        ("is false", "unless the call is marked force"),
        ("is given and true", "if the force is given and the call is marked force"),
        ("is missing or false", "if the force is missing or the call is not marked force"),
    ):
        (tree,) = coding.read(f"The agent must not git push if the force {said}.")
        assert coding.write(tree) == f"The agent must not git push {written}."


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("for every line, the recalled of the item for its item id is false",
         "if for every line, the item for the line's item id is not marked recalled"),
        ("there is a line for which the recalled of the item for its item id is true",
         "if there is a line for which the item for the line's item id is marked recalled"),
        ("there is a line for which the fragile of the item for its item id is missing or false",
         "if there is a line for which the fragile of the item for the line's item id is missing "
         "or the item for the line's item id is not marked fragile"),
        ("there is a line for which the fragile of the item for its item id is given and true",
         "if there is a line for which the fragile of the item for the line's item id is given "
         "and the item for the line's item id is marked fragile"),
        ("the present day of the week is Sunday", "if the present day of the week (Monday is 1) is 7"),
        ("the present day of the week is not Saturday or Sunday",
         "if the present day of the week (Monday is 1) is none of 6 or 7"),
        ("the departs at's day of the week is more than 4",
         "if the departs at's day of the week (Monday is 1) is more than 4"),
        ("the day of the week of the departs at is Friday, Saturday or Sunday",
         "if the departs at's day of the week (Monday is 1) is one of 5, 6 or 7"),
        ("the departs at's “day of the week” is 7", "if the departs at's day of the week (Monday is 1) is 7"),
        ("the departs at's day of the week is not Monday",
         "unless the departs at's day of the week (Monday is 1) is 1"),
    ],
)  # fmt: skip
def test_a_yes_or_no_of_a_record_and_a_day_of_the_week_are_said_plainly(said: str, written: str) -> None:
    shelf = desk(SHELF)
    (tree,) = shelf.read(f"The agent must not pack a box if {said}.")
    assert shelf.write(tree) == f"The agent must not pack a box {written}."
    assert [canonical(one) for one in shelf.read(shelf.write(tree))] == [canonical(tree)]


def test_a_person_is_told_which_noun_ends_its_line(travel: Language) -> None:
    noun = "the trip was looked up and approved no more than 14 days ago"
    assert travel.read(f"{JOURNEY}{noun} and the trip exists.") == ()
    assert travel.reader.noun_at_end == noun
    assert travel.read(f"{JOURNEY}the trip exists and and.") == ()
    assert not travel.reader.noun_at_end


def test_a_tool_is_not_named_by_words_that_are_those_of_another() -> None:
    none: Mapping[str, Json] = {"type": "object", "properties": {}}
    tools = (Tool("send_order", "", none), Tool("send_orders", "", none), Tool("send_the_order", "", none))
    language = Language(
        agent_types(AgentSpec("desk", tools=tools)), 'from agent import SendOrder\n\nDEFAULT = "deny"\n'
    )
    for words, tool in (
        ("send orders", "SendOrders"),
        ("send the order", "SendTheOrder"),
        ("send an order", "SendOrder"),
    ):
        (tree,) = language.read(f"The agent must not {words}.")
        assert f"'{tool}'" in repr(tree), words
    assert not language.read("The agent must not send order.")


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("A and B", "and"),
        ("A or B or C", "or"),
        ("A and either B or C", "and(or)"),
        ("A or both B and C", "or(and)"),
        ("A and B or C", ""),
        ("A or B and C", ""),
        ("it is not the case that A and B", ""),
        ("all of these hold: (a) A or B; (b) C", "and(or)"),
        ("at least one of these holds: (a) all of these hold: (i) A; (ii) B; (b) C", "or(and)"),
        ("at least one of these holds: (a) all of these hold: (i) A; (ii) B", ""),
        ("none of these holds: (a) A; (b) B", "not(or)"),
        ("not both of these hold: (a) A; (b) B or C", "not(and(or))"),
        ("not both of these hold: (a) A; (b) B; (c) C", ""),
        ("both of these hold: (a) A; (b) B or C", "and(or)"),
        ("there is a line for which A and B", "any(and)"),
        ("A and there is a line for which B or C", "and(any(or))"),
        ("there is a line for which A, and B", ""),
    ],
)
def test_how_far_a_connective_goes_is_never_in_doubt(travel: Language, words: str, form: str) -> None:
    atoms = {"A": "the total is 1", "B": "the total is 2", "C": "the total is 3"}
    said = " ".join(
        atoms.get(word.rstrip(";,"), word.rstrip(";,")) + word[len(word.rstrip(";,")) :]
        for word in words.split(" ")
    )
    trees = travel.read(f"{PAY}{said}.")
    assert (_form(trees[0][2]) if len(trees) == 1 else "") == form
    assert len(trees) <= 1


def _form(tree: Tree) -> str:
    """The connectives of a condition, one inside the other."""
    name = {"and": "and", "or": "or", "not": "not"}.get(
        str(tree[0]), "any" if tree[:2] == ("call", "any") else ""
    )
    inner = next((found for part in tree[1:] if is_tree(part) and (found := _form(part))), "")
    return f"{name}({inner})" if name and inner else name or inner


@pytest.mark.parametrize(
    ("beginning", "offered"),
    [
        ("", ["The agent", "It must"]),
        ("The agent ", ["must", "may"]),
        ("The agent must not pay", ["pay an invoice"]),
        (f"{PAY}the t", ["total", "trip id", "trip"]),
        (f"{PAY}the total is m", ["more than"]),
        (f"{PAY}the total is more than ", ["a number"]),
        (f"{JOURNEY}there is a leg whose c", ["cabin"]),
        (f"{JOURNEY}there is a leg whose cabin is b", ["business"]),
        (f"{JOURNEY}there is a leg whose cabin is business and i", ["its"]),
        (f"{PAY}the trip's c", ["cost centre"]),
    ],
)
def test_what_may_come_next(travel: Language, beginning: str, offered: list[str]) -> None:
    found = completion(Reader(travel.lexicon), beginning)
    assert set(offered) <= set(found.offered)


@pytest.mark.parametrize(
    "beginning", [f"{PAY}the total is m", f"{PAY}the total is more than ", f"{PAY}the total is "]
)
def test_nothing_is_offered_that_no_sentence_goes_on_with(travel: Language, beginning: str) -> None:
    found = completion(Reader(travel.lexicon), beginning)
    assert found.offered
    assert not {"marked", "leg", "journey", "minutes", "cabin", "begins with", "before"} & set(found.offered)


def test_a_mistake_has_the_longest_beginning_and_what_could_follow(travel: Language) -> None:
    found = completion(travel.reader, f"{PAY}the totl is more than 5.")
    assert found.beginning == f"{PAY}the".strip()
    assert found.rest == "totl is more than 5."
    assert "total" in found.offered
    assert not found.whole


def test_a_sentence_is_whole_with_its_stop_only(travel: Language) -> None:
    assert not completion(travel.reader, f"{PAY}the total is 5").whole
    assert completion(travel.reader, f"{PAY}the total is 5.").whole


def test_reading_after_each_key_is_reading_at_once(travel: Language) -> None:
    sentence = f"{JOURNEY}the trip exists and there is a leg whose cabin is business and its minutes is 5."
    reader = Reader(travel.lexicon)
    for end in range(len(sentence) + 1):
        typed = completion(reader, sentence[:end])
        assert typed == completion(Reader(travel.lexicon), sentence[:end]), sentence[:end]
    assert len(reader.read(sentence)) == 1


def test_reading_after_a_key_anywhere_is_reading_at_once_in_few_steps(travel: Language) -> None:
    sentence = f"{JOURNEY}the trip exists and there is a leg whose cabin is business and its minutes is 5."
    reader = Reader(travel.lexicon)
    reader.read(sentence)
    at_once = reader.steps
    for word, other in (
        ("trip", "line"),
        ("exists", "does not exist"),
        ("and its", "or its"),
        ("leg", "le-g"),
    ):
        place = sentence.index(word)
        for text in (
            sentence[: place + 2],
            sentence[:place] + other + sentence[place + len(word) :],
            sentence,
        ):
            fresh = Reader(travel.lexicon)
            assert reader.read(text) == fresh.read(text)
            assert reader.furthest == fresh.furthest
            assert [*reader.continuations(reader.furthest)] == [*fresh.continuations(fresh.furthest)]
            assert [*reader.parts_begun(("atom",))] == [*fresh.parts_begun(("atom",))]
            assert reader.whole == fresh.whole
        assert reader.steps == 0, "what was read before is known"
    reader.read(sentence.replace("exists", "was looked up"))
    assert reader.steps < at_once / 2


@pytest.mark.parametrize(
    "text",
    [
        "x " * 5_000,
        PAY + "the total is 1 and " * 900 + "the total is 2.",
        PAY + "there is a line for which " * 300 + "the total is 1.",
        PAY + "(" * 2_000,
        PAY + "all of these hold: (a) " * 400,
        "“" * 3_000,
        "“" * 190_000,
        "“””" * 60_000,
        '"“' * 90_000,
        "x" * 300_000,
        f"{PAY}the total is {'9' * 20_000}.",
        "\u202eThe agent\u0000 must",
        "如果 the agent",
    ],
)  # fmt: skip
def test_a_text_of_any_length_is_read_or_refused_within_bounds(travel: Language, text: str) -> None:
    reader = Reader(travel.lexicon)
    try:
        assert len(reader.read(text)) <= 1
    except TooLong as refused:
        assert "read" in str(refused)


def many_tools(count: int) -> Language:
    """The language of a policy over many tools with alike fields."""
    line: Json = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
    fields: dict[str, Json] = {f"field_{number}": {"type": "string"} for number in range(8)}
    fields |= {"total": {"type": "number"}, "lines": {"type": "array", "items": line}}
    tools = [
        Tool(
            f"send_form_{number}",
            parameters={"type": "object", "properties": fields, "required": list(fields)},
        )
        for number in range(count)
    ]
    return Language(
        agent_types(AgentSpec("many", tools=tuple(tools))), 'from agent import Call\n\nDEFAULT = "deny"\n'
    )


def test_a_key_takes_few_steps_whatever_the_number_of_tools() -> None:
    sentence = (
        "The agent must not send form 7 if the sum of the amount of all lines is more than 3 and the total "
        "is less than 2 or there was an earlier call to send form 9 that failed."
    )
    steps: dict[int, list[int]] = {}
    for count in (20, 200):
        reader = Reader(many_tools(count).lexicon)
        for end in range(len(sentence)):
            completion(reader, sentence[:end])
            steps.setdefault(count, []).append(reader.steps)
    assert max(steps[200]) < 2_000
    assert max(steps[200]) <= max(steps[20]) * 2


def test_a_sentence_of_2000_words_is_read(travel: Language) -> None:
    parts = [f"the total is {number}" for number in range(480)]
    sentence = f"{PAY}{' or '.join(parts)}."
    assert 2_000 < len(sentence.split()) < MOST_TOKENS
    assert len(travel.read(sentence)[0][2]) == 481


def test_what_is_never_written_is_offered_only_after_its_beginning(travel: Language) -> None:
    assert not {"exceeds", "between"} & set(completion(travel.reader, f"{PAY}the total is ").offered)
    assert "a number" in completion(travel.reader, f"{PAY}the total is between ").offered
    assert "and" in completion(travel.reader, f"{PAY}the total is between 1 ").offered


def test_a_rule_that_no_sentence_can_say_has_none(travel: Language) -> None:
    """Its sentence would be too long to be read: the rule stands as it is in Python."""
    parts = " and ".join(f'call.total > Decimal("{number}")' for number in range(MOST_TOKENS // 5))
    (tree,) = travel.read(PAY + "the total is more than 5.")
    long = (*tree[:2], tree_of(ast.parse(parts, mode="eval").body), *tree[3:])

    assert travel.write(tree)
    assert travel.write(long) == ""


def test_a_sentence_of_several_lines_becomes_one_but_texts_stay() -> None:
    typed = " The agent must not\n  pay an invoice  if the iban contains “a\n  b” or “””\n”.\n"
    assert on_one_line(typed) == "The agent must not pay an invoice if the iban contains “a\n  b” or “””\n”."


@pytest.mark.parametrize(
    "tail", ["make any call", "make any call or cancel a booking", "cancel a booking or make any call"]
)
def test_earlier_calls_are_asked_for_by_their_tools(tail: str, travel: Language) -> None:
    assert travel.read(f"The agent must not cancel a booking if there was an earlier call to {tail}.") == ()


_MAIL = "The agent must not send a mail if "


@pytest.mark.parametrize(
    ("words", "expression"),
    [
        ("there is an attachment that is not encrypted", "any(not x.encrypted for x in call.attachments)"),
        ("there is no attachment that is encrypted", "not any(x.encrypted for x in call.attachments)"),
        ("there is an attachment whose encrypted is false", "any(not x.encrypted for x in call.attachments)"),
        ("there is a recipient that does not end with “@x.org”",
         'any(not x.endswith("@x.org") for x in call.recipients)'),
        ("there is a recipient that was not named by the user",
         'any("user" not in x.source for x in call.recipients)'),
    ],
)  # fmt: skip
def test_an_element_is_told_by_what_it_is(words: str, expression: str) -> None:
    (tree,) = language_of("benchmarks/suggestions/agents/mail-room").read(f"{_MAIL}{words}.")
    assert canonical(tree[2]) == canonical(tree_of(ast.parse(expression, mode="eval").body))
