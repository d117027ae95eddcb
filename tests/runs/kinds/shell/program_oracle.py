"""Runs command lines with the real programs, traced, each in a folder of its own that only it may change."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import cast

from workbench.model import RecordValue, field_of
from workbench.runs.kinds.value_kind import Parts
from workbench.runs.values.found_value import Missing

FILES = {"f": "a 1\nb 2\n", "g.txt": "b\n", ".e": "secret\n", "d/h": "c\n", "d/i/k": "e\n"}
SET = {"V": "-n f", "W": "f"}
"""Variables that the shell has, of which a text does not tell the value."""
_CALLS = (
    "execve,openat,open,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,symlink,"
    "symlinkat,truncate,chmod,fchmodat,utimensat,chdir,fchdir"
)
# All but the folders of the lines is read-only, there is no network, and no process outside is seen or ended.
_APART = [
    *(
        "unshare",
        "--user",
        "--map-root-user",
        "--net",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
    ),
    *("/bin/bash", "-c"),
]
_CLOSED = 'mount --bind "$1" "$1" && mount -o remount,ro,bind / && cd "$1" && shift && exec "$@"'
_CALL = re.compile(r"(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)")
_PATH = re.compile(r'(?:AT_FDCWD|\d+)(?:<([^>]*)>)?, "((?:[^"\\]|\\.)*)"|"((?:[^"\\]|\\.)*)"')
_LEAVES = re.compile(r"&|coproc|setsid|nohup|[<>]\(")
"""Signs of a line that may leave a process behind."""
_FOLDER = re.compile(r"AT_FDCWD<([^>]*)>")
_WRITES = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)")


def can_trace() -> bool:
    """Whether programs can be traced here, in a name space of their own."""
    tools = all(shutil.which(tool) for tool in ("strace", "unshare"))
    return (
        tools and subprocess.run([*_APART, "strace -o /dev/null true"], capture_output=True).returncode == 0
    )


@dataclass(slots=True)
class Effects:
    """What a line did: the programs that started, and the files of its folder that were read and changed."""

    started: set[str] = field(default_factory=set[str])
    read: set[str] = field(default_factory=set[str])
    written: set[str] = field(default_factory=set[str])


def effects_of(lines: Sequence[str], root: Path, history: Path | None = None) -> list[Effects]:
    """Run all lines in one traced shell; ``history`` is a ``.git`` that lines of git get."""
    runs, marks = root / "runs", root / "marks"
    marks.mkdir(parents=True)
    script = ["ulimit -t 2"]
    for number, line in enumerate(lines):
        folder = runs / str(number)
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        if history is not None and line.startswith("git "):
            shutil.copytree(history, folder / ".git")
        (marks / str(number)).touch()
        run = f"(cd {folder}; : < {marks / str(number)}; eval {shlex.quote(line)})"
        if _LEAVES.search(line):
            # Every process of a line holds the writing end, so those in the background are waited for.
            script.append(f"read -r < <( {run} 9>&1 < /dev/null > /dev/null 2>&1)")
        else:
            script.append(f"{run} < /dev/null > /dev/null 2>&1")
    (root / "script").write_text("\n".join(script) + "\n")
    trace = [
        "strace",
        "-f",
        "-y",
        "-qq",
        "--seccomp-bpf",
        "-e",
        "signal=none",
        "-e",
        f"trace={_CALLS}",
        "-o",
        "trace",
    ]
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(root / "home"),
        "LC_ALL": "C",
        **SET,
    }
    environment |= {"GIT_CEILING_DIRECTORIES": str(runs), "GIT_EDITOR": "true", "GIT_PAGER": "cat"}
    shell = ["/bin/bash", "--norc", "--noprofile", str(root / "script")]
    subprocess.run(
        [*_APART, _CLOSED, "_", str(root), *trace, *shell], env=environment, check=False, timeout=600
    )
    trace_text = (root / "trace").read_text("utf-8", "replace")
    assert f'"{marks / str(len(lines) - 1)}"' in trace_text, "a line did not end"
    return _read(trace_text, len(lines), runs, marks)


def _whole_calls(trace: str) -> Iterator[str]:
    """The lines of a trace; a call that another process came into is put together again."""
    begun: dict[str, str] = {}
    for line in trace.splitlines():
        process = line.partition(" ")[0]
        if line.endswith("<unfinished ...>"):
            begun[process] = line.removesuffix("<unfinished ...>").rstrip()
        elif "<... " in line and " resumed>" in line:
            yield begun.pop(process, process) + line.partition(" resumed>")[2]
        else:
            yield line


def _read(trace: str, count: int, runs: Path, marks: Path) -> list[Effects]:
    effects = [Effects() for _ in range(count)]
    current: Effects | None = None
    folder = runs
    folders: dict[str, Path] = {}
    for line in _whole_calls(trace):
        call = _CALL.match(line)
        if call is None or int(call[3]) < 0:
            continue
        name, arguments = call[1], call[2]
        if name == "openat" and f'"{marks}/' in arguments:
            number = arguments.partition(f'"{marks}/')[2].partition('"')[0]
            current, folder = effects[int(number)], runs / number
            folders.clear()
        elif current is not None:
            process = line.partition(" ")[0]
            if told := _FOLDER.search(arguments):
                folders[process] = Path(told[1])
            place = folders.get(process, folder)
            if name in ("chdir", "fchdir"):
                folders[process] = place / (arguments.partition("<")[2].rstrip(">") or arguments.strip('"'))
            else:
                _note(current, name, arguments, folder, place)
    for number, one in enumerate(effects):
        # A file of the program itself, which neither was there nor is, is nobody's.
        one.written = {path for path in one.written if path in FILES or (runs / str(number) / path).exists()}
    return effects


def _note(effects: Effects, call: str, arguments: str, folder: Path, place: Path) -> None:
    paths = [_relative(match, folder, place) for match in _PATH.finditer(arguments)]
    if call == "execve":
        effects.started.add(arguments.partition('"')[2].partition('"')[0].rpartition("/")[2])
    elif call in ("openat", "open") and not _WRITES.search(arguments):
        effects.read.update(path for path in paths if path in FILES)
    else:
        changed = paths[-1:] if "link" in call and "unlink" not in call else paths
        effects.written.update(path for path in changed if path is not None and ".git/" not in path)


def _relative(match: re.Match[str], folder: Path, place: Path) -> str | None:
    """The path of a call in the folder of its line, None for one elsewhere."""
    text = match[2] if match[2] is not None else match[3]
    path = (
        Path(match[1] or place, text).resolve().as_posix()
        if ".." in text
        else str(Path(match[1] or place, text))
    )
    return path.removeprefix(f"{folder}/") if path.startswith(f"{folder}/") else None


def hidden_effects(parts: Parts, effects: Effects, starts: frozenset[str]) -> list[str]:
    """What a line did and its record does not say, by the parts that the record gives as complete."""
    hidden: list[str] = []
    programs = parts["programs"]
    if not isinstance(programs, Missing):
        names = {program.rpartition("/")[2] for program in cast("frozenset[str]", programs)}
        hidden += [f"{name} started" for name in effects.started - names - starts]
    for part, done, word in (("reads", effects.read, "read"), ("writes", effects.written, "changed")):
        if not isinstance(parts[part], Missing) and not isinstance(parts["trees"], Missing):
            hidden += [f"{path} {word}" for path in sorted(done) if not _is_named(path, part, parts)]
    return hidden


def _is_named(path: str, part: str, parts: Parts) -> bool:
    """Whether a part has a path, or a pattern of it, or a folder above it as a whole."""
    whole = f"/w/{path}"
    trees = cast("frozenset[str]", parts["trees"])
    patterns = [
        str(field_of(each, "text")) for each in cast("tuple[RecordValue, ...]", parts[f"{part} as paths"])
    ]
    return (
        whole in cast("frozenset[str]", parts[part])
        or any(whole.startswith(f"{tree}/") or whole == tree for tree in trees)
        or any(fnmatch(path, each) or fnmatch(path, f"*/{each}") for each in patterns if "*" in each)
    )
