"""``drafting.json``: the files that a model drafted whole, from which drafts are read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from workbench.files.bounded_text import load_json
from workbench.files.file_error import at
from workbench.files.strict_reading import TablePlace, read_form

if TYPE_CHECKING:
    from workbench.author.model.whole_file.stored_drafting import KeptDrafting

NAME = "drafting.json"


def read_drafting(text: str) -> KeptDrafting | None:
    """The drafting of a ``drafting.json``; None if the text is empty. Raises FileError for a mistake."""
    if not text.strip():
        return None
    from workbench.author.model.whole_file.stored_drafting import KeptDrafting

    try:
        value = load_json(text)
    except ValueError as error:
        raise at(NAME, f"is no JSON: {error}.", "Remove it and draft again.") from None
    if not isinstance(value, dict):
        raise at(NAME, "is no JSON object.", "Remove it and draft again.")
    return read_form(KeptDrafting, cast("dict[str, object]", value), TablePlace(NAME, text))


def write_drafting(drafting: KeptDrafting) -> str:
    """The text of ``drafting.json``; equal draftings give equal text."""
    return json.dumps(drafting.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"
