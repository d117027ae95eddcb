"""The form of ``keys.toml``. Imported late: pydantic is not needed before the first paint."""

from __future__ import annotations

from pydantic import Field

from workbench.files.strict_reading import FileForm
from workbench.tui.keys import ACTIONS


class KeysFile(FileForm):
    """``keys.toml``: a person's own keys by the names of actions."""

    keys: dict[str, str] = Field(
        {},
        json_schema_extra={"propertyNames": {"enum": [action.id for action in ACTIONS if not action.listed]}},
    )
