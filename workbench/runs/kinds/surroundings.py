"""What surrounds the values of a tool: the folder, the shell and the file system by which they are read."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.model import Json, Tool
from workbench.runs.kinds.command import COMMAND, UNDECLARED
from workbench.runs.kinds.kinds_by_name import FOLDER_OPTIONS
from workbench.runs.kinds.path import PATH
from workbench.runs.kinds.value_kind import BadOption
from workbench.runs.values.found_value import Missing

POSIX, IGNORE_CASE, WINDOWS = FILE_SYSTEMS = ("posix", "ignore_case", "windows")
_OF_FILES: Mapping[str, Mapping[str, Json]] = {
    IGNORE_CASE: {"ignore_case": True},
    WINDOWS: {"windows": True, "ignore_case": True},
}


def options_of_tool(tool: Tool, kind: str) -> dict[str, Json]:
    """The options of a kind that follow from what a tool says of itself."""
    options: dict[str, Json] = {}
    if kind in ("path", "command"):
        options |= _OF_FILES.get(tool.file_system, {})
    if kind == COMMAND.name:
        options["shell"] = tool.shell or UNDECLARED
    if kind in FOLDER_OPTIONS and tool.cwd:
        options[FOLDER_OPTIONS[kind]] = tool.cwd
    return options


def folder_of(cwd: str, named: Json, file_system: str) -> str:
    """The folder that a call names, which may begin in another; empty if it cannot be determined."""
    options: dict[str, Json] = {**_OF_FILES.get(file_system, {}), **({"root": cwd} if cwd else {})}
    try:
        folder = PATH.reader(options).part(named, "absolute")
    except (Missing, BadOption):
        return ""
    return folder if isinstance(folder, str) else ""
