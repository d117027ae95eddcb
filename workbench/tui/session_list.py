"""The choice of a session: those that can be opened, shipped ones to try, and one that is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.tui.chooser import Chooser
from workbench.tui.messages import Offer
from workbench.tui.new_session import NewSession, Opened

if TYPE_CHECKING:
    from textual.app import App

_NEW, _TRY = "new", "try:"


def session_offers(recent: Sequence[Path], folder: Path) -> list[Offer]:
    """The sessions of a folder, those that were opened last, a new one, and shipped ones, as offers."""
    from workbench.app.overview import sessions_here, sessions_recent
    from workbench.app.own_copy import shipped_sessions

    overviews_here, here = sessions_here(folder), folder.resolve()
    offers: list[Offer] = []
    for overview in (*overviews_here, *sessions_recent(recent, overviews_here)):
        state = overview.problem or ("unsaved edit" if overview.unsaved else "")
        place = overview.path.relative_to(here) if overview.path.is_relative_to(here) else overview.path
        words = (overview.title, str(place), state)
        offers.append((str(overview.path), "open", "   ".join(filter(None, words))))
    offers.append((_NEW, "new", "make a session of a request, tools and logs, or of an agent's settings"))
    for path in shipped_sessions():
        offers.append((f"{_TRY}{path}", "try", f"a copy of your own of the shipped session {path.name}"))
    return offers


def choose_session[Returned](
    app: App[Returned], recent: Sequence[Path], folder: Path, chosen: Callable[[Opened | None], None]
) -> None:
    """Let a person choose or make a session; ``chosen`` gets it, or None."""

    def offered(key: str | None) -> None:
        if key == _NEW:
            make_session(app, folder, chosen)
        elif key and key.startswith(_TRY):
            from workbench.app.own_copy import copy_to_try

            chosen(copy_to_try(Path(key.removeprefix(_TRY))))
        else:
            chosen((Path(key), "") if key else None)

    app.push_screen(Chooser("Sessions", session_offers(recent, folder)), offered)


def make_session[Returned](app: App[Returned], folder: Path, made: Callable[[Opened | None], None]) -> None:
    """Let a person make a session of the files of a folder; ``made`` gets it, or None."""
    from workbench.app.new_session import files_for_session

    app.push_screen(NewSession(files_for_session(folder)), made)
