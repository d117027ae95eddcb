"""Errors of a model's call, one sentence each. A failed call changes nothing."""

from __future__ import annotations

from workbench.clean_text import one_line
from workbench.model import WorkbenchError

LONGEST_SHOWN = 500


class ModelError(WorkbenchError):
    """A model could not be asked or did not answer usefully; nothing was changed."""

    def __init__(self, message: str) -> None:
        """An error of the environment: exit code 3."""
        super().__init__(message, exit_code=3)


class NotRecorded(ModelError):
    """A call was never recorded, and none may be made."""


class Unanswered(ModelError):
    """The model's server cannot be reached, does not authorise the call, or does not answer."""


class Cancelled(ModelError):
    """The call was stopped; its connection is closed."""


class BadReply(ModelError):
    """The model's reply does not have the form asked for: ``reply``, and its ``problem``.

    ``problem`` depends on the reply's text alone, so it is the same when a record is replayed. ``formless``
    means that the reply has quite another form, as if the model did not know the form.
    """

    def __init__(self, message: str, reply: str, problem: str, *, formless: bool = False) -> None:
        """Keep the reply, which can be shown to the model together with its problem."""
        super().__init__(message)
        self.reply = reply
        self.problem = problem
        self.formless = formless


def shown_line(text: object) -> str:
    """A server's text as one bounded line for a person: controls and directions are made visible."""
    raw = text if isinstance(text, str) else str(text)[: 2 * LONGEST_SHOWN]
    line = one_line(raw[: 2 * LONGEST_SHOWN])
    return line if len(raw) <= LONGEST_SHOWN and len(line) <= LONGEST_SHOWN else line[:LONGEST_SHOWN] + "…"
