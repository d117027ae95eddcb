"""The choice of a session: those that can be opened, shipped ones to try, and one that a person makes.

A form over the screen makes it of a request or settings, tools and logs.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import ClassVar, cast

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from workbench.clean_text import counted, one_line
from workbench.model import WorkbenchError
from workbench.tui.chooser import Chooser
from workbench.tui.messages import Offer
from workbench.tui.settled_screen import SettledScreen
from workbench.tui.styles import style_sheet
from workbench.tui.text_runs import title
from workbench.tui.widgets.prompt import TypedLine, pasted_paths

type Opened = tuple[Path, str]
"""The folder of a session to open, and a sentence to show then."""

REQUEST, TOOLS, LOGS, FOLDER = "request", "tools", "logs", "folder"
_LINES = {
    REQUEST: "a text file, or paste the sentences; nothing for settings",
    TOOLS: "list (JSON, OpenAPI), .py, agent.toml, log; or a coding agent's settings",
    LOGS: "recorded runs; may be left out, several with blanks between",
    FOLDER: "where the session is to be, a new folder",
}
_KEYS = "Enter goes on, at the end makes it · Tab completes · Esc leaves"


class _PathLine(TypedLine):
    """A line for paths, which Tab completes; a pasted text of several lines is kept whole beside it.

    What is typed replaces the path that stands in the line when it gets the focus, and the arrows edit it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", priority=True)]
    pasted = ""

    def action_complete(self) -> None:
        """Write what all paths that begin so have in common; go on if that is written already."""
        before, blank, begun = self.value.rpartition(" ")
        typed = str(Path(begun).expanduser()) + os.sep * begun.endswith("/") if begun else ""
        folder = Path(typed) if typed.endswith(os.sep) else Path(typed).parent
        found = [*folder.iterdir()] if typed and folder.is_dir() else []
        names = [f"{one}{os.sep * one.is_dir()}" for one in found if str(one).startswith(typed)]
        common = min(names, default="")
        while not all(name.startswith(common) for name in names):
            common = common[:-1]
        if len(common) <= len(typed):
            self.screen.focus_next()
        else:
            self.value = f"{before}{blank}{common}"
            self.action_end()

    def _on_paste(self, event: events.Paste) -> None:
        paths = pasted_paths(event.text)
        if not paths and self.id != REQUEST:
            return
        event.prevent_default()
        event.stop()
        self.pasted = "" if paths else event.text
        count = counted(len(event.text.strip().splitlines()), "line")
        adds = paths and self.id == LOGS and self.value.strip() and self.selection.is_empty
        before = f"{self.value} " if adds else ""
        self.value = before + shlex.join(map(str, paths)) if paths else f"({count} pasted)"
        self.action_end()


class NewSession(SettledScreen[Opened | None], ModalScreen[Opened | None]):
    """Asks for request, tools, logs and folder; returns the session that it made, or None."""

    DEFAULT_CSS = style_sheet(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave"),
        Binding("down", "app.focus_next"),
        Binding("up", "app.focus_previous"),
    ]

    def __init__(self, found: Mapping[str, str] | None = None) -> None:
        """Begin with the paths that were found in a folder."""
        super().__init__()
        self._found = found or {}
        self._making = self._is_left = False

    def compose(self) -> ComposeResult:
        """A line for each, and one for what is wrong."""
        with Vertical() as box:
            box.border_title = title("A new session")
            box.border_subtitle = title(_KEYS)
            for name, holder in _LINES.items():
                with Horizontal():
                    yield Static(name, markup=False)
                    found = self._found.get(name, "")
                    yield _PathLine(found, placeholder=holder, id=name, compact=True)
            yield Static("", id="problem", markup=False)

    def on_mount(self) -> None:
        """Begin at the first line that is not known."""
        self.query_one(f"#{next((name for name in _LINES if not self._found.get(name)), FOLDER)}").focus()

    def _say(self, text: str) -> None:
        self.query_one("#problem", Static).update(title(text))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._say("")

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        if event.input.id != FOLDER:
            self.focus_next()
        elif not self._making:
            self._making = True
            self._say("the logs are read … Esc leaves; the session is made and listed all the same")
            typed = {name: self.query_one(f"#{name}", _PathLine).value.strip() for name in _LINES}
            pasted = self.query_one(f"#{REQUEST}", _PathLine).pasted
            self.run_worker(partial(self._make, typed, pasted), thread=True, exit_on_error=False)

    def _make(self, typed: Mapping[str, str], pasted: str) -> None:
        """Make the session; in a thread."""
        app = cast("App[object]", self.app)
        try:
            end = partial(self.dismiss, _made(typed, pasted if typed[REQUEST].startswith("(") else ""))
        except (WorkbenchError, OSError, ValueError) as error:
            end = partial(self._refused, one_line(str(error)))
        if not self._is_left:
            app.call_from_thread(end)

    def _refused(self, why: str) -> None:
        self._making = False
        self._say(why)

    def action_leave(self) -> None:
        """Open nothing; a session that is being made is made, and opened by nobody."""
        self._is_left = True
        self.dismiss(None)


def _made(typed: Mapping[str, str], pasted: str) -> Opened:
    """Make a session of what was typed; raises WorkbenchError if it cannot be made."""
    from workbench.app.new_session import new_session

    missing = next((name for name in (REQUEST, FOLDER) if not typed[name]), "")
    if missing and not (missing == REQUEST and typed[TOOLS] and typed[FOLDER]):
        raise WorkbenchError(f"Say the {missing}: {_LINES[missing]}.")
    folder = _path(typed[FOLDER])
    logs = [Path(name).expanduser() for name in shlex.split(typed[LOGS])]
    if missing:
        return _made_of_settings(folder, shlex.split(typed[TOOLS]), logs)
    agent = _path(typed[TOOLS]) if typed[TOOLS] else None
    with tempfile.TemporaryDirectory() as beside:
        request = _path(typed[REQUEST])
        if pasted:
            request = Path(beside) / "request.md"
            request.write_text(pasted, encoding="utf-8")
        made = new_session(folder, request, agent=agent, logs=logs, author="written")
    with closing(made.workbench) as bench:
        draft = made.draft()
        said = counted(len(draft.understanding.draft.requirements), "sentence")
        where = bench.session.path
    assumed = f"{counted(len(draft.assumed), 'thing')} assumed: n asks for a yes at the end."
    look = [*([assumed] if draft.assumed else ()), *made.notes, *draft.look]
    return where, " ".join([f"Made {where}: {said}, none said yet; n goes to the first.", *look[:2]])


def _made_of_settings(folder: Path, files: Sequence[str], logs: Sequence[Path]) -> Opened:
    """Make a session of the permission rules of a coding agent; raises WorkbenchError if there are none."""
    from workbench.app.from_settings import from_settings

    created, rescued = from_settings(folder, [Path(name).expanduser() for name in files], logs)
    with closing(created.workbench) as bench:
        where = bench.session.path
    wrong = [one.text + "".join(f": {slip.command}" for slip in one.slips[:1]) for one in rescued.findings]
    found = f"{counted(len(wrong), 'thing')} wrong with them, first: {wrong[0]}" if wrong else ""
    rules = counted(sum(rescued.rules.values()), "rule")
    parts = (f"Made {where} of {rules} of {rescued.client}.", found, *created.notes[:1])
    return where, one_line(" ".join(part for part in parts if part))


def _path(text: str) -> Path:
    names = shlex.split(text) if text[:1] in "'\"" or "\\ " in text else [text]
    return Path(names[0] if names else text).expanduser()


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
        offers.append((f"{_TRY}{path}", "try", f"{path.name}   shipped: you get a copy of your own"))
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

    app.push_screen(Chooser("Sessions", session_offers(recent, folder), alone=True), offered)


def make_session[Returned](app: App[Returned], folder: Path, made: Callable[[Opened | None], None]) -> None:
    """Let a person make a session of the files of a folder; ``made`` gets it, or None."""
    from workbench.app.new_session import files_for_session

    app.push_screen(NewSession(files_for_session(folder)), made)
