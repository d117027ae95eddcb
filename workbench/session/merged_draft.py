"""``draft.toml``: the draft that a session's policy was last merged with; the next merge starts from it.

It changes, is undone and is shared together with the policy, so that a fresh clone knows which parts a person
edited since. If it is missing, an edit cannot be told from an older draft.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workbench.files.strict_reading import TablePlace, parse_toml, read_form
from workbench.model import Requirement
from workbench.session.toml_json import table_of
from workbench.session.toml_text import render

NAME = "draft.toml"
_HEADING = """\
The draft that policy.py was last merged with: what differs there is a person's edit, and stays.
The workbench writes this file; commit it with policy.py."""


@dataclass(frozen=True, slots=True)
class MergedDraft:
    """``draft.toml``: the draft that ``policy.py`` was last merged with.

    ``policy`` is its policy file; ``quotes`` has the words of the request for each of its requirements.
    """

    policy: str
    quotes: Mapping[str, str] = field(default_factory=dict[str, str])


def drafted_of(policy: str, requirements: Iterable[Requirement]) -> MergedDraft:
    """The parts of a draft that are stored."""
    return MergedDraft(
        policy, {requirement.id: " ".join(requirement.quote.split()) for requirement in requirements}
    )


def read_drafted(text: str) -> MergedDraft | None:
    """The draft of a ``draft.toml``; None if the text is empty."""
    if not text.strip():
        return None
    return read_form(MergedDraft, parse_toml(text, NAME), TablePlace(NAME, text))


def write_drafted(drafted: MergedDraft) -> str:
    """The text of ``draft.toml``; equal drafts give equal text."""
    return render(table_of(drafted, always=("quotes",)), path=NAME, heading=_HEADING)
