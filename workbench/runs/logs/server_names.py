"""Names of tools with the name of the server that offers them before it: ``mcp__SERVER__TOOL``."""

from __future__ import annotations

from collections.abc import Collection

_PREFIX = "mcp__"


class ServerNames:
    """Which tool of the agent a name with a server is, in one log.

    An agent's spec names its tools as their server does, a transcript with the server before it. The
    first server of a log that offers a tool of the agent is taken for the one that the spec means; a tool
    of the same name of another server keeps its whole name, because it is another tool.
    """

    def __init__(self, tools: Collection[str]) -> None:
        """Take the names in the agent's spec; without them every name stays as it is."""
        self._tools = frozenset(tools)
        self._server: dict[str, str] = {}

    def tool(self, name: str | None) -> str | None:
        """The agent's own name of a tool, or the name as the log has it."""
        if name is None or not name.startswith(_PREFIX) or name in self._tools:
            return name
        # The name of a server may hold the separator too, as that of a tool may.
        parts = name.removeprefix(_PREFIX).split("__")
        for cut in range(1, len(parts)):
            server, tool = "__".join(parts[:cut]), "__".join(parts[cut:])
            if tool in self._tools:
                return tool if self._server.setdefault(tool, server) == server else name
        return name
