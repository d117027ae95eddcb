"""Proofs of contracts by Nagini, whose process is kept running between proofs."""
