"""Programs that a rule closes by a name in a list of words: each list is started, without a shell."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.clarify.written.one_rule import Decides, after_no, one_rule
from workbench.clarify.written.holes import HolesByRule
from workbench.model import AgentSpec, Json
from workbench.session.agent_file import read_agent

WORDS = '{type = "array", items = {type = "string"}}'
AGENT = read_agent(f"""
name = "a"
[tools.exec]
description = "Starts a program."
parameters = {{type = "object", required = ["argv"], properties = {{argv = {WORDS}}}}}
[tools.start.parameters]
type = "object"
required = ["program", "args"]
properties = {{program = {{type = "string"}}, args = {WORDS}}}
[tools.docker]
description = "Calls docker."
parameters = {{type = "object", required = ["args"], properties = {{args = {WORDS}}}}}
""")


def tried(
    of: AgentSpec, about: str, condition: str, sentence: str, form: str = "forbid"
) -> list[Mapping[str, Json]]:
    book = one_rule(of, about, condition, sentence, form=form)
    kinds = ("hidden program", "name that goes on")
    holes = [hole for rule in book.rules for hole in HolesByRule(book).of(rule) if hole.kind in kinds]
    return [one.calls[-1].arguments for hole in holes for one in hole.every]


def start(program: str, *args: str) -> tuple[str, Mapping[str, Json]]:
    return ("start", {"program": program, "args": [*args]})


def argv_of(arguments: Mapping[str, Json]) -> list[str]:
    held = arguments.get("argv", arguments.get("args"))
    assert isinstance(held, list)
    return [str(each) for each in ([arguments["program"], *held] if "program" in arguments else held)]


def test_each_list_that_is_asked_about_deletes_as_the_closed_program_does_and_is_stopped_by_no(
    tmp_path: Path,
) -> None:
    rule = ("Exec", '"rm" in call.argv', "No file is deleted.")
    decides = Decides(after_no(AGENT, *rule), AGENT)
    found = tried(AGENT, *rule)
    assert {"/bin/rm", "sh", "unlink"} <= {argv_of(each)[0] for each in found}
    for arguments in found:
        (file := tmp_path / "x").unlink(missing_ok=True)
        file.write_text("x")
        argv = argv_of(arguments)
        assert not decides.allows(("exec", arguments)), argv
        try:
            subprocess.run(argv, cwd=tmp_path, check=False, capture_output=True)
        except FileNotFoundError:
            continue
        assert not file.exists() or argv[0] in ("rmdir", "busybox"), argv
    for argv in (["ls", "x"], ["cat", "x"], ["grep", "rmx", "x"], ["git", "status"]):
        assert decides.allows(("exec", {"argv": [*argv]})), argv


def test_a_program_with_its_words_in_two_fields_is_closed_behind_others() -> None:
    rule = ("Start", 'call.program == "git" and "push" in call.args', "Nothing is pushed.")
    decides = Decides(after_no(AGENT, *rule), AGENT)
    assert tried(AGENT, *rule)
    for words in (("/usr/bin/git", "push"), ("env", "git", "push"), ("sh", "-c", "git push")):
        assert not decides.allows(start(*words))
    for words in (("git", "status"), ("/usr/bin/git", "log"), ("env", "ls"), ("sh", "-c", "ls")):
        assert decides.allows(start(*words))


def test_a_program_that_only_ends_as_an_open_one_is_another() -> None:
    rule = ("Start", 'call.program.endswith("make")', "Only make is started.")
    found = [argv_of(each)[0] for each in tried(AGENT, *rule, form="permit")]
    assert found
    assert all(each.endswith("make") and each not in ("make", "/usr/bin/make") for each in found)


def test_the_words_of_one_program_are_not_taken_for_a_program() -> None:
    assert not tried(AGENT, "Docker", '"rm" in call.args', "No container is removed.")
