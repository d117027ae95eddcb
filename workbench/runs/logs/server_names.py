"""Names of tools that begin with the name of the server that offers them: ``mcp__SERVER__TOOL``."""

from __future__ import annotations

from collections.abc import Collection

_PREFIX = "mcp__"


class ServerNames:
    """The tools of the agent by their names with a server, in one log.

    An agent's spec names tools as their server does; a transcript writes the server before the name. The
    first server of a log that offers a tool of the agent is taken for the server that the spec means. A tool
    with the same name on another server keeps its whole name, because it is another tool.
    """

    def __init__(self, tools: Collection[str]) -> None:
        """Take the names in the agent's spec; without names every name stays as it is."""
        self._tools = frozenset(tools)
        self._server: dict[str, str] = {}

    def tool(self, name: str | None) -> str | None:
        """The agent's own name of a tool; the name in the log if it is no tool of the agent."""
        if name is None or not name.startswith(_PREFIX) or name in self._tools:
            return name
        # The name of a server may contain the separator too, and so may the name of a tool.
        parts = name.removeprefix(_PREFIX).split("__")
        for cut in range(1, len(parts)):
            server, tool = "__".join(parts[:cut]), "__".join(parts[cut:])
            if tool in self._tools:
                return tool if self._server.setdefault(tool, server) == server else name
        return name
