"""What surrounds the values of a tool: the folder, the shell and the file system by which they are read."""

from __future__ import annotations

from workbench.model import Json, Tool
from workbench.runs.kinds.command import COMMAND, UNDECLARED
from workbench.runs.kinds.file_systems import OF_FILES
from workbench.runs.kinds.kinds_by_name import FOLDER_OPTIONS


def options_of_tool(tool: Tool, kind: str) -> dict[str, Json]:
    """The options of a kind that follow from what a tool says of itself."""
    options: dict[str, Json] = {}
    if kind in ("path", "command"):
        options |= OF_FILES.get(tool.file_system, {})
    if kind == COMMAND.name:
        options["shell"] = tool.shell or UNDECLARED
    if kind in FOLDER_OPTIONS and tool.cwd:
        options[FOLDER_OPTIONS[kind]] = tool.cwd
    return options
