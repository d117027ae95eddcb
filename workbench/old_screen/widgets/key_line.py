"""The keys that work where the focus is, on one line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App
from textual.binding import Binding
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from workbench.old_screen.plain import clean, title
from workbench.old_screen.styles import PartStyles, style_sheet

type Shown = tuple[Binding, bool, str]
"""A binding, whether its action can be started at present, and what it does in full."""


class KeyLine(Widget, can_focus=False):
    """One line with the bindings that have a short label; a click on one is its key.

    Textual's ``Footer`` makes a widget for each key again whenever the focus moves. That was two of three
    widgets that the screen ever made, and a quarter of its processor time.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = style_sheet(__file__)

    def __init__(self) -> None:
        """Start empty: the screen says when its bindings are known."""
        super().__init__()
        self._parts = PartStyles(self)
        self._shown: tuple[Shown, ...] = ()
        self._under_pointer: Shown | None = None

    @property
    def _host(self) -> App[object]:
        return cast("App[object]", self.app)

    def on_mount(self) -> None:
        """Hear of every change of the bindings."""
        self.screen.bindings_updated_signal.subscribe(self, self._take)  # pyright: ignore[reportUnknownMemberType]  a bare Screen in Textual's signature

    def on_unmount(self) -> None:
        """Hear no more."""
        self.screen.bindings_updated_signal.unsubscribe(self)  # pyright: ignore[reportUnknownMemberType]  a bare Screen in Textual's signature

    def _take(self, screen: Screen[object]) -> None:
        if not (self._host.app_focus and self.is_attached and screen is self.screen):
            return
        first: dict[str, Shown] = {}
        for _, binding, enabled, tooltip in screen.active_bindings.values():
            if binding.show:
                first.setdefault(binding.action, (binding, enabled, tooltip))
        shown = tuple(first.values())
        if shown != self._shown:
            self._shown, self._under_pointer = shown, None
            self.refresh()

    def notify_style_update(self) -> None:
        """Draw in another look."""
        self._parts.forget()
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        """Draw the line. Called by Textual."""
        del y
        segments = [segment for _, part in self._drawn() for segment in part]
        width = self.size.width
        return Strip(segments).crop(0, width).extend_cell_length(width).apply_style(self.rich_style)

    def _drawn(self) -> Iterator[tuple[Shown, list[Segment]]]:
        key, label = self._parts.of("keys--key"), self._parts.of("keys--label")
        for shown in self._shown:
            binding, enabled, _ = shown
            look = Style.null() if enabled else self._parts.of("keys--disabled")
            if shown is self._under_pointer:
                look += self._parts.of("keys--pointer")
            yield (
                shown,
                [
                    Segment(f" {clean(self._host.get_key_display(binding))} ", key + look),
                    Segment(f"{clean(binding.description)} ", label + look),
                ],
            )

    def _at(self, column: int) -> Shown | None:
        end = 0
        for shown, segments in self._drawn():
            end += sum(segment.cell_length for segment in segments)
            if column < end:
                return shown
        return None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Press the key that was clicked."""
        shown = self._at(event.x)
        if shown is not None and shown[1]:
            self._host.simulate_key(shown[0].key)
        elif shown is not None:
            self._host.bell()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Mark the key under the pointer, and say in full what it does."""
        self._point(self._at(event.x))

    def on_leave(self) -> None:
        """Mark no key."""
        self._point(None)

    def _point(self, shown: Shown | None) -> None:
        if shown is not self._under_pointer:
            self._under_pointer = shown
            self.with_tooltip(title(shown[2]) if shown is not None and shown[2] else None)
            self.refresh()


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone

    def fill(widget: KeyLine) -> None:
        """Let the app have some keys."""
        for key, label in (("f5", "Cases"), ("f6", "Prove"), ("ctrl+z", "Undo")):
            cast("App[object]", widget.app).bind(key, label.lower(), description=label)
        widget.screen.refresh_bindings()

    run_alone(KeyLine(), fill)
