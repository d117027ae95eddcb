"""What a sentence about mails may mean: all lists of a call, and what stays offered beside what was taken."""

from __future__ import annotations

import json
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workbench.app.new_session import new_session
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.language.normal_form import normal
from workbench.language.trees import Tree
from workbench.model import FieldNote

OUTSIDE = "Never send mail to anyone outside northwind.com."
HOURS = "Mails may be sent between 08:00 and 17:00 alone."
RATE = "No more than 10 mails are sent in an hour."
TO, CC, BCC = (
    f"The agent must not send an email if there is a {noun} whose domain is not “northwind.com”."
    for noun in ("recipient", "cc entry", "bcc entry")
)
FORWARDED = "The agent must not forward an email if there is a recipient whose domain is not “northwind.com”."
EVERY_LIST = (
    "The agent must not send an email if at least one of these holds:\n"
    + "\n".join(
        f"({letter}) there is a {noun} whose domain is not “northwind.com”;"
        for letter, noun in (("a", "recipient"), ("b", "cc entry"), ("c", "bcc entry"))
    ).removesuffix(";")
    + "."
)


def _tool(name: str, description: str, lists: dict[str, str], *required: str) -> dict[str, Any]:
    of_mail = {"type": "array", "items": {"type": "string", "format": "email"}}
    properties = {
        **{name: {**of_mail, "description": told} for name, told in lists.items()},
        **{name: {"type": "string"} for name in required if name not in lists},
    }
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": description, "input_schema": schema}


@pytest.fixture
def mails(tmp_path: Path) -> Path:
    """A new session of an agent that sends and forwards mails."""
    copies = {"cc": "Recipients in copy", "bcc": "Recipients in blind copy"}
    tools = [
        _tool("send_email", "Send an email", {"to": "Recipients", **copies}, "to", "subject", "body"),
        _tool("forward_email", "Forward an email", {"to": "Recipients"}, "id", "to"),
    ]
    files = {"type": "array", "items": {"type": "string"}, "description": "Paths of files to attach"}
    tools[0]["input_schema"]["properties"]["attachments"] = files
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    (tmp_path / "request.md").write_text(f"- {OUTSIDE}\n- {RATE}\n- {HOURS}\n", encoding="utf-8")
    made = new_session(
        tmp_path / "mails",
        tmp_path / "request.md",
        agent=tmp_path / "tools.json",
        logs=[],
        author="written",
    )
    made.draft()
    made.workbench.close()
    return tmp_path / "mails"


def _read(bench: Workbench, text: str) -> Tree:
    (tree,) = bench.sentences.language.read(text)
    return normal(tree)


def _beside(bench: Workbench, sentence: str, *taken: str) -> set[Tree]:
    offered = bench.suggestions.beside_of_request(sentence, taken)
    return {_read(bench, one.text) for one in offered}


def test_one_offer_is_about_all_lists_and_each_list_has_its_own(mails: Path) -> None:
    with closing(Workbench.open(mails)) as bench:
        found = [_read(bench, one.text) for one in bench.suggestions.of_request(OUTSIDE)[1]]
        assert found[:2] == [_read(bench, TO), _read(bench, EVERY_LIST)]
        assert {_read(bench, CC), _read(bench, BCC)} <= {*found}


def test_the_other_lists_and_the_other_tool_stay_offered_once_one_is_taken(mails: Path) -> None:
    with closing(Workbench.open(mails)) as bench:
        written = {_read(bench, one.text): one.text for one in bench.suggestions.of_request(OUTSIDE)[1]}
        to, cc, every = (written[_read(bench, one)] for one in (TO, CC, EVERY_LIST))
        forwarded = _read(bench, FORWARDED)
        assert _beside(bench, OUTSIDE, to) == {_read(bench, CC), _read(bench, BCC), forwarded}
        assert _beside(bench, OUTSIDE, to, cc) == {_read(bench, BCC), forwarded}
        assert _beside(bench, OUTSIDE, every) == {forwarded}


def test_what_counts_the_calls_of_both_tools_is_not_offered_beside_a_limit_of_one(mails: Path) -> None:
    with closing(Workbench.open(mails)) as bench:
        for one in bench.suggestions.of_request(RATE)[1]:
            assert not _beside(bench, RATE, one.text)


def test_what_permits_calls_by_another_field_is_not_offered_beside_a_permission(mails: Path) -> None:
    with closing(Workbench.open(mails)) as bench:
        offered = bench.suggestions.of_request(HOURS)[1]
        (permitted,) = (one.text for one in offered if one.text.startswith("The agent may send an email if"))
        assert _beside(bench, HOURS, permitted) == {_read(bench, permitted.replace("send", "forward"))}


@pytest.mark.parametrize(
    ("foreign", "first"),
    [
        (
            "Never send a mail to anybody who is not at northwind.com or partner.org.",
            "The agent must not send an email if there is a recipient whose domain is none of "
            "“northwind.com” or “partner.org”.",
        ),
        (
            "The agent sends mail only to bob@northwind.com, eve@northwind.com or bob@northwind.com.",
            "The agent must not send an email unless for every recipient, the recipient is one of "
            "“bob@northwind.com” or “eve@northwind.com”.",
        ),
        (
            "Never attach a file that is not in /home/ann/out or not in /home/ann/shared.",
            "The agent must not send an email if there is an attachment for which the attachment does not "
            "lie inside “/home/ann/out” and the attachment does not lie inside “/home/ann/shared”.",
        ),
        (
            "Only files in /home/ann/out may be attached, unless the path contains .pem.",
            "The agent may send an email if for every attachment, the attachment does not contain “.pem” "
            "and the attachment lies inside “/home/ann/out”.",
        ),
    ],
)
def test_a_value_is_compared_with_the_part_that_has_its_form(mails: Path, foreign: str, first: str) -> None:
    with closing(Workbench.open(mails)) as bench:
        offered = bench.suggestions.of(foreign)
        assert _read(bench, offered[0].text) == _read(bench, first)
        assert not any("its text" in one.text for one in offered)


def test_what_is_closed_is_not_offered_as_open(mails: Path) -> None:
    foreign = "Attach only files from /home/ann/out, and none whose path contains .pem."
    with closing(Workbench.open(mails)) as bench:
        offered = [one.text for one in bench.suggestions.of(foreign)]
        assert not [text for text in offered if "not “.pem”" in text or "one of" in text]


def test_what_the_taken_sentences_say_is_not_said_to_be_left_out(mails: Path) -> None:
    also = "The agent must not send an email if the body contains “paypal”."
    with closing(Workbench.open(mails)) as bench:
        foreign = f"{OUTSIDE.rstrip('.')}, not even a paypal link."
        first = next(one.text for one in bench.suggestions.of(foreign) if "paypal" in one.left_out)
        assert "paypal" in bench.suggestions.beside(foreign, (first,), None, "", 3)[0]
        assert "paypal" not in bench.suggestions.beside(foreign, (first, also), None, "", 3)[0]


def test_what_the_whole_sentence_may_mean_keeps_its_order_beside_what_is_taken(mails: Path) -> None:
    with closing(Workbench.open(mails)) as bench:
        offered = [one.text for one in bench.suggestions.of_request(OUTSIDE)[1]]
        beside = [one.text for one in bench.suggestions.beside_of_request(OUTSIDE, offered[:1])]
        assert [one for one in beside if one in offered] == [one for one in offered if one in beside]


def test_what_is_permitted_is_offered_of_all_lists_first(mails: Path) -> None:
    with closing(Workbench.open(mails)) as bench:
        offered = bench.suggestions.of("Mail may be sent to people at northwind.com.")
        first = next(one.text for one in offered if one.text.startswith("The agent may send an email if"))
        assert all(f"{noun} entry" in first for noun in ("cc", "bcc"))


def test_what_a_person_wants_to_okay_is_not_offered_as_permitted(mails: Path) -> None:
    with closing(Workbench.open(mails)) as bench:
        offered = bench.suggestions.of("Mails to anybody outside northwind.com I want to okay.")
        assert offered and all("only with the approval of a person" in one.text for one in offered)


def test_a_sentence_about_the_zone_of_times_is_told_where_the_zone_belongs(mails: Path) -> None:
    with closing(Workbench.open(mails)) as bench:
        for said in ("All times are Kassel time.", "Times are in the time zone of Lisbon.", "Times are UTC."):
            assert "agent.toml" in bench.suggestions.advice(said)
        assert not bench.suggestions.advice("No mail is sent at night times.")
        bench.session.set_spec(replace(bench.session.agent, zone="Europe/Berlin"))
        assert not bench.suggestions.advice("All times are Kassel time.")


def test_the_command_shows_what_else_is_meant_after_a_pick(
    mails: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("say", str(mails), "--for", "Never send")
    assert main([*words, "--pick", "1"]) == 0
    besides = capsys.readouterr().out.partition("It may mean besides:")[2]
    numbers = re.findall(
        r"^ +(\d+)  The agent must not send an email if there is a b?cc entry", besides, re.M
    )
    assert len(numbers) == 2
    assert "The agent must not forward an email if" in besides
    assert "--pick 1 --pick N" in besides
    assert main([*words, *(word for one in ("1", *numbers) for word in ("--pick", one)), "--keep"]) == 0
    policy = (mails / "policy.py").read_text(encoding="utf-8")
    assert all(f"in call.{name}" in policy for name in ("to", "cc", "bcc"))
    assert "cc entry" not in capsys.readouterr().out.partition("It may mean besides:")[2]


def test_a_sentence_about_a_folder_is_told_which_tools_it_leaves_out(tmp_path: Path) -> None:
    text = {"type": "string"}
    named = {"read_file": "path", "look_through": "folder", "ring": "tone"}
    tools = [
        {"name": name, "input_schema": {"type": "object", "properties": {one: text}, "required": [one]}}
        for name, one in named.items()
    ]
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    (tmp_path / "request.md").write_text("- The agent works in /srv/notes alone.\n", encoding="utf-8")
    request, agent = tmp_path / "request.md", tmp_path / "tools.json"
    assert main(["new", str(tmp_path / "desk"), "--request", str(request), "--agent", str(agent)]) == 0
    with closing(Workbench.open(tmp_path / "desk")) as bench:
        advice = bench.suggestions.advice("The agent works inside /srv/notes alone.")
        assert "the folder of look_through," in advice
        assert not bench.suggestions.advice("The tone is never loud.")
        spec = bench.session.agent
        paths = {"look_through": {"folder": FieldNote("path")}}
        known = [replace(one, fields={**one.fields, **paths.get(one.name, {})}) for one in spec.tools]
        bench.session.set_spec(replace(spec, tools=tuple(known)))
        assert not bench.suggestions.advice("The agent works inside /srv/notes alone.")
