"""Theorems about whole runs: proved by induction over calls, or refuted by a run that the guard plays."""
