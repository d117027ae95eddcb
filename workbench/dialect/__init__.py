"""Policies that speak of calls: their types, their checker, and their lowering to plain arguments."""
