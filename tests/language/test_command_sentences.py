"""Sentences about the commands, files and hosts of a coding agent: what is offered decides as they say."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

import pytest

from workbench.dialect.call_types import agent_types
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import compile_policy
from workbench.language.command_speech import folder_told
from workbench.language.language import Language
from workbench.language.suggestion import Suggestion, Suggestions
from workbench.model import AgentSpec, Json, RecordedCall, Verdict
from workbench.runs.extract.extractor import Extractor
from workbench.runs.replay.decide import decision_on
from workbench.runs.world.earlier_calls import Earlier
from workbench.session.agent_file import read_agent

AGENT = """
name = "coder"
[nouns]
Fetch = "fetch a page"
[tools.bash]
cwd = "/repo"
shell = "bash"
parameters = {type = "object", required = ["command"], properties = {command = {type = "string"}}}
fields = {command = {type = "command"}}
[tools.read]
cwd = "/repo"
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}
fields = {path = {type = "path"}}
[tools.write]
cwd = "/repo"
fields = {path = {type = "path"}}
[tools.write.parameters]
type = "object"
required = ["path", "text"]
properties = {path = {type = "string"}, text = {type = "string"}}
[tools.edit]
cwd = "/repo"
fields = {path = {type = "path"}}
[tools.edit.parameters]
type = "object"
required = ["path", "old"]
properties = {path = {type = "string"}, old = {type = "string"}}
[tools.fetch]
parameters = {type = "object", required = ["url"], properties = {url = {type = "string", format = "uri"}}}
"""
POLICY = """
from agent import Bash, Edit, Fetch, Read, Run, Write
DEFAULT = "{default}"
"""
_TABLES = tomllib.loads((Path(__file__).parent / "commands.toml").read_text(encoding="utf-8"))
SAID = [(one["sentence"], one["meant"], one["others"]) for one in _TABLES["said"]]
RUNS = [(one["sentence"], one["refused"], one["fine"]) for one in _TABLES["runs"]]


@lru_cache
def coder(default: str = "allow") -> tuple[AgentSpec, Suggestions]:
    spec = read_agent(AGENT)
    return spec, Suggestions(Language(agent_types(spec), POLICY.format(default=default)), (), "/repo")


def call_of(text: str, number: int = 0) -> RecordedCall:
    """A call of the tool that a text begins with, or else a command."""
    tool, _, rest = text.partition(" ")
    given: dict[str, dict[str, Json]] = {
        "read": {"path": rest}, "write": {"path": rest, "text": ""}, "edit": {"path": rest, "old": ""},
        "fetch": {"url": rest},
    }  # fmt: skip
    return RecordedCall(
        "r", number, tool if tool in given else "bash", given.get(tool, {"command": text}), result="done"
    )


def verdict(offer: Suggestion, texts: list[str], default: str) -> Verdict:
    """The verdict on the last call of a run by what is offered alone."""
    spec, suggestions = coder(default)
    lowered = lowered_policy(suggestions.alone(offer.tree), spec)
    run = tuple(call_of(text, number) for number, text in enumerate(texts))
    extracted = Extractor(lowered.arguments, spec).extract(run[-1], Earlier(run, len(run) - 1))
    return decision_on(compile_policy(lowered.terms), extracted).verdict


@pytest.mark.parametrize(("sentence", "meant", "others"), SAID, ids=[one[0] for one in SAID])
def test_what_is_offered_for_a_sentence_about_commands_decides_as_it_says(
    sentence: str, meant: list[str], others: list[str]
) -> None:
    offers = coder()[1].of(sentence)
    default = "deny" if {one.tree[1] for one in offers} == {"permit"} else "allow"
    unmoved = Verdict.ALLOW if default == "allow" else Verdict.DENY
    assert offers
    for text in meant:
        assert {verdict(one, [text], default) for one in offers} != {unmoved}, text
    for one in offers:
        assert [text for text in others if verdict(one, [text], default) is not unmoved] == [], one.text


@pytest.mark.parametrize(("sentence", "refused", "fine"), RUNS, ids=[one[0] for one in RUNS])
def test_what_is_offered_for_a_sentence_about_a_run_decides_as_it_says(
    sentence: str, refused: list[str], fine: list[str]
) -> None:
    first, *_ = coder()[1].of(sentence)
    assert verdict(first, refused, "allow") is Verdict.DENY
    assert verdict(first, fine, "allow") is Verdict.ALLOW


@pytest.mark.parametrize("text", ["ruff check .", "ruff format", "pytest -q", "git status"])
def test_a_program_that_may_run_may_run_with_its_sub_commands(text: str) -> None:
    first, *_ = coder()[1].of("The only commands it can run are pytest, ruff, git status, git diff and ls.")
    assert verdict(first, [text], "allow") is Verdict.ALLOW
    assert verdict(first, ["git push"], "allow") is Verdict.DENY


def test_every_sentence_that_is_offered_is_read_as_the_rule_that_it_was_written_of() -> None:
    _, suggestions = coder()
    for sentence, *_ in (*SAID, *RUNS):
        for one in suggestions.of(sentence):
            assert len(suggestions.language.read(one.text)) == 1, one.text


def test_the_page_shows_what_is_offered() -> None:
    _, suggestions = coder()
    page = (Path(__file__).parents[2] / "docs/learn/your-agent.md").read_text(encoding="utf-8")
    table = page.partition("| What `say` suggests |")[2].partition("\n\n")[0].splitlines()[2:]
    foreign = ""
    for row in table:
        said, sentence = (cell.strip() for cell in row.strip("|").split("|"))
        foreign = said or foreign
        assert sentence in [one.text for one in suggestions.of(foreign)]


@pytest.mark.parametrize(
    "background",
    [
        "The repository is in /repo.",
        "The agent helps developers with git.",
        "Our project lives on github.com.",
    ],
)
def test_background_is_no_rule_about_commands(background: str) -> None:
    assert not any("command" in one.text and "hosts" in one.text for one in coder()[1].of(background))


@pytest.mark.parametrize(
    ("request_", "folder"),
    [
        ("The repository is in /work/repo.", "/work/repo"),
        ("Our workspace (`/srv/app/`) is all that counts.", "/srv/app"),
        ("Nothing outside the repository is read.", ""),
        ("The repository and/or the docs.", ""),
        ("It works on our repository, which is checked out in /home/dev/gauge.", "/home/dev/gauge"),
        ("It reads the repository, which is never in /etc.", ""),
        ("It reads the repository, but nothing in /etc.", ""),
        ("The agent works in /home/dev/harbor. It reads nothing else.", "/home/dev/harbor"),
        ("Its working folder is `/srv/app`.", "/srv/app"),
        ("It never works in /etc, but in the repository at /srv/app.", "/srv/app"),
        ("Nobody may work in /etc.", ""),
        ("The password is in /etc/shadow.", ""),
    ],
)
def test_a_request_tells_the_folder_in_which_the_agent_works(request_: str, folder: str) -> None:
    assert folder_told(request_) == folder
