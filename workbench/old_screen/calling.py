"""The model's calls on the screen: a line while one runs, and a key that stops it."""

from __future__ import annotations

from typing import override

from textual import on

from workbench.old_screen import messages
from workbench.old_screen.replay_actions import ReplayingApp

_STOP = "stop_call"


class CallingApp(ReplayingApp):
    """Shows the call that runs, and stops it."""

    _calling = False

    @on(messages.CallTold)
    def _call_told(self, event: messages.CallTold) -> None:
        running = not event.progress.done
        self.call_line.show(event.progress if running else None)
        if running is not self._calling:
            self._calling = running
            self.refresh_bindings()

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A call can be stopped while one runs."""
        if action == _STOP:
            return self._calling
        return super().check_action(action, parameters)

    def action_stop_call(self) -> None:
        """Stop the model's calls that run; their connections are closed."""
        self._live.stop_calls()
