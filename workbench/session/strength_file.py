"""``strength.toml``: wrong versions of the policy that the contract may accept, each with the reason."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.files.strict_reading import FileForm, TablePlace, parse_toml, read_form
from workbench.model import Accepted
from workbench.session.toml_json import table_of
from workbench.session.toml_text import render

NAME = "strength.toml"
_HEADING = "Wrong versions of the policy that the contract may let pass, and why that does not matter."
_MUTANT = re.compile(r"[0-9a-f]{12}")


class StrengthFile(FileForm):
    """``strength.toml``: the wrong versions that are accepted."""

    accepted: tuple[Accepted, ...] = ()


def read_accepted(text: str) -> tuple[Accepted, ...]:
    """The accepted wrong versions of a ``strength.toml``, at most one record for each version."""
    top = TablePlace(NAME, text)
    read = read_form(StrengthFile, parse_toml(text, NAME), top)
    seen_mutants: set[str] = set()
    for index, accepted in enumerate(read.accepted):
        place = top.below("accepted", index)
        if not _MUTANT.fullmatch(accepted.mutant):
            raise place.error("mutant", f'"{accepted.mutant}" is not the id of a wrong version.',
                              "`workbench strength` lists them.")  # fmt: skip
        if not accepted.reason.strip():
            raise place.error("reason", "a reason is needed.", "Say why it does not matter.")
        if accepted.mutant in seen_mutants:
            raise place.error("mutant", f'"{accepted.mutant}" is accepted twice.', "Keep one reason.")
        seen_mutants.add(accepted.mutant)
    return read.accepted


def write_accepted(accepted: Iterable[Accepted], old: str = "") -> str:
    """The text of ``strength.toml``, keeping a person's comments."""
    tables = [table_of(acceptance, always=("what",)) for acceptance in accepted]
    return render({"accepted": tables} if tables else {}, old, path=NAME, heading=_HEADING)
