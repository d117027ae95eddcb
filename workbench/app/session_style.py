"""The session as the author of whole files sees it: notation, runs, demonstrations, kept drafting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.session.agent_file import read_agent, write_agent

if TYPE_CHECKING:
    from workbench.author.model.whole_file.stored_drafting import KeptDrafting
    from workbench.model import AgentSpec, Demonstration, Run
    from workbench.session import Session


class SessionNotation:
    """Agent specs as ``agent.toml`` has them."""

    def read(self, text: str) -> AgentSpec:
        """The agent spec that a text states, read as strictly as a person's file."""
        return read_agent(text)

    def write(self, spec: AgentSpec) -> str:
        """The text of a spec."""
        return write_agent(spec)


class SessionRuns:
    """The runs of a session's logs, read again where a file or the agent's tools changed."""

    def __init__(self, session: Session) -> None:
        """Take the session."""
        self._session = session
        self._read: tuple[object, tuple[Run, ...]] | None = None

    def __call__(self, spec: AgentSpec) -> Sequence[Run]:
        """The runs, as an agent with these tools made them."""
        from workbench.runs.logs import load_runs

        paths = self._session.log_paths
        tools = tuple(tool.name for tool in spec.tools)
        key = (tools, tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in paths))
        if self._read is None or self._read[0] != key:
            self._read = key, tuple(load_runs(paths, tools=list(tools)).runs)
        return self._read[1]


class SessionMemory:
    """The demonstrations of a session that a model is shown when it drafts, nearest to the request first."""

    def __init__(self, session: Session) -> None:
        """Take the session."""
        self._session = session

    def __call__(self, request: str) -> Sequence[Demonstration]:
        """The demonstrations, as many as GuardAgent is shown."""
        from workbench.memory.for_request import nearest_to_request

        session = self._session
        return nearest_to_request(request, session.demonstrations, session.info.guardagent.k)


class SessionDrafting:
    """``drafting.json`` of a session; what a read-only one drafts is kept in memory."""

    def __init__(self, session: Session) -> None:
        """Take the session."""
        self._session = session
        self._own: KeptDrafting | None = None

    def read(self) -> KeptDrafting | None:
        """The drafting of this object, else of the session; None if neither is stored."""
        return self._own if self._own is not None else self._session.drafting

    def write(self, drafting: KeptDrafting) -> None:
        """Keep a drafting in place of the former."""
        if self._session.read_only:
            self._own = drafting
        else:
            self._session.set_drafting(drafting)
