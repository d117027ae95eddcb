"""Commands that come to the same by other words: bash, git, curl and wget are run with each."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.clarify.written.one_rule import SHELL_AND_FILES, Decides, after_no, one_rule
from workbench.clarify.written.attacked import EVIL_HOST
from workbench.clarify.written.holes import HolesByRule
from workbench.clarify.written.witnesses import witnesses
from workbench.session.agent_file import read_agent

AGENT = read_agent(SHELL_AND_FILES)
HOME_OF_NOBODY = {
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": os.environ["PATH"],
    **{f"GIT_{role}_{what}": "x@y" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}  # fmt: skip


def started(program: str, *tests: str) -> str:
    """The condition that a command starts a program of which some conditions hold."""
    said = " and ".join((f'p.name == "{program}"', *tests))
    return f"any({said} for p in call.command.started)"


def tried(sentence: str, condition: str) -> list[str]:
    """The commands that are asked about as another program with the effect of a closed one."""
    book = one_rule(AGENT, "Bash", condition, sentence)
    holes = [
        hole for rule in book.rules for hole in HolesByRule(book).of(rule) if hole.kind == "other program"
    ]
    every = [one.calls[-1] for hole in holes for one in hole.every]
    return [str(call.arguments["command"]) for call in every if call.tool == "bash"]


def allows(source: str, command: str) -> bool:
    return Decides(source, AGENT).allows(("bash", {"command": command}))


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=HOME_OF_NOBODY, check=False, capture_output=True, text=True
    )


@pytest.fixture
def requests_made() -> Iterator[tuple[int, list[tuple[str, bytes]]]]:
    """The port of a server on this machine, and the methods and bodies of the requests that it got."""
    made: list[tuple[str, bytes]] = []

    class Kept(BaseHTTPRequestHandler):
        def answer(self) -> None:
            made.append((self.command, self.rfile.read(int(self.headers.get("Content-Length", 0)))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST = do_PUT = answer

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is told."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Kept)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1], made
    server.shutdown()


OF_SENDING = ("Nothing is sent.", started("curl", '"-d" in p.options'))


def test_each_other_way_to_send_does_and_is_stopped_by_no(
    tmp_path: Path, requests_made: tuple[int, list[tuple[str, bytes]]]
) -> None:
    port, made = requests_made
    (tmp_path / "notes.txt").write_text("notes")
    source = after_no(AGENT, "Bash", OF_SENDING[1], OF_SENDING[0])
    commands = tried(*OF_SENDING)
    assert {each.split()[0] for each in commands} == {"curl", "wget"}
    for command in commands:
        assert not allows(source, command)
        done = run(tmp_path, command.replace(f"https://{EVIL_HOST}", f"http://127.0.0.1:{port}"))
        assert done.returncode == 0, done.stderr
        method, body = made.pop()
        assert method != "GET" or body
    for harmless in ("curl -s {}", "curl -I {}", "wget -qO- {}", "curl -H a:b {}"):
        command = harmless.format(f"https://{EVIL_HOST}/x")
        assert allows(source, command)


def test_each_other_way_to_skip_a_hook_lets_a_commit_pass_it(tmp_path: Path) -> None:
    sentence, condition = "No commit skips the hooks.", started("git", '"--no-verify" in p.options')
    source = after_no(AGENT, "Bash", condition, sentence)
    commands = [each for each in tried(sentence, condition) if "push" not in each]
    assert commands
    for number, command in enumerate([*commands, "git status", "git log"]):
        place = tmp_path / str(number)
        place.mkdir()
        hook = "printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit"
        run(place, f"git init -q && git commit -q --allow-empty -m first && {hook}")
        run(place, command)
        run(place, "git commit -q --allow-empty -m second")
        is_skipped = "second" in run(place, "git log --format=%s").stdout
        assert is_skipped is not allows(source, command), command
    decides = Decides(source, AGENT)
    assert not decides.allows(("write_file", {"path": ".git/hooks/pre-commit", "content": "exit 0"}))
    assert decides.allows(("write_file", {"path": "src/a.py", "content": "exit 0"}))


def test_each_other_way_to_show_a_file_shows_it(tmp_path: Path) -> None:
    sentence = "What is in notes.txt is not shown."
    condition = '"cat" in call.command.programs and any(f.name == "notes.txt" for f in call.command.paths)'
    (tmp_path / "notes.txt").write_text("the word x\n")
    source = after_no(AGENT, "Bash", condition, sentence)
    commands = tried(sentence, condition)
    assert len(commands) > len(("head", "tail", "sed"))
    for command in commands:
        if shutil.which(command.split()[0]) is not None:
            shown = run(tmp_path, command).stdout
            assert "word x" in shown or (command.split()[0] in ("base64", "od", "xxd") and shown), command
        assert not allows(source, command)
    assert all(allows(source, each) for each in ("ls notes.txt", "head other.txt", "cat other.txt"))


def test_each_other_way_to_delete_a_branch_deletes_it(tmp_path: Path) -> None:
    sentence, condition = "No branch is deleted.", started("git", '"branch" == p.first', '"-D" in p.options')
    source = after_no(AGENT, "Bash", condition, sentence)
    commands = tried(sentence, condition)
    assert {each.split()[1] for each in commands} == {"branch", "push"}
    for number, command in enumerate([*commands, "git branch y", "git push origin x", "git fetch origin"]):
        place, remote = tmp_path / str(number), tmp_path / f"{number}.git"
        place.mkdir()
        run(place, f"git init -q --bare {remote} && git init -q && git remote add origin {remote}")
        run(place, "git commit -q --allow-empty -m first && git branch x && git push -q origin x")
        run(place, command)
        left = run(place, "git branch --list x").stdout, run(remote, "git branch --list x").stdout
        assert (not all(left)) is not allows(source, command), command


def test_a_file_in_which_jobs_are_planned_is_closed_to_each_tool() -> None:
    sentence, condition = "No job is planned.", '"crontab" in call.command.programs'
    decides = Decides(after_no(AGENT, "Bash", condition, sentence), AGENT)
    for command in ("cp job /etc/cron.d/job", "echo x > /etc/cron.daily/x", "mv job /var/spool/cron/root"):
        assert not decides.allows(("bash", {"command": command}))
    assert not decides.allows(("write_file", {"path": "/etc/cron.d/job", "content": "x"}))
    assert decides.allows(("bash", {"command": "cat /etc/cron.d/job"}))
    assert decides.allows(("write_file", {"path": "notes.txt", "content": "x"}))


@pytest.mark.parametrize(
    ("sentence", "condition"),
    [
        ("Nothing is sent with curl.", started("curl", '"-d" in p.options')),
        ("The agent starts no curl.", '"curl" in call.command.programs'),
    ],
)
def test_a_sentence_about_one_program_is_asked_about_no_other_by_its_options(
    sentence: str, condition: str
) -> None:
    assert not [each for each in tried(sentence, condition) if each.startswith("wget --post")]


def test_a_rule_that_closes_a_program_altogether_is_not_asked_about_its_options() -> None:
    book = one_rule(AGENT, "Bash", '"curl" in call.command.programs', "The agent starts no curl.")
    texts = [one.question.text for one in witnesses(book, HolesByRule(book), {})]
    assert not [each for each in texts if "sends something" in each]


def test_no_keeps_what_else_a_rule_demands_of_a_call() -> None:
    of = read_agent("""
name = "operator"
[tools.run_on]
shell = "bash"
[tools.run_on.parameters]
type = "object"
required = ["host", "command"]
properties = {host = {type = "string"}, command = {type = "string"}}
[tools.run_on.fields]
command = {type = "command"}
""")
    condition = 'call.host.startswith("db-") and "rm" in call.command.programs'
    decides = Decides(after_no(of, "RunOn", condition, "Nothing is deleted on the database hosts."), of)

    def allows_on(host: str, command: str) -> bool:
        return decides.allows(("run_on", {"host": host, "command": command}))

    for command in ("rm /srv/a", "unlink /srv/a", "find /srv -delete", "> /srv/a", "cp /dev/null /srv/a"):
        assert not allows_on("db-1", command), command
        assert allows_on("web-1", command), command
    assert all(allows_on("db-1", command) for command in ("ls /srv", "echo done > /srv/a", "touch /srv/a"))


def test_no_to_another_program_leaves_open_a_program_of_which_one_call_is_closed() -> None:
    of = read_agent("""
name = "operator"
[tools.bash]
description = "Runs a command line in bash."
parameters = {type = "object", required = ["command"], properties = {command = {type = "string"}}}
""")
    source = after_no(of, "Bash", '"chmod 777" in call.command', "Not everybody may change files.")
    decides = Decides(source, of)
    assert not decides.allows(("bash", {"command": "chmod 777 a"}))
    assert all(decides.allows(("bash", {"command": f"chmod {mode} a"})) for mode in ("600", "u+x", "644"))
