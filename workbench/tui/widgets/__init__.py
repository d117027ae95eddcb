"""Widgets that more than one view uses."""
