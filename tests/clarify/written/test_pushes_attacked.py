"""Pushes to a branch or a repository that a rule closes, by other words: git is run with each."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.shell_agent import SHELL_AGENT
from workbench.app.answered_rules import with_effect
from workbench.app.session_language import language_of
from workbench.clarify.written import Asked, Book
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.attacked import EVIL_HOST
from workbench.clarify.written.holes import Hole, HolesByRule
from workbench.clarify.written.tried_calls import Trials
from workbench.clarify.written.witnesses import CLOSED, witnesses
from workbench.dialect.lowered_policy import lowered_policy
from workbench.session.agent_file import read_agent

AGENT = read_agent(SHELL_AGENT)
POLICY = '''"""Pushes."""
from agent import Bash

DEFAULT = "allow"


def forbid_push(call: Bash) -> bool:
    """R1: Some pushes are closed."""
    return {condition}
'''
OF_PUSH = 'p.name == "git" and p.first == "push"'
TO_MAIN = {
    "by a word": f'any({OF_PUSH} and "main" in p.words for p in call.command.started)',
    "by the text": '"git push" in call.command and " main" in call.command',
}
TO_ORIGIN = f'any({OF_PUSH} and "origin" not in p.words for p in call.command.started)'


def _holes(source: str) -> tuple[list[Hole], list[Asked]]:
    book = Book(language_of(source, AGENT), AGENT, lowered_policy(source, AGENT).terms, ())
    tried = HolesByRule(book)
    return [hole for rule in book.rules for hole in tried.of(rule)], [*witnesses(book, tried, {})]


def _is_allowed(source: str, *commands: str) -> bool:
    trials = Trials(lowered_policy(source, AGENT).terms, AGENT)
    return trials.confirms(tuple(TriedCall("bash", {"command": each}) for each in commands))


def _git(folder: Path, *commands: str) -> None:
    of_nobody = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": "/usr/bin:/bin"}
    who = {f"GIT_{role}_{what}": "x@y" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for command in commands:
        subprocess.run(
            ["bash", "-c", command], cwd=folder, env={**of_nobody, **who}, check=True, capture_output=True
        )


def _repository(folder: Path) -> tuple[Path, Path, Path]:
    """A clone on main with a commit that is not pushed, its origin, and another repository."""
    folder.mkdir()
    _git(folder, "git init -q --bare -b main origin.git", "git init -q --bare -b main evil.git")
    _git(folder, "git clone -q origin.git clone")
    clone = folder / "clone"
    _git(clone, "git checkout -q -B main", "git commit -q --allow-empty -m one", "git push -q -u origin main")
    _git(clone, "git branch topic", "git branch origin", "git commit -q --allow-empty -m two")
    return clone, folder / "origin.git", folder / "evil.git"


def _refs(folder: Path) -> str:
    return subprocess.check_output(["git", "for-each-ref"], cwd=folder, text=True)


@pytest.mark.parametrize("condition", TO_MAIN.values(), ids=TO_MAIN)
def test_each_other_push_changes_the_closed_branch_and_the_answer_stops_it(
    condition: str, tmp_path: Path
) -> None:
    source = POLICY.format(condition=condition)
    holes, asked = _holes(source)
    (hole,) = (one for one in holes if one.kind == "branch")
    commands = [str(one.calls[0].arguments["command"]) for one in hole.every]
    assert len(commands) > 3
    for number, command in enumerate(commands):
        clone, origin, _ = _repository(tmp_path / str(number))
        before = _refs(origin)
        _git(clone, command)
        assert _refs(origin) != before, command
    (one,) = (one for one in asked if one.calls[0].arguments["command"] == commands[0])
    refined, _ = with_effect(language_of(source, AGENT), source, one.effects[CLOSED], open_default=True)
    assert not any(_is_allowed(refined, each) for each in commands)
    for each in ("git push origin topic", "git push -u origin topic", "git status", "git log main"):
        assert _is_allowed(refined, each)


def test_what_makes_a_commit_besides_git_commit_is_asked_about_and_the_answer_stops_it() -> None:
    for condition in (
        '"git commit" in call.command.calls',
        'any(p in {"git commit", "git tag"} for p in call.command.calls)',
    ):
        source = POLICY.format(condition=condition)
        holes, asked = _holes(source)
        (hole,) = (one for one in holes if one.kind == "other call")
        commands = [str(one.calls[0].arguments["command"]) for one in hole.every]
        assert {each.split()[1] for each in commands} == {"cherry-pick", "revert", "merge"}
        (one,) = (one for one in asked if one.calls == hole.shown.calls)
        refined, _ = with_effect(language_of(source, AGENT), source, one.effects[CLOSED], open_default=True)
        assert not any(_is_allowed(refined, each) for each in (*commands, "git commit -m x"))
        assert _is_allowed(refined, "git add -A")


def test_each_push_to_another_repository_reaches_it_and_the_answer_stops_it(tmp_path: Path) -> None:
    source = POLICY.format(condition=TO_ORIGIN)
    holes, asked = _holes(source)
    (hole,) = (one for one in holes if one.kind == "other remote")
    runs = [[str(call.arguments["command"]) for call in one.calls] for one in hole.every]
    for number, run in enumerate(runs):
        clone, _, evil = _repository(tmp_path / str(number))
        _git(clone, *(each.replace(f"https://{EVIL_HOST}/x.git", str(evil)) for each in run))
        assert _refs(evil), run
    (one,) = (one for one in asked if one.calls == hole.shown.calls)
    refined, _ = with_effect(language_of(source, AGENT), source, one.effects[CLOSED], open_default=True)
    assert not any(_is_allowed(refined, *run) for run in runs)
    assert _is_allowed(refined, "git push origin topic")
    assert _is_allowed(refined, "git remote -v")
