"""The choice of the author that drafts a session, and of the client that asks its model if one is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from workbench.model import AgentSpec, AuthorName, WorkbenchError

if TYPE_CHECKING:
    from workbench.author.model.client import ModelClient
    from workbench.author.model.recording import KeepsCalls
    from workbench.author.model.whole_file.author import FileStyle
    from workbench.author.protocol import Author
    from workbench.runs.extract.model_method import Reader


def client_of(
    session: KeepsCalls,
    *,
    environment: Mapping[str, str],
    replay_calls: bool = False,
    read_only: bool = False,
) -> ModelClient | None:
    """The client that asks a session's model; None if no model is named and no call is recorded.

    The model is ``WORKBENCH_MODEL`` at ``OPENAI_BASE_URL``. With ``replay_calls``, or if no model is named,
    the recorded calls of the session are replayed and none is made. A ``read_only`` session keeps new calls
    in memory.
    """
    from workbench.author.model.client import ModelClient
    from workbench.author.model.endpoint.learnt_abilities import LearntFile
    from workbench.author.model.recording import KeptCalls, recorded_settings
    from workbench.author.model.settings import settings_from
    from workbench.author.model.usage_account import UsageAccount

    named = None if replay_calls else settings_from(environment)
    settings = named or recorded_settings(session.calls, environment)
    if settings is None:
        return None
    calls = KeptCalls(session, in_memory=read_only)
    return ModelClient(
        settings, calls, replay_only=named is None, account=UsageAccount(calls.used), learnt=LearntFile()
    )


def check_author(name: AuthorName, environment: Mapping[str, str]) -> None:
    """Raise WorkbenchError if the author needs a model and none is named."""
    from workbench.author.model.settings import settings_from

    if name == "openai" and settings_from(environment) is None:
        raise WorkbenchError(
            "The openai author needs a model. Set WORKBENCH_MODEL, and OPENAI_BASE_URL for your own server.",
            exit_code=3,
        )


def author_of(
    name: AuthorName,
    client: Callable[[], ModelClient | None],
    style: Callable[[], FileStyle],
    written: Callable[[], str] = str,
) -> Author:
    """The author that a session names; ``client`` and ``style`` are called only if this author asks a model.

    ``style`` gives what a model that drafts needs of the session; ``written`` gives the policy of calls that
    a person writes.

    Raises WorkbenchError if there is neither a model nor a recorded call.
    """
    if name == "written":
        from workbench.author.written import WrittenAuthor

        return WrittenAuthor(written)
    asking = client()
    if asking is None:
        raise WorkbenchError(
            "The session is drafted by a model, but none is named and no call is recorded. "
            "Set WORKBENCH_MODEL (and OPENAI_BASE_URL for a server of your own).",
            exit_code=3,
        )
    from workbench.author.model.whole_file.author import FileAuthor
    from workbench.author.model.whole_file.critics import critics_named

    settings = asking.settings
    return FileAuthor(asking, style(), rounds=settings.rounds, critics=critics_named(settings.critics))


def read_by_model(spec: AgentSpec) -> bool:
    """Whether the agent spec leaves readings of texts to a model."""
    return any(reading.extraction.method == "model" for reading in spec.readings)


def reader_of(spec: AgentSpec, client: Callable[[], ModelClient | None]) -> Reader | None:
    """The reader of texts that the agent spec leaves to a model; None without any, or without a model."""
    if not read_by_model(spec):
        return None
    asking = client()
    if asking is None:
        return None
    from workbench.author.model.extraction import ModelReader

    return ModelReader(asking)
