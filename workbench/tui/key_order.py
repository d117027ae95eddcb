"""Keys take effect in the order in which they were typed.

Textual inserts a printable key as soon as the widget hears it, but lets a cursor key climb to
the application before its action runs. In a burst (a fast typist, a slow line) text would
overtake the cursor and land in the wrong place. Here a widget runs the actions of its own
bindings at once.
"""

from __future__ import annotations

from typing import cast

from textual import events
from textual.app import App
from textual.widget import Widget


class KeyOrder:
    """A mixin for a text widget; it has to come before the widget's class among the bases.

    It is no widget itself, because the class names and bindings of a widget come from its first widget base.
    """

    async def _on_key(self, event: events.Key) -> None:
        if event.key.startswith("alt+"):
            # Terminals send the letter with Alt; it must not be typed.
            event.prevent_default()
        elif event.is_printable:
            return
        widget = cast(Widget, self)
        own_bindings = widget._bindings.key_to_bindings.get(event.key, ())  # pyright: ignore[reportPrivateUsage]  a mixin of the widget
        for binding in own_bindings:
            if binding.priority or widget.check_action(binding.action, ()) is False:
                continue
            event.stop()
            event.prevent_default()
            await cast("App[object]", widget.app).run_action(binding.action, widget)
            return
