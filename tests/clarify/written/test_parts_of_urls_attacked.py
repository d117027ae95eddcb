"""Folders of URLs and names of hosts that a rule tests as text; Python says where a URL leads."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

import pytest

from tests.clarify.written.one_rule import Decides, after_no, one_rule
from workbench.clarify.written import Asked
from workbench.clarify.written.attacked import EVIL_HOST
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.values_meant import typed_values
from workbench.clarify.written.witnesses import DECLARED, witnesses
from workbench.model import AgentSpec
from workbench.session.agent_file import read_agent


def agent(tool: str, field: str, *, kind: str = "") -> AgentSpec:
    return read_agent(f"""
name = "a"
[tools.{tool}]
description = "Does it."
parameters = {{type = "object", required = ["{field}"], properties = {{{field} = {{type = "string"}}}}}}
{f'fields = {{{field} = {{type = "{kind}"}}}}' if kind else ""}
""")


def asked(of: AgentSpec, about: str, condition: str, sentence: str) -> list[Asked]:
    book = one_rule(of, about, condition, sentence)
    tried = HolesByRule(book)
    return [*typed_values(book, tried), *witnesses(book, tried, {})]


def shown(found: Sequence[Asked], field: str) -> list[str]:
    return [str(one.calls[-1].arguments[field]) for one in found if one.calls]


def folder_of(url: str) -> str:
    """The host of a URL and its folder, as a server reads them."""
    parts = urlsplit(url)
    return f"{parts.hostname}{posixpath.normpath(unquote(parts.path))}"


OWN = ("Clone", 'not call.url.startswith("https://github.com/acme")', "Only our own code.")


def test_a_url_that_only_begins_as_an_open_folder_leads_out_of_it_and_is_stopped() -> None:
    of = agent("clone", "url", kind="url")
    (first, *_) = shown(asked(of, *OWN), "url")
    assert not folder_of(first).startswith("github.com/acme/")
    decides = Decides(after_no(of, *OWN), of)
    for url in (
        "https://github.com/acme-evil/x",
        "https://github.com/acme/../eve/x",
        "https://github.com/acmex/x",
    ):
        assert not folder_of(url).startswith("github.com/acme/")
        assert not decides.allows(("clone", {"url": url}))
    assert all(
        decides.allows(("clone", {"url": f"https://github.com/acme/{each}"})) for each in ("a", "a-b.git")
    )


def test_an_open_folder_of_an_undeclared_field_can_be_declared() -> None:
    assert any(DECLARED in one.effects for one in asked(agent("clone", "url"), *OWN))


@pytest.mark.parametrize(
    ("kind", "condition"), [("url", 'call.url.path.startswith("/admin/")'), ("", '"/admin/" in call.url')]
)
def test_another_spelling_of_a_closed_folder_is_the_folder_for_a_server(kind: str, condition: str) -> None:
    of, sentence = agent("get", "url", kind=kind), "The administration is closed."
    found = [url for url in shown(asked(of, "Get", condition, sentence), "url") if "://" in url]
    assert found
    assert all("/admin" in folder_of(url).lower() for url in found)
    decides = Decides(after_no(of, "Get", condition, sentence), of)
    for path in ("/admin", "/admin/x", "/%61dmin/x"):
        assert not decides.allows(("get", {"url": f"https://a.example{path}"})), path
    for path in ("/orders", "/x?next=1", "/administrators"):
        assert decides.allows(("get", {"url": f"https://a.example{path}"})), path


def test_a_rule_on_the_folders_of_a_path_is_not_asked_about() -> None:
    of = agent("get", "url", kind="url")
    found = shown(asked(of, "Get", '"/admin" in call.url.inside', "The administration is closed."), "url")
    assert not [url for url in found if "dmin" in url]


@pytest.mark.parametrize(
    ("condition", "open_", "closed"),
    [
        (
            '"acme.example" not in call.server',
            ("acme.example", "mail.acme.example"),
            ("acme.example.evil.example", "notacme.example"),
        ),
        (
            'not call.server.startswith("test-")',
            ("test-1", "test-eu-2"),
            ("test-1.evil.example", "test-1@prod.example"),
        ),
    ],
)
def test_a_name_of_a_host_with_an_open_one_in_it_is_another_host(
    condition: str, open_: tuple[str, ...], closed: tuple[str, ...]
) -> None:
    of, sentence = agent("set_server", "server"), "Only our own servers."
    assert any(EVIL_HOST in each for each in shown(asked(of, "SetServer", condition, sentence), "server"))
    decides = Decides(after_no(of, "SetServer", condition, sentence), of)
    assert not any(decides.allows(("set_server", {"server": each})) for each in closed)
    assert all(decides.allows(("set_server", {"server": each})) for each in open_)


def test_an_option_among_others_has_the_names_that_programs_have_for_it() -> None:
    of = read_agent("""
name = "a"
[tools.run.parameters]
type = "object"
required = ["options"]
properties.options = {type = "array", items = {type = "string"}}
""")
    source = after_no(of, "Run_", '"--privileged" in call.options', "Nothing runs with all rights.")
    decides = Decides(source, of)
    assert not decides.allows(("run", {"options": ["--privileged=true"]}))
    assert decides.allows(("run", {"options": ["-p", "80:80"]}))
