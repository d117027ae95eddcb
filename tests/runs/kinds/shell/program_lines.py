"""Random command lines, made from the tables of programs: options in every form and order, and operands."""

from __future__ import annotations

import random
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache

from workbench.runs.kinds.shell.program_tables import TABLES, Flag, ProgramOption, ProgramTable

_FILES = ["f", "g.txt", ".e", "d/h", "d", "d/i/k", "./f"]
_WORDS = ["1", "2", "x", "f", ".e", "a", "n", "new"]
_VALUES: Mapping[str, Sequence[str]] = {
    "WRITE": [*_FILES, "new", "d/new"],
    "SUFFIX": [".b", "~", "x/*"],
    "SED": ["p", "s/a/b/", "1d", "w new", "e touch new", "r .e", "s/a/b/w new", "1!G;h;$!d", "$d;R .e"],
    "AWK": [
        "1",
        "{print $1}",
        'BEGIN{ARGV[1]=".e";ARGC=2}1',
        'BEGIN{print > "new"}',
        'BEGIN{system("touch new")}',
    ],
    "JQ": [".", "input", 'import "f" as $x; .', "[.[] | select(.a > 1)]"],
    "SHELL": ["cat f", "cp f new", "rm d/h; cat .e"],
    "ASSIGN": ["A=1", "B=x y"],
    "REVISION": ["HEAD", "HEAD:f", "HEAD~1", "f"],
    "BLOCKS": ["if=f", "of=new", "bs=1", "count=1", "if=.e"],
    "FORM": ["a=@f", "a=b", "a=<.e"],
    "DATA": ["a=b", "@f"],
    "COOKIE": ["a=b", ".e"],
    "URL": ["file:f", "http://a.example/x"],
    "VARIABLE": ["x", "y"],
    "GOAL": ["all"],
    "LOGIN": ["10.0.0.1", "me@a.example", "ssh://a.example:22", "h"],
    "NETPATH": [*_FILES, "10.0.0.1:f", "me@a.example:d/h"],
    "NETCOPY": [*_FILES, "10.0.0.1:f", "new"],
    "SETTING": [
        "BatchMode=yes",
        "Port=22",
        "ProxyCommand=touch new",
        "IdentityFile=.e",
        "KnownHostsCommand=cat .e",
    ],
}
# These end other programs, change the machine, wait for ever, need a person, or start what is not here.
_NOT_RUN = frozenset({
    "busybox", "crontab", "date", "dig", "dpkg", "exec", "fuser", "host", "hostname", "jobs", "kill",
    "killall", "lsof", "make", "netstat", "nslookup", "pgrep", "ping", "pkill", "pytest", "rsync", "rustc",
    "service", "setsid", "ss", "sudo", "systemctl", "wait", "wget",
})  # fmt: skip
_RUNS = {"RUN", "RUN .", "NODE...", "SCRIPT"}
FOREIGN, BESIDE = 0.1, 0.05
_NO_OPTION = frozenset({"-f", "-F", "--follow", "--retry", "--pid", "-i", "--interactive", "-p", "-s"})
"""Options that wait for what never comes: of tail, and of programs that ask."""
_WAITING = frozenset({"tail", "head", "xargs", "read", "git"})


def programs_here() -> list[str]:
    """The programs of the tables that are here and may be run."""
    builtins = {
        "echo",
        "printf",
        "test",
        "[",
        "cd",
        "pwd",
        "true",
        "false",
        ":",
        "eval",
        "command",
        "read",
        "type",
    }
    return [
        name
        for name, table in TABLES.items()
        if table.may and " " not in name and name not in _NOT_RUN and (name in builtins or shutil.which(name))
        and Flag.COMMANDS not in table.flags and not _RUNS & {*table.operands, *table.itself, *table.none}
    ]  # fmt: skip


def git_programs() -> list[str]:
    """The sub-commands of git that are in the tables and reach nobody."""
    reaching = {
        "git push",
        "git fetch",
        "git pull",
        "git clone",
        "git ls-remote",
        "git send-pack",
        "git remote",
    }
    return [name for name in TABLES if name.startswith("git ") and name not in reaching]


@cache
def told_options(name: str) -> Sequence[str]:
    """The options that a program's own help names and its table does not."""
    if name in _WAITING or Flag.COMMANDS in TABLES[name].flags:
        return ()
    words = (
        ["bash", "-c", f"help {name}"] if shutil.which(name.split()[0]) is None else [*name.split(), "--help"]
    )
    words = [*name.split(), "-h"] if name.startswith("git ") else words
    told = subprocess.run(
        words,
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        timeout=20,
        check=False,
    )
    found = re.findall(r"(?<![\w-])(--[a-z][\w-]+=?|-[A-Za-z])(?![\w-])", told.stdout + told.stderr)
    waiting = _NO_OPTION | {"--wait", "--watch", "--daemon", "--prompt"}
    return [
        one
        for one in dict.fromkeys(found)
        if TABLES[name].option(one.rstrip("=")) is None and one not in waiting
    ]


def random_line(rng: random.Random, name: str) -> str:
    """A line that starts the program with options and operands of its table, in any order."""
    table = TABLES[name]
    operands = _operands(rng, table)
    if rng.random() < BESIDE and table.options and name not in _WAITING and not name.startswith("git "):
        return _beside_an_option(rng, table, operands)
    words = [[word] for word in operands]
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        option = rng.choice(list(table.options.values())) if table.options else None
        if option is not None and not (name in _WAITING and _NO_OPTION & set(option.names)):
            words.insert(rng.randrange(len(words) + 1), _written(rng, table, option))
    told = told_options(name)
    if told and rng.random() < FOREIGN:
        option = rng.choice(told)
        value = [rng.choice([*_FILES, "new", "touch new"])]
        words.insert(
            rng.randrange(len(words) + 1),
            [option.rstrip("="), *value] if not option.endswith("=") else [option + value[0]],
        )
    if rng.random() < 0.06:
        words.insert(
            rng.randrange(len(words) + 1),
            [rng.choice(["--", "--frobnicate", "-", "-y", "$V", "$W", "*", "g*"])],
        )
    parts = [
        word if word in ("$V", "$W", "*", "g*") else shlex.quote(word) for group in words for word in group
    ]
    line = " ".join([name, *parts])
    wrapped = rng.random()
    if wrapped < 0.05 and not name.startswith("git "):
        line = f"bash -c {shlex.quote(line)}"
    elif wrapped < 0.1 and not name.startswith("git "):
        line = f"cd d && {line}"
    elif wrapped < 0.1:
        line = line.replace("git ", "git -C d ", 1)
    elif wrapped < 0.13 and not name.startswith("git "):
        line = f"echo f | xargs {line}" if name not in ("[", "test", "cd") else line
    return line + rng.choice(["", "", "", " > new", " < f", " 2>> d/h"])


def _beside_an_option(rng: random.Random, table: ProgramTable, operands: list[str]) -> str:
    """A line with a pattern, in a folder that has a file with the name of an option."""
    option = rng.choice(list(table.options.values()))
    file, value = rng.choice(option.names), rng.choice(["f", ".e", "d", "new", "g.txt", ".b"])
    if option.roles and rng.random() < 0.8:
        file += f"={value}" if file.startswith("--") else value
    pattern = rng.choice(["*", "*", "?*", f"*{file[-1]}", "*.txt", "[-f]*", "d/*"])
    words = [shlex.quote(word) for word in operands]
    words[(place := rng.randrange(len(words) + 1)) : place + rng.randrange(2)] = [pattern]
    return f"touch -- {shlex.quote(file)}; {' '.join([table.name, *words])}"


def _operands(rng: random.Random, table: ProgramTable) -> list[str]:
    words: list[str] = []
    for role in rng.choice([table.operands, table.operands, table.after or table.operands]):
        plain = role.rstrip(".?")
        count = (
            rng.choice((0, 1, 1, 2))
            if role.endswith("...")
            else int(not role.endswith("?") or rng.random() < 0.6)
        )
        for _ in range(count):
            words.extend(_value(rng, table, plain))
    return words


def _value(rng: random.Random, table: ProgramTable, role: str) -> list[str]:
    role = table.aliases.get(role, role)
    if role == "PROGRAM":
        return shlex.split(
            random_line(rng, rng.choice(["cat", "cp", "rm", "touch", "sed", "wc"])).partition(" >")[0]
        )
    if role == "COMMAND":
        return [*rng.choice((["cat", "{}"], ["touch", "new"], ["rm", "f"])), rng.choice((";", "+"))]
    return [rng.choice(_VALUES.get(role, _WORDS if role == "TEXT" else _FILES))]


def _written(rng: random.Random, table: ProgramTable, option: ProgramOption) -> list[str]:
    """An option in one of its forms, with its values."""
    name = rng.choice(option.names)
    values = [word for role in option.roles for word in _value(rng, table, role)]
    if name.startswith("--"):
        if Flag.ABBREVIATES in table.flags and rng.random() < 0.3:
            name = name[: rng.randrange(3, len(name) + 1)]
        if option.optional:
            return [f"{name}={values[0]}"] if rng.random() < 0.6 else [name]
        return [f"{name}={values[0]}"] if values and rng.random() < 0.5 else [name, *values]
    if len(name) > 2:
        return [name, *values]
    flags = [
        one[1:]
        for other in table.options.values()
        for one in other.names
        if len(one) == 2 and not other.roles and one not in _NO_OPTION
    ]
    if flags and Flag.WORDS not in table.flags and rng.random() < 0.3:
        name = f"-{''.join(rng.choice(flags) for _ in range(rng.choice((1, 2, 12))))}{name[1:]}"
    if option.optional:
        return [name + values[0]] if rng.random() < 0.6 else [name]
    # tail -cf is no number of bytes: it waits.
    is_one = Flag.WORDS not in table.flags and table.name not in _WAITING
    glued = values and rng.random() < 0.4 and is_one
    return [name + values[0], *values[1:]] if glued else [name, *values]
