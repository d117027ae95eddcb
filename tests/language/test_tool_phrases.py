"""Tools whose names make no phrase of English get one as a noun, which sentences then have."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from workbench.app.agent import parameter_nouns, tool_phrases
from workbench.dialect.call_types import agent_types
from workbench.language.language import Language
from workbench.model import AgentSpec, Json, Proposal, Tool
from workbench.runs.proposals.call_proposals import with_accepted

NOTHING = 'from agent import Run\n\nDEFAULT = "deny"\n'


def desk(*names: str, parameters: tuple[str, ...] = ()) -> AgentSpec:
    schema: Mapping[str, Json] = {
        "type": "object",
        "properties": {one: {"type": "string"} for one in parameters},
    }
    return AgentSpec("desk", tools=tuple(Tool(name, "", schema) for name in names))


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("git_commit", "make a git commit"),
        ("mail_send", "send mail"),
        ("calendar_event_create", "create a calendar event"),
        ("github_create_issue", "create an issue with github"),
        ("find_user_id_by_email", "find a user id by email"),
        ("find_user_id_by_name_zip", "find a user id by name and zip"),
        ("modify_user_address", "modify a user address"),
        ("pay_invoice", ""),
        ("send_mail", ""),
        ("look_up_payment", ""),
        ("list_all_products", ""),
        ("calculate", ""),
        ("支払い", ""),
    ],
)
def test_a_name_that_is_no_phrase_gets_one(name: str, phrase: str) -> None:
    types = agent_types(desk(name, parameters=("first_name", "zip")))
    assert list(tool_phrases(types).values()) == [phrase] * bool(phrase)


@pytest.mark.parametrize(
    ("name", "description", "phrase"),
    [
        ("pack_parcel", "Packs a parcel of food for a household.", "pack a parcel"),
        ("discard_item", "Throws pieces of an item away.", "discard an item"),
        ("enrol_pupil", "Enrols one pupil in a course.", "enrol a pupil"),
        ("waive_fee", "Strikes an old fee that a reader owes.", "waive a fee"),
        ("spray_pesticide", "Sprays a field.", ""),
        ("extend_rental", "Lets the customer keep the car for longer.", ""),
        ("discard_stock", "Throws a stock of food away.", ""),
        ("directory_tree", "A tree of the directories.", ""),
        ("weather_forecast", "Gets a weather forecast for a place.", ""),
        ("task_output", "Reads what a command wrote.", ""),
    ],
)
def test_a_word_that_is_done_to_one_thing_by_the_description_stands_before_its_article(
    name: str, description: str, phrase: str
) -> None:
    types = agent_types(AgentSpec("desk", tools=(Tool(name, description, {"type": "object"}),)))
    assert list(tool_phrases(types).values()) == [phrase] * bool(phrase)


@pytest.mark.parametrize(
    ("name", "description", "phrase"),
    [
        ("terminal", "Run a command in bash and return its exit code.", "run a command"),
        ("terminal", "Runs commands in bash.", ""),
        ("calendar_move", "Move an appointment to another time.", "move an appointment"),
        ("files_share", "Share a file or folder.", "share a file"),
        ("files_delete", "Delete a file.", "delete files"),
        ("supplier_update", "Change one field of a supplier.", "make a supplier update"),
        ("web_fetch", "Fetch a page of the web as text.", "make a web fetch"),
        ("patch_file", "Replace one passage of a file by another.", "patch a file"),
        ("weather", "A forecast for the day.", ""),
        ("refund", "Refunds an amount.", ""),
    ],
)
def test_a_name_that_tells_no_act_gets_what_the_description_says_first(
    name: str, description: str, phrase: str
) -> None:
    types = agent_types(AgentSpec("desk", tools=(Tool(name, description, {"type": "object"}),)))
    assert list(tool_phrases(types).values()) == [phrase] * bool(phrase)


def test_no_phrase_is_that_of_another_tool() -> None:
    types = agent_types(
        desk("git_commit", "commit_git", "make_git_commit", "find_user_by_id", "find_users_by_id")
    )
    phrases = tool_phrases(types)
    assert "GitCommit" not in phrases
    assert phrases["FindUserById"] == "find a user by id"


def test_sentences_have_the_phrases_that_a_person_accepted() -> None:
    spec = desk("git_commit", "find_user_id_by_email")
    proposal = Proposal("nouns", nouns=tool_phrases(agent_types(spec)))
    accepted = with_accepted(spec, [proposal], ["nouns"])
    language = Language(agent_types(accepted), NOTHING)
    for text in ("The agent must never make a git commit.", "The agent may always find a user id by email."):
        (tree,) = language.read(text)
        assert language.write(tree) == text
    own = with_accepted(
        AgentSpec("desk", tools=spec.tools, nouns={"GitCommit": "commit the work"}), [proposal], ["nouns"]
    )
    assert own.nouns["GitCommit"] == "commit the work"
    assert "GitCommit" not in tool_phrases(agent_types(own))


@pytest.mark.parametrize(
    ("name", "written", "also"),
    [
        ("look_up_payment", "look up a payment", "look up payments"),
        ("sign_up", "sign up", "sign up"),
        ("pay_invoice", "pay an invoice", "pay the invoice"),
    ],
)
def test_an_article_stands_after_the_words_of_the_verb(name: str, written: str, also: str) -> None:
    language = Language(agent_types(desk(name)), NOTHING)
    (tree,) = language.read(f"The agent must never {also}.")
    assert language.write(tree) == f"The agent must never {written}."


@pytest.mark.parametrize(
    ("name", "description", "noun"),
    [
        ("to", "Recipients.", "recipients"),
        ("from", "First day", "first day"),
        ("to", "Email addresses of the recipients (at least one)", "recipients"),
        ("with_email", "address of the person", ""),
        ("to", "", ""),
        ("to", "The people that get the mail", ""),
        ("to", "To", ""),
        ("to", "subject", ""),
        ("cc", "Copies", ""),
        ("cc", "plain e-mail addresses; nobody if left out", "cc recipient"),
        ("bcc", "addresses", "bcc recipient"),
    ],
)
def test_a_parameter_whose_name_is_a_word_of_the_language_is_called_by_its_description(
    name: str, description: str, noun: str
) -> None:
    properties: dict[str, Json] = {
        name: {"type": "string", "description": description},
        "subject": {"type": "string"},
    }
    tool = Tool("send_mail", "", {"type": "object", "properties": properties})
    types = agent_types(AgentSpec("desk", tools=(tool,)))
    assert list(parameter_nouns(types).values()) == [noun] * bool(noun)


def test_a_list_whose_name_is_a_word_of_the_language_is_called_by_what_its_description_ends_with() -> None:
    people: dict[str, Json] = {
        "type": "array",
        "items": {"type": "string"},
        "description": "addresses of people",
    }
    tool = Tool("share_file", "", {"type": "object", "properties": {"with": people}})
    types = agent_types(AgentSpec("desk", tools=(tool,)))
    assert parameter_nouns(types) == {"ShareFile.with_": "people"}
