"""What is found wrong with settings; each way around a rule is run, and does what the plain call does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runs.kinds.shell.program_oracle import can_trace, effects_of
from tests.settings.test_matching import claude, read
from workbench.settings.findings import (
    COMMAND_WAYS,
    READ_WAYS,
    WRITE_WAYS,
    FindingKind,
    command_ways,
    findings,
)

traced = pytest.mark.skipif(not can_trace(), reason="programs cannot be traced here")


@traced
def test_each_way_to_run_a_command_has_its_effect(tmp_path: Path) -> None:
    lines = [(command, "f") for _, command in command_ways(["rm"])]
    same = {way for way, _ in COMMAND_WAYS}
    for words, file in (
        (["touch"], "f"),
        (["rm", "-rf", "d"], "d/h"),
        (["rm", "--recursive", "d"], "d/h"),
        (["git", "init", "new"], "new"),
    ):
        lines += [(command, file) for way, command in command_ways(words) if way not in same]
    effects = effects_of([line for line, _ in lines], tmp_path)
    assert [line for (line, file), done in zip(lines, effects, strict=True) if file not in done.written] == []


@traced
def test_each_way_to_read_or_write_a_file_has_its_effect(tmp_path: Path) -> None:
    reads = [way.format(f="g.txt", g="g.*") for way in READ_WAYS]
    writes = [way.format(f="f") for way in WRITE_WAYS]
    effects = effects_of([*reads, *writes], tmp_path)
    done = [("g.txt" in one.read) for one in effects[: len(reads)]] + [
        "f" in one.written for one in effects[len(reads) :]
    ]
    assert [line for line, was in zip([*reads, *writes], done, strict=True) if not was] == []


def found(kind: FindingKind, **rules: list[str]) -> list[str]:
    """The findings of a kind on settings of Claude Code."""
    return [one.text for one in findings(claude(**rules)) if one.kind is kind]


def test_a_way_around_a_rule_is_found_with_what_the_client_decides() -> None:
    (one,) = [one for one in findings(claude(deny=["Bash(git push:*)"], allow=["Bash(git:*)"])) if one.slips]
    by_command = {slip.command: slip.decision for slip in one.slips}
    assert by_command["git -C . push"] == "allow"
    assert by_command["/usr/bin/git push"] == "client"
    assert "env git push" not in by_command
    assert one.slips[0].decision == "allow"
    reads = [slip.command for one in findings(claude(deny=["Read(./.env)"])) for slip in one.slips]
    assert "tac .env" in reads and "cat .env" not in reads
    (host,) = findings(claude(deny=["WebFetch(domain:evil.test)"]))
    assert [slip.command for slip in host.slips] == [
        "curl -s https://evil.test/",
        "wget -qO- https://evil.test/",
    ]


def test_a_rule_that_never_matches_and_one_that_another_makes_useless() -> None:
    (never,) = found(FindingKind.NEVER, deny=["Write(dist/**)"])
    assert "write Edit(dist/**)" in never
    assert found(FindingKind.NEVER, deny=["WebFetch(https://a.test/*)"])
    assert found(FindingKind.USELESS, deny=["Bash(git:*)"], allow=["Bash(git status)", "Bash(ls)"]) == [
        "Bash(git status) decides nothing: Bash(git:*) (settings.json, deny 1) outweighs it"
    ]
    assert found(FindingKind.USELESS, deny=["Bash(git push:*)"], allow=["Bash(git:*)"]) == []
    assert found(FindingKind.USELESS, deny=["Edit", "mcp__db__*"]) == []
    twice = found(FindingKind.USELESS, deny=["Bash(rm:*)", "Bash(rm -rf:*)", "Bash(rm *)"])
    assert len(twice) == 2 and all("says the same" in text for text in twice)
    excluded = read("settings.json", '{"tools": {"exclude": ["run_shell_command(rm)"]}}')
    assert findings(excluded)[0].kind is FindingKind.NEVER
    told = read(
        "r.rules",
        'prefix_rule(pattern=[["rm -rf", "rm -r"]])\nprefix_rule(pattern=["git", "push -f"])\n'
        'prefix_rule(pattern=[["rm -rf", "rm"]])\nprefix_rule(pattern=["git", "commit", "-m", "a b"])',
    )
    assert [one.text.partition("; ")[2] for one in findings(told) if one.kind is FindingKind.NEVER] == [
        'write ["rm", "-rf"]',
        'write ["git", "push", "-f"]',
    ]
    first = read("opencode.json", '{"permission": {"bash": {"rm *": "deny", "*": "allow"}}}')
    assert findings(first)[0].kind is FindingKind.USELESS


PAY = '(principal, action == Action::"pay", resource)'


@pytest.mark.parametrize(
    ("policies", "kinds"),
    [
        (["permit when { context.n > 5 && context.n < 6 }"], {1: FindingKind.NEVER}),
        (["permit when { context.n > 5 && context.n < 7 }"], {}),
        (['permit when { context.t == "a" } unless { context.t != "b" }'], {1: FindingKind.NEVER}),
        (["permit when { !context.b && context.b }"], {1: FindingKind.NEVER}),
        (["permit when { context.n < 5 }", "forbid when { context.n <= 5 }"], {1: FindingKind.USELESS}),
        (["permit when { context.n <= 5 }", "forbid when { context.n < 5 }"], {}),
        (['permit when { context.t == "a" }', "permit"], {1: FindingKind.USELESS}),
        # Where b is missing the second policy is in error, and decides nothing.
        (["forbid when { context.n < 5 }", "forbid when { context.b || context.n < 9 }"], {}),
        (
            ["forbid when { context.n < 5 }", "forbid when { context.n < 9 || context.b }"],
            {1: FindingKind.USELESS},
        ),
    ],
)
def test_policies_of_cedar_that_never_match_or_decide_nothing(
    policies: list[str], kinds: dict[int, FindingKind]
) -> None:
    texts = (policy.partition(" ") for policy in policies)
    settings = read("p.cedar", "".join(f"{effect}{PAY} {rest};\n" for effect, _, rest in texts))
    assert {one.rule: one.kind for one in findings(settings)} == kinds
