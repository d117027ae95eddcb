"""Recorded and live runs of an agent: imported, read into arguments, decided."""
