"""Runs of an agent, recorded or live: import, extraction of arguments, decisions."""
