"""Policies that speak of calls: their types, their checker, their lowering to plain arguments, and their evaluation."""
