"""What the tests of the screen share: hostile texts, quick timers, waiting for work to end."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import time
from collections.abc import Callable, Mapping
from typing import Any, cast

from textual.app import App
from textual.geometry import Region
from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget

from workbench.clean_text import clean
from workbench.old_screen.app import WorkbenchApp
from workbench.old_screen.screen_state import stages

HOSTILE = (
    " [@click=app.quit]x[/] [ @click=app.quit]y[/] [/] [/x] [A-Z] [$error] [link=http://e.example]z[/link]"
    " \x1b]52;c;cHduZWQ=\x07 \x1b[2J\x1b]8;;http://e.example\x1b\\"
    " \x9b31m \x85 \x00 \x7f \u202e\u2066\u200b\u00ad \\"
)
LONG = HOSTILE + "x" * 10_000 + " [/] " + "界" * 3_000
TURN = 0.005
"""Seconds between two looks at the screen: others may work meanwhile."""
LONGEST = 100.0
"""Seconds after which what is awaited will not come about any more, however busy the machine is."""
KEPT = frozenset({"clause", "policy", "value", "default"})


def poisoned[T](value: T, text: str = HOSTILE) -> T:
    """A copy of a value with ``text`` added to every string in it that is not an identifier."""
    return cast("T", _poisoned(value, text))


def _poisoned(value: object, text: str) -> object:
    if isinstance(value, enum.Enum):
        return value
    if isinstance(value, str):
        return value + text
    if isinstance(value, frozenset):
        return frozenset(_poisoned(item, text) for item in cast("frozenset[object]", value))
    if isinstance(value, tuple):
        return tuple(_poisoned(item, text) for item in cast("tuple[object, ...]", value))
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value)
        return {_poisoned(key, text): _poisoned(item, text) for key, item in pairs.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.name not in KEPT]
        changed = {name: _poisoned(cast("object", getattr(value, name)), text) for name in names}
        return cast("object", dataclasses.replace(value, **changed))  # pyright: ignore[reportArgumentType] - any dataclass
    return value


async def settled(app: App[Any], pilot: Pilot[Any]) -> None:
    """Wait until no work runs or is to begin, and nothing is left to be laid out or drawn.

    Textual lays out and draws by a timer: what a handler changed may be on its way to the screen, and
    the widgets may still have to hear of their new places, after all work has ended. What rests must do so
    twice, with a turn of every queue between: a handler may be half done at the first look. Nothing is
    concluded from how busy the process is, as ``pause`` without a delay does: beside other load a
    process gets so little of the machine that it seems idle in the middle of its work.
    """
    await _twice(app, pilot, lambda: not (busy(app) or unsettled(app)), "that all work ends and is drawn")


async def drawn_out(app: App[Any], pilot: Pilot[Any]) -> None:
    """Wait until nothing is left to be laid out or drawn, while work may go on."""
    await _twice(app, pilot, lambda: not unsettled(app), "that all is drawn")


async def until(app: App[Any], pilot: Pilot[Any], holds: Callable[[], bool]) -> None:
    """Wait until something holds; say what it is, and what the screen shows, if it does not come about."""
    end = time.monotonic() + LONGEST
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(in_vain(app, inspect.getsource(holds).strip()))
        await pilot.pause(TURN)


async def until_settled(app: App[Any], pilot: Pilot[Any], holds: Callable[[], bool]) -> None:
    """Wait until something holds, and then until nothing runs any more."""
    await until(app, pilot, holds)
    await settled(app, pilot)


async def _twice(app: App[Any], pilot: Pilot[Any], holds: Callable[[], bool], what: str) -> None:
    looks, end = 0, time.monotonic() + LONGEST
    while looks < 2:
        if time.monotonic() > end:
            raise AssertionError(in_vain(app, what))
        await pilot.pause(TURN)
        looks = looks + 1 if holds() else 0


def in_vain(app: App[Any], what: str) -> str:
    """What was awaited for too long, what runs, where the focus is, and what the screen shows."""
    running = [worker.description for worker in app.workers if not worker.is_finished]
    lines = [f"awaited for {LONGEST:.0f} s: {what}", f"running: {running}; focus: {app.focused!r}"]
    if isinstance(app, WorkbenchApp):
        lines += [f"{stage.name}: {stage.condition}, {stage.text}" for stage in stages(app.board)]
        lines += [f"failed: {dict(app.board.failed)}", f"waiting to begin: {app._live.waiting}"]  # pyright: ignore[reportPrivateUsage]
        lines += [f"said: {notice.message}" for notice in app._notifications]  # pyright: ignore[reportPrivateUsage]
    shown = (strip.text.rstrip() for strip in app.screen._compositor.render_strips())  # pyright: ignore[reportPrivateUsage]
    return "\n".join((*lines, *shown))


def busy(app: App[Any]) -> bool:
    """Whether work runs or is to begin by itself."""
    return app.busy if isinstance(app, WorkbenchApp) else working(app)


def working(app: App[Any]) -> bool:
    """Whether work runs."""
    return any(not worker.is_finished for worker in app.workers)


def unsettled(app: App[Any]) -> bool:
    """Whether a message or a drawing waits."""
    screen = app.screen
    waiting = (
        *(screen._layout_required, screen._scroll_required, screen._repaint_required),  # pyright: ignore[reportPrivateUsage] - what its own timer looks at
        *(screen._recompose_required, screen._dirty_widgets, screen._callbacks),  # pyright: ignore[reportPrivateUsage]
    )
    return any(waiting) or any(
        not pump._message_queue.empty() or pump._pending_message or pump._next_callbacks  # pyright: ignore[reportPrivateUsage]
        for pump in (app, *(node for each in app.screen_stack for node in each.walk_children(with_self=True)))
    )


class Heard:
    """The messages that the app was sent, for assertions."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def __call__(self, message: Message) -> None:
        self.messages.append(message)

    def of[M: Message](self, kind: type[M]) -> list[M]:
        """The messages of one kind, each once, in order."""
        found: list[M] = []
        for message in self.messages:
            if isinstance(message, kind) and not any(message is other for other in found):
                found.append(message)
        return found


def drawn(widget: Widget) -> str:
    """The text that a widget draws, line by line; fails on what must not reach a terminal."""
    lines: list[str] = []
    for strip in widget.render_lines(Region(0, 0, *widget.outer_size)):
        for segment in strip:
            text, style, control = segment
            assert control is None, f"{widget!r} sends control codes"
            assert text == clean(text), f"{widget!r} draws raw {text!r}"
            assert "\n" not in text
            if style is not None:
                assert style.link is None, f"{widget!r} draws a link"
                assert not any(key.startswith("@") for key in style.meta), f"{widget!r} draws {style.meta}"
        lines.append(strip.text)
    return "\n".join(lines)


def words(widget: Widget) -> str:
    """The words that a widget draws, without borders, however they are wrapped."""
    return " ".join(drawn(widget).replace("│", " ").split())


def screen_text(app: WorkbenchApp) -> str:
    """The text of all widgets that are displayed."""
    return "\n".join(drawn(widget) for widget in app.screen.walk_children(Widget) if widget.display)
