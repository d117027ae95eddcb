"""``strength.toml``: wrong versions of the policy that the contract may let pass, each with the reason."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.model import Accepted
from workbench.session.fields import Fields, parse_toml
from workbench.session.toml_text import Toml, render

NAME = "strength.toml"
_HEADING = "Wrong versions of the policy that the contract may let pass, and why that does not matter."
_MUTANT = re.compile(r"[0-9a-f]{12}")


def read_accepted(text: str) -> tuple[Accepted, ...]:
    """The accepted survivors of a ``strength.toml``, at most one for each wrong version."""
    top = Fields(parse_toml(text, NAME), NAME, text).only("accepted")
    found: list[Accepted] = []
    for fields in top.array("accepted"):
        fields.only("mutant", "what", "reason", "when")
        one = Accepted(
            fields.string("mutant"),
            fields.string("reason"),
            fields.string("what", ""),
            fields.string("when", ""),
        )
        if not _MUTANT.fullmatch(one.mutant):
            raise fields.error("mutant", f'"{one.mutant}" is not the id of a wrong version.',
                               "`workbench strength` lists them.")  # fmt: skip
        if not one.reason.strip():
            raise fields.error("reason", "a reason is needed.", "Say why it does not matter.")
        if any(one.mutant == other.mutant for other in found):
            raise fields.error("mutant", f'"{one.mutant}" is accepted twice.', "Keep one reason.")
        found.append(one)
    return tuple(found)


def write_accepted(accepted: Iterable[Accepted], old: str = "") -> str:
    """The text of ``strength.toml``, keeping a person's comments."""
    tables: list[Toml] = []
    for one in accepted:
        table: dict[str, Toml] = {"mutant": one.mutant, "what": one.what, "reason": one.reason}
        if one.when:
            table["when"] = one.when
        tables.append(table)
    data: dict[str, Toml] = {"accepted": tables} if tables else {}
    return render(data, old, path=NAME, heading=_HEADING)
