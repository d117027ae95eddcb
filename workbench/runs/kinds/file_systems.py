"""The file systems of tools, and the folder that a call names in one."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.model import Json
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.values.described_option import BadOption
from workbench.runs.values.found_value import Missing

POSIX, IGNORE_CASE, WINDOWS = FILE_SYSTEMS = ("posix", "ignore_case", "windows")
OF_FILES: Mapping[str, Mapping[str, Json]] = {
    IGNORE_CASE: {"ignore_case": True},
    WINDOWS: {"windows": True, "ignore_case": True},
}
"""The options of paths that follow from a file system."""


def folder_of(cwd: str, named: Json, file_system: str) -> str:
    """The folder that a call names, which may begin in another; empty if it cannot be determined."""
    options: dict[str, Json] = {**OF_FILES.get(file_system, {}), **({"root": cwd} if cwd else {})}
    try:
        folder = KINDS["path"].reader(options).part(named, "absolute")
    except (Missing, BadOption):
        return ""
    return folder if isinstance(folder, str) else ""
