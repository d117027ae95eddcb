"""A policy as Python functions: decisions in microseconds."""
