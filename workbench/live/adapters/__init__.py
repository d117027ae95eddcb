"""Agents of frameworks that act through a live run; each module needs its framework's package."""
