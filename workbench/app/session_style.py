"""The session as the author of whole files uses it: notation, runs, demonstrations, stored drafting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.session.agent_file import joined_agent, read_agent, write_agent

if TYPE_CHECKING:
    from workbench.author.model.whole_file.stored_drafting import KeptDrafting
    from workbench.model import AgentSpec, Demonstration, Run
    from workbench.session import Session


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
