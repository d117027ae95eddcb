"""The papers' benchmarks with baselines and controls."""
