"""Where relative paths begin, what an address is of, other names of a branch, and other files of a sort."""

from __future__ import annotations

import pytest

from tests.clarify.written.one_rule import Decides, after_no, one_rule
from workbench.clarify.written import Asked
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.witnesses import CLOSED, DECLARED, witnesses
from workbench.model import AgentSpec
from workbench.session.agent_file import read_agent


def agent(tool: str, told: str, *fields: str, kind: str = "") -> AgentSpec:
    """An agent with one tool of some fields, the first of which may be of a kind."""
    properties = ", ".join(f'{one} = {{type = "string"}}' for one in fields)
    needed = ", ".join(f'"{one}"' for one in fields)
    return read_agent(f"""
name = "a"
[tools.{tool}]
description = "{told}"
parameters = {{type = "object", required = [{needed}], properties = {{{properties}}}}}
{f'fields = {{{fields[0]} = {{type = "{kind}"}}}}' if kind else ""}
""")


def asked(of: AgentSpec, about: str, condition: str, sentence: str, form: str = "forbid") -> list[Asked]:
    book = one_rule(of, about, condition, sentence, form=form)
    return [*witnesses(book, HolesByRule(book), {})]


CONFIG = ("WriteFile", '"/config/" in call.path', "Configuration is left alone.")


@pytest.mark.parametrize("kind", ["path", ""])
def test_a_description_that_says_where_paths_begin_is_declared(kind: str) -> None:
    of = agent("write_file", "Writes. A relative path begins in /srv/app.", "path", kind=kind)
    (one,) = [each for each in asked(of, *CONFIG) if DECLARED in each.effects]
    declared = one.effects[DECLARED].agent
    assert declared is not None
    assert declared.tools[0].cwd == "/srv/app"
    assert declared.tools[0].fields["path"].type == "path"


def test_no_leaves_relative_paths_of_which_the_folder_is_not_known() -> None:
    of = agent("write_file", "Writes a file.", "path", kind="path")
    source = after_no(of, *CONFIG)
    decides = Decides(source, of)
    assert not any(
        decides.allows(("write_file", {"path": each}))
        for each in ("config/x", "/a/config/x", "/a/x/../config/x", "/a//config/x")
    )
    assert all(decides.allows(("write_file", {"path": each})) for each in ("notes.txt", "src/a.py", "/a/b"))


def test_a_closed_folder_without_logs_is_closed_with_itself_and_may_be_told_by_its_kind() -> None:
    of = agent("remove_tree", "Removes a folder.", "target")
    rule = ("RemoveTree", 'call.target.startswith("/srv/vault/")', "Nothing below /srv/vault is removed.")
    (first, *_) = [one for one in asked(of, *rule) if CLOSED in one.effects]
    declared = first.effects[DECLARED].agent
    assert declared is not None
    assert declared.tools[0].fields["target"].type == "path"
    decides = Decides(after_no(of, *rule), of)
    closed = ("/srv/vault", "/srv/vault/a", "/srv/a/../vault/x", "/srv//vault/x")
    assert not any(decides.allows(("remove_tree", {"target": each})) for each in closed)
    assert all(decides.allows(("remove_tree", {"target": each})) for each in ("/srv/vaults", "/srv/a"))


def test_a_relative_path_is_not_asked_about_where_the_tool_is_known_to_work_elsewhere() -> None:
    of = read_agent("""
name = "a"
[tools.read_file]
cwd = "/srv/app"
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}
""")
    texts = [one.question.text for one in asked(of, "ReadFile", 'call.path.startswith("/etc/")', "Not /etc.")]
    assert texts
    assert not any("“etc/x”" in each for each in texts)


@pytest.mark.parametrize(
    ("told", "is_of_page"),
    [("Reads a web page.", True), ("Fetches a site by GET.", True), ("Writes to somebody.", False)],
)
def test_an_address_is_that_of_a_page_where_the_tool_speaks_of_pages(told: str, is_of_page: bool) -> None:
    of = agent("fetch", told, "address")
    found = asked(of, "Fetch", '"docs.acme.example" in call.address', "Only our docs.", form="permit")
    shown = [str(one.calls[-1].arguments["address"]) for one in found]
    assert shown
    assert all(("://" in each) is is_of_page for each in shown)


def test_a_branch_is_meant_by_its_whole_name_too_where_the_tool_merges_branches() -> None:
    of = agent("merge_branch", "Merges.", "source", "target")
    condition = 'call.target == "develop" and not call.source_.startswith("agent/")'
    decides = Decides(after_no(of, "MergeBranch", condition, "Into develop come only agents' branches."), of)
    assert not decides.allows(("merge_branch", {"source": "x", "target": "refs/heads/develop"}))
    assert decides.allows(("merge_branch", {"source": "agent/x", "target": "refs/heads/develop"}))
    assert decides.allows(("merge_branch", {"source": "x", "target": "staging"}))


@pytest.mark.parametrize(
    ("sentence", "closed", "others", "open_"),
    [
        (
            "Dockerfiles are changed by people.",
            "Dockerfile",
            ("Dockerfile.prod", "web.dockerfile", "Containerfile"),
            "docker.md",
        ),
        ("Lock files are changed by people.", "yarn.lock", ("package-lock.json", "poetry.lock"), "a.lock.md"),
        (
            "Dependencies are added by people.",
            "package.json",
            ("requirements-dev.txt", "go.mod"),
            "packages.md",
        ),
    ],
)
def test_other_files_of_the_sort_that_a_sentence_speaks_of_are_closed_by_no(
    sentence: str, closed: str, others: tuple[str, ...], open_: str
) -> None:
    of = agent("write_file", "Writes a file.", "path", kind="path")
    decides = Decides(after_no(of, "WriteFile", f'call.path.name == "{closed}"', sentence), of)
    assert not any(decides.allows(("write_file", {"path": f"/a/{each}"})) for each in (closed, *others))
    assert decides.allows(("write_file", {"path": f"/a/{open_}"}))


def test_a_file_with_its_own_place_is_tried_there() -> None:
    of = read_agent("""
name = "a"
[tools.read_file]
cwd = "/repo"
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}
fields = {path = {type = "path"}}
""")
    found = asked(of, "ReadFile", 'call.path == "/repo/.env"', "The file with the passwords is not read.")
    shown = [str(call.arguments["path"]) for one in found for call in one.calls]
    assert not any("/~" in each for each in shown)
    assert any(CLOSED in one.effects for one in found)
