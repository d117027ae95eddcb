"""The matching of each client: as it was measured, and as an independent oracle of the pages says."""

from __future__ import annotations

import fnmatch
import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from tests.examples import examples
from workbench.settings.reading import read_settings
from workbench.settings.rules import SHELL, Effect, Settings

TOUCH = {
    "Claude Code": (
        "settings.json",
        json.dumps({"permissions": {"deny": ["Bash(touch:*)"], "allow": ["Bash"]}}),
    ),
    "Codex": ("default.rules", 'prefix_rule(pattern=["touch"], decision="forbidden")'),
    "Gemini CLI": (
        "a.toml",
        '[[rule]]\ntoolName = "run_shell_command"\n'
        'commandPrefix = "touch"\ndecision = "deny"\npriority = 500\n',
    ),
    "OpenCode": ("opencode.json", json.dumps({"permission": {"bash": {"*": "allow", "touch *": "deny"}}})),
}
MEASURED = tomllib.loads((Path(__file__).parent / "measured.toml").read_text("utf-8"))
UNREAD = {"f() { touch A39; }; f"}
"""A function is not read by the workbench: nothing is said of it, so nothing wrong is."""


def read(name: str, text: str) -> Settings:
    """The settings in one file."""
    return read_settings([(Path(name), text)])


def claude(**rules: list[str]) -> Settings:
    """Settings of Claude Code."""
    return read("settings.json", json.dumps({"permissions": rules}))


@pytest.mark.parametrize("client", MEASURED)
def test_a_client_matches_as_the_real_one_did(client: str) -> None:
    settings = read(*TOUCH[client])
    told = {text: settings.decide(SHELL, text)[0] is not Effect.DENY for text in MEASURED[client]}
    assert {text: ran for text, ran in told.items() if text not in UNREAD} == {
        text: ran for text, ran in MEASURED[client].items() if text not in UNREAD
    }


def test_files_of_claude_code_are_matched_as_the_real_one_did() -> None:
    settings = claude(deny=["Read(./.env)", "Edit(w3.txt)", "Write(./w1.txt)", "Edit(./sub/**)"])
    stopped = [
        "cat .env",
        "head -1 .env",
        "cat ./sub/.env",
        "sed -n p .env",
        "base64 .env",
        "awk 1 .env",
        "wc .env",
    ]
    passed = ["cat sub/../.env", "tac .env", "less .env", "cp .env x", "cat < .env", "cat .e*"]
    assert [text for text in stopped if settings.decide(SHELL, text)[0] is not Effect.DENY] == []
    assert [text for text in passed if settings.decide(SHELL, text)[0] is Effect.DENY] == []
    assert settings.decide(SHELL, "echo a > w3.txt")[0] is Effect.DENY
    assert settings.decide("Read", "/repo/sub/.env")[0] is Effect.DENY
    assert settings.decide("Write", "/repo/w1.txt")[0] is None
    assert settings.decide("Write", "/repo/sub/w2.txt")[0] is Effect.DENY


@pytest.mark.parametrize(
    ("rule", "command", "matches"),
    [
        ("Bash(ls*)", "lsof", True),
        ("Bash(ls:*)", "lsof", False),
        ("Bash(ls *)", "ls", True),
        ("Bash(npm run test)", "npm run test x", False),
        ("Bash(git * main)", "git log dev main", True),
        ("Bash(git push:*)", "git  push o m", True),
        ("Bash(git push:*)", "git -C . push", False),
        ("Bash(git push:*)", "git pushx", False),
    ],
)
def test_a_pattern_of_commands(rule: str, command: str, matches: bool) -> None:
    assert (claude(deny=[rule]).decide(SHELL, command)[0] is Effect.DENY) is matches


def test_hosts_and_ranks() -> None:
    settings = claude(deny=["WebFetch(domain:evil.test)", "WebFetch(domain:*.wild.test)"], allow=["WebFetch"])
    decided = [
        settings.decide("WebFetch", host)[0]
        for host in ("evil.test", "sub.evil.test", "a.wild.test", "wild.test")
    ]
    assert decided == [Effect.DENY, Effect.ALLOW, Effect.DENY, Effect.ALLOW]
    last = read(
        "opencode.json", '{"permission": {"bash": {"git push": "deny", "git *": "allow"}, "edit": "ask"}}'
    )
    assert last.decide(SHELL, "git push")[0] is Effect.ALLOW
    assert last.decide("Write", "/repo/x")[0] is Effect.ASK
    assert last.decide("Read", "/repo/x")[0] is Effect.ALLOW
    codex = read(
        "x.rules",
        'prefix_rule(pattern=["git", ["push", "fetch"]], decision="prompt")\nprefix_rule(pattern=["git"])',
    )
    assert [codex.decide(SHELL, text)[0] for text in ("git fetch", "/usr/bin/git push x", "git log")] == [
        Effect.ASK, Effect.ASK, Effect.ALLOW,
    ]  # fmt: skip


WORD = st.sampled_from(["git", "gitk", "push", "pushx", "-f", "main", "rm", "x"])
COMMANDS = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
PATTERNS = st.lists(
    st.one_of(WORD, st.just("*"), WORD.map(lambda word: f"{word}*")), min_size=1, max_size=3
).map(" ".join)


@given(PATTERNS, COMMANDS)
@settings_of(max_examples=examples(120), deadline=None)
def test_patterns_of_one_command_are_globs(pattern: str, command: str) -> None:
    """Independent: fnmatch on the whole text; a last `` *`` may be missing with its blank."""
    expected = fnmatch.fnmatchcase(command, pattern) or (
        pattern.endswith(" *") and fnmatch.fnmatchcase(command, pattern.removesuffix(" *"))
    )
    assert (claude(deny=[f"Bash({pattern})"]).decide(SHELL, command)[0] is Effect.DENY) is expected
    settings = read("opencode.json", json.dumps({"permission": {"bash": {pattern: "deny"}}}))
    assert (settings.decide(SHELL, command)[0] is Effect.DENY) is expected


NAMES = st.sampled_from(["a", "b", ".env", "x.pem", "secrets"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@given(NAMES, PATHS)
@settings_of(max_examples=examples(120), deadline=None)
def test_a_name_floats_and_a_path_does_not(name: str, path: str) -> None:
    parts = path.split("/")
    floating = claude(deny=[f"Read({name})"]).decide("Read", f"/repo/{path}")[0] is Effect.DENY
    assert floating is (name in parts)
    anchored = claude(deny=[f"Read(/{name})"]).decide("Read", f"/repo/{path}")[0] is Effect.DENY
    assert anchored is (parts[0] == name)
    below = claude(deny=[f"Read({name}/**)"]).decide("Read", f"/repo/{path}")[0] is Effect.DENY
    assert below is (parts[0] == name and len(parts) > 1)
