"""The tools of an MCP server as they were accepted: names, descriptions and schemas, by hash.

The first list that a server gives is pinned. A tool that is changed or added later is hidden from the client
and its calls are refused, until a person accepts it by its hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

from workbench.guard.adapters.call_schemas import checked_arguments
from workbench.guard.adapters.mcp_forms import TOOL
from workbench.guard.adapters.strict_json import Unclear, read_json
from workbench.guard.look_alike_names import is_plain, twin, unclear_beside_each_other
from workbench.model import Json, WorkbenchError

FORMAT = "workbench-tools/1"
LONGEST_NAME = 128
_SHOWN = 16

type Note = Callable[[str], None]


def tool_hash(tool: Json) -> str:
    """The hash of a tool's definition, independent of the order of its keys."""
    return hashlib.sha256(json.dumps(tool, sort_keys=True).encode()).hexdigest()


class ToolPins:
    """The tools of a server that may be called, with their arguments; one object for all its sessions."""

    def __init__(
        self,
        file: Path | None = None,
        *,
        accepted: Collection[str] = (),
        known: Iterable[str] = (),
        note: Note = lambda _text: None,
    ) -> None:
        """Begin with the pins of ``file``, if it exists; without a file they last as long as the proxy.

        Args:
            file: where the pins are kept; the first list is written to it.
            accepted: changed or added tools that a person accepts, as ``name:hash``.
            known: the tools that the policy knows; a look-alike of one of them is refused.
            note: called with one sentence about each tool that was pinned or refused.

        Raises:
            WorkbenchError: the file is not a file of pins.
        """
        self._file = file
        self._accepted = frozenset(accepted)
        self._known = frozenset(known)
        self._note = note
        self._lock = threading.Lock()
        self._pinned = _read(file) if file is not None else {}
        self._first = not self._pinned
        self._listed: dict[str, dict[str, Json]] = {}
        self._refused: dict[str, str] = {}
        self._was_listed = False

    def listed(self, tools: Sequence[Json], *, last: bool) -> list[Json]:
        """The tools of a list that the client may see, rebuilt; ``last`` is True if the list ends here."""
        with self._lock:
            pinned = dict(self._pinned)
            rebuilt_tools = [self._rebuilt_tool(tool) for tool in tools]
            shown_tools: list[Json] = [tool for tool in rebuilt_tools if tool is not None]
            if pinned != self._pinned and not self._keep():
                self._pinned = pinned
                self._listed.clear()
                return []
            if self._first and last and self._pinned:
                self._first = False
                self._note(f"Pinned {len(self._pinned)} tools of the server: {', '.join(self._pinned)}.")
            self._was_listed = True
            return shown_tools

    def refusal(self, name: str) -> str:
        """The reason in one sentence why calls of the tool are refused; empty if the policy decides."""
        with self._lock:
            if not is_plain(name) or len(name) > LONGEST_NAME:
                return f"The name {name[:60]!a} is no name of a tool."
            near = twin(name, {*self._known, *self._listed, *self._pinned})
            if near:
                return f"There is no tool {name!r}; {near!r} is another one."
            if name in self._refused:
                return self._refused[name]
            if name in self._listed:
                return ""
            if self._was_listed or self._file is not None:
                return f"The server has not listed a tool {name!r}; list its tools first."
            return ""

    def arguments(self, name: str, call_arguments: Mapping[str, Json]) -> dict[str, Json]:
        """The arguments of a call with the defaults of the tool's schema.

        Raises:
            Unclear: an argument has a name that a reader could mistake for another one.
        """
        with self._lock:
            schema = self._listed.get(name, {}).get("inputSchema")
        return checked_arguments(call_arguments, schema if isinstance(schema, dict) else None)

    def _rebuilt_tool(self, listed: Json) -> Json | None:
        """The rebuilt tool if the client may see it; else None, and the reason is noted."""
        try:
            tool = cast("dict[str, Json]", TOOL(listed, "tool"))
            name = cast("str", tool["name"])
            _check_tool(name, tool)
        except Unclear as error:
            self._note(f"A tool of the server is left out: {error}.")
            return None
        digest = tool_hash(tool)
        if self._first and name not in self._pinned and self._unique(name):
            self._pinned[name] = digest
        if f"{name}:{digest[:_SHOWN]}" in self._accepted and self._unique(name):
            self._pinned[name] = digest
        if self._pinned.get(name) == digest and self._unique(name):
            self._listed[name] = tool
            self._refused.pop(name, None)
            return tool
        self._listed.pop(name, None)
        change = "was changed by the server" if name in self._pinned else "was added by the server"
        self._refused[name] = f"The tool {name!r} {change} and is refused until a person accepts it."
        self._note(
            f"The tool {name} {change}; its calls are refused. To accept it as it is: "
            f"--accept-tool {name}:{digest[:_SHOWN]}. It is: {json.dumps(tool, sort_keys=True)}"
        )
        return None

    def _unique(self, name: str) -> bool:
        return not twin(
            name,
            {*self._known, *(pinned_name for pinned_name in self._pinned if pinned_name != name)} - {name},
        )

    def _keep(self) -> bool:
        """Write the pins, if they have a file; False if writing fails."""
        if self._file is None:
            return True
        pins: Json = {"format": FORMAT, "tools": dict[str, Json](sorted(self._pinned.items()))}
        temporary_file = self._file.with_name(f".{self._file.name}.{os.getpid()}")
        try:
            handle = os.open(
                temporary_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600
            )
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(json.dumps(pins, indent=2) + "\n")
            temporary_file.replace(self._file)
        except OSError as error:
            self._note(f"{self._file} cannot be written ({error.strerror}); the server's tools stay refused.")
            return False
        return True


def _read(file: Path) -> dict[str, str]:
    try:
        data = file.read_bytes() if file.is_file() else b""
        if not data and not file.exists():
            return {}
        read = read_json(data)
    except (OSError, Unclear) as error:
        raise WorkbenchError(f"{file} is no file of pinned tools: {error}.") from error
    tools = read.get("tools") if isinstance(read, dict) and read.get("format") == FORMAT else None
    if not isinstance(tools, dict) or not all(isinstance(tool, str) for tool in tools.values()):
        raise WorkbenchError(
            f"{file} is no file of pinned tools; name another, or remove it to pin them anew."
        )
    return cast("dict[str, str]", tools)


def _check_tool(name: str, tool: Mapping[str, Json]) -> None:
    if not is_plain(name) or len(name) > LONGEST_NAME:
        raise Unclear(f"the name {name[:60]!a} is no name of a tool")
    schema = tool["inputSchema"]
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if properties is not None and not isinstance(properties, dict):
        raise Unclear(f"the schema of {name} is none")
    if why := unclear_beside_each_other(properties or {}, f"the schema of {name}"):
        raise Unclear(why)
