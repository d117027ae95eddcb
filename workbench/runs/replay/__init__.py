"""Decisions of a policy on recorded calls, their summary, and the comparison of two versions."""
