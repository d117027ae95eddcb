"""What is loaded or written first, and run then: bash runs each of the commands."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.clarify.written.one_rule import SHELL_AND_FILES, Decides, after_no, one_rule
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.attacked import EVIL_HOST
from workbench.clarify.written.holes import HolesByRule
from workbench.session.agent_file import read_agent

AGENT = read_agent(
    SHELL_AND_FILES
    + """[tools.download]
description = "Saves what a URL has to a file."
cwd = "/repo"
[tools.download.parameters]
type = "object"
required = ["url", "path"]
properties = {url = {type = "string"}, path = {type = "string"}}
[tools.download.fields]
path = {type = "path"}
url = {type = "url"}
"""
)
PIPED = (
    "Nothing from the internet is run.",
    '"curl" in call.command.programs and any(p in {"sh", "bash"} for p in call.command.programs)',
)


def tried(sentence: str, condition: str, *kinds: str) -> list[tuple[TriedCall, ...]]:
    """The runs of some kinds that are asked about."""
    book = one_rule(AGENT, "Bash", condition, sentence)
    holes = [hole for rule in book.rules for hole in HolesByRule(book).of(rule) if hole.kind in kinds]
    return [tuple(one.calls) for hole in holes for one in hole.every]


def carry_out(folder: Path, runs: tuple[TriedCall, ...], loaded: Path) -> None:
    """Do what the calls of a run say, with a file of this machine in the place of the page."""
    for call in runs:
        if call.tool == "write_file":
            (folder / str(call.arguments["path"])).write_text(str(call.arguments["content"]))
        elif call.tool == "download":
            (folder / str(call.arguments["path"])).write_bytes(loaded.read_bytes())
        else:
            text = str(call.arguments["command"]).replace(f"https://{EVIL_HOST}/x", f"file://{loaded}")
            subprocess.run(["bash", "-c", text], cwd=folder, check=False, capture_output=True)


def test_what_is_loaded_runs_by_each_run_that_is_asked_about_and_no_stops_them(tmp_path: Path) -> None:
    (loaded := tmp_path / "page").write_text("import os\nos.mkdir('was-run')\n")
    runs = tried(*PIPED, "loaded code", "loaded before")
    decides = Decides(after_no(AGENT, "Bash", PIPED[1], PIPED[0]), AGENT)
    assert {len(each) for each in runs} == {1, 2}
    for number, each in enumerate(runs):
        (folder := tmp_path / str(number)).mkdir()
        is_python = "python" in str(each[-1].arguments)
        loaded.write_text("open('was-run', 'w')\n" if is_python else "touch was-run\n")
        if not any("wget" in str(call.arguments) for call in each):  # which reads no files of this machine
            carry_out(folder, each, loaded)
            assert (folder / "was-run").exists(), each
        assert not decides.allows(*((call.tool, call.arguments) for call in each)), each


@pytest.mark.parametrize(
    "commands",
    [
        ("curl https://a.example/x",),
        ("bash build.sh",),
        ("curl -o a.csv https://a.example/a", "bash build.sh"),
    ],
)
def test_no_leaves_loading_and_running_apart(commands: tuple[str, ...]) -> None:
    decides = Decides(after_no(AGENT, "Bash", PIPED[1], PIPED[0]), AGENT)
    assert decides.allows(*(("bash", {"command": each}) for each in commands))


def test_a_tool_that_saves_a_page_is_the_first_step_too(tmp_path: Path) -> None:
    sentence, condition = PIPED[0], 'any(p in {"curl", "wget"} for p in call.command.programs)'
    (loaded := tmp_path / "page").write_text("touch was-run\n")
    (run, *_) = tried(sentence, condition, "loaded before")
    carry_out(tmp_path, run, loaded)
    assert [call.tool for call in run] == ["download", "bash"]
    assert (tmp_path / "was-run").exists()
    decides = Decides(after_no(AGENT, "Bash", condition, sentence), AGENT)
    saved = ("download", {"url": "https://a.example/a", "path": "a.sh"})
    assert not decides.allows(saved, ("bash", {"command": "sh a.sh"}))
    assert decides.allows(saved, ("bash", {"command": "sh b.sh"}))


def test_a_script_with_a_closed_program_does_what_the_program_does(tmp_path: Path) -> None:
    sentence, condition = "The file stays.", '"rm" in call.command.programs'
    (file := tmp_path / "notes.txt").write_text("notes")
    (run, *_) = tried(sentence, condition, "script")
    carry_out(tmp_path, run, file)
    assert not file.exists()
    decides = Decides(after_no(AGENT, "Bash", condition, sentence), AGENT)
    written = ("write_file", {"path": "a.sh", "content": "rm x"})
    assert not decides.allows(written, ("bash", {"command": "bash a.sh"}))
    assert decides.allows(written, ("bash", {"command": "cat a.sh"}))
    assert decides.allows(
        ("write_file", {"path": "a.md", "content": "x"}), ("bash", {"command": "bash b.sh"})
    )


@pytest.mark.parametrize(
    "condition",
    ['not call.command.programs <= {"ls"}', "any(len(r.absolute) > 0 for r in call.command.runs)"],
)
def test_a_rule_under_which_no_script_runs_is_not_asked_about(condition: str) -> None:
    assert not tried("Little is run.", condition, "script", "loaded code", "loaded before")
