"""The view of the whole policy file."""
