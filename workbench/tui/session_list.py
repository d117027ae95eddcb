"""The sessions that can be opened, as offers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.tui.messages import Offer

NO_SESSIONS = (
    "",
    "There is no session in this folder. 'workbench new FOLDER --request FILE' makes one; 'workbench tour' "
    "opens one to try.",
    "",
)


def session_offers(recent: Sequence[Path], folder: Path | None = None) -> list[Offer]:
    """The sessions of a folder and those that were opened last, as offers."""
    from workbench.app.overview import sessions_here, sessions_recent

    overviews_here = sessions_here(folder or Path.cwd())
    offers: list[Offer] = []
    for overview in (*overviews_here, *sessions_recent(recent, overviews_here)):
        logs = f"{overview.logs} {'log' if overview.logs == 1 else 'logs'}"
        state = (
            overview.problem
            or f"{overview.cases} cases · {logs}{' · unsaved edit' if overview.unsaved else ''}"
        )
        offers.append((str(overview.path), "", f"{overview.title}   {overview.path}   {state}"))
    return offers or [NO_SESSIONS]
