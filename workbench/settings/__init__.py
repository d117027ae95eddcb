"""The permission rules of coding agents: read, matched as the client matches them, examined, carried over."""
