"""Adapters that put a guard in front of the tools of agent frameworks and MCP servers."""
