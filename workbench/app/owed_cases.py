"""Cases that another program removed from the session, as things that the session owes.

The journal tells them: what the workbench itself removed, a person removed. A case that only another journal
knows, as that of a colleague, is none of them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.app.owed import Owed, OwedKind
from workbench.clean_text import one_line
from workbench.model import Case, WorkbenchError

if TYPE_CHECKING:
    from workbench.session import Session

NAME = "cases.toml"
_GENERATED = "generated"


def removed_cases(session: Session) -> dict[str, Case]:
    """The cases that another program removed and that are not back, by id.

    A case that the draft made is one of them until the workbench writes the cases again.
    """
    removed: dict[str, Case] = {}
    for change in session.history:
        if not removed and not change.outside:
            continue  # nothing can come back
        for file in change.files:
            if file.name != NAME:
                continue
            before, after = _cases(file.old), _cases(file.new)
            if change.outside:
                removed |= {name: case for name, case in before.items() if name not in after}
            else:
                removed = {name: case for name, case in removed.items() if case.origin != _GENERATED}
            for name in after:
                removed.pop(name, None)
    present = _cases(session.text(NAME)) if removed else {}
    return {name: case for name, case in removed.items() if name not in present}


def owed_cases(session: Session) -> Iterator[Owed]:
    """Each case that another program removed; none of them is in force."""
    folder = shlex.quote(str(session.path))
    for name, case in removed_cases(session).items():
        expected = f"the policy decides it as {case.expected}"
        made = case.origin == _GENERATED
        accept = f"remove it: workbench cases {folder} --remove {shlex.quote(name)}"
        yield Owed(
            OwedKind.CASE,
            name,
            one_line(f"{case.reason}: {expected}" if case.reason else expected),
            f"another program removed it from {NAME}",
            f"workbench draft {folder}" if made else f"put it back, or {accept}",
        )


def _cases(text: str | None) -> dict[str, Case]:
    """The cases of a text by id; none of a text that cannot be read, as of a file that another tool broke."""
    from workbench.session.session_files import read_cases

    try:
        return {case.id: case for case in read_cases(text or "")}
    except WorkbenchError:
        return {}
