"""Extraction of the typed arguments of a policy from a call of a run, each with its place in the log."""
