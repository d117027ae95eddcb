"""Options and modes that a rule closes as they are written, by other words: programs are run with each."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.clarify.written.one_rule import Decides, after_no, one_rule
from tests.shell_agent import SHELL_AGENT
from workbench.clarify.written.holes import HolesByRule
from workbench.model import AgentSpec
from workbench.session.agent_file import read_agent

AGENT = read_agent(SHELL_AGENT)
RAW = read_agent("""
name = "operator"
[tools.bash]
description = "Runs a command line in bash."
parameters = {type = "object", required = ["command"], properties = {command = {type = "string"}}}
""")


def tried(condition: str, of: AgentSpec = AGENT, sentence: str = "It is not done.") -> list[str]:
    """The commands that are asked about as other spellings of an option."""
    book = one_rule(of, "Bash", condition, sentence)
    holes = [
        hole for rule in book.rules for hole in HolesByRule(book).of(rule) if hole.kind == "other option"
    ]
    return [str(one.calls[-1].arguments["command"]) for hole in holes for one in hole.every]


def allows(source: str, command: str, of: AgentSpec = AGENT) -> bool:
    return Decides(source, of).allows(("bash", {"command": command}))


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command], cwd=folder, check=False, capture_output=True, text=True)


BY_WORDS = 'any(p.name == "rm" and "-rf" in p.words for p in call.command.started)'
BY_TEXT = '"rm -rf" in call.command'


@pytest.mark.parametrize("condition", [BY_WORDS, BY_TEXT])
def test_each_spelling_of_two_options_of_rm_deletes_a_folder_silently(tmp_path: Path, condition: str) -> None:
    source = after_no(AGENT, "Bash", condition, "It is not done.")
    commands = tried(condition)
    assert {"rm -fr x", "rm -r -f x"} <= {*commands}
    for number, command in enumerate([*commands, "rm x", "rm -r x", "rm -f x", "ls -rf x"]):
        place = tmp_path / str(number)
        (place / "x").mkdir(parents=True)
        done = run(place, command)
        is_gone = not (place / "x").exists()
        is_silent = run(place, command.replace(" x", " nothing")).returncode == 0
        assert (is_gone and is_silent and done.returncode == 0) is not allows(source, command), command


@pytest.mark.parametrize(
    ("condition", "of"),
    [
        ('any(p.name == "chmod" and "777" in p.words for p in call.command.started)', AGENT),
        ('"chmod 777" in call.command', RAW),
    ],
)
def test_each_way_to_write_a_mode_gives_it_to_a_file(tmp_path: Path, condition: str, of: AgentSpec) -> None:
    (file := tmp_path / "x").write_text("")
    source = after_no(of, "Bash", condition, "Not everybody may run files.")
    commands = tried(condition, of)
    assert {"chmod 0777 x", "chmod a+rwx x", "chmod ugo=rwx x"} <= {*commands}
    for command in (*commands, "chmod 600 x", "chmod u+x x", "chmod go-w x"):
        file.chmod(0o600)
        assert run(tmp_path, command).returncode == 0
        gives_all = file.stat().st_mode & 0o777 == 0o777
        assert gives_all is not allows(source, command, of), command


@pytest.mark.parametrize("of", [AGENT, RAW])
def test_each_name_of_an_option_of_git_deletes_a_tag(tmp_path: Path, of: AgentSpec) -> None:
    condition, sentence = '"git tag -d" in call.command', "A tag stays."
    source = after_no(of, "Bash", condition, sentence)
    commands = tried(condition, of, sentence)
    assert commands
    who = "-c user.name=a -c user.email=a@b.example"
    for number, command in enumerate([*commands, "git tag y", "git tag", "git tag -l x"]):
        place = tmp_path / str(number)
        place.mkdir()
        run(place, f"git init -q && git {who} commit -q --allow-empty -m first && git tag x")
        run(place, command)
        is_gone = run(place, "git tag --list x").stdout == ""
        assert is_gone is not allows(source, command, of), command


def test_a_value_may_stand_in_the_word_of_its_option_or_after_it() -> None:
    source = after_no(RAW, "Bash", '"--host 0.0.0.0" in call.command', "It listens here alone.")
    assert not allows(source, "flask run --host=0.0.0.0", RAW)
    assert all(allows(source, each, RAW) for each in ("flask run", "flask run --host=127.0.0.1"))


def test_a_rule_on_options_by_their_names_is_not_asked_about() -> None:
    by_options = '"-r" in p.options and "-f" in p.options'
    assert not tried(f'any(p.name == "rm" and {by_options} for p in call.command.started)')


def test_a_program_that_is_closed_altogether_is_not_asked_about() -> None:
    assert not tried('"rm" in call.command and "-rf" not in call.command or "rm -rf" in call.command', RAW)
