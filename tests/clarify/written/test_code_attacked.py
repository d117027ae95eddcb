"""Code that does by another name what a rule closes by a name of Python: Python is run with each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.clarify.written.one_rule import Decides, after_no, one_rule
from workbench.clarify.written.holes import HolesByRule
from workbench.session.agent_file import read_agent

AGENT = read_agent("""
name = "analyst"
[tools.run_python]
description = "Runs Python."
parameters = {type = "object", required = ["code"], properties = {code = {type = "string"}}}
fields = {code = {type = "code"}}
""")
OF_DELETING = "The code deletes no files."
OF_NETWORK = "The code reaches no other machine."


def tried(sentence: str, condition: str) -> list[str]:
    """The programs that are asked about as others which do what a rule closes."""
    book = one_rule(AGENT, "RunPython", condition, sentence)
    holes = [
        hole for rule in book.rules for hole in HolesByRule(book).of(rule) if hole.kind == "other module"
    ]
    return [str(one.calls[-1].arguments["code"]) for hole in holes for one in hole.every]


def allows(source: str, code: str) -> bool:
    return Decides(source, AGENT).allows(("run_python", {"code": code}))


@pytest.mark.parametrize(
    "condition",
    [
        '"os.remove" in call.code.names',
        'any(name in {"os.remove", "shutil.rmtree"} for name in call.code.names)',
        '"unlink" in call.code.attributes',
        '"remove" in call.code.attributes',  # of which code that is written plainly has none
    ],
)
def test_each_other_way_to_delete_leaves_nothing_of_a_file_and_is_stopped_by_no(
    tmp_path: Path, condition: str
) -> None:
    source = after_no(AGENT, "RunPython", condition, OF_DELETING)
    programs = tried(OF_DELETING, condition)
    assert programs
    harmless = [
        "print(open('notes.txt').read())",
        "import os\nos.listdir('.')",
        "import shutil\nshutil.disk_usage('.')",
    ]
    for number, code in enumerate([*programs, *harmless]):
        place = tmp_path / str(number)
        place.mkdir()
        (file := place / "notes.txt").write_text("notes")
        if any(each in code for each in ("rmdir", "rmtree", "removedirs")):
            file.unlink()
            file.mkdir()
        subprocess.run([sys.executable, "-I", "-c", code], cwd=place, check=False, capture_output=True)
        is_gone = not file.exists() or (file.is_file() and not file.read_text())
        assert is_gone is not allows(source, code), code


def test_a_module_that_reaches_the_network_is_closed_with_what_is_in_it() -> None:
    condition = '"requests" in call.code.imports'
    source = after_no(AGENT, "RunPython", condition, OF_NETWORK)
    assert "import socket" in tried(OF_NETWORK, condition)
    for code in (
        "import urllib.request\nurllib.request.urlopen('http://x')",
        "from http import client\nclient.HTTPConnection('x')",
        "import socket as s\ns.create_connection(('x', 1))",
    ):
        assert not allows(source, code), code
    assert all(
        allows(source, each) for each in ("import json\njson.dumps(1)", "import html\nhtml.escape('x')")
    )


def test_code_that_a_rule_closes_altogether_is_not_asked_about() -> None:
    assert not tried("No code is run.", "True")
