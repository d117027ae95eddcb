"""Whether installed hooks are in force: each is asked about a harmless and a denied call, as its client asks.

A client says nothing of a hook that it skips, so what lets it skip one is looked for too.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import threading
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from workbench.app.doctor import Diagnosis, Examination
from workbench.app.hook_guard import RUNS, Client
from workbench.app.hook_report import DOCTOR
from workbench.files.commented_json import NoJson, is_plain, value_of
from workbench.files.regular import read_regular
from workbench.hook import client as client_script
from workbench.hook.installation import CLIENT_SECONDS, MARK, SETTINGS, commands_of, settings_path
from workbench.hook.relay import SECONDS
from workbench.model import Json

_SECONDS = CLIENT_SECONDS
_UNKNOWN_TOOL = "workbench_doctor_denied"
_HARMLESS: Mapping[Client, tuple[tuple[str, dict[str, Json]], ...]] = {
    Client.CLAUDE_CODE: (
        ("Bash", {"command": "true"}),
        ("Bash", {"command": "ls"}),
        ("Glob", {"pattern": "*"}),
    ),
    Client.CODEX: (("Bash", {"command": "true"}), ("Bash", {"command": "ls"})),
    Client.GEMINI: (("run_shell_command", {"command": "true"}), ("run_shell_command", {"command": "ls"})),
    Client.OPENCODE: (("bash", {"command": "true"}), ("bash", {"command": "ls"})),
}
_MEND = "Run 'workbench hook install {client} --session SESSION' again."
# The mode follows the hash of the version.
_SHADOW = re.compile(r"\b[0-9a-f]{64} shadow\b")
_MOST = 10_000_000
_TURN_OFF = ("disableAllHooks", "allowManagedHooksOnly")
# What an administrator says, on Linux and macOS.
_MANAGED: Mapping[Client, Sequence[Path]] = {
    Client.CLAUDE_CODE: (
        Path("/etc/claude-code/managed-settings.json"),
        Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
    ),
    Client.GEMINI: (
        Path("/etc/gemini-cli/settings.json"),
        Path("/Library/Application Support/GeminiCli/settings.json"),
    ),
}
_CODEX_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class InstalledHook:
    """The hook of ours in a client's settings: its command, and all of the settings."""

    client: Client
    path: Path
    command: str
    settings: Json
    project: Path | None


def hook_examinations(project: Path) -> Iterator[Examination]:
    """An examination for each client whose settings have a hook of ours: the user's, or of this project."""
    for client in Client:
        for place in (None, project):
            path = settings_path(client, place)
            if place is not None and path == settings_path(client, None):
                continue
            subject = f"Hook of {client}" + ("" if place is None else f" in {place.name}")
            try:
                installed = _installed(client, path, place)
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as error:
                yield Examination(subject, partial(_unreadable, subject, path, str(error)))
                continue
            if installed is not None:
                yield Examination(subject, partial(examine, subject, installed))


def _unreadable(subject: str, path: Path, why: str) -> Diagnosis:
    return Diagnosis(subject, False, f"{path} cannot be read: {why}", f"Mend {path}.")


def _installed(client: Client, path: Path, project: Path | None) -> InstalledHook | None:
    data = read_regular(path.resolve(), _MOST).decode("utf-8")
    if client is Client.OPENCODE:
        match = re.search(r"^const COMMAND = (.*)$", data, re.MULTILINE)
        words: Json = json.loads(match[1]) if match is not None else None
        if MARK not in data or not isinstance(words, list):
            return None
        return InstalledHook(client, path, shlex.join(map(str, words)), data, project)
    settings = value_of(data)
    hooks = settings.get("hooks") if isinstance(settings, dict) else None
    for event in SETTINGS[client].events:
        entries = hooks.get(event) if isinstance(hooks, dict) else None
        for entry in entries if isinstance(entries, list) else []:
            for command in commands_of(entry):
                if MARK in command:
                    return InstalledHook(client, path, command, settings, project)
    return None


def examine(subject: str, installed: InstalledHook) -> Diagnosis:
    """Whether a hook is in force: what lets the client pass over it, then what it answers."""
    silent = next(_ways_out(installed), None)
    if silent is not None:
        return Diagnosis(subject, False, *silent)
    mend = _MEND.format(client=installed.client)
    code, out, err = _asked(installed, _UNKNOWN_TOOL, {})
    if (code, out) == (0, "{}") and _SHADOW.search(installed.command):
        found = "not in force: in shadow mode it decides and logs, and every call passes"
        return Diagnosis(subject, False, found, mend)
    if not _denies(out) or code != 0:
        why = err or f"it ended with {code} and {out[:80]!r}"
        return Diagnosis(subject, False, f"a call that must be denied is answered otherwise: {why}", mend)
    for tool, arguments in _HARMLESS[installed.client]:
        code, out, err = _asked(installed, tool, arguments)
        if (code, out) == (0, "{}"):
            found = f"a harmless call passes, a denied one is denied ({installed.path})"
            asked = False
            with suppress(OSError, ValueError, LookupError, StopIteration):  # a command that was rewritten
                asked = _is_asked(installed)
            if asked:
                return Diagnosis(subject, True, f"in force: {found}")
            found += (
                f", but {installed.client} has not asked since its settings changed: it passes over a file "
                "with a value that it does not take, and hooks that another file turns off, without a word"
            )
            mend = f"Let {installed.client} run one command; then run 'workbench doctor' again."
            return Diagnosis(subject, False, found, mend)
    found = (
        f"in force, but it let none of {len(_HARMLESS[installed.client])} harmless calls pass: {out or err}"
    )
    return Diagnosis(subject, False, found, "Look at 'workbench hook report --session SESSION'.")


def _is_asked(installed: InstalledHook) -> bool:
    """Whether the client, not doctor, asked the hook since the settings changed; Codex itself was asked."""
    if installed.client is Client.CODEX:
        return True
    words = shlex.shlex(re.split(rf"{MARK}'? {installed.client} ", shlex.split(installed.command)[-1])[-1])
    words.whitespace_split = True
    runs = Path(shlex.split(next(words))[0]) / RUNS
    own = f"{installed.client}-{DOCTOR}"
    asked = [path for path in runs.glob(f"{installed.client}-*.jsonl") if not path.name.startswith(own)]
    files = [path for path in _files(installed) if path.exists()]
    return max((path.stat().st_mtime for path in asked), default=0.0) >= max(
        path.stat().st_ctime
        for path in files  # a file that is moved there keeps its time of writing
    )


def _files(installed: InstalledHook) -> Sequence[Path]:
    """The files that tell a client of its hooks, or turn them off."""
    if installed.client not in _MANAGED:
        return (installed.path,)
    project = installed.project or Path.cwd()
    own = (installed.path, *(settings_path(installed.client, folder) for folder in (None, project)))
    local = (path.with_name("settings.local.json") for path in own)
    return tuple(dict.fromkeys((*own, *local, *_MANAGED[installed.client])))


def _denies(out: str) -> bool:
    """Whether an answer is a denial with a reason."""
    try:
        answer = cast("Json", json.loads(out))
    except ValueError:
        return False
    if not isinstance(answer, dict):
        return False
    inner = answer.get("hookSpecificOutput", answer)
    if not isinstance(inner, dict):
        return False
    decision = inner.get("permissionDecision", inner.get("decision"))
    return decision == "deny" and bool(inner.get("permissionDecisionReason", inner.get("reason")))


def _asked(installed: InstalledHook, tool: str, arguments: dict[str, Json]) -> tuple[int, str, str]:
    """What the hook's command answers to an event, asked as the client asks it."""
    folder = str(installed.project or Path.cwd())
    event: dict[str, Json] = {
        "session_id": f"{DOCTOR}{secrets.token_hex(6)}",
        "cwd": folder,
        "hook_event_name": (SETTINGS[installed.client].events or ("tool.execute.before",))[0],
        "tool_name": tool,
        "tool_input": arguments,
        "tool_use_id": secrets.token_hex(6),
    }
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": folder, "GEMINI_PROJECT_DIR": folder}
    try:
        ended = subprocess.run(
            ["/bin/sh", "-c", installed.command],
            input=json.dumps(event),
            capture_output=True,
            text=True,
            cwd=folder,
            env=environment,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, "", str(error)
    return ended.returncode, ended.stdout, ended.stderr.strip()


# --- the silent ways out --------------------------------------------------------------


def _ways_out(installed: InstalledHook) -> Iterator[tuple[str, str]]:
    """What lets a client pass over the hook without a word, each with its remedy."""
    settings = installed.settings if isinstance(installed.settings, dict) else {}
    yield from _odd_entries(installed, settings)
    match installed.client:
        case Client.CLAUDE_CODE:
            yield from _off_in_claude_code(installed)
        case Client.CODEX:
            yield from _off_in_codex(installed)
        case Client.GEMINI:
            yield from _off_in_gemini(installed)
        case Client.OPENCODE:
            yield from _off_in_opencode(installed)


def _odd_entries(installed: InstalledHook, settings: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """What is wrong with how the hook is written down."""
    mend = _MEND.format(client=installed.client)
    if installed.client is not Client.OPENCODE and not SETTINGS[installed.client].reads_comments:
        with suppress(OSError, UnicodeDecodeError):
            if not is_plain(read_regular(installed.path.resolve(), _MOST).decode("utf-8")):
                why = (
                    f"{installed.path} is no plain JSON, so {installed.client} passes over it without a word"
                )
                yield why, f"Take comments, and commas at an end, out of {installed.path}."
    if f" {Path(client_script.__file__).resolve()} " not in installed.command:
        yield f"the hook in {installed.path} is of another installation of the workbench", mend
    for name, seconds in _time_outs(installed.client, settings):
        if seconds < SECONDS + 5:
            yield (
                f"the time-out of {name} is {seconds:g} seconds, and the guard may take "
                f"{SECONDS}: a hook that is cut off lets the tool run",
                mend,
            )
    for event in SETTINGS[installed.client].events:
        for entry in _entries(settings, event):
            matcher = entry.get("matcher", "*")
            if any(MARK in command for command in commands_of(entry)) and matcher not in ("*", ""):
                yield f"the hook is asked about {matcher!r} only", mend


def _entries(settings: Mapping[str, Json], event: str) -> Iterator[dict[str, Json]]:
    hooks = settings.get("hooks")
    entries = hooks.get(event) if isinstance(hooks, dict) else None
    yield from (entry for entry in (entries if isinstance(entries, list) else []) if isinstance(entry, dict))


def _time_outs(client: Client, settings: Mapping[str, Json]) -> Iterator[tuple[str, float]]:
    for event in SETTINGS[client].events:
        for entry in _entries(settings, event):
            hooks = entry.get("hooks")
            for hook in hooks if isinstance(hooks, list) else []:
                command = hook.get("command") if isinstance(hook, dict) else None
                timeout = hook.get("timeout") if isinstance(hook, dict) else None
                if isinstance(command, str) and MARK in command and isinstance(timeout, int | float):
                    yield event, timeout / SETTINGS[client].unit


def _told(installed: InstalledHook) -> Iterator[tuple[Path, Mapping[str, Json]]]:
    """The files that tell a client of its hooks, each with its settings, as far as they can be read."""
    for path in _files(installed):
        with suppress(OSError, NoJson, UnicodeDecodeError):
            settings = value_of(read_regular(path.resolve(), _MOST).decode("utf-8"))
            yield path, settings if isinstance(settings, dict) else {}


def _off_in_claude_code(installed: InstalledHook) -> Iterator[tuple[str, str]]:
    for path, settings in _told(installed):
        for key in _TURN_OFF:
            if settings.get(key, False) is not False:
                yield f"{key} in {path} turns all hooks off", f"Remove {key} from {path}."


def _off_in_gemini(installed: InstalledHook) -> Iterator[tuple[str, str]]:
    if installed.project is not None:
        yield (
            "Gemini ignores the hooks of a repository without a word if it is started with --skip-trust",
            "Install the hook for the user: 'workbench hook install gemini --session SESSION'.",
        )
    for path, settings in _told(installed):
        for name in ("hooksConfig", "hooks", "tools"):
            told = settings.get(name)
            off = told.get("enabled", told.get("enableHooks")) if isinstance(told, dict) else None
            if off is False:
                yield f"{name} in {path} turns hooks off", f"Remove it from {path}."
            disabled = told.get("disabled") if isinstance(told, dict) else None
            if isinstance(disabled, list) and "workbench" in disabled:
                yield f"{name}.disabled in {path} names the hook", f"Remove it from {path}."


def _off_in_opencode(installed: InstalledHook) -> Iterator[tuple[str, str]]:
    node = shutil.which("node")
    if node is not None:
        checked = subprocess.run(
            [node, "--input-type=module", "--check"],
            input=str(installed.settings),
            capture_output=True,
            text=True,
            check=False,
        )
        if checked.returncode:
            yield (
                "OpenCode cannot read the plugin, and skips it without a word",
                _MEND.format(client="opencode"),
            )
    text = str(installed.settings)
    if '"tool.execute.before"' not in text or "throw new Error" not in text:
        yield "the plugin was changed", _MEND.format(client="opencode")


def _off_in_codex(installed: InstalledHook) -> Iterator[tuple[str, str]]:
    """Codex runs a hook only if a person trusted just this definition; else it is silent."""
    config = Path.home() / ".codex" / "config.toml"
    try:
        settings = tomllib.loads(read_regular(config.resolve(), _MOST).decode("utf-8"))
    except FileNotFoundError:
        settings = {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        yield f"{config} cannot be read, so whether the hook is trusted is not known", f"Mend {config}."
        return
    features = settings.get("features")
    if isinstance(features, dict) and cast("dict[str, object]", features).get("hooks") is False:
        yield f"[features] hooks = false in {config} turns all hooks off", f"Remove it from {config}."
    told = trust_told(installed.project or Path.cwd())
    if told is None:
        yield (
            "whether Codex trusts the hook could not be asked; Codex skips an untrusted hook without a word",
            "Start codex and look at /hooks.",
        )
        return
    for event in SETTINGS[Client.CODEX].events:
        status = told.get((str(installed.path), installed.command))
        if status is None:
            yield f"Codex does not know the hook of {event} in {installed.path}", _MEND.format(client="codex")
        elif status != "trusted":
            yield (
                f"Codex skips the hook without a word: it is {status}",
                "Start codex, and trust the hook by /hooks.",
            )


def trust_told(folder: Path) -> Mapping[tuple[str, str], str] | None:
    """Whether Codex trusts each hook, by file and command, as its own server tells; None if it does not."""
    codex = shutil.which("codex")
    if codex is None:
        return None
    client: Json = {"name": "workbench", "title": "workbench", "version": "1"}
    asked: list[dict[str, Json]] = [
        {
            "id": 1,
            "method": "initialize",
            "params": {"clientInfo": client, "capabilities": {"experimentalApi": True}},
        },
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [str(folder)]}},
    ]
    with subprocess.Popen(
        [codex, "app-server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        watch = threading.Timer(_CODEX_SECONDS, server.kill)
        watch.start()
        try:
            server.stdin.write("".join(json.dumps(message) + "\n" for message in asked))
            server.stdin.flush()
            answers = (cast("Json", json.loads(line)) for line in server.stdout)
            told = next((one for one in answers if isinstance(one, dict) and one.get("id") == 2), None)
        except (OSError, ValueError):
            return None
        finally:
            watch.cancel()
            server.kill()
    return None if told is None else dict(_trust_of(told))


def _trust_of(told: Json) -> Iterator[tuple[tuple[str, str], str]]:
    """The hooks in an answer of Codex, each with whether it is run."""
    if isinstance(told, list):
        for item in told:
            yield from _trust_of(item)
    elif isinstance(told, dict):
        path, command, status = told.get("sourcePath"), told.get("command"), told.get("trustStatus")
        if isinstance(path, str) and isinstance(command, str) and isinstance(status, str):
            yield (path, command), status if told.get("enabled") is True else "not enabled"
        for item in told.values():
            yield from _trust_of(item)
