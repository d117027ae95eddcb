"""Policies over records and lists as equivalent ones over scalars and sets, which the engines decide."""
