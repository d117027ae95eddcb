"""The commands about logs on the shipped sessions: explain, denials, propose, and the filters of replay."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.cli import main
from workbench.cli.command_tree import COMMANDS
from workbench.engines.compiled.compile import reason
from workbench.model import Decision, Json, Verdict, Violation

SESSIONS = Path(__file__).resolve().parents[2] / "sessions"


@pytest.fixture
def shopping(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns(".workbench")
    return shutil.copytree(SESSIONS / "web-shopping", tmp_path / "web-shopping", ignore=ignored)


class Shell:
    """Runs commands and stores their output."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured = captured
        self.out = self.err = ""

    def run(self, *words: str | Path) -> int:
        code = main([str(word) for word in words])
        self.out, self.err = self._captured.readouterr()
        return code

    def objects(self, *words: str | Path) -> list[dict[str, Json]]:
        assert self.run(*words, "--json") == 0
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


def test_a_denial_is_explained_with_its_rule_its_characters_and_what_would_turn_it(
    shell: Shell, shopping: Path
) -> None:
    assert shell.run("explain", shopping, "shop-002") == 0
    assert "forbid_car fired" in shell.out
    assert 'user, line 6: "False"' in shell.out
    assert "whether the user's first message is marked dr license = True instead of False" in shell.out
    (explanation,) = shell.objects("explain", shopping, "shop-002")
    assert explanation["decision"] == "deny"
    assert shell.run("explain", shopping, "shop-02") == 2
    assert "did you mean shop-002?" in shell.err


def test_a_group_is_judged_as_a_whole_and_the_judgement_can_be_undone(shell: Shell, shopping: Path) -> None:
    groups = shell.objects("denials", shopping)
    key = str(groups[0]["key"])
    before = (shopping / "cases.toml").read_text()
    assert shell.run("denials", shopping, "--judge", key, "right") == 0
    assert "judged right" in shell.out
    assert (shopping / "cases.toml").read_text() != before
    assert shell.run("test", shopping) == 0
    assert shell.run("undo", shopping) == 0
    assert (shopping / "cases.toml").read_text() == before
    assert shell.run("denials", shopping, "--judge", "no-such-key", "right") == 2


def test_filters_show_the_calls_that_pass_them_all(shell: Shell, shopping: Path) -> None:
    everything = shell.objects("replay", shopping)
    denied = shell.objects("replay", shopping, "--decision", "deny")
    assert denied == [row for row in everything if row["decision"] == "deny"]
    rule = "forbid_hotel"
    hotel = shell.objects("replay", shopping, "--rule", rule, "--decision", "deny")
    assert 0 < len(hotel) < len(denied)
    of_run = shell.objects("replay", shopping, "--run", "shop-002")
    assert of_run[0]["run"] == "shop-002"
    assert shell.run("replay", shopping, "--run", "shop-002", "--decision", str(of_run[0]["decision"])) == 0
    assert f"Replay      {len(of_run)} call" in shell.out
    assert shell.objects("replay", shopping, "--text", "BASALT van", "--tool", "reserve_car")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rule", "forbid_hote"), "did you mean forbid_hotel?"),
        (("--tool", "reserve_car", "--decision", "allow", "--text", "zzz"), "--text zzz"),
        (
            ("--tool", "open_page", "--rule", "forbid_hotel"),
            "--rule forbid_hotel leaves",
        ),
    ],
)
def test_a_view_that_is_empty_says_which_filter_emptied_it(
    shell: Shell, shopping: Path, words: tuple[str, ...], message: str
) -> None:
    assert shell.run("replay", shopping, *words) == 0
    assert message in shell.err


def test_a_difference_names_a_recorded_call(shell: Shell, shopping: Path, tmp_path: Path) -> None:
    policy = tmp_path / "loose.py"
    source, holds = (shopping / "policy.py").read_text(), "and not run.first_said.dr_license"
    assert holds in source
    policy.write_text(source.replace(holds, f"{holds} and run.first_said.dr_license"))
    assert shell.run("diff", shopping, "current", policy) == 1
    assert "logs     shop-002 call" in shell.out


def test_a_call_that_another_rule_denies_says_which(shell: Shell, shopping: Path, tmp_path: Path) -> None:
    policy = tmp_path / "renamed.py"
    source = (shopping / "policy.py").read_text()
    renamed = source.replace("forbid_car", "forbid_cars")
    policy.write_text(renamed)
    assert shell.run("diff", shopping, "current", policy) == 0
    assert "deny by forbid_car became deny by forbid_cars" in shell.out


def test_several_messages_of_one_denial_are_one_sentence() -> None:
    violations = (Violation("forbid_a", "No a.", ("x", "y")), Violation("forbid_b", "No b."))
    sentence = reason(Decision(Verdict.DENY, violations))
    assert sentence == "Denied by forbid_a: No a (x, y); forbid_b: No b."


def _shopping_log(folder: Path) -> Path:
    """One action of three calls, and one of a single call."""
    calls = [
        {"id": name, "type": "function", "function": {"name": "buy", "arguments": "{}"}} for name in "abcd"
    ]
    results = [{"role": "tool", "tool_call_id": name, "content": "bought"} for name in "abc"]
    messages = [
        {"role": "user", "content": "buy it"},
        {"role": "assistant", "tool_calls": calls[:3]},
        *results,
        {"role": "assistant", "tool_calls": calls[3:]},
    ]
    path = folder / "calls.jsonl"
    path.write_text(json.dumps({"messages": messages}) + "\n", encoding="utf-8")
    return path


def test_what_counts_calls_says_calls_where_an_action_has_several(
    shell: Shell, shopping: Path, tmp_path: Path
) -> None:
    log = _shopping_log(tmp_path)
    assert [row["step"] for row in shell.objects("replay", shopping, "--log", log)] == [0, 0, 0, 1]
    assert shell.run("replay", shopping, "--log", log) == 0
    assert "Replay      4 calls: 0 allowed" in shell.out
    assert "step" not in shell.out
    for command in ("denials", "strategies", "propose"):
        assert shell.run(command, shopping, "--log", log) in (0, 1), shell.err
        assert "step" not in shell.out.lower()


def _help_texts(shell: Shell, *group: str) -> Iterator[str]:
    assert shell.run(*group, "--help") == 0
    yield shell.out
    commands = shell.out.partition("\nOptions:\n")[2].partition("\nExit codes:")[0]
    for name in re.findall(r"^  ([a-z]+)  ", commands, re.MULTILINE):
        yield from _help_texts(shell, *group, name)


def test_help_says_step_only_of_an_action_or_of_a_plan(shell: Shell) -> None:
    texts = list(_help_texts(shell))
    assert len(texts) > len(COMMANDS)
    lines = [line.strip() for text in texts for line in text.splitlines() if "step" in line.lower()]
    assert any("--steps" in line for line in lines)
    assert [line for line in lines if "--steps" not in line and "four steps" not in line] == []


def test_a_rule_names_the_files_and_programs_because_of_which_it_fired(shell: Shell, tmp_path: Path) -> None:
    coding = shutil.copytree(
        SESSIONS / "coding-agent", tmp_path / "coding", ignore=shutil.ignore_patterns(".workbench")
    )
    assert shell.run("explain", coding, "a-secret", "--call", "1") == 0
    fired = next(line for line in shell.out.splitlines() if line.startswith("Rule forbid_secret_command"))
    assert fired == "Rule forbid_secret_command fired because of /home/kim/app/.env.local; cat"


def test_lines_of_a_text_are_replayed_and_explained(shell: Shell, tmp_path: Path) -> None:
    lines = tmp_path / "probes.txt"
    lines.write_text("git status\nrm -rf ..\nRead: .env\nAskUserQuestion: x\n", encoding="utf-8")
    coding = SESSIONS / "coding-agent"
    assert shell.run("replay", coding, "--try", lines) == 1
    assert re.search(r"^ +1  allow +git status$", shell.out, re.M)
    assert re.search(r"^ +2  deny +rm -rf \.\.  A command names no file outside", shell.out, re.M)
    assert "3 calls: 1 allowed, 2 denied" in shell.out
    assert "line 4: A call of AskUserQuestion is no single text" in shell.err
    assert shell.run("replay", coding, "--try", lines, "--decision", "deny") == 1
    assert "git status" not in shell.out and "rm -rf .." in shell.out
    assert shell.run("explain", coding, "--try", "cat .env.local") == 0
    assert "command.reads: /home/kim/app/.env.local" in shell.out and "tried  call 0" in shell.out
    assert shell.run("explain", coding, "a-push", "--call", "1", "--try", "Read: src/a.py") == 0
    assert "a-push  call 1  Read  allow" in shell.out
    assert shell.run("explain", coding) == 2


def test_why_a_command_is_not_determined_is_said_once(shell: Shell, tmp_path: Path) -> None:
    lines = tmp_path / "probes.txt"
    lines.write_text("openssl rand 3\n", encoding="utf-8")
    why = "what openssl does with its words is in no table"
    assert shell.run("replay", SESSIONS / "coding-agent", "--try", lines) == 0
    assert re.search(rf"cannot-evaluate +openssl rand 3  {why}$", shell.out, re.M)
    assert shell.run("explain", SESSIONS / "coding-agent", "--try", "openssl rand 3") == 0
    (parts,) = (line for line in shell.out.splitlines() if line.startswith("  command.programs"))
    assert parts.endswith(f"command.variables: not determined: {why}")
