"""The author that drafts for a session, and the model that the author may ask."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.session.agent_file import joined_agent, read_agent, write_agent

if TYPE_CHECKING:
    from workbench.author.model.client import ModelClient
    from workbench.author.model.progress import CallProgress
    from workbench.author.model.whole_file.author import FileStyle
    from workbench.author.model.whole_file.stored_drafting import KeptDrafting
    from workbench.author.protocol import Author
    from workbench.model import AgentSpec, Demonstration, Draft, Run
    from workbench.session import Session


__all__ = ["Authorship", "CallProgress"]


class Authorship:
    """The author of a session, and its model, made when they are first needed."""

    def __init__(self, session: Session, author: Author | None = None, *, replay_calls: bool = False) -> None:
        """Take the session; the author is the one that the session names unless another is given.

        With ``replay_calls`` a model is never asked: the session's recorded calls answer.
        """
        self._session = session
        self._author = author
        self._replay_calls = replay_calls
        self._client: ModelClient | None = None
        self._watching: tuple[Callable[[CallProgress], None], threading.Event | None] | None = None

    @property
    def author(self) -> Author:
        """The author of drafts."""
        if self._author is None:
            from workbench.author.choice_of_author import author_of

            session = self._session
            self._author = author_of(
                session.info.author,
                self.model,
                self._style,
                written=lambda: session.written,
            )
        return self._author

    def renew(self) -> None:
        """Let an author that keeps its draft make the next one anew, with the answers given since."""
        from workbench.author.protocol import Renews

        if isinstance(self.author, Renews):
            self.author.renew()

    def untold(self, draft: Draft, choices: Mapping[str, str]) -> frozenset[str]:
        """The questions whose answers the author's draft does not contain yet."""
        from workbench.author.protocol import Renews

        return self.author.untold(draft, choices) if isinstance(self.author, Renews) else frozenset()

    def assumed(self) -> Mapping[str, str]:
        """What the author's kept draft goes by where nobody answers: the value by the question."""
        from workbench.author.protocol import Renews

        return self.author.assumed() if isinstance(self.author, Renews) else {}

    def drafted_policy(self) -> str:
        """The policy of a kept drafting, as the model drafted it; empty if the author keeps none."""
        drafting = self._session.drafting
        return "" if drafting is None else drafting.policy

    def _style(self) -> FileStyle:
        """The parts of the session that an author of whole files needs."""
        from workbench.author.model.whole_file.author import FileStyle

        session = self._session
        return FileStyle(
            SessionNotation(), SessionRuns(session), SessionDrafting(session), SessionMemory(session)
        )

    def model(self) -> ModelClient | None:
        """The client of the session's model; it is made once, so that one budget covers the whole session."""
        if self._client is None:
            from workbench.author.choice_of_author import client_of

            self._client = client_of(
                self._session,
                environment=os.environ,
                replay_calls=self._replay_calls,
                read_only=self._session.read_only,
            )
            if self._client is not None and self._watching is not None:
                self._client.watch(*self._watching)
        return self._client

    def watch(
        self, on_progress: Callable[[CallProgress], None], cancelled: threading.Event | None = None
    ) -> None:
        """Call ``on_progress`` with each piece of a model's reply and its cost; ``cancelled`` ends calls."""
        self._watching = on_progress, cancelled
        if self._client is not None:
            self._client.watch(*self._watching)


# --- The session as the author of whole files uses it: notation, runs, demonstrations, stored drafting


class SessionNotation:
    """Reads and writes agent specs in the form of ``agent.toml``."""

    def read(self, text: str) -> AgentSpec:
        """The agent spec in a text, read as strictly as a person's file."""
        return read_agent(text)

    def joined(self, spec: AgentSpec, parts: str) -> str:
        """The text of a spec with further parts."""
        return joined_agent(spec, parts)

    def write(self, spec: AgentSpec) -> str:
        """The text of a spec."""
        return write_agent(spec)


class SessionRuns:
    """The runs of a session's logs, read again if a file or the agent's tools changed."""

    def __init__(self, session: Session) -> None:
        """Take the session."""
        self._session = session
        self._read: tuple[object, tuple[Run, ...]] | None = None

    def __call__(self, spec: AgentSpec) -> Sequence[Run]:
        """The runs, read with the tools of this agent spec."""
        from workbench.runs.logs import load_runs

        paths = self._session.log_paths
        tools = tuple(tool.name for tool in spec.tools)
        key = (tools, tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in paths))
        if self._read is None or self._read[0] != key:
            self._read = key, tuple(load_runs(paths, tools=list(tools)).runs)
        return self._read[1]


class SessionMemory:
    """The demonstrations of a session that a model gets when it drafts, nearest to the request first."""

    def __init__(self, session: Session) -> None:
        """Take the session."""
        self._session = session

    def __call__(self, request: str) -> Sequence[Demonstration]:
        """The demonstrations, as many as GuardAgent gets."""
        from workbench.memory.retrieval import nearest_to_request

        session = self._session
        return nearest_to_request(request, session.demonstrations, session.info.guardagent.k)


class SessionDrafting:
    """``drafting.json`` of a session; for a read-only session the drafting is kept in memory."""

    def __init__(self, session: Session) -> None:
        """Take the session."""
        self._session = session
        self._own: KeptDrafting | None = None

    def read(self) -> KeptDrafting | None:
        """The drafting of this object, else of the session; None if neither is stored."""
        return self._own if self._own is not None else self._session.drafting

    def write(self, drafting: KeptDrafting) -> None:
        """Store a drafting in place of the former one."""
        if self._session.read_only:
            self._own = drafting
        else:
            self._session.set_drafting(drafting)
