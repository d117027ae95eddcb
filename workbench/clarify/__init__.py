"""Clarification: questions about what a policy of calls leaves open, and the request as it is understood."""
