"""Comparison of guards on labelled recordings, with baselines and controls."""
