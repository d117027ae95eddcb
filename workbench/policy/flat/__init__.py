"""Flat forms: policies over records and lists as equivalent policies over scalars and sets, for engines."""
