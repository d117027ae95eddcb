"""Rules about files with a hole: a stronger tool, another secret, another folder, work that is gone."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.clarify.written.one_rule import Decides, after_no
from workbench.app.answered_rules import with_effect
from workbench.app.session_language import language_of
from workbench.clarify.written import Book, asked_of
from workbench.clarify.written.asked import TriedCall
from workbench.clarify.written.tried_calls import Trials
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import Requirement, Span
from workbench.session.agent_file import read_agent

_ONE_PATH = """
[tools.{name}]
cwd = "/srv/app"
parameters = {{type = "object", required = ["path"], properties = {{path = {{type = "string"}}}}}}
fields = {{path = {{type = "path"}}}}
"""
AGENT = read_agent(
    'name = "coder"\n'
    + "".join(
        _ONE_PATH.format(name=name) for name in ("read_file", "write_file", "delete_file", "search_files")
    )
    + """
[tools.put_file]
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}

[tools.remove_folder]
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}
fields = {path = {type = "path"}}

[tools.run]
cwd = "/srv/app"
parameters = {type = "object", required = ["command"], properties = {command = {type = "string"}}}
fields = {command = {type = "command"}}

[tools.shell]
cwd = "/srv/app"
[tools.shell.parameters]
type = "object"
required = ["command"]
properties = {command = {type = "string"}, workdir = {type = "string"}}
[tools.shell.fields]
command = {type = "command"}
"""
)


class Rule(NamedTuple):
    """A sentence, its rule, calls that get past it, and one that it lets through rightly."""

    sentence: str
    name: str
    condition: str
    bad: tuple[TriedCall, ...]
    harmless: TriedCall


def path(tool: str, of: str) -> TriedCall:
    return TriedCall(tool, {"path": of})


def command(of: str, **more: str) -> TriedCall:
    return TriedCall("shell" if more else "run", {"command": of, **more})


RULES = {
    "reading outside": Rule(
        "It reads files in /srv/app alone.",
        "ReadFile",
        '"/srv/app" not in call.path.inside',
        (
            path("write_file", "/etc/x"),
            path("delete_file", "/etc/x"),
            path("search_files", "/etc"),
            command("cat /etc/x"),
            command("rm /etc/x"),
        ),
        path("write_file", "/srv/app/x"),
    ),
    "writing outside": Rule(
        "It writes files in /srv/app alone.",
        "WriteFile",
        '"/srv/app" not in call.path.inside',
        (path("delete_file", "/etc/x"), command("touch /etc/x")),
        path("read_file", "/etc/x"),
    ),
    "secrets": Rule(
        "Secrets are never read.",
        "ReadFile",
        'call.path.name == ".env"',
        (
            path("read_file", ".env.production"),
            path("read_file", "/root/.ssh/id_rsa"),
            path("read_file", "certs/server.pem"),
            path("read_file", "/root/.netrc"),
            path("delete_file", ".env"),
            path("search_files", "."),
            command("cat .env"),
        ),
        path("read_file", "environment.py"),
    ),
    "secrets in commands": Rule(
        "Commands read no secrets.",
        "Run_",
        'any(one.name == ".env" for one in call.command.reads)',
        (
            *map(command, ("cat .env.local", "rm .env", "cat id_rsa", "cat .npmrc", "grep -r x .")),
            *map(
                command, ("env", "printenv", "echo $API_KEY", "declare -p", "strings /proc/1/environ", "set")
            ),
        ),
        command("echo $HOME; for f in a b; do echo $f; cat environment.py; done"),
    ),
    "an ending that is a whole name": Rule(
        "Settings that end in .env are not changed.",
        "WriteFile",
        'call.path.suffix in {".env", ".envrc"}',
        (path("write_file", ".env"), path("write_file", "/srv/app/.envrc")),
        path("write_file", "env.py"),
    ),
    "such an ending in commands": Rule(
        "Commands read nothing that ends in .npmrc.",
        "Run_",
        'any(one.suffix == ".npmrc" for one in call.command.reads)',
        (command("cat .npmrc"), command("cp .npmrc /tmp/x")),
        command("cat npmrc.md"),
    ),
    "files of the CI": Rule(
        "The files of the CI (.github/workflows) are not changed.",
        "Run_",
        'any("/srv/app/.github/workflows" in one.inside for one in call.command.writes)',
        (*map(command, ("touch .gitlab-ci.yml", "echo x > Jenkinsfile", "mv a .circleci/config.yml")),),
        command("touch ci.py"),
    ),
    "a file with settings": Rule(
        "The settings of the web server (/etc/nginx/nginx.conf) are not changed.",
        "WriteFile",
        'call.path == "/etc/nginx/nginx.conf"',
        (
            *(
                path("write_file", f"/etc/nginx/{one}")
                for one in (
                    "nginx.d/x.conf",
                    "nginx.conf.d/x",
                    "conf.d/x.conf",
                    "nginx.local.conf",
                    "local.conf",
                )
            ),
            path("delete_file", "/etc/nginx/nginx.conf"),
        ),
        path("write_file", "/etc/nginx/mime.types"),
    ),
    "settings of an oven": Rule(
        "The configuration of the oven, oven.yaml, is left as it is.",
        "WriteFile",
        'call.path.name == "oven.yaml"',
        (*(path("write_file", f"/srv/app/{one}") for one in ("oven.yml", "oven.override.yaml", "oven.d/x")),),
        path("write_file", "oven.md"),
    ),
    "settings by the text of a path": Rule(
        "The settings of the till, /srv/till/till.ini, are not changed.",
        "PutFile",
        'call.path == "/srv/till/till.ini"',
        (*(path("put_file", f"/srv/till/{one}") for one in ("till.local.ini", "conf.d/10-local.ini")),),
        path("put_file", "/srv/till/prices.csv"),
    ),
    "who may become root": Rule(
        "Commands leave /etc/sudoers as it is.",
        "Run_",
        'any(one == "/etc/sudoers" for one in call.command.writes)',
        (command("echo x > /etc/sudoers.d/agent"), command("tee /etc/sudoers.d/x")),
        command("touch /etc/motd"),
    ),
    "what a shell begins with": Rule(
        "Nobody writes into .bashrc.",
        "WriteFile",
        'call.path.name == ".bashrc"',
        (path("write_file", "/root/.bash_profile"), path("write_file", ".bash_aliases")),
        path("write_file", "bash.md"),
    ),
    "the text of a command": Rule(
        "Commands leave .env alone.",
        "Run_",
        '".env" in call.command',
        (command("cat .e*"), command("cat .e''nv"), command("cp -r . /tmp/all")),
        command("cat environment.py"),
    ),
    "a forced push": Rule(
        "Never force a push.",
        "Run_",
        '"push --force" in call.command',
        tuple(
            command(f"git push {one}")
            for one in ("-f", "origin --force", "origin +main", "--force-with-lease")
        ),
        command("git push origin main"),
    ),
    "the network": Rule(
        "Nothing is loaded from the network.",
        "Run_",
        '"curl" in call.command.programs',
        (command("wget x.example"), command("git clone https://x.example/y"), command("ssh x.example")),
        command("cat x"),
    ),
    "programs that only show": Rule(
        "Commands run ls and cat alone.",
        "Run_",
        'not call.command.programs <= {"ls", "cat"}',
        (command("ls > /etc/x"), command("cat x >> x")),
        command("cat x; ls"),
    ),
    "another folder": Rule(
        "Commands write in /srv/app alone.",
        "Shell",
        'any("/srv/app" not in one.inside for one in call.command.writes)',
        (command("touch x", workdir="/etc"),),
        TriedCall("shell", {"command": "touch x"}),
    ),
    "a folder by the text of a path": Rule(
        "Files are put into /srv/app alone.",
        "PutFile",
        'not call.path.startswith("/srv/app")',
        tuple(path("put_file", one) for one in ("/srv/app/../x", "/srv/app-evil/x")),
        path("put_file", "/srv/app/x"),
    ),
    "a closed folder by the text of a path": Rule(
        "Nothing is put into /srv/app.",
        "PutFile",
        'call.path.startswith("/srv/app/")',
        tuple(path("put_file", one) for one in ("/srv/x/../app/x", "/srv//app/x", "/srv/./app/x")),
        path("put_file", "/srv/x"),
    ),
    "a folder of the folder in which a tool works": Rule(
        "The folder keys is not read.",
        "ReadFile",
        'call.path.startswith("keys/")',
        tuple(path("read_file", one) for one in ("./keys/x", "/srv/app/keys/x", "x/../keys/x")),
        path("read_file", "src/x"),
    ),
    "a folder that is removed": Rule(
        "No folder in /srv/books is removed.",
        "RemoveFolder",
        '"/srv/books" in call.path.inside',
        (path("remove_folder", "/srv"), path("remove_folder", "/"), path("delete_file", "/srv/books/x")),
        path("remove_folder", "/srv/app"),
    ),
    "a folder that is searched": Rule(
        "Nothing in /srv/secret is searched.",
        "SearchFiles",
        '"/srv/secret" in call.path.inside',
        (path("search_files", "/srv"), path("search_files", "/")),
        path("search_files", "/srv/app"),
    ),
}


def settled(rule: Rule) -> tuple[str, list[str]]:
    """The policy once no question is left that has an answer which closes, and what was asked."""
    source = (
        f'"""Own."""\nfrom agent import {rule.name}\n\nDEFAULT = "allow"\n\n\n'
        f'def forbid_it(call: {rule.name}) -> bool:\n    """R1: {rule.sentence}"""\n'
        f"    return {rule.condition}\n"
    )
    request = [Requirement("R1", rule.sentence, rule.sentence, Span(0, len(rule.sentence)))]
    texts: list[str] = []
    for _ in range(30):
        terms = lowered_policy(source, AGENT).terms
        book = Book(language_of(source, AGENT), AGENT, terms, request, trials=Trials(terms, AGENT))
        effects = [
            (asked.question.text, effect)
            for asked in asked_of(book)
            for value, effect in asked.effects.items()
            if value in ("closed", "value")
        ]
        if not effects:
            break
        text, effect = effects[0]
        texts.append(text)
        source, _ = with_effect(book.language, source, effect, open_default=True)
    return source, texts


def allows(source: str, call: TriedCall) -> bool:
    return Trials(lowered_policy(source, AGENT).terms, AGENT).allows((call,))


@pytest.mark.parametrize("kind", RULES)
def test_what_gets_past_a_rule_about_files_is_asked_about_until_all_of_it_is_closed(kind: str) -> None:
    rule = RULES[kind]
    source, texts = settled(rule)
    assert not [call for call in rule.bad if allows(source, call)], texts
    assert allows(source, rule.harmless)
    assert len(texts) == len({*texts})


SOME = {
    "a rule with rm -rf by its name": (
        "Folders are never deleted with rm -rf.",
        '"rm -rf" in call.command',
        (command("rm x"), command("rm -f x")),
    ),
    "a rule about writing, beside a tool that searches": (
        "It writes files in /srv/app alone.",
        'any("/srv/app" not in one.inside for one in call.command.writes)',
        (path("search_files", "/etc"), path("read_file", "/etc/x")),
    ),
}


@pytest.mark.parametrize(
    ("sentence", "file"),
    [
        ("The prices stay as they are.", "/srv/shop/prices.json"),
        ("What the program needs is not changed.", "package.json"),
        ("The report is not changed.", "report.md"),
    ],
)
def test_data_and_manifests_are_read_alone(sentence: str, file: str) -> None:
    _, texts = settled(
        Rule(sentence, "WriteFile", f'call.path.text == "{file}"', (), path("write_file", "x"))
    )
    assert not [one for one in texts if "together with" in one]


NOWHERE = read_agent("""
name = "gardener"
[tools.write_file]
parameters = {type = "object", required = ["path"], properties = {path = {type = "string"}}}
fields = {path = {type = "path"}}
""")


@pytest.mark.parametrize(
    ("condition", "beside"),
    [
        ('call.path.absolute == "/etc/crontab"', "/etc/cron.d/water"),
        ('call.path.name == "beds.toml"', "/srv/beds.local.toml"),
        ('call.path == "/srv/pump.service"', "/srv/pump.service.d/override.conf"),
    ],
)
def test_a_tool_that_works_in_no_known_folder_is_asked_about_what_is_read_together(
    condition: str, beside: str
) -> None:
    source = after_no(NOWHERE, "WriteFile", condition, "What waters the beds is left as it is.")
    decides = Decides(source, NOWHERE)
    assert not decides.allows(("write_file", {"path": beside}))
    assert decides.allows(("write_file", {"path": "/srv/beds.md"}))


@pytest.mark.parametrize("kind", SOME)
def test_what_a_sentence_does_not_speak_of_stays_open_after_no_to_every_question(kind: str) -> None:
    sentence, condition, open_ = SOME[kind]
    source, _ = settled(Rule(sentence, "Run_", condition, (), open_[0]))
    assert [call for call in open_ if allows(source, call)] == [*open_]


DELETING = (
    "rm x", "rm -r d", "rm -rf d", "unlink x", "find d -delete", "find d -type f -delete", "truncate -s 0 x",
    "> x", ": > x", "cp /dev/null x", "git clean -fd", "git rm -qf x", "shred -u x", "cat x", "ls -l",
    "git status", "git reset --hard", "git checkout -- .", "git checkout -f", "git restore .",
    "git stash list", "git reset", "git checkout -b other", "git branch -d other", "true > x", "echo -n > x",
    "printf '' > x", "cat /dev/null > x", "echo done > y", "printf done > y", "cat x > y", "touch y",
    "cp x y", "echo more >> x",
)  # fmt: skip


@pytest.mark.parametrize(
    "condition",
    ['"rm -rf" in call.command', '"rm -r" in call.command.flags and "rm -f" in call.command.flags'],
)
def test_every_command_that_deletes_what_is_there_is_stopped_where_deleting_is_not_meant(
    tmp_path: Path, condition: str
) -> None:
    """What a shell does to files tells whether a command deletes, also one that only empties them."""
    harmless = command("cat x")
    source, _ = settled(Rule("It must not delete anything.", "Run_", condition, (), harmless))
    for number, text in enumerate(DELETING):
        place = tmp_path / str(number)
        (place / "d").mkdir(parents=True)
        files = [place / "x", place / "d" / "y"]
        for one, words in zip(files, ("committed", "unversioned"), strict=True):
            one.write_text(words)
        made = "git init -q && git add x && git -c user.name=a -c user.email=a@b.example commit -qm x"
        subprocess.run(["bash", "-c", made], cwd=place, check=True)
        files[0].write_text("work")
        subprocess.run(["bash", "-c", text], cwd=place, check=False, capture_output=True)
        is_gone = not all(
            one.is_file() and one.read_text().startswith(("work", "unversioned")) for one in files
        )
        shutil.rmtree(place)
        assert is_gone is not allows(source, command(text)), text
