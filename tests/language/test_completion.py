"""Completion: values that were seen, and first what is used and what the reworded sentence names."""

from __future__ import annotations

import json

import pytest

from tests.language.read_back import language_of
from workbench.app.sentences import NotASentence, meaning_of, noun_uses
from workbench.dialect.call_types import agent_types
from workbench.language.completion import Meant, Uses, completion, elements_instead
from workbench.language.language import Language
from workbench.language.trees import text_of
from workbench.model import AgentSpec, Json, RecordedCall, Tool
from workbench.session.agent_file import read_agent

CANCEL = "The agent must not cancel a booking if "


@pytest.fixture(scope="module")
def travel() -> Language:
    return language_of("sessions/travel-desk")


@pytest.fixture(scope="module")
def uses(travel: Language) -> Uses:
    calls = [
        *(RecordedCall("a", number, "list_mail", {"trip_id": "T-1"}) for number in range(3)),
        RecordedCall("a", 3, "pay_invoice", {"trip_id": "T-2"}, result=json.dumps({"kind": ["van", "bus"]})),
        RecordedCall("a", 4, "pay_invoice", {}, result="{" * 100_000),
    ]
    return noun_uses(travel, calls)


def test_the_fields_that_calls_gave_are_offered_as_origins(travel: Language, uses: Uses) -> None:
    named = "The agent must not list mail if the trip id was named by "
    for beginning in (named, f"{named}words in "):
        found = completion(travel.reader, beginning, uses)
        assert "the “kind” given by calls to pay an invoice" in found.offered
        assert not any("field" in one for one in found.offered)


@pytest.mark.parametrize(
    ("beginning", "offered"),
    [
        ("The agent must not list mail if the trip id is ", ["“T-1”", "“T-2”", "“a text”"]),
        ("The agent must not list mail if the trip id is “T", ["“T-1”", "“T-2”"]),
        ('The agent must not list mail if the trip id is "t-2', ["“T-2”"]),
        ("The agent must not list mail if the trip id is one of “T-1” or ", ["“T-1”", "“T-2”"]),
    ],
)
def test_the_texts_that_were_seen_of_a_field_are_offered(
    travel: Language, uses: Uses, beginning: str, offered: list[str]
) -> None:
    found = completion(travel.reader, beginning, uses)
    assert [one for one in found.offered if one in offered] == offered


def test_the_values_of_an_enum_are_offered(travel: Language, uses: Uses) -> None:
    found = completion(travel.reader, f"{CANCEL}the booking's kind is ", uses)
    assert {"room", "journey"} <= set(found.offered)


def test_what_is_used_most_is_offered_first(travel: Language, uses: Uses) -> None:
    found = completion(travel.reader, "The agent must not ", uses)
    places = [found.offered.index(one) for one in ("pay an invoice", "list mail", "get a booking")]
    assert places == sorted(places)


def test_what_the_reworded_sentence_names_is_offered_before(travel: Language, uses: Uses) -> None:
    found = completion(
        travel.reader, "The agent must not ", uses, Meant("A cancelled booking is not looked at.")
    )
    assert found.offered[:2] == ("cancel a booking", "get a booking")
    found = completion(travel.reader, f"{CANCEL}the booking's ", uses, Meant("Only before it starts."))
    assert found.offered[0] == "starts at"


def test_a_text_that_is_not_closed_is_no_part_of_what_is_read(travel: Language) -> None:
    found = completion(travel.reader, f"{CANCEL}the booking id is “the total is ")
    assert found.beginning == f"{CANCEL}the booking id is"
    assert found.rest == "“the total is"


def test_after_a_word_that_is_whole_what_follows_it_is_offered(travel: Language) -> None:
    open_word = completion(travel.reader, f"{CANCEL}there was no earlier call to get a trip (where its")
    assert open_word.offered == completion(travel.reader, f"{open_word.beginning} ").offered
    assert "trip id" in open_word.offered and not open_word.rest
    assert completion(travel.reader, "The agent must not pay an inv").offered == ("invoice",)


def test_where_a_text_came_from_is_offered(travel: Language, uses: Uses) -> None:
    found = completion(travel.reader, f"{CANCEL}the booking id was named by ", uses)
    assert {"the user", "nothing"} <= set(found.offered)


def test_readings_of_other_texts_are_not_offered_and_starts_is_read_as_begins() -> None:
    spec = read_agent(SHELL)
    source = 'from agent import Run, RunShell\n\nDEFAULT = "allow"\n'
    language = Language(agent_types(spec), source)
    reader = language.reader
    before = "The agent must not run a shell if the command"
    offered = completion(reader, f"{before}'s ").offered
    assert "programs" in offered and "topic" in offered and "exit code" not in offered
    assert completion(reader, f"{before} starts with “ls”.").whole
    (begins,), (starts,) = (reader.read(f"{before} {word} with “ls”.") for word in ("begins", "starts"))
    assert begins == starts
    (one,) = reader.read(f"{before} contains one of “;”, “|” or “&”.")
    (none,) = reader.read(f"{before} contains none of “;” or “|”.")
    assert text_of(one[2]) == '";" in call.command or "|" in call.command or "&" in call.command'
    assert reader.read(language.write(none)) == (none,)


SHELL = """
name = "desk"
[tools.run_shell.parameters]
type = "object"
required = ["command"]
properties = {command = {type = "string"}, note = {type = "string"}}
[tools.run_shell.fields]
command = {type = "command"}
[readings.exit_code]
type = "str"
texts = ["RunShell.note"]
extract = {method = "regex", pattern = "x"}
[readings.topic]
type = "str"
texts = ["RunShell.command"]
extract = {method = "regex", pattern = "x"}
"""


def test_the_noun_of_an_element_is_offered_whole() -> None:
    """The first word of one may be the name of what has no elements, which would not be read."""
    lists: dict[str, Json] = {
        name: {"type": "array", "items": {"type": "string"}} for name in ("to", "to_people", "to_rooms")
    }
    tool = Tool("send", parameters={"type": "object", "properties": lists, "required": [*lists]})
    types = agent_types(AgentSpec("mail", tools=(tool,)))
    language = Language(types, '"""A policy."""\n\nfrom agent import Run, Send\n\nDEFAULT = "allow"\n')
    beginning = "The agent must not send if there is a "
    offered = completion(language.reader, beginning).offered
    nouns = [one for one in offered if one.startswith("to")]
    assert sorted(nouns) == ["to entry", "to person", "to room"]
    for noun in nouns:
        text = f"{beginning}{noun} for which the time of day is after 9:00."
        assert language.read(text)


def test_an_element_of_the_call_is_offered_before_those_of_others_and_in_their_place() -> None:
    lists: dict[str, Json] = {"type": "array", "items": {"type": "string"}}
    tools = tuple(
        Tool(name, parameters={"type": "object", "properties": {field: lists}, "required": [field]})
        for name, field in (("send", "cc"), ("invite", "people"))
    )
    types = agent_types(AgentSpec("mail", tools=tools))
    language = Language(types, '"""A policy."""\n\nfrom agent import Run, Send\n\nDEFAULT = "allow"\n')
    beginning = "The agent must not send unless every "
    offered = completion(language.reader, beginning).offered
    assert offered[0] == "cc entry"
    assert "person of" in offered
    assert "person" not in offered
    wrong = f"{beginning}person is “x”."
    found = completion(language.reader, wrong)
    assert elements_instead(language.reader, found) == (len(beginning), ("cc entry",))
    with pytest.raises(NotASentence, match="an element of this one is called: cc entry"):
        meaning_of(language, wrong)
    other = completion(language.reader, f"{beginning}cc entry wants “x”.")
    assert elements_instead(language.reader, other) == (0, ())


def test_what_is_meant_is_offered_before(travel: Language, uses: Uses) -> None:
    meant = Meant("Nothing is paid twice.", (f"{CANCEL}there was an earlier call to cancel a booking.",))
    assert completion(travel.reader, CANCEL, uses, meant).offered[0] == "there was"
    assert completion(travel.reader, f"{CANCEL}there was ", uses, meant).offered[0] == "an"


def test_an_earlier_call_is_one_of_some_tools(travel: Language) -> None:
    assert "make any call" in completion(travel.reader, "The agent must not ").offered
    assert "make any call" not in completion(travel.reader, f"{CANCEL}there was no earlier call to ").offered
