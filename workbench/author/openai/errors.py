"""What can go wrong with a call of a model, each in one sentence; nothing was changed by it."""

from __future__ import annotations

from workbench.model import WorkbenchError


class ModelError(WorkbenchError):
    """A model could not be asked or did not answer usefully; nothing was changed."""

    def __init__(self, message: str) -> None:
        """An error of the environment: exit code 3."""
        super().__init__(message, exit_code=3)


class NotRecorded(ModelError):
    """A call was never recorded, and none may be made."""


class Unanswered(ModelError):
    """The model's server cannot be reached, does not let us in, or does not answer."""


class Cancelled(ModelError):
    """The call was stopped; its connection is closed."""


class BadReply(ModelError):
    """The model replied with something else than was asked: ``reply``, and what is wrong with it.

    ``problem`` follows from the reply's text alone, so that it is the same when a record is replayed.
    """

    def __init__(self, message: str, reply: str, problem: str) -> None:
        """Keep the reply, which can be shown to the model with what is wrong with it."""
        super().__init__(message)
        self.reply = reply
        self.problem = problem
