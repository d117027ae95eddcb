"""The installation of a hook in the settings of a coding agent: what is written, and taken away again."""

from __future__ import annotations

import difflib
import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from workbench.app.hook_guard import Client, Mode
from workbench.app.named_files import write_named
from workbench.files.commented_json import NoJson, appended, is_plain, value_of, without
from workbench.files.private import check_folder, hook_folder, make_folder
from workbench.files.regular import read_regular
from workbench.hook import client as client_script
from workbench.hook.relay import SECONDS
from workbench.model import Json, WorkbenchError

MARK = "workbench/hook/client.py"
"""The words in a command by which the workbench knows its own hooks."""
CLIENT_SECONDS = 60
"""The time that a client gives the hook: more than the hook's own, which ends in a denial."""
_KILL_SECONDS = SECONDS + 10
_MOST_SETTINGS = 10_000_000
_BROKEN = "The guard is broken, so nothing runs: its process ended with $c."
_MORE = "'workbench doctor' says more."
# Only a whole answer passes: an empty one, as of a file that was cut off, would let the tool run. So would
# the exit code 2 without a word on standard error.
_WHOLE = (
    'out=$({command}); c=$?; case "$c.$out" in 0."{{}}"|0."{{"\\"*"}}") printf %s "$out" && exit 0;; '
    '2.) echo "{more}" >&2; exit 2;; esac; echo "{broken} {more}" >&2; exit 2'
)


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """Where a client has its hooks, and how they are written.

    ``events`` are those before a call, ``told`` those that only tell: of a prompt, and of the end of a call.
    ``unit`` is how many of the client's units a second has. ``more`` is what the client knows beside, and
    ``blocking`` makes it block where a hook fails. A client that does not read comments passes over a file
    that has one, without a word.
    """

    folder: str
    file: str
    events: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    unit: int = 1
    more: Mapping[str, Json] | None = None
    blocking: Mapping[str, Json] | None = None
    reads_comments: bool = False


SETTINGS: Mapping[Client, ClientSettings] = {
    Client.CLAUDE_CODE: ClientSettings(
        ".claude",
        "settings.json",
        ("PreToolUse",),
        ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure"),
        blocking={"onFailure": "block"},
    ),
    Client.CODEX: ClientSettings(
        ".codex", "hooks.json", ("PreToolUse",), ("UserPromptSubmit", "PostToolUse")
    ),
    Client.GEMINI: ClientSettings(
        ".gemini",
        "settings.json",
        ("BeforeTool",),
        ("BeforeAgent", "AfterTool"),
        unit=1000,
        more={"name": "workbench"},
        reads_comments=True,
    ),
    Client.OPENCODE: ClientSettings(".config/opencode", "plugins/workbench-guard.js"),
}


@dataclass(frozen=True, slots=True)
class HookPlace:
    """A hook to install: the client, the session and its accepted version, and where the settings are.

    ``project`` is the folder of a repository whose settings are meant; None means the user's own.
    """

    client: Client
    session: Path
    pin: str
    mode: Mode = Mode.ENFORCE
    project: Path | None = None

    @property
    def path(self) -> Path:
        """The file of the client's settings."""
        return settings_path(self.client, self.project)


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """A file of settings before and after; None means that there is no file."""

    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def diff(self) -> Sequence[str]:
        """The lines of a unified diff; none if nothing changes."""
        old, new = (
            (text or b"").decode("utf-8", "replace").splitlines() for text in (self.before, self.after)
        )
        return tuple(difflib.unified_diff(old, new, str(self.path), str(self.path), lineterm=""))


def settings_path(client: Client, project: Path | None) -> Path:
    """The file of a client's settings: of a repository, or the user's own."""
    settings = SETTINGS[client]
    if project is None:
        return Path.home() / settings.folder / settings.file
    folder = ".opencode" if client is Client.OPENCODE else settings.folder
    return project / folder / settings.file


# --- the command ----------------------------------------------------------------


def hook_words(place: HookPlace) -> list[str]:
    """The words that start the hook's process, which ends with 0 or 2."""
    session = place.session.resolve()
    script = Path(client_script.__file__).resolve()
    words = [sys.executable, "-I", "-S", str(script), place.client.value]
    words += [str(hook_folder(session)), str(session), place.pin, place.mode.value]
    killer = shutil.which("timeout")
    return [killer, "-s", "KILL", str(_KILL_SECONDS), *words] if killer else words


def hook_command(place: HookPlace, *, tells: bool = False) -> str:
    """The command of the client's settings: whatever happens to the process, it ends with 0 or 2.

    Where an event only tells, nothing is denied: a failure ends with 1, with which no client stops a prompt.
    """
    words = shlex.join(hook_words(place))
    return shlex.join(["/bin/sh", "-c", f"{words} || exit 1" if tells else _guarded(words)])


def _guarded(command: str) -> str:
    """A text of the shell that ends with 0 only if the command ended so with a whole answer."""
    return _WHOLE.format(command=command, broken=_BROKEN, more=_MORE)


def _entry(place: HookPlace, *, tells: bool) -> dict[str, Json]:
    settings = SETTINGS[place.client]
    hook: dict[str, Json] = {
        "type": "command",
        "command": hook_command(place, tells=tells),
        "timeout": CLIENT_SECONDS * settings.unit,
        **(settings.more or {}),
        **({} if tells else settings.blocking or {}),
    }
    return {"matcher": "*", "hooks": [hook]}


def is_own(entry: Json) -> bool:
    """Whether an entry of a client's settings is a hook of the workbench."""
    return any(MARK in command for command in commands_of(entry))


def commands_of(entry: Json) -> list[str]:
    """The commands of an entry of a client's settings."""
    hooks = entry.get("hooks") if isinstance(entry, dict) else None
    commands = (
        [hook.get("command") for hook in hooks if isinstance(hook, dict)] if isinstance(hooks, list) else []
    )
    return [command for command in commands if isinstance(command, str)]


# --- what is written ------------------------------------------------------------


def planned(place: HookPlace) -> SettingsChange:
    """The change that installs a hook in place of an older one of ours. Raises WorkbenchError."""
    before = _read(place.path)
    if place.client is Client.OPENCODE:
        return SettingsChange(place.path, before, plugin_text(place).encode())
    text = _without_own(place.client, _text(place.path, before))
    settings = SETTINGS[place.client]
    if not settings.reads_comments and not is_plain(text):
        raise WorkbenchError(
            f"{place.path} is no plain JSON (it has a comment, or a comma at an end), so {place.client} "
            "would pass over it and its hooks without a word; take that out first."
        )
    for event in (*settings.events, *settings.told):
        entry = _entry(place, tells=event in settings.told)
        text = _edited(
            place.path, lambda old, event=event, entry=entry: appended(old, ("hooks", event), entry), text
        )
    return SettingsChange(place.path, before, text.encode())


def removal(client: Client, project: Path | None) -> SettingsChange:
    """The change that takes a hook away; the file is as it was before where nothing else changed since."""
    path = settings_path(client, project)
    present = _read(path)
    kept = _kept(path)
    written = read_regular(kept / "after") if (kept / "after").exists() else None
    if present is not None and present == written:
        return SettingsChange(
            path, present, read_regular(kept / "before") if (kept / "before").exists() else None
        )
    if client is Client.OPENCODE:
        return SettingsChange(path, present, None)
    if present is None:
        return SettingsChange(path, None, None)
    return SettingsChange(path, present, _without_own(client, _text(path, present)).encode())


def write(change: SettingsChange, *, installing: bool) -> None:
    """Write a change, as a whole or not at all. Raises WorkbenchError if the file changed meanwhile."""
    _text(change.path, change.before)
    if _read(change.path) != change.before:
        raise WorkbenchError(f"{change.path} was changed meanwhile; run the command again.")
    if installing:
        _keep(change)
    if change.after is None:
        change.path.resolve().unlink(missing_ok=True)
    else:
        write_named(change.path, change.after.decode())
    if not installing:
        shutil.rmtree(_kept(change.path), ignore_errors=True)


def plugin_text(place: HookPlace) -> str:
    """The plugin of OpenCode, which throws unless the guard answers that the tool may run."""
    words = ["/bin/sh", "-c", _guarded(shlex.join(hook_words(place)))]
    text = (Path(__file__).parent / "opencode_guard.js").read_text(encoding="utf-8")
    return text.replace("__COMMAND__", json.dumps(words)).replace("__SECONDS__", str(CLIENT_SECONDS))


def _without_own(client: Client, text: str) -> str:
    settings = SETTINGS[client]
    path = settings_path(client, None)
    for event in (*settings.events, *settings.told):
        text = _edited(path, lambda old, event=event: without(old, ("hooks", event), is_own), text)
    return text


def _edited(path: Path, edit: Callable[[str], str], text: str) -> str:
    try:
        edited = edit(text)
        value_of(edited)
    except NoJson as error:
        raise WorkbenchError(f"{path} cannot be edited: {error}; mend it first.") from None
    return edited


def _read(path: Path) -> bytes | None:
    try:
        return read_regular(path.resolve(), _MOST_SETTINGS)
    except FileNotFoundError:
        return None


def _text(path: Path, data: bytes | None) -> str:
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise WorkbenchError(f"{path} is not UTF-8; mend it first.") from None


def _kept(path: Path) -> Path:
    """The folder that keeps a file of settings as it was before and after the installation."""
    from workbench.files.private import data_folder

    return data_folder() / "hooks" / "settings" / sha256(os.fsencode(path.absolute())).hexdigest()[:16]


def _keep(change: SettingsChange) -> None:
    folder = _kept(change.path)
    make_folder(folder)
    check_folder(folder)
    # Of an installation over another one, the file before the first of them is kept.
    again = (folder / "after").exists() and read_regular(folder / "after") == change.before
    if not again:
        (folder / "before").unlink(missing_ok=True)
        if change.before is not None:
            write_named(folder / "before", change.before.decode())
    if change.after is not None:
        write_named(folder / "after", change.after.decode())
