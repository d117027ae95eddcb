"""Sessions as somebody hostile would hand them on, each in a folder of its own.

The place of a session is ``ROOT/repository/session``: a repository of git around it, folders of others beside
it. ``ROOT/canary`` holds what no command may touch; every program and module that a session names would write
``ROOT/canary/RAN``.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from workbench.model import Json

REQUEST = "Refunds above 100 are forbidden.\nEverything else is allowed.\n"
TOOLS: list[Json] = [
    {
        "name": "refund",
        "description": "Refunds an amount.",
        "parameters": {
            "type": "object",
            "properties": {"amount": {"type": "integer", "description": "the amount"}},
            "required": ["amount"],
        },
    }
]
SESSION = 'format = 1\nname = "desk"\n'
CALL: dict[str, Json] = {"run": "r", "tool": "refund", "arguments": {"amount": 7}}


def evil_code(root: Path) -> str:
    """Code that shows that it ran."""
    return f"open({str(root / 'canary' / 'RAN')!r}, 'a').write('ran')\n"


def make_place(root: Path) -> Path:
    """The surroundings of a session, and the folder for it."""
    for name in ("canary", "home", "repository", "bin"):
        (root / name).mkdir(parents=True)
    (root / "canary" / "precious").write_text("precious, without an end of its line", encoding="utf-8")
    (root / "canary" / ".policy.py.json.123456abcdef.tmp").write_text("precious", encoding="utf-8")
    (root / "canary" / "policy.py.json").write_text('{"base_sha": "", "text": "x"}', encoding="utf-8")
    (root / "home" / ".bashrc").write_text("# mine\n", encoding="utf-8")
    program = root / "bin" / "evil"
    program.write_text(f"#!/bin/sh\necho ran >> {root / 'canary' / 'RAN'}\n", encoding="utf-8")
    program.chmod(0o755)
    git(root / "repository", "init", "--quiet")
    return root / "repository" / "session"


def git(folder: Path, *words: str) -> str:
    """What git prints, run without the settings of whoever runs the tests."""
    settings = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.templateDir=")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", *settings, *words]
    return subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()


def replace(path: Path) -> Path:
    """The path, with nothing at it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    return path


def journal(session: Path, lines: Iterable[Json]) -> None:
    path = replace(session / ".workbench" / "journal.jsonl")
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def change(number: int, names: Iterable[str], text: str = "hostile") -> Json:
    """A line of a journal: a change of files, which gives each this text."""
    file = {"old": None, "new": text, "old_sha": "", "new_sha": "x"}
    return {"do": number, "label": "Draft", "time": "", "files": [{"name": name, **file} for name in names]}


def journal_names_git(session: Path, root: Path) -> None:
    """A change that was not applied, of files of git inside and outside, and of files elsewhere."""
    git(session, "init", "--quiet")
    config = f"[core]\n fsmonitor = {root / 'bin' / 'evil'}\n"
    names = (
        ".git/commondir",
        ".GIT/config",
        "../.git/config",
        "../../canary/precious",
        str(root / "canary/x"),
    )
    spellings = ("Policy.py", "./policy.py", "policy.py/.", "policy.py\u200b", "policy.py\n", "logs", "")
    changes = [change(number, [name], config) for number, name in enumerate((*names, *spellings), 1)]
    journal(session, [*("damaged" for _ in range(10_000)), *changes])


def unfinished_change(session: Path, root: Path) -> None:
    """A change that was begun by somebody else: it writes a policy that nobody here saw."""
    journal(session, [change(1, ["strength.toml"], evil_code(root))])


def hidden_folder_is_a_link(session: Path, root: Path) -> None:
    (session / ".workbench").symlink_to(root / "canary")


def folder_of_buffers_is_a_link(session: Path, root: Path) -> None:
    (session / ".workbench").mkdir()
    (session / ".workbench" / "buffers").symlink_to(root / "canary")


def every_file_is_a_link(session: Path, root: Path) -> None:
    for name in ("policy.py", "cases.toml", "memory.jsonl", "calls.jsonl", "guardagent.jsonl"):
        replace(session / name).symlink_to(root / "canary" / "precious")


def links_to_nothing(session: Path, root: Path) -> None:
    for name in ("draft.toml", "strength.toml", "drafting.json", ".workbench/lock", ".workbench/.gitignore"):
        replace(session / name).symlink_to(root / "canary" / "made")


def links_that_stay_inside(session: Path, root: Path) -> None:
    """A link to a file of the session's own repository."""
    git(session, "init", "--quiet")
    replace(session / "policy.py").symlink_to(Path(".git") / "config")
    del root


def second_names(session: Path, root: Path) -> None:
    for name in (".workbench/lock", ".workbench/journal.jsonl", "calls.jsonl", "guardagent.jsonl"):
        replace(session / name).hardlink_to(root / "canary" / "precious")


def logs_are_a_link(session: Path, root: Path) -> None:
    shutil.rmtree(session / "logs")
    (session / "logs").symlink_to(root / "canary")


def links_among_the_logs(session: Path, root: Path) -> None:
    (session / "logs" / "a.jsonl").symlink_to(root / "canary" / "precious")
    (session / "logs" / "b.jsonl").symlink_to("/dev/zero")
    (session / "logs" / "c").symlink_to("/")


def links_beside_the_files(session: Path, root: Path) -> None:
    """What is no file of a session: whole file systems, endless devices, FIFOs."""
    (session / "everything").symlink_to("/")
    (session / "endless.md").symlink_to("/dev/zero")
    (session / "again").symlink_to(".")
    os.mkfifo(session / "waits.txt")
    os.mkfifo(session / "logs" / "waits.jsonl")
    del root


def fifos(session: Path, _root: Path) -> None:
    for name in ("cases.toml", "policy.py", "assumptions.toml"):
        os.mkfifo(replace(session / name))


def hidden_fifos(session: Path, _root: Path) -> None:
    for name in ("journal.jsonl", "lock", ".gitignore", "buffers/policy.py.json"):
        os.mkfifo(replace(session / ".workbench" / name))


def sockets_and_devices(session: Path, _root: Path) -> None:
    here = Path.cwd()
    os.chdir(session)  # the name of a socket may not be long
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(replace(Path("draft.toml"))))
    os.chdir(here)
    replace(session / "memory.jsonl").symlink_to("/dev/zero")


def folders_in_place_of_files(session: Path, _root: Path) -> None:
    for name in ("policy.py", "memory.jsonl", ".workbench/journal.jsonl"):
        replace(session / name).mkdir()


def huge_files(session: Path, _root: Path) -> None:
    """Files of 20 GB, which take no place on the disk."""
    for name in ("policy.py", "memory.jsonl", ".workbench/journal.jsonl"):
        with replace(session / name).open("wb") as file:
            file.truncate(20_000_000_000)


def settings_name_files_elsewhere(session: Path, root: Path) -> None:
    (session / "session.toml").write_text(
        f'{SESSION}\n[guardagent]\ntoolbox = ["../../bin/evil", "{root / "bin" / "evil"}"]\n',
        encoding="utf-8",
    )


def settings_name_programs(session: Path, root: Path) -> None:
    """Keys that a careless program would obey."""
    evil = root / "bin" / "evil"
    (session / "session.toml").write_text(
        f'{SESSION}world = "{evil}:World"\ncommand = ["{evil}"]\ndatabase = "{root / "canary"}"\n',
        encoding="utf-8",
    )


def agent_names_an_endpoint(session: Path, root: Path) -> None:
    path = session / "agent.toml"
    named = f'base_url = "http://127.0.0.1:9/"\nserver = ["{root / "bin" / "evil"}"]\n'
    path.write_text(named + path.read_text(encoding="utf-8"), encoding="utf-8")


def own_functions_that_write(session: Path, root: Path) -> None:
    """Functions of the session for guardrail code, and GuardAgent as a guard; a model is to draft."""
    (session / "session.toml").write_text(
        f'{SESSION}author = "openai"\nguard = ["policy", "guardagent"]\n\n'
        '[guardagent]\ntoolbox = ["own.py"]\n',
        encoding="utf-8",
    )
    (session / "own.py").write_text(
        f"{evil_code(root)}\ndef check_amount(amount):\n    {evil_code(root)}    return True\n",
        encoding="utf-8",
    )


def policy_that_writes_when_it_is_imported(session: Path, root: Path) -> None:
    (session / "policy.py").write_text(
        f"import os\n{evil_code(root)}os.system({str(root / 'bin' / 'evil')!r})\n", encoding="utf-8"
    )


def modules_and_hooks(session: Path, root: Path) -> None:
    """Modules with the names of others, settings of pytest and git, hooks, and a store that fetches."""
    for name in ("conftest.py", "sitecustomize.py", "pytest.py", "json.py", "test_policy.py", "textual.py"):
        (session / name).write_text(evil_code(root), encoding="utf-8")
    (session / "pytest.ini").write_text("[pytest]\naddopts = -p conftest\n", encoding="utf-8")
    evil = root / "bin" / "evil"
    git(session, "init", "--quiet")
    git(session, "add", "policy.py")
    git(session, "commit", "--quiet", "--message", "x")
    lacking = git(session, "rev-parse", "HEAD:policy.py")
    for hook in ("pre-commit", "post-checkout", "post-index-change", "reference-transaction"):
        path = session / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        shutil.copy(evil, path)
    (session / ".git" / "config").write_text(
        "[core]\n repositoryformatversion = 1\n bare = false\n"
        f' fsmonitor = {evil}\n sshCommand = {evil}\n pager = {evil}\n[diff "x"]\n textconv = {evil}\n'
        f"[extensions]\n partialClone = origin\n"
        f'[remote "origin"]\n url = file://{root}/canary\n uploadpack = {evil}\n promisor = true\n'
        '[protocol "file"]\n allow = always\n',
        encoding="utf-8",
    )
    (session / ".gitattributes").write_text("* diff=x filter=x\n", encoding="utf-8")
    (session / ".git" / "objects" / lacking[:2] / lacking[2:]).unlink()  # git would fetch it


def hostile_texts(session: Path, root: Path) -> None:
    """Control characters, paths and code in every place that takes any text."""
    code = f'"""\n{evil_code(root)}"""\n\x1b]0;x\x07'
    evil = json.dumps(code)
    (session / "session.toml").write_text(
        f'format = 1\nname = "../../canary/x"\ntitle = {evil}\n', encoding="utf-8"
    )
    (session / "request.md").write_text(f"{REQUEST}\n{code}\n", encoding="utf-8")
    (session / "cases.toml").write_text(
        f'[[case]]\nid = {evil}\nexpected = "deny"\nreason = {evil}\n'
        f'arguments = {{tool = "refund", amount = 101}}\n\n'
        f'[[case]]\nid = "../../canary/x"\nexpected = "deny"\narguments = {{tool = {evil}, amount = 1}}\n',
        encoding="utf-8",
    )
    demonstrations: list[Json] = [
        {
            "id": name,
            "agent_input": code,
            "agent_output": code,
            "plan": [code, code, code, code],
            "code": evil_code(root),
        }
        for name in ("../../canary/x", str(root / "canary" / "x"), code)
    ]
    lines = "".join(json.dumps(item) + "\n" for item in demonstrations)
    (session / "memory.jsonl").write_text(lines, encoding="utf-8")
    line = json.dumps({"run": f"../../canary/{code}", "tool": "refund", "arguments": {"amount": code}})
    (session / "logs" / "\x1b]0;x\x07\n.jsonl").write_text(f"{line}\n", encoding="utf-8")
    (session / ".GIT").mkdir()
    (session / ".GIT" / "config").write_text(
        f"[core]\nfsmonitor = {root / 'bin' / 'evil'}\n", encoding="utf-8"
    )
    (session / "Policy.py").write_text(evil_code(root), encoding="utf-8")
    buffers = session / ".workbench" / "buffers"
    buffers.mkdir(parents=True)
    (buffers / "..%2f..%2fcanary%2fx.json").write_text('{"base_sha": "", "text": "x"}', encoding="utf-8")


def names_in_the_agent(session: Path, root: Path) -> None:
    """Names of arguments and values that would end a line of an exported file."""
    evil = json.dumps(f'x"\n{evil_code(root)}#')
    path = session / "agent.toml"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[0] = f"name = {evil}\ndescription = {evil}"
    path.write_text("\n".join([*lines, "", "[synonyms]", f"{evil} = {evil}", ""]), encoding="utf-8")


def stored_drafts_name_files_elsewhere(session: Path, root: Path) -> None:
    (session / "strength.toml").write_text(
        '[[accepted]]\nmutant = "../../canary"\nwhat = "x"\nreason = "x"\n', encoding="utf-8"
    )
    (session / "draft.toml").write_text(f'policy = "{root / "canary" / "precious"}"\n', encoding="utf-8")
    (session / "drafting.json").write_text('{"policy": "../../canary/precious"}', encoding="utf-8")


def no_text(session: Path, _root: Path) -> None:
    (session / "request.md").write_bytes(b"\xff\xfe\x00 no UTF-8")


def deep_lines(session: Path, _root: Path) -> None:
    for name in ("calls.jsonl", "memory.jsonl", "guardagent.jsonl", "logs/deep.jsonl"):
        (session / name).write_text('{"a":' * 100_000 + "\n", encoding="utf-8")


def deep_tables(session: Path, _root: Path) -> None:
    (session / "agent.toml").write_text(f"name = 'x'\nb = {'[' * 20_000}\n", encoding="utf-8")
    (session / "cases.toml").write_text(f"a{'.a' * 900} = 1\n", encoding="utf-8")


def patterns_without_a_bound(session: Path, _root: Path) -> None:
    path = session / "agent.toml"
    path.write_text(f"errors = ['(x?1){{500000000}}']\n{path.read_text(encoding='utf-8')}", encoding="utf-8")


HOSTILE: Mapping[str, Callable[[Path, Path], None]] = {
    make.__name__.replace("_", " "): make
    for make in (
        journal_names_git,
        unfinished_change,
        hidden_folder_is_a_link,
        folder_of_buffers_is_a_link,
        every_file_is_a_link,
        links_to_nothing,
        links_that_stay_inside,
        second_names,
        logs_are_a_link,
        links_among_the_logs,
        links_beside_the_files,
        fifos,
        hidden_fifos,
        sockets_and_devices,
        folders_in_place_of_files,
        huge_files,
        settings_name_files_elsewhere,
        settings_name_programs,
        agent_names_an_endpoint,
        own_functions_that_write,
        policy_that_writes_when_it_is_imported,
        modules_and_hooks,
        hostile_texts,
        names_in_the_agent,
        stored_drafts_name_files_elsewhere,
        no_text,
        deep_lines,
        deep_tables,
        patterns_without_a_bound,
    )
}
