"""The view of the recorded runs."""
